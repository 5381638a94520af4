/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_app.c - creel ps, app list, status, app containers, app attempts, kill */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/show/app_filter.h"
#include "client/cli/show/history_filter.h"
#include "client/cli/show/show_app.h"
#include "common/base/mem.h"
#include "common/base/text.h"

const struct option_spec app_list_options[] = {
    { 's', "state", "STATE,...", "PENDING, RUNNING, FINISHED, FAILED, KILLED, LIVE or ALL" },
    { 'u', "user", "USER,...", "only of these users" },
    { 'q', "queue", "QUEUE,...", "only in these queues" },
    { 'T', "tag", "TAG", "only with this tag" },
    { 0, "tasks", NULL, "list the tasks of arrays, too" },
    { 0, "since", "TIME", "only applications submitted at or after TIME" },
    { 0, "until", "TIME", "only applications submitted at or before TIME" },
    { 0, "limit", "N", "only the N applications submitted last" },
    { 0 },
};

const struct option_spec ps_options[] = {
    { 'a', "all", NULL, "list applications of all users" },
    { 'u', "user", "USER,...", "only of these users" },
    { 'q', "queue", "QUEUE,...", "only in these queues" },
    { 's', "state", "STATE,...", "PENDING, RUNNING, FINISHED, FAILED, KILLED, LIVE (default) or ALL" },
    { 0 },
};

const struct option_spec kill_options[] = {
    { 'q', "queue", "QUEUE", "all active applications in this queue" },
    { 'u', "user", "USER", "all active applications of this user" },
    { 's', "state", "STATE", "all applications in this state" },
    { 'T', "tag", "TAG", "all active applications with this tag" },
    { 0, "reason", "TEXT", "reason, shown with the application" },
    { 0, "force", NULL, "send SIGKILL at once, without SIGTERM and grace period" },
    { 0 },
};

/* --- filters --------------------------------------------------------------- */

static bool has_tag(const struct creel_app *app, const char *tag)
{
    for (const char *const *at = app->tags; *at; at++) {
        if (!strcmp(*at, tag))
            return true;
    }
    return false;
}

/* Keeps only applications with TAG: the RM has no filter for tags. */
static void filter_tagged(struct creel_apps *apps, const char *tag)
{
    size_t kept = 0;

    if (!tag)
        return;
    for (size_t i = 0; i < apps->count; i++) {
        if (has_tag(&apps->items[i], tag))
            apps->items[kept++] = apps->items[i];
    }
    apps->count = kept;
}

struct submitted {              /* filter by time of submission, applied here: the RM has no such filter */
    int64_t since_ms, until_ms; /* 0: no bound */
    size_t limit;               /* 0: no limit */
};

static int read_submitted(const struct options *options, struct submitted *ret, struct err *err)
{
    struct creel_history_filter times = { .limit = 0 };
    int r = history_times_read(&times, options, 0, err);

    *ret = (struct submitted){ times.since_ms, times.until_ms, times.limit };
    return r;
}

/* Keeps the applications submitted within the bounds of SUBMITTED, and of these the last submitted->limit.
 * APPS must be in order of submission. Returns how many the limit left out. */
static size_t filter_submitted(struct creel_apps *apps, const struct submitted *submitted)
{
    size_t kept = 0, left_out = 0;

    for (size_t i = 0; i < apps->count; i++) {
        int64_t ms = apps->items[i].submitted_ms;

        if (ms >= submitted->since_ms && (submitted->until_ms == 0 || ms <= submitted->until_ms))
            apps->items[kept++] = apps->items[i];
    }
    if (submitted->limit > 0 && kept > submitted->limit)
        left_out = kept - submitted->limit;
    apps->count = kept - left_out;
    memmove(apps->items, apps->items + left_out, apps->count * sizeof(*apps->items));
    return left_out;
}

/* Prints an error if a queue of FILTER does not exist. Called if no application was found. */
static int judge_queues(struct cli *cli, const struct app_filter *filter)
{
    struct creel_queues *queues;
    struct creel_error error;

    for (const char *const *queue = filter->asked.queues; queue && *queue; queue++) {
        if (creel_queue_list(cli->client, *queue, &queues, &error) < 0)
            return cli_fail(&error);
        creel_queues_free(queues);
    }
    return EXIT_DONE;
}

/* --- lists ----------------------------------------------------------------- */

/* Gets the applications that match FILTER; SHOWS_COMMANDS: with their commands, however long. */
static int get_apps(struct cli *cli, const struct app_filter *filter, bool shows_commands,
                    struct creel_apps **apps, struct creel_error *error)
{
    struct creel_app_filter asked = filter->asked;
    int r;

    asked.no_long_commands = !shows_commands;
    r = creel_app_list(cli->client, &asked, apps, error);
    if (r == 0)
        filter_tagged(*apps, filter->tag);
    return r;
}

/* Lists the applications that match FILTER and SUBMITTED. */
static int list(struct cli *cli, const struct app_filter *filter, const struct submitted *submitted)
{
    struct creel_apps *apps = NULL;
    size_t left_out;
    struct creel_error error;
    int code;

    if (get_apps(cli, filter, cli_prints_json(cli), &apps, &error) < 0)
        return cli_fail(&error);
    left_out = filter_submitted(apps, submitted);
    code = apps->count ? EXIT_DONE : judge_queues(cli, filter);
    if (code == EXIT_DONE)
        code = show_app_list(cli, apps);
    if (left_out > 0 && code == EXIT_DONE)
        cli_print(cli, "there are %zu more: --limit %zu, or 0 for all", left_out,
                  submitted->limit + left_out);
    creel_apps_free(apps);
    return code;
}

int cmd_app_list(struct cli *cli)
{
    struct submitted submitted;
    struct app_filter filter;
    struct err err = { 0 };
    int code;

    if (app_filter_read(&filter, &cli->options, "ALL", &err) < 0 ||
        read_submitted(&cli->options, &submitted, &err) < 0)
        code = cli_usage(cli, "%s", err.text);
    else if (cli_client(cli, &code))
        code = list(cli, &filter, &submitted);
    app_filter_done(&filter);
    return code;
}

/* Lists the applications that match FILTER and belong to the user as whom requests are made (--as, or the
 * user of the certificate). */
static int list_mine(struct cli *cli, struct app_filter *filter)
{
    struct creel_cluster *cluster = NULL;
    struct creel_error error;
    const char *users[] = { NULL, NULL };
    const struct submitted any = { .limit = 0 };
    int code;

    if (creel_cluster_info(cli->client, &cluster, &error) < 0)
        return cli_fail(&error);
    users[0] = cluster->user;
    filter->asked.users = users;
    code = list(cli, filter, &any);
    filter->asked.users = NULL;
    creel_cluster_free(cluster);
    return code;
}

int cmd_ps(struct cli *cli)
{
    bool all = options_has(&cli->options, "all");
    const struct submitted any = { .limit = 0 };
    struct app_filter filter;
    struct err err = { 0 };
    int code;

    if (app_filter_read(&filter, &cli->options, "LIVE", &err) < 0)
        code = cli_usage(cli, "%s", err.text);
    else if (all && filter.users)
        code = cli_usage(cli, "--all and --user exclude each other");
    else if (cli_client(cli, &code))
        code = all || filter.users ? list(cli, &filter, &any) : list_mine(cli, &filter);
    app_filter_done(&filter);
    return code;
}

/* --- one application ------------------------------------------------------- */

int cmd_app_show(struct cli *cli)
{
    struct creel_apps *apps = NULL;
    struct creel_error error;
    struct creel_client *client;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "which application? creel status ID");
    client = cli_client(cli, &code);
    if (!client)
        return code;
    code = creel_app_get(client, cli->options.arguments[0], &apps, &error) < 0
               ? cli_fail(&error)
               : show_app(cli, &apps->items[0]);
    creel_apps_free(apps);
    return code;
}

/* Prints CONTAINERS. MASTERS: only the first container of each attempt. */
static int show_containers(struct cli *cli, const struct creel_containers *containers, bool masters)
{
    scoped_free const struct creel_container **items = mem_array0(containers->count + 1, sizeof(*items));
    size_t count = 0;

    for (size_t i = 0; i < containers->count; i++)
        if (!masters || containers->items[i].master)
            items[count++] = &containers->items[i];
    return masters ? show_attempt_list(cli, items, count) : show_container_list(cli, items, count);
}

static int list_containers(struct cli *cli, bool masters)
{
    struct creel_containers *containers = NULL;
    struct creel_apps *apps = NULL;
    struct creel_error error;
    struct creel_client *client;
    int code;

    if (cli->options.argument_count != 1)
        return cli_usage(cli, "which application? creel app %s ID", masters ? "attempts" : "containers");
    client = cli_client(cli, &code);
    if (!client)
        return code;
    if (creel_app_get(client, cli->options.arguments[0], &apps, &error) < 0 ||
        creel_container_list(client, apps->items[0].id, NULL, NULL, false, &containers, &error) < 0)
        code = cli_fail(&error);
    else
        code = show_containers(cli, containers, masters);
    creel_containers_free(containers);
    creel_apps_free(apps);
    return code;
}

int cmd_app_containers(struct cli *cli)
{
    return list_containers(cli, false);
}

int cmd_app_attempts(struct cli *cli)
{
    return list_containers(cli, true);
}

/* --- kill ------------------------------------------------------------------ */

struct killed { /* ids of killed applications; with an output format their new state is
                   printed at the end */
    char **ids; /* owned, with its elements */
    size_t count, capacity;
};

static int kill_app(struct cli *cli, const char *id, struct killed *killed)
{
    const char *reason = options_get(&cli->options, "reason");
    struct creel_error error;
    int r = options_has(&cli->options, "force") ? creel_app_kill_at_once(cli->client, id, reason, &error)
                                                : creel_app_kill(cli->client, id, reason, &error);

    if (r < 0)
        return cli_fail(&error);
    mem_grow(killed->ids, killed->count, killed->capacity);
    killed->ids[killed->count++] = mem_strdup(id);
    if (!cli->format_given)
        cli_print(cli, "%s: killed", id);
    return EXIT_DONE;
}

/* Returns whether ID is an array with indexes, as "42_[1-3]", "_0042_7", or its whole id with them. If so,
 * sets *HEAD to the array and *TASKS to the indexes; the caller frees both. */
static bool splits_tasks(const char *id, char **head, char **tasks)
{
    static const char prefix[] = "application_";
    bool whole = text_has_prefix(id, prefix);
    size_t start = whole ? strlen(prefix) : *id == '_', digits, length;
    const char *at;

    if (whole)
        start += strspn(id + start, "0123456789") + 1;
    if (start > strlen(id))
        return false;
    digits = strspn(id + start, "0123456789");
    at = id + start + digits;
    if (digits == 0 || (*at != '_' && *at != '['))
        return false;
    *head = mem_printf("%.*s", (int)(at - id), id);
    at += *at == '_';
    length = strlen(at);
    *tasks =
        *at == '[' && at[length - 1] == ']' ? mem_printf("%.*s", (int)length - 2, at + 1) : mem_strdup(at);
    return true;
}

static int kill_tasks(struct cli *cli, const char *head, const char *tasks, struct killed *killed)
{
    const char *reason = options_get(&cli->options, "reason");
    struct creel_apps *apps;
    struct creel_error error;

    if (creel_app_kill_tasks(cli->client, head, tasks, reason, &apps, &error) < 0)
        return error.code == EINVAL ? cli_usage(cli, "%s", error.text) : cli_fail(&error);
    mem_grow(killed->ids, killed->count, killed->capacity);
    killed->ids[killed->count++] = mem_strdup(apps->items[0].id);
    if (!cli->format_given)
        cli_print(cli, "%s: killed tasks %s", apps->items[0].id, tasks);
    creel_apps_free(apps);
    return EXIT_DONE;
}

static int show_killed(struct cli *cli, const struct killed *killed)
{
    scoped_free struct creel_apps **lists = mem_array0(killed->count + 1, sizeof(*lists));
    struct creel_apps all = { .items = mem_array0(killed->count + 1, sizeof(*all.items)) };
    struct creel_error error;
    int code = EXIT_DONE;

    for (size_t i = 0; code == EXIT_DONE && i < killed->count; i++) {
        if (creel_app_get(cli->client, killed->ids[i], &lists[i], &error) < 0)
            code = cli_fail(&error);
        else
            all.items[all.count++] = lists[i]->items[0];
    }
    if (code == EXIT_DONE)
        code = show_app_list(cli, &all);
    for (size_t i = 0; i < killed->count; i++)
        creel_apps_free(lists[i]);
    free(all.items);
    return code;
}

/* Kills all named applications, also after a failure. Returns the exit code of the first failure. */
static int kill_named(struct cli *cli, struct killed *killed)
{
    int code = EXIT_DONE;

    for (size_t i = 0; i < cli->options.argument_count; i++) {
        struct creel_apps *apps = NULL;
        scoped_free char *head = NULL, *tasks = NULL;
        struct creel_error error;
        int r;

        if (splits_tasks(cli->options.arguments[i], &head, &tasks)) {
            r = kill_tasks(cli, head, tasks, killed);
        } else if (creel_app_get(cli->client, cli->options.arguments[i], &apps, &error) < 0) {
            r = cli_fail(&error);
        } else if (creel_app_is_over(&apps->items[0]) && !options_has(&cli->options, "force")) {
            fprintf(stderr, "creel: application %s: is %s already\n", apps->items[0].id,
                    creel_app_state_name(apps->items[0].state));
            r = EXIT_REFUSED;
        } else {
            r = kill_app(cli, apps->items[0].id, killed);
        }
        creel_apps_free(apps);
        if (code == EXIT_DONE)
            code = r;
    }
    return code;
}

static bool confirmed(const struct cli *cli, size_t count)
{
    char answer[16];

    if (cli->yes || count == 0)
        return true;
    if (!isatty(STDIN_FILENO)) {
        fprintf(stderr, "creel: this kills %zu applications; add --yes to do it\n", count);
        return false;
    }
    fprintf(stderr, "Kill %zu applications? [y/N] ", count);
    return fgets(answer, sizeof(answer), stdin) && (*answer == 'y' || *answer == 'Y');
}

static int kill_matching(struct cli *cli, struct killed *killed)
{
    struct creel_apps *apps = NULL;
    struct creel_error error;
    struct app_filter filter;
    struct err err = { 0 };
    int code = EXIT_DONE;

    if (app_filter_read(&filter, &cli->options, "LIVE", &err) < 0) {
        code = cli_usage(cli, "%s", err.text);
    } else if (get_apps(cli, &filter, false, &apps, &error) < 0) {
        code = cli_fail(&error);
    } else {
        size_t kept = 0;

        for (size_t i = 0; i < apps->count; i++) {
            if (!creel_app_is_over(&apps->items[i]))
                apps->items[kept++] = apps->items[i];
        }
        apps->count = kept;
        if (!confirmed(cli, apps->count))
            code = EXIT_FAILED;
        for (size_t i = 0; code == EXIT_DONE && i < apps->count; i++)
            code = kill_app(cli, apps->items[i].id, killed);
        if (!apps->count && (code = judge_queues(cli, &filter)) == EXIT_DONE)
            cli_print(cli, "nothing to kill");
    }
    creel_apps_free(apps);
    app_filter_done(&filter);
    return code;
}

int cmd_kill(struct cli *cli)
{
    static const char *const filters[] = { "queue", "user", "state", "tag" };
    struct killed killed = { .count = 0 };
    bool filtered = false;
    int code, shown;

    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
        filtered = filtered || options_has(&cli->options, filters[i]);
    if (filtered == (cli->options.argument_count > 0))
        return cli_usage(cli, filtered ? "name applications, or what they have in common, not both"
                                       : "which application? creel kill ID");
    if (!cli_client(cli, &code))
        return code;
    code = filtered ? kill_matching(cli, &killed) : kill_named(cli, &killed);
    if (cli->format_given) {
        shown = show_killed(cli, &killed);
        code = code == EXIT_DONE ? shown : code;
    }
    for (size_t i = 0; i < killed.count; i++)
        free(killed.ids[i]);
    free(killed.ids);
    return code;
}
