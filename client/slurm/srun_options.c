/* SPDX-License-Identifier: Apache-2.0 */
/* srun_options.c - reads the command line of srun */
#include "client/slurm/srun_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/script/slurm_environment.h"
#include "client/script/slurm_line.h"
#include "client/script/slurm_moment.h"
#include "client/script/slurm_size.h"
#include "client/script/slurm_value.h"
#include "client/script/slurm_written.h"
#include "common/base/host_range.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

struct reading {
    struct srun_options *options;
    struct text_builder ignored;
    struct slurm_size gpus; /* of --gpus, --gres and others */
    struct arena *arena;
    struct err *err;
};

static int refuse(const struct reading *reading, const char *name, const char *value, const char *expected)
{
    return err_set(reading->err, EINVAL, "--%s=%s: expected %s", name, value, expected);
}

/* --- values ------------------------------------------------------------------------- */

static int read_number(const struct reading *reading, const char *name, const char *value, int64_t least,
                       int64_t most, int64_t *number)
{
    if (text_parse_int64(value, number) && *number >= least && *number <= most)
        return 0;
    return err_set(reading->err, EINVAL, "--%s=%s: expected a number from %lld to %lld", name, value,
                   (long long)least, (long long)most);
}

static int read_memory(const struct reading *reading, const char *name, const char *value, int64_t *bytes)
{
    return slurm_memory_read(value, bytes) ? 0 : refuse(reading, name, value, "a size, as 500 (MiB) or 2G");
}

/* A limit of a step is rounded up to minutes, as srun does. */
static int read_limit(const struct reading *reading, const char *name, const char *value)
{
    int64_t seconds;

    if (!slurm_limit_read(value, &seconds))
        return refuse(reading, name, value, "a time: 90 (minutes), 1:30:00, 1-12");
    reading->options->limit_s = seconds > 0 ? (seconds + 59) / 60 * 60 : 0;
    return 0;
}

/* Reads LEAST[-MOST]; the container of a job is on one node. */
static int read_nodes(const struct reading *reading, const char *value)
{
    char *end;
    long long least = strtoll(value, &end, 10);

    if (end == value || least < 1 || (*end != '\0' && *end != '-'))
        return refuse(reading, "nodes", value, "a number of nodes");
    if (least == 1)
        return 0;
    return err_set(reading->err, EINVAL,
                   "--nodes=%s: the container of this job is on one node; creel run -N %lld starts "
                   "containers of the job on any nodes",
                   value, least);
}

/* Reads the hosts on which the step must run: this one has to be among them. */
static int read_hosts(const struct reading *reading, const char *value)
{
    const char *here = getenv("SLURMD_NODENAME");
    struct host_names names = { 0 };
    int r = host_range_expand(value, &names, reading->err);
    bool found = !here;

    for (size_t i = 0; i < names.count; i++)
        found = found || !strcmp(names.items[i], here) || !strcmp(names.items[i], "localhost");
    host_names_done(&names);
    if (r < 0 || found)
        return r;
    return err_set(reading->err, EINVAL, "--nodelist=%s: the container of this job is on %s alone", value,
                   here);
}

static int read_job(const struct reading *reading, const char *value)
{
    const char *job = getenv("SLURM_JOB_ID");

    if (job && !strcmp(job, value))
        return 0;
    return err_set(reading->err, EINVAL,
                   "--jobid=%s: srun starts tasks in its own job, %s; for a shell in another: creel "
                   "container exec -it %s -- bash",
                   value, job ? job : "which is not known", value);
}

static int refuse_kind(const struct reading *reading, const char *name)
{
    static const struct {
        const char *name, *why;
    } kinds[] = {
        { "het-group", "creel has no heterogeneous jobs" },
        { "multi-prog", "a step runs one program; start each with a srun of its own, with & and wait" },
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (!strcmp(name, kinds[i].name))
            return err_set(reading->err, EINVAL, "--%s: %s", name, kinds[i].why);
    return err_set(reading->err, EINVAL, "--%s: a step runs in the container of its job", name);
}

/* Notes a library of MPI, which creel does not have: a single task needs none. */
static void read_mpi(struct srun_options *options, const char *value)
{
    options->mpi_list = !strcmp(value, "list");
    options->mpi = strcmp(value, "none") != 0 ? value : NULL;
}

/* --- options ------------------------------------------------------------------------ */

static bool set_flag(struct srun_options *options, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {
        { "label", &options->label },     { "overcommit", &options->overcommit },
        { "overlap", &options->overlap }, { "oversubscribe", &options->overlap },
        { "pty", &options->terminal },    { "quiet", &options->quiet },
        { "help", &options->help },       { "unbuffered", &options->unbuffered },
        { "usage", &options->help },      { "verbose", &options->verbose },
        { "version", &options->version }, { "test-only", &options->test_only },
    };

    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (!strcmp(name, flags[i].name))
            return *flags[i].flag = true;
    return false;
}

static bool set_text(struct srun_options *options, const char *name, const char *value)
{
    const struct {
        const char *name, **text;
    } texts[] = {
        { "chdir", &options->directory }, { "error", &options->error },   { "export", &options->exported },
        { "input", &options->input },     { "job-name", &options->name }, { "output", &options->output },
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (!strcmp(name, texts[i].name)) {
            *texts[i].text = value;
            return true;
        }
    return false;
}

static void ignore(struct reading *reading, const char *name)
{
    text_builder_separate(&reading->ignored, ", ");
    text_builder_printf(&reading->ignored, "--%s", name);
}

static int read_bad_exit(struct reading *reading, const char *value)
{
    int64_t number = 1;
    int r = value ? read_number(reading, "kill-on-bad-exit", value, 0, 1, &number) : 0;

    if (r == 0)
        reading->options->kill_on_bad_exit = number != 0;
    return r;
}

static bool is_of_gpus(const char *name)
{
    return !strcmp(name, "gpus") || !strcmp(name, "gpus-per-node") || !strcmp(name, "gpus-per-task") ||
           !strcmp(name, "gres");
}

/* Reads what the step needs of GPUs, which is compared with those of the job; all of them are there for each
 * step, so that the option has no other effect. */
static int read_gpus(struct reading *reading, const char *name, const char *value)
{
    struct srun_options *options = reading->options;
    struct script notices;
    int r;

    script_init(&notices, reading->arena);
    r = slurm_size_read(&reading->gpus, name, value, 0, &notices, reading->err);
    options->gpus = reading->gpus.gpus;
    options->gpus_per_node = reading->gpus.gpus_per_node;
    options->gpus_per_task = reading->gpus.gpus_per_task;
    ignore(reading, name);
    return r;
}

static int read_open_mode(struct reading *reading, const char *value)
{
    if (!*value || !strchr("aAtT", *value))
        return refuse(reading, "open-mode", value, "append or truncate");
    reading->options->append = *value == 'a' || *value == 'A';
    return 0;
}

/* Reads the options whose values are not texts. */
static int read_value(struct reading *reading, const char *name, const char *value)
{
    struct srun_options *options = reading->options;

    if (!strcmp(name, "ntasks"))
        return read_number(reading, name, value, 1, SRUN_TASKS_MAX, &options->tasks);
    if (!strcmp(name, "ntasks-per-node"))
        return read_number(reading, name, value, 1, SRUN_TASKS_MAX, &options->tasks_per_node);
    if (!strcmp(name, "cpus-per-task"))
        return read_number(reading, name, value, 1, SRUN_TASKS_MAX, &options->cpus_per_task);
    if (!strcmp(name, "wait"))
        return read_number(reading, name, value, 0, INT32_MAX, &options->wait_s);
    if (!strcmp(name, "mem"))
        return read_memory(reading, name, value, &options->memory_bytes);
    if (!strcmp(name, "mem-per-cpu"))
        return read_memory(reading, name, value, &options->memory_per_cpu_bytes);
    if (!strcmp(name, "time"))
        return read_limit(reading, name, value);
    if (!strcmp(name, "nodes"))
        return read_nodes(reading, value);
    if (!strcmp(name, "nodelist"))
        return read_hosts(reading, value);
    if (!strcmp(name, "jobid"))
        return read_job(reading, value);
    if (!strcmp(name, "open-mode"))
        return read_open_mode(reading, value);
    if (is_of_gpus(name))
        return read_gpus(reading, name, value);
    ignore(reading, name);
    return 0;
}

static int take_option(struct reading *reading, const struct slurm_option *option, const char *value)
{
    const char *name = option->name;

    if (!strcmp(name, "kill-on-bad-exit"))
        return read_bad_exit(reading, value);
    if (!strcmp(name, "exclusive") || !strcmp(name, "exact") || !strcmp(name, "disable-status"))
        return 0; /* as steps are here */
    if (!strcmp(name, "propagate") && (!value || !strcasecmp(value, "ALL")))
        return 0; /* a step is a child of the shell */
    if (!strcmp(name, "mpi")) {
        read_mpi(reading->options, value);
        return 0;
    }
    if (option->action == SLURM_NEEDED && strcmp(name, "jobid") != 0 && !option->target)
        return refuse_kind(reading, name);
    if (set_flag(reading->options, name) || (value && set_text(reading->options, name, value)))
        return 0;
    if (value)
        return read_value(reading, name, value);
    ignore(reading, name);
    return 0;
}

/* Errors have the spelling of the user. */
static int read_option(void *context, const struct slurm_option *option, const char *spelled,
                       const char *value)
{
    struct reading *reading = context;
    int r = take_option(reading, option, value);

    if (r < 0)
        slurm_written_error(reading->err, option->name, spelled);
    return r;
}

/* --- variables ---------------------------------------------------------------------- */

static const struct {
    const char *variable, *option;
} variables[] = {
    { "SLURM_EXPORT_ENV", "export" },
    { "SRUN_CPUS_PER_TASK", "cpus-per-task" },
    { "SRUN_EXPORT_ENV", "export" }, /* has precedence over the one above */
    { "SLURM_KILL_BAD_EXIT", "kill-on-bad-exit" },
    { "SLURM_LABELIO", "label" },
    { "SLURM_OPEN_MODE", "open-mode" },
    { "SLURM_OVERCOMMIT", "overcommit" },
    { "SLURM_OVERLAP", "overlap" },
    { "SLURM_REMOTE_CWD", "chdir" },
    { "SLURM_STDERRMODE", "error" },
    { "SLURM_STDINMODE", "input" },
    { "SLURM_STDOUTMODE", "output" },
    { "SLURM_TIMELIMIT", "time" },
    { "SLURM_UNBUFFEREDIO", "unbuffered" },
    { "SLURM_WAIT", "wait" },
    { "SLURM_WORKING_DIR", "chdir" },
};

/* Reads the variables of the environment; the options of the command line replace theirs. */
static int read_variables(struct reading *reading)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i].variable), *name = variables[i].option;
        const struct slurm_option *option = slurm_option_by_name(SLURM_SRUN, name, strlen(name));

        if (!slurm_environment_gives(option, &value))
            continue;
        r = take_option(reading, option, value);
        if (r < 0)
            err_prefix(reading->err, "%s", variables[i].variable);
    }
    return r;
}

int srun_options_read(const char *const *arguments, struct srun_options *options, struct arena *arena,
                      struct err *err)
{
    struct reading reading = {
        .options = options, .ignored = TEXT_BUILDER_IN(arena), .arena = arena, .err = err
    };
    int r;

    *options = (struct srun_options){ 0 };
    r = read_variables(&reading);
    if (r == 0)
        r = slurm_line_read(SLURM_SRUN, arguments, read_option, &reading, arena, &options->command, err);
    options->ignored = text_builder_finish(&reading.ignored);
    if (r == 0 && !*options->command && !options->help && !options->version && !options->mpi_list)
        r = err_set(err, EINVAL, "there is no command to run");
    return r;
}
