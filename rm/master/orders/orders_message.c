/* SPDX-License-Identifier: Apache-2.0 */
/* orders_message.c - converts the orders to a node into a message */
#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/nodes/node_orders.h"
#include "rm/master/orders/preempt.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/message.h"
#include "rm/master/state/time_limit.h"

/* Maximum number of orders of each kind, and maximum size of all orders, in one message. The others follow
 * with the next heartbeat. A message is not longer than 1 MiB, unless its first order is longer. */
#define ORDERS_MAX 2000
#define ORDERS_BYTES_MAX ((size_t)960 << 10)
/* An agent can make the resource manager know any number of orphans and ended applications, by reports of
 * containers that do not exist. So their orders are fewer in a message, and if there are more than that, one
 * that is not confirmed is repeated after a while, not in each message. */
#define REPEATED_MAX 256
#define REPEAT_MS 1000
#define FIELD_BYTES 8 /* maximum size of the tag and length of an order */

/* Number and size of the orders that a message has so far. */
struct room {
    size_t count, bytes;
};

/* Returns true if the message has room for an order of SIZE bytes, which is counted then. The first order
 * always fits. */
static bool room_try_add(struct room *room, size_t size)
{
    if (room->count > 0 && room->bytes + size + FIELD_BYTES > ORDERS_BYTES_MAX)
        return false;
    room->count++;
    room->bytes += size + FIELD_BYTES;
    return true;
}

/* Returns true if the order of one of ALL orphans or ended applications, sent at SENT_MS, is sent (again). */
static bool is_due(const struct master *m, unsigned all, int64_t sent_ms)
{
    return all <= REPEATED_MAX || sent_ms < 0 || sent_ms > m->now_ms || m->now_ms - sent_ms >= REPEAT_MS;
}

ProtobufCBinaryData rm_job_token(struct master *m, const struct app *app)
{
    Creel__JobGrant grant = CREEL__JOB_GRANT__INIT;

    if (!m->config.job_tokens)
        return (ProtobufCBinaryData){ 0, NULL };
    grant.app_id = arena_strdup(m->out->arena, app->text);
    return m->config.sign(m->config.context, m->out->arena, CREEL__TOKEN_KIND__TOKEN_JOB, NULL, &grant.base);
}

#define VARIABLES_MAX 4096                /* in a message (common/io/wire/wire.h) */
#define NO_LIMIT_S (INT64_C(365) * 86400) /* as Slurm writes for a job without a limit */

/* Sets the variables of a Slurm script that depend on its start: the queue in which APP is now, the time, and
 * the time at which its limit ends it. They replace those of LAUNCH. */
static void set_slurm_variables(const struct master *m, struct arena *arena, const struct app *app,
                                Creel__LaunchContext *launch)
{
    const char *queue = text_has_prefix(app->queue, "root.") ? app->queue + strlen("root.") : app->queue;
    int64_t now_s = rm_job_wall_ms(m) / 1000;
    int64_t limit_s = app->job->time_limit_s > 0 ? app->job->time_limit_s : NO_LIMIT_S;
    const struct {
        const char *name;
        char *value;
    } set[] = {
        { "SLURM_JOB_PARTITION", rm_message_text(arena, queue) },
        { "SLURM_JOB_START_TIME", arena_printf(arena, "%" PRId64, now_s) },
        { "SLURM_JOB_END_TIME", arena_printf(arena, "%" PRId64, now_s + limit_s) },
    };
    size_t count = sizeof(set) / sizeof(set[0]), kept = 0;
    Creel__Variable **grown;

    if (strcmp(launch->script_system, "slurm") != 0)
        return;
    grown = arena_array0(arena, launch->n_environment + count, sizeof(*grown));
    for (size_t i = 0; i < launch->n_environment; i++) {
        bool replaced = false;

        for (size_t k = 0; k < count; k++)
            replaced = replaced || strcmp(launch->environment[i]->name, set[k].name) == 0;
        if (!replaced)
            grown[kept++] = launch->environment[i];
    }
    for (size_t k = 0; k < count && kept < VARIABLES_MAX; k++) {
        grown[kept] = arena_new0(arena, Creel__Variable);
        creel__variable__init(grown[kept]);
        grown[kept]->name = arena_strdup(arena, set[k].name);
        grown[kept++]->value = set[k].value;
    }
    launch->n_environment = kept;
    launch->environment = grown;
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
    order->am_token =
        m->config.sign(m->config.context, arena, CREEL__TOKEN_KIND__TOKEN_AM, NULL, &grant.base);
    if (app->job->kind != CREEL__APP_KIND__APP_TASKS) {
        order->launch = (Creel__LaunchContext *)rm_message_copy_in(arena, &app->job->launch->base);
        order->launch->job_token = rm_job_token(m, app);
        set_slurm_variables(m, arena, app, order->launch);
        return order;
    }
    order->job = (Creel__JobSpec *)rm_message_copy_in(arena, &app->job->base);
    order->job->first_results = (ProtobufCBinaryData){ 0, NULL }; /* the registration has the results */
    set_slurm_variables(m, arena, app, order->job->launch);
    order->launch = arena_new0(arena, Creel__LaunchContext);
    creel__launch_context__init(order->launch);
    order->launch->job_token = rm_job_token(m, app); /* the built-in AM passes it on to the tasks */
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

/* Adds the start or stop of CONTAINER, unless the message is full. */
static bool add_order(struct master *m, const struct container *container, Creel__NodeOrders *orders,
                      struct room *room)
{
    if (container->order == ORDER_START) {
        Creel__StartOrder *order = start_order(m, container);

        if (!room_try_add(room, creel__start_order__get_packed_size(order)))
            return false;
        orders->start[orders->n_start++] = order;
    } else {
        Creel__StopOrder *order = stop_order(m, container->text, container->stop_status,
                                             container->stop_reason, container->app->kill_at_once);

        if (!room_try_add(room, creel__stop_order__get_packed_size(order)))
            return false;
        orders->stop[orders->n_stop++] = order;
    }
    return true;
}

static void add_containers(struct master *m, struct node *node, Creel__NodeOrders *orders, bool all,
                           struct room *room)
{
    struct container *container;

    TAILQ_FOREACH(container, &node->orders, in_orders) {
        if (container->order_sent && !all)
            continue;
        if (orders->n_start + orders->n_stop >= ORDERS_MAX || !add_order(m, container, orders, room))
            break;
        container->order_sent = true;
    }
}

static void add_preempt_notices(struct master *m, struct node *node, Creel__NodeOrders *orders, bool all,
                                struct room *room)
{
    struct container *container;
    size_t count = 0;

    TAILQ_FOREACH(container, &node->preempt_notices, in_notices)
        count++;
    orders->preempt = arena_array0(m->out->arena, count + 1, sizeof(*orders->preempt));
    TAILQ_FOREACH(container, &node->preempt_notices, in_notices) {
        Creel__PreemptOrder *order;

        if (container->notice_sent && !all)
            continue;
        order = arena_new0(m->out->arena, Creel__PreemptOrder);
        creel__preempt_order__init(order);
        order->container_id = rm_message_text(m->out->arena, container->text);
        order->spared = container->spare_ms != 0;
        order->deadline_ms = order->spared ? container->spare_ms : container->preempt_ms;
        order->reason = rm_message_text(m->out->arena, rm_preempt_reason(container));
        if (orders->n_preempt >= ORDERS_MAX ||
            !room_try_add(room, creel__preempt_order__get_packed_size(order)))
            break;
        orders->preempt[orders->n_preempt++] = order;
        container->notice_sent = true;
    }
}

static void add_limits(struct master *m, struct node *node, Creel__NodeOrders *orders, bool all,
                       struct room *room)
{
    struct container *container;
    size_t count = 0;

    TAILQ_FOREACH(container, &node->limits, in_limits)
        count++;
    orders->limits = arena_array0(m->out->arena, count + 1, sizeof(*orders->limits));
    TAILQ_FOREACH(container, &node->limits, in_limits) {
        Creel__LimitOrder *order;

        if (container->limit_sent && !all)
            continue;
        order = arena_new0(m->out->arena, Creel__LimitOrder);
        creel__limit_order__init(order);
        order->container_id = rm_message_text(m->out->arena, container->text);
        order->limit_ms = rm_time_limit_known_ms(container->app);
        if (orders->n_limits >= ORDERS_MAX || !room_try_add(room, creel__limit_order__get_packed_size(order)))
            break;
        orders->limits[orders->n_limits++] = order;
        container->limit_sent = true;
    }
}

Creel__ResizeOrder *rm_resize_order(struct master *m, const struct container *container)
{
    Creel__ResizeOrder *order = arena_new0(m->out->arena, Creel__ResizeOrder);

    creel__resize_order__init(order);
    order->container_id = rm_message_text(m->out->arena, container->text);
    order->version = container->version;
    order->resource = rm_resource_message(m, &container->resource);
    return order;
}

/* Adds the new sizes that are on disk (resize.c sends them at that time, too). */
static void add_resizes(struct master *m, struct node *node, Creel__NodeOrders *orders, struct room *room)
{
    struct container *container;
    size_t count = 0;

    TAILQ_FOREACH(container, &node->resizes_due, in_resizes)
        count++;
    orders->resizes = arena_array0(m->out->arena, count + 1, sizeof(*orders->resizes));
    TAILQ_FOREACH(container, &node->resizes_due, in_resizes) {
        Creel__ResizeOrder *order;

        if (container->resize_seq > m->stored_seq)
            continue;
        order = rm_resize_order(m, container);
        if (orders->n_resizes >= ORDERS_MAX ||
            !room_try_add(room, creel__resize_order__get_packed_size(order)))
            break;
        orders->resizes[orders->n_resizes++] = order;
    }
}

/* Adds the stops of orphans that are due; each moves to the end of its turns. */
static void add_orphans(struct master *m, struct node *node, Creel__NodeOrders *orders, struct room *room)
{
    unsigned all = HASH_COUNT(node->orphans);
    struct orphan *orphan;

    for (size_t count = 0; count < REPEATED_MAX && count < all; count++) {
        Creel__StopOrder *order;

        orphan = TAILQ_FIRST(&node->orphan_turns);
        if (orphan == NULL || !is_due(m, all, orphan->sent_ms) || orders->n_stop >= ORDERS_MAX)
            return;
        order = stop_order(m, orphan->container_id, orphan->status, orphan->reason, false);
        if (!room_try_add(room, creel__stop_order__get_packed_size(order)))
            return;
        orders->stop[orders->n_stop++] = order;
        orphan->sent_ms = m->now_ms;
        TAILQ_REMOVE(&node->orphan_turns, orphan, in_turn);
        TAILQ_INSERT_TAIL(&node->orphan_turns, orphan, in_turn);
    }
}

static void add_finished(struct master *m, struct node *node, Creel__NodeOrders *orders, struct room *room)
{
    unsigned all = HASH_COUNT(node->finished);
    struct finished *finished;

    for (size_t count = 0; count < REPEATED_MAX && count < all; count++) {
        finished = TAILQ_FIRST(&node->finished_turns);
        if (finished == NULL || !is_due(m, all, finished->sent_ms) ||
            !room_try_add(room, strlen(finished->app_id)))
            return;
        orders->finished_apps[orders->n_finished_apps++] = arena_strdup(m->out->arena, finished->app_id);
        finished->sent_ms = m->now_ms;
        TAILQ_REMOVE(&node->finished_turns, finished, in_turn);
        TAILQ_INSERT_TAIL(&node->finished_turns, finished, in_turn);
    }
}

Creel__NodeOrders *rm_node_orders_new(struct master *m, const struct node *node)
{
    Creel__NodeOrders *orders = arena_new0(m->out->arena, Creel__NodeOrders);

    creel__node_orders__init(orders);
    orders->session = node->session;
    if (!resource_fits(&node->total, &node->offered)) {
        struct resource total = resource_max(node->total, node->offered);

        orders->total = rm_resource_message(m, &total);
    }
    return orders;
}

Creel__NodeOrders *rm_node_orders(struct master *m, struct node *node, bool all)
{
    struct arena *arena = m->out->arena;
    Creel__NodeOrders *orders = rm_node_orders_new(m, node);
    size_t containers = node->container_count < ORDERS_MAX ? node->container_count : ORDERS_MAX;
    struct room room = { 0 };

    orders->start = arena_array0(arena, containers + 1, sizeof(*orders->start));
    orders->stop = arena_array0(arena, containers + REPEATED_MAX, sizeof(*orders->stop));
    orders->finished_apps = arena_array0(arena, REPEATED_MAX, sizeof(char *));
    add_containers(m, node, orders, all, &room);
    add_preempt_notices(m, node, orders, all, &room);
    add_limits(m, node, orders, all, &room);
    if (all)
        add_resizes(m, node, orders, &room);
    add_orphans(m, node, orders, &room);
    add_finished(m, node, orders, &room);
    return orders;
}
