/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_submit.c - creel submit: submits a job, and follows it with --wait */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/frame/listing.h"
#include "client/cli/logs/follow.h"
#include "client/cli/results/fetch_results.h"
#include "client/cli/run/alloc_step.h"
#include "client/cli/run/cmd_job.h"
#include "client/cli/submit/submit_files.h"
#include "client/cli/submit/submit_hints.h"
#include "client/cli/submit/submit_options.h"
#include "client/cli/submit/submit_process.h"
#include "client/cli/submit/submit_script.h"
#include "client/cli/submit/submit_trial.h"
#include "client/cli/submit/submit_written.h"
#include "client/libcreel/client.h"
#include "common/base/mem.h"

void job_print_id(const struct cli *cli, const char *id)
{
    struct items_writer items;

    if (cli->format != FORMAT_JSON && cli->format != FORMAT_JSONL) {
        puts(id);
    } else {
        items_begin(&items, cli, "SubmissionList");
        json_text(items_open(&items), "id", id);
        items_close(&items);
        items_end(&items);
    }
    fflush(stdout);
}

/* Prints ERROR. If the RM did not reply, but may have the request, also prints that the job may have been
 * submitted. Returns the exit code of the command. */
static int not_submitted(const struct cli *cli, const struct creel_error *error)
{
    int code = cli_fail(error);

    if (error->code == EHOSTUNREACH && !cli->client->refused)
        fputs("creel: it may have been submitted all the same: see creel ps\n", stderr);
    return code;
}

void job_print_priority(int32_t asked, const struct creel_app *app)
{
    if (asked > app->priority)
        fprintf(stderr, "creel: %s: priority %d is reduced: the priority is %d\n", app->id, asked,
                app->priority);
}

void job_print_reduced(const struct cli *cli, const struct creel_job *job, const char *id)
{
    struct creel_apps *apps;

    if ((job->priority == 0 && job->max_attempts == 0 && job->vcores <= 1) ||
        creel_app_get(cli->client, id, &apps, NULL) < 0)
        return;
    job_print_priority(job->priority, &apps->items[0]);
    if (job->vcores > apps->items[0].requested.vcores && apps->items[0].requested.vcores > 0)
        fprintf(stderr, "creel: %s: " SUBMIT_VCORES_REDUCED "\n", id, job->vcores,
                apps->items[0].requested.vcores);
    if (job->max_attempts > apps->items[0].max_attempts)
        fprintf(stderr,
                "creel: --max-attempts %u is above yarn.resourcemanager.am.max-attempts: at most %u\n",
                job->max_attempts, apps->items[0].max_attempts);
    creel_apps_free(apps);
}

void job_print_mail(const struct cli *cli)
{
    if (cli->client->no_mail)
        cli_print(cli, "creel: " SUBMIT_NO_MAIL);
}

int job_submit(struct cli *cli, const struct creel_job *job, char id[CREEL_ID_MAX])
{
    struct creel_error error;

    if (creel_submit(cli->client, job, id, &error) < 0) {
        submit_written_name(&cli->options, &error);
        return not_submitted(cli, &error);
    }
    job_print_mail(cli);
    return EXIT_DONE;
}

static int stay(struct cli *cli, const struct submit_options *options, const char *id)
{
    struct follow_options follow = {
        .copy_stdout = options->logs,
        .copy_stderr = options->logs,
        .show_state = !cli->quiet,
        .limit_ms = options->timeout_ms,
        .kill_on_interrupt = options_has(&cli->options, "kill-on-interrupt"),
    };
    struct creel_apps *apps = NULL;
    enum follow_end end;
    struct err err = { 0 };
    int code;

    if (follow_app(cli->client, id, &follow, &end, &apps, &err) < 0) {
        cli_fail_err(&err);
        fprintf(stderr, "creel: %s may be running; creel wait %s continues to wait\n", id, id);
        return EXIT_SELF_FAILED;
    }
    switch (end) {
    case FOLLOW_OVER:
        cli_explain_end(cli, &apps->items[0]);
        code = cli_app_exit(&apps->items[0]);
        if (options->job.fetch)
            code = fetch_after_wait(cli, &apps->items[0], options->fetch_to ? options->fetch_to : ".", code);
        break;
    case FOLLOW_DETACHED:
    case FOLLOW_KILLING:
        code = EXIT_SELF_FAILED;
        break;
    case FOLLOW_OUT_OF_TIME:
    default:
        fprintf(stderr, "creel: %s is not over; creel wait %s continues to wait\n", id, id);
        code = EXIT_OUT_OF_TIME;
        break;
    }
    creel_apps_free(apps);
    return code;
}

static int check(struct cli *cli, const struct submit_options *options, struct err *err)
{
    if (options->fetch_to && !options->wait)
        return err_set(
            err, EINVAL,
            "--fetch-to: needs --wait; without it, results are fetched by creel fetch ID --out DIR");
    if (options_has(&cli->options, "overlap"))
        return err_set(err, EINVAL, "--overlap is for creel run in the shell of creel alloc");
    if (options_has(&cli->options, "it"))
        return err_set(err, EINVAL,
                       "--it: a job of creel submit has no terminal; creel run -it has this one");
    if (options_has(&cli->options, "stdin"))
        return err_set(err, EINVAL,
                       "--stdin: a job of creel submit has no standard input; creel run passes it on");
    return 0;
}

static int submit(struct cli *cli, const struct submit_options *options)
{
    char id[CREEL_ID_MAX];
    int code;

    if (options->timeout_ms >= 0 && !options->wait)
        cli->timeout_ms = options->timeout_ms;
    if (!cli_client(cli, &code))
        return code;
    code = job_submit(cli, &options->job, id);
    if (code != EXIT_DONE)
        return code;
    job_print_id(cli, id);
    job_print_reduced(cli, &options->job, id);
    if (options->wait)
        return stay(cli, options, id);
    if (!options->id_only)
        cli_detail(cli, "watch it: creel status %s, creel logs -f %s", id, id);
    return EXIT_DONE;
}

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(fds);
}

/* Packs the directories of the job; then prints it (--dry-run), tests it (--test-only), or calls SEND. */
static int pass_on(struct cli *cli, struct submit_options *options, job_send_fn *send)
{
    const struct creel_file *given = options->job.files;
    size_t count = options->job.file_count;
    int *fds = mem_array0(count + 1, sizeof(*fds));
    struct err err = { 0 };
    int code;

    memset(fds, 0xff, count * sizeof(*fds)); /* -1 */
    if (submit_files_pack(&options->job, fds, options->arena, &err) < 0)
        code = cli_fail_err(&err);
    else if (options->dry_run)
        code = submit_json_print(cli, &options->job, given);
    else
        code = options->test_only ? submit_trial_print(cli, &options->job) : send(cli, options);
    close_all(fds, count);
    return code;
}

/* Adds the soft limits of a job without --propagate. A command in the shell of creel alloc has those of its
 * container. Prints an error, and sets *CODE. */
static int add_limits(struct cli *cli, bool is_step, struct submit_options *options, int *code)
{
    struct err err = { 0 };

    if (options->limits_given || alloc_step_is_there() ||
        submit_process_default_limits(cli_conf_dir(cli), is_step, options->arena, &options->job, &err) == 0)
        return 0;
    cli_fail_err(&err);
    *code = EXIT_BAD_CONFIG;
    return -EINVAL;
}

int job_command(struct cli *cli, bool read_script, job_check_fn *check_job, job_send_fn *send)
{
    struct submit_script script = { .fd = -1 };
    struct submit_options options;
    struct err err = { 0 };
    int code, r = read_script ? submit_script_read(cli, &script, &err) : 0;

    if (r == 0)
        r = submit_options_parse_named(&cli->options, script.command_name, &options, &err);
    if (r < 0) {
        code = r == -EINVAL ? cli_usage(cli, "%s", err.text) : cli_fail_err(&err);
        submit_hint_refused(&cli->options);
        submit_script_done(&script);
        return r == -EINVAL ? code : EXIT_FAILED;
    }
    options.script_from_stdin = script.fd >= 0;
    options.job.script = script.slurm_path;
    if (add_limits(cli, !read_script, &options, &code) < 0) {
        submit_options_done(&options);
        submit_script_done(&script);
        return code;
    }
    submit_hint_taken(cli);
    submit_hint_environment(cli, &options, script.environment_word);
    if (options.job.limit_signal && !options.job.time_limit_s && !options.job.lifetime_s &&
        !options.job.deadline_ms)
        cli_print(cli,
                  "creel: --signal %s: the job has no time limit (--time), and gets no signal without one",
                  options.job.limit_signal);
    if (check_job(cli, &options, &err) < 0)
        code = cli_usage(cli, "%s", err.text);
    else
        code = pass_on(cli, &options, send);
    submit_options_done(&options);
    submit_script_done(&script);
    return code;
}

int cmd_submit(struct cli *cli)
{
    return job_command(cli, true, check, submit);
}
