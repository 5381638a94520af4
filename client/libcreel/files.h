/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.h - inside libcreel: files by what is in them
 */
#ifndef CREEL_LIBCREEL_FILES_H
#define CREEL_LIBCREEL_FILES_H

#include <stdint.h>

#include "common/base/err.h"

#define FILES_HASH_BYTES 32

/* BLAKE2b-256 of what FD holds from its beginning, and how much that is. NAME is for messages. */
int files_hash(int fd, const char *name, uint8_t hash[FILES_HASH_BYTES], uint64_t *size_bytes,
               struct err *err);

/* Open SOURCE for reading. It must be a regular file; otherwise the error names what it is. */
int files_open(const char *source, int *ret_fd, uint32_t *mode, struct err *err);

#endif
