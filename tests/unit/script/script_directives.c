/* SPDX-License-Identifier: Apache-2.0 */
/* script_directives.c - test: finding directives (#SBATCH, #CREEL) in job scripts and splitting them into
 * words */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/script/directives.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"

static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static int read_text(const char *text, struct script *script, unsigned *line, struct err *err)
{
    script_init(script, arena);
    return script_read(text, strlen(text), SCRIPT_MARKER, script, line, err);
}

/* Returns "LINE:word|word" for each directive, then "LINE!notice" for each notice, joined by blanks. */
static char *read_and_describe(const char *text)
{
    struct script script;
    struct err err = { 0 };
    char *described = NULL;
    unsigned line = 0;
    size_t size = 0;
    FILE *stream;

    if (read_text(text, &script, &line, &err) < 0)
        fail_msg("line %u: %s", line, err.text);
    stream = open_memstream(&described, &size);
    for (size_t i = 0; i < script.directive_count; i++) {
        fprintf(stream, "%s%u:", i ? " " : "", script.directives[i].line);
        for (size_t k = 0; k < script.directives[i].word_count; k++)
            fprintf(stream, "%s%s", k ? "|" : "", script.directives[i].words[k]);
    }
    for (size_t i = 0; i < script.notice_count; i++)
        fprintf(stream, " %u!%s", script.notices[i].line, script.notices[i].text);
    assert_int_equal(fclose(stream), 0);
    return described;
}

static void directives_are_found_and_split(void **state)
{
    static const char *const cases[][2] = {
        { "#!/bin/sh\n#CREEL -m 2g --vcores=4\n", "2:-m|2g|--vcores=4" },
        { "#!/bin/sh\n\n# text\n#CREEL\t-m\t2g\nx\n", "4:-m|2g" },
        { "#!/bin/sh\n#CREEL --name 'a b' --tag \"c \\\"d\" e\\ f\n", "2:--name|a b|--tag|c \"d|e f" },
        { "#!/bin/sh\n#CREEL --name ''\n", "2:--name|" },
        { "#!/bin/sh\n#CREEL --name a#b # a comment 'open\n", "2:--name|a#b" },
        { "#!/bin/sh\n#CREEL\n#CREEL  \n#CREEL # all of it\n", "" },
        { "#!/bin/sh\n##CREEL -m 1\n# CREEL -m 1\n#CREELX -m 1\n #CREEL -m 1\n", "" },
        { "#!/bin/sh\n#CREEL -m 1", "2:-m|1" },
        { "#!/bin/sh\n#CREEL -m 1\r\n#CREEL -c 2\r\n", "2:-m|1 3:-c|2" },
        { "#CREEL -m 1\n", "1:-m|1" },
        { "", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scoped_free char *got = read_and_describe(cases[i][0]);

        assert_string_equal(got, cases[i][1]);
    }
}

static void unread_directives_are_reported(void **state)
{
    static const char *const cases[][2] = {
        { "#!/bin/sh\nset -e\n#CREEL -m 1\n#CREEL -c 1\n",
          " 3!#CREEL behind the first command is ignored, as is every later one" },
        { "#!/bin/sh\n#CREEL -m 1\n#SBATCH -c 1\n#SBATCH -c 2\n",
          "2:-m|1 3!lines of #SBATCH are not read here; --from slurm reads them" },
        { "#!/bin/sh\n#PBS -q x\n#BSUB -q x\n",
          " 2!lines of #PBS are not read here; --from slurm reads those that sbatch reads "
          "3!lines of #BSUB are not read here" },
        { "#!/bin/sh\n#CREEL -C $HOME/x\n", "2:-C|$HOME/x 2!variables are not expanded in a directive" },
        { "#!/bin/sh\n#CREEL -C '$HOME'\n", "2:-C|$HOME" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scoped_free char *got = read_and_describe(cases[i][0]);

        assert_string_equal(got, cases[i][1]);
    }
}

static void mistakes_are_refused_with_their_line(void **state)
{
    scoped_text_builder struct text_builder many = TEXT_BUILDER_MALLOC;
    struct script script;
    struct err err = { 0 };
    unsigned line = 0;

    (void)state;
    assert_int_equal(read_text("#!/bin/sh\n#CREEL --name \"x\n", &script, &line, &err), -EINVAL);
    assert_string_equal(err.text, "a quote is not closed");
    assert_int_equal(line, 2);
    assert_int_equal(read_text("#!/bin/sh\n#CREEL -q x \\\n -m 1g\n", &script, &line, &err), -EINVAL);
    assert_string_equal(err.text,
                        "ends with a backslash, but a directive does not continue on the next line: begin "
                        "that line with #CREEL, too");
    assert_int_equal(line, 2);
    assert_int_equal(read_text("#!/bin/sh\n#CREEL -q x # a comment \\\n", &script, &line, &err), 0);
    script_init(&script, arena);
    assert_int_equal(script_read("#!/bin/sh\n#CREEL -q x\0y\n", 24, SCRIPT_MARKER, &script, &line, &err),
                     -EINVAL);
    assert_string_equal(err.text, "has a NUL byte: the file is no text");
    assert_int_equal(read_text("#!/bin/sh\r\necho\r\n", &script, &line, &err), -EINVAL);
    assert_non_null(strstr(err.text, "carriage return"));
    assert_int_equal(line, 1);
    script_init(&script, arena);
    assert_int_equal(
        script_read("#!/bin/sh\n#SBATCH -n 1\ntrue\r\n", 29, SCRIPT_MARKER_SLURM, &script, &line, &err),
        -EINVAL);
    assert_non_null(strstr(err.text, "Batch script contains DOS line breaks"));
    assert_int_equal(line, 3);
    assert_int_equal(
        script_read("#!/bin/sh\n#SBATCH -n 1\ntrue\0\n", 29, SCRIPT_MARKER_SLURM, &script, &line, &err),
        -EINVAL);
    assert_string_equal(err.text, "has a NUL byte: the file is no text");
    assert_int_equal(line, 3);
    script_init(&script, arena);
    text_builder_add(&many, "#!/bin/sh\n");
    for (int i = 0; i < 1001; i++)
        text_builder_add(&many, "#CREEL -q x\n");
    assert_int_equal(read_text(many.text, &script, &line, &err), -EINVAL);
    assert_string_equal(err.text, "more than 1000 directives");
    assert_int_equal(line, 1002);
}

static void directives_that_are_too_far_are_reported(void **state)
{
    scoped_free char *text = mem_alloc0(SCRIPT_SIZE_MAX + 100);
    struct script script;
    struct err err = { 0 };
    unsigned line = 0;

    (void)state;
    memset(text, '#', SCRIPT_SIZE_MAX + 99);
    memcpy(text, "#CREEL -q x\n", 12);
    assert_int_equal(read_text(text, &script, &line, &err), 0);
    assert_int_equal(script.notice_count, 1);
    assert_string_equal(script.notices[0].text, "directives behind the first MiB are not read");
    assert_true(script.notices[0].strict);
}

static void batch_system_of_a_script_is_detected(void **state)
{
    static const char *const calls[] = {
        "[ -e x ] && module load y", "set -e; module purge",
        "f() { module load a; }",    "if true; then module load",
        "(module load a)",           "x || module load a",
        "case $x in a) module load", "for i in a; do module load $i; done",
    };
    static const char *const others[] = {
        "echo module",
        "echo 'a; module load b'",
        "true # ; module load a",
        "echo \"; module load\"",
        "grep \\; module x",
        "modules; x module",
        "a=module",
    };
    static const char slurm[] = "#!/bin/sh\n#SBATCH -n 1\n", late[] = "#!/bin/sh\nx\n#SBATCH -n 1\n";

    (void)state;
    assert_true(script_has(slurm, strlen(slurm), SCRIPT_MARKER_SLURM));
    assert_false(script_has(slurm, strlen(slurm), SCRIPT_MARKER));
    assert_false(script_has(late, strlen(late), SCRIPT_MARKER_SLURM));
    assert_false(script_has("", 0, SCRIPT_MARKER));
    assert_int_equal(script_find_command("#!/bin/sh\n# srun x\n  srun -n 4 x\nsrun\n", 36, "srun"), 3);
    assert_int_equal(script_find_command("#!/bin/sh\nsrun\r\n", 16, "srun"), 2);
    assert_int_equal(script_find_command("#!/bin/sh\nsrunner x\necho srun\n", 30, "srun"), 0);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (script_find_command(calls[i], strlen(calls[i]), "module") != 1)
            fail_msg("%s: the call is not found", calls[i]);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (script_find_command(others[i], strlen(others[i]), "module") != 0)
            fail_msg("%s: is no call", others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(directives_are_found_and_split, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unread_directives_are_reported, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_are_refused_with_their_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(directives_that_are_too_far_are_reported, set_up, tear_down),
        cmocka_unit_test(batch_system_of_a_script_is_detected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
