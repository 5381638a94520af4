/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_step.c - test: command lines of srun, names of files, variables and room of its steps */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/slurm/srun_options.h"
#include "client/slurm/step_environment.h"
#include "client/slurm/step_files.h"
#include "client/slurm/step_room.h"
#include "client/slurm/step_sender.h"
#include "common/base/mem.h"
#include "tests/unit/slurm/slurm_words.h"

static int read_words(const char *words, struct srun_options *options, struct err *err)
{
    return srun_options_read(split_words(words), options, arena, err);
}

static struct srun_options good(const char *words)
{
    struct srun_options options;
    struct err err = { 0 };

    if (read_words(words, &options, &err) < 0)
        fail_msg("%s: %s", words, err.text);
    return options;
}

static void refused(const char *words, const char *message)
{
    struct srun_options options;
    struct err err = { 0 };

    assert_int_equal(read_words(words, &options, &err), -EINVAL);
    if (!strstr(err.text, message))
        fail_msg("%s: no \"%s\" in: %s", words, message, err.text);
}

static void test_options(void **state)
{
    struct srun_options options =
        good("-n4 -c 2 --mem=2G -lu -o out -e err -i in -J name -D / -t 0:30 ./a -n 1");

    (void)state;
    assert_int_equal(options.tasks, 4);
    assert_int_equal(options.cpus_per_task, 2);
    assert_int_equal(options.memory_bytes, INT64_C(2) << 30);
    assert_true(options.label && options.unbuffered && !options.overlap);
    assert_string_equal(options.output, "out");
    assert_string_equal(options.error, "err");
    assert_string_equal(options.input, "in");
    assert_string_equal(options.name, "name");
    assert_string_equal(options.directory, "/");
    assert_int_equal(options.limit_s, 60);
    assert_string_equal(options.command[0], "./a");
    assert_string_equal(options.command[1], "-n");
}

/* Options that srun alone has, those that mean something else to sbatch, prefixes and aliases. */
static void test_options_of_srun(void **state)
{
    struct srun_options options =
        good("-W 30 -K --overl -O --pty --cpu_bind=cores -m block -v --ntasks=2 -- -x");

    (void)state;
    assert_int_equal(options.wait_s, 30);
    assert_true(options.kill_on_bad_exit && options.overlap && options.overcommit && options.terminal);
    assert_true(options.verbose);
    assert_string_equal(options.ignored, "--cpu-bind, --distribution");
    assert_string_equal(options.command[0], "-x");
    assert_false(good("--kill-on-bad-exit=0 a").kill_on_bad_exit);
    assert_string_equal(good("--exclusive --exact -X -Q -N1 -N 1-4 --mpi=none a").ignored, "");
    assert_true(good("--test-only a").test_only && good("--mpi=list").mpi_list);
    assert_string_equal(good("--mpi=pmi2 a").mpi, "pmi2");
    assert_null(good("--mpi=none a").mpi);
    assert_string_equal(good("--export=ALL,A=b a").exported, "ALL,A=b");
    assert_int_equal(good("-G a100:1,2 a").gpus, 3);
    assert_int_equal(good("--gpus-per-task=2 a").gpus_per_task, 2);
    assert_int_equal(good("--gres=gpu:a100:2,licence:3 a").gpus_per_node, 2);
}

/* Variables that srun reads; options of the command line replace them. */
static void test_input_variables(void **state)
{
    static const char *const variables[][2] = {
        { "SLURM_STDOUTMODE", "so%t.txt" },
        { "SLURM_STDERRMODE", "se.txt" },
        { "SLURM_STDINMODE", "none" },
        { "SLURM_OPEN_MODE", "a" },
        { "SLURM_LABELIO", "1" },
        { "SLURM_UNBUFFEREDIO", "0" },
        { "SLURM_WAIT", "30" },
        { "SLURM_TIMELIMIT", "2" },
        { "SLURM_WORKING_DIR", "/" },
        { "SLURM_KILL_BAD_EXIT", "0" },
        { "SLURM_OVERCOMMIT", "no" },
        { "SLURM_EXPORT_ENV", "NONE" },
        { "SRUN_EXPORT_ENV", "ALL" },
    };
    const size_t count = sizeof(variables) / sizeof(variables[0]);
    struct srun_options options;

    (void)state;
    for (size_t i = 0; i < count; i++)
        setenv(variables[i][0], variables[i][1], 1);
    options = good("-o out --open-mode=truncate a");
    assert_string_equal(options.output, "out");
    assert_false(options.append);
    options = good("a");
    assert_string_equal(options.output, "so%t.txt");
    assert_string_equal(options.error, "se.txt");
    assert_string_equal(options.input, "none");
    assert_string_equal(options.directory, "/");
    assert_string_equal(options.exported, "ALL");
    assert_true(options.append && options.label);
    assert_false(options.unbuffered || options.kill_on_bad_exit || options.overcommit);
    assert_int_equal(options.wait_s, 30);
    assert_int_equal(options.limit_s, 120);
    setenv("SLURM_TIMELIMIT", "soon", 1);
    refused("a", "SLURM_TIMELIMIT: --time=soon: expected a time");
    for (size_t i = 0; i < count; i++)
        unsetenv(variables[i][0]);
}

static void test_refused(void **state)
{
    (void)state;
    refused("-n 0 a", "-n 0: expected a number from 1 to 10000");
    refused("-n", "option '--ntasks' requires an argument");
    refused("-j a", "invalid option -- 'j'");
    refused("--nothing a", "unrecognized option '--nothing'");
    refused("--label=1 a", "option '--label' doesn't allow an argument");
    refused("--over a", "is ambiguous: --overlap, --overcommit, --oversubscribe");
    refused("--mem=1.5G a", "--mem=1.5G: expected a size");
    refused("--time=soon a", "--time=soon: expected a time");
    refused("-N 2-3 a", "is on one node; creel run -N 2 starts");
    refused("--multi-prog file", "a step runs one program");
    refused("--jobid=7 a", "creel container exec -it 7 -- bash");
    refused("--wrap=x a", "unrecognized option '--wrap'");
    refused("--array 1-2 a", "unrecognized option '--array'");
    refused("-a 1-2 a", "invalid option -- 'a'");
    refused("--parsable a", "unrecognized option '--parsable'");
    refused("-n 2", "there is no command to run");
}

static const struct step_place place = { .job = "42",
                                         .array_job = "40",
                                         .array_index = "7",
                                         .name = "train",
                                         .user = "ann",
                                         .host = "n1",
                                         .step = 3 };

static void is_named(const char *pattern, const char *name)
{
    assert_string_equal(step_file_name(pattern, &place, 5, arena), name);
}

static void test_names(void **state)
{
    (void)state;
    is_named("out", "out");
    is_named("%x-%j.%s-%t.%n", "train-42.3-5.0");
    is_named("%J %A_%a %u@%N %%", "42.3 40_7 ann@n1 %");
    is_named("%3t %99t", "005 0000000005");
    is_named("%q %", "%q %");
    is_named("%4x", "train");
}

static const char *of(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "unset";
}

static void test_variables(void **state)
{
    struct srun_options options = { .exported =
                                        "'FIRST',LIST=\"a,b\",\"TWO=2,3\",NEVER_SET,CMOCKA_MESSAGE_OUTPUT",
                                    .cpus_per_task = 2 };

    (void)state;
    setenv("FIRST", "1", 1);
    setenv("SECOND", "2", 1);
    setenv("SLURM_NTASKS", "8", 1);
    step_environment_set(&options, &place, 4, 2);
    step_environment_set_task(3);
    assert_string_equal(of("FIRST"), "1");
    assert_string_equal(of("SECOND"), "unset");
    assert_string_equal(of("LIST"), "\"a,b\"");
    assert_string_equal(of("TWO"), "2,3");
    assert_string_equal(of("SLURM_NTASKS"), "4");
    assert_string_equal(of("SLURM_CPUS_PER_TASK"), "2");
    assert_string_equal(of("SLURM_STEP_ID"), "3");
    assert_string_equal(of("SLURM_GTIDS"), "0,1,2,3");
    assert_int_equal(strlen(of("SLURM_UMASK")), 4);
    assert_string_equal(of("SLURM_PROCID"), "3");
    /* Vcores of the step that differ from those of the job's tasks. */
    options = (struct srun_options){ 0 };
    step_environment_set(&options, &place, 4, 1);
    assert_string_equal(of("SLURM_CPUS_PER_TASK"), "1");
}

/* A signal may be that of the agent only if its sender is root: else it is passed on. */
static void test_sender(void **state)
{
    (void)state;
    assert_false(step_sender_is_agent(getpid(), 1000));
    assert_false(step_sender_is_agent(0, 1000));
    if (getuid() != 0) {
        assert_true(step_sender_is_agent(1, 0));
        return;
    }
    assert_false(step_sender_is_agent(getpid(), 0));  /* in the control group of this process */
    assert_false(step_sender_is_agent(INT32_MAX, 0)); /* has ended */
    assert_true(step_sender_is_agent(0, 0));
}

static void count_wait(void *context)
{
    ++*(int *)context;
}

/* Takes room in a process of its own, which ends when the write end of the returned pipe is closed. */
static pid_t take(const char *directory, struct step_use use, int *keep)
{
    const struct step_use most = { .vcores = 4, .memory_bytes = 100 };
    int ends[2], ready[2], waits = 0;
    struct err err = { 0 };
    uint32_t step;
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        close(ends[1]);
        if (step_room_take(directory, &most, &use, count_wait, &waits, &step, &err) < 0 ||
            write(ready[1], "r", 1) != 1)
            _exit(1);
        _exit(read(ends[0], &byte, 1) != 0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ends[0]);
    *keep = ends[1];
    return pid;
}

static void test_room(void **state)
{
    char parent[] = "/tmp/creel-slurm-step-XXXXXX";
    const struct step_use most = { .vcores = 4, .memory_bytes = 100 };
    scoped_free char *directory = NULL, *command = NULL;
    struct err err = { 0 };
    uint32_t step = 0;
    int keep, status, waits = 0;
    pid_t pid;

    (void)state;
    assert_non_null(mkdtemp(parent));
    directory = mem_printf("%s/steps", parent);
    pid = take(directory, (struct step_use){ .vcores = 3, .memory_bytes = 60 }, &keep);
    /* What fits beside the other, and what is not counted, does not wait. */
    assert_int_equal(
        step_room_take(directory, &most, &(struct step_use){ 1, 40 }, count_wait, &waits, &step, &err), 0);
    assert_int_equal(step, 1);
    assert_int_equal(
        step_room_take(directory, &most, &(struct step_use){ 0, 0 }, count_wait, &waits, &step, &err), 0);
    assert_int_equal(step, 2);
    assert_int_equal(waits, 0);
    close(keep);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    /* The other has ended: its vcores are free again, and its file is removed. */
    assert_int_equal(
        step_room_take(directory, &most, &(struct step_use){ 3, 60 }, count_wait, &waits, &step, &err), 0);
    assert_int_equal(waits, 0);
    command = mem_printf("%s/step.0", directory);
    assert_int_equal(access(command, F_OK), -1);
    free(command);
    command = mem_printf("rm -r %s", parent);
    assert_int_equal(system(command), 0);
}

/* Steps that start at the same time lock the queue for a moment: that is no wait for room. */
static void test_busy_queue(void **state)
{
    char parent[] = "/tmp/creel-slurm-step-XXXXXX";
    const struct step_use most = { .vcores = 4 }, use = { .vcores = 1 };
    scoped_free char *queue = NULL, *command = NULL;
    const struct timespec moment = { .tv_nsec = 50000000 };
    struct err err = { 0 };
    uint32_t step;
    int fd, waits = 0;
    pid_t pid;

    (void)state;
    assert_non_null(mkdtemp(parent));
    queue = mem_printf("%s/queue", parent);
    fd = open(queue, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    pid = fork();
    if (pid == 0) {
        nanosleep(&moment, NULL);
        _exit(flock(fd, LOCK_UN) != 0);
    }
    assert_int_equal(step_room_take(parent, &most, &use, count_wait, &waits, &step, &err), 0);
    assert_int_equal(waits, 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(fd);
    command = mem_printf("rm -r %s", parent);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_options_of_srun),
        cmocka_unit_test(test_input_variables),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_sender),
        cmocka_unit_test(test_busy_queue),
    };

    return cmocka_run_group_tests_name("slurm_step", tests, set_up, tear_down);
}
