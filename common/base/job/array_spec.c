/* SPDX-License-Identifier: Apache-2.0 */
/* array_spec.c - parses the task indexes of a job array */
#include "common/base/job/array_spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

#define NAMED_MAX 100 /* bytes of an array in an error */
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
        err_prefix(err, "array %.*s%s", NAMED_MAX, text, strlen(text) > NAMED_MAX ? "..." : "");
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

/* --- subsets ------------------------------------------------------------------ */

/* Returns the X from 0 to MODULUS - 1 with (A * X) % MODULUS == 1. A and MODULUS have no common divisor. */
static int64_t invert(int64_t a, int64_t modulus)
{
    int64_t x = 1, next_x = 0, rest = a % modulus, next_rest = modulus;

    while (next_rest != 0) { /* Euclid: x * a == rest (mod modulus) */
        int64_t quotient = rest / next_rest, old_x = x, old_rest = rest;

        x = next_x;
        next_x = old_x - quotient * next_x;
        rest = next_rest;
        next_rest = old_rest - quotient * next_rest;
    }
    return x < 0 ? x + modulus : x;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Returns the number of indexes that are in both A and B. */
static uint32_t count_common(const struct array_range *a, const struct array_range *b)
{
    int64_t low = a->first > b->first ? a->first : b->first, high = a->last < b->last ? a->last : b->last;
    int64_t divisor = greatest_divisor(a->step, b->step), distance = (int64_t)b->first - a->first;
    int64_t modulus = b->step / divisor, period = a->step * modulus, steps, first;

    if (high < low || distance % divisor != 0)
        return 0;
    /* The smallest a->first + steps * a->step, with steps >= 0, that is an index of b's progression. */
    steps = (distance / divisor % modulus + modulus) % modulus * invert(a->step / divisor, modulus) % modulus;
    first = a->first + steps * a->step;
    if (first < low)
        first += (low - first + period - 1) / period * period;
    return first > high ? 0 : (uint32_t)((high - first) / period + 1);
}

/* Returns the lowest index of RANGE that SPEC does not have. There is one. */
static uint32_t first_missing(const struct array_spec *spec, const struct array_range *range)
{
    uint32_t index = range->first, position;

    while (array_spec_position(spec, index, &position)) {
        const struct array_range *has = find(spec, index, false);

        /* HAS has all further indexes up to its last one, or not the next one. */
        if (range->step % has->step == 0)
            index += (has->last - index) / range->step * range->step;
        index += range->step;
    }
    return index;
}

bool array_spec_contains(const struct array_spec *spec, const struct array_spec *other, uint32_t *missing)
{
    size_t from = 0;

    for (size_t i = 0; i < other->range_count; i++) {
        const struct array_range *range = &other->ranges[i];
        uint32_t common = 0;

        while (from < spec->range_count && spec->ranges[from].last < range->first)
            from++;
        for (size_t k = from; k < spec->range_count && spec->ranges[k].first <= range->last; k++)
            common += count_common(range, &spec->ranges[k]);
        if (common == (range->last - range->first) / range->step + 1)
            continue;
        *missing = first_missing(spec, range);
        return false;
    }
    return true;
}
