/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.h - the connections of this daemon, and the gateways behind them (private)
 *
 * gate.c speaks to the gateways, admission.c decides which keys may connect, channel_server.c is what a port
 * does with its messages. Gate and server know a connection: the gate by its gateway and number there, the
 * server by its own number. The gate owns it.
 */
#ifndef CREEL_IO_GATE_H
#define CREEL_IO_GATE_H

#include <sys/queue.h>
#include <uthash.h>

#include "common/io/admission.h"
#include "common/io/channel.h"
#include "common/io/gateway_frame.h"

struct connection {
    struct channel_server *server;
    enum gate_policy policy;
    unsigned gateway;
    uint64_t remote;                    /* its number at the gateway */
    uint64_t number;                    /* for users of channel.h */
    char *name;                         /* of its certificate, or its attempt; else its key */
    char key[KEY_TEXT];
    char address[GATEWAY_ADDRESS_MAX];
    size_t waiting;                     /* bytes that the gateway has not confirmed */
    bool complained;                    /* of nonsense from it, in the log */
    UT_hash_handle hh_remote, hh_number;
    enum admitted admitted;
    TAILQ_ENTRY(connection) link;       /* of those that are judged again */
};

/* Serve POLICY on the socket LISTENER, which stays the caller's, with the secret key SECRET_TEXT. The number
 * of the port; -ENOSPC: there are GATEWAY_PORTS_MAX already. */
int gate_add_port(struct gate *gate, struct channel_server *server, enum gate_policy policy, int listener,
                  const char *secret_text);
/* No more events for its server; its connections are gone. */
void gate_remove_port(struct gate *gate, int port);

/* Send BYTES; false: too much waits already. */
bool gate_send(struct gate *gate, struct connection *connection, const uint8_t *bytes, size_t size);

/* A frame of gateway number GATEWAY. False: it breaks the protocol. Tests call it too, with a gate of no
 * gateways. */
bool gate_receive(struct gate *gate, unsigned gateway, const struct gateway_header *header,
                  const uint8_t *payload);

/* What the gate calls. CONNECTION is freed after `closed`. BYTES are NULL for a message of COUNT frames. A
 * server may be freed in `received`. */
void channel_server_opened(struct channel_server *server, struct connection *connection);
void channel_server_closed(struct channel_server *server, struct connection *connection);
void channel_server_received(struct channel_server *server, struct connection *connection,
                             unsigned count, const uint8_t *bytes, size_t size);

#endif
