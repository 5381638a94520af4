/* SPDX-License-Identifier: Apache-2.0 */
/* request_queue.c - queue of requests, served round-robin by user, and by connection of a user */
#include "rm/net/parts/request_queue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/loop/log.h"

struct sender_id {
    uint64_t channel, connection;
};

struct sender { /* a connection with queued requests of a user */
    UT_hash_handle hh;
    struct sender_id id;
    STAILQ_HEAD(, queued_request) requests;
    size_t count, bytes;
    TAILQ_ENTRY(sender) link;
};

struct user { /* a user with queued requests */
    UT_hash_handle hh;
    char *name; /* owned */
    struct sender *by_id;
    TAILQ_HEAD(, sender) senders; /* the one to be served next is first */
    size_t count, bytes;
    int64_t debt_ms; /* time that others may use before it */
    TAILQ_ENTRY(user) link;
};

struct request_queue {
    struct request_limits limits;
    struct user *by_name;
    TAILQ_HEAD(, user) turns; /* the user to be served next is first */
    size_t count, bytes;
    uint64_t refused_full, refused_owner;
    struct log_limit log;
};

struct request_queue *request_queue_new(const struct request_limits *limits)
{
    struct request_queue *queue = mem_new0(struct request_queue);

    assert(limits->pool != NULL);
    queue->limits = *limits;
    TAILQ_INIT(&queue->turns);
    return queue;
}

void request_queue_free(struct request_queue *queue)
{
    struct queued_request *request;

    if (queue == NULL)
        return;
    while ((request = request_queue_pop(queue)) != NULL)
        queued_request_free(request);
    free(queue);
}

void queued_request_free(struct queued_request *request)
{
    free(request->user);
    free(request->principal);
    free(request->job);
    free(request->address);
    free(request);
}

struct master_peer queued_request_peer(const struct queued_request *request)
{
    return (struct master_peer){ request->channel, request->connection, request->principal, request->job };
}

static size_t cost_of(size_t size)
{
    return size + REQUEST_COST;
}

/* Returns the share of one connection in what a user may have. */
static size_t of_connection(size_t of_user)
{
    return of_user - of_user / REQUEST_OTHERS_SHARE;
}

/* Checks the share of a user, and of a connection of the user. */
static int check_share(const struct request_limits *limits, const struct user *user,
                       const struct sender *sender, size_t cost, struct err *err)
{
    if (user != NULL && (user->count >= limits->user_requests || user->bytes + cost > limits->user_bytes))
        return err_set(err, EAGAIN,
                       "the resource manager is busy: %zu %s of user %s wait to be "
                       "answered; try again, or ask less often",
                       user->count, limits->noun, user->name);
    if (sender != NULL && (sender->count >= of_connection(limits->user_requests) ||
                           sender->bytes + cost > of_connection(limits->user_bytes)))
        return err_set(err, EAGAIN,
                       "the resource manager is busy: %zu %s of user %s over one connection wait to be "
                       "answered; try again, or ask less often",
                       sender->count, limits->noun, user->name);
    return 0;
}

static int check_room(const struct request_queue *queue, const struct user *user, const struct sender *sender,
                      size_t size, struct err *err)
{
    const struct request_limits *limits = &queue->limits;
    size_t cost = cost_of(size);
    int r = check_share(limits, user, sender, cost, err);

    if (r < 0)
        return r;
    if (queue->count > 0 && queue->bytes + cost > limits->bytes)
        return err_set(err, EAGAIN,
                       "the resource manager is busy: %zu %s wait to be answered; try "
                       "again",
                       queue->count, limits->noun);
    return 0;
}

/* Counts and logs that a request of the user NAME is refused; IS_OWN: because of others of this user. */
static void note_refused(struct request_queue *queue, const char *name, bool is_own)
{
    char more[LOG_MORE_MAX];

    if (is_own)
        queue->refused_owner++;
    else
        queue->refused_full++;
    if (log_limit_pass(&queue->log, more))
        log_line(LOG_LEVEL_WARN, "user %s: one of the %s is refused: too many %s wait%s", name,
                 queue->limits.noun, is_own ? "of this user" : "of all users", more);
}

static struct sender_id id_of(enum master_channel channel, uint64_t connection)
{
    return (struct sender_id){ (uint64_t)channel, connection };
}

static struct sender *find_sender(const struct user *user, struct sender_id id)
{
    struct sender *sender = NULL;

    if (user != NULL)
        HASH_FIND(hh, user->by_id, &id, sizeof(id), sender);
    return sender;
}

static struct sender *add_sender(struct user *user, struct sender_id id)
{
    struct sender *sender = mem_new0(struct sender);

    sender->id = id;
    STAILQ_INIT(&sender->requests);
    HASH_ADD(hh, user->by_id, id, sizeof(id), sender);
    TAILQ_INSERT_TAIL(&user->senders, sender, link);
    return sender;
}

static struct user *find_user(const struct request_queue *queue, const char *name)
{
    struct user *user;

    HASH_FIND_STR(queue->by_name, name, user);
    return user;
}

static struct user *add_user(struct request_queue *queue, const char *name)
{
    struct user *user = mem_new0(struct user);

    user->name = mem_strdup(name);
    TAILQ_INIT(&user->senders);
    HASH_ADD_KEYPTR(hh, queue->by_name, user->name, strlen(user->name), user);
    TAILQ_INSERT_TAIL(&queue->turns, user, link);
    return user;
}

int request_queue_add(struct request_queue *queue, const char *name, const struct master_peer *peer,
                      const char *address, const Creel__Envelope *request, struct err *err)
{
    size_t size = creel__envelope__get_packed_size(request);
    struct sender_id id = id_of(peer->channel, peer->connection);
    struct user *user = find_user(queue, name);
    struct sender *sender = find_sender(user, id);
    struct queued_request *queued;
    int r = check_room(queue, user, sender, size, err);

    if (r < 0) {
        note_refused(queue, name, check_share(&queue->limits, user, sender, cost_of(size), NULL) < 0);
        return r;
    }
    if (user == NULL)
        user = add_user(queue, name);
    if (sender == NULL)
        sender = add_sender(user, id);
    queued = mem_alloc(sizeof(*queued) + size);
    *queued = (struct queued_request){
        .channel = peer->channel,
        .connection = peer->connection,
        .request_id = request->request_id,
        .kind = request->body_case,
        .user = mem_strdup(name),
        .principal = mem_strdup(peer->principal),
        .job = peer->job != NULL ? mem_strdup(peer->job) : NULL,
        .address = address != NULL ? mem_strdup(address) : NULL,
        .size = size,
    };
    creel__envelope__pack(request, queued->request);
    STAILQ_INSERT_TAIL(&sender->requests, queued, link);
    sender->count++;
    sender->bytes += cost_of(size);
    user->count++;
    user->bytes += cost_of(size);
    queue->count++;
    queue->bytes += cost_of(size);
    return 0;
}

void request_queue_charge(struct request_queue *queue, const char *name, int64_t ms)
{
    struct user *user = find_user(queue, name);

    if (user != NULL && ms > 0)
        user->debt_ms += ms;
}

struct choice {          /* of the users who may be served now */
    request_may_fn *may; /* NULL: all */
    void *context;
};

static struct queued_request *first_request(const struct user *user)
{
    return STAILQ_FIRST(&TAILQ_FIRST(&user->senders)->requests);
}

/* Returns USER, or the next one after it, who may be served. */
static struct user *find_choice(struct user *user, const struct choice *choice)
{
    while (user != NULL && choice->may != NULL && !choice->may(choice->context, first_request(user)))
        user = TAILQ_NEXT(user, link);
    return user;
}

/* Returns the user whose turn it is; NULL: there is none. A user with a debt pays a part of it with each
 * turn. */
static struct user *next_user(struct request_queue *queue, const struct choice *choice)
{
    struct user *user = find_choice(TAILQ_FIRST(&queue->turns), choice);

    while (user != NULL && user->debt_ms >= REQUEST_TURN_MS) {
        if (find_choice(TAILQ_NEXT(user, link), choice) == NULL) { /* nobody else waits */
            user->debt_ms = 0;
            return user;
        }
        user->debt_ms -= REQUEST_TURN_MS;
        TAILQ_REMOVE(&queue->turns, user, link);
        TAILQ_INSERT_TAIL(&queue->turns, user, link);
        user = find_choice(TAILQ_FIRST(&queue->turns), choice);
    }
    return user;
}

/* Takes the first request of the first connection of USER, which is the last one to be served again. */
static struct queued_request *take_request(struct user *user)
{
    struct sender *sender = TAILQ_FIRST(&user->senders);
    struct queued_request *request = STAILQ_FIRST(&sender->requests);

    STAILQ_REMOVE_HEAD(&sender->requests, link);
    sender->count--;
    sender->bytes -= cost_of(request->size);
    user->count--;
    user->bytes -= cost_of(request->size);
    TAILQ_REMOVE(&user->senders, sender, link);
    if (sender->count > 0) {
        TAILQ_INSERT_TAIL(&user->senders, sender, link);
    } else {
        HASH_DEL(user->by_id, sender);
        free(sender);
    }
    return request;
}

struct queued_request *request_queue_pop(struct request_queue *queue)
{
    return request_queue_pop_of(queue, NULL, NULL);
}

struct queued_request *request_queue_pop_of(struct request_queue *queue, request_may_fn *may, void *context)
{
    const struct choice choice = { may, context };
    struct user *user = next_user(queue, &choice);
    struct queued_request *request;

    if (user == NULL)
        return NULL;
    request = take_request(user);
    queue->count--;
    queue->bytes -= cost_of(request->size);
    TAILQ_REMOVE(&queue->turns, user, link);
    if (user->count > 0) {
        TAILQ_INSERT_TAIL(&queue->turns, user, link);
    } else {
        HASH_DEL(queue->by_name, user);
        free(user->name);
        free(user);
    }
    return request;
}

bool request_queue_has(const struct request_queue *queue, const char *user, const struct master_peer *peer)
{
    return find_sender(find_user(queue, user), id_of(peer->channel, peer->connection)) != NULL;
}

size_t request_queue_count(const struct request_queue *queue)
{
    return queue->count;
}

struct request_queue_use request_queue_use(const struct request_queue *queue)
{
    return (struct request_queue_use){
        .pool = queue->limits.pool,
        .used_kib = (uint32_t)(queue->bytes / 1024),
        .limit_kib = (uint32_t)(queue->limits.bytes / 1024),
        .refused_full = queue->refused_full,
        .refused_owner = queue->refused_owner,
    };
}

size_t request_queue_bytes(const struct request_queue *queue)
{
    return queue->bytes;
}
