/* SPDX-License-Identifier: Apache-2.0 */
/* store_job_history.c - test: what is written to history files is found again, page by page */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/unit/am/job_history_fixture.h"

#define QUEUES 256u

/* Fills QUEUES with names of queues that no application was in. */
static void name_queues(char *queues[QUEUES], char names[QUEUES][24])
{
    for (unsigned i = 0; i < QUEUES; i++) {
        snprintf(names[i], sizeof(names[i]), "root.none%u", i);
        queues[i] = names[i];
    }
}

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

/* Names of queues are looked up, whatever their number. */
static void many_queues_are_looked_up(void **state)
{
    struct history_fixture *f = *state;
    char *queues[QUEUES + 1], names[QUEUES][24];

    name_queues(queues, names);
    queues[QUEUES] = (char *)(uintptr_t) "root.prod";
    history_add_app(f, 1, NOVEMBER_MS + 1, "ann", "root.prod.etl");
    history_add_app(f, 2, NOVEMBER_MS + 2, "ben", "root.prod2");
    history_add_app(f, 3, NOVEMBER_MS + 3, "ann", "root.none1x");
    history_add_app(f, 4, NOVEMBER_MS + 4, "ann", "root.none255.a.b");
    history_write(f);
    assert_string_equal(HISTORY_LIST(f, .queues = queues, .queue_count = QUEUES), "4");
    assert_string_equal(HISTORY_LIST(f, .queues = queues, .queue_count = QUEUES + 1), "4 1");
}

/* A comparison with each name for each row took 5.7 s for 22,000 rows. */
static void many_queues_cost_little(void **state)
{
    struct history_fixture *f = *state;
    char *queues[QUEUES], names[QUEUES][24];
    clock_t begun;

    name_queues(queues, names);
    for (unsigned i = 1; i <= ROWS_MAX; i++)
        history_add_app(f, i, NOVEMBER_MS + i, "ann", "root.a.b.c");
    history_write(f);
    begun = clock();
    for (unsigned i = 0; i < 100; i++)
        assert_string_equal(HISTORY_LIST(f, .queues = queues, .queue_count = QUEUES), "");
    assert_in_range(clock() - begun, 0, 2 * CLOCKS_PER_SEC);
}

static void a_page_may_end_after_any_row(void **state)
{
    struct history_fixture *f = *state;
    char *queues[] = { (char *)(uintptr_t) "b" };
    char all[8300] = "", next[JOB_HISTORY_NEXT_MAX] = "";
    unsigned pages = 0;

    for (unsigned i = 1; i <= 9; i++)
        history_add_app(f, i, NOVEMBER_MS + i, "ann", i % 4 == 0 ? "root.b" : "root.a");
    history_write(f);
    do {
        HISTORY_LIST(f, .queues = queues, .queue_count = 1, .page_ms = -1, .after = next);
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s.", f->listed);
        memcpy(next, f->next, sizeof(next));
    } while (next[0] != '\0' && ++pages < 20);
    assert_string_equal(all, ".8....4.....");
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
    f->history = job_history_new(f->directory, YEAR_MS, 0);
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

/* --- the share of a user ---------------------------------------------------- */

#define OCTOBER_MS (NOVEMBER_MS - 30 * (int64_t)DAY_MS)

static int free_pages(const char *directory, const char *file)
{
    scoped_free char *path = mem_printf("%s/history/%s", directory, file);
    sqlite3_stmt *statement = NULL;
    sqlite3 *database = NULL;
    int count;

    assert_int_equal(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, "PRAGMA freelist_count", -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return count;
}

/* Space that was not given back would never be used again in the file of an earlier month. */
static void the_space_of_deleted_rows_is_given_back(void **state)
{
    struct history_fixture *f = *state;

    job_history_free(f->history);
    f->history = job_history_new(f->directory, YEAR_MS, 8000);
    for (unsigned seq = 1; seq < 150; seq++)
        history_add_app(f, seq, OCTOBER_MS + seq, "ann", "q");
    history_write(f);
    assert_true(job_history_removed(f->history).apps > 100);
    assert_int_equal(free_pages(f->directory, "2026-10.db"), 0);
}

/* The oldest application of all is that of another user. */
static void the_oldest_rows_of_a_user_over_the_limit_are_deleted(void **state)
{
    struct history_fixture *f = *state;
    char *ann[] = { (char[]){ "ann" } }, *bob[] = { (char[]){ "bob" } };

    job_history_free(f->history);
    f->history = job_history_new(f->directory, YEAR_MS, 4000); /* each row has 200 to 400 bytes */
    history_add_app(f, 1, OCTOBER_MS - DAY_MS, "bob", "q");
    for (unsigned seq = 2; seq < 30; seq++)
        history_add_app(f, seq, (seq < 25 ? OCTOBER_MS : NOVEMBER_MS) + seq, "ann", "q");
    history_write(f);
    assert_string_equal(HISTORY_LIST(f, .users = bob, .user_count = 1, .limit = 100), "1");
    assert_true(job_history_removed(f->history).apps > 10);
    HISTORY_LIST(f, .users = ann, .user_count = 1, .limit = 100);
    assert_int_equal(strncmp(f->listed, "29 28 27 26 25 24", strlen("29 28 27 26 25 24")), 0);
    assert_null(strstr(f->listed, " 2 "));
    assert_null(strstr(f->listed, " 10 "));
}

/* Rows of an earlier run count. */
static void rows_from_before_the_start_count(void **state)
{
    struct history_fixture *f = *state;
    char *ann[] = { (char[]){ "ann" } };

    for (unsigned seq = 1; seq < 30; seq++)
        history_add_app(f, seq, NOVEMBER_MS + seq, "ann", "q");
    history_write(f);
    assert_int_equal(job_history_removed(f->history).apps, 0);
    job_history_free(f->history);
    f->history = job_history_new(f->directory, YEAR_MS, 4000);
    history_add_app(f, 30, NOVEMBER_MS + 30, "ann", "q");
    history_write(f);
    assert_true(job_history_removed(f->history).apps > 10);
    HISTORY_LIST(f, .users = ann, .user_count = 1, .limit = 100);
    assert_int_equal(strncmp(f->listed, "30 29 28", strlen("30 29 28")), 0);
    assert_null(strstr(f->listed, " 5 "));
}

/* Returns the numbers of the containers of application SEQ, as " 1 2 3". It began in October. */
static const char *containers_of(struct history_fixture *f, unsigned seq)
{
    Creel__AppReport app = CREEL__APP_REPORT__INIT;
    struct app_id id = { NOW_MS, seq };
    char text[ID_TEXT_MAX];
    bool more;

    app.app_id = (char *)(uintptr_t)app_id_format(&id, text);
    app.submitted_ms = OCTOBER_MS;
    app.finished_ms = NOVEMBER_MS;
    f->listed[0] = '\0';
    assert_int_equal(job_history_containers(f->directory, &app, NULL, 100, count_container, f, &more, NULL),
                     0);
    return f->listed;
}

static void containers_go_with_their_application(void **state)
{
    struct history_fixture *f = *state;

    job_history_free(f->history);
    f->history = job_history_new(f->directory, YEAR_MS, 4000);
    for (unsigned number = 1; number <= 4; number++)
        history_add_container(f, 1, number, NOVEMBER_MS, "n1:1", 0);
    history_add_app(f, 1, NOVEMBER_MS, "ann", "q");
    history_write(f);
    assert_string_equal(containers_of(f, 1), " 1 2 3 4");
    for (unsigned seq = 2; seq < 15; seq++)
        history_add_app(f, seq, NOVEMBER_MS + seq, "ann", "q");
    history_write(f);
    assert_in_range(job_history_removed(f->history).apps, 1, 2);
    assert_string_equal(containers_of(f, 1), "");
}

static void containers_of_earlier_months_go_with_their_application(void **state)
{
    struct history_fixture *f = *state;

    job_history_free(f->history);
    f->history = job_history_new(f->directory, YEAR_MS, 4000);
    history_add_container(f, 1, 1, OCTOBER_MS, "n1:1", 0);
    history_add_container(f, 2, 1, OCTOBER_MS, "n1:1", 0);
    history_add_container(f, 1, 2, NOVEMBER_MS, "n1:1", 0);
    history_add_app(f, 1, NOVEMBER_MS, "ann", "q");
    history_write(f);
    assert_string_equal(containers_of(f, 1), " 1 2");
    for (unsigned seq = 3; seq < 18; seq++)
        history_add_app(f, seq, NOVEMBER_MS + seq, "ann", "q");
    history_write(f);
    assert_true(job_history_removed(f->history).apps > 0);
    assert_string_equal(containers_of(f, 1), "");
    assert_string_equal(containers_of(f, 2), " 1");
}

/* Writes COUNT containers of application 1, which runs, from number FIRST on. */
static void write_containers(struct history_fixture *f, unsigned first, unsigned count, int64_t finished_ms,
                             int exit_status)
{
    for (unsigned number = first; number < first + count; number++)
        history_add_container(f, 1, number, finished_ms, "n1:1", exit_status);
    history_write(f);
}

static unsigned count_containers_of(struct history_fixture *f, unsigned seq)
{
    unsigned count = 0;

    for (const char *next = containers_of(f, seq); (next = strchr(next, ' ')) != NULL; next++)
        count++;
    return count;
}

static void containers_of_a_running_application_are_limited(void **state)
{
    struct history_fixture *f = *state;

    job_history_free(f->history);
    f->history = job_history_new(f->directory, YEAR_MS, 4000);
    write_containers(f, 1, 8, OCTOBER_MS, 0);
    assert_string_equal(containers_of(f, 1), " 1 2 3 4 5 6 7 8");
    write_containers(f, 9, 7, NOVEMBER_MS, 0);
    assert_null(strstr(containers_of(f, 1), " 1 "));
    assert_contains(f->listed, " 8 9 10 11 12 13 14 15");
    for (unsigned first = 16; first < 216; first += 10) {
        write_containers(f, first, 10, NOVEMBER_MS, 0);
        assert_in_range(count_containers_of(f, 1), 8, 16);
    }
    assert_contains(f->listed, " 213 214 215");
    assert_int_equal(job_history_removed(f->history).containers, 215 - count_containers_of(f, 1));
    assert_int_equal(job_history_removed(f->history).apps, 0);
}

static void ended_applications_go_before_containers_of_running_ones(void **state)
{
    struct history_fixture *f = *state;

    job_history_free(f->history);
    f->history = job_history_new(f->directory, YEAR_MS, 4000);
    history_add_container(f, 2, 1, OCTOBER_MS, "n1:1", 0);
    history_add_app(f, 2, NOVEMBER_MS, "ann", "q");
    history_add_container(f, 0, 1, NOVEMBER_MS, "n1:1", 0); /* of another one that runs */
    write_containers(f, 1, 9, OCTOBER_MS, 0);
    write_containers(f, 10, 5, NOVEMBER_MS, 0);
    assert_int_equal(job_history_removed(f->history).apps, 1);
    assert_string_equal(containers_of(f, 2), "");
    write_containers(f, 20, 10, NOVEMBER_MS, 0);
    assert_true(job_history_removed(f->history).containers > 0);
    write_containers(f, 40, 10, NOVEMBER_MS, 0);
    assert_string_equal(containers_of(f, 0), " 1"); /* the other one has more */
}

static void a_container_that_is_written_again_counts_once(void **state)
{
    struct history_fixture *f = *state;

    job_history_free(f->history);
    f->history = job_history_new(f->directory, YEAR_MS, 4000);
    for (int times = 0; times < 20; times++)
        write_containers(f, 1, 10, NOVEMBER_MS, times / 2);
    assert_int_equal(count_containers_of(f, 1), 10);
    assert_int_equal(job_history_removed(f->history).containers, 0);
}

/* Schema 2 lacks the sizes of the rows of containers. */
static void rows_of_an_earlier_schema_count(void **state)
{
    struct history_fixture *f = *state;
    scoped_free char *path = november(f);
    sqlite3 *database = NULL;

    write_containers(f, 1, 30, NOVEMBER_MS, 0);
    job_history_free(f->history);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(database, "DROP TABLE container_sums; PRAGMA user_version = 2", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(database);
    f->history = job_history_new(f->directory, YEAR_MS, 4000);
    write_containers(f, 31, 1, NOVEMBER_MS, 0);
    assert_null(f->set_aside);
    assert_in_range(count_containers_of(f, 1), 8, 16);
    assert_contains(f->listed, " 30 31");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_last_ended_is_listed_first, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(pages_list_every_row_once, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(filters_choose, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(many_queues_are_looked_up, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(many_queues_cost_little, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_page_may_end_after_any_row, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_false_position_is_refused, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(tasks_are_found_by_their_array, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(containers_come_in_order_and_in_pages, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(a_row_may_be_written_twice, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(old_files_go_and_old_rows_do_not_come_back, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(one_old_file_goes_in_an_hour, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_set_aside, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_rows_of_a_user_over_the_limit_are_deleted, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(the_space_of_deleted_rows_is_given_back, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(rows_from_before_the_start_count, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(containers_go_with_their_application, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(containers_of_earlier_months_go_with_their_application,
                                        history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(containers_of_a_running_application_are_limited, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(ended_applications_go_before_containers_of_running_ones,
                                        history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_container_that_is_written_again_counts_once, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(rows_of_an_earlier_schema_count, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_file_may_be_deleted_at_any_time, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_made_is_an_error, history_set_up,
                                        history_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
