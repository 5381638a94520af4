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
#include "common/io/keys/keys.h"

#define KEY_FILE_SECRET_SUFFIX "_secret"

/* Reads FILE (relative to DIRECTORY_FD, or AT_FDCWD). With SECRET the file must have the secret key, which
 * must fit the public key, and must not be accessible to group and others; without SECRET, a secret key in
 * the file is ignored. */
int key_file_read(int directory_fd, const char *file, bool secret, struct key *key, struct err *err);

/* Checks KEY. -EINVAL: its public half is not valid or, with SECRET, its secret half does not belong to the
 * public half. FILE is for the message. */
int key_file_judge(const char *file, bool secret, const struct key *key, struct err *err);

/* Writes FILE atomically, with mode 0600 if SECRET, else 0644. NAME is written to the metadata. -EEXIST: FILE
 * exists; it is never replaced. */
int key_file_write(const char *file, bool secret, const struct key *key, const char *name, struct err *err);

/* Explains that FILE, the public half of the resource manager's pair, is missing. Returns -ENOENT. */
int key_file_explain_missing_rm(const char *file, struct err *err);

#endif
