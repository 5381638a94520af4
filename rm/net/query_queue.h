/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query_queue.h - queue of queries, served round-robin by user
 *
 * A query is a request that only reads (master_is_query). Each user has a FIFO queue, and the users are
 * served round-robin, so that many queries of one user delay only that user's queries. The user is the name
 * in the certificate: if a proxy user acts for another user, the query counts for the proxy user. Pure: no
 * I/O, no clock.
 *
 * A query is stored as the packed request. The number and size of the queued queries of one user are limited,
 * and so is the size of all; further queries are refused. The first query of a user is always accepted, up to
 * the limit of all users.
 */
#ifndef CREEL_RM_QUERY_QUEUE_H
#define CREEL_RM_QUERY_QUEUE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/base/err.h"
#include "rm/master/master.h"

#define QUERY_COST 256u /* size in bytes that is charged for a query */

struct query_limits {
    size_t user_queries, user_bytes; /* of one user */
    size_t bytes;                    /* of all users */
};

struct query {
    STAILQ_ENTRY(query) link;
    enum master_channel channel;
    uint64_t connection, request_id;
    char *user; /* owned */
    size_t size;
    uint8_t request[]; /* a packed Envelope of SIZE bytes */
};

struct query_queue; /* opaque */

struct query_queue *query_queue_new(const struct query_limits *limits);
void query_queue_free(struct query_queue *queue); /* NULL is fine */

/* Queues a copy of REQUEST. -EAGAIN: too many queries are queued, and ERR has a text for the user. */
int query_queue_add(struct query_queue *queue, const struct master_peer *peer, const Creel__Envelope *request,
                    struct err *err);
/* Returns the next query, which the caller frees with query_free; NULL: the queue is empty. */
struct query *query_queue_pop(struct query_queue *queue);
void query_free(struct query *query);

size_t query_queue_count(const struct query_queue *queue);
size_t query_queue_bytes(const struct query_queue *queue);

#endif
