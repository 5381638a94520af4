/* SPDX-License-Identifier: Apache-2.0 */
/* forget_completed.c - forgets ended containers of applications that run */
#include "common/base/job/exit_status.h"
#include "rm/master/machines/container.h"
#include "rm/master/machines/forget_completed.h"
#include "rm/master/orders/completed.h"
#include "rm/master/state/am_state.h"
#include "rm/master/state/rows.h"

#define FORGOTTEN_MAX 1000 /* in one step */

static void forget(struct master *m, struct container *container)
{
    if (!container->keeps_row)
        rm_store_forget_container(m, container);
    rm_container_free(m, container);
}

static bool is_confirmed(const struct container *container, const struct attempt *attempt)
{
    if (container->attempt != attempt || container->step != attempt->step)
        return true; /* no AM waits for it (but see rm_am_state_is_missed) */
    return container->end_sent != 0 && container->end_sent <= attempt->confirmed_id;
}

/* Returns true if the node of CONTAINER may still get a late request to start it. After a restart the row
 * would be needed to refuse that (recover.c). */
static bool may_start_late(const struct master *m, const struct container *container)
{
    return container->started_ms == 0 && container->exit_status == CONTAINER_EXIT_ABORTED &&
           container->expires_ms + m->config.heartbeat_interval_ms >= m->now_ms;
}

static void forget_oldest(struct master *m, struct attempt *attempt)
{
    struct app *app = attempt->app;
    struct container *container;

    for (unsigned i = 0; i < FORGOTTEN_MAX && app->completed_count > m->config.max_completed_containers;
         i++) {
        container = TAILQ_FIRST(&app->completed);
        if (!is_confirmed(container, attempt) || may_start_late(m, container))
            return;
        if (rm_am_state_is_missed(attempt, container))
            rm_completed_remove(container); /* each registration lists it */
        else
            forget(m, container);
    }
}

void rm_completed_forget(struct master *m, struct attempt *attempt)
{
    struct container *container;

    while ((container = TAILQ_FIRST(&attempt->unstarted)) != NULL &&
           container->end_sent <= attempt->confirmed_id)
        forget(m, container);
    forget_oldest(m, attempt);
}
