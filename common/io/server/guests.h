/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guests.h - counts the connections of guests: peers with unknown keys, which have not signed in yet
 * (private)
 *
 * Anybody who can reach the port and knows the public key of the server can be a guest. So their number is
 * limited, in all and for each address, and each has a short time to sign in.
 */
#ifndef CREEL_IO_GUESTS_H
#define CREEL_IO_GUESTS_H

#include <stdbool.h>

#define GUESTS_MAX 2048u
#define GUESTS_OF_ADDRESS_MAX 256u
#define GUEST_MS 30000              /* time in which a guest must have signed in */
#define GUEST_MESSAGE_MAX (8 << 10) /* bytes of a message of a guest */

struct guest_address; /* opaque */

struct guests {
    unsigned count;
    struct guest_address *addresses; /* owned; an address without guests has no entry */
};

/* Returns true if one more guest may connect from ADDRESS. */
bool guests_have_room(const struct guests *guests, const char *address);
void guests_add(struct guests *guests, const char *address);
/* Removes one guest of ADDRESS, which must have one. */
void guests_remove(struct guests *guests, const char *address);

#endif
