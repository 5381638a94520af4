/* SPDX-License-Identifier: Apache-2.0 */
/* sbatch.c - submits a script by the rules of sbatch */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/submit/submit_files.h"
#include "client/cli/submit/submit_hints.h"
#include "client/cli/submit/submit_options.h"
#include "client/cli/submit/submit_process.h"
#include "client/cli/submit/submit_script.h"
#include "client/cli/submit/submit_written.h"
#include "client/libcreel/client.h"
#include "client/script/sbatch_line.h"
#include "client/slurm-client/job_fields.h"
#include "client/slurm-client/tool.h"
#include "common/base/mem.h"

static const char help[] =
    "sbatch [OPTION...] [SCRIPT [ARGUMENT...]]\n"
    "sbatch [OPTION...] --wrap=COMMAND\n"
    "\n"
    "Submits a script, or without one that of standard input, and prints the number of the job.\n"
    "Options are those of sbatch of Slurm; creel-slurm(1) has what they do here. Options that have\n"
    "no counterpart are named on standard error and ignored.\n"
    "\n"
    "  --parsable         print only the number of the job\n"
    "  -W, --wait         wait for the end, and exit as the job does\n"
    "  --test-only        check whether the job would be accepted; submit nothing\n"
    "  -Q, --quiet        print only errors, and the number with --parsable\n"
    "  -V, --version\n";

struct submission {
    struct tool *tool;
    struct sbatch_line line;
    struct submit_script script;
    struct submit_options options;
};

static int failed(const struct tool *tool, struct creel_error *error)
{
    struct creel_error whole = { .code = error->code };

    if (error->code == EHOSTUNREACH)
        return tool_refused(tool, error);
    submit_written_name(&tool->cli.options, error);
    snprintf(whole.text, sizeof(whole.text), "Batch job submission failed: %.*s",
             (int)(sizeof(whole.text) - 64), error->text);
    return tool_refused(tool, &whole);
}

/* Returns the exit status of sbatch --wait: that of the job, 1 if a signal ended it. */
static int status_of(const struct creel_app *app)
{
    int status = cli_app_exit(app);

    return job_exit_signal(status) > 0 ? EXIT_FAILURE : status;
}

static int wait_for_end(struct tool *tool, const char *id)
{
    struct creel_apps *apps = NULL;
    struct creel_error error;
    int code;

    if (creel_app_wait(tool->cli.client, id, CREEL_WAIT_FINISHED, -1, &apps, &error) < 0)
        return tool_refused(tool, &error);
    code = status_of(&apps->items[0]);
    creel_apps_free(apps);
    return code;
}

/* Prints what the resource manager reduced: the priority, by the limit of the queue, and virtual cores that
 * it does not count. */
static void note_reduced(const struct submission *submission, const char *id)
{
    const struct tool *tool = submission->tool;
    const struct creel_job *job = &submission->options.job;
    const struct creel_app *app;
    struct creel_apps *apps;

    if ((job->priority == 0 && job->vcores <= 1) || submission->line.quiet ||
        creel_app_get(tool->cli.client, id, &apps, NULL) < 0)
        return;
    app = &apps->items[0];
    if (job->priority > app->priority)
        tool_note(tool, "--priority=%d: is reduced: the priority is %d", job->priority, app->priority);
    if (job->vcores > app->requested.vcores && app->requested.vcores > 0)
        tool_note(tool, SUBMIT_VCORES_REDUCED, job->vcores, app->requested.vcores);
    creel_apps_free(apps);
}

static int submit(struct submission *submission)
{
    const struct submit_options *options = &submission->options;
    const struct sbatch_line *line = &submission->line;
    struct tool *tool = submission->tool;
    struct creel_error error;
    char id[CREEL_ID_MAX];

    if (creel_submit(tool->cli.client, &options->job, id, &error) < 0)
        return failed(tool, &error);
    if (line->parsable || options->id_only)
        printf("%u\n", tool_job_number(id));
    else if (!line->quiet)
        printf("Submitted batch job %u\n", tool_job_number(id));
    fflush(stdout);
    note_reduced(submission, id);
    if (tool->cli.client->no_mail && !line->quiet)
        tool_note(tool, SUBMIT_NO_MAIL);
    return line->wait || options->wait ? wait_for_end(tool, id) : EXIT_SUCCESS;
}

/* sbatch --test-only prints on standard error. */
static int test(struct submission *submission)
{
    const struct creel_job *job = &submission->options.job;
    struct tool *tool = submission->tool;
    time_t now = time(NULL);
    struct creel_trial *trial;
    struct creel_error error;
    char at[32] = "";
    struct tm local;

    if (creel_submit_test(tool->cli.client, job, &trial, &error) < 0) {
        submit_written_name(&tool->cli.options, &error);
        return tool_fail(tool, "allocation failure: %s", error.text);
    }
    if (localtime_r(&now, &local))
        strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%S", &local);
    if (!*trial->reason_code)
        tool_note(tool, "Job to start at %s using %lld processors on nodes (%u have room) in partition %s",
                  at, (long long)(job->vcores > 0 ? job->vcores : 1), trial->nodes_with_room,
                  job_partition(trial->queue));
    else
        tool_note(tool, "Job would wait in partition %s: %s", job_partition(trial->queue), trial->reason);
    creel_trial_free(trial);
    return EXIT_SUCCESS;
}

/* Puts WORD, an option of creel submit, before all others. */
static void put_default(struct cli *cli, const char *word)
{
    const char *words[] = { word, NULL };
    struct options parsed;

    if (options_parse(words, submit_option_table, NULL, OPTIONS_ANYWHERE, &parsed, NULL) == 0)
        options_put_before(&cli->options, &parsed, NULL, NULL);
    options_done(&parsed);
}

static int read_job(struct submission *submission, struct err *err)
{
    struct cli *cli = &submission->tool->cli;
    int r = options_parse(submission->line.script, NULL, NULL, OPTIONS_BEFORE_COMMAND, &cli->options, err);

    if (r < 0)
        return r;
    cli->options.has_dashes = true; /* the script is no program that is looked up */
    put_default(cli, "--from=slurm");
    submission->tool->clusters = "all"; /* the script's reading judges -M and the variables */
    r = submit_script_read_sbatch(cli, &submission->line, &submission->script, err);
    if (r < 0)
        return r;
    put_default(cli, options_has(&cli->options, "array") ? "--out=slurm-%A_%a.out" : "--out=slurm-%j.out");
    r = submit_options_parse_named(&cli->options, submission->script.command_name, &submission->options, err);
    if (r == 0)
        submission->options.job.script = submission->script.slurm_path;
    return r;
}

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(fds);
}

static int send_job(struct submission *submission)
{
    struct submit_options *options = &submission->options;
    size_t count = options->job.file_count;
    int *fds = mem_array0(count + 1, sizeof(*fds));
    struct err err = { 0 };
    int code;

    memset(fds, 0xff, count * sizeof(*fds)); /* -1 */
    submit_hint_environment(&submission->tool->cli, options, NULL);
    if (!options->limits_given && submit_process_default_limits(cli_conf_dir(&submission->tool->cli), false,
                                                                options->arena, &options->job, &err) < 0)
        code = tool_fail(submission->tool, "%s", err.text);
    else if (submit_files_pack(&options->job, fds, options->arena, &err) < 0)
        code = tool_fail(submission->tool, "%s", err.text);
    else if (!tool_client(submission->tool))
        code = EXIT_FAILURE;
    else
        code = submission->line.test_only || options->test_only ? test(submission) : submit(submission);
    close_all(fds, count);
    return code;
}

int sbatch_main(struct tool *tool, int argc, char **argv)
{
    struct submission submission = { .tool = tool, .script.fd = -1 };
    struct err err = { 0 };
    int code;

    (void)argc;
    tool->unreachable = "sbatch: error: Batch job submission failed: Unable to contact slurm controller "
                        "(connect failure)";
    if (sbatch_line_read((const char *const *)argv + 1, tool->arena, &submission.line, &err) < 0) {
        fprintf(stderr, "sbatch: %s\nTry \"sbatch --help\" for more information\n", err.text);
        return EXIT_FAILURE;
    }
    if (submission.line.version)
        return tool_print_version();
    if (submission.line.help)
        return fputs(help, stdout) < 0;
    tool->cli.quiet = submission.line.quiet;
    if (read_job(&submission, &err) < 0) {
        code = tool_fail(tool, "%s", err.text);
    } else {
        code = send_job(&submission);
        submit_options_done(&submission.options);
    }
    submit_script_done(&submission.script);
    return code;
}
