/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_frames.c - fuzz target: arbitrary bytes from a compromised gateway process
 *
 * The bytes go through a socketpair to the daemon's reader, with one port for any key and one port for users.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/io/loop/log.h"
#include "common/io/server/gateway_link.h"
#include "common/io/server/gateway_pool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct channel_server *servers[2];

static void serve(void *context, const struct peer *peer, const Creel__Envelope *request)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Ok ok = CREEL__OK__INIT;

    (void)context;
    reply.request_id = request->request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_OK;
    reply.ok = &ok;
    channel_server_send(servers[0], peer->connection, &reply);
}

static bool receive(void *context, const struct gateway_header *header, const uint8_t *payload)
{
    return gateway_pool_receive(context, 0, header, payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct loop *loop;
    static struct key own;
    struct gateway_link *link;
    struct gateway_pool *pool;
    int pair[2];

    if (loop == NULL) {
        log_open("fuzz", LOG_LEVEL_ERROR);
        key_generate(&own);
        if (loop_new(&loop, NULL) < 0)
            abort();
    }
    if (size > GATEWAY_READ_MAX || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return 0;
    if (gateway_pool_new(loop, NULL, NULL, 0, &pool, NULL) < 0 ||
        channel_server_new(pool, "127.0.0.1:0", ADMISSION_ANY, &own, serve, NULL, &servers[0], NULL) < 0 ||
        channel_server_new(pool, "127.0.0.1:0", ADMISSION_USERS, &own, serve, NULL, &servers[1], NULL) < 0)
        abort();
    if (write(pair[1], data, size) != (ssize_t)size)
        abort();
    close(pair[1]);
    link = gateway_link_new(pair[0], false);
    while (gateway_link_read(link, receive, pool) == 0)
        ;
    gateway_link_free(link);
    channel_server_free(servers[0]);
    channel_server_free(servers[1]);
    gateway_pool_free(pool);
    return 0;
}
