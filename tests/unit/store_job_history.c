/* SPDX-License-Identifier: Apache-2.0 */
/* store_job_history.c - test: what is written to history files is found again, page by page */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/unit/job_history_fixture.h"

static void the_last_ended_is_listed_first(void **state)
{
    struct history_fixture *f = *state;

    assert_string_equal(HISTORY_LIST(f, .name = NULL), ""); /* no folder yet */
    history_add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    history_add_app(f, 2, NOVEMBER_MS + 5, "ben", "root.a");
    history_add_app(f, 3, NOVEMBER_MS - 30 * (int64_t)DAY_MS, "ann", "root.a"); /* October */
    history_add_app(f, 4, NOVEMBER_MS + 5, "ann", "root.a");
    history_write(f);
    assert_string_equal(HISTORY_LIST(f, .name = NULL), "4 2 1 3");
    assert_string_equal(f->last->name, "job-3");
    assert_string_equal(f->next, "");
}

static void pages_list_every_row_once(void **state)
{
    struct history_fixture *f = *state;
    char all[2 * sizeof(f->listed)] = "", next[JOB_HISTORY_NEXT_MAX] = "";

    for (unsigned i = 1; i <= 9; i++) /* several end in the same millisecond, over two months */
        history_add_app(f, i, NOVEMBER_MS + (i % 2) - (i > 6 ? 30 * (int64_t)DAY_MS : 0), "ann", "root.a");
    history_write(f);
    do {
        size_t used = strlen(all);

        HISTORY_LIST(f, .limit = 2, .after = next);
        snprintf(all + used, sizeof(all) - used, "%s%s", used > 0 ? " " : "", f->listed);
        memcpy(next, f->next, sizeof(next));
    } while (next[0] != '\0');
    assert_string_equal(all, HISTORY_LIST(f, .name = NULL));
    assert_string_equal(all, "5 3 1 6 4 2 9 7 8");
}

static void filters_choose(void **state)
{
    struct history_fixture *f = *state;
    char *users[] = { (char *)(uintptr_t) "ann", (char *)(uintptr_t) "carl" };
    char *leaf[] = { (char *)(uintptr_t) "etl" }, *parent[] = { (char *)(uintptr_t) "root.prod" };
    char *part[] = { (char *)(uintptr_t) "rod.etl" };
    Creel__AppState failed[] = { CREEL__APP_STATE__APP_FAILED };

    history_add_app(f, 1, NOVEMBER_MS + 1, "ann", "root.prod.etl");
    history_add_app(f, 2, NOVEMBER_MS + 2, "ben", "root.prod.web");
    history_add_app(f, 3, NOVEMBER_MS + 3, "carl", "root.dev");
    history_add_app(f, 10, NOVEMBER_MS + 10, "ann", "root.dev");
    history_write(f);
    assert_string_equal(HISTORY_LIST(f, .users = users, .user_count = 2), "10 3 1");
    assert_string_equal(HISTORY_LIST(f, .queues = leaf, .queue_count = 1), "1");
    assert_string_equal(HISTORY_LIST(f, .queues = parent, .queue_count = 1), "2 1");
    assert_string_equal(HISTORY_LIST(f, .queues = part, .queue_count = 1), "");
    assert_string_equal(HISTORY_LIST(f, .states = failed, .state_count = 1), "10 2");
    assert_string_equal(HISTORY_LIST(f, .name = "job-1*"), "10 1");
    assert_string_equal(HISTORY_LIST(f, .since_ms = NOVEMBER_MS + 2, .until_ms = NOVEMBER_MS + 3), "3 2");
    assert_string_equal(HISTORY_LIST(f, .users = users, .user_count = 1, .name = "*0", .since_ms = 1), "10");
}

static void a_false_position_is_refused(void **state)
{
    struct history_fixture *f = *state;
    struct job_history_filter filter = { .limit = 1, .after = "yesterday" };
    struct err err = { 0 };

    assert_int_equal(job_history_list(f->directory, &filter, history_note, f, f->next, &f->damaged, &err),
                     -EINVAL);
    assert_contains(err.text, "yesterday");
}

static void tasks_are_found_by_their_array(void **state)
{
    struct history_fixture *f = *state;
    struct app_id array = { NOW_MS, 7 };
    struct err err = { 0 };
    Creel__AppReport *app;

    history_add_app(f, 7, NOVEMBER_MS, "ann", "root.a");
    history_add_task(f, 8, 7, 3);
    history_add_task(f, 9, 6, 4); /* of another array */
    history_add_task(f, 10, 7, 4);
    history_add_container(f, 10, 1, NOVEMBER_MS, "n1:1", 0);
    history_write(f);
    assert_ok(job_history_find_task(f->directory, &array, 4, &app, &err), err);
    assert_string_equal(app->app_id, "application_1700000000000_0010");
    assert_int_equal(app->n_nodes, 1);
    protobuf_c_message_free_unpacked(&app->base, NULL);
    assert_int_equal(job_history_find_task(f->directory, &array, 5, &app, &err), -ENOENT);
    assert_contains(err.text, "application_1700000000000_0007_5");
}

static void count_container(void *context, Creel__ContainerReport *report)
{
    struct history_fixture *f = context;
    size_t used = strlen(f->listed);
    struct container_id id;

    assert_true(container_id_parse(report->container_id, &id));
    snprintf(f->listed + used, sizeof(f->listed) - used, " %u", id.number);
    protobuf_c_message_free_unpacked(&report->base, NULL);
}

static void containers_come_in_order_and_in_pages(void **state)
{
    struct history_fixture *f = *state;
    struct container_id after = { { { NOW_MS, 1 }, 1 }, 0, 3 };
    struct app_id id = { NOW_MS, 1 };
    struct err err = { 0 };
    Creel__AppReport *app;
    bool more;

    history_add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    for (unsigned i = 5; i >= 1; i--)
        history_add_container(f, 1, i, NOVEMBER_MS, "n1:1", 0);
    history_write(f);
    assert_ok(job_history_find(f->directory, &id, &app, &err), err);
    f->listed[0] = '\0';
    assert_ok(job_history_containers(f->directory, app, NULL, 3, count_container, f, &more, &err), err);
    assert_true(more);
    assert_ok(job_history_containers(f->directory, app, &after, 3, count_container, f, &more, &err), err);
    assert_false(more);
    assert_string_equal(f->listed, " 1 2 3 4 5");
    protobuf_c_message_free_unpacked(&app->base, NULL);
}

static void a_row_may_be_written_twice(void **state)
{
    struct history_fixture *f = *state;

    for (int i = 0; i < 2; i++) {
        history_add_app(f, 1, NOVEMBER_MS, i ? "ben" : "ann", "root.a");
        history_add_container(f, 1, 1, NOVEMBER_MS, "n1:1", 0);
        history_write(f);
    }
    assert_string_equal(HISTORY_LIST(f, .name = NULL), "1");
    assert_string_equal(f->last->user, "ben");
    assert_int_equal(f->last->ended_containers, 1);
}

static void old_files_go_and_old_rows_do_not_come_back(void **state)
{
    struct history_fixture *f = *state;
    struct err err = { 0 };

    history_add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    history_write(f);
    history_add_app(f, 1, NOVEMBER_MS, "ann", "root.a"); /* is too old then */
    history_add_app(f, 2, NOVEMBER_MS + YEAR_MS + 60 * (int64_t)DAY_MS, "ann", "root.a");
    assert_ok(history_write_at(f, NOVEMBER_MS + YEAR_MS + 60 * (int64_t)DAY_MS, &err), err);
    assert_string_equal(HISTORY_LIST(f, .name = NULL), "2");
}

/* A clock that is wrong by years does not delete all of the history at once. */
static void one_old_file_goes_in_an_hour(void **state)
{
    struct history_fixture *f = *state;
    struct err err = { 0 };
    int64_t later_ms = NOVEMBER_MS + 3 * YEAR_MS;

    for (unsigned i = 1; i <= 3; i++)
        history_add_app(f, i, NOVEMBER_MS - (3 - i) * 31 * (int64_t)DAY_MS, "ann", "root.a");
    history_write(f);
    job_history_free(f->history);
    f->history = job_history_new(f->directory, YEAR_MS);
    assert_ok(history_write_at(f, later_ms - 3600000, &err), err);
    assert_string_equal(HISTORY_LIST(f, .name = NULL), "3 2 1");
    assert_ok(history_write_at(f, later_ms, &err), err);
    assert_string_equal(HISTORY_LIST(f, .name = NULL), "3 2");
    assert_ok(history_write_at(f, later_ms + 3599999, &err), err);
    assert_string_equal(HISTORY_LIST(f, .name = NULL), "3 2");
    assert_ok(history_write_at(f, later_ms + 3600000, &err), err);
    assert_string_equal(HISTORY_LIST(f, .name = NULL), "3");
}

static char *november(struct history_fixture *f)
{
    return mem_printf("%s/history/2026-11.db", f->directory);
}

static void a_damaged_file_is_set_aside(void **state)
{
    struct history_fixture *f = *state;
    scoped_free char *path = november(f);
    struct stat status;
    int fd;

    history_add_app(f, 1, NOVEMBER_MS - 30 * (int64_t)DAY_MS, "ann", "root.a");
    history_write(f);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(write(fd, "this is no database\n", 20), 20);
    close(fd);
    assert_string_equal(HISTORY_LIST(f, .name = NULL), "1"); /* the other file is read */
    assert_int_equal(f->damaged, 1);

    history_add_app(f, 2, NOVEMBER_MS, "ann", "root.a");
    history_write(f);
    assert_non_null(f->set_aside);
    assert_contains(f->set_aside, "2026-11.db.damaged-");
    assert_int_equal(stat(f->set_aside, &status), 0);
    assert_string_equal(HISTORY_LIST(f, .name = NULL), "2 1");
    assert_int_equal(f->damaged, 0);
}

static void a_file_may_be_deleted_at_any_time(void **state)
{
    struct history_fixture *f = *state;
    scoped_free char *path = november(f);

    history_add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    history_write(f);
    assert_int_equal(unlink(path), 0); /* the write-ahead log stays */
    history_add_app(f, 2, NOVEMBER_MS, "ann", "root.a");
    history_write(f);
    assert_string_equal(HISTORY_LIST(f, .name = NULL), "2");
    assert_null(f->set_aside);
}

static void a_folder_that_cannot_be_made_is_an_error(void **state)
{
    struct history_fixture *f = *state;
    scoped_free char *folder = mem_printf("%s/history", f->directory);
    struct err err = { 0 };
    int fd = open(folder, O_WRONLY | O_CREAT, 0600);

    assert_true(fd >= 0);
    close(fd);
    history_add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    assert_true(history_write_at(f, NOVEMBER_MS, &err) < 0);
    assert_contains(err.text, folder);
    unlink(folder);
    history_add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    history_write(f);
    assert_string_equal(HISTORY_LIST(f, .name = NULL), "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_last_ended_is_listed_first, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(pages_list_every_row_once, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(filters_choose, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_false_position_is_refused, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(tasks_are_found_by_their_array, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(containers_come_in_order_and_in_pages, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(a_row_may_be_written_twice, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(old_files_go_and_old_rows_do_not_come_back, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(one_old_file_goes_in_an_hour, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_set_aside, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_file_may_be_deleted_at_any_time, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_made_is_an_error, history_set_up,
                                        history_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
