/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - what a connection may cost before and between its messages (private)
 *
 * Each TCP connection is guarded from the moment that it is accepted. One that is over a limit is shut down,
 * and libzmq then reports that it is disconnected. A line a minute goes to the log for each reason.
 */
#ifndef CREEL_GATEWAY_GUARD_H
#define CREEL_GATEWAY_GUARD_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uthash.h>

#define GUARD_PERIOD_MS 100
#define GUARD_LOOKS_MAX 2000            /* sockets that are looked at each time */
#define GUARD_LOG_MS 60000
#define GUARD_ADDRESS_SHARE 4           /* one address may have this part of all sockets, by default */
#define GUARD_SILENT_MANY 1000          /* connections without a message in a minute: a flood */
#define GUARD_MESSAGES_INSIDE 8         /* messages of one connection that libzmq may have */
#define GUARD_SMALL 65536               /* bytes: a handshake, and what messages cost beside their content */
#define GUARD_PINGS_PER_S 64            /* bytes that are no messages, for ever */

enum guard_reason { GUARD_TOO_MANY, GUARD_ADDRESS, GUARD_BYTES, GUARD_HANDSHAKES, GUARD_REASONS };

/* Part of the socket that it guards. */
struct guarded {
    int fd;
    struct in6_addr ip;
    uint64_t inside_max;
    uint64_t taken;                     /* bytes that came out as messages, and those of pings */
    uint64_t before;                    /* its part of the guard's before_messages */
    bool had_message;
    int64_t looked_ms;
    TAILQ_ENTRY(guarded) link;
};

struct gateway;
struct guard;

struct guard *guard_new(struct gateway *gateway);
void guard_free(struct guard *guard);
void guard_add(struct guard *guard, struct guarded *socket, int fd, uint64_t message_max);
/* A message of SIZE bytes came out. */
void guard_took(struct guarded *socket, size_t size);
void guard_remove(struct guard *guard, struct guarded *socket);

#endif
