/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_states.h - stores the states of the tasks of a job array, two bits for each task
 *
 * The states of a million tasks take 250 kB. array_states_pack encodes them as runs of equal states, or as
 * plain bits if these are shorter. Pure: no I/O, no clock.
 */
#ifndef CREEL_RM_JOBS_ARRAY_STATES_H
#define CREEL_RM_JOBS_ARRAY_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum array_task { ARRAY_TASK_WAITS, ARRAY_TASK_LIVE, ARRAY_TASK_OK, ARRAY_TASK_FAILED, ARRAY_TASK_STATES };

struct array_states {
    uint8_t *bits; /* owned; NULL: all tasks are in state WAITS */
    uint32_t count;
    uint32_t counts[ARRAY_TASK_STATES]; /* tasks by state */
    uint32_t next;                      /* no task before this position is in state WAITS */
};

/* Returns the bytes of the states of COUNT tasks. */
size_t array_states_bytes(uint32_t count);
void array_states_init(struct array_states *states, uint32_t count); /* all tasks: WAITS */
void array_states_done(struct array_states *states);
enum array_task array_states_get(const struct array_states *states, uint32_t position);
void array_states_set(struct array_states *states, uint32_t position, enum array_task state);
/* Sets POSITION to that of the first task in state WAITS. Returns false if no task is in that state. */
bool array_states_next(struct array_states *states, uint32_t *position);

/* Returns the encoded states, owned by the caller, and their length in SIZE. Tasks in state LIVE are encoded
 * as WAITS: after a restart, the stored row of a live task's own application gives its state. */
uint8_t *array_states_pack(const struct array_states *states, size_t *size);
/* Decodes BYTES into STATES, which array_states_init has initialised with the same count. Returns false, with
 * all tasks in state WAITS, if BYTES are invalid. */
bool array_states_unpack(struct array_states *states, const uint8_t *bytes, size_t size);

#endif
