/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_rules.h - what each field of the schema may hold, as tables
 *
 * A field without a row of its own has the row of its name in any message, and
 * without that the default of its type: a string is a WIRE_TEXT, a list has at
 * most WIRE_LIST_MAX elements, bytes at most WIRE_CHUNK_MAX, numbers are free.
 */
#ifndef CREEL_IO_WIRE_RULES_H
#define CREEL_IO_WIRE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/io/wire_text.h"

struct wire_rule {
    const char *message;                /* NULL in the rows for a name in any message */
    const char *field;
    enum wire_text_kind text;           /* strings */
    bool required;                      /* may not be absent, empty or 0 */
    size_t size_min, size_max;          /* bytes; size_max 0: the default. An absent value is
                                           judged by REQUIRED alone */
    size_t count_max;                   /* lists; 0: the default */
    int64_t low, high;                  /* numbers; equal: free */
};

/* The rows of MESSAGE (its short name), COUNT of them. */
const struct wire_rule *wire_rules_of(const char *message, size_t *count);
/* The row for FIELD in any message; NULL if none. */
const struct wire_rule *wire_rule_for(const char *field);

/* All rows of a table, for the test that holds them against the schema. */
const struct wire_rule *wire_rules_all(bool of_messages, size_t *count);

#endif
