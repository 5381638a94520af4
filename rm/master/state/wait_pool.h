/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_pool.h - places for requests that wait for a change, of which each user gets a share
 *
 * The resource manager does not learn that a client has gone, and a request may wait for ten minutes. So a
 * user who has its whole share gets a place all the same, and its oldest request is answered early. The early
 * answers of a user come WAIT_EARLY_MS after each other, since clients of 0.2.0 repeat their request at once:
 * that many more requests cost no more. A user whose requests have OF_USER_MAX places, those that will be
 * answered early included, has its oldest one answered at once.
 */
#ifndef CREEL_RM_MASTER_WAIT_POOL_H
#define CREEL_RM_MASTER_WAIT_POOL_H

#include <bsd/sys/queue.h>
#include <stdbool.h>
#include <stdint.h>

#include "rm/master/master.h"
#include "rm/master/state/deadline.h"

#define WAIT_EARLY_MS 10

struct waiting; /* a user who has places */

struct wait { /* part of a waiter or a watcher, the owner of DEADLINE */
    TAILQ_ENTRY(wait) of_user;
    struct waiting *waiting;
    bool early; /* it exceeded the share of its user: its deadline is earlier than requested, if need be */
    struct deadline deadline;
    enum master_channel channel;
    uint64_t connection, request_id, known_version;
};

struct wait_pool {
    const char *name; /* in the metrics */
    uint32_t max, of_user_share, of_user_max, count;
    uint64_t refused_full, refused_owner; /* REFUSED_OWNER counts early answers */
    struct waiting *users;                /* owned, uthash by user */
};

/* Returns true, and counts it, if no place is left. */
bool rm_wait_pool_refuses(struct wait_pool *pool);
/* Returns the oldest request of USER if it has OF_USER_MAX, and counts it as refused; NULL: it may have one
 * more. */
struct wait *rm_wait_pool_oldest(struct wait_pool *pool, const char *user);
/* Gives WAIT a place of USER, until AT_MS, its deadline, or until rm_wait_pool_leave(). If USER has more than
 * its share then, its oldest request that is not early gets an early deadline. */
void rm_wait_pool_enter(struct master *m, struct wait_pool *pool, struct wait *wait, const char *user,
                        int64_t at_ms);
void rm_wait_pool_leave(struct master *m, struct wait_pool *pool, struct wait *wait);
/* Returns the peer of WAIT, of which the principal is its user; borrowed. */
struct master_peer rm_wait_peer(const struct wait *wait);

#endif
