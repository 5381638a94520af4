/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares.h - computes fair shares at one level of the tree of queues (yarn-behaviour 8.6)
 *
 * The share of a queue is divided among its children, and that of a leaf among its running apps
 * (ComputeFairShares). The functions work only on the caller's array. Shares equal YARN's exactly: a weight
 * is a float, the resource per unit of weight is found by 25 steps of bisection, and every share is
 * truncated, so that the sum may differ a little from the total.
 */
#ifndef CREEL_RM_SCHED_FAIR_SHARES_H
#define CREEL_RM_SCHED_FAIR_SHARES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/resource.h"

enum fair_policy {
    FAIR_POLICY_FAIR, /* divides memory only */
    FAIR_POLICY_DRF,  /* divides each type separately */
    FAIR_POLICY_FIFO, /* gives everything to the first member */
};

struct fair_member {
    float weight;
    struct resource minimum, maximum; /* maximum: INT64_MAX for no limit; never below minimum */
    bool active;                      /* has a running application; ignored for steady shares */
    struct resource share;            /* the result */
};

/* Computes the shares of COUNT members in TOTAL, for TYPES resource types; 0 for types that the policy does
 * not divide. STEADY: members that are not active get a share, too. */
void fair_shares(enum fair_policy policy, bool steady, int types, const struct resource *total,
                 struct fair_member *members, size_t count);

/* Returns the share of each of COUNT active members of weight 1 without minimum and maximum. */
struct resource fair_shares_alike(enum fair_policy policy, int types, const struct resource *total,
                                  size_t count);

#endif
