/* SPDX-License-Identifier: Apache-2.0 */
/* show_history.c - prints applications of the history */
#include "client/cli/show/show_lists.h"

#include <string.h>

#include "client/cli/frame/listing.h"
#include "client/cli/show/show_app.h"
#include "client/include/creel-history.h"
#include "common/base/mem.h"
#include "common/base/text.h"

static const struct table_column columns[] = {
    SHOW_APP_COLUMNS,
    { "exit", "EXIT", TABLE_RIGHT },
    { "ended", "ENDED", 0 },
    { "elapsed", "ELAPSED", TABLE_RIGHT },
    { "maxmem", "MAXMEM", TABLE_RIGHT },
    { "cputime", "CPUTIME", TABLE_RIGHT },
    { "id", "ID", TABLE_WIDE },
    { "submitted", "SUBMITTED", TABLE_WIDE },
    { "started", "STARTED", TABLE_WIDE },
    { "cont", "CONT", TABLE_WIDE | TABLE_RIGHT },
    { "failed", "FAILED", TABLE_WIDE | TABLE_RIGHT },
    { "nodes", "NODES", TABLE_WIDE | TABLE_RIGHT },
    { "memsecs", "MEMSECS", TABLE_WIDE | TABLE_RIGHT },
    { "vcoresecs", "VCORESECS", TABLE_WIDE | TABLE_RIGHT },
    { "reason", "REASON", TABLE_CUT },
};

static void time_cell(struct table *table, int64_t ms)
{
    char text[SHOW_TIME_MAX];

    show_local_time(ms, text);
    table_text(table, text);
    table_sorted_by(table, ms);
}

static void elapsed_cell(struct table *table, int64_t ms)
{
    char text[TEXT_SIZE_MAX];

    table_text(table, text_format_elapsed_ms(ms, text));
    table_sorted_by(table, ms);
}

/* Returns the time from the first container, or from the submission if none started, to the end. */
static int64_t elapsed_ms(const struct creel_app *app)
{
    int64_t from_ms = app->started_ms > 0 ? app->started_ms : app->submitted_ms;

    return app->finished_ms > from_ms ? app->finished_ms - from_ms : 0;
}

static void usage_cells(struct table *table, const struct creel_used *used)
{
    char peak[TEXT_SIZE_MAX];
    int64_t peak_mb = (int64_t)((used->memory_peak_bytes + (1 << 20) - 1) >> 20);

    table_text(table, used->containers > 0 ? text_format_mb(peak_mb, peak) : "");
    table_sorted_by(table, (int64_t)used->memory_peak_bytes);
    elapsed_cell(table, (int64_t)(used->cpu_time_us / 1000));
}

static void row(const void *item, struct table *table)
{
    static const struct creel_used none;
    const struct creel_app *app = item;
    const struct creel_used *used = app->used ? app->used : &none;
    scoped_free char *reason = cli_app_end(app);

    show_app_cells(app, table);
    if (app->exit_status == CREEL_EXIT_NONE)
        table_text(table, "");
    else
        table_number(table, app->exit_status);
    time_cell(table, app->finished_ms);
    elapsed_cell(table, elapsed_ms(app));
    usage_cells(table, used);
    table_text(table, app->id);
    time_cell(table, app->submitted_ms);
    time_cell(table, app->started_ms);
    table_number(table, used->containers);
    table_number(table, used->failed_containers);
    table_number(table, used->node_count);
    table_number(table, (int64_t)app->memory_mb_seconds);
    table_number(table, (int64_t)app->vcore_seconds);
    table_text(table, reason);
}

static const struct listing listing = {
    .kind = "AppList",
    .columns = columns,
    .column_count = sizeof(columns) / sizeof(columns[0]),
    .row = row,
    .json = show_app_json,
    .id = show_app_id,
};

int show_history(struct cli *cli, const struct creel_apps *apps)
{
    return show_apps_by(cli, &listing, apps);
}
