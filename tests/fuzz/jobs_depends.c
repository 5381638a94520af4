/* SPDX-License-Identifier: Apache-2.0 */
/* jobs_depends.c - fuzz target: arbitrary text as the dependencies of a job */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/job/depends.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_free char *text = mem_alloc(size + 1);
    struct arena *arena = arena_new();
    struct depends depends;
    struct err err;

    memcpy(text, data, size);
    text[size] = '\0';
    if (depends_parse(arena, text, &depends, &err) == 0) {
        if (depends.count == 0 || depends.count > DEPENDS_MAX)
            abort();
        for (size_t i = 0; i < depends.count; i++)
            if ((depends.items[i].on == DEPENDS_SINGLETON) != (depends.items[i].id == NULL))
                abort();
    }
    arena_free(arena);
    return 0;
}
