/* SPDX-License-Identifier: Apache-2.0 */
/* channel_socket.c - ZeroMQ socket functions shared by servers and clients */
#include "common/io/channel/channel_socket.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "common/io/wire/wire.h"

/* Bytes that CURVE adds to a message, rounded up. */
#define CURVE_ROOM 1024

void channel_socket_set(void *socket, int option, int value)
{
    int rc = zmq_setsockopt(socket, option, &value, sizeof(value));

    assert(rc == 0);
}

void channel_socket_set_text(void *socket, int option, const char *text)
{
    int rc = zmq_setsockopt(socket, option, text, strlen(text));

    assert(rc == 0);
}

/* Thousands of handshakes may arrive at once, and each takes a millisecond. */
#define HANDSHAKE_MS 30000
#define UNHEARD_MS \
    90000 /* time without TCP acknowledgement after which the peer counts as
             lost */

void channel_socket_prepare(void *socket)
{
    int64_t most = WIRE_FRAME_MAX + CURVE_ROOM;
    int rc = zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof(most));

    assert(rc == 0);
    channel_socket_set(socket, ZMQ_LINGER, 0);
    channel_socket_set(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
    /* ZMTP's time to live is not used: for each message of each peer ZeroMQ would scan the timers of all
     * peers. */
    channel_socket_set(socket, ZMQ_TCP_MAXRT, UNHEARD_MS);
    channel_socket_set(socket, ZMQ_TCP_KEEPALIVE, 1);
    channel_socket_set(socket, ZMQ_TCP_KEEPALIVE_IDLE, 60);
    channel_socket_set(socket, ZMQ_TCP_KEEPALIVE_INTVL, 10);
    channel_socket_set(socket, ZMQ_TCP_KEEPALIVE_CNT, 3);
}

size_t channel_socket_receive(void *socket, zmq_msg_t *frame)
{
    size_t count = 0;
    bool more = true;

    while (more) {
        zmq_msg_t part;

        zmq_msg_init(&part);
        if (zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&part);
            break;
        }
        more = zmq_msg_more(&part) != 0;
        if (count++ == 0)
            zmq_msg_move(frame, &part);
        zmq_msg_close(&part);
    }
    return count;
}

int channel_socket_look_up(const char *host, int port, bool passive, char *endpoint, size_t size, bool *ipv6,
                           struct err *err)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found, *chosen;
    char number[NI_MAXHOST];
    int rc;

    hints.ai_flags = passive ? AI_PASSIVE : 0;
    rc = getaddrinfo(host, NULL, &hints, &found);
    if (rc != 0)
        return err_set(err, EADDRNOTAVAIL, "host %s: %s", host, gai_strerror(rc));
    /* Prefer IPv4: "localhost" must mean the same on both sides. */
    for (chosen = found; chosen != NULL; chosen = chosen->ai_next)
        if (chosen->ai_family == AF_INET)
            break;
    if (chosen == NULL)
        chosen = found;
    *ipv6 = chosen->ai_family == AF_INET6;
    rc = getnameinfo(chosen->ai_addr, chosen->ai_addrlen, number, sizeof(number), NULL, 0, NI_NUMERICHOST);
    freeaddrinfo(found);
    if (rc != 0)
        return err_set(err, EADDRNOTAVAIL, "host %s: %s", host, gai_strerror(rc));
    snprintf(endpoint, size, *ipv6 ? "tcp://[%s]:%d" : "tcp://%s:%d", number, port);
    return 0;
}
