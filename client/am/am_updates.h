/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_updates.h - other sizes that an application master has requested for its containers
 *
 * The updates of one container are sent one after the other, each in an Allocate, with the version that the
 * container has then. The RM answers an update in its reply (the container with a newer version, or a
 * refusal), or it has an increase that waits. An update that waits stays until the RM reports a newer
 * version, or until the RM has accepted a later update, which replaces it there. After a registration the
 * updates that were sent are sent again, since the RM forgets increases that wait when it is restarted. All
 * updates of a container that has ended are dropped. Pure: no I/O, no clock.
 */
#ifndef CREEL_CLIENT_AM_UPDATES_H
#define CREEL_CLIENT_AM_UPDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

struct am_updated; /* the updates of one container */

struct am_updates {                /* all zero: none */
    struct am_updated *containers; /* owned; by id */
};

void am_updates_clear(struct am_updates *updates);
/* Adds an update, behind those of the container that have no answer yet. VERSION: the one that the container
 * has, if there are no such updates. Takes ownership of CAPABILITY. */
void am_updates_add(struct am_updates *updates, const char *container_id, uint32_t version,
                    Creel__ContainerUpdateType type, Creel__Resource *capability);
void am_updates_send_again(struct am_updates *updates);
/* Drops the updates that a reply of the RM answers. */
void am_updates_note_registered(struct am_updates *updates, const Creel__RegisterAmReply *reply);
void am_updates_note_allocated(struct am_updates *updates, const Creel__AllocateReply *reply);

bool am_updates_is_due(const struct am_updates *updates);
/* Puts the next update of each container into BODY, in ARENA, if it has not been sent. */
void am_updates_fill(struct am_updates *updates, struct arena *arena, Creel__Allocate *body);

#endif
