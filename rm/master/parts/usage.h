/* SPDX-License-Identifier: Apache-2.0 */
/* usage.h - what an application, or all tasks of an array, use now and have used */
#ifndef CREEL_RM_MASTER_USAGE_H
#define CREEL_RM_MASTER_USAGE_H

#include <stdint.h>

#include "common/base/resource.h"

struct usage_sum {
    uint64_t memory_mb_ms, vcore_ms;
};

struct usage {
    uint32_t running;     /* containers reported as running */
    struct resource held; /* sum of the containers in the scheduler's accounting */
    int64_t since_ms;
    struct usage_sum before; /* up to SINCE_MS */
};

/* Adds AMOUNT to USAGE (SIGN 1) or subtracts AMOUNT (SIGN -1). */
void usage_charge(struct usage *usage, int64_t now_ms, const struct resource *amount, int sign);
/* Returns the sum up to NOW_MS. */
struct usage_sum usage_sum(const struct usage *usage, int64_t now_ms);
void usage_sum_add(struct usage_sum *to, const struct usage_sum *from);

#endif
