/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port.c - creates the ROUTER socket of a port, receives and sends messages, tracks connections
 *
 * A connection of a ROUTER has a routing id, which the ROUTER generates (five bytes, the first 0; ids chosen
 * by peers are ignored), and a TCP socket, whose descriptor is a property of each message. A monitor reports
 * which descriptors are open; its events may arrive before messages of the connection.
 */
#include <assert.h>
#include <string.h>
#include <sys/socket.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/gateway/gateway.h"
#include "common/gateway/limiter.h"
#include "common/io/channel/channel_socket.h"
#include "common/io/keys/keys.h"
#include "common/io/keys/z85.h"
#include "common/io/loop/loop_socket.h"

#define ROUTING_ID_BYTES 5
#define ZAP_ENFORCE_DOMAIN 93 /* stable in the library, but defined in draft headers only */
#define MESSAGE_OVERHEAD 42   /* bytes that the protocol adds to a message */
#define CURVE_ROOM 1024       /* bytes that CURVE adds to a message, rounded up */
#define RECEIVE_QUEUE 2       /* messages of one peer queued in libzmq */

struct port {
    struct gateway *gateway;
    uint8_t number;
    uint32_t message_max;
    int listener; /* libzmq closes it with the ROUTER */
    void *router, *monitor;
    struct loop_socket *watch, *monitor_watch;
    bool paused;
};

/* Key of a connection among the connections of all ports. */
struct connection_id {
    uint8_t port;
    uint8_t routing[ROUTING_ID_BYTES];
};

struct connection {
    struct connection_id id;
    uint64_t number;
    struct socket *socket; /* NULL: the TCP connection is closed */
    struct credit *credit;
    char key[KEY_TEXT];
    UT_hash_handle hh_id, hh_number;
};

struct socket_id {
    int32_t port, fd;
};

/* A TCP connection that was accepted. */
struct socket {
    struct socket_id id;
    struct limited limited;
    struct connection *connection; /* NULL: no message received yet */
    UT_hash_handle hh;
};

/* --- connections ----------------------------------------------------------------- */

static void forget(struct gateway *gateway, struct connection *connection)
{
    HASH_DELETE(hh_id, gateway->by_id, connection);
    HASH_DELETE(hh_number, gateway->by_number, connection);
    if (connection->socket != NULL)
        connection->socket->connection = NULL;
    credit_end(connection->credit);
    free(connection);
}

static void report_closed(struct gateway *gateway, struct connection *connection)
{
    gateway_put(gateway, GATEWAY_CLOSED, connection->id.port, connection->number, NULL, 0);
    forget(gateway, connection);
}

static struct connection *find(struct gateway *gateway, uint64_t number)
{
    struct connection *connection;

    HASH_FIND(hh_number, gateway->by_number, &number, sizeof(number), connection);
    return connection;
}

static struct socket *find_socket(struct port *port, int fd)
{
    struct socket_id id = { port->number, fd };
    struct socket *socket;

    HASH_FIND(hh, port->gateway->sockets, &id, sizeof(id), socket);
    return socket;
}

static const char *property_of(zmq_msg_t *frame, const char *name)
{
    const char *value = zmq_msg_gets(frame, name);

    return value != NULL ? value : "";
}

/* --- the monitor ------------------------------------------------------------------- */

static void on_accepted(struct port *port, int fd)
{
    struct socket *socket = mem_new0(struct socket);

    socket->id = (struct socket_id){ port->number, fd };
    limiter_add(port->gateway->limiter, &socket->limited, fd, port->message_max);
    HASH_ADD(hh, port->gateway->sockets, id, sizeof(socket->id), socket);
}

static void free_socket(struct gateway *gateway, struct socket *socket)
{
    limiter_remove(gateway->limiter, &socket->limited);
    HASH_DEL(gateway->sockets, socket);
    free(socket);
}

static void on_disconnected(struct port *port, int fd)
{
    struct socket *socket = find_socket(port, fd);

    if (socket == NULL)
        return;
    if (socket->connection != NULL)
        report_closed(port->gateway, socket->connection);
    free_socket(port->gateway, socket);
}

static void read_monitor(void *context)
{
    struct port *port = context;
    zmq_msg_t frame;

    zmq_msg_init(&frame);
    while (channel_socket_receive(port->monitor, &frame) > 0) {
        uint16_t event;
        uint32_t fd;

        assert(zmq_msg_size(&frame) == sizeof(event) + sizeof(fd));
        memcpy(&event, zmq_msg_data(&frame), sizeof(event));
        memcpy(&fd, (const char *)zmq_msg_data(&frame) + sizeof(event), sizeof(fd));
        if (event == ZMQ_EVENT_ACCEPTED)
            on_accepted(port, (int)fd);
        else if (event == ZMQ_EVENT_DISCONNECTED)
            on_disconnected(port, (int)fd);
    }
    zmq_msg_close(&frame);
}

void port_count_connections(struct gateway *gateway, uint8_t number)
{
    if (gateway->ports[number] != NULL)
        read_monitor(gateway->ports[number]);
}

/* --- new connections ---------------------------------------------------------------- */

static struct connection *open_connection(struct port *port, const struct connection_id *id, const char *key,
                                          zmq_msg_t *frame)
{
    struct gateway *gateway = port->gateway;
    struct connection *connection;
    struct gateway_peer peer = { .address = "" };

    if (!z85_decode(key, peer.key, sizeof(peer.key)))
        abort(); /* the key is from the ZAP handler, so it is valid */
    snprintf(peer.address, sizeof(peer.address), "%.63s", property_of(frame, "Peer-Address"));
    connection = mem_new0(struct connection);
    connection->id = *id;
    connection->number = ++gateway->next_connection;
    connection->credit = credit_new(gateway->credits, connection->number);
    memcpy(connection->key, key, KEY_TEXT);
    read_monitor(port); /* the monitor may have events about the socket */
    connection->socket = find_socket(port, zmq_msg_get(frame, ZMQ_SRCFD));
    if (connection->socket != NULL)
        connection->socket->connection = connection;
    HASH_ADD(hh_id, gateway->by_id, id, sizeof(connection->id), connection);
    HASH_ADD(hh_number, gateway->by_number, number, sizeof(connection->number), connection);
    gateway_put(gateway, GATEWAY_OPEN, port->number, connection->number, &peer, sizeof(peer));
    return connection;
}

static struct connection *connection_of(struct port *port, const void *routing, zmq_msg_t *frame)
{
    struct connection_id id = { .port = port->number };
    const char *key = property_of(frame, "User-Id");
    struct connection *connection;

    memcpy(id.routing, routing, ROUTING_ID_BYTES);
    HASH_FIND(hh_id, port->gateway->by_id, &id, sizeof(id), connection);
    if (connection != NULL && strcmp(connection->key, key) == 0)
        return connection;
    if (connection != NULL)
        report_closed(port->gateway, connection);
    return open_connection(port, &id, key, frame);
}

/* --- receiving --------------------------------------------------------------------- */

static void put_message(struct port *port, struct connection *connection, zmq_msg_t *frame, size_t frames)
{
    struct gateway_header header = {
        .type = GATEWAY_MESSAGE,
        .port = port->number,
        .connection = connection->number,
        .count = frames < UINT16_MAX ? (uint16_t)frames : UINT16_MAX,
    };

    gateway_link_put(port->gateway->link, header, zmq_msg_data(frame), frames == 1 ? zmq_msg_size(frame) : 0);
}

/* Receives one message. Returns false if there is none. */
static bool receive_one(struct port *port)
{
    zmq_msg_t routing, frame;
    size_t frames = 0;

    zmq_msg_init(&routing);
    if (zmq_msg_recv(&routing, port->router, ZMQ_DONTWAIT) < 0) {
        zmq_msg_close(&routing);
        return false;
    }
    zmq_msg_init(&frame);
    if (zmq_msg_more(&routing))
        frames = channel_socket_receive(port->router, &frame);
    if (frames > 0 && zmq_msg_size(&routing) == ROUTING_ID_BYTES &&
        *(const uint8_t *)zmq_msg_data(&routing) == 0) {
        struct connection *connection;

        connection = connection_of(port, zmq_msg_data(&routing), &frame);
        put_message(port, connection, &frame, frames);
        if (connection->socket != NULL)
            limiter_count_message(port->gateway->limiter, &connection->socket->limited,
                                  zmq_msg_size(&frame) + MESSAGE_OVERHEAD);
        else
            report_closed(port->gateway, connection);
    } else {
        gateway_log(port->gateway, "message from %s: ignored, its connection has a routing id of its own",
                    property_of(&frame, "Peer-Address"));
    }
    zmq_msg_close(&frame);
    zmq_msg_close(&routing);
    return true;
}

static void receive(void *context)
{
    struct port *port = context;

    for (unsigned i = 0; i < CHANNEL_TURN_MAX && !gateway_is_full(port->gateway); i++)
        if (!receive_one(port))
            break;
}

/* --- sending ------------------------------------------------------------------------ */

void port_send(struct gateway *gateway, uint64_t number, const uint8_t *bytes, size_t size)
{
    struct connection *connection = find(gateway, number);
    zmq_msg_t message;
    struct port *port;

    if (connection == NULL)
        return;
    port = gateway->ports[connection->id.port];
    if (zmq_send(port->router, connection->id.routing, ROUTING_ID_BYTES, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
        report_closed(gateway, connection);
        return;
    }
    credit_message(connection->credit, bytes, size, &message);
    if (zmq_msg_send(&message, port->router, ZMQ_DONTWAIT) < 0)
        zmq_msg_close(&message);
}

void port_drop(struct gateway *gateway, uint64_t number)
{
    struct connection *connection = find(gateway, number);

    if (connection == NULL)
        return;
    if (connection->socket != NULL)
        shutdown(connection->socket->id.fd, SHUT_RDWR);
    forget(gateway, connection);
}

void port_pause(struct port *port, bool pause)
{
    if (port->paused == pause)
        return;
    port->paused = pause;
    loop_socket_pause(port->watch, pause);
}

/* --- start and end ------------------------------------------------------------------ */

static void open_monitor(struct port *port)
{
    char endpoint[32];
    int rc;

    snprintf(endpoint, sizeof(endpoint), "inproc://monitor-%u", port->number);
    rc = zmq_socket_monitor(port->router, endpoint, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED);
    assert(rc == 0);
    port->monitor = zmq_socket(port->gateway->zmq, ZMQ_PAIR);
    assert(port->monitor != NULL);
    /* No queue limit: at the limit libzmq's I/O thread would wait for this thread. */
    channel_socket_set(port->monitor, ZMQ_RCVHWM, 0);
    channel_socket_set(port->monitor, ZMQ_LINGER, 0);
    rc = zmq_connect(port->monitor, endpoint);
    assert(rc == 0);
    (void)rc;
}

void port_open(struct gateway *gateway, uint8_t number, int listener, const char *secret_text,
               uint32_t message_max)
{
    struct port *port = mem_new0(struct port);
    int64_t frame_max = (int64_t)message_max + CURVE_ROOM;
    char domain[16];
    int rc;

    port->gateway = gateway;
    port->number = number;
    port->listener = listener;
    port->message_max = message_max;
    port->router = zmq_socket(gateway->zmq, ZMQ_ROUTER);
    assert(port->router != NULL);
    snprintf(domain, sizeof(domain), ZAP_DOMAIN "%u", number);
    channel_socket_prepare(port->router);
    rc = zmq_setsockopt(port->router, ZMQ_MAXMSGSIZE, &frame_max, sizeof(frame_max));
    assert(rc == 0);
    channel_socket_set(port->router, ZMQ_HANDSHAKE_IVL, (int)gateway->limits.handshake_ms);
    channel_socket_set(port->router, ZMQ_ROUTER_MANDATORY, 1);
    channel_socket_set(port->router, ZMQ_SNDHWM, 0); /* the daemon limits the bytes */
    channel_socket_set(port->router, ZMQ_RCVHWM, RECEIVE_QUEUE);
    channel_socket_set(port->router, ZMQ_IPV6, 1);
    channel_socket_set(port->router, ZMQ_CURVE_SERVER, 1);
    channel_socket_set_text(port->router, ZMQ_CURVE_SECRETKEY, secret_text);
    channel_socket_set_text(port->router, ZMQ_ZAP_DOMAIN, domain);
    channel_socket_set(port->router, ZAP_ENFORCE_DOMAIN, 1);
    hadoop_peers_expect(listener);
    channel_socket_set(port->router, ZMQ_USE_FD, listener);
    open_monitor(port);
    rc = zmq_bind(port->router, "tcp://0.0.0.0:1"); /* the address is not used, because of ZMQ_USE_FD */
    assert(rc == 0);
    (void)rc;
    /* The monitor is added first, so that the loop calls it first. */
    port->monitor_watch = loop_socket_add(gateway->loop, port->monitor, read_monitor, port);
    port->watch = loop_socket_add(gateway->loop, port->router, receive, port);
    gateway->ports[number] = port;
}

static void forget_all(struct port *port)
{
    struct connection *connection, *next;
    struct socket *socket, *after;

    HASH_ITER(hh_number, port->gateway->by_number, connection, next)
        if (connection->id.port == port->number)
            forget(port->gateway, connection);
    HASH_ITER(hh, port->gateway->sockets, socket, after) {
        if (socket->id.port != port->number)
            continue;
        free_socket(port->gateway, socket);
    }
}

void port_close(struct gateway *gateway, uint8_t number)
{
    struct port *port = gateway->ports[number];

    if (port == NULL)
        return;
    gateway->ports[number] = NULL;
    forget_all(port);
    loop_socket_remove(port->watch);
    loop_socket_remove(port->monitor_watch);
    zmq_socket_monitor(port->router, NULL, 0);
    zmq_close(port->monitor);
    channel_socket_set(port->router, ZMQ_LINGER, GATEWAY_LINGER_MS);
    zmq_close(port->router);
    free(port);
}
