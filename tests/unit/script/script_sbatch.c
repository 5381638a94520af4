/* SPDX-License-Identifier: Apache-2.0 */
/* script_sbatch.c - test: command lines of sbatch, and their options behind those of the script */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/script/sbatch_line.h"
#include "client/script/slurm.h"
#include "client/script/slurm_value.h"
#include "common/base/text_builder.h"
#include "tests/unit/slurm/slurm_words.h"

static int read_words(const char *words, struct sbatch_line *line, struct err *err)
{
    return sbatch_line_read(split_words(words), arena, line, err);
}

static struct sbatch_line good(const char *words)
{
    struct sbatch_line line;
    struct err err = { 0 };

    if (read_words(words, &line, &err) < 0)
        fail_msg("%s: %s", words, err.text);
    return line;
}

static const char *joined(const char *const *words)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);

    for (; *words; words++) {
        text_builder_separate(&text, " ");
        text_builder_add(&text, *words);
    }
    return text_builder_finish(&text);
}

static void test_lines(void **state)
{
    struct sbatch_line line = good("-n4 -HJ name --mem=2G --cpus-per-t 2 -k job.sh -n 9 --wrap x");

    (void)state;
    assert_string_equal(joined(line.options), "-n 4 -H -J name --mem=2G --cpus-per-t=2 -k");
    assert_string_equal(joined(line.script), "job.sh -n 9 --wrap x");
    assert_false(line.wait || line.parsable || line.test_only || line.quiet || line.help || line.version);
    assert_null(line.wrap);
    line = good("--parsable -WQ --test-only --wrap=date");
    assert_true(line.wait && line.parsable && line.test_only && line.quiet);
    assert_string_equal(line.wrap, "date");
    assert_string_equal(joined(line.options), "");
    assert_string_equal(joined(line.script), "");
    assert_true(good("--version").version && good("-V").version);
    assert_true(good("-h").help && good("--usage").help);
    assert_string_equal(joined(good("-n 1 -- -job.sh -x").script), "-job.sh -x");
    assert_string_equal(joined(good("- a").script), "- a");
}

static void refused(const char *words, const char *message)
{
    struct sbatch_line line;
    struct err err = { 0 };

    assert_int_equal(read_words(words, &line, &err), -EINVAL);
    assert_string_equal(err.text, message);
}

static void test_refused(void **state)
{
    (void)state;
    refused("--nothing job.sh", "unrecognized option '--nothing'");
    refused("-j job.sh", "invalid option -- 'j'");
    refused("-n", "option '--ntasks' requires an argument");
    refused("--hold=1 job.sh", "option '--hold' doesn't allow an argument");
    refused("--mem-per 1G job.sh", "option '--mem-per' is ambiguous: --mem-per-cpu, --mem-per-gpu");
    refused("--pty bash", "unrecognized option '--pty'");
}

static bool all_known(const char *option, size_t length)
{
    (void)option;
    (void)length;
    return true;
}

static void test_order(void **state)
{
    static const char text[] = "#!/bin/sh\n#SBATCH --job-name=script --mem=1G --partition=script\n";
    static const char *const variables[] = { "SBATCH_JOB_NAME=variable", "SBATCH_PARTITION=variable", NULL };
    struct sbatch_line line = good("--partition=line --mem-per-cpu=500 -c2 --qos=high job.sh");
    struct slurm_setting setting = { .known = all_known, .environ = variables, .command_line = line.options };
    struct script found, translated;
    const char *last_queue = "", *last_name = "", *memory = "";
    struct err err = { 0 };
    unsigned number;

    (void)state;
    script_init(&found, arena);
    script_init(&translated, arena);
    assert_int_equal(script_read(text, strlen(text), SCRIPT_MARKER_SLURM, &found, &number, &err), 0);
    assert_int_equal(slurm_translate(&found, &setting, "job", &translated, &err), 0);
    for (size_t i = 0; i < translated.directive_count; i++) {
        const char *word = translated.directives[i].words[0];

        last_queue = strncmp(word, "--queue", 7) ? last_queue : word;
        last_name = strncmp(word, "--name", 6) ? last_name : word;
        memory = strncmp(word, "--memory", 8) ? memory : word;
    }
    assert_string_equal(last_queue, "--queue=line");
    assert_string_equal(last_name, "--name=variable");
    assert_string_equal(memory, "--memory=1000M");
    assert_int_equal(translated.notice_count, 1);
    assert_string_equal(translated.notices[0].text, "--qos: ignored");
    assert_string_equal(translated.notices[0].origin, SLURM_COMMAND_LINE);
}

/* Returns the words of the translation, without variables, and the notices with their places; or the
 * error. */
static const char *form(const char *directives, const char *words)
{
    const char *text = arena_printf(arena, "#!/bin/sh\n#SBATCH %s\n", directives);
    struct sbatch_line line = good(words);
    struct slurm_setting setting = { .known = all_known, .command_line = line.options };
    struct text_builder result = TEXT_BUILDER_IN(arena);
    struct script found, translated;
    struct err err = { 0 };
    unsigned number;

    script_init(&found, arena);
    script_init(&translated, arena);
    assert_int_equal(script_read(text, strlen(text), SCRIPT_MARKER_SLURM, &found, &number, &err), 0);
    if (slurm_translate(&found, &setting, "job", &translated, &err) < 0)
        return arena_strdup(arena, err.text);
    for (size_t i = 0; i < translated.directive_count; i++) {
        const char *word = translated.directives[i].words[0];

        if (!strncmp(word, "--env=", 6))
            continue;
        text_builder_separate(&result, " ");
        text_builder_add(&result, word);
    }
    for (size_t i = 0; i < translated.notice_count; i++)
        text_builder_printf(&result, " | %s: %s", translated.notices[i].origin, translated.notices[i].text);
    return text_builder_finish(&result);
}

/* The options of the command line are a source of their own: they replace those of the script, and exclude
 * each other. */
static void test_sources(void **state)
{
    static const struct {
        const char *script, *line, *expected;
    } cases[] = {
        { "--mem=1G", "--mem-per-cpu=2G", "--memory=2048M" },
        { "--mem-per-cpu=1G", "--mem=2G --mem=3G", "--memory=3072M" },
        { "-c 2", "--cpus-per-gpu=2 --gpus=1", "--vcores=2 --gpus=1" },
        { "--mail-type=BEGIN", "--mail-type=END", "--mail-type=BEGIN,END" },
        { "-J x", "--mem=100 --mem-per-cpu=5",
          "command line: --mem, --mem-per-cpu and --mem-per-gpu: give one of them" },
        { "-J x", "-c 2 --cpus-per-gpu=2",
          "command line: --cpus-per-task and --cpus-per-gpu: give one of them" },
        { "--mem=1G", "-N 2",
          "--memory=1024M | command line: --nodes=2: the script runs in one container, with the part of one "
          "node, and SLURM_NTASKS is 1 of 2; start the tasks on other nodes with creel run -N" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(form(cases[i].script, cases[i].line), cases[i].expected);
}

static bool none_known(const char *option, size_t length)
{
    (void)option;
    (void)length;
    return false;
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

static int translate(const char *text, struct slurm_setting setting, struct script *found, struct err *err)
{
    struct script translated;
    unsigned line = 0;

    script_init(found, arena);
    script_init(&translated, arena);
    assert_int_equal(script_read(text, strlen(text), SCRIPT_MARKER_SLURM, found, &line, err), 0);
    return slurm_translate(found, &setting, "job", &translated, err);
}

/* sbatch refuses them; creel submit names them, since they may be those of a plug-in. */
static void unknown_options_are_refused_for_sbatch(void **state)
{
    static const char *const cases[][2] = {
        { "--tme 1:00", "--tme: unrecognized option" },
        { "--tme=5", "--tme: unrecognized option" },
        { "-n 2 -Z", "-Z: unrecognized option" },
    };
    struct slurm_setting setting = { .known = all_known, .refuses_unknown = true };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *text = arena_printf(arena, "#!/bin/sh\n\n#SBATCH %s\n", cases[i][0]);
        struct script found;
        struct err err = { 0 };

        setting.refuses_unknown = true;
        assert_int_equal(translate(text, setting, &found, &err), -EINVAL);
        assert_memory_equal(err.text, "job:3: ", 7);
        assert_memory_equal(err.text + 7, cases[i][1], strlen(cases[i][1]));
        setting.refuses_unknown = false;
        assert_int_equal(translate(text, setting, &found, &err), 0);
    }
}

/* sbatch applies lines of PBS and LSF. */
static void lines_of_other_systems_are_named(void **state)
{
    static const struct {
        const char *text;
        bool strict;
    } expected[] = {
        { "#BSUB -J x: ignored; write it as a line of #SBATCH", true },
        { "#PBS -l feature=x -W y: ignored; write it as a line of #SBATCH", true },
        { "lines of #FLUX: are not read here", false },
    };
    struct script found;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(translate("#!/bin/sh\n#BSUB -J x\n#PBS -l feature=x -Wy\n#FLUX: x\n",
                               (struct slurm_setting){ .known = all_known }, &found, &err),
                     0);
    assert_int_equal(found.notice_count, sizeof(expected) / sizeof(expected[0]));
    for (size_t i = 0; i < found.notice_count; i++) {
        assert_string_equal(found.notices[i].text, expected[i].text);
        assert_int_equal(found.notices[i].line, i + 2);
        assert_int_equal(found.notices[i].strict, expected[i].strict);
    }
}

static void dependencies_are_those_of_sbatch(void **state)
{
    static const struct {
        const char *text, *expected; /* NULL: refused */
        bool delayed;
    } cases[] = {
        { "afterok:1:2,afternotok:3", "afterok:1:2,afternotok:3", false },
        { "232", "afterany:232", false },
        { "232,AfterOK:41_*:42_7", "afterany:232,afterok:41:42_7", false },
        { "afterburstbuffer:1?SINGLETON", "afterany:1?singleton", false },
        { "after:42+5:43", "after:42:43", true },
        { "ok:1", NULL, false },
        { "afterok:1,", NULL, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct slurm_dependency_found found;
        const char *got = slurm_dependency(cases[i].text, arena, &found);

        if (!cases[i].expected) {
            assert_null(got);
            continue;
        }
        assert_non_null(got);
        assert_string_equal(got, cases[i].expected);
        assert_int_equal(found.delayed, cases[i].delayed);
    }
}

/* A range of more tasks than a job may depend on is refused with their number. */
static void a_range_of_too_many_tasks(void **state)
{
    struct slurm_dependency_found found;
    const char *most;

    (void)state;
    most = slurm_dependency("afterok:7_[1-1000]", arena, &found);
    assert_non_null(most);
    assert_non_null(strstr(most, ":7_1000"));
    assert_null(slurm_dependency("afterok:7_[1-2000]", arena, &found));
    assert_string_equal(slurm_dependency_expected(&found, arena),
                        "at most 1000 jobs and tasks, and the range has 2000: depend on the whole array");
    assert_null(slurm_dependency("ok:7", arena, &found));
    assert_non_null(strstr(slurm_dependency_expected(&found, arena), "afterok:ID"));
}

/* What sbatch of Slurm 22.05.8 answers to unusual indexes. */
static void indexes_are_those_of_sbatch(void **state)
{
    static const char *const cases[][2] = {
        { "0-4%1%2", "0-4%1" }, { "1, 3", "1,3" },  { " 1-3", "1-3" },     { "1- 3", "1-3" },
        { "1-3%", "1-3" },      { "1-3%x", "1-3" }, { "1-3%2 ", "1-3%2" }, { "1,3%1,5", "1,3,5%1" },
        { "[1,3]%2", "1,3%2" }, { "[1-3", "1-3" },  { "1-3]", "1-3" },     { "1-3%2x", "1-3%2" },
        { ",1", "1" },          { "1,,2", "1-2" },  { "1 - 3", NULL },     { "1-[3]", NULL },
        { "1-3 ", NULL },       { "1 ,3", NULL },   { "[1-3] ", NULL },    { "[[1-3]]", NULL },
        { "1-3:", NULL },       { "1-3:2 ", NULL }, { "1-", NULL },        { "", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *got = slurm_array(cases[i][0], arena);

        if (!cases[i][1] ? got != NULL : !got || strcmp(got, cases[i][1]) != 0)
            fail_msg("%s: %s", cases[i][0], got ? got : "refused");
    }
}

static void another_user_is_refused(void **state)
{
    struct script found;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(translate("#!/bin/sh\n#SBATCH --uid=bin\n", (struct slurm_setting){ .known = all_known },
                               &found, &err),
                     -EINVAL);
    assert_string_equal(err.text,
                        "job:2: --uid: creel does not have it; creel --as USER submits for another user");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sources, set_up, tear_down),
        cmocka_unit_test(letters_have_hints),
        cmocka_unit_test_setup_teardown(unknown_options_are_refused_for_sbatch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dependencies_are_those_of_sbatch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(indexes_are_those_of_sbatch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_range_of_too_many_tasks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_user_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_of_other_systems_are_named, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
