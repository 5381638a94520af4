/* SPDX-License-Identifier: Apache-2.0 */
/* guests.c - counts the connections of guests */
#include "common/io/server/guests.h"

#include <stdio.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/server/peer_address.h"
#include "common/io/server/gateway_frame.h"

struct guest_address {
    char address[PEER_ADDRESS_TEXT_MAX]; /* united */
    unsigned count;
    UT_hash_handle hh;
};

static struct guest_address *find(const struct guests *guests, const char *address)
{
    char united[PEER_ADDRESS_TEXT_MAX];
    struct guest_address *entry;

    HASH_FIND_STR(guests->addresses, peer_address_unite_text(address, united), entry);
    return entry;
}

bool guests_have_room(const struct guests *guests, const char *address)
{
    const struct guest_address *entry = find(guests, address);

    return guests->count < GUESTS_MAX && (entry == NULL || entry->count < GUESTS_OF_ADDRESS_MAX);
}

void guests_add(struct guests *guests, const char *address)
{
    struct guest_address *entry = find(guests, address);

    if (entry == NULL) {
        entry = mem_new0(struct guest_address);
        peer_address_unite_text(address, entry->address);
        HASH_ADD_STR(guests->addresses, address, entry);
    }
    entry->count++;
    guests->count++;
}

void guests_remove(struct guests *guests, const char *address)
{
    struct guest_address *entry = find(guests, address);

    guests->count--;
    if (--entry->count > 0)
        return;
    HASH_DEL(guests->addresses, entry);
    free(entry);
}
