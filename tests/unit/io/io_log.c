/* SPDX-License-Identifier: Apache-2.0 */
/* io_log.c - test: format of log lines on stderr, and suppression of repeated lines */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/io/loop/log.h"

static int saved_stderr, ends[2];

static int set_up(void **state)
{
    (void)state;
    unsetenv("JOURNAL_STREAM");
    saved_stderr = dup(STDERR_FILENO);
    return pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    close(ends[0]);
    close(ends[1]);
    return 0;
}

/* Checks the log output since the last call against PATTERN. Writes a marker of its own to find the end. */
static void expect_written(const char *pattern)
{
    char text[16384] = "";
    size_t used = 0;
    regex_t regex;
    int rc;

    assert_int_equal(write(ends[1], "\x01", 1), 1);
    while (used == 0 || text[used - 1] != '\x01') {
        ssize_t got = read(ends[0], text + used, sizeof(text) - 1 - used);

        assert_true(got > 0);
        used += (size_t)got;
    }
    text[used - 1] = '\0';
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    rc = regexec(&regex, text, 0, NULL, 0);
    regfree(&regex);
    if (rc != 0)
        fail_msg("does not match %s: '%s'", pattern, text);
}

#define STAMP "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z "

static void a_line_has_time_level_and_text(void **state)
{
    const struct log_about about = { .app_id = "application_1_0001", .node = "n1:8041" };

    (void)state;
    log_open("creel-test", LOG_LEVEL_INFO);
    log_line(LOG_LEVEL_INFO, "node %s: registered, %d MiB", "n1:8041", 8192);
    expect_written("^" STAMP "info  node n1:8041: registered, 8192 MiB\n$");
    log_about(&about, LOG_LEVEL_ERROR, "app: gone");
    expect_written("^" STAMP "error app: gone\n$");
}

static void less_important_lines_are_left_out(void **state)
{
    (void)state;
    log_open("creel-test", log_level_parse("warn"));
    log_line(LOG_LEVEL_INFO, "not this");
    log_line(LOG_LEVEL_DEBUG, "nor this");
    log_line(LOG_LEVEL_WARN, "this");
    expect_written("^" STAMP "warn  this\n$");
    assert_int_equal(log_level_parse("DEBUG"), LOG_LEVEL_DEBUG);
    assert_int_equal(log_level_parse("loud"), LOG_LEVEL_INFO);
    assert_int_equal(log_level_parse(NULL), LOG_LEVEL_INFO);
}

static void a_text_cannot_forge_lines(void **state)
{
    char text[10000];

    (void)state;
    log_open("creel-test", LOG_LEVEL_INFO);
    log_line(LOG_LEVEL_INFO, "name %s", "x\n2026-11-20T00:00:00.000Z error forged\x1b[2J");
    expect_written("^" STAMP "info  name x 2026-11-20T00:00:00.000Z error forged \\[2J\n$");
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    log_line(LOG_LEVEL_INFO, "%s", text);
    expect_written("^" STAMP "info  a+\n$");
}

static void an_audit_line_has_fields_between_tabs(void **state)
{
    (void)state;
    log_open("creel-test", LOG_LEVEL_ERROR);
    log_audit(&(struct log_audit){ .user = "ann",
                                   .ip = "10.0.0.7",
                                   .operation = "Kill Application Request",
                                   .target = "",
                                   .success = true,
                                   .description = "",
                                   .app_id = "application_1_0001" });
    expect_written("^" STAMP "info  audit USER=ann\tIP=10.0.0.7\tOPERATION=Kill Application Request\t"
                   "RESULT=SUCCESS\tAPPID=application_1_0001\n$");
    log_audit(&(struct log_audit){ .user = "a\tRESULT=SUCCESS",
                                   .operation = "refreshQueues",
                                   .target = "x\ny",
                                   .description = "no = right" });
    expect_written("^" STAMP "info  audit USER=a RESULT=SUCCESS\tOPERATION=refreshQueues\tTARGET=x y\t"
                   "RESULT=FAILURE\tDESCRIPTION=no = right\n$");
}

static void messages_caused_by_peers_are_logged_once_a_second(void **state)
{
    struct log_limit limit = { 0 };
    char more[LOG_MORE_MAX];

    (void)state;
    assert_true(log_limit_pass(&limit, more));
    assert_string_equal(more, "");
    assert_false(log_limit_pass(&limit, more));
    assert_false(log_limit_pass(&limit, more));
    limit.passed_ms -= 1000;
    assert_true(log_limit_pass(&limit, more));
    assert_string_equal(more, " (and 2 more before)");
    assert_false(log_limit_pass(&limit, more));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_line_has_time_level_and_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(less_important_lines_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_text_cannot_forge_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_audit_line_has_fields_between_tabs, set_up, tear_down),
        cmocka_unit_test(messages_caused_by_peers_are_logged_once_a_second),
    };

    return cmocka_run_group_tests_name("io_log", tests, NULL, NULL);
}
