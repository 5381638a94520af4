/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - adds, changes and removes nodes, and handles their heartbeats */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/policy.h"

/* Adds NODE to the totals of the cluster and of its partition (SIGN 1), or subtracts NODE (-1). */
static void count_total(struct sched *sched, struct sched_node *node, int sign)
{
    struct resource *label = &sched->label_total[node->label];

    sched->total =
        sign > 0 ? resource_add(sched->total, node->total) : resource_subtract(sched->total, node->total);
    *label = sign > 0 ? resource_add(*label, node->total) : resource_subtract(*label, node->total);
    sched->label_nodes[node->label] += (uint32_t)sign;
    if (node->open) {
        sched->open_total = sign > 0 ? resource_add(sched->open_total, node->total)
                                     : resource_subtract(sched->open_total, node->total);
        sched->open_count += (uint32_t)sign;
        sched->label_open[node->label] += (uint32_t)sign;
    }
    sched->stale = true;
    sched_queues_note_change(sched);
}

static void node_leaves(struct sched *sched, struct sched_node *node)
{
    if (sched->policy->accounting.node_leaves)
        sched->policy->accounting.node_leaves(sched, node);
}

/* --- adding, changing, removing -------------------------------------------- */

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
    sched_place_add(&sched->hosts, node, node->host);
    sched_place_add(&sched->racks, node, node->rack);
    node->label = (uint8_t)sched_label_add(sched, node->label_name);
    count_total(sched, node, 1);
    sched->node_count++;
    sched_size_node_added(sched, node);
    sched_node_enter_room(sched, node);
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
    sched_node_leave_room(sched, node);
    sched_place_remove(&sched->hosts, node, node->host);
    sched_place_remove(&sched->racks, node, node->rack);
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
    /* YARN sets the labels of a node again when its size changes, which cancels a reservation. YARN's fair
     * scheduler has no labels and does not do this (RMNodeLabelsManager.updateNodeResource). */
    if (node->reserved.app && sched->features.labels && !resource_equal(&node->total, &total))
        sched_unreserve(sched, node, true, decisions);
    sched_node_leave_room(sched, node);
    count_total(sched, node, -1);
    node->total = total;
    count_total(sched, node, 1);
    sched_size_node_changed(sched, node);
    node->may_exceed = sched_node_exceeds(sched, node);
    sched_node_enter_room(sched, node);
    sched_offer_node(sched, node, decisions);
    sched_offer_released(sched, decisions);
}

/* Moves the counted use of CONTAINER to the partition LABEL. */
static void move_container(struct sched *sched, struct sched_container *container, int label)
{
    const struct resource amount = container_resource(container);

    sched_count_container(sched, container->part, &amount, -1);
    sched->borrowing_count -= container_borrows(container) ? 1 : 0;
    container->part = sched_app_partition(container->app, label);
    sched->borrowing_count += container_borrows(container) ? 1 : 0;
    sched_count_container(sched, container->part, &amount, 1);
    if (container->master)
        sched_app_set_master_label(container->app, label);
    if (container->growth)
        sched_demand_set_label(container->app, container->growth, container->asked_label);
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
    sched_node_leave_room(sched, node);
    count_total(sched, node, -1);
    if (label != node->label)
        TAILQ_FOREACH(container, &node->containers, of_node)
            move_container(sched, container, label);
    free(node->label_name);
    node->label_name = mem_strdup(name);
    node->label = (uint8_t)label;
    count_total(sched, node, 1);
    sched_node_enter_room(sched, node);
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
    sched_node_leave_room(sched, node);
    count_total(sched, node, -1);
    node->open = open;
    count_total(sched, node, 1);
    sched_size_node_changed(sched, node);
    sched_node_enter_room(sched, node);
    if (open) {
        sched_offer_node(sched, node, decisions);
        sched_offer_released(sched, decisions);
    }
}

void sched_node_set_silent(struct sched *sched, struct sched_node *node, bool silent)
{
    if (node->silent == silent)
        return;
    sched_node_leave_room(sched, node);
    node->silent = silent;
    sched_node_enter_room(sched, node);
}

void sched_node_heartbeat(struct sched *sched, struct sched_node *node, struct sched_decisions *decisions)
{
    const struct offer offer = { .limit = UINT_MAX, .heartbeat = true, .opportunity = true, .reserve = true };

    if (node->has_room ||
        (node->open && (node->reserved.app || node->killable > 0 || sched->policy->reserves_full_nodes)))
        sched->policy->assignment.assign(sched, node, &offer, decisions);
}

/* Returns the first node of TREE for the next batch: the first node at or after the position at which the
 * last batch ended. The node of this position may have been moved or removed since. */
static struct sched_node *batch_begin(const struct sched *sched, struct sched_room_tree *tree)
{
    struct sched_node behind = { .total = sched->batch_free, .serial = sched->batch_serial };

    return sched->batch_serial == 0 ? RB_MIN(sched_room_tree, tree)
                                    : RB_NFIND(sched_room_tree, tree, &behind);
}

/* Returns NODE or KEPT, the next nodes of the two trees: the one with more free room. */
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
    sched->batch_serial = count < most ? 0 : UINT64_MAX; /* no node follows after this position */
    sched->batch_free = resource_of(0, 0);
    if (next) {
        sched->batch_free = sched_node_free(next);
        sched->batch_serial = next->serial;
    }
    for (size_t i = 0; i < count; i++)
        sched_node_heartbeat(sched, sched->batch[i], decisions);
    return count;
}

bool sched_needs_batch(struct sched *sched)
{
    sched_order_room(sched); /* the first call inserts all nodes with room into the trees */
    if (RB_EMPTY(&sched->room) && RB_EMPTY(&sched->kept))
        return false;
    return sched->policy->assignment.can_assign == NULL || sched->policy->assignment.can_assign(sched);
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

struct resource sched_node_reserved(const struct sched_node *node)
{
    return node->reserved.app != NULL ? node->reserved.resource : resource_of(0, 0);
}

uint32_t sched_node_containers(const struct sched_node *node)
{
    return node->container_count;
}

void *sched_node_owner(const struct sched_node *node)
{
    return node->owner;
}
