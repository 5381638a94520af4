/* SPDX-License-Identifier: Apache-2.0 */
/* queries.c - queries of access in the fair scheduler (see sched_queues.h) */
#include "rm/sched/fair/internal.h"

enum sched_access fair_queue_access(const struct sched *sched, const char *path,
                                    const struct acl_person *person, enum sched_permission permission,
                                    char *reason)
{
    const struct fair_config *config = fair_of(sched)->config;
    struct access_answer answer;

    if (config->access == NULL)
        return SCHED_ACCESS_NO_LISTS;
    answer = fair_access_ask(config->access, config->allocations, path, person,
                             permission == SCHED_SUBMIT ? ACCESS_SUBMIT : ACCESS_ADMINISTER);
    if (reason)
        fair_access_explain(config->access, &answer, reason, SCHED_ACCESS_TEXT_MAX);
    return answer.allowed ? SCHED_ACCESS_ALLOWED : SCHED_ACCESS_REFUSED;
}

void fair_read_access(struct sched *sched, const struct conf *conf)
{
    if (fair_of(sched)->config->access)
        fair_access_read(fair_of(sched)->config->access, conf);
}
