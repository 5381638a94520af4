/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_age.c - decides whether the resource manager has just started when a script begins
 *
 * YARN refuses a request above the largest node, but not in the first ten seconds, while nodes register. A
 * case may state the time in its site (FORMAT.md). Most cases were recorded from Hadoop's unit tests and do
 * not: then the resource manager has run for longer, unless the case has a request above the largest node and
 * does not expect its refusal.
 */
#include <string.h>

#include "common/base/mem.h"
#include "sim/cases/check_sched.h"

struct present {                    /* nodes that exist at some step */
    const struct case_step **nodes; /* owned array: the step that set the size of each node */
    size_t count, capacity;
};

static void drop(struct present *present, const char *name)
{
    for (size_t i = present->count; i-- > 0;)
        if (strcmp(present->nodes[i]->node, name) == 0)
            present->nodes[i] = present->nodes[--present->count];
}

static void add(struct present *present, const struct case_step *step)
{
    drop(present, step->node);
    mem_grow(present->nodes, present->count, present->capacity);
    present->nodes[present->count++] = step;
}

static bool exceeds(const struct present *present, const struct resource *size)
{
    struct resource largest = { .value = { 0 } };

    for (size_t i = 0; i < present->count; i++)
        largest = resource_max(largest, present->nodes[i]->resource.amount);
    return present->count > 0 && !resource_fits(size, &largest);
}

static bool requests_more(const struct present *present, const struct case_step *step)
{
    if (step->op == OP_SUBMIT)
        return step->am_given && exceeds(present, &step->am.amount);
    for (size_t i = 0; step->op == OP_ASK && i < step->request_count; i++)
        if (exceeds(present, &step->requests[i].resource.amount))
            return true;
    return false;
}

bool stage_is_young(const struct case_script *script)
{
    struct present present = { .count = 0 };
    bool young = false;

    for (size_t i = 0; i < script->step_count && !young; i++) {
        const struct case_step *step = &script->steps[i];

        if ((step->op == OP_ADD_NODE || step->op == OP_UPDATE_NODE) && !step->refused)
            add(&present, step);
        else if (step->op == OP_REMOVE_NODE && !step->refused)
            drop(&present, step->node);
        else
            young = !step->refused && requests_more(&present, step);
    }
    free(present.nodes);
    return young;
}
