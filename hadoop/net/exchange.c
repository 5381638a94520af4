/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.c - one call: its message, its requests to the resource manager, its answer */
#include <string.h>
#include <utlist.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "hadoop/net/server_state.h"

#define RETRIABLE "org.apache.hadoop.ipc.RetriableException"
#define SERVER_EXCEPTION "org.apache.hadoop.ipc.RpcServerException"

/* A copy of a message of creel. */
struct kept {
    ProtobufCMessage *message;
    struct kept *next;
};

/* --- life ------------------------------------------------------------------------- */

static void detach(struct hadoop_exchange *exchange)
{
    if (exchange->connection == NULL)
        return;
    DL_DELETE(exchange->connection->exchanges, exchange);
    exchange->connection->calls--;
    exchange->connection = NULL;
}

static void free_exchange(struct hadoop_exchange *exchange)
{
    struct kept *kept, *next;

    detach(exchange);
    if (exchange->at_end != NULL)
        exchange->at_end(exchange->at_end_context);
    (void)server_hold(exchange->server, exchange->address, &exchange->held, 0);
    LL_FOREACH_SAFE(exchange->kept, kept, next)
    {
        protobuf_c_message_free_unpacked(kept->message, NULL);
        free(kept);
    }
    wire_memory_done(&exchange->message);
    hadoop_bytes_done(&exchange->body);
    arena_free(exchange->arena);
    free(exchange);
}

void exchange_abandon_all(struct connection *connection)
{
    while (connection->exchanges != NULL)
        detach(connection->exchanges);
}

void exchange_begin(struct connection *connection)
{
    const struct hadoop_service *service = &connection->server->service;
    struct hadoop_exchange *exchange = mem_new0(struct hadoop_exchange);

    exchange->connection = connection;
    exchange->server = connection->server;
    exchange->arena = arena_new();
    exchange->call = *hadoop_session_call(connection->session);
    exchange->call.request.rest =
        arena_dup(exchange->arena, exchange->call.request.rest, exchange->call.request.rest_size);
    memcpy(exchange->user, connection->user, sizeof(exchange->user));
    memcpy(exchange->address, connection->address, sizeof(exchange->address));
    wire_memory_init(&exchange->message, HADOOP_REQUEST_MEMORY);
    DL_APPEND(connection->exchanges, exchange);
    connection->calls++;
    connection->deadline_ms = INT64_MAX;
    if (connection->calls > connection->server->limits.calls_max)
        exchange_fail(exchange, RETRIABLE, HADOOP__RPC_DETAIL__DETAIL_RPC_SERVER,
                      "This connection has too many calls under way: try again");
    else
        service->call(service->context, exchange);
}

/* --- parts ------------------------------------------------------------------------ */

const struct hadoop_call *exchange_call(const struct hadoop_exchange *exchange)
{
    return &exchange->call;
}

const char *exchange_user(const struct hadoop_exchange *exchange)
{
    return exchange->user;
}

struct arena *exchange_arena(struct hadoop_exchange *exchange)
{
    return exchange->arena;
}

struct hadoop_bytes *exchange_body(struct hadoop_exchange *exchange)
{
    return &exchange->body;
}

const void *exchange_message(struct hadoop_exchange *exchange, const ProtobufCMessageDescriptor *type)
{
    const uint8_t *rest = exchange->call.request.rest;
    size_t size = exchange->call.request.rest_size;
    const ProtobufCMessage *message = hadoop_message_read(type, &rest, &size, &exchange->message);

    if (message == NULL)
        exchange_fail(exchange, SERVER_EXCEPTION, HADOOP__RPC_DETAIL__DETAIL_DESERIALIZING_REQUEST,
                      "The message of the call is not valid");
    return message;
}

void exchange_at_end(struct hadoop_exchange *exchange, exchange_end_fn *fn, void *context)
{
    exchange->at_end = fn;
    exchange->at_end_context = context;
}

void *exchange_keep(struct hadoop_exchange *exchange, const ProtobufCMessage *message)
{
    struct kept *kept = mem_new0(struct kept);

    kept->message = wire_copy(message);
    LL_PREPEND(exchange->kept, kept);
    return kept->message;
}

/* --- the resource manager ------------------------------------------------------------ */

static void on_reply(void *context, const Creel__Envelope *reply)
{
    struct hadoop_exchange *exchange = context;

    if (exchange->connection == NULL) {
        free_exchange(exchange);
        return;
    }
    if (!server_hold(exchange->server, exchange->address, &exchange->held,
                     exchange->body.capacity + arena_bytes(exchange->arena))) {
        exchange_fail(exchange, RETRIABLE, HADOOP__RPC_DETAIL__DETAIL_RPC_SERVER,
                      "There is no memory for this answer now: try again, or ask for less");
        return;
    }
    exchange->then(exchange, exchange->then_context, reply);
}

void exchange_ask(struct hadoop_exchange *exchange, const Creel__Envelope *query, exchange_reply_fn *then,
                  void *context)
{
    Creel__Envelope asked = *query;

    asked.as_user = exchange->user;
    exchange->then = then;
    exchange->then_context = context;
    upstream_ask(exchange->server->service.upstream, &asked, on_reply, exchange);
}

/* --- answers ------------------------------------------------------------------------ */

/* Frees EXCHANGE and sends what is in the output. During the events of a connection its caller sends. */
static void finish(struct hadoop_exchange *exchange, struct connection *connection)
{
    free_exchange(exchange);
    loop_set_writable(connection->server->loop, connection->fd, true);
}

void exchange_send(struct hadoop_exchange *exchange)
{
    struct connection *connection = exchange->connection;

    if (connection == NULL) {
        free_exchange(exchange);
        return;
    }
    hadoop_answer_packed(hadoop_session_output(connection->session), &exchange->call.request,
                         exchange->body.data, exchange->body.size);
    finish(exchange, connection);
}

void exchange_send_message(struct hadoop_exchange *exchange, const ProtobufCMessage *message)
{
    hadoop_bytes_add_message(&exchange->body, message);
    exchange_send(exchange);
}

void exchange_fail(struct hadoop_exchange *exchange, const char *exception, Hadoop__RpcDetail detail,
                   const char *message)
{
    struct connection *connection = exchange->connection;
    const struct hadoop_request *request = &exchange->call.request;

    if (connection != NULL) {
        hadoop_answer_failure(hadoop_session_output(connection->session), request,
                              &(struct hadoop_failure){ .exception = exception,
                                                        .message = message,
                                                        .detail = detail,
                                                        .call_id = request->call_id,
                                                        .retry_count = request->retry_count });
        finish(exchange, connection);
        return;
    }
    free_exchange(exchange);
}
