/* SPDX-License-Identifier: Apache-2.0 */
/* fair_preempt_audit.c - checks that the fair scheduler preempts a container only for a request */
#include "tests/unit/fair/fair_preempt_audit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rm/sched/fair/internal.h"

static bool is_going(const struct sched_container *container)
{
    return container->killed && !container->stuck;
}

/* Returns the room of NODE when the containers that are going have gone. */
static struct resource room_on(const struct sched_node *node)
{
    struct resource room = sched_node_free(node);
    const struct sched_container *container;

    TAILQ_FOREACH(container, &node->containers, of_node)
        if (is_going(container))
            room = resource_add(room, container_resource(container));
    return room;
}

/* Returns true if the locality of DEMAND allows NODE. */
static bool allows(const struct demand *demand, const struct sched_node *node)
{
    const struct row *rack = sched_demand_find_rack(demand, node);
    bool local = sched_row_has_pending(sched_demand_find_id(demand, node)) ||
                 sched_row_has_pending(sched_demand_find_host(demand, node));

    if (demand->strict && !sched_row_has_pending(rack))
        return false;
    return local || !(sched_row_has_pending(rack) && rack->strict);
}

/* Returns what containers below QUEUE use that are not going. */
static struct resource kept_below(const struct sched *sched, const struct fair_queue *queue)
{
    struct resource used = fair_used(queue);
    struct sched_app *app, *next;

    HASH_ITER(hh, sched->apps, app, next) {
        const struct sched_container *container;
        const struct fair_queue *at = fair_app_data(app)->leaf;

        while (at && at != queue)
            at = at->parent;
        if (at == NULL)
            continue;
        TAILQ_FOREACH(container, &app->containers, of_app)
            if (is_going(container))
                used = resource_subtract(used, container_resource(container));
    }
    return used;
}

static bool queues_allow(const struct sched *sched, const struct fair_queue *leaf,
                         const struct resource *size)
{
    const struct fair_queue *queue;

    for (queue = leaf; queue; queue = queue->parent) {
        struct resource used = resource_add(kept_below(sched, queue), *size);

        if (!resource_fits(&used, &queue->maximum))
            return false;
    }
    return true;
}

static bool could_be_placed(const struct sched_container *gone, struct demand *demand)
{
    const struct sched_app *app = demand->app;
    const struct sched_node *node = gone->node;
    struct resource size = demand_capability(demand), room = room_on(node);
    bool lightly;

    return demand->count > 0 &&
           !(demand->master && fair_over_am_limit(app->sched, fair_app_data(app), &lightly) && !lightly) &&
           demand->container != gone && sched_node_is_offered(node) && !sched_app_avoids(app, node) &&
           allows(demand, node) && resource_fits(&size, &room) && resource_fits(&size, &node->total) &&
           queues_allow(app->sched, fair_app_data(app)->leaf, &size);
}

static bool asks(struct sched_app *app, const struct sched_container *gone)
{
    struct demand *demand;

    if (app->state != APP_ACTIVE)
        return false;
    RB_FOREACH(demand, sched_demand_tree, &app->demands)
        if (could_be_placed(gone, demand))
            return true;
    return false;
}

void fair_preempt_audit(const struct sched_decision *decision)
{
    const struct sched *sched = decision->app->sched;
    struct sched_app *app, *next;

    HASH_ITER(hh, sched->apps, app, next)
        if ((decision->gainer == NULL || strcmp(app->queue->path, decision->gainer) == 0) &&
            asks(app, decision->container))
            return;
    fail_msg("a container of %s on %s is preempted for %s, and no request could be placed there",
             decision->app->queue->path, decision->node->id,
             decision->gainer ? decision->gainer : "any queue");
}
