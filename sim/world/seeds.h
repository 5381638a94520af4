/* SPDX-License-Identifier: Apache-2.0 */
/* seeds.h - parses the seeds of a command line: "17", "1-1000" */
#ifndef CREEL_SIM_SEEDS_H
#define CREEL_SIM_SEEDS_H

#include <stdbool.h>
#include <stdint.h>

struct seeds {
    uint64_t first, last; /* inclusive */
};

/* Returns false, and leaves *RET untouched, if TEXT is neither a number nor two numbers "A-B", A <= B. */
bool seeds_parse(const char *text, struct seeds *ret);

#endif
