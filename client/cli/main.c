/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the creel program: finds the command and its options, and runs the command
 *
 * Global options may come before, between and after the words of a command. The command's own table of
 * options applies to the words after the command.
 */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/frame/cli.h"
#include "client/cli/frame/suggest.h"
#include "client/cli/help/complete.h"
#include "client/cli/help/manual.h"
#include "client/cli/submit/submit_hints.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/conf/conf.h"

#define TIMEOUT_MS 10000

/* A split command line: the command's words, and the rest in order. */
struct line {
    const char *words[2];
    size_t word_count;
    const char **rest; /* owned; ends with NULL */
    size_t rest_count, rest_capacity;
};

static void add_rest(struct line *line, const char *text)
{
    mem_grow(line->rest, line->rest_count + 1, line->rest_capacity);
    line->rest[line->rest_count++] = text;
    line->rest[line->rest_count] = NULL;
}

/* True if this option word is followed by its value in the next word. */
static bool option_has_value(const char *word)
{
    for (const struct option_spec *row = cli_global_options; row->name; row++) {
        if (!row->argument)
            continue;
        if (!strncmp(word, "--", 2) && !strcmp(word + 2, row->name))
            return true;
        if (row->letter && word[0] == '-' && word[1] == row->letter && !word[2])
            return true;
    }
    return false;
}

static void split_arguments(int argc, char **argv, struct line *line)
{
    bool complete = false; /* no further word of the command can follow */

    mem_grow(line->rest, line->rest_count, line->rest_capacity);
    line->rest[0] = NULL;
    for (int i = 1; i < argc; i++) {
        if (complete) {
            add_rest(line, argv[i]);
        } else if (argv[i][0] == '-' && argv[i][1]) {
            add_rest(line, argv[i]);
            complete = !strcmp(argv[i], "--");
            if (option_has_value(argv[i]) && i + 1 < argc)
                add_rest(line, argv[++i]);
        } else {
            line->words[line->word_count++] = argv[i];
            complete = line->word_count == 2 || !command_is_family(argv[i]);
        }
    }
}

/* --- errors and suggestions ------------------------------------------------ */

/* Returns the family ("app", "node" and so on) most similar to TYPED; NULL: none. */
static const char *nearest_family(const char *typed, char word[32])
{
    struct suggestion best = { 0 };

    for (const struct command *row = command_table; row->path; row++) {
        const char *space = strchr(row->path, ' ');
        struct suggestion one = { 0 };
        char family[32];

        if (!space || (size_t)(space - row->path) >= sizeof(family))
            continue;
        memcpy(family, row->path, (size_t)(space - row->path));
        family[space - row->path] = '\0';
        suggest_offer(&one, typed, family);
        if (!one.text || (best.text && one.distance >= best.distance))
            continue;
        memcpy(word, family, sizeof(family));
        best = (struct suggestion){ .text = word, .distance = one.distance };
    }
    return best.text;
}

static int unknown_word(const struct line *line)
{
    const char *family = line->word_count == 2 ? line->words[0] : NULL;
    const char *typed = line->words[line->word_count - 1];
    const char *habit = family ? NULL : suggest_habit(typed);
    struct suggestion best = { 0 };
    char word[32];

    for (const struct command *row = command_table; row->path; row++) {
        const char *space = strchr(row->path, ' ');
        size_t length = family ? strlen(family) : 0;

        if (family && (strncmp(row->path, family, length) || row->path[length] != ' '))
            continue;
        if (family)
            suggest_offer(&best, typed, row->path + length + 1);
        else if (!space)
            suggest_offer(&best, typed, row->path);
    }
    fprintf(stderr, "creel: there is no command \"%s%s%s\"\n", family ? family : "", family ? " " : "",
            typed);
    if (habit)
        fprintf(stderr, "creel: try: creel %s\n", habit);
    else if (best.text)
        fprintf(stderr, "creel: did you mean: creel %s%s%s\n", family ? family : "", family ? " " : "",
                best.text);
    else if (!family && nearest_family(typed, word))
        fprintf(stderr, "creel: did you mean: creel %s ...? (creel help %s)\n", word, word);
    else
        fputs("creel: all commands: creel help\n", stderr);
    return EXIT_USAGE;
}

static int missing_verb(const char *family)
{
    fprintf(stderr, "creel: %s needs one word more\n", family);
    help_print(family, stderr);
    return EXIT_USAGE;
}

/* --- global options -------------------------------------------------------- */

static int choose(const char *option, const char *value, const char *const *words, size_t count,
                  struct err *err)
{
    scoped_text_builder struct text_builder known = TEXT_BUILDER_MALLOC;

    for (size_t i = 0; i < count; i++) {
        text_builder_printf(&known, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", words[i]);
        if (!strcmp(words[i], value))
            return (int)i;
    }
    return err_set(err, EINVAL, "--%s %s: expected %s", option, value, text_builder_text(&known));
}

static int read_format(struct cli *cli, struct err *err)
{
    static const char *const formats[] = { "table", "wide", "json", "jsonl", "csv", "id" };
    static const char *const colors[] = { "auto", "always", "never" };
    const char *output = options_get(&cli->options, "output");
    const char *color = options_get(&cli->options, "color");
    int chosen;

    if (output) {
        if ((chosen = choose("output", output, formats, 6, err)) < 0)
            return chosen;
        cli->format = (enum cli_format)chosen;
    }
    if (options_has(&cli->options, "json"))
        cli->format = FORMAT_JSON;
    cli->format_given = output || options_has(&cli->options, "json");
    if (color) {
        if ((chosen = choose("color", color, colors, 3, err)) < 0)
            return chosen;
        cli->color = (enum cli_color)chosen;
    }
    return 0;
}

static bool has_own_timeout(const struct command *command)
{
    for (const struct option_spec *row = command->options; row && row->name; row++) {
        if (!strcmp(row->name, "timeout"))
            return true;
    }
    return false;
}

/* True if the command has an option of the name that takes no value: creel conf show --rm. */
static bool has_own_flag(const struct command *command, const char *name)
{
    const struct option_spec *own = options_find_name(command->options, name, strlen(name));

    return own && !own->argument;
}

static int read_globals(struct cli *cli, struct err *err)
{
    const struct options *options = &cli->options;
    const char *timeout = options_get(options, "timeout");
    const char *environment = getenv("CREEL_RM");

    cli->rm_address = has_own_flag(cli->command, "rm") ? NULL : options_get(options, "rm");
    if (!cli->rm_address && environment && *environment)
        cli->rm_address = environment;
    cli->conf_dir = options_get(options, "conf");
    cli->as_user = options_get(options, "as");
    cli->columns = options_get(options, "columns");
    cli->sort = options_get(options, "sort");
    cli->no_header = options_has(options, "no-header");
    cli->quiet = options_has(options, "quiet");
    cli->verbose = options_has(options, "verbose");
    cli->yes = options_has(options, "yes");
    cli->timeout_ms = TIMEOUT_MS;
    if (timeout && !has_own_timeout(cli->command) &&
        (!text_parse_duration_ms(timeout, 1000, &cli->timeout_ms) || cli->timeout_ms <= 0))
        return err_set(err, EINVAL, "--timeout %s: expected a time, as 10 (seconds), 500ms or 1m", timeout);
    return read_format(cli, err);
}

/* --- running the command --------------------------------------------------- */

static void cli_done(struct cli *cli)
{
    creel_disconnect(cli->client);
    conf_free(cli->conf);
    free(cli->found_conf_dir);
    options_done(&cli->options);
}

static int run_command(const struct command *command, const struct line *line)
{
    struct cli cli = { .command = command };
    struct err err = { 0 };
    int code;

    if (options_parse(line->rest, command->options, cli_global_options, command->mode, &cli.options, &err) <
        0) {
        code = cli_usage(&cli, "%s", err.text);
        submit_hint_unknown(command, line->rest);
        return code;
    }
    if (options_has(&cli.options, "help")) {
        help_print(command->path, stdout);
        code = EXIT_DONE;
    } else if (options_has(&cli.options, "version")) {
        printf("creel %s\n", VERSION);
        code = EXIT_DONE;
    } else if (read_globals(&cli, &err) < 0) {
        code = cli_usage(&cli, "%s", err.text);
        submit_hint_unknown(command, line->rest);
    } else if (!command->arguments && cli.options.argument_count) {
        code = cli_usage(&cli, "creel %s takes no argument: %s", command->path, cli.options.arguments[0]);
    } else {
        code = command->run(&cli);
    }
    cli_done(&cli);
    return code;
}

static int run_nothing(const struct line *line)
{
    struct cli cli = { 0 };
    struct err err = { 0 };
    int code = EXIT_DONE;

    if (options_parse(line->rest, NULL, cli_global_options, OPTIONS_ANYWHERE, &cli.options, &err) < 0)
        return cli_usage(&cli, "%s", err.text);
    if (options_has(&cli.options, "version")) {
        printf("creel %s\n", VERSION);
    } else if (options_has(&cli.options, "help")) {
        help_print_overview(stdout);
    } else {
        help_print_overview(stderr);
        code = EXIT_USAGE;
    }
    options_done(&cli.options);
    return code;
}

/* Not in the table: they read the table. */
static const struct command complete_command = {
    .path = "__complete",
    .run = cmd_complete,
    .arguments = "-- WORD...",
    .mode = OPTIONS_ANYWHERE,
};
static const struct command man_command = {
    .path = "__man",
    .run = cmd_man,
    .arguments = "[WORD]",
    .mode = OPTIONS_ANYWHERE,
};

static int dispatch(const struct line *line)
{
    const struct command *command;
    char path[128];

    if (line->word_count == 0)
        return run_nothing(line);
    snprintf(path, sizeof(path), "%s%s%s", line->words[0], line->word_count == 2 ? " " : "",
             line->word_count == 2 ? line->words[1] : "");
    command = !strcmp(path, complete_command.path) ? &complete_command
              : !strcmp(path, man_command.path)    ? &man_command
                                                   : command_find(path);
    if (command)
        return run_command(command, line);
    if (line->word_count == 1 && command_is_family(line->words[0])) {
        for (size_t i = 0; i < line->rest_count; i++) {
            if (!strcmp(line->rest[i], "--help") || !strcmp(line->rest[i], "-h"))
                return help_print(line->words[0], stdout) ? EXIT_DONE : EXIT_USAGE;
        }
        return missing_verb(line->words[0]);
    }
    return unknown_word(line);
}

int main(int argc, char **argv)
{
    struct line line = { .word_count = 0 };
    int code;

    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_DFL);
    signal(SIGCHLD, SIG_DFL); /* otherwise the exit statuses of helper programs may be lost */
    split_arguments(argc, argv, &line);
    code = dispatch(&line);
    free(line.rest);
    return code;
}
