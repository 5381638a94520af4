/* SPDX-License-Identifier: Apache-2.0 */
/* container.c - a container as YARN's resource manager and its node manager show it */
#include "yarn/container.h"

#include <string.h>

#include "common/proto/value_name.h"

const char *yarn_container_state(Creel__ContainerState state)
{
    if (state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE)
        return "COMPLETE";
    return state >= CREEL__CONTAINER_STATE__CONTAINER_RUNNING ? "RUNNING" : "NEW";
}

const char *container_state_name(Creel__ContainerState state)
{
    return value_name(&creel__container_state__descriptor, (int)state);
}

int32_t yarn_container_exit_status(const Creel__ContainerReport *container)
{
    return container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE ? container->exit_status : 0;
}

/* --- the node manager -------------------------------------------------------- */

const char *yarn_agent_container_state(const Creel__AgentContainer *container)
{
    switch (container->phase) {
    case CREEL__AGENT_PHASE__AGENT_PHASE_NEW:
        return "NEW";
    case CREEL__AGENT_PHASE__AGENT_PHASE_FETCHING:
        return "LOCALIZING";
    case CREEL__AGENT_PHASE__AGENT_PHASE_WAITING:
        return "SCHEDULED";
    case CREEL__AGENT_PHASE__AGENT_PHASE_RUNNING:
        return "RUNNING";
    case CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING:
        return "KILLING";
    case CREEL__AGENT_PHASE__AGENT_PHASE_ENDED:
        return container->exit_status == 0 ? "EXITED_WITH_SUCCESS" : "EXITED_WITH_FAILURE";
    default:
        return "DONE";
    }
}

enum agent_app_state {
    AGENT_NEW,
    INITING,
    RUNNING,
    CONTAINERS_WAIT,
    CLEANING_UP,
    FINISHED,
    AGENT_APP_STATES
};

static const char *const agent_app_states[AGENT_APP_STATES] = {
    "NEW", "INITING", "RUNNING", "FINISHING_CONTAINERS_WAIT", "APPLICATION_RESOURCES_CLEANINGUP", "FINISHED",
};

const char *yarn_agent_app_state(bool is_over, bool has_live, bool has_launched)
{
    if (is_over)
        return agent_app_states[has_live ? CONTAINERS_WAIT : CLEANING_UP];
    return agent_app_states[has_launched ? RUNNING : INITING];
}

bool yarn_is_agent_app_state(const char *text)
{
    for (size_t i = 0; i < AGENT_APP_STATES; i++)
        if (strcmp(agent_app_states[i], text) == 0)
            return true;
    return false;
}
