/* SPDX-License-Identifier: Apache-2.0 */
/* history_filter.c - reads the options of commands about the history */
#include "client/cli/show/history_filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/cli/frame/moment.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"

#define LIMIT_MAX 1000000

static int read_time(const struct options *options, const char *name, int64_t *ret_ms, struct err *err)
{
    const char *text = options_get(options, name);

    return text == NULL ? 0 : moment_parse_past(name, text, loop_now_ms(), ret_ms, err);
}

static int read_limit(const struct options *options, size_t usual, size_t *limit, struct err *err)
{
    const char *text = options_get(options, "limit");
    int64_t number;

    *limit = options_has(options, "since") ? 0 : usual;
    if (text == NULL)
        return 0;
    if (!text_parse_int64(text, &number) || number < 0 || number > LIMIT_MAX)
        return err_set(err, EINVAL, "--limit %s: expected a number from 0 to %d", text, LIMIT_MAX);
    *limit = (size_t)number;
    return 0;
}

int history_times_read(struct creel_history_filter *filter, const struct options *options, size_t usual_limit,
                       struct err *err)
{
    int r;

    if ((r = read_time(options, "since", &filter->since_ms, err)) < 0 ||
        (r = read_time(options, "until", &filter->until_ms, err)) < 0 ||
        (r = read_limit(options, usual_limit, &filter->limit, err)) < 0)
        return r;
    if (filter->until_ms > 0 && filter->since_ms > filter->until_ms)
        return err_set(err, EINVAL, "--since is after --until: there is nothing between");
    return 0;
}

int history_filter_read(struct creel_history_filter *filter, const struct app_filter *apps,
                        const struct options *options, size_t usual_limit, struct err *err)
{
    *filter = (struct creel_history_filter){
        .states = apps->states,
        .state_count = apps->asked.state_count,
        .users = apps->users,
        .queues = apps->queues,
        .tasks = apps->asked.tasks,
        .name = options_get(options, "name"),
    };
    return history_times_read(filter, options, usual_limit, err);
}

int history_list_show(struct cli *cli, const struct creel_history_filter *filter, history_show_fn *show,
                      const void *context)
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
    code = show(cli, apps, context);
    if (warning != NULL)
        fprintf(stderr, "creel: %s\n", warning);
    free(warning);
    if (more && code == EXIT_DONE)
        cli_print(cli, "there are more: --limit %zu, or 0 for all", 10 * filter->limit);
    creel_apps_free(apps);
    return code;
}

void history_format_read(struct cli *cli)
{
    if (options_has(&cli->options, "csv"))
        cli->format = FORMAT_CSV;
}
