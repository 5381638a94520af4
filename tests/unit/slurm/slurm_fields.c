/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_fields.c - test: the fields of jobs and nodes in the commands of Slurm */
#include <errno.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "client/slurm-client/format.h"
#include "client/slurm-client/job_fields.h"
#include "client/slurm-client/job_ids.h"
#include "client/slurm-client/node_fields.h"
#include "client/slurm-client/waiting_tasks.h"
#include "common/base/job/exit_status.h"
#include "common/base/mem.h"

static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new();
    setenv("TZ", "UTC", 1);
    tzset();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

#define ARRAY_ID "application_1790000000000_0042"

static void test_fields(void **state)
{
    static const char *const no_words[] = { NULL }, *const tags[] = { "x", "account:lab", NULL };
    const struct creel_app app = {
        .id = ARRAY_ID,
        .name = "train",
        .user = "root",
        .queue = "root.dev.ml",
        .diagnostics = "",
        .reason_code = "",
        .array_id = "",
        .tags = tags,
        .command = no_words,
        .master_node_id = "n1:8041",
        .state = CREEL_APP_RUNNING,
        .exit_status = CREEL_EXIT_NONE,
        .submitted_ms = INT64_C(1795968000000),
        .started_ms = INT64_C(1795968060000),
        .time_limit_s = 7200,
        .requested = { .memory_mb = 2048, .vcores = 2 },
    };
    struct job_users *users = job_users_new();
    const struct job_row row = {
        .app = &app,
        .state = slurm_state_of(&app),
        .number = 42,
        .now_ms = INT64_C(1795968060000) + 3661000,
        .users = users,
    };
    struct format format;
    struct err err = { 0 };
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    (void)state;
    assert_int_equal(format_read_letters(&format,
                                         "%i|%j|%u|%U|%a|%P|%t|%T|%M|%l|%L|%V|%S|%e|%C|%m|%N|%B|%R|%r|%E",
                                         squeue_fields, arena, &err),
                     0);
    format_print_row(&format, &row, out);
    assert_int_equal(
        format_read_accounting(&format,
                               "JobID,Account,State,ExitCode,Elapsed,ElapsedRaw,Timelimit,Start,End,"
                               "ReqMem,MaxRSS,AllocTRES,CPUTime,NodeList",
                               sacct_fields, "|", false, arena, &err),
        0);
    format_print_row(&format, &row, out);
    assert_int_equal(format_read_accounting(&format,
                                            "JobID,AdminComment,UserCPU,MaxRSSNode,TRESUsageInTot,GID",
                                            sacct_fields, "|", false, arena, &err),
                     0);
    format_print_row(&format, &row, out);
    fclose(out);
    assert_string_equal(
        printed,
        "42|train|root|0|lab|dev.ml|R|RUNNING|1:01:01|2:00:00|58:59|2026-11-29T16:00:00|2026-11-29T16:01:00|"
        "2026-11-29T18:01:00|2|2G|n1|n1|n1|None|(null)\n"
        "42|lab|RUNNING|0:0|01:01:01|3661|02:00:00|2026-11-29T16:01:00|Unknown|2G||cpu=2,mem=2G,node=1|"
        "02:02:02|"
        "n1\n"
        "42|||||\n");
    free(printed);
    job_users_free(users);
}

static unsigned lookups;

struct passwd *__wrap_getpwnam(const char *name);
struct passwd *__real_getpwnam(const char *name);

struct passwd *__wrap_getpwnam(const char *name)
{
    lookups++;
    return __real_getpwnam(name);
}

/* A directory service may be asked for each: rows of one user ask once. */
static void test_users(void **state)
{
    struct job_users *users = job_users_new();
    const char *const names[] = { "root", "no-such-user", "root", "no-such-user" };
    struct text_builder text = TEXT_BUILDER_IN(arena);

    (void)state;
    lookups = 0;
    for (size_t i = 0; i < 4; i++) {
        const struct creel_app app = { .user = names[i] };
        const struct job_row row = { .app = &app, .users = users };

        text_builder_separate(&text, " ");
        job_put_user_id(&text, &row);
        text_builder_add(&text, ",");
        job_put_group(&text, &row);
        text_builder_add(&text, ",");
        job_put_group_id(&text, &row);
    }
    assert_string_equal(text_builder_text(&text), "0,root,0 4294967294,(null),4294967294 0,root,0 "
                                                  "4294967294,(null),4294967294");
    assert_int_equal(lookups, 2);
    job_users_free(users);
}

/* The dependencies that a job still waits for; none when it has begun. */
static void test_dependencies(void **state)
{
    const struct creel_dependency dependencies[] = {
        { .app_id = "application_1790000000000_0007", .condition = "ok", .met = true },
        { .app_id = "application_1790000000000_0041", .condition = "ok" },
        { .app_id = "application_1790000000000_0042",
          .condition = "any",
          .is_of_task = true,
          .task_index = 3 },
        { .app_id = "", .condition = "singleton" },
    };
    struct creel_app app = { .dependencies = dependencies, .dependency_count = 4 };
    struct job_row row = { .app = &app, .state = slurm_state_at(SLURM_STATE_PENDING) };
    struct text_builder waits = TEXT_BUILDER_IN(arena), ended = TEXT_BUILDER_IN(arena);
    struct text_builder either = TEXT_BUILDER_IN(arena);

    (void)state;
    job_put_dependency(&waits, &row);
    assert_string_equal(text_builder_text(&waits),
                        "afterok:41(unfulfilled),afterany:42_3(unfulfilled),singleton(unfulfilled)");
    app.one_dependency_is_enough = true;
    app.dependency_count = 3;
    job_put_dependency(&either, &row);
    assert_string_equal(text_builder_text(&either), "afterok:41(unfulfilled)?afterany:42_3(unfulfilled)");
    row.state = slurm_state_at(SLURM_STATE_CANCELLED);
    job_put_dependency(&ended, &row);
    assert_string_equal(text_builder_text(&ended), "(null)");
}

/* Times are those of the present attempt; the limit is set by what is left of a lifetime, too. */
static void test_requeued(void **state)
{
    static const char letters[] = "%M|%l|%L|%S|%e|%N";
    static const char *const no_tags[] = { NULL };
    struct creel_app app = {
        .id = ARRAY_ID,
        .array_id = "",
        .tags = no_tags,
        .command = no_tags,
        .diagnostics = "",
        .reason_code = "",
        .master_node_id = "n1:8041",
        .state = CREEL_APP_SUBMITTED,
        .attempt = 1,
        .submitted_ms = INT64_C(1795968000000),
        .started_ms = INT64_C(1795968060000),
        .time_limit_s = 60,
    };
    struct job_row row = { .app = &app, .now_ms = INT64_C(1795968120000) };
    scoped_text_builder struct text_builder restarts = TEXT_BUILDER_MALLOC;
    struct format format;
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    (void)state;
    row.state = slurm_state_of(&app);
    assert_int_equal(format_read_letters(&format, letters, squeue_fields, arena, NULL), 0);
    job_put_restarts(&restarts, &row); /* held by requeuehold */
    format_print_row(&format, &row, out);
    app.state = CREEL_APP_RUNNING;
    app.attempt = 2;
    app.attempt_started_ms = INT64_C(1795968100000);
    row.state = slurm_state_of(&app);
    job_put_restarts(&restarts, &row);
    format_print_row(&format, &row, out);
    app.time_limit_s = 0;
    app.expires_ms = INT64_C(1795968220000);
    format_print_row(&format, &row, out);
    fclose(out);
    assert_string_equal(printed, "0:00|1:00|1:00|N/A|N/A|\n"
                                 "0:20|1:00|0:40|2026-11-29T16:01:40|2026-11-29T16:02:40|n1\n"
                                 "0:20|2:00|1:40|2026-11-29T16:01:40|2026-11-29T16:03:40|n1\n");
    assert_string_equal(text_builder_text(&restarts), "11");
    free(printed);
}

/* The limit that holds is the smallest one: the job's, what its lifetime leaves, and that of its queue. */
static void test_limits(void **state)
{
    const int64_t now_ms = INT64_C(1795968120000);
    static const char *const no_tags[] = { NULL };
    const struct creel_app waits = { .state = CREEL_APP_SUBMITTED, .time_limit_s = 3600 },
                           queued = { .state = CREEL_APP_ACCEPTED,
                                      .time_limit_s = 3600,
                                      .eligible_ms = now_ms - 5000,
                                      .expires_ms = now_ms + 20000 },
                           runs = { .state = CREEL_APP_RUNNING,
                                    .time_limit_s = 3600,
                                    .eligible_ms = now_ms - 15000,
                                    .started_ms = now_ms - 10000,
                                    .expires_ms = now_ms + 10000 },
                           longer = { .state = CREEL_APP_RUNNING,
                                      .time_limit_s = 15,
                                      .started_ms = now_ms - 10000,
                                      .expires_ms = now_ms + 5000 },
                           ended = { .state = CREEL_APP_FINISHED,
                                     .time_limit_s = 90000,
                                     .attempt_started_ms = now_ms - 40000,
                                     .started_ms = now_ms - 40000,
                                     .finished_ms = now_ms };
    const struct {
        const struct creel_app *app;
        int64_t queue_limit_s;
    } cases[] = { { &waits, 0 },   { &waits, 25 }, { &waits, 7200 }, { &queued, 25 },   { &runs, 25 },
                  { &longer, 25 }, { &ended, 60 }, { &ended, 25 },   { &ended, 100000 } };
    scoped_text_builder struct text_builder text = TEXT_BUILDER_MALLOC;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct creel_app app = *cases[i].app;
        struct job_row row = { .app = &app, .now_ms = now_ms, .queue_limit_s = cases[i].queue_limit_s };

        app.tags = no_tags;
        job_put_limit(&text, &row);
        text_builder_add(&text, " ");
        job_put_limit_short(&text, &row);
        text_builder_add(&text, " ");
        job_put_raw_limit(&text, &row);
        text_builder_add(&text, " ");
        job_put_left(&text, &row);
        text_builder_add(&text, "\n");
    }
    assert_string_equal(text_builder_text(&text), "01:00:00 1:00:00 60 1:00:00\n"
                                                  "00:00:25 0:25 1 0:25\n"
                                                  "01:00:00 1:00:00 60 1:00:00\n"
                                                  "00:00:25 0:25 1 0:25\n"
                                                  "00:00:20 0:20 1 0:10\n"
                                                  "00:00:15 0:15 1 0:05\n"
                                                  "00:01:00 1:00 1 0:20\n"
                                                  "1-01:00:00 1-01:00:00 1500 1-00:59:20\n"
                                                  "1-01:00:00 1-01:00:00 1500 1-00:59:20\n");
}

/* Limits of partitions as sinfo of Slurm prints them: days only if there are any. */
static void test_partition_limits(void **state)
{
    static const int64_t limits_s[] = { 25, 1500, 3660, 176400, -1 };
    struct format format;
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    (void)state;
    assert_int_equal(format_read_letters(&format, "%l", sinfo_fields, arena, NULL), 0);
    for (size_t i = 0; i < sizeof(limits_s) / sizeof(limits_s[0]); i++) {
        const struct creel_queue queue = { .path = "root.a", .maximum_lifetime_s = limits_s[i] };
        const struct node_group group = { .queue = &queue };

        format_print_row(&format, &group, out);
    }
    fclose(out);
    assert_string_equal(printed, "0:25\n25:00\n1:01:00\n2-01:00:00\ninfinite\n");
    free(printed);
}

/* A command cannot end a row, and a row of sinfo with the name of a node is that of one node. */
static void test_rows(void **state)
{
    static const char *const command[] = { "a\nJobId=1", "\t\x7f", "z\xc3\xa9", NULL };
    const struct creel_app app = { .command = command,
                                   .requested = { .other_count = 1,
                                                  .others = { { .name = "yarn.io/gpu", .amount = 2 } } } },
                           plain = { .command = command };
    const struct job_row row = { .app = &app }, plain_row = { .app = &plain };
    const struct creel_node node = { .id = "n1:8041" };
    const struct creel_node *nodes[] = { &node };
    const struct node_group group = { .nodes = nodes, .count = 1 };
    struct format format;
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    (void)state;
    assert_int_equal(format_read_letters(&format, "%b|%o", squeue_fields, arena, NULL), 0);
    format_print_row(&format, &row, out);
    format_print_row(&format, &plain_row, out);
    assert_int_equal(format_read_letters(&format, "%n|%o|%N", sinfo_fields, arena, NULL), 0);
    format_print_row(&format, &group, out);
    fclose(out);
    assert_string_equal(printed, "gres:gpu:2|a?JobId=1 ?? z\xc3\xa9\n"
                                 "N/A|a?JobId=1 ?? z\xc3\xa9\n"
                                 "n1|n1|n1\n");
    free(printed);
    assert_false(node_field_is_sum(format.columns[0].field->put));
    assert_false(node_field_is_sum(format.columns[1].field->put));
    assert_true(node_field_is_sum(format.columns[2].field->put));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fields, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_users, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_dependencies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_requeued, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_partition_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rows, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
