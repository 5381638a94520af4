/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - parses command lines by tables of options */
#include "client/cli/frame/options.h"

#include <errno.h>
#include <string.h>

#include "client/cli/frame/suggest.h"
#include "common/base/mem.h"

struct parser {
    const struct option_spec *tables[2];
    struct options *options;
    struct err *err;
};

static void add_option(struct options *options, const struct option_spec *spec, const char *value,
                       bool by_letter)
{
    mem_grow(options->items, options->count, options->capacity);
    options->items[options->count++] = (struct option_value){
        .spec = spec,
        .value = value,
        .by_letter = by_letter,
    };
}

static void add_argument(struct options *options, const char *argument)
{
    /* One more than counted, for the NULL at the end. */
    mem_grow(options->arguments, options->argument_count + 1, options->argument_capacity);
    options->arguments[options->argument_count++] = argument;
    options->arguments[options->argument_count] = NULL;
}

const struct option_spec *options_find_name(const struct option_spec *table, const char *name, size_t length)
{
    for (const struct option_spec *row = table; row && row->name; row++)
        if (strlen(row->name) == length && !strncmp(row->name, name, length))
            return row;
    return NULL;
}

const struct option_spec *options_find_letter(const struct option_spec *table, char letter)
{
    for (const struct option_spec *row = table; row && row->name; row++)
        if (row->letter == letter)
            return row;
    return NULL;
}

static const struct option_spec *find_long(const struct parser *parser, const char *name, size_t length)
{
    const struct option_spec *spec = options_find_name(parser->tables[0], name, length);

    return spec ? spec : options_find_name(parser->tables[1], name, length);
}

static const struct option_spec *find_letter(const struct parser *parser, char letter)
{
    const struct option_spec *spec = options_find_letter(parser->tables[0], letter);

    return spec ? spec : options_find_letter(parser->tables[1], letter);
}

static int unknown_long(const struct parser *parser, const char *name, size_t length)
{
    char typed[64];
    struct suggestion best = { 0 };

    memcpy(typed, name, length < sizeof(typed) ? length : sizeof(typed) - 1);
    typed[length < sizeof(typed) ? length : sizeof(typed) - 1] = '\0';
    for (size_t t = 0; t < 2; t++) {
        for (const struct option_spec *row = parser->tables[t]; row && row->name; row++)
            suggest_offer(&best, typed, row->name);
    }
    if (best.text)
        return err_set(parser->err, EINVAL, "unknown option --%s; did you mean --%s?", typed, best.text);
    return err_set(parser->err, EINVAL, "unknown option --%s", typed);
}

bool options_argument_is_optional(const struct option_spec *spec)
{
    return spec->argument != NULL && *spec->argument == '[';
}

/* Parses --NAME, --NAME=VALUE, --NAME VALUE; advances *AT if the next word is the value. */
static int parse_long(struct parser *parser, const char *const **at)
{
    const char *name = **at + 2;
    size_t length = strcspn(name, "=");
    const struct option_spec *spec = find_long(parser, name, length);

    if (!spec)
        return unknown_long(parser, name, length);
    if (!spec->argument) {
        if (name[length] == '=')
            return err_set(parser->err, EINVAL, "option --%s takes no value", spec->name);
        add_option(parser->options, spec, "", false);
        return 0;
    }
    if (name[length] == '=') {
        add_option(parser->options, spec, name + length + 1, false);
        return 0;
    }
    if (options_argument_is_optional(spec)) {
        add_option(parser->options, spec, "", false);
        return 0;
    }
    if (!(*at)[1])
        return err_set(parser->err, EINVAL, "option --%s needs a value: --%s %s", spec->name, spec->name,
                       spec->argument);
    add_option(parser->options, spec, *++*at, false);
    return 0;
}

/* -x, -xVALUE, -x VALUE, -xyz; -it is --it. */
static int parse_letters(struct parser *parser, const char *const **at)
{
    const char *word = **at + 1;
    const struct option_spec *flag = strlen(word) == 2 ? find_long(parser, word, 2) : NULL;

    if (flag && !flag->argument) {
        add_option(parser->options, flag, "", false);
        return 0;
    }
    for (const char *letter = **at + 1; *letter; letter++) {
        const struct option_spec *spec = find_letter(parser, *letter);

        if (!spec)
            return err_set(parser->err, EINVAL, "unknown option -%c", *letter);
        if (!spec->argument) {
            add_option(parser->options, spec, "", true);
            continue;
        }
        if (letter[1])
            add_option(parser->options, spec, letter + 1, true);
        else if ((*at)[1])
            add_option(parser->options, spec, *++*at, true);
        else
            return err_set(parser->err, EINVAL, "option -%c needs a value: -%c %s", *letter, *letter,
                           spec->argument);
        return 0;
    }
    return 0;
}

int options_parse(const char *const *argv, const struct option_spec *own, const struct option_spec *global,
                  enum options_mode mode, struct options *ret, struct err *err)
{
    struct options options = { 0 };
    struct parser parser = { .tables = { own, global }, .options = &options, .err = err };
    bool only_arguments = false;

    mem_grow(options.arguments, options.argument_count, options.argument_capacity);
    options.arguments[0] = NULL;
    for (const char *const *at = argv; *at; at++) {
        int r = 0;

        if (only_arguments || (*at)[0] != '-' || !(*at)[1]) {
            add_argument(&options, *at);
            only_arguments = only_arguments || mode == OPTIONS_BEFORE_COMMAND;
        } else if (!strcmp(*at, "--")) {
            only_arguments = true;
            options.has_dashes = options.argument_count == 0;
        } else if ((*at)[1] == '-') {
            r = parse_long(&parser, &at);
        } else {
            r = parse_letters(&parser, &at);
        }
        if (r < 0) {
            options_done(&options);
            *ret = options;
            return r;
        }
    }
    *ret = options;
    return 0;
}

void options_done(struct options *options)
{
    free(options->items);
    free(options->arguments);
    *options = (struct options){ 0 };
}

void options_put_before(struct options *options, const struct options *earlier, const char *origin,
                        const char *written)
{
    size_t count = options->count + earlier->count;
    struct option_value *items = mem_array0(count + 1, sizeof(*items));

    for (size_t i = 0; i < count; i++) {
        items[i] = i < earlier->count ? earlier->items[i] : options->items[i - earlier->count];
        if (i < earlier->count) {
            items[i].origin = origin;
            items[i].written = written;
        }
    }
    free(options->items);
    options->items = items;
    options->count = count;
    options->capacity = count + 1;
}

void options_set_command(struct options *options, const char *word)
{
    if (options->argument_count == 0)
        add_argument(options, word);
    options->arguments[0] = word;
}

const char *options_get(const struct options *options, const char *name)
{
    for (size_t i = options->count; i-- > 0;) {
        if (!strcmp(options->items[i].spec->name, name))
            return options->items[i].value;
    }
    return NULL;
}

bool options_has(const struct options *options, const char *name)
{
    return options_get(options, name) != NULL;
}

void options_print(FILE *out, const struct option_spec *table)
{
    for (const struct option_spec *row = table; row && row->name; row++) {
        const char *argument = row->argument ? row->argument : "";
        const char *between = !row->argument ? "" : options_argument_is_optional(row) ? "[=" : " ";
        char letter[8] = "    ", left[80];

        if (row->letter)
            snprintf(letter, sizeof(letter), "-%c, ", row->letter);
        snprintf(left, sizeof(left), "%s--%s%s%s", letter, row->name, between,
                 argument + options_argument_is_optional(row));
        if (strlen(left) > 27)
            fprintf(out, "  %s\n  %-27s  %s\n", left, "", row->help);
        else
            fprintf(out, "  %-27s  %s\n", left, row->help);
    }
}
