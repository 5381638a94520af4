/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_write_input.c - creel __write-input: pass standard input to the command of a job */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "client/cli/run/cmd_job.h"
#include "client/cli/run/input_copies.h"
#include "common/base/job/job_field.h"
#include "common/base/mem.h"
#include "common/base/text.h"

#define LOOK_MS 500 /* poll interval while the job's command is not running */

/* Returns the running container of TASK, a number or "master" (the only command); NULL: none runs now. */
static const struct creel_container *find_running(const struct creel_containers *list, const char *task)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct creel_container *container = &list->items[i];
        bool meant = !strcmp(task, "master") ? container->master
                                             : !container->master && !strcmp(container->title, task);

        if (meant && container->state == CREEL_CONTAINER_RUNNING)
            return container;
    }
    return NULL;
}

/* Returns 1 if the input was written or can no longer be written, 0 if no container runs, or -errno. */
static int try_write(struct creel_client *client, const char *id, const char *task, struct creel_error *error)
{
    static const char *const command[] = {
        "/bin/sh",
        "-c",
        "exec cat >\"$CREEL_SCRATCH/" JOB_INPUT_FIFO "\"",
        NULL,
    };
    scoped_fd int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct creel_exec exec = { .command = command, .in = STDIN_FILENO, .out = nowhere, .err = nowhere };
    const struct creel_container *container;
    struct creel_containers *list;
    struct creel_exec_end end;
    int r = creel_container_list(client, id, NULL, NULL, true, &list, error);

    if (r < 0)
        return r;
    container = find_running(list, task);
    if (container)
        r = creel_container_exec(client, container, &exec, &end, error);
    creel_containers_free(list);
    return r < 0 ? r : container != NULL;
}

/* Waits for a change of the application. Returns false if the application is over. */
static bool wait_for_change(struct creel_client *client, const char *id, uint64_t *version)
{
    struct creel_apps *apps;
    struct creel_error error;
    bool goes_on;

    if (creel_app_watch(client, id, *version, LOOK_MS, &apps, &error) < 0)
        return error.code == EHOSTUNREACH || error.code == EAGAIN;
    *version = apps->items[0].version;
    goes_on = !creel_app_is_over(&apps->items[0]);
    creel_apps_free(apps);
    return goes_on;
}

/* Returns whether RESULT is a temporary error: the container ended, or the RM does not answer. */
static bool is_passing(int result)
{
    return result == -ENOENT || result == -EBUSY || result == -EAGAIN || result == -EHOSTUNREACH;
}

int cmd_write_input(struct cli *cli)
{
    struct creel_error error;
    uint64_t version = 0;
    bool noted = false;
    int64_t tasks;
    int code, r = 0;

    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (cli->options.argument_count != 2)
        return cli_usage(cli, "creel run starts this");
    if (text_has_prefix(cli->options.arguments[1], "all/"))
        return text_parse_int64(cli->options.arguments[1] + 4, &tasks) && tasks > 0 &&
                       tasks <= INPUT_COPIES_MAX
                   ? input_copies_run(cli, cli->options.arguments[0], (uint32_t)tasks)
                   : cli_usage(cli, "creel run starts this");
    if (!cli_client(cli, &code))
        return code;
    while ((r == 0 || is_passing(r)) && wait_for_change(cli->client, cli->options.arguments[0], &version)) {
        r = try_write(cli->client, cli->options.arguments[0], cli->options.arguments[1], &error);
        if (r == -EAGAIN && !noted)
            cli_print(cli, "creel: standard input waits: %s", error.text);
        noted = noted || r == -EAGAIN;
    }
    if (r >= 0 || is_passing(r))
        return EXIT_DONE;
    cli_print(cli, "creel: standard input could not be passed on to its end: %s", error.text);
    return EXIT_FAILED;
}
