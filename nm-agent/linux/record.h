/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - small files that are there whole or not at all
 */
#ifndef CREEL_NM_RECORD_H
#define CREEL_NM_RECORD_H

#include <stddef.h>

#include "common/base/err.h"

/* Write NAME in the directory DIRECTORY_FD: temporary file, fsync, rename, fsync of the
 * directory. On failure an older NAME is as it was and nothing else is left. */
int record_write(int directory_fd, const char *name, const void *data, size_t size,
                 struct err *err);

/* record_write without waiting for the disk: whole for every reader, but after a power cut it may
 * be gone or damaged. */
int record_put(int directory_fd, const char *name, const void *data, size_t size,
               struct err *err);

/* The same for a NAME that is of no use yet, which a reader may find damaged or empty. */
int record_put_new(int directory_fd, const char *name, const void *data, size_t size,
                   struct err *err);

/* Read a whole file; *DATA is the caller's, with a NUL behind it that *SIZE (may be NULL) does
 * not count. Works for files of /proc, which have no size. */
int record_read(int directory_fd, const char *name, char **data, size_t *size, struct err *err);

#endif
