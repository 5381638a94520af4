/* SPDX-License-Identifier: Apache-2.0 */
/* task_ends.c - the containers of a job of tasks, by what is known of the ends of their commands */
#include "rm/master/jobs/task_ends.h"

#include "common/base/job/exit_status.h"
#include "common/base/job/task_retry.h"
#include "rm/master/state/index.h"

bool rm_task_ends_is_unknown(const struct container *container)
{
    return container->state != CONTAINER_COMPLETED && container->sched == NULL;
}

/* Returns true if the master of the tasks may run the task of CONTAINER, whose command has ended, again: the
 * resource manager does not know how often the task ended before. */
static bool is_retried(const struct container *container)
{
    const Creel__JobSpec *job = container->app->job;
    const struct task_limits limits = {
        .no_requeue = job->no_requeue,
        .lost = TASK_LOST_RETRIES,
        .attempts = job->max_attempts,
    };
    const struct task_end end = {
        .status = container->command_status,
        .elsewhere = container->retry_elsewhere,
        .released = container->stop_status == CONTAINER_EXIT_BY_AM,
        .started = container->started_ms > 0,
    };
    struct task_end_counts none = { 0 };

    return task_retry_count(&none, &limits, &end);
}

struct task_ends rm_task_ends_count(struct master *m, const struct app *app)
{
    struct container first = { .id = { .attempt = { .app = app->id } } };
    struct container *at = RB_NFIND(rm_container_tree, &m->containers, &first);
    struct task_ends ends = { 0 };

    for (; at && at->app == app; at = RB_NEXT(rm_container_tree, &m->containers, at))
        if (rm_task_ends_is_unknown(at)) {
            ends.unknown++;
        } else if (at->is_am) {
            continue;
        } else if (at->state == CONTAINER_COMPLETED) {
            ends.ended++;
        } else if (at->command_ended) {
            ends.commands++;
            ends.retried += is_retried(at);
        } else {
            ends.running++;
        }
    return ends;
}

bool rm_task_ends_decide(struct master *m, const struct app *app)
{
    struct task_ends ends;
    struct sched_ask ask;

    if (app->job->kind != CREEL__APP_KIND__APP_TASKS || app->state != APP_STATE_RUNNING ||
        rm_attempt_has_ended_command(app->attempt) || sched_app_asks(app->sched, &ask, 1) > 0)
        return false;
    ends = rm_task_ends_count(m, app);
    return ends.unknown == 0 && ends.running == 0 && ends.retried == 0 && ends.commands > 0 &&
           (uint64_t)ends.commands + app->tasks[2] + app->tasks[3] >= app->tasks[0] && app->tasks[0] > 0;
}
