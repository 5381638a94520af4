/* SPDX-License-Identifier: Apache-2.0 */
/* making_room.c - containers that the scheduler preempts, by the queue that gets their room */
#include "common/base/text.h"
#include "rm/master/orders/making_room.h"

void rm_room_expect(struct master *m, struct container *container)
{
    if (container->makes_room)
        return;
    container->makes_room = true;
    TAILQ_INSERT_TAIL(&m->making_room, container, in_room);
}

void rm_room_forget(struct master *m, struct container *container)
{
    if (!container->makes_room)
        return;
    container->makes_room = false;
    TAILQ_REMOVE(&m->making_room, container, in_room);
}

/* --- figures --------------------------------------------------------------- */

/* Returns the time at which CONTAINER has ended, by the grace of its node; 0: not known. */
static int64_t end_of(const struct master *m, const struct container *container)
{
    int64_t stop_ms = container->preempt_ms != 0 ? container->preempt_ms : container->sched_preempt_ms;
    int64_t grace_ms = container->node->kill_delay_ms;

    if (container->state == CONTAINER_STOPPING)
        stop_ms = container->stopping_ms != 0 ? container->stopping_ms : m->now_ms;
    else if (stop_ms <= m->now_ms)
        return 0;
    return stop_ms > INT64_MAX - grace_ms ? INT64_MAX : stop_ms + grace_ms;
}

static void count_queue(struct room *room, const char *queue)
{
    size_t i = 0;

    while (i < room->of_count && !text_equal(room->of[i].queue, queue))
        i++;
    if (i == ROOM_QUEUES_MAX)
        return;
    room->of[i].queue = queue;
    room->of[i].containers++;
    room->of_count = i == room->of_count ? i + 1 : room->of_count;
}

static void count(const struct master *m, const struct container *container, struct room *room)
{
    int64_t end_ms = end_of(m, container);

    room->containers++;
    room->overdue += end_ms == 0;
    if (end_ms != 0 && (room->first_end_ms == 0 || end_ms < room->first_end_ms))
        room->first_end_ms = end_ms;
    count_queue(room, container->app->queue);
}

/* Returns true if CONTAINER is preempted for QUEUE: by the last round of the scheduler, or by its last
 * decision if that is all that is known. */
static bool is_for(const struct master *m, const struct container *container, const char *queue)
{
    const char *gainer = container->sched ? sched_container_gainer(m->sched, container->sched) : NULL;

    return text_equal(gainer ? gainer : container->gainer, queue);
}

void rm_room_of(const struct master *m, const struct app *app, struct room *ret)
{
    const struct container *container;

    *ret = (struct room){ .containers = 0 };
    TAILQ_FOREACH(container, &m->making_room, in_room)
        if (container->app != app && container->stuck == NULL && is_for(m, container, app->queue))
            count(m, container, ret);
}
