/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paths.h - builds the paths of the agent's directories, and checks names used in paths
 *
 * The caller owns the returned texts.
 */
#ifndef CREEL_NM_PATHS_H
#define CREEL_NM_PATHS_H

#include <stdbool.h>

/* Returns true if TEXT is safe as one component of a path and as a cgroup name: [A-Za-z0-9_.-], not beginning
 * with a dot, 1 to 79 bytes. */
bool paths_is_name(const char *text);
/* Returns true if TEXT is a file name within one directory: printable, without a slash, not "." or "..", at
 * most 255 bytes. */
bool paths_is_file_name(const char *text);
bool paths_is_hash(const char *text); /* 64 lower-case hexadecimal digits */

char *paths_app_work(const char *local_dir, const char *user, const char *app_id);
char *paths_work(const char *local_dir, const char *user, const char *app_id, const char *container_id);
/* The file in the directory of an application that has its job token. */
#define PATHS_JOB_TOKEN "creel-job-token"
/* WORK is the directory of a container of the application. */
char *paths_job_token(const char *work);
char *paths_app_logs(const char *log_dir, const char *app_id);
char *paths_logs(const char *log_dir, const char *app_id, const char *container_id);

/* Splits a comma-separated list of absolute paths, without the blanks around them. Returns a NULL-terminated
 * array, freed with paths_free_list; NULL if a path is not absolute or LIST is empty. */
char **paths_split(const char *list);
void paths_free_list(char **list);
/* Returns true if NAME is an item of the comma-separated LIST (may be NULL). */
bool paths_list_has(const char *list, const char *name);

#endif
