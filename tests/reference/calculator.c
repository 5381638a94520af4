/* SPDX-License-Identifier: Apache-2.0 */
/* calculator.c - reference capacity scheduler: the arithmetic of YARN's resource calculators */
#include <math.h>
#include <stdlib.h>

#include "tests/reference/reference.h"

static struct resource zero(void)
{
    return resource_of(0, 0);
}

/* Returns a result of the memory-only calculator: 1 vcore if there is memory. */
static struct resource of_memory(int64_t memory_mb)
{
    return resource_of(memory_mb, memory_mb > 0 ? 1 : 0);
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

static void sorted_shares(struct resource total, struct resource r, double *shares)
{
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        shares[t] = total.value[t] == 0 ? 0 : (double)r.value[t] / (double)total.value[t];
    qsort(shares, RESOURCE_TYPES_MAX, sizeof(shares[0]), descending);
}

static int compare_without_total(struct resource a, struct resource b)
{
    bool less = false, more = false;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++) {
        less = less || a.value[t] < b.value[t];
        more = more || a.value[t] > b.value[t];
    }
    return less == more ? 0 : less ? -1 : 1;
}

int ref_compare(const struct reference *ref, struct resource total, struct resource a, struct resource b)
{
    double x[RESOURCE_TYPES_MAX], y[RESOURCE_TYPES_MAX];

    if (!ref->config.dominant)
        return (a.value[0] > b.value[0]) - (a.value[0] < b.value[0]);
    if (resource_equal(&a, &b))
        return 0;
    if (resource_is_zero(&total))
        return compare_without_total(a, b);
    sorted_shares(total, a, x);
    sorted_shares(total, b, y);
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        if (x[t] < y[t] || x[t] > y[t])
            return x[t] < y[t] ? -1 : 1;
    return 0;
}

struct resource ref_min(const struct reference *ref, struct resource total, struct resource a,
                        struct resource b)
{
    return ref_compare(ref, total, a, b) <= 0 ? a : b;
}

struct resource ref_max(const struct reference *ref, struct resource total, struct resource a,
                        struct resource b)
{
    return ref_compare(ref, total, a, b) >= 0 ? a : b;
}

static double largest_share(struct resource total, struct resource r)
{
    double largest = -INFINITY;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        if (total.value[t] != 0 && (double)r.value[t] / (double)total.value[t] > largest)
            largest = (double)r.value[t] / (double)total.value[t];
    return largest;
}

float ref_divide(const struct reference *ref, struct resource total, struct resource n, struct resource d)
{
    if (!ref->config.dominant)
        return (float)n.value[0] / (float)d.value[0];
    return (float)(largest_share(total, n) / largest_share(total, d));
}

float ref_ratio(const struct reference *ref, struct resource a, struct resource b)
{
    float largest = 0;

    if (!ref->config.dominant)
        return (float)a.value[0] / (float)b.value[0];
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        if (b.value[t] != 0 && (float)a.value[t] / (float)b.value[t] > largest)
            largest = (float)a.value[t] / (float)b.value[t];
    return largest;
}

static int64_t ceil_by(int64_t n, float k)
{
    return k > 0 ? (int64_t)ceilf((float)n / k) : 0;
}

struct resource ref_divide_ceil(const struct reference *ref, struct resource n, float k)
{
    struct resource result = zero();

    if (!ref->config.dominant)
        return of_memory(ceil_by(n.value[0], k));
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        result.value[t] = ceil_by(n.value[t], k);
    return result;
}

struct resource ref_divide_ceil_int(const struct reference *ref, struct resource n, int64_t k)
{
    struct resource result = zero();

    if (!ref->config.dominant)
        return of_memory((n.value[0] + k - 1) / k);
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        result.value[t] = (n.value[t] + k - 1) / k;
    return result;
}

struct resource ref_round_up(const struct reference *ref, struct resource r)
{
    const int64_t *step = ref->config.minimum.value;

    if (!ref->config.dominant)
        return of_memory((r.value[0] + step[0] - 1) / step[0] * step[0]);
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        r.value[t] = step[t] == 0 ? r.value[t] : (r.value[t] + step[t] - 1) / step[t] * step[t];
    return r;
}

struct resource ref_round_down(const struct reference *ref, struct resource r)
{
    const int64_t *step = ref->config.minimum.value;

    if (!ref->config.dominant)
        return of_memory(r.value[0] / step[0] * step[0]);
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        r.value[t] = step[t] == 0 ? r.value[t] : r.value[t] / step[t] * step[t];
    return r;
}

struct resource ref_multiply_up(const struct reference *ref, struct resource r, double by)
{
    if (!ref->config.dominant)
        return ref_round_up(ref, of_memory((int64_t)((double)r.value[0] * by + 0.5)));
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        r.value[t] = (int64_t)ceilf((float)((double)r.value[t] * by));
    return ref_round_up(ref, r);
}

struct resource ref_multiply_down(const struct reference *ref, struct resource r, double by)
{
    return ref_round_down(ref, ref_multiply(r, by));
}

struct resource ref_multiply(struct resource r, double by)
{
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        r.value[t] = (int64_t)((double)r.value[t] * by);
    return r;
}

bool ref_fits(const struct reference *ref, struct resource small, struct resource room)
{
    return ref->config.dominant ? resource_fits(&small, &room) : small.value[0] <= room.value[0];
}

int64_t ref_available(const struct reference *ref, struct resource room, struct resource size)
{
    int64_t least = INT64_MAX;

    if (!ref->config.dominant)
        return room.value[0] / size.value[0];
    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        if (size.value[t] > 0 && room.value[t] / size.value[t] < least)
            least = room.value[t] / size.value[t];
    return least;
}

struct resource ref_normalise(const struct reference *ref, struct resource asked)
{
    struct resource r = resource_max(asked, ref->config.minimum);

    r = resource_min(ref_round_up(ref, r), ref_largest(ref));
    return ref->config.dominant ? r : of_memory(r.value[0]);
}
