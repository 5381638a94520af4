/* SPDX-License-Identifier: Apache-2.0 */
/* pbs_line.c - lines of #PBS in a script of Slurm, as options of sbatch */
#include "client/script/pbs_line.h"

#include <string.h>
#include <strings.h>

#include "client/script/slurm_environment.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

#define BLANKS " \t"
#define DIGITS "0123456789"

struct reader {
    struct arena *arena;
    const char **words; /* the result */
    size_t count, capacity;
    struct text_builder others;
};

static void add(struct reader *reader, const char *option, const char *value)
{
    if (reader->count + 1 < reader->capacity)
        reader->words[reader->count++] =
            arena_printf(reader->arena, "--%s%s%s", option, value ? "=" : "", value ? value : "");
}

static void leave(struct reader *reader, const char *word, const char *value)
{
    text_builder_separate(&reader->others, " ");
    text_builder_printf(&reader->others, "%s%s%s", word, *value ? " " : "", value);
}

/* --- -l ------------------------------------------------------------------------- */

/* nodes=2:ppn=8 */
static bool read_nodes(struct reader *reader, const char *value)
{
    size_t nodes = strspn(value, DIGITS);
    const char *rest = value + nodes;

    if (nodes == 0 || (*rest && !text_has_prefix(rest, ":ppn=")))
        return false;
    if (*rest && (!rest[5] || rest[5 + strspn(rest + 5, DIGITS)]))
        return false;
    add(reader, "nodes", arena_printf(reader->arena, "%.*s", (int)nodes, value));
    if (*rest)
        add(reader, "ntasks-per-node", rest + 5);
    return true;
}

/* mem=4gb; without a unit sbatch reads megabytes, and qsub bytes. */
static bool read_memory(struct reader *reader, const char *value)
{
    size_t digits = strspn(value, DIGITS);
    const char *unit = value + digits;

    if (digits == 0 || !*unit || !strchr("kKmMgGtT", *unit) || (unit[1] && strcasecmp(unit + 1, "b") != 0))
        return false;
    add(reader, "mem", arena_printf(reader->arena, "%.*s", (int)digits + 1, value));
    return true;
}

/* A number alone would be minutes for sbatch, and is seconds for qsub. */
static bool read_time(struct reader *reader, const char *value)
{
    if (!strchr(value, ':') || value[strspn(value, DIGITS ":")])
        return false;
    add(reader, "time", value);
    return true;
}

static void read_resources(struct reader *reader, const char *value)
{
    char *rest = arena_strdup(reader->arena, value), *item;

    while ((item = strsep(&rest, ",")) != NULL) {
        const char *at = item;
        bool is_read = (text_skip_word(&at, "nodes=") && read_nodes(reader, at)) ||
                       (text_skip_word(&at, "walltime=") && read_time(reader, at)) ||
                       (text_skip_word(&at, "mem=") && read_memory(reader, at));

        if (!is_read)
            leave(reader, "-l", item);
    }
}

/* --- other options ---------------------------------------------------------------- */

/* -m abe: letters of events; n is none of them. */
static bool read_mail(struct reader *reader, const char *value)
{
    struct text_builder events = TEXT_BUILDER_IN(reader->arena);

    if (!*value || value[strspn(value, "aben")])
        return false;
    for (const char *letter = value; *letter; letter++) {
        text_builder_separate(&events, ",");
        text_builder_add(&events, *letter == 'a'   ? "FAIL"
                                  : *letter == 'b' ? "BEGIN"
                                  : *letter == 'e' ? "END"
                                                   : "NONE");
    }
    add(reader, "mail-type", text_builder_text(&events));
    return true;
}

static bool put(struct reader *reader, const char *option, const char *value)
{
    if (*value)
        add(reader, option, value);
    return *value;
}

/* HOST:PATH is not one of sbatch's paths. */
static bool put_path(struct reader *reader, const char *option, const char *value)
{
    return !strchr(value, ':') && put(reader, option, value);
}

static bool read_option(struct reader *reader, char letter, const char *value)
{
    switch (letter) {
    case 'A':
        return put(reader, "account", value);
    case 'e':
        return put_path(reader, "error", value);
    case 'J':
    case 't':
        return put(reader, "array", value);
    case 'j': /* both outputs are in one file, unless -e names another one */
        return text_equal(value, "oe");
    case 'l':
        read_resources(reader, value);
        return true;
    case 'M':
        return put(reader, "mail-user", value);
    case 'm':
        return read_mail(reader, value);
    case 'N':
        return put(reader, "job-name", value);
    case 'o':
        return put_path(reader, "output", value);
    case 'q':
        return put(reader, "partition", value);
    case 'r':
        if (!text_equal(value, "n") && !text_equal(value, "y"))
            return false;
        add(reader, *value == 'n' ? "no-requeue" : "requeue", NULL);
        return true;
    default:
        return false;
    }
}

void pbs_line_read(const char *text, size_t length, struct arena *arena, struct pbs_line *ret)
{
    struct reader reader = {
        .arena = arena,
        .words = arena_array0(arena, length + 2, sizeof(*reader.words)),
        .capacity = length + 2,
        .others = TEXT_BUILDER_IN(arena),
    };
    char *copy = arena_printf(arena, "%.*s", (int)length, text), *rest = copy, *word;

    while ((word = strsep(&rest, BLANKS)) != NULL && *word != '#') {
        bool has_value = *word == '-' && word[1] && !strchr("hV", word[1]);
        const char *value = word[0] && word[1] ? word + 2 : "";

        if (!*word)
            continue;
        while (has_value && !*value && rest)
            value = strsep(&rest, BLANKS);
        if (text_equal(word, "-V"))
            add(&reader, "export", "ALL");
        else if (text_equal(word, "-h"))
            add(&reader, "hold", NULL);
        else if (!has_value)
            leave(&reader, word, "");
        else if (!read_option(&reader, word[1], value))
            leave(&reader, arena_printf(arena, "-%c", word[1]), value);
    }
    *ret = (struct pbs_line){
        .words = reader.words,
        .count = reader.count,
        .others = reader.others.length > 0 ? text_builder_text(&reader.others) : NULL,
    };
}

bool pbs_line_is_ignored(const char *const *command_line, const char *const *variables)
{
    static const char variable[] = "SBATCH_IGNORE_PBS", name[] = "ignore-pbs";
    const char *value = slurm_environment_value(variables, variable, strlen(variable));

    for (; command_line && *command_line; command_line++)
        if (text_equal(*command_line, "--ignore-pbs"))
            return true;
    return slurm_environment_gives(slurm_option_by_name(SLURM_SBATCH, name, strlen(name)), &value);
}
