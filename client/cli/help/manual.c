/* SPDX-License-Identifier: Apache-2.0 */
/* manual.c - writes the source of manual pages, for scdoc, from the table of commands */
#include "client/cli/help/manual.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"

#define WORD_MAX 32
#define WORDS_MAX 64

struct family {
    const char *word, *summary;
};

static const struct family families[] = {
    { "admin", "administer the resource manager" },
    { "app", "list, show and change applications" },
    { "cluster", "show the cluster" },
    { "conf", "show and check the configuration" },
    { "container", "list, show and reach containers" },
    { "dev", "run a whole cluster on this machine" },
    { "history", "list what has ended" },
    { "keygen", "make certificates" },
    { "label", "list and change labels of nodes" },
    { "node", "list, drain and change nodes" },
    { "queue", "list, explain and stop queues" },
    { "setup", "make this host a part of a cluster" },
    { "token", "make and revoke tokens" },
    { 0 },
};

/* The exit statuses of the command with the first word WORDS (several: separated by blanks); NULL: of all. */
struct status {
    const char *words, *number, *text;
};

static const struct status statuses[] = {
    { NULL, "0", "done" },
    { NULL, "1", "the request failed" },
    { NULL, "2", "wrong usage" },
    { NULL, "3", "no such application, node, queue or container" },
    { NULL, "4", "not permitted, or the certificate is not accepted" },
    { NULL, "5", "the resource manager cannot be reached" },
    { NULL, "6", "refused in the present state (already finished, queue stopped)" },
    { NULL, "7", "the configuration is invalid" },
    { " submit run ", "8", "would never run: larger than the cluster allows" },
    { " cluster ", "9", "of *health*: a check failed" },
    { " submit run wait ", "124", "the time limit of *wait* or *--wait* has passed" },
    { " submit run container ", "125", "creel itself failed; the application may be running" },
    { " submit run ", "other",
      "with *--wait*, and of *run*: the highest exit status of the containers; 128+N if killed by signal N; "
      "137 for memory" },
    { " container ", "other", "of *exec*: that of the command" },
    { 0 },
};

/* --- words of the table ------------------------------------------------------ */

static size_t word_length(const char *path)
{
    return strcspn(path, " ");
}

static bool begins_with_word(const struct command *row, const char *word)
{
    return word_length(row->path) == strlen(word) && !strncmp(row->path, word, strlen(word));
}

/* Calls VISIT with the first word of each command, once for each word, in the order of the table. */
static void manual_each_word(void (*visit)(const char *word, void *context), void *context)
{
    for (const struct command *row = command_table; row->path; row++) {
        const struct command *first = command_table;
        char word[WORD_MAX];

        snprintf(word, sizeof(word), "%.*s", (int)word_length(row->path), row->path);
        while (!begins_with_word(first, word))
            first++;
        if (*word != '_' && first == row)
            visit(word, context);
    }
}

static const char *page_summary(const char *word)
{
    const struct command *command = command_find(word);

    for (const struct family *family = families; family->word; family++) {
        if (!strcmp(family->word, word))
            return family->summary;
    }
    return command ? command->summary : NULL;
}

/* --- scdoc ------------------------------------------------------------------- */

/* Writes LENGTH bytes of TEXT so that none of them is markup. */
static void put_plain(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (ispunct((unsigned char)text[i]))
            fputc('\\', out);
        fputc(text[i], out);
    }
}

static void put_text(FILE *out, const char *text)
{
    put_plain(out, text, strlen(text));
}

/* Writes TEXT as a sentence: with a capital letter, and a full stop. */
static void put_sentence(FILE *out, const char *text)
{
    fputc(toupper((unsigned char)*text), out);
    put_text(out, text + 1);
    fputs(".\n\n", out);
}

/* Writes the lines of TEXT up to END: those that begin with blanks as they are, others as paragraphs. */
static void put_lines(FILE *out, const char *text, const char *end)
{
    bool literal = false;

    while (text < end) {
        size_t length = strcspn(text, "\n");
        bool indented = !strncmp(text, "  ", 2);

        if (indented != literal && length > 0) {
            fputs(indented ? "\n```\n" : "```\n\n", out);
            literal = indented;
        }
        if (literal && length > 0)
            fprintf(out, "%.*s", (int)length - 2, text + 2);
        else if (length > 0)
            put_plain(out, text, length);
        fputc('\n', out);
        text += length + (text[length] == '\n');
    }
    if (literal)
        fputs("```\n", out);
    fputc('\n', out);
}

/* Returns where the examples of HELP begin, behind their title; NULL: it has none. END: the end of the text
 * before the title. */
static const char *find_examples(const char *help, const char **end)
{
    for (const char *line = help; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (!text_has_prefix(line, "examples:\n") && !text_has_prefix(line, "example:\n"))
            continue;
        *end = line;
        return strchr(line, '\n') + 1;
    }
    *end = help + strlen(help);
    return NULL;
}

/* Writes the argument of an option: "_NAME_", or "[=_NAME_]". */
static void put_argument(FILE *out, const struct option_spec *row)
{
    bool is_optional = options_argument_is_optional(row);
    scoped_free char *name = mem_strdup(row->argument + is_optional);

    if (is_optional)
        name[strlen(name) - 1] = '\0';
    fputs(is_optional ? "[=_" : "_", out);
    put_text(out, name);
    fputs(is_optional ? "_]" : "_", out);
}

static void put_options(FILE *out, const struct option_spec *options)
{
    for (const struct option_spec *row = options; row->name; row++) {
        if (row->letter)
            fprintf(out, "*-%c*, ", row->letter);
        fputs("*--", out);
        put_text(out, row->name);
        fputc('*', out);
        if (row->argument) {
            if (!options_argument_is_optional(row))
                fputc(' ', out);
            put_argument(out, row);
        }
        fputs("\n\t", out);
        put_text(out, row->help);
        fputs(row->help[strlen(row->help) - 1] == '.' ? "\n\n" : ".\n\n", out);
    }
}

static void put_usage(FILE *out, const struct command *command, const char *path)
{
    fprintf(out, "*creel %s*%s", path, command->options ? " [_OPTIONS_]" : "");
    if (command->arguments) {
        fputc(' ', out);
        put_text(out, command->arguments);
    }
}

/* --- parts of a page --------------------------------------------------------- */

/* Writes the section of OPTIONS (may be NULL) and of those of every command. */
static void put_options_section(FILE *out, const struct option_spec *options)
{
    fputs("# OPTIONS\n\n", out);
    if (options)
        put_options(out, options);
    fputs("The options of every command, as *--rm* and *--json*, are in *creel*(1).\n\n", out);
}

/* Writes the page of a command of one word. */
static void put_command(FILE *out, const struct command *command, const char *word)
{
    const char *help = command->help ? command->help : "", *end, *examples = find_examples(help, &end);

    fputs("# SYNOPSIS\n\n", out);
    put_usage(out, command, word);
    fputs("\n\n# DESCRIPTION\n\n", out);
    put_sentence(out, command->summary);
    if (strcmp(command->path, word))
        fprintf(out, "It is the same as *creel %s*.\n\n", command->path);
    put_lines(out, help, end);
    if (!strcmp(command->path, "submit") || !strcmp(command->path, "run"))
        fputs("*creel*(1) describes the options, the directories and the notice of a preemption in full.\n\n",
              out);
    put_options_section(out, command->options);
    if (examples) {
        fputs("# EXAMPLES\n", out);
        put_lines(out, examples, examples + strlen(examples));
    }
}

/* Returns the first row of the family of ROW with the help of ROW. */
static const struct command *first_with_help(const struct command *row, const char *word)
{
    for (const struct command *first = command_table; first != row; first++) {
        if (begins_with_word(first, word) && !first->alias_of && first->help == row->help)
            return first;
    }
    return row;
}

/* Writes the part of one command on the page of its family, WORD. */
static void put_member(FILE *out, const struct command *row, const char *word)
{
    const struct command *command = command_find(row->path), *first;
    const char *end, *examples;

    fprintf(out, "## creel %s\n\n", row->path);
    put_usage(out, command, row->path);
    fputs("\n\n", out);
    if (row->alias_of) {
        fprintf(out, "The same as *creel %s*: *creel-%.*s*(1).\n\n", command->path,
                (int)word_length(command->path), command->path);
        return;
    }
    put_sentence(out, row->summary);
    first = row->help ? first_with_help(row, word) : row;
    if (first != row)
        fprintf(out, "More is at *creel %s*.\n\n", first->path);
    if (first == row && row->help) {
        examples = find_examples(row->help, &end);
        put_lines(out, row->help, end);
        if (row->options)
            put_options(out, row->options);
        if (examples) {
            fputs("Examples:\n", out);
            put_lines(out, examples, examples + strlen(examples));
        }
    } else if (row->options) {
        put_options(out, row->options);
    }
}

static void put_family(FILE *out, const char *word)
{
    fputs("# SYNOPSIS\n\n", out);
    for (const struct command *row = command_table; row->path; row++) {
        if (!begins_with_word(row, word))
            continue;
        put_usage(out, command_find(row->path), row->path);
        fputs("\n\n", out);
    }
    fputs("# COMMANDS\n\n", out);
    for (const struct command *row = command_table; row->path; row++) {
        if (begins_with_word(row, word))
            put_member(out, row, word);
    }
    put_options_section(out, NULL);
}

static void put_statuses(FILE *out, const char *word)
{
    char padded[WORD_MAX + 2];

    snprintf(padded, sizeof(padded), " %s ", word);
    fputs("# EXIT STATUS\n\n", out);
    for (const struct status *status = statuses; status->number; status++) {
        if (!status->words || strstr(status->words, padded))
            fprintf(out, "*%s*\n\t%s\n\n", status->number, status->text);
    }
}

/* --- SEE ALSO ---------------------------------------------------------------- */

/* The words of the pages that a page names, or that name it. */
struct references {
    const char *word; /* the page's own word */
    char words[WORDS_MAX][WORD_MAX];
    size_t count;
};

/* True if TEXT has "creel WORD". */
static bool names_command(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = text; (at = strstr(at, "creel ")) != NULL;) {
        at += strlen("creel ");
        if (!strncmp(at, word, length) && !isalpha((unsigned char)at[length]))
            return true;
    }
    return false;
}

/* True if the help of a command that begins with FROM names a command that begins with TO. */
static bool refers(const char *from, const char *to)
{
    for (const struct command *row = command_table; row->path; row++) {
        if (!begins_with_word(row, from))
            continue;
        if (row->alias_of ? begins_with_word(command_find(row->path), to)
                          : row->help && names_command(row->help, to))
            return true;
    }
    return false;
}

static void add_reference(const char *word, void *context)
{
    struct references *references = context;

    if (!strcmp(word, references->word) || references->count == WORDS_MAX)
        return;
    if (refers(references->word, word) || refers(word, references->word))
        snprintf(references->words[references->count++], WORD_MAX, "%s", word);
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void put_references(FILE *out, const char *word)
{
    struct references references = { .word = word };

    manual_each_word(add_reference, &references);
    qsort(references.words, references.count, WORD_MAX, compare_words);
    fputs("# SEE ALSO\n\n*creel*(1)", out);
    for (size_t i = 0; i < references.count; i++)
        fprintf(out, ", *creel-%s*(1)", references.words[i]);
    fputs(", *creel-site.xml*(5), *creel-nm*(8), *creel-rm*(8)\n", out);
}

/* --- pages ------------------------------------------------------------------- */

/* Writes the source of the page of WORD, for scdoc. False, and nothing is written: no command begins with
 * WORD, or WORD is a family without description (the table in manual.c). */
static bool manual_write(const char *word, FILE *out)
{
    const struct command *command = command_find(word);
    const char *summary = page_summary(word);

    if (!summary || strlen(word) >= WORD_MAX)
        return false;
    fprintf(out, "creel-%s(1)\n\n# NAME\n\ncreel-%s - ", word, word);
    put_text(out, summary);
    fputs("\n\n", out);
    if (command)
        put_command(out, command, word);
    else
        put_family(out, word);
    put_statuses(out, word);
    put_references(out, word);
    return true;
}

static void print_word(const char *word, void *context)
{
    fprintf(context, "%s\n", word);
}

int cmd_man(struct cli *cli)
{
    const struct options *options = &cli->options;

    if (options->argument_count == 0) {
        manual_each_word(print_word, stdout);
        return EXIT_DONE;
    }
    if (manual_write(options->arguments[0], stdout))
        return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_DONE : EXIT_FAILED;
    return cli_usage(cli,
                     "__man %s: no command begins with this word, or the table of families in "
                     "client/cli/help/manual.c has no row for it",
                     options->arguments[0]);
}
