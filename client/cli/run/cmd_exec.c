/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_exec.c - creel container signal, exec */
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/frame/signal_name.h"
#include "client/cli/run/exec_here.h"
#include "client/cli/show/show_app.h"

const struct option_spec container_signal_options[] = {
    { 0, "main", NULL, "only to the command itself, not to its process group" },
    { 'a', "all", NULL, "to every process of the container" },
    { 0, "others", NULL, "to every process but the command itself" },
    { 0, "steps", NULL, "to the steps of srun; if it never had one, as --others" },
    { 0 },
};

const struct option_spec container_exec_options[] = {
    { 'i', "interactive", NULL, "pass standard input to the command" },
    { 't', "tty", NULL, "run the command on a terminal" },
    { 0 },
};

static int find_container(struct cli *cli, const char *id, struct creel_containers **list)
{
    struct creel_error error;
    struct creel_client *client;
    int code;

    client = cli_client(cli, &code);
    if (!client)
        return code;
    return creel_container_list(client, NULL, NULL, id, false, list, &error) < 0 ? cli_fail(&error)
                                                                                 : EXIT_DONE;
}

/* --- signals --------------------------------------------------------------- */

/* Reads which processes get the signal. Returns false if there are several options for it. */
static bool read_scope(const struct options *options, enum creel_signal_scope *scope)
{
    static const struct {
        const char *name;
        enum creel_signal_scope scope;
    } names[] = {
        { "main", CREEL_SIGNAL_MAIN },
        { "all", CREEL_SIGNAL_ALL },
        { "others", CREEL_SIGNAL_OTHERS },
        { "steps", CREEL_SIGNAL_STEPS },
    };
    size_t given = 0;

    *scope = CREEL_SIGNAL_GROUP;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!options_has(options, names[i].name))
            continue;
        *scope = names[i].scope;
        given++;
    }
    return given <= 1;
}

int cmd_container_signal(struct cli *cli)
{
    const char *const *arguments = cli->options.arguments;
    enum creel_signal_scope scope;
    struct creel_containers *list = NULL;
    struct creel_error error;
    int number, code;

    if (cli->options.argument_count != 2)
        return cli_usage(cli, "which container, and which signal? creel container signal ID USR1");
    if (!signal_name_parse(arguments[1], &number))
        return cli_usage(cli, "%s is no signal: expected a name, as TERM or SIGUSR1, or a number",
                         arguments[1]);
    if (!read_scope(&cli->options, &scope))
        return cli_usage(cli, "--main, --all and --others: one of them");
    code = find_container(cli, arguments[0], &list);
    if (code == EXIT_DONE && creel_container_signal(cli->client, &list->items[0], number, scope, &error) < 0)
        code = cli_fail(&error);
    if (code == EXIT_DONE && cli->format_given)
        code = show_container_list(cli, (const struct creel_container *const[]){ &list->items[0] }, 1);
    creel_containers_free(list);
    return code;
}

/* --- commands -------------------------------------------------------------- */

int cmd_container_exec(struct cli *cli)
{
    const char *const *arguments = cli->options.arguments;
    size_t first = 1;
    struct creel_containers *list = NULL;
    int code;

    if (cli->options.argument_count > first && !strcmp(arguments[first], "--"))
        first++;
    if (cli->options.argument_count <= first)
        return cli_usage(cli, "which container, and what? creel container exec ID -- COMMAND");
    if (options_has(&cli->options, "tty") && options_has(&cli->options, "interactive") &&
        !isatty(STDIN_FILENO))
        return cli_usage(cli, "--tty: standard input is no terminal; without it, -i passes it on "
                              "unchanged");
    code = find_container(cli, arguments[0], &list);
    if (code == EXIT_DONE)
        code = exec_here(cli, &list->items[0], arguments + first, options_has(&cli->options, "interactive"),
                         options_has(&cli->options, "tty"));
    creel_containers_free(list);
    return code;
}
