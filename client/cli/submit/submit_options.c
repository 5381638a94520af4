/* SPDX-License-Identifier: Apache-2.0 */
/* submit_options.c - parses the options of submit and run into a job */
#include "client/cli/submit/submit_options.h"
#include "client/cli/frame/amounts.h"
#include "client/cli/frame/moment.h"
#include "client/cli/submit/submit_environment.h"
#include "client/cli/submit/submit_files.h"
#include "client/cli/submit/submit_place.h"
#include "client/cli/submit/submit_process.h"
#include "client/cli/submit/submit_written.h"
#include "client/libcreel/job_values.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/loop/loop.h"

#define MB ((int64_t)1 << 20)
#define TASKS_MAX 1000000

const struct option_spec submit_option_table[] = {
    SUBMIT_SIZE_OPTIONS,
    { 'N', "count", "N", "run the command in N containers, its tasks" },
    { 'e', "env", "NAME=VALUE", "variable for the command; NAME,... or all: copy from this shell" },
    { 'f', "file", "SRC[#NAME]", "copy a file or directory into the scratch directory of the job" },
    { 'a', "archive", "SRC[#NAME]", "unpack an archive into a directory there" },
    JOB_FIELDS(SUBMIT_FIELD_OPTION){ 'T', "tag", "TAG", "tag of the job; may be repeated" },
    { 'W', "wait", NULL, "wait for the end and exit as the job does" },
    { 0, "detach", NULL, "do not wait (default)" },
    { 'L', "logs", NULL, "wait, and show the output" },
    { 0, "kill-on-interrupt", NULL, "kill the job on Ctrl-C while waiting" },
    { 0, "id", NULL, "print only the id" },
    { 0, "it", NULL, "run: use this terminal: creel run -it -- bash" },
    { 0, "stdin", "WHICH", "run: task that reads standard input (default: 0), all, or none" },
    { 0, "overlap", NULL, "run: in creel alloc, use also containers that run another command" },
    { 0, "fetch-to", "DIR", "write results (--fetch) there (default: the current directory)" },
    { 0, "scratch", NULL, "run in the scratch directory of the job on the node" },
    { 0, "strict", NULL, "refuse options of Slurm scripts that creel does not support" },
    { 0, "am", NULL, "the command is an application master" },
    { 0, "test-only", NULL, "check whether the job would be accepted and could run" },
    { 0, "dry-run", NULL, "print the request as JSON, do not submit" },
    { 0, "timeout", "TIME", "limit of waiting: with --wait for the job, else for the RM (10s)" },
    { 0 },
};

bool submit_option_is_known(const char *name, size_t length)
{
    return options_find_name(submit_option_table, name, length) != NULL;
}

/* A list that grows while options are read; copied into the arena at the end. */
struct list {
    const char **items; /* owned */
    size_t count, capacity;
};

static void list_add(struct list *list, const char *text)
{
    mem_grow(list->items, list->count, list->capacity);
    list->items[list->count++] = text;
}

static const char *const *list_finish(struct list *list, struct arena *arena)
{
    list_add(list, NULL);
    return arena_dup(arena, list->items, list->count * sizeof(*list->items));
}

struct builder {
    struct submit_options *options;
    struct list environment, tags, command;
    struct creel_file *files; /* owned */
    size_t file_count, file_capacity;
    const char *command_name; /* NULL: the last component of the command's path */
    bool has_dashes;          /* "--" was before the command */
    bool has_signal_prefix;   /* limit_signal_to is from B: of the last --signal */
    struct err *err;
};

static void builder_done(struct builder *builder)
{
    free(builder->environment.items);
    free(builder->tags.items);
    free(builder->command.items);
    free(builder->files);
}

/* --- single options -------------------------------------------------------- */

static int read_number(struct builder *builder, const char *option, const char *value, int64_t least,
                       int64_t most, int64_t *number)
{
    int64_t read;

    if (!text_parse_int64(value, &read) || read < least || read > most)
        return err_set(builder->err, EINVAL, "--%s %s: expected a number from %lld to %lld", option, value,
                       (long long)least, (long long)most);
    *number = read;
    return 0;
}

static int read_memory(struct builder *builder, const char *value)
{
    int64_t bytes;

    if (!text_parse_size_bytes(value, MB, &bytes) || bytes <= 0)
        return err_set(builder->err, EINVAL, "--memory %s: expected a size, as 512M, 2g or 2GiB (512 is MiB)",
                       value);
    /* Rounded up, so that the job gets at least the requested memory. */
    builder->options->job.memory_mb = bytes / MB + (bytes % MB != 0);
    return 0;
}

static int read_gpus(struct builder *builder, const char *value)
{
    struct arena *arena = builder->options->arena;
    int64_t number = 0;
    int r = read_number(builder, "gpus", value, 0, 1000000, &number);

    if (r < 0)
        return r;
    return amounts_parse(arena, arena_printf(arena, "gpu=%lld", (long long)number), &builder->options->job,
                         builder->err);
}

static int read_variable(struct builder *builder, const char *value)
{
    struct submit_environment environment = { .arena = builder->options->arena };
    int r = submit_environment_read(&environment, value, builder->err);

    if (r == 0 && environment.none)
        builder->environment.count = 0;
    if (r == 0 && (environment.all || environment.none)) {
        builder->options->env_all = environment.all;
        builder->options->env_left_out = environment.left_out;
    }
    for (size_t i = 0; r == 0 && i < environment.count; i++)
        list_add(&builder->environment, environment.entries[i]);
    return r;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int add_file(struct builder *builder, const struct creel_file *file)
{
    for (size_t i = 0; i < builder->file_count; i++) {
        if (!strcmp(builder->files[i].name, file->name))
            return err_set(builder->err, EINVAL,
                           "files %s and %s: both would be named %s; give "
                           "one another name (SRC#NAME)",
                           builder->files[i].source, file->source, file->name);
    }
    mem_grow(builder->files, builder->file_count, builder->file_capacity);
    builder->files[builder->file_count++] = *file;
    return 0;
}

static int read_file(struct builder *builder, const char *value, bool is_archive)
{
    struct creel_file file;
    int r = submit_file_read(value, is_archive, builder->options->arena, &file, builder->err);

    return r < 0 ? r : add_file(builder, &file);
}

static int read_limit(struct builder *builder, const char *value)
{
    int64_t ms;

    if (!text_parse_duration_ms(value, 1000, &ms) || ms <= 0)
        return err_set(builder->err, EINVAL, "--timeout %s: expected a time, as 10 (seconds), 5m or 1h",
                       value);
    builder->options->timeout_ms = ms;
    return 0;
}

static int read_counts(struct builder *builder, const char *name, const char *value)
{
    struct creel_job *job = &builder->options->job;
    int64_t number = 0;
    int r;

    if (!strcmp(name, "vcores")) {
        r = read_number(builder, name, value, 1, 1000000, &number);
        if (r == 0)
            job->vcores = number;
    } else {
        r = read_number(builder, name, value, 1, TASKS_MAX, &number);
        if (r == 0) {
            job->task_count = (uint32_t)number;
            builder->options->count_given = true;
        }
    }
    return r;
}

/* Adds VALUE, the value of one option --fetch, to those of earlier ones. */
static const char *join_results(struct builder *builder, const char *value)
{
    const char *earlier = builder->options->job.fetch;

    return earlier ? arena_printf(builder->options->arena, "%s,%s", earlier, value) : value;
}

/* Reads B: before a signal, as in Slurm: the first process alone gets it. A later value without B: replaces
 * an earlier one with it. Returns the rest of VALUE. */
static const char *read_signal_target(struct builder *builder, const char *value)
{
    bool is_first = text_skip_word(&value, "B:");

    if (is_first || builder->has_signal_prefix)
        builder->options->job.limit_signal_to = is_first ? "first" : NULL;
    builder->has_signal_prefix = is_first;
    return value;
}

static int read_limits(struct builder *builder, const char *names)
{
    struct submit_options *options = builder->options;

    if (submit_process_limits(options->arena, *names ? names : "ALL", false, &options->job.limits) < 0)
        return err_set(builder->err, EINVAL, "--propagate=%s: expected " SUBMIT_LIMITS_EXPECTED, names);
    options->limits_given = true;
    return 1;
}

/* Reads the option of a plain field. Returns 1, or 0 if NAME is no such option. */
static int read_field(struct builder *builder, const char *name, const char *value)
{
    for (int i = 0; i < JOB_FIELD_COUNT; i++) {
        struct job_value read;

        if (strcmp(name, job_fields[i].option) != 0)
            continue;
        if ((job_fields[i].kind == JOB_LIST || job_fields[i].kind == JOB_PATH) && value &&
            *value == '\0') /* "$UNSET": not a job without this option */
            return err_set(builder->err, EINVAL, "--%s: its value is empty", name);
        if (job_fields[i].kind == JOB_TIME) {
            read = (struct job_value){ .text = NULL };
            if (moment_parse(name, value, loop_now_ms(), &read.number, builder->err) < 0)
                return -EINVAL;
            value = NULL;
        } else if (job_fields[i].kind == JOB_RESULTS) {
            value = join_results(builder, value);
        } else if (job_fields[i].kind == JOB_LIMITS) {
            return read_limits(builder, value);
        } else if (job_fields[i].kind == JOB_LIMIT_SIGNAL) {
            value = read_signal_target(builder, value);
        }
        if (value && job_field_parse(&job_fields[i], value, &read, builder->err) < 0)
            return -EINVAL;
        job_values_set(&builder->options->job, (enum job_field_id)i, &read);
        return 1;
    }
    return 0;
}

static int read_option(struct builder *builder, const char *name, const char *value)
{
    struct submit_options *options = builder->options;
    int r = read_field(builder, name, value);

    if (r != 0)
        return r < 0 ? r : 0;
    if (!strcmp(name, "memory"))
        return read_memory(builder, value);
    if (!strcmp(name, "vcores") || !strcmp(name, "count"))
        return read_counts(builder, name, value);
    if (!strcmp(name, "resource"))
        return amounts_parse(options->arena, value, &options->job, builder->err);
    if (!strcmp(name, "gpus"))
        return read_gpus(builder, value);
    if (!strcmp(name, "env"))
        return read_variable(builder, value);
    if (!strcmp(name, "file"))
        return read_file(builder, value, false);
    if (!strcmp(name, "archive"))
        return read_file(builder, value, true);
    if (!strcmp(name, "timeout"))
        return read_limit(builder, value);
    if (!strcmp(name, "fetch-to"))
        options->fetch_to = value;
    else if (!strcmp(name, "tag"))
        list_add(&builder->tags, value);
    else if (!strcmp(name, "wait"))
        options->wait = true;
    else if (!strcmp(name, "detach"))
        options->detach = true;
    else if (!strcmp(name, "logs"))
        options->wait = options->logs = true;
    else if (!strcmp(name, "id"))
        options->id_only = true;
    else if (!strcmp(name, "am"))
        options->job.kind = CREEL_JOB_MASTER;
    else if (!strcmp(name, "test-only"))
        options->test_only = true;
    else if (!strcmp(name, "dry-run"))
        options->dry_run = true;
    return 0; /* a global option, which is handled elsewhere */
}

/* --- the command ----------------------------------------------------------- */

static bool is_script(const char *path)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    char start[2];

    return fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
           pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) && start[0] == '#' && start[1] == '!';
}

static int missing_command(struct builder *builder, const char *command)
{
    return err_set(builder->err, ENOENT,
                   "command %s: there is no such file here; if it exists on "
                   "the agents, use: sh -c '%s ...'",
                   command, command);
}

/* Returns whether COMMAND, a name without '/', is a program of this host. */
static bool is_on_path(const char *command)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        size_t length = strcspn(path, ":");
        scoped_free char *file = mem_printf("%.*s/%s", (int)length, path, command);

        if (access(file, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

static int not_executable(struct builder *builder, const char *command)
{
    if (access(command, R_OK) < 0)
        return err_set_errno(builder->err, errno, "command %s", command);
    return err_set(builder->err, EINVAL,
                   "command %s: is neither executable nor a script with a first line \"#!...\"", command);
}

/* Judges a COMMAND without '/' that is no script here. It is looked up on the agent. If this host does not
 * have it, the name of a script was probably misspelled, unless "--" was before it. */
static int judge_name(struct builder *builder, const char *command)
{
    struct stat info;
    bool exists = stat(command, &info) == 0;

    if (is_on_path(command) || (!exists && builder->has_dashes))
        return 0;
    if (!exists)
        return err_set(builder->err, ENOENT,
                       "command %s: there is no such file here, and no such program in PATH; for a program "
                       "that only the agents have, write -- before it: -- %s",
                       command, command);
    if (S_ISDIR(info.st_mode))
        return err_set(builder->err, EINVAL, "command %s: is a directory", command);
    /* A file of this directory that cannot run is not the program of the node that was meant. */
    return S_ISREG(info.st_mode) && access(command, X_OK) < 0 ? not_executable(builder, command) : 0;
}

/* Chooses the command on the agent: as given, or ./NAME if its file is sent. */
static int choose_command(struct builder *builder, const char *command, const char **chosen)
{
    const char *name = builder->command_name ? builder->command_name : base_name(command);
    bool has_slash = strchr(command, '/') != NULL;
    struct stat info;
    int r;

    *chosen = command;
    if (submit_file_unpacks(builder->files, builder->file_count, command))
        return 0;
    if (is_script(command)) {
        /* the file is sent */
    } else if (!has_slash) {
        return judge_name(builder, command);
    } else if (stat(command, &info) < 0) {
        return missing_command(builder, command);
    } else if (S_ISDIR(info.st_mode)) {
        return err_set(builder->err, EINVAL, "command %s: is a directory", command);
    } else if (*command == '/') {
        return 0;
    } else if (access(command, X_OK) < 0) {
        return not_executable(builder, command);
    }
    if (stat(command, &info) < 0)
        return err_set_errno(builder->err, errno, "command %s", command);
    if (!S_ISREG(info.st_mode))
        return err_set(builder->err, EINVAL, "command %s: is not a regular file", command);
    r = add_file(builder, &(struct creel_file){ .source = command, .name = name, .executable = true });
    if (r < 0)
        return r;
    *chosen = arena_printf(builder->options->arena, "./%s", name);
    return 0;
}

static int read_command(struct builder *builder, const struct options *parsed)
{
    const char *chosen;
    int r;

    if (!parsed->argument_count)
        return err_set(builder->err, EINVAL,
                       "the command to run is missing: write it after the options, as in -- sleep 60");
    if (!*parsed->arguments[0])
        return err_set(builder->err, EINVAL, "the command is empty");
    if ((r = choose_command(builder, parsed->arguments[0], &chosen)) < 0)
        return r;
    list_add(&builder->command, chosen);
    for (size_t i = 1; i < parsed->argument_count; i++)
        list_add(&builder->command, parsed->arguments[i]);
    if (!builder->options->job.name)
        builder->options->job.name =
            builder->command_name ? builder->command_name : base_name(parsed->arguments[0]);
    return 0;
}

static bool has_variable(const struct builder *builder, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < builder->environment.count; i++) {
        const char *entry = builder->environment.items[i];

        if (!strncmp(entry, name, length) && entry[length] == '=')
            return true;
    }
    return false;
}

static void add_variable(struct builder *builder, const char *name, const char *value)
{
    if (value && *value && !has_variable(builder, name))
        list_add(&builder->environment, arena_printf(builder->options->arena, "%s=%s", name, value));
}

/* Replaces the value that the directives of a script gave by that of the job. */
static void replace_number(struct builder *builder, const char *name, int64_t number)
{
    size_t length = strlen(name);

    for (size_t i = 0; number > 0 && i < builder->environment.count; i++) {
        const char *entry = builder->environment.items[i];

        if (!strncmp(entry, name, length) && entry[length] == '=')
            builder->environment.items[i] =
                arena_printf(builder->options->arena, "%s=%lld", name, (long long)number);
    }
}

/* The GPUs of the job's container, with which srun compares those of a step: also of --gpus and --resource of
 * creel submit. */
static void set_gpus(struct builder *builder)
{
    static const char name[] = "SLURM_GPUS_ON_NODE";
    const struct creel_job *job = &builder->options->job;

    for (size_t i = 0; i < job->resource_count; i++)
        if (!strcmp(job->resources[i].name, "gpu") || !strcmp(job->resources[i].name, "yarn.io/gpu")) {
            replace_number(builder, name, job->resources[i].amount);
            add_variable(builder, name,
                         arena_printf(builder->options->arena, "%lld", (long long)job->resources[i].amount));
        }
}

/* Adds Slurm's variables known at submission; the agent adds the others (nm-agent/core/slurm_variables.h). */
static void add_slurm_variables(struct builder *builder)
{
    scoped_free char *here = getcwd(NULL, 0);
    char host[HOST_NAME_MAX + 1] = "";

    gethostname(host, sizeof(host) - 1);
    add_variable(builder, "SLURM_PRIO_PROCESS",
                 arena_printf(builder->options->arena, "%d", getpriority(PRIO_PROCESS, 0)));
    add_variable(builder, "SLURM_SUBMIT_DIR", here);
    add_variable(builder, "SLURM_SUBMIT_HOST", host);
    add_variable(builder, "SLURM_JOB_NAME", builder->options->job.name);
    add_variable(builder, "SLURM_JOB_QOS", "normal"); /* as squeue shows; tools expect one */
    add_variable(builder, "SLURM_JOB_PARTITION", builder->options->job.queue);
    replace_number(builder, "SLURM_CPUS_ON_NODE", builder->options->job.vcores);
    set_gpus(builder);
}

static int read_all(struct builder *builder, const struct options *parsed)
{
    struct submit_options *options = builder->options;
    int r;

    for (size_t i = 0; i < parsed->count; i++) {
        r = read_option(builder, parsed->items[i].spec->name, parsed->items[i].value);
        if (r < 0) {
            submit_written_item(&parsed->items[i], builder->err);
            return r;
        }
    }
    if (options->job.kind == CREEL_JOB_MASTER && options->count_given)
        return err_set(builder->err, EINVAL,
                       "--am and --count: an application master asks for its containers itself");
    if (options->job.task_count > 1)
        options->job.kind = CREEL_JOB_TASKS;
    if ((r = read_command(builder, parsed)) < 0)
        return r;
    if (text_equal(options->job.script_system, "slurm"))
        add_slurm_variables(builder);
    submit_process_add(options->arena, &options->job);
    return submit_place_choose(parsed, options->arena, &options->job, builder->err);
}

int submit_options_parse(const struct options *parsed, struct submit_options *ret, struct err *err)
{
    return submit_options_parse_named(parsed, NULL, ret, err);
}

int submit_options_parse_named(const struct options *parsed, const char *command_name,
                               struct submit_options *ret, struct err *err)
{
    struct submit_options options = { .timeout_ms = -1, .arena = arena_new() };
    struct builder builder = {
        .options = &options, .command_name = command_name, .has_dashes = parsed->has_dashes, .err = err
    };
    struct creel_job *job = &options.job;
    int r = read_all(&builder, parsed);

    if (r == 0 && options.detach && options.wait)
        r = err_set(err, EINVAL, "--detach, and --wait or --logs: one of them");
    if (r == 0 && options.fetch_to && !job->fetch)
        r = err_set(err, EINVAL, "--fetch-to %s: --fetch PATH names what is brought there", options.fetch_to);
    if (r == 0) {
        job->command = list_finish(&builder.command, options.arena);
        job->environment = list_finish(&builder.environment, options.arena);
        job->tags = list_finish(&builder.tags, options.arena);
        job->file_count = builder.file_count;
        job->files = builder.file_count ? arena_dup(options.arena, builder.files,
                                                    builder.file_count * sizeof(*builder.files))
                                        : NULL;
        *ret = options;
    } else {
        arena_free(options.arena);
        *ret = (struct submit_options){ .timeout_ms = -1 };
    }
    builder_done(&builder);
    return r;
}

void submit_options_done(struct submit_options *options)
{
    arena_free(options->arena);
    *options = (struct submit_options){ .timeout_ms = -1 };
}
