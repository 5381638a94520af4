/* SPDX-License-Identifier: Apache-2.0 */
/* run_input.c - standard input of creel run, for the command */
#include "client/cli/run_input.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

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

    if (which && !strcmp(which, "none"))
        return 0;
    if (which && (!text_parse_int64(which, &task) || task < 0 || task >= tasks))
        return err_set(err, EINVAL, "--stdin %s: expected none, or the number of a task, from 0 to %" PRIu32,
                       which, tasks - 1);
    if (options->script_from_stdin || job->kind == CREEL_JOB_MASTER || !run_input_is_there())
        return 0;
    job->input = true;
    job->input_task = (uint32_t)task;
    if (job->max_attempts == 0)
        job->max_attempts = 1;
    return 0;
}

static void add_option(const char **words, size_t *count, const char *option, const char *value)
{
    if (!value)
        return;
    words[(*count)++] = option;
    words[(*count)++] = value;
}

pid_t run_input_start(struct cli *cli, const struct creel_job *job, const char *id)
{
    const char *words[16] = { "creel" };
    size_t count = 1;
    char task[16];
    posix_spawnattr_t attributes;
    pid_t writer = -1;
    int r;

    snprintf(task, sizeof(task), "%" PRIu32, job->input_task);
    add_option(words, &count, "--rm", cli->rm_address);
    add_option(words, &count, "--conf", cli_conf_dir(cli));
    add_option(words, &count, "--as", cli->as_user);
    if (cli->quiet)
        words[count++] = "--quiet";
    words[count++] = "__write-input";
    words[count++] = id;
    words[count++] = job->kind == CREEL_JOB_TASKS ? task : "master";
    /* In a group of its own: Ctrl-C is for this process alone. */
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    r = posix_spawn(&writer, "/proc/self/exe", NULL, &attributes, (char *const *)(uintptr_t)words, environ);
    posix_spawnattr_destroy(&attributes);
    if (r == 0)
        return writer;
    cli_say(cli, "creel: standard input cannot be passed on: %s", strerror(r));
    return -1;
}

void run_input_end(pid_t writer)
{
    if (writer < 0)
        return;
    kill(writer, SIGTERM);
    while (waitpid(writer, NULL, 0) < 0 && errno == EINTR)
        ;
}
