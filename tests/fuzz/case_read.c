/* SPDX-License-Identifier: Apache-2.0 */
/* case_read.c - fuzz target: arbitrary bytes as a conformance case; a refused case has an error message */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cases/case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_steps(const struct case_script *script)
{
    for (size_t i = 0; i < script->step_count; i++) {
        const struct case_step *step = &script->steps[i];

        if (step->line < 1 || *case_op_name(step->op) == '\0')
            abort();
        for (size_t c = 0; c < step->claim_count; c++)
            if (step->claims[c].line < 1 || *case_figure_name(step->claims[c].figure) == '\0')
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct test_case *test = NULL;
    struct err err = { .code = 0 };
    int result = case_read("case.json", (const char *)data, size, &test, &err);

    if (result < 0) {
        if (test != NULL || err.code != -result || strncmp(err.text, "case.json:", 10) != 0)
            abort();
        return 0;
    }
    if (test->name == NULL || test->type_count < 2 || test->type_count > RESOURCE_TYPES_MAX)
        abort();
    if (test->kind == CASE_SCHEDULER)
        check_steps(&test->script);
    case_free(test);
    return 0;
}
