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

/* Fails the test if the process has used the processor for more than MAX_MS since BEFORE_US. */
int64_t cost_processor_us(void);
void cost_check_processor(int64_t before_us, int64_t max_ms, const char *what);
/* Fails the test if the memory at its peak since BEFORE exceeds COST_MEMORY_MAX_MB beyond that of then. */
void cost_check_memory(const struct cost *before, const char *what);
/* Returns the memory at its peak since BEFORE, beyond that of then. */
int64_t cost_memory_mb(const struct cost *before);

#endif
