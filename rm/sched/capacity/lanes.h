/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.h - four floats, or two doubles, at a time
 *
 * Vectors of the compiler's own (gcc and clang alike), of a size that every 64-bit processor has. What a
 * comparison says of a lane is all ones or all zeros.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_LANES_H
#define CREEL_RM_SCHED_CAPACITY_LANES_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LANES 4                         /* floats; an array of as many doubles is two vectors */
#define LANES_ALIGNMENT 16u             /* bytes */

typedef float lane_floats __attribute__((vector_size(16), may_alias));
typedef double lane_doubles __attribute__((vector_size(16), may_alias));
typedef int32_t lane_words __attribute__((vector_size(16), may_alias));

static inline lane_floats lanes_of_float(float value)
{
    return (lane_floats){ value, value, value, value };
}

static inline lane_doubles lanes_of_double(double value)
{
    return (lane_doubles){ value, value };
}

/* The I-th vector of an aligned array. */
static inline lane_floats *lanes_floats(const float *array, uint32_t i)
{
    return (lane_floats *)(uintptr_t)array + i;
}

static inline lane_doubles *lanes_doubles(const double *array, uint32_t i)
{
    return (lane_doubles *)(uintptr_t)array + i;
}

static inline lane_words *lanes_words(const uint32_t *array, uint32_t i)
{
    return (lane_words *)(uintptr_t)array + i;
}

/* What is said of the first two of four, and of the last two, to two doubles. (All that is said is words: of
 * longs compilers make less where processors have no instruction for them.) */
static inline lane_words lanes_low(lane_words said)
{
    return __builtin_shufflevector(said, said, 0, 0, 1, 1);
}

static inline lane_words lanes_high(lane_words said)
{
    return __builtin_shufflevector(said, said, 2, 2, 3, 3);
}

/* And back. */
static inline lane_words lanes_join(lane_words low, lane_words high)
{
    return __builtin_shufflevector(low, high, 0, 2, 4, 6);
}

/* A where SAID, else B. */
static inline lane_floats lanes_choose(lane_words said, lane_floats a, lane_floats b)
{
    return (lane_floats)((said & (lane_words)a) | (~said & (lane_words)b));
}

/* Not a number where SAID, else A. */
static inline lane_doubles lanes_spoil(lane_words said, lane_doubles a)
{
    return (lane_doubles)(said | (lane_words)a);
}

/* A where it is less than B, else B: also where A is not a number. */
static inline lane_floats lanes_lesser(lane_floats a, lane_floats b)
{
#ifdef __SSE2__
    return (lane_floats)_mm_min_ps((__m128)a, (__m128)b);
#else
    return lanes_choose((lane_words)(a < b), a, b);
#endif
}

static inline lane_doubles lanes_lesser_double(lane_doubles a, lane_doubles b)
{
#ifdef __SSE2__
    return (lane_doubles)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    lane_words less = (lane_words)(a < b);

    return (lane_doubles)((less & (lane_words)a) | (~less & (lane_words)b));
#endif
}

static inline double lanes_least_double(lane_doubles a)
{
    return a[0] < a[1] ? a[0] : a[1];
}

static inline float lanes_least(lane_floats a)
{
    float first = a[0] < a[1] ? a[0] : a[1], second = a[2] < a[3] ? a[2] : a[3];

    return first < second ? first : second;
}

#endif
