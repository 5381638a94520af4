/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_deadlock.c - ends the deadlock of a cluster filled with AMs alone
 *
 * The limit on the AMs of a leaf is a part of its fair share. Under the policy fair the leaf has no share of
 * vcores; the limit then depends on the free vcores of the cluster, and the AMs of several leaves together
 * may fill a small cluster. Only AMs run then, and none of them ever gets room for its other containers.
 *
 * Differs: YARN stays in this deadlock. In creel, when only AMs have run and none was started or ended for
 * AM_DEADLOCK_MS, the AM of the newest of these applications is preempted, even if preemption is off, and no
 * AM of this application is placed for HOLD_MS. The containers of the other applications get the room. An AM
 * that the configuration protects from preemption (am.preemption, allowPreemptionFrom) is not preempted.
 */
#include "rm/sched/fair/internal.h"

#define AM_DEADLOCK_MS 30000
#define HOLD_MS \
    300000 /* long enough that AMs of several applications can be held back at the
              same time */

/* --- AMs that are not placed for a while --------------------------------------- */

/* Allows held AMs to be placed again when their time is over, or when no AM runs any more, since no
 * application needs the room then. */
static void release_held(struct sched *sched)
{
    struct fair *fair = fair_of(sched);
    struct sched_app *app, *next;

    if (fair->next_release_ms == INT64_MAX || (sched->now_ms < fair->next_release_ms && fair->am_count > 0))
        return;
    fair->next_release_ms = INT64_MAX;
    HASH_ITER(hh, sched->apps, app, next) {
        struct fair_app *mine = fair_app_data(app);

        if (mine->am_held_until_ms == 0)
            continue;
        if (fair->am_count > 0 && fair_am_is_held(sched, mine)) {
            if (mine->am_held_until_ms < fair->next_release_ms)
                fair->next_release_ms = mine->am_held_until_ms;
            continue;
        }
        mine->am_held_until_ms = 0;
        fair_app_touch(mine);
    }
}

static void hold(struct sched *sched, struct fair_app *app)
{
    struct fair *fair = fair_of(sched);

    app->am_held_until_ms = sched->now_ms + fair->config->wait_before_kill_ms + HOLD_MS;
    if (app->am_held_until_ms < fair->next_release_ms)
        fair->next_release_ms = app->am_held_until_ms;
}

/* --- AMs that wait for room ------------------------------------------------------ */

/* Over open nodes, for each type: the largest free room of one node, and the largest total. */
struct largest {
    struct resource free, total;
};

static struct largest find_largest(const struct sched *sched)
{
    struct largest largest = { .free = resource_of(0, 0) };
    struct sched_node *node, *next;

    HASH_ITER(hh, sched->nodes, node, next)
        if (sched_node_is_offered(node)) {
            largest.free = resource_max(largest.free, sched_node_free(node));
            largest.total = resource_max(largest.total, node->total);
        }
    return largest;
}

static bool some_node_has_room(const struct sched *sched, const struct resource *size)
{
    struct sched_node *node, *next;

    HASH_ITER(hh, sched->nodes, node, next) {
        struct resource left = sched_node_free(node);

        if (sched_node_is_offered(node) && resource_fits(size, &left))
            return true;
    }
    return false;
}

static bool lacks_room(const struct sched *sched, const struct largest *largest, const struct resource *size)
{
    return resource_fits(size, &largest->total) &&
           (!resource_fits(size, &largest->free) || !some_node_has_room(sched, size));
}

/* Returns true if any node may serve DEMAND if it has room. The end of an AM may give no room to an increase,
 * which only the node of its container can serve, and gives none to a request whose nodes are all closed. */
static bool may_be_served(const struct demand *demand)
{
    return demand->count > 0 && !demand->master && demand->container == NULL &&
           sched_demand_count_open(demand) > 0;
}

/* Returns true if APP's AM runs, and only the lack of room blocks one of APP's requests. */
static bool waits_for_room(const struct sched *sched, const struct largest *largest, struct sched_app *app)
{
    const struct fair_app *mine = fair_app_data(app);
    struct demand *demand;

    if (app->state != APP_ACTIVE || resource_is_zero(&mine->am_used))
        return false;
    RB_FOREACH(demand, sched_demand_tree, &app->demands) {
        struct resource size = demand_capability(demand);

        if (may_be_served(demand) && lacks_room(sched, largest, &size) &&
            fair_full_queue(mine->leaf, size.value) == NULL)
            return true;
    }
    return false;
}

static bool may_give_way(const struct sched *sched, const struct fair_app *app)
{
    return app->leaf->preemptable &&
           fair_config_may_preempt_am(fair_of(sched)->config, app->leaf->queue->path);
}

/* Returns the newest of the applications that wait for room and whose AM may be preempted. NULL: there is
 * none, or only one application waits. */
static struct sched_app *find_newest(const struct sched *sched)
{
    const struct largest largest = find_largest(sched);
    struct sched_app *app, *next, *newest = NULL;
    unsigned count = 0;

    HASH_ITER(hh, sched->apps, app, next) {
        if (!waits_for_room(sched, &largest, app))
            continue;
        count++;
        if (may_give_way(sched, fair_app_data(app)) && (newest == NULL || fair_order_apps(newest, app) < 0))
            newest = app;
    }
    return count > 1 ? newest : NULL;
}

/* --- preempting an AM ------------------------------------------------------------ */

void fair_end_am_deadlock(struct sched *sched, struct sched_decisions *decisions)
{
    struct fair *fair = fair_of(sched);
    struct sched_container *container;
    struct sched_app *app;

    release_held(sched);
    if (fair->am_count < 2 || sched->container_count > fair->am_count || fair->expected_count > 0 ||
        sched->now_ms - fair->changed_ms < AM_DEADLOCK_MS)
        return;
    fair->changed_ms = sched->now_ms; /* do not check again at once, whatever the result */
    app = find_newest(sched);
    if (app == NULL)
        return;
    TAILQ_FOREACH(container, &app->containers, of_app)
        fair_preempt(sched, container, NULL, decisions);
    hold(sched, fair_app_data(app));
}
