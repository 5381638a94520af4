/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hold.c - creel hold, creel release */
#include <stdlib.h>

#include "client/cli/commands.h"
#include "client/cli/run/cmd_job.h"
#include "client/cli/show/show_app.h"
#include "common/base/mem.h"

const struct option_spec hold_options[] = {
    { 0, "reason", "TEXT", "reason, shown with the application" },
    { 0 },
};

static void print_holds(struct cli *cli, const struct creel_app *app)
{
    if (app->hold_count == 0) {
        cli_print(cli, "%s: released", app->id);
        return;
    }
    for (size_t i = 0; i < app->hold_count; i++) {
        const struct creel_hold *hold = &app->holds[i];

        cli_print(cli, "%s: held by %s%s%s%s", app->id, hold->administrator ? "administrator " : "", hold->by,
                  *hold->reason ? ": " : "", hold->reason);
    }
}

typedef int change_fn(struct cli *cli, const char *id, struct creel_apps **ret, struct creel_error *error);

static int hold(struct cli *cli, const char *id, struct creel_apps **ret, struct creel_error *error)
{
    return creel_app_hold(cli->client, id, options_get(&cli->options, "reason"), ret, error);
}

/* Releases the application ID, and prints that its queue reduces its priority, if it does. */
static int release(struct cli *cli, const char *id, struct creel_apps **ret, struct creel_error *error)
{
    struct creel_apps *before;
    int r = creel_app_get(cli->client, id, &before, error);

    if (r < 0)
        return r;
    r = creel_app_release(cli->client, id, ret, error);
    if (r == 0)
        job_print_priority(before->items[0].priority, &(*ret)->items[0]);
    creel_apps_free(before);
    return r;
}

static int change_one(struct cli *cli, change_fn *change, const char *id, struct creel_apps **ret)
{
    struct creel_error error;

    if (change(cli, id, ret, &error) < 0)
        return cli_fail(&error);
    if (!cli->format_given)
        print_holds(cli, &(*ret)->items[0]);
    return EXIT_DONE;
}

/* Changes all applications, also after a failure. Returns the first failure. */
static int change_all(struct cli *cli, change_fn *change)
{
    size_t count = cli->options.argument_count;
    scoped_free struct creel_apps **lists = mem_array0(count + 1, sizeof(*lists));
    scoped_free struct creel_app *items = mem_array0(count + 1, sizeof(*items));
    struct creel_apps changed = { .items = items };
    int code;

    if (!count)
        return cli_usage(cli, "which application? %s ID", change == hold ? "creel hold" : "creel release");
    if (!cli_client(cli, &code))
        return code;
    code = EXIT_DONE;
    for (size_t i = 0; i < count; i++) {
        int r = change_one(cli, change, cli->options.arguments[i], &lists[i]);

        if (r == EXIT_DONE)
            items[changed.count++] = lists[i]->items[0];
        code = code == EXIT_DONE ? r : code;
    }
    if (cli->format_given) {
        int shown = show_app_list(cli, &changed);

        code = code == EXIT_DONE ? shown : code;
    }
    for (size_t i = 0; i < count; i++)
        creel_apps_free(lists[i]);
    return code;
}

int cmd_hold(struct cli *cli)
{
    return change_all(cli, hold);
}

int cmd_release(struct cli *cli)
{
    return change_all(cli, release);
}
