/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limiter.c - limits on the resources that a connection may use before and between its messages
 *
 * libzmq limits the size of a frame and the number of queued messages, but not the frames of one message, nor
 * the total bytes of handshakes. So the limiter compares the kernel's count of bytes that libzmq has received
 * on a socket with the bytes that libzmq delivered as messages: the difference is in libzmq's memory.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/gateway/gateway.h"
#include "common/gateway/limiter.h"
#include "common/io/server/peer_address.h"

TAILQ_HEAD(silent_sockets, limited);

struct checked_sockets {
    TAILQ_HEAD(all_sockets, limited) list; /* least recently checked first */
    unsigned count;
};

struct limited_address {
    struct in6_addr ip; /* united */
    unsigned sockets;   /* without those that are cut */
    unsigned users;     /* sockets that point here */
    unsigned closing;   /* those that are closed later, since there is no room for them */
    struct silent_sockets silent;
    UT_hash_handle hh;
};

struct limiter {
    struct gateway *gateway;
    struct checked_sockets watched, proven;
    unsigned proven_due;   /* sockets of PROVEN that are checked as soon as possible */
    int memory_fd;         /* /proc/self/statm; -1: unreadable */
    uint64_t memory_bytes; /* of the gateway, when it last grew by LIMITER_GROWTH or became smaller */
    unsigned used;         /* sockets that are not cut */
    struct silent_sockets silent, closing; /* CLOSING: the first is closed first */
    unsigned closing_count;
    struct limited_address *addresses;
    struct gateway_counts counts, reported;
    uint64_t before_messages; /* bytes in libzmq of sockets that have sent no message; sockets with
                                 less than LIMITER_SMALL bytes do not count */
    bool running;
    struct {
        int64_t logged_ms;
        unsigned times;
    } log[LIMITER_REASONS];
    int64_t silent_since_ms; /* start of the minute in which SILENT_ENDS counts */
    unsigned silent_ends;    /* connections that ended without a message */
};

/* --- the log: one line a minute for each reason -------------------------------------- */

static const char *const reasons[] = {
    [LIMITER_TOO_MANY] = "all connections are in use, and it is the oldest one without a message",
    [LIMITER_ADDRESS] =
        "its address has its share of connections, and it is the oldest of them without a message",
    [LIMITER_BYTES] = "it sends more than a message may have",
    [LIMITER_HANDSHAKES] = "handshakes take too much memory",
};

static void log_cut(struct limiter *limiter, const struct limited *socket, enum limiter_reason reason)
{
    int64_t now_ms = loop_monotonic_ms();
    char address[PEER_ADDRESS_TEXT_MAX];

    limiter->log[reason].times++;
    if (limiter->log[reason].logged_ms != 0 && now_ms - limiter->log[reason].logged_ms < LIMITER_LOG_MS)
        return;
    gateway_log(limiter->gateway, "connection from %s: closed, %s (%u since the last such line)",
                peer_address_text(&socket->ip, address), reasons[reason], limiter->log[reason].times);
    limiter->log[reason].logged_ms = now_ms;
    limiter->log[reason].times = 0;
}

/* --- the end of a connection ------------------------------------------------------------ */

static void leave_silent(struct limiter *limiter, struct limited *socket)
{
    if (socket->had_message || socket->is_cut)
        return;
    TAILQ_REMOVE(&limiter->silent, socket, silent);
    TAILQ_REMOVE(&socket->address->silent, socket, silent_of_address);
}

static void leave_closing(struct limiter *limiter, struct limited *socket)
{
    if (socket->closes_at_ms == 0)
        return;
    TAILQ_REMOVE(&limiter->closing, socket, silent);
    limiter->closing_count--;
    socket->address->closing--;
    socket->closes_at_ms = 0;
}

static void close_now(struct limiter *limiter, struct limited *socket)
{
    leave_closing(limiter, socket);
    shutdown(socket->fd, SHUT_RDWR);
}

/* Leaves a new connection for which there is no room open for a moment: if its peer proves a key meanwhile,
 * it gets the reason (limiter_has_no_room). */
static bool close_later(struct limiter *limiter, struct limited *socket)
{
    if (limiter->closing_count >= LIMITER_CLOSING_MAX)
        return false;
    TAILQ_INSERT_TAIL(&limiter->closing, socket, silent);
    limiter->closing_count++;
    socket->address->closing++;
    socket->closes_at_ms = loop_monotonic_ms() + LIMITER_CLOSING_MS;
    return true;
}

static void cut(struct limiter *limiter, struct limited *socket, enum limiter_reason reason)
{
    if (socket->is_cut) {
        if (socket->closes_at_ms > 0) /* it exceeds another limit before its time has passed */
            close_now(limiter, socket);
        return;
    }
    leave_silent(limiter, socket);
    socket->is_cut = true;
    socket->address->sockets--;
    limiter->used--;
    limiter->counts.refused_full += reason == LIMITER_TOO_MANY;
    limiter->counts.refused_address += reason == LIMITER_ADDRESS;
    log_cut(limiter, socket, reason);
    if (TAILQ_LAST(&limiter->watched.list, all_sockets) != socket || reason == LIMITER_BYTES ||
        reason == LIMITER_HANDSHAKES || !close_later(limiter, socket))
        close_now(limiter, socket);
}

static void close_due(struct limiter *limiter, int64_t now_ms)
{
    struct limited *socket;

    while ((socket = TAILQ_FIRST(&limiter->closing)) != NULL && socket->closes_at_ms <= now_ms)
        close_now(limiter, socket);
}

/* --- addresses ------------------------------------------------------------------------ */

static void read_address(int fd, struct in6_addr *ret)
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof(peer);
    bool known = getpeername(fd, (struct sockaddr *)&peer, &size) == 0;

    peer_address_read(known ? (struct sockaddr *)&peer : NULL, ret); /* (it may have disconnected already) */
    peer_address_unite(ret);
}

static struct limited_address *find_or_add(struct limiter *limiter, const struct in6_addr *ip)
{
    struct limited_address *address;

    HASH_FIND(hh, limiter->addresses, ip, sizeof(*ip), address);
    if (address != NULL)
        return address;
    address = mem_new0(struct limited_address);
    address->ip = *ip;
    TAILQ_INIT(&address->silent);
    HASH_ADD(hh, limiter->addresses, ip, sizeof(address->ip), address);
    return address;
}

/* --- lists ------------------------------------------------------------------------------ */

static void list_add(struct checked_sockets *sockets, struct limited *socket)
{
    TAILQ_INSERT_TAIL(&sockets->list, socket, link);
    sockets->count++;
}

static void list_remove(struct checked_sockets *sockets, struct limited *socket)
{
    TAILQ_REMOVE(&sockets->list, socket, link);
    sockets->count--;
}

static struct checked_sockets *list_of(struct limiter *limiter, const struct limited *socket)
{
    return socket->is_proven ? &limiter->proven : &limiter->watched;
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
    list_remove(list_of(limiter, socket), socket);
    socket->is_proven = socket->had_message && inside < LIMITER_SMALL;
    list_add(list_of(limiter, socket), socket);
}

/* Checks up to COUNT of SOCKETS. */
static void check_list(struct limiter *limiter, struct checked_sockets *sockets, unsigned count,
                       int64_t now_ms)
{
    if (count > sockets->count)
        count = sockets->count;
    for (unsigned i = 0; i < count; i++)
        check_socket(limiter, TAILQ_FIRST(&sockets->list), now_ms);
}

/* Returns the resident memory of this process; UINT64_MAX if it cannot be read. */
static uint64_t memory_now(const struct limiter *limiter)
{
    unsigned long long all, resident;
    char text[128];
    ssize_t length = limiter->memory_fd < 0 ? -1 : pread(limiter->memory_fd, text, sizeof(text) - 1, 0);

    if (length <= 0)
        return UINT64_MAX;
    text[length] = '\0';
    return sscanf(text, "%llu %llu", &all, &resident) == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE)
                                                           : UINT64_MAX;
}

static bool memory_has_grown(struct limiter *limiter)
{
    uint64_t now = memory_now(limiter);
    bool grown = now == UINT64_MAX || now > limiter->memory_bytes + LIMITER_GROWTH;

    if (grown || now < limiter->memory_bytes)
        limiter->memory_bytes = now;
    return grown;
}

static void check_proven(struct limiter *limiter, int64_t now_ms)
{
    unsigned count;

    if (memory_has_grown(limiter))
        limiter->proven_due = limiter->proven.count;
    count = limiter->proven_due < LIMITER_PROVEN_CHECKS ? LIMITER_PROVEN_CHECKS : limiter->proven_due;
    if (count > LIMITER_CHECKS_MAX)
        count = LIMITER_CHECKS_MAX;
    check_list(limiter, &limiter->proven, count, now_ms);
    limiter->proven_due -= count < limiter->proven_due ? count : limiter->proven_due;
}

static void report_counts(struct limiter *limiter)
{
    limiter->counts.used = limiter->used;
    limiter->counts.limit = limiter->gateway->sockets_max;
    if (memcmp(&limiter->counts, &limiter->reported, sizeof(limiter->counts)) == 0)
        return;
    limiter->reported = limiter->counts;
    gateway_put(limiter->gateway, GATEWAY_COUNTS, 0, 0, &limiter->counts, sizeof(limiter->counts));
}

static void check_sockets(void *context)
{
    struct limiter *limiter = context;
    int64_t now_ms = loop_monotonic_ms();

    check_proven(limiter, now_ms);
    check_list(limiter, &limiter->watched, LIMITER_CHECKS_MAX, now_ms);
    close_due(limiter, now_ms);
    report_counts(limiter);
    limiter->running = limiter->watched.count + limiter->proven.count > 0;
    if (limiter->running)
        loop_add_timer(limiter->gateway->loop, LIMITER_PERIOD_MS, check_sockets, limiter);
}

/* --- floods ----------------------------------------------------------------------------- */

/* Counts a connection that ended without a message. One such connection may be a port scan;
 * LIMITER_SILENT_MANY within a minute are logged as a flood. */
static void note_silent(struct limiter *limiter, const struct limited *socket)
{
    int64_t now_ms = loop_monotonic_ms();
    char address[PEER_ADDRESS_TEXT_MAX];

    if (limiter->silent_ends == 0 || now_ms - limiter->silent_since_ms >= LIMITER_LOG_MS) {
        limiter->silent_since_ms = now_ms;
        limiter->silent_ends = 0;
    }
    if (++limiter->silent_ends == LIMITER_SILENT_MANY)
        gateway_log(limiter->gateway,
                    "a flood: %d connections ended without a message within %lld s, the "
                    "last one from %s",
                    LIMITER_SILENT_MANY, (long long)(now_ms - limiter->silent_since_ms) / 1000 + 1,
                    peer_address_text(&socket->ip, address));
}

/* --- sockets ---------------------------------------------------------------------------- */

static unsigned address_sockets_max(const struct gateway *gateway)
{
    return gateway->limits.address_connections_max != 0 ? gateway->limits.address_connections_max
                                                        : gateway->sockets_max / LIMITER_ADDRESS_SHARE;
}

void limiter_add(struct limiter *limiter, struct limited *socket, int fd, uint64_t message_max)
{
    struct limited_address *address;

    socket->fd = fd;
    socket->inside_max_bytes = message_max * LIMITER_MESSAGES_INSIDE + LIMITER_SMALL;
    socket->checked_ms = loop_monotonic_ms();
    read_address(fd, &socket->ip);
    address = socket->address = find_or_add(limiter, &socket->ip);
    address->sockets++;
    address->users++;
    list_add(&limiter->watched, socket);
    TAILQ_INSERT_TAIL(&limiter->silent, socket, silent);
    TAILQ_INSERT_TAIL(&address->silent, socket, silent_of_address);
    limiter->used++;
    if (address->sockets > address_sockets_max(limiter->gateway))
        cut(limiter, TAILQ_FIRST(&address->silent), LIMITER_ADDRESS);
    else if (limiter->used > limiter->gateway->sockets_max)
        cut(limiter, TAILQ_FIRST(&limiter->silent), LIMITER_TOO_MANY);
    if (!limiter->running) {
        limiter->running = true;
        loop_add_timer(limiter->gateway->loop, LIMITER_PERIOD_MS, check_sockets, limiter);
    }
}

void limiter_count_message(struct limiter *limiter, struct limited *socket, size_t size)
{
    socket->taken += size;
    leave_silent(limiter, socket);
    socket->had_message = true;
}

void limiter_remove(struct limiter *limiter, struct limited *socket)
{
    struct limited_address *address = socket->address;

    limiter->before_messages -= socket->before;
    if (!socket->had_message)
        note_silent(limiter, socket);
    leave_closing(limiter, socket); /* libzmq has closed the descriptor, which may be another connection's */
    leave_silent(limiter, socket);
    if (!socket->is_cut) {
        address->sockets--;
        limiter->used--;
    }
    list_remove(list_of(limiter, socket), socket);
    if (--address->users == 0) {
        HASH_DEL(limiter->addresses, address);
        free(address);
    }
}

bool limiter_has_no_room(const struct limiter *limiter, const char *address_text)
{
    struct limited_address *address;
    struct in6_addr ip;

    peer_address_parse(address_text, &ip);
    HASH_FIND(hh, limiter->addresses, &ip, sizeof(ip), address);
    return address != NULL && address->closing > 0;
}

/* Opens its file before the sandbox forbids that. */
struct limiter *limiter_new(struct gateway *gateway)
{
    struct limiter *limiter = mem_new0(struct limiter);

    limiter->gateway = gateway;
    limiter->memory_fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    TAILQ_INIT(&limiter->watched.list);
    TAILQ_INIT(&limiter->proven.list);
    TAILQ_INIT(&limiter->silent);
    TAILQ_INIT(&limiter->closing);
    return limiter;
}

void limiter_free(struct limiter *limiter)
{
    if (limiter != NULL && limiter->memory_fd >= 0)
        close(limiter->memory_fd);
    free(limiter);
}
