/* SPDX-License-Identifier: Apache-2.0 */
/* sacct.c - lists jobs that run and have ended, in the formats of sacct */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/frame/moment.h"
#include "client/include/creel-history.h"
#include "client/script/slurm_moment.h"
#include "client/slurm-client/job_fields.h"
#include "client/slurm-client/tool.h"
#include "common/io/loop/loop.h"

enum option_id {
    OPT_ALL_USERS = 1,
    OPT_ALLOCATIONS,
    OPT_ARRAY,
    OPT_BRIEF,
    OPT_DELIMITER,
    OPT_END,
    OPT_FIELDS,
    OPT_FORMAT,
    OPT_JOBS,
    OPT_LONG,
    OPT_NAME,
    OPT_NO_HEADER,
    OPT_PARSABLE,
    OPT_PARSABLE2,
    OPT_PARTITION,
    OPT_START,
    OPT_STATE,
    OPT_USER,
};

static const struct tool_option options[] = {
    { 'A', "accounts", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'L', "allclusters", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 }, /* there is one */
    { 'X', "allocations", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_ALLOCATIONS },
    { 'a', "allusers", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_ALL_USERS },
    { 0, "array", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_ARRAY },
    { 'b', "brief", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_BRIEF },
    { 'M', "clusters", TOOL_ARGUMENT, TOOL_CLUSTERS, 0 },
    { 'c', "completion", TOOL_NO_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "delimiter", TOOL_ARGUMENT, TOOL_HANDLED, OPT_DELIMITER },
    { 'D', "duplicates", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 }, /* a number is one job */
    { 'E', "endtime", TOOL_ARGUMENT, TOOL_HANDLED, OPT_END },
    { 0, "federation", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'o', "format", TOOL_ARGUMENT, TOOL_HANDLED, OPT_FORMAT },
    { 'g', "gid", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "group", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'h', "help", TOOL_NO_ARGUMENT, TOOL_HELP, 0 },
    { 'e', "helpformat", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_FIELDS },
    { 'j', "jobs", TOOL_ARGUMENT, TOOL_HANDLED, OPT_JOBS },
    { 0, "json", TOOL_OPTIONAL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "local", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'l', "long", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_LONG },
    { 0, "name", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_NAME },
    { 'i', "nnodes", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'I', "ncpus", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "noconvert", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'N', "nodelist", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'n', "noheader", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_NO_HEADER },
    { 'p', "parsable", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_PARSABLE },
    { 'P', "parsable2", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_PARSABLE2 },
    { 'r', "partition", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_PARTITION },
    { 'q', "qos", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'S', "starttime", TOOL_ARGUMENT, TOOL_HANDLED, OPT_START },
    { 's', "state", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_STATE },
    { 'T', "truncate", TOOL_NO_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "uid", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_USER },
    { 0, "units", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "usage", TOOL_NO_ARGUMENT, TOOL_HELP, 0 },
    { 'u', "user", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_USER },
    { 'v', "verbose", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'V', "version", TOOL_NO_ARGUMENT, TOOL_VERSION, 0 },
    { 'W', "wckeys", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "whole-hetjob", TOOL_OPTIONAL_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'x', "associations", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "yaml", TOOL_OPTIONAL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0 },
};

static const char help[] =
    "sacct [OPTION...]\n"
    "\n"
    "Lists jobs that wait, run or have ended, those of today if neither times nor jobs are named.\n"
    "creel-slurm(1) has the fields.\n"
    "\n"
    "  -j, --jobs=ID,...        --name=NAME,...          -r, --partition=QUEUE,...\n"
    "  -s, --state=STATE,...    -u, --user=USER,...      -a, --allusers\n"
    "  -S, --starttime=TIME     -E, --endtime=TIME       -X, --allocations\n"
    "  -o, --format=FIELD,...   -b, --brief              -l, --long\n"
    "  -n, --noheader           -p, --parsable           -P, --parsable2\n"
    "  --delimiter=TEXT         -e, --helpformat         --array\n"
    "  -V, --version\n";

#define FORMAT_USUAL "JobID,JobName,Partition,Account,AllocCPUS,State,ExitCode"
#define FORMAT_BRIEF "JobID,State,ExitCode"
#define FORMAT_LONG \
    "JobID,JobIDRaw,JobName,Partition,MaxRSS,AveCPU,NTasks,AllocCPUS,Elapsed,State,ExitCode,ReqMem," \
    "NodeList,Submit,Start,End,TotalCPU"

struct accounting {
    struct tool *tool;
    struct job_query query;
    struct text_builder format; /* names of fields; empty: not given */
    const char *delimiter;
    bool parsable, delimiter_at_end, no_header, jobs_alone, all_users, fields_alone;
};

/* --- options -------------------------------------------------------------------------------- */

static bool read_ids(struct accounting *accounting, const char *value)
{
    struct err err = { 0 };

    if (job_ids_read(&accounting->query.ids, value, accounting->tool->arena, &err) == 0)
        return true;
    tool_fail(accounting->tool, "%s", err.text);
    return false;
}

/* Reads a time as creel history does, or as sbatch. */
static bool read_time(const struct accounting *accounting, const char *name, const char *value, int64_t *ms)
{
    static const struct slurm_calendar calendar = { .local = localtime_r,
                                                    .utc = gmtime_r,
                                                    .seconds = mktime };
    int64_t now_ms = loop_now_ms(), seconds;

    if (moment_parse_past(name, value, now_ms, ms, NULL) == 0)
        return true;
    if (slurm_moment_read(value, &calendar, now_ms / 1000, &seconds)) {
        *ms = seconds * 1000;
        return true;
    }
    tool_fail(accounting->tool, "Invalid time specification: --%s=%s", name, value);
    return false;
}

/* Reads an option that chooses jobs. Returns false after an error, which is printed. */
static bool read_choice(struct accounting *accounting, int id, const char *value)
{
    struct job_query *query = &accounting->query;
    struct arena *arena = accounting->tool->arena;

    switch (id) {
    case OPT_ALL_USERS:
        return accounting->all_users = true;
    case OPT_ARRAY:
        return query->each_task = true;
    case OPT_END:
        return read_time(accounting, "endtime", value, &query->until_ms);
    case OPT_JOBS:
        return read_ids(accounting, value);
    case OPT_NAME:
        query->names = job_query_split(arena, value);
        return true;
    case OPT_PARTITION:
        query->queues = job_query_split(arena, value);
        return true;
    case OPT_START:
        return read_time(accounting, "starttime", value, &query->since_ms);
    case OPT_STATE:
        return job_query_read_states(accounting->tool, value, query);
    case OPT_USER:
    default:
        query->users = tool_users(accounting->tool, value);
        if (!tool_unknown_user(query->users))
            return true;
        tool_fail(accounting->tool, "Invalid user id: %s", tool_unknown_user(query->users));
        return false;
    }
}

/* Chooses NAMES in place of the fields that were given before. */
static bool set_fields(struct accounting *accounting, const char *names)
{
    text_builder_clear(&accounting->format);
    text_builder_add(&accounting->format, names);
    return true;
}

/* Adds NAMES to the fields that were given before: --format may be repeated. */
static bool add_fields(struct accounting *accounting, const char *names)
{
    text_builder_separate(&accounting->format, ",");
    text_builder_add(&accounting->format, names);
    return true;
}

static bool read_option(void *context, int id, const char *value)
{
    struct accounting *accounting = context;

    switch (id) {
    case OPT_ALLOCATIONS:
        return accounting->jobs_alone = true;
    case OPT_BRIEF:
        return set_fields(accounting, FORMAT_BRIEF);
    case OPT_DELIMITER:
        accounting->delimiter = value;
        return true;
    case OPT_FIELDS:
        return accounting->fields_alone = true;
    case OPT_FORMAT:
        return add_fields(accounting, value);
    case OPT_LONG:
        return set_fields(accounting, FORMAT_LONG);
    case OPT_NO_HEADER:
        return accounting->no_header = true;
    case OPT_PARSABLE:
    case OPT_PARSABLE2:
        accounting->delimiter_at_end = id == OPT_PARSABLE;
        return accounting->parsable = true;
    default:
        return read_choice(accounting, id, value);
    }
}

/* Without jobs and times those since midnight, as in Slurm; without users those of the user, of all for
 * root. */
static bool set_defaults(struct accounting *accounting)
{
    struct job_query *query = &accounting->query;

    query->history = true;
    if (query->ids.count == 0 && query->since_ms == 0 &&
        !read_time(accounting, "starttime", "today", &query->since_ms))
        return false;
    if (!query->users && !accounting->all_users && query->ids.count == 0 && geteuid() != 0)
        query->users = tool_me(accounting->tool);
    else
        return true;
    return query->users != NULL;
}

/* --- figures ----------------------------------------------------------------------------------- */

/* Adds up what the containers of an ended job used, which the history has not stored yet. */
static void measure_containers(struct tool *tool, struct job_row *row)
{
    struct creel_containers *containers;

    if (creel_container_list(tool->cli.client, row->app->id, NULL, NULL, false, &containers, NULL) < 0)
        return;
    row->measured = containers->count > 0;
    for (size_t i = 0; i < containers->count; i++) {
        const struct creel_container *container = &containers->items[i];

        row->cpu_time_us += container->cpu_time_us;
        if (container->memory_peak_bytes > row->memory_peak_bytes)
            row->memory_peak_bytes = container->memory_peak_bytes;
    }
    creel_containers_free(containers);
}

/* As in Slurm, a job that runs has no figures. */
static void measure(struct tool *tool, struct job_row *row)
{
    const struct creel_used *used = row->app->used;

    if (row->tasks || creel_app_attempt_start_ms(row->app) == 0 || !creel_app_is_over(row->app))
        return;
    if (!used) {
        measure_containers(tool, row);
        return;
    }
    row->measured = true;
    row->memory_peak_bytes = used->memory_peak_bytes;
    row->cpu_time_us = used->cpu_time_us;
}

static bool needs_figures(const struct format *format)
{
    return format_has(format, job_put_peak) || format_has(format, job_put_average) ||
           format_has(format, job_put_cpu_time);
}

/* --- rows ---------------------------------------------------------------------------------------- */

/* Returns the step by which --jobs names JOB; NULL: the job, or without a step. */
static const char *step_named(const struct job_ids *ids, const struct job_row *job)
{
    size_t count;

    for (const struct job_id *id = job_ids_find(ids, job->number, &count); count > 0; id++, count--)
        if (id->step)
            return id->step;
    return NULL;
}

/* Prints the row of a job, and that of its step: the first container. */
static void print_job(struct accounting *accounting, const struct format *format, struct job_row *row)
{
    const char *step = step_named(&accounting->query.ids, row);

    if (needs_figures(format))
        measure(accounting->tool, row);
    if (!step)
        format_print_row(format, row, stdout);
    if (accounting->jobs_alone || row->tasks || creel_app_attempt_start_ms(row->app) == 0 ||
        (step && strcmp(step, "batch") != 0))
        return;
    row->is_step = true;
    format_print_row(format, row, stdout);
}

static int print_jobs(struct accounting *accounting, const struct format *format)
{
    struct job_list list;
    bool done = job_list_get(accounting->tool, &accounting->query, &list, NULL);

    if (done && !accounting->no_header) {
        format_print_header(format, stdout);
        if (!accounting->parsable)
            format_print_dashes(format, stdout);
    }
    for (size_t i = 0; done && i < list.count; i++)
        print_job(accounting, format, &list.rows[i]);
    job_list_done(&list);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int list_jobs(struct accounting *accounting)
{
    struct format format;
    struct err err = { 0 };
    const char *environment = getenv("SACCT_FORMAT");

    if (!job_check_time_format(accounting->tool))
        return EXIT_FAILURE;
    if (accounting->format.length == 0)
        add_fields(accounting, environment && *environment ? environment : FORMAT_USUAL);
    if (format_read_accounting(&format, text_builder_text(&accounting->format), sacct_fields,
                               accounting->parsable ? accounting->delimiter : NULL,
                               accounting->parsable && accounting->delimiter_at_end, accounting->tool->arena,
                               &err) < 0)
        return tool_fail(accounting->tool, "%s", err.text);
    accounting->query.limits = job_format_has_limit(&format);
    return set_defaults(accounting) ? print_jobs(accounting, &format) : EXIT_FAILURE;
}

static int print_fields(void)
{
    int column = 0;

    for (const struct field *field = sacct_fields; field->name; field++)
        printf("%-20s%s", field->name, ++column % 4 == 0 ? "\n" : "");
    return putchar('\n') < 0;
}

int sacct_main(struct tool *tool, int argc, char **argv)
{
    static const struct tool_line line = { .options = options, .read = read_option, .help = help };
    struct accounting accounting = { .tool = tool, .format = TEXT_BUILDER_IN(tool->arena), .delimiter = "|" };
    int at, code;

    if (tool_read(tool, &line, &accounting, argc, argv, &at, &code))
        code = accounting.fields_alone ? print_fields() : list_jobs(&accounting);
    job_ids_done(&accounting.query.ids);
    return code;
}
