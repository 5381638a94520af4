/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amount.h - resources as fair-scheduler.xml writes them (yarn-behaviour 8.2)
 *
 *   1024 mb, 2 vcores                          both, any order and case
 *   memory-mb=1024, vcores=2, yarn.io/gpu=1    any types; the others are 0 in a minimum,
 *                                              not limited in a maximum
 *   50%                                        of every type that the cluster has
 *   50% memory, 25% cpu                        both
 *   memory-mb=50%, vcores=25%                  the others are 100%
 *
 * Differs: in a maximum YARN takes 0 for further types where memory and vcores are written
 * the old way ("1024 mb, 2 vcores", "50% memory, 25% cpu"), so that a queue with one gets no
 * GPU; here what is not named is not limited.
 */
#ifndef CREEL_RM_SCHED_FAIR_AMOUNT_H
#define CREEL_RM_SCHED_FAIR_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/resource.h"
#include "common/conf/resource_types.h"

#define FAIR_UNBOUNDED INT64_MAX

struct fair_amount {                    /* a plain value */
    bool relative;                      /* to the cluster: FRACTION counts, else VALUE */
    struct resource value;              /* FAIR_UNBOUNDED: not limited */
    double fraction[RESOURCE_TYPES_MAX];        /* 0.5 is 50 % */
};

/* No limit for any type. */
struct fair_amount fair_amount_unbounded(void);

/* Read TEXT. Types that it does not name are MISSING, 0 or FAIR_UNBOUNDED. *REST, which the
 * caller frees, is what was passed over as YARN does ("1024 mb, 2 vcores, 3 disks"), NULL if
 * nothing was. -EINVAL: ERR says what was expected; the outputs are untouched. */
int fair_amount_parse(const struct resource_types *types, const char *text, int64_t missing,
                      struct fair_amount *amount, char **rest, struct err *err);

/* What AMOUNT is in a cluster that has TOTAL; each type is cut off towards 0. */
struct resource fair_amount_resolve(const struct fair_amount *amount,
                                    const struct resource *total);

#endif
