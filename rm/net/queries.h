/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queries.h - queries are answered after everything else, a few in each turn of the loop
 *
 * Requests are of two classes. Heartbeats, allocate calls and requests that change something are handled when
 * they arrive. Queries wait here (query_queue.h). In each turn, when everything that arrived is handled,
 * queries are answered until QUERIES_TURN_MS have passed; the rest waits for the next turn. A query is at
 * most one page of a list, which ends after QUERIES_PAGE_MS (rm/master/query.c); the client asks for the next
 * page. So a heartbeat waits for a few milliseconds of queries, whatever is asked and by how many
 * clients; and queries go on while heartbeats keep coming.
 */
#ifndef CREEL_RM_QUERIES_H
#define CREEL_RM_QUERIES_H

#include <stdbool.h>

#include "common/io/loop.h"
#include "rm/net/query_queue.h"

#define QUERIES_TURN_MS 2               /* no query is begun later in a turn */
#define QUERIES_PAGE_MS 2
#define QUERIES_OF_USER_MAX 1000        /* that wait */
#define QUERIES_OF_USER_BYTES_MAX ((size_t)2 << 20)
#define QUERIES_BYTES_MAX ((size_t)64 << 20)

struct queries;                         /* opaque */

/* Answers QUERY, whose turn has come. */
typedef void queries_fn(void *context, const struct query *query);

struct queries *queries_new(struct loop *loop, queries_fn *fn, void *context);
void queries_free(struct queries *queries);     /* NULL is fine; queries that wait are dropped */

/* Has the query that is answered taken its time? False outside of FN. */
bool queries_time_is_up(const struct queries *queries);

/* As query_queue_add. FN is called in a later turn. */
int queries_add(struct queries *queries, const struct master_peer *peer, const Creel__Envelope *request,
                struct err *err);

#endif
