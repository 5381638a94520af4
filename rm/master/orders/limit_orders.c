/* SPDX-License-Identifier: Apache-2.0 */
/* limit_orders.c - orders that send agents the time limit of their containers */
#include "rm/master/orders/limit_orders.h"

#include "rm/master/nodes/node_orders.h"
#include "rm/master/state/index.h"
#include "rm/master/state/time_limit.h"

static void compare(struct master *m, struct container *container)
{
    bool is_live =
        container->seen && container->state != CONTAINER_STOPPING && container->state != CONTAINER_COMPLETED;
    bool pending = is_live && container->reported_limit_ms != rm_time_limit_known_ms(container->app);

    if (pending || container->limit_pending)
        rm_node_limit(m, container, pending);
}

void rm_limit_reported(struct master *m, struct container *container, int64_t limit_ms)
{
    bool is_known = limit_ms == rm_time_limit_known_ms(container->app);

    container->reported_limit_ms = limit_ms;
    if (is_known == container->limit_pending) /* otherwise the order is pending already, or none is needed */
        compare(m, container);
}

void rm_limit_changed(struct master *m, struct app *app)
{
    struct container first = { .id = { .attempt = { .app = app->id } } };
    struct container *container = RB_NFIND(rm_container_tree, &m->containers, &first);

    for (; container && container->app == app;
         container = RB_NEXT(rm_container_tree, &m->containers, container))
        compare(m, container);
}
