/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.c - the connections of a daemon: which keys may connect, and which connection a message belongs to
 *
 * A gateway is trusted only in that a peer has the secret half of a key. So the key is checked twice: when
 * the gateway sends AUTH during the handshake, so that a refused peer gets an error, and again when the
 * connection opens. The second check is the decisive one.
 */
#include "common/io/gate.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/blame.h"
#include "common/io/gateway_process.h"
#include "common/io/handshakes.h"
#include "common/io/key_counts.h"
#include "common/io/log.h"
#include "common/io/z85.h"

#define JUDGE_MS 1000                   /* interval at which keys of connections are checked again */
#define JUDGED_MAX 1000                 /* connections checked each time */

struct port {
    struct channel_server *server;      /* NULL: this number is unused */
    enum gate_policy policy;
    int listener;
    const char *secret_text;
};

struct gate {
    struct loop *loop;
    struct admission admission;
    struct gate_limits limits;
    struct key_count *key_counts;       /* connections of each key to ports that are not for agents */
    size_t waiting[GATEWAYS_MAX];       /* bytes sent to each gateway and not confirmed by SENT */
    unsigned gateways;
    struct gateway_process *processes[GATEWAYS_MAX];
    struct connection *connections[GATEWAYS_MAX];       /* hash tables by `remote` */
    struct port ports[GATEWAY_PORTS_MAX];
    size_t next_port;
    TAILQ_HEAD(, connection) judged;    /* connections whose key may be withdrawn; the least recently checked
                                           first */
    unsigned judged_count;
    int judge_timer;
    struct handshakes handshakes;
    struct blame blame;
    struct log_limit refusals, crowds, remarks;
};

/* --- connections -------------------------------------------------------------- */

static struct connection *find(struct gate *gate, unsigned gateway, uint64_t remote)
{
    struct connection *connection;

    HASH_FIND(hh_remote, gate->connections[gateway], &remote, sizeof(remote), connection);
    return connection;
}

/* Subtracts BYTES from the unconfirmed bytes of CONNECTION. */
static void confirm(struct gate *gate, struct connection *connection, size_t bytes)
{
    connection->waiting -= bytes;
    gate->waiting[connection->gateway] -= bytes;
    if (connection->policy != GATE_AGENTS)
        key_counts_sent(gate->key_counts, connection->key, bytes);
}

static void forget(struct gate *gate, struct connection *connection)
{
    HASH_DELETE(hh_remote, gate->connections[connection->gateway], connection);
    if (connection->admitted != ADMITTED_ANY) {
        TAILQ_REMOVE(&gate->judged, connection, link);
        gate->judged_count--;
    }
    confirm(gate, connection, connection->waiting);
    if (connection->policy != GATE_AGENTS)
        key_counts_remove(&gate->key_counts, connection->key);
    channel_server_closed(connection->server, connection);
    free(connection->name);
    free(connection);
}

/* Closes the connections of GATEWAY that belong to SERVER; all if SERVER is NULL. */
static void forget_all(struct gate *gate, unsigned gateway, const struct channel_server *server)
{
    struct connection *connection, *next;

    HASH_ITER(hh_remote, gate->connections[gateway], connection, next)
        if (server == NULL || connection->server == server)
            forget(gate, connection);
}

static void put(struct gate *gate, unsigned gateway, enum gateway_frame_type type, uint64_t number,
                const void *bytes, size_t size)
{
    gateway_process_put(gate->processes[gateway],
                        (struct gateway_header){ .type = (uint8_t)type, .connection = number }, bytes, size,
                        -1);
}

/* Returns true if COST more unconfirmed bytes are allowed for CONNECTION. Without unconfirmed bytes, a
 * message of any length is allowed. */
static bool has_room(const struct gate *gate, const struct connection *connection, size_t cost)
{
    bool agent = connection->policy == GATE_AGENTS;
    size_t waiting = agent ? connection->waiting : key_counts_waiting(gate->key_counts, connection->key);
    size_t most = agent ? GATEWAY_ALL_WAITING_MAX : GATEWAY_PEERS_WAITING_MAX;

    return (waiting == 0 || waiting + cost <= GATEWAY_WAITING_MAX) &&
           gate->waiting[connection->gateway] + cost <= most &&
           gateway_process_queued(gate->processes[connection->gateway]) <= GATEWAY_QUEUE_MAX;
}

bool gate_send(struct gate *gate, struct connection *connection, const uint8_t *bytes, size_t size)
{
    size_t cost = size + GATEWAY_MESSAGE_COST;

    if (!has_room(gate, connection, cost))
        return false;
    connection->waiting += cost;
    gate->waiting[connection->gateway] += cost;
    if (connection->policy != GATE_AGENTS)
        key_counts_wait(gate->key_counts, connection->key, cost);
    put(gate, connection->gateway, GATEWAY_SEND, connection->remote, bytes, size);
    return true;
}

/* --- keys ----------------------------------------------------------------------- */

static void log_refusal(struct gate *gate, const struct port *port, const struct gateway_peer *peer,
                        const char *key)
{
    char more[LOG_MORE_MAX];

    if (log_limit_pass(&gate->refusals, more))
        log_line(LOG_LEVEL_WARN, "connection from %s: refused, its key %.8s... %s%s", peer->address, key,
                 admission_refusal(port->policy), more);
}

/* Returns true if KEY has the maximum number of connections to this daemon. Agents are exempt, since they may
 * share a key. */
static bool has_too_many(struct gate *gate, const struct port *port, const char *key, const char *address)
{
    char more[LOG_MORE_MAX];

    if (port->policy == GATE_AGENTS || gate->limits.key_connections_max == 0 ||
        key_counts_get(gate->key_counts, key) < gate->limits.key_connections_max)
        return false;
    if (log_limit_pass(&gate->crowds, more))
        log_line(LOG_LEVEL_WARN, "connection from %s: refused, its key %.8s... has %u connections, the most "
                 "by creel.gateway.connections-per-key-max%s", address, key, gate->limits.key_connections_max,
                 more);
    return true;
}

/* Reads a frame about a peer: returns its port, and fills PEER and KEY. Returns NULL if the frame is not
 * valid. */
static const struct port *read_peer(struct gate *gate, const struct gateway_header *header,
                                    const uint8_t *payload, struct gateway_peer *peer, char key[KEY_TEXT])
{
    if (header->size != sizeof(*peer) || header->port >= GATEWAY_PORTS_MAX)
        return NULL;
    memcpy(peer, payload, sizeof(*peer));
    if (memchr(peer->address, '\0', sizeof(peer->address)) == NULL)
        return NULL;
    z85_encode(peer->key, sizeof(peer->key), key);
    return &gate->ports[header->port];
}

/* --- frames --------------------------------------------------------------------- */

/* Returns true if a peer at ADDRESS may connect to a port that admits keys unknown to this daemon. */
static bool may_any(struct gate *gate, unsigned gateway, const char *address)
{
    int64_t now_ms = loop_monotonic_ms();

    if (blame_refuses(&gate->blame, address, now_ms))
        return false;
    blame_note(&gate->blame, gateway, address, now_ms);
    return true;
}

static void answer(struct gate *gate, const struct handshake *handshake, enum admitted admitted)
{
    const struct port *port = &gate->ports[handshake->port];
    bool allowed = port->server != NULL && admitted != ADMITTED_NOT && admitted != ADMITTED_PENDING;

    if (port->server != NULL && !allowed)
        log_refusal(gate, port, &handshake->peer, handshake->key);
    allowed = allowed && !has_too_many(gate, port, handshake->key, handshake->peer.address);
    if (allowed && (port->policy == GATE_ANY || port->policy == GATE_LOOKUP))
        allowed = may_any(gate, handshake->gateway, handshake->peer.address);
    put(gate, handshake->gateway, GATEWAY_VERDICT, handshake->question, "y", allowed);
}

static bool on_auth(struct gate *gate, unsigned gateway, const struct gateway_header *header,
                    const uint8_t *payload)
{
    struct handshake handshake = { .gateway = gateway, .question = header->connection, .port = header->port };
    const struct port *port = read_peer(gate, header, payload, &handshake.peer, handshake.key);
    enum admitted admitted = ADMITTED_NOT;
    const char *name;

    if (port == NULL)
        return false;
    if (port->server != NULL)
        admitted = admission_judge(&gate->admission, port->policy, handshake.key, &name);
    if (admitted != ADMITTED_PENDING ||
        !handshakes_add(&gate->handshakes, &handshake, loop_monotonic_ms()))
        answer(gate, &handshake, admitted);
    return true;
}

void gate_lookup_done(struct gate *gate, const char *public_text)
{
    struct handshake handshake;
    const char *name;

    while (handshakes_take(&gate->handshakes, public_text, &handshake))
        answer(gate, &handshake, admission_judge(&gate->admission, gate->ports[handshake.port].policy,
                                                 handshake.key, &name));
}

/* Closes connections whose certificate was withdrawn, or whose attempt has ended. Such a peer is refused when
 * it connects again. */
static void judge_again(void *context)
{
    struct gate *gate = context;
    unsigned count = gate->judged_count < JUDGED_MAX ? gate->judged_count : JUDGED_MAX;
    struct handshake handshake;

    while (handshakes_take_late(&gate->handshakes, loop_monotonic_ms(), &handshake))
        answer(gate, &handshake, ADMITTED_NOT);
    while (count-- > 0) {
        struct connection *connection = TAILQ_FIRST(&gate->judged);

        TAILQ_REMOVE(&gate->judged, connection, link);
        TAILQ_INSERT_TAIL(&gate->judged, connection, link);
        if (admission_holds(&gate->admission, connection->admitted, connection->name, connection->key))
            continue;
        if (connection->admitted == ADMITTED_AGENT || connection->admitted == ADMITTED_USER)
            log_line(LOG_LEVEL_WARN, "%s at %s: its certificate is gone, its connection is closed",
                     connection->name, connection->address);
        if (connection->admitted == ADMITTED_LOOKUP)
            log_line(LOG_LEVEL_INFO, "connection from %s: the resource manager does not know its key any "
                     "more, it is closed", connection->address);
        put(gate, connection->gateway, GATEWAY_DROP, connection->remote, NULL, 0);
        forget(gate, connection);
    }
    gate->judge_timer = loop_add_timer(gate->loop, JUDGE_MS, judge_again, gate);
}

static bool on_open(struct gate *gate, unsigned gateway, const struct gateway_header *header,
                    const uint8_t *payload)
{
    struct gateway_peer peer;
    char key[KEY_TEXT];
    const struct port *port = read_peer(gate, header, payload, &peer, key);
    enum admitted admitted = ADMITTED_NOT;
    struct connection *connection;
    const char *name;

    if (port == NULL || find(gate, gateway, header->connection) != NULL)
        return false;
    if (port->server != NULL)
        admitted = admission_judge(&gate->admission, port->policy, key, &name);
    if (admitted == ADMITTED_PENDING)   /* the connection was admitted by an earlier lookup */
        admitted = admission_holds(&gate->admission, ADMITTED_LOOKUP, name, key) ? ADMITTED_LOOKUP
                                                                                 : ADMITTED_NOT;
    if (admitted == ADMITTED_NOT || has_too_many(gate, port, key, peer.address) ||
        HASH_CNT(hh_remote, gate->connections[gateway]) >= GATEWAY_CONNECTIONS_MAX) {
        put(gate, gateway, GATEWAY_DROP, header->connection, NULL, 0);
        return true;
    }
    connection = mem_new0(struct connection);
    connection->server = port->server;
    connection->gateway = gateway;
    connection->remote = header->connection;
    connection->policy = port->policy;
    connection->admitted = admitted;
    connection->name = mem_strdup(name);
    memcpy(connection->key, key, KEY_TEXT);
    memcpy(connection->address, peer.address, sizeof(connection->address));
    HASH_ADD(hh_remote, gate->connections[gateway], remote, sizeof(connection->remote), connection);
    if (admitted != ADMITTED_ANY) {
        TAILQ_INSERT_TAIL(&gate->judged, connection, link);
        gate->judged_count++;
    }
    if (port->policy != GATE_AGENTS)
        key_counts_add(&gate->key_counts, key);
    channel_server_opened(port->server, connection);
    return true;
}

static bool on_message(struct gate *gate, unsigned gateway, const struct gateway_header *header,
                       const uint8_t *payload)
{
    struct connection *connection = find(gate, gateway, header->connection);

    if (header->count == 0 || (header->count != 1 && header->size != 0))
        return false;
    if (connection != NULL)             /* else this daemon dropped the connection, and the gateway has not
                                           processed that yet */
        channel_server_received(connection->server, connection, header->count,
                                header->count == 1 ? payload : NULL, header->size);
    return true;
}

static bool on_sent(struct gate *gate, unsigned gateway, const struct gateway_header *header,
                    const uint8_t *payload)
{
    struct connection *connection = find(gate, gateway, header->connection);
    uint64_t bytes;

    if (header->size != sizeof(bytes))
        return false;
    memcpy(&bytes, payload, sizeof(bytes));
    if (connection == NULL)
        return true;
    if (bytes > connection->waiting)
        return false;
    confirm(gate, connection, (size_t)bytes);
    return true;
}

static bool on_closed(struct gate *gate, unsigned gateway, const struct gateway_header *header)
{
    struct connection *connection = find(gate, gateway, header->connection);

    if (connection != NULL)
        forget(gate, connection);
    return header->size == 0;
}

static bool on_log(struct gate *gate, unsigned gateway, const struct gateway_header *header,
                   const uint8_t *payload)
{
    char more[LOG_MORE_MAX];

    if (header->size > 500)
        return false;
    if (log_limit_pass(&gate->remarks, more))
        log_line(LOG_LEVEL_WARN, "gateway %u: %.*s%s", gateway, (int)header->size, (const char *)payload,
                 more);
    return true;
}

bool gate_receive(struct gate *gate, unsigned gateway, const struct gateway_header *header,
                  const uint8_t *payload)
{
    switch (header->type) {
    case GATEWAY_AUTH:
        return on_auth(gate, gateway, header, payload);
    case GATEWAY_OPEN:
        return on_open(gate, gateway, header, payload);
    case GATEWAY_MESSAGE:
        return on_message(gate, gateway, header, payload);
    case GATEWAY_SENT:
        return on_sent(gate, gateway, header, payload);
    case GATEWAY_CLOSED:
        return on_closed(gate, gateway, header);
    case GATEWAY_LOG:
        return on_log(gate, gateway, header, payload);
    default:
        return false;
    }
}

static bool on_frame(void *context, unsigned gateway, const struct gateway_header *header,
                     const uint8_t *payload)
{
    return gate_receive(context, gateway, header, payload);
}

static void put_port(struct gate *gate, unsigned gateway, size_t i)
{
    const struct port *port = &gate->ports[i];
    struct gateway_listen listen = {
        .message_max = port->policy == GATE_AGENTS ? GATEWAY_AGENT_MESSAGE_MAX : GATEWAY_MESSAGE_MAX,
    };

    memcpy(listen.secret_text, port->secret_text, sizeof(listen.secret_text));
    gateway_process_put(gate->processes[gateway],
                        (struct gateway_header){ .type = GATEWAY_LISTEN, .port = (uint8_t)i }, &listen,
                        sizeof(listen), port->listener);
    explicit_bzero(&listen, sizeof(listen));
}

static void on_started(void *context, unsigned gateway)
{
    struct gate *gate = context;

    for (size_t i = 0; i < GATEWAY_PORTS_MAX; i++)
        if (gate->ports[i].server != NULL)
            put_port(gate, gateway, i);
}

static void on_ended(void *context, unsigned gateway)
{
    struct gate *gate = context;

    blame_death(&gate->blame, gateway, loop_monotonic_ms());
    handshakes_forget(&gate->handshakes, gateway);
    forget_all(gate, gateway, NULL);
}

/* --- ports ---------------------------------------------------------------------- */

int gate_add_port(struct gate *gate, struct channel_server *server, enum gate_policy policy, int listener,
                  const char *secret_text)
{
    /* The number of a removed port is used again as late as possible: frames about its last server may be in
     * transit. */
    for (size_t n = 0; n < GATEWAY_PORTS_MAX; n++) {
        size_t i = gate->next_port++ % GATEWAY_PORTS_MAX;

        if (gate->ports[i].server != NULL)
            continue;
        gate->ports[i] = (struct port){ server, policy, listener, secret_text };
        for (unsigned gateway = 0; gateway < gate->gateways; gateway++)
            put_port(gate, gateway, i);
        return (int)i;
    }
    return -ENOSPC;
}

void gate_remove_port(struct gate *gate, int number)
{
    struct port *port = &gate->ports[number];

    for (unsigned i = 0; i < GATEWAYS_MAX; i++)
        forget_all(gate, i, port->server);
    for (unsigned i = 0; i < gate->gateways; i++) {
        gateway_process_put(gate->processes[i],
                            (struct gateway_header){ .type = GATEWAY_UNLISTEN, .port = (uint8_t)number },
                            NULL, 0, -1);
        gateway_process_flush(gate->processes[i]);
    }
    *port = (struct port){ .server = NULL };
}

/* --- creation and destruction --------------------------------------------------- */

int gate_new(struct loop *loop, struct keys *keys, const struct gate_limits *limits, unsigned gateways,
             struct gate **ret, struct err *err)
{
    static const struct gateway_events events = { on_started, on_frame, on_ended };
    struct gate *gate = mem_new0(struct gate);

    gate->loop = loop;
    gate->admission.keys = keys;
    gate->limits = limits != NULL ? *limits : GATE_LIMITS_DEFAULT;
    TAILQ_INIT(&gate->judged);
    handshakes_init(&gate->handshakes);
    for (unsigned i = 0; i < gateways && i < GATEWAYS_MAX; i++) {
        int r = gateway_process_new(loop, i, &gate->limits, &events, gate, &gate->processes[i], err);

        if (r < 0) {
            gate_free(gate);
            return r;
        }
        gate->gateways = i + 1;
    }
    gate->judge_timer = loop_add_timer(loop, JUDGE_MS, judge_again, gate);
    *ret = gate;
    return 0;
}

void gate_find_masters(struct gate *gate, gate_master_fn *find_master, void *context)
{
    gate->admission.find_master = find_master;
    gate->admission.context = context;
}

void gate_set_lookup(struct gate *gate, gate_lookup_fn *lookup, void *context)
{
    gate->admission.lookup = lookup;
    gate->admission.lookup_context = context;
}

void gate_free(struct gate *gate)
{
    if (gate == NULL)
        return;
    loop_cancel_timer(gate->loop, gate->judge_timer);
    for (unsigned i = 0; i < GATEWAYS_MAX; i++) {
        gateway_process_free(gate->processes[i]);
        forget_all(gate, i, NULL);
    }
    handshakes_clear(&gate->handshakes);
    free(gate);
}
