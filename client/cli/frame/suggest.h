/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h - finds the word that a mistyped word probably means */
#ifndef CREEL_CLI_SUGGEST_H
#define CREEL_CLI_SUGGEST_H

#include <stddef.h>

/* Returns the edit distance of A and B: insertions, deletions, replacements, and swaps of neighbours.
 * Declared for tests. */
size_t suggest_distance(const char *a, const char *b);

/* The best candidate so far: start with an empty suggestion, then offer all candidates. */
struct suggestion {
    const char *text; /* NULL: no candidate is similar enough */
    size_t distance;
};

void suggest_offer(struct suggestion *best, const char *typed, const char *candidate);

/* Returns the creel equivalent of a word that users of Slurm, kubectl, YARN, Flux and Nomad type; NULL:
 * unknown. */
const char *suggest_habit(const char *typed);

#endif
