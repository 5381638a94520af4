/* SPDX-License-Identifier: Apache-2.0 */
/* array_queue.c - the tasks of a job array that may be submitted */
#include "rm/jobs/array_queue.h"

#include <stdlib.h>

#include "common/base/mem.h"

void array_queue_add(struct array_queue *queue, uint32_t position)
{
    mem_grow(queue->positions, queue->count, queue->capacity);
    queue->positions[queue->count++] = position;
}

bool array_queue_next(struct array_queue *queue, const struct array_states *states, uint32_t *position)
{
    for (; queue->head < queue->count; queue->head++) {
        *position = queue->positions[queue->head];
        if (array_states_get(states, *position) == ARRAY_TASK_WAITS)
            return true;
    }
    queue->head = queue->count = 0;
    return false;
}

bool array_queue_take(struct array_queue *queue, uint32_t *position)
{
    if (queue->head == queue->count) {
        queue->head = queue->count = 0;
        return false;
    }
    *position = queue->positions[queue->head++];
    return true;
}

void array_queue_clear(struct array_queue *queue)
{
    free(queue->positions);
    *queue = (struct array_queue){ .positions = NULL };
}
