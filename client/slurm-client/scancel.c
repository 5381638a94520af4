/* SPDX-License-Identifier: Apache-2.0 */
/* scancel.c - kills and signals jobs by the rules of scancel */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/frame/signal_name.h"
#include "client/slurm-client/job_list.h"
#include "client/slurm-client/tool.h"

enum option_id {
    OPT_BATCH = 1,
    OPT_FULL,
    OPT_ME,
    OPT_NAME,
    OPT_PARTITION,
    OPT_QUIET,
    OPT_SIGNAL,
    OPT_STATE,
    OPT_USER,
    OPT_VERBOSE,
};

static const struct tool_option options[] = {
    { 'A', "account", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'b', "batch", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_BATCH },
    { 'M', "clusters", TOOL_ARGUMENT, TOOL_CLUSTERS, 0 },
    { 'c', "ctld", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 0, "cron", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'f', "full", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_FULL },
    { 0, "help", TOOL_NO_ARGUMENT, TOOL_HELP, 0 },
    { 'H', "hurry", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'i', "interactive", TOOL_NO_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "me", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_ME },
    { 'n', "name", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_NAME },
    { 0, "jobname", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_NAME },
    { 'w', "nodelist", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'p', "partition", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_PARTITION },
    { 'q', "qos", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'Q', "quiet", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_QUIET },
    { 'R', "reservation", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "sibling", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 's', "signal", TOOL_ARGUMENT, TOOL_HANDLED, OPT_SIGNAL },
    { 't', "state", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_STATE },
    { 0, "usage", TOOL_NO_ARGUMENT, TOOL_HELP, 0 },
    { 'u', "user", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_USER },
    { 'v', "verbose", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_VERBOSE },
    { 'V', "version", TOOL_NO_ARGUMENT, TOOL_VERSION, 0 },
    { 0, "wckey", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0 },
};

static const struct tool_variable variables[] = {
    { "SCANCEL_ACCOUNT", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { "SCANCEL_BATCH", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_BATCH },
    { "SCANCEL_FULL", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_FULL },
    { "SCANCEL_INTERACTIVE", TOOL_NO_ARGUMENT, TOOL_REFUSED, 0 },
    { "SCANCEL_NAME", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_NAME },
    { "SCANCEL_PARTITION", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_PARTITION },
    { "SCANCEL_QOS", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { "SCANCEL_STATE", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_STATE },
    { "SCANCEL_USER", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_USER },
    { "SCANCEL_VERBOSE", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_VERBOSE },
    { "SCANCEL_WCKEY", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0 },
};

static const char help[] =
    "scancel [OPTION...] [ID...]\n"
    "\n"
    "Kills jobs, or tasks of arrays (42_7, 42_[1-3]). With other options those of the jobs named,\n"
    "or without an ID of the user's jobs, that match all of them.\n"
    "\n"
    "  -n, --name=NAME          -p, --partition=QUEUE    -t, --state=STATE\n"
    "  -u, --user=USER          --me\n"
    "  -s, --signal=SIGNAL      send a signal to the steps of srun\n"
    "  -b, --batch              ... to the shell alone\n"
    "  -f, --full               ... to all processes\n"
    "  -Q, --quiet              -v, --verbose            -V, --version\n";

struct cancelling {
    struct tool *tool;
    struct job_query query;
    bool matches;         /* there are options that choose jobs */
    const char *array_id; /* that was killed last */
    int signal;           /* SIGKILL: kill the job */
    enum creel_signal_scope scope;
    bool quiet, verbose;
};

/* --- one job --------------------------------------------------------------------------- */

static int report(const struct cancelling *cancelling, const char *id, const char *text)
{
    if (!cancelling->quiet)
        tool_fail(cancelling->tool, "Kill job error on job id %s: %s", id, text);
    return EXIT_FAILURE;
}

/* Sends the signal to the containers of the application. */
static int signal_app(const struct cancelling *cancelling, const char *shown, const struct creel_app *app)
{
    struct creel_client *client = cancelling->tool->cli.client;
    struct creel_containers *containers;
    struct creel_error error;
    int code = EXIT_SUCCESS;

    if (app->state != CREEL_APP_RUNNING)
        return report(cancelling, shown, "Job is pending execution");
    if (creel_container_list(client, app->id, NULL, NULL, true, &containers, &error) < 0)
        return report(cancelling, shown, error.text);
    for (size_t i = 0; i < containers->count; i++)
        if (containers->items[i].state == CREEL_CONTAINER_RUNNING &&
            creel_container_signal(client, &containers->items[i], cancelling->signal, cancelling->scope,
                                   &error) < 0)
            code = report(cancelling, shown, error.text);
    creel_containers_free(containers);
    return code;
}

/* TASKS: indexes of the array APP; NULL: all of it. A job that has ended is no error (EBUSY). */
static int cancel_app(const struct cancelling *cancelling, const char *shown, const struct creel_app *app,
                      const char *tasks)
{
    struct creel_client *client = cancelling->tool->cli.client;
    struct creel_apps *apps = NULL;
    struct creel_error error;
    int r;

    if (tasks && !*app->array)
        return report(cancelling, shown, "Invalid job id specified");
    if (cancelling->verbose)
        tool_note(cancelling->tool, "Terminating job %s", shown);
    if (cancelling->signal != SIGKILL)
        return creel_app_is_over(app) ? report(cancelling, shown, "Job/step already completing or completed")
                                      : signal_app(cancelling, shown, app);
    if (creel_app_is_over(app))
        return EXIT_SUCCESS;
    r = tasks ? creel_app_kill_tasks(client, app->id, tasks, NULL, &apps, &error)
              : creel_app_kill(client, app->id, NULL, &error);
    creel_apps_free(apps);
    if (r == 0 || error.code == EBUSY)
        return EXIT_SUCCESS;
    return report(cancelling, shown, error.code == ENOENT ? "Invalid job id specified" : error.text);
}

/* Kills the array APP_ID, once for all of its rows, which follow each other. */
static int cancel_array(struct cancelling *cancelling, const char *shown, const char *app_id)
{
    struct creel_error error;

    if (cancelling->array_id && !strcmp(cancelling->array_id, app_id))
        return EXIT_SUCCESS;
    cancelling->array_id = app_id;
    if (creel_app_kill(cancelling->tool->cli.client, app_id, NULL, &error) < 0 && error.code != EBUSY)
        return report(cancelling, shown, error.text);
    return EXIT_SUCCESS;
}

/* --- jobs that are named ------------------------------------------------------------------ */

/* Cancels the tasks of ID that the array APP has. A range (42_[1-5]) need not have one, as in Slurm. */
static int cancel_tasks(const struct cancelling *cancelling, const struct job_id *id,
                        const struct creel_app *app)
{
    const char *tasks = id->tasks;

    if (*app->array && strchr(id->text, '[') != NULL)
        tasks = job_id_tasks_of(id, app->array, cancelling->tool->arena);
    return tasks ? cancel_app(cancelling, id->text, app, tasks) : EXIT_SUCCESS;
}

/* Cancels the job, or the tasks, that ID names. */
static int cancel_named(const struct cancelling *cancelling, const struct job_id *id)
{
    const char *number = arena_printf(cancelling->tool->arena, "%u", id->number);
    struct creel_apps *apps;
    struct creel_error error;
    int code;

    if (creel_app_get(cancelling->tool->cli.client, number, &apps, &error) < 0)
        return report(cancelling, id->text, error.code == ENOENT ? "Invalid job id specified" : error.text);
    code = id->tasks ? cancel_tasks(cancelling, id, &apps->items[0])
                     : cancel_app(cancelling, id->text, &apps->items[0], NULL);
    creel_apps_free(apps);
    return code;
}

/* --- jobs that match ------------------------------------------------------------------------ */

/* Cancels the job of ROW. An array of which no part was chosen ends as a whole, with the tasks that begin
 * now. */
static int cancel_row(struct cancelling *cancelling, const struct job_row *row)
{
    struct arena *arena = cancelling->tool->arena;
    const char *tasks = NULL, *shown = arena_printf(arena, "%u", row->number);
    bool whole = cancelling->signal == SIGKILL && !cancelling->query.states_given &&
                 job_ids_name_whole(&cancelling->query.ids, row->number);

    if (whole && (row->is_task || row->tasks))
        return cancel_array(cancelling, shown, *row->app->array_id ? row->app->array_id : row->app->id);

    if (row->is_task)
        shown = arena_printf(arena, "%s_%u", shown, row->index);
    if (row->tasks) /* of an array: without its %N */
        tasks = row->is_task ? arena_printf(arena, "%u", row->index)
                             : arena_printf(arena, "%.*s", (int)strcspn(row->tasks, "%"), row->tasks);
    return cancel_app(cancelling, shown, row->app, tasks);
}

/* Cancels the jobs of the query. Without options that choose jobs they are jobs that get a signal: there it
 * is an error if one does not run. */
static int cancel_matching(struct cancelling *cancelling)
{
    struct job_query *query = &cancelling->query;
    struct job_list list;
    int code = EXIT_SUCCESS;
    bool missing;

    if (!query->users && query->ids.count == 0 && !(query->users = tool_me(cancelling->tool)))
        return EXIT_FAILURE;
    query->all_states = query->all_states || !cancelling->matches;
    if (!job_list_get(cancelling->tool, query, &list, &missing))
        code = EXIT_FAILURE;
    else if (missing || (!cancelling->matches && list.count == 0))
        code = tool_fail(cancelling->tool, "Invalid job id specified");
    for (size_t i = 0; i < list.count; i++)
        if (cancelling->signal == SIGKILL || !cancelling->matches ||
            list.rows[i].state == slurm_state_at(SLURM_STATE_RUNNING))
            code |= cancel_row(cancelling, &list.rows[i]);
    job_list_done(&list);
    return code;
}

/* --- command ------------------------------------------------------------------------------------ */

static bool read_signal(struct cancelling *cancelling, const char *value)
{
    if (signal_name_parse(value, &cancelling->signal))
        return true;
    tool_fail(cancelling->tool, "Unknown job signal: %s", value);
    return false;
}

static bool read_users(struct cancelling *cancelling, const char *value)
{
    const char *const *users = cancelling->query.users = tool_users(cancelling->tool, value);

    if (!tool_unknown_user(users))
        return true;
    tool_fail(cancelling->tool, "Invalid user name: %s", tool_unknown_user(users));
    return false;
}

static bool read_states(struct cancelling *cancelling, const char *value)
{
    struct job_query *query = &cancelling->query;

    job_query_reset_states(query);
    return job_query_read_states(cancelling->tool, value, query);
}

/* Reads an option. Returns false after an error, which is printed. */
static bool read_option(void *context, int id, const char *value)
{
    struct cancelling *cancelling = context;
    struct job_query *query = &cancelling->query;

    cancelling->matches = cancelling->matches || id == OPT_NAME || id == OPT_PARTITION || id == OPT_STATE ||
                          id == OPT_USER || id == OPT_ME;
    switch (id) {
    case OPT_BATCH:
        cancelling->scope = CREEL_SIGNAL_MAIN;
        return true;
    case OPT_FULL:
        cancelling->scope = CREEL_SIGNAL_ALL;
        return true;
    case OPT_NAME:
        query->names = job_query_split(cancelling->tool->arena, value);
        return true;
    case OPT_PARTITION:
        query->queues = job_query_split(cancelling->tool->arena, value);
        return true;
    case OPT_QUIET:
        return cancelling->quiet = true;
    case OPT_SIGNAL:
        return read_signal(cancelling, value);
    case OPT_STATE:
        return read_states(cancelling, value);
    case OPT_ME:
        return (query->users = tool_me(cancelling->tool)) != NULL;
    case OPT_USER:
        return read_users(cancelling, value);
    case OPT_VERBOSE:
    default:
        return cancelling->verbose = true;
    }
}

/* Reads the ids of NAMES. Returns false after an error, which is printed. */
static bool read_ids(struct cancelling *cancelling, char *const *names)
{
    struct job_ids *ids = &cancelling->query.ids;
    struct err err = { 0 };

    for (; *names; names++) {
        if (job_ids_read(ids, *names, cancelling->tool->arena, &err) == 0)
            continue;
        tool_fail(cancelling->tool, "%s", err.text);
        return false;
    }
    for (size_t i = 0; i < ids->count; i++) {
        const struct job_id *id = &ids->items[i];

        if (!id->step || !strcmp(id->step, "batch"))
            continue;
        report(cancelling, id->text, "creel cancels and signals whole jobs, not the steps of srun");
        return false;
    }
    return true;
}

static int cancel(struct cancelling *cancelling, char *const *names)
{
    const struct job_ids *ids = &cancelling->query.ids;
    int code = EXIT_SUCCESS;

    if (!*names && !cancelling->matches)
        return tool_fail(cancelling->tool, "No job identification provided");
    if (!read_ids(cancelling, names) || !tool_client(cancelling->tool))
        return EXIT_FAILURE;
    if (cancelling->matches || cancelling->signal != SIGKILL)
        return cancel_matching(cancelling);
    for (size_t i = 0; i < ids->count; i++)
        code |= cancel_named(cancelling, &ids->items[i]);
    return code;
}

int scancel_main(struct tool *tool, int argc, char **argv)
{
    static const struct tool_line line = {
        .options = options, .variables = variables, .read = read_option, .help = help, .has_operands = true
    };
    struct cancelling cancelling = { .tool = tool, .signal = SIGKILL, .scope = CREEL_SIGNAL_STEPS };
    int at, code;

    if (tool_read(tool, &line, &cancelling, argc, argv, &at, &code))
        code = cancel(&cancelling, argv + at);
    job_ids_done(&cancelling.query.ids);
    return code;
}
