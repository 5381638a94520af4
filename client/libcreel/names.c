/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - names of states, as in YARN */
#include "client/include/creel.h"

#include "client/libcreel/client.h"
#include "yarn/app.h"
#include "yarn/container.h"
#include "yarn/node.h"

CREEL_EXPORT
const char *creel_app_state_name(enum creel_app_state state)
{
    return yarn_app_state((Creel__AppState)state);
}

CREEL_EXPORT
const char *creel_final_status_name(enum creel_final_status status)
{
    return yarn_final_status((Creel__FinalStatus)status);
}

CREEL_EXPORT
const char *creel_container_state_name(enum creel_container_state state)
{
    return container_state_name((Creel__ContainerState)state);
}

CREEL_EXPORT
const char *creel_node_state_name(enum creel_node_state state)
{
    return node_state_name((Creel__NodeState)state);
}

CREEL_EXPORT
bool creel_app_is_over(const struct creel_app *app)
{
    return app->state >= CREEL_APP_FINISHED;
}

CREEL_EXPORT
int64_t creel_app_attempt_start_ms(const struct creel_app *app)
{
    /* An application that was requeued and held is in no queue: it ended before its next attempt. */
    bool is_first = creel_app_is_over(app) && app->attempt <= 1 && app->eligible_ms > 0;

    if (app->attempt_started_ms == 0 && (is_first || app->state == CREEL_APP_RUNNING))
        return app->started_ms;
    return app->attempt_started_ms;
}
