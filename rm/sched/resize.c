/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resize.c - increases and decreases of running containers (yarn-behaviour 4.4; YARN: ContainerUpdateContext)
 *
 * An increase is a request of the container's application for the difference, which only the container's
 * node can serve. It is offered, limited and reserved like every request; when it is placed, the container
 * gets the sum. A decrease counts at once. A container has at most one pending increase; it ends with the
 * container, with the requests of its attempt, or when another size is requested.
 *
 * Differs: YARN places a temporary container of the difference, which becomes part of the container when its
 * AM calls next. In creel the container has the new size at once.
 */
#include "rm/sched/resize.h"

#include "rm/sched/policy.h"

/* Changes the size of CONTAINER by AMOUNT: more (SIGN 1) or less (-1). */
static void change_size(struct sched *sched, struct sched_container *container, const struct resource *amount,
                        int sign)
{
    struct resource delta = { .value = { 0 } };

    calc_change(&sched->calc, &delta, amount, sign);
    sched_node_charge(sched, container->node, amount, sign);
    calc_change(&sched->calc, container_size(container), amount, sign);
    sched_count_begin(sched, container->part);
    if (sched->policy->accounting.container_resized)
        sched->policy->accounting.container_resized(sched, container, &delta);
    sched_count_resized(sched, container->part, amount, sign);
    sched_count_end(sched, container->part);
}

/* Counts the new size of CONTAINER, which was WAS, for the limits on AMs if it is the AM.
 * Differs: YARN's limits on AMs count the size with which the AM was started. */
static void count_master(struct sched *sched, const struct sched_container *container,
                         const struct resource *was)
{
    struct resource size = container_resource(container),
                    master = sched_load(sched, app_master(container->app));

    if (container->master && resource_equal(&master, was))
        sched_app_set_master(sched, container->app, &size);
}

void sched_grow(struct sched *sched, struct demand *demand, struct sched_decisions *decisions)
{
    struct sched_container *container = demand->container;
    struct resource was = container_resource(container), more = sched_load(sched, demand_size(demand));
    bool same = demand->label == container->part->label;

    if (sched_node_is_reserved_for(container->node, container->app, demand)) /* not served as a reservation */
        sched_unreserve(sched, container->node, false, decisions);
    if (same)
        sched_count_begin(sched, container->part); /* container and request are one change */
    change_size(sched, container, &more, 1);
    sched_demand_end_growth(container);
    if (same)
        sched_count_end(sched, container->part);
    count_master(sched, container, &was);
    sched_decide(decisions, SCHED_RESIZED, container->node, container->app)->container = container;
}

void sched_container_shrink(struct sched *sched, struct sched_container *container,
                            const struct resource *less, struct sched_decisions *decisions)
{
    struct resource was = container_resource(container);

    change_size(sched, container, less, -1);
    container->node->may_exceed = container->node->may_exceed && sched_node_exceeds(sched, container->node);
    count_master(sched, container, &was);
    sched_decide(decisions, SCHED_RESIZED, container->node, container->app)->container = container;
}

void sched_container_cancel_resize(struct sched *sched, struct sched_container *container,
                                   struct sched_decisions *decisions)
{
    struct sched_app *app = container->app;
    struct sched_node *node = container->node;

    if (container->growth == NULL)
        return;
    if (sched_node_is_reserved_for(node, app, container->growth))
        sched_unreserve(sched, node, true, decisions);
    sched_demand_end_growth(container);
    sched_app_changed(app, SCHED_APP_NAMES);
}

bool sched_container_grows(const struct sched_container *container, struct resource *target)
{
    if (container->growth == NULL)
        return false;
    *target = resource_add(container_resource(container), demand_capability(container->growth));
    return true;
}
