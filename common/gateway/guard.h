/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - limits on the resources that a connection may use before and between its messages (private)
 *
 * The guard watches each TCP connection from its accept. A connection over a limit is shut down, and libzmq
 * then reports it as disconnected. For each reason, at most one line a minute is logged.
 */
#ifndef CREEL_GATEWAY_GUARD_H
#define CREEL_GATEWAY_GUARD_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uthash.h>

#define GUARD_PERIOD_MS 100
#define GUARD_LOOKS_MAX 2000            /* number of sockets checked in each period */
#define GUARD_LOG_MS 60000
#define GUARD_ADDRESS_SHARE 4           /* by default, one address may have 1/4 of all sockets */
#define GUARD_SILENT_MANY 1000          /* connections a minute without a message that count as a flood */
#define GUARD_MESSAGES_INSIDE 8         /* messages of one connection that libzmq may buffer */
#define GUARD_SMALL 65536               /* bytes: a handshake, and the overhead of messages */
#define GUARD_PINGS_PER_S 64            /* bytes of pings, which are no messages, allowed per second */

enum guard_reason { GUARD_TOO_MANY, GUARD_ADDRESS, GUARD_BYTES, GUARD_HANDSHAKES, GUARD_REASONS };

/* State of one guarded connection; a member of struct socket. */
struct guarded {
    int fd;
    struct in6_addr ip;
    uint64_t inside_max;
    uint64_t taken;                     /* bytes received as messages, and bytes allowed for pings */
    uint64_t before;                    /* share of this connection in the guard's before_messages */
    bool had_message;
    int64_t looked_ms;
    TAILQ_ENTRY(guarded) link;
};

struct gateway;
struct guard;

struct guard *guard_new(struct gateway *gateway);
void guard_free(struct guard *guard);
void guard_add(struct guard *guard, struct guarded *socket, int fd, uint64_t message_max);
/* Records that libzmq delivered a message of SIZE bytes. */
void guard_took(struct guarded *socket, size_t size);
void guard_remove(struct guard *guard, struct guarded *socket);

#endif
