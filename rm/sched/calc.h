/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calc.h - YARN's arithmetic of resources, unit for unit
 *
 * Two calculators (yarn-behaviour 2.3; yarn.scheduler.capacity.resource-calculator): memory-only,
 * YARN's DefaultResourceCalculator, for which memory alone counts and whose results have 1 vcore
 * where they have memory; and dominant, for which every type counts and a resource is as large as
 * its largest share of a total. Operations that depend on the calculator take a struct calc, the
 * others don't. All are pure; results are values.
 *
 * Numbers are as in 1.1: a cast to an integer truncates towards 0, saturates, and makes 0 of
 * NaN; "float" and "double" are meant literally. Integer sums saturate.
 */
#ifndef CREEL_RM_SCHED_CALC_H
#define CREEL_RM_SCHED_CALC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/resource.h"

struct calc {
    bool dominant;
    int types;                  /* resource types in use, 2 to RESOURCE_TYPES_MAX; memory-only
                                   looks at the first alone */
};

/*
 * A vector at the end of a record: it has as many values as there are types in use, where a struct resource
 * has RESOURCE_TYPES_MAX. The record is allocated with memory for it. It is loaded and stored, never copied.
 * Operands of the macros below are pointers to either kind.
 */
struct amount {
    int64_t value[1];
};

/* A whole vector as an amount. */
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
#define calc_store(calc, amount, what) \
    calc_store_values((amount)->value, (what)->value, (calc)->types)

static inline bool calc_is_zero_values(const struct calc *calc, const int64_t *value)
{
    int64_t bits = value[0] | value[1];

    for (int t = 2; t < calc->types; t++)
        bits |= value[t];
    return bits == 0;
}
#define calc_is_zero(calc, amount) calc_is_zero_values(calc, (amount)->value)

/* How many types count. */
static inline int calc_types(const struct calc *calc)
{
    return calc->dominant ? calc->types : 1;
}

/* --- which is more: shares of TOTAL, which the memory-only one does not look at --- */

/* -1, 0 or 1. Dominant: the largest shares decide, among equal ones the next largest, and so on.
 * A type of which TOTAL has none is skipped; if it has none of any, A is more if it is in no type
 * less and in some more, and where neither is that, they count as equal.
 * Where A is in no type more than B, or in none less, all shares in order say the same, undivided. */
int calc_compare_values(const struct calc *calc, const int64_t *total, const int64_t *a,
                        const int64_t *b);
#define calc_compare(calc, total, a, b) \
    calc_compare_values(calc, (total)->value, (a)->value, (b)->value)

/* Is A less than B by calc_compare? Where both types in use say the same there is no doubt, whatever TOTAL
 * and the calculator. */
static inline bool calc_is_less_values(const struct calc *calc, const int64_t *total,
                                       const int64_t *a, const int64_t *b)
{
    if (calc->types == 2 && a[0] < b[0] && a[1] < b[1])
        return true;
    if (calc->types == 2 && a[0] >= b[0] && a[1] >= b[1])
        return false;
    return calc_compare_values(calc, total, a, b) < 0;
}
#define calc_is_less(calc, total, a, b) \
    calc_is_less_values(calc, (total)->value, (a)->value, (b)->value)
#define calc_is_more(calc, total, a, b) calc_is_less(calc, total, b, a)

/* By the largest share alone. */
int calc_compare_largest(const struct calc *calc, const struct resource *total,
                         const struct resource *a, const struct resource *b);
/* Against nothing: is A more than zero? */
extern const struct resource calc_zero;

static inline bool calc_above_zero(const struct calc *calc, const struct resource *total,
                                   const struct resource *a)
{
    return calc_is_more(calc, total, a, &calc_zero);
}

/* One whole operand, by calc_compare; A if they are equal. */
static inline const struct resource *calc_least(const struct calc *calc,
                                                const struct resource *total,
                                                const struct resource *a,
                                                const struct resource *b)
{
    return calc_is_more(calc, total, a, b) ? b : a;
}

static inline const struct resource *calc_most(const struct calc *calc,
                                               const struct resource *total,
                                               const struct resource *a,
                                               const struct resource *b)
{
    return calc_is_less(calc, total, a, b) ? b : a;
}

struct resource calc_min(const struct calc *calc, const struct resource *total,
                         struct resource a, struct resource b);
struct resource calc_max(const struct calc *calc, const struct resource *total,
                         struct resource a, struct resource b);

/* Dominant alone; 0 if TOTAL has nothing. */
double calc_largest_share(const struct calc *calc, const struct resource *total,
                          const struct resource *a);
/* Largest share of A by largest share of B, of TOTAL; memory by memory. 0 by 0 is NaN. */
float calc_divide_values(const struct calc *calc, const int64_t *total, const int64_t *a,
                         const int64_t *b);
#define calc_divide(calc, total, a, b) \
    calc_divide_values(calc, (total)->value, (a)->value, (b)->value)
/* The largest A by B of any type; memory by memory. 0 by 0 is 0, more by 0 infinite. */
float calc_ratio_values(const struct calc *calc, const int64_t *a, const int64_t *b);
#define calc_ratio(calc, a, b) calc_ratio_values(calc, (a)->value, (b)->value)

/* --- rounding -------------------------------------------------------------------- */

/* A request as it is rounded: at least MINIMUM, up to a multiple of STEP, at most MAXIMUM. A type
 * whose step is 0 is not rounded. */
struct resource calc_normalise(const struct calc *calc, const struct resource *asked,
                               const struct resource *minimum, const struct resource *maximum,
                               const struct resource *step);
/* To a multiple of STEP. A step of 0: memory-only gives 0, dominant leaves the value. */
struct resource calc_round_up(const struct calc *calc, const struct resource *a,
                              const struct resource *step);
struct resource calc_round_down(const struct calc *calc, const struct resource *a,
                                const struct resource *step);
/* Steps are powers of two, mostly: then nothing is divided. */
static inline bool calc_is_power_of_two(int64_t step)
{
    return step > 0 && (step & (step - 1)) == 0;
}
/* A itself, down. */
void calc_cut_any(const struct calc *calc, struct resource *a, const struct resource *step);
static inline void calc_cut(const struct calc *calc, struct resource *a, const struct resource *step)
{
    int64_t *value = a->value;

    if (!calc->dominant || calc->types != 2 || (value[0] | value[1]) < 0 ||
        !calc_is_power_of_two(step->value[0]) || !calc_is_power_of_two(step->value[1])) {
        calc_cut_any(calc, a, step);
        return;
    }
    value[0] &= -step->value[0];
    value[1] &= -step->value[1];
}
static inline bool calc_is_multiple(int64_t value, int64_t step)
{
    if (calc_is_power_of_two(step))
        return (value & (step - 1)) == 0;
    return step == 0 || value % step == 0;
}
/* A by DIVISOR, up to whole units; 0 if DIVISOR is 0. */
struct resource calc_divide_ceil(const struct calc *calc, const struct resource *a,
                                 int64_t divisor);
struct resource calc_divide_ceil_float(const struct calc *calc, const struct resource *a,
                                       float divisor);
/* A times FACTOR, to a multiple of STEP. Up: memory-only rounds to the *nearest* unit and then up
 * to the step; dominant takes the ceiling of the product as a float. */
struct resource calc_multiply_up(const struct calc *calc, const struct resource *a, double factor,
                                 const struct resource *step);
struct resource calc_multiply_down(const struct calc *calc, const struct resource *a,
                                   double factor, const struct resource *step);
/* As calc_multiply_up with a factor for each type; dominant keeps the product a double. */
struct resource calc_multiply_up_each(const struct calc *calc, const struct resource *a,
                                      const double factors[RESOURCE_TYPES_MAX],
                                      const struct resource *step);

/* --- fitting --------------------------------------------------------------------- */

static inline bool calc_fits_values(const struct calc *calc, const int64_t *small,
                                    const int64_t *room)
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
/* In every type in use, whatever the calculator? Then A is not more than B, either. */
static inline bool calc_is_within_values(const struct calc *calc, const int64_t *a,
                                         const int64_t *b)
{
    bool within = a[0] <= b[0] && a[1] <= b[1];

    for (int t = 2; t < calc->types; t++)
        within &= a[t] <= b[t];
    return within;
}
#define calc_is_within(calc, a, b) calc_is_within_values(calc, (a)->value, (b)->value)
/* How many of ONE there is room for; INT64_MAX if ONE takes nothing. */
int64_t calc_available_containers(const struct calc *calc, const struct resource *room,
                                  const struct resource *one);
/* Is any of the types that count below 0? Above? Is any 0 or less? */
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

/* --- sums, of the types in use: two at least --- */

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

static inline void calc_subtract_values(const struct calc *calc, int64_t *sum,
                                        const int64_t *amount)
{
    calc_subtract_one(&sum[0], amount[0]);
    calc_subtract_one(&sum[1], amount[1]);
    for (int t = 2; t < calc->types; t++)
        calc_subtract_one(&sum[t], amount[t]);
}
#define calc_subtract(calc, sum, amount) calc_subtract_values(calc, (sum)->value, (amount)->value)

/* SIGN: 1 or -1. */
static inline void calc_change_values(const struct calc *calc, int64_t *sum, const int64_t *amount,
                                      int sign)
{
    if (sign > 0)
        calc_add_values(calc, sum, amount);
    else
        calc_subtract_values(calc, sum, amount);
}
#define calc_change(calc, sum, amount, sign) \
    calc_change_values(calc, (sum)->value, (amount)->value, sign)

/* --- the same for both calculators ----------------------------------------------- */

int64_t calc_truncate(double value);                                    /* Java's (long) */
struct resource calc_multiply(const struct resource *a, double factor); /* each truncated */
/* The same, of the types in use. */
struct resource calc_scale(const struct calc *calc, const struct resource *a, double factor);
struct resource calc_multiply_ceil(const struct resource *a, double factor);
struct resource calc_subtract_positive(struct resource a, struct resource b);   /* 0 at least */

#endif
