/* SPDX-License-Identifier: Apache-2.0 */
/* host_range.c - expands and folds ranges of hosts */
#include "common/base/host_range.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

#define DIGITS_MAX 9 /* of a number in a range */

/* --- lists of names ---------------------------------------------------------- */

static void add_name(struct host_names *names, char *name)
{
    if (names->count + 1 >= names->capacity) {
        names->capacity = names->capacity ? names->capacity * 2 : 8;
        names->items = mem_resize(names->items, names->capacity, sizeof(*names->items));
    }
    names->items[names->count++] = name;
    names->items[names->count] = NULL;
}

void host_names_done(struct host_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct host_names){ 0 };
}

static int compare_names(const void *a, const void *b)
{
    const char *const *left = *(const char *const *const *)a, *const *right = *(const char *const *const *)b;
    int order = strcmp(*left, *right);

    return order != 0 ? order : (left > right) - (left < right);
}

/* Removes each name that is equal to an earlier one. */
static void remove_repeated(struct host_names *names)
{
    scoped_free char ***sorted = mem_array0(names->count + 1, sizeof(*sorted));
    scoped_free bool *repeated = mem_array0(names->count + 1, sizeof(*repeated));
    size_t kept = 0;

    for (size_t i = 0; i < names->count; i++)
        sorted[i] = &names->items[i];
    qsort(sorted, names->count, sizeof(*sorted), compare_names);
    for (size_t i = 1; i < names->count; i++)
        if (!strcmp(*sorted[i - 1], *sorted[i]))
            repeated[sorted[i] - names->items] = true;
    for (size_t i = 0; i < names->count; i++) {
        if (repeated[i])
            free(names->items[i]);
        else
            names->items[kept++] = names->items[i];
    }
    names->count = kept;
    if (names->items)
        names->items[kept] = NULL;
}

/* --- expansion --------------------------------------------------------------- */

struct pair {
    uint32_t low, high;
    int width; /* minimum number of digits */
};

/* Reads up to DIGITS_MAX digits at *TEXT, and moves *TEXT behind them. */
static bool read_number(const char **text, uint32_t *number, int *digits)
{
    *number = 0;
    for (*digits = 0; isdigit((unsigned char)**text); ++*text, ++*digits) {
        if (*digits == DIGITS_MAX)
            return false;
        *number = *number * 10 + (uint32_t)(**text - '0');
    }
    return *digits > 0;
}

static bool read_pair(const char **text, struct pair *pair)
{
    const char *first = *text;
    int low_digits, high_digits;

    if (!read_number(text, &pair->low, &low_digits))
        return false;
    pair->width = *first == '0' ? low_digits : 1;
    pair->high = pair->low;
    if (**text != '-')
        return true;
    ++*text;
    return read_number(text, &pair->high, &high_digits) && pair->high >= pair->low;
}

/* Appends to RET, for each of PREFIXES, the names with all numbers of PAIR. -E2BIG: too many names. */
static int add_pair(const struct host_names *prefixes, const struct pair *pair, struct host_names *ret)
{
    if (prefixes->count * ((size_t)pair->high - pair->low + 1) + ret->count > HOST_RANGE_NAMES_MAX)
        return -E2BIG;
    for (size_t i = 0; i < prefixes->count; i++)
        for (uint32_t number = pair->low; number <= pair->high; number++)
            add_name(ret, mem_printf("%s%0*u", prefixes->items[i], pair->width, number));
    return 0;
}

/* Replaces each of PREFIXES by the names with all numbers of the range at *TEXT, and moves *TEXT behind its
 * ']'. *TEXT is behind the '['. */
static int add_range(const char **text, struct host_names *prefixes)
{
    struct host_names longer = { 0 };
    struct pair pair;
    int r = 0;

    do {
        r = read_pair(text, &pair) ? add_pair(prefixes, &pair, &longer) : -EINVAL;
    } while (r == 0 && *(*text)++ == ',');
    if (r == 0 && (*text)[-1] != ']')
        r = -EINVAL;
    if (r < 0) {
        host_names_done(&longer);
        return r;
    }
    host_names_done(prefixes);
    *prefixes = longer;
    return 0;
}

static void add_literal(struct host_names *prefixes, const char *text, size_t length)
{
    for (size_t i = 0; i < prefixes->count; i++) {
        char *longer = mem_printf("%s%.*s", prefixes->items[i], (int)length, text);

        free(prefixes->items[i]);
        prefixes->items[i] = longer;
    }
}

/* Returns the length of "[fe80::1]" at TEXT; 0: no brackets around an address. */
static size_t address_length(const char *text)
{
    size_t length = *text == '[' ? 1 + strcspn(text + 1, "[],") : 0;

    return length > 0 && text[length] == ']' && memchr(text, ':', length) ? length + 1 : 0;
}

/* Expands the name at *TEXT, up to a comma or the end. */
static int add_word(const char **text, struct host_names *ret)
{
    struct host_names names = { 0 };
    const char *begin = *text;
    size_t length;
    int r = 0;

    add_name(&names, mem_strdup(""));
    while (r == 0 && **text && **text != ',') {
        length = address_length(*text);
        if (length == 0)
            length = strcspn(*text, "[],");
        if ((size_t)(*text - begin) + length >= HOST_RANGE_NAME_SIZE) {
            r = -EINVAL;
        } else if (length > 0) {
            add_literal(&names, *text, length);
            *text += length;
        } else if (*(*text)++ == '[') {
            r = add_range(text, &names);
        } else {
            r = -EINVAL;
        }
    }
    if (r == 0 && *text == begin)
        r = -EINVAL;
    if (r == 0 && ret->count + names.count > HOST_RANGE_NAMES_MAX)
        r = -E2BIG;
    for (size_t i = 0; r == 0 && i < names.count; i++) {
        if (strlen(names.items[i]) >= HOST_RANGE_NAME_SIZE)
            r = -EINVAL;
    }
    for (size_t i = 0; r == 0 && i < names.count; i++)
        add_name(ret, mem_strdup(names.items[i]));
    host_names_done(&names);
    return r;
}

int host_range_expand_all(const char *text, struct host_names *names, struct err *err)
{
    struct host_names fresh = { 0 };
    const char *rest = text;
    int r;

    for (size_t i = 0; i < names->count; i++)
        add_name(&fresh, mem_strdup(names->items[i]));
    do {
        r = add_word(&rest, &fresh);
    } while (r == 0 && *rest++ == ',');
    if (r < 0) {
        host_names_done(&fresh);
        if (r == -E2BIG)
            return err_set(err, E2BIG, "%s: more than %d hosts", text, HOST_RANGE_NAMES_MAX);
        return err_set(err, EINVAL, "%s: expected hosts, as n7 or n[1-40] or n[01-12,15]", text);
    }
    host_names_done(names);
    *names = fresh;
    return 0;
}

int host_range_expand(const char *text, struct host_names *names, struct err *err)
{
    int r = host_range_expand_all(text, names, err);

    if (r == 0)
        remove_repeated(names);
    return r;
}

/* --- folding ----------------------------------------------------------------- */

struct part {
    const char *name;
    size_t prefix, digits; /* lengths; 0 digits: the name has no number */
    uint32_t number;
};

/* Returns the end of the last number of the host, else of the last number of NAME; 0: it has none. The host
 * ends at the first '.' or ':'; if NAME begins with a digit, as an address does, at ':' only. */
static size_t last_number_end(const char *name)
{
    size_t end = strcspn(name, isdigit((unsigned char)*name) ? ":" : ".:");

    while (end > 0 && !isdigit((unsigned char)name[end - 1]))
        end--;
    if (end == 0)
        for (end = strlen(name); end > 0 && !isdigit((unsigned char)name[end - 1]);)
            end--;
    return end;
}

/* Finds the number of NAME that may be part of a range. AT_END: only one at its end. */
static struct part split(const char *name, bool at_end)
{
    struct part part = { .name = name };
    size_t end = at_end ? strlen(name) : last_number_end(name), begin;

    for (begin = end; begin > 0 && isdigit((unsigned char)name[begin - 1]) && end - begin < DIGITS_MAX;)
        begin--;
    part.digits = end - begin;
    part.prefix = part.digits > 0 ? begin : strlen(name);
    for (size_t i = begin; i < end; i++)
        part.number = part.number * 10 + (uint32_t)(name[i] - '0');
    return part;
}

static const char *suffix_of(const struct part *part)
{
    return part->name + part->prefix + part->digits;
}

/* Compares the texts around the numbers. Parts that are equal have one frame, and can be in one range. */
static int compare_frames(const struct part *a, const struct part *b)
{
    size_t shorter = a->prefix < b->prefix ? a->prefix : b->prefix;
    int order = strncmp(a->name, b->name, shorter);

    if (order == 0)
        order = (a->prefix > b->prefix) - (a->prefix < b->prefix);
    if (order == 0)
        order = (a->digits > 0) - (b->digits > 0);
    return order != 0 ? order : strcmp(suffix_of(a), suffix_of(b));
}

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    int order = compare_frames(a, b);

    if (order == 0)
        order = (a->number > b->number) - (a->number < b->number);
    return order != 0 ? order : (a->digits > b->digits) - (a->digits < b->digits);
}

/* Returns true if a range that begins with FIRST and ends with LAST may be extended by NEXT. */
static bool extends(const struct part *first, const struct part *last, const struct part *next)
{
    char text[16];
    int width = first->name[first->prefix] == '0' ? (int)first->digits : 1;

    if (next->number != last->number + 1)
        return false;
    snprintf(text, sizeof(text), "%0*u", width, next->number);
    return strlen(text) == next->digits && !strncmp(text, next->name + next->prefix, next->digits);
}

/* Parts of one frame with numbers that follow each other. */
struct run {
    const struct part *first, *last;
};

static size_t width_of(const struct run *run)
{
    return run->first->name[run->first->prefix] == '0' ? run->first->digits : 1;
}

/* Slurm sorts ranges without leading zeros first. */
static int compare_runs(const void *left, const void *right)
{
    const struct run *a = left, *b = right;
    int order = (width_of(a) > width_of(b)) - (width_of(a) < width_of(b));

    return order != 0 ? order : (a->first > b->first) - (a->first < b->first);
}

static void print_number(FILE *out, const char *before, const struct part *part)
{
    fprintf(out, "%s%.*s", before, (int)part->digits, part->name + part->prefix);
}

/* Writes the range of the COUNT parts of one frame, without brackets. */
static void print_numbers(FILE *out, const struct part *parts, size_t count, bool by_width)
{
    scoped_free struct run *runs = mem_array0(count, sizeof(*runs));
    size_t run_count = 0;

    for (size_t first = 0, last; first < count; first = last + 1) {
        for (last = first; last + 1 < count && extends(&parts[first], &parts[last], &parts[last + 1]);)
            last++;
        runs[run_count++] = (struct run){ &parts[first], &parts[last] };
    }
    if (by_width)
        qsort(runs, run_count, sizeof(*runs), compare_runs);
    for (size_t i = 0; i < run_count; i++) {
        print_number(out, i > 0 ? "," : "", runs[i].first);
        if (runs[i].last > runs[i].first)
            print_number(out, "-", runs[i].last);
    }
}

static void print_frame(FILE *out, const struct part *parts, size_t count, bool by_width)
{
    if (count == 1) {
        fputs(parts[0].name, out);
        return;
    }
    fprintf(out, "%.*s[", (int)parts[0].prefix, parts[0].name);
    print_numbers(out, parts, count, by_width);
    fprintf(out, "]%s", suffix_of(&parts[0]));
}

/* Returns whether NEXT is in the brackets of FIRST. */
static bool share_brackets(const struct part *first, const struct part *next)
{
    return first->digits > 0 && compare_frames(first, next) == 0;
}

/* Writes PARTS in their order: parts of one frame that follow each other share brackets. BY_WIDTH: numbers
 * with leading zeros are behind the others there. */
static char *print_parts(const struct part *parts, size_t count, bool by_width)
{
    size_t size;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        abort();
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && share_brackets(&parts[first], &parts[next]);)
            next++;
        if (first > 0)
            fputc(',', out);
        print_frame(out, &parts[first], next - first, by_width);
    }
    if (fclose(out) != 0)
        abort();
    return text;
}

/* Returns the parts of NAMES; the caller frees them. */
static struct part *split_all(const char *const *names, size_t count, bool at_end, bool sorted)
{
    struct part *parts = mem_array0(count + 1, sizeof(*parts));

    for (size_t i = 0; i < count; i++)
        parts[i] = split(names[i], at_end);
    if (sorted)
        qsort(parts, count, sizeof(*parts), compare_parts);
    return parts;
}

char *host_range_fold(const char *const *names, size_t count)
{
    scoped_free struct part *parts = split_all(names, count, false, true);
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(parts[i].name, parts[kept - 1].name) != 0)
            parts[kept++] = parts[i];
    return print_parts(parts, kept, false);
}

char *host_range_fold_all(const char *const *names, size_t count, bool sorted)
{
    scoped_free struct part *parts = split_all(names, count, true, sorted);

    return print_parts(parts, count, sorted);
}
