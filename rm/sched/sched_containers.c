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

/* Notes whether the containers of PART's application are still in order of priority and age: the nodes of
 * recovered containers register in any order. Called before CONTAINER is added. */
static void note_order(struct app_partition *part, const struct sched_container *container)
{
    if (TAILQ_EMPTY(&part->app->containers))
        part->disordered = false;
    else if (container->priority < part->last_priority || container->serial < part->last_serial)
        part->disordered = true;
    part->last_priority = container->priority;
    part->last_serial = container->serial;
}

static struct sched_container *enter(struct sched *sched, struct app_partition *part,
                                     const struct sched_container_info *info, void *owner)
{
    struct sched_container *container = pool_pop(&sched->pool, sched->calc.types);

    container->node = info->node;
    container->app = info->app;
    container->part = part;
    container->growth = NULL;
    container->serial = info->serial ? info->serial : ++sched->last_serial;
    container->owner = owner;
    container->allocation_id = info->allocation_id;
    container->number = info->number;
    container->priority = info->priority;
    container->killed_index = 0;
    container->asked_label = part->label;
    container->killed = container->stopped = container->stuck = false;
    container->killable = container->launched = false;
    container->manager = info->master && info->app->manages;
    container->master = info->master;
    container->row_counts = 0;
    container->types = (uint8_t)sched->calc.types;
    calc_store(&sched->calc, container_size(container), &info->resource);
    note_order(part, container);
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

void sched_container_stopping(struct sched *sched, struct sched_container *container, bool stuck)
{
    if (sched->policy->accounting.container_stopping)
        sched->policy->accounting.container_stopping(sched, container, stuck);
    container->stuck = stuck;
}

void sched_container_continues(struct sched *sched, struct sched_container *container)
{
    if (!container->stopped) { /* it is preempted */
        sched_container_stopping(sched, container, false);
        return;
    }
    sched->policy->accounting.container_continues(sched, container);
    container->killed = container->stopped = container->stuck = false;
}

const char *sched_container_gainer(const struct sched *sched, const struct sched_container *container)
{
    return sched->policy->reports.container_gainer ? sched->policy->reports.container_gainer(sched, container)
                                                   : NULL;
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
        .serial = container->serial,
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

/* Adds the nodes of a host or rack once in a search, unless there are very many (without configured racks all
 * nodes are in one rack). In that case only offer_emptiest() offers them. */
static void add_place(const struct sched *sched, struct place *place, struct candidates *found)
{
    if (place == NULL || place->search == sched->search)
        return;
    place->search = sched->search;
    for (size_t i = 0; place->count <= OFFERS_IN_VAIN_MAX && i < place->count; i++)
        add_candidate(found, place->nodes[i]);
}

static void add_host(const struct sched *sched, const char *name, struct candidates *found)
{
    struct sched_node *node;

    HASH_FIND_STR(sched->nodes, name, node);
    if (node && node->search != sched->search) {
        node->search = sched->search;
        add_candidate(found, node);
    }
    add_place(sched, sched_place_find(sched->hosts, name), found);
}

/* A row whose place is to be offered, and its request. */
struct named {
    const struct demand *demand;
    const struct row *row;
};

struct named_list {
    struct named *items;
    size_t count, capacity;
};

static void add_row(struct named_list *list, const struct demand *demand, const struct row *row)
{
    if (!sched_row_has_pending(row))
        return;
    mem_grow(list->items, list->count, list->capacity);
    list->items[list->count++] = (struct named){ demand, row };
}

static void add_rows(struct named_list *list, struct demand *demand)
{
    struct row *row;

    RB_FOREACH(row, sched_row_tree, &demand->rows)
        add_row(list, demand, row);
    demand->awake = false;
}

/* Orders rows as the application requested them. */
static int compare_named(const void *first, const void *second)
{
    const struct named *a = first, *b = second;

    if (a->demand->priority != b->demand->priority)
        return a->demand->priority < b->demand->priority ? -1 : 1;
    if (a->demand->allocation_id != b->demand->allocation_id)
        return a->demand->allocation_id < b->demand->allocation_id ? -1 : 1;
    if (a->demand->grows != b->demand->grows)
        return a->demand->grows < b->demand->grows ? -1 : 1;
    return (a->row->order > b->row->order) - (a->row->order < b->row->order);
}

/* Removes rows that are in the sorted LIST twice: as a row of a request, and of an idle one that has pending
 * containers now. */
static void drop_repeated(struct named_list *list)
{
    size_t count = 0;

    for (size_t i = 0; i < list->count; i++)
        if (count == 0 || list->items[count - 1].row != list->items[i].row)
            list->items[count++] = list->items[i];
    list->count = count;
}

/* Begins a search for the nodes that the rows of LIST name, hosts before racks, and frees LIST. However many
 * rows name a place, its nodes are found once. */
static void find_named(struct sched *sched, struct named_list *list, struct candidates *found)
{
    sched->search++;
    if (list->count > 0)
        qsort(list->items, list->count, sizeof(*list->items), compare_named);
    drop_repeated(list);
    for (size_t i = 0; i < list->count; i++)
        add_host(sched, list->items[i].row->name, found);
    for (size_t i = 0; i < list->count; i++)
        add_place(sched, sched_place_find(sched->racks, list->items[i].row->name), found);
    sched->lookups += list->count;
    free(list->items);
}

static void note_smallest(const struct demand *demand, int64_t *smallest)
{
    if (demand->count > 0 && demand_size(demand)->value[RESOURCE_MEMORY_MB] < *smallest)
        *smallest = demand_size(demand)->value[RESOURCE_MEMORY_MB];
}

/* Offers one container at a time to the node with most room, if that has the memory SMALLEST. A node that was
 * used is moved in the order, and may be offered again. */
static void offer_emptiest(struct sched *sched, struct sched_app *app, int64_t smallest,
                           struct sched_decisions *decisions)
{
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

static bool wants_offers(const struct sched *sched, const struct sched_app *app)
{
    return app->state == APP_ACTIVE && app->pending_containers > 0 && !RB_EMPTY(&sched->room);
}

/* Offers the nodes FOUND, whose array is freed, and then those with most room. */
static void offer_found(struct sched *sched, struct sched_app *app, struct candidates *found,
                        int64_t smallest, struct sched_decisions *decisions)
{
    sched->lookups += found->count;
    for (size_t i = 0; i < found->count && app->pending_containers > 0; i++)
        while (found->nodes[i]->has_room && !found->nodes[i]->reserved.app &&
               sched->policy->assignment.assign_to(sched, found->nodes[i], app, decisions) == SCHED_TAKEN)
            continue;
    free(found->nodes);
    offer_emptiest(sched, app, smallest, decisions);
}

void sched_offer_app(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions)
{
    struct named_list list = { 0 };
    struct candidates found = { 0 };
    int64_t smallest = INT64_MAX;
    struct demand *demand;

    if (!wants_offers(sched, app))
        return;
    RB_FOREACH(demand, sched_demand_tree, &app->demands) {
        add_rows(&list, demand);
        note_smallest(demand, &smallest);
    }
    find_named(sched, &list, &found);
    offer_found(sched, app, &found, smallest, decisions);
}

void sched_offer_asks(struct sched *sched, struct sched_app *app, const struct sched_request *request,
                      struct sched_decisions *decisions)
{
    struct named_list list = { 0 };
    struct candidates found = { 0 };
    int64_t smallest = request->blacklist_remove_count > 0 ? 0 : INT64_MAX;

    if (!wants_offers(sched, app))
        return;
    for (size_t i = 0; i < request->ask_count; i++) {
        const struct sched_ask *ask = &request->asks[i];
        struct demand *demand = sched_demand_find(app, ask->priority, ask->allocation_id);

        if (demand == NULL)
            continue;
        note_smallest(demand, &smallest);
        if (demand->awake)
            add_rows(&list, demand);
        else if (ask->resource_name) /* no row has the name "*" */
            add_row(&list, demand, sched_demand_find_row(demand, ask->resource_name));
    }
    find_named(sched, &list, &found);
    for (size_t i = 0; i < request->blacklist_remove_count; i++) {
        add_host(sched, request->blacklist_remove[i], &found);
        add_place(sched, sched_place_find(sched->racks, request->blacklist_remove[i]), &found);
    }
    offer_found(sched, app, &found, smallest, decisions);
}

void sched_offer_growth(struct sched *sched, struct sched_container *grows, struct sched_decisions *decisions)
{
    struct candidates found = { 0 };

    if (!wants_offers(sched, grows->app))
        return;
    add_candidate(&found, grows->node);
    offer_found(sched, grows->app, &found, INT64_MAX, decisions);
}

uint64_t sched_lookups(const struct sched *sched)
{
    return sched->lookups;
}
