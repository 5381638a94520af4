/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve.h - finds the application, container, node or queue that a user's text names
 *
 * Accepted are "7", "_0007" or a whole id for an application; the end of an id for a container; a host or the
 * beginning of an id for a node; the last part of a path for a queue. The text must match exactly one object.
 * NULL or -ENOENT: ERR has a sentence for the user. -EBUSY: a task of an array has not begun.
 */
#ifndef CREEL_RM_MASTER_RESOLVE_H
#define CREEL_RM_MASTER_RESOLVE_H

#include "rm/master/state.h"

struct app *rm_resolve_app(struct master *m, const char *text, struct err *err);
/* Finds the array of the task that TEXT names, as "42_7", if the task has begun or not; NULL: there is
 * none. */
struct app *rm_resolve_array(struct master *m, const char *text);
/* The same for a task that the array has had at any time. Sets its INDEX. */
struct app *rm_resolve_task(struct master *m, const char *text, uint32_t *index);
struct container *rm_resolve_container(struct master *m, const char *text, struct err *err);
struct node *rm_resolve_node(struct master *m, const char *text, struct err *err);
int rm_resolve_queue(struct master *m, const char *text, struct sched_queue_figures *ret, struct err *err);

/* As master_has_forgotten. */
bool rm_has_forgotten(const struct master *m, const char *text, struct app_id *id);
/* Returns whether TEXT names a task of an array that is not in memory, but may be in the history. Sets the id
 * of the array, and the index. */
bool rm_has_forgotten_task(const struct master *m, const char *text, struct app_id *array, uint32_t *index);

#endif
