/* SPDX-License-Identifier: Apache-2.0 */
/* srun.c - `srun` in a job of a Slurm script */
#include "config.h"

#include "client/slurm/srun.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/run/input_pipes.h"
#include "client/script/slurm.h"
#include "client/script/slurm_size.h"
#include "client/slurm/srun_options.h"
#include "client/slurm/step_environment.h"
#include "client/slurm/step_files.h"
#include "client/slurm/step_room.h"
#include "client/slurm/step_tasks.h"
#include "common/base/job/job_field.h"
#include "common/base/text.h"

#define MIB ((int64_t)1 << 20)

static const char help[] =
    "srun [OPTION...] COMMAND...\n"
    "\n"
    "Starts a step of this job: the command as tasks, in the container of the job. Without -n\n"
    "the step has as many tasks as the job. A step waits until the vcores of its tasks, and\n"
    "the memory of --mem, are free of other steps.\n"
    "\n"
    "  -n, --ntasks N           -c, --cpus-per-task N       --mem SIZE, --mem-per-cpu SIZE\n"
    "  -o, -e, -i FILE          -l, --label                 -u, --unbuffered\n"
    "  -D, --chdir DIR          -J, --job-name NAME         --export ALL|NONE|NAME[=VALUE],...\n"
    "  -t, --time TIME          -K, --kill-on-bad-exit      -W, --wait SECONDS\n"
    "  --overlap                -O, --overcommit            --pty\n"
    "  --test-only\n"
    "\n"
    "Other options of Slurm are accepted, and named with -v. Tasks in containers of their own,\n"
    "also on other nodes: creel run -N N.\n";

struct srun {
    struct srun_options options;
    struct step_place place;
    struct step_use most, use;
    int64_t task_vcores;
    uint32_t count;
    sigset_t mask;
    struct rlimit descriptor_limit;
    struct arena *arena;
};

static int fail(const char *text)
{
    fprintf(stderr, "srun: error: %s\n", text);
    return EXIT_FAILURE;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

static int64_t number_of(const char *name)
{
    int64_t number;

    return text_parse_int64(variable(name), &number) && number > 0 ? number : 0;
}

/* --- size ----------------------------------------------------------------------------- */

/* Sets *TASKS to the tasks of the job. In a job of several tasks (creel submit -N) this container has one of
 * them. */
static int default_tasks(const struct srun_options *options, int64_t *tasks, struct err *err)
{
    const char *given = getenv("SLURM_NTASKS");

    *tasks = options->tasks_per_node > 0 ? options->tasks_per_node : 1;
    if (options->tasks_per_node > 0 || *variable("CREEL_TASK_COUNT") || !given)
        return 0;
    *tasks = number_of("SLURM_NTASKS");
    return *tasks > 0 ? 0
                      : err_set(err, EINVAL, "SLURM_NTASKS=%s: expected a number from 1 to %d", given,
                                SRUN_TASKS_MAX);
}

/* The vcores of a task. Those that the job's script requested for its tasks are reduced for more tasks. */
static int64_t vcores_of_task(const struct srun *srun)
{
    int64_t requested = number_of("SLURM_CPUS_PER_TASK"), room = srun->most.vcores / srun->count;

    if (srun->options.cpus_per_task > 0)
        return srun->options.cpus_per_task;
    if (requested > room)
        requested = room;
    return requested > 0 ? requested : 1;
}

/* The memory of the container, also of a script without --mem; 0: an agent of an earlier release does not
 * tell. */
static int64_t job_memory(const struct srun *srun)
{
    int64_t memory = number_of("CREEL_MEMORY_MB");

    if (memory == 0)
        memory = number_of("SLURM_MEM_PER_NODE");
    if (memory == 0)
        memory = slurm_size_times(number_of("SLURM_MEM_PER_CPU"), srun->most.vcores);
    return slurm_size_times(memory, MIB);
}

static int check_size(const struct srun *srun, struct err *err)
{
    if (srun->use.vcores > srun->most.vcores && !srun->options.overcommit)
        return err_set(err, EINVAL,
                       "More processors requested than permitted: %u task%s need %lld vcores, and job %s has "
                       "%lld here; request more with --ntasks or --cpus-per-task of the script, share them "
                       "with --overcommit, or start containers on any nodes with creel run -N %u",
                       srun->count, srun->count == 1 ? "" : "s", (long long)srun->use.vcores, srun->place.job,
                       (long long)srun->most.vcores, srun->count);
    if (srun->most.memory_bytes > 0 && srun->use.memory_bytes > srun->most.memory_bytes)
        return err_set(err, EINVAL,
                       "Memory required by task is not available: the step needs %lld MiB, and job %s has "
                       "%lld MiB; request more with --mem of the script",
                       (long long)(srun->use.memory_bytes / MIB), srun->place.job,
                       (long long)(srun->most.memory_bytes / MIB));
    return 0;
}

/* A step needs the largest number that one of its options gives, as the container is the node of the job. */
static int check_gpus(const struct srun *srun, struct err *err)
{
    const struct srun_options *options = &srun->options;
    int64_t needed = slurm_size_times(options->gpus_per_task, srun->count);
    int64_t most = number_of("SLURM_GPUS_ON_NODE");

    if (needed < options->gpus)
        needed = options->gpus;
    if (needed < options->gpus_per_node)
        needed = options->gpus_per_node;
    if (needed <= most)
        return 0;
    return err_set(
        err, EINVAL,
        "Unable to create step for job %s: Invalid generic resource (gres) specification: the step "
        "needs %lld GPU%s, and the job has %lld here; request more with --gpus of the script",
        srun->place.job, (long long)needed, needed == 1 ? "" : "s", (long long)most);
}

/* Sets the number of tasks and what the step uses of the job. */
static int choose_size(struct srun *srun, struct err *err)
{
    const struct srun_options *options = &srun->options;
    int64_t tasks = options->tasks;

    if (tasks == 0 && default_tasks(options, &tasks, err) < 0)
        return -err->code;
    if (tasks > SRUN_TASKS_MAX)
        return err_set(err, EINVAL, "%lld tasks: a step has at most %d", (long long)tasks, SRUN_TASKS_MAX);
    if (options->mpi && tasks > 1)
        return err_set(err, EINVAL,
                       "--mpi=%s: creel has no process manager of MPI; start the program with mpirun, which "
                       "finds the processors of the job",
                       options->mpi);
    srun->count = (uint32_t)tasks;
    if (check_gpus(srun, err) < 0)
        return -err->code;
    srun->most.vcores = number_of("SLURM_CPUS_ON_NODE");
    if (srun->most.vcores == 0)
        srun->most.vcores = 1;
    srun->most.memory_bytes = job_memory(srun);
    srun->task_vcores = vcores_of_task(srun);
    srun->use.vcores = srun->count * srun->task_vcores;
    srun->use.memory_bytes = options->memory_bytes > 0
                                 ? options->memory_bytes
                                 : slurm_size_times(options->memory_per_cpu_bytes, srun->use.vcores);
    return check_size(srun, err);
}

/* --- the step ---------------------------------------------------------------------------- */

static void print_wait(void *context)
{
    const struct srun *srun = context;

    if (!srun->options.quiet)
        fprintf(stderr,
                "srun: Job %s step creation temporarily disabled, retrying (Requested nodes are busy): other "
                "steps use the vcores or the memory (--overlap does not wait)\n",
                srun->place.job);
}

/* A step inside of a step, and one with --overlap, shares what others use. */
static bool shares(const struct srun *srun)
{
    return srun->options.overlap || *variable("SLURM_STEP_ID");
}

static int take_room(struct srun *srun, struct err *err)
{
    static const struct step_use nothing;
    struct step_use use = shares(srun) ? nothing : srun->use;

    if (use.vcores > srun->most.vcores)
        use.vcores = srun->most.vcores; /* --overcommit */
    if (srun->most.memory_bytes == 0)
        use.memory_bytes = 0;
    return step_room_take(arena_printf(srun->arena, "%s/" JOB_STEPS_DIR, variable("CREEL_SCRATCH")),
                          &srun->most, &use, print_wait, srun, &srun->place.step, err);
}

static void print_notices(const struct srun *srun)
{
    if (srun->options.terminal && !isatty(STDIN_FILENO))
        fputs("srun: error: Not using a pseudo-terminal, disregarding --pty option\n", stderr);
    if (!srun->options.quiet && *srun->options.ignored)
        fprintf(stderr, "srun: without effect in creel: %s\n", srun->options.ignored);
}

/* --test-only, as in Slurm on standard error. */
static void print_size(const struct srun *srun)
{
    fprintf(stderr, "srun: a step of job %s on %s would have %u task%s of %lld vcores", srun->place.job,
            srun->place.host, srun->count, srun->count == 1 ? "" : "s", (long long)srun->task_vcores);
    if (srun->use.memory_bytes > 0)
        fprintf(stderr, " and %lld MiB", (long long)(srun->use.memory_bytes / MIB));
    fputs("; nothing is started (--test-only)\n", stderr);
}

static int run_tasks(struct srun *srun, int *exit_status, struct err *err)
{
    const struct srun_options *options = &srun->options;
    struct step_descriptors *descriptors = arena_array0(srun->arena, srun->count, sizeof(*descriptors));
    const struct step_files files = {
        .input = options->input, .output = options->output, .error = options->error, .append = options->append
    };
    struct step_run run = {
        .count = srun->count,
        .descriptors = descriptors,
        .command = options->command,
        .host = srun->place.host,
        .mask = &srun->mask,
        .descriptor_limit = &srun->descriptor_limit,
        .limit_ms = slurm_size_times(options->limit_s, 1000),
        .wait_ms = options->wait_s * 1000,
        .label = options->label,
        .unbuffered = options->unbuffered || options->terminal,
        .kill_on_bad_exit = options->kill_on_bad_exit,
        .quiet = options->quiet,
        .prepare = step_environment_set_task,
    };
    int filler = 0, r;

    step_tasks_raise_limit(&srun->descriptor_limit);
    r = step_files_open(&files, &srun->place, srun->count, descriptors, &filler, srun->arena, err);
    if (r == 0 && options->directory && chdir(options->directory) < 0)
        r = err_set_errno(err, errno, "--chdir=%s", options->directory);
    if (r == 0) {
        step_environment_set(options, &srun->place, srun->count, srun->task_vcores);
        run.input_copies = filler > 0;
        r = step_tasks_run(&run, exit_status, err);
    }
    input_pipes_end(filler);
    return r;
}

static void find_place(struct srun *srun)
{
    const char *array_job = variable("SLURM_ARRAY_JOB_ID"), *index = variable("SLURM_ARRAY_TASK_ID");
    const char *job = variable("SLURM_JOB_ID");

    srun->place = (struct step_place){
        .job = job,
        .array_job = *array_job ? array_job : job,
        .array_index = *index ? index : JOB_SLURM_NO_VAL,
        .name = srun->options.name ? srun->options.name : variable("SLURM_JOB_NAME"),
        .user = variable("SLURM_JOB_USER"),
        .host = variable("SLURMD_NODENAME"),
    };
}

static int run_step(struct srun *srun, int *exit_status, struct err *err)
{
    int r;

    find_place(srun);
    print_notices(srun);
    if ((r = choose_size(srun, err)) < 0)
        return r;
    if (srun->options.test_only) {
        print_size(srun);
        *exit_status = EXIT_SUCCESS;
        return 0;
    }
    if ((r = take_room(srun, err)) < 0)
        return r;
    return run_tasks(srun, exit_status, err);
}

int srun_main(const char *const *arguments)
{
    struct srun srun = { .arena = arena_new() };
    struct err err = { 0 };
    int exit_status = EXIT_FAILURE;

    step_tasks_block_signals(&srun.mask);
    if (srun_options_read(arguments, &srun.options, srun.arena, &err) < 0)
        fail(err.text);
    else if (srun.options.help)
        exit_status = fputs(help, stdout) < 0;
    else if (srun.options.version)
        exit_status = printf("slurm %s (creel %s)\n", SLURM_VERSION, VERSION) < 0;
    else if (srun.options.mpi_list)
        exit_status = puts("MPI plugin types are...\n\tnone") < 0;
    else if (!*variable("SLURM_JOB_ID") || !*variable("CREEL_SCRATCH"))
        fail("this is no job of a Slurm script (SLURM_JOB_ID or CREEL_SCRATCH is not set); creel run submits "
             "a job");
    else if (run_step(&srun, &exit_status, &err) < 0)
        exit_status = fail(err.text);
    arena_free(srun.arena);
    return exit_status;
}
