/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h - the clock of the master
 *
 * This clock follows the machine's wall clock, but never goes backwards and never jumps. After the wall clock
 * was set, or the machine slept, it runs 10 % faster or slower until both agree. So when the wall clock is
 * set forward by an hour, the agents do not appear to have been silent for an hour.
 */
#ifndef CREEL_RM_CLOCK_H
#define CREEL_RM_CLOCK_H

#include <stdint.h>

#include "common/io/loop/loop.h"

struct clock {
    int64_t now_ms;       /* result of the last call, since the Unix epoch */
    int64_t monotonic_ms; /* monotonic time of the last call */
};

void clock_start(struct clock *clock, int64_t wall_ms, int64_t monotonic_ms);

/* Returns the time, given the values of the machine's two clocks. */
int64_t clock_tick(struct clock *clock, int64_t wall_ms, int64_t monotonic_ms);

/* The same, with the values of now. */
static inline int64_t clock_now_ms(struct clock *clock)
{
    return clock_tick(clock, loop_now_ms(), loop_monotonic_ms());
}

#endif
