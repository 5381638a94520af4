/* SPDX-License-Identifier: Apache-2.0 */
/* scontrol_jobs.c - scontrol hold, release, requeue and requeuehold, of jobs, arrays and tasks of arrays */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/slurm-client/job_list.h"
#include "client/slurm-client/scontrol.h"
#include "common/base/text.h"

struct verb;

struct change {
    struct tool *tool;
    const struct verb *verb;
    bool incomplete; /* of requeue: jobs that have ended are left alone */
};

struct verb {
    const char *word;
    size_t least; /* letters of the word that are enough */
    int (*change)(const struct change *change, const char *id);
    bool by_name;     /* takes jobname=NAME */
    bool has_options; /* takes Incomplete */
};

/* --- one job ------------------------------------------------------------------------------- */

/* Returns the code of the answer to a query about the job ID; 0: the resource manager has it. -EBUSY: it is a
 * task of an array that has not begun. */
static int look_up(const struct tool *tool, const char *id)
{
    struct creel_apps *apps;
    int r = creel_app_get(tool->cli.client, id, &apps, NULL);

    if (r == 0)
        creel_apps_free(apps);
    return r;
}

int scontrol_job_refused(const struct tool *tool, const char *id, const struct creel_error *error)
{
    if (error->code == ENOENT && look_up(tool, id) == -ENOENT) /* else a queue or a file is not there */
        return tool_fail(tool, "Invalid job id specified for job %s", id);
    return tool_fail(tool, "job %s: %s", id, error->text);
}

static int finish(const struct tool *tool, const char *id, int r, struct creel_apps *apps,
                  const struct creel_error *error)
{
    if (r < 0)
        return scontrol_job_refused(tool, id, error);
    creel_apps_free(apps);
    return EXIT_SUCCESS;
}

/* An array is held as a whole until its tasks begin. */
static int finish_hold(const struct tool *tool, const char *id, int r, struct creel_apps *apps,
                       const struct creel_error *error)
{
    if (r == -EBUSY && strchr(id, '_') && look_up(tool, id) == -EBUSY)
        return tool_fail(tool,
                         "job %s: creel holds and releases the tasks that wait together: give the number of "
                         "the array, %.*s; once its tasks have begun, scontrol update JobId=%.*s "
                         "ArrayTaskThrottle=1 lets one run at a time",
                         id, (int)strcspn(id, "_"), id, (int)strcspn(id, "_"), id);
    return finish(tool, id, r, apps, error);
}

static int hold(const struct change *change, const char *id)
{
    struct tool *tool = change->tool;
    struct creel_apps *apps;
    struct creel_error error;
    int r = creel_app_hold_next(tool->cli.client, id, NULL, &apps, &error);

    return finish_hold(tool, id, r, apps, &error);
}

static int release(const struct change *change, const char *id)
{
    struct tool *tool = change->tool;
    struct creel_apps *apps;
    struct creel_error error;
    int r = creel_app_release(tool->cli.client, id, &apps, &error);

    return finish_hold(tool, id, r, apps, &error);
}

typedef int requeue_fn(struct creel_client *client, const char *id, const char *reason,
                       struct creel_apps **ret, struct creel_error *error);

/* Requeues the tasks of ROWS that run, each by its own id. */
static int requeue_rows(const struct change *change, const char *array, requeue_fn *put_back,
                        const struct job_list *list)
{
    struct tool *tool = change->tool;
    int code = EXIT_SUCCESS;
    size_t running = 0, ended = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct job_row *row = &list->rows[i];
        struct creel_apps *apps;
        struct creel_error error;
        char shown[32];
        int r;

        ended += creel_app_is_over(row->app);
        if (!row->is_task || row->tasks || creel_app_is_over(row->app))
            continue;
        running++;
        snprintf(shown, sizeof(shown), "%u_%u", row->number, row->index);
        r = put_back(tool->cli.client, row->app->id, NULL, &apps, &error);
        code |= finish(tool, shown, r, apps, &error);
    }
    if (running == 0)
        return tool_fail(tool, "job %s: no task of this array runs", array);
    if (ended > 0 && !change->incomplete)
        tool_note(tool,
                  "job %s: the tasks that have ended do not run again; requeue them one by one, as %s_7, or "
                  "all once the array has ended",
                  array, array);
    return code;
}

static int requeue_array(const struct change *change, const char *id, requeue_fn *put_back)
{
    struct tool *tool = change->tool;
    struct job_query query = { .all_states = true };
    struct job_list list = { 0 };
    struct err err = { 0 };
    int code = EXIT_FAILURE;

    if (job_ids_read(&query.ids, id, tool->arena, &err) < 0)
        tool_fail(tool, "%s", err.text);
    else if (job_list_get(tool, &query, &list, NULL))
        code = requeue_rows(change, id, put_back, &list);
    job_list_done(&list);
    job_ids_done(&query.ids);
    return code;
}

enum kind { KIND_ENDED, KIND_ARRAY, KIND_JOB };

/* Returns whether ID has ended, or is an array that has not. */
static enum kind kind_of(struct creel_client *client, const char *id)
{
    enum kind kind = KIND_JOB;
    struct creel_apps *apps;

    if (creel_app_get(client, id, &apps, NULL) < 0)
        return KIND_JOB;
    if (creel_app_is_over(&apps->items[0]))
        kind = KIND_ENDED;
    else if (*apps->items[0].array)
        kind = KIND_ARRAY;
    creel_apps_free(apps);
    return kind;
}

/* A job that has ended keeps its number and its result in creel: it runs again as a new job. */
static int rerun(struct tool *tool, const char *id, bool held, const struct creel_error *refusal)
{
    struct creel_error error;
    struct creel_rerun rerun;
    int r = (held ? creel_app_rerun_held : creel_app_rerun)(tool->cli.client, id, false, &rerun, &error);

    if (r < 0) /* -EBUSY: it has not ended */
        return scontrol_job_refused(tool, id, r == -EBUSY ? refusal : &error);
    tool_note(tool, "job %s has ended: it %s as job %u", id, held ? "waits, held," : "runs again",
              tool_job_number(rerun.id));
    return EXIT_SUCCESS;
}

static int put_back(const struct change *change, const char *id, bool held)
{
    struct tool *tool = change->tool;
    requeue_fn *call = held ? creel_app_requeue_held : creel_app_requeue;
    struct creel_client *client = tool->cli.client;
    struct creel_error error;
    struct creel_apps *apps;
    int r = call(client, id, NULL, &apps, &error);

    if (r == -EINVAL) /* --no-requeue */
        return tool_fail(tool, "Requested operation is presently disabled for job %s", id);
    if (r != -EBUSY)
        return finish(tool, id, r, apps, &error);
    switch (kind_of(client, id)) {
    case KIND_ARRAY:
        return requeue_array(change, id, call);
    case KIND_ENDED:
        if (change->incomplete)
            return EXIT_SUCCESS;
        break;
    case KIND_JOB:
    default:
        break;
    }
    return rerun(tool, id, held, &error);
}

static int requeue(const struct change *change, const char *id)
{
    return put_back(change, id, false);
}

static int requeue_held(const struct change *change, const char *id)
{
    return put_back(change, id, true);
}

/* --- lists --------------------------------------------------------------------------------- */

/* Calls CHANGE for each task that ID, as 42_[1-3], names. */
static int change_tasks(const struct job_id *id, scontrol_change_fn *change, void *context)
{
    int code = EXIT_SUCCESS;

    for (uint32_t i = 0; i < id->spec.count; i++) {
        char task[32];

        snprintf(task, sizeof(task), "%u_%u", id->number, array_spec_index(&id->spec, i));
        code |= change(context, task);
    }
    return code;
}

/* Calls CHANGE for the job, the array or each task that ID names. */
static int change_one(const struct job_id *id, scontrol_change_fn *change, void *context)
{
    char number[32];

    if (id->tasks)
        return change_tasks(id, change, context);
    snprintf(number, sizeof(number), "%u", id->number);
    return change(context, number);
}

int scontrol_change_list(struct tool *tool, char *const *lists, scontrol_change_fn *change, void *context)
{
    struct job_ids ids = { 0 };
    struct err err = { 0 };
    int code = EXIT_SUCCESS, failed = EXIT_SUCCESS;

    for (; code == EXIT_SUCCESS && *lists; lists++) {
        const char *list = !strncasecmp(*lists, "jobid=", 6) ? *lists + 6 : *lists;

        if (job_ids_read(&ids, list, tool->arena, &err) < 0)
            code = tool_fail(tool, "%s", err.text);
    }
    if (code == EXIT_SUCCESS && !tool_client(tool))
        code = EXIT_FAILURE;
    for (size_t i = 0; code == EXIT_SUCCESS && i < ids.count; i++)
        failed |= change_one(&ids.items[i], change, context);
    job_ids_done(&ids);
    return code | failed;
}

/* --- names ------------------------------------------------------------------------------------ */

/* Returns the name of "jobname=NAME" or "name=NAME"; NULL: WORD is neither. */
static const char *name_of(const char *word)
{
    return text_skip_word(&word, "jobname=") || text_skip_word(&word, "name=") ? word : NULL;
}

/* Changes the jobs of LIST; release: those that are held. */
static int change_rows(const struct change *change, const struct job_list *list)
{
    int code = EXIT_SUCCESS;

    for (size_t i = 0; i < list->count; i++) {
        const struct job_row *row = &list->rows[i];
        char id[32];

        if (change->verb->change == release && row->app->hold_count == 0)
            continue;
        if (row->is_task)
            snprintf(id, sizeof(id), "%u_%u", row->number, row->index);
        else
            snprintf(id, sizeof(id), "%u", row->number);
        code |= change->verb->change(change, id);
    }
    return code;
}

/* Changes the jobs with the name NAME that the user has and that have not ended. There may be none, as in
 * Slurm. */
static int change_named(const struct change *change, const char *name)
{
    const char *names[] = { name, NULL };
    struct job_query query = { .names = names, .users = tool_me(change->tool) };
    struct job_list list = { 0 };
    int code = EXIT_FAILURE;

    if (!*name)
        return tool_fail(change->tool, "jobname=: the name is empty");
    if (query.users && job_list_get(change->tool, &query, &list, NULL))
        code = change_rows(change, &list);
    job_list_done(&list);
    return code;
}

/* --- command ----------------------------------------------------------------------------------- */

static const struct verb verbs[] = {
    { "hold", 4, hold, .by_name = true },
    { "uhold", 4, hold, .by_name = true },
    { "release", 3, release, .by_name = true },
    { "requeue", 3, requeue, .has_options = true },
    { "requeuehold", 8, requeue_held, .has_options = true },
};

static int change_job(void *context, const char *id)
{
    const struct change *change = context;

    return change->verb->change(change, id);
}

/* Reads the options of requeue and requeuehold before the first id of *LISTS, and moves *LISTS behind them.
 * Returns false after an error, which is printed. */
static bool read_options(struct change *change, char *const **lists)
{
    for (; **lists && change->verb->has_options; ++*lists) {
        const char *option = **lists;

        if (text_skip_word(&option, "state=")) {
            tool_fail(change->tool,
                      "%s: jobs of creel have no such state; requeuehold without it holds the job before its "
                      "next attempt",
                      **lists);
            return false;
        }
        if (strcasecmp(**lists, "Incomplete") != 0)
            break;
        change->incomplete = true;
    }
    if (!**lists)
        tool_fail(change->tool, "too few arguments: expected the number of a job");
    return **lists != NULL;
}

bool scontrol_change_jobs(struct tool *tool, const char *word, char *const *lists, int *code)
{
    struct change change = { .tool = tool };
    const char *name;

    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
        if (strlen(word) >= verbs[i].least && !strncasecmp(word, verbs[i].word, strlen(word)))
            change.verb = &verbs[i];
    if (!change.verb)
        return false;
    *code = EXIT_FAILURE;
    if (!read_options(&change, &lists))
        return true;
    name = change.verb->by_name ? name_of(*lists) : NULL;
    *code = name ? change_named(&change, name) : scontrol_change_list(tool, lists, change_job, &change);
    return true;
}
