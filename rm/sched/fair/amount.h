/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amount.h - parses amounts of resources in fair-scheduler.xml (yarn-behaviour 8.2)
 *
 *   1024 mb, 2 vcores                          both, any order and case
 *   memory-mb=1024, vcores=2, yarn.io/gpu=1    any types; the others are 0 in a minimum,
 *                                              not limited in a maximum
 *   50%                                        of every type that the cluster has
 *   50% memory, 25% cpu                        both
 *   memory-mb=50%, vcores=25%                  the others are 100%
 *
 * Differs: in a maximum in the old form ("1024 mb, 2 vcores", "50% memory, 25% cpu") YARN takes 0 for all
 * further types, so that such a queue gets no GPU. In creel types that are not named are not limited.
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

struct fair_amount {                     /* a plain value: no memory to free */
    bool relative;                       /* true: FRACTION of the cluster is used, else VALUE */
    struct resource value;               /* FAIR_UNBOUNDED: not limited */
    double fraction[RESOURCE_TYPES_MAX]; /* 0.5 is 50 % */
};

/* Returns an amount without a limit for any type. */
struct fair_amount fair_amount_unbounded(void);

/* Parses TEXT. Types that TEXT does not name are set to MISSING, 0 or FAIR_UNBOUNDED. *REST, which the caller
 * frees, is set to the text that was ignored, as in YARN ("1024 mb, 2 vcores, 3 disks"), or NULL. -EINVAL:
 * ERR explains what was expected; *AMOUNT and *REST are unchanged. */
int fair_amount_parse(const struct resource_types *types, const char *text, int64_t missing,
                      struct fair_amount *amount, char **rest, struct err *err);

/* Returns AMOUNT in a cluster of TOTAL; fractions are truncated for each type. */
struct resource fair_amount_resolve(const struct fair_amount *amount, const struct resource *total);

#endif
