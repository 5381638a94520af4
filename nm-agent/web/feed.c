/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c - keeps a copy of the agent's state for requests */
#include "nm-agent/web/feed.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "common/base/mem.h"

struct waiter {
    STAILQ_ENTRY(waiter) next;
    site_prepared_fn *done;
    void *context;
};

STAILQ_HEAD(waiters, waiter);

struct feed {
    struct loop *loop;
    feed_ask_fn *ask;
    void *context;
    struct node_view view;
    Creel__AgentSnapshot *snapshot; /* owned; the last one, which may be too old for the view */
    int64_t taken_ms;               /* steady clock */
    uint64_t number;                /* of the newest query */
    int timer;                      /* of the newest query, while it is not answered; 0: it is answered */
    struct waiters waiters;
};

struct feed *feed_new(struct loop *loop, feed_ask_fn *ask, void *context)
{
    struct feed *feed = mem_new0(struct feed);

    *feed = (struct feed){ .loop = loop, .ask = ask, .context = context };
    STAILQ_INIT(&feed->waiters);
    return feed;
}

void feed_free(struct feed *feed)
{
    struct waiter *waiter;

    if (feed == NULL)
        return;
    while ((waiter = STAILQ_FIRST(&feed->waiters)) != NULL) {
        STAILQ_REMOVE_HEAD(&feed->waiters, next);
        free(waiter);
    }
    loop_cancel_timer(feed->loop, feed->timer);
    if (feed->snapshot != NULL)
        creel__agent_snapshot__free_unpacked(feed->snapshot, NULL);
    free(feed);
}

static void call_waiters(struct feed *feed)
{
    struct waiters waiters = STAILQ_HEAD_INITIALIZER(waiters);
    struct waiter *waiter;

    STAILQ_CONCAT(&waiters, &feed->waiters); /* a call may add new ones */
    while ((waiter = STAILQ_FIRST(&waiters)) != NULL) {
        STAILQ_REMOVE_HEAD(&waiters, next);
        waiter->done(waiter->context);
        free(waiter);
    }
}

static void give_up(void *context)
{
    struct feed *feed = context;

    feed->timer = 0;
    feed->view.snapshot = NULL;
    call_waiters(feed);
}

static bool is_fresh(const struct feed *feed)
{
    return feed->view.snapshot != NULL && loop_monotonic_ms() - feed->taken_ms < FEED_AGE_MS;
}

void feed_prepare(void *context, site_prepared_fn *done, void *done_context)
{
    struct feed *feed = context;
    struct waiter *waiter;

    if (is_fresh(feed)) {
        done(done_context);
        return;
    }
    waiter = mem_new0(struct waiter);
    waiter->done = done;
    waiter->context = done_context;
    STAILQ_INSERT_TAIL(&feed->waiters, waiter, next);
    if (feed->timer != 0)
        return;
    feed->timer = loop_add_timer(feed->loop, FEED_WAIT_MS, give_up, feed);
    feed->ask(feed->context, ++feed->number);
}

bool feed_handle_snapshot(struct feed *feed, uint64_t number, const void *bytes, size_t size)
{
    Creel__AgentSnapshot *snapshot = creel__agent_snapshot__unpack(NULL, size, bytes);

    if (snapshot == NULL)
        return false;
    if (number != feed->number || feed->timer == 0) { /* (came after the timeout) */
        creel__agent_snapshot__free_unpacked(snapshot, NULL);
        return true;
    }
    loop_cancel_timer(feed->loop, feed->timer);
    feed->timer = 0;
    if (feed->snapshot != NULL)
        creel__agent_snapshot__free_unpacked(feed->snapshot, NULL);
    feed->view.snapshot = feed->snapshot = snapshot;
    feed->taken_ms = loop_monotonic_ms();
    call_waiters(feed);
    return true;
}

struct node_view *feed_view(struct feed *feed)
{
    return &feed->view;
}
