/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - the wall clock without its jumps */
#include "rm/net/parts/clock.h"

#define CLOSE_ENOUGH_MS 1000

void clock_start(struct clock *clock, int64_t wall_ms, int64_t monotonic_ms)
{
    clock->now_ms = wall_ms;
    clock->monotonic_ms = monotonic_ms;
}

int64_t clock_tick(struct clock *clock, int64_t wall_ms, int64_t monotonic_ms)
{
    int64_t passed = monotonic_ms - clock->monotonic_ms;
    int64_t next = clock->now_ms + passed;
    int64_t behind = wall_ms - next;

    /* A tenth of less than ten milliseconds is nothing: a later call corrects the clock. */
    if (passed < 10)
        return next;
    if (behind > CLOSE_ENOUGH_MS)
        next += passed / 10;
    else if (behind < -CLOSE_ENOUGH_MS)
        next -= passed / 10;
    clock->now_ms = next;
    clock->monotonic_ms = monotonic_ms;
    return next;
}
