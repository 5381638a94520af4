/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_history.c - creel history apps: applications that have ended */
#include <errno.h>
#include <stdlib.h>

#include "client/cli/commands.h"
#include "client/cli/history_fields.h"
#include "client/cli/history_filter.h"
#include "client/cli/show_history.h"
#include "client/include/creel-history.h"
#include "common/base/mem.h"

#define LIMIT_USUAL 100

const struct option_spec history_options[] = {
    { 's', "state", "STATE,...", "FINISHED, FAILED or KILLED" },
    { 'u', "user", "USER,...", "only of these users" },
    { 'q', "queue", "QUEUE,...", "only in these queues, or below them" },
    { 'n', "name", "PATTERN", "only with such a name; * and ? stand for other characters" },
    { 0, "since", "TIME", "that ended then or later" },
    { 0, "until", "TIME", "that ended then or earlier" },
    { 0, "limit", "N", "the last N (default 100, with --since all); 0: all" },
    { 0, "tasks", NULL, "the tasks of arrays, too" },
    { 0, "fields", "FIELD,...", "these columns, by the names of sacct's fields" },
    { 0, "format", "FIELD,...", "the same as --fields" },
    { 0, "csv", NULL, "the same as -o csv" },
    { 0 },
};

/* Lists applications. FIELDS is a result of history_fields_parse; NULL: the usual columns. */
static int list(struct cli *cli, const struct creel_history_filter *filter, const char *fields)
{
    struct creel_apps *apps = NULL;
    struct creel_error error;
    char *warning = NULL;
    bool more;
    int code;
    struct creel_client *client = cli_client(cli, &code);

    if (client == NULL)
        return code;
    if (creel_history_list(client, filter, &apps, &more, &warning, &error) < 0)
        return cli_fail(&error);
    code = fields ? history_fields_print(cli, fields, apps) : show_history(cli, apps);
    if (warning != NULL)
        fprintf(stderr, "creel: %s\n", warning);
    free(warning);
    if (more && code == EXIT_DONE)
        cli_say(cli, "there are more: --limit %zu, or 0 for all", 10 * filter->limit);
    creel_apps_free(apps);
    return code;
}

/* Reads --fields or --format. *FIELDS is NULL if neither is given. Sets filter->with_nodes if nodes are
 * printed. */
static int read_fields(struct cli *cli, struct creel_history_filter *filter, char **fields, struct err *err)
{
    bool has_fields = options_has(&cli->options, "fields"), has_format = options_has(&cli->options, "format");

    *fields = NULL;
    if (!has_fields && !has_format)
        return 0;
    if ((has_fields && has_format) || cli->columns != NULL)
        return err_set(err, EINVAL, "--fields, --format and --columns: one of them");
    if (cli->format == FORMAT_JSON || cli->format == FORMAT_JSONL)
        return err_set(err, EINVAL, "--fields is for tables and CSV: JSON has every field of creel");
    *fields = history_fields_parse(options_get(&cli->options, has_fields ? "fields" : "format"),
                                   &filter->with_nodes, err);
    return *fields != NULL ? 0 : -EINVAL;
}

int cmd_history(struct cli *cli)
{
    scoped_free char *fields = NULL;
    struct creel_history_filter filter;
    struct app_filter apps;
    struct err err = { 0 };
    int code;

    history_format_read(cli);
    if (app_filter_read(&apps, &cli->options, "FINISHED,FAILED,KILLED", &err) < 0 ||
        history_filter_read(&filter, &apps, &cli->options, LIMIT_USUAL, &err) < 0 ||
        read_fields(cli, &filter, &fields, &err) < 0)
        code = cli_usage(cli, "%s", err.text);
    else if (cli->options.argument_count > 0)
        code = cli_usage(cli, "creel history apps has no arguments; creel status ID shows one application");
    else
        code = list(cli, &filter, fields);
    app_filter_done(&apps);
    return code;
}
