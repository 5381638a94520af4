/* SPDX-License-Identifier: Apache-2.0 */
/* show_app.c - prints applications as rows, lines and JSON */
#include "client/cli/show/show_app.h"
#include "client/cli/frame/record_json.h"
#include "client/cli/frame/amounts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/include/creel-history.h"
#include "common/record/app_fields.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/io/loop/loop.h"

static const struct table_column columns[] = {
    SHOW_APP_COLUMNS,
    { "cont", "CONT", TABLE_RIGHT },
    { "mem", "MEM", TABLE_RIGHT },
    { "cpu", "CPU", TABLE_RIGHT },
    { "age", "AGE", TABLE_RIGHT },
    { "id", "ID", TABLE_WIDE },
    { "type", "TYPE", TABLE_WIDE },
    { "prio", "PRIO", TABLE_WIDE | TABLE_RIGHT },
    { "label", "LABEL", TABLE_WIDE },
    { "progress", "PROGRESS", TABLE_WIDE | TABLE_RIGHT },
    { "result", "RESULT", TABLE_WIDE },
    { "exit", "EXIT", TABLE_WIDE | TABLE_RIGHT },
    { "started", "STARTED", TABLE_WIDE },
    { "node", "NODE", TABLE_WIDE },
    { "url", "URL", TABLE_WIDE },
    { "vcoresecs", "VCORESECS", TABLE_WIDE | TABLE_RIGHT },
    { "memsecs", "MEMSECS", TABLE_WIDE | TABLE_RIGHT },
    { "rcont", "RCONT", TABLE_WIDE | TABLE_RIGHT },
    { "rmem", "RMEM", TABLE_WIDE | TABLE_RIGHT },
    { "rcpu", "RCPU", TABLE_WIDE | TABLE_RIGHT },
    { "others", "OTHERS", TABLE_WIDE },
    { "reason", "REASON", TABLE_CUT },
};

const char *show_app_suffix(const char *app_id)
{
    const char *suffix = strrchr(app_id, '_');

    return suffix ? suffix : app_id;
}

/* --- parts ----------------------------------------------------------------- */

static const char *short_state(const struct creel_app *app)
{
    return app->state < CREEL_APP_RUNNING ? "PENDING" : creel_app_state_name(app->state);
}

static int64_t age_ms(const struct creel_app *app)
{
    int64_t end_ms = app->finished_ms ? app->finished_ms : loop_now_ms();

    /* The RM's clock may be ahead of this machine's clock. */
    return app->submitted_ms && end_ms > app->submitted_ms ? end_ms - app->submitted_ms : 0;
}

static char *reason_text(const struct creel_app *app)
{
    if (creel_app_is_over(app))
        return cli_app_end(app);
    if (!*app->reason_code)
        return mem_strdup(app->reason);
    return *app->reason ? mem_printf("%s(%s)", app->reason_code, app->reason) : mem_strdup(app->reason_code);
}

/* Returns the reason for a column: the code, with the important figures. */
static char *short_reason(const struct creel_app *app)
{
    if (creel_app_is_over(app) || !*app->reason_code)
        return reason_text(app);
    return *app->reason_short ? mem_printf("%s(%s)", app->reason_code, app->reason_short)
                              : mem_strdup(app->reason_code);
}

void show_local_time(int64_t ms, char text[SHOW_TIME_MAX])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;

    *text = '\0';
    if (ms > 0 && localtime_r(&seconds, &parts))
        strftime(text, SHOW_TIME_MAX, "%Y-%m-%d %H:%M:%S", &parts);
}

/* --- rows ------------------------------------------------------------------ */

void show_app_cells(const struct creel_app *app, struct table *table)
{
    if (*app->array_id)
        table_textf(table, "%s_%u", show_app_suffix(app->array_id), app->array_index);
    else
        table_text(table, show_app_suffix(app->id));
    table_text(table, app->name);
    table_text(table, app->user);
    table_text(table, app->queue);
    table_text(table, short_state(app));
}

/* Shows tasks instead of containers for an array: some of its tasks are no applications yet. */
static void containers_cell(const struct creel_app *app, struct table *table)
{
    bool is_array = *app->array != '\0';
    uint32_t running = is_array ? app->tasks_running : app->running_containers;

    table_textf(table, "%u/%u", running, running + (is_array ? app->tasks_waiting : app->pending_containers));
    table_sorted_by(table, running);
}

static void row(const void *item, struct table *table)
{
    const struct creel_app *app = item;
    int64_t memory_mb = app->allocated.memory_mb + app->pending.memory_mb;
    int64_t vcores = app->allocated.vcores + app->pending.vcores;
    scoped_free char *reason = short_reason(app);
    char memory[TEXT_SIZE_MAX], age[TEXT_SIZE_MAX], started[40];

    show_local_time(app->started_ms, started);
    show_app_cells(app, table);
    containers_cell(app, table);
    table_text(table, text_format_mb(memory_mb, memory));
    table_sorted_by(table, memory_mb);
    table_number(table, vcores);
    table_text(table, text_format_elapsed_ms(age_ms(app), age));
    table_sorted_by(table, age_ms(app));
    table_text(table, app->id);
    table_text(table, app->type);
    table_number(table, app->priority);
    table_text(table, app->label);
    table_textf(table, "%.0f%%", app->progress * 100);
    table_sorted_by(table, (int64_t)(app->progress * 1000));
    table_text(table, creel_app_is_over(app) ? creel_final_status_name(app->final_status) : "");
    if (app->exit_status == CREEL_EXIT_NONE)
        table_text(table, "");
    else
        table_number(table, app->exit_status);
    table_text(table, started);
    table_sorted_by(table, app->started_ms);
    table_text(table, app->master_node_id);
    table_text(table, app->tracking_url);
    table_number(table, (int64_t)app->vcore_seconds);
    table_number(table, (int64_t)app->memory_mb_seconds);
    table_number(table, app->reserved_containers);
    table_text(table, text_format_mb(app->reserved.memory_mb, memory));
    table_sorted_by(table, app->reserved.memory_mb);
    table_number(table, app->reserved.vcores);
    others_cell(table, &app->allocated, NULL);
    table_text(table, reason);
}

const char *show_app_id(const void *item)
{
    return ((const struct creel_app *)item)->id;
}

/* --- JSON ------------------------------------------------------------------ */

/* Not a function of libcreel. */
static const char *creel_job_kind_name(enum creel_job_kind kind)
{
    return kind == CREEL_JOB_TASKS ? "TASKS" : kind == CREEL_JOB_MASTER ? "MASTER" : "COMMAND";
}

RECORD_JSON_NAMES(job_kind)
RECORD_JSON_NAMES(app_state)
RECORD_JSON_NAMES(final_status)

static void json_tasks(struct json_writer *json, const struct creel_app *app)
{
    if (app->tasks_total == 0)
        return;
    json_begin_object(json, "tasks");
    json_uint(json, "total", app->tasks_total);
    json_uint(json, "running", app->tasks_running);
    json_uint(json, "waiting", app->tasks_waiting);
    json_uint(json, "succeeded", app->tasks_succeeded);
    json_uint(json, "failed", app->tasks_failed);
    json_uint(json, "killed", app->tasks_killed);
    json_end_object(json);
}

/* Prints commands that show a task that failed, and that run all of them again. */
static void failed_tasks_lines(const struct creel_app *app)
{
    const char *id = show_app_suffix(app->id);

    if (!*app->failed_tasks)
        return;
    record_line("Failed tasks", "%s", app->failed_tasks);
    record_line("One of them", "creel logs %s_%lu", id, strtoul(app->failed_tasks, NULL, 10));
    record_line("Run again", "creel app rerun %s --failed", id);
}

/* Returns the number of tasks of APP, which is over, that never began. */
static uint32_t tasks_not_begun(const struct creel_app *app)
{
    uint64_t ended = (uint64_t)app->tasks_succeeded + app->tasks_failed + app->tasks_killed;

    return creel_app_is_over(app) && ended < app->tasks_total ? (uint32_t)(app->tasks_total - ended) : 0;
}

static void tasks_line(const struct creel_app *app)
{
    uint32_t not_begun = tasks_not_begun(app);
    char killed[32] = "", left[32] = "";

    if (app->tasks_killed > 0)
        snprintf(killed, sizeof(killed), ", %u killed", app->tasks_killed);
    if (not_begun > 0 && *app->array)
        snprintf(left, sizeof(left), ", %u did not begin", not_begun);
    record_line("Tasks", "%u: %u running, %u waiting, %u succeeded, %u failed%s%s", app->tasks_total,
                app->tasks_running, app->tasks_waiting, app->tasks_succeeded, app->tasks_failed, killed,
                left);
    failed_tasks_lines(app);
    if (app->kind == CREEL_JOB_TASKS && creel_app_is_over(app) && app->tasks_succeeded < app->tasks_total)
        record_line("Run again", "creel app rerun %s --failed", show_app_suffix(app->id));
}

static void json_used(struct json_writer *json, const struct creel_app *app)
{
    const struct creel_used *used = app->used;

    if (used == NULL)
        return;
    json_begin_object(json, "used");
    json_uint(json, "containers", used->containers);
    json_uint(json, "failedContainers", used->failed_containers);
    json_uint(json, "cpuTimeUs", used->cpu_time_us);
    json_uint(json, "memoryPeakBytes", used->memory_peak_bytes);
    json_uint(json, "readBytes", used->read_bytes);
    json_uint(json, "writtenBytes", used->written_bytes);
    json_uint(json, "nodeCount", used->node_count);
    if (used->nodes[0] != NULL)
        json_texts(json, "nodes", used->nodes);
    json_end_object(json);
}

static void json_holds(struct json_writer *json, const struct creel_app *app)
{
    if (app->hold_count == 0)
        return;
    json_begin_array(json, "holds");
    for (size_t i = 0; i < app->hold_count; i++) {
        json_begin_object(json, NULL);
        json_text(json, "by", app->holds[i].by);
        json_bool(json, "administrator", app->holds[i].administrator);
        json_text_if(json, "reason", app->holds[i].reason);
        json_time(json, "since", app->holds[i].since_ms);
        json_end_object(json);
    }
    json_end_array(json);
}

static void json_dependencies(struct json_writer *json, const struct creel_app *app)
{
    if (app->dependency_count == 0)
        return;
    json_begin_array(json, "dependencies");
    for (size_t i = 0; i < app->dependency_count; i++) {
        const struct creel_dependency *dependency = &app->dependencies[i];

        json_begin_object(json, NULL);
        json_text_if(json, "id", dependency->app_id);
        if (dependency->is_of_task)
            json_uint(json, "taskIndex", dependency->task_index);
        json_text(json, "condition", dependency->condition);
        json_text(json, "state", dependency->met ? "MET" : dependency->failed ? "FAILED" : "WAITS");
        json_text_if(json, "reason", dependency->reason);
        json_end_object(json);
    }
    json_end_array(json);
}

/* Returns the state of its logs on shared storage; "": they stay on the nodes. */
static const char *log_aggregation(const struct creel_app *app)
{
    return app->log_aggregation && strcmp(app->log_aggregation, "DISABLED") != 0 ? app->log_aggregation : "";
}

static void json_log_aggregation(struct json_writer *json, const struct creel_app *app)
{
    json_text_if(json, "logAggregationStatus", log_aggregation(app));
}

/* The conditions of common/record/app_fields.h. */
#define RECORD_JSON_OF_TASK_UINT32(writer, name, value) \
    if (*record->array_id) \
    json_uint(writer, name, value)
#define RECORD_JSON_RETRIES_UINT32(writer, name, value) \
    if (record->retries > 0) \
    json_uint(writer, name, value)

void show_app_json(const void *item, struct json_writer *writer)
{
    const struct creel_app *record = item;

    APP_FIELDS(RECORD_JSON)
    json_int(writer, "elapsedMs", age_ms(record));
}

static const struct listing listing = {
    .kind = "AppList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = show_app_json,
    .id = show_app_id,
};

int show_apps_by(struct cli *cli, const struct listing *as, const struct creel_apps *apps)
{
    scoped_free const void **items = mem_array0(apps->count + 1, sizeof(*items));

    for (size_t i = 0; i < apps->count; i++)
        items[i] = &apps->items[i];
    return listing_print(cli, as, items, apps->count);
}

int show_app_list(struct cli *cli, const struct creel_apps *apps)
{
    return show_apps_by(cli, &listing, apps);
}

/* --- details of one application -------------------------------------------- */

static char *join(const char *const *texts)
{
    struct text_builder joined = TEXT_BUILDER_MALLOC;

    for (; *texts; texts++) {
        bool plain = **texts && !strpbrk(*texts, " \t\n'\"$\\*?;&|<>()");

        text_builder_printf(&joined, plain ? "%s%s" : "%s'%s'", joined.length > 0 ? " " : "", *texts);
    }
    return text_builder_finish(&joined);
}

static void time_lines(const struct creel_app *app)
{
    char submitted[40], started[40], begin[40], finished[40], elapsed[TEXT_SIZE_MAX];

    show_local_time(app->submitted_ms, submitted);
    show_local_time(app->started_ms, started);
    show_local_time(app->finished_ms, finished);
    text_format_elapsed_ms(age_ms(app), elapsed);
    record_line("Submitted", "%s", submitted);
    show_local_time(app->eligible_ms == 0 ? app->begin_ms : 0, begin);
    record_line("Begins at", "%s", begin);
    record_line("Started", "%s", started);
    record_line("Finished", "%s", finished);
    if (app->time_limit_s > 0)
        record_line("Time limit", "%s", text_format_elapsed_ms(app->time_limit_s * 1000, begin));
    if (!creel_app_is_over(app)) {
        show_local_time(app->expires_ms, finished);
        record_line("Killed at", "%s", finished);
        show_local_time(app->deadline_ms, finished);
        record_line("Deadline", "%s", finished);
    }
    record_line("Elapsed", "%s", elapsed);
}

static void attempt_lines(const struct creel_app *app)
{
    /* Attempts that do not count as failed may be more than the limit. */
    if (app->unmanaged)
        record_line("Master", "unmanaged%s%s", *app->am_host ? ", on " : ", has not registered",
                    app->am_host);
    else if (app->retries > 0)
        record_line("Attempt", "%u, %u of %u retries used", app->attempt, app->retries_used, app->retries);
    else if (app->no_requeue)
        record_line("Attempt", "%u, no other follows (--no-requeue)", app->attempt);
    else if (app->attempt > app->max_attempts)
        record_line("Attempt", "%u", app->attempt);
    else
        record_line("Attempt", "%u of %u", app->attempt, app->max_attempts);
    record_line("Restart reason", "%s", app->restart_reason);
    record_line("Submitted in", "%s", app->submitted_in);
    record_line("Log aggregation", "%s", log_aggregation(app));
}

static void result_lines(const struct creel_app *app)
{
    scoped_free char *reason = reason_text(app);

    if (creel_app_is_over(app) && app->exit_status != CREEL_EXIT_NONE)
        record_line("State", "%s (%s, exit status %d)", creel_app_state_name(app->state),
                    creel_final_status_name(app->final_status), app->exit_status);
    else if (creel_app_is_over(app))
        record_line("State", "%s (%s)", creel_app_state_name(app->state),
                    creel_final_status_name(app->final_status));
    else
        record_line("State", "%s", creel_app_state_name(app->state));
    record_line(creel_app_is_over(app) ? "Diagnostics" : "Reason", "%s",
                creel_app_is_over(app) ? app->diagnostics : reason);
    if (app->tasks_total)
        tasks_line(app);
    record_line("Rerun of", "%s", app->rerun_of);
    /* The number that the submission gave may have changed. */
    if (*app->array && app->array_at_once)
        record_line("Array", "%.*s%%%u", (int)strcspn(app->array, "%"), app->array, app->array_at_once);
    else
        record_line("Array", "%.*s", (int)strcspn(app->array, "%"), app->array);
    if (app->array_at_once)
        record_line("Parallel tasks", "%u", app->array_at_once);
    if (*app->array_id)
        record_line("Task", "%u of %s", app->array_index, app->array_id);
}

static void used_lines(const struct creel_used *used)
{
    scoped_free char *nodes = used != NULL ? join(used->nodes) : NULL;
    char peak[TEXT_SIZE_MAX], cpu[TEXT_SIZE_MAX];

    if (used == NULL)
        return;
    record_line("Containers", "%u ended, %u of them failed", used->containers, used->failed_containers);
    record_line("Peak memory", "%s in one container",
                text_format_mb((int64_t)(used->memory_peak_bytes >> 20), peak));
    record_line("CPU time", "%s", text_format_elapsed_ms((int64_t)(used->cpu_time_us / 1000), cpu));
    record_line("Nodes", "%s", nodes);
}

static void lines(const void *item, const struct cli *cli)
{
    const struct creel_app *app = item;
    scoped_free char *command = join(app->command);
    scoped_free char *tags = join(app->tags);
    scoped_free char *avoided = join(app->avoided_nodes);
    char held[RECORD_AMOUNTS_MAX], asked[RECORD_AMOUNTS_MAX];

    (void)cli;
    record_line("Application", "%s", app->id);
    record_line("Name", "%s", app->name);
    record_line("User", "%s", app->user);
    record_line("Queue", "%s", app->queue);
    record_line("Priority", "%d", app->priority);
    record_line("Label", "%s", app->label);
    record_line("Tags", "%s", tags);
    record_line("Command", "%s", command);
    result_lines(app);
    time_lines(app);
    if (app->used == NULL && !*app->array)
        record_line("Containers", "%u running, %u pending", app->running_containers, app->pending_containers);
    if (app->requested.memory_mb)
        record_line("Per container", "%s", record_amounts(&app->requested, asked));
    if (app->used == NULL)
        record_line("Allocated", "%s", record_amounts(&app->allocated, held));
    record_line("Use", "%llu MiB s, %llu vcore s", (unsigned long long)app->memory_mb_seconds,
                (unsigned long long)app->vcore_seconds);
    used_lines(app->used);
    if (!*app->array)
        attempt_lines(app);
    record_line("First on", "%s", app->master_node_id);
    record_line("Avoided nodes", "%s", avoided);
    record_line("Silent", "%s", app->silent_nodes);
    record_line("Tracking", "%s", app->tracking_url);
}

static const struct record record = {
    .kind = "AppList",
    .lines = lines,
    .json = show_app_json,
    .id = show_app_id,
};

int show_app(struct cli *cli, const struct creel_app *app)
{
    return record_print(cli, &record, app);
}
