/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - checks rules between queues, except those about capacities */
#include <stdio.h>

#include "rm/sched/capacity/config/private.h"

/* Checks that the labels of a queue are among those of its parent (root has all). */
static void judge_labels(struct capacity_reading *reading, const struct capacity_queue *queue)
{
    const struct capacity_config *config = reading->config;
    const struct capacity_queue *parent = queue->parent;

    if (!queue->access_given || parent->access == UINT64_MAX)
        return;
    if (queue->access == UINT64_MAX) {
        capacity_problem(capacity_at(reading, queue, CAPACITY_KEY_ACCESS, 0),
                         "* is more than %s may "
                         "use",
                         parent->path);
        return;
    }
    for (int i = 1; i < config->label_count; i++)
        if (queue->access >> i & 1 && !(parent->access >> i & 1))
            capacity_problem(capacity_at(reading, queue, CAPACITY_KEY_ACCESS, 0),
                             "%s may not use "
                             "label %s, so no queue below it may",
                             parent->path, config->labels[i]);
}

/* Warns of a capacity for a label that QUEUE, or no queue with applications, may use. If the capacities
 * of the label then do not add up, capacity_judge_shares() refuses them. */
static void judge_label_shares(struct capacity_reading *reading, const struct capacity_queue *queue,
                               uint64_t anybody)
{
    const struct capacity_config *config = reading->config;

    for (int i = 1; i < config->label_count; i++) {
        const struct capacity_share *share = &queue->shares[i];

        if ((queue->access >> i & 1 && anybody >> i & 1) ||
            (share->configured <= 0 && share->minimum_vector == NULL))
            continue;
        capacity_at(reading, queue, CAPACITY_KEY_CAPACITY, i);
        if (!(anybody >> i & 1))
            capacity_warning(
                reading,
                "no queue with apps has label %s among its accessible-node-labels, so this is of "
                "no use",
                config->labels[i]);
        else
            capacity_warning(reading, "%s may not use label %s, so this is of no use", queue->path,
                             config->labels[i]);
    }
}

/* Warns of a label that QUEUE names itself and of which it has nothing: a label without keys has the
 * maximum 0. */
static void judge_label_use(struct capacity_reading *reading, const struct capacity_queue *queue)
{
    const struct capacity_config *config = reading->config;

    if (!queue->access_given || queue->access == UINT64_MAX || !TAILQ_EMPTY(&queue->children))
        return;
    for (int i = 1; i < config->label_count; i++) {
        const struct capacity_share *share = &queue->shares[i];

        if (!(queue->access >> i & 1) || share->configured_maximum > 0 || share->maximum_vector != NULL)
            continue;
        capacity_at(reading, queue, CAPACITY_KEY_ACCESS, 0);
        capacity_warning(
            reading,
            "%s may use nothing of label %s, as in YARN: set accessible-node-labels.%s.capacity of the "
            "queue and of the queues above it",
            queue->path, config->labels[i], config->labels[i]);
    }
}

static uint64_t access_of_anybody(const struct capacity_config *config)
{
    const struct capacity_queue *queue;
    uint64_t anybody = 1;

    TAILQ_FOREACH(queue, &config->queues, link)
        if (TAILQ_EMPTY(&queue->children))
            anybody |= queue->access;
    return anybody;
}

/* Returns true if a queue below root names LABEL itself, or has something of it. */
static bool is_for_a_queue(const struct capacity_config *config, int label)
{
    const struct capacity_queue *queue;

    TAILQ_FOREACH(queue, &config->queues, link) {
        const struct capacity_share *share = &queue->shares[label];
        bool names = queue->access_given && queue->access != UINT64_MAX && queue->access >> label & 1;

        if (queue->parent && (names || share->configured > 0 || share->minimum_vector ||
                              share->configured_maximum > 0 || share->maximum_vector))
            return true;
    }
    return false;
}

/* Warns of declared labels that are of no queue: see judge_label_use(). */
static void warn_of_useless_labels(struct capacity_reading *reading)
{
    const struct capacity_config *config = reading->config;
    char origin[CONF_ORIGIN_MAX];

    for (int i = 1; i < config->label_count; i++)
        if (config->label_declared[i] && !is_for_a_queue(config, i))
            problem_warn(
                &reading->problems,
                "%s: creel.node-labels: no queue below root has a capacity for label %s, so requests "
                "that name it wait for ever, as in YARN: set accessible-node-labels.%s.capacity of "
                "queues, and of the queues above them",
                conf_origin(reading->conf, "creel.node-labels", origin, sizeof(origin)), config->labels[i],
                config->labels[i]);
}

static void warn_of_labels(struct capacity_reading *reading)
{
    const struct capacity_config *config = reading->config;
    char origin[CONF_ORIGIN_MAX];

    if (config->label_count > 1 && !conf_bool(reading->conf, CONF_NODE_LABELS_ENABLED))
        problem_warn(&reading->problems,
                     "yarn.node-labels.enabled: is false (%s), so label %s%s "
                     "is of no use",
                     conf_origin(reading->conf, "yarn.node-labels.enabled", origin, sizeof(origin)),
                     config->labels[1], config->label_count > 2 ? " and the like" : "");
    else
        warn_of_useless_labels(reading);
}

void capacity_judge(struct capacity_reading *reading)
{
    struct capacity_config *config = reading->config;
    const struct resource nothing[CAPACITY_LABELS_MAX] = { { .value = { 0 } } };
    struct capacity_queue *queue;
    uint64_t anybody = access_of_anybody(config);

    capacity_config_compute(config, nothing); /* fractions do not depend on the size of the cluster */
    warn_of_labels(reading);
    TAILQ_FOREACH(queue, &config->queues, link) {
        judge_labels(reading, queue);
        judge_label_shares(reading, queue, anybody);
        judge_label_use(reading, queue);
        capacity_judge_user_weights(reading, queue);
        capacity_judge_shares(reading, queue);
        if (queue->auto_create || queue->auto_create_legacy)
            capacity_judge_templates(reading, queue);
    }
}
