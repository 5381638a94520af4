/* SPDX-License-Identifier: Apache-2.0 */
/* queue_changes.c - records which queues have changed */
#include "rm/sched/policy.h"

void sched_queue_note_change(struct sched_queue *queue)
{
    for (struct sched_queue *at = queue; at; at = at->parent) {
        if (at->changed)
            continue;
        at->changed = true;
        TAILQ_INSERT_TAIL(&at->sched->changed, at, changed_link);
    }
}

const char *sched_queue_next_changed(struct sched *sched)
{
    struct sched_queue *queue = TAILQ_FIRST(&sched->changed);

    if (queue == NULL)
        return NULL;
    TAILQ_REMOVE(&sched->changed, queue, changed_link);
    queue->changed = false;
    return queue->path;
}

bool sched_queue_any_changed(const struct sched *sched)
{
    return !TAILQ_EMPTY(&sched->changed);
}

uint64_t sched_queues_version(const struct sched *sched)
{
    return sched->queues_version;
}
