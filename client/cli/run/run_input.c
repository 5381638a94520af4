/* SPDX-License-Identifier: Apache-2.0 */
/* run_input.c - standard input of creel run, for the command */
#include "client/cli/run/run_input.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/cli/run/input_copies.h"
#include "common/base/text.h"

bool run_input_is_there(void)
{
    struct stat input;

    if (fstat(STDIN_FILENO, &input) != 0 || isatty(STDIN_FILENO))
        return false;
    return !S_ISCHR(input.st_mode) || input.st_rdev != makedev(1, 3);
}

int run_input_choose(const struct cli *cli, const struct submit_options *options, struct creel_job *job,
                     struct err *err)
{
    const char *which = options_get(&cli->options, "stdin");
    uint32_t tasks = job->kind == CREEL_JOB_TASKS ? job->task_count : 1;
    int64_t task = 0;
    bool all = which && !strcmp(which, "all");
    struct stat input;

    if (job->in_file && which)
        return err_set(err, EINVAL, "--in and --stdin: one of them");
    if (job->in_file || (which && !strcmp(which, "none")))
        return 0;
    if (all && tasks > INPUT_COPIES_MAX)
        return err_set(err, EINVAL, "--stdin all: for at most %d tasks; this job has %" PRIu32,
                       INPUT_COPIES_MAX, tasks);
    if (which && !all && (!text_parse_int64(which, &task) || task < 0 || task >= tasks))
        return err_set(err, EINVAL,
                       "--stdin %s: expected all, none, or the number of a task, from 0 to %" PRIu32, which,
                       tasks - 1);
    if (options->script_from_stdin || job->kind == CREEL_JOB_MASTER || !run_input_is_there())
        return 0;
    if (fstat(STDIN_FILENO, &input) == 0 && S_ISDIR(input.st_mode))
        return err_set(err, EINVAL, "standard input is a directory; --stdin none runs the job without input");
    job->input = true;
    job->input_task = (uint32_t)task;
    job->input_all = all;
    if (job->max_attempts == 0)
        job->max_attempts = 1;
    return 0;
}

pid_t run_input_start(struct cli *cli, const struct creel_job *job, const char *id)
{
    char task[32] = "master";
    pid_t writer;

    if (job->kind == CREEL_JOB_TASKS && job->input_all)
        snprintf(task, sizeof(task), "all/%" PRIu32, job->task_count);
    else if (job->kind == CREEL_JOB_TASKS)
        snprintf(task, sizeof(task), "%" PRIu32, job->input_task);
    /* In a group of its own: Ctrl-C is for this process alone. */
    writer = input_writer_start(cli, id, task, STDIN_FILENO, true);
    if (writer < 0)
        cli_print(cli, "creel: standard input cannot be passed on: %s", strerror(errno));
    return writer;
}

void run_input_end(pid_t writer)
{
    if (writer < 0)
        return;
    kill(writer, SIGTERM);
    while (waitpid(writer, NULL, 0) < 0 && errno == EINTR)
        ;
}
