/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_limit.c - sends the signal ahead of a time limit, and stops containers at it
 *
 * The resource manager kills an application at its limit. The agent knows the limit, too: it sends the signal
 * that the job requested for the time before its limit. If no stop order arrives, the agent stops the
 * container itself, so that no job runs longer because the resource manager is down.
 */
#include "common/base/job/job_field.h"
#include "nm-agent/core/state.h"

/* The limit was put off: removes the notice, unless it is now that of a preemption. */
static void withdraw_signal(struct step *step, struct container *container)
{
    Creel__StoredStart *start = state_stored_start(container);

    if (start->limit_signal_ms != 0 && start->preempt_notice_ms == 0 && container->phase == PHASE_RUNNING)
        effect_container(step, AGENT_SPARE, container);
    start->limit_signal_ms = 0;
}

void limit_order(struct step *step, struct container *container, int64_t limit_ms)
{
    Creel__StoredStart *start = state_stored_start(container);
    int64_t ahead_ms;
    int number;

    if (container_phase_over(container->phase))
        return;
    if (!start->limit_ordered || start->limit_ms != limit_ms) {
        start->limit_ordered = true;
        start->limit_ms = limit_ms;
        ahead_ms = limit_signal_ahead_ms(container, &number);
        /* The signal is sent again before the new limit, if the time of the signal is still in the future. */
        if (limit_ms == 0 || limit_end_ms(step, container) - ahead_ms > step->now.wall_ms)
            withdraw_signal(step, container);
        /* The record is written again only for a running container: for others the RM repeats the order after
         * a restart of the agent. */
        if (container->phase == PHASE_RUNNING)
            containers_save(step, container);
        limit_arm(step, container);
    }
    if (container->phase > PHASE_DROPPING)
        containers_report(step, container, false);
}

static void send_signal(struct step *step, struct container *container, int number)
{
    struct agent_effect *effect = effect_container(step, AGENT_SIGNAL, container);
    const Creel__LaunchContext *launch = state_stored_start(container)->launch;

    effect->signal_number = number;
    /* An unknown value, of a later version, selects all processes, the default. */
    (void)job_field_parse_signal_to(launch->limit_signal_to, &effect->signal_to);
    effect->deadline_ms = limit_end_ms(step, container);
    effect->text = "the time limit is reached then";
    state_stored_start(container)->limit_signal_ms = step->now.wall_ms;
    containers_save(step, container);
    effect_note(step, container, false, "gets signal %d ahead of its time limit", number);
    limit_arm(step, container);
}

void limit_timer(struct step *step)
{
    struct container *container;
    int number = 0;

    while ((container = RB_MIN(limit_tree, &step->agent->limits)) != NULL &&
           container->limit_at <= step->now.steady_ms) {
        state_disarm_limit(step->agent, container);
        if (container->phase == PHASE_LAUNCHING)
            containers_stop(step, container, CONTAINER_EXIT_BY_RM,
                            "its time limit is reached, and its command has not started yet");
        else if (limit_signal_ahead_ms(container, &number) > 0 &&
                 state_stored_start(container)->limit_signal_ms == 0)
            send_signal(step, container, number);
        else
            containers_stop(step, container, CONTAINER_EXIT_BY_RM,
                            "its time limit is reached (by the agent; the resource manager is silent)");
    }
}
