/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_history.c - creel history apps: applications that have ended */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/history/history_fields.h"
#include "client/cli/show/history_filter.h"
#include "client/cli/show/show_lists.h"
#include "client/include/creel-history.h"
#include "common/base/mem.h"

const struct option_spec history_options[] = {
    HISTORY_FILTER_OPTIONS,
    HISTORY_LIST_OPTIONS,
    { 0, "fields", "FIELD,...", "these columns, by the names of sacct's fields" },
    { 0, "format", "FIELD,...", "the same as --fields" },
    HISTORY_FORMAT_OPTION,
    { 0 },
};

/* Prints APPS. FIELDS is a result of history_fields_parse; NULL: the usual columns. */
static int show(struct cli *cli, const struct creel_apps *apps, const void *fields)
{
    return fields ? history_fields_print(cli, fields, apps) : show_history(cli, apps);
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
    if (cli_prints_json(cli))
        return err_set(err, EINVAL, "--fields is for tables and CSV: JSON has every field of creel");
    *fields = history_fields_parse(options_get(&cli->options, has_fields ? "fields" : "format"),
                                   &filter->with_nodes, err);
    return *fields != NULL ? 0 : -EINVAL;
}

static int list(struct cli *cli, struct creel_history_filter *filter, const char *fields)
{
    filter->no_long_commands =
        !cli_prints_json(cli) && (fields == NULL || strstr(fields, HISTORY_FIELD_COMMAND) == NULL);
    return history_list_show(cli, filter, show, fields);
}

int cmd_history(struct cli *cli)
{
    scoped_free char *fields = NULL;
    struct creel_history_filter filter;
    struct app_filter apps;
    struct err err = { 0 };
    int code;

    history_format_read(cli);
    if (app_filter_read(&apps, &cli->options, APP_FILTER_ENDED, &err) < 0 ||
        history_filter_read(&filter, &apps, &cli->options, HISTORY_LIMIT_USUAL, &err) < 0 ||
        read_fields(cli, &filter, &fields, &err) < 0)
        code = cli_usage(cli, "%s", err.text);
    else if (cli->options.argument_count > 0)
        code = cli_usage(cli, "creel history apps has no arguments; creel status ID shows one application");
    else
        code = list(cli, &filter, fields);
    app_filter_done(&apps);
    return code;
}
