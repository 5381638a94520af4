/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - main program of creel-gateway: processes the frames from the daemon */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/gateway/gateway.h"
#include "common/gateway/limiter.h"
#include "common/gateway/sandbox.h"

#define DESCRIPTORS_OTHER \
    256 /* libzmq's own, and connections that are accepted only to be
           closed */

/* --- to the daemon ---------------------------------------------------------------- */

/* Runs before each sleep of the loop: sends all frames of this turn together. */
static void flush(void *context)
{
    struct gateway *gateway = context;
    int r = gateway_link_flush(gateway->link);

    if (r == -EPIPE || r == -ECONNRESET)
        loop_stop(gateway->loop);
    loop_set_writable(gateway->loop, GATEWAY_FD, r == -EAGAIN);
    for (size_t i = 0; i < GATEWAY_PORTS_MAX; i++)
        if (gateway->ports[i] != NULL)
            port_pause(gateway->ports[i], gateway_is_full(gateway));
}

/* --- from the daemon ---------------------------------------------------------------- */

static bool on_setup(struct gateway *gateway, const struct gateway_header *header, const uint8_t *payload)
{
    const struct gateway_hello hello = { .protocol = GATEWAY_PROTOCOL };
    struct gateway_setup setup;

    if (gateway->zmq != NULL || header->size != sizeof(setup))
        return false;
    memcpy(&setup, payload, sizeof(setup));
    if (setup.protocol != GATEWAY_PROTOCOL)
        return false;
    sandbox_drop_rights(&setup);
    gateway->limits = setup.limits;
    gateway->sockets_max = sandbox_descriptors() - DESCRIPTORS_OTHER;
    gateway->limiter = limiter_new(gateway);
    gateway->hadoop_peers = hadoop_peers_new(gateway);
    gateway->zmq = zmq_ctx_new();
    assert(gateway->zmq != NULL);
    gateway->credits = credits_new(gateway);
    gateway->zap = zap_new(gateway); /* creates the first socket: libzmq starts its threads */
    sandbox_restrict_calls();
    gateway_put(gateway, GATEWAY_HELLO, 0, 0, &hello, sizeof(hello));
    /* Sent before the first peer connects, so that a crash caused by a peer does not count as a failure to
     * start. */
    return gateway_link_flush(gateway->link) == 0;
}

static bool on_listen(struct gateway *gateway, const struct gateway_header *header, const uint8_t *payload)
{
    struct gateway_listen listen;
    int fd = gateway_link_pop_fd(gateway->link);

    if (fd < 0 || header->size != sizeof(listen) || header->port >= GATEWAY_PORTS_MAX ||
        gateway->ports[header->port] != NULL)
        return false;
    memcpy(&listen, payload, sizeof(listen));
    listen.secret_text[sizeof(listen.secret_text) - 1] = '\0';
    port_open(gateway, header->port, fd, listen.secret_text, listen.message_max);
    explicit_bzero(&listen, sizeof(listen));
    return true;
}

static bool on_frame(void *context, const struct gateway_header *header, const uint8_t *payload)
{
    struct gateway *gateway = context;

    if (header->type == GATEWAY_SETUP)
        return on_setup(gateway, header, payload);
    if (gateway->zmq == NULL)
        return false;
    switch (header->type) {
    case GATEWAY_LISTEN:
        return on_listen(gateway, header, payload);
    case GATEWAY_UNLISTEN:
        if (header->port < GATEWAY_PORTS_MAX)
            port_close(gateway, header->port);
        return header->port < GATEWAY_PORTS_MAX;
    case GATEWAY_VERDICT:
        zap_answer(gateway->zap, header->connection, header->size > 0);
        return true;
    case GATEWAY_SEND:
        port_send(gateway, header->connection, payload, header->size);
        return true;
    case GATEWAY_DROP:
        port_drop(gateway, header->connection);
        return true;
    case GATEWAY_PING:
        gateway_put(gateway, GATEWAY_PONG, 0, 0, NULL, 0);
        return true;
    default:
        return false;
    }
}

static void on_ready(void *context, int fd)
{
    struct gateway *gateway = context;
    int r = gateway_link_read(gateway->link, on_frame, gateway);

    (void)fd;
    if (r == -EBADMSG)
        abort();
    if (r < 0)
        loop_stop(gateway->loop);
}

/* --- start and end ------------------------------------------------------------------ */

/* Ends the gateway. zmq_ctx_term waits for at most GATEWAY_LINGER_MS until libzmq has sent queued replies. */
static void end(struct gateway *gateway)
{
    for (size_t i = 0; i < GATEWAY_PORTS_MAX; i++)
        port_close(gateway, (uint8_t)i);
    zap_free(gateway->zap);
    if (gateway->zmq != NULL)
        zmq_ctx_term(gateway->zmq);
    credits_free(gateway->credits);
    hadoop_peers_free(gateway->hadoop_peers);
    limiter_free(gateway->limiter);
    gateway_link_free(gateway->link);
    loop_free(gateway->loop);
}

int main(void)
{
    struct gateway gateway = { .zmq = NULL };
    int type = 0;
    socklen_t size = sizeof(type);

    if (getsockopt(GATEWAY_FD, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) {
        fprintf(stderr, "creel-gateway: creel-rm and creel-nm start this program; it serves their ports\n");
        return 2;
    }
    if (loop_new(&gateway.loop, NULL) < 0)
        return 1;
    gateway.link = gateway_link_new(GATEWAY_FD, true);
    if (loop_add_fd(gateway.loop, GATEWAY_FD, false, on_ready, &gateway, NULL) < 0)
        return 1;
    loop_before_sleep(gateway.loop, flush, &gateway);
    loop_run(gateway.loop);
    end(&gateway);
    return 0;
}
