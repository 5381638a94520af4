/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - the port of Hadoop's RPC: connections of clients, and their limits
 *
 * A connection has HADOOP_LIMITS_DEFAULT.context_ms from its accept until its context is accepted. Limited
 * are the connections, in total and per address (peer_address.h has the addresses that count as one), the
 * bytes of a request (hadoop/wire/session.h), the calls under way on a connection, and the memory of all
 * answers, in total and per address. A new connection above a limit takes the place of the oldest one of the
 * address, or of all, that has no user yet; if there is none, it is closed. A connection whose client does
 * not read its answers, or neither calls nor waits for an answer, is closed.
 */
#ifndef CREEL_HADOOP_NET_SERVER_H
#define CREEL_HADOOP_NET_SERVER_H

#include <sys/socket.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/io/loop/loop.h"
#include "common/upstream/upstream.h"
#include "hadoop/wire/session.h"

#define HADOOP_REASON_MAX 512 /* bytes of the reason of a refusal, with the terminator */

struct hadoop_limits {
    unsigned connections_max, address_connections_max; /* a user gets a quarter of the latter */
    unsigned calls_max;                                /* under way on one connection */
    int64_t context_ms;                                /* from the connection to its context */
    int64_t idle_ms;                                   /* without a call */
    int64_t stalled_ms;                                /* in which the client reads nothing of its answers */
    size_t memory_max; /* bytes of all answers; an address gets a quarter, or one answer */
};

#define HADOOP_LIMITS_DEFAULT \
    ((struct hadoop_limits){ 1024, 256, 64, 10000, 120000, 30000, (size_t)64 << 20 })

struct hadoop_server;
struct hadoop_exchange;

/* Both ends of a connection. */
struct hadoop_ends {
    struct sockaddr_storage peer, own;
};

struct hadoop_service {
    void *context;
    /* Returns whether a peer at these ends may name its user; else REASON is sent to it. */
    bool (*admit)(void *context, const struct hadoop_ends *ends, char reason[HADOOP_REASON_MAX]);
    /* Finds the user of the connection by what the client claims. Returns false, with the REASON, if it
     * has none. */
    bool (*identify)(void *context, const struct hadoop_ends *ends, const struct hadoop_claim *claim,
                     char user[HADOOP_NAME_MAX], char reason[HADOOP_REASON_MAX]);
    /* Answers a call, at once or later, with exchange_send or exchange_fail. */
    void (*call)(void *context, struct hadoop_exchange *exchange);
    struct upstream *upstream;
};

/* Listens on ADDRESS, "host:port"; port 0: any free one. LOOP must outlive the server; SERVICE is copied. */
int hadoop_server_new(struct loop *loop, const char *address, const struct hadoop_service *service,
                      const struct hadoop_limits *limits, struct hadoop_server **ret, struct err *err);
int hadoop_server_port(const struct hadoop_server *server);
/* Ends all connections. No request to the upstream may be under way afterwards: free that first. NULL is
 * fine. */
void hadoop_server_free(struct hadoop_server *server);

/* --- one call ------------------------------------------------------------------- */

typedef void exchange_reply_fn(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply);

/* An exchange is freed when it is answered, which happens exactly once. */
const struct hadoop_call *exchange_call(const struct hadoop_exchange *exchange);
const char *exchange_user(const struct hadoop_exchange *exchange);
struct arena *exchange_arena(struct hadoop_exchange *exchange); /* lives as long as the exchange */
struct hadoop_bytes *
exchange_body(struct hadoop_exchange *exchange); /* the message of the answer, as far as it is made */
/* Unpacks the message of the call, which lives as long as the exchange. NULL: it is not valid, and the
 * call was answered. */
const void *exchange_message(struct hadoop_exchange *exchange, const ProtobufCMessageDescriptor *type);
/* Calls FN when the exchange ends, also if its client is gone. */
typedef void exchange_end_fn(void *context);
void exchange_at_end(struct hadoop_exchange *exchange, exchange_end_fn *fn, void *context);
/* Keeps a copy of MESSAGE until the exchange ends. */
void *exchange_keep(struct hadoop_exchange *exchange, const ProtobufCMessage *message);

/* Sends QUERY to the resource manager for the user of the call, and calls THEN with the reply, unless the
 * client is gone, or its answer becomes too large: then the exchange ends. */
void exchange_ask(struct hadoop_exchange *exchange, const Creel__Envelope *query, exchange_reply_fn *then,
                  void *context);
void exchange_send(struct hadoop_exchange *exchange); /* the body */
void exchange_send_message(struct hadoop_exchange *exchange, const ProtobufCMessage *message);
void exchange_fail(struct hadoop_exchange *exchange, const char *exception, Hadoop__RpcDetail detail,
                   const char *message);

#endif
