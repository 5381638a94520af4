/* SPDX-License-Identifier: Apache-2.0 */
/* submit_hints.c - hints about options of submit and run for users of Slurm */
#include "client/cli/submit/submit_hints.h"

#include <stdio.h>
#include <string.h>

#include "client/cli/submit/submit_options.h"
#include "client/script/slurm.h"

static void print_hint(char letter)
{
    char text[SLURM_HINT_MAX];

    if (slurm_letter_hint(letter, submit_option_is_known, text))
        fprintf(stderr, "creel: %s\n", text);
}

/* Options of sbatch and srun whose translation in scripts is not that of a command line. */
static const struct {
    const char *name, *here;
} long_options[] = {
    { "ntasks", "Slurm's --ntasks is --count here" },
    { "pty", "Slurm's --pty is -it here: creel run -it -- bash" },
    { "wrap", "Slurm's --wrap is a command of sh here: creel submit -- sh -c 'COMMAND'" },
};

static void print_name_hint(const char *name, size_t length)
{
    char text[SLURM_HINT_MAX];

    for (size_t i = 0; i < sizeof(long_options) / sizeof(long_options[0]); i++) {
        if (strlen(long_options[i].name) != length || strncmp(long_options[i].name, name, length) != 0)
            continue;
        fprintf(stderr, "creel: %s\n", long_options[i].here);
        return;
    }
    if (slurm_name_hint(name, length, submit_option_is_known, text))
        fprintf(stderr, "creel: %s\n", text);
}

void submit_hint_unknown(const struct command *command, const char *const *argv)
{
    if (command->options != submit_option_table)
        return;
    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        bool is_long = (*argv)[0] == '-' && (*argv)[1] == '-';
        size_t length = is_long ? strcspn(*argv + 2, "=") : 0;
        char letter = (*argv)[0] == '-' ? (*argv)[1] : '\0';

        if (is_long && options_find_name(submit_option_table, *argv + 2, length))
            continue;
        if (is_long && (!options_find_name(cli_global_options, *argv + 2, length) ||
                        !strncmp(*argv + 2, "output", length))) {
            print_name_hint(*argv + 2, length);
            return;
        }
        if (is_long)
            continue;

        if (letter == 'o' || (letter && !options_find_letter(submit_option_table, letter) &&
                              !options_find_letter(cli_global_options, letter))) {
            print_hint(letter);
            return;
        }
    }
}

static bool is_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits > 0 && text[digits] == '\0';
}

void submit_hint_taken(const struct cli *cli)
{
    for (size_t i = 0; i < cli->options.count; i++) {
        const struct option_value *item = &cli->options.items[i];

        const char *dashes = item->by_letter ? "-t" : "--time";

        if (item->origin || !is_number(item->value))
            continue;
        if (item->spec->letter == 'n' && item->by_letter)
            cli_print(cli, "creel: -n %s is the name of the job; -N %s runs that many tasks", item->value,
                      item->value);
        if (item->spec->letter == 't')
            cli_print(cli, "creel: %s %s is %s seconds; %s %sm is minutes", dashes, item->value, item->value,
                      dashes, item->value);
    }
}

void submit_hint_environment(const struct cli *cli, const struct submit_options *options, const char *word)
{
    if (options->env_left_out)
        cli_print(cli, "creel: these variables are not sent: %s", options->env_left_out);
    if (word && !options->env_all && options->job.environment[0] == NULL)
        cli_print(cli,
                  "creel: %s, and the job does not get the environment of this shell; --env all copies it",
                  word);
}

/* -a 1-10 is an array in Slurm, -a tools.tar an archive. */
static bool may_be_slurm(const struct option_value *item)
{
    if (item->spec->letter == 'a')
        return item->value[0] >= '0' && item->value[0] <= '9';
    return strchr("epC", item->spec->letter) != NULL;
}

void submit_hint_refused(const struct options *options)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct option_value *item = &options->items[i];

        if (item->by_letter && !item->origin && may_be_slurm(item)) {
            print_hint(item->spec->letter);
            return;
        }
    }
}
