/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h - packs a directory of a job into an archive
 *
 * The archive is a tar file compressed with zstd, and depends on nothing but the directory: entries are
 * sorted, times and modes are kept, owners are not. So the cluster knows a directory that did not change by
 * its content.
 */
#ifndef CREEL_ARCHIVE_PACK_H
#define CREEL_ARCHIVE_PACK_H

#include "common/base/err.h"

/* Packs DIRECTORY into the empty file TARGET, whose content after an error is undefined. -EINVAL: DIRECTORY
 * has a device, a socket or a FIFO; -EFBIG: more than archive_limits.h allows; -EAGAIN: it changed meanwhile;
 * otherwise the error of the file system. */
int pack_directory(const char *directory, int target, struct err *err);

#endif
