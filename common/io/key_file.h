/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_file.h - reads and writes one CURVE certificate file, in the format of czmq's zcert
 *
 *   metadata
 *       name = "alice"
 *   curve
 *       public-key = "40 characters of Z85"
 *       secret-key = "..."              only in FILE_secret
 */
#ifndef CREEL_IO_KEY_FILE_H
#define CREEL_IO_KEY_FILE_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/io/keys.h"

#define KEY_FILE_SECRET_SUFFIX "_secret"

/* Reads FILE (relative to DIRECTORY_FD, or AT_FDCWD). With SECRET the file must have the secret key, which
 * must fit the public key, and must not be accessible to group and others; without SECRET, a secret key in
 * the file is ignored. */
int key_file_read(int directory_fd, const char *file, bool secret, struct key *key, struct err *err);

/* -EINVAL unless KEY has a public half and, with SECRET, the secret half that belongs to it. FILE is for the
 * message. */
int key_file_judge(const char *file, bool secret, const struct key *key, struct err *err);

/* Write FILE whole or not at all, never over another one (-EEXIST): 0600 with
 * SECRET, else 0644. NAME goes into the metadata. */
int key_file_write(const char *file, bool secret, const struct key *key, const char *name, struct err *err);

#endif
