/* SPDX-License-Identifier: Apache-2.0 */
/* store_job_history.c - test: what is written to history files is found again, page by page */
#include "tests/unit/store_support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "rm/store/job_history.h"

#define NOVEMBER_MS 1795000000000 /* 2026-11-18 */
#define DAY_MS 86400000
#define YEAR_MS (365 * (int64_t)DAY_MS)
#define ROWS_MAX 300

struct fixture {
    char *directory;
    struct job_history *history;
    struct job_history_row rows[ROWS_MAX];
    size_t count;
    char listed[8192]; /* "1 2 3": numbers of applications in order */
    Creel__AppReport *last;
    char next[JOB_HISTORY_NEXT_MAX];
    struct job_history_sum sum; /* the last; without its group */
    bool more;
    size_t damaged;
    char *set_aside;
};

static int set_up(void **state)
{
    struct fixture *f = mem_new0(struct fixture);

    f->directory = scratch_make();
    f->history = job_history_new(f->directory, YEAR_MS);
    *state = f;
    return 0;
}

static void drop_rows(struct fixture *f)
{
    for (size_t i = 0; i < f->count; i++)
        free((void *)(uintptr_t)f->rows[i].packed);
    f->count = 0;
}

static void drop_last(struct fixture *f)
{
    if (f->last != NULL)
        protobuf_c_message_free_unpacked(&f->last->base, NULL);
    f->last = NULL;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    drop_rows(f);
    drop_last(f);
    free(f->set_aside);
    job_history_free(f->history);
    scratch_remove(f->directory);
    free(f);
    return 0;
}

/* --- rows ------------------------------------------------------------------ */

static void add_row(struct fixture *f, enum job_history_kind kind, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *packed = mem_alloc(size + 1);

    protobuf_c_message_pack(message, packed);
    assert_in_range(f->count, 0, ROWS_MAX - 1);
    f->rows[f->count++] = (struct job_history_row){ kind, size, packed };
}

static void add_app(struct fixture *f, unsigned seq, int64_t finished_ms, const char *user, const char *queue)
{
    Creel__AppReport app = CREEL__APP_REPORT__INIT;
    struct app_id id = { NOW_MS, seq };
    char text[ID_TEXT_MAX], name[32];

    snprintf(name, sizeof(name), "job-%u", seq);
    app.app_id = (char *)(uintptr_t)app_id_format(&id, text);
    app.user = (char *)(uintptr_t)user;
    app.queue = (char *)(uintptr_t)queue;
    app.name = name;
    app.state = seq % 2 ? CREEL__APP_STATE__APP_FINISHED : CREEL__APP_STATE__APP_FAILED;
    app.submitted_ms = finished_ms - 1000;
    app.started_ms = finished_ms - 400;
    app.finished_ms = finished_ms;
    app.final_status = seq % 2 ? CREEL__FINAL_STATUS__FINAL_SUCCEEDED : CREEL__FINAL_STATUS__FINAL_FAILED;
    app.vcore_seconds = seq;
    app.memory_mb_seconds = 10 * (uint64_t)seq;
    add_row(f, JOB_HISTORY_APP, &app.base);
}

static void add_task(struct fixture *f, unsigned seq, unsigned array, unsigned index)
{
    Creel__AppReport app = CREEL__APP_REPORT__INIT;
    struct app_id id = { NOW_MS, seq }, of = { NOW_MS, array };
    char text[ID_TEXT_MAX], array_text[ID_TEXT_MAX];

    app.app_id = (char *)(uintptr_t)app_id_format(&id, text);
    app.array_id = (char *)(uintptr_t)app_id_format(&of, array_text);
    app.array_index = index;
    app.user = app.queue = app.name = (char *)(uintptr_t) "ann";
    app.state = CREEL__APP_STATE__APP_FINISHED;
    app.submitted_ms = app.finished_ms = NOVEMBER_MS;
    add_row(f, JOB_HISTORY_APP, &app.base);
}

static void add_container(struct fixture *f, unsigned seq, unsigned number, int64_t finished_ms,
                          const char *node, int exit_status)
{
    Creel__ContainerReport container = CREEL__CONTAINER_REPORT__INIT;
    struct container_id id = { { { NOW_MS, seq }, 1 }, 0, number };
    char text[ID_TEXT_MAX];

    container.container_id = (char *)(uintptr_t)container_id_format(&id, text);
    container.node_id = (char *)(uintptr_t)node;
    container.state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    container.started_ms = finished_ms - 2000;
    container.finished_ms = finished_ms;
    container.exit_status = exit_status;
    container.cpu_time_us = 1000 * number;
    container.memory_peak_bytes = 1000000 * (uint64_t)number;
    container.written_bytes = 7;
    add_row(f, JOB_HISTORY_CONTAINER, &container.base);
}

static int write_rows_at(struct fixture *f, int64_t now_ms, struct err *err)
{
    int r;

    free(f->set_aside);
    r = job_history_write(f->history, f->rows, f->count, now_ms, &f->set_aside, err);
    drop_rows(f);
    return r;
}

static void write_rows(struct fixture *f)
{
    struct err err = { 0 };

    assert_ok(write_rows_at(f, NOVEMBER_MS + DAY_MS, &err), err);
}

/* --- reading --------------------------------------------------------------- */

static bool note(void *context, Creel__AppReport *report)
{
    struct fixture *f = context;
    size_t used = strlen(f->listed);
    struct app_id id;

    assert_true(app_id_parse(report->app_id, &id));
    snprintf(f->listed + used, sizeof(f->listed) - used, "%s%u", used > 0 ? " " : "", id.seq);
    drop_last(f);
    f->last = report;
    return true;
}

static const char *list(struct fixture *f, struct job_history_filter filter)
{
    struct err err = { 0 };

    f->listed[0] = '\0';
    filter.limit = filter.limit > 0 ? filter.limit : 100;
    assert_ok(job_history_list(f->directory, &filter, note, f, f->next, &f->damaged, &err), err);
    return f->listed;
}

#define LIST(f, ...) list((f), (struct job_history_filter){ __VA_ARGS__ })

static void note_sum(void *context, const struct job_history_sum *sum)
{
    struct fixture *f = context;
    size_t used = strlen(f->listed);

    snprintf(f->listed + used, sizeof(f->listed) - used, "%s%s:%d/%d/%d/%d", used > 0 ? " " : "", sum->group,
             (int)sum->jobs, (int)sum->succeeded, (int)sum->failed, (int)sum->killed);
    f->sum = *sum;
    f->sum.group = NULL;
}

/* Returns "GROUP:JOBS/SUCCEEDED/FAILED/KILLED ..." of one page. */
static const char *sum_page(struct fixture *f, enum job_history_group by, int64_t offset_ms,
                            struct job_history_filter filter)
{
    struct err err = { 0 };

    f->listed[0] = '\0';
    filter.limit = filter.limit > 0 ? filter.limit : 100;
    assert_ok(job_history_sum(f->directory, &filter, by, offset_ms, note_sum, f, &f->more, &f->damaged, &err),
              err);
    return f->listed;
}

#define SUM(f, by, ...) sum_page((f), (by), 0, (struct job_history_filter){ __VA_ARGS__ })

/* --- tests ----------------------------------------------------------------- */

static void the_last_ended_is_listed_first(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(LIST(f, .name = NULL), ""); /* no folder yet */
    add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    add_app(f, 2, NOVEMBER_MS + 5, "ben", "root.a");
    add_app(f, 3, NOVEMBER_MS - 30 * (int64_t)DAY_MS, "ann", "root.a"); /* October */
    add_app(f, 4, NOVEMBER_MS + 5, "ann", "root.a");
    write_rows(f);
    assert_string_equal(LIST(f, .name = NULL), "4 2 1 3");
    assert_string_equal(f->last->name, "job-3");
    assert_string_equal(f->next, "");
}

static void pages_list_every_row_once(void **state)
{
    struct fixture *f = *state;
    char all[2 * sizeof(f->listed)] = "", next[JOB_HISTORY_NEXT_MAX] = "";

    for (unsigned i = 1; i <= 9; i++) /* several end in the same millisecond, over two months */
        add_app(f, i, NOVEMBER_MS + (i % 2) - (i > 6 ? 30 * (int64_t)DAY_MS : 0), "ann", "root.a");
    write_rows(f);
    do {
        size_t used = strlen(all);

        LIST(f, .limit = 2, .after = next);
        snprintf(all + used, sizeof(all) - used, "%s%s", used > 0 ? " " : "", f->listed);
        memcpy(next, f->next, sizeof(next));
    } while (next[0] != '\0');
    assert_string_equal(all, LIST(f, .name = NULL));
    assert_string_equal(all, "5 3 1 6 4 2 9 7 8");
}

static void filters_choose(void **state)
{
    struct fixture *f = *state;
    char *users[] = { (char *)(uintptr_t) "ann", (char *)(uintptr_t) "carl" };
    char *leaf[] = { (char *)(uintptr_t) "etl" }, *parent[] = { (char *)(uintptr_t) "root.prod" };
    char *part[] = { (char *)(uintptr_t) "rod.etl" };
    Creel__AppState failed[] = { CREEL__APP_STATE__APP_FAILED };

    add_app(f, 1, NOVEMBER_MS + 1, "ann", "root.prod.etl");
    add_app(f, 2, NOVEMBER_MS + 2, "ben", "root.prod.web");
    add_app(f, 3, NOVEMBER_MS + 3, "carl", "root.dev");
    add_app(f, 10, NOVEMBER_MS + 10, "ann", "root.dev");
    write_rows(f);
    assert_string_equal(LIST(f, .users = users, .user_count = 2), "10 3 1");
    assert_string_equal(LIST(f, .queues = leaf, .queue_count = 1), "1");
    assert_string_equal(LIST(f, .queues = parent, .queue_count = 1), "2 1");
    assert_string_equal(LIST(f, .queues = part, .queue_count = 1), "");
    assert_string_equal(LIST(f, .states = failed, .state_count = 1), "10 2");
    assert_string_equal(LIST(f, .name = "job-1*"), "10 1");
    assert_string_equal(LIST(f, .since_ms = NOVEMBER_MS + 2, .until_ms = NOVEMBER_MS + 3), "3 2");
    assert_string_equal(LIST(f, .users = users, .user_count = 1, .name = "*0", .since_ms = 1), "10");
}

static void a_false_position_is_refused(void **state)
{
    struct fixture *f = *state;
    struct job_history_filter filter = { .limit = 1, .after = "yesterday" };
    struct err err = { 0 };

    assert_int_equal(job_history_list(f->directory, &filter, note, f, f->next, &f->damaged, &err), -EINVAL);
    assert_contains(err.text, "yesterday");
}

static void sums_cover_the_containers(void **state)
{
    struct fixture *f = *state;
    struct err err = { 0 };
    struct app_id id = { NOW_MS, 1 }, none = { NOW_MS, 99 };
    Creel__AppReport *app;

    add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    add_container(f, 1, 1, NOVEMBER_MS - 500, "n1:1", 0);
    add_container(f, 1, 2, NOVEMBER_MS + 500, "n2:1", 1); /* ends after its application */
    add_container(f, 2, 1, NOVEMBER_MS, "n3:1", 0);       /* of another one */
    write_rows(f);
    LIST(f, .name = NULL);
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
    struct fixture *f = *state;
    struct err err = { 0 };
    struct app_id id = { NOW_MS, 1 };
    Creel__AppReport *app;

    add_container(f, 1, 1, begin_ms - 1, "n1:1", 0); /* in the file of October */
    add_container(f, 1, 2, begin_ms + 1, "n2:1", 0);
    add_app(f, 1, begin_ms + 90000, "ann", "root.a");
    write_rows(f);
    assert_ok(job_history_find(f->directory, &id, &app, &err), err);
    assert_true(app->submitted_ms >= begin_ms);
    assert_int_equal(app->ended_containers, 2);
    protobuf_c_message_free_unpacked(&app->base, NULL);
    SUM(f, JOB_HISTORY_BY_USER, .name = NULL);
    assert_int_equal(f->sum.cpu_time_us, 3000);
}

static void tasks_are_found_by_their_array(void **state)
{
    struct fixture *f = *state;
    struct app_id array = { NOW_MS, 7 };
    struct err err = { 0 };
    Creel__AppReport *app;

    add_app(f, 7, NOVEMBER_MS, "ann", "root.a");
    add_task(f, 8, 7, 3);
    add_task(f, 9, 6, 4); /* of another array */
    add_task(f, 10, 7, 4);
    add_container(f, 10, 1, NOVEMBER_MS, "n1:1", 0);
    write_rows(f);
    assert_ok(job_history_find_task(f->directory, &array, 4, &app, &err), err);
    assert_string_equal(app->app_id, "application_1700000000000_0010");
    assert_int_equal(app->n_nodes, 1);
    protobuf_c_message_free_unpacked(&app->base, NULL);
    assert_int_equal(job_history_find_task(f->directory, &array, 5, &app, &err), -ENOENT);
    assert_contains(err.text, "application_1700000000000_0007_5");
}

static void count_container(void *context, Creel__ContainerReport *report)
{
    struct fixture *f = context;
    size_t used = strlen(f->listed);
    struct container_id id;

    assert_true(container_id_parse(report->container_id, &id));
    snprintf(f->listed + used, sizeof(f->listed) - used, " %u", id.number);
    protobuf_c_message_free_unpacked(&report->base, NULL);
}

static void containers_come_in_order_and_in_pages(void **state)
{
    struct fixture *f = *state;
    struct container_id after = { { { NOW_MS, 1 }, 1 }, 0, 3 };
    struct app_id id = { NOW_MS, 1 };
    struct err err = { 0 };
    Creel__AppReport *app;
    bool more;

    add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    for (unsigned i = 5; i >= 1; i--)
        add_container(f, 1, i, NOVEMBER_MS, "n1:1", 0);
    write_rows(f);
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
    struct fixture *f = *state;

    for (int i = 0; i < 2; i++) {
        add_app(f, 1, NOVEMBER_MS, i ? "ben" : "ann", "root.a");
        add_container(f, 1, 1, NOVEMBER_MS, "n1:1", 0);
        write_rows(f);
    }
    assert_string_equal(LIST(f, .name = NULL), "1");
    assert_string_equal(f->last->user, "ben");
    assert_int_equal(f->last->ended_containers, 1);
}

static void old_files_go_and_old_rows_do_not_come_back(void **state)
{
    struct fixture *f = *state;
    struct err err = { 0 };

    add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    write_rows(f);
    add_app(f, 1, NOVEMBER_MS, "ann", "root.a"); /* is too old then */
    add_app(f, 2, NOVEMBER_MS + YEAR_MS + 60 * (int64_t)DAY_MS, "ann", "root.a");
    assert_ok(write_rows_at(f, NOVEMBER_MS + YEAR_MS + 60 * (int64_t)DAY_MS, &err), err);
    assert_string_equal(LIST(f, .name = NULL), "2");
}

/* A clock that is wrong by years does not delete all of the history at once. */
static void one_old_file_goes_in_an_hour(void **state)
{
    struct fixture *f = *state;
    struct err err = { 0 };
    int64_t later_ms = NOVEMBER_MS + 3 * YEAR_MS;

    for (unsigned i = 1; i <= 3; i++)
        add_app(f, i, NOVEMBER_MS - (3 - i) * 31 * (int64_t)DAY_MS, "ann", "root.a");
    write_rows(f);
    job_history_free(f->history);
    f->history = job_history_new(f->directory, YEAR_MS);
    assert_ok(write_rows_at(f, later_ms - 3600000, &err), err);
    assert_string_equal(LIST(f, .name = NULL), "3 2 1");
    assert_ok(write_rows_at(f, later_ms, &err), err);
    assert_string_equal(LIST(f, .name = NULL), "3 2");
    assert_ok(write_rows_at(f, later_ms + 3599999, &err), err);
    assert_string_equal(LIST(f, .name = NULL), "3 2");
    assert_ok(write_rows_at(f, later_ms + 3600000, &err), err);
    assert_string_equal(LIST(f, .name = NULL), "3");
}

static char *november(struct fixture *f)
{
    return mem_printf("%s/history/2026-11.db", f->directory);
}

static void a_damaged_file_is_set_aside(void **state)
{
    struct fixture *f = *state;
    scoped_free char *path = november(f);
    struct stat status;
    int fd;

    add_app(f, 1, NOVEMBER_MS - 30 * (int64_t)DAY_MS, "ann", "root.a");
    write_rows(f);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(write(fd, "this is no database\n", 20), 20);
    close(fd);
    assert_string_equal(LIST(f, .name = NULL), "1"); /* the other file is read */
    assert_int_equal(f->damaged, 1);

    add_app(f, 2, NOVEMBER_MS, "ann", "root.a");
    write_rows(f);
    assert_non_null(f->set_aside);
    assert_contains(f->set_aside, "2026-11.db.damaged-");
    assert_int_equal(stat(f->set_aside, &status), 0);
    assert_string_equal(LIST(f, .name = NULL), "2 1");
    assert_int_equal(f->damaged, 0);
}

static void a_file_may_be_deleted_at_any_time(void **state)
{
    struct fixture *f = *state;
    scoped_free char *path = november(f);

    add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    write_rows(f);
    assert_int_equal(unlink(path), 0); /* the write-ahead log stays */
    add_app(f, 2, NOVEMBER_MS, "ann", "root.a");
    write_rows(f);
    assert_string_equal(LIST(f, .name = NULL), "2");
    assert_null(f->set_aside);
}

static void a_folder_that_cannot_be_made_is_an_error(void **state)
{
    struct fixture *f = *state;
    scoped_free char *folder = mem_printf("%s/history", f->directory);
    struct err err = { 0 };
    int fd = open(folder, O_WRONLY | O_CREAT, 0600);

    assert_true(fd >= 0);
    close(fd);
    add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    assert_true(write_rows_at(f, NOVEMBER_MS, &err) < 0);
    assert_contains(err.text, folder);
    unlink(folder);
    add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    write_rows(f);
    assert_string_equal(LIST(f, .name = NULL), "1");
}

static void sums_are_by_user_queue_and_hour(void **state)
{
    struct fixture *f = *state;
    char *parent[] = { (char *)(uintptr_t) "root.prod" };

    assert_string_equal(SUM(f, JOB_HISTORY_BY_USER, .name = NULL), ""); /* no folder yet */
    add_app(f, 1, NOVEMBER_MS, "ann", "root.prod.etl");
    add_app(f, 2, NOVEMBER_MS + 3600000, "ben", "root.prod.web");
    add_app(f, 3, NOVEMBER_MS - 30 * (int64_t)DAY_MS, "ann", "root.dev"); /* October */
    add_app(f, 4, NOVEMBER_MS, "ann", "root.dev");
    write_rows(f);
    assert_string_equal(SUM(f, JOB_HISTORY_BY_USER, .name = NULL), "ann:3/2/1/0 ben:1/0/1/0");
    assert_string_equal(SUM(f, JOB_HISTORY_BY_QUEUE, .name = NULL),
                        "root.dev:2/1/1/0 root.prod.etl:1/1/0/0 root.prod.web:1/0/1/0");
    assert_string_equal(SUM(f, JOB_HISTORY_BY_QUEUE, .queues = parent, .queue_count = 1),
                        "root.prod.etl:1/1/0/0 root.prod.web:1/0/1/0");
    assert_string_equal(SUM(f, JOB_HISTORY_BY_USER, .name = "job-[34]"), "ann:2/1/1/0");
    assert_int_equal(f->sum.vcore_seconds, 7);
    assert_int_equal(f->sum.memory_mb_seconds, 70);
    assert_int_equal(f->sum.waited_ms, 1200);
    assert_string_equal(SUM(f, JOB_HISTORY_BY_HOUR, .since_ms = NOVEMBER_MS), /* 11:06:40 and 12:06:40 UTC */
                        "1794999600000:2/1/1/0 1795003200000:1/0/1/0");
    assert_string_equal(
        sum_page(f, JOB_HISTORY_BY_HOUR, 1800000, (struct job_history_filter){ .since_ms = NOVEMBER_MS }),
        "1794997800000:2/1/1/0 1795001400000:1/0/1/0");
}

static void pages_of_sums_have_every_group_once(void **state)
{
    struct fixture *f = *state;
    static const char *const users[] = { "ann", "ben", "carl", "dana", "eve" };
    char all[2 * sizeof(f->listed)] = "", after[64] = "";

    for (unsigned i = 0; i < 20; i++) /* dana only in October, eve only in November */
        add_app(f, i + 1,
                i % 5 == 3 || (i % 5 < 3 && i < 10) ? NOVEMBER_MS - 30 * (int64_t)DAY_MS : NOVEMBER_MS,
                users[i % 5], "root.a");
    write_rows(f);
    do {
        const char *last;

        SUM(f, JOB_HISTORY_BY_USER, .limit = 2, .after = after);
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", *all ? " " : "", f->listed);
        last = strrchr(f->listed, ' ') ? strrchr(f->listed, ' ') + 1 : f->listed;
        snprintf(after, sizeof(after), "%.*s", (int)strcspn(last, ":"), last);
    } while (f->more);
    assert_string_equal(all, SUM(f, JOB_HISTORY_BY_USER, .name = NULL));
    assert_string_equal(all, "ann:4/2/2/0 ben:4/2/2/0 carl:4/2/2/0 dana:4/2/2/0 eve:4/2/2/0");
}

static void pages_of_hours_go_on_behind_the_last(void **state)
{
    struct fixture *f = *state;
    struct job_history_filter bad = { .limit = 1, .after = "noon" };
    struct err err = { 0 };

    for (unsigned i = 1; i <= 3; i++)
        add_app(f, i, NOVEMBER_MS + i * 3600000, "ann", "root.a");
    write_rows(f);
    SUM(f, JOB_HISTORY_BY_HOUR, .limit = 2, .after = "1795003200000");
    assert_string_equal(f->listed, "1795006800000:1/0/1/0 1795010400000:1/1/0/0");
    assert_false(f->more);
    assert_int_equal(
        job_history_sum(f->directory, &bad, JOB_HISTORY_BY_HOUR, 0, note_sum, f, &f->more, &f->damaged, &err),
        -EINVAL);
}

static void sums_have_the_usage_of_containers(void **state)
{
    struct fixture *f = *state;
    int64_t begin_ms = 1793491200000; /* 2026-11-01 00:00 UTC */

    add_container(f, 1, 1, begin_ms - 500, "n1:1", 0); /* in the month before its application */
    add_container(f, 1, 2, begin_ms + 100, "n1:1", 0);
    add_container(f, 2, 8, begin_ms + 100, "n1:1", 0); /* of another one */
    add_app(f, 1, begin_ms + 500, "ann", "root.a");
    add_container(f, 1, 3, begin_ms + 900, "n1:1", 0); /* later than its application */
    write_rows(f);
    for (int i = 0; i < 2; i++) {
        SUM(f, JOB_HISTORY_BY_USER, .name = NULL);
        assert_int_equal(f->sum.cpu_time_us, 6000);
        assert_int_equal(f->sum.memory_used_mb_seconds, 1 + 3 + 5); /* 2 s of 0.95, 1.9 and 2.9 MiB */
        add_container(f, 1, 3, begin_ms + 900, "n1:1", 0);          /* again, after a crash */
        add_app(f, 1, begin_ms + 500, "ann", "root.a");
        add_container(f, 1, 2, begin_ms + 100, "n1:1", 0);
        write_rows(f);
    }
}

/* Makes of a file of the present schema what version 0.2.0 wrote. */
static void make_schema_1(const char *path)
{
    sqlite3 *database;

    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(database,
                     "DROP INDEX apps_by_end; ALTER TABLE apps DROP COLUMN succeeded;"
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
    struct fixture *f = *state;
    scoped_free char *path = november(f);

    add_container(f, 1, 1, NOVEMBER_MS - 500, "n1:1", 0);
    add_container(f, 1, 2, NOVEMBER_MS - 500, "n1:1", 0);
    add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    write_rows(f);
    for (int writes = 0; writes < 2; writes++) {
        job_history_free(f->history);
        make_schema_1(path);
        f->history = job_history_new(f->directory, YEAR_MS);
        if (writes) {
            add_app(f, 2, NOVEMBER_MS, "bob", "root.a");
            write_rows(f);
            assert_null(f->set_aside);
        }
        SUM(f, JOB_HISTORY_BY_USER, .name = "job-1");
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
        cmocka_unit_test_setup_teardown(the_last_ended_is_listed_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_list_every_row_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(filters_choose, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_false_position_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sums_cover_the_containers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_clock_of_a_node_may_be_behind_at_the_begin_of_a_month, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(tasks_are_found_by_their_array, set_up, tear_down),
        cmocka_unit_test_setup_teardown(containers_come_in_order_and_in_pages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sums_are_by_user_queue_and_hour, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_of_sums_have_every_group_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_of_hours_go_on_behind_the_last, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sums_have_the_usage_of_containers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_of_version_0_2_0_is_upgraded_when_read_or_written, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_row_may_be_written_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(old_files_go_and_old_rows_do_not_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_old_file_goes_in_an_hour, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_set_aside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_may_be_deleted_at_any_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_made_is_an_error, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
