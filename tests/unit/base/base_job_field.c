/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/exit_status.h"
#include "common/base/job/job_field.h"

static const struct job_field *field_of(const char *option)
{
    for (int i = 0; i < JOB_FIELD_COUNT; i++)
        if (strcmp(job_fields[i].option, option) == 0)
            return &job_fields[i];
    fail_msg("no field has the option --%s", option);
    return NULL;
}

static void options_are_read_by_their_kind(void **state)
{
    static const struct {
        const char *option, *word, *text;
        int64_t number;
    } cases[] = {
        { "queue", "root.dev", "root.dev", 0 },
        { "chdir", "a\nb", "a\nb", 0 },
        { "preempt-signal", "SIGUSR1", "SIGUSR1", 0 },
        { "priority", "-5", NULL, -5 },
        { "priority", "0", NULL, 0 },
        { "max-attempts", "4294967295", NULL, 4294967295 },
        { "lifetime", "2h", NULL, 7200 },
        { "time", "90m", NULL, 5400 },
        { "signal", "USR1@60", "USR1@60", 0 },
        { "retry-on", "node,preempt,oom,exit:75,exit:1", "node,preempt,oom,exit:75,exit:1", 0 },
        { "retries", "1000", NULL, 1000 },
        { "signal", "@5m", "@5m", 0 },
        { "signal", "sigterm", "sigterm", 0 },
        { "lifetime", "1999ms", NULL, 1 },
        { "umask", "027", "027", 0 },
        { "umask", "0", "0", 0 },
        { "umask", "0777", "0777", 0 },
        { "propagate", "CORE=0,NOFILE=4096?,STACK=unlimited", "CORE=0,NOFILE=4096?,STACK=unlimited", 0 },
        { "nice", "-20", NULL, -20 },
        { "nice", "19", NULL, 19 },
        { "on-disconnect", "keep", NULL, -1 },
        { "on-disconnect", "stop-after=30s", NULL, 30000 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct job_field *field = field_of(cases[i].option);
        struct job_value value = { .text = "before", .number = 77 };

        assert_int_equal(job_field_parse(field, cases[i].word, &value, NULL), 0);
        if (cases[i].text != NULL) {
            assert_true(job_field_is_text(field));
            assert_string_equal(value.text, cases[i].text);
        } else {
            assert_false(job_field_is_text(field));
            assert_int_equal(value.number, cases[i].number);
        }
    }
}

static void refused_value_names_the_expected_form(void **state)
{
    static const struct {
        const char *option, *word, *text;
    } cases[] = {
        { "priority", "high", "--priority high: expected a number from -2147483648 to 2147483647" },
        { "priority", "2147483648", "--priority 2147483648: expected a number from -2147483648" },
        { "max-attempts", "0", "--max-attempts 0: expected a number from 1 to 4294967295" },
        { "lifetime", "soon",
          "--lifetime soon: expected a time, as 90 (seconds), 5m, 2h, 1:30:00 or "
          "2-00:00:00" },
        { "time", "99999999m", "--time 99999999m: is too long; at most 3155760000 seconds are allowed" },
        { "retry-on", "", "--retry-on : expected node, preempt, oom and exit:N" },
        { "retry-on", "nodes", "--retry-on nodes: expected node, preempt" },
        { "retry-on", "node,", "--retry-on node,: expected node, preempt" },
        { "retry-on", "exit:", "--retry-on exit:: expected node, preempt" },
        { "retry-on", "exit:0", "--retry-on exit:0: expected node, preempt" },
        { "retry-on", "exit:256", "--retry-on exit:256: expected node, preempt" },
        { "retry-on", "exit:00000000000075", "--retry-on exit:00000000000075: expected node" },
        { "retries", "0", "--retries 0: expected a number from 1 to 1000" },
        { "signal", "STOP@60", "--signal STOP@60: expected a signal and a time" },
        { "signal", "USR1@0", "--signal USR1@0: expected a signal and a time" },
        { "signal", "USR1@31d", "--signal USR1@31d: expected a signal and a time" },
        { "signal", "@", "--signal @: expected a signal and a time" },
        { "lifetime", "1:60", "--lifetime 1:60: expected a time" },
        { "signal-to", "shell",
          "--signal-to shell: expected all, first (the first process alone), others (all but the first)" },
        { "signal-to", "", "--signal-to : expected all, first" },
        { "from", "pbs", "--from pbs: expected slurm or creel" },
        { "lifetime", "999ms", "--lifetime 999ms: expected a time" },
        { "preempt-signal", "KILL",
          "--preempt-signal KILL: expected HUP, INT, QUIT, USR1, USR2, ALRM, "
          "TERM, CONT, URG or WINCH" },
        { "preempt-signal", "", "--preempt-signal : expected HUP" },
        { "mail-type", "END,ABORT", "--mail-type END,ABORT: expected BEGIN, END, FAIL, ALL or NONE" },
        { "mail-type", "", "--mail-type : expected BEGIN" },
        { "mail-type", "END,NONE", "--mail-type END,NONE: expected BEGIN" },
        { "mail-type", "END,", "--mail-type END,: expected BEGIN" },
        { "mail-user", "-oQ/tmp", "--mail-user -oQ/tmp: expected addresses or names of users" },
        { "mail-user", "ann, -t", "--mail-user ann, -t: expected addresses" },
        { "mail-user", "ann\nBcc: eve", "--mail-user ann\nBcc: eve: expected addresses" },
        { "mail-user", "ann,,bob", "--mail-user ann,,bob: expected addresses" },
        { "mail-user", "", "--mail-user : expected addresses" },
        { "umask", "1000", "--umask 1000: expected an octal number from 0 to 0777" },
        { "umask", "08", "--umask 08: expected an octal number" },
        { "umask", "-1", "--umask -1: expected an octal number" },
        { "umask", "7777777777777777777777777", "--umask 7777777777777777777777777: expected an octal" },
        { "umask", "", "--umask : expected an octal number" },
        { "propagate", "NOFILE", "--propagate NOFILE: expected soft limits, as CORE=0,NOFILE=4096" },
        { "nice", "20", "--nice 20: expected a number from -20 to 19" },
        { "nice", "-21", "--nice -21: expected a number from -20 to 19" },
        { "on-disconnect", "stop-after=0s", "--on-disconnect stop-after=0s: expected keep, or stop-after=" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct job_value value = { .text = "before", .number = 77 };
        struct err err = { 0 };

        assert_int_equal(job_field_parse(field_of(cases[i].option), cases[i].word, &value, &err), -EINVAL);
        assert_memory_equal(err.text, cases[i].text, strlen(cases[i].text));
        assert_string_equal(value.text, "before");
        assert_int_equal(value.number, 77);
    }
}

static void retry_rule_has_the_ends_of_its_items(void **state)
{
    static const struct {
        const char *text;
        int32_t status;
        bool has;
    } cases[] = {
        { "node", CONTAINER_EXIT_ABORTED, true },
        { "node", CONTAINER_EXIT_DISKS, true },
        { "node", CONTAINER_EXIT_NOT_STARTED, true },
        { "node", CONTAINER_EXIT_LOST, true },
        { "node", CONTAINER_EXIT_PREEMPTED, false },
        { "oom,exit:154", CONTAINER_EXIT_LOST, true },
        { "preempt", CONTAINER_EXIT_PREEMPTED, true },
        { "oom", CONTAINER_EXIT_PHYSICAL, true },
        { "oom", CONTAINER_EXIT_VIRTUAL, true },
        { "oom", 137, false },
        { "exit:1,exit:255", 1, true },
        { "exit:1,exit:255", 255, true },
        { "exit:1,exit:255", 2, false },
        { "exit:75", 0, false },
        { "node,preempt,oom,exit:75", CONTAINER_EXIT_BY_RM, false },
        { "node,preempt,oom,exit:75", CONTAINER_EXIT_NONE, false },
    };
    struct retry_rule rule;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(job_field_parse_retry(cases[i].text, &rule));
        if (job_field_retry_has(&rule, cases[i].status) != cases[i].has)
            fail_msg("%s, %d", cases[i].text, cases[i].status);
    }
}

static void absent_values_are_valid(void **state)
{
    struct job_values values = { .of = { [JOB_FIELD_queue] = { .text = "" } } };

    (void)state;
    assert_int_equal(job_values_check(&values, NULL, NULL), 0);
    values.of[JOB_FIELD_stop_after_ms].number = -1;
    values.of[JOB_FIELD_preempt_signal].text = "term";
    assert_int_equal(job_values_check(&values, NULL, NULL), 0);
}

static void a_wrong_value_of_a_job_is_named(void **state)
{
    struct err err = { 0 };
    struct job_values values = { .of = { [JOB_FIELD_preempt_signal] = { .text = "STOP" } } };

    (void)state;
    assert_int_equal(job_values_check(&values, "ann", &err), -EINVAL);
    assert_string_equal(err.text, "preempt-signal STOP: expected HUP, INT, QUIT, USR1, USR2, ALRM, TERM, "
                                  "CONT, URG or WINCH");
    values = (struct job_values){ .of = { [JOB_FIELD_lifetime_s] = { .number = -5 } } };
    assert_int_equal(job_values_check(&values, "ann", &err), -EINVAL);
    assert_string_equal(err.text, "lifetime -5: expected a time, as 90 (seconds), 5m, 2h, 1:30:00 or "
                                  "2-00:00:00");
    values = (struct job_values){ .of = { [JOB_FIELD_stop_after_ms] = { .number = -2 } } };
    assert_int_equal(job_values_check(&values, "ann", &err), -EINVAL);
}

static void negative_values_of_privileged_fields_need_root(void **state)
{
    struct job_values values = {
        .of = { [JOB_FIELD_nice] = { .number = -1 }, [JOB_FIELD_priority] = { .number = -1 } }
    };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(job_values_check(&values, "ann", &err), -EPERM);
    assert_string_equal(err.text, "nice -1: user ann may not give less than 0; only root may");
    assert_int_equal(job_values_check(&values, "root", NULL), 0);
    assert_int_equal(job_values_check(&values, NULL, NULL), 0);
    values.of[JOB_FIELD_nice].number = 19;
    assert_int_equal(job_values_check(&values, "ann", NULL), 0);
    values.of[JOB_FIELD_nice].number = -21;
    assert_int_equal(job_values_check(&values, "root", NULL), -EINVAL);
}

static void paths_have_the_length_of_a_path(void **state)
{
    struct job_values values = { .of = { { .text = NULL } } };
    char text[8001], many[3 * 17 + 1] = "";
    struct err err;

    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    text[8000] = '\0';
    values.of[JOB_FIELD_depends_on].text = text; /* is no path */
    assert_int_equal(job_values_check_sizes(&values, &err), 0);
    values.of[JOB_FIELD_directory].text = text;
    assert_int_equal(job_values_check_sizes(&values, &err), -EINVAL);
    assert_string_equal(err.text, "chdir: has 8000 bytes, more than the 4095 of a path");
    text[JOB_PATH_MAX] = '\0';
    assert_int_equal(job_values_check_sizes(&values, &err), 0);
    values.of[JOB_FIELD_out_file].text = text;
    assert_int_equal(job_values_check_sizes(&values, &err), 0);
    for (size_t i = 0; i < 16; i++)
        memcpy(many + 2 * i, "%N", 2);
    assert_int_equal(job_field_pattern_longest(many), 16 * 255);
    values.of[JOB_FIELD_out_file].text = many;
    assert_int_equal(job_values_check_sizes(&values, &err), 0);
    memcpy(many + 32, "%4a", 4);
    assert_int_equal(job_values_check_sizes(&values, &err), -EINVAL);
    assert_non_null(strstr(err.text, "out: the name may have 4100 bytes when"));
    assert_int_equal(job_field_pattern_longest("a%%%5j%q%"), 1 + 1 + 20 + 2 + 1);
}

/* Each option, letter and key belongs to exactly one field. */
static void fields_have_names_of_their_own(void **state)
{
    (void)state;
    for (int i = 0; i < JOB_FIELD_COUNT; i++)
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(job_fields[i].option, job_fields[k].option);
            assert_string_not_equal(job_fields[i].json, job_fields[k].json);
            if (job_fields[i].letter != 0)
                assert_int_not_equal(job_fields[i].letter, job_fields[k].letter);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_read_by_their_kind),
        cmocka_unit_test(refused_value_names_the_expected_form),
        cmocka_unit_test(retry_rule_has_the_ends_of_its_items),
        cmocka_unit_test(absent_values_are_valid),
        cmocka_unit_test(a_wrong_value_of_a_job_is_named),
        cmocka_unit_test(negative_values_of_privileged_fields_need_root),
        cmocka_unit_test(paths_have_the_length_of_a_path),
        cmocka_unit_test(fields_have_names_of_their_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
