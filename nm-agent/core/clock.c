/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c - estimates the RM's clock on this node
 *
 * Each reply of the RM has the time at which it was written. The agent knows the steady times of sending the
 * request and of receiving the reply. From these it derives the RM's current time, exact to half the round
 * trip (as in NTP). Expiry times of the RM are compared with this estimate: this node's wall clock may be
 * wrong by hours, and may be set while the agent runs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "nm-agent/core/state.h"

bool clock_update(struct step *step, int64_t sent_at, int64_t rm_ms)
{
    struct rm_clock *clock = &step->agent->rm_clock;
    int64_t trip_ms = step->now.steady_ms - sent_at;
    bool is_first;

    if (rm_ms <= 0 || trip_ms < 0)
        return false;
    is_first = !clock->known;
    clock->known = true;
    clock->offset_ms = rm_ms - (sent_at + trip_ms / 2);
    clock->error_ms = trip_ms - trip_ms / 2;
    return is_first;
}

struct agent_clock agent_clock(const struct agent *agent, struct agent_time now)
{
    const struct rm_clock *clock = &agent->rm_clock;
    int64_t rm_ms = clock->known ? now.steady_ms + clock->offset_ms : now.wall_ms;

    return (struct agent_clock){
        .known = clock->known,
        .rm_ms = rm_ms,
        .skew_ms = now.wall_ms - rm_ms,
        .error_ms = clock->error_ms,
    };
}

bool agent_clock_is_past(const struct agent_clock *clock, int64_t expires_ms)
{
    return expires_ms != 0 && expires_ms < clock->rm_ms + clock->error_ms;
}

void agent_clock_explain(const struct agent_clock *clock, int64_t expires_ms, char *text, size_t room)
{
    double ago_s = (double)(clock->rm_ms - expires_ms) / 1000, skew_s = (double)clock->skew_ms / 1000;

    if (clock->known)
        snprintf(text, room,
                 "has expired %.1f s ago by the clock of the resource manager (the clock of "
                 "this node is %.1f s %s)",
                 ago_s, skew_s < 0 ? -skew_s : skew_s, skew_s < 0 ? "behind it" : "ahead of it");
    else
        snprintf(text, room,
                 "has expired %.1f s ago by the clock of this node (that of the resource manager "
                 "is not known here yet)",
                 ago_s);
}

int64_t clock_own_ms(const struct step *step, int64_t rm_ms)
{
    return rm_ms + agent_clock(step->agent, step->now).skew_ms;
}
