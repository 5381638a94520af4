/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limiter.c - limits on the resources that a connection may use before and between its messages
 *
 * libzmq limits the size of a frame and the number of queued messages, but not the frames of one message, nor
 * the total bytes of handshakes. So the limiter compares the kernel's count of bytes that libzmq has received
 * on a socket with the bytes that libzmq delivered as messages: the difference is in libzmq's memory.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "common/base/mem.h"
#include "common/gateway/gateway.h"
#include "common/gateway/limiter.h"

struct address {
    struct in6_addr ip; /* IPv4 as an IPv4-mapped IPv6 address */
    unsigned sockets;
    UT_hash_handle hh;
};

struct limiter {
    struct gateway *gateway;
    TAILQ_HEAD(, limited) sockets; /* least recently checked first */
    unsigned count;
    struct address *addresses;
    uint64_t before_messages; /* bytes in libzmq of sockets that have sent no message; sockets with
                                 less than LIMITER_SMALL bytes do not count */
    bool running;
    struct {
        int64_t logged_ms;
        unsigned times;
    } log[LIMITER_REASONS];
    int64_t silent_since_ms; /* start of the minute in which SILENT counts */
    unsigned silent;         /* connections that ended without a message */
};

/* --- the log: one line a minute for each reason -------------------------------------- */

static const char *const reasons[] = {
    [LIMITER_TOO_MANY] = "there are too many connections",
    [LIMITER_ADDRESS] = "there are too many connections from its address",
    [LIMITER_BYTES] = "it sends more than a message may have",
    [LIMITER_HANDSHAKES] = "handshakes take too much memory",
};

static const char *address_text(const struct in6_addr *ip, char text[INET6_ADDRSTRLEN])
{
    const char *done = IN6_IS_ADDR_V4MAPPED(ip) ? inet_ntop(AF_INET, &ip->s6_addr[12], text, INET6_ADDRSTRLEN)
                                                : inet_ntop(AF_INET6, ip, text, INET6_ADDRSTRLEN);

    return done != NULL ? done : "?";
}

static void cut(struct limiter *limiter, const struct limited *socket, enum limiter_reason reason)
{
    int64_t now_ms = loop_monotonic_ms();
    char address[INET6_ADDRSTRLEN];

    shutdown(socket->fd, SHUT_RDWR);
    limiter->log[reason].times++;
    if (limiter->log[reason].logged_ms != 0 && now_ms - limiter->log[reason].logged_ms < LIMITER_LOG_MS)
        return;
    gateway_log(limiter->gateway, "connection from %s: closed, %s (%u since the last such line)",
                address_text(&socket->ip, address), reasons[reason], limiter->log[reason].times);
    limiter->log[reason].logged_ms = now_ms;
    limiter->log[reason].times = 0;
}

/* --- addresses ------------------------------------------------------------------------ */

static void read_address(int fd, struct in6_addr *ret)
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof(peer);

    memset(ret, 0, sizeof(*ret)); /* address of a peer that has disconnected already */
    if (getpeername(fd, (struct sockaddr *)&peer, &size) != 0)
        return;
    if (peer.ss_family == AF_INET6) {
        *ret = ((const struct sockaddr_in6 *)&peer)->sin6_addr;
        return;
    }
    ret->s6_addr[10] = ret->s6_addr[11] = 0xff;
    memcpy(&ret->s6_addr[12], &((const struct sockaddr_in *)&peer)->sin_addr, 4);
}

static struct address *find_or_add(struct limiter *limiter, const struct in6_addr *ip)
{
    struct address *address;

    HASH_FIND(hh, limiter->addresses, ip, sizeof(*ip), address);
    if (address != NULL)
        return address;
    address = mem_new0(struct address);
    address->ip = *ip;
    HASH_ADD(hh, limiter->addresses, ip, sizeof(address->ip), address);
    return address;
}

/* --- bytes in libzmq ------------------------------------------------------------------ */

/* Returns the bytes of SOCKET in libzmq's memory. */
static uint64_t bytes_inside(struct limited *socket, int64_t now_ms)
{
    struct tcp_info info = { 0 };
    socklen_t size = sizeof(info);
    int unread = 0;
    uint64_t received;

    if (getsockopt(socket->fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        ioctl(socket->fd, FIONREAD, &unread) != 0)
        return 0;
    received = limiter_bytes_read(info.tcpi_bytes_received, unread);
    socket->taken += (uint64_t)(now_ms - socket->checked_ms) * LIMITER_PINGS_PER_S / 1000;
    socket->checked_ms = now_ms;
    if (socket->taken > received)
        socket->taken = received;
    return received - socket->taken;
}

static void check_socket(struct limiter *limiter, struct limited *socket, int64_t now_ms)
{
    uint64_t inside = bytes_inside(socket, now_ms);
    uint64_t before = socket->had_message || inside < LIMITER_SMALL ? 0 : inside;

    limiter->before_messages += before - socket->before;
    socket->before = before;
    if (inside > socket->inside_max_bytes)
        cut(limiter, socket, LIMITER_BYTES);
    else if (before > 0 && limiter->before_messages > limiter->gateway->limits.handshakes_max)
        cut(limiter, socket, LIMITER_HANDSHAKES);
}

static void check_sockets(void *context)
{
    struct limiter *limiter = context;
    int64_t now_ms = loop_monotonic_ms();

    for (unsigned i = 0; i < limiter->count && i < LIMITER_CHECKS_MAX; i++) {
        struct limited *socket = TAILQ_FIRST(&limiter->sockets);

        TAILQ_REMOVE(&limiter->sockets, socket, link);
        TAILQ_INSERT_TAIL(&limiter->sockets, socket, link);
        check_socket(limiter, socket, now_ms);
    }
    limiter->running = limiter->count > 0;
    if (limiter->running)
        loop_add_timer(limiter->gateway->loop, LIMITER_PERIOD_MS, check_sockets, limiter);
}

/* --- floods ----------------------------------------------------------------------------- */

/* Counts a connection that ended without a message. One such connection may be a port scan;
 * LIMITER_SILENT_MANY within a minute are logged as a flood. */
static void note_silent(struct limiter *limiter, const struct limited *socket)
{
    int64_t now_ms = loop_monotonic_ms();
    char address[INET6_ADDRSTRLEN];

    if (limiter->silent == 0 || now_ms - limiter->silent_since_ms >= LIMITER_LOG_MS) {
        limiter->silent_since_ms = now_ms;
        limiter->silent = 0;
    }
    if (++limiter->silent == LIMITER_SILENT_MANY)
        gateway_log(limiter->gateway,
                    "a flood: %d connections ended without a message within %lld s, the "
                    "last one from %s",
                    LIMITER_SILENT_MANY, (long long)(now_ms - limiter->silent_since_ms) / 1000 + 1,
                    address_text(&socket->ip, address));
}

/* --- sockets ---------------------------------------------------------------------------- */

static unsigned address_sockets_max(const struct gateway *gateway)
{
    return gateway->limits.address_connections_max != 0 ? gateway->limits.address_connections_max
                                                        : gateway->sockets_max / LIMITER_ADDRESS_SHARE;
}

void limiter_add(struct limiter *limiter, struct limited *socket, int fd, uint64_t message_max)
{
    struct address *address;

    socket->fd = fd;
    socket->inside_max_bytes = message_max * LIMITER_MESSAGES_INSIDE + LIMITER_SMALL;
    socket->checked_ms = loop_monotonic_ms();
    read_address(fd, &socket->ip);
    address = find_or_add(limiter, &socket->ip);
    address->sockets++;
    TAILQ_INSERT_TAIL(&limiter->sockets, socket, link);
    limiter->count++;
    if (limiter->count > limiter->gateway->sockets_max)
        cut(limiter, socket, LIMITER_TOO_MANY);
    else if (address->sockets > address_sockets_max(limiter->gateway))
        cut(limiter, socket, LIMITER_ADDRESS);
    if (!limiter->running) {
        limiter->running = true;
        loop_add_timer(limiter->gateway->loop, LIMITER_PERIOD_MS, check_sockets, limiter);
    }
}

void limiter_count_message(struct limited *socket, size_t size)
{
    socket->taken += size;
    socket->had_message = true;
}

void limiter_remove(struct limiter *limiter, struct limited *socket)
{
    struct address *address = find_or_add(limiter, &socket->ip);

    limiter->before_messages -= socket->before;
    if (!socket->had_message)
        note_silent(limiter, socket);
    TAILQ_REMOVE(&limiter->sockets, socket, link);
    limiter->count--;
    if (--address->sockets == 0) {
        HASH_DEL(limiter->addresses, address);
        free(address);
    }
}

struct limiter *limiter_new(struct gateway *gateway)
{
    struct limiter *limiter = mem_new0(struct limiter);

    limiter->gateway = gateway;
    TAILQ_INIT(&limiter->sockets);
    return limiter;
}

void limiter_free(struct limiter *limiter)
{
    free(limiter);
}
