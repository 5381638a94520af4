/* SPDX-License-Identifier: Apache-2.0 */
/* store_job_sums.c - test: sums of the history by user, queue and hour, with the use of containers */
#include <errno.h>

#include "tests/unit/am/job_history_fixture.h"

static void sums_cover_the_containers(void **state)
{
    struct history_fixture *f = *state;
    struct err err = { 0 };
    struct app_id id = { NOW_MS, 1 }, none = { NOW_MS, 99 };
    Creel__AppReport *app;

    history_add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    history_add_container(f, 1, 1, NOVEMBER_MS - 500, "n1:1", 0);
    history_add_container(f, 1, 2, NOVEMBER_MS + 500, "n2:1", 1); /* ends after its application */
    history_add_container(f, 2, 1, NOVEMBER_MS, "n3:1", 0);       /* of another one */
    history_write(f);
    HISTORY_LIST(f, .name = NULL);
    assert_int_equal(f->last->ended_containers, 2);
    assert_int_equal(f->last->failed_containers, 1);
    assert_int_equal(f->last->cpu_time_us, 3000);
    assert_int_equal(f->last->memory_peak_bytes, 2000000);
    assert_int_equal(f->last->written_bytes, 14);
    assert_int_equal(f->last->node_count, 2);

    assert_ok(job_history_find(f->directory, &id, &app, &err), err);
    assert_int_equal(app->n_nodes, 2);
    assert_string_equal(app->nodes[1], "n2:1");
    protobuf_c_message_free_unpacked(&app->base, NULL);
    assert_int_equal(job_history_find(f->directory, &none, &app, &err), -ENOENT);
    assert_contains(err.text, "application_1700000000000_0099");
}

/* The times of containers are those of their nodes. */
static void the_clock_of_a_node_may_be_behind_at_the_begin_of_a_month(void **state)
{
    const int64_t begin_ms = INT64_C(1793491200000); /* 2026-11-01 00:00 */
    struct history_fixture *f = *state;
    struct err err = { 0 };
    struct app_id id = { NOW_MS, 1 };
    Creel__AppReport *app;

    history_add_container(f, 1, 1, begin_ms - 1, "n1:1", 0); /* in the file of October */
    history_add_container(f, 1, 2, begin_ms + 1, "n2:1", 0);
    history_add_app(f, 1, begin_ms + 90000, "ann", "root.a");
    history_write(f);
    assert_ok(job_history_find(f->directory, &id, &app, &err), err);
    assert_true(app->submitted_ms >= begin_ms);
    assert_int_equal(app->ended_containers, 2);
    protobuf_c_message_free_unpacked(&app->base, NULL);
    HISTORY_SUM(f, JOB_HISTORY_BY_USER, .name = NULL);
    assert_int_equal(f->sum.cpu_time_us, 3000);
}

static void sums_are_by_user_queue_and_hour(void **state)
{
    struct history_fixture *f = *state;
    char *parent[] = { (char *)(uintptr_t) "root.prod" };

    assert_string_equal(HISTORY_SUM(f, JOB_HISTORY_BY_USER, .name = NULL), ""); /* no folder yet */
    history_add_app(f, 1, NOVEMBER_MS, "ann", "root.prod.etl");
    history_add_app(f, 2, NOVEMBER_MS + 3600000, "ben", "root.prod.web");
    history_add_app(f, 3, NOVEMBER_MS - 30 * (int64_t)DAY_MS, "ann", "root.dev"); /* October */
    history_add_app(f, 4, NOVEMBER_MS, "ann", "root.dev");
    history_write(f);
    assert_string_equal(HISTORY_SUM(f, JOB_HISTORY_BY_USER, .name = NULL), "ann:3/2/1/0 ben:1/0/1/0");
    assert_string_equal(HISTORY_SUM(f, JOB_HISTORY_BY_QUEUE, .name = NULL),
                        "root.dev:2/1/1/0 root.prod.etl:1/1/0/0 root.prod.web:1/0/1/0");
    assert_string_equal(HISTORY_SUM(f, JOB_HISTORY_BY_QUEUE, .queues = parent, .queue_count = 1),
                        "root.prod.etl:1/1/0/0 root.prod.web:1/0/1/0");
    assert_string_equal(HISTORY_SUM(f, JOB_HISTORY_BY_USER, .name = "job-[34]"), "ann:2/1/1/0");
    assert_int_equal(f->sum.vcore_seconds, 7);
    assert_int_equal(f->sum.memory_mb_seconds, 70);
    assert_int_equal(f->sum.waited_ms, 1200);
    assert_string_equal(
        HISTORY_SUM(f, JOB_HISTORY_BY_HOUR, .since_ms = NOVEMBER_MS), /* 11:06:40 and 12:06:40 UTC */
        "1794999600000:2/1/1/0 1795003200000:1/0/1/0");
    assert_string_equal(history_sum_page(f, JOB_HISTORY_BY_HOUR, 1800000,
                                         (struct job_history_filter){ .since_ms = NOVEMBER_MS }),
                        "1794997800000:2/1/1/0 1795001400000:1/0/1/0");
}

static void pages_of_sums_have_every_group_once(void **state)
{
    struct history_fixture *f = *state;
    static const char *const users[] = { "ann", "ben", "carl", "dana", "eve" };
    char all[2 * sizeof(f->listed)] = "", after[64] = "";

    for (unsigned i = 0; i < 20; i++) /* dana only in October, eve only in November */
        history_add_app(
            f, i + 1, i % 5 == 3 || (i % 5 < 3 && i < 10) ? NOVEMBER_MS - 30 * (int64_t)DAY_MS : NOVEMBER_MS,
            users[i % 5], "root.a");
    history_write(f);
    do {
        const char *last;

        HISTORY_SUM(f, JOB_HISTORY_BY_USER, .limit = 2, .after = after);
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", *all ? " " : "", f->listed);
        last = strrchr(f->listed, ' ') ? strrchr(f->listed, ' ') + 1 : f->listed;
        snprintf(after, sizeof(after), "%.*s", (int)strcspn(last, ":"), last);
    } while (f->more);
    assert_string_equal(all, HISTORY_SUM(f, JOB_HISTORY_BY_USER, .name = NULL));
    assert_string_equal(all, "ann:4/2/2/0 ben:4/2/2/0 carl:4/2/2/0 dana:4/2/2/0 eve:4/2/2/0");
}

static void pages_of_hours_go_on_behind_the_last(void **state)
{
    struct history_fixture *f = *state;
    struct job_history_filter bad = { .limit = 1, .after = "noon" };
    struct err err = { 0 };

    for (unsigned i = 1; i <= 3; i++)
        history_add_app(f, i, NOVEMBER_MS + i * 3600000, "ann", "root.a");
    history_write(f);
    HISTORY_SUM(f, JOB_HISTORY_BY_HOUR, .limit = 2, .after = "1795003200000");
    assert_string_equal(f->listed, "1795006800000:1/0/1/0 1795010400000:1/1/0/0");
    assert_false(f->more);
    assert_int_equal(job_history_sum(f->directory, &bad, JOB_HISTORY_BY_HOUR, 0, history_note_sum, f,
                                     &f->more, &f->damaged, &err),
                     -EINVAL);
}

static void sums_have_the_usage_of_containers(void **state)
{
    struct history_fixture *f = *state;
    int64_t begin_ms = 1793491200000; /* 2026-11-01 00:00 UTC */

    history_add_container(f, 1, 1, begin_ms - 500, "n1:1", 0); /* in the month before its application */
    history_add_container(f, 1, 2, begin_ms + 100, "n1:1", 0);
    history_add_container(f, 2, 8, begin_ms + 100, "n1:1", 0); /* of another one */
    history_add_app(f, 1, begin_ms + 500, "ann", "root.a");
    history_add_container(f, 1, 3, begin_ms + 900, "n1:1", 0); /* later than its application */
    history_write(f);
    for (int i = 0; i < 2; i++) {
        HISTORY_SUM(f, JOB_HISTORY_BY_USER, .name = NULL);
        assert_int_equal(f->sum.cpu_time_us, 6000);
        assert_int_equal(f->sum.memory_used_mb_seconds, 1 + 3 + 5); /* 2 s of 0.95, 1.9 and 2.9 MiB */
        history_add_container(f, 1, 3, begin_ms + 900, "n1:1", 0);  /* again, after a crash */
        history_add_app(f, 1, begin_ms + 500, "ann", "root.a");
        history_add_container(f, 1, 2, begin_ms + 100, "n1:1", 0);
        history_write(f);
    }
}

/* Makes of a file of the present schema what version 0.2.0 wrote. */
static void make_schema_1(const char *path)
{
    sqlite3 *database;

    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(
            database,
            "DROP TABLE container_sums; DROP INDEX apps_by_end; ALTER TABLE apps DROP COLUMN succeeded;"
            "ALTER TABLE apps DROP COLUMN waited_ms; ALTER TABLE apps DROP COLUMN cpu_time_us;"
            "ALTER TABLE apps DROP COLUMN memory_used_mb_seconds;"
            "ALTER TABLE containers DROP COLUMN memory_used_mb_seconds;"
            "CREATE INDEX apps_by_end ON apps (finished_ms, cluster_ms, seq);"
            "PRAGMA user_version = 1",
            NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(database);
}

static void a_file_of_version_0_2_0_is_upgraded_when_read_or_written(void **state)
{
    struct history_fixture *f = *state;
    scoped_free char *path = mem_printf("%s/history/2026-11.db", f->directory);

    history_add_container(f, 1, 1, NOVEMBER_MS - 500, "n1:1", 0);
    history_add_container(f, 1, 2, NOVEMBER_MS - 500, "n1:1", 0);
    history_add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    history_write(f);
    for (int writes = 0; writes < 2; writes++) {
        job_history_free(f->history);
        make_schema_1(path);
        f->history = job_history_new(f->directory, YEAR_MS, 0);
        if (writes) {
            history_add_app(f, 2, NOVEMBER_MS, "bob", "root.a");
            history_write(f);
            assert_null(f->set_aside);
        }
        HISTORY_SUM(f, JOB_HISTORY_BY_USER, .name = "job-1");
        assert_int_equal(f->sum.jobs, 1);
        assert_int_equal(f->sum.succeeded, 1);
        assert_int_equal(f->sum.waited_ms, 600);
        assert_int_equal(f->sum.cpu_time_us, 3000);
        assert_int_equal(f->sum.memory_used_mb_seconds, 1 + 3);
        assert_int_equal(f->damaged, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_cover_the_containers, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(the_clock_of_a_node_may_be_behind_at_the_begin_of_a_month,
                                        history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(sums_are_by_user_queue_and_hour, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(pages_of_sums_have_every_group_once, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(pages_of_hours_go_on_behind_the_last, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(sums_have_the_usage_of_containers, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_file_of_version_0_2_0_is_upgraded_when_read_or_written,
                                        history_set_up, history_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
