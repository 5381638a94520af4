/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiting_tasks.h - the tasks of an array that have not begun
 *
 * The resource manager reports their number. Tasks are submitted in ascending order of the index: those
 * that are no applications yet are the last ones of the array that are not known to have begun or ended.
 * Tasks that were killed before they became applications are among array->failed_tasks alone. Pure.
 */
#ifndef CREEL_SLURM_CLIENT_WAITING_TASKS_H
#define CREEL_SLURM_CLIENT_WAITING_TASKS_H

#include "client/include/creel.h"
#include "common/base/arena.h"

struct waiting_tasks {
    uint32_t *indexes; /* owned, ascending */
    size_t count;
};

/* Returns whether the application TASK, a task, has not begun and is not held: one that is held has a row of
 * its own, as in Slurm. */
bool waiting_task_is(const struct creel_app *task);

/* Finds the tasks of ARRAY that have not begun, or never did if ARRAY has ended without one. TASKS has COUNT
 * of its tasks, those that live among them, and those that are held are left out; array->failed_tasks names
 * further ones that have ended. The caller calls waiting_tasks_done. */
void waiting_tasks_find(struct waiting_tasks *waiting, const struct creel_app *array,
                        const struct creel_app *const *tasks, size_t count);
/* Finds the tasks of ARRAY that array->failed_tasks names, that are none of TASKS, and that were killed. It
 * finds none if some of these may have failed: the resource manager has forgotten tasks that ended, and
 * knows only their number. */
void waiting_tasks_find_killed(struct waiting_tasks *killed, const struct creel_app *array,
                               const struct creel_app *const *tasks, size_t count);
/* Returns whether ARRAY has more failed and killed tasks than TASKS. */
bool waiting_tasks_lack_ends(const struct creel_app *array, const struct creel_app *const *tasks,
                             size_t count);
void waiting_tasks_done(struct waiting_tasks *waiting);

/* Returns the indexes as "3-5,7", with "%AT_ONCE" at the end if it is not 0, in ARENA. */
const char *waiting_tasks_text(const struct waiting_tasks *waiting, uint32_t at_once, struct arena *arena);

#endif
