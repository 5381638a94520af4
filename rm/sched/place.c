/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.c - containers come and go
 *
 * Whatever offers a node (its heartbeat, an ask, room that was freed) ends in
 * the strategy's assign, and that in sched_place_demand: host-local, then
 * rack-local, then anywhere.
 */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/internal.h"

/* --- containers ------------------------------------------------------------ */

static struct sched_container *enter(struct sched *sched, const struct sched_container_info *info,
                                     void *owner)
{
    struct sched_container *container = mem_new0(struct sched_container);

    container->info = *info;
    container->owner = owner;
    container->manager = info->master && info->app->manages;
    if (container->manager) {
        sched->managers++;
        sched->managed = resource_add(sched->managed, info->resource);
    }
    TAILQ_INSERT_TAIL(&info->app->containers, container, of_app);
    TAILQ_INSERT_TAIL(&info->node->containers, container, of_node);
    info->node->container_count++;
    sched->container_count++;
    sched_node_charge(sched, info->node, &info->resource, 1);
    sched_app_charge(info->app, &info->resource, 1);
    return container;
}

struct sched_container *sched_container_recover(struct sched *sched,
                                                const struct sched_container_info *info,
                                                void *owner)
{
    struct sched_container *container = enter(sched, info, owner);

    container->launched = true;
    info->node->may_exceed = sched_node_exceeds(sched, info->node);
    return container;
}

void sched_container_launched(struct sched *sched, struct sched_container *container)
{
    (void)sched;
    container->launched = true;
}

void sched_container_end(struct sched *sched, struct sched_container *container,
                         struct sched_decisions *decisions)
{
    struct sched_node *node = container->info.node;
    bool manager = container->manager;

    if (manager) {
        sched->managers--;
        sched->managed = resource_subtract(sched->managed, container->info.resource);
    }
    TAILQ_REMOVE(&container->info.app->containers, container, of_app);
    TAILQ_REMOVE(&node->containers, container, of_node);
    node->container_count--;
    sched->container_count--;
    sched_node_charge(sched, node, &container->info.resource, -1);
    sched_app_charge(container->info.app, &container->info.resource, -1);
    free(container);
    if (sched->assign_on_demand)
        sched_offer_node(sched, node, decisions);
    if (sched->assign_on_demand && manager)
        sched_offer_managers(sched, decisions);
}

void sched_container_info(const struct sched_container *container,
                          struct sched_container_info *ret)
{
    *ret = container->info;
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

static void grant(struct sched *sched, struct sched_node *node, struct sched_app *app,
                  const struct demand *demand, enum sched_locality locality,
                  struct sched_decisions *decisions)
{
    struct sched_container_info info = {
        .node = node,
        .app = app,
        .resource = demand->capability,
        .number = ++app->last_number,
        .priority = demand->priority,
        .allocation_id = demand->allocation_id,
        .master = demand->master,
    };

    mem_grow(decisions->items, decisions->count, decisions->capacity);
    decisions->items[decisions->count++] = (struct sched_decision){
        .kind = SCHED_ALLOCATED,
        .locality = locality,
        .container = enter(sched, &info, NULL),
        .node = node,
        .app = app,
    };
}

/* Take COUNT off the row called NAME, if it is there. */
static void take_row(struct sched_app *app, struct demand *demand, const char *name, uint32_t count)
{
    struct row *row = sched_demand_find_row(demand, name);

    if (row)
        sched_demand_set_row(app, demand, row->name, row->count > count ? row->count - count : 0,
                       row->strict);
}

/* At one level: NAME is a node id, a host, a rack, or NULL for anywhere. */
static unsigned place_level(struct sched *sched, struct sched_node *node, struct sched_app *app,
                            struct demand *demand, const char *name, enum sched_locality locality,
                            unsigned limit, struct sched_decisions *decisions)
{
    uint32_t most = demand->count < limit ? demand->count : limit;
    uint32_t count;

    if (name) {
        const struct row *row = sched_demand_find_row(demand, name);

        if (row == NULL || (row->strict && locality == SCHED_RACK_LOCAL))
            return 0;
        most = row->count < most ? row->count : most;
    } else if (demand->strict) {
        return 0;
    }
    count = sched_node_takes(sched, node, &demand->capability, most);
    if (count == 0)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        grant(sched, node, app, demand, locality, decisions);
    sched_demand_set_count(app, demand, demand->count - count);
    if (name)
        take_row(app, demand, name, count);
    if (locality == SCHED_NODE_LOCAL)
        take_row(app, demand, node->rack, count);
    return count;
}

unsigned sched_place_demand(struct sched *sched, struct sched_node *node, struct sched_app *app,
                            struct demand *demand, unsigned limit,
                            struct sched_decisions *decisions)
{
    const struct {
        const char *name;
        enum sched_locality locality;
    } levels[] = {
        { node->id, SCHED_NODE_LOCAL },
        { node->host, SCHED_NODE_LOCAL },
        { node->rack, SCHED_RACK_LOCAL },
        { NULL, SCHED_OFF_SWITCH },
    };
    unsigned placed = 0;

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (demand->count == 0 || placed == limit)
            break;
        if (i == 1 && text_equal(node->id, node->host))
            continue;
        placed += place_level(sched, node, app, demand, levels[i].name, levels[i].locality,
                              limit - placed, decisions);
    }
    if (demand->count == 0)
        sched_demand_drop(app, demand);       /* rows that were not needed go with it */
    return placed;
}

/* --- offering -------------------------------------------------------------- */

void sched_offer_node(struct sched *sched, struct sched_node *node,
                      struct sched_decisions *decisions)
{
    if (node->has_room && !RB_EMPTY(&sched->wanting))
        sched->strategy->assign(sched, node, UINT_MAX, decisions);
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

static void add_place(struct candidates *found, const struct place *place)
{
    for (size_t i = 0; place && i < place->count; i++)
        add_candidate(found, place->nodes[i]);
}

/* The nodes that APP named: hosts before racks, in the order of its asks. */
static void find_named(const struct sched *sched, struct sched_app *app, struct candidates *found)
{
    struct demand *demand;
    struct row *row, *next;
    struct sched_node *node;

    RB_FOREACH(demand, sched_demand_tree, &app->demands)
        HASH_ITER(hh, demand->rows, row, next) {
            HASH_FIND_STR(sched->nodes, row->name, node);
            if (node)
                add_candidate(found, node);
            add_place(found, sched_place_find(sched->hosts, row->name));
        }
    RB_FOREACH(demand, sched_demand_tree, &app->demands)
        HASH_ITER(hh, demand->rows, row, next)
            add_place(found, sched_place_find(sched->racks, row->name));
}

static int64_t smallest_memory(struct sched_app *app)
{
    int64_t smallest = INT64_MAX;
    struct demand *demand;

    RB_FOREACH(demand, sched_demand_tree, &app->demands)
        if (demand->count > 0 && demand->capability.value[RESOURCE_MEMORY_MB] < smallest)
            smallest = demand->capability.value[RESOURCE_MEMORY_MB];
    return smallest;
}

/* One container to the emptiest node after the other. A node that took one is
 * looked at again where it now stands. */
static void offer_emptiest(struct sched *sched, struct sched_app *app,
                           struct sched_decisions *decisions)
{
    int64_t smallest = smallest_memory(app);
    struct sched_node *node = RB_MIN(sched_room_tree, &sched->room);

    while (node && app->pending_containers > 0 &&
           sched_node_free(node).value[RESOURCE_MEMORY_MB] >= smallest) {
        struct sched_node before = { .total = sched_node_free(node), .serial = node->serial };

        if (sched->strategy->assign(sched, node, 1, decisions) > 0)
            node = RB_NFIND(sched_room_tree, &sched->room, &before);
        else
            node = RB_NEXT(sched_room_tree, &sched->room, node);
    }
}

void sched_offer_app(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions)
{
    struct candidates found = { 0 };

    if (app->pending_containers == 0 || RB_EMPTY(&sched->room))
        return;
    find_named(sched, app, &found);
    for (size_t i = 0; i < found.count && app->pending_containers > 0; i++)
        while (found.nodes[i]->has_room &&
               sched->strategy->assign(sched, found.nodes[i], 1, decisions) > 0)
            continue;
    free(found.nodes);
    offer_emptiest(sched, app, decisions);
}

static bool waits_to_manage(struct sched_app *app)
{
    const struct demand *first = RB_MIN(sched_demand_tree, &app->demands);

    return app->manages && first && first->master;
}

/* The limit of managers moved: those that it held back have their turn, in order. */
void sched_offer_managers(struct sched *sched, struct sched_decisions *decisions)
{
    struct sched_app *app = RB_MIN(sched_wanting_tree, &sched->wanting);

    while (app && !RB_EMPTY(&sched->room)) {
        if (waits_to_manage(app)) {
            size_t before = decisions->count;

            sched_offer_app(sched, app, decisions);
            if (decisions->count == before)
                return;
            app = RB_MIN(sched_wanting_tree, &sched->wanting);
        } else {
            app = RB_NEXT(sched_wanting_tree, &sched->wanting, app);
        }
    }
}
