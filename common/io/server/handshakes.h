/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handshakes.h - list of handshakes that wait for the result of a key lookup (private)
 *
 * A bounded list in order of arrival. A handshake waits for at most HANDSHAKE_WAIT_MS.
 */
#ifndef CREEL_IO_HANDSHAKES_H
#define CREEL_IO_HANDSHAKES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/io/keys/keys.h"
#include "common/io/server/gateway_frame.h"
#include "common/io/server/peer_address.h"

#define HANDSHAKE_WAIT_MS 4000
#define HANDSHAKES_MAX 1024u           /* handshakes of one daemon; one more is refused */
#define HANDSHAKES_OF_ADDRESS_MAX 128u /* of one peer address, so that others have room */

struct handshake {
    unsigned gateway;
    uint64_t question; /* number of the AUTH request at the gateway */
    uint8_t port;
    struct gateway_peer peer;
    char key[KEY_TEXT];
    int64_t until_ms;                  /* deadline; steady clock */
    char share[PEER_ADDRESS_TEXT_MAX]; /* the address whose share it takes; set by handshakes_add */
    TAILQ_ENTRY(handshake) link;
};

struct handshakes {
    TAILQ_HEAD(handshake_list, handshake) list;
    unsigned count;
};

void handshakes_init(struct handshakes *handshakes);
void handshakes_clear(struct handshakes *handshakes);
/* Adds a copy of HANDSHAKE, which waits from NOW_MS on. Returns false if the list has HANDSHAKES_MAX
 * handshakes, or HANDSHAKES_OF_ADDRESS_MAX of this address. */
bool handshakes_add(struct handshakes *handshakes, const struct handshake *handshake, int64_t now_ms);
/* Removes the first handshake that waits for KEY, and copies it to *RET. Returns false if there is none. */
bool handshakes_remove(struct handshakes *handshakes, const char *key, struct handshake *ret);
/* Removes the first handshake whose deadline has passed at NOW_MS, and copies it to *RET. Returns false if
 * there is none. */
bool handshakes_remove_expired(struct handshakes *handshakes, int64_t now_ms, struct handshake *ret);
/* Removes the handshakes of a gateway that has ended. */
void handshakes_forget(struct handshakes *handshakes, unsigned gateway);

#endif
