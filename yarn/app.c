/* SPDX-License-Identifier: Apache-2.0 */
/* app.c - an application and its attempts as YARN shows them */
#include "yarn/app.h"

#include "common/proto/value_name.h"
#include "yarn/resource.h"

/* --- states ------------------------------------------------------------------ */

const char *yarn_app_state(Creel__AppState state)
{
    return state == CREEL__APP_STATE__APP_STATE_ANY ? "UNKNOWN"
                                                    : value_name(&creel__app_state__descriptor, (int)state);
}

const char *yarn_app_inner_state(Creel__AppState state, bool kill_requested)
{
    return kill_requested && !yarn_app_is_over(state) ? "KILLING" : yarn_app_state(state);
}

const char *yarn_final_status(Creel__FinalStatus status)
{
    return value_name(&creel__final_status__descriptor, (int)status);
}

const char *yarn_log_aggregation(Creel__LogAggregation progress)
{
    return value_name(&creel__log_aggregation__descriptor, (int)progress);
}

bool yarn_app_state_parse(const char *text, Creel__AppState *ret)
{
    int found = value_find(&creel__app_state__descriptor, text);

    if (found <= 0) /* YARN has no name for APP_STATE_ANY */
        return false;
    *ret = (Creel__AppState)found;
    return true;
}

bool yarn_final_status_parse(const char *text, Creel__FinalStatus *ret)
{
    int found = value_find(&creel__final_status__descriptor, text);

    if (found < 0)
        return false;
    *ret = (Creel__FinalStatus)found;
    return true;
}

bool yarn_app_is_over(Creel__AppState state)
{
    return state == CREEL__APP_STATE__APP_FINISHED || state == CREEL__APP_STATE__APP_FAILED ||
           state == CREEL__APP_STATE__APP_KILLED;
}

const char *yarn_attempt_state(Creel__AppState app, bool is_last, Creel__ContainerState master)
{
    if (!is_last)
        return "FAILED";
    if (yarn_app_is_over(app) || app == CREEL__APP_STATE__APP_RUNNING)
        return yarn_app_state(app);
    if (master == CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN)
        return app == CREEL__APP_STATE__APP_ACCEPTED ? "SCHEDULED" : "NEW";
    return master >= CREEL__CONTAINER_STATE__CONTAINER_STARTING ? "LAUNCHED" : "ALLOCATED";
}

/* --- values ------------------------------------------------------------------ */

double yarn_app_progress(Creel__AppState state, double progress)
{
    return yarn_app_is_over(state) ? 1 : progress;
}

const char *yarn_app_tracking_ui(const Creel__AppReport *app)
{
    if (yarn_app_is_over(app->state))
        return "History";
    return app->registered ? "ApplicationMaster" : "UNASSIGNED";
}

bool yarn_app_has_tracking_url(const Creel__AppReport *app)
{
    return app->registered || yarn_app_is_over(app->state);
}

int64_t yarn_app_launched_ms(const Creel__AppReport *app)
{
    return app->unmanaged ? -1 : app->started_ms;
}

int64_t yarn_elapsed_ms(int64_t started_ms, int64_t finished_ms, int64_t now_ms)
{
    int64_t end_ms = finished_ms != 0 ? finished_ms : now_ms;

    return end_ms > started_ms ? end_ms - started_ms : 0;
}

int64_t yarn_app_remaining_s(int64_t expires_ms, int64_t now_ms)
{
    if (expires_ms <= 0)
        return -1;
    return expires_ms > now_ms ? (expires_ms - now_ms) / 1000 : 0;
}

const char *yarn_or_not_available(const char *text)
{
    return *text != '\0' ? text : "N/A";
}

struct yarn_app_held yarn_app_held(const Creel__AppReport *app)
{
    if (yarn_app_is_over(app->state))
        return (struct yarn_app_held){ -1, -1, -1, -1, -1 };
    return (struct yarn_app_held){
        .memory_mb = yarn_memory_mb(app->allocated),
        .vcores = yarn_vcores(app->allocated),
        .reserved_mb = yarn_memory_mb(app->reserved),
        .reserved_vcores = yarn_vcores(app->reserved),
        .containers = app->running_containers,
    };
}

float yarn_app_memory_percent(const Creel__AppReport *app, double whole_mb)
{
    double used_mb = yarn_app_is_over(app->state) ? 0 : (double)yarn_memory_mb(app->allocated);

    return whole_mb > 0 ? (float)(used_mb / whole_mb * 100) : 0;
}
