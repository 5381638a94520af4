/* SPDX-License-Identifier: Apache-2.0 */
/* shares.c - a pool of equal places, of which each owner gets a share */
#include "common/base/shares.h"

#include <stdlib.h>
#include <uthash.h>

#include "common/base/mem.h"

struct owner {
    char *name; /* owned */
    unsigned used;
    UT_hash_handle hh;
};

struct shares {
    unsigned max, owner_max, used;
    struct owner *owners; /* those that have places */
    uint64_t refused[SHARES_FULL + 1];
};

struct shares *shares_new(unsigned max, unsigned owner_max)
{
    struct shares *shares = mem_new0(struct shares);

    shares->max = max;
    shares->owner_max = owner_max;
    return shares;
}

static void free_owner(struct shares *shares, struct owner *owner)
{
    HASH_DEL(shares->owners, owner);
    free(owner->name);
    free(owner);
}

void shares_free(struct shares *shares)
{
    struct owner *owner, *next;

    if (shares == NULL)
        return;
    HASH_ITER(hh, shares->owners, owner, next)
        free_owner(shares, owner);
    free(shares);
}

static struct owner *find(const struct shares *shares, const char *name)
{
    struct owner *owner;

    HASH_FIND_STR(shares->owners, name, owner);
    return owner;
}

enum shares_room shares_room(const struct shares *shares, const char *name)
{
    if (shares_of(shares, name) >= shares->owner_max)
        return SHARES_OWNER_FULL;
    return shares->used >= shares->max ? SHARES_FULL : SHARES_FREE;
}

enum shares_room shares_room_for(const struct shares *shares, const char *name, unsigned count)
{
    unsigned used = shares_of(shares, name);

    if (used > 0 && (used > shares->owner_max || count > shares->owner_max - used))
        return SHARES_OWNER_FULL;
    return shares->used > shares->max || count > shares->max - shares->used ? SHARES_FULL : SHARES_FREE;
}

void shares_take(struct shares *shares, const char *name, unsigned count)
{
    struct owner *owner = find(shares, name);

    if (count == 0)
        return;
    if (owner == NULL) {
        owner = mem_new0(struct owner);
        owner->name = mem_strdup(name);
        HASH_ADD_KEYPTR(hh, shares->owners, owner->name, strlen(owner->name), owner);
    }
    owner->used += count;
    shares->used += count;
}

void shares_give_back(struct shares *shares, const char *name, unsigned count)
{
    struct owner *owner = find(shares, name);

    if (count == 0)
        return;
    shares->used -= count;
    owner->used -= count;
    if (owner->used == 0)
        free_owner(shares, owner);
}

void shares_add(struct shares *shares, const char *name)
{
    shares_take(shares, name, 1);
}

void shares_remove(struct shares *shares, const char *name)
{
    shares_give_back(shares, name, 1);
}

unsigned shares_of(const struct shares *shares, const char *name)
{
    const struct owner *owner = find(shares, name);

    return owner != NULL ? owner->used : 0;
}

unsigned shares_used(const struct shares *shares)
{
    return shares->used;
}

unsigned shares_max(const struct shares *shares)
{
    return shares->max;
}

unsigned shares_owner_max(const struct shares *shares)
{
    return shares->owner_max;
}

void shares_count_refused(struct shares *shares, enum shares_room room)
{
    shares->refused[room]++;
}

uint64_t shares_refused(const struct shares *shares, enum shares_room room)
{
    return shares->refused[room];
}
