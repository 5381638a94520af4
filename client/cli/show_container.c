/* SPDX-License-Identifier: Apache-2.0 */
/* show_container.c - containers, as rows, lines and JSON */
#include <stdlib.h>
#include <string.h>

#include "client/cli/amounts.h"
#include "client/cli/show_app.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop.h"

static const struct table_column columns[] = {
    { "container", "CONTAINER", 0 },
    { "task", "TASK", TABLE_CUT },
    { "node", "NODE", 0 },
    { "state", "STATE", TABLE_STATE },
    { "mem", "MEM", TABLE_RIGHT },
    { "cpu", "CPU", TABLE_RIGHT },
    { "time", "TIME", TABLE_RIGHT },
    { "exit", "EXIT", TABLE_RIGHT },
    { "id", "ID", TABLE_WIDE },
    { "app", "APP", TABLE_WIDE },
    { "user", "USER", TABLE_WIDE },
    { "prio", "PRIO", TABLE_WIDE | TABLE_RIGHT },
    { "peak", "PEAK", TABLE_WIDE | TABLE_RIGHT },
    { "cputime", "CPUTIME", TABLE_WIDE | TABLE_RIGHT },
    { "others", "OTHERS", TABLE_WIDE },
    { "diagnostics", "DIAGNOSTICS", TABLE_CUT },
};

const char *show_container_suffix(const char *container_id)
{
    const char *last = strrchr(container_id, '_');
    struct container_id id;

    /* With the attempt: that is what makes it unique within the application. */
    if (!last || !container_id_parse(container_id, &id))
        return container_id;
    while (last > container_id && last[-1] != '_')
        last--;
    return last;
}

static int64_t run_ms(const struct creel_container *container)
{
    int64_t end_ms = container->finished_ms ? container->finished_ms : loop_now_ms();

    return container->started_ms && end_ms > container->started_ms
        ? end_ms - container->started_ms : 0;
}

static void row(const void *item, struct table *table)
{
    const struct creel_container *container = item;
    int64_t peak_mb = (int64_t)(container->memory_peak_bytes >> 20);
    char memory[TEXT_SIZE_MAX], time[TEXT_SIZE_MAX], peak[TEXT_SIZE_MAX];

    table_text(table, show_container_suffix(container->id));
    table_text(table, container->title);
    table_text(table, container->node_id);
    table_text(table, creel_container_state_name(container->state));
    table_text(table, text_format_mb(container->resource.memory_mb, memory));
    table_sorted_by(table, container->resource.memory_mb);
    table_number(table, container->resource.vcores);
    table_text(table, container->started_ms ? text_format_elapsed_ms(run_ms(container), time) : "");
    table_sorted_by(table, run_ms(container));
    if (container->exit_status == CREEL_EXIT_NONE)
        table_text(table, "");
    else
        table_number(table, container->exit_status);
    table_text(table, container->id);
    table_text(table, container->app_id);
    table_text(table, container->user);
    table_number(table, container->priority);
    table_text(table, peak_mb ? text_format_mb(peak_mb, peak) : "");
    table_sorted_by(table, peak_mb);
    table_textf(table, "%.2f", (double)container->cpu_time_us / 1e6);
    table_sorted_by(table, (int64_t)container->cpu_time_us);
    others_cell(table, &container->resource, NULL);
    table_text(table, container->diagnostics);
}

static const char *container_id(const void *item)
{
    return ((const struct creel_container *)item)->id;
}

static void json(const void *item, struct json_writer *writer)
{
    const struct creel_container *container = item;

    json_text(writer, "id", container->id);
    json_text(writer, "appId", container->app_id);
    json_text_if(writer, "nodeId", container->node_id);
    json_text_if(writer, "user", container->user);
    json_text_if(writer, "title", container->title);
    json_bool(writer, "master", container->master);
    json_text(writer, "state", creel_container_state_name(container->state));
    if (container->exit_status != CREEL_EXIT_NONE)
        json_int(writer, "exitStatus", container->exit_status);
    json_text_if(writer, "diagnostics", container->diagnostics);
    json_int(writer, "memoryMb", container->resource.memory_mb);
    json_int(writer, "vcores", container->resource.vcores);
    json_others(writer, container->resource.others, container->resource.other_count);
    json_uint(writer, "priority", container->priority);
    json_time(writer, "allocated", container->allocated_ms);
    json_time(writer, "started", container->started_ms);
    json_time(writer, "finished", container->finished_ms);
    json_uint(writer, "memoryPeakBytes", container->memory_peak_bytes);
    json_uint(writer, "cpuTimeUs", container->cpu_time_us);
    json_text_if(writer, "nodeAddress", container->node_address);
}

static const struct listing listing = {
    .kind = "ContainerList", .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row, .json = json, .id = container_id,
};

int show_container_list(struct cli *cli, const struct creel_container *const *containers,
                        size_t count)
{
    return listing_print(cli, &listing, (const void *const *)containers, count);
}

static void lines(const void *item, const struct cli *cli)
{
    const struct creel_container *container = item;
    int64_t peak_mb = (int64_t)(container->memory_peak_bytes >> 20);
    char has[RECORD_AMOUNTS_MAX], peak[TEXT_SIZE_MAX], time[TEXT_SIZE_MAX];

    (void)cli;
    record_line("Container", "%s", container->id);
    record_line("Application", "%s", container->app_id);
    record_line("Task", "%s", container->title);
    record_line("User", "%s", container->user);
    record_line("Node", "%s", container->node_id);
    record_line("State", "%s", creel_container_state_name(container->state));
    if (container->exit_status != CREEL_EXIT_NONE)
        record_line("Exit status", "%d", container->exit_status);
    record_line("Diagnostics", "%s", container->diagnostics);
    record_line("Has", "%s", record_amounts(&container->resource, has));
    if (container->started_ms)
        record_line("Ran for", "%s", text_format_elapsed_ms(run_ms(container), time));
    if (peak_mb)
        record_line("Memory peak", "%s", text_format_mb(peak_mb, peak));
    if (container->cpu_time_us)
        record_line("CPU time", "%.2f s", (double)container->cpu_time_us / 1e6);
}

static const struct record record = {
    .kind = "ContainerList", .lines = lines, .json = json, .id = container_id,
};

int show_container(struct cli *cli, const struct creel_container *container)
{
    return record_print(cli, &record, container);
}
