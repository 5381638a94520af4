/* SPDX-License-Identifier: Apache-2.0 */
/* web_metrics.h - the agent's figures for /metrics as a message for creel-nm-web */
#ifndef CREEL_NM_WEB_METRICS_H
#define CREEL_NM_WEB_METRICS_H

#include "common/base/arena.h"
#include "common/base/own_process.h"
#include "common/proto/creel.pb-c.h"

struct daemon;

/* Reads the figures of the agent, its containers and its disks; OWN has those of the process. The
 * message is in ARENA. */
Creel__AgentMetrics *web_metrics_make(const struct daemon *daemon, const struct own_process *own,
                                      struct arena *arena);

#endif
