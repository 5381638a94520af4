/* SPDX-License-Identifier: Apache-2.0 */
/* server_state.h - the parts of a server that its files share (private) */
#ifndef CREEL_HADOOP_NET_SERVER_STATE_H
#define CREEL_HADOOP_NET_SERVER_STATE_H

#include "common/base/shares.h"
#include "common/io/loop/log.h"
#include "common/io/server/peer_address.h"
#include "hadoop/net/server.h"

#define HADOOP_MEMORY_UNIT 4096 /* bytes */

struct hadoop_server {
    struct loop *loop;
    struct hadoop_service service;
    struct hadoop_limits limits;
    int listen_fd, port, sweep_timer;
    struct shares *places, *users;  /* connections by address, and of known users by user */
    struct shares *memory;          /* in units of HADOOP_MEMORY_UNIT */
    struct connection *connections; /* the oldest first */
    struct log_limit closed;
};

struct connection {
    struct hadoop_server *server;
    int fd;
    char address[PEER_ADDRESS_TEXT_MAX]; /* whose share it uses */
    struct hadoop_ends ends;
    struct hadoop_session *session;
    char user[HADOOP_NAME_MAX]; /* "": not known yet */
    struct hadoop_exchange *exchanges;
    unsigned calls;
    unsigned held;       /* units of memory that the output has */
    int64_t deadline_ms; /* at which it is closed */
    bool ends_when_sent;
    struct connection *prev, *next;
};

struct hadoop_exchange {
    struct connection *connection; /* NULL: closed, and the exchange ends with the next reply */
    struct hadoop_server *server;
    char address[PEER_ADDRESS_TEXT_MAX];
    char user[HADOOP_NAME_MAX];
    struct hadoop_call call; /* its rest is in the arena */
    struct arena *arena;
    struct wire_memory message;
    struct hadoop_bytes body;
    unsigned held; /* units of memory that the body has */
    struct kept *kept;
    exchange_end_fn *at_end; /* NULL: none */
    void *at_end_context;
    exchange_reply_fn *then;
    void *then_context;
    struct hadoop_exchange *prev, *next; /* of the connection */
};

/* Takes or gives back units of memory for ADDRESS, so that *HELD is enough for BYTES. Returns false,
 * without a change, if there is no room. */
bool server_hold(struct hadoop_server *server, const char *address, unsigned *held, size_t bytes);

/* Begins the call that the session of CONNECTION has. */
void exchange_begin(struct connection *connection);
/* Separates the exchanges of CONNECTION, which is being closed, from it. */
void exchange_abandon_all(struct connection *connection);

#endif
