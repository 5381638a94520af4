/* SPDX-License-Identifier: Apache-2.0 */
/* stopping.c - containers that their agents stop, and ended commands whose processes are being stopped */
#include "rm/master/orders/stopping.h"

#include "common/base/job/exit_status.h"
#include "rm/master/orders/preempt.h"
#include "rm/master/orders/resize.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/index.h"

static void record_command_end(struct master *m, struct container *container, int32_t exit_status)
{
    if (container->command_ended || exit_status == CONTAINER_EXIT_NONE)
        return;
    container->command_ended = true;
    container->command_status = exit_status;
    rm_preempt_recheck(m, container->node);
    rm_app_touch(m, container->app);
    rm_resize_cancel(m, container);
}

/* An agent may stop a container without an order, for example at a time limit. */
void rm_stopping_report(struct master *m, struct container *container, const Creel__ContainerStatus *status)
{
    bool stopping = status->state == CREEL__CONTAINER_STATE__CONTAINER_STOPPING;

    if (container->state == CONTAINER_COMPLETED)
        return;
    if (container->sched && (stopping || container->stuck != NULL))
        sched_container_stopping(m->sched, container->sched, container->stuck != NULL);
    if (!stopping || container->state == CONTAINER_ALLOCATED)
        return;
    if (container->stopping_ms == 0)
        container->stopping_ms = m->now_ms;
    record_command_end(m, container, status->exit_status);
}
