/* SPDX-License-Identifier: Apache-2.0 */
/* case_json.c - reads JSON objects of a case by tables of fields */
#include "sim/cases/case_json.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/base/resource_types.h"
#include "common/base/text_builder.h"

/* --- lines ---------------------------------------------------------------------- */

struct line_of {
    UT_hash_handle hh;
    const void *at;
    int line;
};

struct json_lines {
    struct line_of *by_address;
};

struct scanner {
    const char *at, *end;
    int line;
    struct json_lines *lines;
};

static void skip_blanks(struct scanner *scanner)
{
    for (; scanner->at < scanner->end && strchr(" \t\r\n", *scanner->at) != NULL; scanner->at++)
        scanner->line += *scanner->at == '\n';
}

/* Skips the next character, after blanks: a bracket, a comma, a colon. */
static void skip_mark(struct scanner *scanner)
{
    skip_blanks(scanner);
    if (scanner->at < scanner->end)
        scanner->at++;
    skip_blanks(scanner);
}

static void skip_string(struct scanner *scanner)
{
    for (scanner->at++; scanner->at < scanner->end && *scanner->at != '"'; scanner->at++)
        if (*scanner->at == '\\')
            scanner->at++;
    if (scanner->at < scanner->end)
        scanner->at++;
}

static void skip_word(struct scanner *scanner)
{
    while (scanner->at < scanner->end && strchr(" \t\r\n,]}", *scanner->at) == NULL)
        scanner->at++;
}

/* Records the line of the key or value at address AT. Values true, false and null have no line, since jansson
 * has only one shared object for each of them. */
static void note(struct scanner *scanner, const void *at)
{
    struct line_of *line;

    HASH_FIND_PTR(scanner->lines->by_address, &at, line);
    if (line != NULL)
        return;
    line = mem_new0(struct line_of);
    line->at = at;
    line->line = scanner->line;
    HASH_ADD_PTR(scanner->lines->by_address, at, line);
}

static void scan(struct scanner *scanner, json_t *value)
{
    const char *key;
    json_t *item;
    size_t i;

    skip_blanks(scanner);
    if (!json_is_boolean(value) && !json_is_null(value))
        note(scanner, value);
    if (json_is_object(value)) {
        skip_mark(scanner);
        json_object_foreach(value, key, item)
        {
            note(scanner, key);
            skip_string(scanner);
            skip_mark(scanner);
            scan(scanner, item);
            skip_blanks(scanner);
            if (scanner->at < scanner->end && *scanner->at == ',')
                skip_mark(scanner);
        }
        skip_mark(scanner);
    } else if (json_is_array(value)) {
        skip_mark(scanner);
        json_array_foreach(value, i, item)
        {
            scan(scanner, item);
            skip_blanks(scanner);
            if (scanner->at < scanner->end && *scanner->at == ',')
                skip_mark(scanner);
        }
        skip_mark(scanner);
    } else if (json_is_string(value)) {
        skip_string(scanner);
    } else {
        skip_word(scanner);
    }
}

struct json_lines *json_lines_new(const char *text, size_t size, json_t *root)
{
    struct json_lines *lines = mem_new0(struct json_lines);
    struct scanner scanner = { .at = text, .end = text + size, .line = 1, .lines = lines };

    scan(&scanner, root);
    return lines;
}

void json_lines_free(struct json_lines *lines)
{
    struct line_of *line, *next;

    HASH_ITER(hh, lines->by_address, line, next) {
        HASH_DEL(lines->by_address, line);
        free(line);
    }
    free(lines);
}

int json_line(const struct json_lines *lines, const void *key_or_value)
{
    struct line_of *line;

    HASH_FIND_PTR(lines->by_address, &key_or_value, line);
    return line == NULL ? 0 : line->line;
}

void reader_refuse(struct reader *reader, const void *at, const char *format, ...)
{
    int line = json_line(reader->lines, at);
    va_list args;

    if (reader->result < 0)
        return;
    va_start(args, format);
    reader->result = err_vset(reader->err, EINVAL, format, args);
    va_end(args);
    err_prefix(reader->err, "%s:%d", reader->file,
               line > 0 || reader->key == NULL ? line : json_line(reader->lines, reader->key));
}

/* --- objects -------------------------------------------------------------------- */

static const struct field *find(const struct field *fields, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

static const char *list_of(struct reader *reader, const struct field *fields, size_t count)
{
    struct text_builder list = TEXT_BUILDER_IN(reader->arena);

    for (size_t i = 0; i < count; i++) {
        text_builder_separate(&list, ", ");
        text_builder_add(&list, fields[i].name);
    }
    return text_builder_finish(&list);
}

void read_object(struct reader *reader, const char *where, json_t *object, const struct field *fields,
                 size_t count, void *base)
{
    const char *key;
    json_t *value;

    if (reader->result < 0)
        return;
    if (!json_is_object(object)) {
        reader_refuse(reader, object, "%s: expected an object", where);
        return;
    }
    json_object_foreach(object, key, value)
    {
        const struct field *field = find(fields, count, key);

        if (field == NULL) {
            reader_refuse(reader, key, "%s: unknown key \"%s\" (there is: %s)", where, key,
                          list_of(reader, fields, count));
            return;
        }
        reader->key = key;
        field->read(reader, arena_printf(reader->arena, "%s: %s", where, key), value,
                    (char *)base + field->offset);
        if (field->given != 0)
            *(bool *)(void *)((char *)base + field->given) = true;
        if (reader->result < 0)
            return;
    }
    for (size_t i = 0; i < count; i++)
        if (fields[i].required && json_object_get(object, fields[i].name) == NULL)
            reader_refuse(reader, object, "%s: key \"%s\" is missing", where, fields[i].name);
}

void read_list(struct reader *reader, const char *where, json_t *list, const struct field *fields,
               size_t field_count, const void *initial, size_t size, void **items, size_t *count)
{
    json_t *item;
    size_t i;

    if (reader->result < 0)
        return;
    if (!json_is_array(list)) {
        reader_refuse(reader, list, "%s: expected a list", where);
        return;
    }
    *count = json_array_size(list);
    *items = arena_array0(reader->arena, *count, size);
    json_array_foreach(list, i, item)
    {
        char *place = (char *)*items + i * size;

        if (initial != NULL)
            memcpy(place, initial, size);
        read_object(reader, arena_printf(reader->arena, "%s %zu", where, i + 1), item, fields, field_count,
                    place);
    }
}

/* --- values ----------------------------------------------------------------------- */

void read_nothing(struct reader *reader, const char *where, json_t *value, void *place)
{
    (void)reader;
    (void)where;
    (void)value;
    (void)place;
}

void read_text(struct reader *reader, const char *where, json_t *value, void *place)
{
    if (!json_is_string(value))
        reader_refuse(reader, value, "%s: expected a text", where);
    else
        *(const char **)place = arena_strdup(reader->arena, json_string_value(value));
}

void read_flag(struct reader *reader, const char *where, json_t *value, void *place)
{
    if (!json_is_boolean(value))
        reader_refuse(reader, value, "%s: expected true or false", where);
    else
        *(bool *)place = json_is_true(value);
}

void read_integer(struct reader *reader, const char *where, json_t *value, void *place)
{
    if (!json_is_integer(value))
        reader_refuse(reader, value, "%s: expected a whole number", where);
    else
        *(int64_t *)place = json_integer_value(value);
}

void read_whole(struct reader *reader, const char *where, json_t *value, void *place)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        reader_refuse(reader, value, "%s: expected a whole number, 0 or more", where);
    else
        *(int64_t *)place = json_integer_value(value);
}

void read_number(struct reader *reader, const char *where, json_t *value, void *place)
{
    if (!json_is_number(value) || json_number_value(value) < 0)
        reader_refuse(reader, value, "%s: expected a number, 0 or more", where);
    else
        *(double *)place = json_number_value(value);
}

static void check_type(struct reader *reader, const char *where, const void *at, const char *name)
{
    if (!resource_type_name_valid(name))
        reader_refuse(reader, at,
                      "%s: \"%s\" is no type of resource: expected at most %d letters, digits and ._-/",
                      where, name, RESOURCE_TYPE_NAME_MAX - 1);
}

/* Returns the index of the type NAME, which is added if it is new; -1: too many types. */
static int type_of(struct reader *reader, const char *name)
{
    struct test_case *test = reader->test;

    for (int t = 0; t < test->type_count; t++)
        if (strcmp(test->types[t], name) == 0)
            return t;
    if (test->type_count == RESOURCE_TYPES_MAX)
        return -1;
    test->types[test->type_count] = arena_strdup(reader->arena, name);
    return test->type_count++;
}

static void set_amount(struct reader *reader, const char *where, json_t *value, int type,
                       struct case_resource *resource)
{
    if (!json_is_integer(value)) {
        reader_refuse(reader, value, "%s: expected whole numbers", where);
        return;
    }
    resource->amount.value[type] = json_integer_value(value);
    resource->given |= 1u << type;
}

static void read_resource(struct reader *reader, const char *where, json_t *value,
                          struct case_resource *resource)
{
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_array(value) && json_array_size(value) >= 1 && json_array_size(value) <= 2) {
        json_array_foreach(value, i, item) set_amount(reader, where, item, (int)i, resource);
    } else if (json_is_object(value) && json_object_size(value) > 0) {
        json_object_foreach(value, key, item)
        {
            int type;

            check_type(reader, where, key, key);
            if (reader->result < 0)
                return;
            type = type_of(reader, key);
            if (type < 0)
                reader_refuse(reader, key, "%s: more than %d types of resources", where, RESOURCE_TYPES_MAX);
            else
                set_amount(reader, where, item, type, resource);
        }
    } else {
        reader_refuse(reader, value, "%s: expected [memory-mb], [memory-mb, vcores] or {name: amount}",
                      where);
    }
}

void read_amount(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_resource resource = { .given = 0 };

    read_resource(reader, where, value, &resource);
    *(struct case_resource *)place = resource;
}

void read_maximum(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_resource resource = { .given = 0 };

    for (int t = 0; t < RESOURCE_TYPES_MAX; t++)
        resource.amount.value[t] = INT64_MAX;
    read_resource(reader, where, value, &resource);
    *(struct case_resource *)place = resource;
}

void read_properties(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_properties *properties = place;
    const char *key;
    json_t *item;

    if (!json_is_object(value)) {
        reader_refuse(reader, value, "%s: expected {name: value}", where);
        return;
    }
    properties->items = arena_array0(reader->arena, json_object_size(value), sizeof(*properties->items));
    properties->count = 0;
    json_object_foreach(value, key, item)
    {
        if (!json_is_string(item)) {
            reader_refuse(reader, key, "%s: %s: expected a text", where, key);
            return;
        }
        properties->items[properties->count++] = (struct case_property){
            .name = arena_strdup(reader->arena, key),
            .value = arena_strdup(reader->arena, json_string_value(item)),
        };
    }
}

void read_texts(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_texts *texts = place;
    json_t *item;
    size_t i;

    if (!json_is_array(value)) {
        reader_refuse(reader, value, "%s: expected a list of texts", where);
        return;
    }
    texts->items = arena_array0(reader->arena, json_array_size(value), sizeof(*texts->items));
    texts->count = json_array_size(value);
    json_array_foreach(value, i, item) read_text(reader, where, item, &texts->items[i]);
}

void read_counts(struct reader *reader, const char *where, json_t *value, void *place)
{
    struct case_counts *counts = place;
    const char *key;
    json_t *item;

    if (!json_is_object(value)) {
        reader_refuse(reader, value, "%s: expected {name: number}", where);
        return;
    }
    counts->given = true;
    counts->items = arena_array0(reader->arena, json_object_size(value), sizeof(*counts->items));
    counts->count = 0;
    json_object_foreach(value, key, item)
    {
        struct case_count *count = &counts->items[counts->count++];

        count->name = arena_strdup(reader->arena, key);
        read_whole(reader, arena_printf(reader->arena, "%s: %s", where, key), item, &count->count);
    }
}
