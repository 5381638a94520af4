/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - nodes: their free resources, and indexes by id, host and rack */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/policy.h"

/* Most free resources first. They do not change while a node is in the tree. */
int sched_node_compare_room(const struct sched_node *a, const struct sched_node *b)
{
    for (int t = RESOURCE_MEMORY_MB; t <= RESOURCE_VCORES; t++) {
        int64_t free_a = a->total.value[t] - a->used.value[t];
        int64_t free_b = b->total.value[t] - b->used.value[t];

        if (free_a != free_b)
            return free_a > free_b ? -1 : 1;
    }
    return (a->serial > b->serial) - (a->serial < b->serial);
}

RB_GENERATE(sched_room_tree, sched_node, room, sched_node_compare_room)

struct resource sched_node_free(const struct sched_node *node)
{
    return resource_subtract(node->total, node->used);
}

struct resource sched_node_room(const struct sched_node *node)
{
    return resource_max(sched_node_free(node), calc_zero);
}

/* Is there room for one container of WANT? This needs no division. */
static inline bool takes_one(const struct calc *calc, const struct sched_node *node, const int64_t *want)
{
    for (int t = 0; t < calc_types(calc); t++)
        if (want[t] > 0 && node->total.value[t] - node->used.value[t] < want[t])
            return false;
    return true;
}

uint32_t sched_node_takes_values(const struct sched *sched, const struct sched_node *node,
                                 const int64_t *want, uint32_t most)
{
    int types = calc_types(&sched->calc);
    int64_t takes = most;

    if (most == 1)
        return takes_one(&sched->calc, node, want) ? 1 : 0;
    for (int t = 0; t < types; t++) {
        int64_t free_now = node->total.value[t] - node->used.value[t];

        if (want[t] <= 0)
            continue;
        if (free_now < want[t])
            return 0;
        if (free_now / want[t] < takes)
            takes = free_now / want[t];
    }
    return (uint32_t)takes;
}

/* Adds NODE to the totals of the cluster and of its partition, or subtracts it. */
static void count_total(struct sched *sched, struct sched_node *node, int sign)
{
    struct resource *label = &sched->label_total[node->label];

    sched->total = sign > 0 ? resource_add(sched->total, node->total)
                            : resource_subtract(sched->total, node->total);
    *label = sign > 0 ? resource_add(*label, node->total) : resource_subtract(*label, node->total);
    sched->label_nodes[node->label] += (uint32_t)sign;
    if (node->open) {
        sched->open_total = sign > 0 ? resource_add(sched->open_total, node->total)
                                     : resource_subtract(sched->open_total, node->total);
        sched->open_count += (uint32_t)sign;
    }
    sched->stale = true;
}

static struct sched_room_tree *room_of(struct sched *sched, const struct sched_node *node)
{
    return node->reserved.app ? &sched->kept : &sched->room;
}

static void leave_room(struct sched *sched, struct sched_node *node)
{
    if (node->has_room && sched->orders_room)
        RB_REMOVE(sched_room_tree, room_of(sched, node), node);
    node->has_room = false;
}

static void enter_room(struct sched *sched, struct sched_node *node)
{
    node->has_room = node->open && takes_one(&sched->calc, node, sched->minimum.value);
    if (node->has_room && sched->orders_room)
        RB_INSERT(sched_room_tree, room_of(sched, node), node);
}

void sched_node_keep(struct sched *sched, struct sched_node *node, struct sched_app *app)
{
    bool ordered = node->has_room && sched->orders_room;

    if (ordered)
        RB_REMOVE(sched_room_tree, room_of(sched, node), node);
    node->reserved.app = app;
    if (ordered)
        RB_INSERT(sched_room_tree, room_of(sched, node), node);
}

void sched_order_room(struct sched *sched)
{
    struct sched_node *node, *next;

    if (sched->orders_room)
        return;
    sched->orders_room = true;
    HASH_ITER(hh, sched->nodes, node, next)
        if (node->has_room)
            RB_INSERT(sched_room_tree, room_of(sched, node), node);
}

bool sched_node_exceeds(const struct sched *sched, const struct sched_node *node)
{
    int types = sched->calc.dominant ? sched->calc.types : 1;

    for (int t = 0; t < types; t++)
        if (node->used.value[t] > node->total.value[t])
            return true;
    return false;
}

void sched_node_charge(struct sched *sched, struct sched_node *node, const struct resource *amount,
                 int sign)
{
    leave_room(sched, node);
    calc_change(&sched->calc, &node->used, amount, sign);
    calc_change(&sched->calc, &sched->used, amount, sign);
    node->may_exceed = node->may_exceed && sched_node_exceeds(sched, node);
    enter_room(sched, node);
}

/* --- names ----------------------------------------------------------------- */

const struct place *sched_place_find(const struct place *places, const char *name)
{
    struct place *place;

    HASH_FIND(hh, places, name, strlen(name), place);
    return place;
}

static void place_add(struct place **places, struct sched_node *node, const char *name)
{
    struct place *place;
    size_t length = strlen(name);

    HASH_FIND(hh, *places, name, length, place);
    if (place == NULL) {
        place = mem_new0(struct place);
        place->name = mem_strdup(name);
        HASH_ADD_KEYPTR(hh, *places, place->name, length, place);
    }
    mem_grow(place->nodes, place->count, place->capacity);
    place->nodes[place->count++] = node;
}

static void place_remove(struct place **places, struct sched_node *node, const char *name)
{
    struct place *place;
    size_t i = 0;

    HASH_FIND(hh, *places, name, strlen(name), place);
    assert(place);
    while (place->nodes[i] != node)
        i++;
    memmove(&place->nodes[i], &place->nodes[i + 1],
            (place->count - i - 1) * sizeof(place->nodes[0]));
    if (--place->count > 0)
        return;
    HASH_DEL(*places, place);
    free(place->nodes);
    free(place->name);
    free(place);
}

static void node_leaves(struct sched *sched, struct sched_node *node)
{
    if (sched->policy->accounting.node_leaves)
        sched->policy->accounting.node_leaves(sched, node);
}

/* --- life ------------------------------------------------------------------ */

struct sched_node *sched_node_add(struct sched *sched, const struct sched_node_spec *spec,
                                  struct sched_decisions *decisions)
{
    struct sched_node *node;

    HASH_FIND_STR(sched->nodes, spec->id, node);
    assert(node == NULL);
    node = mem_new0(struct sched_node);
    node->id = mem_strdup(spec->id);
    node->host = mem_strdup(spec->host);
    node->rack = mem_strdup(spec->rack);
    node->label_name = mem_strdup(spec->label ? spec->label : "");
    HASH_VALUE(node->id, strlen(node->id), node->id_hash);
    HASH_VALUE(node->host, strlen(node->host), node->host_hash);
    HASH_VALUE(node->rack, strlen(node->rack), node->rack_hash);
    node->serial = ++sched->last_serial;
    node->total = spec->total;
    node->owner = spec->owner;
    node->open = !spec->closed;
    TAILQ_INIT(&node->containers);
    HASH_ADD_KEYPTR(hh, sched->nodes, node->id, strlen(node->id), node);
    place_add(&sched->hosts, node, node->host);
    place_add(&sched->racks, node, node->rack);
    node->label = (uint8_t)sched_label_add(sched, node->label_name);
    count_total(sched, node, 1);
    sched->node_count++;
    sched_size_node_added(sched, node);
    enter_room(sched, node);
    sched_offer_node(sched, node, decisions);
    sched_offer_released(sched, decisions);
    return node;
}

void sched_node_remove(struct sched *sched, struct sched_node *node)
{
    struct sched_decisions none = { 0 };

    assert(TAILQ_EMPTY(&node->containers));
    if (node->reserved.app)
        sched_unreserve(sched, node, false, &none);
    node_leaves(sched, node);
    leave_room(sched, node);
    place_remove(&sched->hosts, node, node->host);
    place_remove(&sched->racks, node, node->rack);
    count_total(sched, node, -1);
    sched->node_count--;
    sched_size_node_removed(sched, node);
    HASH_DEL(sched->nodes, node);
    free(node->id);
    free(node->host);
    free(node->rack);
    free(node->label_name);
    free(node);
}

void sched_node_update(struct sched *sched, struct sched_node *node, struct resource total,
                       struct sched_decisions *decisions)
{
    /* YARN sets the labels of a node anew with its size, which ends a reservation. That does not happen
     * in its fair scheduler, which has no labels (RMNodeLabelsManager.updateNodeResource). */
    if (node->reserved.app && sched->features.labels && !resource_equal(&node->total, &total))
        sched_unreserve(sched, node, true, decisions);
    leave_room(sched, node);
    count_total(sched, node, -1);
    node->total = total;
    count_total(sched, node, 1);
    sched_size_node_changed(sched, node);
    node->may_exceed = sched_node_exceeds(sched, node);
    enter_room(sched, node);
    sched_offer_node(sched, node, decisions);
    sched_offer_released(sched, decisions);
}

/* What CONTAINER uses is counted in the partition LABEL from now on. */
static void move_container(struct sched *sched, struct sched_container *container, int label)
{
    const struct resource amount = container_resource(container);

    sched_count_container(sched, container->part, &amount, -1);
    sched->borrowing_count -= container_borrows(container) ? 1 : 0;
    container->part = sched_app_part(container->app, label);
    sched->borrowing_count += container_borrows(container) ? 1 : 0;
    sched_count_container(sched, container->part, &amount, 1);
}

void sched_node_set_label(struct sched *sched, struct sched_node *node, const char *name,
                          struct sched_decisions *decisions)
{
    struct sched_container *container;
    int label;

    name = name ? name : "";
    if (strcmp(node->label_name, name) == 0)
        return;
    if (node->reserved.app)
        sched_unreserve(sched, node, true, decisions);
    label = sched_label_add(sched, name);
    node_leaves(sched, node);
    leave_room(sched, node);
    count_total(sched, node, -1);
    if (label != node->label)
        TAILQ_FOREACH(container, &node->containers, of_node)
            move_container(sched, container, label);
    free(node->label_name);
    node->label_name = mem_strdup(name);
    node->label = (uint8_t)label;
    count_total(sched, node, 1);
    enter_room(sched, node);
    sched_offer_node(sched, node, decisions);
    sched_offer_released(sched, decisions);
}

void sched_node_set_open(struct sched *sched, struct sched_node *node, bool open,
                         struct sched_decisions *decisions)
{
    if (node->open == open)
        return;
    if (!open && node->reserved.app)
        sched_unreserve(sched, node, true, decisions);
    leave_room(sched, node);
    count_total(sched, node, -1);
    node->open = open;
    count_total(sched, node, 1);
    sched_size_node_changed(sched, node);
    enter_room(sched, node);
    if (open) {
        sched_offer_node(sched, node, decisions);
        sched_offer_released(sched, decisions);
    }
}

void sched_node_heartbeat(struct sched *sched, struct sched_node *node,
                          struct sched_decisions *decisions)
{
    const struct offer offer = { .limit = UINT_MAX, .heartbeat = true, .opportunity = true,
                                 .reserve = true };

    if (node->has_room || (node->open && (node->reserved.app || node->killable > 0 ||
                                          sched->policy->reserves_full_nodes)))
        sched->policy->assignment.assign(sched, node, &offer, decisions);
}

/* Where in the order of nodes with room the next batch begins: behind a node that may have moved, or
 * gone, since. */
static struct sched_node *batch_begin(const struct sched *sched, struct sched_room_tree *tree)
{
    struct sched_node behind = { .total = sched->batch_free, .serial = sched->batch_serial };

    return sched->batch_serial == 0 ? RB_MIN(sched_room_tree, tree)
                                    : RB_NFIND(sched_room_tree, tree, &behind);
}

/* The next node of both trees in their common order. */
static struct sched_node *emptier(struct sched_node *node, struct sched_node *kept)
{
    if (node == NULL || kept == NULL)
        return node ? node : kept;
    return sched_node_compare_room(node, kept) < 0 ? node : kept;
}

size_t sched_node_batch(struct sched *sched, size_t most, struct sched_decisions *decisions)
{
    struct sched_node *node, *kept, *next;
    size_t count = 0;

    sched_order_room(sched);
    node = batch_begin(sched, &sched->room);
    kept = batch_begin(sched, &sched->kept);
    while ((next = emptier(node, kept)) != NULL && count < most) {
        mem_grow(sched->batch, count, sched->batch_capacity);
        sched->batch[count++] = next;
        if (next == node)
            node = RB_NEXT(sched_room_tree, &sched->room, node);
        else
            kept = RB_NEXT(sched_room_tree, &sched->kept, kept);
    }
    sched->batch_serial = count < most ? 0 : UINT64_MAX;       /* none comes behind */
    sched->batch_free = resource_of(0, 0);
    if (next) {
        sched->batch_free = sched_node_free(next);
        sched->batch_serial = next->serial;
    }
    for (size_t i = 0; i < count; i++)
        sched_node_heartbeat(sched, sched->batch[i], decisions);
    return count;
}

bool sched_wants_batch(const struct sched *sched)
{
    if (RB_EMPTY(&sched->room) && RB_EMPTY(&sched->kept))
        return false;
    return sched->policy->assignment.wants == NULL || sched->policy->assignment.wants(sched);
}

struct sched_app *sched_node_reserved_by(const struct sched_node *node)
{
    return node->reserved.app;
}

const char *sched_node_label(const struct sched_node *node)
{
    return node->label_name;
}

struct resource sched_node_total(const struct sched_node *node)
{
    return node->total;
}

struct resource sched_node_used(const struct sched_node *node)
{
    return node->used;
}

uint32_t sched_node_containers(const struct sched_node *node)
{
    return node->container_count;
}

void *sched_node_owner(const struct sched_node *node)
{
    return node->owner;
}
