/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app_usage.c - counts the containers and resources of an application, on nodes and in the scheduler
 *
 * Containers add to the usage of their application and subtract from it. An application that has ended leaves
 * the scheduler with its last container.
 */
#include <string.h>

#include "rm/master/nodes/node_orders.h"
#include "rm/master/orders/app_usage.h"
#include "rm/master/state/app_row.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/events.h"
#include "rm/master/state/index.h"
#include "rm/master/state/measure.h"
#include "rm/master/state/retry.h"
#include "rm/master/state/rows.h"

struct app_node *rm_app_node_get(struct app *app, const char *node_id)
{
    struct app_node *on_node;

    HASH_FIND_STR(app->nodes, node_id, on_node);
    if (on_node == NULL) {
        on_node = mem_new0(struct app_node);
        on_node->node_id = mem_strdup(node_id);
        HASH_ADD_KEYPTR(hh, app->nodes, on_node->node_id, strlen(on_node->node_id), on_node);
    }
    return on_node;
}

void rm_app_charge_usage(struct master *m, struct app *app, const struct resource *amount, int sign)
{
    usage_charge(&app->usage, m->now_ms, amount, sign);
    rm_measure_use(m, app);
    rm_changes_app(m, app);
    if (app->array)
        usage_charge(&app->array->usage, m->now_ms, amount, sign);
    if (app->array_app == NULL)
        return;
    usage_charge(&app->array_app->array->usage, m->now_ms, amount, sign);
    rm_changes_app(m, app->array_app);
}

void rm_app_count_running(struct app *app, int change)
{
    app->usage.running += (uint32_t)change;
    if (app->array_app)
        app->array_app->array->usage.running += (uint32_t)change;
}

void rm_forget_decisions(struct master *m, const struct sched_app *app)
{
    for (size_t i = m->decided; i < m->decisions.count; i++)
        if (m->decisions.items[i].app == app)
            m->decisions.items[i].app = NULL;
}

/* Writes another row of APP, which has ended, if its containers have used more since its last row. */
static void store_use(struct master *m, struct app *app)
{
    struct usage_sum use = rm_app_use(app);

    if (rm_app_is_ended(app) && (use.memory_mb_ms / 1000 > app->stored_use.memory_mb_ms / 1000 ||
                                 use.vcore_ms / 1000 > app->stored_use.vcore_ms / 1000))
        rm_store_app(m, app);
}

static void leave_scheduler(struct master *m, struct app *app)
{
    struct sched_app_figures figures;

    sched_app_figures(m->sched, app->sched, &figures);
    if (figures.containers > 0) /* allocated in this step, and to be discarded */
        return;
    rm_forget_decisions(m, app->sched);
    sched_app_remove(m->sched, app->sched, &m->decisions);
    app->sched = NULL;
    rm_event_queue_left(m, app->queue);
}

void rm_app_settle(struct master *m, struct app *app)
{
    if (!rm_app_is_over(app) || app->live > 0)
        return;
    if (app->sched)
        leave_scheduler(m, app);
    store_use(m, app);
    if (app->array_app)
        store_use(m, app->array_app);
}

void rm_app_container_gone(struct master *m, struct app *app, const struct container *container)
{
    struct app_node *on_node = rm_app_node_get(app, container->node->id);

    on_node->live--;
    app->live--;
    app->live_alone -= container->stop_after_ms > 0;
    if (!rm_app_is_over(app)) {
        if (app->attempt != NULL && app->attempt->blocked && app->attempt->state == ATTEMPT_SCHEDULED &&
            !rm_retry_waits(m, app))
            rm_attempt_emit(m, app->attempt, ATTEMPT_EVENT_UNBLOCKED);
        return;
    }
    if (on_node->live == 0 && container->node->sched)
        rm_node_finish_app(m, container->node, app->text);
    rm_app_settle(m, app);
}

void rm_app_update_tasks(struct app *app, const Creel__TaskCounts *counts)
{
    if (counts == NULL)
        return;
    app->tasks[0] = counts->total;
    app->tasks[1] = counts->running;
    app->tasks[2] = counts->succeeded;
    app->tasks[3] = counts->failed;
    app->tasks[4] = counts->killed < counts->failed ? counts->killed : counts->failed;
}

void rm_app_set_outcome(struct app *app, const struct attempt *attempt)
{
    app->final_status = attempt->final_status;
    app->exit_status = attempt->exit_status;
    rm_account_set_text(app, &app->diagnostics, attempt->diagnostics);
}
