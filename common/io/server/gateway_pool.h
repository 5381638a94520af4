/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_pool.h - the connections of a daemon, and the gateway processes that serve them (private)
 *
 * gateway_pool.c exchanges frames with the gateways, admission.c decides which keys may connect,
 * channel_server.c processes the messages of a port. The pool finds a connection by its gateway and its
 * number at this gateway; the server finds it by the number that the server gave it. The pool owns the
 * connection.
 */
#ifndef CREEL_IO_GATEWAY_POOL_H
#define CREEL_IO_GATEWAY_POOL_H

#include <sys/queue.h>
#include <uthash.h>

#include "common/io/channel/channel.h"
#include "common/io/server/admission.h"
#include "common/io/server/gateway_frame.h"

struct channel_server; /* serves one port */
struct connection;

/* Events of a port. CONNECTION is freed after `closed`. BYTES are NULL for a message of COUNT frames other
 * than one. The port may be removed in `received`. */
struct port_events {
    void (*opened)(struct channel_server *server, struct connection *connection);
    void (*closed)(struct channel_server *server, struct connection *connection);
    void (*received)(struct channel_server *server, struct connection *connection, unsigned count,
                     const uint8_t *bytes, size_t size);
};

struct connection {
    const struct port_events *events;
    struct channel_server *server;
    enum admission_policy policy;
    unsigned gateway;
    uint64_t remote; /* number of the connection at the gateway */
    uint64_t number; /* number of the connection for users of channel.h */
    char *name;      /* name that admission_judge returned */
    char key[KEY_TEXT];
    char address[GATEWAY_ADDRESS_MAX];
    struct owner *owner;
    size_t waiting;  /* bytes sent to the gateway and not yet confirmed by SENT */
    bool complained; /* an invalid message from this connection was logged */
    UT_hash_handle hh_remote, hh_number;
    enum admitted admitted;
    int64_t guest_until_ms;       /* monotonic; ADMITTED_GUEST: the connection is closed then */
    TAILQ_ENTRY(connection) link; /* in the list of connections to be checked again */
};

/* A port of a daemon. LISTENER, EVENTS and SECRET_TEXT are borrowed until the port is removed. */
struct port {
    struct channel_server *server; /* NULL: this number is unused */
    const struct port_events *events;
    enum admission_policy policy;
    int listener;
    const char *secret_text;
};

/* Serves PORT. Returns its number; -ENOSPC: there are GATEWAY_PORTS_MAX ports already. */
int gateway_pool_add_port(struct gateway_pool *pool, const struct port *port);
/* Removes a port and its connections. Its server gets no more events. */
void gateway_pool_remove_port(struct gateway_pool *pool, int port);

/* Sends BYTES. Returns false if too many bytes are unconfirmed already; that is counted, and logged. */
bool gateway_pool_send(struct gateway_pool *pool, struct connection *connection, const uint8_t *bytes,
                       size_t size);

/* Returns 0 if the owner of CONNECTION has at most UNREAD_MAX bytes to read, and may get an answer of any
 * size now. -EAGAIN: that is counted, and logged. ERR may be NULL: then the answer is made later, and
 * nothing is counted. */
int gateway_pool_may_answer(struct gateway_pool *pool, const struct connection *connection, size_t unread_max,
                            struct err *err);

/* Judges the key of CONNECTION again if it is a guest's: it may be that of a user now. */
void gateway_pool_welcome(struct gateway_pool *pool, struct connection *connection);

/* Processes a frame of gateway number GATEWAY. Returns false if the frame breaks the protocol. Declared
 * for tests, which call it with a pool without gateways. */
bool gateway_pool_receive(struct gateway_pool *pool, unsigned gateway, const struct gateway_header *header,
                          const uint8_t *payload);

#endif
