/* SPDX-License-Identifier: Apache-2.0 */
/* input_copies.c - standard input of creel run --stdin all: the same bytes for every task */
#include "client/cli/run/input_copies.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/am/task_master.h"
#include "client/cli/run/cmd_job.h"
#include "client/cli/run/input_pipes.h"
#include "common/base/job/task_retry.h"
#include "common/base/mem.h"
#include "common/base/spawn.h"
#include "common/base/text.h"

#define LOOK_MS 500 /* interval of looks at the containers */

/* --- writers ---------------------------------------------------------------- */

static void add_option(const char **words, size_t *count, const char *option, const char *value)
{
    if (!value)
        return;
    words[(*count)++] = option;
    words[(*count)++] = value;
}

pid_t input_writer_start(struct cli *cli, const char *id, const char *task, int in, bool group)
{
    const char *words[16] = { "creel" };
    size_t count = 1;
    const int fds[] = { in == STDIN_FILENO ? SPAWN_SAME : in };
    const struct spawn program = {
        .program = "/proc/self/exe",
        .arguments = words,
        .fds = fds,
        .fd_count = 1,
        .new_group = group,
    };
    pid_t writer;
    int r;

    add_option(words, &count, "--rm", cli->rm_address);
    add_option(words, &count, "--conf", cli_conf_dir(cli));
    add_option(words, &count, "--as", cli->as_user);
    if (cli->quiet)
        words[count++] = "--quiet";
    words[count++] = "__write-input";
    words[count++] = id;
    words[count++] = task;
    r = spawn_start(&program, &writer);
    errno = -r;
    return r == 0 ? writer : -1;
}

/* --- tasks ------------------------------------------------------------------- */

struct copy {     /* of one task */
    int read_end; /* -1: closed */
    pid_t writer; /* 0: not started, or ended */
    bool started;
};

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

/* Leaves out a task that has ended. */
static void end_copy(struct copy *copy)
{
    if (copy->writer > 0) {
        kill(copy->writer, SIGTERM);
        while (waitpid(copy->writer, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    copy->writer = 0;
    copy->started = true;
    close_end(&copy->read_end);
}

static int start_copy(struct cli *cli, const char *id, uint32_t task, struct copy *copy)
{
    scoped_free char *name = mem_printf("%u", task);

    copy->writer = input_writer_start(cli, id, name, copy->read_end, false);
    if (copy->writer < 0)
        return -errno;
    copy->started = true;
    close_end(&copy->read_end);
    return 0;
}

static struct copy *copy_of(struct copy *copies, uint32_t count, const struct creel_container *container)
{
    int64_t task;

    if (container->master || !text_parse_int64(container->title, &task) || task < 0 || task >= count)
        return NULL;
    return &copies[task];
}

/* Starts a writer for each task that runs now, and leaves out the ones that have ended. */
static int update_copies(struct cli *cli, const char *id, struct copy *copies, uint32_t count,
                         struct creel_error *error)
{
    scoped_free bool *live = mem_array0(count, sizeof(*live));
    struct creel_containers *list;
    struct copy *copy;
    int r = creel_container_list(cli->client, id, NULL, NULL, false, &list, error);

    if (r < 0)
        return r;
    for (size_t i = 0; i < list->count; i++) {
        const struct creel_container *container = &list->items[i];

        copy = copy_of(copies, count, container);
        if (!copy || container->state == CREEL_CONTAINER_COMPLETE)
            continue;
        live[copy - copies] = true;
        if (container->state == CREEL_CONTAINER_RUNNING && !copy->started)
            r = start_copy(cli, id, (uint32_t)(copy - copies), copy);
        if (r < 0)
            break;
    }
    for (size_t i = 0; i < list->count && r == 0; i++) {
        const struct creel_container *container = &list->items[i];

        copy = copy_of(copies, count, container);
        if (copy && container->state == CREEL_CONTAINER_COMPLETE && !live[copy - copies] &&
            !task_status_is_lost(container->exit_status)) /* else it is tried again */
            end_copy(copy);
    }
    creel_containers_free(list);
    if (r < 0)
        snprintf(error->text, sizeof(error->text), "a process for a task: %s", strerror(-r));
    return r;
}

/* Takes note of writers that have ended. Returns whether a task still needs one. */
static bool is_needed(struct copy *copies, uint32_t count)
{
    bool needed = false;

    for (uint32_t i = 0; i < count; i++) {
        if (copies[i].writer > 0 && waitpid(copies[i].writer, NULL, WNOHANG) == copies[i].writer)
            copies[i].writer = 0;
        needed = needed || !copies[i].started || copies[i].writer > 0;
    }
    return needed;
}

static bool is_passing(int result)
{
    return result >= 0 || result == -EAGAIN || result == -EHOSTUNREACH;
}

/* Waits for a change of the application. Returns false if it is over. */
static bool wait_for_change(struct cli *cli, const char *id, uint64_t *version)
{
    struct creel_apps *apps;
    struct creel_error error;
    bool goes_on;

    if (creel_app_watch(cli->client, id, *version, LOOK_MS, &apps, &error) < 0)
        return error.code == EHOSTUNREACH || error.code == EAGAIN;
    *version = apps->items[0].version;
    goes_on = !creel_app_is_over(&apps->items[0]);
    creel_apps_free(apps);
    return goes_on;
}

static int serve(struct cli *cli, const char *id, struct copy *copies, uint32_t count)
{
    struct creel_error error;
    uint64_t version = 0;
    int r = 0, code;

    if (!cli_client(cli, &code))
        return code;
    while (is_passing(r) && is_needed(copies, count) && wait_for_change(cli, id, &version))
        r = update_copies(cli, id, copies, count, &error);
    if (is_passing(r))
        return EXIT_DONE;
    cli_print(cli, "creel: standard input could not be passed on to its end: %s", error.text);
    return EXIT_FAILED;
}

int input_copies_run(struct cli *cli, const char *id, uint32_t count)
{
    scoped_free struct copy *copies = mem_array0(count, sizeof(*copies));
    scoped_free int *read_ends = mem_array0(count, sizeof(*read_ends));
    pid_t filler = input_pipes_start(read_ends, count);
    int code = EXIT_FAILED;

    for (uint32_t i = 0; i < count; i++)
        copies[i] = (struct copy){ .read_end = read_ends[i] };
    close(STDIN_FILENO); /* the other process reads it */
    (void)open("/dev/null", O_RDONLY);
    if (filler < 0)
        cli_print(cli, "creel: standard input cannot be passed on: %s", strerror(-filler));
    else
        code = serve(cli, id, copies, count);
    for (uint32_t i = 0; i < count; i++)
        end_copy(&copies[i]);
    input_pipes_end(filler);
    return code;
}
