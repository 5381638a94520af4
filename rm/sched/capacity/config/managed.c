/* SPDX-License-Identifier: Apache-2.0 */
/*
 * managed.c - leaves to which their parent assigns its capacity (yarn-behaviour 5.11, v1)
 *
 * Below a parent with auto-create-child-queue each leaf has the capacity of leaf-queue-template, or none. The
 * sum of the capacities of the leaves must not exceed the parent's.
 */

#include "rm/sched/capacity/config/private.h"

bool capacity_config_is_dealt(const struct capacity_queue *leaf, int label)
{
    const struct capacity_share *share = &leaf->shares[label];

    if (!leaf->dynamic || !leaf->parent->auto_create_legacy || share->mode == CAPACITY_WEIGHT)
        return false;
    return share->mode == CAPACITY_VECTOR || share->configured > 0;
}

static bool amounts_fit(const struct capacity_config *config, const struct capacity_queue *leaf, int label)
{
    const struct capacity_share *above = &leaf->parent->shares[label], *share = &leaf->shares[label];

    for (size_t t = 0; t < config->types.count; t++) {
        enum capacity_unit unit;
        double own = capacity_share_amount(share, t, &unit);
        double sum = capacity_amount_of_children(leaf->parent, label, t, unit) + (share->idle ? own : 0);

        if (sum > (unit == CAPACITY_UNIT_PERCENT ? 100.0 : (double)above->effective_minimum.value[t]))
            return false;
    }
    return true;
}

bool capacity_config_may_deal(const struct capacity_config *config, const struct capacity_queue *leaf,
                              int label)
{
    const struct capacity_queue *other;
    float sum = leaf->shares[label].configured / 100.0f;

    if (leaf->shares[label].mode == CAPACITY_VECTOR)
        return amounts_fit(config, leaf, label);
    TAILQ_FOREACH(other, &leaf->parent->children, sibling)
        if (other != leaf && !other->shares[label].idle)
            sum += other->shares[label].configured / 100.0f;
    return sum <= 1 + CAPACITY_SUM_TOLERANCE;
}

void capacity_managed_begin(struct capacity_config *config, struct capacity_queue *leaf)
{
    for (int i = 0; i < config->label_count; i++)
        leaf->shares[i].idle =
            capacity_config_is_dealt(leaf, i) && !capacity_config_may_deal(config, leaf, i);
}

void capacity_managed_follow(const struct capacity_config *old_config, const struct capacity_queue *old,
                             struct capacity_config *config, struct capacity_queue *leaf)
{
    for (int i = 0; i < config->label_count; i++) {
        int before = capacity_config_label(old_config, config->labels[i]);

        if (before >= 0 && old->shares[before].idle && capacity_config_is_dealt(leaf, i))
            leaf->shares[i].idle = true;
    }
}
