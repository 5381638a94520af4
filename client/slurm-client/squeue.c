/* SPDX-License-Identifier: Apache-2.0 */
/* squeue.c - lists jobs in the formats of squeue */
#include <stdlib.h>
#include <string.h>

#include "client/slurm-client/job_fields.h"
#include "client/slurm-client/tool.h"

enum option_id {
    OPT_ARRAY = 1,
    OPT_FORMAT,
    OPT_FORMAT_LONG,
    OPT_JOBS,
    OPT_LONG,
    OPT_ME,
    OPT_NAME,
    OPT_NO_HEADER,
    OPT_PARTITION,
    OPT_SORT,
    OPT_START,
    OPT_STATES,
    OPT_USER,
};

static const struct tool_option options[] = {
    { 'A', "accounts", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'a', "all", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'r', "array", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_ARRAY },
    { 0, "array-unique", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_ARRAY },
    { 'M', "clusters", TOOL_ARGUMENT, TOOL_CLUSTERS, 0 },
    { 0, "federation", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'o', "format", TOOL_ARGUMENT, TOOL_HANDLED, OPT_FORMAT },
    { 'O', "Format", TOOL_ARGUMENT, TOOL_HANDLED, OPT_FORMAT_LONG },
    { 0, "help", TOOL_NO_ARGUMENT, TOOL_HELP, 0 },
    { 0, "hide", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'i', "iterate", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'j', "jobs", TOOL_OPTIONAL_ARGUMENT, TOOL_HANDLED, OPT_JOBS },
    { 0, "json", TOOL_OPTIONAL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'L', "licenses", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "local", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'l', "long", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_LONG },
    { 0, "me", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_ME },
    { 'n', "name", TOOL_ARGUMENT, TOOL_HANDLED, OPT_NAME },
    { 0, "noconvert", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'h', "noheader", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_NO_HEADER },
    { 'w', "nodelist", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "nodes", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'p', "partitions", TOOL_ARGUMENT, TOOL_HANDLED, OPT_PARTITION },
    { 'P', "priority", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'q', "qos", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 'R', "reservation", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "sibling", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'S', "sort", TOOL_ARGUMENT, TOOL_HANDLED, OPT_SORT },
    { 0, "start", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_START },
    { 't', "states", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_STATES },
    { 's', "steps", TOOL_OPTIONAL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0, "usage", TOOL_NO_ARGUMENT, TOOL_HELP, 0 },
    { 'u', "users", TOOL_ARGUMENT, TOOL_HANDLED, OPT_USER },
    { 'v', "verbose", TOOL_NO_ARGUMENT, TOOL_NO_EFFECT, 0 },
    { 'V', "version", TOOL_NO_ARGUMENT, TOOL_VERSION, 0 },
    { 0, "yaml", TOOL_OPTIONAL_ARGUMENT, TOOL_REFUSED, 0 },
    { 0 },
};

static const char help[] = "squeue [OPTION...]\n"
                           "\n"
                           "Lists jobs that wait or run. creel-slurm(1) has the fields of formats.\n"
                           "\n"
                           "  -j, --jobs=ID,...        -n, --name=NAME,...      -p, --partition=QUEUE,...\n"
                           "  -t, --states=STATE,...   -u, --user=USER,...      --me\n"
                           "  -o, --format=FORMAT      -O, --Format=FIELD,...   -l, --long\n"
                           "  -h, --noheader           -r, --array              --start\n"
                           "  -V, --version\n";

#define FORMAT_USUAL "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"
#define FORMAT_LONG "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R"
#define FORMAT_START "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %R"

struct listing {
    struct tool *tool;
    struct job_query query;
    const char *letters, *names; /* one of them is the format */
    bool no_header, is_long;
    bool names_jobs; /* --jobs, whose value may be a word of its own */
};

static const struct tool_variable variables[] = {
    { "SQUEUE_ACCOUNT", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { "SQUEUE_ARRAY", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_ARRAY },
    { "SQUEUE_ARRAY_UNIQUE", TOOL_NO_ARGUMENT, TOOL_HANDLED, OPT_ARRAY },
    { "SQUEUE_LICENSES", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { "SQUEUE_NAMES", TOOL_ARGUMENT, TOOL_HANDLED, OPT_NAME },
    { "SQUEUE_PARTITION", TOOL_ARGUMENT, TOOL_HANDLED, OPT_PARTITION },
    { "SQUEUE_QOS", TOOL_ARGUMENT, TOOL_REFUSED, 0 },
    { "SQUEUE_SORT", TOOL_ARGUMENT, TOOL_HANDLED, OPT_SORT },
    { "SQUEUE_STATES", TOOL_ARGUMENT, TOOL_CHOOSES, OPT_STATES },
    { "SQUEUE_USERS", TOOL_ARGUMENT, TOOL_HANDLED, OPT_USER },
    { 0 },
};

/* A list without an id has no job, as in Slurm. */
static bool read_ids(struct listing *listing, const char *value)
{
    struct err err = { 0 };

    if (value && !value[strspn(value, ", ")])
        return listing->query.ids.given = true;
    if (!value || job_ids_read(&listing->query.ids, value, listing->tool->arena, &err) == 0)
        return true;
    tool_fail(listing->tool, "%s", err.text);
    return false;
}

/* Chooses the format of the environment if the command line has none: SQUEUE_FORMAT (letters) comes before
 * SQUEUE_FORMAT2 (names). */
static void choose_format(struct listing *listing)
{
    const char *letters = getenv("SQUEUE_FORMAT"), *names = getenv("SQUEUE_FORMAT2");

    if (listing->letters || listing->names)
        return;
    if (letters && *letters)
        listing->letters = letters;
    else if (names && *names)
        listing->names = names;
    else
        listing->letters = FORMAT_USUAL;
}

/* Reads an option. Returns false after an error, which is printed. */
static bool read_option(void *context, int id, const char *value)
{
    struct listing *listing = context;
    struct job_query *query = &listing->query;
    struct arena *arena = listing->tool->arena;

    switch (id) {
    case OPT_ARRAY:
        query->each_task = true;
        return true;
    case OPT_FORMAT:
        listing->letters = value;
        listing->names = NULL;
        return true;
    case OPT_FORMAT_LONG:
        listing->names = value;
        return true;
    case OPT_JOBS:
        listing->names_jobs = true;
        return read_ids(listing, value);
    case OPT_LONG:
        listing->letters = FORMAT_LONG;
        return listing->is_long = true;
    case OPT_START:
        listing->letters = FORMAT_START;
        query->states[SLURM_STATE_PENDING] = query->states_given = true;
        return true;
    case OPT_ME:
        return (query->users = tool_me(listing->tool)) != NULL;
    case OPT_NAME:
        query->names = job_query_split(arena, value);
        return true;
    case OPT_NO_HEADER:
        listing->no_header = true;
        return true;
    case OPT_PARTITION:
        query->queues = job_query_split(arena, value);
        return true;
    case OPT_SORT:
        tool_note(listing->tool, "--sort has no effect: jobs are in order of their numbers");
        return true;
    case OPT_STATES:
        job_query_reset_states(query);
        return job_query_read_states(listing->tool, value, query);
    case OPT_USER:
    default:
        query->users = tool_users(listing->tool, value);
        if (tool_unknown_user(query->users)) /* no error, as in Slurm */
            tool_fail(listing->tool, "Invalid user: %s", tool_unknown_user(query->users));
        return true;
    }
}

static int print_rows(struct listing *listing, const struct format *format)
{
    struct job_list list;
    int code = EXIT_FAILURE;
    bool missing;

    if (job_list_get(listing->tool, &listing->query, &list, &missing)) {
        code = missing && listing->query.ids.count == 1 ? job_list_fail_missing() : EXIT_SUCCESS;
        if (code == EXIT_SUCCESS && listing->is_long)
            tool_print_date();
        if (code == EXIT_SUCCESS && !listing->no_header)
            format_print_header(format, stdout);
        for (size_t i = 0; i < list.count; i++)
            format_print_row(format, &list.rows[i], stdout);
    }
    job_list_done(&list);
    return code;
}

static int list_jobs(struct listing *listing)
{
    struct arena *arena = listing->tool->arena;
    struct format format;
    struct err err = { 0 };
    int r;

    choose_format(listing);
    r = listing->names ? format_read_names(&format, listing->names, squeue_fields, arena, &err)
                       : format_read_letters(&format, listing->letters, squeue_fields, arena, &err);
    if (r < 0)
        return tool_fail(listing->tool, "%s", err.text);
    listing->query.launch = format_has(&format, job_put_directory) || format_has(&format, job_put_out_file) ||
                            format_has(&format, job_put_err_file) || format_has(&format, job_put_in_file);
    listing->query.limits = job_format_has_limit(&format);
    return print_rows(listing, &format);
}

/* Reads operands, the value of --jobs as a word of its own. Returns false after an error. */
static bool read_operands(struct listing *listing, char *const *words)
{
    for (; *words; words++) {
        if (!listing->names_jobs)
            tool_fail(listing->tool, "Unrecognized option: %s", **words ? *words : "\"\"");
        if (!listing->names_jobs || !read_ids(listing, *words))
            return false;
    }
    return true;
}

int squeue_main(struct tool *tool, int argc, char **argv)
{
    static const struct tool_line line = {
        .options = options, .variables = variables, .read = read_option, .help = help, .has_operands = true
    };
    struct listing listing = { .tool = tool };
    int at, code;

    tool->unreachable = JOB_LIST_UNREACHABLE;
    if (tool_read(tool, &line, &listing, argc, argv, &at, &code))
        code = job_check_time_format(tool) && read_operands(&listing, argv + at) ? list_jobs(&listing)
                                                                                 : EXIT_FAILURE;
    job_ids_done(&listing.query.ids);
    return code;
}
