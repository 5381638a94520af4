/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suggest.h - did you mean ...?
 */
#ifndef CREEL_CLI_SUGGEST_H
#define CREEL_CLI_SUGGEST_H

#include <stddef.h>

/* Steps from A to B: a character put in, left out, replaced, or two swapped. */
size_t suggest_distance(const char *a, const char *b);

/* The best candidate so far: start with an empty one, offer all. */
struct suggestion {
    const char *text;           /* NULL: nothing is near enough */
    size_t distance;
};

void suggest_offer(struct suggestion *best, const char *typed, const char *candidate);

/* What people of Slurm, kubectl, YARN, Flux and Nomad type, and what it is here; NULL if TYPED is
 * none of these words. */
const char *suggest_habit(const char *typed);

#endif
