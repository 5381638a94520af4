/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_files.h - the values of --file and --archive, and packing of directories
 *
 *   --file FILE[#NAME]          the job gets a copy of FILE, as NAME
 *   --file DIRECTORY[#NAME]     the job gets a directory NAME: it is packed, sent and unpacked
 *   --archive ARCHIVE[#NAME]    the job gets a directory NAME with the content of ARCHIVE; without #NAME it
 *                               has the name of the archive without its suffix (.tar.gz, .zip, ...)
 *
 * A path that exists and contains '#' is taken as it is.
 */
#ifndef CREEL_CLI_SUBMIT_FILES_H
#define CREEL_CLI_SUBMIT_FILES_H

#include <stdbool.h>

#include "client/include/creel.h"
#include "common/base/arena.h"
#include "common/base/err.h"

/* Reads VALUE of --file, or with IS_ARCHIVE of --archive, into *FILE, whose texts are in ARENA or borrowed
 * from VALUE. The source is looked at, but not opened. */
int submit_file_read(const char *value, bool is_archive, struct arena *arena, struct creel_file *file,
                     struct err *err);

/* Returns true if PATH, a command, is inside one of the COUNT directories of FILES that are unpacked on the
 * node. */
bool submit_file_unpacks(const struct creel_file *files, size_t count, const char *path);

/* Packs the directories among the files of JOB. Their sources become paths below /proc/self/fd; FDS[i],
 * which is the caller's, is the archive of file i, -1 for others. After an error FDS may have some. */
int submit_files_pack(struct creel_job *job, int *fds, struct arena *arena, struct err *err);

#endif
