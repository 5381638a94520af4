/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_app_change.c - creel app move, priority, lifetime, set: changes of an application */
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/run/cmd_job.h"
#include "client/cli/show/show_app.h"
#include "common/base/text.h"

/* Prints the changed application: as data if an output format was requested, else in a few words on
 * stderr. */
static int report(struct cli *cli, struct creel_apps *apps)
{
    const struct creel_app *app = &apps->items[0];
    char left[TEXT_SIZE_MAX];
    int code = EXIT_DONE;

    if (cli->format_given)
        code = show_app(cli, app);
    else if (app->expires_ms)
        cli_print(cli, "%s: queue %s, priority %d, ends %s after its submission", app->id, app->queue,
                  app->priority, text_format_elapsed_ms(app->expires_ms - app->submitted_ms, left));
    else
        cli_print(cli, "%s: queue %s, priority %d", app->id, app->queue, app->priority);
    creel_apps_free(apps);
    return code;
}

int cmd_app_move(struct cli *cli)
{
    struct creel_apps *apps;
    struct creel_error error;
    int code;

    if (cli->options.argument_count != 2)
        return cli_usage(cli, "which application, and where to? creel app move ID QUEUE");
    if (!cli_client(cli, &code))
        return code;
    if (creel_app_move(cli->client, cli->options.arguments[0], cli->options.arguments[1], &apps, &error) < 0)
        return cli_fail(&error);
    return report(cli, apps);
}

int cmd_app_priority(struct cli *cli)
{
    struct creel_apps *apps;
    struct creel_error error;
    int64_t priority;
    int code;

    if (cli->options.argument_count != 2)
        return cli_usage(cli, "which application, and which priority? creel app priority ID N");
    if (!text_parse_int64(cli->options.arguments[1], &priority) || priority < INT32_MIN ||
        priority > INT32_MAX)
        return cli_usage(cli, "priority %s: expected a whole number", cli->options.arguments[1]);
    if (!cli_client(cli, &code))
        return code;
    if (creel_app_set_priority(cli->client, cli->options.arguments[0], (int)priority, &apps, &error) < 0)
        return cli_fail(&error);
    if (apps->items[0].priority != (int)priority)
        cli_print(cli, "creel: this cluster allows priority %d at most", apps->items[0].priority);
    return report(cli, apps);
}

/* Parses "2h" (from now), "+2h" (added to the present end), or "none" (0). Returns the end by the RM's clock,
 * or -1 after printing an error; *CODE is the exit code then. */
static int64_t read_expiry(struct cli *cli, const struct creel_app *app, int64_t now_ms, int *code)
{
    const char *text = cli->options.arguments[1];
    int64_t ms;

    if (!strcmp(text, "none"))
        return 0;
    if (!text_parse_time_ms(*text == '+' ? text + 1 : text, 1000, &ms) || ms <= 0) {
        *code = cli_usage(cli,
                          "lifetime %s: expected 2h (from now on), +2h (more than it has) or "
                          "none",
                          text);
        return -1;
    }
    if (*text != '+')
        return now_ms + ms;
    if (app->expires_ms)
        return app->expires_ms + ms;
    fprintf(stderr, "creel: %s: has no limit that could be put off; %s sets one, from now on\n", app->id,
            text + 1);
    *code = EXIT_REFUSED;
    return -1;
}

static int set_lifetime(struct cli *cli, const struct creel_app *app, int64_t now_ms)
{
    struct creel_apps *apps;
    struct creel_error error;
    int code = EXIT_FAILED;
    int64_t expires_ms = read_expiry(cli, app, now_ms, &code);

    if (expires_ms < 0)
        return code;
    if (creel_app_set_expiry(cli->client, app->id, expires_ms, &apps, &error) < 0)
        return cli_fail(&error);
    if (apps->items[0].eligible_ms == 0 && !creel_app_is_over(&apps->items[0]))
        cli_print(cli, "creel: %s is in no queue yet: its lifetime counts from when it enters it",
                  apps->items[0].id);
    else if (expires_ms != apps->items[0].expires_ms)
        cli_print(cli, "creel: queue %s does not let it live longer", apps->items[0].queue);
    return report(cli, apps);
}

int cmd_app_lifetime(struct cli *cli)
{
    struct creel_cluster *cluster = NULL;
    struct creel_apps *apps = NULL;
    struct creel_error error;
    int code;

    if (cli->options.argument_count != 2)
        return cli_usage(cli, "which application, and how long? creel app lifetime ID +2h");
    if (!cli_client(cli, &code))
        return code;
    if (creel_app_get(cli->client, cli->options.arguments[0], &apps, &error) < 0 ||
        creel_cluster_info(cli->client, &cluster, &error) < 0)
        code = cli_fail(&error);
    else
        code = set_lifetime(cli, &apps->items[0], cluster->now_ms);
    creel_cluster_free(cluster);
    creel_apps_free(apps);
    return code;
}

/* --- requeue --------------------------------------------------------------- */

const struct option_spec requeue_options[] = {
    { 0, "reason", "TEXT", "reason, shown with the application" },
    { 0, "hold", NULL, "hold it, so that the new attempt waits for creel release" },
    { 0 },
};

int cmd_app_requeue(struct cli *cli)
{
    bool hold = options_has(&cli->options, "hold");
    struct creel_apps *apps;
    struct creel_error error;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "which application? creel app requeue ID");
    if (!cli_client(cli, &code))
        return code;
    if ((hold ? creel_app_requeue_held : creel_app_requeue)(
            cli->client, cli->options.arguments[0], options_get(&cli->options, "reason"), &apps, &error) < 0)
        return cli_fail(&error);
    if (cli->format_given)
        code = show_app(cli, &apps->items[0]);
    else
        cli_print(cli, "%s: attempt %u ends, another one follows%s", apps->items[0].id,
                  apps->items[0].attempt, hold ? " after creel release" : "");
    creel_apps_free(apps);
    return code;
}

/* --- rerun ------------------------------------------------------------------ */

const struct option_spec rerun_options[] = {
    { 0, "failed", NULL, "of an array or a job of tasks, only the tasks that did not succeed" },
    { 0, "hold", NULL, "hold the new application" },
    { 0 },
};

/* The new application does not wait for those that the one of ID waited for. */
static void print_dependencies_left_out(struct cli *cli, const char *id)
{
    struct creel_apps *apps;
    size_t count = 0;

    if (creel_app_get(cli->client, id, &apps, NULL) < 0)
        return;
    for (size_t i = 0; i < apps->items[0].dependency_count; i++)
        count += *apps->items[0].dependencies[i].app_id != '\0';
    if (count > 0)
        cli_print(cli, "creel: the new application does not wait for those that %s depended on", id);
    creel_apps_free(apps);
}

int cmd_app_rerun(struct cli *cli)
{
    bool failed = options_has(&cli->options, "failed");
    struct creel_rerun rerun;
    struct creel_error error;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "which application? creel app rerun ID");
    if (!cli_client(cli, &code))
        return code;
    if ((options_has(&cli->options, "hold") ? creel_app_rerun_held : creel_app_rerun)(
            cli->client, cli->options.arguments[0], failed, &rerun, &error) < 0)
        return cli_fail(&error);
    job_print_id(cli, rerun.id);
    job_print_mail(cli);
    if (rerun.no_deadline)
        cli_print(cli, "creel: the deadline of %s has passed: %s has none", rerun.rerun_of, rerun.id);
    print_dependencies_left_out(cli, rerun.rerun_of);
    if (rerun.tasks > 0)
        cli_detail(cli, "%u task%s of %s run%s again", rerun.tasks, rerun.tasks == 1 ? "" : "s",
                   rerun.rerun_of, rerun.tasks == 1 ? "s" : "");
    return EXIT_DONE;
}

/* --- settings -------------------------------------------------------------- */

const struct option_spec app_set_options[] = {
    { 0, "at-once", "N", "of an array: number of tasks that are submitted at a time; 0: no limit" },
    { 0, "name", "NAME", "its name" },
    { 0 },
};

/* Changes what is given of NAME and AT_ONCE (-1: not given) and sets *APPS to the application. */
static int set(struct cli *cli, const char *name, int64_t at_once, struct creel_apps **apps,
               struct creel_error *error)
{
    struct creel_app_change change = {
        .name = name,
        .set_at_once = at_once >= 0,
        .at_once = at_once > 0 ? (uint32_t)at_once : 0,
    };
    struct creel_apps *found;
    int r = creel_app_get(cli->client, cli->options.arguments[0], &found, error);

    if (r < 0)
        return r;
    r = creel_app_change(cli->client, &found->items[0], &change, apps, error);
    creel_apps_free(found);
    return r;
}

int cmd_app_set(struct cli *cli)
{
    const char *text = options_get(&cli->options, "at-once"), *name = options_get(&cli->options, "name");
    struct creel_apps *apps;
    struct creel_error error;
    int64_t at_once = -1;
    int code = EXIT_DONE;

    if (cli->options.argument_count != 1 || (!text && !name))
        return cli_usage(cli,
                         "which application, and what? creel app set ID --name NAME, or of an array creel "
                         "app set ID --at-once N");
    if (text && (!text_parse_int64(text, &at_once) || at_once < 0 || at_once > 1000000))
        return cli_usage(cli, "--at-once %s: expected a number from 0 to 1000000", text);
    if (!cli_client(cli, &code))
        return code;
    if (set(cli, name, at_once, &apps, &error) < 0)
        return cli_fail(&error);
    code = EXIT_DONE;
    if (cli->format_given)
        code = show_app(cli, &apps->items[0]);
    else if (at_once > 0)
        cli_print(cli, "%s: %u tasks at a time", apps->items[0].id, apps->items[0].array_at_once);
    else if (at_once == 0)
        cli_print(cli, "%s: no limit of tasks at a time", apps->items[0].id);
    else
        cli_print(cli, "%s: name %s", apps->items[0].id, apps->items[0].name);
    creel_apps_free(apps);
    return code;
}
