/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - writes small files atomically, and reads them
 */
#ifndef CREEL_NM_RECORD_H
#define CREEL_NM_RECORD_H

#include <stddef.h>

#include "common/base/err.h"

/* Writes NAME in the directory DIRECTORY_FD: temporary file, fsync, rename, fsync of the directory. On
 * failure an older NAME is unchanged and no temporary file is left. */
int record_write(int directory_fd, const char *name, const void *data, size_t size, struct err *err);

/* Writes a file as record_write does, but without fsync: complete for every reader, but after a power failure
 * the file may be missing or damaged. */
int record_put(int directory_fd, const char *name, const void *data, size_t size, struct err *err);

/* Writes a new file without fsync and rename: readers may find NAME incomplete or empty. */
int record_put_new(int directory_fd, const char *name, const void *data, size_t size, struct err *err);

/* Reads a whole file. The caller owns *DATA, which has a NUL at the end that *SIZE (may be NULL) does not
 * count. Works for files of /proc, which have no size. */
int record_read(int directory_fd, const char *name, char **data, size_t *size, struct err *err);

#endif
