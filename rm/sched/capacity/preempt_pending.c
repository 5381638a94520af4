/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt_pending.c - what counts as pending in a round of preemption
 *
 * Requests of active applications count, as far as their users may get more. (An application that moved to a
 * full queue, or whose AM runs outside of the cluster, may ask while it waits to be activated.) The policy
 * compares sums of queues and picks containers on any open node. So a request that no open node may serve is
 * not pending for the time of a round: requests with strict locality whose nodes are all closed. The increase
 * of a container, which only its node can serve, is counted by itself (rm/sched/preempt/increases.c), and
 * only if that node could serve it.
 *
 * Differs: YARN looks at no locality. It kills containers as long as such a request waits.
 */
#include "rm/sched/capacity/internal.h"
#include "rm/sched/preempt/preempt.h"

/* Adds (SIGN 1) COUNT containers of DEMAND to what its application and user have pending, or subtracts them
 * (-1). */
static void change_strict(struct sched *sched, const struct demand *demand, uint32_t count, int sign)
{
    struct app_partition *part = sched_app_partition_have(demand->app, demand->label);
    struct resource sum = { .value = { 0 } };

    for (int t = 0; t < sched->calc.types; t++)
        sum.value[t] = demand_size(demand)->value[t] * (int64_t)count;
    calc_change(&sched->calc, app_pending(part), &sum, sign);
    if (part->user)
        calc_change(&sched->calc, user_pending(part->user), &sum, sign);
}

static void adjust_strict(struct sched *sched, int sign)
{
    const struct demand *demand;

    TAILQ_FOREACH(demand, &sched->strict, in_strict) {
        uint32_t count = demand->container ? 0 : sched_demand_count_open(demand);

        if (count < demand->count)
            change_strict(sched, demand, demand->count - count, sign);
    }
}

/* Adds what applications that are not active have pending to what their users have pending, or subtracts
 * it. */
static void adjust_waiting(struct sched *sched, int sign)
{
    const struct sched_app *app, *next;

    HASH_ITER(hh, sched->apps, app, next) {
        if (app->state == APP_ACTIVE)
            continue;
        for (struct app_partition *part = app->parts; part; part = part->next) {
            struct resource sum = sched_load(sched, app_pending(part));

            if (part->user)
                calc_change(&sched->calc, user_pending(part->user), &sum, sign);
        }
    }
}

void capacity_pending_adjust(struct sched *sched, int sign)
{
    if (sign > 0)
        adjust_waiting(sched, sign);
    adjust_strict(sched, sign);
    if (sign < 0) /* without what was subtracted before */
        adjust_waiting(sched, sign);
}

/* --- requests ---------------------------------------------------------------- */

/* Returns what is reserved for requests of APP in PART: without increases. */
static struct resource reserved_of(const struct sched *sched, const struct app_partition *part)
{
    struct resource sum = sched_load(sched, app_reserved(part));
    const struct sched_node *node;

    if (sched->growing_count > 0)
        TAILQ_FOREACH(node, &part->app->reservations, reserved.of_app)
            if (node->reserved.grows > 0 && node->label == part->label)
                sum = resource_subtract(sum, node->reserved.resource);
    return sum;
}

static struct resource unreserved_pending(const struct sched *sched, const struct sched_queue *queue,
                                          const struct user_partition *user)
{
    struct resource sum = resource_of(0, 0);
    const struct sched_app *app;

    if (calc_is_zero(&sched->calc, user_reserved(user)))
        return sched_load(sched, user_pending(user));
    for (app = capacity_app_first(queue); app; app = capacity_app_next(app)) {
        const struct app_partition *part = sched_app_partition_have(app, user->leaf->label);

        if (app->state == APP_ACTIVE && part && part->user == user)
            sum = resource_add(
                sum, calc_subtract_positive(sched_load(sched, app_pending(part)), reserved_of(sched, part)));
    }
    return sum;
}

/* Returns what USER may get in addition in the leaf whose limit of all users is LIMIT. */
static struct resource room_of(const struct sched *sched, const struct user_partition *user,
                               const struct resource *limit)
{
    return calc_subtract_positive(capacity_weighted_limit(sched, limit, user->user->weight),
                                  sched_load(sched, user_used(user)));
}

void capacity_pending_fill(const struct sched *sched, const struct queue_partition *leaf,
                           struct preempt_figures *ret)
{
    struct resource limit = capacity_user_limit(sched, leaf, true);
    struct leaf_user *user;

    RB_FOREACH(user, capacity_user_tree, &queue_data(leaf->queue)->users)
        for (const struct user_partition *part = user->parts; part; part = part->next) {
            struct resource room, wants, pending = sched_load(sched, user_pending(part));

            if (part->leaf != leaf || calc_is_zero(&sched->calc, user_pending(part)))
                continue;
            room = room_of(sched, part, &limit);
            ret->pending = resource_add(ret->pending, resource_min(room, pending));
            wants = unreserved_pending(sched, leaf->queue, part);
            ret->pending_unreserved = resource_add(ret->pending_unreserved, resource_min(room, wants));
        }
}

/* --- increases --------------------------------------------------------------- */

bool capacity_pending_has_increase(const struct sched *sched, const struct demand *demand)
{
    const struct sched_node *node = demand->container ? demand->container->node : NULL;
    const struct app_partition *part;
    struct resource limit, room;

    if (node == NULL || demand->app->state != APP_ACTIVE || !sched_node_is_offered(node) ||
        sched_app_avoids(demand->app, node) || node->label != demand->label)
        return false;
    part = sched_app_partition_have(demand->app, demand->label);
    if (part == NULL || part->user == NULL)
        return false;
    limit = capacity_user_limit(sched, part->leaf, true);
    limit = capacity_weighted_limit(sched, &limit, part->user->user->weight);
    /* Negative if the user has more than the limit of a type: then not even an increase by 0 of it fits. */
    room = resource_subtract(limit, sched_load(sched, user_used(part->user)));
    if (sched_node_is_reserved_for(node, demand->app, demand)) /* is used already */
        room = resource_add(room, node->reserved.resource);
    else if (node->reserved.app)
        return false;
    return calc_fits(&sched->calc, demand_size(demand), &room);
}
