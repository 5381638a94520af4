/* SPDX-License-Identifier: Apache-2.0 */
/* container.h - a container as YARN's resource manager and its node manager show it */
#ifndef CREEL_YARN_CONTAINER_H
#define CREEL_YARN_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

#define YARN_EXECUTION_TYPE "GUARANTEED" /* of all containers: creel has no opportunistic ones */

const char *yarn_container_state(Creel__ContainerState state); /* ContainerState: "NEW", "RUNNING", ... */
/* Returns creel's name, as in pages, the command creel and its JSON; there are more, such as "STARTING". */
const char *container_state_name(Creel__ContainerState state);
int32_t yarn_container_exit_status(const Creel__ContainerReport *container); /* 0 until it has ended */

/* --- the node manager -------------------------------------------------------- */

/* ContainerState of YARN's node manager: "LOCALIZING", "EXITED_WITH_FAILURE". */
const char *yarn_agent_container_state(const Creel__AgentContainer *container);
/* Returns the ApplicationState of YARN's node manager for an application with containers on the node.
 * IS_OVER: the resource manager has reported its end. HAS_LIVE: a container has not ended. HAS_LAUNCHED: the
 * files of a container are on the node. */
const char *yarn_agent_app_state(bool is_over, bool has_live, bool has_launched);
bool yarn_is_agent_app_state(const char *text); /* in upper case */

#endif
