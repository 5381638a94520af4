/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_pool.c - the connections of a daemon: which keys may connect, and to which a message belongs
 *
 * The daemon trusts a gateway only in that the peer has the secret half of the key in OPEN. So the key is
 * checked twice: when the gateway sends AUTH during the handshake, so that a refused peer gets an error, and
 * again when the gateway sends OPEN. The second check is the decisive one.
 */
#include "common/io/server/gateway_pool_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/keys/z85.h"
#include "common/io/loop/log.h"
#include "common/io/server/guests.h"
#include "common/io/server/key_counts.h"

#define JUDGE_MS 1000   /* interval at which keys of connections are checked again */
#define JUDGED_MAX 1000 /* connections checked each time */

/* --- connections -------------------------------------------------------------- */

static struct connection *find(struct gateway_pool *pool, unsigned gateway, uint64_t remote)
{
    struct connection *connection;

    HASH_FIND(hh_remote, pool->connections[gateway], &remote, sizeof(remote), connection);
    return connection;
}

/* Subtracts BYTES from the unconfirmed bytes of CONNECTION. */
static void confirm(struct gateway_pool *pool, struct connection *connection, size_t bytes)
{
    connection->waiting -= bytes;
    owners_sent(&pool->owners, connection->owner, connection->gateway, bytes);
}

/* Adds CONNECTION to its owner. */
static void join_owner(struct gateway_pool *pool, struct connection *connection)
{
    bool derived = connection->admitted == ADMITTED_JOB || connection->admitted == ADMITTED_MASTER ||
                   connection->admitted == ADMITTED_LOOKUP;
    const struct owner_facts facts = {
        .admitted = connection->admitted,
        .name = connection->name,
        .user = derived && pool->find_owner != NULL ? pool->find_owner(pool->owner_context, connection->name)
                                                    : NULL,
        .address = connection->address,
    };

    connection->owner = owners_join(&pool->owners, &facts);
    owners_wait(&pool->owners, connection->owner, connection->gateway, connection->waiting);
}

static void leave_owner(struct gateway_pool *pool, struct connection *connection)
{
    owners_sent(&pool->owners, connection->owner, connection->gateway, connection->waiting);
    owners_leave(&pool->owners, connection->owner);
}

static void forget(struct gateway_pool *pool, struct connection *connection)
{
    HASH_DELETE(hh_remote, pool->connections[connection->gateway], connection);
    if (connection->admitted != ADMITTED_ANY) {
        TAILQ_REMOVE(&pool->judged, connection, link);
        pool->judged_count--;
    }
    leave_owner(pool, connection);
    if (connection->policy != ADMISSION_AGENTS)
        key_counts_remove(&pool->key_counts, connection->key);
    if (connection->admitted == ADMITTED_GUEST)
        guests_remove(&pool->guests, connection->address);
    connection->events->closed(connection->server, connection);
    free(connection->name);
    free(connection);
}

/* Closes the connections of GATEWAY that belong to SERVER; all if SERVER is NULL. */
static void forget_all(struct gateway_pool *pool, unsigned gateway, const struct channel_server *server)
{
    struct connection *connection, *next;

    HASH_ITER(hh_remote, pool->connections[gateway], connection, next)
        if (server == NULL || connection->server == server)
            forget(pool, connection);
}

static void put(struct gateway_pool *pool, unsigned gateway, enum gateway_frame_type type, uint64_t number,
                const void *bytes, size_t size)
{
    gateway_process_put(pool->processes[gateway],
                        (struct gateway_header){ .type = (uint8_t)type, .connection = number }, bytes, size,
                        -1);
}

/* Counts and logs that OWNER gets no more answers, because of ROOM. */
static void note_unread(struct gateway_pool *pool, const struct owner *owner, enum owner_room room,
                        const char *what)
{
    char more[LOG_MORE_MAX];

    if (room == OWNER_FULL)
        pool->unread_owner++;
    else
        pool->unread_full++;
    if (log_limit_pass(&pool->unread, more))
        log_line(LOG_LEVEL_WARN, "%s: %zu bytes of replies are not read yet%s: %s%s", owner_text(owner),
                 owner_waiting(owner), room == OWNER_FULL ? "" : ", and others do not read either", what,
                 more);
}

int gateway_pool_may_answer(struct gateway_pool *pool, const struct connection *connection, size_t unread_max,
                            struct err *err)
{
    enum owner_room room =
        owners_room_for_answer(&pool->owners, connection->owner, connection->gateway, unread_max);

    if (room == OWNER_ROOM)
        return 0;
    if (err == NULL)
        return -EAGAIN;
    note_unread(pool, connection->owner, room, "a request is refused");
    return err_set(err, EAGAIN,
                   "%zu bytes of replies to %s are not read yet, at all connections%s: read them, then try "
                   "again",
                   owner_waiting(connection->owner), owner_text(connection->owner),
                   room == OWNER_FULL ? "" : ", and others do not read either");
}

bool gateway_pool_send(struct gateway_pool *pool, struct connection *connection, const uint8_t *bytes,
                       size_t size)
{
    size_t cost = size + GATEWAY_MESSAGE_COST;
    enum owner_room room = owners_room(&pool->owners, connection->owner, connection->gateway, cost);

    if (room != OWNER_ROOM) {
        note_unread(pool, connection->owner, room, "a reply is dropped");
        return false;
    }
    connection->waiting += cost;
    owners_wait(&pool->owners, connection->owner, connection->gateway, cost);
    put(pool, connection->gateway, GATEWAY_SEND, connection->remote, bytes, size);
    return true;
}

/* --- keys ----------------------------------------------------------------------- */

/* Returns true if KEY has the maximum number of connections to this daemon. Agents are exempt, since they may
 * share a key. */
static bool has_too_many(struct gateway_pool *pool, const struct port *port, const char *key,
                         const char *address)
{
    char more[LOG_MORE_MAX];

    if (port->policy == ADMISSION_AGENTS || pool->limits.key_connections_max == 0 ||
        key_counts_get(pool->key_counts, key) < pool->limits.key_connections_max)
        return false;
    if (log_limit_pass(&pool->crowds, more))
        log_line(LOG_LEVEL_WARN,
                 "connection from %s: refused, its key %.8s... has %u connections, the most "
                 "by creel.gateway.connections-per-key-max%s",
                 address, key, pool->limits.key_connections_max, more);
    return true;
}

/* Reads a frame about a peer: returns its port, and fills PEER and KEY. Returns NULL if the frame is not
 * valid. */
static const struct port *read_peer(struct gateway_pool *pool, const struct gateway_header *header,
                                    const uint8_t *payload, struct gateway_peer *peer, char key[KEY_TEXT])
{
    if (header->size != sizeof(*peer) || header->port >= GATEWAY_PORTS_MAX)
        return NULL;
    memcpy(peer, payload, sizeof(*peer));
    if (memchr(peer->address, '\0', sizeof(peer->address)) == NULL)
        return NULL;
    z85_encode(peer->key, sizeof(peer->key), key);
    return &pool->ports[header->port];
}

/* --- frames --------------------------------------------------------------------- */

/* Returns true if a peer at ADDRESS may connect to a port that admits keys unknown to this daemon. */
static bool may_any(struct gateway_pool *pool, unsigned gateway, const char *address)
{
    int64_t now_ms = loop_monotonic_ms();

    if (penalties_is_refused(&pool->penalties, address, now_ms))
        return false;
    penalties_note_address(&pool->penalties, gateway, address, now_ms);
    return true;
}

static void answer(struct gateway_pool *pool, const struct handshake *handshake, enum admitted admitted)
{
    const struct port *port = &pool->ports[handshake->port];
    bool allowed = port->server != NULL && admitted != ADMITTED_NOT && admitted != ADMITTED_PENDING;

    if (port->server != NULL && !allowed)
        refused_keys_add(&pool->refused, port->policy, handshake->key, handshake->peer.address,
                         loop_monotonic_ms());
    if (!allowed && port->policy == ADMISSION_AGENTS)
        refused_keys_explain(&pool->refused, pool->admission.keys, handshake->key);
    allowed = allowed && !has_too_many(pool, port, handshake->key, handshake->peer.address);
    allowed =
        allowed && (admitted != ADMITTED_GUEST || guests_have_room(&pool->guests, handshake->peer.address));
    if (allowed &&
        (port->policy == ADMISSION_ANY || port->policy == ADMISSION_LOOKUP || admitted == ADMITTED_GUEST))
        allowed = may_any(pool, handshake->gateway, handshake->peer.address);
    put(pool, handshake->gateway, GATEWAY_VERDICT, handshake->question, "y", allowed);
}

static bool on_auth(struct gateway_pool *pool, unsigned gateway, const struct gateway_header *header,
                    const uint8_t *payload)
{
    struct handshake handshake = { .gateway = gateway, .question = header->connection, .port = header->port };
    const struct port *port = read_peer(pool, header, payload, &handshake.peer, handshake.key);
    enum admitted admitted = ADMITTED_NOT;
    const char *name;

    if (port == NULL)
        return false;
    if (port->server != NULL)
        admitted = admission_judge(&pool->admission, port->policy, handshake.key, &name);
    if (admitted != ADMITTED_PENDING || !handshakes_add(&pool->handshakes, &handshake, loop_monotonic_ms()))
        answer(pool, &handshake, admitted);
    return true;
}

void gateway_pool_lookup_done(struct gateway_pool *pool, const char *public_text)
{
    struct handshake handshake;
    const char *name;

    while (handshakes_remove(&pool->handshakes, public_text, &handshake))
        answer(pool, &handshake,
               admission_judge(&pool->admission, pool->ports[handshake.port].policy, handshake.key, &name));
}

void gateway_pool_welcome(struct gateway_pool *pool, struct connection *connection)
{
    enum admitted admitted;
    const char *name;

    if (connection->admitted != ADMITTED_GUEST)
        return;
    admitted = admission_judge(&pool->admission, connection->policy, connection->key, &name);
    if (admitted != ADMITTED_SIGNED_IN)
        return;
    guests_remove(&pool->guests, connection->address);
    leave_owner(pool, connection);
    connection->admitted = admitted;
    free(connection->name);
    connection->name = mem_strdup(name);
    join_owner(pool, connection);
}

/* Closes CONNECTION if its certificate was withdrawn, or its attempt has ended. Such a peer is refused when
 * it connects again. */
static void judge_connection(struct gateway_pool *pool, struct connection *connection)
{
    bool late;

    gateway_pool_welcome(pool, connection);
    late = connection->admitted == ADMITTED_GUEST && connection->guest_until_ms <= loop_monotonic_ms();
    if (!late && admission_holds(&pool->admission, connection->admitted, connection->name, connection->key))
        return;
    if (connection->admitted == ADMITTED_AGENT || connection->admitted == ADMITTED_USER)
        log_line(LOG_LEVEL_WARN, "%s at %s: its certificate is gone, its connection is closed",
                 connection->name, connection->address);
    if (connection->admitted == ADMITTED_AGENT)
        refused_keys_name(&pool->refused, connection->name, connection->key, connection->address,
                          loop_monotonic_ms());
    if (connection->admitted == ADMITTED_SIGNED_IN)
        log_line(LOG_LEVEL_DEBUG, "%s at %s: the time of its key has passed, its connection is closed",
                 connection->name, connection->address);
    if (connection->admitted == ADMITTED_LOOKUP)
        log_line(LOG_LEVEL_INFO,
                 "connection from %s: the resource manager does not know its key any "
                 "more, it is closed",
                 connection->address);
    put(pool, connection->gateway, GATEWAY_DROP, connection->remote, NULL, 0);
    forget(pool, connection);
}

void gateway_pool_judge_key(struct gateway_pool *pool, const char *public_text)
{
    struct connection *connection, *next;

    for (connection = TAILQ_FIRST(&pool->judged); connection != NULL; connection = next) {
        next = TAILQ_NEXT(connection, link);
        if (strcmp(connection->key, public_text) == 0)
            judge_connection(pool, connection);
    }
}

static void judge_again(void *context)
{
    struct gateway_pool *pool = context;
    unsigned count = pool->judged_count < JUDGED_MAX ? pool->judged_count : JUDGED_MAX;
    struct handshake handshake;

    while (handshakes_remove_expired(&pool->handshakes, loop_monotonic_ms(), &handshake))
        answer(pool, &handshake, ADMITTED_NOT);
    while (count-- > 0) {
        struct connection *connection = TAILQ_FIRST(&pool->judged);

        TAILQ_REMOVE(&pool->judged, connection, link);
        TAILQ_INSERT_TAIL(&pool->judged, connection, link);
        judge_connection(pool, connection);
    }
    pool->judge_timer = loop_add_timer(pool->loop, JUDGE_MS, judge_again, pool);
}

static bool on_open(struct gateway_pool *pool, unsigned gateway, const struct gateway_header *header,
                    const uint8_t *payload)
{
    struct gateway_peer peer;
    char key[KEY_TEXT];
    const struct port *port = read_peer(pool, header, payload, &peer, key);
    enum admitted admitted = ADMITTED_NOT;
    struct connection *connection;
    const char *name;

    if (port == NULL || find(pool, gateway, header->connection) != NULL)
        return false;
    if (port->server != NULL)
        admitted = admission_judge(&pool->admission, port->policy, key, &name);
    if (admitted == ADMITTED_PENDING) /* an earlier lookup may have admitted the key */
        admitted =
            admission_holds(&pool->admission, ADMITTED_LOOKUP, name, key) ? ADMITTED_LOOKUP : ADMITTED_NOT;
    if (admitted == ADMITTED_NOT || has_too_many(pool, port, key, peer.address) ||
        (admitted == ADMITTED_GUEST && !guests_have_room(&pool->guests, peer.address)) ||
        HASH_CNT(hh_remote, pool->connections[gateway]) >= GATEWAY_CONNECTIONS_MAX) {
        put(pool, gateway, GATEWAY_DROP, header->connection, NULL, 0);
        return true;
    }
    connection = mem_new0(struct connection);
    connection->events = port->events;
    connection->server = port->server;
    connection->gateway = gateway;
    connection->remote = header->connection;
    connection->policy = port->policy;
    connection->admitted = admitted;
    connection->name = mem_strdup(name);
    memcpy(connection->key, key, KEY_TEXT);
    memcpy(connection->address, peer.address, sizeof(connection->address));
    join_owner(pool, connection);
    HASH_ADD(hh_remote, pool->connections[gateway], remote, sizeof(connection->remote), connection);
    if (admitted != ADMITTED_ANY) {
        TAILQ_INSERT_TAIL(&pool->judged, connection, link);
        pool->judged_count++;
    }
    if (port->policy != ADMISSION_AGENTS)
        key_counts_add(&pool->key_counts, key);
    if (admitted == ADMITTED_GUEST) {
        connection->guest_until_ms = loop_monotonic_ms() + GUEST_MS;
        guests_add(&pool->guests, connection->address);
    }
    connection->events->opened(connection->server, connection);
    return true;
}

static bool on_message(struct gateway_pool *pool, unsigned gateway, const struct gateway_header *header,
                       const uint8_t *payload)
{
    struct connection *connection = find(pool, gateway, header->connection);

    if (header->count == 0 || (header->count != 1 && header->size != 0))
        return false;
    if (connection != NULL) /* else this daemon dropped the connection, and the gateway has not
                               processed that yet */
        connection->events->received(connection->server, connection, header->count,
                                     header->count == 1 ? payload : NULL, header->size);
    return true;
}

static bool on_sent(struct gateway_pool *pool, unsigned gateway, const struct gateway_header *header,
                    const uint8_t *payload)
{
    struct connection *connection = find(pool, gateway, header->connection);
    uint64_t bytes;

    if (header->size != sizeof(bytes))
        return false;
    memcpy(&bytes, payload, sizeof(bytes));
    if (connection == NULL)
        return true;
    if (bytes > connection->waiting)
        return false;
    confirm(pool, connection, (size_t)bytes);
    return true;
}

static bool on_closed(struct gateway_pool *pool, unsigned gateway, const struct gateway_header *header)
{
    struct connection *connection = find(pool, gateway, header->connection);

    if (connection != NULL)
        forget(pool, connection);
    return header->size == 0;
}

static bool on_log(struct gateway_pool *pool, unsigned gateway, const struct gateway_header *header,
                   const uint8_t *payload)
{
    char more[LOG_MORE_MAX];

    if (header->size > 500)
        return false;
    if (log_limit_pass(&pool->remarks, more))
        log_line(LOG_LEVEL_WARN, "gateway %u: %.*s%s", gateway, (int)header->size, (const char *)payload,
                 more);
    return true;
}

static bool on_counts(struct gateway_pool *pool, unsigned gateway, const struct gateway_header *header,
                      const uint8_t *payload)
{
    if (header->size != sizeof(struct gateway_counts))
        return false;
    memcpy(&pool->tally.counts[gateway], payload, sizeof(struct gateway_counts));
    return true;
}

bool gateway_pool_receive(struct gateway_pool *pool, unsigned gateway, const struct gateway_header *header,
                          const uint8_t *payload)
{
    switch (header->type) {
    case GATEWAY_AUTH:
        return on_auth(pool, gateway, header, payload);
    case GATEWAY_OPEN:
        return on_open(pool, gateway, header, payload);
    case GATEWAY_MESSAGE:
        return on_message(pool, gateway, header, payload);
    case GATEWAY_SENT:
        return on_sent(pool, gateway, header, payload);
    case GATEWAY_CLOSED:
        return on_closed(pool, gateway, header);
    case GATEWAY_LOG:
        return on_log(pool, gateway, header, payload);
    case GATEWAY_COUNTS:
        return on_counts(pool, gateway, header, payload);
    default:
        return false;
    }
}

static bool on_frame(void *context, unsigned gateway, const struct gateway_header *header,
                     const uint8_t *payload)
{
    return gateway_pool_receive(context, gateway, header, payload);
}

static void put_port(struct gateway_pool *pool, unsigned gateway, size_t i)
{
    const struct port *port = &pool->ports[i];
    struct gateway_listen listen = { .message_max = GATEWAY_MESSAGE_MAX };

    memcpy(listen.secret_text, port->secret_text, sizeof(listen.secret_text));
    gateway_process_put(pool->processes[gateway],
                        (struct gateway_header){ .type = GATEWAY_LISTEN, .port = (uint8_t)i }, &listen,
                        sizeof(listen), port->listener);
    explicit_bzero(&listen, sizeof(listen));
}

static void on_started(void *context, unsigned gateway)
{
    struct gateway_pool *pool = context;

    for (size_t i = 0; i < GATEWAY_PORTS_MAX; i++)
        if (pool->ports[i].server != NULL)
            put_port(pool, gateway, i);
}

static void on_ended(void *context, unsigned gateway, int64_t hung_ms)
{
    struct gateway_pool *pool = context;

    penalties_add_crash(&pool->penalties, gateway, loop_monotonic_ms());
    handshakes_forget(&pool->handshakes, gateway);
    forget_all(pool, gateway, NULL);
    gateway_tally_end(&pool->tally, gateway, loop_now_ms(), hung_ms);
}

/* --- ports ---------------------------------------------------------------------- */

int gateway_pool_add_port(struct gateway_pool *pool, const struct port *port)
{
    /* The number of a removed port is used again as late as possible: frames about its last server may be in
     * transit. */
    for (size_t n = 0; n < GATEWAY_PORTS_MAX; n++) {
        size_t i = pool->next_port++ % GATEWAY_PORTS_MAX;

        if (pool->ports[i].server != NULL)
            continue;
        pool->ports[i] = *port;
        for (unsigned gateway = 0; gateway < pool->gateways; gateway++)
            put_port(pool, gateway, i);
        return (int)i;
    }
    return -ENOSPC;
}

void gateway_pool_remove_port(struct gateway_pool *pool, int number)
{
    struct port *port = &pool->ports[number];

    for (unsigned i = 0; i < GATEWAYS_MAX; i++)
        forget_all(pool, i, port->server);
    for (unsigned i = 0; i < pool->gateways; i++) {
        gateway_process_put(pool->processes[i],
                            (struct gateway_header){ .type = GATEWAY_UNLISTEN, .port = (uint8_t)number },
                            NULL, 0, -1);
        gateway_process_flush(pool->processes[i]);
    }
    *port = (struct port){ .server = NULL };
}

/* --- creation and destruction --------------------------------------------------- */

int gateway_pool_new(struct loop *loop, struct keys *keys, const struct gateway_limits *limits,
                     unsigned gateways, struct gateway_pool **ret, struct err *err)
{
    static const struct gateway_events events = { on_started, on_frame, on_ended };
    struct gateway_pool *pool = mem_new0(struct gateway_pool);

    pool->loop = loop;
    pool->admission.keys = keys;
    pool->limits = limits != NULL ? *limits : GATEWAY_LIMITS_DEFAULT;
    TAILQ_INIT(&pool->judged);
    handshakes_init(&pool->handshakes);
    for (unsigned i = 0; i < gateways && i < GATEWAYS_MAX; i++) {
        int r = gateway_process_new(loop, &gateway_program, i, &pool->limits, &events, pool,
                                    &pool->processes[i], err);

        if (r < 0) {
            gateway_pool_free(pool);
            return r;
        }
        pool->gateways = i + 1;
    }
    pool->judge_timer = loop_add_timer(loop, JUDGE_MS, judge_again, pool);
    *ret = pool;
    return 0;
}

void gateway_pool_free(struct gateway_pool *pool)
{
    if (pool == NULL)
        return;
    loop_cancel_timer(pool->loop, pool->judge_timer);
    for (unsigned i = 0; i < GATEWAYS_MAX; i++) {
        gateway_process_free(pool->processes[i]);
        forget_all(pool, i, NULL);
    }
    handshakes_clear(&pool->handshakes);
    refused_keys_done(&pool->refused);
    free(pool);
}
