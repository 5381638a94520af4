/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_file.h - one CURVE certificate on disk, as czmq's zcert writes it
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

/* Read FILE (relative to DIRECTORY_FD, or AT_FDCWD). With SECRET it must hold the
 * secret half, fit the public one, and be closed to group and others; without,
 * a secret in it is not taken. */
int key_file_read(int directory_fd, const char *file, bool secret, struct key *key,
                  struct err *err);

/* -EINVAL unless KEY has a public half and, with SECRET, the secret half that belongs to it. FILE is for the
 * message. */
int key_file_judge(const char *file, bool secret, const struct key *key, struct err *err);

/* Write FILE whole or not at all, never over another one (-EEXIST): 0600 with
 * SECRET, else 0644. NAME goes into the metadata. */
int key_file_write(const char *file, bool secret, const struct key *key, const char *name,
                   struct err *err);

#endif
