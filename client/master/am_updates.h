/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_updates.h - other sizes that an application master has requested for its containers
 *
 * Each is sent with Allocate once, and again after each registration, since the RM forgets increases that
 * wait when it is restarted. It is done when the RM reports a newer version of the container, refuses it, or
 * the container has ended. Pure: no I/O, no clock.
 */
#ifndef CREEL_CLIENT_AM_UPDATES_H
#define CREEL_CLIENT_AM_UPDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

struct am_update {
    char *container_id; /* owned */
    uint32_t version;   /* that the container had when the size was requested */
    Creel__ContainerUpdateType type;
    Creel__Resource *capability; /* owned */
    bool sent;
};

struct am_updates {          /* all zero: none */
    struct am_update *items; /* owned */
    size_t count, capacity;
};

void am_updates_clear(struct am_updates *updates);
/* Adds an update, in place of an earlier one of the container. Takes ownership of CAPABILITY. */
void am_updates_add(struct am_updates *updates, const char *container_id, uint32_t version,
                    Creel__ContainerUpdateType type, Creel__Resource *capability);
void am_updates_send_again(struct am_updates *updates);
/* Drops the updates that a reply of the RM answers. */
void am_updates_note_registered(struct am_updates *updates, const Creel__RegisterAmReply *reply);
void am_updates_note_allocated(struct am_updates *updates, const Creel__AllocateReply *reply);

bool am_updates_is_due(const struct am_updates *updates);
/* Puts the updates that have not been sent into BODY, in ARENA. */
void am_updates_fill(struct am_updates *updates, struct arena *arena, Creel__Allocate *body);

#endif
