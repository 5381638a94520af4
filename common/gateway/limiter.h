/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limiter.h - limits on the resources that a connection may use before and between its messages (private)
 *
 * When there are too many connections, of one address or in all, the oldest that has not sent a message yet
 * is closed, which may be the new one: so strangers do not shut out peers that prove their key.
 * peer_address.h has the addresses that count as one. If all the others have sent messages, the new one is
 * closed after a moment, in which its peer gets the reason if it proves a key (GATEWAY_NO_ROOM).
 *
 * The limiter watches each TCP connection from its accept. A connection is proven if it has sent a message
 * and libzmq had little of it at the last check. Proven connections are checked in rotation, a few in each
 * period, because thousands of agents are proven; all of them are checked when the memory of the gateway has
 * grown. A connection over a limit is shut down, and libzmq then reports it as disconnected. For each reason,
 * at most one line a minute is logged.
 */
#ifndef CREEL_GATEWAY_LIMITER_H
#define CREEL_GATEWAY_LIMITER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uthash.h>

#define LIMITER_PERIOD_MS 100
#define LIMITER_CHECKS_MAX 2000   /* number of sockets checked in each period */
#define LIMITER_PROVEN_CHECKS 100 /* number of these that are proven, unless the gateway's memory grew */
#define LIMITER_GROWTH (8 << 20)  /* bytes by which it grew */
#define LIMITER_LOG_MS 60000
#define LIMITER_ADDRESS_SHARE 4   /* by default, one address may have 1/4 of all sockets */
#define LIMITER_SILENT_MANY 1000  /* connections a minute without a message that count as a flood */
#define LIMITER_MESSAGES_INSIDE 8 /* messages of one connection that libzmq may buffer */
#define LIMITER_CLOSING_MAX 64    /* connections that are closed later, of those for which there is no room */
#define LIMITER_CLOSING_MS 1000
#define LIMITER_SMALL 65536    /* bytes: a handshake, and the overhead of messages */
#define LIMITER_PINGS_PER_S 64 /* bytes of pings, which are no messages, allowed per second */

enum limiter_reason { LIMITER_TOO_MANY, LIMITER_ADDRESS, LIMITER_BYTES, LIMITER_HANDSHAKES, LIMITER_REASONS };

struct limited_address;

/* State of one limited connection; a member of struct socket. */
struct limited {
    int fd;
    struct in6_addr ip;
    uint64_t inside_max_bytes;
    uint64_t taken;  /* bytes received as messages, and bytes allowed for pings */
    uint64_t before; /* share of this connection in the limiter's before_messages */
    bool had_message;
    bool is_cut; /* closed by the limiter; it does not count any more */
    bool is_proven;
    int64_t closes_at_ms; /* 0: at once */
    int64_t checked_ms;
    struct limited_address *address;
    TAILQ_ENTRY(limited) link; /* of the list of sockets that are proven, or of that of the others */
    /* Without a message yet, the oldest first; or, in the first list, closed later. */
    TAILQ_ENTRY(limited) silent, silent_of_address;
};

struct gateway;
struct limiter;

struct limiter *limiter_new(struct gateway *gateway);
void limiter_free(struct limiter *limiter);
void limiter_add(struct limiter *limiter, struct limited *socket, int fd, uint64_t message_max);
/* Records that libzmq delivered a message of SIZE bytes. */
void limiter_count_message(struct limiter *limiter, struct limited *socket, size_t size);
/* Returns true if the connections from ADDRESS_TEXT that are in their handshake now have no room. */
bool limiter_has_no_room(const struct limiter *limiter, const char *address_text);
void limiter_remove(struct limiter *limiter, struct limited *socket);

/* Returns how many of RECEIVED bytes libzmq has read, if UNREAD are still in the kernel. UNREAD is asked for
 * after RECEIVED, so bytes that arrive between the two calls count in UNREAD alone, and it may be larger. */
static inline uint64_t limiter_bytes_read(uint64_t received, int unread)
{
    return unread > 0 && (uint64_t)unread > received ? 0 : received - (uint64_t)unread;
}

#endif
