/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duel.h - the scheduler core and the reference, side by side through one scenario
 *
 * Each event goes to both; afterwards what they decided must be the same, in the same order,
 * and so must every figure that both know, and the core's books must add up.
 */
#ifndef CREEL_TESTS_DUEL_H
#define CREEL_TESTS_DUEL_H

#include <stdio.h>

#include "tests/reference/scenario.h"

struct duel_count {                     /* so that a test can see that there was something */
    uint64_t allocated, reserved, unreserved, killed, refused, given_back;
};

/* Run SCENARIO. 0, or -EINVAL: ERR names the event at which they differ, and how; *FAILED (may be NULL)
 * gets its index. STORY (may be NULL) gets every event and decision. */
int duel_run(const struct scenario *scenario, FILE *story, struct duel_count *count, int *failed,
             struct err *err);

/* Leave out of SCENARIO, which fails, all events that it fails without. */
void duel_shrink(struct scenario *scenario);

#endif
