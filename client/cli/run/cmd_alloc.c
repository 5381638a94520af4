/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_alloc.c - creel alloc, creel attach: containers for a shell of this host */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/run/alloc_master.h"
#include "client/cli/run/cmd_job.h"
#include "client/cli/submit/submit_options.h"
#include "client/cli/submit/submit_trial.h"
#include "client/libcreel/am.h"
#include "common/base/job/job_field_table.h"

const char alloc_help[] =
    "Allocates containers and waits until all of them run. Then runs COMMAND, or a shell ($SHELL), on\n"
    "this host. The containers end with the command; the exit status is that of the command.\n"
    "\n"
    "In the shell, creel run runs a command in containers of the allocation: -N K in K of them at the\n"
    "same time, without -N in one. A container that runs another command is not used, unless\n"
    "--overlap is given; creel run waits until enough are free. The variables CREEL_APP_ID,\n"
    "CREEL_ALLOC_COUNT (containers) and CREEL_NODELIST (their hosts) describe the allocation.\n"
    "\n"
    "creel alloc is the application master of the application, which ps and status show as unmanaged.\n"
    "If its host or its connection is lost, the containers run for\n"
    "yarn.am.liveness-monitor.expiry-interval-ms; until then creel attach takes the allocation over.\n"
    "Ctrl-C cancels an allocation that waits. creel kill ends it at any time.\n"
    "\n"
    "examples:\n"
    "  creel alloc -N 4 -m 2g -c 2\n"
    "  creel alloc -N 4 -- sh -c 'creel run ./prepare && creel run -N 4 ./solve'\n"
    "  creel alloc -t 2h -q dev.ml -- make check\n";

const char attach_help[] =
    "Takes over an allocation of creel alloc, from any host, and runs COMMAND or a shell that uses its\n"
    "containers. Only the owner can. The allocation then ends with this command. If the former creel alloc\n"
    "or creel attach still runs, it ends with a message. Containers that have ended meanwhile are\n"
    "replaced. ID may be shortened to its last digits if they are unique.\n"
    "\n"
    "A job of creel run -it cannot be taken over: its terminal ends with its client.\n"
    "\n"
    "examples:\n"
    "  creel attach 42\n"
    "  creel attach 42 -- creel run -N 4 hostname\n";

const struct option_spec alloc_options[] = {
    { 'N', "count", "N", "number of containers (default: 1)" },
    SUBMIT_SIZE_OPTIONS,
    { 'n', "name", "NAME", "name of the application (default: alloc)" },
    JOB_ALLOC_FIELDS(SUBMIT_FIELD_OPTION){ 'T', "tag", "TAG", "tag of the application; may be repeated" },
    { 0, "test-only", NULL, "check whether it would be accepted and could run" },
    { 0, "dry-run", NULL, "print the request as JSON, do not submit" },
    { 0 },
};

/* Returns the command of ARGUMENTS after an optional "--", or a shell, in SHELL. */
static const char *const *command_of(const char *const *arguments, const char *shell[2])
{
    if (*arguments && !strcmp(*arguments, "--"))
        arguments++;
    if (*arguments)
        return arguments;
    shell[0] = getenv("SHELL");
    if (!shell[0] || !*shell[0])
        shell[0] = "/bin/sh";
    shell[1] = NULL;
    return shell;
}

/* Returns an exit code if this shell belongs to a job already, else EXIT_DONE. */
static int check_place(const struct cli *cli)
{
    const char *allocation = getenv("CREEL_ALLOC_DIR");

    if (am_environment_is_there())
        return cli_usage(cli, "not inside a job: creel run runs a step of it");
    if (allocation && *allocation)
        return cli_usage(cli, "this shell has an allocation already (%s): leave it first",
                         getenv("CREEL_APP_ID") ? getenv("CREEL_APP_ID") : "");
    return EXIT_DONE;
}

static struct creel_resource size_of(const struct creel_job *job)
{
    struct creel_resource each = { .memory_mb = job->memory_mb, .vcores = job->vcores };

    for (size_t i = 0; i < job->resource_count && each.other_count < CREEL_OTHERS_MAX; i++)
        each.others[each.other_count++] = job->resources[i];
    return each;
}

static int allocate(struct cli *cli, const struct creel_job *job, uint32_t count, struct alloc_shell *shell)
{
    char id[CREEL_ID_MAX];
    struct alloc_request request = {
        .app_id = id,
        .command = job->command,
        .each = size_of(job),
        .count = count,
        .shell = shell,
    };
    int code;

    if (!cli_client(cli, &code))
        return code;
    code = job_submit(cli, job, id);
    if (code != EXIT_DONE)
        return code;
    job_print_reduced(cli, job, id);
    cli_print(cli, "creel: %s waits for %u container%s", id, count, count == 1 ? "" : "s");
    return alloc_master_run(cli, &request);
}

/* The options of PARSED describe the containers; the command, which runs here, is no part of the job. */
static int read_options(const struct options *parsed, struct submit_options *ret, struct err *err)
{
    static const char *no_command[] = { "/bin/sh", NULL };
    struct options options = *parsed;
    int r;

    options.arguments = no_command;
    options.argument_count = 1;
    r = submit_options_parse(&options, ret, err);
    if (r == 0 && !options_has(parsed, "name"))
        ret->job.name = "alloc";
    return r;
}

int cmd_alloc(struct cli *cli)
{
    const char *default_shell[2];
    struct submit_options options;
    struct alloc_shell shell;
    struct err err = { 0 };
    uint32_t count;
    int code = check_place(cli), r;

    if (code != EXIT_DONE)
        return code;
    alloc_shell_init(&shell);
    r = read_options(&cli->options, &options, &err);
    if (r < 0)
        return r == -EINVAL ? cli_usage(cli, "%s", err.text) : cli_fail_err(&err);
    count = options.job.task_count > 0 ? options.job.task_count : 1;
    options.job.task_count = 0;
    options.job.kind = CREEL_JOB_MASTER;
    options.job.unmanaged = true;
    options.job.command = command_of(cli->options.arguments, default_shell);
    if (options.dry_run)
        code = submit_json_print(cli, &options.job, NULL);
    else
        code = options.test_only ? submit_trial_print(cli, &options.job)
                                 : allocate(cli, &options.job, count, &shell);
    submit_options_done(&options);
    return code;
}

/* --- attach ---------------------------------------------------------------------------- */

static int attach(struct cli *cli, const struct creel_app *app, const char *const *command,
                  struct alloc_shell *shell)
{
    struct alloc_request request = {
        .app_id = app->id,
        .command = command,
        .each = app->requested,
        .shell = shell,
    };

    if (app->unmanaged && !creel_app_is_over(app))
        return alloc_master_run(cli, &request);
    if (creel_app_is_over(app))
        cli_print(cli, "creel: %s is over: %s", app->id, creel_app_state_name(app->state));
    else
        cli_print(cli, "creel: %s is no allocation of creel alloc; creel logs -f %s shows its output",
                  app->id, app->id);
    return EXIT_REFUSED;
}

int cmd_attach(struct cli *cli)
{
    const char *default_shell[2];
    const char *const *arguments = cli->options.arguments;
    struct creel_apps *apps = NULL;
    struct creel_error error;
    struct alloc_shell shell;
    int code = check_place(cli);

    if (code != EXIT_DONE)
        return code;
    alloc_shell_init(&shell);
    if (cli->options.argument_count == 0)
        return cli_usage(cli, "which allocation? creel attach ID (creel ps shows them)");
    if (!cli_client(cli, &code))
        return code;
    if (creel_app_get(cli->client, arguments[0], &apps, &error) < 0)
        return cli_fail(&error);
    code = attach(cli, &apps->items[0], command_of(arguments + 1, default_shell), &shell);
    creel_apps_free(apps);
    return code;
}
