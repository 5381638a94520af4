/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel_server.c - a ROUTER behind the gate
 *
 * A connection's number stands for a routing id that the ROUTER made up itself
 * (five bytes, the first 0, the others random at the start) and the name that
 * the gate gave. A peer that brings an id of its own is refused, and ids are not
 * handed over, so nobody can step into another's place. ROUTER does not tell when
 * a peer goes: a number dies when a send finds nobody, or after long silence.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <czmq.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/channel.h"
#include "common/io/channel_socket.h"
#include "common/io/endpoint.h"
#include "common/io/gate.h"
#include "common/io/log.h"
#include "common/io/loop_socket.h"
#include "common/io/outbox.h"
#include "common/io/port_owner.h"

#define ROUTING_ID_BYTES 5
#define ZAP_ENFORCE_DOMAIN 93           /* stable in the library, named in draft headers only */
#define BACKLOG 4096
/* Of each peer, so a peer that does not read or floods costs this much at most (with the
 * longest messages: 64 MiB each way, see outbox.h). */
#define SEND_QUEUE 256
#define RECEIVE_QUEUE 4
#define LAST_WORDS_MS 500               /* for replies that are queued when the server goes */
#define SILENCE_MS (60 * 60 * 1000)
#define SILENCE_CROWDED_MS (60 * 1000)
#define CROWDED 65536u

struct connection {
    uint64_t number;
    uint8_t id[ROUTING_ID_BYTES];
    char *user_id;                      /* as the gate named it */
    struct outbox *outbox;
    bool complained;                    /* of nonsense from it, in the log */
    int64_t used_ms;
    UT_hash_handle hh_id, hh_number;
    TAILQ_ENTRY(connection) link;       /* longest unused first */
};

TAILQ_HEAD(connection_list, connection);

struct channel_server {
    struct loop *loop;
    zsock_t *sock;
    void *raw;
    struct loop_socket *watch;
    char *address;
    int port;
    enum gate_policy policy;
    channel_server_fn *fn;
    void *context;
    struct connection *by_id, *by_number;
    struct connection_list by_use;
    uint64_t next_number;
    struct log_limit complaints;
    bool receiving, closing;            /* freed inside its own callback */
};

/* --- connections ------------------------------------------------------------ */

static void forget(struct channel_server *server, struct connection *connection)
{
    HASH_DELETE(hh_id, server->by_id, connection);
    HASH_DELETE(hh_number, server->by_number, connection);
    TAILQ_REMOVE(&server->by_use, connection, link);
    outbox_free(connection->outbox);
    free(connection->user_id);
    free(connection);
}

static void forget_silent(struct channel_server *server, int64_t now_ms)
{
    struct connection *oldest;

    while ((oldest = TAILQ_FIRST(&server->by_use)) != NULL) {
        bool crowded = HASH_CNT(hh_number, server->by_number) > CROWDED;

        if (now_ms - oldest->used_ms < (crowded ? SILENCE_CROWDED_MS : SILENCE_MS))
            break;
        forget(server, oldest);
    }
}

static void touch(struct channel_server *server, struct connection *connection)
{
    connection->used_ms = loop_monotonic_ms();
    TAILQ_REMOVE(&server->by_use, connection, link);
    TAILQ_INSERT_TAIL(&server->by_use, connection, link);
}

/* The connection that a message with this routing id and name came over. */
static struct connection *connection_of(struct channel_server *server, const uint8_t *id,
                                        const char *user_id)
{
    struct connection *connection;

    HASH_FIND(hh_id, server->by_id, id, ROUTING_ID_BYTES, connection);
    if (connection != NULL && strcmp(connection->user_id, user_id) == 0) {
        touch(server, connection);
        return connection;
    }
    if (connection != NULL)
        forget(server, connection);
    connection = mem_new0(struct connection);
    connection->number = ++server->next_number;
    memcpy(connection->id, id, ROUTING_ID_BYTES);
    connection->user_id = mem_strdup(user_id);
    connection->outbox = outbox_new();
    connection->used_ms = loop_monotonic_ms();
    HASH_ADD(hh_id, server->by_id, id, ROUTING_ID_BYTES, connection);
    HASH_ADD(hh_number, server->by_number, number, sizeof(connection->number), connection);
    TAILQ_INSERT_TAIL(&server->by_use, connection, link);
    forget_silent(server, connection->used_ms);
    return connection;
}

/* --- sending ---------------------------------------------------------------- */

/* BYTES are malloc'ed and taken over. */
static bool send_bytes(struct channel_server *server, struct connection *connection,
                       uint8_t *bytes, size_t size)
{
    if (!outbox_has_room(connection->outbox, size)) {
        free(bytes);
        return false;
    }
    if (zmq_send(server->raw, connection->id, ROUTING_ID_BYTES, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
        if (zmq_errno() == EHOSTUNREACH)
            forget(server, connection);
        free(bytes);
        return false;
    }
    touch(server, connection);
    return outbox_send(connection->outbox, server->raw, bytes, size);
}

static bool send_error(struct channel_server *server, struct connection *connection,
                       uint64_t request_id, Creel__ErrorCode code, char *text)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;
    uint8_t *bytes;
    size_t size;

    error.code = code;
    error.message = text;
    envelope.request_id = request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    wire_encode(&envelope, &bytes, &size);
    return send_bytes(server, connection, bytes, size);
}

static struct connection *find(struct channel_server *server, uint64_t number)
{
    struct connection *connection;

    HASH_FIND(hh_number, server->by_number, &number, sizeof(number), connection);
    return connection;
}

bool channel_server_send(struct channel_server *server, uint64_t number,
                         Creel__Envelope *envelope)
{
    struct connection *connection = find(server, number);
    uint8_t *bytes;
    struct err err;
    size_t size;
    int rc;

    if (connection == NULL)
        return false;
    rc = wire_pack(envelope, &bytes, &size, &err);
    if (rc == 0)
        return send_bytes(server, connection, bytes, size);
    /* The peer waits for an answer: say at least that there is none. */
    log_line(LOG_LEVEL_ERROR, "%s to %s: not sent: %s", wire_body_name(envelope->body_case),
             connection->user_id, err.text);
    if (envelope->request_id != 0)
        send_error(server, connection, envelope->request_id,
                   rc == -EMSGSIZE ? CREEL__ERROR_CODE__ERROR_TOO_LARGE :
                   CREEL__ERROR_CODE__ERROR_UNKNOWN, err.text);
    return false;
}

void channel_server_refuse(struct channel_server *server, uint64_t number, uint64_t request_id,
                           Creel__ErrorCode code, const char *format, ...)
{
    struct connection *connection = find(server, number);
    char text[ERR_TEXT_MAX];
    va_list args;

    if (connection == NULL)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    send_error(server, connection, request_id, code, text);
}

/* --- receiving -------------------------------------------------------------- */

/* Once for a connection; and what a peer left behind that went makes a new one each. */
static void complain(struct channel_server *server, struct connection *connection,
                     const char *address, const char *what)
{
    char more[LOG_MORE_MAX];

    if (connection->complained || !log_limit_pass(&server->complaints, more))
        return;
    connection->complained = true;
    log_line(LOG_LEVEL_WARN, "%s at %s: %s%s", connection->user_id, address, what, more);
}

static void complain_of_id(struct channel_server *server, const char *address)
{
    char more[LOG_MORE_MAX];

    if (log_limit_pass(&server->complaints, more))
        log_line(LOG_LEVEL_WARN, "connection from %s: ignored, it brings a routing id of its "
                 "own%s", address, more);
}

static void handle(struct channel_server *server, struct connection *connection,
                   zmq_msg_t *frame, size_t frames, const char *address)
{
    struct peer peer = {
        .connection = connection->number,
        .principal = server->policy == GATE_ANY ? "" : connection->user_id,
        .address = address,
    };
    Creel__Envelope *envelope;
    uint64_t request_id = 0;
    struct err err;
    int rc;

    if (frames == 1)
        rc = wire_decode(zmq_msg_data(frame), zmq_msg_size(frame), &envelope, &request_id, &err);
    else
        rc = err_set(&err, EBADMSG, "message of %zu frames, must be of one", frames);
    if (rc < 0) {
        complain(server, connection, address, err.text);
        send_error(server, connection, request_id, wire_error_from_errno(rc), err.text);
        return;
    }
    server->fn(server->context, &peer, envelope);
    wire_free(envelope);
}

static const char *property_of(zmq_msg_t *frame, const char *name)
{
    const char *value = zmq_msg_gets(frame, name);

    return value != NULL ? value : "";
}

/* One message; false if there is none. */
static bool receive_one(struct channel_server *server)
{
    zmq_msg_t id, frame;
    size_t frames = 0;
    bool more;

    zmq_msg_init(&id);
    if (zmq_msg_recv(&id, server->raw, ZMQ_DONTWAIT) < 0) {
        zmq_msg_close(&id);
        return false;
    }
    zmq_msg_init(&frame);
    more = zmq_msg_more(&id) != 0;
    if (more)
        frames = channel_socket_receive(server->raw, &frame);
    if (zmq_msg_size(&id) == ROUTING_ID_BYTES && *(uint8_t *)zmq_msg_data(&id) == 0) {
        const char *user_id = property_of(&frame, "User-Id");
        struct connection *connection = connection_of(server, zmq_msg_data(&id), user_id);

        handle(server, connection, &frame, frames, property_of(&frame, "Peer-Address"));
    } else {
        /* Nothing of ours names itself; without a connection there is no reply. */
        complain_of_id(server, property_of(&frame, "Peer-Address"));
    }
    zmq_msg_close(&frame);
    zmq_msg_close(&id);
    return true;
}

static void destroy(struct channel_server *server)
{
    struct connection *connection;

    while ((connection = TAILQ_FIRST(&server->by_use)) != NULL)
        forget(server, connection);
    channel_socket_set(server->raw, ZMQ_LINGER, LAST_WORDS_MS);
    zsock_destroy(&server->sock);
    free(server->address);
    free(server);
}

static void receive(void *context)
{
    struct channel_server *server = context;

    server->receiving = true;
    for (unsigned i = 0; i < CHANNEL_TURN_MAX && !server->closing; i++)
        if (!receive_one(server))
            break;
    server->receiving = false;
    if (server->closing)
        destroy(server);
}

/* --- life ------------------------------------------------------------------- */

static void prepare(struct channel_server *server, const struct key *own, bool ipv6)
{
    channel_socket_prepare(server->raw);
    channel_socket_set(server->raw, ZMQ_ROUTER_MANDATORY, 1);
    channel_socket_set(server->raw, ZMQ_SNDHWM, SEND_QUEUE);
    channel_socket_set(server->raw, ZMQ_RCVHWM, RECEIVE_QUEUE);
    channel_socket_set(server->raw, ZMQ_BACKLOG, BACKLOG);
    channel_socket_set(server->raw, ZMQ_IPV6, ipv6);
    channel_socket_set(server->raw, ZMQ_CURVE_SERVER, 1);
    channel_socket_set_text(server->raw, ZMQ_CURVE_SECRETKEY, own->secret_text);
    channel_socket_set_text(server->raw, ZMQ_ZAP_DOMAIN, gate_domain(server->policy));
    channel_socket_set(server->raw, ZAP_ENFORCE_DOMAIN, 1);
}

static int bind_socket(struct channel_server *server, const char *endpoint, int port,
                       struct err *err)
{
    char bound[256], owner[128];
    size_t size = sizeof(bound);
    const char *colon;
    int code, rc;

    if (zmq_bind(server->raw, endpoint) < 0) {
        code = zmq_errno();
        if (code == EADDRINUSE && port_owner_find(port, owner, sizeof(owner)))
            return err_set(err, code, "%s: the port is in use by %s: stop it or choose another "
                           "port", server->address, owner);
        if (code == EADDRINUSE)
            return err_set(err, code, "%s: the port is in use: choose another port",
                           server->address);
        return err_set(err, code, "%s: cannot listen there: %s", server->address,
                       zmq_strerror(code));
    }
    rc = zmq_getsockopt(server->raw, ZMQ_LAST_ENDPOINT, bound, &size);
    colon = strrchr(bound, ':');
    assert(rc == 0 && colon != NULL);
    server->port = (int)strtol(colon + 1, NULL, 10);
    return 0;
}

int channel_server_new(struct loop *loop, const char *address, enum gate_policy policy,
                       const struct key *own, channel_server_fn *fn, void *context,
                       struct channel_server **ret, struct err *err)
{
    char host[ENDPOINT_HOST_MAX], endpoint[ENDPOINT_TEXT_MAX + 16];
    struct channel_server *server;
    bool ipv6;
    int port, rc;

    rc = endpoint_parse(address, -1, host, sizeof(host), &port, err);
    if (rc < 0)
        return rc;
    if (strlen(own->secret_text) != KEY_TEXT - 1)
        return err_set(err, EINVAL, "%s: listening there needs a secret key", address);
    rc = channel_socket_look_up(host, port, true, endpoint, sizeof(endpoint), &ipv6, err);
    if (rc < 0) {
        err_prefix(err, "%s", address);
        return rc;
    }
    loop_socket_prepare_process();
    server = mem_new0(struct channel_server);
    server->loop = loop;
    server->address = mem_strdup(address);
    server->policy = policy;
    server->fn = fn;
    server->context = context;
    TAILQ_INIT(&server->by_use);
    server->sock = zsock_new(ZMQ_ROUTER);
    server->raw = zsock_resolve(server->sock);
    prepare(server, own, ipv6);
    rc = bind_socket(server, endpoint, port, err);
    if (rc < 0) {
        destroy(server);
        return rc;
    }
    server->watch = loop_socket_add(loop, server->raw, receive, server);
    *ret = server;
    return 0;
}

void channel_server_free(struct channel_server *server)
{
    if (server == NULL)
        return;
    loop_socket_remove(server->watch);
    server->closing = true;
    if (!server->receiving)
        destroy(server);
}

int channel_server_port(const struct channel_server *server)
{
    return server->port;
}
