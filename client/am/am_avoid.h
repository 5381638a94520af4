/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_avoid.h - the blacklist of an application master: nodes on which it gets no containers for some time
 *
 * Used for nodes that the RM can reach and the master cannot. Each node is on the blacklist of the RM
 * (Allocate) until its UNTIL_MS. After each registration the whole blacklist is sent again. Pure: no I/O,
 * no clock.
 */
#ifndef CREEL_CLIENT_AM_AVOID_H
#define CREEL_CLIENT_AM_AVOID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

struct am_avoided {
    char *node_id; /* owned */
    int64_t until_ms;
    bool sent; /* the RM has the node on the blacklist */
};

struct am_avoid {             /* all zero: none */
    struct am_avoided *items; /* owned */
    size_t count, capacity;
};

void am_avoid_clear(struct am_avoid *avoid);
/* Avoids NODE_ID until UNTIL_MS, or until a later time set before. */
void am_avoid_add(struct am_avoid *avoid, const char *node_id, int64_t until_ms);
void am_avoid_send_again(struct am_avoid *avoid);

/* Returns whether there is a change to be sent to the RM at NOW_MS. */
bool am_avoid_is_due(const struct am_avoid *avoid, int64_t now_ms);
/* Puts the changes into BODY, in ARENA, and removes nodes whose time has passed. */
void am_avoid_fill(struct am_avoid *avoid, int64_t now_ms, struct arena *arena, Creel__Allocate *body);
int64_t am_avoid_next_deadline_ms(const struct am_avoid *avoid); /* INT64_MAX: none */

#endif
