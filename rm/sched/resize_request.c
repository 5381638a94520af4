/* SPDX-License-Identifier: Apache-2.0 */
/* resize_request.c - requests of other sizes for containers: checks them, offers what they free or need */
#include <errno.h>

#include "rm/sched/policy.h"
#include "rm/sched/resize.h"

/* Checks ASKED for CONTAINER, and sets MORE and LESS to the differences after rounding; one of them is zero,
 * the other is not. */
static int judge(const struct sched *sched, const struct sched_container *container,
                 const struct resource *asked, struct resource *more, struct resource *less, struct err *err)
{
    const struct sched_node *node = container->node;
    struct resource size = container_resource(container), target;
    char text[RESOURCE_TYPES_TEXT_MAX], has[RESOURCE_TYPES_TEXT_MAX];
    int r;

    if ((r = sched_app_check_size(container->app, asked, err)) < 0 ||
        (r = sched_normalise_for(sched, container->app->queue, asked, &target, err)) < 0)
        return r;
    *more = resource_max(resource_subtract(target, size), calc_zero);
    *less = resource_max(resource_subtract(size, target), calc_zero);
    if (!resource_is_zero(more) && !resource_is_zero(less))
        return err_set(err, EINVAL,
                       "cannot grow from %s to %s, with less of another resource: two steps are "
                       "needed",
                       resource_types_format(&sched->names, &size, has),
                       resource_types_format(&sched->names, &target, text));
    if (!resource_is_zero(more) && !calc_fits(&sched->calc, &target, &node->total))
        return err_set(err, ERANGE, "asks for %s, more than its node %s has: %s",
                       resource_types_format(&sched->names, &target, text), node->id,
                       resource_types_format(&sched->names, &node->total, has));
    if (resource_is_zero(more) && resource_is_zero(less))
        return err_set(err, EALREADY, "already has the size to which the request is rounded: %s",
                       resource_types_format(&sched->names, &size, has));
    return 0;
}

int sched_container_resize(struct sched *sched, struct sched_container *container,
                           const struct resource *asked, struct sched_decisions *decisions, struct err *err)
{
    struct resource more, less;
    int r = judge(sched, container, asked, &more, &less, err);

    if (r < 0)
        return r;
    sched_container_cancel_resize(sched, container, decisions);
    if (resource_is_zero(&more)) {
        sched_container_shrink(sched, container, &less, decisions);
        sched->stale = sched->stale || container->master; /* the limit of AMs may have room for others */
        sched_offer_node(sched, container->node, decisions);
        if (container->manager)
            sched_offer_released(sched, decisions);
        return 0;
    }
    sched_demand_new_growth(container, &more);
    sched_app_changed(container->app, SCHED_APP_REQUESTS | SCHED_APP_NAMES);
    if (sched->assign_on_demand)
        sched_offer_growth(sched, container, decisions);
    return 0;
}
