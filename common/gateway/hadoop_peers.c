/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hadoop_peers.c - tells Hadoop programs that connect to a port of creel why they are not served
 *
 * A Hadoop client begins with the four bytes "hrpc". libzmq sends its own greeting as soon as it has accepted
 * a connection, which such a client reads as a length and reports as "RPC response has invalid length". So
 * the first bytes must be seen before libzmq has the connection:
 *
 * - The listening sockets have TCP_DEFER_ACCEPT: the kernel hands a connection out when its peer has sent
 *   something, or after a second. Peers with ZeroMQ send their greeting at once.
 * - libzmq accepts connections with accept4. This program has a function of that name, which the dynamic
 *   linker takes instead of the C library's. It keeps the connections that begin with "hrpc" and hands their
 *   descriptors to the thread of the gateway through a pipe.
 *
 * That thread sends the answer, in the form that a Hadoop client shows to its user, and reads what the client
 * still sends until the client closes, at most for CLOSING_MS: closing earlier would reset the connection,
 * and the client might report that instead. At most PEERS_MAX connections are open for that; others are
 * closed at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utlist.h>

#include "common/base/mem.h"
#include "common/gateway/gateway.h"
#include "common/io/server/peer_address.h"

#define PEERS_MAX 64
#define CLOSING_MS 5000
#define LOG_MS 60000 /* one line a minute */
#define DEFER_S 1
#define MAGIC "hrpc"
#define MAGIC_BYTES 4
#define DISCARDED_MAX (256 * 1024) /* bytes that are read of a client that is not served */

#define EXCEPTION "org.apache.hadoop.security.AccessControlException"
#define REASON \
    "The resource manager at this address is creel, and this port has creel's own protocol. Hadoop " \
    "programs (Spark, MapReduce, Flink, yarn) need the port of creel-hadoop, creel.hadoop.address: see the " \
    "page \"Hadoop programs\" of creel's guide, or ask the administrators of the cluster."

struct hadoop_peer {
    struct hadoop_peers *peers;
    int fd, timer;
    size_t discarded;
    struct hadoop_peer *prev, *next;
};

struct hadoop_peers {
    struct gateway *gateway;
    int pipe; /* descriptors of connections */
    struct hadoop_peer *list;
    unsigned count;
    int64_t logged_ms; /* 0: never */
    unsigned unlogged; /* connections since then */
};

/* The other end of the pipe. libzmq calls accept4, so the function has no argument for it. Set once,
 * before libzmq starts its threads. */
static int handover = -1;

/* --- in libzmq's thread ------------------------------------------------------------ */

static bool begins_as_hadoop(int fd)
{
    char bytes[MAGIC_BYTES];

    return recv(fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT) == MAGIC_BYTES &&
           memcmp(bytes, MAGIC, MAGIC_BYTES) == 0;
}

/* Replaces accept4 of the C library for libzmq. */
int accept4(int listener, __SOCKADDR_ARG address, socklen_t *restrict size, int flags)
{
    int fd = (int)syscall(SYS_accept4, listener, address.__sockaddr__, size, flags);

    if (fd < 0 || !begins_as_hadoop(fd))
        return fd;
    if (write(handover, &fd, sizeof(fd)) != (ssize_t)sizeof(fd))
        close(fd);
    errno = EAGAIN;
    return -1;
}

/* --- the answer -------------------------------------------------------------------- */

/* Writes the frame of a failure that ends the connection: a length of 4 bytes, the length of the header as
 * varint, and the header as protobuf: call id -1, status FATAL, version 9, exception, message,
 * UNAUTHORIZED, no client id, retry count -1. hadoop/wire has the schema, which this program does not
 * link. */
static size_t write_answer(uint8_t frame[1024])
{
    static const uint8_t begin[] = { 0x08, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x10, 0x02, 0x18, 0x09 };
    static const uint8_t end[] = { 0x30, 0x0f, 0x3a, 0x00, 0x40, 0x01 };
    size_t exception = sizeof(EXCEPTION) - 1, reason = sizeof(REASON) - 1;
    size_t header = sizeof(begin) + 2 + exception + 3 + reason + sizeof(end);
    uint8_t *at = frame;

    _Static_assert(sizeof(EXCEPTION) <= 128 && sizeof(REASON) > 128 && sizeof(REASON) < 900,
                   "lengths of varints");
    at = mempcpy(at, (uint8_t[]){ 0, 0, (uint8_t)((header + 2) >> 8), (uint8_t)(header + 2) }, 4);
    at = mempcpy(at, (uint8_t[]){ (uint8_t)(header | 0x80), (uint8_t)(header >> 7) }, 2);
    at = mempcpy(at, begin, sizeof(begin));
    at = mempcpy(at, (uint8_t[]){ 0x22, (uint8_t)exception }, 2);
    at = mempcpy(at, EXCEPTION, exception);
    at = mempcpy(at, (uint8_t[]){ 0x2a, (uint8_t)(reason | 0x80), (uint8_t)(reason >> 7) }, 3);
    at = mempcpy(at, REASON, reason);
    at = mempcpy(at, end, sizeof(end));
    return (size_t)(at - frame);
}

static void log_peer(struct hadoop_peers *peers, int fd)
{
    struct sockaddr_storage address = { .ss_family = AF_UNSPEC }, own = { .ss_family = AF_UNSPEC };
    socklen_t size = sizeof(address), own_size = sizeof(own);
    char text[PEER_ADDRESS_TEXT_MAX], more[64] = "";
    int64_t now_ms = loop_monotonic_ms();
    struct in6_addr ip;
    int port = 0;

    if (peers->logged_ms != 0 && now_ms - peers->logged_ms < LOG_MS) {
        peers->unlogged++;
        return;
    }
    (void)getpeername(fd, (struct sockaddr *)&address, &size);
    peer_address_read((struct sockaddr *)&address, &ip);
    if (getsockname(fd, (struct sockaddr *)&own, &own_size) == 0)
        port = ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port
                                               : ((struct sockaddr_in *)&own)->sin_port);
    if (peers->unlogged > 0)
        snprintf(more, sizeof(more), " (and %u more before)", peers->unlogged);
    gateway_log(peers->gateway,
                "connection from %s to port %d: closed, a Hadoop program, which needs creel.hadoop.address%s",
                peer_address_text(&ip, text), port, more);
    peers->logged_ms = now_ms;
    peers->unlogged = 0;
}

/* --- in the gateway's thread --------------------------------------------------------- */

static void end_peer(struct hadoop_peer *peer)
{
    struct hadoop_peers *peers = peer->peers;

    loop_cancel_timer(peers->gateway->loop, peer->timer);
    loop_remove_fd(peers->gateway->loop, peer->fd);
    close(peer->fd);
    DL_DELETE(peers->list, peer);
    peers->count--;
    free(peer);
}

static void on_late(void *context)
{
    struct hadoop_peer *peer = context;

    peer->timer = 0;
    end_peer(peer);
}

/* Reads and forgets what the client sends. */
static void on_bytes(void *context, int fd)
{
    struct hadoop_peer *peer = context;
    char bytes[4096];
    ssize_t size = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size > 0)
        peer->discarded += (size_t)size;
    if (size <= 0 || peer->discarded > DISCARDED_MAX)
        end_peer(peer);
}

static void answer(struct hadoop_peers *peers, int fd)
{
    struct hadoop_peer *peer;
    uint8_t frame[1024];
    size_t size = write_answer(frame);

    log_peer(peers, fd);
    if (peers->count >= PEERS_MAX || send(fd, frame, size, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)size) {
        close(fd);
        return;
    }
    shutdown(fd, SHUT_WR);
    peer = mem_new0(struct hadoop_peer);
    *peer = (struct hadoop_peer){ .peers = peers, .fd = fd };
    DL_APPEND(peers->list, peer);
    peers->count++;
    peer->timer = loop_add_timer(peers->gateway->loop, CLOSING_MS, on_late, peer);
    if (loop_add_fd(peers->gateway->loop, fd, false, on_bytes, peer, NULL) < 0)
        end_peer(peer);
}

static void on_handover(void *context, int pipe_fd)
{
    int fd;

    if (read(pipe_fd, &fd, sizeof(fd)) == (ssize_t)sizeof(fd))
        answer(context, fd);
}

/* --- life -------------------------------------------------------------------------- */

void hadoop_peers_expect(int listener)
{
    int seconds = DEFER_S;

    /* Without it such clients get libzmq's greeting, as they would without this file. */
    (void)setsockopt(listener, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof(seconds));
}

struct hadoop_peers *hadoop_peers_new(struct gateway *gateway)
{
    struct hadoop_peers *peers = mem_new0(struct hadoop_peers);
    int ends[2];

    peers->gateway = gateway;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0 ||
        loop_add_fd(gateway->loop, ends[0], false, on_handover, peers, NULL) < 0)
        abort();
    peers->pipe = ends[0];
    handover = ends[1];
    return peers;
}

void hadoop_peers_free(struct hadoop_peers *peers)
{
    if (peers == NULL)
        return;
    while (peers->list != NULL)
        end_peer(peers->list);
    loop_remove_fd(peers->gateway->loop, peers->pipe);
    close(peers->pipe);
    close(handover);
    free(peers);
}
