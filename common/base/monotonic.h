/* SPDX-License-Identifier: Apache-2.0 */
/* monotonic.h - reads CLOCK_MONOTONIC in ms, called "steady" time, or in ns: it cannot be set, and does not
 * advance while the machine is suspended */
#ifndef CREEL_BASE_MONOTONIC_H
#define CREEL_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline int64_t monotonic_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
