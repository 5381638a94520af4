/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_states.h - the states of an array's tasks: two bits each
 *
 * A million tasks take 250 kB. They are packed as runs, or as they are where that is shorter. Pure.
 */
#ifndef CREEL_RM_JOBS_ARRAY_STATES_H
#define CREEL_RM_JOBS_ARRAY_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum array_task { ARRAY_TASK_WAITS, ARRAY_TASK_LIVE, ARRAY_TASK_OK, ARRAY_TASK_FAILED, ARRAY_TASK_STATES };

struct array_states {
    uint8_t *bits;              /* owned */
    uint32_t count;
    uint32_t counts[ARRAY_TASK_STATES];         /* tasks by state */
    uint32_t next;              /* no task before this position waits */
};

void array_states_init(struct array_states *states, uint32_t count);    /* all wait */
void array_states_done(struct array_states *states);
enum array_task array_states_get(const struct array_states *states, uint32_t position);
void array_states_set(struct array_states *states, uint32_t position, enum array_task state);
/* The first task that waits; false: none does. */
bool array_states_next(struct array_states *states, uint32_t *position);

/* Packed bytes, owned by the caller. Tasks that are live count as waiting: what became of them is known from
 * their applications. */
uint8_t *array_states_pack(const struct array_states *states, size_t *size);
/* STATES was initialised with the same count. False: the bytes make no sense, and all tasks wait. */
bool array_states_unpack(struct array_states *states, const uint8_t *bytes, size_t size);

#endif
