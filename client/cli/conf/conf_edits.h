/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_edits.h - makes a list of edits of the configuration of queues (creel_conf_edit)
 *
 * All texts are copied. Pure.
 */
#ifndef CREEL_CLI_CONF_EDITS_H
#define CREEL_CLI_CONF_EDITS_H

#include "client/include/creel-admin.h"
#include "common/base/err.h"

struct conf_edits {
    struct creel_conf_edit *items; /* owned, with their texts */
    size_t count, capacity;
};

void conf_edits_done(struct conf_edits *edits);

/* Adds an edit without settings. QUEUE is the path of the queue; NULL for CREEL_CONF_SET_SCHEDULER. Returns
 * the index of the edit. */
size_t conf_edits_add(struct conf_edits *edits, enum creel_conf_edit_kind kind, const char *queue);
/* Adds a setting to the edit at INDEX. An empty VALUE removes the property. */
void conf_edits_set(struct conf_edits *edits, size_t index, const char *key, const char *value);

/*
 * Adds the assignment TEXT to the edit of its queue, which is added if there is none:
 *   QUEUE.KEY=VALUE                          a property of a queue; QUEUE is a path, a path without "root.",
 *                                            or the last part of a path
 *   KEY=VALUE                                a property of the scheduler; KEY has no dot
 *   yarn.scheduler.capacity.[QUEUE.]KEY=VALUE  either of them, by its whole name
 * PATHS are the paths of the known queues, COUNT of them. -EINVAL: TEXT has another form, or more than one
 * queue has that name; -ENOENT: there is no such queue.
 */
int conf_edits_assign(struct conf_edits *edits, const char *text, const char *const *paths, size_t count,
                      struct err *err);

#endif
