/* SPDX-License-Identifier: Apache-2.0 */
/* decisions.c - carries out what the scheduler decided */
#include "rm/master/machines/container.h"
#include "rm/master/orders/making_room.h"
#include "rm/master/orders/preempt.h"
#include "rm/master/orders/resize.h"
#include "rm/master/services/decisions.h"
#include "rm/master/state/events.h"
#include "rm/master/state/index.h"
#include "rm/master/state/measure.h"

static void preempt(struct master *m, const struct sched_decision *decision)
{
    struct container *container = sched_container_owner(decision->container);

    if (container == NULL)
        return;
    rm_measure_preempt(container, decision);
    rm_room_expect(m, container);
}

static void kill_preempted(struct master *m, const struct sched_decision *decision)
{
    struct container *container = sched_container_owner(decision->container);

    if (container)
        rm_container_stop(m, container, CONTAINER_EXIT_PREEMPTED, rm_preempt_usual_reason);
}

static void resize(struct master *m, const struct sched_decision *decision)
{
    struct container *container = sched_container_owner(decision->container);

    if (container) /* NULL: it has ended meanwhile */
        rm_resize_decided(m, container);
}

void rm_decisions_apply(struct master *m)
{
    while (m->decided < m->decisions.count) {
        struct sched_decision decision = m->decisions.items[m->decided++];

        switch (decision.kind) {
        case SCHED_ALLOCATED:
            m->counters.decided_allocations++;
            rm_container_allocated(m, &decision);
            rm_events_run(m);
            break;
        case SCHED_PREEMPT:
            preempt(m, &decision);
            rm_preempt_notice(m, &decision);
            break;
        case SCHED_KILL:
            preempt(m, &decision);
            kill_preempted(m, &decision);
            break;
        case SCHED_SPARE:
            rm_preempt_spare(m, &decision);
            break;
        case SCHED_RESIZED:
            resize(m, &decision);
            break;
        case SCHED_RESERVED:
        case SCHED_UNRESERVED: /* the reason for which the application waits has changed */
            if (decision.app)  /* the application may have been freed meanwhile */
                rm_app_touch(m, sched_app_owner(decision.app));
            break;
        }
    }
    m->decisions.count = m->decided = 0;
}
