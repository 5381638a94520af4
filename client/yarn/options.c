/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - parses command lines in the style of Hadoop's yarn */
#include "client/yarn/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

#define USAGE_COLUMN 42 /* where the help of an option begins */

static void add_value(struct yarn_options *options, const struct yarn_option *option, const char *text)
{
    mem_grow(options->items, options->count, options->capacity);
    options->items[options->count++] = (struct yarn_value){ option, text };
}

static void add_argument(struct yarn_options *options, const char *word)
{
    mem_grow(options->arguments, options->argument_count, options->argument_capacity);
    options->arguments[options->argument_count++] = word;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !(word[1] >= '0' && word[1] <= '9');
}

static const struct yarn_option *find(const struct yarn_option *table, const char *name, size_t length)
{
    for (const struct yarn_option *row = table; row->name != NULL; row++)
        if (strlen(row->name) == length && strncmp(row->name, name, length) == 0)
            return row;
    return NULL;
}

/* Parses the option at *AT, and moves *AT to the last word that belongs to it. */
static int parse_option(const char *const **at, const struct yarn_option *table, struct yarn_options *ret,
                        struct err *err)
{
    const char *name = **at + (text_has_prefix(**at, "--") ? 2 : 1);
    size_t length = strcspn(name, "=");
    const struct yarn_option *option = find(table, name, length);

    if (option == NULL && name[0] == 'D') {
        if (name[1] == '\0' && (*at)[1] == NULL)
            return err_set(err, ENODATA, "-D: NAME=VALUE is missing");
        add_value(ret, NULL, name[1] != '\0' ? name + 1 : *++*at);
        return 0;
    }
    if (option == NULL)
        return err_set(err, EINVAL, "Unrecognized option: %s", **at);
    if (option->argument == NULL) {
        if (name[length] == '=')
            return err_set(err, EINVAL, "option -%s has no value", option->name);
        add_value(ret, option, "");
        return 0;
    }
    if (name[length] == '=') {
        add_value(ret, option, name + length + 1);
        return 0;
    }
    if ((*at)[1] == NULL || is_option((*at)[1]))
        return err_set(err, ENODATA, "option -%s: its value is missing: %s", option->name, option->argument);
    do
        add_value(ret, option, *++*at);
    while (option->many && (*at)[1] != NULL && !is_option((*at)[1]));
    return 0;
}

int yarn_options_parse(const char *const *argv, const struct yarn_option *table, struct yarn_options *ret,
                       struct err *err)
{
    *ret = (struct yarn_options){ 0 };
    for (const char *const *at = argv; *at != NULL; at++) {
        int r = 0;

        if (is_option(*at))
            r = parse_option(&at, table, ret, err);
        else
            add_argument(ret, *at);
        if (r < 0) {
            yarn_options_done(ret);
            return r;
        }
    }
    return 0;
}

void yarn_options_done(struct yarn_options *options)
{
    free(options->items);
    free(options->arguments);
    *options = (struct yarn_options){ 0 };
}

const char *yarn_options_get(const struct yarn_options *options, const char *name)
{
    for (size_t i = options->count; i-- > 0;)
        if (options->items[i].option != NULL && strcmp(options->items[i].option->name, name) == 0)
            return options->items[i].text;
    return NULL;
}

bool yarn_options_has(const struct yarn_options *options, const char *name)
{
    return yarn_options_get(options, name) != NULL;
}

const char *yarn_options_property(const struct yarn_options *options, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = options->count; i-- > 0;) {
        const char *text = options->items[i].text;

        if (options->items[i].option == NULL && strncmp(text, name, length) == 0 && text[length] == '=')
            return text + length + 1;
    }
    return NULL;
}

void yarn_options_usage(FILE *out, const char *command, const struct yarn_option *table)
{
    fprintf(out, "usage: %s\n", command);
    for (const struct yarn_option *row = table; row->name != NULL; row++) {
        scoped_free char *left = row->argument != NULL ? mem_printf(" -%s <%s>", row->name, row->argument)
                                                       : mem_printf(" -%s", row->name);

        fprintf(out, "%-*s %s\n", USAGE_COLUMN, left, row->help);
    }
}
