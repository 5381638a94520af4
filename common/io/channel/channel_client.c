/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel_client.c - client side of a channel: a DEALER socket that knows the state of its connection
 *
 * libzmq does not report refused connections, so a monitor on the socket distinguishes "no server", "wrong
 * keys" and "no reply". Messages are accepted only while there is a connection (ZMQ_IMMEDIATE): an old
 * message of an agent must not arrive when the resource manager returns an hour later. libzmq stops after a
 * refused handshake; this file connects again, since a certificate may be added meanwhile.
 */
#include <assert.h>
#include <czmq.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/mem.h"
#include "common/io/channel/channel.h"
#include "common/io/channel/channel_probe.h"
#include "common/io/channel/channel_socket.h"
#include "common/io/loop/log.h"
#include "common/io/loop/loop_socket.h"
#include "common/io/wire/endpoint.h"

#define QUEUE 1000
#define NO_ROOM 500 /* GATEWAY_NO_ROOM, as a number */
#define RECONNECT_MS 100
#define RECONNECT_MS_MOST 5000
#define CONNECT_TIMEOUT_MS 5000
#define HEARTBEAT_MS 5000 /* interval of ZMTP pings, which detect a host that is down */
#define HEARTBEAT_TIMEOUT_MS 15000
#define FAILURES_TELLING \
    3 /* number of consecutive handshakes cut off by the peer that mean wrong
         keys, not a restart of the server */

enum link_state {
    LINK_NEVER,   /* no server found so far */
    LINK_SHAKING, /* TCP connected, handshake in progress */
    LINK_READY,
    LINK_LOST,    /* was LINK_READY before */
    LINK_CUT,     /* the peer closes the connection during the handshake: the server has another
                     key */
    LINK_FOREIGN, /* the peer uses another protocol */
    LINK_REFUSED, /* the peer refuses the client's key */
    LINK_FULL,    /* the peer has no free connection for this address */
};

struct channel_client {
    struct loop *loop; /* NULL: used by channel_client_call alone */
    zsock_t *sock, *monitor;
    void *raw, *monitor_raw;
    struct loop_socket *watch, *monitor_watch;
    char *address, *endpoint;
    char *program, *hint; /* for messages: "creel-rm", "--rm HOST:PORT" */
    channel_client_fn *fn;
    void *context;
    enum link_state state;
    unsigned failures; /* consecutive failed handshakes */
    unsigned losses;   /* connections lost so far */
    uint64_t next_request_id;
    int retry_timer;
    int interrupt_fd; /* borrowed; calls end when it is readable; -1: none */
    bool complained;
    bool needs_listener;     /* a call ends if no program listens */
    bool receiving, closing; /* RECEIVING: in a callback; CLOSING: freed inside that callback */
};

/* --- events of the monitor --------------------------------------------------- */

static void connect_again(void *context)
{
    struct channel_client *client = context;

    client->retry_timer = 0;
    /* Fails if libzmq has closed the connection already. */
    zmq_disconnect(client->raw, client->endpoint);
    zmq_connect(client->raw, client->endpoint);
}

static bool gave_up(const struct channel_client *client)
{
    return client->state == LINK_REFUSED || client->state == LINK_FOREIGN || client->state == LINK_FULL;
}

static void fail(struct channel_client *client, enum link_state state)
{
    int64_t delay_ms = (int64_t)RECONNECT_MS << (client->failures < 6 ? client->failures : 6);

    client->failures++;
    /* A peer that stops during the handshake also cuts the connection, but not three times. */
    if (state == LINK_CUT && client->failures < FAILURES_TELLING)
        state = LINK_NEVER;
    client->state = state;
    if (client->loop != NULL && gave_up(client) && client->retry_timer == 0)
        client->retry_timer = loop_add_timer(
            client->loop, delay_ms < RECONNECT_MS_MOST ? delay_ms : RECONNECT_MS_MOST, connect_again, client);
}

/* VALUE is that of libzmq's event, which depends on its kind. */
static void note_event(struct channel_client *client, int event, uint32_t value)
{
    switch (event) {
    case ZMQ_EVENT_CONNECTED:
        if (client->failures == 0)
            client->state = LINK_SHAKING;
        break;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        client->state = LINK_READY;
        client->failures = 0;
        break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        fail(client, LINK_CUT);
        break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
        fail(client, LINK_FOREIGN);
        break;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
        fail(client, value == NO_ROOM ? LINK_FULL : LINK_REFUSED);
        break;
    case ZMQ_EVENT_DISCONNECTED:
        if (client->state == LINK_READY) {
            client->state = LINK_LOST;
            client->losses++;
        }
        break;
    default:
        break;
    }
}

static void read_monitor(void *context)
{
    struct channel_client *client = context;
    zmq_msg_t frame;

    zmq_msg_init(&frame);
    while (channel_socket_receive(client->monitor_raw, &frame) > 0) {
        uint16_t event;
        uint32_t value;

        if (zmq_msg_size(&frame) < sizeof(event) + sizeof(value))
            continue;
        memcpy(&event, zmq_msg_data(&frame), sizeof(event));
        memcpy(&value, (const char *)zmq_msg_data(&frame) + sizeof(event), sizeof(value));
        note_event(client, event, value);
    }
    zmq_msg_close(&frame);
}

/* Names all causes. The port of a process that is stopped or has no gateway is open, and the kernel accepts
 * connections to it. */
static int fail_shaking(const struct channel_client *client, const char *before, const char *hint,
                        const char *after, struct err *err)
{
    const char *program = client->program;

    if (program == NULL)
        return err_set(
            err, ENOTCONN,
            "%s: connected, but the server does not begin the handshake: it may be stopped, wait for a "
            "disk, or fail to start its gateways, or another program has this port%s%s%s",
            client->address, before, hint, after);
    return err_set(
        err, ENOTCONN,
        "%s: connected, but the server does not begin the handshake: %s may be stopped, wait for a disk, "
        "or fail to start its gateways (on its host: systemctl status %s; ps -o stat= -C %s; journalctl "
        "-u %s -p err), or another program has this port%s%s%s",
        client->address, program, program, program, program, before, hint, after);
}

int channel_client_state(struct channel_client *client, struct err *err)
{
    const char *program = client->program != NULL ? client->program : "the daemon";
    const char *hint = client->hint != NULL ? client->hint : "";
    const char *before = client->hint != NULL ? " (another: " : "";
    const char *after = client->hint != NULL ? ")" : "";
    char reason[128];

    read_monitor(client);
    switch (client->state) {
    case LINK_READY:
        return 0;
    case LINK_NEVER:
    case LINK_LOST:
        channel_probe(client->address, reason, sizeof(reason));
        return err_set(err, ENOTCONN, "%s: %s%s; is %s running there?%s%s%s", client->address,
                       client->state == LINK_LOST ? "connection lost, " : "", reason, program, before, hint,
                       after);
    case LINK_SHAKING:
        return fail_shaking(client, before, hint, after, err);
    case LINK_CUT:
        return err_set(err, EACCES,
                       "%s: the server does not have the key expected of %s; "
                       "does it belong to another cluster? compare the key directories%s%s%s",
                       client->address, program, before, hint, after);
    case LINK_FOREIGN:
        return err_set(err, EACCES, "%s: the server there is not %s%s%s%s", client->address, program, before,
                       hint, after);
    case LINK_FULL:
        return err_set(
            err, EAGAIN,
            "%s: the server has no free connection for the address of this host: too many connections "
            "from it, or in all; the log of %s names the address",
            client->address, program);
    case LINK_REFUSED:
        return err_set(err, EACCES,
                       "%s: %s refused our key; is our public certificate in its key "
                       "directory?",
                       client->address, program);
    }
    return 0;
}

bool channel_client_key_is_refused(struct channel_client *client)
{
    read_monitor(client);
    return client->state == LINK_REFUSED;
}

bool channel_client_is_refused(struct channel_client *client)
{
    return channel_client_key_is_refused(client) && client->failures >= CHANNEL_REFUSALS;
}

unsigned channel_client_losses(struct channel_client *client)
{
    read_monitor(client);
    return client->losses;
}

/* --- sending and receiving ---------------------------------------------------- */

static int send_envelope(struct channel_client *client, Creel__Envelope *envelope, struct err *err)
{
    scoped_free uint8_t *bytes = NULL;
    size_t size;
    int rc = wire_pack(envelope, &bytes, &size, err);

    if (rc < 0)
        return rc;
    /* libzmq still accepts messages for a connection that has ended, until it removes the connection. The
     * monitor reports the end, so read its events first; then nothing is sent before the next handshake. */
    read_monitor(client);
    if (client->state != LINK_READY || zmq_send(client->raw, bytes, size, ZMQ_DONTWAIT) < 0)
        return -EAGAIN;
    return 0;
}

bool channel_client_send(struct channel_client *client, Creel__Envelope *envelope)
{
    struct err err;
    int rc = send_envelope(client, envelope, &err);

    if (rc < 0 && rc != -EAGAIN)
        log_line(LOG_LEVEL_ERROR, "%s to %s: not sent: %s", wire_body_name(envelope->body_case),
                 client->address, err.text);
    return rc == 0;
}

/* Receives one message. Returns 0 if there is none, else 1; *ENVELOPE is NULL if the message was invalid. */
static int receive_one(struct channel_client *client, Creel__Envelope **envelope)
{
    struct err err;
    zmq_msg_t frame;
    size_t frames;
    int rc;

    *envelope = NULL;
    zmq_msg_init(&frame);
    frames = channel_socket_receive(client->raw, &frame);
    if (frames > 0) {
        rc = frames > 1 ? err_set(&err, EBADMSG, "message of %zu frames, must be of one", frames)
                        : wire_decode(zmq_msg_data(&frame), zmq_msg_size(&frame), envelope, NULL, &err);
        if (rc < 0 && !client->complained) {
            client->complained = true;
            log_line(LOG_LEVEL_WARN, "message from %s dropped: %s (logged once)", client->address, err.text);
        }
    }
    zmq_msg_close(&frame);
    return frames > 0;
}

static void destroy(struct channel_client *client)
{
    zmq_socket_monitor(client->raw, NULL, 0);
    zsock_destroy(&client->monitor);
    zsock_destroy(&client->sock);
    free(client->address);
    free(client->endpoint);
    free(client->program);
    free(client->hint);
    free(client);
}

static void receive(void *context)
{
    struct channel_client *client = context;
    int64_t end_ms = loop_monotonic_ms() + CHANNEL_TURN_MS;
    Creel__Envelope *envelope;

    client->receiving = true;
    for (unsigned i = 0; i < CHANNEL_TURN_MAX && !client->closing; i++) {
        if ((i > 0 && loop_monotonic_ms() >= end_ms) || !receive_one(client, &envelope))
            break;
        if (envelope != NULL)
            client->fn(client->context, envelope);
        wire_free(envelope);
    }
    client->receiving = false;
    if (client->closing)
        destroy(client);
}

/* --- request and reply --------------------------------------------------------- */

void channel_client_needs_listener(struct channel_client *client)
{
    client->needs_listener = true;
}

/* Returns an error if waiting any longer is useless. PROBE_MS: when to find out whether a program listens. */
static int check_link(struct channel_client *client, int64_t probe_ms, struct err *err)
{
    if (gave_up(client) || client->state == LINK_CUT)
        return channel_client_state(client, err);
    if (client->state == LINK_NEVER && loop_monotonic_ms() >= probe_ms &&
        channel_probe_is_refused(client->address)) {
        channel_client_state(client, err);
        if (err != NULL)
            err->code = ECONNREFUSED;
        return -ECONNREFUSED;
    }
    return 0;
}

static int report_timeout(struct channel_client *client, const Creel__Envelope *request, int64_t timeout_ms,
                          struct err *err)
{
    int rc = channel_client_state(client, err);

    if (rc == -EACCES)
        return rc;
    if (rc < 0) {
        if (err != NULL)
            err->code = ETIMEDOUT;
        return -ETIMEDOUT;
    }
    return err_set(err, ETIMEDOUT, "%s: connected, but no answer to %s within %.1f s", client->address,
                   wire_body_name(request->body_case), (double)timeout_ms / 1000);
}

static bool receive_reply(struct channel_client *client, uint64_t request_id, Creel__Envelope **reply)
{
    while (receive_one(client, reply)) {
        if (*reply != NULL && (*reply)->request_id == request_id)
            return true;
        wire_free(*reply);
    }
    return false;
}

/* Returns true if the wait was interrupted. */
static bool wait_for(struct channel_client *client, bool sent, int64_t left_ms)
{
    bool sending = !sent && client->state == LINK_READY;
    zmq_pollitem_t items[] = {
        { client->raw, -1, (short)(ZMQ_POLLIN | (sending ? ZMQ_POLLOUT : 0)), 0 },
        { client->monitor_raw, -1, ZMQ_POLLIN, 0 },
        { NULL, client->interrupt_fd, ZMQ_POLLIN, 0 },
    };

    /* The result does not matter: the caller checks all states again. */
    zmq_poll(items, client->interrupt_fd >= 0 ? 3 : 2, left_ms > INT_MAX ? INT_MAX : (long)left_ms);
    return client->interrupt_fd >= 0 && items[2].revents != 0;
}

void channel_client_set_interrupt(struct channel_client *client, int fd)
{
    client->interrupt_fd = fd;
}

int channel_client_call(struct channel_client *client, Creel__Envelope *request, int64_t timeout_ms,
                        Creel__Envelope **reply, struct err *err)
{
    int64_t begun_ms = loop_monotonic_ms(), end_ms = begun_ms + timeout_ms;
    int64_t probe_ms = client->needs_listener ? begun_ms + CHANNEL_LISTENER_MS : INT64_MAX;
    unsigned losses = 0;
    bool sent = false;

    assert(client->loop == NULL);
    read_monitor(client);
    if (gave_up(client))
        connect_again(client);
    if (client->failures > 0)
        client->state = LINK_NEVER;
    client->failures = 0;
    request->request_id = ++client->next_request_id;
    for (;;) {
        int64_t now_ms;
        int rc;

        if (sent && receive_reply(client, request->request_id, reply))
            return 0;
        read_monitor(client);
        /* A request sent over a lost connection must be sent again. */
        if (sent && losses != client->losses)
            sent = false;
        if (!sent) {
            rc = send_envelope(client, request, err);
            if (rc < 0 && rc != -EAGAIN)
                return rc;
            losses = client->losses;
            sent = rc == 0;
        }
        rc = check_link(client, probe_ms, err);
        if (rc < 0)
            return rc;
        now_ms = loop_monotonic_ms();
        if (now_ms >= end_ms)
            return report_timeout(client, request, timeout_ms, err);
        if (now_ms >= probe_ms)
            probe_ms = INT64_MAX;
        if (wait_for(client, sent, (probe_ms < end_ms ? probe_ms : end_ms) - now_ms))
            return err_set(err, EINTR, "interrupted");
    }
}

/* --- creation and destruction -------------------------------------------------- */

static void prepare(struct channel_client *client, const char *peer_key, const struct key *own, bool ipv6)
{
    channel_socket_prepare(client->raw);
    channel_socket_set(client->raw, ZMQ_IMMEDIATE, 1);
    channel_socket_set(client->raw, ZMQ_SNDHWM, QUEUE);
    channel_socket_set(client->raw, ZMQ_RCVHWM, QUEUE);
    channel_socket_set(client->raw, ZMQ_RECONNECT_IVL, RECONNECT_MS);
    channel_socket_set(client->raw, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MS_MOST);
    channel_socket_set(client->raw, ZMQ_CONNECT_TIMEOUT, CONNECT_TIMEOUT_MS);
    /* Clients with a loop have heartbeats or deadlines of their own. */
    if (client->loop == NULL) {
        channel_socket_set(client->raw, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
        channel_socket_set(client->raw, ZMQ_HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS);
    }
    channel_socket_set(client->raw, ZMQ_IPV6, ipv6);
    channel_socket_set_text(client->raw, ZMQ_CURVE_SERVERKEY, peer_key);
    channel_socket_set_text(client->raw, ZMQ_CURVE_PUBLICKEY, own->public_text);
    channel_socket_set_text(client->raw, ZMQ_CURVE_SECRETKEY, own->secret_text);
}

static void open_monitor(struct channel_client *client)
{
    scoped_free char *endpoint = NULL;
    unsigned long long name[2];
    int rc;

    /* libzmq keeps the monitor endpoint of a freed client for a moment, so each client gets a new name. */
    if (getrandom(name, sizeof(name), 0) != (ssize_t)sizeof(name))
        abort();
    endpoint = mem_printf("inproc://creel-monitor-%llx%llx", name[0], name[1]);
    rc = zmq_socket_monitor(client->raw, endpoint,
                            ZMQ_EVENT_CONNECTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                                ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                ZMQ_EVENT_HANDSHAKE_FAILED_AUTH);
    assert(rc == 0);
    client->monitor = zsock_new(ZMQ_PAIR);
    client->monitor_raw = zsock_resolve(client->monitor);
    /* No queue limit: at the limit libzmq's I/O thread would wait for this thread. */
    channel_socket_set(client->monitor_raw, ZMQ_RCVHWM, 0);
    rc = zmq_connect(client->monitor_raw, endpoint);
    assert(rc == 0);
}

static int check_keys(const char *address, const char *peer_key, const struct key *own, struct err *err)
{
    uint8_t bytes[32];

    if (strlen(peer_key) != KEY_TEXT - 1 || zmq_z85_decode(bytes, peer_key) == NULL)
        return err_set(err, EINVAL, "%s: the key expected of it is not a CURVE key", address);
    if (strlen(own->secret_text) != KEY_TEXT - 1)
        return err_set(err, EINVAL, "%s: connecting there needs a secret key", address);
    return 0;
}

int channel_client_new(struct loop *loop, const char *address, const char *peer_key, const struct key *own,
                       channel_client_fn *fn, void *context, struct channel_client **ret, struct err *err)
{
    char host[ENDPOINT_HOST_MAX], numeric[ENDPOINT_TEXT_MAX + 16], text[ENDPOINT_TEXT_MAX];
    struct channel_client *client;
    bool ipv6 = false;
    int port, rc;

    rc = endpoint_parse(address, -1, host, sizeof(host), &port, err);
    if (rc == 0)
        rc = check_keys(address, peer_key, own, err);
    if (rc < 0)
        return rc;
    loop_socket_prepare_process();
    /* The name is resolved again at each connection attempt, so a failure now is ignored. */
    channel_socket_look_up(host, port, false, numeric, sizeof(numeric), &ipv6, NULL);
    client = mem_new0(struct channel_client);
    client->interrupt_fd = -1;
    client->loop = loop;
    client->address = mem_strdup(address);
    client->endpoint = mem_printf("tcp://%s", endpoint_format(host, port, text));
    client->fn = fn;
    client->context = context;
    client->sock = zsock_new(ZMQ_DEALER);
    client->raw = zsock_resolve(client->sock);
    prepare(client, peer_key, own, ipv6);
    open_monitor(client);
    if (zmq_connect(client->raw, client->endpoint) < 0) {
        rc = err_set(err, EINVAL, "%s: cannot connect: %s", address, zmq_strerror(zmq_errno()));
        destroy(client);
        return rc;
    }
    if (loop != NULL) {
        client->watch = loop_socket_add(loop, client->raw, receive, client);
        client->monitor_watch = loop_socket_add(loop, client->monitor_raw, read_monitor, client);
    }
    *ret = client;
    return 0;
}

void channel_client_name_peer(struct channel_client *client, const char *program, const char *hint)
{
    free(client->program);
    free(client->hint);
    client->program = program != NULL ? mem_strdup(program) : NULL;
    client->hint = hint != NULL ? mem_strdup(hint) : NULL;
}

void channel_client_free(struct channel_client *client)
{
    if (client == NULL)
        return;
    if (client->loop != NULL) {
        loop_socket_remove(client->watch);
        loop_socket_remove(client->monitor_watch);
        loop_cancel_timer(client->loop, client->retry_timer);
    }
    client->closing = true;
    if (!client->receiving)
        destroy(client);
}
