/* SPDX-License-Identifier: Apache-2.0 */
/* files.h - inside libcreel: opening and hashing of files to be submitted */
#ifndef CREEL_LIBCREEL_FILES_H
#define CREEL_LIBCREEL_FILES_H

#include <stdint.h>

#include "common/base/err.h"

#define FILES_HASH_BYTES 32

/* Computes the BLAKE2b-256 hash and the size of the file FD, from its beginning. NAME is for messages. */
int files_hash(int fd, const char *name, uint8_t hash[FILES_HASH_BYTES], uint64_t *size_bytes,
               struct err *err);

/* Opens SOURCE for reading. SOURCE must be a regular file; otherwise the error names its type. */
int files_open(const char *source, int *ret_fd, uint32_t *mode, struct err *err);

#endif
