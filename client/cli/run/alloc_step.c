/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_step.c - `creel run` in the shell of an allocation: runs a command in containers of the allocation */
#include "client/cli/run/alloc_step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/run/alloc_places.h"
#include "client/cli/run/alloc_tasks.h"
#include "client/cli/run/exec_here.h"
#include "client/cli/run/input_pipes.h"
#include "client/cli/run/run_input.h"
#include "client/libcreel/am.h"
#include "common/base/mem.h"
#include "common/base/text.h"

/* $1 is the umask, $2 the directory. A directory of --chdir has to be there; that of this host is tried. */
#define WITH_UMASK(enter) "umask \"$1\"; " enter "exec \"$@\""
#define IN_DIRECTORY WITH_UMASK("cd \"$2\" || exit 125; shift 2; ")
#define TRY_DIRECTORY WITH_UMASK("cd \"$2\" 2>/dev/null; shift 2; ")
#define IN_SCRATCH WITH_UMASK("shift; ")

struct step {
    struct cli *cli;
    const struct submit_options *options;
    struct arena *arena;
    const struct creel_container **places; /* containers that run, in the order of their numbers */
    size_t place_count;
    size_t *taken; /* positions in PLACES of the containers of the tasks */
    uint32_t count;
    struct creel_job job; /* with the choice of standard input */
};

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

bool alloc_step_is_there(void)
{
    return !am_environment_is_there() && *variable("CREEL_ALLOC_DIR") && *variable("CREEL_APP_ID");
}

/* --- options ------------------------------------------------------------------------ */

static bool is_for_a_step(const char *name)
{
    static const char *const names[] = {
        "count", "env", "chdir", "scratch", "umask", "it", "stdin", "overlap"
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(name, names[i]))
            return true;
    return options_find_name(cli_global_options, name, strlen(name)) != NULL;
}

int alloc_step_check(struct cli *cli, const struct submit_options *options, struct err *err)
{
    struct creel_job job = options->job;
    int r;

    for (size_t i = 0; i < cli->options.count; i++)
        if (!is_for_a_step(cli->options.items[i].spec->name))
            return err_set(
                err, EINVAL,
                "--%s: not in the shell of creel alloc, whose containers are there already; to submit "
                "a job of its own: creel submit",
                cli->options.items[i].spec->name);
    if ((r = run_input_choose(cli, options, &job, err)) < 0)
        return r;
    if (!options_has(&cli->options, "it"))
        return 0;
    if (options->job.task_count > 1)
        return err_set(err, EINVAL, "--it is for one command, without --count");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return err_set(err, EINVAL, "--it: standard input and output are no terminal");
    return 0;
}

/* --- containers ---------------------------------------------------------------------- */

static int64_t number_of(const struct creel_container *container)
{
    int64_t number;

    return text_parse_int64(container->title, &number) && number >= 0 ? number : INT64_MAX;
}

static int by_number(const void *left, const void *right)
{
    int64_t a = number_of(*(const struct creel_container *const *)left);
    int64_t b = number_of(*(const struct creel_container *const *)right);

    return (a > b) - (a < b);
}

static void choose_places(struct step *step, const struct creel_containers *list)
{
    step->places = arena_array0(step->arena, list->count + 1, sizeof(struct creel_container *));
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].state == CREEL_CONTAINER_RUNNING && number_of(&list->items[i]) != INT64_MAX)
            step->places[step->place_count++] = &list->items[i];
    qsort(step->places, step->place_count, sizeof(struct creel_container *), by_number);
}

static void print_wait(void *context)
{
    const struct step *step = context;

    cli_print(step->cli, "creel: waits until %u container%s of %s %s free (--overlap does not wait)",
              step->count, step->count == 1 ? "" : "s", variable("CREEL_APP_ID"),
              step->count == 1 ? "is" : "are");
}

/* Takes the containers of the tasks. */
static int lock_places(struct step *step, struct err *err)
{
    const char **ids = arena_array0(step->arena, step->place_count + 1, sizeof(*ids));

    if (step->count > step->place_count)
        return err_set(err, EINVAL, "--count %u: %s has %zu containers", step->count,
                       variable("CREEL_APP_ID"), step->place_count);
    step->taken = arena_array0(step->arena, step->count + 1, sizeof(*step->taken));
    for (size_t i = 0; i < step->place_count; i++)
        ids[i] = step->places[i]->id;
    for (size_t i = 0; i < step->count; i++)
        step->taken[i] = i;
    if (options_has(&step->cli->options, "overlap"))
        return 0;
    return alloc_places_lock(variable("CREEL_ALLOC_DIR"), ids, step->place_count, step->count, step->taken,
                             print_wait, step, err);
}

/* --- the command ------------------------------------------------------------------------ */

static size_t count_of(const char *const *texts)
{
    size_t count = 0;

    while (texts && texts[count])
        count++;
    return count;
}

/* Appends to WORDS the command of task NUMBER, as the container runs it. */
static void add_command(const struct step *step, uint32_t number, const char **words, size_t used)
{
    const struct creel_job *job = &step->job;
    const char *directory = job->directory ? job->directory : job->submit_directory;

    words[used++] = "/bin/sh";
    words[used++] = "-c";
    words[used++] = job->directory ? IN_DIRECTORY : directory ? TRY_DIRECTORY : IN_SCRATCH;
    words[used++] = "creel";
    words[used++] = job->umask;
    if (directory)
        words[used++] = directory;
    words[used++] = "env";
    words[used++] = arena_printf(step->arena, "CREEL_TASK_INDEX=%u", number);
    words[used++] = arena_printf(step->arena, "CREEL_TASK_COUNT=%u", step->count);
    for (size_t i = 0; job->environment && job->environment[i]; i++)
        words[used++] = job->environment[i];
    for (size_t i = 0; i < step->cli->options.argument_count; i++)
        words[used++] = step->cli->options.arguments[i];
    words[used] = NULL;
}

static const char **make_words(const struct step *step, size_t more)
{
    return mem_array0(more + 10 + count_of(step->job.environment) + step->cli->options.argument_count,
                      sizeof(const char *));
}

static bool reads_input(const struct step *step, uint32_t number)
{
    return step->job.input && (step->job.input_all || step->job.input_task == number);
}

/* The command line of a process of this host for task NUMBER. */
static const char **task_words(void *context, uint32_t number)
{
    const struct step *step = context;
    const struct cli *cli = step->cli;
    const char **words = make_words(step, 16);
    const char *const options[][2] = { { "--rm", cli->rm_address },
                                       { "--conf", cli->conf_dir },
                                       { "--as", cli->as_user } };
    size_t used = 0;

    words[used++] = "creel";
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (!options[i][1])
            continue;
        words[used++] = options[i][0];
        words[used++] = options[i][1];
    }
    words[used++] = "container";
    words[used++] = "exec";
    if (reads_input(step, number))
        words[used++] = "-i";
    words[used++] = step->places[step->taken[number]]->id;
    words[used++] = "--";
    add_command(step, number, words, used);
    return words;
}

static int run_one(struct step *step)
{
    bool terminal = options_has(&step->cli->options, "it");
    scoped_free const char **words = make_words(step, 0);

    add_command(step, 0, words, 0);
    return exec_here(step->cli, step->places[step->taken[0]], words, terminal || step->job.input, terminal);
}

/* Sets INPUTS, one for each task. Returns the process that copies standard input to them, 0 if none is
 * needed, or -errno. */
static pid_t open_inputs(const struct step *step, int *inputs, struct err *err)
{
    pid_t filler;

    for (uint32_t i = 0; i < step->count; i++)
        inputs[i] = reads_input(step, i) ? STDIN_FILENO : -1;
    if (!step->job.input || !step->job.input_all)
        return 0;
    filler = input_pipes_start(inputs, step->count);
    if (filler < 0)
        return err_set_errno(err, -filler, "copies of standard input");
    return filler;
}

static int run_all(struct step *step)
{
    int *inputs = arena_array0(step->arena, step->count, sizeof(*inputs));
    struct err err = { 0 };
    int exit_status = EXIT_SELF_FAILED, r;
    pid_t filler;

    if (step->count == 1)
        return run_one(step);
    filler = open_inputs(step, inputs, &err);
    if (filler < 0) {
        cli_fail_err(&err);
        return EXIT_SELF_FAILED;
    }
    r = alloc_tasks_run(step->count, inputs, task_words, step, &exit_status, &err);
    input_pipes_end(filler);
    if (r == 0)
        return exit_status;
    cli_fail_err(&err);
    return EXIT_SELF_FAILED;
}

static int run_in(struct step *step, const struct creel_containers *list)
{
    struct err err = { 0 };

    choose_places(step, list);
    if (run_input_choose(step->cli, step->options, &step->job, &err) < 0 || lock_places(step, &err) < 0)
        return cli_fail_err(&err);
    return run_all(step);
}

int alloc_step(struct cli *cli, const struct submit_options *options)
{
    struct step step = {
        .cli = cli,
        .options = options,
        .count = options->job.task_count > 0 ? options->job.task_count : 1,
        .job = options->job,
    };
    struct creel_containers *list;
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (creel_container_list(cli->client, variable("CREEL_APP_ID"), NULL, NULL, true, &list, &error) < 0)
        return cli_fail(&error);
    step.arena = arena_new();
    code = run_in(&step, list);
    arena_free(step.arena);
    creel_containers_free(list);
    return code;
}
