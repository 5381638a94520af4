/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource.h - struct resource, a vector of resources: a node's total or a container's allocation; arithmetic
 *
 * A short vector of 64-bit integers: memory in MiB first, vcores second, then the types that
 * yarn.resource-types names. Unused types stay 0. A vector fills one cache line. Differences may be negative
 * (a node whose total shrank below its use); sums saturate instead of overflowing.
 */
#ifndef CREEL_BASE_RESOURCE_H
#define CREEL_BASE_RESOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESOURCE_TYPES_MAX 8
#define RESOURCE_TEXT_MAX 240

enum { RESOURCE_MEMORY_MB = 0, RESOURCE_VCORES = 1 };

struct resource {
    int64_t value[RESOURCE_TYPES_MAX];
};

static inline struct resource resource_of(int64_t memory_mb, int64_t vcores)
{
    struct resource r = { .value = { memory_mb, vcores } };

    return r;
}

/* Slow paths of resource_add and resource_subtract, for sums that overflow. */
struct resource resource_add_saturating(const struct resource *a, const struct resource *b);
struct resource resource_subtract_saturating(const struct resource *a, const struct resource *b);

/* resource_add and resource_subtract are called in the scheduler's innermost loops, so they have no branch
 * for each type. */
static inline struct resource resource_add(struct resource a, struct resource b)
{
    struct resource sum;
    uint64_t overflow = 0;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++) {
        uint64_t x = (uint64_t)a.value[t], y = (uint64_t)b.value[t], z = x + y;

        sum.value[t] = (int64_t)z;
        overflow |= (x ^ z) & (y ^ z);
    }
    return overflow >> 63 ? resource_add_saturating(&a, &b) : sum;
}

static inline struct resource resource_subtract(struct resource a, struct resource b)
{
    struct resource difference;
    uint64_t overflow = 0;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++) {
        uint64_t x = (uint64_t)a.value[t], y = (uint64_t)b.value[t], z = x - y;

        difference.value[t] = (int64_t)z;
        overflow |= (x ^ y) & (x ^ z);
    }
    return overflow >> 63 ? resource_subtract_saturating(&a, &b) : difference;
}

static inline struct resource resource_min(struct resource a, struct resource b) /* minimum of each type */
{
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        a.value[t] = a.value[t] < b.value[t] ? a.value[t] : b.value[t];
    return a;
}

static inline struct resource resource_max(struct resource a, struct resource b) /* maximum of each type */
{
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        a.value[t] = a.value[t] > b.value[t] ? a.value[t] : b.value[t];
    return a;
}

static inline bool resource_is_zero(const struct resource *a)
{
    int64_t bits = 0;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        bits |= a->value[t];
    return bits == 0;
}

bool resource_fits(const struct resource *small, const struct resource *room); /* true if SMALL <= ROOM */
bool resource_equal(const struct resource *a, const struct resource *b);
bool resource_any_negative(const struct resource *a);

/* Formats R as YARN prints it: "<memory:1024, vCores:1>", further types as "typeN:value": for an
 * agent, which knows memory and vcores alone, and tests; others use resource_types_format. Returns TEXT. */
const char *resource_format(const struct resource *r, char text[RESOURCE_TEXT_MAX]);

#endif
