/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_counts.h - tasks that run and that wait, from the counts of a message
 *
 * TaskCounts.running includes tasks that have been submitted to their queue and wait there. An application
 * master may report counts that do not fit together; the results are never above the total.
 */
#ifndef CREEL_PROTO_TASK_COUNTS_H
#define CREEL_PROTO_TASK_COUNTS_H

#include "common/proto/creel.pb-c.h"

static inline uint32_t task_counts_running(const Creel__TaskCounts *tasks)
{
    return tasks->running > tasks->queued ? tasks->running - tasks->queued : 0;
}

static inline uint32_t task_counts_waiting(const Creel__TaskCounts *tasks)
{
    uint64_t begun = (uint64_t)task_counts_running(tasks) + tasks->succeeded + tasks->failed;

    return begun < tasks->total ? (uint32_t)(tasks->total - begun) : 0;
}

/* TaskCounts.failed includes killed tasks. */
static inline uint32_t task_counts_failed(const Creel__TaskCounts *tasks)
{
    return tasks->failed > tasks->killed ? tasks->failed - tasks->killed : 0;
}

#endif
