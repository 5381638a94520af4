/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case_json.h - reads JSON objects of a case by tables of fields
 *
 * A reader stops at the first error and reports its line: jansson parses the text, and a second pass over the
 * valid text finds the line of each key and value.
 */
#ifndef CREEL_SIM_CASE_JSON_H
#define CREEL_SIM_CASE_JSON_H

#include <jansson.h>

#include "common/base/arena.h"
#include "sim/cases/case.h"

struct json_lines;

struct reader {
    const char *file;
    struct test_case *test;
    struct arena *arena;
    struct json_lines *lines;
    struct err *err;
    const char *key; /* key being read */
    int result;      /* 0 until the first error */
};

/* Finds the line of each key (by the address of its text) and of each value of ROOT, which was parsed from
 * TEXT. */
struct json_lines *json_lines_new(const char *text, size_t size, json_t *root);
void json_lines_free(struct json_lines *lines);
int json_line(const struct json_lines *lines, const void *key_or_value); /* 0: unknown */

/* A field of an object: its name, and the function that reads its value. */
struct field;
typedef void field_fn(struct reader *reader, const char *where, json_t *value, void *place);

struct field {
    const char *name;
    field_fn *read;
    size_t offset; /* offset of the destination in the struct */
    bool required;
    size_t given; /* offset of a bool that is set if the field exists; 0: none */
};

/* Fills BASE from OBJECT. A key that is not among the COUNT fields is an error. WHERE is for messages: "queue
 * root.a". */
void read_object(struct reader *reader, const char *where, json_t *object, const struct field *fields,
                 size_t count, void *base);
/* Reads a list of objects into the array *ITEMS of *COUNT elements. Each element has SIZE bytes and starts as
 * a copy of INITIAL. */
void read_list(struct reader *reader, const char *where, json_t *list, const struct field *fields,
               size_t field_count, const void *initial, size_t size, void **items, size_t *count);

#define FIELDS(table) (table), sizeof(table) / sizeof((table)[0])

/* Reports an error at AT (a value or the address of a key); only the first error is kept. */
void reader_refuse(struct reader *reader, const void *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

field_fn read_text;       /* reads a const char * */
field_fn read_flag;       /* reads a bool */
field_fn read_whole;      /* reads an int64_t, 0 or more */
field_fn read_integer;    /* reads an int64_t */
field_fn read_number;     /* reads a double, 0 or more */
field_fn read_amount;     /* reads a struct case_resource; missing types become 0 */
field_fn read_maximum;    /* reads a struct case_resource; missing types become INT64_MAX */
field_fn read_properties; /* reads a struct case_properties */
field_fn read_texts;      /* reads a struct case_texts */
field_fn read_counts;     /* reads a struct case_counts */
field_fn read_nothing;    /* ignores the value, which other code reads */

/* sim/cases/case_names.c: functions that read a name into a const char *, and refuse what cannot be one. */
field_fn read_name;        /* of an app or user: without blanks */
field_fn read_node;        /* of a node: a name that is not that of a rack */
field_fn read_node_or_all; /* of a node, or "*" */
field_fn read_node_list;   /* reads a struct case_texts */
field_fn read_rack;        /* as text_is_rack */
field_fn read_where;       /* of a node or rack, or "*" */
field_fn read_label;       /* as text_is_label, or "": none */
field_fn read_path;        /* of a queue */
field_fn read_places;      /* reads a struct case_texts: names of nodes and racks */

/* Refuses NAME, at AT, if it is not such a name. WHERE as in read_object. */
typedef void name_fn(struct reader *reader, const char *where, const void *at, const char *name);
name_fn case_check_label, case_check_name, case_check_node, case_check_path;

/* sim/cases/case_expect.c: reads the expectations of STEP, of op expect, into PLACE. */
void read_claims(struct reader *reader, json_t *step, struct case_step *place);
/* sim/cases/case_steps.c: reads a case of kind scheduler. */
void read_script(struct reader *reader, json_t *root);

#endif
