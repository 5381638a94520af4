/* SPDX-License-Identifier: Apache-2.0 */
/* node_room.c - computes the free resources of nodes, and orders the nodes by free resources */
#include "rm/sched/policy.h"

/* Orders nodes by free resources, most first. The free resources of a node in a tree do not change. */
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

/* Returns true if there is room for one container of WANT. Needs no division. */
static inline bool fits_one(const struct calc *calc, const struct sched_node *node, const int64_t *want)
{
    for (int t = 0; t < calc_types(calc); t++)
        if (want[t] > 0 && node->total.value[t] - node->used.value[t] < want[t])
            return false;
    return true;
}

uint32_t sched_node_count_fitting_values(const struct sched *sched, const struct sched_node *node,
                                         const int64_t *want, uint32_t most)
{
    int types = calc_types(&sched->calc);
    int64_t takes = most;

    if (most == 1)
        return fits_one(&sched->calc, node, want) ? 1 : 0;
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

static struct sched_room_tree *room_of(struct sched *sched, const struct sched_node *node)
{
    return node->reserved.app ? &sched->kept : &sched->room;
}

bool sched_node_is_offered(const struct sched_node *node)
{
    return node->open && !node->silent;
}

void sched_node_leave_room(struct sched *sched, struct sched_node *node)
{
    if (node->has_room && sched->orders_room)
        RB_REMOVE(sched_room_tree, room_of(sched, node), node);
    node->has_room = false;
}

void sched_node_enter_room(struct sched *sched, struct sched_node *node)
{
    node->has_room = sched_node_is_offered(node) && fits_one(&sched->calc, node, sched->minimum.value);
    if (node->has_room && sched->orders_room)
        RB_INSERT(sched_room_tree, room_of(sched, node), node);
}

void sched_node_set_reserved(struct sched *sched, struct sched_node *node, struct sched_app *app)
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

void sched_node_charge(struct sched *sched, struct sched_node *node, const struct resource *amount, int sign)
{
    sched_node_leave_room(sched, node);
    calc_change(&sched->calc, &node->used, amount, sign);
    calc_change(&sched->calc, &sched->used, amount, sign);
    node->may_exceed = node->may_exceed && sched_node_exceeds(sched, node);
    sched_node_enter_room(sched, node);
}
