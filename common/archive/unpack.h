/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack.h - unpacks the archive of a job into a directory
 *
 * The archive is written by others. An entry is refused, and with it the archive, if its path is absolute,
 * has ".." or leads through a symbolic link, or if it is neither a file nor a directory nor a link. Owners,
 * ACLs, extended attributes and the bits set-user-ID, set-group-ID and sticky are not taken over.
 * creel-unpack runs it with the rights of the user of the job, the client for the results of a job.
 */
#ifndef CREEL_ARCHIVE_UNPACK_H
#define CREEL_ARCHIVE_UNPACK_H

#include <stdint.h>

#include "common/base/err.h"

struct unpack_limits {
    int64_t entries;
    int64_t bytes; /* of all files together */
};

/* Replaces the archive NAME in the present directory by a directory NAME with its content: tar, zip or
 * cpio, which may be compressed. NAME is a plain file name. -EINVAL: not an archive, damaged, or refused;
 * -EFBIG: more than LIMITS; otherwise the error of the file system. After an error the directory NAME may
 * have a part of the content. */
int unpack_archive(const char *name, const struct unpack_limits *limits, struct err *err);

/* Unpacks the archive of FD into the present directory, which is empty. Errors as of unpack_archive. */
int unpack_here(int fd, const struct unpack_limits *limits, struct err *err);

#endif
