/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm_history_writer.c - test: each row reaches the history files once, also after the disk refused it, and
 * after a crash
 *
 * scripts/test also runs this test under the thread sanitizer.
 */
#include "tests/unit/store/store_support.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "rm/net/history/history_loss.h"
#include "rm/net/history/history_writer.h"
#include "rm/store/job_history.h"
#include "rm/store/store.h"

#define DEADLINE_MS 60000
#define ROWS 200

struct fixture {
    char *directory;
    struct loop *loop;
    struct history_writer *writer;
    int64_t end_ms;
    size_t wanted, found;
    Creel__AppReport *last;
};

static int set_up(void **state)
{
    struct fixture *f = mem_new0(struct fixture);
    struct err err = { 0 };

    f->directory = scratch_make();
    f->end_ms = loop_now_ms();
    assert_ok(loop_new(&f->loop, &err), err);
    assert_ok(history_writer_new(f->loop, f->directory, INT64_C(86400000), 0, &f->writer, &err), err);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    history_writer_free(f->writer);
    if (f->last != NULL)
        protobuf_c_message_free_unpacked(&f->last->base, NULL);
    loop_free(f->loop);
    scratch_remove(f->directory);
    free(f);
    return 0;
}

/* Passes the row to the store, if it is given, or to the writer. */
static void add_app_to(struct fixture *f, struct store *store, unsigned seq, Creel__AppState state)
{
    struct err err = { 0 };
    Creel__StoredApp app = CREEL__STORED_APP__INIT;
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Variable secret = CREEL__VARIABLE__INIT, *variables[] = { &secret };
    Creel__Resource size = CREEL__RESOURCE__INIT;
    char *command[] = { (char *)(uintptr_t) "sleep", (char *)(uintptr_t) "1" };
    struct app_id id = { NOW_MS, seq };
    char text[ID_TEXT_MAX];

    secret.name = (char *)(uintptr_t) "PASSWORD";
    secret.value = (char *)(uintptr_t) "sesame";
    launch.command = command;
    launch.n_command = 2;
    launch.environment = variables;
    launch.n_environment = 1;
    job.name = (char *)(uintptr_t) "nightly";
    job.launch = &launch;
    app.app_id = (char *)(uintptr_t)app_id_format(&id, text);
    app.user = (char *)(uintptr_t) "ann";
    app.queue = (char *)(uintptr_t) "root.a";
    app.job = &job;
    app.state = state;
    app.submitted_ms = f->end_ms - 10;
    app.finished_ms = state >= CREEL__APP_STATE__APP_FINISHED ? f->end_ms : 0;
    app.memory_mb_seconds = 42;
    size.memory_mb = 1024;
    app.container_size = &size;
    app.attempts = 2;
    if (store != NULL)
        assert_ok(put_app_row(store, &app, &err), err);
    else
        history_writer_add_app(f->writer, &app);
}

static void add_app(struct fixture *f, unsigned seq, Creel__AppState state)
{
    add_app_to(f, NULL, seq, state);
}

static void add_container(struct fixture *f, unsigned seq, Creel__ContainerState state)
{
    Creel__ContainerReport container = CREEL__CONTAINER_REPORT__INIT;
    struct container_id id = { { { NOW_MS, seq }, 1 }, 0, 1 };
    char text[ID_TEXT_MAX];

    container.container_id = (char *)(uintptr_t)container_id_format(&id, text);
    container.node_id = (char *)(uintptr_t) "n1:1";
    container.state = state;
    container.finished_ms = f->end_ms;
    history_writer_add_container(f->writer, &container);
}

/* --- reading --------------------------------------------------------------- */

static bool note(void *context, Creel__AppReport *report)
{
    struct fixture *f = context;

    f->found++;
    if (f->last != NULL)
        protobuf_c_message_free_unpacked(&f->last->base, NULL);
    f->last = report;
    return true;
}

static size_t count(struct fixture *f)
{
    char after[JOB_HISTORY_NEXT_MAX] = "", next[JOB_HISTORY_NEXT_MAX];
    struct job_history_filter filter = { .limit = ROWS + 1, .after = after };
    struct err err = { 0 };
    size_t damaged;

    f->found = 0;
    do { /* a page also ends after a time */
        assert_ok(job_history_list(f->directory, &filter, note, f, next, &damaged, &err), err);
        memcpy(after, next, sizeof(after));
    } while (next[0] != '\0');
    return f->found;
}

static void check_rows(void *context)
{
    struct fixture *f = context;

    if (count(f) >= f->wanted)
        loop_stop(f->loop);
    else if (loop_now_ms() > f->end_ms + DEADLINE_MS)
        fail_msg("%zu rows of %zu after a minute", f->found, f->wanted);
    else
        loop_add_timer(f->loop, 10, check_rows, f);
}

static void wait_for(struct fixture *f, size_t wanted)
{
    f->wanted = wanted;
    loop_add_timer(f->loop, 0, check_rows, f);
    loop_run(f->loop);
}

/* --- tests ----------------------------------------------------------------- */

static void ended_applications_are_written(void **state)
{
    struct fixture *f = *state;

    add_app(f, 1, CREEL__APP_STATE__APP_RUNNING);
    for (unsigned i = 2; i <= ROWS; i++)
        add_app(f, i, CREEL__APP_STATE__APP_KILLED);
    add_container(f, ROWS, CREEL__CONTAINER_STATE__CONTAINER_ALLOCATED);
    add_container(f, 1, CREEL__CONTAINER_STATE__CONTAINER_COMPLETE);
    wait_for(f, ROWS - 1);
    assert_int_equal(count(f), ROWS - 1);
    assert_string_equal(f->last->app_id, "application_1700000000000_0002");
    assert_string_equal(f->last->name, "nightly");
    assert_string_equal(f->last->type, "CREEL");
    assert_string_equal(f->last->command[0], "sleep");
    assert_int_equal(f->last->memory_mb_seconds, 42);
    assert_int_equal(f->last->resource->memory_mb, 1024);
    assert_int_equal(f->last->attempt, 2);
    assert_true(f->last->from_history);
    assert_int_equal(history_writer_state(f->writer).lost, 0);
    assert_null(history_writer_state(f->writer).problem);
}

/* A variable of a job may be a password. */
static void environments_are_not_written(void **state)
{
    struct fixture *f = *state;
    scoped_free char *command = mem_printf("grep -rq sesame %s/history", f->directory);
    scoped_free char *sanity = mem_printf("grep -rq nightly %s/history", f->directory);

    add_app(f, 1, CREEL__APP_STATE__APP_FINISHED);
    wait_for(f, 1);
    assert_int_equal(system(sanity), 0);
    assert_int_not_equal(system(command), 0);
}

static void stop(void *context)
{
    loop_stop(((struct fixture *)context)->loop);
}

static void run_briefly(struct fixture *f)
{
    loop_add_timer(f->loop, 10, stop, f);
    loop_run(f->loop);
    assert_true(loop_now_ms() < f->end_ms + DEADLINE_MS);
}

static void wait_for_problem(struct fixture *f)
{
    while (history_writer_state(f->writer).problem == NULL)
        run_briefly(f);
}

static void wait_until_complete(struct fixture *f)
{
    while (history_writer_state(f->writer).behind_ms != 0)
        run_briefly(f);
}

/* Makes a file in the place of the folder of history files, so that nothing can be written. Returns its
 * path. */
static char *block_folder(struct fixture *f)
{
    char *folder = mem_printf("%s/history", f->directory);
    int fd = open(folder, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    close(fd);
    return folder;
}

static void rows_wait_while_the_disk_refuses_them(void **state)
{
    struct fixture *f = *state;
    scoped_free char *folder = block_folder(f);

    add_app(f, 1, CREEL__APP_STATE__APP_FINISHED);
    wait_for_problem(f);
    assert_contains(history_writer_state(f->writer).problem, folder);
    add_app(f, 2, CREEL__APP_STATE__APP_FINISHED);
    assert_int_equal(unlink(folder), 0);
    wait_for(f, 2);
}

static void the_oldest_row_that_the_history_lacks_is_known(void **state)
{
    struct fixture *f = *state;
    scoped_free char *folder = NULL;
    int64_t behind_ms;

    wait_until_complete(f); /* at the start it lacks what the state has */
    folder = block_folder(f);
    add_app(f, 1, CREEL__APP_STATE__APP_FINISHED);
    behind_ms = history_writer_state(f->writer).behind_ms;
    assert_true(behind_ms > 0);
    wait_for_problem(f);
    add_app(f, 2, CREEL__APP_STATE__APP_FINISHED);
    assert_int_equal(history_writer_state(f->writer).behind_ms, behind_ms);
    assert_int_equal(unlink(folder), 0);
    wait_for(f, 2);
    wait_until_complete(f);
}

/* Writes ended applications 1 to COUNT and one container of each to the state, and one application that
 * runs. */
static void fill_state(struct fixture *f, unsigned count)
{
    struct store *store = open_store(f->directory);
    struct err err = { 0 };

    assert_ok(store_begin(store, &err), err);
    for (unsigned seq = 1; seq <= count; seq++) {
        add_app_to(f, store, seq, CREEL__APP_STATE__APP_FINISHED);
        assert_ok(put_container(store, seq, 1, 1, &err), err);
    }
    add_app_to(f, store, count + 1, CREEL__APP_STATE__APP_RUNNING);
    assert_ok(store_commit(store, &err), err);
    store_close(store);
}

static void restart_writer(struct fixture *f)
{
    struct err err = { 0 };

    history_writer_free(f->writer);
    assert_ok(history_writer_new(f->loop, f->directory, INT64_C(86400000), 0, &f->writer, &err), err);
}

static const char *next_deletion(struct fixture *f)
{
    static char app_id[ID_TEXT_MAX];

    return history_writer_next_deletion(f->writer, app_id) ? app_id : "";
}

static void wait_for_deletion(struct fixture *f, const char *expected)
{
    const char *deletion;

    while (*(deletion = next_deletion(f)) == '\0') {
        loop_add_timer(f->loop, 10, stop, f);
        loop_run(f->loop);
        assert_true(loop_now_ms() < f->end_ms + DEADLINE_MS);
    }
    assert_string_equal(deletion, expected);
}

/* As after a crash before the rows were written: a new writer reads them from the state. */
static void rows_of_the_state_are_written_at_the_start(void **state)
{
    struct fixture *f = *state;

    fill_state(f, ROWS);
    restart_writer(f);
    wait_for(f, ROWS);
    assert_int_equal(count(f), ROWS);
    assert_string_equal(f->last->app_id, "application_1700000000000_0001");
    assert_int_equal(f->last->memory_mb_seconds, 42);
    restart_writer(f);
    history_writer_forget(f->writer, "application_1700000000000_0007");
    wait_for_deletion(f, "application_1700000000000_0007"); /* the state was read */
    assert_int_equal(count(f), ROWS);
}

static void a_forgotten_container_is_deleted_when_the_history_has_it(void **state)
{
    struct fixture *f = *state;
    scoped_free char *folder = block_folder(f);
    char id[ID_TEXT_MAX];

    add_app(f, 1, CREEL__APP_STATE__APP_FINISHED);
    history_writer_forget(f->writer, "container_1700000000000_0001_01_000001");
    wait_for_problem(f);
    assert_false(history_writer_next_container(f->writer, id));
    assert_int_equal(history_writer_state(f->writer).kept, 0); /* applications */
    assert_int_equal(unlink(folder), 0);
    while (!history_writer_next_container(f->writer, id)) {
        loop_add_timer(f->loop, 10, stop, f);
        loop_run(f->loop);
        assert_true(loop_now_ms() < f->end_ms + DEADLINE_MS);
    }
    assert_string_equal(id, "container_1700000000000_0001_01_000001");
    assert_false(history_writer_next_container(f->writer, id));
    assert_string_equal(next_deletion(f), "");
}

static void a_forgotten_application_is_deleted_when_the_history_has_it(void **state)
{
    struct fixture *f = *state;
    scoped_free char *folder = block_folder(f);
    scoped_free char *warning = NULL;

    add_app(f, 1, CREEL__APP_STATE__APP_FINISHED);
    history_writer_forget(f->writer, "application_1700000000000_0001");
    add_app(f, 2, CREEL__APP_STATE__APP_FINISHED);
    history_writer_forget(f->writer, "application_1700000000000_0002");
    wait_for_problem(f);
    assert_string_equal(next_deletion(f), "");
    warning = history_writer_warning(f->writer);
    assert_contains(warning, "the history is not written: ");
    assert_contains(warning, "the state keeps 2 forgotten applications");
    assert_int_equal(unlink(folder), 0);
    wait_for_deletion(f, "application_1700000000000_0001");
    wait_for_deletion(f, "application_1700000000000_0002");
    assert_int_equal(count(f), 2);
    assert_int_equal(history_writer_state(f->writer).kept, 0);
    assert_int_equal(history_writer_state(f->writer).lost, 0);
}

/* Rows beyond the limit are dropped from memory, and read from the state later. */
static void rows_in_memory_are_bounded(void **state)
{
    struct fixture *f = *state;
    Creel__ContainerReport container = CREEL__CONTAINER_REPORT__INIT;
    char *text = mem_alloc0((size_t)8 << 20);
    scoped_free char *folder = block_folder(f);

    fill_state(f, 3);
    memset(text, 'x', ((size_t)8 << 20) - 1);
    container.container_id = (char *)(uintptr_t) "container_1700000000000_0001_01_000001";
    container.state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    container.finished_ms = f->end_ms;
    container.diagnostics = text;
    for (size_t i = 0; i < (HISTORY_WAITING_MAX >> 23) + 1; i++) /* nothing is written */
        history_writer_add_container(f->writer, &container);
    add_app(f, 1, CREEL__APP_STATE__APP_FINISHED);
    history_writer_forget(f->writer, "application_1700000000000_0001");
    wait_for_problem(f);
    assert_string_equal(next_deletion(f), "");
    assert_int_equal(unlink(folder), 0);
    wait_for(f, 3);
    wait_for_deletion(f, "application_1700000000000_0001");
    free(text);
}

static void applications_that_wait_in_the_state_are_bounded(void **state)
{
    struct fixture *f = *state;
    scoped_free char *folder = block_folder(f);
    scoped_free char *warning = NULL;
    char text[ID_TEXT_MAX];

    (void)folder;
    for (unsigned i = 1; i <= HISTORY_KEPT_APPS_MAX + 1; i++) {
        struct app_id id = { NOW_MS, i };

        add_app(f, i, CREEL__APP_STATE__APP_RUNNING); /* no row */
        history_writer_forget(f->writer, app_id_format(&id, text));
    }
    assert_string_equal(next_deletion(f), "application_1700000000000_0001");
    assert_string_equal(next_deletion(f), "");
    warning = history_writer_warning(f->writer);
    assert_contains(warning, "1 application is missing in the history");
    history_writer_record_loss(f->writer, false);
    assert_int_equal(history_writer_state(f->writer).kept, HISTORY_KEPT_APPS_MAX);
    for (size_t i = 0; i <= HISTORY_KEPT_ROWS_MAX; i++)
        add_app(f, 1, CREEL__APP_STATE__APP_FINISHED);
    assert_string_equal(next_deletion(f), "application_1700000000000_0002");
}

/* Returns whether the warning of the writer is TEXT. */
static bool warns(struct fixture *f, const char *text)
{
    scoped_free char *warning = history_writer_warning(f->writer);

    return strcmp(warning, text) == 0;
}

static void what_was_lost_is_known_after_a_restart_until_it_is_acknowledged(void **state)
{
    static const char one[] = "1 application is missing in the history, because it could not be written for "
                              "too long";
    struct fixture *f = *state;
    scoped_free char *path = mem_printf("%s/history-lost", f->directory);
    struct history_loss loss;

    history_loss_open(&loss, f->directory);
    history_loss_add(&loss, f->end_ms);
    history_loss_record(&loss, INT64_C(86400000), f->end_ms);
    history_loss_done(&loss);
    restart_writer(f);
    assert_true(warns(f, one));
    history_writer_record_loss(f->writer, false);
    restart_writer(f);
    assert_true(warns(f, one));
    assert_int_equal(unlink(path), 0);
    history_writer_record_loss(f->writer, false);
    assert_true(warns(f, ""));
    restart_writer(f);
    assert_true(warns(f, ""));
}

static void a_loss_is_forgotten_with_the_applications_that_were_lost(void **state)
{
    struct fixture *f = *state;
    struct history_loss loss;

    history_loss_open(&loss, f->directory);
    history_loss_add(&loss, f->end_ms - INT64_C(86400000) - 1);
    history_loss_record(&loss, INT64_MAX, f->end_ms);
    history_loss_done(&loss);
    restart_writer(f);
    assert_false(warns(f, ""));
    history_writer_record_loss(f->writer, false);
    assert_true(warns(f, ""));
    restart_writer(f);
    assert_true(warns(f, ""));
}

static void a_directory_that_was_replaced_is_known_after_a_restart(void **state)
{
    struct fixture *f = *state;
    scoped_free char *warning = NULL;

    history_writer_record_loss(f->writer, true);
    history_writer_record_loss(f->writer, false); /* it was put back */
    restart_writer(f);
    assert_true(warns(f, ""));
    history_writer_record_loss(f->writer, true);
    restart_writer(f);
    warning = history_writer_warning(f->writer);
    assert_contains(warning, "may be missing in the history, because its directory was removed or replaced");
}

/* Rows in the damaged file may be in the state still. */
static void a_damaged_file_is_replaced_by_one_with_the_rows_of_the_state(void **state)
{
    struct fixture *f = *state;
    scoped_free char *damage =
        mem_printf("for f in %s/history/*; do yes damaged | head -c 65536 >$f; done", f->directory);

    fill_state(f, 3);
    restart_writer(f);
    wait_for(f, 3);
    restart_writer(f);
    history_writer_forget(f->writer, "application_1700000000000_0001");
    wait_for_deletion(f, "application_1700000000000_0001"); /* the file is open */
    history_writer_free(f->writer);
    f->writer = NULL;
    assert_int_equal(system(damage), 0);
    restart_writer(f);
    add_app(f, 9, CREEL__APP_STATE__APP_FINISHED);
    wait_for(f, 4);
    assert_int_equal(count(f), 4);
}

static void the_last_rows_are_written_at_the_end(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 1; i <= 3; i++)
        add_app(f, i, CREEL__APP_STATE__APP_FINISHED);
    history_writer_free(f->writer);
    f->writer = NULL;
    assert_int_equal(count(f), 3);
}

static void without_a_history_applications_are_deleted_at_once(void **state)
{
    struct fixture *f = *state;
    scoped_free char *folder = mem_printf("%s/history", f->directory);
    struct err err = { 0 };

    fill_state(f, 1);
    history_writer_free(f->writer);
    (void)rmdir(folder);
    assert_ok(history_writer_new(f->loop, f->directory, 0, 0, &f->writer, &err), err);
    add_app(f, 1, CREEL__APP_STATE__APP_FINISHED);
    history_writer_forget(f->writer, "application_1700000000000_0001");
    assert_string_equal(next_deletion(f), "application_1700000000000_0001");
    assert_string_equal(next_deletion(f), "");
    history_writer_free(f->writer);
    f->writer = NULL;
    assert_int_not_equal(access(folder, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ended_applications_are_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(environments_are_not_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_wait_while_the_disk_refuses_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_row_that_the_history_lacks_is_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_of_the_state_are_written_at_the_start, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_forgotten_container_is_deleted_when_the_history_has_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_forgotten_application_is_deleted_when_the_history_has_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(rows_in_memory_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(applications_that_wait_in_the_state_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_lost_is_known_after_a_restart_until_it_is_acknowledged,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_loss_is_forgotten_with_the_applications_that_were_lost, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_directory_that_was_replaced_is_known_after_a_restart, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_replaced_by_one_with_the_rows_of_the_state, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_last_rows_are_written_at_the_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_history_applications_are_deleted_at_once, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
