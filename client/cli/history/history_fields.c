/* SPDX-License-Identifier: Apache-2.0 */
/* history_fields.c - prints ended applications with the field names of Slurm's sacct */
#include "client/cli/history/history_fields.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "client/cli/frame/listing.h"
#include "client/cli/show/show_app.h"
#include "client/include/creel-history.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

#define SIGNAL_MAX 64

static const struct creel_used nothing_used = { .nodes = (const char *const[]){ NULL } };

static const struct creel_used *used_of(const struct creel_app *app)
{
    return app->used ? app->used : &nothing_used;
}

/* --- cells ------------------------------------------------------------------ */

static void time_cell(struct table *table, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    char text[SHOW_TIME_MAX] = "";
    struct tm local;

    if (ms > 0 && localtime_r(&seconds, &local))
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &local);
    table_text(table, text);
    table_sorted_by(table, ms);
}

/* As sacct prints durations: [DAYS-]HOURS:MINUTES:SECONDS. */
static void duration_cell(struct table *table, int64_t seconds)
{
    char days[TEXT_SIZE_MAX] = "";

    if (seconds >= 86400)
        snprintf(days, sizeof(days), "%lld-", (long long)(seconds / 86400));
    table_textf(table, "%s%02d:%02d:%02d", days, (int)(seconds / 3600 % 24), (int)(seconds / 60 % 60),
                (int)(seconds % 60));
    table_sorted_by(table, seconds);
}

static void mb_cell(struct table *table, int64_t mb)
{
    table_textf(table, "%lldM", (long long)mb);
    table_sorted_by(table, mb);
}

static int64_t elapsed_s(const struct creel_app *app)
{
    int64_t ms = app->started_ms > 0 ? app->finished_ms - app->started_ms : 0;

    return ms > 0 ? ms / 1000 : 0;
}

static int64_t waited_s(const struct creel_app *app)
{
    int64_t ms = app->started_ms > 0 ? app->started_ms - app->submitted_ms : 0;

    return ms > 0 ? ms / 1000 : 0;
}

static void put_id(struct table *table, const struct creel_app *app)
{
    if (*app->array_id)
        table_textf(table, "%s_%u", app->array_id, app->array_index);
    else
        table_text(table, app->id);
}

static void put_raw_id(struct table *table, const struct creel_app *app)
{
    table_text(table, app->id);
}

static void put_name(struct table *table, const struct creel_app *app)
{
    table_text(table, app->name);
}

static void put_user(struct table *table, const struct creel_app *app)
{
    table_text(table, app->user);
}

static void put_queue(struct table *table, const struct creel_app *app)
{
    table_text(table, app->queue);
}

static void put_label(struct table *table, const struct creel_app *app)
{
    table_text(table, app->label);
}

static void put_state(struct table *table, const struct creel_app *app)
{
    table_text(table, creel_app_state_name(app->state));
}

/* STATUS:SIGNAL; a status above 128 is that of a signal. */
static void put_exit(struct table *table, const struct creel_app *app)
{
    int status = app->exit_status;

    if (status == CREEL_EXIT_NONE)
        table_text(table, "");
    else if (status > 128 && status <= 128 + SIGNAL_MAX)
        table_textf(table, "0:%d", status - 128);
    else
        table_textf(table, "%d:0", status);
}

static void put_submit(struct table *table, const struct creel_app *app)
{
    time_cell(table, app->submitted_ms);
}

static void put_eligible(struct table *table, const struct creel_app *app)
{
    time_cell(table, app->eligible_ms);
}

static void put_start(struct table *table, const struct creel_app *app)
{
    time_cell(table, app->started_ms);
}

static void put_end(struct table *table, const struct creel_app *app)
{
    time_cell(table, app->finished_ms);
}

static void put_elapsed(struct table *table, const struct creel_app *app)
{
    duration_cell(table, elapsed_s(app));
}

static void put_raw_elapsed(struct table *table, const struct creel_app *app)
{
    table_number(table, elapsed_s(app));
}

static void put_wait(struct table *table, const struct creel_app *app)
{
    duration_cell(table, waited_s(app));
}

static void put_limit(struct table *table, const struct creel_app *app)
{
    if (app->time_limit_s > 0)
        duration_cell(table, app->time_limit_s);
    else
        table_text(table, "UNLIMITED");
}

static void put_raw_limit(struct table *table, const struct creel_app *app)
{
    if (app->time_limit_s > 0)
        table_number(table, (app->time_limit_s + 59) / 60); /* minutes */
    else
        table_text(table, "UNLIMITED");
}

static void put_cpus(struct table *table, const struct creel_app *app)
{
    table_number(table, app->requested.vcores);
}

static void put_memory(struct table *table, const struct creel_app *app)
{
    mb_cell(table, app->requested.memory_mb);
}

static void put_peak(struct table *table, const struct creel_app *app)
{
    mb_cell(table, (int64_t)((used_of(app)->memory_peak_bytes + (1 << 20) - 1) >> 20));
}

static void put_total_cpu(struct table *table, const struct creel_app *app)
{
    duration_cell(table, (int64_t)(used_of(app)->cpu_time_us / 1000000));
}

static void put_cpu_time(struct table *table, const struct creel_app *app)
{
    duration_cell(table, (int64_t)app->vcore_seconds);
}

static void put_raw_cpu_time(struct table *table, const struct creel_app *app)
{
    table_number(table, (int64_t)app->vcore_seconds);
}

static void put_node_count(struct table *table, const struct creel_app *app)
{
    table_number(table, used_of(app)->node_count);
}

static void put_nodes(struct table *table, const struct creel_app *app)
{
    scoped_text_builder struct text_builder list = TEXT_BUILDER_MALLOC;

    for (const char *const *node = used_of(app)->nodes; *node; node++)
        text_builder_printf(&list, "%s%.*s", list.length > 0 ? "," : "", (int)strcspn(*node, ":"), *node);
    table_text(table, text_builder_text(&list));
}

static void put_tasks(struct table *table, const struct creel_app *app)
{
    table_number(table, app->tasks_total > 0 ? app->tasks_total : 1);
}

static void put_priority(struct table *table, const struct creel_app *app)
{
    table_number(table, app->priority);
}

/* The resources of one container, in Slurm's form: cpu=2,mem=512M. */
static void put_resources(struct table *table, const struct creel_app *app)
{
    table_textf(table, "cpu=%lld,mem=%lldM", (long long)app->requested.vcores,
                (long long)app->requested.memory_mb);
}

/* Returns TOTAL of all containers, divided by their number. */
static int64_t average(const struct creel_app *app, uint64_t total)
{
    uint32_t containers = used_of(app)->containers;

    return containers > 0 ? (int64_t)(total / containers) : 0;
}

static void put_average_cpu(struct table *table, const struct creel_app *app)
{
    duration_cell(table, average(app, used_of(app)->cpu_time_us) / 1000000);
}

static void bytes_cell(struct table *table, int64_t bytes)
{
    table_textf(table, "%.2fM", (double)bytes / (1 << 20));
    table_sorted_by(table, bytes);
}

static void put_average_read(struct table *table, const struct creel_app *app)
{
    bytes_cell(table, average(app, used_of(app)->read_bytes));
}

static void put_average_written(struct table *table, const struct creel_app *app)
{
    bytes_cell(table, average(app, used_of(app)->written_bytes));
}

static void put_usage_in(struct table *table, const struct creel_app *app)
{
    uint64_t seconds = used_of(app)->cpu_time_us / 1000000;

    table_textf(table, "cpu=%02d:%02d:%02d,fs/disk=%llu", (int)(seconds / 3600), (int)(seconds / 60 % 60),
                (int)(seconds % 60), (unsigned long long)used_of(app)->read_bytes);
}

static void put_usage_out(struct table *table, const struct creel_app *app)
{
    table_textf(table, "fs/disk=%llu", (unsigned long long)used_of(app)->written_bytes);
}

/* A field of sacct for which creel has no value. */
static void put_nothing(struct table *table, const struct creel_app *app)
{
    (void)app;
    table_text(table, "");
}

static void put_restarts(struct table *table, const struct creel_app *app)
{
    table_number(table, app->attempt > 1 ? app->attempt - 1 : 0);
}

static void put_reason(struct table *table, const struct creel_app *app)
{
    scoped_free char *reason = cli_app_end(app);

    table_text(table, reason);
}

static void put_command(struct table *table, const struct creel_app *app)
{
    scoped_text_builder struct text_builder line = TEXT_BUILDER_MALLOC;

    for (const char *const *word = app->command; *word; word++)
        text_builder_printf(&line, "%s%s", line.length > 0 ? " " : "", *word);
    table_text(table, text_builder_text(&line));
}

/* --- the fields -------------------------------------------------------------- */

/* X(NAME, FLAGS, FUNCTION): names as sacct prints them. */
#define FIELDS(X) \
    X("JobID", 0, put_id) \
    X("JobIDRaw", 0, put_raw_id) \
    X("JobName", TABLE_CUT, put_name) \
    X("User", 0, put_user) \
    X("Account", 0, put_queue) \
    X("Partition", 0, put_label) \
    X("State", TABLE_STATE, put_state) \
    X("ExitCode", TABLE_RIGHT, put_exit) \
    X("DerivedExitCode", TABLE_RIGHT, put_exit) \
    X("Submit", 0, put_submit) \
    X("Eligible", 0, put_eligible) \
    X("Start", 0, put_start) \
    X("End", 0, put_end) \
    X("Elapsed", TABLE_RIGHT, put_elapsed) \
    X("ElapsedRaw", TABLE_RIGHT, put_raw_elapsed) \
    X("Reserved", TABLE_RIGHT, put_wait) \
    X("Planned", TABLE_RIGHT, put_wait) \
    X("Timelimit", TABLE_RIGHT, put_limit) \
    X("TimelimitRaw", TABLE_RIGHT, put_raw_limit) \
    X("NCPUS", TABLE_RIGHT, put_cpus) \
    X("AllocCPUS", TABLE_RIGHT, put_cpus) \
    X("ReqCPUS", TABLE_RIGHT, put_cpus) \
    X("ReqMem", TABLE_RIGHT, put_memory) \
    X("ReqTRES", 0, put_resources) \
    X("AllocTRES", 0, put_resources) \
    X("MaxRSS", TABLE_RIGHT, put_peak) \
    X("TotalCPU", TABLE_RIGHT, put_total_cpu) \
    X("CPUTime", TABLE_RIGHT, put_cpu_time) \
    X("CPUTimeRAW", TABLE_RIGHT, put_raw_cpu_time) \
    X("NTasks", TABLE_RIGHT, put_tasks) \
    X("NNodes", TABLE_RIGHT, put_node_count) \
    X("AllocNodes", TABLE_RIGHT, put_node_count) \
    X("NodeList", TABLE_CUT, put_nodes) \
    X("Priority", TABLE_RIGHT, put_priority) \
    X("Restarts", TABLE_RIGHT, put_restarts) \
    X("Reason", TABLE_CUT, put_reason) \
    X(HISTORY_FIELD_COMMAND, TABLE_CUT, put_command) \
    X("AveCPU", TABLE_RIGHT, put_average_cpu) \
    X("AveDiskRead", TABLE_RIGHT, put_average_read) \
    X("AveDiskWrite", TABLE_RIGHT, put_average_written) \
    X("TRESUsageInTot", 0, put_usage_in) \
    X("TRESUsageOutTot", 0, put_usage_out) \
    X("AdminComment", 0, put_nothing) \
    X("AssocID", 0, put_nothing) \
    X("AveCPUFreq", 0, put_nothing) \
    X("AvePages", 0, put_nothing) \
    X("AveRSS", 0, put_nothing) \
    X("AveVMSize", 0, put_nothing) \
    X("BlockID", 0, put_nothing) \
    X("Cluster", 0, put_nothing) \
    X("Comment", 0, put_nothing) \
    X("Constraints", 0, put_nothing) \
    X("ConsumedEnergy", 0, put_nothing) \
    X("ConsumedEnergyRaw", 0, put_nothing) \
    X("Container", 0, put_nothing) \
    X("DBIndex", 0, put_nothing) \
    X("Extra", 0, put_nothing) \
    X("FailedNode", 0, put_nothing) \
    X("Flags", 0, put_nothing) \
    X("GID", 0, put_nothing) \
    X("Group", 0, put_nothing) \
    X("Layout", 0, put_nothing) \
    X("Licenses", 0, put_nothing) \
    X("MaxDiskRead", 0, put_nothing) \
    X("MaxDiskReadNode", 0, put_nothing) \
    X("MaxDiskReadTask", 0, put_nothing) \
    X("MaxDiskWrite", 0, put_nothing) \
    X("MaxDiskWriteNode", 0, put_nothing) \
    X("MaxDiskWriteTask", 0, put_nothing) \
    X("MaxPages", 0, put_nothing) \
    X("MaxPagesNode", 0, put_nothing) \
    X("MaxPagesTask", 0, put_nothing) \
    X("MaxRSSNode", 0, put_nothing) \
    X("MaxRSSTask", 0, put_nothing) \
    X("MaxVMSize", 0, put_nothing) \
    X("MaxVMSizeNode", 0, put_nothing) \
    X("MaxVMSizeTask", 0, put_nothing) \
    X("McsLabel", 0, put_nothing) \
    X("MinCPU", 0, put_nothing) \
    X("MinCPUNode", 0, put_nothing) \
    X("MinCPUTask", 0, put_nothing) \
    X("PlannedCPU", 0, put_nothing) \
    X("PlannedCPURAW", 0, put_nothing) \
    X("QOS", 0, put_nothing) \
    X("QOSRAW", 0, put_nothing) \
    X("QOSREQ", 0, put_nothing) \
    X("ReqCPUFreq", 0, put_nothing) \
    X("ReqCPUFreqGov", 0, put_nothing) \
    X("ReqCPUFreqMax", 0, put_nothing) \
    X("ReqCPUFreqMin", 0, put_nothing) \
    X("ReqNodes", 0, put_nothing) \
    X("Reservation", 0, put_nothing) \
    X("ReservationId", 0, put_nothing) \
    X("SLUID", 0, put_nothing) \
    X("StdErr", 0, put_nothing) \
    X("StdIn", 0, put_nothing) \
    X("StdOut", 0, put_nothing) \
    X("Suspended", 0, put_nothing) \
    X("SystemComment", 0, put_nothing) \
    X("SystemCPU", 0, put_nothing) \
    X("TRESUsageInAve", 0, put_nothing) \
    X("TRESUsageInMax", 0, put_nothing) \
    X("TRESUsageInMaxNode", 0, put_nothing) \
    X("TRESUsageInMaxTask", 0, put_nothing) \
    X("TRESUsageInMin", 0, put_nothing) \
    X("TRESUsageInMinNode", 0, put_nothing) \
    X("TRESUsageInMinTask", 0, put_nothing) \
    X("TRESUsageOutAve", 0, put_nothing) \
    X("TRESUsageOutMax", 0, put_nothing) \
    X("TRESUsageOutMaxNode", 0, put_nothing) \
    X("TRESUsageOutMaxTask", 0, put_nothing) \
    X("TRESUsageOutMin", 0, put_nothing) \
    X("TRESUsageOutMinNode", 0, put_nothing) \
    X("TRESUsageOutMinTask", 0, put_nothing) \
    X("UID", 0, put_nothing) \
    X("UserCPU", 0, put_nothing) \
    X("WCKey", 0, put_nothing) \
    X("WCKeyID", 0, put_nothing) \
    X("WorkDir", 0, put_nothing)

#define COLUMN(name, flags, put) { name, name, flags },
#define FUNCTION(name, flags, put) put,

static const struct table_column columns[] = { FIELDS(COLUMN) };
static void (*const functions[])(struct table *table, const struct creel_app *app) = { FIELDS(FUNCTION) };

#define FIELD_COUNT (sizeof(columns) / sizeof(columns[0]))

static const struct table_column *find_field(const char *name, size_t length)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (strlen(columns[i].key) == length && strncasecmp(columns[i].key, name, length) == 0)
            return &columns[i];
    return NULL;
}

static void append(char **list, const char *name)
{
    char *longer = mem_printf("%s%s%s", *list, **list ? "," : "", name);

    free(*list);
    *list = longer;
}

static void refuse(const char *name, size_t length, struct err *err)
{
    scoped_free char *all = mem_strdup("");

    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (functions[i] != put_nothing)
            append(&all, columns[i].key);
    err_set(err, EINVAL,
            "--fields: there is no field \"%.*s\"; there are: %s; other fields of sacct are empty",
            (int)length, name, all);
}

char *history_fields_parse(const char *fields, bool *nodes, struct err *err)
{
    char *list = mem_strdup("");

    *nodes = false;
    for (const char *at = fields; *at; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ", "), name_length = strcspn(at, "%, ");
        const struct table_column *field = find_field(at, name_length);

        if (length > 0 && field == NULL) {
            refuse(at, name_length, err);
            free(list);
            return NULL;
        }
        if (length > 0)
            append(&list, field->key);
        *nodes = *nodes || (length > 0 && strcmp(field->key, "NodeList") == 0);
        at += length;
    }
    if (*list)
        return list;
    free(list);
    err_set(err, EINVAL, "--fields names no field");
    return NULL;
}

/* --- output ------------------------------------------------------------------ */

static void row(const void *item, struct table *table)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        functions[i](table, item);
}

static const char *id(const void *item)
{
    return ((const struct creel_app *)item)->id;
}

int history_fields_print(struct cli *cli, const char *fields, const struct creel_apps *apps)
{
    static const struct listing listing = {
        .kind = "AppList",
        .columns = columns,
        .column_count = FIELD_COUNT,
        .row = row,
        .json = show_app_json,
        .id = id,
    };
    scoped_free const void **items = mem_array0(apps->count + 1, sizeof(*items));

    for (size_t i = 0; i < apps->count; i++)
        items[i] = &apps->items[i];
    cli->columns = fields;
    return listing_print(cli, &listing, items, apps->count);
}
