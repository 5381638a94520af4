/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics_feed.h - updates the copy of the resource manager's metrics when /metrics is requested
 *
 * After a reply the resource manager is not asked again for METRICS_FRESH_MS, and then only for series that
 * have changed. If it does not answer, or is of an earlier version, the copy stays as it is.
 */
#ifndef CREEL_WEB_NET_METRICS_FEED_H
#define CREEL_WEB_NET_METRICS_FEED_H

#include "web/model/metrics_copy.h"
#include "common/upstream/upstream.h"
#include "web/http/site.h"

#define METRICS_FRESH_MS 1000

struct metrics_feed;

/* COPY and UPSTREAM must exist until all requests are answered, but may be freed before the feed. */
struct metrics_feed *metrics_feed_new(struct upstream *upstream, struct metrics_copy *copy);
void metrics_feed_free(struct metrics_feed *feed); /* NULL is allowed; no request may be unanswered */

/* Calls REPLY, at once or later, when the copy is fresh or cannot be updated. */
void metrics_feed_ask(struct metrics_feed *feed, site_reply_fn *reply, void *reply_context);

#endif
