/* SPDX-License-Identifier: Apache-2.0 */
/* array_spec.c - parses the task indexes of a job array */
#include "rm/jobs/array_spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

#define INDEX_MAX INT32_MAX

static bool read_number(const char *text, int64_t least, int64_t most, uint32_t *number)
{
    int64_t value;

    if (*text == '\0' || strspn(text, "0123456789") != strlen(text) || !text_parse_int64(text, &value) ||
        value < least || value > most)
        return false;
    *number = (uint32_t)value;
    return true;
}

/* Parses ITEM ("7", "0-99" or "0-99:10") into RANGE. Modifies ITEM. */
static bool read_range(char *item, struct array_range *range)
{
    char *step = strchr(item, ':'), *last;

    *range = (struct array_range){ .step = 1 };
    if (step)
        *step++ = '\0';
    last = strchr(item, '-');
    if (last)
        *last++ = '\0';
    if (!read_number(item, 0, INDEX_MAX, &range->first) ||
        !read_number(last ? last : item, range->first, INDEX_MAX, &range->last) ||
        (step && (last == NULL || !read_number(step, 1, INDEX_MAX, &range->step))))
        return false;
    range->last -= (range->last - range->first) % range->step;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct array_range *left = a, *right = b;

    return (left->first > right->first) - (left->first < right->first);
}

/* Sorts the ranges by index and sets their positions. Refuses ranges that overlap. */
static int arrange(struct array_spec *spec, struct err *err)
{
    uint64_t count = 0;

    qsort(spec->ranges, spec->range_count, sizeof(*spec->ranges), compare);
    for (size_t i = 0; i < spec->range_count; i++) {
        struct array_range *range = &spec->ranges[i];

        if (i > 0 && range->first <= spec->ranges[i - 1].last)
            return err_set(err, EINVAL, "index %u comes twice, or its range lies across another",
                           range->first);
        range->position = (uint32_t)count;
        count += (range->last - range->first) / range->step + 1;
        if (count > ARRAY_TASKS_MAX)
            return err_set(err, EMSGSIZE, "it has more than %u tasks", ARRAY_TASKS_MAX);
    }
    spec->count = (uint32_t)count;
    return 0;
}

static int read_ranges(struct array_spec *spec, char *text, struct err *err)
{
    size_t capacity = 0;
    char *item;

    while ((item = strsep(&text, ",")) != NULL) {
        scoped_free char *whole = mem_strdup(item);

        if (spec->range_count == ARRAY_RANGES_MAX)
            return err_set(err, EMSGSIZE, "it has more than %u ranges", ARRAY_RANGES_MAX);
        mem_grow(spec->ranges, spec->range_count, capacity);
        if (!read_range(item, &spec->ranges[spec->range_count++]))
            return err_set(err, EINVAL,
                           "\"%s\": expected an index from 0 to %d, a range as 0-99, or 0-99:10 "
                           "for every tenth",
                           whole, INDEX_MAX);
    }
    return arrange(spec, err);
}

int array_spec_parse(const char *text, struct array_spec *ret, struct err *err)
{
    scoped_free char *copy = mem_strdup(text);
    char *percent = strchr(copy, '%');
    int r;

    *ret = (struct array_spec){ .range_count = 0 };
    if (percent)
        *percent++ = '\0';
    if (percent && !read_number(percent, 1, ARRAY_TASKS_MAX, &ret->at_once))
        r = err_set(err, EINVAL, "%%%s: expected how many tasks may run at a time, from 1 to %u", percent,
                    ARRAY_TASKS_MAX);
    else
        r = read_ranges(ret, copy, err);
    if (r < 0) {
        err_prefix(err, "array %s", strlen(text) < 100 ? text : "");
        array_spec_done(ret);
    }
    return r;
}

void array_spec_done(struct array_spec *spec)
{
    free(spec->ranges);
    *spec = (struct array_spec){ .range_count = 0 };
}

/* Returns the last range whose first position (if BY_POSITION) or first index is at most KEY; NULL if there
 * is no such range. */
static const struct array_range *find(const struct array_spec *spec, uint32_t key, bool by_position)
{
    size_t low = 0, high = spec->range_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct array_range *range = &spec->ranges[middle];

        if ((by_position ? range->position : range->first) <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &spec->ranges[low - 1] : NULL;
}

uint32_t array_spec_index(const struct array_spec *spec, uint32_t position)
{
    const struct array_range *range = find(spec, position, true);

    return range->first + (position - range->position) * range->step;
}

bool array_spec_position(const struct array_spec *spec, uint32_t index, uint32_t *position)
{
    const struct array_range *range = find(spec, index, false);

    if (range == NULL || index > range->last || (index - range->first) % range->step != 0)
        return false;
    *position = range->position + (index - range->first) / range->step;
    return true;
}
