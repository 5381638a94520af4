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

#include "client/script/slurm.h"
#include "common/base/mem.h"

#define SCRIPTS_LEAST 20

static bool all_known(const char *option, size_t length)
{
    (void)option;
    (void)length;
    return true;
}

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
                     unsigned *line, struct err *err)
{
    struct script found;

    script_init(&found, arena);
    script_init(translated, arena);
    if (script_read(text, strlen(text), SCRIPT_MARKER_SLURM, &found, line, err) < 0)
        return -EINVAL;
    for (size_t i = 0; i < found.notice_count; i++)
        script_add_notice(translated, found.notices[i].line, found.notices[i].strict, "%s",
                          found.notices[i].text);
    return slurm_translate(&found, known, translated, line, err);
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
        fprintf(stream, "#=! %s%u: %s\n", script->notices[i].strict ? "strict " : "", script->notices[i].line,
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
    unsigned line = 0;

    if (translate(text, all_known, &translated, arena, &line, &err) < 0)
        fail_msg("%s:%u: %s", path, line, err.text);
    got = describe(&translated);
    if (strcmp(got, expected ? expected : "") != 0)
        fail_msg("%s:\nexpected:\n%sgot:\n%s", path, expected ? expected : "", got);
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
        unsigned line = 0;

        assert_int_equal(translate(text, none_known, &translated, arena, &line, &err), -EINVAL);
        assert_int_equal(line, 3);
        assert_non_null(strstr(err.text, "this version of creel does not have it"));
        arena_free(arena);
    }
}

static void other_options_that_creel_has_not_are_named(void **state)
{
    struct arena *arena = arena_new();
    struct script translated;
    scoped_free char *got = NULL;
    unsigned line = 0;

    (void)state;
    assert_int_equal(
        translate("#!/bin/sh\n#SBATCH -o out -t 5\n", none_known, &translated, arena, &line, NULL), 0);
    got = describe(&translated);
    assert_non_null(strstr(got, "#=! strict 2: --output: ignored\n#=! strict 2: --time: ignored\n"));
    arena_free(arena);
}

static void wrong_values_are_refused(void **state)
{
    static const char *const cases[][2] = {
        { "--ntasks=0", "--ntasks=0: expected a number from 1 to 1000000" },
        { "--ntasks=4x", "--ntasks=4x: expected a number" },
        { "-N 99999999", "--nodes=99999999: expected a number" },
        { "--mem=lots", "--mem=lots: expected a size, as 500, 2G or 2048M" },
        { "--mem=-5G", "--mem=-5G: expected a size" },
        { "--gres=gpu:0", "--gres=0: expected a number" },
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
        unsigned line = 0;

        assert_int_equal(translate(text, all_known, &translated, arena, &line, &err), -EINVAL);
        assert_memory_equal(err.text, cases[i][1], strlen(cases[i][1]));
        assert_int_equal(line, 3);
        arena_free(arena);
    }
}

static void letters_have_hints(void **state)
{
    char text[SLURM_HINT_MAX];

    (void)state;
    assert_string_equal(slurm_letter_hint('J', all_known, text), "Slurm's -J, --job-name is --name here");
    assert_string_equal(slurm_letter_hint('p', all_known, text), "Slurm's -p, --partition is --queue here");
    assert_string_equal(slurm_letter_hint('q', all_known, text), "Slurm's -q, --qos has no counterpart here");
    assert_string_equal(slurm_letter_hint('a', none_known, text),
                        "Slurm's -a, --array has no counterpart here");
    assert_null(slurm_letter_hint('Z', all_known, text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_script_is_translated),
        cmocka_unit_test(unsupported_options_that_change_the_job_are_refused),
        cmocka_unit_test(other_options_that_creel_has_not_are_named),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(letters_have_hints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
