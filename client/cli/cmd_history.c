/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_history.c - creel history apps: applications that have ended */
#include <errno.h>
#include <stdlib.h>

#include "client/cli/app_filter.h"
#include "client/cli/commands.h"
#include "client/cli/moment.h"
#include "client/cli/show_history.h"
#include "client/include/creel-history.h"
#include "common/base/text.h"
#include "common/io/loop.h"

#define LIMIT_USUAL 100
#define LIMIT_MAX 1000000

const struct option_spec history_options[] = {
    { 's', "state", "STATE,...", "FINISHED, FAILED or KILLED" },
    { 'u', "user", "USER,...", "only of these users" },
    { 'q', "queue", "QUEUE,...", "only in these queues, or below them" },
    { 'n', "name", "PATTERN", "only with such a name; * and ? stand for other characters" },
    { 0, "since", "TIME", "that ended then or later" },
    { 0, "until", "TIME", "that ended then or earlier" },
    { 0, "limit", "N", "the last N; 100 without --since; 0: all" },
    { 0, "tasks", NULL, "the tasks of arrays, too" },
    { 0 },
};

static int read_time(const struct options *options, const char *name, int64_t *ret_ms, struct err *err)
{
    const char *text = options_get(options, name);

    return text == NULL ? 0 : moment_parse_past(name, text, loop_now_ms(), ret_ms, err);
}

static int read_limit(const struct options *options, size_t *limit, struct err *err)
{
    const char *text = options_get(options, "limit");
    int64_t number;

    *limit = options_has(options, "since") ? 0 : LIMIT_USUAL;
    if (text == NULL)
        return 0;
    if (!text_parse_int64(text, &number) || number < 0 || number > LIMIT_MAX)
        return err_set(err, EINVAL, "--limit %s: expected a number from 0 to %d", text, LIMIT_MAX);
    *limit = (size_t)number;
    return 0;
}

static int read_filter(const struct options *options, const struct app_filter *apps,
                       struct creel_history_filter *filter, struct err *err)
{
    int r;

    *filter = (struct creel_history_filter){
        .states = apps->states,
        .state_count = apps->asked.state_count,
        .users = apps->users,
        .queues = apps->queues,
        .tasks = apps->asked.tasks,
        .name = options_get(options, "name"),
    };
    if ((r = read_time(options, "since", &filter->since_ms, err)) < 0 ||
        (r = read_time(options, "until", &filter->until_ms, err)) < 0 ||
        (r = read_limit(options, &filter->limit, err)) < 0)
        return r;
    if (filter->until_ms > 0 && filter->since_ms > filter->until_ms)
        return err_set(err, EINVAL, "--since is after --until: nothing can have ended between");
    return 0;
}

static int list(struct cli *cli, const struct creel_history_filter *filter)
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
    code = show_history(cli, apps);
    if (warning != NULL)
        fprintf(stderr, "creel: %s\n", warning);
    free(warning);
    if (more && code == EXIT_DONE)
        cli_say(cli, "there are more: --limit %zu, or 0 for all", 10 * filter->limit);
    creel_apps_free(apps);
    return code;
}

int cmd_history(struct cli *cli)
{
    struct creel_history_filter filter;
    struct app_filter apps;
    struct err err = { 0 };
    int code;

    if (app_filter_read(&apps, &cli->options, "FINISHED,FAILED,KILLED", &err) < 0 ||
        read_filter(&cli->options, &apps, &filter, &err) < 0)
        code = cli_usage(cli, "%s", err.text);
    else if (cli->options.argument_count > 0)
        code = cli_usage(cli, "creel history apps has no arguments; creel status ID shows one application");
    else
        code = list(cli, &filter);
    app_filter_done(&apps);
    return code;
}
