/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_rules.h - tables of the values that each field of the schema may have
 *
 * The rule of a field is the row of its message and name; else the row of its name in any message; else the
 * default of its type: a string is a WIRE_TEXT, a list has at most WIRE_LIST_MAX elements, bytes at most
 * WIRE_CHUNK_MAX, numbers have no limits. A field has the limit of what it is: a path that of a path.
 *
 * A limit that becomes lower must not make rows unreadable that an earlier version stored: wire_fit.h.
 */
#ifndef CREEL_IO_WIRE_RULES_H
#define CREEL_IO_WIRE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/io/wire/wire_text.h"

struct wire_rule {
    const char *message; /* NULL: the row is for FIELD in any message */
    const char *field;
    enum wire_text_kind text;  /* kind of a string */
    bool required;             /* may not be absent, empty or 0 */
    size_t size_min, size_max; /* bytes of a string or of bytes; size_max 0: the default. Of an absent value
                                  only REQUIRED is checked. size_min is for bytes */
    size_t count_max;          /* elements of a list; 0: the default */
    size_t sum_max;            /* bytes of all strings of a list together; 0: no limit */
    int64_t low, high;         /* limits of a number; equal: no limits */
};

/* Returns the rows of MESSAGE (its short name), and their number in *COUNT. */
const struct wire_rule *wire_rules_of(const char *message, size_t *count);
/* Returns the row for FIELD in any message; NULL if there is none. No such row requires the field or refuses
 * 0. */
const struct wire_rule *wire_rule_for(const char *field);
/* Returns the row for FIELD among the COUNT rows OWN of its message; NULL if there is none. */
const struct wire_rule *wire_rule_of(const struct wire_rule *own, size_t count, const char *field);

/* Returns the rule of FIELD, one of the COUNT rows OWN of its message (wire_rules_of) or the row for its
 * name in any message; NULL: the default of its type applies. */
const struct wire_rule *wire_rule_find(const struct wire_rule *own, size_t count, const char *field);
/* Returns the bytes that a string with RULE (NULL: the default) may have. */
size_t wire_rule_text_max(const struct wire_rule *rule);

/* Returns all rows of a table, for tests that compare them with the schema. */
const struct wire_rule *wire_rules_all(bool of_messages, size_t *count);

#endif
