/* SPDX-License-Identifier: Apache-2.0 */
/* job_ids.c - lists of jobs as Slurm's commands take them */
#include "client/slurm-client/job_ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

/* Cuts the next id off *REST, at a comma outside of brackets. NULL at the end. */
static char *next_id(char **rest)
{
    char *id = *rest + strspn(*rest, ", "), *at = id;
    bool inside = false;

    for (; *at && (inside || (*at != ',' && *at != ' ')); at++)
        inside = *at == '[' || (inside && *at != ']');
    *rest = *at ? at + 1 : at;
    *at = '\0';
    return *id ? id : NULL;
}

static bool read_number(const char *digits, uint32_t *number)
{
    int64_t value;

    if (!*digits || digits[strspn(digits, "0123456789")] || !text_parse_int64(digits, &value) || value < 1 ||
        value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

/* Reads "7" or "[1-3,5]"; "*" is all. */
static int read_tasks(struct job_id *id, char *text, struct err *err)
{
    size_t length = strlen(text);

    if (text[0] == '[' && length > 2 && text[length - 1] == ']') {
        text[length - 1] = '\0';
        text++;
    }
    if (!strcmp(text, "*"))
        return 0;
    id->tasks = text;
    return array_spec_parse(text, &id->spec, err);
}

static bool read_id(struct job_id *id, char *word)
{
    char *step = strrchr(word, '.'), *tasks;

    if (step) {
        *step++ = '\0';
        id->step = step;
    }
    tasks = strchr(word, '_');
    if (tasks)
        *tasks++ = '\0';
    return read_number(word, &id->number) && (!step || *step) && (!tasks || read_tasks(id, tasks, NULL) == 0);
}

static int compare(const void *left, const void *right)
{
    const struct job_id *a = left, *b = right;

    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return strcmp(a->text, b->text);
}

int job_ids_read(struct job_ids *ids, const char *text, struct arena *arena, struct err *err)
{
    char *rest = arena_strdup(arena, text), *word;
    size_t former = ids->count;

    ids->given = true;
    while ((word = next_id(&rest)) != NULL) {
        const char *shown = arena_strdup(arena, word);
        struct job_id id = { .text = shown };

        if (!read_id(&id, word))
            return err_set(err, EINVAL,
                           "Invalid job id specified: %s; expected a number, as 42, 42_7 or 42_[1-3]", shown);
        mem_grow(ids->items, ids->count, ids->capacity);
        ids->items[ids->count++] = id;
    }
    if (ids->count == former) /* a list without an id would choose all jobs */
        return err_set(err, EINVAL,
                       "Invalid job id specified: \"%s\"; expected a number, as 42, 42_7 or 42_[1-3]", text);
    qsort(ids->items, ids->count, sizeof(*ids->items), compare);
    return 0;
}

void job_ids_done(struct job_ids *ids)
{
    for (size_t i = 0; i < ids->count; i++)
        array_spec_done(&ids->items[i].spec);
    free(ids->items);
}

const struct job_id *job_ids_find(const struct job_ids *ids, uint32_t number, size_t *count)
{
    size_t first = 0, end = ids->count;

    while (first < end) {
        size_t middle = first + (end - first) / 2;

        if (ids->items[middle].number < number)
            first = middle + 1;
        else
            end = middle;
    }
    for (*count = 0; first + *count < ids->count && ids->items[first + *count].number == number;)
        ++*count;
    return *count > 0 ? &ids->items[first] : NULL;
}

bool job_ids_have(const struct job_ids *ids, uint32_t number, bool is_task, uint32_t index)
{
    size_t count;
    const struct job_id *id = job_ids_find(ids, number, &count);

    for (uint32_t position; count > 0; id++, count--)
        if (!id->tasks || !is_task || array_spec_position(&id->spec, index, &position))
            return true;
    return !ids->given;
}

bool job_ids_name_tasks(const struct job_ids *ids, uint32_t number)
{
    size_t count;

    for (const struct job_id *id = job_ids_find(ids, number, &count); count > 0; id++, count--)
        if (id->tasks)
            return true;
    return false;
}

bool job_ids_name_whole(const struct job_ids *ids, uint32_t number)
{
    size_t count;

    for (const struct job_id *id = job_ids_find(ids, number, &count); count > 0; id++, count--)
        if (!id->tasks)
            return true;
    return !ids->given;
}

void job_ids_put_indexes(struct text_builder *text, const uint32_t *indexes, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && indexes[end] == indexes[end - 1] + 1;)
            end++;
        text_builder_separate(text, ",");
        text_builder_printf(text, "%u", indexes[i]);
        if (end > i + 1)
            text_builder_printf(text, "-%u", indexes[end - 1]);
    }
}

const char *job_id_tasks_of(const struct job_id *id, const char *array, struct arena *arena)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);
    struct array_spec spec = { 0 };
    scoped_free uint32_t *indexes = mem_array0(id->spec.count + (size_t)1, sizeof(*indexes));
    uint32_t position;
    size_t count = 0;

    if (array_spec_parse(array, &spec, NULL) < 0)
        return id->tasks;
    for (uint32_t i = 0; i < id->spec.count; i++) {
        indexes[count] = array_spec_index(&id->spec, i);
        count += array_spec_position(&spec, indexes[count], &position);
    }
    if (count == spec.count) /* all of the array, in its own words */
        text_builder_printf(&text, "%.*s", (int)strcspn(array, "%"), array);
    else if (count < id->spec.count)
        job_ids_put_indexes(&text, indexes, count);
    else
        text_builder_add(&text, id->tasks);
    array_spec_done(&spec);
    return count > 0 ? text_builder_finish(&text) : NULL;
}
