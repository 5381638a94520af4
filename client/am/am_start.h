/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_start.h - start requests of containers to agents, pure (no I/O, no clock)
 *
 * Start requests are sent in batches per agent and repeated until the agent has answered for each container
 * or the owner drops the container (the RM reported it complete). An agent accepts the same start any number
 * of times, so a repeated request starts nothing twice. Requests to a silent agent are repeated without end,
 * or for SILENT_MS.
 */
#ifndef CREEL_CLIENT_AM_START_H
#define CREEL_CLIENT_AM_START_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

struct am_starts; /* opaque */

/* Agent and token for a start; all borrowed until the start is answered or dropped. */
struct am_start_place {
    const char *container_id;
    const char *address;
    const char *agent_key;
    ProtobufCBinaryData token;
};

/* Returns the launch context of a container in ARENA; called each time a start is sent. */
typedef Creel__LaunchContext *am_start_launch_fn(void *context, void *owner, struct arena *arena);
/* Called when an agent has answered a start. ERROR is NULL if the agent accepted the start. Also called, with
 * SILENT and a message in ERROR, if the agent has not answered for SILENT_MS; the agent may nevertheless have
 * accepted the start. The start is removed before the call. */
typedef void am_start_result_fn(void *context, void *owner, const Creel__Error *error, bool silent);

/* SILENT_MS 0: no limit. */
struct am_starts *am_starts_new(int64_t resend_ms, int64_t silent_ms, am_start_launch_fn *launch,
                                am_start_result_fn *result, void *context);
void am_starts_free(struct am_starts *starts); /* NULL is allowed */

void am_starts_add(struct am_starts *starts, const struct am_start_place *place, void *owner);
/* Has no effect on an unknown container. */
void am_starts_drop(struct am_starts *starts, const char *container_id);
bool am_starts_has(const struct am_starts *starts, const char *container_id);

/* Gets the next batch to send now; false if there is none. */
struct am_start_batch {
    const char *address, *agent_key;
    Creel__Envelope *envelope;
};
bool am_starts_next(struct am_starts *starts, int64_t now_ms, struct arena *arena,
                    struct am_start_batch *batch);
int64_t am_starts_next_deadline_ms(const struct am_starts *starts);

/* Handles a message of the agent at ADDRESS: StartContainersReply or Error. Other messages, and answers
 * for containers without a pending start, are ignored. */
void am_starts_receive(struct am_starts *starts, const char *address, const Creel__Envelope *envelope);

#endif
