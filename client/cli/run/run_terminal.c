/* SPDX-License-Identifier: Apache-2.0 */
/* run_terminal.c - creel run -it: the command of a job on this terminal */
#include "client/cli/run/run_terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "client/cli/run/cmd_job.h"
#include "client/cli/run/exec_here.h"
#include "client/libcreel/am.h"
#include "client/libcreel/client.h"
#include "common/base/job/job_field.h"
#include "common/base/mem.h"

#define LOOK_MS 500  /* poll interval while the job is pending */
#define KILL_MS 3000 /* for the answer to the kill of Ctrl-C */
#define END_MS 10000 /* for the job to be over behind its command */

/* What the container's first process does. */
#define HOLDER "read -r status && exit \"$status\"; echo 'creel: the terminal is gone' >&2; exit 129"

/* The command's status goes to the FIFO. $0 is "sent" for a file that is in the scratch directory. */
#define WRAPPER \
    "exec 3>\"$CREEL_SCRATCH/" JOB_INPUT_FIFO "\"; trap : INT QUIT; " \
    "if [ \"$0\" = sent ]; then command=\"$CREEL_SCRATCH/$1\"; shift; \"$command\" \"$@\" 3>&-; " \
    "else \"$@\" 3>&-; fi; status=$?; echo $status >&3; exit $status"

static int check(struct cli *cli, const struct submit_options *options)
{
    if (am_environment_is_there())
        return cli_usage(cli, "--it: not for a step; creel container exec -it enters a container of the job");
    if (options->job.kind != CREEL_JOB_COMMAND)
        return cli_usage(cli, "--it is for one command, without --count and --am");
    if (options->job.out_file || options->job.err_file)
        return cli_usage(cli, "--it, and --out or --err: one of them");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return cli_usage(cli, "--it: standard input and output are no terminal; without it, creel run passes "
                              "them on as they are");
    return EXIT_DONE;
}

static bool is_sent(const struct creel_job *job)
{
    for (size_t i = 0; i < job->file_count; i++)
        if (!strncmp(job->command[0], "./", 2) && !strcmp(job->files[i].name, job->command[0] + 2))
            return true;
    return false;
}

/* SCRIPT for a shell, with NAME as $0 and the command behind it; to be freed. */
static const char **shell(const char *script, const char *name, const struct creel_job *job)
{
    const char **words;
    size_t count = 0;

    while (job->command[count])
        count++;
    words = mem_array0(count + 5, sizeof(*words));
    words[0] = "/bin/sh";
    words[1] = "-c";
    words[2] = script;
    words[3] = name;
    memcpy(words + 4, job->command, count * sizeof(*words));
    return words;
}

/* The command in the shell that reports its status; to be freed. */
static const char **wrap(const struct creel_job *job)
{
    bool sent = is_sent(job);
    const char **words = shell(WRAPPER, sent ? "sent" : "creel", job);

    if (sent)
        words[4] = job->command[0] + 2;
    return words;
}

/* Waits until the job runs or is over. The first Ctrl-C (read from client->interrupt_fd) kills the job, the
 * second one ends the wait. */
static int look(const struct cli *cli, const char *id, struct creel_apps **apps, struct creel_error *error)
{
    struct creel_client *client = cli->client;
    struct signalfd_siginfo info;
    bool killed = false;
    int r;

    for (;;) {
        r = creel_app_wait(client, id, CREEL_WAIT_RUNNING, LOOK_MS, apps, error);
        if (r == -EINTR && !killed && read(client->interrupt_fd, &info, sizeof(info)) > 0) {
            killed = true;
            cli_print(cli, "creel: killing %s (Ctrl-C again does not wait for its end)", id);
            creel_set_timeout(client, KILL_MS);
            r = creel_app_kill(client, id, "interrupted while it waited", error);
            if (r < 0)
                return r;
            continue;
        }
        if (r != -ETIMEDOUT)
            return r;
    }
}

/* Until it runs or is over; Ctrl-C kills it. 0, or -errno with ERROR; *OVER. */
static int wait_until_it_runs(struct cli *cli, const char *id, bool *over, struct creel_error *error)
{
    struct creel_client *client = cli->client;
    struct creel_apps *apps;
    sigset_t interrupt, before;
    int r;

    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    client->interrupt_fd = signalfd(-1, &interrupt, SFD_CLOEXEC);
    r = look(cli, id, &apps, error);
    if (client->interrupt_fd >= 0)
        close(client->interrupt_fd);
    client->interrupt_fd = -1;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (r < 0)
        return r;
    *over = creel_app_is_over(&apps->items[0]);
    creel_apps_free(apps);
    return 0;
}

static int enter(struct cli *cli, const char *id, const char *const *command)
{
    struct creel_containers *list;
    struct creel_error error;
    int code = EXIT_FAILED;
    size_t at = 0;

    if (creel_container_list(cli->client, id, NULL, NULL, true, &list, &error) < 0)
        return cli_fail(&error);
    while (at < list->count && !list->items[at].master)
        at++;
    if (at < list->count)
        code = exec_here(cli, &list->items[at], command, true, true);
    else
        cli_print(cli, "creel: %s has no container any more", id);
    creel_containers_free(list);
    return code;
}

/* Prints why the job ended before its command started. */
static int explain(struct cli *cli, const char *id)
{
    struct creel_apps *apps;
    struct creel_error error;
    int code;

    if (creel_app_get(cli->client, id, &apps, &error) < 0)
        return cli_fail(&error);
    cli_explain_end(cli, &apps->items[0]);
    code = cli_app_exit(&apps->items[0]);
    creel_apps_free(apps);
    return code;
}

static int attend(struct cli *cli, const char *id, const char *const *command)
{
    struct creel_apps *apps = NULL;
    struct creel_error error;
    bool over = false;
    int code;

    if (wait_until_it_runs(cli, id, &over, &error) < 0) {
        code = cli_fail(&error);
        fprintf(stderr, "creel: %s may be running; to end it: creel kill %s\n", id, id);
        return code;
    }
    if (over)
        return explain(cli, id);
    code = enter(cli, id, command);
    /* The job has the command's status. The status of the exec is 137 if the container, which ends with the
     * job, was cleaned up before the shell around the command had ended. */
    if (creel_app_wait(cli->client, id, CREEL_WAIT_FINISHED, END_MS, &apps, &error) < 0)
        cli_print(cli, "creel: %s is not over; to end it: creel kill %s", id, id);
    else
        code = cli_app_exit(&apps->items[0]);
    if (apps && *apps->items[0].diagnostics) /* killed, or lost: the command itself did not say why */
        cli_explain_end(cli, &apps->items[0]);
    creel_apps_free(apps);
    return code;
}

int run_terminal(struct cli *cli, const struct submit_options *options)
{
    scoped_free const char **command = wrap(&options->job);
    scoped_free const char **holder = shell(HOLDER, "creel", &options->job);
    struct creel_job job = options->job;
    char id[CREEL_ID_MAX];
    int code = check(cli, options);

    if (code != EXIT_DONE || !cli_client(cli, &code))
        return code;
    job.command = holder;
    job.input = true;
    job.max_attempts = 1;
    code = job_submit(cli, &job, id);
    if (code != EXIT_DONE)
        return code;
    cli_detail(cli, "%s: waiting for its container", id);
    return attend(cli, id, command);
}
