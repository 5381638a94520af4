/* SPDX-License-Identifier: Apache-2.0 */
/* queries.c - queries of access and labels in the capacity scheduler (see sched_queues.h) */
#include "rm/sched/capacity/internal.h"

enum sched_access capacity_queue_access(const struct sched *sched, const char *path,
                                        const struct acl_person *person, enum sched_permission permission,
                                        char *reason)
{
    struct capacity *capacity = capacity_of(sched);
    const struct capacity_queue *queue = capacity_config_find(capacity->config, path, NULL);
    struct access_answer answer;

    if (queue == NULL || capacity->access == NULL)
        return SCHED_ACCESS_NO_LISTS;
    answer = capacity_access_ask(capacity->access, queue, person,
                                 permission == SCHED_SUBMIT ? ACCESS_SUBMIT : ACCESS_ADMINISTER);
    if (reason)
        capacity_access_explain(capacity->access, &answer, reason, SCHED_ACCESS_TEXT_MAX);
    return answer.allowed ? SCHED_ACCESS_ALLOWED : SCHED_ACCESS_REFUSED;
}

void capacity_read_access(struct sched *sched, const struct conf *conf)
{
    if (capacity_of(sched)->access)
        capacity_access_read(capacity_of(sched)->access, conf);
}
