/* SPDX-License-Identifier: Apache-2.0 */
/* capacity.c - the table of functions of the capacity scheduler that the core calls (yarn-behaviour 5) */
#include "rm/sched/capacity/internal.h"

static int admit(struct sched *sched, const struct sched_app_spec *spec, bool test,
                 struct sched_admission *ret, struct err *err)
{
    int r = capacity_admit(sched, spec, test, &ret->queue, err);

    if (r == 0 && ret->queue != NULL)
        r = capacity_choose_priority(sched, ret->queue, spec, &ret->priority, err);
    ret->priority = capacity_cut_priority(sched, ret->priority);
    return r;
}

static void app_changed(struct sched *sched, struct sched_app *app, unsigned changes)
{
    if (changes & SCHED_APP_ENTERS)
        capacity_join(sched, app);
    else if (changes & SCHED_APP_STARTS)
        capacity_start(sched, app);
    else if (changes & SCHED_APP_LEAVES)
        capacity_leave(sched, app, changes & SCHED_APP_MOVES);
    else if (changes & SCHED_APP_PRIORITY)
        capacity_priority_changed(sched, app);
    else if (changes & (SCHED_APP_AM_CHANGES | SCHED_APP_AM_CHANGED))
        capacity_master_changes(app, changes & SCHED_APP_AM_CHANGED);
    else
        capacity_requested(app, changes);
}

static void partition_changed(struct app_partition *part)
{
    capacity_note_none_pending(part->app, part->leaf);
    if (part->app->sched->use_changed)
        capacity_users_changed(part->leaf->queue);
    capacity_index_update(part);
}

static void container_changed(struct sched *sched, struct sched_container *container, bool started)
{
    if (!started)
        capacity_ended(sched, container);
}

static void container_stopping(struct sched *sched, struct sched_container *container, bool stuck)
{
    (void)stuck;
    capacity_note_stopped(sched, container);
}

static void container_resized(struct sched *sched, struct sched_container *container,
                              const struct resource *delta)
{
    if (container->killable)
        capacity_killable_resized(sched, container, delta);
}

static void timer(struct sched *sched, enum sched_timer timer, struct sched_decisions *decisions)
{
    if (timer == SCHED_TIMER_TICK)
        capacity_tick(sched, decisions);
    else if (timer == SCHED_TIMER_PREEMPT)
        capacity_preempt(sched, decisions);
}

static void app_figures(const struct sched *sched, const struct sched_app *app, struct sched_app_figures *ret)
{
    ret->headroom = capacity_headroom(sched, app);
    ret->active = app->state == APP_ACTIVE; /* capacity_headroom() may have activated the application */
    ret->pending = sched_app_pending(app);
    ret->pending_containers = app->pending_containers;
}

const struct sched_policy sched_capacity = {
    .name = "capacity",
    .configure = capacity_configure,
    .refresh = capacity_refresh,
    .free = capacity_free,
    .data_bytes = {
        .queue = sizeof(struct capacity_queue_data),
        .queue_partition = sizeof(struct capacity_partition_data),
        .user_partition = sizeof(struct capacity_user_data),
        .app = sizeof(struct capacity_app_data),
        .app_partition = sizeof(struct capacity_app_partition_data),
    },
    .admission = {
        .admit = admit,
        .may_move = capacity_may_move,
        .may_set_priority = capacity_may_have_priority,
    },
    .accounting = {
        .partition_changed = partition_changed,
        .app_changed = app_changed,
        .container_changed = container_changed,
        .container_resized = container_resized,
        .container_stopping = container_stopping,
        .container_continues = capacity_note_continues,
        .node_leaves = capacity_spare_node,
        .timer = timer,
    },
    .assignment = {
        .assign = capacity_assign,
        .assign_to = capacity_assign_to,
        .offer_released = capacity_offer_released,
        .can_assign = capacity_can_assign,
    },
    .rules = {
        .access = capacity_queue_access,
        .read_access = capacity_read_access,
        .set_running = capacity_set_running,
        .label_added = capacity_label_added,
    },
    .reports = {
        .app_figures = app_figures,
        .queue_figures = capacity_queue_figures,
        .queue_settings = capacity_queue_settings,
        .queue_templates = capacity_queue_templates,
        .partition_figures = capacity_partition_figures,
        .label_keys = capacity_label_keys,
        .queue_order = capacity_queue_order,
        .queue_user_next = capacity_queue_user_next,
        .queue_user_partition = capacity_queue_user_partition,
        .explain = capacity_explain,
        .counts = capacity_parallel_has_place,
        .lends_to = capacity_lends_to,
        .container_gainer = capacity_gainer,
        .check = capacity_check,
    },
    .starts_apps = true,
};
