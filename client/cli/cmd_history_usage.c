/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_history_usage.c - creel history usage: sums of ended applications by user, queue or day */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/cli/commands.h"
#include "client/cli/history_filter.h"
#include "client/cli/listing.h"
#include "common/base/mem.h"

#define DAY_SIZE 16

const struct option_spec history_usage_options[] = {
    { 0, "by", "GROUP", "a row for each user (default), queue or day of the end" },
    { 's', "state", "STATE,...", "FINISHED, FAILED or KILLED" },
    { 'u', "user", "USER,...", "only of these users" },
    { 'q', "queue", "QUEUE,...", "only in these queues, or below them" },
    { 'n', "name", "PATTERN", "only with such a name; * and ? stand for other characters" },
    { 0, "since", "TIME", "that ended then or later" },
    { 0, "until", "TIME", "that ended then or earlier" },
    { 0 },
};

struct usage {
    const char *group; /* borrowed, or DAY */
    char day[DAY_SIZE];
    uint64_t jobs, succeeded, failed, killed;
    uint64_t vcore_seconds, memory_mb_seconds, cpu_time_us;
};

static const struct table_column columns[] = {
    { "group", "GROUP", 0 },
    { "jobs", "JOBS", TABLE_RIGHT },
    { "succeeded", "SUCCEEDED", TABLE_RIGHT },
    { "failed", "FAILED", TABLE_RIGHT },
    { "killed", "KILLED", TABLE_RIGHT },
    { "vcorehours", "VCOREHOURS", TABLE_RIGHT },
    { "gibhours", "GIBHOURS", TABLE_RIGHT },
    { "cpuhours", "CPUHOURS", TABLE_RIGHT },
};

static void hours_cell(struct table *table, double hours)
{
    table_textf(table, "%.2f", hours);
    table_sorted_by(table, (int64_t)(hours * 3600));
}

static void row(const void *item, struct table *table)
{
    const struct usage *usage = item;

    table_text(table, usage->group);
    table_number(table, (int64_t)usage->jobs);
    table_number(table, (int64_t)usage->succeeded);
    table_number(table, (int64_t)usage->failed);
    table_number(table, (int64_t)usage->killed);
    hours_cell(table, (double)usage->vcore_seconds / 3600);
    hours_cell(table, (double)usage->memory_mb_seconds / 1024 / 3600);
    hours_cell(table, (double)usage->cpu_time_us / 1e6 / 3600);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct usage *usage = item;

    json_text(writer, "group", usage->group);
    json_uint(writer, "jobs", usage->jobs);
    json_uint(writer, "succeeded", usage->succeeded);
    json_uint(writer, "failed", usage->failed);
    json_uint(writer, "killed", usage->killed);
    json_uint(writer, "vcoreSeconds", usage->vcore_seconds);
    json_uint(writer, "memoryMbSeconds", usage->memory_mb_seconds);
    json_uint(writer, "cpuTimeUs", usage->cpu_time_us);
}

static const char *group_id(const void *item)
{
    return ((const struct usage *)item)->group;
}

static const struct listing listing = {
    .kind = "UsageList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = group_id,
};

/* --- sums ------------------------------------------------------------------- */

static struct usage usage_of(const struct creel_app *app)
{
    return (struct usage){
        .jobs = 1,
        .succeeded = app->final_status == CREEL_FINAL_SUCCEEDED,
        .failed = app->final_status != CREEL_FINAL_SUCCEEDED && app->state != CREEL_APP_KILLED,
        .killed = app->final_status != CREEL_FINAL_SUCCEEDED && app->state == CREEL_APP_KILLED,
        .vcore_seconds = app->vcore_seconds,
        .memory_mb_seconds = app->memory_mb_seconds,
        .cpu_time_us = app->used ? app->used->cpu_time_us : 0,
    };
}

static void set_group(struct usage *usage, const struct creel_app *app, const char *by)
{
    time_t end_s = (time_t)(app->finished_ms / 1000);
    struct tm local;

    if (!strcmp(by, "user")) {
        usage->group = app->user;
    } else if (!strcmp(by, "queue")) {
        usage->group = app->queue;
    } else {
        if (!localtime_r(&end_s, &local) || !strftime(usage->day, sizeof(usage->day), "%Y-%m-%d", &local))
            usage->day[0] = '\0';
        usage->group = usage->day;
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp((*(const struct usage *const *)a)->group, (*(const struct usage *const *)b)->group);
}

static void add(struct usage *sum, const struct usage *usage)
{
    sum->jobs += usage->jobs;
    sum->succeeded += usage->succeeded;
    sum->failed += usage->failed;
    sum->killed += usage->killed;
    sum->vcore_seconds += usage->vcore_seconds;
    sum->memory_mb_seconds += usage->memory_mb_seconds;
    sum->cpu_time_us += usage->cpu_time_us;
}

static int show(struct cli *cli, const struct creel_apps *apps, const char *by)
{
    scoped_free struct usage *rows = mem_array0(apps->count + 1, sizeof(*rows));
    scoped_free struct usage **sums = mem_array0(apps->count + 1, sizeof(*sums));
    size_t count = 0;

    for (size_t i = 0; i < apps->count; i++) {
        rows[i] = usage_of(&apps->items[i]);
        set_group(&rows[i], &apps->items[i], by);
        sums[i] = &rows[i];
    }
    qsort(sums, apps->count, sizeof(*sums), compare);
    for (size_t i = 0; i < apps->count; i++) {
        if (count > 0 && !strcmp(sums[count - 1]->group, sums[i]->group))
            add(sums[count - 1], sums[i]);
        else
            sums[count++] = sums[i];
    }
    return listing_print(cli, &listing, (const void *const *)sums, count);
}

static int sum_up(struct cli *cli, const struct creel_history_filter *filter, const char *by)
{
    struct creel_apps *apps = NULL;
    struct creel_error error;
    char *warning = NULL;
    bool more;
    int code;
    struct creel_client *client = cli_client(cli, &code);

    if (client == NULL)
        return code;
    if (creel_history_list(client, filter, &apps, &more, &warning, &error) < 0)
        return cli_fail(&error);
    code = show(cli, apps, by);
    if (warning != NULL)
        fprintf(stderr, "creel: %s\n", warning);
    free(warning);
    creel_apps_free(apps);
    return code;
}

int cmd_history_usage(struct cli *cli)
{
    const char *by = options_has(&cli->options, "by") ? options_get(&cli->options, "by") : "user";
    struct creel_history_filter filter;
    struct app_filter apps;
    struct err err = { 0 };
    int code;

    if (strcmp(by, "user") != 0 && strcmp(by, "queue") != 0 && strcmp(by, "day") != 0)
        return cli_usage(cli, "--by %s: expected user, queue or day", by);
    if (app_filter_read(&apps, &cli->options, "FINISHED,FAILED,KILLED", &err) < 0 ||
        history_filter_read(&filter, &apps, &cli->options, 0, &err) < 0) {
        code = cli_usage(cli, "%s", err.text);
    } else if (cli->options.argument_count > 0) {
        code = cli_usage(cli, "creel history usage has no arguments");
    } else {
        filter.tasks = true;
        code = sum_up(cli, &filter, by);
    }
    app_filter_done(&apps);
    return code;
}
