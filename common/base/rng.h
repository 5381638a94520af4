/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rng.h - seeded random number generator for simulation and tests: same seed, same numbers
 *
 * Not for secrets, for which the shells use libsodium.
 */
#ifndef CREEL_BASE_RNG_H
#define CREEL_BASE_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline void rng_seed(struct rng *rng, uint64_t seed)
{
    rng->state = seed;
}

/* Returns the next 64 bits (splitmix64: one addition, three mixing steps). */
static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15ULL;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* Returns a number in [0, BOUND); BOUND > 0. */
static inline uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)rng_next(rng) * bound) >> 64);
}

/* Returns a number in [LOW, HIGH]. */
static inline int64_t rng_between(struct rng *rng, int64_t low, int64_t high)
{
    return low + (int64_t)rng_below(rng, (uint64_t)(high - low) + 1);
}

/* Returns true with a probability of PERMILLE / 1000. */
static inline bool rng_chance(struct rng *rng, unsigned permille)
{
    return rng_below(rng, 1000) < permille;
}

#endif
