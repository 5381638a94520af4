/* SPDX-License-Identifier: Apache-2.0 */
/* completed.c - ended containers of applications that run, in the order in which they are forgotten */
#include "rm/master/orders/completed.h"

#include "common/base/job/exit_status.h"
#include "rm/master/orders/app_usage.h"

bool rm_container_is_unstarted(const struct container *container)
{
    return container->state == CONTAINER_COMPLETED && !container->is_am && !container->seen &&
           container->started_ms == 0 && container->exit_status == CONTAINER_EXIT_BY_AM;
}

void rm_container_end_sent(struct container *container, uint64_t response_id)
{
    container->end_sent = response_id;
    if (!rm_container_is_unstarted(container) || container->am_confirms)
        return;
    TAILQ_INSERT_TAIL(&container->attempt->unstarted, container, in_am_news);
    container->am_confirms = true;
}

void rm_completed_add(struct container *container)
{
    struct app *app = container->app;
    struct app_node *on_node;

    on_node = rm_app_node_get(app, container->node->id);
    if (!on_node->has_row) {
        on_node->has_row = container->keeps_row = true;
        return;
    }
    if (container->is_am || rm_container_is_unstarted(container))
        return;
    TAILQ_INSERT_TAIL(&app->completed, container, in_completed);
    app->completed_count++;
    container->may_be_forgotten = true;
}

void rm_completed_remove(struct container *container)
{
    if (!container->may_be_forgotten)
        return;
    TAILQ_REMOVE(&container->app->completed, container, in_completed);
    container->app->completed_count--;
    container->may_be_forgotten = false;
}
