/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wait.c - creel wait: waits until applications run, or have ended */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/show/show_app.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"

#define NOT_BEGUN_MS 500 /* time until a task that has not begun is looked up again */

const struct option_spec wait_options[] = {
    { 0, "for", "STATE", "finished (the default) or running" },
    { 0, "timeout", "TIME", "give up after TIME: 30 (seconds), 5m, 1h (default: no limit)" },
    { 0 },
};

static int read_state(const char *text, enum creel_wait_for *what)
{
    if (!text || !strcmp(text, "finished")) {
        *what = CREEL_WAIT_FINISHED;
        return 0;
    }
    if (!strcmp(text, "running")) {
        *what = CREEL_WAIT_RUNNING;
        return 0;
    }
    return -EINVAL;
}

static bool is_json(const struct cli *cli)
{
    return cli->format == FORMAT_JSON || cli->format == FORMAT_JSONL;
}

static void print_app(const struct cli *cli, const struct creel_app *app, struct items_writer *items)
{
    if (is_json(cli)) {
        show_app_json(app, items_open(items));
        items_close(items);
    } else if (cli->format == FORMAT_ID) {
        puts(app->id);
    } else if (!cli->quiet && creel_app_is_over(app)) {
        printf("%s %s %s\n", app->id, creel_app_state_name(app->state),
               creel_final_status_name(app->final_status));
    } else if (!cli->quiet) {
        printf("%s %s\n", app->id, creel_app_state_name(app->state));
    }
    fflush(stdout);
}

/* Gets the application ID. Waits for a task of an array that has not begun, for *LIMIT_MS at most, which it
 * counts down; -1: no limit. */
static int find(struct cli *cli, const char *id, int64_t *limit_ms, struct creel_apps **apps)
{
    struct creel_error error;

    while (creel_app_get(cli->client, id, apps, &error) < 0) {
        if (error.code != EBUSY)
            return cli_fail(&error);
        if (*limit_ms >= 0 && *limit_ms < NOT_BEGUN_MS) {
            fprintf(stderr, "creel: %s\n", error.text);
            return EXIT_OUT_OF_TIME;
        }
        poll(NULL, 0, NOT_BEGUN_MS);
        *limit_ms -= *limit_ms >= 0 ? NOT_BEGUN_MS : 0;
    }
    return EXIT_DONE;
}

static int wait_one(struct cli *cli, const char *id, enum creel_wait_for what, int64_t limit_ms,
                    struct items_writer *items)
{
    struct creel_apps *apps = NULL;
    struct creel_error error;
    scoped_free char *full = NULL;
    int code = EXIT_DONE;

    if ((code = find(cli, id, &limit_ms, &apps)) != EXIT_DONE)
        return code;
    full = mem_strdup(apps->items[0].id);
    creel_apps_free(apps);
    apps = NULL;
    if (creel_app_wait(cli->client, full, what, limit_ms, &apps, &error) < 0)
        return cli_fail(&error);
    print_app(cli, &apps->items[0], items);
    if (what == CREEL_WAIT_RUNNING && !apps->items[0].started_ms) {
        fprintf(stderr, "creel: application %s: ended without having run\n", full);
        code = EXIT_REFUSED;
    }
    creel_apps_free(apps);
    return code;
}

int cmd_wait(struct cli *cli)
{
    const char *limit = options_get(&cli->options, "timeout");
    const char *state = options_get(&cli->options, "for");
    int64_t limit_ms = -1, deadline_ms;
    struct items_writer items;
    enum creel_wait_for what;
    int code = EXIT_DONE;

    if (!cli->options.argument_count)
        return cli_usage(cli, "which application? creel wait ID");
    if (read_state(state, &what) < 0)
        return cli_usage(cli, "--for %s: expected running or finished", state);
    if (limit && (!text_parse_duration_ms(limit, 1000, &limit_ms) || limit_ms < 0))
        return cli_usage(cli, "--timeout %s: expected a time, as 30 (seconds), 5m or 1h", limit);
    if (!cli_client(cli, &code))
        return code;
    deadline_ms = loop_monotonic_ms() + limit_ms;
    if (is_json(cli))
        items_begin(&items, cli, "AppList");
    for (size_t i = 0; i < cli->options.argument_count; i++) {
        int64_t left_ms = limit ? deadline_ms - loop_monotonic_ms() : -1;
        int r = wait_one(cli, cli->options.arguments[i], what, limit && left_ms < 0 ? 0 : left_ms, &items);

        if (code == EXIT_DONE)
            code = r;
        if (r == EXIT_OUT_OF_TIME || r == EXIT_UNREACHABLE)
            break;
    }
    if (is_json(cli))
        items_end(&items);
    return code;
}
