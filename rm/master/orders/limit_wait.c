/* SPDX-License-Identifier: Apache-2.0 */
/* limit_wait.c - decides whether a limit that is reached waits for the ends of containers */
#include "rm/master/orders/limit_wait.h"

#include "rm/master/jobs/task_ends.h"
#include "rm/master/orders/limit_orders.h"
#include "rm/master/state/deadline.h"
#include "rm/master/state/index.h"
#include "rm/master/state/time_limit.h"

#define CHECK_MS 1000 /* interval of checks */
#define WAIT_MS 10000 /* time to the limit that the agents get meanwhile; the master of tasks ends in it */
#define RENEW_MS 5000 /* the agents get a new one when less than this is left */

enum limit_wait {
    WAIT_NONE,  /* the limit kills */
    WAIT_AGENT, /* a node of its containers has not registered since the start */
    WAIT_ENDS,  /* all commands have ended, and not all their containers */
    WAIT_MASTER /* all containers of tasks have ended: their master reports the result */
};

static enum limit_wait judge_tasks(struct master *m, const struct app *app)
{
    struct task_ends tasks = rm_task_ends_count(m, app);
    struct sched_ask ask;

    if (tasks.running > 0 || app->state != APP_STATE_RUNNING)
        return WAIT_NONE;
    if (tasks.unknown > 0)
        return WAIT_AGENT;
    if (sched_app_asks(app->sched, &ask, 1) > 0)
        return WAIT_NONE;
    if (tasks.commands > 0)
        return WAIT_ENDS;
    return tasks.ended > 0 ? WAIT_MASTER : WAIT_NONE;
}

static enum limit_wait judge(struct master *m, const struct app *app)
{
    const struct container *am = app->attempt != NULL ? app->attempt->am_container : NULL;
    bool limit = app->limit_ms > 0 && app->limit_ms == rm_time_limit_end_ms(app);

    if (am == NULL || !limit || app->kill_requested)
        return WAIT_NONE;
    if (am->command_ended)
        return WAIT_ENDS;
    if (app->job->kind == CREEL__APP_KIND__APP_TASKS)
        return judge_tasks(m, app);
    return app->job->kind == CREEL__APP_KIND__APP_COMMAND && rm_task_ends_is_unknown(am) ? WAIT_AGENT
                                                                                         : WAIT_NONE;
}

bool rm_limit_waits(struct master *m, struct app *app)
{
    enum limit_wait wait = judge(m, app);

    if (wait == WAIT_NONE || (wait == WAIT_MASTER && app->limit_wait_ms <= m->now_ms))
        return false;
    if (wait != WAIT_MASTER && app->limit_wait_ms < m->now_ms + RENEW_MS) {
        app->limit_wait_ms = m->now_ms + WAIT_MS;
        rm_limit_changed(m, app);
    }
    rm_deadline_set(m, &app->lifetime, m->now_ms + CHECK_MS);
    return true;
}
