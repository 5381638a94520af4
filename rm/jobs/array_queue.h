/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_queue.h - the tasks of a job array that may be submitted, if others wait for tasks of another array
 *
 * Positions leave in the order in which they were added. A position whose task is not in state WAITS any more
 * is passed over. Pure: no I/O, no clock.
 */
#ifndef CREEL_RM_JOBS_ARRAY_QUEUE_H
#define CREEL_RM_JOBS_ARRAY_QUEUE_H

#include <stddef.h>

#include "rm/jobs/array_states.h"

struct array_queue {
    uint32_t *positions; /* owned */
    size_t head, count, capacity;
};

void array_queue_add(struct array_queue *queue, uint32_t position);
/* Sets POSITION to the first task of QUEUE that is in state WAITS. It stays in QUEUE until it is in another
 * state. Returns false if there is none. */
bool array_queue_next(struct array_queue *queue, const struct array_states *states, uint32_t *position);
/* Removes the first position, and sets POSITION to it. Returns false if QUEUE is empty. */
bool array_queue_take(struct array_queue *queue, uint32_t *position);
/* Removes all positions, and frees their memory. */
void array_queue_clear(struct array_queue *queue);

#endif
