/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paths.h - every directory name that the agent uses, and which names may be part of one
 *
 * The returned texts are the caller's.
 */
#ifndef CREEL_NM_PATHS_H
#define CREEL_NM_PATHS_H

#include <stdbool.h>

/* [A-Za-z0-9_.-], no dot first, 1 to 79 bytes: safe as one part of a path and of a cgroup. */
bool paths_is_name(const char *text);
/* A file name within one directory: anything printable without a slash, not "." or "..",
 * at most 255 bytes. */
bool paths_is_file_name(const char *text);
bool paths_is_hash(const char *text);           /* 64 lower-case hexadecimal digits */

char *paths_app_work(const char *local_dir, const char *user, const char *app_id);
char *paths_work(const char *local_dir, const char *user, const char *app_id,
                 const char *container_id);
char *paths_app_logs(const char *log_dir, const char *app_id);
char *paths_logs(const char *log_dir, const char *app_id, const char *container_id);

/* Split a comma-separated list of absolute paths, blanks around them cut: a NULL-terminated
 * array, freed with paths_free_list. NULL if one is not absolute or there is none. */
char **paths_split(const char *list);
void paths_free_list(char **list);
/* NAME is an item of the comma-separated LIST (may be NULL). */
bool paths_list_has(const char *list, const char *name);

#endif
