/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_spec.h - read which tasks an array has: "0-15:4,20,30-39%3"
 *
 *     7  0-99  0-99:10    one task, a range, every tenth of a range; several between commas
 *     %N                  behind them: at most N at a time
 *
 * Indexes go from 0 to 2147483647. Tasks have positions from 0 in the order of their indexes. Each index is
 * given once; ranges must not overlap. The signs are those of Slurm. Pure.
 */
#ifndef CREEL_RM_JOBS_ARRAY_SPEC_H
#define CREEL_RM_JOBS_ARRAY_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

#define ARRAY_TASKS_MAX 1000000u
#define ARRAY_RANGES_MAX 10000u

struct array_range {
    uint32_t first, last, step; /* LAST is one of its indexes */
    uint32_t position;          /* of FIRST */
};

struct array_spec {
    struct array_range *ranges; /* owned, in order */
    size_t range_count;
    uint32_t count;             /* of tasks */
    uint32_t at_once;           /* 0: no limit */
};

/* -EINVAL: the error names the part; -EMSGSIZE: too many tasks. RET is to be freed with array_spec_done. */
int array_spec_parse(const char *text, struct array_spec *ret, struct err *err);
void array_spec_done(struct array_spec *spec);

uint32_t array_spec_index(const struct array_spec *spec, uint32_t position);
/* False: there is no task with this index. */
bool array_spec_position(const struct array_spec *spec, uint32_t index, uint32_t *position);

#endif
