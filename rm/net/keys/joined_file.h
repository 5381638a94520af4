/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joined_file.h - reads and writes KEYDIR/joined/hosts, the list of hosts that have joined (joined_keys.h)
 *
 * Changes are appended, so that a change costs one line; after a crash the last line may be incomplete. All
 * functions block: creel-rm calls those that write in a thread.
 */
#ifndef CREEL_RM_JOINED_FILE_H
#define CREEL_RM_JOINED_FILE_H

#include "common/base/err.h"

#define JOINED_KEYS_FOLDER "joined"
#define JOINED_KEYS_FILE "joined/hosts" /* in the key directory */

/* Reads the file into *RET, which the caller frees; NULL: there is none. -EPERM: others can write it, and so
 * admit any key. */
int joined_file_read(const char *key_directory, char **ret, struct err *err);
/* Replaces the file by TEXT. After a failure the file is as before. */
int joined_file_replace(const char *key_directory, const char *text, struct err *err);
/* Adds TEXT, whole lines, to the file, which exists. After a failure it may have a part of TEXT. */
int joined_file_append(const char *key_directory, const char *text, struct err *err);

#endif
