/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_containers.c - adds and ends containers, and offers nodes
 *
 * A node is offered at its heartbeat and, with assignment on demand, when resources are requested or freed.
 * Each offer calls the policy's assign(), which places containers with sched_place_one().
 */
#include <limits.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/policy.h"

#define POOL_CHUNK 256
/* After this many nodes with room that could not serve a request, the request waits for heartbeats. */
#define OFFERS_IN_VAIN_MAX 1000

/* --- containers ------------------------------------------------------------ */

static size_t container_bytes(int types)
{
    return sizeof(struct sched_container) + (size_t)types * sizeof(int64_t);
}

static void pool_grow(struct pool *pool, size_t size)
{
    char *chunk = mem_alloc0(POOL_CHUNK * size);

    mem_grow(pool->chunks, pool->chunk_count, pool->chunk_capacity);
    pool->chunks[pool->chunk_count++] = chunk;
    for (size_t i = 0; i < POOL_CHUNK; i++)
        TAILQ_INSERT_TAIL(&pool->free, (struct sched_container *)(void *)(chunk + i * size), of_app);
}

static struct sched_container *pool_pop(struct pool *pool, int types)
{
    struct sched_container *container = TAILQ_FIRST(&pool->free);

    if (container == NULL) {
        pool_grow(pool, container_bytes(types));
        container = TAILQ_FIRST(&pool->free);
    }
    TAILQ_REMOVE(&pool->free, container, of_app);
    return container;
}

/* Notes whether the containers of PART's application are still in order of priority. Called before a
 * container of PRIORITY is added. */
static void note_priority(struct app_partition *part, uint32_t priority)
{
    if (TAILQ_EMPTY(&part->app->containers))
        part->disordered = false;
    else if (priority < part->last_priority)
        part->disordered = true;
    part->last_priority = priority;
}

static struct sched_container *enter(struct sched *sched, struct app_partition *part,
                                     const struct sched_container_info *info, void *owner)
{
    struct sched_container *container = pool_pop(&sched->pool, sched->calc.types);

    container->node = info->node;
    container->app = info->app;
    container->part = part;
    container->growth = NULL;
    container->serial = ++sched->last_serial;
    container->owner = owner;
    container->allocation_id = info->allocation_id;
    container->number = info->number;
    container->priority = info->priority;
    container->killed_index = 0;
    container->asked_label = part->label;
    container->killed = container->killable = container->launched = false;
    container->manager = info->master && info->app->manages;
    container->master = info->master;
    container->row_counts = 0;
    container->types = (uint8_t)sched->calc.types;
    calc_store(&sched->calc, container_size(container), &info->resource);
    note_priority(part, info->priority);
    TAILQ_INSERT_TAIL(&info->app->containers, container, of_app);
    TAILQ_INSERT_TAIL(&info->node->containers, container, of_node);
    info->node->container_count++;
    sched->container_count++;
    sched_node_charge(sched, info->node, &info->resource, 1);
    if (sched->policy->accounting.container_changed)
        sched->policy->accounting.container_changed(sched, container, true);
    sched_count_container(sched, part, &info->resource, 1);
    return container;
}

struct sched_container *sched_container_recover(struct sched *sched, const struct sched_container_info *info,
                                                void *owner)
{
    struct app_partition *part = sched_app_partition(info->app, info->node->label);
    struct sched_container *container = enter(sched, part, info, owner);

    if (info->master)
        sched_app_set_master(sched, info->app, &info->resource);
    container->launched = true;
    info->node->may_exceed = sched_node_exceeds(sched, info->node);
    return container;
}

void sched_container_acquired(struct sched *sched, struct sched_container *container)
{
    (void)sched;
    sched_demand_acquired(container);
}

void sched_container_return(struct sched *sched, struct sched_container *container,
                            struct sched_decisions *decisions)
{
    struct sched_container_info info;
    uint8_t row_counts = container->row_counts; /* sched_container_end() clears it */
    int label = container->asked_label;

    sched_container_info(container, &info);
    sched_container_end(sched, container, decisions);
    sched_demand_return(&info, row_counts, label);
    sched_app_changed(info.app, SCHED_APP_NAMES);
    if (sched->assign_on_demand)
        sched_offer_app(sched, info.app, decisions);
}

void sched_container_launched(struct sched *sched, struct sched_container *container)
{
    sched_container_acquired(sched, container);
    container->launched = true;
}

void sched_container_end(struct sched *sched, struct sched_container *container,
                         struct sched_decisions *decisions)
{
    struct sched_node *node = container->node;
    struct sched_app *app = container->app;
    struct resource size = { .value = { 0 } };
    const struct offer kept = { .limit = 1, .reserve = true };
    bool manager = container->manager, made_room = container->killable && container->killed;

    sched_container_cancel_resize(sched, container, decisions);
    calc_store(&sched->calc, &size, container_size(container));
    if (sched->policy->accounting.container_changed)
        sched->policy->accounting.container_changed(sched, container, false);
    TAILQ_REMOVE(&app->containers, container, of_app);
    TAILQ_REMOVE(&node->containers, container, of_node);
    node->container_count--;
    sched->container_count--;
    sched->borrowing_count -= container_borrows(container) ? 1 : 0;
    sched_node_charge(sched, node, &size, -1);
    sched_demand_acquired(container);
    sched_count_container(sched, container->part, &size, -1);
    container->owner = NULL; /* a decision that is not carried out yet may name it */
    TAILQ_INSERT_HEAD(&sched->pool.free, container, of_app);
    if (made_room && node->reserved.app && sched_node_is_offered(node))
        sched->policy->assignment.assign(sched, node, &kept, decisions); /* only to the application of
                                                                            the reservation */
    sched_offer_node(sched, node, decisions);
    if (manager)
        sched_offer_released(sched, decisions);
}

void sched_container_info(const struct sched_container *container, struct sched_container_info *ret)
{
    *ret = (struct sched_container_info){
        .node = container->node,
        .app = container->app,
        .resource = container_resource(container),
        .number = container->number,
        .priority = container->priority,
        .allocation_id = container->allocation_id,
        .master = container->master,
        .killable = container->killable,
    };
}

void *sched_container_owner(const struct sched_container *container)
{
    return container->owner;
}

void sched_container_set_owner(struct sched_container *container, void *owner)
{
    container->owner = owner;
}

/* --- placing --------------------------------------------------------------- */

void sched_place_one(struct sched *sched, struct sched_node *node, struct sched_app *app,
                     struct demand *demand, enum sched_locality locality, struct sched_decisions *decisions)
{
    struct app_partition *part = sched_app_partition(app, node->label);
    bool same = demand->label == node->label;
    struct sched_container_info info = {
        .node = node,
        .app = app,
        .priority = demand->priority,
        .allocation_id = demand->allocation_id,
        .master = demand->master,
    };
    struct sched_decision *decision;

    if (demand->container) {
        sched_grow(sched, demand, decisions);
        return;
    }
    decision = sched_decide(decisions, SCHED_ALLOCATED, node, app);
    info.number = ++app->last_number;
    calc_store(&sched->calc, &info.resource, demand_size(demand));
    decision->locality = locality;
    if (same)
        sched_count_begin(sched, part); /* container and request are one change */
    decision->container = enter(sched, part, &info, NULL);
    decision->container->asked_label = demand->label;
    sched->borrowing_count += same ? 0 : 1;
    decision->container->row_counts = sched_demand_subtract(app, demand, node, locality);
    if (info.master)
        sched_app_clear_avoided(app);
    if (same)
        sched_count_end(sched, part);
}

void sched_place_reserved(struct sched *sched, struct sched_node *node, struct sched_app *app,
                          struct demand *demand, enum sched_locality locality, struct sched_node *kept,
                          bool report, struct sched_decisions *decisions)
{
    struct app_partition *part = sched_app_partition(app, node->label);
    bool same = demand->label == node->label && kept->label == node->label;

    if (same)
        sched_count_begin(sched, part); /* unreserving and placing are one change */
    sched_unreserve(sched, kept, report, decisions);
    sched_place_one(sched, node, app, demand, locality, decisions);
    if (same)
        sched_count_end(sched, part);
}

/* --- offering -------------------------------------------------------------- */

/* Offers NODE, on which room became free. Like a heartbeat, the offer counts as a missed opportunity. In a
 * full cluster, heartbeats would not be enough: requests that do not wait for better locality use the room
 * before the next heartbeat. */
void sched_offer_node(struct sched *sched, struct sched_node *node, struct sched_decisions *decisions)
{
    const struct offer offer = { .limit = UINT_MAX, .opportunity = true, .reserve = true };

    if (sched->assign_on_demand && sched_node_is_offered(node) && (node->has_room || node->reserved.app))
        sched->policy->assignment.assign(sched, node, &offer, decisions);
}

void sched_offer_released(struct sched *sched, struct sched_decisions *decisions)
{
    if (sched->assign_on_demand && sched->policy->assignment.offer_released)
        sched->policy->assignment.offer_released(sched, decisions);
}

struct candidates {
    struct sched_node **nodes;
    size_t count, capacity;
};

static void add_candidate(struct candidates *found, struct sched_node *node)
{
    if (!node->has_room)
        return;
    mem_grow(found->nodes, found->count, found->capacity);
    found->nodes[found->count++] = node;
}

/* Adds the nodes of a host or rack, unless there are very many (without configured racks all nodes are in one
 * rack). In that case only offer_emptiest() offers them. */
static void add_place(struct candidates *found, const struct place *place)
{
    for (size_t i = 0; place && place->count <= OFFERS_IN_VAIN_MAX && i < place->count; i++)
        add_candidate(found, place->nodes[i]);
}

static void add_host(const struct sched *sched, const char *name, struct candidates *found)
{
    struct sched_node *node;

    HASH_FIND_STR(sched->nodes, name, node);
    if (node)
        add_candidate(found, node);
    add_place(found, sched_place_find(sched->hosts, name));
}

static void add_named(const struct sched *sched, const struct demand *demand, bool racks,
                      struct candidates *found)
{
    const struct row **rows;

    if (demand->row_count == 0)
        return;
    rows = sched_demand_rows(demand);
    for (uint32_t i = 0; i < demand->row_count; i++) {
        if (!sched_row_has_pending(rows[i]))
            continue;
        if (racks)
            add_place(found, sched_place_find(sched->racks, rows[i]->name));
        else
            add_host(sched, rows[i]->name, found);
    }
    free(rows);
}

/* Finds the nodes that APP named: hosts before racks, in the order of its requests. */
static void find_named(const struct sched *sched, struct sched_app *app, struct candidates *found)
{
    struct demand *demand;

    RB_FOREACH(demand, sched_demand_tree, &app->demands)
        add_named(sched, demand, false, found);
    RB_FOREACH(demand, sched_demand_tree, &app->demands)
        add_named(sched, demand, true, found);
}

static int64_t smallest_memory(struct sched_app *app)
{
    int64_t smallest = INT64_MAX;
    struct demand *demand;

    RB_FOREACH(demand, sched_demand_tree, &app->demands)
        if (demand->count > 0 && demand_size(demand)->value[RESOURCE_MEMORY_MB] < smallest)
            smallest = demand_size(demand)->value[RESOURCE_MEMORY_MB];
    return smallest;
}

/* Offers one container at a time to the node with most room. A node that was used is moved in the order, and
 * may be offered again. */
static void offer_emptiest(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions)
{
    int64_t smallest = smallest_memory(app);
    struct sched_node *node = RB_MIN(sched_room_tree, &sched->room);
    unsigned in_vain = 0;

    while (node && app->pending_containers > 0 && in_vain < OFFERS_IN_VAIN_MAX &&
           sched_node_free(node).value[RESOURCE_MEMORY_MB] >= smallest) {
        struct sched_node before = { .total = sched_node_free(node), .serial = node->serial };
        enum sched_answer answer = sched->policy->assignment.assign_to(sched, node, app, decisions);

        if (answer == SCHED_HOPELESS)
            return;
        if (answer == SCHED_TAKEN) {
            node = RB_NFIND(sched_room_tree, &sched->room, &before);
            in_vain = 0;
        } else {
            node = RB_NEXT(sched_room_tree, &sched->room, node);
            in_vain++;
        }
    }
}

/* Offers nodes to APP, which has new requests. Other applications were offered the room when it became
 * free. */
void sched_offer_app(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions)
{
    struct candidates found = { 0 };

    if (app->state != APP_ACTIVE || app->pending_containers == 0 || RB_EMPTY(&sched->room))
        return;
    find_named(sched, app, &found);
    for (size_t i = 0; i < found.count && app->pending_containers > 0; i++)
        while (found.nodes[i]->has_room && !found.nodes[i]->reserved.app &&
               sched->policy->assignment.assign_to(sched, found.nodes[i], app, decisions) == SCHED_TAKEN)
            continue;
    free(found.nodes);
    offer_emptiest(sched, app, decisions);
}
