/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_spec.h - parses the task indexes of a job array: "0-15:4,20,30-39%3"
 *
 *     7  0-99  0-99:10    one task, a range, every tenth task of a range; commas separate several of these
 *     %N                  at the end: at most N tasks run at the same time
 *
 * Indexes are numbers from 0 to 2147483647. The task with the lowest index has position 0, the next one
 * position 1, and so on. No index may appear twice, so ranges must not overlap. The syntax is that of Slurm's
 * --array. Pure: no I/O, no clock.
 */
#ifndef CREEL_ARRAY_SPEC_H
#define CREEL_ARRAY_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

#define ARRAY_TASKS_MAX 1000000u
#define ARRAY_RANGES_MAX 10000u

struct array_range {
    uint32_t first, last, step; /* LAST is the index of the last task */
    uint32_t position;          /* position of the task with index FIRST */
};

struct array_spec {
    struct array_range *ranges; /* owned, in ascending order */
    size_t range_count;
    uint32_t count;   /* number of tasks */
    uint32_t at_once; /* tasks that may run at the same time; 0: no limit */
};

/* Parses TEXT into RET, which the caller frees with array_spec_done. -EINVAL: TEXT is malformed, and ERR
 * quotes the part. -EMSGSIZE: too many tasks or ranges. */
int array_spec_parse(const char *text, struct array_spec *ret, struct err *err);
void array_spec_done(struct array_spec *spec);

/* Returns the index of the task at POSITION, which must be below spec->count. */
uint32_t array_spec_index(const struct array_spec *spec, uint32_t position);
/* Sets POSITION to that of the task with INDEX. Returns false if the array has no such task. */
bool array_spec_position(const struct array_spec *spec, uint32_t index, uint32_t *position);
/* Returns whether SPEC has all indexes of OTHER; else *MISSING is the lowest one that it does not have. Takes
 * time by the number of ranges, not of tasks. */
bool array_spec_contains(const struct array_spec *spec, const struct array_spec *other, uint32_t *missing);

#endif
