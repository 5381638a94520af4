/* SPDX-License-Identifier: Apache-2.0 */
/* apps.c - cleans up applications that have ended */
#include "nm-agent/core/state.h"

void apps_settle(struct step *step, struct app *app)
{
    struct agent *agent = step->agent;
    struct container *container, *next;

    if (!app->over || app->cleaned)
        return;
    TAILQ_FOREACH(container, &app->containers, in_app) {
        if (container->phase != PHASE_ACKED)
            return;
    }
    TAILQ_FOREACH_SAFE(container, &app->containers, in_app, next)
        state_remove(agent, container);
    effect_add(step, AGENT_CLEANUP_APP)->app_id = arena_strdup(step->effects->arena, app->text);
    if (agent->config
            .moves_logs) /* with the heartbeat that reports the clean-up, so that the RM waits for it */
        log_news_add(agent, app->text, CREEL__LOG_AGGREGATION__LOGS_RUNNING);
    app->cleaned = true;
    app->first_sent_seq = 0;
    TAILQ_INSERT_TAIL(&agent->cleaned, app, in_cleaned);
    state_add_finished(agent, &app->id);
    link_urgent(step);
}
