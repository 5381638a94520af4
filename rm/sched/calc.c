/* SPDX-License-Identifier: Apache-2.0 */
/* calc.c - arithmetic on resource vectors, with the same results as YARN's */
#include "rm/sched/calc.h"

#include <assert.h>
#include <math.h>

/* --- numbers ----------------------------------------------------------------- */

int64_t calc_truncate(double value)
{
    if (value != value)
        return 0;
    if (value >= 0x1p63)
        return INT64_MAX;
    if (value <= -0x1p63)
        return INT64_MIN;
    return (int64_t)value;
}

/* Like calc_truncate(ceil(value)). Below 2^53, avoids the call of ceil(): adds 1 if a fraction was cut
 * off. */
static inline int64_t truncate_up(double value)
{
    int64_t whole;

    if (!(value < 0x1p53 && value > -0x1p53))
        return calc_truncate(ceil(value));
    whole = (int64_t)value;
    return whole + ((double)whole < value);
}

static inline int64_t truncate_down(double value)
{
    return value < 0x1p62 && value > -0x1p62 ? (int64_t)value : calc_truncate(value);
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;

    if (__builtin_mul_overflow(a, b, &product))
        return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
    return product;
}

/* Divides and rounds up. Division truncates, as in Java: negative results are rounded towards 0. */
static int64_t divide_up(int64_t value, int64_t divisor)
{
    if (divisor == 0)
        return 0;
    calc_add_one(&value, divisor - 1);
    return value / divisor;
}

static int64_t round_up(int64_t value, int64_t step)
{
    if (value >= 0 && calc_is_power_of_two(step) && value <= INT64_MAX - step)
        return (value + step - 1) & -step;
    return times(divide_up(value, step), step);
}

static int64_t round_down(int64_t value, int64_t step)
{
    if (value >= 0 && calc_is_power_of_two(step))
        return value & -step;
    return step == 0 ? 0 : value / step * step;
}

static inline void cut_one(int64_t *value, int64_t step)
{
    if (step != 0)
        *value = round_down(*value, step);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns a result of the memory-only calculator: 1 vcore if there is memory. */
static struct resource of_memory(int64_t memory_mb)
{
    return resource_of(memory_mb, memory_mb > 0 ? 1 : 0);
}

/* --- shares ------------------------------------------------------------------ */

static int sign(bool less, bool more)
{
    return (int)more - (int)less;
}

/* Computes the shares that A has of TOTAL, sorted with the largest first. Returns how many there are. */
static int shares_of(const struct calc *calc, const int64_t *total, const int64_t *a,
                     double shares[RESOURCE_TYPES_MAX])
{
    int count = 0;

    for (int t = 0; t < calc->types; t++) {
        double share;
        int at = count;

        if (total[t] == 0)
            continue;
        share = (double)a[t] / (double)total[t];
        for (; at > 0 && shares[at - 1] < share; at--)
            shares[at] = shares[at - 1];
        shares[at] = share;
        count++;
    }
    return count;
}

/* Returns the largest of these shares; 0 if there are none. */
static double largest_share(const struct calc *calc, const int64_t *total, const int64_t *a)
{
    bool any = false;
    double largest = 0;

    for (int t = 0; t < calc->types; t++) {
        double share;

        if (total[t] == 0)
            continue;
        share = (double)a[t] / (double)total[t];
        largest = any && largest >= share ? largest : share;
        any = true;
    }
    return largest;
}

static int compare_amounts(const struct calc *calc, const int64_t *a, const int64_t *b)
{
    bool less = false, more = false;

    for (int t = 0; t < calc->types; t++) {
        less |= a[t] < b[t];
        more |= a[t] > b[t];
    }
    return sign(less, more);
}

/* Compares the DEPTH largest shares of A and B. */
static int compare_shares(const struct calc *calc, const int64_t *total, const int64_t *a, const int64_t *b,
                          int depth)
{
    double of_a[RESOURCE_TYPES_MAX], of_b[RESOURCE_TYPES_MAX];
    int count;

    if (!calc->dominant)
        return sign(
            a[RESOURCE_MEMORY_MB]<b[RESOURCE_MEMORY_MB], a[RESOURCE_MEMORY_MB]> b[RESOURCE_MEMORY_MB]);
    assert(calc->types >= 1 && calc->types <= RESOURCE_TYPES_MAX);
    count = shares_of(calc, total, a, of_a);
    shares_of(calc, total, b, of_b);
    if (count == 0)
        return compare_amounts(calc, a, b);
    for (int i = 0; i < count && i < depth; i++)
        if (of_a[i] != of_b[i])
            return sign(of_a[i]<of_b[i], of_a[i]> of_b[i]);
    return 0;
}

/* Compares A and B type by type; if the types differ in direction, compares their shares. */
static int compare_each(const struct calc *calc, const int64_t *total, const int64_t *a, const int64_t *b)
{
    bool less = false, more = false, any = false;

    for (int t = 0; t < calc->types; t++) {
        bool counts = total[t] != 0;

        any |= counts;
        less |= counts & (a[t] < b[t]);
        more |= counts & (a[t] > b[t]);
    }
    return (any && !(less && more)) ? sign(less, more)
                                    : compare_shares(calc, total, a, b, RESOURCE_TYPES_MAX);
}

int calc_compare_values(const struct calc *calc, const int64_t *total, const int64_t *a, const int64_t *b)
{
    bool less, more;

    if (!calc->dominant)
        return sign(
            a[RESOURCE_MEMORY_MB]<b[RESOURCE_MEMORY_MB], a[RESOURCE_MEMORY_MB]> b[RESOURCE_MEMORY_MB]);
    if (calc->types != 2 || total[0] == 0 || total[1] == 0)
        return compare_each(calc, total, a, b);
    less = (a[0] < b[0]) | (a[1] < b[1]); /* two types: the usual case */
    more = (a[0] > b[0]) | (a[1] > b[1]);
    return less && more ? compare_shares(calc, total, a, b, RESOURCE_TYPES_MAX) : sign(less, more);
}

int calc_compare_largest(const struct calc *calc, const struct resource *total, const struct resource *a,
                         const struct resource *b)
{
    return compare_shares(calc, total->value, a->value, b->value, 1);
}

const struct resource calc_zero;

struct resource calc_min(const struct calc *calc, const struct resource *total, struct resource a,
                         struct resource b)
{
    return calc_compare(calc, total, &a, &b) <= 0 ? a : b;
}

struct resource calc_max(const struct calc *calc, const struct resource *total, struct resource a,
                         struct resource b)
{
    return calc_compare(calc, total, &a, &b) >= 0 ? a : b;
}

double calc_largest_share(const struct calc *calc, const struct resource *total, const struct resource *a)
{
    return largest_share(calc, total->value, a->value);
}

float calc_divide_values(const struct calc *calc, const int64_t *total, const int64_t *a, const int64_t *b)
{
    if (!calc->dominant)
        return (float)a[RESOURCE_MEMORY_MB] / (float)b[RESOURCE_MEMORY_MB];
    return (float)(largest_share(calc, total, a) / largest_share(calc, total, b));
}

static float ratio_of(int64_t a, int64_t b)
{
    return a == 0 && b == 0 ? 0.0f : (float)a / (float)b;
}

float calc_ratio_values(const struct calc *calc, const int64_t *a, const int64_t *b)
{
    float largest = ratio_of(a[0], b[0]);

    for (int t = 1; calc->dominant && t < calc->types; t++) {
        float ratio = ratio_of(a[t], b[t]);

        largest = ratio > largest ? ratio : largest;
    }
    return largest;
}

/* --- rounding ---------------------------------------------------------------- */

struct resource calc_normalise(const struct calc *calc, const struct resource *asked,
                               const struct resource *minimum, const struct resource *maximum,
                               const struct resource *step)
{
    struct resource result = { .value = { 0 } };
    int types = calc->dominant ? calc->types : 1;

    for (int t = 0; t < types; t++) {
        int64_t value = most(asked->value[t], minimum->value[t]);

        if (step->value[t] > 0)
            value = round_up(value, step->value[t]);
        result.value[t] = least(value, maximum->value[t]);
    }
    return calc->dominant ? result : of_memory(result.value[RESOURCE_MEMORY_MB]);
}

struct resource calc_round_up(const struct calc *calc, const struct resource *a, const struct resource *step)
{
    struct resource result = *a;

    if (!calc->dominant)
        return of_memory(round_up(a->value[0], step->value[0]));
    for (int t = 0; t < calc->types; t++)
        if (step->value[t] != 0)
            result.value[t] = round_up(a->value[t], step->value[t]);
    return result;
}

static void cut_any(const struct calc *calc, struct resource *a, const struct resource *step)
{
    if (!calc->dominant) {
        *a = of_memory(round_down(a->value[0], step->value[0]));
        return;
    }
    cut_one(&a->value[0], step->value[0]);
    cut_one(&a->value[1], step->value[1]);
    for (int t = 2; t < calc->types; t++)
        cut_one(&a->value[t], step->value[t]);
}

/* Rounds A down to a multiple of STEP, in place. */
static void cut(const struct calc *calc, struct resource *a, const struct resource *step)
{
    int64_t *value = a->value;

    if (!calc->dominant || calc->types != 2 || (value[0] | value[1]) < 0 ||
        !calc_is_power_of_two(step->value[0]) || !calc_is_power_of_two(step->value[1])) {
        cut_any(calc, a, step);
        return;
    }
    value[0] &= -step->value[0];
    value[1] &= -step->value[1];
}

struct resource calc_round_down(const struct calc *calc, const struct resource *a,
                                const struct resource *step)
{
    struct resource result = *a;

    cut(calc, &result, step);
    return result;
}

struct resource calc_divide_ceil(const struct calc *calc, const struct resource *a, int64_t divisor)
{
    struct resource result = { .value = { 0 } };

    if (!calc->dominant)
        return of_memory(divide_up(a->value[0], divisor));
    for (int t = 0; t < calc->types; t++)
        result.value[t] = divide_up(a->value[t], divisor);
    return result;
}

static int64_t divide_up_float(int64_t value, float divisor)
{
    return divisor == 0 ? 0 : truncate_up((double)((float)value / divisor));
}

struct resource calc_divide_ceil_float(const struct calc *calc, const struct resource *a, float divisor)
{
    struct resource result = { .value = { 0 } };

    if (!calc->dominant)
        return of_memory(divide_up_float(a->value[0], divisor));
    for (int t = 0; t < calc->types; t++)
        result.value[t] = divide_up_float(a->value[t], divisor);
    return result;
}

/* Memory-only: multiplies memory, and rounds it to the nearest unit first, then up to a multiple of STEP. */
static struct resource memory_times(const struct resource *a, double factor, const struct resource *step)
{
    return of_memory(round_up(calc_truncate((double)a->value[0] * factor + 0.5), step->value[0]));
}

struct resource calc_multiply_up(const struct calc *calc, const struct resource *a, double factor,
                                 const struct resource *step)
{
    struct resource result = { .value = { 0 } };

    if (!calc->dominant)
        return memory_times(a, factor, step);
    for (int t = 0; t < calc->types; t++)
        result.value[t] = truncate_up((double)(float)((double)a->value[t] * factor));
    return calc_round_up(calc, &result, step);
}

struct resource calc_multiply_up_each(const struct calc *calc, const struct resource *a,
                                      const double factors[RESOURCE_TYPES_MAX], const struct resource *step)
{
    struct resource result = { .value = { 0 } };

    if (!calc->dominant)
        return memory_times(a, factors[0], step);
    for (int t = 0; t < calc->types; t++)
        result.value[t] = calc_truncate(ceil((double)a->value[t] * factors[t]));
    return calc_round_up(calc, &result, step);
}

struct resource calc_multiply_down(const struct calc *calc, const struct resource *a, double factor,
                                   const struct resource *step)
{
    struct resource result = calc_multiply(a, factor);

    return calc_round_down(calc, &result, step);
}

/* --- fitting ----------------------------------------------------------------- */

bool calc_any_above_zero(const struct calc *calc, const struct resource *a)
{
    int types = calc->dominant ? calc->types : 1;

    for (int t = 0; t < types; t++)
        if (a->value[t] > 0)
            return true;
    return false;
}

bool calc_any_used_up(const struct calc *calc, const struct resource *a)
{
    int types = calc->dominant ? calc->types : 1;

    for (int t = 0; t < types; t++)
        if (a->value[t] <= 0)
            return true;
    return false;
}

/* --- the same for both calculators ------------------------------------------- */

struct resource calc_multiply(const struct resource *a, double factor)
{
    struct resource result;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        result.value[t] = calc_truncate((double)a->value[t] * factor);
    return result;
}

struct resource calc_scale(const struct calc *calc, const struct resource *a, double factor)
{
    struct resource result = { .value = { 0 } };

    for (int t = 0; t < calc->types; t++)
        result.value[t] = truncate_down((double)a->value[t] * factor);
    return result;
}

struct resource calc_multiply_ceil(const struct resource *a, double factor)
{
    struct resource result;

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        result.value[t] = calc_truncate(ceil((double)a->value[t] * factor));
    return result;
}

struct resource calc_subtract_positive(struct resource a, struct resource b)
{
    const struct resource zero = { .value = { 0 } };

    return resource_max(resource_subtract(a, b), zero);
}
