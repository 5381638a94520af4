/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_start.h - containers on their way to the agents, pure
 *
 * Start requests are sent in batches per agent and repeated until the agent
 * has answered for each container or the owner drops it (the RM reported it
 * complete). An agent accepts the same start any number of times, so a
 * repeated one starts nothing twice. An agent that stays silent is asked for ever, or
 * for SILENT_MS.
 */
#ifndef CREEL_CLIENT_AM_START_H
#define CREEL_CLIENT_AM_START_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

struct am_starts;                       /* opaque */

/* Where and with which right; all borrowed until the start is answered or dropped. */
struct am_start_place {
    const char *container_id;
    const char *address;
    const char *agent_key;
    ProtobufCBinaryData token;
};

/* The launch context of a container, made in ARENA each time that it is sent. */
typedef Creel__LaunchContext *am_start_launch_fn(void *context, void *owner,
                                                 struct arena *arena);
/* An agent answered: ERROR is NULL if it accepted. Or it has not answered for SILENT_MS since the first
 * time: SILENT, and ERROR is a message about that; it may have accepted. The container is no longer in the
 * queue when this is called. */
typedef void am_start_result_fn(void *context, void *owner, const Creel__Error *error, bool silent);

/* SILENT_MS 0: asked for ever. */
struct am_starts *am_starts_new(int64_t resend_ms, int64_t silent_ms, am_start_launch_fn *launch,
                                am_start_result_fn *result, void *context);
void am_starts_free(struct am_starts *starts);  /* NULL is fine */

void am_starts_add(struct am_starts *starts, const struct am_start_place *place, void *owner);
/* Nothing happens if it is not there. */
void am_starts_drop(struct am_starts *starts, const char *container_id);
bool am_starts_has(const struct am_starts *starts, const char *container_id);

/* The next batch to send now; false if there is none. */
struct am_start_batch {
    const char *address, *agent_key;
    Creel__Envelope *envelope;
};
bool am_starts_next(struct am_starts *starts, int64_t now_ms, struct arena *arena,
                    struct am_start_batch *batch);
int64_t am_starts_next_deadline_ms(const struct am_starts *starts);

/* What the agent at ADDRESS sent: StartContainersReply or Error; anything else, and what
 * belongs to no start that is under way, is ignored. */
void am_starts_receive(struct am_starts *starts, const char *address,
                       const Creel__Envelope *envelope);

#endif
