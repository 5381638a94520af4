/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit.c - the times at which containers get the signal of their time limit, and are stopped by it
 *
 * Limits in the resource manager's time are converted with the agent's estimate of that clock (clock.c).
 * The time of a container counts from the command to start it: a start can hang, for instance in the file
 * system of its output. The resource manager counts from the report that the command runs, and leaves such a
 * start to the agent.
 * Before the first reply of the resource manager there is no estimate: these limits are then ignored, since
 * the clock of this node may be wrong by hours.
 */
#include "common/base/job/job_field.h"
#include "nm-agent/core/state.h"

#define LONGEST_MS ((int64_t)1 << 61) /* so that the sum with a time fits 64 bits */
#define SLACK_MS 5000 /* time after the limit in which a stop order of the resource manager may arrive */

int64_t limit_rm_ms(struct container *container)
{
    const Creel__StoredStart *start = state_stored_start(container);

    return start->limit_ordered ? start->limit_ms : start->grant->deadline_ms;
}

/* Returns SECONDS in milliseconds; so many that they never pass if there are more. */
static int64_t duration_ms(int64_t seconds)
{
    return seconds < LONGEST_MS / 1000 ? seconds * 1000 : LONGEST_MS;
}

int64_t limit_end_ms(const struct step *step, struct container *container)
{
    const Creel__StoredStart *start = state_stored_start(container);
    int64_t started_ms = container->started_ms > 0    ? container->started_ms
                         : container->launched_ms > 0 ? container->launched_ms
                                                      : step->now.wall_ms;
    int64_t rm_ms = limit_rm_ms(container);
    int64_t end_ms = rm_ms > 0 ? clock_own_ms(step, rm_ms) : 0, limit_ms;

    if (start->limit_ordered || start->grant->time_limit_s <= 0)
        return end_ms;
    limit_ms = started_ms + duration_ms(start->grant->time_limit_s);
    return end_ms == 0 || limit_ms < end_ms ? limit_ms : end_ms;
}

int64_t limit_signal_ahead_ms(struct container *container, int *signal_number)
{
    const Creel__LaunchContext *launch = state_stored_start(container)->launch;
    int64_t ahead_ms = 0;

    if (launch == NULL || *launch->limit_signal == '\0' ||
        !job_field_parse_limit_signal(launch->limit_signal, signal_number, &ahead_ms))
        return 0;
    return ahead_ms;
}

void limit_arm(struct step *step, struct container *container)
{
    struct agent *agent = step->agent;
    const Creel__StoredStart *start = state_stored_start(container);
    bool by_rm = start->limit_ordered || start->grant->deadline_ms > 0;
    int64_t end_ms, ahead_ms;
    int number;

    state_disarm_limit(agent, container);
    end_ms = limit_end_ms(step, container);
    if ((container->phase != PHASE_RUNNING && container->phase != PHASE_LAUNCHING) || end_ms == 0 ||
        (by_rm && !agent->rm_clock.known))
        return;
    ahead_ms = limit_signal_ahead_ms(container, &number);
    if (ahead_ms > 0 && start->limit_signal_ms == 0 && container->phase == PHASE_RUNNING)
        end_ms -= ahead_ms;
    else if (container->phase == PHASE_RUNNING)
        end_ms += SLACK_MS;
    container->limit_at = step->now.steady_ms + (end_ms - step->now.wall_ms);
    container->limit_armed = true;
    RB_INSERT(limit_tree, &agent->limits, container);
}

void limit_arm_all(struct step *step)
{
    struct container *container;

    RB_FOREACH(container, container_tree, &step->agent->containers)
        if (container->phase == PHASE_RUNNING || container->phase == PHASE_LAUNCHING)
            limit_arm(step, container);
}

int64_t limit_next_ms(const struct agent *agent)
{
    struct limit_tree tree = agent->limits;
    struct container *first = RB_MIN(limit_tree, &tree);

    return first != NULL ? first->limit_at : INT64_MAX;
}
