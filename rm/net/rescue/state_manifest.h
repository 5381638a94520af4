/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_manifest.h - MANIFEST, the first member of an archive of the resource manager
 *
 * tar does not notice an archive that was cut between two members, or bytes of a file that were changed.
 * MANIFEST has a line for each file: its SHA-256 in hexadecimal, its size in bytes and its name, with a space
 * between them. The last line is "end" and the number of files.
 */
#ifndef CREEL_RM_STATE_MANIFEST_H
#define CREEL_RM_STATE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"

#define STATE_MANIFEST "MANIFEST"

/* A file or directory of an archive. */
struct state_part {
    const char *name; /* in the archive, and in the directory of its files */
    bool flat;        /* only the files in this directory count, not those of directories in it */
};

/* Writes STAGE/MANIFEST for the PARTS in STAGE, and to NAMES, an open file, the names of all members of the
 * archive for tar, each with a 0 byte behind it. A part may be a link to a directory; links in it, and
 * whatever else is neither a file nor a directory, are left out. */
int state_manifest_write(const char *stage, const struct state_part *parts, size_t count, int names,
                         struct err *err);

/* Checks that the PARTS in STAGE, where ARCHIVE was unpacked, are as STAGE/MANIFEST describes them. -EBADMSG:
 * they are not. */
int state_manifest_check(const char *stage, const struct state_part *parts, size_t count, const char *archive,
                         struct err *err);

#endif
