/* SPDX-License-Identifier: Apache-2.0 */
/* monotonic_wait.h - condition variables whose waits end by CLOCK_MONOTONIC, whatever sets the wall clock */
#ifndef CREEL_BASE_MONOTONIC_WAIT_H
#define CREEL_BASE_MONOTONIC_WAIT_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "common/base/monotonic.h"

static inline void monotonic_wait_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Returns the time in TIMEOUT_MS, for pthread_cond_timedwait. */
static inline struct timespec monotonic_wait_end(int64_t timeout_ms)
{
    int64_t end_ms = monotonic_ms() + timeout_ms;

    return (struct timespec){ end_ms / 1000, end_ms % 1000 * 1000000 };
}

#endif
