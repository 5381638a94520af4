/* SPDX-License-Identifier: Apache-2.0 */
/* waiting_tasks.c - the tasks of an array that have not begun */
#include "client/slurm-client/waiting_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "client/slurm-client/job_ids.h"
#include "common/base/job/array_spec.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"

enum task_mark { TASK_UNKNOWN, TASK_WAITS, TASK_BEGAN, TASK_KILLED };

bool waiting_task_is(const struct creel_app *task)
{
    return *task->array_id && task->state < CREEL_APP_RUNNING && task->hold_count == 0;
}

/* Marks the tasks that are known. Returns how many of them wait, with those that are held. */
static uint32_t mark_known(const struct array_spec *spec, const struct creel_app *const *tasks, size_t count,
                           uint8_t *marks)
{
    uint32_t waiting = 0, position;

    for (size_t i = 0; i < count; i++) {
        if (!array_spec_position(spec, tasks[i]->array_index, &position))
            continue;
        marks[position] = waiting_task_is(tasks[i]) ? TASK_WAITS : TASK_BEGAN;
        waiting += tasks[i]->state < CREEL_APP_RUNNING;
    }
    return waiting;
}

/* Gives the tasks of LIST, as "3-5,7" or "3-5, ...", the mark MARK. */
static void mark_ended(const struct array_spec *spec, const char *list, enum task_mark mark, uint8_t *marks)
{
    scoped_free char *copy = mem_strdup(list);
    struct array_spec ended = { 0 };
    char *more = strstr(copy, "...");
    uint32_t position;

    while (more && more > copy && (more[-1] == ' ' || more[-1] == ','))
        more--;
    if (more)
        *more = '\0';
    if (!*copy || array_spec_parse(copy, &ended, NULL) < 0)
        return;
    for (uint32_t i = 0; i < ended.count; i++)
        if (array_spec_position(spec, array_spec_index(&ended, i), &position))
            marks[position] = (uint8_t)mark;
    array_spec_done(&ended);
}

/* Returns the number of tasks of ARRAY that have not begun. */
static uint32_t waiting_count(const struct array_spec *spec, const struct creel_app *array, size_t known)
{
    uint64_t ended = (uint64_t)array->tasks_succeeded + array->tasks_failed + array->tasks_killed;

    if (creel_app_is_over(array) && array->tasks_total > 0)
        return ended < array->tasks_total ? (uint32_t)(array->tasks_total - ended) : 0;
    if (creel_app_is_over(array))
        return known == 0 && array->tasks_succeeded + array->tasks_failed == 0 ? spec->count : 0;
    return array->tasks_total > 0 ? array->tasks_waiting : spec->count;
}

void waiting_tasks_find(struct waiting_tasks *waiting, const struct creel_app *array,
                        const struct creel_app *const *tasks, size_t count)
{
    struct array_spec spec = { 0 };
    scoped_free uint8_t *marks = NULL;
    uint32_t wanted, known;

    *waiting = (struct waiting_tasks){ 0 };
    if (array_spec_parse(array->array, &spec, NULL) < 0)
        return;
    marks = mem_alloc0(spec.count);
    wanted = waiting_count(&spec, array, count);
    mark_ended(&spec, array->failed_tasks ? array->failed_tasks : "", TASK_BEGAN, marks);
    known = mark_known(&spec, tasks, count, marks);
    for (uint32_t left = wanted > known ? wanted - known : 0, at = spec.count; left > 0 && at-- > 0;) {
        left -= marks[at] == TASK_UNKNOWN;
        marks[at] = marks[at] == TASK_UNKNOWN ? TASK_WAITS : marks[at];
    }
    waiting->indexes = mem_array0(wanted + known + 1, sizeof(*waiting->indexes));
    for (uint32_t at = 0; at < spec.count; at++)
        if (marks[at] == TASK_WAITS)
            waiting->indexes[waiting->count++] = array_spec_index(&spec, at);
    array_spec_done(&spec);
}

/* Counts the tasks that were killed, and the others that did not succeed. */
static void count_bad(const struct creel_app *const *tasks, size_t count, uint32_t *killed, uint32_t *failed)
{
    *killed = *failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (!creel_app_is_over(tasks[i]) || tasks[i]->final_status == CREEL_FINAL_SUCCEEDED)
            continue;
        if (tasks[i]->state == CREEL_APP_KILLED)
            ++*killed;
        else
            ++*failed;
    }
}

bool waiting_tasks_lack_ends(const struct creel_app *array, const struct creel_app *const *tasks,
                             size_t count)
{
    uint32_t killed, failed;

    count_bad(tasks, count, &killed, &failed);
    return array->tasks_killed > killed || array->tasks_failed > failed;
}

void waiting_tasks_find_killed(struct waiting_tasks *found, const struct creel_app *array,
                               const struct creel_app *const *tasks, size_t count)
{
    struct array_spec spec = { 0 };
    scoped_free uint8_t *marks = NULL;
    uint32_t killed, failed;

    *found = (struct waiting_tasks){ 0 };
    count_bad(tasks, count, &killed, &failed);
    if (array->tasks_failed > failed || array->tasks_killed <= killed || !array->failed_tasks ||
        array_spec_parse(array->array, &spec, NULL) < 0)
        return;
    marks = mem_alloc0(spec.count);
    mark_ended(&spec, array->failed_tasks, TASK_KILLED, marks);
    mark_known(&spec, tasks, count, marks);
    found->indexes = mem_array0(spec.count + (size_t)1, sizeof(*found->indexes));
    for (uint32_t at = 0; at < spec.count; at++)
        if (marks[at] == TASK_KILLED)
            found->indexes[found->count++] = array_spec_index(&spec, at);
    array_spec_done(&spec);
}

void waiting_tasks_done(struct waiting_tasks *waiting)
{
    free(waiting->indexes);
}

const char *waiting_tasks_text(const struct waiting_tasks *waiting, uint32_t at_once, struct arena *arena)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);

    job_ids_put_indexes(&text, waiting->indexes, waiting->count);
    if (at_once > 0)
        text_builder_printf(&text, "%%%u", at_once);
    return text_builder_finish(&text);
}
