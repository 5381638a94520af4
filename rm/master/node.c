/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - the life of a node, and what it is ordered to do */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "rm/master/internal.h"

#define ORDERS_MAX 2000                 /* in one message; the rest comes with the next heartbeat */

int rm_node_compare(const struct node *a, const struct node *b)
{
    return strcmp(a->id, b->id);
}

RB_GENERATE(rm_node_tree, node, link, rm_node_compare)

/* --- objects --------------------------------------------------------------- */

struct node *rm_node_new(struct master *m, const char *id)
{
    struct node *node = mem_new0(struct node);
    const char *colon = strrchr(id, ':');

    node->id = mem_strdup(id);
    node->host = mem_strndup(id, colon ? (size_t)(colon - id) : strlen(id));
    rm_deadline_init(&node->expiry, DEADLINE_NODE, node);
    rm_deadline_init(&node->press, DEADLINE_PRESS, node);
    rm_deadline_init(&node->untracked, DEADLINE_UNTRACKED, node);
    TAILQ_INIT(&node->containers);
    TAILQ_INIT(&node->orders);
    TAILQ_INIT(&node->warnings);
    TAILQ_INIT(&node->acks);
    RB_INSERT(rm_node_tree, &m->nodes, node);
    return node;
}

static void forget_acks(struct node *node)
{
    struct ack *ack;

    while ((ack = TAILQ_FIRST(&node->acks)) != NULL) {
        TAILQ_REMOVE(&node->acks, ack, link);
        free(ack);
    }
}

static void forget_strays(struct node *node)
{
    struct stray *stray, *next;

    HASH_ITER(hh, node->strays, stray, next) {
        HASH_DEL(node->strays, stray);
        free(stray->container_id);
        free(stray);
    }
}

static void forget_finished(struct node *node)
{
    struct finished *finished, *next;

    HASH_ITER(hh, node->finished, finished, next) {
        HASH_DEL(node->finished, finished);
        free(finished->app_id);
        free(finished);
    }
}

static void release(struct node *node)
{
    free(node->id);
    free(node->host);
    free(node->rack);
    free(node->address);
    free(node->agent_key);
    free(node->version);
    free(node->cgroup_mode);
    free(node->principal);
    free(node->health_report);
    free(node->label);
    free(node->duty.by);
    free(node->duty.reason);
    free(node->size.by);
    free(node->own_label);
    rm_history_forget(node);
    free(node);
}

void rm_node_free(struct master *m, struct node *node)
{
    assert(TAILQ_EMPTY(&node->containers));
    if (node->sched)
        sched_node_remove(m->sched, node->sched);
    node->sched = NULL;
    rm_deadline_clear(m, &node->expiry);
    rm_deadline_clear(m, &node->press);
    rm_deadline_clear(m, &node->untracked);
    if (node->push)
        TAILQ_REMOVE(&m->pushes, node, in_pushes);
    if (node->look)
        TAILQ_REMOVE(&m->looks, node, in_looks);
    node->push = node->look = false;
    forget_acks(node);
    forget_strays(node);
    forget_finished(node);
    RB_REMOVE(rm_node_tree, &m->nodes, node);
    node->forgotten = true;
    if (node->references == 0)
        release(node);
}

void rm_node_let_go(struct node *node)
{
    assert(node->references > 0);
    if (--node->references == 0 && node->forgotten)
        release(node);
}

struct node *rm_node_find(const struct master *m, const char *id)
{
    struct node key = { .id = (char *)(uintptr_t)id };

    return RB_FIND(rm_node_tree, (struct rm_node_tree *)(uintptr_t)&m->nodes, &key);
}

/* --- orders ---------------------------------------------------------------- */

static void mark_push(struct master *m, struct node *node)
{
    if (!node->push)
        TAILQ_INSERT_TAIL(&m->pushes, node, in_pushes);
    node->push = true;
}

void rm_node_order(struct master *m, struct container *container, enum order_kind kind)
{
    struct node *node = container->node;

    if (container->order != ORDER_NONE)
        TAILQ_REMOVE(&node->orders, container, in_orders);
    container->order = kind;
    container->order_sent = false;
    if (kind == ORDER_NONE)
        return;
    TAILQ_INSERT_TAIL(&node->orders, container, in_orders);
    mark_push(m, node);
}

void rm_node_warn(struct master *m, struct container *container)
{
    if (!container->warning)
        TAILQ_INSERT_TAIL(&container->node->warnings, container, in_warnings);
    container->warning = true;
    container->warning_sent = false;
    mark_push(m, container->node);
}

void rm_node_finish_app(struct master *m, struct node *node, const char *app_id)
{
    struct finished *finished;

    HASH_FIND_STR(node->finished, app_id, finished);
    if (finished)
        return;
    finished = mem_new0(struct finished);
    finished->app_id = mem_strdup(app_id);
    HASH_ADD_KEYPTR(hh, node->finished, finished->app_id, strlen(app_id), finished);
    rm_duty_mark(m, node);
    mark_push(m, node);
}

void rm_node_app_cleaned(struct master *m, struct node *node, const char *app_id)
{
    struct finished *finished;
    struct app_node *place;
    struct app_id id;
    struct app *app;

    HASH_FIND_STR(node->finished, app_id, finished);
    if (finished == NULL)
        return;
    HASH_DEL(node->finished, finished);
    free(finished->app_id);
    free(finished);
    rm_duty_mark(m, node);
    app = app_id_parse(app_id, &id) ? rm_app_find(m, id.seq) : NULL;
    if (app == NULL)
        return;
    HASH_FIND_STR(app->nodes, node->id, place);
    if (place == NULL || place->live > 0)
        return;
    HASH_DEL(app->nodes, place);
    free(place->node_id);
    free(place);
}

void rm_node_stop_stray(struct master *m, struct node *node, const char *container_id,
                     int32_t status, const char *reason)
{
    struct stray *stray;

    HASH_FIND_STR(node->strays, container_id, stray);
    if (stray)
        return;
    stray = mem_new0(struct stray);
    stray->container_id = mem_strdup(container_id);
    stray->status = status;
    stray->reason = reason;
    HASH_ADD_KEYPTR(hh, node->strays, stray->container_id, strlen(container_id), stray);
    rm_duty_mark(m, node);
    mark_push(m, node);
    rm_node_update_open(m, node);
}

void rm_node_refuse(struct master *m, const struct container *container)
{
    struct stray *stray;

    if (container->expires_ms + m->config.heartbeat_interval_ms < m->now_ms)
        return;
    rm_node_stop_stray(m, container->node, container->text, EXIT_ABORTED,
                       "the resource manager had given it up");
    HASH_FIND_STR(container->node->strays, container->text, stray);
    stray->unseen = true;
}

void rm_node_stray_gone(struct master *m, struct node *node, const char *container_id)
{
    struct stray *stray;

    HASH_FIND_STR(node->strays, container_id, stray);
    if (stray == NULL)
        return;
    HASH_DEL(node->strays, stray);
    free(stray->container_id);
    free(stray);
    rm_duty_mark(m, node);
    rm_node_update_open(m, node);
}

void rm_node_resend(struct master *m, struct node *node)
{
    struct container *container;

    TAILQ_FOREACH(container, &node->orders, in_orders)
        container->order_sent = false;
    TAILQ_FOREACH(container, &node->warnings, in_warnings)
        container->warning_sent = false;
    mark_push(m, node);
}

/* Strays take what the books call free: nothing new until they are gone. */
void rm_node_update_open(struct master *m, struct node *node)
{
    if (node->sched)
        sched_node_set_open(m->sched, node->sched,
                            node->state == NODE_STATE_RUNNING && node->strays == NULL &&
                            rm_duty_serves(node),
                            &m->decisions);
}

static Creel__StartOrder *start_order(struct master *m, const struct container *container)
{
    static const char *const task_master[] = { "creel", "__task-master" };
    struct arena *arena = m->out->arena;
    Creel__StartOrder *order = arena_new0(arena, Creel__StartOrder);
    Creel__AmGrant grant = CREEL__AM_GRANT__INIT;
    const struct app *app = container->app;

    creel__start_order__init(order);
    order->grant = rm_grant_message(m, container);
    grant.attempt_id = arena_strdup(arena, container->attempt->text);
    order->am_token = m->config.sign(m->config.context, arena, CREEL__TOKEN_KIND__TOKEN_AM,
                                     &grant.base);
    if (app->job->kind != CREEL__APP_KIND__APP_TASKS) {
        order->launch = (Creel__LaunchContext *)rm_message_copy_in(arena, &app->job->launch->base);
        return order;
    }
    order->job = (Creel__JobSpec *)rm_message_copy_in(arena, &app->job->base);
    order->launch = arena_new0(arena, Creel__LaunchContext);
    creel__launch_context__init(order->launch);
    order->launch->title = arena_strdup(arena, "master");
    order->launch->n_command = 2;
    order->launch->command = arena_array0(arena, 2, sizeof(char *));
    for (size_t i = 0; i < 2; i++)
        order->launch->command[i] = arena_strdup(arena, task_master[i]);
    return order;
}

static Creel__StopOrder *stop_order(struct master *m, const char *container_id, int32_t status,
                                    const char *reason, bool at_once)
{
    Creel__StopOrder *order = arena_new0(m->out->arena, Creel__StopOrder);

    creel__stop_order__init(order);
    order->container_id = arena_strdup(m->out->arena, container_id);
    order->exit_status = status;
    order->reason = rm_message_text(m->out->arena, reason);
    order->at_once = at_once;
    return order;
}

static void add_containers(struct master *m, struct node *node, Creel__NodeOrders *orders,
                           bool all)
{
    struct container *container;
    size_t bytes = 0;

    TAILQ_FOREACH(container, &node->orders, in_orders) {
        if (container->order_sent && !all)
            continue;
        if (orders->n_start + orders->n_stop >= ORDERS_MAX || bytes > MESSAGE_BYTES_MAX)
            break;
        container->order_sent = true;
        if (container->order == ORDER_START) {
            Creel__StartOrder *order = start_order(m, container);

            bytes += creel__start_order__get_packed_size(order);
            orders->start[orders->n_start++] = order;
        } else {
            orders->stop[orders->n_stop++] = stop_order(m, container->text, container->stop_status,
                                                        container->stop_reason,
                                                        container->app->kill_at_once);
        }
    }
}

Creel__NodeOrders *rm_node_orders(struct master *m, struct node *node, bool all)
{
    struct arena *arena = m->out->arena;
    Creel__NodeOrders *orders = arena_new0(arena, Creel__NodeOrders);
    size_t room = node->container_count < ORDERS_MAX ? node->container_count : ORDERS_MAX;
    size_t strays = HASH_COUNT(node->strays), finished_count = HASH_COUNT(node->finished);
    struct finished *finished, *next_finished;
    struct stray *stray, *next;

    creel__node_orders__init(orders);
    orders->session = node->session;
    if (!resource_fits(&node->total, &node->offered)) {
        struct resource total = resource_max(node->total, node->offered);

        orders->total = rm_resource_message(m, &total);
    }
    orders->start = arena_array0(arena, room + 1, sizeof(*orders->start));
    orders->stop = arena_array0(arena, room + strays + 1, sizeof(*orders->stop));
    orders->finished_apps = arena_array0(arena, finished_count + 1, sizeof(char *));
    add_containers(m, node, orders, all);
    rm_preempt_orders(m, node, orders, all, ORDERS_MAX);
    HASH_ITER(hh, node->strays, stray, next)
        if (orders->n_stop < ORDERS_MAX)
            orders->stop[orders->n_stop++] = stop_order(m, stray->container_id, stray->status,
                                                        stray->reason, false);
    HASH_ITER(hh, node->finished, finished, next_finished)
        if (orders->n_finished_apps < ORDERS_MAX)
            orders->finished_apps[orders->n_finished_apps++] =
                arena_strdup(arena, finished->app_id);
    return orders;
}

/* --- steps ----------------------------------------------------------------- */

/* Apps that ended while the node was away (or the master was down). */
static void find_finished(struct master *m, struct node *node)
{
    struct app_node *place;
    struct app *app;

    TAILQ_FOREACH(app, &m->ended, in_ended) {
        HASH_FIND_STR(app->nodes, node->id, place);
        if (place && place->live == 0)
            rm_node_finish_app(m, node, app->text);
    }
}

void rm_node_enter_books(struct master *m, struct node *node)
{
    struct sched_node_spec spec = {
        .id = node->id, .host = node->host, .rack = node->rack, .label = node->label,
        .total = node->total,
        .closed = true,                 /* until what runs there is in the books */
        .owner = node,
    };
    struct container *container;

    node->sched = sched_node_add(m->sched, &spec, &m->decisions);
    TAILQ_FOREACH(container, &node->containers, of_node)
        rm_container_enter_books(m, container);
}

static void enter(struct master *m, struct node *node)
{
    rm_node_enter_books(m, node);
    node->registered_ms = m->now_ms;
    rm_deadline_set(m, &node->expiry, m->now_ms + m->config.node_expiry_ms);
    find_finished(m, node);
}

static void close_down(struct master *m, struct node *node, const char *text)
{
    struct container *container;

    if (node->sched)                    /* what its containers free is not there */
        sched_node_set_open(m->sched, node->sched, false, &m->decisions);
    forget_strays(node);
    while ((container = TAILQ_FIRST(&node->containers)) != NULL)
        rm_container_lost(m, container, EXIT_ABORTED, text);
    if (node->sched)
        sched_node_remove(m->sched, node->sched);
    node->sched = NULL;
    node->session = 0;
    forget_finished(node);
    forget_acks(node);
    rm_deadline_clear(m, &node->expiry);
}

static void lose(struct master *m, struct node *node)
{
    char text[512];

    snprintf(text, sizeof(text), "node %s was lost: not heard of for %lld s", node->id,
             (long long)(m->config.node_expiry_ms / 1000));
    close_down(m, node, text);
    rm_press(m, node);
    rm_duty_mark(m, node);
}

static void retire(struct master *m, struct node *node)
{
    char text[512];

    snprintf(text, sizeof(text), "node %s was decommissioned", node->id);
    close_down(m, node, text);
}

void rm_node_event(struct master *m, struct node *node, enum node_event event)
{
    struct node_step step = rm_node_step(node->state, event);

    node->state = step.next;
    switch (step.action) {
    case NODE_BUG:
    case NODE_NONE:
        break;
    case NODE_ENTER:
        enter(m, node);
        break;
    case NODE_AGAIN:
        sched_node_set_label(m->sched, node->sched, node->label, &m->decisions);
        rm_press_total(m, node);
        break;
    case NODE_OPEN:
    case NODE_CLOSE:
        rm_node_update_open(m, node);
        break;
    case NODE_LOSE:
        lose(m, node);
        break;
    case NODE_RETIRE:
        retire(m, node);
        break;
    }
    rm_hosts_watch(m, node);
}

void rm_node_on_expiry(struct master *m, struct node *node)
{
    int64_t at = node->seen_ms + m->config.node_expiry_ms;

    if (at > m->now_ms) {
        rm_deadline_set(m, &node->expiry, at);
        return;
    }
    rm_history_forget(node);
    rm_node_event(m, node, NODE_EVENT_EXPIRE);
}
