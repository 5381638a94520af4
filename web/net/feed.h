/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - keeps the model up to date while somebody looks at it
 *
 * A request waits until the model is fresh (feed_prepare). If it is not, a round of
 * requests brings it up to date: what has changed, the queues, the cluster, and one page each of applications
 * and nodes, in turn, for what changes with time alone (reasons, heartbeats). The first round, and one after
 * which changes are not known any more, loads everything. Without requests nothing is asked.
 *
 * If the resource manager does not answer, the model stays as it is, and feed_trouble has the reason.
 */
#ifndef CREEL_WEB_NET_FEED_H
#define CREEL_WEB_NET_FEED_H

#include "web/model/feed.h"
#include "web/net/upstream.h"

struct feed_times {
    int64_t fresh_ms;                   /* after a round the model is fresh for so long */
    int64_t wait_ms;                    /* a request does not wait longer: it sees the model as it is */
};

#define FEED_TIMES_DEFAULT ((struct feed_times){ 1000, 2000 })

struct feed;

struct feed *feed_new(struct loop *loop, struct upstream *upstream, struct web_model *model,
                      const struct feed_times *times);
void feed_free(struct feed *feed);      /* NULL is fine; DONE of feed_prepare is called */

/* Calls DONE once the model is fresh, or has to do as it is. At once or later. */
void feed_prepare(struct feed *feed, site_prepared_fn *done, void *context);
/* Why the last round failed; NULL: it did not. */
const char *feed_trouble(const struct feed *feed);

#endif
