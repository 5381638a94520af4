/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - checks the text of a configuration value against the type of its key, and parses it
 */
#ifndef CREEL_CONF_VALUE_H
#define CREEL_CONF_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/conf/key_table.h"

#define CONF_VALUE_EXPECTED_MAX 256

struct conf_value {
    int64_t number; /* value of a CONF_INT or CONF_BOOL; ms of a CONF_DURATION or CONF_CUTOFF;
                       bytes of a CONF_SIZE */
    double real;    /* value of a CONF_FLOAT */
    char *text;     /* owned; the value as shown to people */
    bool fell_back; /* the text of a CONF_BOOL was neither true nor false */
};

/* Parses TEXT, which is trimmed (but see CONF_ACL) and substituted, as a value of KEY. Returns false, and
 * leaves *VALUE untouched, if TEXT is not valid. The caller frees VALUE's text. */
bool conf_value_judge(const struct conf_key_info *key, const char *text, struct conf_value *value);

/* Describes the valid values of KEY: "a whole number from 1 to 4". */
const char *conf_value_expected(const struct conf_key_info *key, char text[CONF_VALUE_EXPECTED_MAX]);

/* Returns the name of a type in documentation: "whole number", "duration", ... */
const char *conf_value_type_name(enum conf_type type);

/* Returns the unit in ms of a bare number of a CONF_DURATION, derived from NAME: 1 or 1000. */
int64_t conf_value_default_unit_ms(const char *name);

/* Formats a limit of KEY for people: "1000", "10ms", "1h", "64m". */
#define CONF_VALUE_LIMIT_MAX 32
const char *conf_value_limit(const struct conf_key_info *key, int64_t limit, char text[CONF_VALUE_LIMIT_MAX]);

#endif
