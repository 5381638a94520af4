/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_name.h - checks and converts names of queues, and user and group names used as queue names
 *
 * A path consists of components separated by ".", beginning with "root". Users may omit root; placement
 * always returns full paths.
 */
#ifndef CREEL_RM_SCHED_QUEUE_NAME_H
#define CREEL_RM_SCHED_QUEUE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns TEXT without blanks at both ends, also Unicode blanks (a queue named by a no-break space would seem
 * to have no name). The caller frees the result. */
char *queue_name_trim(const char *text);

/* Returns the user or group NAME as one path component: trimmed, and "." replaced by "_dot_". The caller
 * frees the result. */
char *queue_name_component(const char *name);

/* Returns true if no component of PATH is empty or has blanks at its ends. */
bool queue_path_is_clean(const char *path);

size_t queue_path_depth(const char *path); /* number of components; "root" is 1 */

#endif
