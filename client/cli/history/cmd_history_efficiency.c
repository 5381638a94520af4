/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_history_efficiency.c - creel history efficiency: used parts of allocated resources */
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/frame/amounts.h"
#include "client/cli/frame/listing.h"
#include "client/cli/history/history_sums.h"
#include "client/cli/show/history_filter.h"
#include "client/cli/show/show_app.h"
#include "common/base/mem.h"
#include "common/base/text.h"

const struct option_spec history_efficiency_options[] = {
    { 0, "by", "GROUP", "a row for each application (app, default), user, queue, hour or day" },
    HISTORY_FILTER_OPTIONS,
    HISTORY_LIST_OPTIONS,
    HISTORY_FORMAT_OPTION,
    { 0 },
};

struct efficiency {
    const struct creel_app *app; /* NULL: a sum */
    const char *group;
    uint64_t jobs;
    double cpu_s, vcore_s;         /* used, allocated */
    double used_mb_s, memory_mb_s; /* used, allocated */
    uint64_t peak_bytes;           /* largest peak of a container of APP */
};

/* --- rows ------------------------------------------------------------------ */

/* Returns USED in percent of ALLOCATED; -1 if ALLOCATED is 0 (less than one second). */
static double percent(double used, double allocated)
{
    return allocated > 0 ? 100 * used / allocated : -1;
}

static void percent_cell(struct table *table, double value)
{
    if (value < 0)
        table_text(table, "");
    else
        table_textf(table, "%.1f%%", value);
    table_sorted_by(table, (int64_t)(value * 10));
}

static void seconds_cell(struct table *table, double seconds)
{
    char text[TEXT_SIZE_MAX];

    table_text(table, text_format_elapsed_ms((int64_t)(seconds * 1000), text));
    table_sorted_by(table, (int64_t)(seconds * 1000));
}

static void figure_cells(struct table *table, const struct efficiency *item)
{
    percent_cell(table, percent(item->cpu_s, item->vcore_s));
    seconds_cell(table, item->cpu_s);
    seconds_cell(table, item->vcore_s);
    percent_cell(table, percent(item->used_mb_s, item->memory_mb_s));
}

static void app_row(const void *row, struct table *table)
{
    const struct efficiency *item = row;
    const struct creel_app *app = item->app;

    show_app_cells(app, table);
    figure_cells(table, item);
    memory_cell(table, (int64_t)((item->peak_bytes + (1 << 20) - 1) >> 20));
    if (app->requested.memory_mb > 0)
        memory_cell(table, app->requested.memory_mb);
    else
        table_text(table, ""); /* the default of the cluster was used, which the history lacks */
    table_text(table, app->id);
}

static void sum_row(const void *row, struct table *table)
{
    const struct efficiency *item = row;

    table_text(table, item->group);
    table_number(table, (int64_t)item->jobs);
    figure_cells(table, item);
}

static void json_percent(struct json_writer *json, const char *name, double value)
{
    if (value >= 0)
        json_double(json, name, value);
}

static void json(const void *row, struct json_writer *json)
{
    const struct efficiency *item = row;
    const struct creel_app *app = item->app;

    if (app != NULL) {
        json_text(json, "id", app->id);
        json_text(json, "name", app->name);
        json_text(json, "user", app->user);
        json_text(json, "queue", app->queue);
        json_text(json, "state", creel_app_state_name(app->state));
        json_uint(json, "memoryPeakBytes", item->peak_bytes);
        json_amounts(json, "requested", &app->requested);
    } else {
        json_text(json, "group", item->group);
    }
    json_uint(json, "jobs", item->jobs);
    json_uint(json, "cpuTimeUs", (uint64_t)(item->cpu_s * 1e6));
    json_uint(json, "vcoreSeconds", (uint64_t)item->vcore_s);
    json_percent(json, "cpuPercent", percent(item->cpu_s, item->vcore_s));
    json_uint(json, "memoryUsedMbSeconds", (uint64_t)item->used_mb_s);
    json_uint(json, "memoryMbSeconds", (uint64_t)item->memory_mb_s);
    json_percent(json, "memoryPercent", percent(item->used_mb_s, item->memory_mb_s));
}

static const char *id(const void *row)
{
    const struct efficiency *item = row;

    return item->app ? item->app->id : item->group;
}

#define FIGURE_COLUMNS \
    { "cpueff", "CPUEFF", TABLE_RIGHT }, { "cputime", "CPUTIME", TABLE_RIGHT }, \
        { "vcoretime", "VCORETIME", TABLE_RIGHT }, \
    { \
        "memeff", "MEMEFF", TABLE_RIGHT \
    }

static const struct table_column app_columns[] = {
    SHOW_APP_COLUMNS,
    FIGURE_COLUMNS,
    { "maxmem", "MAXMEM", TABLE_RIGHT },
    { "reqmem", "REQMEM", TABLE_RIGHT },
    { "id", "ID", TABLE_WIDE },
};

static const struct table_column sum_columns[] = {
    { "group", "GROUP", 0 },
    { "jobs", "JOBS", TABLE_RIGHT },
    FIGURE_COLUMNS,
};

static int show(struct cli *cli, const struct efficiency *rows, size_t count, bool of_apps)
{
    const struct listing listing = {
        .kind = "EfficiencyList",
        .columns = of_apps ? app_columns : sum_columns,
        .column_count =
            of_apps ? sizeof(app_columns) / sizeof(*app_columns) : sizeof(sum_columns) / sizeof(*sum_columns),
        .row = of_apps ? app_row : sum_row,
        .json = json,
        .id = id,
    };
    scoped_free const void **items = mem_array0(count + 1, sizeof(*items));

    for (size_t i = 0; i < count; i++)
        items[i] = &rows[i];
    return listing_print(cli, &listing, items, count);
}

/* --- applications ------------------------------------------------------------ */

static struct efficiency of_app(const struct creel_app *app)
{
    struct efficiency item = {
        .app = app,
        .jobs = 1,
        .vcore_s = (double)app->vcore_seconds,
        .memory_mb_s = (double)app->memory_mb_seconds,
    };

    if (app->used != NULL) {
        item.cpu_s = (double)app->used->cpu_time_us / 1e6;
        item.used_mb_s = (double)app->used->memory_used_mb_seconds;
        item.peak_bytes = app->used->memory_peak_bytes;
    }
    return item;
}

static void add_container(struct efficiency *item, const struct creel_container *container)
{
    int64_t end_ms = container->finished_ms > 0 ? container->finished_ms : container->figures_ms;
    int64_t ran_ms = container->started_ms > 0 ? end_ms - container->started_ms : 0;

    item->cpu_s += (double)container->cpu_time_us / 1e6;
    if (ran_ms > 0)
        item->used_mb_s += (double)container->memory_peak_bytes / (1 << 20) * (double)ran_ms / 1000;
    if (container->memory_peak_bytes > item->peak_bytes)
        item->peak_bytes = container->memory_peak_bytes;
}

/* Adds the containers of an application that the resource manager still has, so that there are no sums. */
static int add_containers(struct creel_client *client, struct efficiency *item, struct creel_error *error)
{
    struct creel_containers *containers = NULL;

    if (creel_container_list(client, item->app->id, NULL, NULL, false, &containers, error) < 0)
        return -1;
    for (size_t i = 0; i < containers->count; i++)
        add_container(item, &containers->items[i]);
    creel_containers_free(containers);
    return 0;
}

static int show_named(struct cli *cli)
{
    size_t count = cli->options.argument_count;
    scoped_free struct creel_apps **apps = mem_array0(count + 1, sizeof(*apps));
    scoped_free struct efficiency *rows = mem_array0(count + 1, sizeof(*rows));
    struct creel_error error;
    int code;
    struct creel_client *client = cli_client(cli, &code);

    if (client == NULL)
        return code;
    code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < count; i++) {
        if (creel_app_get(client, cli->options.arguments[i], &apps[i], &error) < 0) {
            code = cli_fail(&error);
            break;
        }
        rows[i] = of_app(&apps[i]->items[0]);
        if (rows[i].app->used == NULL && add_containers(client, &rows[i], &error) < 0)
            code = cli_fail(&error);
    }
    if (code == EXIT_DONE)
        code = show(cli, rows, count, true);
    for (size_t i = 0; i < count; i++)
        creel_apps_free(apps[i]);
    return code;
}

static int show_apps(struct cli *cli, const struct creel_apps *apps, const void *context)
{
    scoped_free struct efficiency *rows = mem_array0(apps->count + 1, sizeof(*rows));

    (void)context;
    for (size_t i = 0; i < apps->count; i++)
        rows[i] = of_app(&apps->items[i]);
    return show(cli, rows, apps->count, true);
}

/* --- sums -------------------------------------------------------------------- */

static int show_sums(struct cli *cli, const struct creel_history_filter *filter, enum history_group by)
{
    scoped_free struct efficiency *rows = NULL;
    struct history_sums sums;
    int code = history_sums_read(cli, filter, by, &sums);

    rows = mem_array0(sums.count + 1, sizeof(*rows));
    for (size_t i = 0; i < sums.count; i++) {
        const struct creel_history_sum *sum = &sums.rows[i].sum;

        rows[i] = (struct efficiency){
            .group = sums.rows[i].group,
            .jobs = sum->jobs,
            .cpu_s = (double)sum->cpu_time_us / 1e6,
            .vcore_s = (double)sum->vcore_seconds,
            .used_mb_s = (double)sum->memory_used_mb_seconds,
            .memory_mb_s = (double)sum->memory_mb_seconds,
        };
    }
    if (code == EXIT_DONE)
        code = show(cli, rows, sums.count, false);
    history_sums_done(&sums);
    return code;
}

static int show_chosen(struct cli *cli, bool of_apps, enum history_group by)
{
    struct creel_history_filter filter;
    struct app_filter apps;
    struct err err = { 0 };
    int code;

    if (app_filter_read(&apps, &cli->options, APP_FILTER_ENDED, &err) < 0 ||
        history_filter_read(&filter, &apps, &cli->options, HISTORY_LIMIT_USUAL, &err) < 0) {
        code = cli_usage(cli, "%s", err.text);
    } else if (of_apps) {
        filter.no_long_commands = true;
        code = history_list_show(cli, &filter, show_apps, NULL);
    } else if (options_has(&cli->options, "limit")) {
        code = cli_usage(cli, "--limit is for a list of applications");
    } else {
        filter.tasks = true;
        code = show_sums(cli, &filter, by);
    }
    app_filter_done(&apps);
    return code;
}

int cmd_history_efficiency(struct cli *cli)
{
    const char *word = options_has(&cli->options, "by") ? options_get(&cli->options, "by") : "app";
    bool of_apps = strcmp(word, "app") == 0;
    enum history_group by = HISTORY_BY_USER;

    if (!of_apps && !history_group_parse(word, &by))
        return cli_usage(cli, "--by %s: expected app, user, queue, hour or day", word);
    history_format_read(cli);
    if (cli->options.argument_count == 0)
        return show_chosen(cli, of_apps, by);
    for (const struct option_spec *option = history_efficiency_options; option->name; option++)
        if (strcmp(option->name, "csv") != 0 && options_has(&cli->options, option->name))
            return cli_usage(cli, "--%s chooses applications: it excludes an ID", option->name);
    return show_named(cli);
}
