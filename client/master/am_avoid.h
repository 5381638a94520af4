/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_avoid.h - nodes that an application master is not to get containers on, pure
 *
 * The RM can reach a node that the master cannot. Such a node is on the master's blacklist
 * (Allocate) for some time. After each registration the blacklist is sent again.
 */
#ifndef CREEL_CLIENT_AM_AVOID_H
#define CREEL_CLIENT_AM_AVOID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

struct am_avoided {
    char *node_id;                      /* owned */
    int64_t until_ms;
    bool sent;                          /* the RM has it on the blacklist */
};

struct am_avoid {                       /* all zero: none */
    struct am_avoided *items;           /* owned */
    size_t count, capacity;
};

void am_avoid_clear(struct am_avoid *avoid);
/* NODE_ID is avoided until UNTIL_MS, or later if it is already. */
void am_avoid_add(struct am_avoid *avoid, const char *node_id, int64_t until_ms);
void am_avoid_send_again(struct am_avoid *avoid);

/* Is there something to send to the RM at NOW_MS? */
bool am_avoid_is_due(const struct am_avoid *avoid, int64_t now_ms);
/* Put that into BODY, in ARENA, and forget the nodes whose time is over. */
void am_avoid_fill(struct am_avoid *avoid, int64_t now_ms, struct arena *arena, Creel__Allocate *body);
int64_t am_avoid_next_deadline_ms(const struct am_avoid *avoid);     /* INT64_MAX: none */

#endif
