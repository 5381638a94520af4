/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - names of states, as in YARN */
#include "client/include/creel.h"

#include "client/libcreel/client.h"

#define NAME_OF(table, value) \
    ((size_t)(value) < sizeof(table) / sizeof((table)[0]) && (table)[value] ? (table)[value] : "UNKNOWN")

CREEL_EXPORT
const char *creel_app_state_name(enum creel_app_state state)
{
    static const char *const names[] = {
        [CREEL_APP_NEW] = "NEW",
        [CREEL_APP_NEW_SAVING] = "NEW_SAVING",
        [CREEL_APP_SUBMITTED] = "SUBMITTED",
        [CREEL_APP_ACCEPTED] = "ACCEPTED",
        [CREEL_APP_RUNNING] = "RUNNING",
        [CREEL_APP_FINISHED] = "FINISHED",
        [CREEL_APP_FAILED] = "FAILED",
        [CREEL_APP_KILLED] = "KILLED",
    };

    return NAME_OF(names, state);
}

CREEL_EXPORT
const char *creel_final_status_name(enum creel_final_status status)
{
    static const char *const names[] = {
        [CREEL_FINAL_UNDEFINED] = "UNDEFINED",
        [CREEL_FINAL_SUCCEEDED] = "SUCCEEDED",
        [CREEL_FINAL_FAILED] = "FAILED",
        [CREEL_FINAL_KILLED] = "KILLED",
    };

    return NAME_OF(names, status);
}

CREEL_EXPORT
const char *creel_container_state_name(enum creel_container_state state)
{
    static const char *const names[] = {
        [CREEL_CONTAINER_ALLOCATED] = "ALLOCATED", [CREEL_CONTAINER_STARTING] = "STARTING",
        [CREEL_CONTAINER_RUNNING] = "RUNNING",     [CREEL_CONTAINER_STOPPING] = "STOPPING",
        [CREEL_CONTAINER_COMPLETE] = "COMPLETE",
    };

    return NAME_OF(names, state);
}

CREEL_EXPORT
const char *creel_node_state_name(enum creel_node_state state)
{
    static const char *const names[] = {
        [CREEL_NODE_RUNNING] = "RUNNING",
        [CREEL_NODE_UNHEALTHY] = "UNHEALTHY",
        [CREEL_NODE_DECOMMISSIONING] = "DECOMMISSIONING",
        [CREEL_NODE_DECOMMISSIONED] = "DECOMMISSIONED",
        [CREEL_NODE_LOST] = "LOST",
        [CREEL_NODE_REBOOTED] = "REBOOTED",
        [CREEL_NODE_SHUT_DOWN] = "SHUTDOWN",
        [CREEL_NODE_DRAINING] = "DRAINING",
        [CREEL_NODE_DRAINED] = "DRAINED",
        [CREEL_NODE_WAITING] = "WAITING",
    };

    return NAME_OF(names, state);
}

CREEL_EXPORT
bool creel_app_is_over(const struct creel_app *app)
{
    return app->state >= CREEL_APP_FINISHED;
}
