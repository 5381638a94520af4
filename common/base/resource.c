/* SPDX-License-Identifier: Apache-2.0 */
/* resource.c - vector of resources: saturating sums, comparisons, formatting */
#include "common/base/resource.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t add_saturating(int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

static int64_t subtract_saturating(int64_t a, int64_t b)
{
    int64_t difference;

    if (__builtin_sub_overflow(a, b, &difference))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return difference;
}

struct resource resource_add_saturating(const struct resource *a, const struct resource *b)
{
    struct resource sum;

    for (size_t i = 0; i < RESOURCE_TYPES_MAX; i++)
        sum.value[i] = add_saturating(a->value[i], b->value[i]);
    return sum;
}

struct resource resource_subtract_saturating(const struct resource *a, const struct resource *b)
{
    struct resource difference;

    for (size_t i = 0; i < RESOURCE_TYPES_MAX; i++)
        difference.value[i] = subtract_saturating(a->value[i], b->value[i]);
    return difference;
}

bool resource_fits(const struct resource *small, const struct resource *room)
{
    for (size_t i = 0; i < RESOURCE_TYPES_MAX; i++)
        if (small->value[i] > room->value[i])
            return false;
    return true;
}

bool resource_equal(const struct resource *a, const struct resource *b)
{
    return memcmp(a->value, b->value, sizeof(a->value)) == 0;
}

bool resource_any_negative(const struct resource *a)
{
    for (size_t i = 0; i < RESOURCE_TYPES_MAX; i++)
        if (a->value[i] < 0)
            return true;
    return false;
}

const char *resource_format(const struct resource *r, char text[RESOURCE_TEXT_MAX])
{
    int used = snprintf(text, RESOURCE_TEXT_MAX, "<memory:%" PRId64 ", vCores:%" PRId64,
                        r->value[RESOURCE_MEMORY_MB], r->value[RESOURCE_VCORES]);

    for (size_t i = 2; i < RESOURCE_TYPES_MAX; i++)
        if (r->value[i] != 0 && used < RESOURCE_TEXT_MAX)
            used += snprintf(text + used, (size_t)(RESOURCE_TEXT_MAX - used), ", type%zu:%" PRId64, i,
                             r->value[i]);
    if (used < RESOURCE_TEXT_MAX)
        snprintf(text + used, (size_t)(RESOURCE_TEXT_MAX - used), ">");
    return text;
}
