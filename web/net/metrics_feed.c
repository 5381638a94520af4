/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_feed.c - updates the copy of the resource manager's metrics when /metrics is requested */
#include "web/net/metrics_feed.h"

#include <stdlib.h>

#include "common/base/mem.h"

struct metrics_feed {
    struct upstream *upstream;
    struct metrics_copy *copy;
    int64_t fresh_until_ms; /* monotonic */
};

struct asking {
    struct metrics_feed *feed;
    site_reply_fn *reply;
    void *context;
};

struct metrics_feed *metrics_feed_new(struct upstream *upstream, struct metrics_copy *copy)
{
    struct metrics_feed *feed = mem_new0(struct metrics_feed);

    feed->upstream = upstream;
    feed->copy = copy;
    return feed;
}

void metrics_feed_free(struct metrics_feed *feed)
{
    free(feed);
}

/* Several requests may be under way: each reply has all that has changed since the copy that it was for, and
 * absolute figures, so that their order does not matter. */
static void handle_reply(void *context, const Creel__Envelope *reply)
{
    struct asking *asking = context;
    struct metrics_feed *feed = asking->feed;

    feed->fresh_until_ms = loop_monotonic_ms() + METRICS_FRESH_MS;
    if (reply->body_case == CREEL__ENVELOPE__BODY_METRICS)
        metrics_copy_put(feed->copy, reply->metrics);
    asking->reply(asking->context, reply);
    free(asking);
}

void metrics_feed_ask(struct metrics_feed *feed, site_reply_fn *reply, void *reply_context)
{
    const Creel__Metrics *last = metrics_copy_last(feed->copy);
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetMetrics body = CREEL__GET_METRICS__INIT;
    struct asking *asking;

    if (loop_monotonic_ms() < feed->fresh_until_ms) {
        reply(reply_context, &query);
        return;
    }
    asking = mem_new0(struct asking);
    *asking = (struct asking){ feed, reply, reply_context };
    body.session = last != NULL ? last->session : 0;
    body.since = last != NULL ? last->version : 0;
    query.body_case = CREEL__ENVELOPE__BODY_GET_METRICS;
    query.get_metrics = &body;
    upstream_ask(feed->upstream, &query, handle_reply, asking);
}
