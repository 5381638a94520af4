/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_queue.h - queue of requests, served round-robin by user, and by connection of a user
 *
 * Each connection of a user has a FIFO queue. The users are served round-robin, so that many requests of one
 * user delay only that user's requests; and so are the connections of a user, so that thousands of requests
 * over one of them, also over one whose client was killed, delay a request over another by one of them. The
 * owner of the queue decides for whom a request counts. If requests take very different times, the owner
 * charges a user for the time of each: then users take turns by time, and not by the number of requests. No
 * I/O but the log, no clock.
 *
 * A request is stored packed. The number and size of the queued requests of one user are limited, and so is
 * the size of all; further requests are refused. One connection has nine tenths of what its user may have,
 * so that there is room for the others. The first request of a user is always accepted, up to the limit of
 * all users. What is refused is counted for the metrics, and logged at a bounded rate.
 */
#ifndef CREEL_RM_REQUEST_QUEUE_H
#define CREEL_RM_REQUEST_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/base/err.h"
#include "rm/master/master.h"

#define REQUEST_COST 256u       /* size in bytes that is charged for a request */
#define REQUEST_OTHERS_SHARE 10 /* a tenth of what a user may have is for further connections */
#define REQUEST_TURN_MS 10      /* time of one turn, if users are charged for time */

struct request_limits {
    const char *pool;                 /* "queries-kib": name in the metrics; not copied */
    const char *noun;                 /* "queries": for texts; not copied */
    size_t user_requests, user_bytes; /* of one user */
    size_t bytes;                     /* of all users */
};

struct queued_request {
    STAILQ_ENTRY(queued_request) link;
    enum master_channel channel;
    uint64_t connection, request_id;
    Creel__Envelope__BodyCase kind; /* of the request */
    char *user;                     /* owned; for whom it counts */
    char *principal;                /* owned; of the peer */
    char *job;                      /* owned; of the peer; NULL: none */
    char *address;                  /* owned; of the peer; NULL: not given */
    size_t size;
    uint8_t request[]; /* a packed Envelope of SIZE bytes */
};

struct request_queue; /* opaque */

struct request_queue *request_queue_new(const struct request_limits *limits);
void request_queue_free(struct request_queue *queue); /* NULL is fine */

/* Queues a copy of REQUEST of PEER at ADDRESS (may be NULL), which counts for USER. -EAGAIN: too many are
 * queued, and ERR has a text for the user. */
int request_queue_add(struct request_queue *queue, const char *user, const struct master_peer *peer,
                      const char *address, const Creel__Envelope *request, struct err *err);
/* Returns the next request, which the caller frees with queued_request_free; NULL: the queue is empty. */
struct queued_request *request_queue_pop(struct request_queue *queue);
/* Returns the next request of a user for whose first request MAY returns true. */
typedef bool request_may_fn(void *context, const struct queued_request *request);
struct queued_request *request_queue_pop_of(struct request_queue *queue, request_may_fn *may, void *context);
void queued_request_free(struct queued_request *request);
/* Charges USER for the time that a request took: the queued ones of USER wait until others have used as much.
 * Without effect if USER has none queued. While nobody else has any, debts are forgotten. */
void request_queue_charge(struct request_queue *queue, const char *user, int64_t ms);
/* Returns the peer that has sent REQUEST; borrowed. */
struct master_peer queued_request_peer(const struct queued_request *request);

/* Returns whether a request of USER over the connection of PEER is queued. */
bool request_queue_has(const struct request_queue *queue, const char *user, const struct master_peer *peer);
size_t request_queue_count(const struct request_queue *queue);

/* What the requests of all users take, and how many were refused: because those of all take too much, or
 * those of their user. */
struct request_queue_use {
    const char *pool; /* borrowed */
    uint32_t used_kib, limit_kib;
    uint64_t refused_full, refused_owner;
};
struct request_queue_use request_queue_use(const struct request_queue *queue);
/* Returns the bytes of all requests, for tests. */
size_t request_queue_bytes(const struct request_queue *queue);

#endif
