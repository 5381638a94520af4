/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares.h - fair shares at one level of the tree (yarn-behaviour 8.6)
 *
 * What a queue has is shared out among its children, or a leaf's among its apps that run. Pure
 * arithmetic on the caller's array. Shares come out as YARN's: a weight is a float, the water
 * level is found by 25 halvings, and every share is truncated, so that the sum may differ a
 * little from the total.
 */
#ifndef CREEL_RM_SCHED_FAIR_SHARES_H
#define CREEL_RM_SCHED_FAIR_SHARES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/resource.h"

enum fair_policy {
    FAIR_POLICY_FAIR,                   /* memory alone */
    FAIR_POLICY_DRF,                    /* each type by itself */
    FAIR_POLICY_FIFO,                   /* everything to the first member */
};

struct fair_member {
    float weight;
    struct resource minimum, maximum;   /* maximum: INT64_MAX for no limit; never below minimum */
    bool active;                        /* has an app that runs; steady shares do not look */
    struct resource share;              /* set */
};

/* Set the share of each of COUNT members in what TOTAL has, for TYPES resource types; types that
 * the policy does not share out become 0. STEADY: whether a member is active does not matter. */
void fair_shares(enum fair_policy policy, bool steady, int types, const struct resource *total,
                 struct fair_member *members, size_t count);

/* What each of COUNT active members would get, all of weight 1, without minimum or maximum. */
struct resource fair_shares_alike(enum fair_policy policy, int types,
                                  const struct resource *total, size_t count);

#endif
