/* SPDX-License-Identifier: Apache-2.0 */
/* sbatch_line.c - splits the command line of sbatch into options and the script */
#include "client/script/sbatch_line.h"

#include <string.h>

#include "client/script/slurm_line.h"

struct reading {
    struct sbatch_line *line;
    const char **options; /* of the line */
    size_t option_count;
    struct arena *arena;
};

/* Keeps what sbatch itself does. Returns false if OPTION is one of the job. */
static bool take(struct sbatch_line *line, const struct slurm_option *option, const char *value)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {
        { "help", &line->help },           { "parsable", &line->parsable }, { "quiet", &line->quiet },
        { "test-only", &line->test_only }, { "usage", &line->help },        { "version", &line->version },
        { "wait", &line->wait },
    };

    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (!strcmp(option->name, flags[i].name))
            return *flags[i].flag = true;
    if (strcmp(option->name, "wrap") != 0)
        return false;
    line->wrap = value;
    return true;
}

static void add_word(struct reading *reading, const char *word)
{
    reading->options[reading->option_count++] = word;
}

/* Keeps the spelling of the user, for messages. */
static int add(void *context, const struct slurm_option *option, const char *spelled, const char *value)
{
    struct reading *reading = context;
    bool is_letter = spelled[1] != '-';

    if (take(reading->line, option, value))
        return 0;
    if (!value) {
        add_word(reading, is_letter ? spelled : arena_printf(reading->arena, "--%s", option->name));
    } else if (is_letter && option->argument == SLURM_ARGUMENT) {
        add_word(reading, spelled);
        add_word(reading, value);
    } else {
        add_word(reading, arena_printf(reading->arena, "%s%s%s", spelled, is_letter ? "" : "=", value));
    }
    return 0;
}

int sbatch_line_read(const char *const *words, struct arena *arena, struct sbatch_line *line, struct err *err)
{
    struct reading reading = { .line = line, .arena = arena };
    size_t bytes = 0;

    *line = (struct sbatch_line){ 0 };
    for (const char *const *at = words; *at; at++)
        bytes += strlen(*at) + 1; /* "-HkO" has three options */
    line->options = reading.options = arena_array0(arena, bytes + 1, sizeof(*reading.options));
    return slurm_line_read(SLURM_SBATCH, words, add, &reading, arena, &line->script, err);
}
