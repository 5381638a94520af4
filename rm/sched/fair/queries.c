/* SPDX-License-Identifier: Apache-2.0 */
/* queries.c - the fair scheduler's answers about features and access (see sched_queues.h) */
#include "rm/sched/fair/internal.h"

void fair_features(const struct sched *sched, struct sched_features *ret)
{
    const struct fair_config *config = fair_of(sched)->config;

    ret->queues = SCHED_QUEUES_FAIR;
    ret->preemption = config->preemption;
    ret->update_interval_ms = config->update_interval_ms;
    if (!config->continuous)
        return;
    ret->batch_interval_ms = config->continuous_sleep_ms;
    ret->batch_nodes = (size_t)config->continuous_batch;
}

enum sched_access fair_queue_access(const struct sched *sched, const char *path,
                                    const struct acl_person *person,
                                    enum sched_permission permission, char *reason)
{
    const struct fair_config *config = fair_of(sched)->config;
    struct fair_access_answer answer;

    if (config->access == NULL)
        return SCHED_ACCESS_NO_LISTS;
    answer = fair_access_ask(config->access, config->allocations, path, person,
                             permission == SCHED_SUBMIT ? FAIR_SUBMIT : FAIR_ADMINISTER);
    if (reason)
        fair_access_explain(config->access, &answer, reason, SCHED_ACCESS_TEXT_MAX);
    return answer.allowed ? SCHED_ACCESS_ALLOWED : SCHED_ACCESS_REFUSED;
}
