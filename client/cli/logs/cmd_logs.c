/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_logs.c - creel logs: prints containers' output, read from their agents */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/cli/commands.h"
#include "client/cli/logs/follow.h"
#include "client/cli/logs/log_copy.h"
#include "client/cli/logs/log_nodes.h"
#include "client/cli/show/show_app.h"
#include "client/cli/logs/stored_logs.h"
#include "client/cli/show/container_lookup.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"

const struct option_spec logs_options[] = {
    { 'f', "follow", NULL, "print new output until the application has ended" },
    { 'n', "lines", "N", "only the last N lines of each log" },
    { 0, "bytes", "N", "only the last N bytes of each log: 1000, 64k" },
    { 0, "stdout", NULL, "only standard output" },
    { 0, "stderr", NULL, "only standard error" },
    { 0, "file", "NAME", "only this log: stdout or stderr" },
    { 0, "since", "TIME", "only containers that run, or ended less than TIME ago: 10m, 2h" },
    { 0, "prefix", NULL, "begin each line with its container, even if there is only one" },
    { 0, "out", "DIR", "write files below DIR: DIR/CONTAINER/stdout" },
    { 0 },
};

static const char *const file_names[2] = { "stdout", "stderr" };

struct wanted {
    struct log_tail tail;
    bool files[2]; /* print stdout, print stderr */
    const char *out;
    bool follow, prefix;
    int64_t since_ms; /* wall clock: skips containers that ended before; 0: skips none */
};

struct target { /* the application and container that the arguments name */
    struct creel_apps *apps;
    struct creel_containers *containers;
    const struct creel_container *one; /* NULL: all containers of the application */
    bool masters;                      /* logs of the built-in master are printed, too */
    struct stored_logs *stored;        /* logs on shared storage; NULL: none */
    struct log_nodes *nodes;           /* from which other logs are read; NULL: not needed yet */
};

static int read_options(const struct cli *cli, struct wanted *wanted, struct err *err)
{
    const struct options *options = &cli->options;
    const char *lines = options_get(options, "lines");
    const char *bytes = options_get(options, "bytes");
    const char *file = options_get(options, "file");
    const char *since = options_get(options, "since");
    int64_t ago_ms;
    bool only_stdout = options_has(options, "stdout") || text_equal(file, "stdout");
    bool only_stderr = options_has(options, "stderr") || text_equal(file, "stderr");

    *wanted = (struct wanted){
        .tail = { -1, -1 },
        .out = options_get(options, "out"),
        .files = { only_stdout || !only_stderr, only_stderr || !only_stdout },
        .follow = options_has(options, "follow"),
        .prefix = options_has(options, "prefix"),
    };
    if (file && !only_stdout && !only_stderr)
        return err_set(err, EINVAL, "--file %s: there are stdout and stderr", file);
    if (lines && bytes)
        return err_set(err, EINVAL, "--lines and --bytes: one of them");
    if (wanted->follow && wanted->out)
        return err_set(err, EINVAL, "--follow and --out: one of them");
    if (lines && (!text_parse_int64(lines, &wanted->tail.lines) || wanted->tail.lines < 0))
        return err_set(err, EINVAL, "--lines %s: expected a number of lines", lines);
    if (since && wanted->follow)
        return err_set(err, EINVAL, "--since and --follow: one of them");
    if (since && (!text_parse_duration_ms(since, 1000, &ago_ms) || ago_ms <= 0))
        return err_set(err, EINVAL, "--since %s: expected a time, as 90s or 10m", since);
    wanted->since_ms = since ? loop_now_ms() - ago_ms : 0;
    if (bytes && (!text_parse_size_bytes(bytes, 1, &wanted->tail.bytes) || wanted->tail.bytes < 0))
        return err_set(err, EINVAL, "--bytes %s: expected a size, as 1000 or 64k", bytes);
    return 0;
}

/* --- selection of logs ----------------------------------------------------- */

static int find_app(struct cli *cli, const char *id, struct target *target, struct creel_error *error)
{
    int r = creel_app_get(cli->client, id, &target->apps, error);

    if (r < 0)
        return r;
    return creel_container_list(cli->client, target->apps->items[0].id, NULL, NULL, false,
                                &target->containers, error);
}

/* Handles `creel logs ID`, `creel logs ID CONTAINER`, and `creel logs CONTAINER` with the container's
 * whole id. */
static int find_target(struct cli *cli, struct target *target, struct creel_error *error)
{
    const char *const *arguments = cli->options.arguments;
    const char *container = cli->options.argument_count > 1 ? arguments[1] : NULL;
    struct container_id id;
    char app_text[ID_TEXT_MAX];
    struct err err = { 0 };
    int r;

    if (container_id_parse(arguments[0], &id)) {
        container = arguments[0];
        r = find_app(cli, app_id_format(&id.attempt.app, app_text), target, error);
    } else {
        r = find_app(cli, arguments[0], target, error);
    }
    if (r < 0 || !container)
        return r;
    r = container_lookup(target->containers, container, &target->one, &err);
    if (r < 0) {
        error->code = -r;
        memcpy(error->text, err.text, sizeof(error->text));
    }
    return r;
}

static void target_done(struct target *target)
{
    stored_logs_close(target->stored);
    log_nodes_free(target->nodes);
    creel_containers_free(target->containers);
    creel_apps_free(target->apps);
}

static bool is_wanted(const struct wanted *wanted, const struct target *target,
                      const struct creel_container *container)
{
    const struct creel_app *app = &target->apps->items[0];

    if (container->finished_ms > 0 && container->finished_ms < wanted->since_ms)
        return false;
    if (target->one)
        return target->one == container;
    /* A container that never ran has no log. */
    return container->started_ms > 0 &&
           (target->masters || app->kind != CREEL_JOB_TASKS || !container->master);
}

/* The log of the built-in master is printed only on request by its id. If its application failed before a
 * task of it ran, no other log has the reason. */
static bool wants_masters(const struct target *target)
{
    if (target->apps->items[0].state != CREEL_APP_FAILED)
        return false;
    for (size_t i = 0; i < target->containers->count; i++)
        if (!target->containers->items[i].master && target->containers->items[i].started_ms > 0)
            return false;
    return true;
}

static size_t count_wanted(const struct wanted *wanted, const struct target *target)
{
    size_t count = 0;

    for (size_t i = 0; i < target->containers->count; i++)
        count += is_wanted(wanted, target, &target->containers->items[i]);
    return count;
}

/* --- copying --------------------------------------------------------------- */

static FILE *open_out(const char *directory, const char *container_id, const char *file,
                      struct creel_error *error)
{
    scoped_free char *folder = mem_printf("%s/%s", directory, container_id);
    scoped_free char *path = mem_printf("%s/%s", folder, file);
    FILE *out = NULL;

    if ((mkdir(directory, 0777) == 0 || errno == EEXIST) && (mkdir(folder, 0777) == 0 || errno == EEXIST))
        out = fopen(path, "we");
    if (!out) {
        error->code = EIO;
        snprintf(error->text, sizeof(error->text), "%s: cannot be written: %s", path, strerror(errno));
    }
    return out;
}

/* Opens a log: on shared storage, if it is there, else at its agent. STORAGE gets the reason why the storage
 * cannot be read; CODE 0: there is none. */
static int open_log(struct cli *cli, const struct target *target, const struct creel_container *container,
                    int which, bool *is_stored, struct creel_log **log, struct err *storage,
                    struct creel_error *error)
{
    int stored = stored_logs_find(target->stored, container, file_names[which], log, storage);

    *is_stored = stored > 0;
    if (stored >= 0)
        storage->code = 0;
    return stored > 0 ? 0 : creel_log_open(cli->client, container, file_names[which], log, error);
}

/* If the agent has no log, or does not answer, the reason of the storage is the one that helps. Returns the
 * result. */
static int prefer_storage(const struct err *storage, int r, struct creel_error *error)
{
    if (storage->code == 0 || (r != -ENOENT && r != -EHOSTUNREACH))
        return r;
    error->code = storage->code;
    snprintf(error->text, sizeof(error->text), "%.900s", storage->text);
    return -storage->code;
}

static int copy_log(const struct wanted *wanted, const struct creel_container *container, int which,
                    const char *prefix, struct creel_log *log, struct creel_error *error)
{
    FILE *out = which == 0 ? stdout : stderr;
    int r;

    /* If only the log stderr was requested, it is printed on standard output. */
    if (!wanted->files[0])
        out = stdout;
    if (wanted->out)
        out = open_out(wanted->out, container->id, file_names[which], error);
    r = out ? log_copy(log, &wanted->tail, prefix, out, error) : -EIO;
    if (out && wanted->out && fclose(out) != 0 && r == 0) {
        error->code = EIO;
        snprintf(error->text, sizeof(error->text), "%s/%s: cannot be written", wanted->out, container->id);
        r = -EIO;
    }
    return r;
}

/* Returns 1 if the log was not read because its node is silent. */
static int copy_file(struct cli *cli, const struct wanted *wanted, const struct target *target,
                     const struct creel_container *container, int which, const char *prefix,
                     struct creel_error *error)
{
    struct err storage = { 0 };
    struct creel_log *log;
    bool is_stored;
    int r = open_log(cli, target, container, which, &is_stored, &log, &storage, error);

    if (r < 0 || !is_stored)
        log_nodes_add(target->nodes, container);
    if (r < 0)
        return log_nodes_may_read(target->nodes, container, NULL) ? prefer_storage(&storage, r, error) : 1;
    if (!is_stored && !log_nodes_may_read(target->nodes, container, log))
        r = 1;
    else
        r = copy_log(wanted, container, which, prefix, log, error);
    creel_log_close(log);
    if (r == -EHOSTUNREACH)
        log_nodes_set_silent(target->nodes, container);
    return prefer_storage(&storage, r, error);
}

static int copy_container(struct cli *cli, const struct wanted *wanted, const struct target *target,
                          const struct creel_container *container, const char *prefix)
{
    for (int which = 0; which < 2; which++) {
        struct creel_error error = { 0 };
        int r;

        if (!wanted->files[which])
            continue;
        r = copy_file(cli, wanted, target, container, which, prefix, &error);
        if (r == 1)
            return EXIT_UNREACHABLE;
        /* The container runs and has written nothing yet. */
        if (r == -ENOENT && container->state != CREEL_CONTAINER_COMPLETE)
            r = 0;
        if (r == -EHOSTUNREACH)
            log_nodes_set_silent(target->nodes, container);
        if (r < 0) {
            fprintf(stderr, "creel: %s of %s: %s\n", file_names[which], container->id, error.text);
            return cli_exit_code(&error);
        }
        fflush(stdout);
    }
    return EXIT_DONE;
}

/* Begins to connect to the agents of all containers whose logs are read from there. */
static void connect_nodes(struct cli *cli, const struct wanted *wanted, struct target *target)
{
    target->nodes = log_nodes_new(cli->client);
    for (size_t i = 0; target->stored == NULL && i < target->containers->count; i++)
        if (is_wanted(wanted, target, &target->containers->items[i]))
            log_nodes_add(target->nodes, &target->containers->items[i]);
}

static void print_silent(void *context, const char *node_id, unsigned containers)
{
    (void)context;
    fprintf(stderr, "creel: node %s did not answer: logs of %u more container%s were not read\n", node_id,
            containers, containers == 1 ? "" : "s");
}

static int copy_all(struct cli *cli, const struct wanted *wanted, struct target *target)
{
    const struct creel_app *app = &target->apps->items[0];
    bool prefix = !wanted->out && (wanted->prefix || count_wanted(wanted, target) > 1);
    char label[LOG_LABEL_MAX];
    int code = EXIT_DONE;

    connect_nodes(cli, wanted, target);
    for (size_t i = 0; i < target->containers->count; i++) {
        const struct creel_container *container = &target->containers->items[i];
        int r;

        if (!is_wanted(wanted, target, container))
            continue;
        r = copy_container(cli, wanted, target, container, prefix ? log_label(app, container, label) : "");
        if (code == EXIT_DONE)
            code = r;
    }
    log_nodes_each_silent(target->nodes, print_silent, NULL);
    if (!count_wanted(wanted, target) && *app->array)
        cli_print(cli, "creel: %s is an array; its tasks have logs, as those of %s_%u", app->id,
                  show_app_suffix(app->id), (unsigned)strtoul(app->array, NULL, 10));
    else if (!count_wanted(wanted, target))
        cli_print(cli, "creel: %s: %s", app->id,
                  wanted->since_ms > 0     ? "none of its containers runs, or ended since then"
                  : creel_app_is_over(app) ? "none of its containers ran"
                                           : "none of its containers runs yet");
    return code;
}

/* --- following ------------------------------------------------------------- */

static int offset_of(struct cli *cli, const struct wanted *wanted, const struct creel_container *container,
                     int which, uint64_t *offset, struct creel_error *error)
{
    struct creel_log *log;
    uint64_t size;
    int r;

    if (!wanted->files[which] || (wanted->tail.lines < 0 && wanted->tail.bytes < 0))
        return 0;
    r = creel_log_open(cli->client, container, file_names[which], &log, error);
    if (r < 0)
        return r;
    r = log_copy_start(log, &wanted->tail, offset, &size, error);
    creel_log_close(log);
    return r == -ENOENT ? 0 : r;
}

/* Returns the container to follow if there is exactly one, else NULL. -n and --bytes need one container,
 * since they select the start of one log. */
static const struct creel_container *only_one(const struct wanted *wanted, const struct target *target)
{
    const struct creel_container *found = target->one;

    for (size_t i = 0; !target->one && i < target->containers->count; i++) {
        if (!is_wanted(wanted, target, &target->containers->items[i]))
            continue;
        if (found)
            return NULL;
        found = &target->containers->items[i];
    }
    return found;
}

static int follow_logs(struct cli *cli, const struct wanted *wanted, struct target *target)
{
    struct follow_options options = {
        .copy_stdout = wanted->files[0],
        .copy_stderr = wanted->files[1],
        .prefix = wanted->prefix ? FOLLOW_PREFIX_ALWAYS : FOLLOW_PREFIX_AUTO,
        .container_id = target->one ? target->one->id : NULL,
        .only_look = true,
    };
    bool tail = wanted->tail.lines >= 0 || wanted->tail.bytes >= 0;
    const struct creel_container *one = tail ? only_one(wanted, target) : NULL;
    struct creel_apps *apps = NULL;
    struct creel_error error = { 0 };
    enum follow_end end;
    struct err err = { 0 };

    if (tail && !one && count_wanted(wanted, target))
        return cli_usage(cli, "--lines and --bytes with --follow: name one container");
    if (target->stored) /* the application has ended: there is nothing to wait for */
        return copy_all(cli, wanted, target);
    if (one) {
        options.container_id = one->id;
        if (offset_of(cli, wanted, one, 0, &options.stdout_offset, &error) < 0 ||
            offset_of(cli, wanted, one, 1, &options.stderr_offset, &error) < 0)
            return cli_fail(&error);
    }
    if (follow_app(cli->client, target->apps->items[0].id, &options, &end, &apps, &err) < 0)
        return cli_fail_err(&err);
    creel_apps_free(apps);
    return end == FOLLOW_OVER ? EXIT_DONE : EXIT_INTERRUPTED;
}

/* Looks for logs on shared storage if the application has ended. */
static void find_stored(struct cli *cli, struct target *target)
{
    const struct creel_app *app = &target->apps->items[0];
    int code;

    if (!creel_app_is_over(app))
        return;
    target->stored = stored_logs_open(cli_conf(cli, &code), app->user, app->id, cli->timeout_ms);
    if (target->one)
        stored_logs_limit(target->stored, target->one->id);
}

int cmd_logs(struct cli *cli)
{
    struct target target = { 0 };
    struct creel_error error;
    struct wanted wanted;
    struct err err = { 0 };
    int code;

    if (cli->options.argument_count < 1 || cli->options.argument_count > 2)
        return cli_usage(cli, "whose logs? creel logs ID [CONTAINER]");
    if (read_options(cli, &wanted, &err) < 0)
        return cli_usage(cli, "%s", err.text);
    if (!cli_client(cli, &code))
        return code;
    if (find_target(cli, &target, &error) < 0) {
        code = cli_fail(&error);
    } else {
        target.masters = wants_masters(&target);
        find_stored(cli, &target);
        code = wanted.follow ? follow_logs(cli, &wanted, &target) : copy_all(cli, &wanted, &target);
    }
    target_done(&target);
    return code;
}

int cmd_container_logs(struct cli *cli)
{
    struct creel_containers *list;
    struct creel_error error;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "which container? creel container logs ID");
    if (!cli_client(cli, &code))
        return code;
    if (creel_container_list(cli->client, NULL, NULL, cli->options.arguments[0], false, &list, &error) < 0)
        return cli_fail(&error);
    cli->options.arguments[0] = list->items[0].id;
    code = cmd_logs(cli);
    creel_containers_free(list);
    return code;
}
