/* SPDX-License-Identifier: Apache-2.0 */
/* owners.c - counts, for each owner of connections, the bytes of replies not yet sent to it */
#include "common/io/server/owners.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/keys/keys.h"
#include "common/io/server/peer_address.h"

struct owner {
    char *text; /* owned */
    enum owner_kind kind;
    unsigned connections;
    size_t waiting;
    UT_hash_handle hh;
};

static const size_t kind_max[OWNER_KINDS] = {
    [OWNER_HOST] = GATEWAY_HOSTS_WAITING_MAX,
    [OWNER_USER] = GATEWAY_USERS_WAITING_MAX,
    [OWNER_STRANGER] = GATEWAY_STRANGERS_WAITING_MAX,
};

/* --- which owner ---------------------------------------------------------------- */

static enum owner_kind kind_of(const struct owner_facts *facts)
{
    switch (facts->admitted) {
    case ADMITTED_AGENT:
        return OWNER_HOST;
    case ADMITTED_JOIN:
    case ADMITTED_GUEST:
        return OWNER_STRANGER;
    default:
        return OWNER_USER;
    }
}

/* Returns the text of the owner, which the caller frees. The kinds have different first words. */
static char *describe(const struct owner_facts *facts)
{
    char address[PEER_ADDRESS_TEXT_MAX];

    switch (kind_of(facts)) {
    case OWNER_HOST: /* a certificate that many hosts share is of the host of the address */
        if (strcmp(facts->name, KEY_AGENT_SHARED) == 0)
            return mem_printf("agents at %s", facts->address);
        return mem_printf("agents of %s", facts->name);
    case OWNER_STRANGER:
        return mem_printf("peers at %s that have not signed in",
                          peer_address_unite_text(facts->address, address));
    default:
        if (facts->user != NULL || facts->admitted == ADMITTED_USER || facts->admitted == ADMITTED_SIGNED_IN)
            return mem_printf("user %s", facts->user != NULL ? facts->user : facts->name);
        return mem_printf("peer %s", facts->name);
    }
}

struct owner *owners_join(struct owners *owners, const struct owner_facts *facts)
{
    scoped_free char *text = describe(facts);
    struct owner *owner;

    HASH_FIND_STR(owners->by_text, text, owner);
    if (owner == NULL) {
        owner = mem_new0(struct owner);
        owner->text = mem_strdup(text);
        owner->kind = kind_of(facts);
        HASH_ADD_KEYPTR(hh, owners->by_text, owner->text, strlen(owner->text), owner);
    }
    owner->connections++;
    return owner;
}

void owners_leave(struct owners *owners, struct owner *owner)
{
    assert(owner->connections > 0);
    if (--owner->connections > 0)
        return;
    assert(owner->waiting == 0);
    HASH_DEL(owners->by_text, owner);
    free(owner->text);
    free(owner);
}

/* --- bytes ------------------------------------------------------------------------ */

void owners_wait(struct owners *owners, struct owner *owner, unsigned gateway, size_t bytes)
{
    owner->waiting += bytes;
    owners->waiting[gateway][owner->kind] += bytes;
}

void owners_sent(struct owners *owners, struct owner *owner, unsigned gateway, size_t bytes)
{
    assert(owner->waiting >= bytes);
    owner->waiting -= bytes;
    owners->waiting[gateway][owner->kind] -= bytes;
}

static size_t left_in(const struct owners *owners, const struct owner *owner, unsigned gateway)
{
    size_t used = owners->waiting[gateway][owner->kind];

    return used < kind_max[owner->kind] ? kind_max[owner->kind] - used : 0;
}

/* The nearer the pool is to its end, the smaller is the share of an owner: so owners with few bytes always
 * get answers, however many others do not read. */
enum owner_room owners_room(const struct owners *owners, const struct owner *owner, unsigned gateway,
                            size_t bytes)
{
    size_t left = left_in(owners, owner, gateway);

    if (bytes > left || owner->waiting > left)
        return OWNERS_FULL;
    return owner->waiting == 0 || owner->waiting + bytes <= GATEWAY_OWNER_WAITING_MAX ? OWNER_ROOM
                                                                                      : OWNER_FULL;
}

enum owner_room owners_room_for_answer(const struct owners *owners, const struct owner *owner,
                                       unsigned gateway, size_t unread_max)
{
    size_t left = left_in(owners, owner, gateway);

    if (left < GATEWAY_MESSAGE_MAX || owner->waiting > left / 2)
        return OWNERS_FULL;
    return owner->waiting <= unread_max ? OWNER_ROOM : OWNER_FULL;
}

const char *owner_text(const struct owner *owner)
{
    return owner->text;
}

size_t owner_waiting(const struct owner *owner)
{
    return owner->waiting;
}

size_t owners_waiting(const struct owners *owners)
{
    size_t sum = 0;

    for (unsigned i = 0; i < GATEWAYS_MAX; i++)
        for (size_t kind = 0; kind < OWNER_KINDS; kind++)
            sum += owners->waiting[i][kind];
    return sum;
}
