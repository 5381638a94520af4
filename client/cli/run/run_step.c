/* SPDX-License-Identifier: Apache-2.0 */
/* run_step.c - `creel run` inside a job: runs the tasks in containers of that job */
#include "client/cli/run/run_step.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/cli/run/run_input.h"
#include "client/cli/run/task_run.h"
#include "client/libcreel/job_values.h"
#include "common/proto/launch_texts.h"

/* Removes const, since the generated message structs have no const fields. The text is not written. */
static char *plain(const char *text)
{
    return (char *)(uintptr_t)text;
}

static void add_environment(struct arena *arena, const char *const *from, Creel__LaunchContext *launch)
{
    size_t count = 0;

    while (from && from[count])
        count++;
    launch->environment = arena_array0(arena, count + 1, sizeof(*launch->environment));
    for (size_t i = 0; i < count; i++) {
        Creel__Variable *variable = arena_new0(arena, Creel__Variable);
        const char *equals = strchr(from[i], '=');

        creel__variable__init(variable);
        variable->name = arena_strdup(arena, from[i]);
        variable->value = plain(equals ? equals + 1 : "");
        if (equals)
            variable->name[equals - from[i]] = '\0';
        launch->environment[launch->n_environment++] = variable;
    }
}

static void add_others(struct arena *arena, const struct creel_job *from, Creel__Resource *resource)
{
    resource->others = arena_array0(arena, from->resource_count + 1, sizeof(*resource->others));
    for (size_t i = 0; i < from->resource_count; i++) {
        Creel__NamedAmount *named = arena_new0(arena, Creel__NamedAmount);

        creel__named_amount__init(named);
        named->name = plain(from->resources[i].name);
        named->amount = from->resources[i].amount;
        named->unit = plain(from->resources[i].unit);
        resource->others[resource->n_others++] = named;
    }
}

/* Adds the command unchanged: files that a submission would send are in the working directory of each task
 * already, with the job's other files. */
static void add_command(const struct cli *cli, struct arena *arena, Creel__LaunchContext *launch)
{
    launch->n_command = cli->options.argument_count;
    launch->command = arena_array0(arena, launch->n_command + 1, sizeof(*launch->command));
    for (size_t i = 0; i < launch->n_command; i++)
        launch->command[i] = plain(cli->options.arguments[i]);
}

static Creel__JobSpec *make_job(const struct cli *cli, const struct submit_options *options,
                                struct arena *arena)
{
    struct job_values values = job_values_of(&options->job);
    Creel__JobSpec *job = arena_new0(arena, Creel__JobSpec);

    creel__job_spec__init(job);
    job->launch = arena_new0(arena, Creel__LaunchContext);
    creel__launch_context__init(job->launch);
    add_command(cli, arena, job->launch);
    add_environment(arena, options->job.environment, job->launch);
    job_values_put(&values, job);
    job->launch->submit_directory = plain(options->job.submit_directory ? options->job.submit_directory : "");
    job->resource = arena_new0(arena, Creel__Resource);
    creel__resource__init(job->resource);
    job->resource->memory_mb = options->job.memory_mb;
    job->resource->vcores = options->job.vcores;
    add_others(arena, &options->job, job->resource);
    launch_texts_escape(job->launch, arena);
    job->task_count = options->job.task_count ? options->job.task_count : 1;
    return job;
}

static int be_alone(struct cli *cli, struct am_environment *environment, struct err *err)
{
    int r = am_environment_lock(environment, false, err);

    if (r != -EBUSY)
        return r;
    cli_print(cli, "creel: another step of %s runs now; waiting for its end", environment->app_id);
    return am_environment_lock(environment, true, err);
}

static int run_tasks(struct cli *cli, const struct submit_options *options,
                     struct am_environment *environment, int *exit_status, struct err *err)
{
    struct arena *arena = arena_new();
    Creel__JobSpec *job = make_job(cli, options, arena);
    struct task_run_options run = {
        .job_files = true,
        .copy_output = true,
        .labels = job->task_count > 1,
        .quiet = cli->quiet,
        .term_is_final = true,
    };
    int r = be_alone(cli, environment, err);

    if (r == 0) {
        /* Unique, since this step has the lock: no other step of the job has the same prefix. */
        run.title_prefix = arena_printf(arena, "step%llx.", (unsigned long long)loop_now_ms());
        r = task_run(environment, job, &run, exit_status, err);
    }
    arena_free(arena);
    return r;
}

int run_step(struct cli *cli, const struct submit_options *options)
{
    struct am_environment environment;
    struct err err = { 0 };
    int exit_status = EXIT_SELF_FAILED;
    int r;

    if (options_has(&cli->options, "file") || options_has(&cli->options, "archive"))
        return cli_usage(cli, "inside a job no more files can be sent: give -f and -a to creel submit, "
                              "and the tasks of creel run find them too");
    if (run_input_is_there())
        cli_print(cli, "creel: standard input is not passed on to the tasks of a step");
    r = am_environment_read(&environment, &err);
    if (r == 0) {
        r = run_tasks(cli, options, &environment, &exit_status, &err);
        am_environment_done(&environment);
    }
    if (r == 0)
        return exit_status;
    cli_fail_err(&err);
    return EXIT_SELF_FAILED;
}
