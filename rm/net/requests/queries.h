/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queries.h - answers queries after all other requests, a few in each turn of the loop
 *
 * Heartbeats and Allocate calls are handled on arrival, requests of users that change something in the same
 * turn of the loop, as far as its time allows (user_requests.h). Queries, which only read (master_is_query),
 * are queued (request_queue.h). In each turn, when all received messages are handled, queries are answered
 * until QUERIES_TURN_MS have passed; the others wait for the next turn. A query is at most one page of a
 * list, which ends after QUERIES_PAGE_MS (rm/master/queries/query.c); the client requests the next page. So a
 * heartbeat waits at most a few milliseconds for queries, however many clients send them; and queries are
 * still answered while heartbeats keep arriving. The user for whom a query counts is the name in the
 * certificate: if a proxy user acts for another user, the query counts for the proxy user. A brief page, for
 * a program that keeps a copy of the lists, ends after QUERIES_BRIEF_US.
 */
#ifndef CREEL_RM_QUERIES_H
#define CREEL_RM_QUERIES_H

#include <stdbool.h>

#include "common/io/loop/loop.h"
#include "rm/net/parts/request_queue.h"

#define QUERIES_TURN_MS 2 /* no query is started later in a turn */
#define QUERIES_PAGE_MS 2
#define QUERIES_BRIEF_US 25
#define QUERIES_OF_USER_MAX 1000 /* maximum of queued queries of one user */
#define QUERIES_OF_USER_BYTES_MAX ((size_t)2 << 20)
#define QUERIES_BYTES_MAX ((size_t)64 << 20)

struct queries; /* opaque */

/* Callback that answers QUERY. */
typedef void queries_fn(void *context, const struct queued_request *query);

struct queries *queries_new(struct loop *loop, queries_fn *fn, void *context);
void queries_free(struct queries *queries); /* NULL is fine; queued queries are dropped */

/* Returns true if the query that the callback answers has used up its time. False outside of the callback. */
bool queries_time_is_up(const struct queries *queries);
/* The same for a brief page. */
bool queries_brief_time_is_up(const struct queries *queries);

size_t queries_count(const struct queries *queries); /* queued ones */
const struct request_queue *queries_queue(const struct queries *queries);

/* Queues a query; errors as of request_queue_add. The callback is called in a later turn. */
int queries_add(struct queries *queries, const struct master_peer *peer, const Creel__Envelope *request,
                struct err *err);

#endif
