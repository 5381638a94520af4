/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.c - the state machine of a container
 *
 * A container is in the scheduler's accounting from its allocation until its node reports its end or is lost.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/proto/launch_texts.h"
#include "rm/master/machines/container.h"
#include "rm/master/nodes/cutoff.h"
#include "rm/master/nodes/failed_nodes.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/nodes/starting.h"
#include "rm/master/orders/app_usage.h"
#include "rm/master/orders/completed.h"
#include "rm/master/orders/limit_orders.h"
#include "rm/master/orders/node_record.h"
#include "rm/master/orders/node_total.h"
#include "rm/master/orders/making_room.h"
#include "rm/master/orders/preempt.h"
#include "rm/master/orders/resize.h"
#include "rm/master/orders/stopping.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/events.h"
#include "rm/master/state/index.h"
#include "rm/master/state/measure.h"
#include "rm/master/state/rows.h"
#include "rm/master/state/time_limit.h"

/* --- objects --------------------------------------------------------------- */

struct container *rm_container_new(struct master *m, struct attempt *attempt, const struct container_id *id,
                                   struct node *node)
{
    struct container *container = mem_new0(struct container);

    container->id = *id;
    container_id_format(id, container->text);
    container->app = attempt->app;
    container->attempt = attempt;
    container->node = node;
    node->references++;
    container->step = attempt->step;
    container->shown = CREEL__CONTAINER_STATE__CONTAINER_ALLOCATED;
    container->exit_status = CONTAINER_EXIT_NONE;
    container->allocated_ms = m->now_ms;
    rm_deadline_init(&container->expiry, DEADLINE_CONTAINER, container);
    RB_INSERT(rm_container_tree, &m->containers, container);
    RB_INSERT(rm_node_container_tree, &node->ended, container); /* until it enters the node */
    return container;
}

/* (Only the present attempt of an application has news.) */
static void leave_news(struct container *container)
{
    struct attempt *attempt = container->app->attempt;

    if (container->am_confirms)
        TAILQ_REMOVE(&container->attempt->unstarted, container, in_am_news);
    container->am_confirms = false;
    if (!container->am_news)
        return;
    if (container->state == CONTAINER_COMPLETED && container->stored)
        TAILQ_REMOVE(&attempt->completed, container, in_am_news);
    else
        TAILQ_REMOVE(&attempt->newly_allocated, container, in_am_news);
    container->am_news = false;
}

/* Adds a live container to the list of its node and the counts of its application. */
void rm_container_enter_node(struct master *m, struct container *container)
{
    rm_changes_node(m, container->node);
    TAILQ_INSERT_TAIL(&container->node->containers, container, of_node);
    RB_REMOVE(rm_node_container_tree, &container->node->ended, container);
    RB_INSERT(rm_node_container_tree, &container->node->live, container);
    container->node->container_count++;
    container->app->live++;
    container->app->live_alone += container->stop_after_ms > 0;
    rm_app_node_get(container->app, container->node->id)->live++;
}

static void set_stuck(struct master *m, struct container *container, const char *stuck)
{
    container->node->stuck_count -= container->stuck != NULL;
    rm_text_set(&container->stuck, stuck);
    container->node->stuck_count += container->stuck != NULL;
    rm_node_faults_update(m, container->node);
}

static void leave_node(struct master *m, struct container *container)
{
    set_stuck(m, container, NULL);
    rm_starting_end(m, container);
    rm_node_order(m, container, ORDER_NONE);
    rm_preempt_forget(container);
    rm_room_forget(m, container);
    rm_node_limit(m, container, false);
    rm_resize_forget(container);
    rm_deadline_clear(m, &container->expiry);
    rm_changes_node(m, container->node);
    TAILQ_REMOVE(&container->node->containers, container, of_node);
    RB_REMOVE(rm_node_container_tree, &container->node->live, container);
    RB_INSERT(rm_node_container_tree, &container->node->ended, container);
    container->node->container_count--;
    rm_node_mark_for_check(m, container->node);
    rm_preempt_recheck(m, container->node);
}

void rm_container_enter_scheduler(struct master *m, struct container *container)
{
    struct sched_container_info info = {
        .node = container->node->sched,
        .app = container->app->sched,
        .resource = container->resource,
        .number = container->id.number,
        .serial = container->serial,
        .priority = container->priority,
        .allocation_id = container->allocation_id,
        .master = container->is_am,
    };

    assert(container->sched == NULL && info.node && info.app);
    container->sched = sched_container_recover(m->sched, &info, container);
    rm_node_total_update(m, container->node);
    rm_app_charge_usage(m, container->app, &container->resource, 1);
}

static void leave_scheduler(struct master *m, struct container *container)
{
    if (container->sched == NULL)
        return;
    rm_app_charge_usage(m, container->app, &container->resource, -1);
    sched_container_end(m->sched, container->sched, &m->decisions);
    container->sched = NULL;
    rm_node_total_update(m, container->node);
}

/* Called when its application is freed, or if neither node nor AM has received the container. */
void rm_container_free(struct master *m, struct container *container)
{
    leave_news(container);
    if (container->state != CONTAINER_COMPLETED) {
        leave_node(m, container);
        leave_scheduler(m, container);
    }
    if (container->attempt->am_container == container)
        container->attempt->am_container = NULL;
    rm_completed_remove(container);
    RB_REMOVE(rm_container_tree, &m->containers, container);
    RB_REMOVE(rm_node_container_tree, &container->node->ended, container);
    rm_node_let_go(container->node);
    free(container->diagnostics);
    free(container->title);
    free(container->stuck);
    free(container->stop_reason);
    free(container->preempt_reason);
    free(container->gainer);
    free(container);
}

/* --- steps ----------------------------------------------------------------- */

static void arm_expiry(struct master *m, struct container *container)
{
    int64_t from = container->expires_ms > m->now_ms ? container->expires_ms : m->now_ms;

    /* If the container starts just before the grant expires, a later heartbeat reports that start. */
    rm_deadline_set(m, &container->expiry, from + 2 * m->config.heartbeat_interval_ms);
}

static void hand_out(struct master *m, struct container *container)
{
    container->expires_ms = m->now_ms + m->config.container_expiry_ms;
    arm_expiry(m, container);
    if (container->sched)
        sched_container_acquired(m->sched, container->sched);
    rm_store_container(m, container);
    rm_event_container(m, container, CREEL__EVENT_KIND__EVENT_CONTAINER_ALLOCATED);
}

static bool attempt_listens(const struct attempt *attempt)
{
    return !rm_attempt_is_over(attempt) && attempt->state != ATTEMPT_FINAL_SAVING &&
           attempt->state != ATTEMPT_FINISHING;
}

/* Returns the attempt whose AM is to know that CONTAINER has ended; NULL: none. The next attempt gets an end
 * that the AM of CONTAINER has missed with its registration (am_state.h), since it began after that end
 * (retry.h). */
static struct attempt *listener_of(const struct container *container)
{
    struct attempt *attempt = container->attempt;

    return attempt_listens(attempt) && container->step == attempt->step ? attempt : NULL;
}

/* The AM gets the end after the row is stored. Without the row, a restart could report another end: that of
 * a lost container, if the node does not register again. */
static void complete(struct master *m, struct container *container)
{
    struct attempt *attempt = container->attempt, *listener;

    leave_news(container);
    leave_node(m, container);
    leave_scheduler(m, container);
    container->shown = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    if (container->finished_ms == 0)
        container->finished_ms = m->now_ms;
    if (container->seen)
        rm_app_count_running(container->app, -1);
    rm_count_container_end(m, container);
    rm_store_container(m, container);
    container->end_seq = m->store_seq;
    rm_event_container(m, container, CREEL__EVENT_KIND__EVENT_CONTAINER_ENDED);
    rm_app_touch(m, container->app);
    rm_app_container_gone(m, container->app, container);
    rm_completed_add(container);
    rm_failed_nodes_add(m, container);
    if (container == attempt->am_container) {
        rm_attempt_emit_ended(m, attempt);
    } else if ((listener = listener_of(container)) != NULL) {
        TAILQ_INSERT_TAIL(&listener->completed, container, in_am_news);
        container->am_news = true;
        rm_attempt_wake_up(m, listener);
    } else if (rm_container_is_unstarted(container) && attempt_listens(attempt)) {
        rm_container_end_sent(container, attempt->response_id); /* of an earlier step: no AM waits for it */
    }
}

/* Returns CONTAINER to the scheduler: its request is pending again, since the AM has not received it. */
static void return_container(struct master *m, struct container *container)
{
    rm_app_charge_usage(m, container->app, &container->resource, -1);
    sched_container_return(m->sched, container->sched, &m->decisions);
    container->sched = NULL;
    rm_node_total_update(m, container->node);
}

static void drop(struct master *m, struct container *container)
{
    struct app *app = container->app;
    struct attempt *attempt = container->attempt;

    container->state = CONTAINER_ALLOCATED; /* state that rm_container_free expects */
    rm_app_container_gone(m, app, container);
    if (!container->is_am && attempt_listens(attempt) && container->step == attempt->step && container->sched)
        return_container(m, container);
    rm_container_free(m, container);
    rm_app_settle(m, app);
}

static void launched(struct master *m, struct container *container)
{
    container->seen = true;
    rm_starting_begin(m, container);
    rm_app_count_running(container->app, 1);
    m->counters.launched++;
    rm_deadline_clear(m, &container->expiry);
    if (container->order == ORDER_START)
        rm_node_order(m, container, ORDER_NONE);
    if (container->sched)
        sched_container_launched(m->sched, container->sched);
    rm_app_touch(m, container->app);
    if (container == container->attempt->am_container)
        rm_attempt_emit(m, container->attempt, ATTEMPT_EVENT_LAUNCHED);
}

void rm_container_event(struct master *m, struct container *container, enum container_event event)
{
    struct container_step step = rm_container_step(container->state, event, container->text);

    if (step.next != container->state)
        rm_changes_node(m, container->node);
    container->state = step.next;
    switch (step.action) {
    case CONTAINER_BUG:
    case CONTAINER_NONE:
        break;
    case CONTAINER_HAND_OUT:
        hand_out(m, container);
        break;
    case CONTAINER_LAUNCHED:
        launched(m, container);
        break;
    case CONTAINER_DROP:
        drop(m, container);
        break;
    case CONTAINER_ORDER_STOP:
        rm_starting_end(m, container);
        rm_deadline_clear(m, &container->expiry);
        rm_preempt_forget(container);
        rm_node_limit(m, container, false);
        rm_resize_cancel(m, container);
        rm_resize_forget(container);
        rm_node_order(m, container, ORDER_STOP);
        rm_preempt_recheck(m, container->node);
        if (container->sched)
            sched_container_stopping(m->sched, container->sched, container->stuck != NULL);
        break;
    case CONTAINER_COMPLETE:
        complete(m, container);
        break;
    case CONTAINER_ORPHAN:
        rm_node_stop_orphan(m, container->node, container->text, CONTAINER_EXIT_BY_RM,
                            "the resource manager had given it up");
        break;
    }
}

/* --- events ---------------------------------------------------------------- */

void rm_container_stop(struct master *m, struct container *container, int32_t status, const char *reason)
{
    if (container->state != CONTAINER_STOPPING && container->state != CONTAINER_COMPLETED) {
        container->stop_status = status;
        container->stopped = !attempt_listens(container->attempt);
        rm_text_set(&container->stop_reason, reason);
    }
    rm_container_event(m, container, CONTAINER_EVENT_STOP);
}

void rm_container_order_start(struct master *m, struct container *container)
{
    const Creel__JobSpec *job = container->app->job;
    const struct node *node = container->node;
    const char *what =
        node->restores || job->kind == CREEL__APP_KIND__APP_TASKS ? NULL : launch_texts_are_new(job->launch);
    char text[512];

    if (what == NULL) {
        rm_node_order(m, container, ORDER_START);
        return;
    }
    snprintf(text, sizeof(text),
             "the agent of node %s (version %s) does not accept commands, variables or paths with %s: "
             "upgrade it",
             node->id, node->version ? node->version : "unknown", what);
    container->retry_elsewhere = true;
    rm_container_stop(m, container, CONTAINER_EXIT_NOT_STARTED, text);
}

void rm_container_stop_all(struct master *m, struct app *app, bool spare_am, int32_t status,
                           const char *reason)
{
    struct container *container, *next;
    struct container first = { .id = { .attempt = { .app = app->id } } };

    if (app->sched)
        sched_app_stop_asking(m->sched, app->sched);
    for (container = RB_NFIND(rm_container_tree, &m->containers, &first); container && container->app == app;
         container = next) {
        next = RB_NEXT(rm_container_tree, &m->containers, container);
        if (!(spare_am && app->attempt && container == app->attempt->am_container))
            rm_container_stop(m, container, status, reason);
    }
}

void rm_container_lost(struct master *m, struct container *container, int32_t status, const char *reason)
{
    /* If the container was being stopped, its stop status is the final one, since no other end is known. */
    if (container->command_ended || container->state == CONTAINER_STOPPING)
        status = container->command_ended ? container->command_status : container->stop_status;
    container->exit_status = status;
    rm_text_set(&container->diagnostics, reason);
    if (!container->seen && container->state != CONTAINER_ALLOCATED)
        rm_node_refuse(m, container);
    rm_container_event(m, container, CONTAINER_EVENT_LOST);
}

void rm_container_on_expiry(struct master *m, struct container *container)
{
    char text[128];

    snprintf(text, sizeof(text), "it was not started within %lld s of its allocation",
             (long long)(m->config.container_expiry_ms / 1000));
    rm_container_stop(m, container, CONTAINER_EXIT_ABORTED, text);
}

void rm_container_unseen(struct master *m, struct container *container)
{
    if (container->state != CONTAINER_ACQUIRED)
        return;
    if (container->is_am) {
        container->expires_ms = m->now_ms + m->config.container_expiry_ms;
        if (container->attempt->state != ATTEMPT_ALLOCATED_SAVING)
            rm_container_order_start(m, container);
    }
    if (container->state == CONTAINER_ACQUIRED)
        arm_expiry(m, container);
}

static void update_figures(struct master *m, struct container *container,
                           const Creel__ContainerStatus *status)
{
    bool starts = container->started_ms == 0 && status->started_ms > 0;
    struct container_totals totals;

    if (!rm_text_is_empty(status->title))
        rm_text_set(&container->title, status->title);
    container->retry_elsewhere = container->retry_elsewhere || status->retry_elsewhere;
    if (status->started_ms > 0)
        container->started_ms = status->started_ms;
    if (starts)
        rm_event_container(m, container, CREEL__EVENT_KIND__EVENT_CONTAINER_STARTED);
#define T(type, member, step) totals.member = status->member;
    CONTAINER_TOTALS(T)
#undef T
    container_totals_raise(&container->totals, &totals);
}

/* Ignores figures that arrive after the container has ended: its final figures do not change. */
void rm_container_report_figures(struct master *m, struct container *container,
                                 const Creel__ContainerFigures *figures)
{
    struct container_totals totals = { .pids_peak = figures->pids };

    if (container->state == CONTAINER_COMPLETED || container->state == CONTAINER_ALLOCATED)
        return;
    container->memory_bytes = figures->memory_bytes;
    container->pids = figures->pids;
    container->figures_ms = m->now_ms;
#define T(type, member, step) totals.member = figures->member;
    CONTAINER_FIGURES(T)
#undef T
    container_totals_raise(&container->totals, &totals);
}

/* Returns whether rm_container_order_start has stopped CONTAINER. Its agent reports CONTAINER_EXIT_BY_RM
 * then, as for each status of an order that it does not know, and the attempt would not count as failed. */
static bool is_refused(const struct container *container)
{
    return container->state == CONTAINER_STOPPING && !container->seen &&
           container->stop_status == CONTAINER_EXIT_NOT_STARTED;
}

static void report_end(struct master *m, struct container *container, const Creel__ContainerStatus *status)
{
    if (container->state == CONTAINER_COMPLETED || container->state == CONTAINER_ALLOCATED) {
        rm_container_event(m, container, CONTAINER_EVENT_ENDED);
        return;
    }
    container->exit_status = is_refused(container) ? container->stop_status : status->exit_status;
    rm_text_set(&container->diagnostics, status->diagnostics);
    container->finished_ms = status->finished_ms;
    rm_container_event(m, container, CONTAINER_EVENT_ENDED);
}

static bool is_being_stopped(const struct container *container)
{
    return container->state == CONTAINER_STOPPING || container->stopping_ms != 0;
}

static void report_stuck(struct master *m, struct container *container, const char *stuck)
{
    if (container->state == CONTAINER_COMPLETED ||
        text_equal(container->stuck, rm_text_is_empty(stuck) ? NULL : stuck))
        return;
    set_stuck(m, container, stuck);
    if (container->stuck != NULL)
        rm_event_container_stuck(m, container);
    rm_changes_node(m, container->node);
    if (container->sched && container->stuck == NULL && !is_being_stopped(container))
        sched_container_continues(m->sched, container->sched);
    else if (container->sched)
        sched_container_stopping(m->sched, container->sched, container->stuck != NULL);
}

/* The first container of a job without an AM runs its command: when that container starts, the job runs. */
static void report_command(struct master *m, struct container *container)
{
    if (container == container->attempt->am_container &&
        container->app->job->kind == CREEL__APP_KIND__APP_COMMAND)
        rm_attempt_emit(m, container->attempt, ATTEMPT_EVENT_RUNNING);
}

void rm_container_report_status(struct master *m, struct container *container,
                                const Creel__ContainerStatus *status)
{
    bool was_live = container->state != CONTAINER_COMPLETED && container->state != CONTAINER_ALLOCATED;

    report_stuck(m, container, status->stuck);
    rm_stopping_report(m, container, status);
    if (was_live) {
        update_figures(m, container, status);
        rm_preempt_reported(m, container, status);
    }
    if (status->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE) {
        if (was_live && status->started_ms > 0)
            report_command(m, container); /* it ran and ended between two reports of its node */
        report_end(m, container, status);
        return;
    }
    if (status->state == CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN ||
        status->state == CREEL__CONTAINER_STATE__CONTAINER_ALLOCATED)
        return;
    rm_container_event(m, container, CONTAINER_EVENT_SEEN);
    if (!was_live)
        return;
    rm_limit_reported(m, container, status->limit_ms);
    rm_resize_reported(container, status->version);
    rm_resize_again(m, container);
    if (status->state <= container->shown)
        return;
    container->shown = status->state;
    rm_starting_shown(m, container);
    rm_app_touch(m, container->app);
    if ((container != container->attempt->am_container && !container->app->job->unmanaged) ||
        container->shown < CREEL__CONTAINER_STATE__CONTAINER_RUNNING)
        return;
    if (container->attempt == container->app->attempt && rm_time_limit_start(m, container->app)) {
        rm_store_app(m, container->app);
        rm_limit_changed(m, container->app);
    }
    report_command(m, container);
}

/* --- allocation ------------------------------------------------------------ */

static bool still_wanted(const struct attempt *attempt, bool master)
{
    if (attempt == NULL)
        return false;
    return master ? attempt->state == ATTEMPT_SCHEDULED : attempt_listens(attempt);
}

void rm_container_allocated(struct master *m, const struct sched_decision *decision)
{
    struct app *app = sched_app_owner(decision->app);
    struct attempt *attempt = app->attempt;
    struct sched_container_info info;
    struct container *container;
    struct container_id id;

    sched_container_info(decision->container, &info);
    if (!still_wanted(attempt, info.master)) {
        sched_container_end(m->sched, decision->container, &m->decisions);
        rm_app_settle(m, app);
        return;
    }
    id = (struct container_id){ attempt->id, m->epoch, info.number };
    container = rm_container_new(m, attempt, &id, sched_node_owner(decision->node));
    container->sched = decision->container;
    sched_container_set_owner(decision->container, container);
    container->serial = info.serial;
    container->is_am = info.master;
    container->resource = info.resource;
    container->priority = info.priority;
    container->allocation_id = info.allocation_id;
    container->stop_after_ms = rm_cutoff_of(m, app);
    m->counters.allocated++;
    rm_app_charge_usage(m, app, &container->resource, 1);
    rm_container_enter_node(m, container);
    rm_container_event(m, container, CONTAINER_EVENT_START);
    rm_app_touch(m, app);
    if (container->is_am) {
        attempt->am_container = container;
        rm_container_event(m, container, CONTAINER_EVENT_ACQUIRED);
        rm_attempt_emit(m, attempt, ATTEMPT_EVENT_ALLOCATED);
    } else {
        TAILQ_INSERT_TAIL(&attempt->newly_allocated, container, in_am_news);
        container->am_news = true;
        rm_node_announce_key(m, container->node, attempt);
        rm_attempt_wake_up(m, attempt);
    }
}
