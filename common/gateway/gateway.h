/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway.h - creel-gateway: ZeroMQ on one side, frames to the daemon on the other (private)
 *
 * gateway_frame.h has the protocol. This process decides nothing and keeps nothing: what a peer sends goes to
 * the daemon, what the daemon sends goes to the peer. It does not read messages. If it fails in any way it
 * aborts, and the daemon starts another one.
 *
 *   main.c         frames from the daemon
 *   report.c       frames to the daemon
 *   port.c         the sockets of a port, and its connections
 *   zap.c          libzmq's questions whether a peer may connect
 *   credit.c       how many bytes have left for each connection
 *   guard.c        limits of connections and their bytes
 *   sandbox.c      what it gives up before a peer can reach it
 *
 * One thread of our own, beside libzmq's.
 */
#ifndef CREEL_GATEWAY_H
#define CREEL_GATEWAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zmq.h>

#include "common/io/gateway_frame.h"
#include "common/io/gateway_link.h"
#include "common/io/loop.h"

struct connection;
struct socket;
struct port;
struct zap;

struct gateway {
    struct loop *loop;
    struct gateway_link *link;          /* to the daemon */
    void *zmq;                          /* libzmq's context; NULL before SETUP */
    struct zap *zap;
    struct credits *credits;
    struct guard *guard;
    unsigned sockets_max;
    struct gate_limits limits;
    struct port *ports[GATEWAY_PORTS_MAX];
    struct connection *by_number, *by_id;
    struct socket *sockets;
    uint64_t next_connection;
    bool ended;                         /* the daemon has closed its end */
};

/* report.c: put a frame into the queue to the daemon. */
void gateway_put(struct gateway *gateway, enum gateway_frame_type type, uint8_t port, uint64_t connection,
                 const void *bytes, size_t size);
void gateway_log(struct gateway *gateway, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Does so much wait for the daemon that nothing more may be received? */
bool gateway_is_full(const struct gateway *gateway);

/* port.c */
/* SECRET_TEXT: Z85. Frames of more than MESSAGE_MAX bytes end their connection. */
void port_open(struct gateway *gateway, uint8_t number, int listener, const char *secret_text,
               uint32_t message_max);
void port_close(struct gateway *gateway, uint8_t number);       /* one that is not open is fine */
/* There is room for messages again, or no more. */
void port_pause(struct port *port, bool pause);
void port_send(struct gateway *gateway, uint64_t connection, const uint8_t *bytes, size_t size);
void port_drop(struct gateway *gateway, uint64_t connection);

/* zap.c */
struct zap *zap_new(struct gateway *gateway);
void zap_free(struct zap *zap);
void zap_domain(uint8_t port, char domain[16]);         /* the ZAP domain of PORT */
void zap_answer(struct zap *zap, uint64_t question, bool allowed);

/* credit.c: bytes that libzmq has sent for a connection. It frees messages in its own thread. */
struct credit;
struct credits *credits_new(struct gateway *gateway);
void credits_free(struct credits *credits);
struct credit *credit_new(struct credits *credits, uint64_t connection);
void credit_end(struct credit *credit);                 /* the connection is gone: no more reports */
/* MESSAGE with a copy of BYTES, whose end is reported. */
void credit_message(struct credit *credit, const uint8_t *bytes, size_t size, zmq_msg_t *message);

#endif
