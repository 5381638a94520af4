/* SPDX-License-Identifier: Apache-2.0 */
/* shortage.c - launches that fail because the machine is short of descriptors, processes or memory */
#include <errno.h>

#include "common/base/mem.h"
#include "nm-agent/core/state.h"

#define PATIENCE_MS 20000 /* launches that fail for a longer time are not tried again on this node */
#define SHOWN_MS 5000     /* a shortage that lasts longer is reported */
#define OVER_MS 60000     /* a shortage without a failed launch in this time is over */

bool shortage_is(int code)
{
    return code == -EMFILE || code == -ENFILE || code == -EAGAIN || code == -ENOMEM;
}

static bool is_over(const struct shortage *shortage, struct agent_time now)
{
    return shortage->why == NULL || now.steady_ms - shortage->failed_at > OVER_MS;
}

void shortage_end(struct agent *agent)
{
    free(agent->shortage.why);
    agent->shortage.why = NULL;
}

bool shortage_retries(struct step *step, const char *why)
{
    struct shortage *shortage = &step->agent->shortage;

    if (is_over(shortage, step->now))
        shortage->since = step->now.steady_ms;
    shortage_end(step->agent);
    shortage->why = effect_clean_text(why, TEXT_SHOWN_MAX);
    shortage->failed_at = step->now.steady_ms;
    return step->now.steady_ms - shortage->since < PATIENCE_MS;
}

void shortage_postpone(struct step *step, struct container *container)
{
    struct agent *agent = step->agent;

    if (step->now.steady_ms >= agent->launch_at)
        effect_note(step, container, true, "%s; it is tried again soon", container->diagnostics);
    agent->launch_at = step->now.steady_ms + LAUNCH_PAUSE_MS;
    containers_event(step, container, EVENT_LAUNCH_LATER);
    if (container->phase != PHASE_WAITING)
        return;
    container->exit_status = CONTAINER_EXIT_NONE;
    containers_set_diagnostics(container, NULL);
    TAILQ_REMOVE(&agent->waiting, container, in_waiting);
    TAILQ_INSERT_HEAD(&agent->waiting, container, in_waiting);
}

char *agent_shortage(const struct agent *agent, struct agent_time now)
{
    const struct shortage *shortage = &agent->shortage;
    int64_t lasts_ms = now.steady_ms - shortage->since;

    if (is_over(shortage, now) || lasts_ms < SHOWN_MS)
        return NULL;
    return mem_printf("no container could be started for %lld s: %s", (long long)lasts_ms / 1000,
                      shortage->why);
}
