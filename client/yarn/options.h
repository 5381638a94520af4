/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - parses command lines in the style of Hadoop's yarn: -list -appStates RUNNING,FINISHED
 *
 * An option has one dash (or two) and its whole name; a value is the next word, or follows "=". Each table
 * also accepts Hadoop's -D NAME=VALUE. Words that belong to no option are arguments.
 */
#ifndef CREEL_YARN_OPTIONS_H
#define CREEL_YARN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/base/err.h"

struct yarn_option {
    const char *name;     /* without dash; NULL ends a table */
    const char *argument; /* name of its value in the usage; NULL: it has none */
    bool many;            /* its values are all words up to the next option */
    const char *help;
};

struct yarn_value {
    const struct yarn_option *option; /* NULL: -D */
    const char *text;                 /* "" for an option without value */
};

struct yarn_options { /* strings are borrowed from the command line */
    struct yarn_value *items;
    size_t count, capacity;
    const char **arguments;
    size_t argument_count, argument_capacity;
};

/* Parses ARGV, which ends with NULL. -ENODATA: a value is missing; -EINVAL: an option is not known. RET is
 * empty then. */
int yarn_options_parse(const char *const *argv, const struct yarn_option *table, struct yarn_options *ret,
                       struct err *err);
void yarn_options_done(struct yarn_options *options);

/* Returns the last value of the option NAME; NULL if it was not given. */
const char *yarn_options_get(const struct yarn_options *options, const char *name);
bool yarn_options_has(const struct yarn_options *options, const char *name);
/* Returns the value of -D NAME=VALUE; NULL if it was not given. */
const char *yarn_options_property(const struct yarn_options *options, const char *name);

/* Prints the usage as YARN does. */
void yarn_options_usage(FILE *out, const char *command, const struct yarn_option *table);

#endif
