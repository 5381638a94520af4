/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_name.h - names of queues, and what users and groups are called as queues
 *
 * A path is components with "." between them, "root" first. What people write need
 * not begin with root; what comes out of placement always does.
 */
#ifndef CREEL_RM_SCHED_QUEUE_NAME_H
#define CREEL_RM_SCHED_QUEUE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* TEXT without blanks at its ends, those of Unicode included (a queue named by a no-break space
 * looks like none at all). Owned by the caller. */
char *queue_name_trim(const char *text);

/* The user or group NAME as one component: trimmed, "." as "_dot_". Owned by the caller. */
char *queue_name_component(const char *name);

/* No component of PATH is empty, or has blanks at its ends. */
bool queue_path_is_clean(const char *path);

size_t queue_path_depth(const char *path);      /* "root" is 1 */

#endif
