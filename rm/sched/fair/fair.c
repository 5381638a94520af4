/* SPDX-License-Identifier: Apache-2.0 */
/* fair.c - the table of functions of the fair scheduler that the core calls (yarn-behaviour 8) */
#include "rm/sched/fair/internal.h"

static int admit(struct sched *sched, const struct sched_app_spec *spec, bool test,
                 struct sched_admission *ret, struct err *err)
{
    int r = fair_admit(sched, spec, test, &ret->queue, err);

    if (r == 0 && test && ret->queue == NULL)
        ret->path = fair_place(sched, spec);
    return r;
}

/* Handles changes of an application. With a locality delay, a change of the hosts and racks that an
 * application requests may change whether offers are counted. */
static void app_changed(struct sched *sched, struct sched_app *app, unsigned changes)
{
    bool other_delay = changes & SCHED_APP_NAMES && fair_delays(fair_of(sched));

    if (changes & SCHED_APP_ENTERS)
        fair_join(sched, app);
    else if (changes & SCHED_APP_STARTS)
        fair_start(sched, app);
    else if (changes & SCHED_APP_LEAVES)
        fair_leave(sched, app);
    else if (changes & SCHED_APP_PRIORITY || other_delay)
        fair_app_touch(fair_app_data(app));
}

static void container_changed(struct sched *sched, struct sched_container *container, bool started)
{
    fair_of(sched)->changed_ms = sched->now_ms;
    if (container->manager)
        fair_count_am(container, started ? 1 : -1);
    if (!started)
        fair_ended(sched, container);
}

static void container_resized(struct sched *sched, struct sched_container *container,
                              const struct resource *delta)
{
    fair_of(sched)->changed_ms = sched->now_ms;
    if (container->manager)
        fair_am_resized(container, delta);
    if (container->killed)
        fair_victim_resized(container, delta);
}

static void timer(struct sched *sched, enum sched_timer timer, struct sched_decisions *decisions)
{
    if (timer == SCHED_TIMER_UPDATE)
        fair_update(sched, decisions);
    if (timer != SCHED_TIMER_TICK)
        return;
    fair_kill_due(sched, decisions);
    fair_tidy(sched);
}

static void app_figures(const struct sched *sched, const struct sched_app *app, struct sched_app_figures *ret)
{
    ret->headroom = fair_headroom(sched, app);
    fair_app_figures(sched, app, ret);
}

static void explain(const struct sched *sched, const struct sched_app *app, struct sched_why *ret)
{
    bool full = ret->reason == SCHED_REASON_CLUSTER_FULL;

    if (!fair_limits(sched, app, ret) && full)
        fair_explain(sched, app, ret);
}

static bool counts(const struct sched_app *app)
{
    return app->state == APP_ACTIVE;
}

const struct sched_policy sched_fair = {
    .name = "fair",
    .configure = fair_configure,
    .refresh = fair_refresh,
    .free = fair_free,
    .admission = {
        .admit = admit,
        .may_move = fair_may_move,
    },
    .accounting = {
        .partition_changed = fair_partition_changed,
        .app_changed = app_changed,
        .container_changed = container_changed,
        .container_resized = container_resized,
        .container_stopping = fair_stopping,
        .container_continues = fair_ended,
        .node_leaves = fair_node_gone,
        .timer = timer,
    },
    .assignment = {
        .assign = fair_assign,
        .assign_to = fair_assign_to,
        .offer_released = fair_offer_released,
        .can_assign = fair_can_assign,
    },
    .rules = {
        .check_size = fair_may_ask,
        .access = fair_queue_access,
        .read_access = fair_read_access,
    },
    .reports = {
        .app_figures = app_figures,
        .queue_figures = fair_queue_figures,
        .queue_order = fair_queue_order,
        .explain = explain,
        .counts = counts,
        .check = fair_check,
    },
    .starts_apps = true,
    .minimum_may_be_zero = true,
    .reserves_full_nodes = true,
};
