/* SPDX-License-Identifier: Apache-2.0 */
/* sim_resize.h - other sizes for containers in a world: requests of AMs, and the limits on a virtual machine
 * */
#ifndef CREEL_SIM_RESIZE_H
#define CREEL_SIM_RESIZE_H

#include "common/proto/creel.pb-c.h"
#include "nm-agent/core/agent.h"
#include "sim/world/sim_machine.h"

/* The containers that an AM knows, and their versions. */
struct sim_sizes;

struct sim_sizes *sim_sizes_new(struct world *world);
void sim_sizes_free(struct sim_sizes *sizes); /* NULL is allowed */
/* Adds updates to BODY now and then. Texts and messages of the updates are in ARENA. */
void sim_sizes_draw(struct sim_sizes *sizes, struct arena *arena, Creel__Allocate *body);
/* Begins a reply with RESPONSE_ID. Returns false for a late one, which is ignored. */
bool sim_sizes_begin(struct sim_sizes *sizes, uint64_t response_id);
/* Note containers of the reply, and their ends. A version that falls violates a guarantee: the size was
 * acknowledged. */
void sim_sizes_note(struct sim_sizes *sizes, Creel__Container **containers, size_t count);
void sim_sizes_ended(struct sim_sizes *sizes, Creel__ContainerStatus **statuses, size_t count);

/* Applies the new limits of EFFECT on the machine of NODE, or fails. Adds the agent's next effects. */
void sim_machine_resize(struct sim_node *node, struct agent_time now, const struct agent_effect *effect);

#endif
