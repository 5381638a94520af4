/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h - the clock of the master
 *
 * It follows the wall clock, but never goes backwards and never jumps: when the machine's clock is set, or
 * the machine slept, it approaches the new time by a tenth of the time that passes. So a clock that is set
 * forward by an hour does not make every agent look as if it had been silent for an hour.
 */
#ifndef CREEL_RM_CLOCK_H
#define CREEL_RM_CLOCK_H

#include <stdint.h>

struct clock {
    int64_t now_ms;             /* what was returned last; Unix epoch */
    int64_t monotonic_ms;       /* when */
};

void clock_start(struct clock *clock, int64_t wall_ms, int64_t monotonic_ms);

/* The time, given what the machine's two clocks say. */
int64_t clock_tick(struct clock *clock, int64_t wall_ms, int64_t monotonic_ms);

#endif
