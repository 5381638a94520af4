/* SPDX-License-Identifier: Apache-2.0 */
/* user_weights.c - reads the weights of users in a dynamic queue, and checks the weights of a leaf */
#include "rm/sched/capacity/config/private.h"

void capacity_read_user_weight(struct capacity_reading *reading, struct capacity_queue *queue,
                               const char *user)
{
    const char *text = capacity_get_weight(reading, queue, user);
    float weight;

    if (text && capacity_read_text(reading, CAPACITY_KEY_USER_WEIGHT, text, &weight))
        capacity_number_set(&queue->user_weights, user, (double)weight);
}

void capacity_read_user_weights(struct capacity_reading *reading, struct capacity_queue *queue)
{
    const struct capacity_number *user = reading->config->weighted_users;

    for (; user; user = user->hh.next)
        capacity_read_user_weight(reading, queue, user->name);
}

/* Checks the limit of YARN (UserWeights): the weight of a user is at most 100 / minimum-user-limit-percent of
 * the leaf. */
void capacity_judge_user_weights(struct capacity_reading *reading, const struct capacity_queue *leaf)
{
    const struct capacity_queue *queue;
    const struct capacity_number *user;
    float most = leaf->user_limit_percent > 0 ? 100.0f / leaf->user_limit_percent : 1e9f;

    if (!leaf->leaf)
        return;
    for (queue = leaf; queue; queue = queue->parent)
        for (user = queue->user_weights; user; user = user->hh.next) {
            if (user->value <= (double)most ||
                (double)capacity_queue_user_weight(leaf, user->name) < user->value)
                continue;
            capacity_get_weight(reading, queue, user->name);
            capacity_problem(reading,
                             "expected at most %g, which is 100 / the "
                             "minimum-user-limit-percent of %s",
                             (double)most, leaf->path);
        }
}
