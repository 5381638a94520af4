/* SPDX-License-Identifier: Apache-2.0 */
/* queue_changes.c - records which queues have changed */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/policy.h"

struct queue_note {
    STAILQ_ENTRY(queue_note) link;
    char *path; /* owned */
};

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

void sched_queues_note_change(struct sched *sched)
{
    sched->queues_version++;
}

uint64_t sched_queues_version(const struct sched *sched)
{
    return sched->queues_version;
}

void sched_queue_note_list(struct sched *sched, const char *path)
{
    struct queue_note *note = mem_new0(struct queue_note);

    note->path = mem_strdup(path);
    STAILQ_INSERT_TAIL(&sched->queue_notes, note, link);
    sched_queues_note_change(sched);
}

char *sched_queue_next_new_or_gone(struct sched *sched)
{
    struct queue_note *note = STAILQ_FIRST(&sched->queue_notes);
    char *path;

    if (note == NULL)
        return NULL;
    STAILQ_REMOVE_HEAD(&sched->queue_notes, link);
    path = note->path;
    free(note);
    return path;
}
