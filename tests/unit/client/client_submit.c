/* SPDX-License-Identifier: Apache-2.0 */
/* client_submit.c - test: the job that `creel submit` makes from its options and its command */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/cli/submit/submit_options.h"
#include "common/base/text.h"

static char folder[] = "/tmp/creel-client-submit.XXXXXX";

static void put(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(name, mode), 0);
}

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    put("script", "#!/bin/sh\n", 0644);
    put("program", "\177ELF", 0755);
    put("data", "some", 0644);
    put("a#b", "odd", 0644);
    put("empty", "", 0644);
    assert_int_equal(mkdir("dir", 0755), 0);
    put("dir/tool", "\177ELF", 0755);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = { "script", "program", "data", "a#b", "empty", "dir/tool" };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(names[i]);
    rmdir("dir");
    return chdir("/") < 0 ? -1 : rmdir(folder);
}

static int parse(const char *const *argv, struct submit_options *options, struct err *err)
{
    struct options parsed;
    int r = options_parse(argv, submit_option_table, NULL, OPTIONS_BEFORE_COMMAND, &parsed, err);

    if (r < 0)
        return r;
    r = submit_options_parse(&parsed, options, err);
    options_done(&parsed);
    return r;
}

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void every_option_arrives(void **state)
{
    struct submit_options options;
    const struct creel_job *job = &options.job;

    (void)state;
    assert_int_equal(setenv("CREEL_TEST_WORD", "fish", 1), 0);
    assert_int_equal(parse(ARGV("-q", "prod", "-n", "night", "-m", "2g", "-c", "3", "-N", "12", "-e", "A=b=c",
                                "-e", "CREEL_TEST_WORD", "-f", "data#input", "-C", "/srv", "--umask", "027",
                                "--nice=-3", "--max-attempts", "4", "-p", "-5", "-T", "x", "-T", "y", "-L",
                                "--id", "--timeout", "2m", "--", "sh", "-c", "true"),
                           &options, NULL),
                     0);
    assert_string_equal(job->queue, "prod");
    assert_string_equal(job->name, "night");
    assert_int_equal(job->memory_mb, 2048);
    assert_int_equal(job->vcores, 3);
    assert_int_equal(job->kind, CREEL_JOB_TASKS);
    assert_int_equal(job->task_count, 12);
    assert_string_equal(job->environment[0], "A=b=c");
    assert_string_equal(job->environment[1], "CREEL_TEST_WORD=fish");
    assert_null(job->environment[2]);
    assert_int_equal(job->file_count, 1);
    assert_string_equal(job->files[0].source, "data");
    assert_string_equal(job->files[0].name, "input");
    assert_string_equal(job->directory, "/srv");
    assert_int_equal(job->max_attempts, 4);
    assert_string_equal(job->umask, "027");
    assert_int_equal(job->nice, -3);
    assert_int_equal(job->priority, -5);
    assert_string_equal(job->tags[1], "y");
    assert_null(job->tags[2]);
    assert_string_equal(job->command[2], "true");
    assert_null(job->command[3]);
    assert_true(options.wait && options.logs && options.id_only && !options.dry_run);
    assert_int_equal(options.timeout_ms, 120000);
    submit_options_done(&options);
}

static void absent_options_are_not_sent(void **state)
{
    struct submit_options options;

    (void)state;
    assert_int_equal(parse(ARGV("sleep", "-m", "1"), &options, NULL), 0);
    assert_int_equal(options.job.kind, CREEL_JOB_COMMAND);
    assert_int_equal(options.job.memory_mb, 0);
    assert_int_equal(options.job.vcores, 0);
    assert_null(options.job.queue);
    assert_string_equal(options.job.name, "sleep");
    assert_string_equal(options.job.command[1], "-m");
    assert_int_equal(options.timeout_ms, -1);
    assert_false(options.wait || options.count_given);
    submit_options_done(&options);
}

static void umask_of_this_process_is_the_default(void **state)
{
    mode_t own = umask(027);
    struct submit_options options;

    (void)state;
    assert_int_equal(parse(ARGV("--", "true"), &options, NULL), 0);
    assert_int_equal(umask(own), 027); /* it is unchanged */
    assert_string_equal(options.job.umask, "027");
    submit_options_done(&options);
}

static void soft_limits_of_this_process_are_sent_if_they_are_requested(void **state)
{
    static const struct {
        const char *option, *limits;
    } cases[] = {
        { "--propagate=NOFILE", "NOFILE=100" },
        { "--propagate=rlimit_nofile,CORE", "CORE=0,NOFILE=100" },
        { "--propagate=NONE", NULL },
        { "--hold", NULL },
    };
    struct rlimit files, core;
    struct err err = { 0 };
    struct submit_options options;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    assert_int_equal(getrlimit(RLIMIT_CORE, &core), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 100, files.rlim_max }), 0);
    assert_int_equal(setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, core.rlim_max }), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(parse(ARGV(cases[i].option, "--", "true"), &options, NULL), 0);
        if (cases[i].limits)
            assert_string_equal(options.job.limits, cases[i].limits);
        else
            assert_null(options.job.limits);
        assert_int_equal(options.limits_given, text_has_prefix(cases[i].option, "--propagate"));
        submit_options_done(&options);
    }
    assert_int_equal(parse(ARGV("--propagate", "--", "true"), &options, NULL), 0);
    assert_non_null(strstr(options.job.limits, "CORE=0,"));
    assert_non_null(strstr(options.job.limits, ",NOFILE=100,"));
    submit_options_done(&options);
    assert_int_equal(parse(ARGV("--propagate=HEAP", "--", "true"), &options, &err), -EINVAL);
    assert_non_null(strstr(err.text, "--propagate=HEAP: expected ALL, NONE, or names"));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    assert_int_equal(setrlimit(RLIMIT_CORE, &core), 0);
}

static void sizes_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t mb;
    } table[] = {
        { "512M", 512 },  { "512", 512 },      { "2g", 2048 }, { "2GiB", 2048 },
        { "1.5g", 1536 }, { "2048 MB", 2048 }, { "100k", 1 },  { "1048577b", 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct submit_options options;

        assert_int_equal(parse(ARGV("-m", table[i].text, "true"), &options, NULL), 0);
        assert_int_equal(options.job.memory_mb, table[i].mb);
        submit_options_done(&options);
    }
}

static void commands_travel_or_not(void **state)
{
    static const struct {
        const char *command, *becomes, *sent; /* sent: name of the file sent; NULL: none */
    } table[] = {
        { "script", "./script", "script" },
        { "./script", "./script", "./script" },
        { "./program", "./program", "./program" },
        { "dir/tool", "./tool", "dir/tool" },
        { "program", "program", NULL },
        { "python3", "python3", NULL },
        { "/bin/sleep", "/bin/sleep", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct submit_options options;

        assert_int_equal(parse(ARGV(table[i].command, "argument"), &options, NULL), 0);
        assert_string_equal(options.job.command[0], table[i].becomes);
        assert_string_equal(options.job.command[1], "argument");
        assert_int_equal(options.job.file_count, table[i].sent ? 1 : 0);
        if (table[i].sent) {
            assert_string_equal(options.job.files[0].source, table[i].sent);
            assert_true(options.job.files[0].executable);
        }
        submit_options_done(&options);
    }
}

static void an_absolute_script_travels(void **state)
{
    struct submit_options options;
    char path[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/script", folder);
    assert_int_equal(parse(ARGV(path), &options, NULL), 0);
    assert_string_equal(options.job.command[0], "./script");
    assert_string_equal(options.job.files[0].source, path);
    submit_options_done(&options);
}

static void a_name_may_have_a_hash(void **state)
{
    struct submit_options options;

    (void)state;
    assert_int_equal(parse(ARGV("-f", "a#b", "-f", "a#b#c", "true"), &options, NULL), 0);
    assert_string_equal(options.job.files[0].name, "a#b");
    assert_string_equal(options.job.files[1].source, "a#b");
    assert_string_equal(options.job.files[1].name, "c");
    submit_options_done(&options);
}

static void mistakes_are_reported_before_any_request(void **state)
{
    static const struct {
        const char *argv[6];
        int code;
        const char *message;
    } table[] = {
        { { NULL }, -EINVAL, "the command to run is missing" },
        { { "", NULL }, -EINVAL, "empty" },
        { { "-m", "lots", "true", NULL }, -EINVAL, "--memory lots: expected a size" },
        { { "-m", "-1", "true", NULL }, -EINVAL, "--memory -1" },
        { { "-m", "0", "true", NULL }, -EINVAL, "--memory 0" },
        { { "-N", "0", "true", NULL }, -EINVAL, "--count 0: expected a number from 1" },
        { { "-N", "99999999999", "true", NULL }, -EINVAL, "--count 99999999999" },
        { { "-c", "two", "true", NULL }, -EINVAL, "--vcores two" },
        { { "-e", "=x", "true", NULL }, -EINVAL, "expected NAME=VALUE" },
        { { "-e", "CREEL_TEST_UNSET", "true", NULL }, -EINVAL, "not set here" },
        { { "-f", "gone", "true", NULL }, -ENOENT, "file gone" },
        { { "-f", ".", "true", NULL }, -EINVAL, "expected SRC or SRC#NAME" },
        { { "-f", "/dev/null", "true", NULL }, -EINVAL, "is not a regular file or a directory" },
        { { "-a", "dir", "true", NULL }, -EINVAL, "send it with --file" },
        { { "-a", "gone.tar", "true", NULL }, -ENOENT, "archive gone.tar" },
        { { "-a", "data", "-f", "data", "true", NULL }, -EINVAL, "both would be named data" },
        { { "-f", "data#x/y", "true", NULL }, -EINVAL, "without a '/'" },
        { { "-f", "data", "-f", "data", "true", NULL }, -EINVAL, "both would be named data" },
        { { "-f", "data#script", "script", NULL }, -EINVAL, "both would be named script" },
        { { "--timeout", "soon", "true", NULL }, -EINVAL, "expected a time" },
        { { "--am", "-N", "2", "true", NULL }, -EINVAL, "asks for its containers itself" },
        { { "./gone", NULL }, -ENOENT, "sh -c" },
        { { "/no/such/program", NULL }, -ENOENT, "exists on the agents" },
        { { "./dir", NULL }, -EINVAL, "is a directory" },
        { { "./data", NULL }, -EINVAL, "neither executable nor a script" },
        { { "./empty", NULL }, -EINVAL, "neither executable nor a script" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct submit_options options;
        struct err err = { 0 };

        assert_int_equal(parse(table[i].argv, &options, &err), table[i].code);
        if (!strstr(err.text, table[i].message))
            fail_msg("\"%s\" does not say \"%s\"", err.text, table[i].message);
        assert_null(options.arena);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_arrives),
        cmocka_unit_test(absent_options_are_not_sent),
        cmocka_unit_test(umask_of_this_process_is_the_default),
        cmocka_unit_test(soft_limits_of_this_process_are_sent_if_they_are_requested),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(commands_travel_or_not),
        cmocka_unit_test(an_absolute_script_travels),
        cmocka_unit_test(a_name_may_have_a_hash),
        cmocka_unit_test(mistakes_are_reported_before_any_request),
    };

    return cmocka_run_group_tests_name("client_submit", tests, set_up, tear_down);
}
