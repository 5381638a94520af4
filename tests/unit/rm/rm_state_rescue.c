/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm_state_rescue.c - test: a file of the state that is removed, replaced or written to under the open store
 * is noticed, and the state of the process can be saved
 */
#include "tests/unit/store/store_support.h"

#include <errno.h>
#include <sys/wait.h>

#include "rm/net/rescue/state_rescue.h"

static void commit_app(struct store *store, unsigned seq)
{
    struct err err = { 0 };

    assert_ok(store_begin(store, &err), err);
    assert_ok(put_app(store, seq, &err), err);
    assert_ok(store_commit(store, &err), err);
}

/* Runs COMMAND in the state directory. */
static void run(void **state, const char *command)
{
    scoped_free char *line = mem_printf("cd %s && %s", (char *)*state, command);

    assert_int_equal(system(line), 0);
}

static void expect_fault(struct store *store, const char *text)
{
    struct err err = { 0 };

    assert_int_equal(store_watch(store, &err), -ESTALE);
    assert_contains(err.text, text);
}

static void expect_no_fault(struct store *store)
{
    struct err err = { 0 };

    if (store_watch(store, &err) != 0)
        fail_msg("%s", err.text);
}

/* Saves the state of STORE, ends it, and opens what was saved. */
static void expect_rescue(void **state, struct store *store, size_t apps)
{
    scoped_free char *rescued = mem_printf("%s/rescued.db", (char *)*state);
    struct store_decision decision;
    struct err err = { 0 };

    assert_ok(store_rescue(store, rescued, &err), err);
    store_close(store);
    assert_ok(store_restore(*state, rescued, NOW_MS, &decision, &err), err);
    store_decision_done(&decision);
    store = open_store(*state);
    assert_int_equal(apps_of(store), apps);
    store_close(store);
}

static void a_removed_log_is_noticed_and_the_state_is_saved(void **state)
{
    struct store *store = open_store(*state);

    commit_app(store, 1);
    expect_no_fault(store);
    run(state, "rm state.db-wal");
    expect_fault(store, "/state.db-wal was removed");
    commit_app(store, 2);
    expect_fault(store, "/state.db-wal was removed");
    expect_rescue(state, store, 2);
}

static void a_log_that_is_emptied_is_noticed_also_between_two_commits(void **state)
{
    struct store *store = open_store(*state);

    commit_app(store, 1);
    run(state, ": >state.db-wal");
    commit_app(store, 2);
    commit_app(store, 3);
    expect_fault(store, "/state.db-wal was written to by another process");
    expect_rescue(state, store, 3);
}

static void a_database_that_is_overwritten_is_noticed(void **state)
{
    struct store *store = open_store(*state);

    commit_app(store, 1);
    run(state, "cp state.db old.db");
    commit_app(store, 2);
    expect_no_fault(store);
    run(state, "cp old.db state.db");
    expect_fault(store, "/state.db was written to by another process");
    expect_rescue(state, store, 2);
}

static void a_file_that_is_put_back_is_in_its_place_again(void **state)
{
    struct store *store = open_store(*state);

    run(state, "mv state.db-shm away");
    expect_fault(store, "/state.db-shm was removed");
    run(state, "cp away state.db-shm");
    expect_fault(store, "/state.db-shm was replaced");
    run(state, "mv away state.db-shm");
    expect_no_fault(store);
    store_close(store);
}

static void a_removed_head_is_made_again(void **state)
{
    static const char *const losses[] = { "rm head", ": >head", "cp head other && mv other head" };
    struct store *store = open_store(*state);
    struct store_report report;
    struct err err = { 0 };

    for (unsigned i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
        commit_app(store, i + 1);
        run(state, losses[i]);
        assert_int_equal(store_watch(store, &err), 1);
        assert_contains(err.text, "/head was removed or replaced: it is made again");
        expect_no_fault(store);
    }
    /* It has the newest commit: a database that lacks it is not taken for whole. */
    run(state, "mkdir copy && cp head copy && cp state.db copy");
    store_close(store);
    run(state, "mv head old-head && mv copy/head . && mv copy/state.db . && rm -f state.db-wal state.db-shm");
    assert_ok(store_check(*state, &report, &err), err);
    assert_int_equal(report.verdict, STORE_LOST);
    store_report_done(&report);
}

/* As on a full disk: the rows are in their place, so that the state is not lost. */
static void a_head_that_cannot_be_made_again_is_no_lost_state(void **state)
{
    struct store *store = open_store(*state);
    struct err err = { 0 };

    commit_app(store, 1);
    run(state, "rm head && mkdir head");
    assert_int_equal(store_watch(store, &err), -EISDIR);
    assert_contains(err.text, "/head: is a directory in place of a file: move it away");
    run(state, "mv state.db away");
    expect_fault(store, "/state.db was removed");
    run(state, "mv away state.db && rmdir head");
    assert_int_equal(store_watch(store, &err), 1);
    expect_no_fault(store);
    store_close(store);
}

/* The rows last, so that this is no reason to refuse submissions. */
static void a_lock_that_cannot_be_made_again(void **state)
{
    struct store *store = open_store(*state);
    struct err err = { 0 };

    run(state, "rm lock && mkfifo lock");
    assert_int_equal(store_watch(store, &err), -ENOLCK);
    assert_contains(err.text, "/lock: is a FIFO in place of a file: move it away");
    commit_app(store, 1);
    run(state, "mv head away && mkfifo head");
    assert_int_equal(store_watch(store, &err), -EINVAL);
    assert_contains(err.text, "/head: is a FIFO in place of a file: move it away");
    assert_true(store_probe(store, &err) < 0);
    run(state, "rm head lock && mv away head");
    assert_int_equal(store_watch(store, &err), 1);
    assert_ok(store_probe(store, &err), err);
    expect_no_fault(store);
    store_close(store);
}

static void a_removed_lock_is_made_again(void **state)
{
    struct store *store = open_store(*state);
    struct err err = { 0 };

    run(state, "rm lock");
    assert_int_equal(store_watch(store, &err), 1);
    assert_int_equal(store_check_unused(*state, &err), -EBUSY);
    expect_no_fault(store);
    store_close(store);
    assert_ok(store_check_unused(*state, &err), err);
}

/* As `creel admin state backup` does, while STORE serves it. Returns its exit status. */
static int backup_while_served(const char *directory, struct store *store, const char *file)
{
    struct store_report report = { 0 };
    struct err err = { 0 };
    pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (pid == 0) {
        if (state_rescue_backup(directory, file, &report, &err) == 0)
            _exit(0);
        fprintf(stderr, "%s\n", err.text);
        _exit(1);
    }
    while (waitpid(pid, &status, WNOHANG) == 0) {
        state_rescue_serve(store, directory);
        usleep(1000);
    }
    return WEXITSTATUS(status);
}

static void a_backup_has_the_state_of_the_process_after(void **state, const char *loss, const char *fault)
{
    scoped_free char *directory = mem_printf("%s/state", (char *)*state);
    scoped_free char *other = mem_printf("%s/other", (char *)*state);
    scoped_free char *file = mem_printf("%s/saved.db", (char *)*state);
    struct store_decision decision;
    struct store *store;
    struct err err = { 0 };

    run(state, "mkdir state");
    store = open_store(directory);
    commit_app(store, 1);
    commit_app(store, 2);
    run(state, loss);
    expect_fault(store, fault);
    commit_app(store, 3);
    assert_int_equal(backup_while_served(directory, store, file), 0);
    store_close(store);
    run(state, "mkdir other");
    assert_ok(store_restore(other, file, NOW_MS, &decision, &err), err);
    store_decision_done(&decision);
    store = open_store(other);
    assert_int_equal(apps_of(store), 3);
    store_close(store);
}

static void a_backup_works_after_the_loss_of_the_log(void **state)
{
    a_backup_has_the_state_of_the_process_after(state, "rm state/state.db-wal", "state.db-wal was removed");
}

static void a_backup_works_after_the_loss_of_the_directory(void **state)
{
    a_backup_has_the_state_of_the_process_after(state, "rm -r state && mkdir state",
                                                "/state is not the directory that creel-rm uses: it was "
                                                "replaced, or its file system unmounted");
}

/* The saved states FIRST and SECOND are in the folders state and backups; the file EXPECTED is named. */
static void expect_no_start(void **state, const char *first, const char *second, const char *expected)
{
    scoped_free char *directory = mem_printf("%s/state", (char *)*state);
    scoped_free char *backups = mem_printf("%s/backups", (char *)*state);
    scoped_free char *advice = mem_printf("creel admin state restore %s/%s;", (char *)*state, expected);
    scoped_free char *saved = mem_printf("mkdir state backups; touch %s %s", first, second);
    struct err err = { 0 };

    run(state, saved);
    assert_int_equal(state_rescue_check(directory, backups, &err), -EBADMSG);
    assert_contains(err.text, "/state/state.db: is not there, and ");
    assert_contains(err.text, advice);
    run(state, ": >state/state.db");
    assert_int_equal(state_rescue_check(directory, backups, &err), -EBADMSG);
    run(state, "echo rows >state/state.db");
    assert_int_equal(state_rescue_check(directory, backups, &err), 0);
    run(state, "rm -r state backups");
}

static void no_empty_state_begins_beside_a_saved_one(void **state)
{
    expect_no_start(state, "state/state.rescued-999.db", "state/state.rescued-1000.db",
                    "state/state.rescued-1000.db");
    expect_no_start(state, "state/other", "backups/state.rescued-5.db", "backups/state.rescued-5.db");
    expect_no_start(state, "state/state.rescued-6.db", "backups/state.rescued-5.db",
                    "state/state.rescued-6.db");
}

static void an_empty_state_begins_without_a_saved_one(void **state)
{
    scoped_free char *directory = mem_printf("%s/state", (char *)*state);
    struct err err = { 0 };

    run(state, "mkdir state && touch state/state.rescued-5.db.part state/rescued.db");
    assert_int_equal(state_rescue_check(directory, "", &err), 0);
    assert_int_equal(state_rescue_check(directory, "/nonexistent", &err), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_removed_log_is_noticed_and_the_state_is_saved),
        TEST(a_log_that_is_emptied_is_noticed_also_between_two_commits),
        TEST(a_database_that_is_overwritten_is_noticed),
        TEST(a_file_that_is_put_back_is_in_its_place_again),
        TEST(a_removed_head_is_made_again),
        TEST(a_head_that_cannot_be_made_again_is_no_lost_state),
        TEST(a_removed_lock_is_made_again),
        TEST(a_lock_that_cannot_be_made_again),
        TEST(a_backup_works_after_the_loss_of_the_log),
        TEST(a_backup_works_after_the_loss_of_the_directory),
        TEST(no_empty_state_begins_beside_a_saved_one),
        TEST(an_empty_state_begins_without_a_saved_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
