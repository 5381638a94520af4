/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_history_usage.c - creel history usage: sums of ended applications by user, queue, hour or day */
#include "client/cli/commands.h"
#include "client/cli/frame/listing.h"
#include "client/cli/history/history_sums.h"
#include "client/cli/show/history_filter.h"
#include "common/base/mem.h"
#include "common/base/text.h"

const struct option_spec history_usage_options[] = {
    { 0, "by", "GROUP", "a row for each user (default), queue, or hour or day of the end" },
    HISTORY_FILTER_OPTIONS,
    HISTORY_FORMAT_OPTION,
    { 0 },
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
    { "waited", "AVGWAIT", TABLE_WIDE | TABLE_RIGHT },
};

static void hours_cell(struct table *table, double hours)
{
    table_textf(table, "%.2f", hours);
    table_sorted_by(table, (int64_t)(hours * 3600));
}

static void usage_row(const void *item, struct table *table)
{
    const struct history_sum *row = item;
    const struct creel_history_sum *usage = &row->sum;
    int64_t waited_ms = usage->jobs > 0 ? (int64_t)(usage->waited_ms / usage->jobs) : 0;
    char waited[TEXT_SIZE_MAX];

    table_text(table, row->group);
    table_number(table, (int64_t)usage->jobs);
    table_number(table, (int64_t)usage->succeeded);
    table_number(table, (int64_t)usage->failed);
    table_number(table, (int64_t)usage->killed);
    hours_cell(table, (double)usage->vcore_seconds / 3600);
    hours_cell(table, (double)usage->memory_mb_seconds / 1024 / 3600);
    hours_cell(table, (double)usage->cpu_time_us / 1e6 / 3600);
    table_text(table, text_format_elapsed_ms(waited_ms, waited));
    table_sorted_by(table, waited_ms);
}

static void json(const void *item, struct json_writer *writer)
{
    const struct history_sum *row = item;
    const struct creel_history_sum *usage = &row->sum;

    json_text(writer, "group", row->group);
    json_time(writer, "begin", usage->begin_ms);
    json_uint(writer, "jobs", usage->jobs);
    json_uint(writer, "succeeded", usage->succeeded);
    json_uint(writer, "failed", usage->failed);
    json_uint(writer, "killed", usage->killed);
    json_uint(writer, "vcoreSeconds", usage->vcore_seconds);
    json_uint(writer, "memoryMbSeconds", usage->memory_mb_seconds);
    json_uint(writer, "cpuTimeUs", usage->cpu_time_us);
    json_uint(writer, "memoryUsedMbSeconds", usage->memory_used_mb_seconds);
    json_uint(writer, "waitedMs", usage->waited_ms);
}

static const char *group_id(const void *item)
{
    return ((const struct history_sum *)item)->group;
}

static const struct listing listing = {
    .kind = "UsageList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = usage_row,
    .json = json,
    .id = group_id,
};

/* --- the command ------------------------------------------------------------ */

static int show(struct cli *cli, const struct history_sums *sums)
{
    scoped_free const void **items = mem_array0(sums->count + 1, sizeof(*items));

    for (size_t i = 0; i < sums->count; i++)
        items[i] = &sums->rows[i];
    return listing_print(cli, &listing, items, sums->count);
}

static int sum_up(struct cli *cli, const struct creel_history_filter *filter, enum history_group by)
{
    struct history_sums sums;
    int code = history_sums_read(cli, filter, by, &sums);

    if (code == EXIT_DONE)
        code = show(cli, &sums);
    history_sums_done(&sums);
    return code;
}

int cmd_history_usage(struct cli *cli)
{
    const char *word = options_has(&cli->options, "by") ? options_get(&cli->options, "by") : "user";
    struct creel_history_filter filter;
    struct app_filter apps;
    struct err err = { 0 };
    enum history_group by;
    int code;

    if (!history_group_parse(word, &by))
        return cli_usage(cli, "--by %s: expected user, queue, hour or day", word);
    if (app_filter_read(&apps, &cli->options, APP_FILTER_ENDED, &err) < 0 ||
        history_filter_read(&filter, &apps, &cli->options, 0, &err) < 0) {
        code = cli_usage(cli, "%s", err.text);
    } else if (cli->options.argument_count > 0) {
        code = cli_usage(cli, "creel history usage has no arguments");
    } else {
        filter.tasks = true;
        history_format_read(cli);
        code = sum_up(cli, &filter, by);
    }
    app_filter_done(&apps);
    return code;
}
