/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost.h - what a step of a test costs this process: memory at its peak, and processor time
 *
 * The bounds are those that a daemon promises for whatever one user sends. Processor time, not the time that
 * passes, is measured: a loaded machine does not matter. With sanitizers, a step may take COST_SLOWER times
 * as long.
 */
#ifndef CREEL_TEST_COST_H
#define CREEL_TEST_COST_H

#include <stdint.h>

enum { COST_MEMORY_MAX_MB = 64, COST_STEP_MAX_MS = 500, COST_SLOWER = 4 };

struct cost {
    int64_t memory_kb, processor_us;
};

struct cost cost_begin(void);
/* Fails the test if the step since BEFORE exceeded a bound. WHAT and STEP name it. */
void cost_end(const struct cost *before, const char *what, const char *step);

#endif
