/* SPDX-License-Identifier: Apache-2.0 */
/* task_retry.c - decides whether a task of a job runs again after the end of a container */
#include "common/base/job/task_retry.h"

#include "common/base/job/exit_status.h"

bool task_status_is_lost(int32_t status)
{
    switch (status) {
    case CONTAINER_EXIT_ABORTED:
    case CONTAINER_EXIT_DISKS:
    case CONTAINER_EXIT_PREEMPTED:
    case CONTAINER_EXIT_BY_RM:
    case CONTAINER_EXIT_EVICTED:
    case CONTAINER_EXIT_LOST:
    case CONTAINER_EXIT_NONE:
        return true;
    default:
        return false;
    }
}

/* Returns false if the command may have been started, and is never to be started a second time. */
static bool may_start_again(const struct task_limits *limits, const struct task_end *end)
{
    return !limits->no_requeue || (end->released && !end->unanswered && !end->started);
}

static bool count_failure(struct task_end_counts *counts, const struct task_limits *limits,
                          const struct task_end *end)
{
    if (end->status == CONTAINER_EXIT_PREEMPTED)
        return true;
    if (task_status_is_lost(end->status) || (end->released && end->status < 0))
        return ++counts->lost <= limits->lost;
    return ++counts->failures < limits->attempts;
}

bool task_retry_count(struct task_end_counts *counts, const struct task_limits *limits,
                      const struct task_end *end)
{
    if (end->status == 0)
        return false;
    if (end->elsewhere && ++counts->elsewhere <= TASK_ELSEWHERE_MAX)
        return true;
    return may_start_again(limits, end) && count_failure(counts, limits, end);
}
