/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - limits on the resources that a connection may use before and between its messages
 *
 * libzmq limits the size of a frame and the number of queued messages, but not the frames of one message, nor
 * the total bytes of handshakes. So the guard compares the kernel's count of bytes that libzmq has received
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
#include "common/gateway/guard.h"

struct address {
    struct in6_addr ip;                 /* IPv4 as an IPv4-mapped IPv6 address */
    unsigned sockets;
    UT_hash_handle hh;
};

struct guard {
    struct gateway *gateway;
    TAILQ_HEAD(, guarded) sockets;      /* least recently checked first */
    unsigned count;
    struct address *addresses;
    uint64_t before_messages;           /* bytes of sockets that have sent no message; only sockets with many
                                           bytes */
    bool running;
    struct {
        int64_t logged_ms;
        unsigned times;
    } log[GUARD_REASONS];
    int64_t silent_since_ms;            /* start of the minute in which SILENT counts */
    unsigned silent;                    /* connections that ended without a message */
};

/* --- the log: one line a minute for each reason -------------------------------------- */

static const char *const reasons[] = {
    [GUARD_TOO_MANY] = "there are too many connections",
    [GUARD_ADDRESS] = "there are too many connections from its address",
    [GUARD_BYTES] = "it sends more than a message may have",
    [GUARD_HANDSHAKES] = "handshakes take too much memory",
};

static const char *address_text(const struct in6_addr *ip, char text[INET6_ADDRSTRLEN])
{
    const char *done = IN6_IS_ADDR_V4MAPPED(ip) ? inet_ntop(AF_INET, &ip->s6_addr[12], text, INET6_ADDRSTRLEN)
                                                : inet_ntop(AF_INET6, ip, text, INET6_ADDRSTRLEN);

    return done != NULL ? done : "?";
}

static void cut(struct guard *guard, const struct guarded *socket, enum guard_reason reason)
{
    int64_t now_ms = loop_monotonic_ms();
    char address[INET6_ADDRSTRLEN];

    shutdown(socket->fd, SHUT_RDWR);
    guard->log[reason].times++;
    if (guard->log[reason].logged_ms != 0 && now_ms - guard->log[reason].logged_ms < GUARD_LOG_MS)
        return;
    gateway_log(guard->gateway, "connection from %s: closed, %s (%u since the last such line)",
                address_text(&socket->ip, address), reasons[reason], guard->log[reason].times);
    guard->log[reason].logged_ms = now_ms;
    guard->log[reason].times = 0;
}

/* --- addresses ------------------------------------------------------------------------ */

static void read_address(int fd, struct in6_addr *ret)
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof(peer);

    memset(ret, 0, sizeof(*ret));       /* address of a peer that has disconnected already */
    if (getpeername(fd, (struct sockaddr *)&peer, &size) != 0)
        return;
    if (peer.ss_family == AF_INET6) {
        *ret = ((const struct sockaddr_in6 *)&peer)->sin6_addr;
        return;
    }
    ret->s6_addr[10] = ret->s6_addr[11] = 0xff;
    memcpy(&ret->s6_addr[12], &((const struct sockaddr_in *)&peer)->sin_addr, 4);
}

static struct address *find_or_add(struct guard *guard, const struct in6_addr *ip)
{
    struct address *address;

    HASH_FIND(hh, guard->addresses, ip, sizeof(*ip), address);
    if (address != NULL)
        return address;
    address = mem_new0(struct address);
    address->ip = *ip;
    HASH_ADD(hh, guard->addresses, ip, sizeof(address->ip), address);
    return address;
}

/* --- bytes in libzmq ------------------------------------------------------------------ */

/* Returns the bytes of SOCKET in libzmq's memory. */
static uint64_t bytes_inside(struct guarded *socket, int64_t now_ms)
{
    struct tcp_info info = { 0 };
    socklen_t size = sizeof(info);
    int unread = 0;
    uint64_t received;

    if (getsockopt(socket->fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        ioctl(socket->fd, FIONREAD, &unread) != 0)
        return 0;
    received = (uint64_t)info.tcpi_bytes_received - (uint64_t)unread;
    socket->taken += (uint64_t)(now_ms - socket->looked_ms) * GUARD_PINGS_PER_S / 1000;
    socket->looked_ms = now_ms;
    if (socket->taken > received)
        socket->taken = received;
    return received - socket->taken;
}

static void look_at(struct guard *guard, struct guarded *socket, int64_t now_ms)
{
    uint64_t inside = bytes_inside(socket, now_ms);
    uint64_t before = socket->had_message || inside < GUARD_SMALL ? 0 : inside;

    guard->before_messages += before - socket->before;
    socket->before = before;
    if (inside > socket->inside_max)
        cut(guard, socket, GUARD_BYTES);
    else if (before > 0 && guard->before_messages > guard->gateway->limits.handshakes_max)
        cut(guard, socket, GUARD_HANDSHAKES);
}

static void look_around(void *context)
{
    struct guard *guard = context;
    int64_t now_ms = loop_monotonic_ms();

    for (unsigned i = 0; i < guard->count && i < GUARD_LOOKS_MAX; i++) {
        struct guarded *socket = TAILQ_FIRST(&guard->sockets);

        TAILQ_REMOVE(&guard->sockets, socket, link);
        TAILQ_INSERT_TAIL(&guard->sockets, socket, link);
        look_at(guard, socket, now_ms);
    }
    guard->running = guard->count > 0;
    if (guard->running)
        loop_add_timer(guard->gateway->loop, GUARD_PERIOD_MS, look_around, guard);
}

/* --- floods ----------------------------------------------------------------------------- */

/* A single connection that ends without a message may be a port scan. Very many within a minute are a
 * flood. */
static void note_silent(struct guard *guard, const struct guarded *socket)
{
    int64_t now_ms = loop_monotonic_ms();
    char address[INET6_ADDRSTRLEN];

    if (guard->silent == 0 || now_ms - guard->silent_since_ms >= GUARD_LOG_MS) {
        guard->silent_since_ms = now_ms;
        guard->silent = 0;
    }
    if (++guard->silent == GUARD_SILENT_MANY)
        gateway_log(guard->gateway, "a flood: %d connections ended without a message within %lld s, the last "
                    "one from %s", GUARD_SILENT_MANY, (long long)(now_ms - guard->silent_since_ms) / 1000 + 1,
                    address_text(&socket->ip, address));
}

/* --- sockets ---------------------------------------------------------------------------- */

static unsigned address_sockets_max(const struct gateway *gateway)
{
    return gateway->limits.address_connections_max != 0 ? gateway->limits.address_connections_max
                                                        : gateway->sockets_max / GUARD_ADDRESS_SHARE;
}

void guard_add(struct guard *guard, struct guarded *socket, int fd, uint64_t message_max)
{
    struct address *address;

    socket->fd = fd;
    socket->inside_max = message_max * GUARD_MESSAGES_INSIDE + GUARD_SMALL;
    socket->looked_ms = loop_monotonic_ms();
    read_address(fd, &socket->ip);
    address = find_or_add(guard, &socket->ip);
    address->sockets++;
    TAILQ_INSERT_TAIL(&guard->sockets, socket, link);
    guard->count++;
    if (guard->count > guard->gateway->sockets_max)
        cut(guard, socket, GUARD_TOO_MANY);
    else if (address->sockets > address_sockets_max(guard->gateway))
        cut(guard, socket, GUARD_ADDRESS);
    if (!guard->running) {
        guard->running = true;
        loop_add_timer(guard->gateway->loop, GUARD_PERIOD_MS, look_around, guard);
    }
}

void guard_took(struct guarded *socket, size_t size)
{
    socket->taken += size;
    socket->had_message = true;
}

void guard_remove(struct guard *guard, struct guarded *socket)
{
    struct address *address = find_or_add(guard, &socket->ip);

    guard->before_messages -= socket->before;
    if (!socket->had_message)
        note_silent(guard, socket);
    TAILQ_REMOVE(&guard->sockets, socket, link);
    guard->count--;
    if (--address->sockets == 0) {
        HASH_DEL(guard->addresses, address);
        free(address);
    }
}

struct guard *guard_new(struct gateway *gateway)
{
    struct guard *guard = mem_new0(struct guard);

    guard->gateway = gateway;
    TAILQ_INIT(&guard->sockets);
    return guard;
}

void guard_free(struct guard *guard)
{
    free(guard);
}
