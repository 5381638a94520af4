/* SPDX-License-Identifier: Apache-2.0 */
/* making_room.c - containers that the scheduler preempts, by the queue that gets their room */
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/master/orders/making_room.h"

/* A queue for which containers are preempted. */
struct gainer {
    UT_hash_handle hh;
    char *queue;                        /* owned: its path */
    TAILQ_HEAD(, container) containers; /* not empty; in the order of their notices */
};

static struct gainer *gainer_of(struct master *m, const char *queue)
{
    struct gainer *gainer;

    HASH_FIND_STR(m->gainers, queue, gainer);
    if (gainer)
        return gainer;
    gainer = mem_new0(struct gainer);
    gainer->queue = mem_strdup(queue);
    TAILQ_INIT(&gainer->containers);
    HASH_ADD_KEYPTR(hh, m->gainers, gainer->queue, strlen(gainer->queue), gainer);
    return gainer;
}

void rm_room_expect(struct master *m, struct container *container)
{
    if (container->makes_room_for && text_equal(container->makes_room_for->queue, container->gainer))
        return;
    rm_room_forget(m, container);
    container->makes_room_for = gainer_of(m, container->gainer);
    TAILQ_INSERT_TAIL(&container->makes_room_for->containers, container, in_room);
}

void rm_room_forget(struct master *m, struct container *container)
{
    struct gainer *gainer = container->makes_room_for;

    if (gainer == NULL)
        return;
    container->makes_room_for = NULL;
    TAILQ_REMOVE(&gainer->containers, container, in_room);
    if (!TAILQ_EMPTY(&gainer->containers))
        return;
    HASH_DEL(m->gainers, gainer);
    free(gainer->queue);
    free(gainer);
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

void rm_room_of(const struct master *m, const struct app *app, struct room *ret)
{
    const struct container *container;
    struct gainer *gainer;

    *ret = (struct room){ .containers = 0 };
    HASH_FIND_STR(m->gainers, app->queue, gainer);
    if (gainer == NULL)
        return;
    TAILQ_FOREACH(container, &gainer->containers, in_room)
        if (container->app != app && container->stuck == NULL)
            count(m, container, ret);
}
