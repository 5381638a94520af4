/* SPDX-License-Identifier: Apache-2.0 */
/* fetch_results.c - brings the results of all containers of a job here */
#include "client/cli/results/fetch_results.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/results/fetch_container.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"

struct fetch {
    struct creel_client *client;
    const char *directory;
    bool progress;
    fetched_fn *report;
    void *context;
    struct creel_error *error;
};

/* --- which containers ------------------------------------------------------------------ */

/* Returns the task of CONTAINER; -1: it is no task. */
static int64_t task_of(const struct creel_app *app, const struct creel_container *container)
{
    int64_t task;

    if (app->kind != CREEL_JOB_TASKS)
        return container->master ? 0 : -1;
    if (container->master || !text_parse_int64(container->title, &task) || task < 0 ||
        task >= app->tasks_total)
        return -1;
    return task;
}

static bool is_newer(const struct creel_container *one, const struct creel_container *other)
{
    struct container_id a, b;

    return other == NULL || (container_id_parse(one->id, &a) && container_id_parse(other->id, &b) &&
                             container_id_compare(&a, &b) > 0);
}

/* Fills NEWEST, indexed by task, with the newest container of each that ran; NULL: none did. */
static void choose(const struct creel_app *app, const struct creel_containers *list,
                   const struct creel_container **newest)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct creel_container *container = &list->items[i];
        int64_t task = task_of(app, container);

        if (task >= 0 && container->started_ms > 0 && is_newer(container, newest[task]))
            newest[task] = container;
    }
}

/* --- one job ---------------------------------------------------------------------------- */

/* TASK "": the job has one container. */
static void fetch_one(const struct fetch *fetch, const struct creel_app *app,
                      const struct creel_container *container, const char *task)
{
    scoped_free char *label = *task ? mem_printf("%s, task %s", app->id, task) : mem_strdup(app->id);
    scoped_free char *directory =
        *task ? mem_printf("%s/%s", fetch->directory, task) : mem_strdup(fetch->directory);
    struct fetch_place place = { .directory = directory, .label = label, .progress = fetch->progress };
    struct fetched fetched = { .app_id = app->id,
                               .container_id = container ? container->id : "",
                               .task = task,
                               .directory = directory };
    struct err err = { 0 };

    if (container == NULL) {
        fetched.error = ENOENT;
        snprintf(fetched.message, sizeof(fetched.message), "results of %s: there are none: it did not run",
                 label);
    } else if (fetch_container(fetch->client, container, &place, &fetched.results, &err) < 0) {
        fetched.error = err.code;
        snprintf(fetched.message, sizeof(fetched.message), "%.1000s", err.text);
    }
    fetch->report(fetch->context, &fetched);
}

/* ARRAY_TASK: the index of APP in its array; "": it is in none. */
static int fetch_app(const struct fetch *fetch, const struct creel_app *app, const char *array_task)
{
    size_t count = app->kind == CREEL_JOB_TASKS && app->tasks_total > 0 ? app->tasks_total : 1;
    scoped_free const struct creel_container **newest = mem_array0(count, sizeof(*newest));
    struct creel_containers *list;
    int r = creel_container_list(fetch->client, app->id, NULL, NULL, false, &list, fetch->error);

    if (r < 0)
        return r;
    choose(app, list, newest);
    for (size_t i = 0; i < count; i++) {
        scoped_free char *task = app->kind != CREEL_JOB_TASKS ? mem_strdup(array_task)
                                 : *array_task                ? mem_printf("%s/%zu", array_task, i)
                                                              : mem_printf("%zu", i);

        fetch_one(fetch, app, newest[i], task);
    }
    creel_containers_free(list);
    return 0;
}

static int fetch_array(const struct fetch *fetch, const struct creel_app *array)
{
    struct creel_app_filter filter = { .tasks = true, .no_long_commands = true };
    struct creel_apps *apps;
    int r = creel_app_list(fetch->client, &filter, &apps, fetch->error);

    if (r == 0 && mkdir(fetch->directory, 0777) != 0 && errno != EEXIST) {
        fetch->error->code = errno;
        snprintf(fetch->error->text, sizeof(fetch->error->text), "results of %s: %s cannot be made: %s",
                 array->id, fetch->directory, strerror(errno));
        r = -errno;
        creel_apps_free(apps);
    }
    if (r < 0)
        return r;
    for (size_t i = 0; r == 0 && i < apps->count; i++) {
        scoped_free char *task = mem_printf("%" PRIu32, apps->items[i].array_index);

        if (text_equal(apps->items[i].array_id, array->id))
            r = fetch_app(fetch, &apps->items[i], task);
    }
    creel_apps_free(apps);
    return r;
}

int fetch_results(struct creel_client *client, const struct creel_app *app, const char *directory,
                  bool progress, fetched_fn *report, void *context, struct creel_error *error)
{
    struct fetch fetch = { client, directory, progress, report, context, error };

    if (*app->array)
        return fetch_array(&fetch, app);
    if (app->kind == CREEL_JOB_TASKS && mkdir(directory, 0777) != 0 && errno != EEXIST) {
        error->code = errno;
        snprintf(error->text, sizeof(error->text), "results of %s: %s cannot be made: %s", app->id, directory,
                 strerror(errno));
        return -error->code;
    }
    return fetch_app(&fetch, app, "");
}

/* --- after --wait -------------------------------------------------------------------------- */

struct summary {
    int64_t entries, bytes;
    bool incomplete;
};

void fetch_print_problems(const struct fetched *fetched)
{
    const char *task = fetched->task;

    if (fetched->error)
        fprintf(stderr, "creel: %s\n", fetched->message);
    for (size_t i = 0; i < fetched->results.problem_count; i++)
        fprintf(stderr, "creel: results of %s%s%s: %s\n", fetched->app_id, *task ? ", task " : "", task,
                fetched->results.problems[i]);
    if (fetched->results.left_out > 0)
        fprintf(stderr,
                "creel: results of %s%s%s: left out %" PRId64
                " special files and links that lead outside: %s%s\n",
                fetched->app_id, *task ? ", task " : "", task, fetched->results.left_out,
                fetched->results.left_out_path, fetched->results.left_out > 1 ? ", ..." : "");
}

bool fetch_is_complete(const struct fetched *fetched)
{
    return fetched->error == 0 && fetched->results.problem_count == 0;
}

static void add(void *context, const struct fetched *fetched)
{
    struct summary *summary = context;

    fetch_print_problems(fetched);
    summary->incomplete |= !fetch_is_complete(fetched);
    if (fetched->error)
        return;
    summary->entries += fetched->results.entries;
    summary->bytes += fetched->results.bytes;
}

int fetch_after_wait(struct cli *cli, const struct creel_app *app, const char *directory, int code)
{
    bool progress = !cli->quiet && isatty(STDERR_FILENO);
    struct summary summary = { .entries = 0 };
    struct creel_error error;

    if (fetch_results(cli->client, app, directory, progress, add, &summary, &error) < 0) {
        cli_fail(&error);
        summary.incomplete = true;
    }
    if (summary.entries > 0)
        cli_print(cli, "creel: results: %" PRId64 " files and directories, %.1f MiB, in %s", summary.entries,
                  (double)summary.bytes / (1 << 20), directory);
    return code == EXIT_DONE && summary.incomplete ? EXIT_SELF_FAILED : code;
}
