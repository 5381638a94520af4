/* SPDX-License-Identifier: Apache-2.0 */
/* durations.c - counts how long the starts of containers took */
#include "nm-agent/core/state.h"

/* Files may be large, and wait for the RM; a launch takes milliseconds unless the machine is busy, or an
 * archive is unpacked. */
static const double localize_bounds[] = { 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800 };
static const double start_bounds[] = { 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60 };

void durations_init(struct agent *agent)
{
    histogram_init(&agent->durations.localize, localize_bounds,
                   sizeof(localize_bounds) / sizeof(*localize_bounds));
    histogram_init(&agent->durations.start, start_bounds, sizeof(start_bounds) / sizeof(*start_bounds));
}

void durations_count(struct step *step, struct container *container, enum container_event event)
{
    struct agent_durations *durations = &step->agent->durations;
    double seconds = (double)(step->now.steady_ms - container->phase_at) / 1000;

    if (event == EVENT_FETCHED && state_stored_start(container)->launch->n_files > 0)
        histogram_add(&durations->localize, seconds);
    else if (event == EVENT_RUNNING && container->phase == PHASE_LAUNCHING)
        histogram_add(&durations->start, seconds);
}

const struct agent_durations *agent_durations(const struct agent *agent)
{
    return &agent->durations;
}
