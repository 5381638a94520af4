/* SPDX-License-Identifier: Apache-2.0 */
/* usage.c - what an application, or all tasks of an array, use now and have used */
#include "rm/master/parts/usage.h"

struct usage_sum usage_sum(const struct usage *usage, int64_t now_ms)
{
    int64_t passed = now_ms > usage->since_ms ? now_ms - usage->since_ms : 0;

    return (struct usage_sum){
        usage->before.memory_mb_ms + (uint64_t)(usage->held.value[RESOURCE_MEMORY_MB] * passed),
        usage->before.vcore_ms + (uint64_t)(usage->held.value[RESOURCE_VCORES] * passed),
    };
}

void usage_sum_add(struct usage_sum *to, const struct usage_sum *from)
{
    to->memory_mb_ms += from->memory_mb_ms;
    to->vcore_ms += from->vcore_ms;
}

void usage_charge(struct usage *usage, int64_t now_ms, const struct resource *amount, int sign)
{
    usage->before = usage_sum(usage, now_ms);
    usage->since_ms = now_ms;
    usage->held = sign > 0 ? resource_add(usage->held, *amount) : resource_subtract(usage->held, *amount);
}
