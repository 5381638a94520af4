/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - parses command lines by tables, which also generate the help
 *
 * There is one table of options for each command and one of global options. Both are valid everywhere on the
 * line; the command's row is used where both have a name. A flag whose long name has two letters may have one
 * dash: "-it". "--" ends the options. For an unknown option the
 * error names the most similar one.
 */
#ifndef CREEL_CLI_OPTIONS_H
#define CREEL_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/base/err.h"

struct option_spec {
    char letter;          /* short option; 0: only the long name */
    const char *name;     /* long name without dashes; NULL ends a table */
    const char *argument; /* name of its argument in the help; "[NAME]": it may be missing; NULL: none */
    const char *help;     /* description in one line */
};

struct option_value {
    const struct option_spec *spec;
    const char *value;   /* borrowed from argv; "" without argument */
    const char *origin;  /* "job.sh:3" for a directive; NULL: the command line */
    const char *written; /* what is there, if it is an option of another program: "-J alpha"; NULL: --NAME */
    bool by_letter;      /* given as -x, not --name */
};

struct options {
    struct option_value *items; /* in the order of the command line */
    size_t count, capacity;
    const char **arguments; /* non-option words; ends with NULL */
    size_t argument_count, argument_capacity;
    bool has_dashes; /* "--" was before the first argument */
};

enum options_mode {
    OPTIONS_ANYWHERE,       /* options may follow arguments */
    OPTIONS_BEFORE_COMMAND, /* the first argument ends the options: submit, run */
};

/* Parses ARGV (ends with NULL) by OWN and GLOBAL (either may be NULL). Strings stay borrowed from ARGV.
 * -EINVAL with a message that names the option; RET is then empty. */
int options_parse(const char *const *argv, const struct option_spec *own, const struct option_spec *global,
                  enum options_mode mode, struct options *ret, struct err *err);
void options_done(struct options *options);

/* Returns the row of the long option with the LENGTH bytes of NAME, or of LETTER; NULL: TABLE, which may be
 * NULL, has none. */
const struct option_spec *options_find_name(const struct option_spec *table, const char *name, size_t length);
const struct option_spec *options_find_letter(const struct option_spec *table, char letter);

/* Inserts the options of EARLIER, which come from ORIGIN, where they are WRITTEN, before those of OPTIONS, so
 * that OPTIONS take precedence. Both texts and the values of EARLIER must live as long as OPTIONS. */
void options_put_before(struct options *options, const struct options *earlier, const char *origin,
                        const char *written);

/* Replaces the first argument by WORD, or adds WORD as the first argument. */
void options_set_command(struct options *options, const char *word);

/* Returns the last value of --NAME; NULL if not given; "" for an option without argument. */
const char *options_get(const struct options *options, const char *name);
bool options_has(const struct options *options, const char *name);

/* Returns whether the argument of SPEC may be missing: --NAME, or --NAME=VALUE. */
bool options_argument_is_optional(const struct option_spec *spec);

/* Prints the table as help: "  -q, --queue QUEUE      one line". */
void options_print(FILE *out, const struct option_spec *table);

#endif
