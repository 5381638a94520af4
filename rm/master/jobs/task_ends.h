/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_ends.h - the containers of a job of tasks, by what is known of the ends of their commands
 *
 * When the command of a task has ended, its agent stops the processes that it left, and the container is
 * complete only then. The application master of the job gets the end of the task with that of the container.
 */
#ifndef CREEL_RM_MASTER_TASK_ENDS_H
#define CREEL_RM_MASTER_TASK_ENDS_H

#include <stdbool.h>

#include "rm/master/state.h"

struct task_ends {
    uint32_t unknown; /* may run: their nodes have not registered since the start; the first container, too */
    uint32_t running;
    uint32_t commands; /* their commands have ended, and not all processes that these left */
    uint32_t retried;  /* of COMMANDS: their tasks may run again */
    uint32_t ended;
};

/* Returns true if the agent of CONTAINER may still report that its command has ended. */
bool rm_task_ends_is_unknown(const struct container *container);
/* Counts the containers of tasks of APP. */
struct task_ends rm_task_ends_count(struct master *m, const struct app *app);
/* Returns true if APP is a job of tasks, and the commands of all tasks that its application master has not
 * reported as over have ended, none of which runs again. False if the master has not reported its tasks. */
bool rm_task_ends_decide(struct master *m, const struct app *app);

#endif
