/* SPDX-License-Identifier: Apache-2.0 */
/* task_stored.c - converts the results of tasks between the task master's tables and the stored state */
#include "client/am/task_book.h"
#include "common/base/job/task_results.h"
#include "common/base/job/am_state.h"
#include "common/base/mem.h"

static size_t most_bytes(uint32_t count)
{
    size_t least = task_results_least(count);

    /* LEAST is never higher, since the RM refuses jobs of so many tasks. */
    return least > AM_STATE_BYTES_MAX ? least : AM_STATE_BYTES_MAX;
}

ProtobufCBinaryData stored_results(void *context, struct arena *arena)
{
    const struct task_master *master = context;
    scoped_free int16_t *results = mem_array0(master->count, sizeof(*results));
    scoped_free uint8_t *bytes = mem_alloc(most_bytes(master->count));
    size_t size;

    for (uint32_t i = 0; i < master->count; i++) {
        const struct task *task = &master->tasks[i];

        results[i] = task->state == TASK_SUCCEEDED || task->state == TASK_FAILED ? (int16_t)task->exit_code
                                                                                 : TASK_NOT_ENDED;
    }
    size = task_results_encode(results, master->count, bytes, most_bytes(master->count));
    return (ProtobufCBinaryData){ size, arena_dup(arena, bytes, size) };
}

int stored_results_read(const struct task_master *master, const ProtobufCBinaryData *state, int16_t *results,
                        struct err *err)
{
    return task_results_decode(state->data, state->len, results, master->count, err);
}
