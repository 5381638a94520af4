/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares.h - a pool of equal places, of which each owner (a user, an address) gets a share (pure)
 *
 * It only counts: the caller keeps what has a place, and gives places back. What is refused for want of a
 * place is counted by the reason, for the metrics.
 */
#ifndef CREEL_BASE_SHARES_H
#define CREEL_BASE_SHARES_H

#include <stdint.h>

struct shares; /* opaque */

enum shares_room {
    SHARES_FREE,       /* there is a place for this owner */
    SHARES_OWNER_FULL, /* the owner has its whole share */
    SHARES_FULL,       /* all places are taken */
};

/* A pool of MAX places, of which one owner gets OWNER_MAX. */
struct shares *shares_new(unsigned max, unsigned owner_max);
void shares_free(struct shares *shares); /* NULL is fine */

enum shares_room shares_room(const struct shares *shares, const char *owner);
/* Gives OWNER a place, also if there is no room: then the caller must take another one away. */
void shares_add(struct shares *shares, const char *owner);
/* Takes a place of OWNER, which must have one, away. */
void shares_remove(struct shares *shares, const char *owner);

/* The same for COUNT places at once, of a pool of units of something, as memory. An owner that has none may
 * take more than its share, so that what exceeds a share is not refused for ever. */
enum shares_room shares_room_for(const struct shares *shares, const char *owner, unsigned count);
void shares_take(struct shares *shares, const char *owner, unsigned count);
/* Takes COUNT places of OWNER, which must have them, away. */
void shares_give_back(struct shares *shares, const char *owner, unsigned count);

unsigned shares_of(const struct shares *shares, const char *owner); /* places that OWNER has */
unsigned shares_used(const struct shares *shares);
unsigned shares_max(const struct shares *shares);
unsigned shares_owner_max(const struct shares *shares);
/* ROOM must not be SHARES_FREE. */
void shares_count_refused(struct shares *shares, enum shares_room room);
uint64_t shares_refused(const struct shares *shares, enum shares_room room);

#endif
