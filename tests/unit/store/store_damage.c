/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_damage.c - test: the store detects truncated, damaged, empty and outdated state directories
 *
 * Each test leaves a directory as a killed resource manager does, with everything in the write-ahead log, and
 * changes one thing. The store must refuse to open, name what is lost, and change nothing; then an operator
 * must be able to accept the loss.
 */
#include "tests/unit/store/store_support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define APPS 6

static void commit_apps(struct store *store, unsigned from, unsigned to)
{
    struct err err = { 0 };

    for (unsigned seq = from; seq <= to; seq++) {
        assert_ok(store_begin(store, &err), err);
        assert_ok(put_app_named(store, seq, CREEL__APP_STATE__APP_RUNNING, (char[]){ "sleep" }, &err), err);
        assert_ok(put_attempt(store, seq, 1, &err), err);
        assert_ok(store_commit(store, &err), err);
    }
}

/* Adds apps FROM to TO, each acknowledged; then kills the process, so that the store is not closed. */
static void killed_writer(const char *directory, unsigned from, unsigned to)
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        commit_apps(open_store(directory), from, to);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void copy_file(const char *directory, const char *from, const char *to)
{
    scoped_free char *command = mem_printf("cd %s && cp %s %s", directory, from, to);

    assert_int_equal(system(command), 0);
}

static off_t size_of(const char *directory, const char *name)
{
    scoped_free char *file = mem_printf("%s/%s", directory, name);
    struct stat status;

    return stat(file, &status) < 0 ? -1 : status.st_size;
}

static void cut(const char *directory, const char *name, off_t size)
{
    scoped_free char *file = mem_printf("%s/%s", directory, name);

    assert_int_equal(truncate(file, size), 0);
}

static void drop(const char *directory, const char *name)
{
    scoped_free char *file = mem_printf("%s/%s", directory, name);

    (void)unlink(file);
}

static void flip(const char *directory, const char *name, off_t place)
{
    scoped_free char *file = mem_printf("%s/%s", directory, name);
    scoped_fd int fd = open(file, O_RDWR);
    unsigned char byte;

    assert_int_equal(pread(fd, &byte, 1, place), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, place), 1);
}

/* Checks that a start is refused with PART and the operator's choices, and that no file was changed. */
static void refused(const char *directory, const char *part)
{
    off_t wal = size_of(directory, "state.db-wal"), database = size_of(directory, "state.db");
    struct store *store = NULL;
    struct err err = { 0 };

    for (int i = 0; i < 2; i++) {
        assert_int_equal(store_open_sqlite(directory, NOW_MS, &store, &err), -EBADMSG);
        assert_contains(err.text, part);
        assert_contains(err.text, directory);
        assert_contains(err.text, "creel admin state check");
        assert_contains(err.text, "creel admin state restore FILE");
        assert_contains(err.text, "creel admin state accept");
        assert_int_equal(size_of(directory, "state.db"), database);
        if (wal > 0)
            assert_int_equal(size_of(directory, "state.db-wal"), wal);
    }
}

static void expect_verdict(const char *directory, enum store_verdict verdict)
{
    struct store_report report;
    struct err err = { 0 };

    assert_ok(store_check(directory, &report, &err), err);
    assert_string_equal(store_verdict_name(report.verdict), store_verdict_name(verdict));
    store_report_done(&report);
}

/* The operator accepts the loss. Then a start finds APPS applications, and no number is used twice. */
static void accepted(const char *directory, bool anew, size_t apps)
{
    struct store_decision decision;
    struct err err = { 0 };
    struct store *store;

    assert_ok(store_accept_directory(directory, NOW_MS, &decision, &err), err);
    assert_int_equal(decision.anew, anew);
    assert_int_equal(decision.moved_to != NULL, anew);
    store_decision_done(&decision);
    expect_verdict(directory, STORE_SOUND);
    store = open_store(directory);
    assert_true(store_last_app_seq(store) >= APPS);
    assert_true(store_epoch(store) >= 2);
    assert_int_equal(apps_of(store), apps);
    store_close(store);
}

/* --- the write-ahead log --------------------------------------------------------- */

static void a_log_cut_to_half_is_noticed(void **state)
{
    killed_writer(*state, 1, APPS);
    cut(*state, "state.db-wal", size_of(*state, "state.db-wal") / 2);
    refused(*state, "are lost: it ends with commit");
    expect_verdict(*state, STORE_LOST);
}

static void a_log_without_its_end_is_noticed(void **state)
{
    killed_writer(*state, 1, APPS);
    cut(*state, "state.db-wal", size_of(*state, "state.db-wal") - 100);
    refused(*state, "the last 1 commit is lost: it ends with commit 6");
    accepted(*state, false, APPS - 1);
}

static void a_flipped_byte_in_the_log_is_noticed(void **state)
{
    killed_writer(*state, 1, APPS);
    flip(*state, "state.db-wal", size_of(*state, "state.db-wal") / 2);
    refused(*state, "are lost: it ends with commit");
}

static void a_deleted_log_is_noticed(void **state)
{
    killed_writer(*state, 1, APPS);
    drop(*state, "state.db-wal");
    drop(*state, "state.db-shm");
    refused(*state, "is empty");
    expect_verdict(*state, STORE_LOST);
    accepted(*state, true, 0);
}

/* --- the database ------------------------------------------------------------------ */

static void an_emptied_database_is_noticed(void **state)
{
    killed_writer(*state, 1, APPS);
    cut(*state, "state.db", 0);
    refused(*state, "7 commits");
    accepted(*state, true, 0);
}

static void a_deleted_database_is_noticed(void **state)
{
    killed_writer(*state, 1, APPS);
    drop(*state, "state.db");
    refused(*state, "is not there, and the file head beside it records 7 commits");
}

static void a_changed_row_is_noticed(void **state)
{
    store_close(open_store(*state));
    killed_writer(*state, 1, APPS);
    scratch_sql(*state, "UPDATE apps SET row = CAST(replace(CAST(row AS TEXT), 'sleep', 'sleeq') AS BLOB) "
                        "WHERE seq = 3");
    refused(*state, "table apps, row application_1700000000000_0003: its checksum is wrong");
    expect_verdict(*state, STORE_DAMAGED);
}

static void a_changed_row_that_is_accepted_is_set_aside(void **state)
{
    struct store_decision decision;
    struct loaded loaded;
    struct store *store;
    struct err err = { 0 };

    killed_writer(*state, 1, APPS);
    scratch_sql(*state, "UPDATE apps SET name = 'sleeq' WHERE seq = 3");
    assert_ok(store_accept_directory(*state, NOW_MS, &decision, &err), err);
    assert_int_equal(decision.set_aside, 1);
    store_decision_done(&decision);
    scratch_expect(*state, "SELECT id FROM quarantine", "application_1700000000000_0003");
    /* Its attempt is quarantined, too, when the master reports that its application is missing. */
    store = open_store(*state);
    assert_ok(load_all(store, &loaded, "appattempt_1700000000000_0003_000001", &err), err);
    assert_int_equal(loaded.apps, APPS - 1);
    assert_string_equal(loaded.quarantined,
                        "attempt appattempt_1700000000000_0003_000001: makes no sense here");
    loaded_free(&loaded);
    store_close(store);
}

static void a_missing_row_is_noticed(void **state)
{
    killed_writer(*state, 1, APPS);
    scratch_sql(*state, "DELETE FROM apps WHERE seq = 3");
    refused(*state, "table apps: 1 of its 6 rows are missing; what "
                    "appattempt_1700000000000_0003_000001 belongs to is not there");
}

static void an_old_row_is_noticed(void **state)
{
    struct store *store = open_store(*state);
    struct err err = { 0 };

    commit_apps(store, 1, 2);
    scratch_sql(*state, "CREATE TABLE kept AS SELECT * FROM apps WHERE seq = 1");
    assert_ok(store_begin(store, &err), err);
    assert_ok(put_app_named(store, 1, CREEL__APP_STATE__APP_KILLED, (char[]){ "sleep" }, &err), err);
    assert_ok(store_commit(store, &err), err);
    store_close(store);
    scratch_sql(*state, "REPLACE INTO apps SELECT * FROM kept; DROP TABLE kept");
    refused(*state, "table apps: a row is not the one that was written last");
}

static void foreign_row_is_noticed(void **state)
{
    killed_writer(*state, 1, APPS);
    scratch_sql(*state, "INSERT INTO meta (name, value, sum) VALUES ('more', 1, 1)");
    refused(*state, "table meta");
}

static void write_page(const char *directory, int page, int byte)
{
    scoped_free char *file = mem_printf("%s/state.db", directory);
    scoped_fd int fd = open(file, O_WRONLY);
    unsigned char bytes[4096];

    memset(bytes, byte, sizeof(bytes));
    assert_int_equal(pwrite(fd, bytes, sizeof(bytes), (off_t)page * 4096), sizeof(bytes));
}

static void a_zeroed_page_is_noticed(void **state)
{
    struct store *store = open_store(*state);
    off_t pages;

    commit_apps(store, 1, APPS);
    store_close(store);
    pages = size_of(*state, "state.db") / 4096;
    /* Damages each page in turn, including the first. */
    for (off_t page = 0; page < pages; page++) {
        copy_file(*state, "state.db", "whole");
        write_page(*state, (int)page, 0);
        refused(*state, "state");
        copy_file(*state, "whole", "state.db");
    }
    drop(*state, "whole");
    expect_verdict(*state, STORE_SOUND);
}

static void garbage_is_noticed(void **state)
{
    killed_writer(*state, 1, APPS);
    drop(*state, "state.db-wal");
    drop(*state, "state.db-shm");
    for (int page = 0; page < 3; page++)
        write_page(*state, page, 0x5a);
    refused(*state, "this is not a database");
    accepted(*state, true, 0);
}

/* --- old copies, and the head file ---------------------------------------------------- */

static void an_old_copy_of_the_database_is_noticed(void **state)
{
    store_close(open_store(*state));
    copy_file(*state, "state.db", "old");
    killed_writer(*state, 1, APPS);
    store_close(open_store(*state));
    drop(*state, "state.db-wal");
    drop(*state, "state.db-shm");
    copy_file(*state, "old", "state.db");
    refused(*state, "the last 8 commits are lost: it ends with commit 1");
    accepted(*state, false, 0);
}

/* A crash between a commit and the write of the head file, or a power failure before the head file was on
 * disk. */
static void a_head_that_is_late_is_no_damage(void **state)
{
    killed_writer(*state, 1, APPS - 1);
    copy_file(*state, "head", "before");
    killed_writer(*state, APPS, APPS); /* counts a start, too: two commits */
    copy_file(*state, "before", "head");
    expect_verdict(*state, STORE_SOUND);
    store_close(open_store(*state));
}

/* Two copies were both used. */
static void a_head_of_another_copy_is_noticed(void **state)
{
    killed_writer(*state, 1, 1);
    store_close(open_store(*state));
    copy_file(*state, "state.db", "copy");
    copy_file(*state, "head", "copy.head");
    killed_writer(*state, 2, 2);
    copy_file(*state, "head", "other.head");
    copy_file(*state, "copy", "state.db");
    copy_file(*state, "copy.head", "head");
    drop(*state, "state.db-wal");
    drop(*state, "state.db-shm");
    killed_writer(*state, 2, 5);
    copy_file(*state, "other.head", "head");
    refused(*state, "which is not in the history of commit");
    expect_verdict(*state, STORE_UNPROVEN);
}

static void a_torn_head_is_no_damage(void **state)
{
    for (off_t slot = 0; slot < 2; slot++) {
        killed_writer(*state, 1, 1);
        copy_file(*state, "head", "whole");
        flip(*state, "head", slot * 4096 + 30);
        expect_verdict(*state, STORE_SOUND);
        copy_file(*state, "whole", "head");
    }
    flip(*state, "head", 30);
    flip(*state, "head", 4096 + 30);
    refused(*state, "head: is damaged");
}

static void a_missing_head_is_noticed_but_not_at_the_first_commit(void **state)
{
    store_close(open_store(*state));
    drop(*state, "head");
    store_close(open_store(*state));
    drop(*state, "head");
    refused(*state, "head: is missing");
    accepted(*state, false, 0);
}

static void an_emptied_directory_is_a_new_store(void **state)
{
    Creel__History before, after;
    struct store *store = open_store(*state);
    uint8_t id[16];

    store_history(store, &before);
    memcpy(id, before.store_id.data, sizeof(id));
    store_close(store);
    drop(*state, "head");
    drop(*state, "state.db");
    expect_verdict(*state, STORE_NEW);
    store = open_store(*state);
    store_history(store, &after);
    assert_memory_not_equal(after.store_id.data, id, sizeof(id));
    store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_log_cut_to_half_is_noticed),
        TEST(a_log_without_its_end_is_noticed),
        TEST(a_flipped_byte_in_the_log_is_noticed),
        TEST(a_deleted_log_is_noticed),
        TEST(an_emptied_database_is_noticed),
        TEST(a_deleted_database_is_noticed),
        TEST(a_changed_row_is_noticed),
        TEST(a_changed_row_that_is_accepted_is_set_aside),
        TEST(a_missing_row_is_noticed),
        TEST(an_old_row_is_noticed),
        TEST(foreign_row_is_noticed),
        TEST(a_zeroed_page_is_noticed),
        TEST(garbage_is_noticed),
        TEST(an_old_copy_of_the_database_is_noticed),
        TEST(a_head_that_is_late_is_no_damage),
        TEST(a_head_of_another_copy_is_noticed),
        TEST(a_torn_head_is_no_damage),
        TEST(a_missing_head_is_noticed_but_not_at_the_first_commit),
        TEST(an_emptied_directory_is_a_new_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
