/* SPDX-License-Identifier: Apache-2.0 */
/* show_container.c - prints containers as rows, lines and JSON */
#include <stdlib.h>
#include <string.h>

#include "client/cli/frame/amounts.h"
#include "client/cli/frame/record_json.h"
#include "client/cli/show/show_app.h"
#include "common/base/id.h"
#include "common/base/job/exit_status.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"
#include "common/record/container_fields.h"

/* The columns before "diagnostics". */
#define FIGURES(app_width) \
    { "container", "CONTAINER", 0 }, { "task", "TASK", TABLE_CUT }, { "node", "NODE", 0 }, \
        { "state", "STATE", TABLE_STATE | TABLE_KEEP }, { "mem", "MEM", TABLE_RIGHT }, \
        { "cpu", "CPU", TABLE_RIGHT }, { "time", "TIME", TABLE_RIGHT }, \
        { "exit", "EXIT", TABLE_RIGHT | TABLE_KEEP }, { "id", "ID", TABLE_WIDE }, \
        { "app", "APP", app_width }, { "user", "USER", TABLE_WIDE }, \
        { "prio", "PRIO", TABLE_WIDE | TABLE_RIGHT }, { "peak", "PEAK", TABLE_WIDE | TABLE_RIGHT }, \
        { "cputime", "CPUTIME", TABLE_WIDE | TABLE_RIGHT }, { "others", "OTHERS", TABLE_WIDE }, \
        { "now", "NOW", TABLE_WIDE | TABLE_RIGHT }, { "read", "READ", TABLE_WIDE | TABLE_RIGHT }, \
        { "written", "WRITTEN", TABLE_WIDE | TABLE_RIGHT }, { "swap", "SWAP", TABLE_WIDE | TABLE_RIGHT }, \
    { \
        "pids", "PIDS", TABLE_WIDE | TABLE_RIGHT \
    }
#define DIAGNOSTICS \
    { \
        "diagnostics", "DIAGNOSTICS", TABLE_CUT \
    }

static const struct table_column columns[] = { FIGURES(TABLE_WIDE), DIAGNOSTICS };
static const struct table_column mixed_columns[] = { FIGURES(0), DIAGNOSTICS }; /* of several applications */
static const struct table_column attempt_columns[] = { FIGURES(TABLE_WIDE),
                                                       { "avoided", "AVOIDED", 0 },
                                                       DIAGNOSTICS };

/* Returns the part of ID that ends at END, with what follows. */
static const char *part_before(const char *id, const char *end)
{
    while (end > id && end[-1] != '_')
        end--;
    return end;
}

/* Returns "01_000003" of a container. */
static const char *container_suffix(const char *container_id)
{
    const char *last = strrchr(container_id, '_');
    struct container_id id;

    /* Includes the attempt, which makes the short id unique within the application. */
    if (!last || !container_id_parse(container_id, &id))
        return container_id;
    return part_before(container_id, last);
}

const char *show_container_of_app(const char *container_id)
{
    const char *suffix = container_suffix(container_id);

    return suffix > container_id ? part_before(container_id, suffix - 1) : container_id;
}

static int64_t run_ms(const struct creel_container *container)
{
    int64_t end_ms = container->finished_ms ? container->finished_ms : loop_now_ms();

    return container->started_ms && end_ms > container->started_ms ? end_ms - container->started_ms : 0;
}

static void bytes_cell(struct table *table, uint64_t bytes)
{
    char text[TEXT_SIZE_MAX];

    table_text(table, bytes >> 20 ? text_format_mb((int64_t)(bytes >> 20), text) : "");
    table_sorted_by(table, (int64_t)(bytes >> 1));
}

/* For an ended container: the maximum number of processes. */
static void pids_cell(struct table *table, const struct creel_container *container)
{
    uint32_t count = container->pids ? container->pids : container->pids_peak;

    if (count > 0)
        table_number(table, count);
    else
        table_text(table, "");
}

/* Adds the memory peak, and its share of the requested memory. */
static void peak_cells(struct table *table, const struct creel_container *container)
{
    int64_t peak_mb = (int64_t)(container->memory_peak_bytes >> 20);
    int64_t asked_mb = container->resource.memory_mb;

    bytes_cell(table, container->memory_peak_bytes);
    if (peak_mb > 0 && asked_mb > 0)
        table_textf(table, "%.0f%%", 100.0 * (double)peak_mb / (double)asked_mb);
    else
        table_text(table, "");
    table_sorted_by(table, asked_mb > 0 ? 1000 * peak_mb / asked_mb : 0);
}

static void figures_cells(struct table *table, const struct creel_container *container, const char *id)
{
    int64_t peak_mb = (int64_t)(container->memory_peak_bytes >> 20);
    char memory[TEXT_SIZE_MAX], time[TEXT_SIZE_MAX], peak[TEXT_SIZE_MAX];

    table_text(table, id);
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
    bytes_cell(table, container->memory_bytes);
    bytes_cell(table, container->read_bytes);
    bytes_cell(table, container->written_bytes);
    bytes_cell(table, container->swap_peak_bytes);
    pids_cell(table, container);
}

static void row(const void *item, struct table *table)
{
    const struct creel_container *container = item;

    figures_cells(table, container, container_suffix(container->id));
    table_text(table, container->diagnostics);
}

static void mixed_row(const void *item, struct table *table)
{
    const struct creel_container *container = item;

    figures_cells(table, container, show_container_of_app(container->id));
    table_text(table, container->diagnostics);
}

static void attempt_row(const void *item, struct table *table)
{
    const struct creel_container *container = item;

    figures_cells(table, container, container_suffix(container->id));
    table_text(table, container->node_avoided ? "yes" : "");
    table_text(table, container->diagnostics);
}

static const char *container_id(const void *item)
{
    return ((const struct creel_container *)item)->id;
}

/* Returns the memory to request next time: twice the request if the container was killed for its memory,
 * else the peak plus a fifth if it has ended; rounded up; 0 if unknown. */
static int64_t advised_mb(const struct creel_container *container)
{
    int64_t peak_mb = (int64_t)(container->memory_peak_bytes >> 20);
    int64_t asked_mb = container->resource.memory_mb;
    int64_t wish_mb = peak_mb + peak_mb / 5 + 1;
    int64_t step_mb = wish_mb > 1024 ? 128 : 16;

    if (container->state != CREEL_CONTAINER_COMPLETE || asked_mb <= 0)
        return 0;
    if (container->exit_status == CONTAINER_EXIT_PHYSICAL)
        return asked_mb > INT64_MAX / 2 ? asked_mb : 2 * asked_mb;
    if (peak_mb == 0)
        return 0;
    return (wish_mb + step_mb - 1) / step_mb * step_mb;
}

RECORD_JSON_NAMES(container_state)

static void json(const void *item, struct json_writer *writer)
{
    const struct creel_container *record = item;

    CONTAINER_FIELDS(RECORD_JSON)
    if (advised_mb(record) > 0)
        json_int(writer, "memoryAdvisedMb", advised_mb(record));
}

static const struct listing listing = {
    .kind = "ContainerList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = json,
    .id = container_id,
};

static const struct listing mixed = {
    .kind = "ContainerList",
    .columns = mixed_columns,
    .column_count = sizeof(mixed_columns) / sizeof(mixed_columns[0]),
    .row = mixed_row,
    .json = json,
    .id = container_id,
};

static const struct listing attempts = {
    .kind = "ContainerList",
    .columns = attempt_columns,
    .column_count = sizeof(attempt_columns) / sizeof(attempt_columns[0]),
    .row = attempt_row,
    .json = json,
    .id = container_id,
};

int show_container_list(struct cli *cli, const struct creel_container *const *containers, size_t count)
{
    bool one_app = true;

    for (size_t i = 1; one_app && i < count; i++)
        one_app = text_equal(containers[i]->app_id, containers[0]->app_id);
    return listing_print(cli, one_app ? &listing : &mixed, (const void *const *)containers, count);
}

int show_attempt_list(struct cli *cli, const struct creel_container *const *containers, size_t count)
{
    return listing_print(cli, &attempts, (const void *const *)containers, count);
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
    record_line("Resources", "%s", record_amounts(&container->resource, has));
    if (container->version > 0)
        record_line("Resized", "%u time%s%s", container->version, container->version == 1 ? "" : "s",
                    container->resizing ? "; its agent has not applied the last size yet" : "");
    if (container->wanted.memory_mb > 0 || container->wanted.vcores > 0)
        record_line("Waits for", "%s", record_amounts(&container->wanted, has));
    if (container->started_ms)
        record_line("Run time", "%s", text_format_elapsed_ms(run_ms(container), time));
    if (container->memory_bytes >> 20)
        record_line("Memory now", "%s", text_format_mb((int64_t)(container->memory_bytes >> 20), peak));
    if (peak_mb)
        record_line("Memory peak", "%s, %.0f%% of what was asked for", text_format_mb(peak_mb, peak),
                    100.0 * (double)peak_mb / (double)container->resource.memory_mb);
    if (container->swap_peak_bytes >> 20)
        record_line("Swap peak", "%s", text_format_mb((int64_t)(container->swap_peak_bytes >> 20), peak));
    if (advised_mb(container) > 0)
        record_line("Next time", "--memory %s", text_format_mb(advised_mb(container), peak));
    if (container->cpu_time_us)
        record_line("CPU time", "%.2f s", (double)container->cpu_time_us / 1e6);
    if (container->read_bytes >> 20 || container->written_bytes >> 20)
        record_line("Disk", "%s read, %s written",
                    text_format_mb((int64_t)(container->read_bytes >> 20), peak),
                    text_format_mb((int64_t)(container->written_bytes >> 20), time));
    if (container->pids)
        record_line("Processes", "%u now", container->pids);
    else if (container->pids_peak)
        record_line("Processes", "%u at most", container->pids_peak);
    if (container->figures_ms && loop_now_ms() > container->figures_ms)
        record_line("Measured", "%s ago",
                    text_format_elapsed_ms(loop_now_ms() - container->figures_ms, time));
}

/* --- creel container stats ------------------------------------------------------ */

static const struct table_column stats_columns[] = {
    { "container", "CONTAINER", 0 },       { "task", "TASK", TABLE_CUT },
    { "state", "STATE", TABLE_STATE },     { "now", "NOW", TABLE_RIGHT },
    { "peak", "PEAK", TABLE_RIGHT },       { "part", "PEAK%", TABLE_RIGHT },
    { "mem", "MEM", TABLE_RIGHT },         { "advised", "ADVISED", TABLE_RIGHT },
    { "cputime", "CPUTIME", TABLE_RIGHT }, { "load", "CPU%", TABLE_RIGHT },
    { "read", "READ", TABLE_RIGHT },       { "written", "WRITTEN", TABLE_RIGHT },
    { "pids", "PIDS", TABLE_RIGHT },       { "time", "TIME", TABLE_RIGHT },
    { "node", "NODE", TABLE_WIDE },        { "id", "ID", TABLE_WIDE },
};

/* Returns the average CPU load in percent of one CPU, since the container's start. */
static double load_percent(const struct creel_container *container)
{
    int64_t ms = run_ms(container);

    return ms > 0 ? (double)container->cpu_time_us / 10.0 / (double)ms : 0;
}

static void stats_row(const void *item, struct table *table)
{
    const struct creel_container *container = item;
    char memory[TEXT_SIZE_MAX], time[TEXT_SIZE_MAX], advised[TEXT_SIZE_MAX];

    table_text(table, container_suffix(container->id));
    table_text(table, container->title);
    table_text(table, creel_container_state_name(container->state));
    bytes_cell(table, container->memory_bytes);
    peak_cells(table, container);
    table_text(table, text_format_mb(container->resource.memory_mb, memory));
    table_sorted_by(table, container->resource.memory_mb);
    table_text(table, advised_mb(container) ? text_format_mb(advised_mb(container), advised) : "");
    table_sorted_by(table, advised_mb(container));
    table_textf(table, "%.2f", (double)container->cpu_time_us / 1e6);
    table_sorted_by(table, (int64_t)container->cpu_time_us);
    table_textf(table, "%.1f", load_percent(container));
    table_sorted_by(table, (int64_t)(10 * load_percent(container)));
    bytes_cell(table, container->read_bytes);
    bytes_cell(table, container->written_bytes);
    pids_cell(table, container);
    table_text(table, container->started_ms ? text_format_elapsed_ms(run_ms(container), time) : "");
    table_sorted_by(table, run_ms(container));
    table_text(table, container->node_id);
    table_text(table, container->id);
}

static const struct listing stats_listing = {
    .kind = "ContainerList",
    .columns = stats_columns,
    .column_count = sizeof(stats_columns) / sizeof(stats_columns[0]),
    .row = stats_row,
    .json = json,
    .id = container_id,
};

int show_container_stats(struct cli *cli, const struct creel_container *const *containers, size_t count)
{
    return listing_print(cli, &stats_listing, (const void *const *)containers, count);
}

static const struct record record = {
    .kind = "ContainerList",
    .lines = lines,
    .json = json,
    .id = container_id,
};

int show_container(struct cli *cli, const struct creel_container *container)
{
    return record_print(cli, &record, container);
}
