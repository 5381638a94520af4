/* SPDX-License-Identifier: Apache-2.0 */
/* jobs_array_spec.c - fuzz target: arbitrary text as the indexes of a job array */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/job/array_spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The task at POSITION has an index above that of the task before it, and is found by its index. */
static void check_task(const struct array_spec *spec, uint32_t position)
{
    uint32_t index = array_spec_index(spec, position), found;

    if (position > 0 && array_spec_index(spec, position - 1) >= index)
        abort();
    if (!array_spec_position(spec, index, &found) || found != position)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_free char *text = mem_strndup((const char *)data, size);
    struct array_spec spec;
    struct err err;

    if (array_spec_parse(text, &spec, &err) != 0)
        return 0;
    if (spec.count == 0 || spec.count > ARRAY_TASKS_MAX || spec.range_count > ARRAY_RANGES_MAX)
        abort();
    for (uint32_t i = 0; i < spec.count && i < 100; i++)
        check_task(&spec, i);
    check_task(&spec, spec.count - 1);
    array_spec_done(&spec);
    return 0;
}
