/* SPDX-License-Identifier: Apache-2.0 */
/*
 * user_requests.h - handles requests of users, or of their AMs, that change something; users take turns
 *
 * A request is queued when it is received (request_queue.h), and handled in the same turn of the loop, unless
 * USER_REQUESTS_TURN_MS have passed: then the rest waits for the next turn. Between two turns the rows are
 * committed and what else has arrived is handled. So the requests of one user, however many arrive at once,
 * delay those of another user by one of them, and by the rest of a turn with its commit.
 *
 * Committing takes longer than handling: a change of 60 bytes may store a job of 600,000. So a turn also ends
 * when its requests have made USER_REQUESTS_TURN_WORK units of work (rm/master/state/turns.h): 128 rows, or
 * 512 KiB
 * of rows, whatever the speed of the host.
 *
 * A request counts for the user for whom it acts, since a proxy user sends those of all. The requests over
 * one connection that act for one user keep their order; those over several connections take turns, too. So
 * the changes of a client that was killed, which are worked off since they were received, and may be waited
 * for by a client that sends them again, do not delay its user's next command. A query that arrives while
 * requests of its user over its connection are queued is queued behind them, so that it sees what they
 * changed; its turn only passes it on to the queries (queries.h).
 *
 * Requests of AMs have a queue of their own, so that they do not wait for the submissions of their user. They
 * are queued from a long Allocate of the user on, until none is left (server.c): most are served at once.
 */
#ifndef CREEL_RM_USER_REQUESTS_H
#define CREEL_RM_USER_REQUESTS_H

#include "common/io/loop/loop.h"
#include "rm/net/parts/request_queue.h"

#define USER_REQUESTS_TURN_MS 10 /* no request is started later in a turn */
#define USER_REQUESTS_TURN_WORK 128u
#define USER_REQUESTS_OF_USER_MAX 12000
#define USER_REQUESTS_OF_USER_BYTES_MAX ((size_t)8 << 20)
#define USER_REQUESTS_BYTES_MAX ((size_t)128 << 20)

struct user_requests; /* opaque */

/* Callback that handles REQUEST. Returns its units of work. */
typedef uint64_t user_requests_fn(void *context, const struct queued_request *request);

/* POOL: name in the metrics; not copied. */
struct user_requests *user_requests_new(struct loop *loop, const char *pool, user_requests_fn *fn,
                                        void *context);
void user_requests_free(struct user_requests *requests); /* NULL is fine; queued ones are dropped */

/* Queues a request of PEER at ADDRESS, which counts for USER; errors as of request_queue_add. The callback is
 * called later. */
int user_requests_add(struct user_requests *requests, const char *user, const struct master_peer *peer,
                      const char *address, const Creel__Envelope *request, struct err *err);
/* Returns whether a request of USER over the connection of PEER is queued. */
bool user_requests_has(const struct user_requests *requests, const char *user,
                       const struct master_peer *peer);
size_t user_requests_count(const struct user_requests *requests); /* queued ones */
const struct request_queue *user_requests_queue(const struct user_requests *requests);

#endif
