/* SPDX-License-Identifier: Apache-2.0 */
/* app_logs_state.c - the state of the logs of an application, for reports and rows */
#include "rm/master/state/app_logs.h"
#include "rm/master/state/index.h"

#define LOGS(name) CREEL__LOG_AGGREGATION__LOGS_##name

bool rm_app_has_run(const struct app *app)
{
    return app->started_ms > 0 || app->nodes != NULL || app->logs_reported;
}

Creel__LogAggregation rm_app_logs_state(const struct master *m, const struct app *app)
{
    int64_t waits_since_ms = app->finished_ms > m->started_ms ? app->finished_ms : m->started_ms;

    if (!m->config.log_aggregation)
        return LOGS(DISABLED);
    if (!rm_app_has_run(app))
        return LOGS(NOT_START);
    if (!rm_app_is_over(app))
        return LOGS(RUNNING);
    if (app->logs_final != LOGS(DISABLED))
        return app->logs_final;
    if (app->logs_reported && app->logs == NULL && app->nodes == NULL)
        return app->logs_failed ? LOGS(FAILED) : LOGS(SUCCEEDED);
    return m->now_ms - waits_since_ms > m->config.log_timeout_ms ? LOGS(TIME_OUT) : LOGS(RUNNING);
}
