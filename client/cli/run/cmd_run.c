/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_run.c - creel run: submits a job, waits and copies its output; inside a job, runs a step of it */
#include <errno.h>
#include <stdio.h>

#include "client/cli/logs/follow.h"
#include "client/cli/results/fetch_results.h"
#include "client/cli/run/alloc_step.h"
#include "client/cli/run/cmd_job.h"
#include "client/cli/run/run_input.h"
#include "client/cli/run/run_step.h"
#include "client/cli/run/run_terminal.h"
#include "client/libcreel/am.h"

const char run_help[] =
    "Submits the command, shows its output here and ends as it does. With -N the\n"
    "command runs as N tasks, each in a container of its own; each line of\n"
    "output then begins with the task's number. Tasks find CREEL_TASK_INDEX (from 0),\n"
    "CREEL_TASK_COUNT and CREEL_APP_ID in their environment.\n"
    "\n"
    "The command reads standard input, unless that is a terminal; with -N task 0 does, or the\n"
    "one of --stdin, or with --stdin all every task. Such a job is tried once: its input cannot be\n"
    "read again.\n"
    "\n"
    "Ctrl-C leaves the job running (creel logs -f shows its output again); twice\n"
    "within a second kills it.\n"
    "\n"
    "Inside a job, creel run is a step: its tasks are containers of that job. In the shell of\n"
    "creel alloc the tasks run in its containers, each in one that no other command uses.\n"
    "\n"
    "  creel run hostname\n"
    "  creel run -N 12 -m 64M -- sh -c 'echo task $CREEL_TASK_INDEX of $CREEL_TASK_COUNT'\n"
    "  creel run ./convert.sh input.csv\n"
    "  creel run -it -m 2g -- bash\n"
    "  tar cf - data | creel run -- tar xf - -C /srv\n"
    "  creel run --scratch -f input.csv -- sh -c 'sort input.csv >/srv/out.csv'\n"
    "\n"
    "The exit code is the highest of the tasks, 128+N if killed by signal N, 137 if\n"
    "killed for its memory, 125 if creel itself failed and 124 when --timeout is over.\n";

/* APP is NULL if END is FOLLOW_DETACHED or FOLLOW_KILLING. */
static int ended(struct cli *cli, const char *id, enum follow_end end, const struct creel_app *app)
{
    switch (end) {
    case FOLLOW_OVER:
        cli_explain_end(cli, app);
        return cli_app_exit(app);
    case FOLLOW_OUT_OF_TIME:
        fprintf(stderr, "creel: %s is not over; its output: creel logs -f %s\n", id, id);
        return EXIT_OUT_OF_TIME;
    case FOLLOW_KILLING:
        fprintf(stderr, "creel: the kill of %s was requested; its state: creel status %s\n", id, id);
        return EXIT_SELF_FAILED;
    case FOLLOW_DETACHED:
    default:
        fprintf(stderr,
                "creel: %s continues; its output: creel logs -f %s; to end it: "
                "creel kill %s\n",
                id, id, id);
        return EXIT_SELF_FAILED;
    }
}

static int stay(struct cli *cli, const struct submit_options *options, const char *id)
{
    struct follow_options follow = {
        .copy_stdout = true,
        .copy_stderr = true,
        .show_state = !cli->quiet,
        .kill_on_interrupt = options_has(&cli->options, "kill-on-interrupt"),
        .limit_ms = options->timeout_ms,
    };
    struct creel_apps *apps = NULL;
    struct err err = { 0 };
    enum follow_end end;
    int code;

    if (follow_app(cli->client, id, &follow, &end, &apps, &err) < 0) {
        cli_fail_err(&err);
        fprintf(stderr, "creel: %s may be running; its output: creel logs -f %s\n", id, id);
        return EXIT_SELF_FAILED;
    }
    code = ended(cli, id, end, apps ? &apps->items[0] : NULL);
    if (end == FOLLOW_OVER && options->job.fetch)
        code = fetch_after_wait(cli, &apps->items[0], options->fetch_to ? options->fetch_to : ".", code);
    creel_apps_free(apps);
    return code;
}

static int submit_and_stay(struct cli *cli, const struct submit_options *options)
{
    struct creel_job job = options->job;
    struct err err = { 0 };
    char id[CREEL_ID_MAX];
    pid_t writer = -1;
    int code;

    if (run_input_choose(cli, options, &job, &err) < 0)
        return cli_usage(cli, "%s", err.text);
    if (!cli_client(cli, &code))
        return code;
    code = job_submit(cli, &job, id);
    if (code != EXIT_DONE)
        return code;
    job_print_reduced(cli, &job, id);
    if (job.input)
        writer = run_input_start(cli, &job, id);
    code = stay(cli, options, id);
    run_input_end(writer);
    return code;
}

static int check(struct cli *cli, const struct submit_options *options, struct err *err)
{
    struct creel_job job = options->job;

    if (alloc_step_is_there())
        return alloc_step_check(cli, options, err);
    if (job.array)
        return err_set(err, EINVAL,
                       "--array: creel run shows the output of one job; creel submit --wait waits "
                       "for an array");
    if (options_has(&cli->options, "overlap"))
        return err_set(err, EINVAL, "--overlap: only in the shell of creel alloc");
    if (job.fetch && options_has(&cli->options, "it"))
        return err_set(err, EINVAL, "--fetch: not with -it; a command without terminal has results");
    if (job.fetch && am_environment_is_there())
        return err_set(err, EINVAL,
                       "--fetch: not for a step of a job; the results of the job are those of its command");
    return run_input_choose(cli, options, &job, err);
}

static int run(struct cli *cli, const struct submit_options *options)
{
    if (alloc_step_is_there())
        return alloc_step(cli, options);
    if (options_has(&cli->options, "it"))
        return run_terminal(cli, options);
    return am_environment_is_there() ? run_step(cli, options) : submit_and_stay(cli, options);
}

int cmd_run(struct cli *cli)
{
    /* A step reads no directives: only the command line has options. */
    return job_command(cli, !am_environment_is_there() && !alloc_step_is_there(), check, run);
}
