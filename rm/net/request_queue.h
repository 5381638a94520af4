/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_queue.h - queue of requests, served round-robin by user
 *
 * Each user has a FIFO queue, and the users are served round-robin, so that many requests of one user delay
 * only that user's requests. The owner of the queue decides for whom a request counts. Pure: no I/O, no
 * clock.
 *
 * A request is stored packed. The number and size of the queued requests of one user are limited, and so is
 * the size of all; further requests are refused. The first request of a user is always accepted, up to the
 * limit of all users.
 */
#ifndef CREEL_RM_REQUEST_QUEUE_H
#define CREEL_RM_REQUEST_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/base/err.h"
#include "rm/master/master.h"

#define REQUEST_COST 256u /* size in bytes that is charged for a request */

struct request_limits {
    const char *noun;                 /* "queries": for texts; not copied */
    size_t user_requests, user_bytes; /* of one user */
    size_t bytes;                     /* of all users */
};

struct queued_request {
    STAILQ_ENTRY(queued_request) link;
    enum master_channel channel;
    uint64_t connection, request_id;
    char *user;      /* owned; for whom it counts */
    char *principal; /* owned; of the peer */
    char *address;   /* owned; of the peer; NULL: not given */
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
void queued_request_free(struct queued_request *request);

bool request_queue_has(const struct request_queue *queue, const char *user); /* a request of USER */
size_t request_queue_count(const struct request_queue *queue);
size_t request_queue_bytes(const struct request_queue *queue);

#endif
