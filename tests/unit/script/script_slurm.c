/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_slurm.c - test: translation of #SBATCH directives into options of creel submit
 *
 * tests/scripts/slurm has typical scripts. After its commands, each script lists the expected results in
 * lines that start with
 *     #=>   an option of creel submit
 *     #=!   a notice: line number, colon, text; "strict" before it: an error with --strict
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "tests/unit/slurm/slurm_translation.h"

#define SCRIPTS_LEAST 20

static bool none_known(const char *option, size_t length)
{
    (void)option;
    (void)length;
    return false;
}

static char *read_file(const char *path, size_t *size)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = mem_alloc0(65536);
    ssize_t got = read(fd, text, 65535);

    assert_true(got > 0);
    *size = (size_t)got;
    return text;
}

static int translate(const char *text, slurm_known *known, struct script *translated, struct arena *arena,
                     struct err *err)
{
    return translate_in(text, NULL, known, translated, arena, err);
}

/* Returns the translation in the form of the expected lines. */
static char *describe(const struct script *script)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    for (size_t i = 0; i < script->directive_count; i++)
        for (size_t k = 0; k < script->directives[i].word_count; k++)
            fprintf(stream, "#=> %s\n", script->directives[i].words[k]);
    for (size_t i = 0; i < script->notice_count; i++)
        fprintf(stream, "#=! %s%s%.0u: %s\n", script->notices[i].strict ? "strict " : "",
                script->notices[i].origin ? script->notices[i].origin : "", script->notices[i].line,
                script->notices[i].text);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void check_script(const char *path)
{
    size_t size;
    scoped_free char *text = read_file(path, &size);
    scoped_free char *got = NULL;
    char *expected = strstr(text, "#=");
    struct arena *arena = arena_new();
    struct script translated;
    struct err err = { 0 };

    if (translate(text, all_known, &translated, arena, &err) < 0)
        fail_msg("%s: %s", path, err.text);
    got = describe(&translated);
    if (strcmp(got, expected ? expected : "") != 0) {
        /* fail_msg cuts off a long text. */
        fprintf(stderr, "%s:\nexpected:\n%sgot:\n%s\n", path, expected ? expected : "", got);
        fail_msg("%s: another translation is expected", path);
    }
    arena_free(arena);
}

static void each_script_is_translated(void **state)
{
    DIR *folder = opendir(SCRIPT_DIR);
    struct dirent *entry;
    int count = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        scoped_free char *path = mem_printf("%s/%s", SCRIPT_DIR, entry->d_name);

        if (!strstr(entry->d_name, ".sbatch"))
            continue;
        check_script(path);
        count++;
    }
    closedir(folder);
    assert_true(count >= SCRIPTS_LEAST);
}

static void unsupported_options_that_change_the_job_are_refused(void **state)
{
    static const char *const options[] = { "--array=1-4", "-d afterok:1", "-H", "--begin=now+1hour" };

    (void)state;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        scoped_free char *text = mem_printf("#!/bin/sh\n#SBATCH --mem=1G\n#SBATCH %s\n", options[i]);
        struct arena *arena = arena_new();
        struct script translated;
        struct err err = { 0 };

        assert_int_equal(translate(text, none_known, &translated, arena, &err), -EINVAL);
        assert_memory_equal(err.text, "job:3: ", 7);
        assert_non_null(strstr(err.text, "this version of creel does not have it"));
        arena_free(arena);
    }
}

static void other_options_that_creel_has_not_are_named(void **state)
{
    struct arena *arena = arena_new();
    struct script translated;
    scoped_free char *got = NULL;

    (void)state;
    assert_int_equal(translate("#!/bin/sh\n#SBATCH -o out -t 5\n", none_known, &translated, arena, NULL), 0);
    got = describe(&translated);
    assert_non_null(strstr(got, "#=! strict 2: -o: ignored\n#=! strict 2: -t: ignored\n"));
    arena_free(arena);
}

static void wrong_values_are_refused(void **state)
{
    static const char *const cases[][2] = {
        { "--ntasks=0", "--ntasks=0: expected a number from 1 to 1000000" },
        { "--partition=", "--partition=: expected the name of a partition" },
        { "--ntasks=4x", "--ntasks=4x: expected a number" },
        { "-N 99999999", "-N 99999999: expected a number" },
        { "--mem=lots", "--mem=lots: expected a size, as 500 (MiB), 2G or 2048M" },
        { "--mem=1.5G", "--mem=1.5G: expected a size" },
        { "--mem=9999T", "--mem=9999T: is too large; at most 1024T can be requested" },
        { "--mem=2Gi", "--mem=2Gi: expected a size" },
        { "--mem=1G --mem-per-cpu=1G", "--mem, --mem-per-cpu and --mem-per-gpu: give one of them" },
        { "-c 2 --cpus-per-gpu=2", "--cpus-per-task and --cpus-per-gpu: give one of them" },
        { "--ntasks=2-4", "--ntasks=2-4: expected a number" },
        { "--nodes=2-1", "--nodes=2-1: expected a number" },
        { "--nodes=1,2", "--nodes=1,2: expected a number" },
        { "--time=1.5", "--time=1.5: expected a time as in sbatch: 90 (minutes)" },
        { "--time=5m", "--time=5m: expected a time" },
        { "--time=1:2:3:4", "--time=1:2:3:4: expected a time" },
        { "--time=1-2-3", "--time=1-2-3: expected a time" },
        { "--time=:30", "--time=:30: expected a time" },
        { "--time=+5", "--time=+5: expected a time" },
        { "--time=", "--time=: expected a time" },
        { "--begin=garbage", "--begin=garbage: expected a time as in sbatch: 16:00" },
        { "--begin=now+1h", "--begin=now+1h: expected a time" },
        { "--begin=25:00", "--begin=25:00: expected a time" },
        { "--begin=10:60", "--begin=10:60: expected a time" },
        { "--begin=4pm", "--begin=4pm: expected a time" },
        { "--begin=12/01/2026", "--begin=12/01/2026: expected a time" },
        { "--begin=2026-13-01", "--begin=2026-13-01: expected a time" },
        { "--begin=noon+1hour", "--begin=noon+1hour: expected a time" },
        { "--signal=FISH", "--signal=FISH: expected a signal as in sbatch" },
        { "--signal=USR1@1m", "--signal=USR1@1m: expected a signal" },
        { "--signal=USR1@70000", "--signal=USR1@70000: expected a signal" },
        { "--signal=@60", "--signal=@60: expected a signal" },
        { "--signal=0", "--signal=0: expected a signal" },
        { "--signal=B:R:USR1", "--signal=B:R:USR1: expected a signal" },
        { "--array=5-1", "--array=5-1: expected indexes as in sbatch" },
        { "--array=1:3", "--array=1:3: expected indexes" },
        { "--array=1-10:0", "--array=1-10:0: expected indexes" },
        { "--array=x", "--array=x: expected indexes" },
        { "--array=", "--array=: expected indexes" },
        { "--open-mode=over", "--open-mode=over: expected append or truncate" },
        { "-d afterok:", "-d afterok:: expected afterok:ID" },
        { "-d afterok", "-d afterok: expected afterok:ID" },
        { "-d ?", "-d ?: expected afterok:ID" },
        { "-d ,", "-d ,: expected afterok:ID" },
        { "-d :1", "-d :1: expected afterok:ID" },
        { "-d 1:", "-d 1:: expected afterok:ID" },
        { "-d afterok::1", "-d afterok::1: expected afterok:ID" },
        { "-d afterok:1,", "-d afterok:1,: expected afterok:ID" },
        { "-d afterok:1?", "-d afterok:1?: expected afterok:ID" },
        { "-d 1??2", "-d 1??2: expected afterok:ID" },
        { "-d 1:2", "-d 1:2: expected afterok:ID" },
        { "-d after:1+", "-d after:1+: expected afterok:ID" },
        { "-d after:1+x", "-d after:1+x: expected afterok:ID" },
        { "-d after:+5", "-d after:+5: expected afterok:ID" },
        { "--exclusive=bad", "--exclusive=bad: expected user or mcs, or no value" },
        { "--hint=bad", "--hint=bad: expected compute_bound, memory_bound, multithread or nomultithread" },
        { "--hint=multithread,", "--hint=multithread,: expected compute_bound" },
        { "--kill-on-invalid-dep=maybe", "--kill-on-invalid-dep=maybe: expected yes or no" },
        { "--mem-per=1G", "--mem-per: is ambiguous: --mem-per-cpu, --mem-per-gpu" },
        { "--cluste=a", "--cluste: is ambiguous: --cluster-constraint, --clusters, --cluster" },
        { "--mem=-5G", "--mem=-5G: expected a size" },
        { "--gres=gpu:4x", "--gres=4x: expected a number" },
        { "--time", "--time needs a value" },
        { "--hold=yes", "--hold takes no value" },
        { "job.sh", "job.sh: expected an option" },
        { "hetjob", "hetjob: creel has no heterogeneous jobs" },
        { "--job-name='x", "a quote is not closed" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scoped_free char *text = mem_printf("#!/bin/sh\n\n#SBATCH %s\n", cases[i][0]);
        struct arena *arena = arena_new();
        struct script translated;
        struct err err = { 0 };

        assert_int_equal(translate(text, all_known, &translated, arena, &err), -EINVAL);
        assert_memory_equal(err.text, "job:3: ", 7);
        assert_memory_equal(err.text + 7, cases[i][1], strlen(cases[i][1]));
        arena_free(arena);
    }
}

#define LONG_NAME "0123456789012345678901234567890123456789012345678901234567890123456789"

/* Errors about a value that creel does not take have the words of the user, for messages. */
static void what_the_user_wrote_is_kept(void **state)
{
    static const char *const cases[][3] = {
        { "-J alpha", "--name=", "-J alpha" },
        { "--job-name=alpha", "--name=", "--job-name=alpha" },
        { "--job-n alpha", "--name=", "--job-n=alpha" },
        { "-J " LONG_NAME, "--name=", "-J 012345678901234567890123456789012345678901234567890123456789..." },
        { "-t 90:30", "--time=", "-t 90:30" },
        { "-A lab", "--tag=", "-A lab" },
        { "-d 42", "--depends-on=", "-d 42" },
        { "--mem=2G", "--memory=", "--mem=2G" },
        { "-c 4", "--vcores=", "-c 4" },
        { "-n 2 --gres=gpu:1", "--gpus=", "--gres=gpu:1" },
        { "-H", "--hold", "-H" },
        { "--export=A=1", "--env=A", "--export=A=1" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scoped_free char *text = mem_printf("#!/bin/sh\n#SBATCH %s\n", cases[i][0]);
        const struct script_directive *found = NULL;
        struct arena *arena = arena_new();
        struct script translated;

        assert_int_equal(translate(text, all_known, &translated, arena, NULL), 0);
        for (size_t k = 0; k < translated.directive_count; k++)
            if (!strncmp(translated.directives[k].words[0], cases[i][1], strlen(cases[i][1])))
                found = &translated.directives[k];
        assert_non_null(found);
        assert_non_null(found->written);
        assert_string_equal(found->written, cases[i][2]);
        arena_free(arena);
    }
}

int main(void)
{
    setenv("TZ", "UTC", 1);

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_script_is_translated),
        cmocka_unit_test(unsupported_options_that_change_the_job_are_refused),
        cmocka_unit_test(other_options_that_creel_has_not_are_named),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(what_the_user_wrote_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
