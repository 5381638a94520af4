/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calc.h - arithmetic on resource vectors, with the same results as YARN's
 *
 * There are two resource calculators (yarn-behaviour 2.3; yarn.scheduler.capacity.resource-calculator).
 * Memory-only is YARN's DefaultResourceCalculator: it compares only memory, and its results have 1 vcore
 * where they have memory. Dominant is YARN's DominantResourceCalculator: it compares all types, and the size
 * of a resource is its largest share of a total. Functions that depend on the calculator take a struct calc.
 * All functions are pure and return values.
 *
 * Numbers are as in yarn-behaviour 1.1: a cast to an integer truncates towards 0, saturates, and turns NaN
 * into 0. "float" and "double" mean IEEE single and double precision. Integer sums saturate.
 */
#ifndef CREEL_RM_SCHED_CALC_H
#define CREEL_RM_SCHED_CALC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/resource.h"

struct calc {
    bool dominant;
    int types; /* number of resource types in use, 2 to RESOURCE_TYPES_MAX; the
                  memory-only calculator reads only the first */
};

/*
 * A resource vector at the end of a record. An amount has one value for each resource type in use, where a
 * struct resource has RESOURCE_TYPES_MAX values. The record is allocated with memory for these values. Never
 * copy a struct amount by assignment: use calc_load() and calc_store(). The macros below accept pointers to
 * either struct.
 */
struct amount {
    int64_t value[1];
};

/* Views a struct resource as an amount. */
static inline const struct amount *calc_amount(const struct resource *resource)
{
    return (const struct amount *)resource->value;
}

static inline struct resource calc_load_values(const int64_t *value, int types)
{
    struct resource result = { .value = { value[0], value[1] } };

    for (int t = 2; t < types; t++)
        result.value[t] = value[t];
    return result;
}
#define calc_load(calc, amount) calc_load_values((amount)->value, (calc)->types)

static inline void calc_store_values(int64_t *value, const int64_t *what, int types)
{
    value[0] = what[0];
    value[1] = what[1];
    for (int t = 2; t < types; t++)
        value[t] = what[t];
}
#define calc_store(calc, amount, what) calc_store_values((amount)->value, (what)->value, (calc)->types)

static inline bool calc_is_zero_values(const struct calc *calc, const int64_t *value)
{
    int64_t bits = value[0] | value[1];

    for (int t = 2; t < calc->types; t++)
        bits |= value[t];
    return bits == 0;
}
#define calc_is_zero(calc, amount) calc_is_zero_values(calc, (amount)->value)

/* Returns the number of resource types that the calculator compares. */
static inline int calc_types(const struct calc *calc)
{
    return calc->dominant ? calc->types : 1;
}

/* --- comparison: dominant compares shares of TOTAL; otherwise memory is compared, and TOTAL ignored --- */

/* Compares A with B: returns -1, 0 or 1. Dominant: compares the largest shares, then the second largest, and
 * so on. A type of which TOTAL has none is skipped. If TOTAL has none of any type, A is more if no type of A
 * is less and at least one is more; if neither A nor B is more in this sense, the result is 0. If no type of
 * A is more, or no type is less, this decides, and nothing is divided. */
int calc_compare_values(const struct calc *calc, const int64_t *total, const int64_t *a, const int64_t *b);
#define calc_compare(calc, total, a, b) calc_compare_values(calc, (total)->value, (a)->value, (b)->value)

/* Returns true if calc_compare() finds A less than B. If two types are in use and both compare the same way,
 * the result depends neither on TOTAL nor on the calculator, and is returned at once. */
static inline bool calc_is_less_values(const struct calc *calc, const int64_t *total, const int64_t *a,
                                       const int64_t *b)
{
    if (calc->types == 2 && a[0] < b[0] && a[1] < b[1])
        return true;
    if (calc->types == 2 && a[0] >= b[0] && a[1] >= b[1])
        return false;
    return calc_compare_values(calc, total, a, b) < 0;
}
#define calc_is_less(calc, total, a, b) calc_is_less_values(calc, (total)->value, (a)->value, (b)->value)
#define calc_is_more(calc, total, a, b) calc_is_less(calc, total, b, a)

/* Compares only the largest shares of A and B. */
int calc_compare_largest(const struct calc *calc, const struct resource *total, const struct resource *a,
                         const struct resource *b);
/* The zero vector, to compare with. */
extern const struct resource calc_zero;

static inline bool calc_above_zero(const struct calc *calc, const struct resource *total,
                                   const struct resource *a)
{
    return calc_is_more(calc, total, a, &calc_zero);
}

/* Returns A or B, the lesser by calc_compare(); A if they are equal. */
static inline const struct resource *calc_least(const struct calc *calc, const struct resource *total,
                                                const struct resource *a, const struct resource *b)
{
    return calc_is_more(calc, total, a, b) ? b : a;
}

static inline const struct resource *calc_most(const struct calc *calc, const struct resource *total,
                                               const struct resource *a, const struct resource *b)
{
    return calc_is_less(calc, total, a, b) ? b : a;
}

struct resource calc_min(const struct calc *calc, const struct resource *total, struct resource a,
                         struct resource b);
struct resource calc_max(const struct calc *calc, const struct resource *total, struct resource a,
                         struct resource b);

/* Returns the largest share that A has of TOTAL; 0 if TOTAL is empty. Dominant calculator only. */
double calc_largest_share(const struct calc *calc, const struct resource *total, const struct resource *a);
/* Divides the largest share that A has of TOTAL by the largest share that B has of TOTAL. Memory-only divides
 * memory by memory. 0 / 0 is NaN. */
float calc_divide_values(const struct calc *calc, const int64_t *total, const int64_t *a, const int64_t *b);
#define calc_divide(calc, total, a, b) calc_divide_values(calc, (total)->value, (a)->value, (b)->value)
/* Returns the largest quotient A / B over all types. Memory-only divides memory by memory. 0 / 0 counts as 0;
 * any other value / 0 is infinite. */
float calc_ratio_values(const struct calc *calc, const int64_t *a, const int64_t *b);
#define calc_ratio(calc, a, b) calc_ratio_values(calc, (a)->value, (b)->value)

/* --- rounding -------------------------------------------------------------------- */

/* Rounds a request: raises it to MINIMUM, rounds it up to a multiple of STEP, and limits it to MAXIMUM. A
 * type whose step is 0 is not rounded. */
struct resource calc_normalise(const struct calc *calc, const struct resource *asked,
                               const struct resource *minimum, const struct resource *maximum,
                               const struct resource *step);
/* Rounds A to a multiple of STEP. If STEP is 0, memory-only returns 0 and dominant returns the value
 * unchanged. */
struct resource calc_round_up(const struct calc *calc, const struct resource *a, const struct resource *step);
struct resource calc_round_down(const struct calc *calc, const struct resource *a,
                                const struct resource *step);
/* Steps are usually powers of two; rounding then uses a bit mask instead of a division. */
static inline bool calc_is_power_of_two(int64_t step)
{
    return step > 0 && (step & (step - 1)) == 0;
}
static inline bool calc_is_multiple(int64_t value, int64_t step)
{
    if (calc_is_power_of_two(step))
        return (value & (step - 1)) == 0;
    return step == 0 || value % step == 0;
}
/* Divides A by DIVISOR and rounds up to whole units. Returns 0 if DIVISOR is 0. */
struct resource calc_divide_ceil(const struct calc *calc, const struct resource *a, int64_t divisor);
struct resource calc_divide_ceil_float(const struct calc *calc, const struct resource *a, float divisor);
/* Multiplies A by FACTOR and rounds to a multiple of STEP. calc_multiply_up(): memory-only rounds to the
 * *nearest* unit and then up to the step; dominant takes the ceiling of the product, computed as a float. */
struct resource calc_multiply_up(const struct calc *calc, const struct resource *a, double factor,
                                 const struct resource *step);
struct resource calc_multiply_down(const struct calc *calc, const struct resource *a, double factor,
                                   const struct resource *step);
/* Like calc_multiply_up(), with one factor for each type. Dominant computes the product as a double. */
struct resource calc_multiply_up_each(const struct calc *calc, const struct resource *a,
                                      const double factors[RESOURCE_TYPES_MAX], const struct resource *step);

/* --- fitting --------------------------------------------------------------------- */

static inline bool calc_fits_values(const struct calc *calc, const int64_t *small, const int64_t *room)
{
    bool fits = small[0] <= room[0];

    if (!calc->dominant)
        return fits;
    fits &= small[1] <= room[1];
    for (int t = 2; t < calc->types; t++)
        fits &= small[t] <= room[t];
    return fits;
}
#define calc_fits(calc, small, room) calc_fits_values(calc, (small)->value, (room)->value)
/* Returns true if A is at most B in every type in use, for either calculator. calc_compare() then does not
 * find A more than B. */
static inline bool calc_is_within_values(const struct calc *calc, const int64_t *a, const int64_t *b)
{
    bool within = a[0] <= b[0] && a[1] <= b[1];

    for (int t = 2; t < calc->types; t++)
        within &= a[t] <= b[t];
    return within;
}
#define calc_is_within(calc, a, b) calc_is_within_values(calc, (a)->value, (b)->value)
/* Return true if any type that the calculator compares is below 0, above 0, or (used_up) 0 or less. */
static inline bool calc_any_below_zero(const struct calc *calc, const struct resource *a)
{
    int64_t signs = a->value[0];

    if (!calc->dominant)
        return signs < 0;
    signs |= a->value[1];
    for (int t = 2; t < calc->types; t++)
        signs |= a->value[t];
    return signs < 0;
}
bool calc_any_above_zero(const struct calc *calc, const struct resource *a);
bool calc_any_used_up(const struct calc *calc, const struct resource *a);

/* --- sums over the types in use, at least two --- */

static inline void calc_add_one(int64_t *sum, int64_t amount)
{
    if (__builtin_add_overflow(*sum, amount, sum))
        *sum = amount < 0 ? INT64_MIN : INT64_MAX;
}

static inline void calc_subtract_one(int64_t *sum, int64_t amount)
{
    if (__builtin_sub_overflow(*sum, amount, sum))
        *sum = amount < 0 ? INT64_MAX : INT64_MIN;
}

static inline void calc_add_values(const struct calc *calc, int64_t *sum, const int64_t *amount)
{
    calc_add_one(&sum[0], amount[0]);
    calc_add_one(&sum[1], amount[1]);
    for (int t = 2; t < calc->types; t++)
        calc_add_one(&sum[t], amount[t]);
}
#define calc_add(calc, sum, amount) calc_add_values(calc, (sum)->value, (amount)->value)

static inline void calc_subtract_values(const struct calc *calc, int64_t *sum, const int64_t *amount)
{
    calc_subtract_one(&sum[0], amount[0]);
    calc_subtract_one(&sum[1], amount[1]);
    for (int t = 2; t < calc->types; t++)
        calc_subtract_one(&sum[t], amount[t]);
}
#define calc_subtract(calc, sum, amount) calc_subtract_values(calc, (sum)->value, (amount)->value)

/* Adds AMOUNT to SUM if SIGN is 1, subtracts it if SIGN is -1. */
static inline void calc_change_values(const struct calc *calc, int64_t *sum, const int64_t *amount, int sign)
{
    if (sign > 0)
        calc_add_values(calc, sum, amount);
    else
        calc_subtract_values(calc, sum, amount);
}
#define calc_change(calc, sum, amount, sign) calc_change_values(calc, (sum)->value, (amount)->value, sign)

/* --- functions that do not depend on the calculator ------------------------------ */

int64_t calc_truncate(double value);                                    /* like Java's cast to long */
struct resource calc_multiply(const struct resource *a, double factor); /* each type is truncated */
/* Like calc_multiply(), only for the types in use. */
struct resource calc_scale(const struct calc *calc, const struct resource *a, double factor);
struct resource calc_multiply_ceil(const struct resource *a, double factor);
struct resource calc_subtract_positive(struct resource a, struct resource b); /* negative results become
                                                                                 0 */

#endif
