/* SPDX-License-Identifier: Apache-2.0 */
/* register_agent.h - fixture: the agent's core with containers of an earlier agent, which registers */
#ifndef CREEL_TEST_REGISTER_AGENT_H
#define CREEL_TEST_REGISTER_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

#define NODE "n1:8041"
#define AGENT_CLUSTER_MS 1700000000000

struct register_agent;

void register_agent_history(Creel__History *ret); /* the history that the agent has seen */

/* Returns the agent of node NODE, which has COUNT containers and has begun to register. */
struct register_agent *register_agent_new(unsigned count);
void register_agent_free(struct register_agent *agent); /* AGENT may be NULL */
/* Returns the next message to the resource manager, borrowed until the next call. Waits for it at most 20 s
 * of the agent's clock. */
const Creel__Envelope *register_agent_next(struct register_agent *agent);
void register_agent_receive(struct register_agent *agent, const Creel__Envelope *reply); /* NULL: no reply */
bool register_agent_is_registered(const struct register_agent *agent);
int64_t register_agent_now_ms(const struct register_agent *agent); /* the agent's monotonic clock */

#endif
