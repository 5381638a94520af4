/* SPDX-License-Identifier: Apache-2.0 */
/* cli.c - common parts of all commands: the client, the configuration, errors and their exit codes */
#include "client/cli/frame/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/dev/dev.h"
#include "common/base/job/exit_status.h"
#include "common/base/mem.h"
#include "common/conf/conf.h"
#include "common/io/loop/loop.h"

const struct option_spec cli_global_options[] = {
    { 0, "rm", "HOST:PORT", "resource manager, or several, comma-separated (CREEL_RM)" },
    { 0, "conf", "DIR", "configuration (CREEL_CONF_DIR, YARN_CONF_DIR, HADOOP_CONF_DIR)" },
    { 'o', "output", "FORMAT", "table, wide, json, jsonl, csv or id" },
    { 0, "json", NULL, "the same as -o json" },
    { 0, "columns", "A,B", "columns to print, in this order" },
    { 0, "sort", "KEY,-KEY", "sort by columns; with - in descending order" },
    { 0, "no-header", NULL, "print no header line" },
    { 0, "color", "WHEN", "auto, always or never (NO_COLOR)" },
    { 0, "timeout", "TIME", "limit of waiting: with --wait for that, else for the RM (10s)" },
    { 0, "quiet", NULL, "print only results and errors" },
    { 'v', "verbose", NULL, "print more" },
    { 'y', "yes", NULL, "do not ask for confirmation" },
    { 0, "as", "USER", "act for another user (proxy users only)" },
    { 'h', "help", NULL, "show this help" },
    { 0, "version", NULL, "show the version of creel" },
    { 0 },
};

/* --- errors ---------------------------------------------------------------- */

bool cli_prints_json(const struct cli *cli)
{
    return cli->format == FORMAT_JSON || cli->format == FORMAT_JSONL;
}

int cli_exit_code(const struct creel_error *error)
{
    static const struct {
        int code, exit_code;
    } table[] = {
        { ENOENT, EXIT_NOT_FOUND },      { EPERM, EXIT_NOT_PERMITTED },      { EACCES, EXIT_NOT_PERMITTED },
        { ENOKEY, EXIT_NOT_PERMITTED },  { EHOSTUNREACH, EXIT_UNREACHABLE }, { EBUSY, EXIT_REFUSED },
        { EBADMSG, EXIT_BAD_CONFIG },    { ERANGE, EXIT_NEVER_RUNS },        { EOPNOTSUPP, EXIT_REFUSED },
        { ETIMEDOUT, EXIT_OUT_OF_TIME }, { EINTR, EXIT_INTERRUPTED },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].code == error->code)
            return table[i].exit_code;
    }
    return EXIT_FAILED;
}

static void print_lines(const char *text)
{
    /* One line for each error, with the prefix "creel:", so that each line can be found. */
    while (*text) {
        size_t length = strcspn(text, "\n");

        fprintf(stderr, "creel: %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

int cli_fail(const struct creel_error *error)
{
    print_lines(error->text);
    return cli_exit_code(error);
}

int cli_fail_err(const struct err *err)
{
    struct creel_error error = { .code = err->code };

    memcpy(error.text, err->text, sizeof(error.text));
    return cli_fail(&error);
}

int cli_usage(const struct cli *cli, const char *format, ...)
{
    va_list args;

    fputs("creel: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    if (cli->command)
        fprintf(stderr, "\ncreel: how it is used: creel help %s\n", cli->command->path);
    else
        fputs("\ncreel: all commands: creel help\n", stderr);
    return EXIT_USAGE;
}

void cli_print(const struct cli *cli, const char *format, ...)
{
    va_list args;

    if (cli->quiet)
        return;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void cli_detail(const struct cli *cli, const char *format, ...)
{
    va_list args;

    if (!cli->verbose)
        return;
    fputs("creel: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* --- configuration and client ---------------------------------------------- */

static bool environment_names_one(void)
{
    static const char *const names[] = { "CREEL_CONF_DIR", "YARN_CONF_DIR", "HADOOP_CONF_DIR" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            return true;
    }
    return false;
}

const char *cli_conf_dir(struct cli *cli)
{
    if (cli->conf_dir || environment_names_one())
        return conf_directory(cli->conf_dir);
    if (!cli->found_conf_dir && access("/etc/creel/creel-site.xml", F_OK) < 0 &&
        access("/etc/creel/yarn-site.xml", F_OK) < 0) {
        cli->found_conf_dir = dev_running_conf_dir();
        if (cli->found_conf_dir)
            cli_detail(cli, "no configuration was named; using the local cluster's in %s",
                       cli->found_conf_dir);
    }
    return cli->found_conf_dir ? cli->found_conf_dir : conf_directory(NULL);
}

static void print_warning(void *context, enum conf_effect effect, const char *text)
{
    if (conf_effect_matters(effect))
        cli_detail(context, "warning: %s", text);
}

const struct conf *cli_conf(struct cli *cli, int *exit_code)
{
    struct err err = { 0 };

    if (!cli->conf && conf_load(cli_conf_dir(cli), print_warning, cli, &cli->conf, &err) < 0) {
        print_lines(err.text);
        *exit_code = EXIT_BAD_CONFIG;
        return NULL;
    }
    return cli->conf;
}

const char *cli_cluster(struct cli *cli)
{
    const char *of_job = getenv("CREEL_APP_ID") ? getenv("SLURM_CLUSTER_NAME") : NULL;
    const struct conf *conf;
    int exit_code;

    if (of_job && *of_job)
        return of_job;
    conf = cli_conf(cli, &exit_code);
    return conf ? conf_text(conf, CONF_CLUSTER_ID) : NULL;
}

int64_t cli_wait_end_ms(const struct cli *cli)
{
    return options_get(&cli->options, "timeout") ? loop_monotonic_ms() + cli->timeout_ms : INT64_MAX;
}

struct creel_client *cli_connect(struct cli *cli, struct creel_error *error)
{
    struct creel_options options = {
        .rm_address = cli->rm_address,
        .conf_dir = cli_conf_dir(cli),
        .as_user = cli->as_user,
        .timeout_ms = cli->timeout_ms,
        .needs_listener = options_get(&cli->options, "timeout") == NULL && getenv("CREEL_APP_ID") == NULL,
    };

    if (!cli->client && creel_connect(&options, &cli->client, error) < 0)
        return NULL;
    return cli->client;
}

struct creel_client *cli_client(struct cli *cli, int *exit_code)
{
    struct creel_error error;

    if (!cli_connect(cli, &error)) {
        *exit_code = cli_fail(&error);
        if (error.code == EINVAL && cli->rm_address)
            *exit_code = EXIT_USAGE; /* --rm has an invalid address */
        return NULL;
    }
    return cli->client;
}

/* --- end of an application ------------------------------------------------- */

int cli_app_exit(const struct creel_app *app)
{
    int status = app->exit_status;

    if (app->final_status == CREEL_FINAL_SUCCEEDED)
        return EXIT_DONE;
    if (status == CREEL_EXIT_NONE || status == 0)
        return EXIT_FAILED;
    if (status == CONTAINER_EXIT_PHYSICAL || status == CONTAINER_EXIT_VIRTUAL)
        return 137; /* killed for its memory, as in task_exit_code */
    if (status < 0)
        return app->final_status == CREEL_FINAL_KILLED ? 143 : EXIT_FAILED;
    return status > 255 ? 255 : status;
}

char *cli_app_end(const struct creel_app *app)
{
    int status = app->exit_status;

    if (app->final_status == CREEL_FINAL_SUCCEEDED)
        return mem_strdup("");
    if (*app->diagnostics || status == CREEL_EXIT_NONE)
        return mem_strdup(app->diagnostics);
    return status > 128 ? mem_printf("exit status %d, signal %d", status, status - 128)
                        : mem_printf("exit status %d", status);
}

void cli_explain_end(const struct cli *cli, const struct creel_app *app)
{
    const char *how = app->state == CREEL_APP_KILLED ? "was killed" : "failed";
    scoped_free char *reason = cli_app_end(app);

    if (app->final_status != CREEL_FINAL_SUCCEEDED)
        fprintf(stderr, "creel: %s %s%s%s\n", app->id, how, *reason ? ": " : "", reason);
    else if (app->kind != CREEL_JOB_MASTER && *app->diagnostics)
        cli_print(cli, "creel: %s: %s", app->id, app->diagnostics);
}
