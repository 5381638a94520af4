/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_complete.c - creel __complete -- WORDS...: candidates for the last word, for the shells
 *
 * Each line is a candidate, or a candidate, a tab and its explanation. The last line is for the shell:
 *   :done                               there are no other candidates
 *   :files, :directories, :programs     the shell completes names of these; no candidates were printed
 * The scripts in client/completion read the output. The command ends after 300 ms at the latest, also without
 * the last line, so that the shell does not hang.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "client/cli/help/complete.h"
#include "client/cli/help/complete_values.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/conf.h"

#define LIMIT_MS 300

static void put(const struct complete_place *place, const char *word, const char *help)
{
    if (!text_has_prefix(word, place->typed))
        return;
    printf("%.*s%s%s%s\n", (int)place->before_length, place->before ? place->before : "", word,
           help && *help ? "\t" : "", help ? help : "");
}

/* Prints a first word such as "queue", with its second words (list, tree, show, ...) as explanation. */
static void put_family(const struct complete_place *place, const struct command *first, size_t length)
{
    char family[64], seconds[200] = "";
    size_t used = 0;

    for (const struct command *row = first; row->path; row++) {
        if (strncmp(row->path, first->path, length + 1) != 0)
            break;
        if (row->alias_of || used >= sizeof(seconds))
            continue;
        used += (size_t)snprintf(seconds + used, sizeof(seconds) - used, "%s%s", used ? ", " : "",
                                 row->path + length + 1);
    }
    snprintf(family, sizeof(family), "%.*s", (int)length, first->path);
    put(place, family, seconds);
}

/* Prints the first words of all commands, or, if PLACE has a family, the second words of its commands. */
static void put_commands(const struct complete_place *place)
{
    size_t length = place->family ? strlen(place->family) : 0;
    const char *previous = "";

    for (const struct command *row = command_table; row->path; row++) {
        const char *space = strchr(row->path, ' ');
        const struct command *real = command_find(row->path);

        if (*row->path == '_')
            continue;
        if (place->family) {
            if (!strncmp(row->path, place->family, length) && row->path[length] == ' ')
                put(place, row->path + length + 1, real->summary);
        } else if (!space) {
            put(place, row->path, real->summary);
        } else if (strncmp(row->path, previous, (size_t)(space + 1 - row->path)) != 0) {
            /* the rows of a family are adjacent, so each family is printed once */
            put_family(place, row, (size_t)(space - row->path));
        }
        previous = row->path;
    }
}

static void put_options(const struct complete_place *place)
{
    const struct option_spec *own = place->command ? place->command->options : NULL;
    const struct option_spec *tables[] = { own, cli_global_options };
    char word[64];

    for (size_t i = 0; i < 2; i++) {
        for (const struct option_spec *row = tables[i]; row && row->name; row++) {
            snprintf(word, sizeof(word), "--%s", row->name);
            put(place, word, row->help);
        }
    }
}

static void put_choices(const struct complete_place *place)
{
    scoped_free char *words = mem_strdup(place->choices);
    char *rest = words;

    for (char *word; (word = strsep(&rest, "|")) != NULL;)
        put(place, word, NULL);
}

static void put_keys(const struct complete_place *place)
{
    for (int key = 0; key < CONF_KEY_COUNT; key++)
        put(place, conf_key_info((enum conf_key)key)->name, conf_key_info((enum conf_key)key)->doc);
}

static void put_values(struct cli *cli, const struct complete_place *place)
{
    scoped_free char *lines = complete_values(cli, place);
    char *rest = lines;

    for (char *line; rest && (line = strsep(&rest, "\n")) != NULL;) {
        char *help = strchr(line, '\t');

        if (help)
            *help++ = '\0';
        if (*line)
            put(place, line, help);
    }
}

static void on_limit(int number)
{
    (void)number;
    _exit(EXIT_DONE);
}

int cmd_complete(struct cli *cli)
{
    const struct itimerval limit = { .it_value = { .tv_usec = LIMIT_MS * 1000 } };
    struct complete_place place;

    if (cli->options.argument_count == 0)
        return cli_usage(cli, "creel __complete -- WORD...: the words behind creel are missing");
    signal(SIGALRM, on_limit);
    setitimer(ITIMER_REAL, &limit, NULL);
    complete_find(cli->options.arguments, cli->options.argument_count, &place);
    cli->timeout_ms = LIMIT_MS;
    if (place.rm)
        cli->rm_address = place.rm;
    if (place.conf_dir)
        cli->conf_dir = place.conf_dir;
    if (place.as_user)
        cli->as_user = place.as_user;
    switch (place.kind) {
    case COMPLETE_COMMAND:
        put_commands(&place);
        break;
    case COMPLETE_OPTION:
        put_options(&place);
        break;
    case COMPLETE_CHOICE:
        put_choices(&place);
        break;
    case COMPLETE_KEY:
        put_keys(&place);
        break;
    case COMPLETE_APP:
    case COMPLETE_CONTAINER:
    case COMPLETE_NODE:
    case COMPLETE_LABEL:
    case COMPLETE_QUEUE:
        put_values(cli, &place);
        break;
    case COMPLETE_FILE:
        puts(":files");
        return EXIT_DONE;
    case COMPLETE_DIRECTORY:
        puts(":directories");
        return EXIT_DONE;
    case COMPLETE_PROGRAM:
        puts(":programs");
        return EXIT_DONE;
    case COMPLETE_NOTHING:
        break;
    }
    puts(":done");
    return EXIT_DONE;
}
