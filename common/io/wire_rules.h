/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_rules.h - tables of the values that each field of the schema may have
 *
 * The rule of a field is the row of its message and name; else the row of its name in any message; else the
 * default of its type: a string is a WIRE_TEXT, a list has at most WIRE_LIST_MAX elements, bytes at most
 * WIRE_CHUNK_MAX, numbers have no limits.
 */
#ifndef CREEL_IO_WIRE_RULES_H
#define CREEL_IO_WIRE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/io/wire_text.h"

struct wire_rule {
    const char *message; /* NULL: the row is for FIELD in any message */
    const char *field;
    enum wire_text_kind text;  /* kind of a string */
    bool required;             /* may not be absent, empty or 0 */
    size_t size_min, size_max; /* bytes; size_max 0: the default. Of an absent value only
                                  REQUIRED is checked */
    size_t count_max;          /* elements of a list; 0: the default */
    int64_t low, high;         /* limits of a number; equal: no limits */
};

/* Returns the rows of MESSAGE (its short name), and their number in *COUNT. */
const struct wire_rule *wire_rules_of(const char *message, size_t *count);
/* Returns the row for FIELD in any message; NULL if there is none. */
const struct wire_rule *wire_rule_for(const char *field);

/* Returns all rows of a table, for the test that compares them with the schema. */
const struct wire_rule *wire_rules_all(bool of_messages, size_t *count);

#endif
