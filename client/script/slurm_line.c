/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_line.c - splits a command line of sbatch or srun into options and the other words */
#include "client/script/slurm_line.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct reading {
    enum slurm_command command;
    slurm_line_fn *take;
    void *context;
    const char *const *at; /* the word that is read */
    struct arena *arena;
    struct err *err;
};

/* Takes OPTION. Its value is INLINE_VALUE, or else the next word. */
static int take(struct reading *reading, const struct slurm_option *option, const char *spelled,
                const char *inline_value)
{
    const char *value = inline_value;

    if (option->argument == SLURM_NO_ARGUMENT && value)
        return err_set(reading->err, EINVAL, "option '--%s' doesn't allow an argument", option->name);
    if (option->argument == SLURM_ARGUMENT && !value) {
        if (!reading->at[1])
            return err_set(reading->err, EINVAL, "option '--%s' requires an argument", option->name);
        value = *++reading->at;
    }
    return reading->take(reading->context, option, spelled, value);
}

/* Reads -x, -xVALUE, -x VALUE, -xyz. */
static int read_letters(struct reading *reading)
{
    for (const char *letter = *reading->at + 1; *letter; letter++) {
        const struct slurm_option *option = slurm_option_by_letter(reading->command, *letter);
        const char *spelled = arena_printf(reading->arena, "-%c", *letter);
        int r;

        if (!option)
            return err_set(reading->err, EINVAL, "invalid option -- '%c'", *letter);
        if (option->argument != SLURM_NO_ARGUMENT)
            return take(reading, option, spelled, letter[1] ? letter + 1 : NULL);
        if ((r = take(reading, option, spelled, NULL)) < 0)
            return r;
    }
    return 0;
}

static int read_name(struct reading *reading)
{
    const char *word = *reading->at + 2, *candidates;
    size_t length = strcspn(word, "=");
    const struct slurm_option *option =
        slurm_option_by_prefix(reading->command, word, length, reading->arena, &candidates);

    if (option)
        return take(reading, option, arena_printf(reading->arena, "--%.*s", (int)length, word),
                    word[length] ? word + length + 1 : NULL);
    if (candidates)
        return err_set(reading->err, EINVAL, "option '--%.*s' is ambiguous: %s", (int)length, word,
                       candidates);
    return err_set(reading->err, EINVAL, "unrecognized option '--%.*s'", (int)length, word);
}

int slurm_line_read(enum slurm_command command, const char *const *words, slurm_line_fn *each, void *context,
                    struct arena *arena, const char *const **rest, struct err *err)
{
    struct reading reading = { command, each, context, words, arena, err };
    int r = 0;

    for (; r == 0 && *reading.at && (*reading.at)[0] == '-' && (*reading.at)[1]; reading.at++) {
        if (!strcmp(*reading.at, "--")) {
            reading.at++;
            break;
        }
        r = (*reading.at)[1] == '-' ? read_name(&reading) : read_letters(&reading);
    }
    *rest = reading.at;
    return r;
}
