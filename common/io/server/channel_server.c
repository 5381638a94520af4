/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel_server.c - server side of a channel: passes requests to the port's owner, replies to peers
 *
 * The gateways (gateway_pool.h) communicate with the network. This file gets the bytes of peers whose key
 * was admitted.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/channel/channel.h"
#include "common/io/loop/log.h"
#include "common/io/server/gateway_pool.h"
#include "common/io/server/guests.h"
#include "common/io/server/listener.h"

struct channel_server {
    struct gateway_pool *pool;
    int listener;
    int port; /* TCP port */
    int pool_port;
    char secret_text[KEY_TEXT];
    enum admission_policy policy;
    channel_server_fn *fn;
    void *context;
    struct connection *by_number;
    uint64_t next_number;
    struct log_limit complaints;
    bool receiving, closing; /* RECEIVING: in a callback; CLOSING: freed inside that callback */
};

/* --- connections ------------------------------------------------------------ */

static void on_opened(struct channel_server *server, struct connection *connection)
{
    connection->number = ++server->next_number;
    HASH_ADD(hh_number, server->by_number, number, sizeof(connection->number), connection);
}

static void on_closed(struct channel_server *server, struct connection *connection)
{
    HASH_DELETE(hh_number, server->by_number, connection);
}

/* --- sending ---------------------------------------------------------------- */

static bool send_error(struct channel_server *server, struct connection *connection, uint64_t request_id,
                       Creel__ErrorCode code, char *text)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;
    uint8_t *bytes;
    size_t size;
    bool sent;

    error.code = code;
    error.message = text;
    envelope.request_id = request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    wire_encode(&envelope, &bytes, &size);
    sent = gateway_pool_send(server->pool, connection, bytes, size);
    free(bytes);
    return sent;
}

static struct connection *find(struct channel_server *server, uint64_t number)
{
    struct connection *connection;

    HASH_FIND(hh_number, server->by_number, &number, sizeof(number), connection);
    return connection;
}

const char *channel_server_address(struct channel_server *server, uint64_t number)
{
    const struct connection *connection = find(server, number);

    return connection != NULL ? connection->address : "";
}

const char *channel_server_method(struct channel_server *server, uint64_t number)
{
    const struct connection *connection = find(server, number);

    if (connection == NULL)
        return "";
    switch (connection->admitted) {
    case ADMITTED_SIGNED_IN:
        return "munge";
    case ADMITTED_USER:
        return "certificate";
    case ADMITTED_JOB:
        return "job";
    default:
        return "";
    }
}

bool channel_server_send(struct channel_server *server, uint64_t number, Creel__Envelope *envelope)
{
    struct connection *connection = find(server, number);
    scoped_free uint8_t *bytes = NULL;
    struct err err;
    size_t size;
    int rc;

    if (connection == NULL)
        return false;
    rc = wire_pack(envelope, &bytes, &size, &err);
    if (rc == 0)
        return gateway_pool_send(server->pool, connection, bytes, size);
    /* The peer waits for a reply: send an error instead. */
    log_line(LOG_LEVEL_ERROR, "%s to %s: not sent: %s", wire_body_name(envelope->body_case), connection->name,
             err.text);
    if (envelope->request_id != 0)
        send_error(server, connection, envelope->request_id,
                   rc == -EMSGSIZE ? CREEL__ERROR_CODE__ERROR_TOO_LARGE : CREEL__ERROR_CODE__ERROR_UNKNOWN,
                   err.text);
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

/* --- may a request be answered now ------------------------------------------- */

#define UNLIMITED SIZE_MAX

/* Returns how many bytes the owner of a peer may have to read when a request of KIND is answered. A kind
 * that is not listed may have a long answer. */
static size_t unread_max(Creel__Envelope__BodyCase kind)
{
    switch (kind) {
    case CREEL__ENVELOPE__BODY_FINISH_AM: /* the answers of these are short whatever the request has in it */
    case CREEL__ENVELOPE__BODY_STOP_CONTAINERS:
    case CREEL__ENVELOPE__BODY_SIGNAL_CONTAINER:
    case CREEL__ENVELOPE__BODY_START_EXEC:
    case CREEL__ENVELOPE__BODY_WRITE_EXEC:
    case CREEL__ENVELOPE__BODY_END_EXEC:
    case CREEL__ENVELOPE__BODY_NEW_APP:
    case CREEL__ENVELOPE__BODY_PUT_BLOB:
    case CREEL__ENVELOPE__BODY_KILL_APP:
    case CREEL__ENVELOPE__BODY_SET_QUEUE_STATE:
    case CREEL__ENVELOPE__BODY_JOIN_NODE:
    case CREEL__ENVELOPE__BODY_SIGN_IN:
    case CREEL__ENVELOPE__BODY_GET_IDENTITY:
        return UNLIMITED;
    case CREEL__ENVELOPE__BODY_REGISTER_NODE: /* queries that nobody reads must not end nodes and attempts */
    case CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS:
    case CREEL__ENVELOPE__BODY_HEARTBEAT:
    case CREEL__ENVELOPE__BODY_REGISTER_AM:
    case CREEL__ENVELOPE__BODY_ALLOCATE:
    case CREEL__ENVELOPE__BODY_START_CONTAINERS:
        return GATEWAY_OWNER_ALIVE_MAX;
    case CREEL__ENVELOPE__BODY_GET_BLOB: /* contents of files and logs: all others of the owner come first */
    case CREEL__ENVELOPE__BODY_READ_LOG:
        return GATEWAY_OWNER_BULK_MAX;
    default:
        return GATEWAY_OWNER_UNREAD_MAX;
    }
}

static int may_answer(struct channel_server *server, const struct connection *connection,
                      Creel__Envelope__BodyCase kind, struct err *err)
{
    size_t most = unread_max(kind);

    return most == UNLIMITED ? 0 : gateway_pool_may_answer(server->pool, connection, most, err);
}

/* Returns true if the callback lets a request of KIND wait until it may be answered. */
static bool may_wait(Creel__Envelope__BodyCase kind)
{
    return kind == CREEL__ENVELOPE__BODY_READ_LOG;
}

int channel_server_may_answer(struct channel_server *server, uint64_t number, Creel__Envelope__BodyCase kind,
                              struct err *err)
{
    const struct connection *connection = find(server, number);

    return connection != NULL ? may_answer(server, connection, kind, err) : -ENOTCONN;
}

/* --- receiving -------------------------------------------------------------- */

/* Logs a problem once for each connection. Messages of a peer that reconnects are on new connections, so the
 * log is limited for the server, too. */
static void complain(struct channel_server *server, struct connection *connection, const char *what)
{
    char more[LOG_MORE_MAX];

    if (connection->complained || !log_limit_pass(&server->complaints, more))
        return;
    connection->complained = true;
    log_line(LOG_LEVEL_WARN, "%s at %s: %s%s", connection->name, connection->address, what, more);
}

static void destroy(struct channel_server *server)
{
    close(server->listener);
    explicit_bzero(server->secret_text, sizeof(server->secret_text));
    free(server);
}

static struct peer peer_of(const struct channel_server *server, const struct connection *connection)
{
    bool joins = connection->admitted == ADMITTED_JOIN, guest = connection->admitted == ADMITTED_GUEST;
    bool job = connection->admitted == ADMITTED_JOB;
    bool anonymous =
        joins || guest || job || server->policy == ADMISSION_ANY || server->policy == ADMISSION_LOOKUP;

    return (struct peer){
        .connection = connection->number,
        .principal = anonymous ? "" : connection->name,
        .key = connection->key,
        .guest = guest,
        .join_token = joins ? connection->name : NULL,
        .job = job ? connection->name : NULL,
        .address = connection->address,
    };
}

static void serve(struct channel_server *server, struct connection *connection,
                  const Creel__Envelope *envelope)
{
    const struct peer peer = peer_of(server, connection);
    struct err err = { 0 };
    int r = may_wait(envelope->body_case) ? 0 : may_answer(server, connection, envelope->body_case, &err);
    if (r < 0) {
        send_error(server, connection, envelope->request_id, wire_error_from_errno(r), err.text);
        return;
    }
    server->receiving = true;
    server->fn(server->context, &peer, envelope);
    server->receiving = false;
    if (server->closing)
        destroy(server);
}

/* Notes an agent whose messages have a version that this build does not know: it cannot register. */
static void note_version(struct channel_server *server, const struct connection *connection, const char *text)
{
    const struct peer peer = peer_of(server, connection);
    scoped_free char *reason = mem_printf("its agent is of another version: %s", text);

    if (server->policy == ADMISSION_AGENTS)
        gateway_pool_note_registration(server->pool, &peer, reason);
}

static void on_received(struct channel_server *server, struct connection *connection, unsigned count,
                        const uint8_t *bytes, size_t size)
{
    Creel__Envelope *envelope;
    uint64_t request_id = 0;
    struct err err;
    int rc;

    gateway_pool_welcome(server->pool, connection);
    if (connection->admitted == ADMITTED_GUEST && size > GUEST_MESSAGE_MAX) {
        /* not decoded, since that may take much memory */
        send_error(server, connection, wire_scan_request_id(bytes, size), CREEL__ERROR_CODE__ERROR_SIGN_IN,
                   (char *)(uintptr_t) "the resource manager does not know this key");
        return;
    }
    if (count == 1)
        rc = wire_decode(bytes, size, &envelope, &request_id, &err);
    else
        rc = err_set(&err, EBADMSG, "message of %u frames, must be of one", count);
    if (rc < 0) {
        complain(server, connection, err.text);
        if (rc == -EPROTONOSUPPORT)
            note_version(server, connection, err.text);
        send_error(server, connection, request_id, wire_error_from_errno(rc), err.text);
        return;
    }
    serve(server, connection, envelope);
    wire_free(envelope);
}

/* --- creation and destruction ----------------------------------------------- */

static const struct port_events events = { on_opened, on_closed, on_received };

int channel_server_new(struct gateway_pool *pool, const char *address, enum admission_policy policy,
                       const struct key *own, channel_server_fn *fn, void *context,
                       struct channel_server **ret, struct err *err)
{
    struct channel_server *server;
    int listener, port;

    if (strlen(own->secret_text) != KEY_TEXT - 1)
        return err_set(err, EINVAL, "%s: listening there needs a secret key", address);
    listener = listener_open(address, &port, err);
    if (listener < 0)
        return listener;
    server = mem_new0(struct channel_server);
    server->pool = pool;
    server->listener = listener;
    server->port = port;
    memcpy(server->secret_text, own->secret_text, KEY_TEXT);
    server->policy = policy;
    server->fn = fn;
    server->context = context;
    server->pool_port = gateway_pool_add_port(pool, &(struct port){ .server = server,
                                                                    .events = &events,
                                                                    .policy = policy,
                                                                    .listener = listener,
                                                                    .secret_text = server->secret_text });
    if (server->pool_port < 0) {
        destroy(server);
        return err_set(err, ENOSPC, "%s: this program listens on %d ports already", address,
                       GATEWAY_PORTS_MAX);
    }
    *ret = server;
    return 0;
}

void channel_server_free(struct channel_server *server)
{
    if (server == NULL)
        return;
    gateway_pool_remove_port(server->pool, server->pool_port);
    server->closing = true;
    if (!server->receiving)
        destroy(server);
}

int channel_server_port(const struct channel_server *server)
{
    return server->port;
}
