/* SPDX-License-Identifier: Apache-2.0 */
/* queries.c - the capacity scheduler's answers about access and labels (see sched_queues.h) */
#include "rm/sched/capacity/internal.h"

enum sched_access capacity_queue_access(const struct sched *sched, const char *path,
                                        const struct acl_person *person,
                                        enum sched_permission permission, char *reason)
{
    struct capacity *capacity = capacity_of(sched);
    const struct capacity_queue *queue = capacity_config_find(capacity->config, path, NULL);
    struct capacity_access_answer answer;

    if (queue == NULL || capacity->access == NULL)
        return SCHED_ACCESS_NO_LISTS;
    answer = capacity_access_ask(capacity->access, queue, person,
                                 permission == SCHED_SUBMIT ? CAPACITY_SUBMIT : CAPACITY_ADMINISTER);
    if (reason)
        capacity_access_explain(capacity->access, &answer, reason, SCHED_ACCESS_TEXT_MAX);
    return answer.allowed ? SCHED_ACCESS_ALLOWED : SCHED_ACCESS_REFUSED;
}

bool capacity_label_at(const struct sched *sched, int index, struct sched_label *ret)
{
    const struct capacity *capacity = capacity_of(sched);
    int config = index < capacity->label_count ? capacity->to_config[index] : -1;

    if (config < 0)
        return false;
    *ret = (struct sched_label){
        .name = capacity->labels[index],
        .shared = capacity->config->label_shared[config],
        .configured = capacity->config->label_declared[config],
    };
    return true;
}

const char *capacity_label_queue(const struct sched *sched, int index)
{
    const int config = capacity_of(sched)->to_config[index];
    const struct capacity_queue *queue;

    TAILQ_FOREACH(queue, &capacity_of(sched)->config->queues, link) {
        const struct capacity_share *share = &queue->shares[config];

        if ((queue->access_given && queue->access != UINT64_MAX && queue->access >> config & 1) ||
            queue->default_label == config || share->configured > 0 || share->minimum_vector)
            return queue->path;
    }
    return NULL;
}
