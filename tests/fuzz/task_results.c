/* SPDX-License-Identifier: Apache-2.0 */
/* task_results.c - fuzz target: arbitrary bytes as the results of tasks that an earlier attempt stored */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/job/task_results.h"
#include "common/base/job/am_state.h"
#include "common/base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int16_t results[300], again[300];
    uint32_t count = size > 1 && data[1] > 0 && data[1] < 0x80 ? data[1] : 300;
    scoped_free uint8_t *bytes = mem_alloc(AM_STATE_BYTES_MAX);
    struct err err;

    if (task_results_decode(data, size, results, count, &err) < 0)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (results[i] < TASK_NOT_ENDED || results[i] > 255)
            abort();
    size = task_results_encode(results, count, bytes, AM_STATE_BYTES_MAX);
    if (task_results_decode(bytes, size, again, count, &err) < 0 ||
        memcmp(results, again, count * sizeof(*again)) != 0)
        abort();
    return 0;
}
