/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duel.h - runs one scenario on the scheduler core and on the reference implementation, and compares them
 *
 * Each event is applied to both. After each event their decisions must be the same, in the same order, every
 * figure that both have must be equal, and the core's audit (sched_check()) must pass.
 */
#ifndef CREEL_TESTS_DUEL_H
#define CREEL_TESTS_DUEL_H

#include <stdio.h>

#include "tests/reference/scenario.h"

struct duel_count { /* counters, so that a test can check that decisions were made */
    uint64_t allocated, reserved, unreserved, notified, killed, refused, given_back;
};

/* Runs SCENARIO. Returns 0, or -EINVAL: ERR names the event at which core and reference differ, and the
 * difference; *FAILED (may be NULL) is set to the index of the event. STORY (may be NULL): every event and
 * decision is written to this file. */
int duel_run(const struct scenario *scenario, FILE *story, struct duel_count *count, int *failed,
             struct err *err);

/* Removes events from a SCENARIO that fails, as long as the shorter scenario fails, too. */
void duel_shrink(struct scenario *scenario);

#endif
