/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query_queue.h - queries that wait to be answered, pure
 *
 * A query is a request that only reads (master_is_query). Each user has a queue, first in, first out, and
 * users take turns, so that a user who asks a lot delays only that user's own queries. A user is the name of
 * a certificate: the queries of a proxy user count as its own.
 *
 * A query waits as the packed request. What one user may have waiting is bounded, and so is the whole; a
 * query beyond that is refused. One query is always taken from a user who has none, up to the bound of all.
 */
#ifndef CREEL_RM_QUERY_QUEUE_H
#define CREEL_RM_QUERY_QUEUE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/base/err.h"
#include "rm/master/master.h"

#define QUERY_COST 256u                 /* bytes that a query counts for beside its request */

struct query_limits {
    size_t user_queries, user_bytes;    /* of one user */
    size_t bytes;                       /* of all users */
};

struct query {
    STAILQ_ENTRY(query) link;
    enum master_channel channel;
    uint64_t connection, request_id;
    char *user;                         /* owned */
    size_t size;
    uint8_t request[];                  /* a packed Envelope of SIZE bytes */
};

struct query_queue;                     /* opaque */

struct query_queue *query_queue_new(const struct query_limits *limits);
void query_queue_free(struct query_queue *queue);       /* NULL is fine */

/* Keeps a copy of REQUEST. -EAGAIN: too much waits already, and ERR has what to tell the user. */
int query_queue_add(struct query_queue *queue, const struct master_peer *peer,
                    const Creel__Envelope *request, struct err *err);
/* The next one, to be freed with query_free; NULL: none waits. */
struct query *query_queue_take(struct query_queue *queue);
void query_free(struct query *query);

size_t query_queue_count(const struct query_queue *queue);
size_t query_queue_bytes(const struct query_queue *queue);

#endif
