/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_results.h - the results of the tasks that have ended, as bytes for the next attempt
 *
 * The built-in AM stores them at the resource manager (am_link_set_state), which reads them to run the failed
 * tasks again (rm/master/queries/query_rerun.c). Format of version 1:
 *
 *   1 byte    version: 1
 *   varint    number of tasks of the job
 *   1 byte    form of what follows: 0 runs, 1 bitmap; the encoder uses the shorter one
 *   runs      varints: number of tasks from task 0 that have not ended, then of those that have, and so on,
 *             until all tasks are counted
 *   bitmap    a bit for each task, the lowest bit of the first byte is task 0: 1 if the task has ended
 *   failures  until the end of the bytes, for each ended task whose exit status is not 0, in order: varint,
 *             the number of tasks between this one and the one before; 1 byte, the exit status
 *
 * Varints are those of protobuf. The largest job, a million tasks, fits AM_STATE_BYTES_MAX, unless thousands
 * of its tasks have failed: failures that do not fit are left out as if the tasks had not ended.
 */
#ifndef CREEL_BASE_TASK_RESULTS_H
#define CREEL_BASE_TASK_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

#define TASK_NOT_ENDED (-1) /* else a result is an exit status from 0 to 255 */

/* Writes RESULTS of COUNT tasks (at least 1) to BYTES, which has room for MOST bytes. MOST must be at least
 * task_results_least(COUNT). Returns the number of bytes written. */
size_t task_results_encode(const int16_t *results, uint32_t count, uint8_t *bytes, size_t most);
size_t task_results_least(uint32_t count);

/* Reads BYTES into RESULTS of COUNT tasks. -EINVAL: BYTES are not in this format, or are of a job with
 * another number of tasks; the content of RESULTS is then undefined. */
int task_results_decode(const uint8_t *bytes, size_t size, int16_t *results, uint32_t count, struct err *err);

#endif
