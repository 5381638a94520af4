/* SPDX-License-Identifier: Apache-2.0 */
/* submit_hints.c - hints about short options of submit and run that have another meaning in Slurm */
#include "client/cli/submit_hints.h"

#include <stdio.h>
#include <string.h>

#include "client/cli/submit_options.h"
#include "client/script/slurm.h"

static void print_hint(char letter)
{
    char text[SLURM_HINT_MAX];

    if (slurm_letter_hint(letter, submit_option_is_known, text))
        fprintf(stderr, "creel: %s\n", text);
}

void submit_hint_unknown(const struct command *command, const char *const *argv)
{
    if (command->options != submit_option_table)
        return;
    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        char letter = (*argv)[0] == '-' ? (*argv)[1] : '\0';
        bool unknown = letter && !options_find_letter(submit_option_table, letter) &&
                       !options_find_letter(cli_global_options, letter);

        if (letter == 'o' || unknown) {
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

        if (!item->by_letter || item->origin || !is_number(item->value))
            continue;
        if (item->spec->letter == 'n')
            cli_print(cli, "creel: -n %s is the name of the job; -N %s runs that many tasks", item->value,
                      item->value);
        if (item->spec->letter == 't')
            cli_print(cli, "creel: -t %s is %s seconds; -t %sm is minutes", item->value, item->value,
                      item->value);
    }
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
