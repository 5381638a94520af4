/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway.h - creel-gateway: passes messages between ZeroMQ connections and the daemon (private)
 *
 * gateway_frame.h defines the protocol. The gateway process makes no decisions and has no persistent state:
 * it passes messages of peers to the daemon, and messages of the daemon to peers. It does not decode
 * messages. On any internal failure it aborts, and the daemon starts another gateway.
 *
 *   main.c         frames from the daemon
 *   report.c       frames to the daemon
 *   port.c         the sockets of a port, and its connections
 *   zap.c          libzmq's requests whether a peer may connect (ZAP, ZeroMQ's authentication protocol)
 *   credit.c       bytes sent on each connection
 *   limiter.c      limits of connections and their bytes
 *   hadoop_peers.c Hadoop programs, which get an answer and are not served
 *   sandbox.c      drops privileges before a peer can connect
 *
 * One thread, beside the threads of libzmq.
 */
#ifndef CREEL_GATEWAY_H
#define CREEL_GATEWAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zmq.h>

#include "common/io/loop/loop.h"
#include "common/io/server/gateway_frame.h"
#include "common/io/server/gateway_link.h"

struct connection;
struct socket;
struct port;
struct zap;
struct hadoop_peers;

struct gateway {
    struct loop *loop;
    struct gateway_link *link; /* frames to and from the daemon */
    void *zmq;                 /* libzmq's context; NULL before SETUP */
    struct zap *zap;
    struct credits *credits;
    struct limiter *limiter;
    struct hadoop_peers *hadoop_peers;
    unsigned sockets_max;
    struct gateway_limits limits;
    struct port *ports[GATEWAY_PORTS_MAX];
    struct connection *by_number, *by_id;
    struct socket *sockets;
    uint64_t next_connection;
    bool ended; /* the daemon has closed its end of the socketpair */
};

/* report.c: adds a frame to the queue of frames to the daemon. */
void gateway_put(struct gateway *gateway, enum gateway_frame_type type, uint8_t port, uint64_t connection,
                 const void *bytes, size_t size);
void gateway_log(struct gateway *gateway, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns true if the queue to the daemon is so long that the gateway must stop receiving. */
bool gateway_is_full(const struct gateway *gateway);

/* port.c: sockets and connections of a port. */
/* SECRET_TEXT is the secret key in Z85. A message of more than MESSAGE_MAX bytes closes the connection. */
void port_open(struct gateway *gateway, uint8_t number, int listener, const char *secret_text,
               uint32_t message_max);
void port_close(struct gateway *gateway, uint8_t number); /* does nothing if the port is not open */
/* Stops receiving messages (PAUSE), or starts again. */
void port_pause(struct port *port, bool pause);
/* Counts the connections that libzmq has accepted and closed so far. It accepts a connection before it asks
 * whether its peer may connect. */
void port_count_connections(struct gateway *gateway, uint8_t number);
void port_send(struct gateway *gateway, uint64_t connection, const uint8_t *bytes, size_t size);
void port_drop(struct gateway *gateway, uint64_t connection);

/* zap.c: requests of libzmq whether a peer may connect. */
#define ZAP_DOMAIN "port-" /* followed by the number of the port */
struct zap *zap_new(struct gateway *gateway);
void zap_free(struct zap *zap);
void zap_answer(struct zap *zap, uint64_t question, bool allowed);

/* hadoop_peers.c: answers Hadoop programs. There is one at a time in a process. */
struct hadoop_peers *hadoop_peers_new(struct gateway *gateway);
/* Call it when libzmq's threads have ended. PEERS may be NULL. */
void hadoop_peers_free(struct hadoop_peers *peers);
/* Prepares a listening socket before libzmq gets it. */
void hadoop_peers_expect(int listener);

/* credit.c: counts the bytes that libzmq has sent on a connection. libzmq frees messages in its own
 * thread. */
struct credit;
struct credits *credits_new(struct gateway *gateway);
void credits_free(struct credits *credits);
struct credit *credit_new(struct credits *credits, uint64_t connection);
void credit_end(struct credit *credit); /* the connection is closed: stops reports */
/* Makes MESSAGE with a copy of BYTES. When libzmq frees MESSAGE, its size is reported as sent. */
void credit_message(struct credit *credit, const uint8_t *bytes, size_t size, zmq_msg_t *message);

#endif
