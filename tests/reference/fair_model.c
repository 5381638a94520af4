/* SPDX-License-Identifier: Apache-2.0 */
/* fair_model.c - reference fair scheduler: adds and removes nodes, applications, requests and containers */
#include <assert.h>

#include "tests/reference/fair.h"

void slow_init(struct slow *slow, const struct slow_config *config)
{
    *slow = (struct slow){ .config = *config };
}

void slow_refresh(struct slow *slow, const struct slow_config *config)
{
    slow->config = *config;
    slow_run_all(slow);
}

void slow_update(struct slow *slow)
{
    slow_compute(slow);
    slow_starve(slow);
}

void slow_decide(struct slow *slow, struct slow_decision decision)
{
    assert(slow->decision_count < SLOW_DECISIONS);
    slow->decisions[slow->decision_count++] = decision;
}

/* --- nodes ------------------------------------------------------------------ */

void slow_node_add(struct slow *slow, int node, int rack, struct resource total)
{
    slow->nodes[node] =
        (struct slow_node){ .here = true, .rack = rack, .total = total, .order = ++slow->last_order };
}

void slow_node_remove(struct slow *slow, int node)
{
    slow->nodes[node].here = slow->nodes[node].reserved = false;
    for (int e = 0; e < SLOW_CLAIMS; e++)
        if (slow->claims[e].node == node)
            slow->claims[e].here = false;
}

/* --- apps ------------------------------------------------------------------- */

static void begin(struct slow *slow, int app)
{
    slow->apps[app].state = SLOW_WAITS;
    slow->apps[app].listed = ++slow->last_order;
    if (slow_may_run(slow, app))
        slow->apps[app].state = SLOW_RUNS;
}

/* Returns the largest container of QUEUE (FairScheduler.getMaximumResourceCapability). */
static struct resource largest(const struct slow *slow, int queue)
{
    struct resource most = slow->config.maximum, nodes = resource_of(0, 0);
    bool any = false;

    for (int n = 0; n < SLOW_NODES; n++)
        if (slow->nodes[n].here) {
            nodes = resource_max(nodes, slow->nodes[n].total);
            any = true;
        }
    if (any)
        most = resource_min(most, nodes);
    while (queue >= 0 && slow->config.queues[queue].container.value[0] == 0)
        queue = slow->config.queues[queue].parent;
    return queue < 0 ? most : resource_min(most, slow->config.queues[queue].container);
}

/* Returns true if no container of QUEUE can have SIZE, also if the queue's maximum of a requested type is
 * 0. */
static bool is_too_large(const struct slow *slow, int queue, const struct resource *size)
{
    struct resource most = largest(slow, queue), of_queue = slow_queue_maximum(slow, queue);

    for (int t = 0; t < slow->config.types; t++)
        if (size->value[t] > 0 && of_queue.value[t] == 0)
            return true;
    return !resource_fits(size, &most);
}

/* Rounds SIZE to at least the minimum, in whole increments (SchedulerUtils.getNormalizedResource). */
static struct resource normalised(const struct slow *slow, int queue, struct resource size)
{
    size = resource_max(size, slow->config.minimum);
    for (int t = 0; t < slow->config.types; t++) {
        int64_t step = slow->config.increment.value[t];

        if (step > 0)
            size.value[t] = (size.value[t] + step - 1) / step * step;
    }
    return resource_min(size, largest(slow, queue));
}

bool slow_app_add(struct slow *slow, int app, int user, int queue, int32_t priority,
                  const struct resource *master)
{
    struct slow_app *a = &slow->apps[app];

    if (master && is_too_large(slow, queue, master))
        return false;
    *a = (struct slow_app){
        .here = true,
        .state = SLOW_WAITS,
        .queue = queue,
        .user = user,
        .priority = priority,
        .start_ms = slow->now_ms,
        .at_share_ms = slow->now_ms,
        .order = ++slow->last_order,
    };
    begin(slow, app);
    if (master)
        a->keys[0] = (struct slow_key){ .size = normalised(slow, queue, *master),
                                        .any = { .given = true, .count = 1 } };
    return true;
}

void slow_app_remove(struct slow *slow, int app)
{
    struct slow_app *a = &slow->apps[app];

    for (int n = 0; n < SLOW_NODES; n++)
        if (slow->nodes[n].reserved && slow->nodes[n].reserved_app == app)
            slow_unreserve(slow, n, false);
    for (int e = 0; e < SLOW_CLAIMS; e++)
        if (slow->claims[e].app == app)
            slow->claims[e].here = false;
    a->here = false;
    if (a->state == SLOW_RUNS)
        slow_run_next(slow, a->queue, a->user);
}

static bool move_fits(const struct slow *slow, int app, int queue)
{
    int old = slow->apps[app].queue;

    for (int q = queue; q >= 0 && !slow_below(slow, old, q); q = slow->config.queues[q].parent) {
        struct resource sum = resource_add(slow_queue_used(slow, q), slow_app_used(slow, app));
        struct resource most = slow_queue_maximum(slow, q);

        if ((int64_t)slow_running(slow, q) >= slow->config.queues[q].max_running || !slow_fits(&sum, &most))
            return false;
    }
    return true;
}

bool slow_app_move(struct slow *slow, int app, int queue)
{
    struct slow_app *a = &slow->apps[app];
    bool ran = a->state == SLOW_RUNS;
    int old = a->queue;

    if (queue == old)
        return true;
    if (ran && !move_fits(slow, app, queue))
        return false;
    a->state = SLOW_WAITS;
    a->queue = queue;
    a->listed = ++slow->last_order;
    if (ran || slow_may_run(slow, app))
        a->state = SLOW_RUNS;
    if (ran)
        slow_run_next(slow, old, a->user);
    return true;
}

static void replace_row(struct slow *slow, struct slow_row *row, const struct slow_row *asked)
{
    uint64_t order = row->given ? row->order : ++slow->last_order;

    if (!asked->given)
        return;
    *row = *asked;
    row->order = order;
}

/* A row of count 0 is kept until nothing is pending any more. */
bool slow_ask(struct slow *slow, int app, int index, const struct slow_key *ask)
{
    struct slow_key *key = &slow->apps[app].keys[index];

    if (is_too_large(slow, slow->apps[app].queue, &ask->size))
        return false;
    key->size = normalised(slow, slow->apps[app].queue, ask->size);
    replace_row(slow, &key->any, &ask->any);
    for (int n = 0; n < SLOW_NODES; n++)
        replace_row(slow, &key->node[n], &ask->node[n]);
    for (int r = 0; r < SLOW_RACKS; r++)
        replace_row(slow, &key->rack[r], &ask->rack[r]);
    if (key->any.count == 0)
        *key = (struct slow_key){ .any = { .given = false } };
    return true;
}

/* --- containers ------------------------------------------------------------- */

void slow_container_end(struct slow *slow, int container)
{
    slow->containers[container].here = false;
    slow_victim_gone(slow, slow->containers[container].claim);
    while (slow->container_top > 0 && !slow->containers[slow->container_top - 1].here)
        slow->container_top--;
}

int slow_container_enter(struct slow *slow, int app, int node, int key, struct resource size)
{
    int container = 0;

    while (container < slow->container_top && slow->containers[container].here)
        container++;
    assert(container < SLOW_CONTAINERS);
    if (container == slow->container_top)
        slow->container_top++;
    slow->containers[container] = (struct slow_container){
        .here = true,
        .master = key == 0,
        .app = app,
        .node = node,
        .size = size,
        .order = ++slow->last_order,
    };
    return container;
}
