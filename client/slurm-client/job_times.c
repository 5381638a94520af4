/* SPDX-License-Identifier: Apache-2.0 */
/* job_times.c - times and figures of a job in the formats of squeue and sacct */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "client/slurm-client/duration.h"
#include "client/slurm-client/job_fields.h"

#define TIME_SIZE 256

static const struct creel_app *app_of(const void *item)
{
    return ((const struct job_row *)item)->app;
}

/* --- times -------------------------------------------------------------------------------------- */

static const char *time_format(void)
{
    const char *format = getenv("SLURM_TIME_FORMAT");

    return format && strchr(format, '%') ? format : "%Y-%m-%dT%H:%M:%S";
}

bool job_check_time_format(const struct tool *tool)
{
    const char *format = getenv("SLURM_TIME_FORMAT");

    if (!format || !*format || strchr(format, '%') || !strcasecmp(format, "standard"))
        return true;
    tool_fail(tool, "SLURM_TIME_FORMAT=%s: expected \"standard\" or a format of strftime(3), as %%H:%%M",
              format);
    return false;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the format is the user's, as in Slurm */

static void print_time(char shown[TIME_SIZE], const struct tm *local)
{
    if (strftime(shown, TIME_SIZE, time_format(), local) == 0)
        *shown = '\0'; /* too long: the content is undefined */
}

#pragma GCC diagnostic pop

void job_put_time(struct text_builder *text, int64_t ms, const char *unknown)
{
    time_t seconds = (time_t)(ms / 1000);
    char shown[TIME_SIZE] = "";
    struct tm local;

    if (ms > 0 && localtime_r(&seconds, &local))
        print_time(shown, &local);
    text_builder_add(text, *shown ? shown : unknown);
}

/* Returns when the job was started the last time; 0: it has not begun since it was requeued, if ever. */
static int64_t start_of(const struct job_row *row)
{
    return row->tasks ? 0 : creel_app_attempt_start_ms(row->app);
}

/* Returns how long the job has run since its last start. */
static int64_t job_elapsed_s(const struct job_row *row)
{
    int64_t end_ms = row->app->finished_ms > 0 ? row->app->finished_ms : row->now_ms;
    int64_t start_ms = start_of(row);

    return start_ms == 0 || end_ms < start_ms ? 0 : (end_ms - start_ms) / 1000;
}

/* Returns the smaller one of two limits; 0: no limit. */
static int64_t smaller_of(int64_t left_s, int64_t right_s)
{
    return left_s == 0 || right_s == 0 ? left_s + right_s : left_s < right_s ? left_s : right_s;
}

/* Returns what the end of a job by its lifetime or its time limit leaves of its start, or of its stay in its
 * queue if it has not begun; 0: nothing ends it. */
static int64_t limit_of_end(const struct job_row *row)
{
    const struct creel_app *app = row->app;
    int64_t start_ms = start_of(row), from_ms = start_ms > 0 ? start_ms : app->eligible_ms;

    return from_ms == 0 || app->expires_ms <= from_ms ? 0 : (app->expires_ms - from_ms + 999) / 1000;
}

/* Returns the lifetime by the queue of a job that has not begun, or has ended: that of a job that has run for
 * longer was another one. */
static int64_t limit_of_queue(const struct job_row *row)
{
    bool is_over = creel_app_is_over(row->app);

    if (start_of(row) > 0 && !is_over)
        return 0; /* limit_of_end has it */
    return is_over && row->queue_limit_s < job_elapsed_s(row) ? 0 : row->queue_limit_s;
}

/* Returns after which time a job is ended: the smallest one of its time limit, its lifetime, and the lifetime
 * of jobs in its queue; 0: no limit. */
static int64_t limit_of(const struct job_row *row)
{
    return smaller_of(row->app->time_limit_s, smaller_of(limit_of_end(row), limit_of_queue(row)));
}

bool job_format_has_limit(const struct format *format)
{
    static field_put *const puts[] = { job_put_limit, job_put_limit_short, job_put_raw_limit, job_put_left };

    for (size_t i = 0; i < sizeof(puts) / sizeof(puts[0]); i++)
        if (format_has(format, puts[i]))
            return true;
    return false;
}

void job_put_elapsed(struct text_builder *text, const void *item)
{
    duration_put(text, job_elapsed_s(item), false);
}

void job_put_elapsed_short(struct text_builder *text, const void *item)
{
    duration_put(text, job_elapsed_s(item), true);
}

void job_put_raw_elapsed(struct text_builder *text, const void *item)
{
    text_builder_printf(text, "%lld", (long long)job_elapsed_s(item));
}

static void add_limit(struct text_builder *text, const void *item, bool is_short)
{
    if (((const struct job_row *)item)->is_step)
        return;
    if (limit_of(item) > 0)
        duration_put(text, limit_of(item), is_short);
    else
        text_builder_add(text, "UNLIMITED");
}

void job_put_limit(struct text_builder *text, const void *item)
{
    add_limit(text, item, false);
}

void job_put_limit_short(struct text_builder *text, const void *item)
{
    add_limit(text, item, true);
}

void job_put_raw_limit(struct text_builder *text, const void *item)
{
    if (limit_of(item) > 0)
        text_builder_printf(text, "%lld", (long long)((limit_of(item) + 59) / 60));
    else
        text_builder_add(text, "UNLIMITED");
}

void job_put_left(struct text_builder *text, const void *item)
{
    int64_t left_s = limit_of(item) - job_elapsed_s(item);

    if (limit_of(item) == 0)
        text_builder_add(text, "UNLIMITED");
    else
        duration_put(text, left_s > 0 ? left_s : 0, true);
}

void job_put_submitted(struct text_builder *text, const void *item)
{
    job_put_time(text, app_of(item)->submitted_ms, "N/A");
}

/* For a job that waits for its --begin and is not held, that time. */
void job_put_eligible(struct text_builder *text, const void *item)
{
    const struct creel_app *app = app_of(item);
    bool begins = app->eligible_ms == 0 && app->hold_count == 0;

    job_put_time(text, begins ? app->begin_ms : app->eligible_ms, "Unknown");
}

void job_put_started(struct text_builder *text, const void *item)
{
    job_put_time(text, start_of(item), "Unknown");
}

/* For a job that ended before its present attempt began, the time of its end, as in Slurm. */
void job_put_start(struct text_builder *text, const void *item)
{
    const struct creel_app *app = app_of(item);
    int64_t ms = start_of(item);

    if (ms == 0 && creel_app_is_over(app))
        ms = app->finished_ms;
    else if (ms == 0 && app->started_ms == 0)
        ms = app->begin_ms;
    job_put_time(text, ms, "N/A");
}

void job_put_ended(struct text_builder *text, const void *item)
{
    job_put_time(text, app_of(item)->finished_ms, "Unknown");
}

/* The time of its end, also of the one by the limit of a job that runs. */
void job_put_end(struct text_builder *text, const void *item)
{
    const struct creel_app *app = app_of(item);
    int64_t start_ms = start_of(item), limit_s = limit_of(item);
    int64_t end_ms = start_ms > 0 && limit_s > 0 ? start_ms + limit_s * 1000 : 0;

    job_put_time(text, app->finished_ms > 0 ? app->finished_ms : end_ms, "N/A");
}

void job_put_planned(struct text_builder *text, const void *item)
{
    int64_t start_ms = start_of(item), ms = start_ms > 0 ? start_ms - app_of(item)->submitted_ms : 0;

    duration_put(text, ms > 0 ? ms / 1000 : 0, false);
}

/* --- figures ------------------------------------------------------------------------------------- */

void job_put_peak(struct text_builder *text, const void *item)
{
    const struct job_row *row = item;

    if (row->is_step && row->measured)
        text_builder_printf(text, "%lluK", (unsigned long long)(row->memory_peak_bytes + 1023) / 1024);
}

/* [DAYS-]HH:MM:SS, or MM:SS.mmm below an hour. */
void job_put_cpu_time(struct text_builder *text, const void *item)
{
    uint64_t ms = ((const struct job_row *)item)->cpu_time_us / 1000;

    if (ms >= 3600000)
        duration_put(text, (int64_t)(ms / 1000), false);
    else
        text_builder_printf(text, "%02d:%02d.%03d", (int)(ms / 60000), (int)(ms / 1000 % 60),
                            (int)(ms % 1000));
}

void job_put_average(struct text_builder *text, const void *item)
{
    const struct job_row *row = item;

    if (row->is_step && row->measured)
        duration_put(text, (int64_t)(row->cpu_time_us / 1000000 / job_tasks(row->app)), false);
}

static int64_t cpu_seconds(const struct job_row *row)
{
    int64_t vcores = row->app->requested.vcores;

    return job_elapsed_s(row) * (vcores > 0 ? vcores : 1) * job_tasks(row->app);
}

void job_put_allocated_cpu(struct text_builder *text, const void *item)
{
    duration_put(text, cpu_seconds(item), false);
}

void job_put_raw_allocated_cpu(struct text_builder *text, const void *item)
{
    text_builder_printf(text, "%lld", (long long)cpu_seconds(item));
}
