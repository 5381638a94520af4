/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.c - begins and ends a step, which handles one event
 *
 * A step handles one event. At its end the scheduler's decisions are carried out, and the resulting messages
 * are sent: orders to agents, wakeups of AMs, replies to waiting requests.
 */
#include <assert.h>

#include "rm/master/jobs/depend.h"
#include "rm/master/machines/app.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/nodes/web_services.h"
#include "rm/master/orders/waiters.h"
#include "rm/master/parts/trend.h"
#include "rm/master/requests/step.h"
#include "rm/master/services/array_tasks.h"
#include "rm/master/services/decisions.h"
#include "rm/master/services/drain.h"
#include "rm/master/services/queues.h"
#include "rm/master/services/user_limits.h"
#include "rm/master/state/effects.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/index.h"
#include "rm/master/state/rows.h"

/* A step that was not made for them answers few requests that wait for changes. */
#define ANSWER_WORK_MAX 32u

void rm_step_begin(struct master *m, int64_t now_ms, struct master_effects *effects)
{
    assert(m->out == NULL);
    m->out = effects;
    m->turns.work = 0;
    if (now_ms > m->now_ms) /* a clock that is set back must not affect deadlines */
        m->now_ms = now_ms;
    rm_trend_update(m);
    rm_queues_tick(m);
}

static void push_orders(struct master *m)
{
    struct node *node;

    while ((node = TAILQ_FIRST(&m->pushes)) != NULL) {
        Creel__Envelope *envelope;

        TAILQ_REMOVE(&m->pushes, node, in_pushes);
        node->push = false;
        if (node->session == 0 || node->connection == 0)
            continue;
        envelope = rm_envelope_new(m, 0, CREEL__ENVELOPE__BODY_NODE_ORDERS);
        envelope->node_orders = rm_node_orders(m, node, false);
        if (envelope->node_orders->n_start + envelope->node_orders->n_stop +
                envelope->node_orders->n_finished_apps + envelope->node_orders->n_preempt +
                envelope->node_orders->n_limits >
            0)
            rm_send_to(m, MASTER_AGENT, node->connection, envelope);
    }
}

static void push_wakeups(struct master *m)
{
    for (size_t i = 0; i < m->wakeup_count; i++) {
        struct attempt *attempt = m->wakeups[i];
        Creel__Envelope *envelope;

        if (!attempt->wakeup_due) /* its Allocate arrived, or the attempt has ended */
            continue;
        attempt->wakeup_due = false;
        if (TAILQ_EMPTY(&attempt->newly_allocated) && TAILQ_EMPTY(&attempt->completed) &&
            TAILQ_EMPTY(&attempt->preempting) && TAILQ_EMPTY(&attempt->resized))
            continue;
        attempt->wakeup_sent = true;
        envelope = rm_envelope_new(m, 0, CREEL__ENVELOPE__BODY_AM_WAKEUP);
        envelope->am_wakeup = arena_new0(m->out->arena, Creel__AmWakeup);
        creel__am_wakeup__init(envelope->am_wakeup);
        rm_send_to(m, MASTER_AM, attempt->am_connection, envelope);
    }
    m->wakeup_count = 0;
}

enum forgotten { FORGOTTEN_NONE, FORGOTTEN_APP, FORGOTTEN_TASKS };

/* Ended applications that are remembered beyond the limit, since rows of their children do not have their
 * results. The rows are written when there are more of them than MOST, a quarter of the limit: if they were
 * written for each, the ends of a thousand parents would write the row of each child a thousand times. */
struct kept_parents {
    uint64_t most;
    bool in_bytes; /* MOST and SIZE are bytes of jobs, else applications */
    struct app *oldest;
    uint64_t size;
};

/* OLDEST may be freed now. */
static void clear_kept(struct kept_parents *kept)
{
    kept->oldest = NULL;
    kept->size = 0;
}

static void keep_parent(struct master *m, struct app *parent, struct kept_parents *kept)
{
    if (kept->oldest == NULL)
        kept->oldest = parent;
    kept->size += kept->in_bytes ? parent->share.bytes : 1;
    if (kept->size <= kept->most)
        return;
    rm_depend_store_children(m, kept->oldest);
    clear_kept(kept);
}

/* Forgets APP, which has ended. If it is a task of an array that has not ended: also other tasks of it. */
static enum forgotten forget(struct master *m, struct app *app, struct kept_parents *kept)
{
    if (app->sched || app->state == APP_STATE_FINISHING)
        return FORGOTTEN_NONE; /* something of it is left on a node */
    if (app->due_answers.listed)
        return FORGOTTEN_NONE;
    if (!TAILQ_EMPTY(&app->unstored_children))
        keep_parent(m, app, kept);
    if (rm_depend_is_needed(app))
        return FORGOTTEN_NONE;
    if (app->array_app && !rm_app_is_ended(app->array_app)) {
        rm_array_forget_oldest(m, app->array_app);
        return FORGOTTEN_TASKS;
    }
    rm_store_forget(m, app, true);
    rm_app_free(m, app);
    return FORGOTTEN_APP;
}

static void forget_oldest(struct master *m)
{
    struct kept_parents kept = { .most = m->config.max_completed_apps / 4 };
    struct app *app, *next;

    /* The children of an application in turn.listed are not informed yet: it and later ones are kept. */
    for (app = TAILQ_FIRST(&m->ended);
         app && m->ended_count > m->config.max_completed_apps && !app->turn.listed; app = next) {
        next = TAILQ_NEXT(app, in_ended);
        if (forget(m, app, &kept) != FORGOTTEN_TASKS)
            continue;
        next = TAILQ_FIRST(&m->ended);
        clear_kept(&kept);
    }
}

static void forget_oldest_of(struct master *m, struct account *account)
{
    struct kept_parents kept = { .most = m->config.user_limits.job_bytes / 4, .in_bytes = true };
    struct app *app, *next;

    /* With its last application the account is freed: then APP is NULL. */
    for (app = TAILQ_FIRST(&account->ended);
         app && rm_user_limits_remembers_too_much(m, account) && !app->turn.listed; app = next) {
        next = TAILQ_NEXT(app, share.in_ended);
        if (forget(m, app, &kept) != FORGOTTEN_TASKS)
            continue;
        next = TAILQ_FIRST(&account->ended);
        clear_kept(&kept);
    }
}

static void check_accounts(struct master *m)
{
    struct account *account;

    while ((account = TAILQ_FIRST(&m->changed_accounts)) != NULL) {
        TAILQ_REMOVE(&m->changed_accounts, account, in_changed);
        account->changed = false;
        forget_oldest_of(m, account);
    }
}

void rm_step_end(struct master *m)
{
    struct app *app;

    assert(m->follow_up_count == 0);
    rm_decisions_apply(m);
    rm_queues_step_end(m);
    rm_drain_check_marked(m);
    rm_decisions_apply(m);
    push_wakeups(m);
    while ((app = TAILQ_FIRST(&m->changed)) != NULL) {
        TAILQ_REMOVE(&m->changed, app, in_changed);
        app->changed = false;
        rm_waiters_note_change(m, app);
    }
    if (m->nodes_changed) {
        m->nodes_version++;
        m->nodes_seq = m->store_seq;
        m->nodes_changed = false;
    }
    rm_waiters_answer(m, m->turns.work + ANSWER_WORK_MAX);
    if (m->ended_count > m->config.max_completed_apps)
        forget_oldest(m);
    check_accounts(m);
    rm_web_services_store(m);
    push_orders(m);
    rm_event_queues_listed(m);
    rm_event_log_publish(m);
    rm_rows_write_all(m);
    m->out = NULL;
}
