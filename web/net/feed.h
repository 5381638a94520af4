/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - updates the model on demand, when HTTP requests arrive
 *
 * A request waits until the model is fresh (feed_prepare). If it is not, a round of requests brings it up to
 * date: the changes since the last round, all queues if their common number is new (Changes.queues_version),
 * the cluster, and the next pages of the applications, nodes and queues. These pages update fields that
 * change without a change record (reasons, heartbeats, limits that depend on other queues). All pages of a
 * round are brief, so that the resource manager spends some microseconds at a time. A round loads everything
 * if it is the first, or if the resource manager no longer has the changes since the last round. After a
 * change of a user, the next round takes place at once and only asks for changes and the cluster, which has
 * the labels: users find what they changed. A round ends with the changes that existed when it began.
 *
 * A second request within follow_ms keeps the model fresh for follow_ms: each round begins lead_ms before the
 * model stops being fresh, so that the next requests need not wait for it. Without HTTP requests, feed sends
 * no requests.
 *
 * A resource manager that is busy with many or large changes answers each request of a round, but the round
 * takes long: a request that has waited for busy_ms reads the model as it is, as soon as there is an answer.
 * This does not apply to the first load, and to the round after a change of a user.
 *
 * If the resource manager does not answer, the model stays as it is, and feed_trouble has the reason. It is
 * noticed after UPSTREAM_SILENCE_MS that a resource manager is stopped: wait_ms should be longer, so that a
 * request that has waited finds the reason.
 */
#ifndef CREEL_WEB_NET_FEED_H
#define CREEL_WEB_NET_FEED_H

#include "web/model/feed.h"
#include "common/upstream/upstream.h"
#include "web/http/site.h"

struct feed_times {
    int64_t fresh_ms;           /* time for which the model is fresh after a round */
    int64_t wait_ms;            /* maximum wait of a request, which then reads the old model */
    int64_t busy_ms;            /* the same, if the resource manager answers */
    int64_t follow_ms, lead_ms; /* 0: each round waits for a request */
};

#define FEED_TIMES_DEFAULT ((struct feed_times){ 1000, 2500, 250, 10000, 300 })

struct feed;

struct feed *feed_new(struct loop *loop, struct upstream *upstream, struct web_model *model,
                      const struct feed_times *times);
void feed_free(struct feed *feed); /* NULL is fine; DONE of feed_prepare is called */

/* Calls DONE, at once or later, when the model is fresh or the request has waited long enough. */
void feed_prepare(struct feed *feed, site_prepared_fn *done, void *context);
/* Announces that a change is being sent to the resource manager: later requests wait for a round that begins
 * after it. */
void feed_outdate(struct feed *feed);
/* Returns why the last round failed; NULL: the round succeeded. The memory is valid as long as FEED. */
const char *feed_trouble(const struct feed *feed);
/* Returns the age of the model: the time since the begin of the last round that succeeded; without one, since
 * feed_new. */
int64_t feed_age_ms(const struct feed *feed);

#endif
