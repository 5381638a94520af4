/* SPDX-License-Identifier: Apache-2.0 */
/* query_queue.c - queue of queries, served round-robin by user */
#include "rm/net/query_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"

struct user { /* a user with queued queries */
    UT_hash_handle hh;
    char *name; /* owned */
    STAILQ_HEAD(, query) queries;
    size_t count, bytes;
    TAILQ_ENTRY(user) link;
};

struct query_queue {
    struct query_limits limits;
    struct user *by_name;
    TAILQ_HEAD(, user) turns; /* the user to be served next is first */
    size_t count, bytes;
};

struct query_queue *query_queue_new(const struct query_limits *limits)
{
    struct query_queue *queue = mem_new0(struct query_queue);

    queue->limits = *limits;
    TAILQ_INIT(&queue->turns);
    return queue;
}

void query_queue_free(struct query_queue *queue)
{
    struct query *query;

    if (queue == NULL)
        return;
    while ((query = query_queue_pop(queue)) != NULL)
        query_free(query);
    free(queue);
}

void query_free(struct query *query)
{
    free(query->user);
    free(query);
}

static size_t cost_of(size_t size)
{
    return size + QUERY_COST;
}

static int check_room(const struct query_queue *queue, const struct user *user, size_t size, struct err *err)
{
    const struct query_limits *limits = &queue->limits;
    size_t cost = cost_of(size);

    if (user != NULL && (user->count >= limits->user_queries || user->bytes + cost > limits->user_bytes))
        return err_set(err, EAGAIN,
                       "the resource manager is busy: %zu queries of user %s wait to be "
                       "answered; try again, or ask less often",
                       user->count, user->name);
    if (queue->count > 0 && queue->bytes + cost > limits->bytes)
        return err_set(err, EAGAIN,
                       "the resource manager is busy: %zu queries wait to be answered; try "
                       "again",
                       queue->count);
    return 0;
}

static struct user *add_user(struct query_queue *queue, const char *name)
{
    struct user *user = mem_new0(struct user);

    user->name = mem_strdup(name);
    STAILQ_INIT(&user->queries);
    HASH_ADD_KEYPTR(hh, queue->by_name, user->name, strlen(user->name), user);
    TAILQ_INSERT_TAIL(&queue->turns, user, link);
    return user;
}

int query_queue_add(struct query_queue *queue, const struct master_peer *peer, const Creel__Envelope *request,
                    struct err *err)
{
    size_t size = creel__envelope__get_packed_size(request);
    struct query *query;
    struct user *user;
    int r;

    HASH_FIND_STR(queue->by_name, peer->principal, user);
    r = check_room(queue, user, size, err);
    if (r < 0)
        return r;
    if (user == NULL)
        user = add_user(queue, peer->principal);
    query = mem_alloc(sizeof(*query) + size);
    *query = (struct query){
        .channel = peer->channel,
        .connection = peer->connection,
        .request_id = request->request_id,
        .user = mem_strdup(peer->principal),
        .size = size,
    };
    creel__envelope__pack(request, query->request);
    STAILQ_INSERT_TAIL(&user->queries, query, link);
    user->count++;
    user->bytes += cost_of(size);
    queue->count++;
    queue->bytes += cost_of(size);
    return 0;
}

struct query *query_queue_pop(struct query_queue *queue)
{
    struct user *user = TAILQ_FIRST(&queue->turns);
    struct query *query;

    if (user == NULL)
        return NULL;
    query = STAILQ_FIRST(&user->queries);
    STAILQ_REMOVE_HEAD(&user->queries, link);
    user->count--;
    user->bytes -= cost_of(query->size);
    queue->count--;
    queue->bytes -= cost_of(query->size);
    TAILQ_REMOVE(&queue->turns, user, link);
    if (user->count > 0) {
        TAILQ_INSERT_TAIL(&queue->turns, user, link);
    } else {
        HASH_DEL(queue->by_name, user);
        free(user->name);
        free(user);
    }
    return query;
}

size_t query_queue_count(const struct query_queue *queue)
{
    return queue->count;
}

size_t query_queue_bytes(const struct query_queue *queue)
{
    return queue->bytes;
}
