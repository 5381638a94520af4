/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_sqlite.c - test: the store on a working disk
 *
 * Rows are loaded as they were stored, in the order that the master needs. Invalid rows are quarantined
 * without effect on other rows. A file of another program, of a newer version, damaged or in use is refused
 * with a message that names the file.
 */
#include "tests/unit/store/store_support.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rm/store/head.h"

static void refuses_to_open(const char *directory, int code, const char *part, const char *advice)
{
    struct store *store = NULL;
    struct err err = { 0 };

    assert_int_equal(store_open_sqlite(directory, NOW_MS, &store, &err), -code);
    assert_null(store);
    assert_contains(err.text, directory);
    assert_contains(err.text, part);
    assert_contains(err.text, advice);
}

/* The operator accepts the current content. */
static void accept(const char *directory)
{
    struct store_decision decision;
    struct err err = { 0 };

    assert_ok(store_accept_directory(directory, NOW_MS, &decision, &err), err);
    store_decision_done(&decision);
}

/* --- opening and closing --------------------------------------------------- */

static void starts_are_counted(void **state)
{
    struct err err = { 0 };
    struct store *store;

    for (unsigned start = 0; start < 3; start++) {
        assert_ok(store_open_sqlite(*state, NOW_MS + start, &store, &err), err);
        assert_int_equal(store_cluster_ms(store), NOW_MS);
        assert_int_equal(store_epoch(store), start);
        store_close(store);
    }
}

static void the_database_is_private(void **state)
{
    struct store *store = open_store(*state);
    static const char *const files[] = { "state.db", "state.db-wal", "state.db-shm" };

    for (size_t i = 0; i < 3; i++) {
        scoped_free char *file = mem_printf("%s/%s", (char *)*state, files[i]);
        struct stat status;

        assert_int_equal(stat(file, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0600);
    }
    store_close(store);
}

/* --- rows ------------------------------------------------------------------ */

static void rows_are_read_in_order(void **state)
{
    struct store *store = open_store(*state);
    struct loaded loaded;
    struct err err = { 0 };

    assert_ok(store_begin(store, &err), err);
    assert_ok(put_container(store, 2, 1, 3, &err), err);
    assert_ok(put_app(store, 10000, &err), err);
    assert_ok(put_app(store, 2, &err), err);
    assert_ok(put_attempt(store, 2, 2, &err), err);
    assert_ok(put_container(store, 2, 1, 2, &err), err);
    assert_ok(put_attempt(store, 2, 1, &err), err);
    assert_ok(put_app(store, 999, &err), err);
    assert_ok(store_commit(store, &err), err);
    store_close(store);

    store = open_store(*state);
    assert_ok(load_all(store, &loaded, NULL, &err), err);
    assert_string_equal(loaded.order, "application_1700000000000_0002 appattempt_1700000000000_0002_000001 "
                                      "appattempt_1700000000000_0002_000002 "
                                      "container_1700000000000_0002_01_000002 "
                                      "container_1700000000000_0002_01_000003 "
                                      "application_1700000000000_0999 application_1700000000000_10000");
    loaded_free(&loaded);
    store_close(store);
}

static void put_setting(struct store *store, const char *name, const char *value)
{
    Creel__StoredSetting row = CREEL__STORED_SETTING__INIT;
    struct err err;

    row.kind = (char *)(uintptr_t) "queue-state";
    row.name = (char *)(uintptr_t)name;
    row.value = (char *)(uintptr_t)value;
    assert_ok(store_begin(store, &err), err);
    assert_ok(store_put_setting(store, &row, &err), err);
    assert_ok(store_commit(store, &err), err);
}

static void setting_is_kept_until_it_is_cleared(void **state)
{
    struct store *store = open_store(*state);
    struct loaded loaded;
    struct err err;

    put_setting(store, "root.a", "STOPPED");
    put_setting(store, "root.b", "STOPPED");
    put_setting(store, "root.a", "RUNNING");
    put_setting(store, "root.b", "");
    store_close(store);
    store = open_store(*state);
    assert_ok(load_all(store, &loaded, NULL, &err), err);
    assert_string_equal(loaded.order, "root.a");
    assert_string_equal(loaded.quarantined, "");
    loaded_free(&loaded);
    store_close(store);
    accept(*state);
    store = open_store(*state);
    assert_ok(load_all(store, &loaded, "root.a", &err), err);
    assert_non_null(strstr(loaded.quarantined, "setting root.a"));
    loaded_free(&loaded);
    assert_ok(load_all(store, &loaded, NULL, &err), err);
    assert_string_equal(loaded.order, "");
    loaded_free(&loaded);
    store_close(store);
}

static int check_whole_row(void *context, const Creel__StoredApp *row, struct err *err)
{
    (void)err;
    assert_string_equal(row->user, "ann");
    assert_string_equal(row->job->name, "second");
    assert_int_equal(row->state, CREEL__APP_STATE__APP_FINISHED);
    ++*(int *)context;
    return 0;
}

static void a_row_replaces_the_one_before(void **state)
{
    struct store *store = open_store(*state);
    int seen = 0;
    struct store_sink sink = {
        check_whole_row,    loaded_attempt, loaded_container, loaded_setting, loaded_node,
        loaded_quarantined, &seen
    };
    struct err err = { 0 };

    assert_ok(store_begin(store, &err), err);
    assert_ok(put_app_named(store, 1, CREEL__APP_STATE__APP_RUNNING, (char[]){ "first" }, &err), err);
    assert_ok(put_app_named(store, 1, CREEL__APP_STATE__APP_FINISHED, (char[]){ "second" }, &err), err);
    assert_ok(store_commit(store, &err), err);
    assert_ok(store_load(store, &sink, &err), err);
    assert_int_equal(seen, 1);
    scratch_expect(*state, "SELECT user||' '||queue||' '||name||' '||state FROM apps",
                   "ann default second FINISHED");
    store_close(store);
}

static void forgetting_takes_all_of_an_app(void **state)
{
    struct store *store = open_store(*state);
    struct loaded loaded;
    struct err err = { 0 };

    assert_ok(store_begin(store, &err), err);
    for (unsigned seq = 1; seq <= 2; seq++) {
        assert_ok(put_app(store, seq, &err), err);
        assert_ok(put_attempt(store, seq, 1, &err), err);
        assert_ok(put_container(store, seq, 1, 1, &err), err);
    }
    assert_ok(store_forget_app(store, "application_1700000000000_0002", &err), err);
    assert_ok(store_commit(store, &err), err);
    assert_ok(load_all(store, &loaded, NULL, &err), err);
    assert_string_equal(loaded.order, "application_1700000000000_0001 appattempt_1700000000000_0001_000001 "
                                      "container_1700000000000_0001_01_000001");
    loaded_free(&loaded);
    store_close(store);

    /* Nevertheless its number is not used again. */
    store = open_store(*state);
    assert_int_equal(store_last_app_seq(store), 2);
    store_close(store);
}

static void uncommitted_rows_are_absent(void **state)
{
    struct store *store = open_store(*state);
    struct loaded loaded;
    struct err err = { 0 };

    assert_ok(store_begin(store, &err), err);
    assert_ok(put_app(store, 1, &err), err);
    store_rollback(store);
    assert_ok(store_begin(store, &err), err);
    assert_ok(put_app(store, 2, &err), err);
    store_close(store);

    store = open_store(*state);
    assert_ok(load_all(store, &loaded, NULL, &err), err);
    assert_string_equal(loaded.order, "");
    assert_int_equal(store_last_app_seq(store), 0);
    loaded_free(&loaded);
    store_close(store);
}

static void a_row_without_an_id_ends_the_transaction(void **state)
{
    struct store *store = open_store(*state);
    Creel__StoredApp row = CREEL__STORED_APP__INIT;
    struct loaded loaded;
    struct err err = { 0 };

    assert_ok(store_begin(store, &err), err);
    assert_ok(put_app(store, 1, &err), err);
    row.app_id = (char[]){ "application_x" };
    assert_int_equal(put_app_row(store, &row, &err), -EINVAL);
    assert_contains(err.text, "application_x");
    assert_ok(store_begin(store, &err), err);
    assert_ok(store_commit(store, &err), err);
    assert_ok(load_all(store, &loaded, NULL, &err), err);
    assert_int_equal(loaded.apps, 0);
    loaded_free(&loaded);
    store_close(store);
}

/* --- invalid rows -------------------------------------------------------------- */

static void a_row_that_is_refused_stops_the_start_until_it_is_accepted(void **state)
{
    struct store *store = open_store(*state);
    struct loaded loaded;
    struct err err = { 0 };

    assert_ok(store_begin(store, &err), err);
    for (unsigned seq = 1; seq <= 2; seq++)
        assert_ok(put_app(store, seq, &err), err);
    assert_ok(store_commit(store, &err), err);
    assert_int_equal(load_all(store, &loaded, "application_1700000000000_0002", &err), -EBADMSG);
    assert_contains(err.text, "table apps, row application_1700000000000_0002: makes no sense here");
    assert_contains(err.text, "creel admin state accept");
    assert_string_equal(loaded.quarantined, "");
    loaded_free(&loaded);
    store_close(store);
    scratch_expect(*state, "SELECT count(*) FROM quarantine", "0");

    accept(*state);
    store = open_store(*state);
    assert_ok(load_all(store, &loaded, "application_1700000000000_0002", &err), err);
    assert_string_equal(loaded.order, "application_1700000000000_0001");
    assert_string_equal(loaded.quarantined, "app application_1700000000000_0002: makes no sense here");
    loaded_free(&loaded);
    store_close(store);
    scratch_expect(*state, "SELECT id || reason FROM quarantine",
                   "application_1700000000000_0002makes no sense here");

    /* Accepts once: later damage needs another decision. */
    store = open_store(*state);
    assert_int_equal(load_all(store, &loaded, "application_1700000000000_0001", &err), -EBADMSG);
    loaded_free(&loaded);
    store_close(store);
}

/* --- token keys ------------------------------------------------------------ */

static void signing_keys_are_restored(void **state)
{
    struct store *store = open_store(*state);
    struct token_ring ring = { { { 7, "new" }, { 6, "old" } } }, back = { 0 };
    struct err err = { 0 };
    int64_t rolled_ms = 0;

    assert_int_equal(store_get_ring(store, "am", &back, &rolled_ms, &err), -ENOENT);
    assert_ok(store_put_ring(store, "am", &ring, 55, &err), err);
    ring.keys[1].id = 0;
    assert_ok(store_put_ring(store, "container", &ring, 66, &err), err);
    store_close(store);

    store = open_store(*state);
    assert_ok(store_get_ring(store, "am", &back, &rolled_ms, &err), err);
    assert_int_equal(rolled_ms, 55);
    assert_int_equal(back.keys[0].id, 7);
    assert_int_equal(back.keys[1].id, 6);
    assert_memory_equal(back.keys[1].bytes, "old", 4);
    assert_ok(store_get_ring(store, "container", &back, &rolled_ms, &err), err);
    assert_int_equal(back.keys[1].id, 0);
    assert_int_equal(rolled_ms, 66);
    store_close(store);

    scratch_sql(*state, "UPDATE token_keys SET key = x'00' WHERE ring = 'am'");
    refuses_to_open(*state, EBADMSG, "table token_keys, row am 0", "creel admin state accept");
}

/* --- configurations of queues -------------------------------------------------- */

struct confs {
    uint64_t versions[200];
    size_t count;
};

static void load_conf(void *context, Creel__StoredSchedulerConf *row)
{
    struct confs *confs = context;

    assert_string_equal(row->by, "ann");
    assert_string_equal(row->overrides[0]->key, "k");
    confs->versions[confs->count++] = row->version;
    creel__stored_scheduler_conf__free_unpacked(row, NULL);
}

static void put_confs(struct store *store, uint64_t first, uint64_t last)
{
    Creel__ConfOverride override = CREEL__CONF_OVERRIDE__INIT, *overrides[] = { &override };
    Creel__StoredSchedulerConf row = CREEL__STORED_SCHEDULER_CONF__INIT;
    struct err err = { 0 };

    override.key = (char *)(uintptr_t) "k";
    row.by = (char *)(uintptr_t) "ann";
    row.overrides = overrides;
    row.n_overrides = 1;
    assert_ok(store_begin(store, &err), err);
    for (row.version = first; row.version <= last; row.version++)
        assert_ok(store_put_scheduler_conf(store, &row, &err), err);
    assert_ok(store_commit(store, &err), err);
}

static void the_newest_configurations_are_kept(void **state)
{
    struct store *store = open_store(*state);
    struct confs confs = { .count = 0 };
    struct err err = { 0 };

    put_confs(store, 2, 131);
    store_close(store);
    store = open_store(*state);
    assert_ok(store_load_scheduler_confs(store, load_conf, &confs, &err), err);
    assert_int_equal(confs.count, STORE_SCHEDULER_CONFS_KEPT);
    assert_int_equal(confs.versions[0], 32);
    assert_int_equal(confs.versions[99], 131);
    store_close(store);
    scratch_sql(*state, "UPDATE scheduler_confs SET who = 'bob' WHERE id = 131");
    refuses_to_open(*state, EBADMSG, "table scheduler_confs, row 131", "creel admin state accept");
}

static void a_missing_configuration_is_noticed(void **state)
{
    struct store *store = open_store(*state);

    put_confs(store, 2, 3);
    store_close(store);
    scratch_sql(*state, "DELETE FROM scheduler_confs WHERE id = 3");
    refuses_to_open(*state, EBADMSG, "table scheduler_confs: 1 of its 2 rows are missing",
                    "creel admin state accept");
}

/* Makes the database one of schema 4, which has no table scheduler_confs and no tally of it. */
static void make_schema_4(const char *directory)
{
    static const char sql[] = "SELECT store_id, number, written_ms, previous, tallies FROM history";
    sqlite3 *database = scratch_open(directory);
    crypto_generichash_state hash;
    struct head head;
    sqlite3_stmt *statement;
    struct err err = { 0 };
    int64_t number;
    int size, fd;

    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(head_read(directory, &head, &err), 1);
    size = sqlite3_column_bytes(statement, 4) - 16;
    crypto_generichash_init(&hash, NULL, 0, STORE_HASH_BYTES);
    crypto_generichash_update(&hash, sqlite3_column_blob(statement, 0), STORE_ID_BYTES);
    for (int i = 1; i <= 2; i++) {
        number = sqlite3_column_int64(statement, i);
        crypto_generichash_update(&hash, (const uint8_t *)&number, sizeof(number));
    }
    crypto_generichash_update(&hash, sqlite3_column_blob(statement, 3), STORE_HASH_BYTES);
    crypto_generichash_update(&hash, sqlite3_column_blob(statement, 4), (unsigned long long)size);
    crypto_generichash_final(&hash, head.hash, STORE_HASH_BYTES);
    sqlite3_finalize(statement);
    assert_int_equal(sqlite3_prepare_v2(database,
                                        "UPDATE history SET hash = ?1, tallies = "
                                        "substr(tallies, 1, length(tallies) - 16)",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    sqlite3_bind_blob(statement, 1, head.hash, STORE_HASH_BYTES, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    scratch_sql(directory, "DROP TABLE scheduler_confs; PRAGMA user_version = 4");
    for (int slot = 0; slot < 2; slot++) {
        assert_ok(head_open(directory, &fd, &err), err);
        assert_ok(head_write(fd, directory, &head, &err), err);
        close(fd);
    }
}

static void a_store_without_configurations_is_migrated(void **state)
{
    struct store *store = open_store(*state);
    struct confs confs = { .count = 0 };
    struct loaded loaded;
    struct err err = { 0 };

    assert_ok(store_begin(store, &err), err);
    assert_ok(put_app(store, 2, &err), err);
    assert_ok(store_commit(store, &err), err);
    store_close(store);
    make_schema_4(*state);
    store = open_store(*state);
    assert_ok(store_load_scheduler_confs(store, load_conf, &confs, &err), err);
    assert_int_equal(confs.count, 0);
    assert_ok(load_all(store, &loaded, NULL, &err), err);
    assert_string_equal(loaded.order, "application_1700000000000_0002");
    loaded_free(&loaded);
    put_confs(store, 2, 2);
    store_close(store);
    store_close(open_store(*state));
    scratch_expect(*state, "PRAGMA user_version", "5");
}

/* --- refusals -------------------------------------------------------------- */

static void a_newer_schema_is_refused(void **state)
{
    store_close(open_store(*state));
    scratch_sql(*state, "PRAGMA user_version = 99");
    refuses_to_open(*state, EPROTO, "schema 99", "newer creel");
}

static void a_foreign_database_is_refused(void **state)
{
    scratch_sql(*state, "CREATE TABLE birds (name TEXT)");
    refuses_to_open(*state, EBADMSG, "not one of creel's", "move it away");
    scratch_expect(*state, "SELECT count(*) FROM sqlite_schema", "1");
}

static void write_over(const char *directory, off_t offset, const void *bytes, size_t size)
{
    scoped_free char *file = mem_printf("%s/state.db", directory);
    scoped_fd int fd = open(file, O_WRONLY | O_CREAT, 0600);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, size, offset), size);
}

static void invalid_database_is_refused(void **state)
{
    static const char text[] = "this is a shopping list, and it is long enough to be read as a "
                               "header of a database if one did not look closely at its start";

    write_over(*state, 0, text, sizeof(text));
    refuses_to_open(*state, EBADMSG, "not a database", "backup");
}

static void damage_is_found_at_the_start(void **state)
{
    struct store *store = open_store(*state);
    unsigned char noise[4096];
    struct err err = { 0 };

    assert_ok(store_begin(store, &err), err);
    for (unsigned seq = 1; seq <= 500; seq++)
        assert_ok(put_app(store, seq, &err), err);
    assert_ok(store_commit(store, &err), err);
    store_close(store);
    memset(noise, 0xa5, sizeof(noise));
    for (off_t page = 1; page < 20; page++)
        write_over(*state, page * 4096, noise, sizeof(noise));
    refuses_to_open(*state, EBADMSG, "state.db", "backup");
}

static void a_second_resource_manager_is_refused(void **state)
{
    struct store *store = open_store(*state);
    scoped_free char *self = mem_printf("process %ld", (long)getpid());

    refuses_to_open(*state, EBUSY, self, "state-dir");
    store_close(store);
    store_close(open_store(*state));
}

static void a_foreign_lock_is_refused_and_waited_out(void **state)
{
    struct store *store = open_store(*state);
    sqlite3 *shell = scratch_open(*state);
    struct err err = { 0 };

    assert_int_equal(sqlite3_exec(shell, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(store_begin(store, &err), -EBUSY);
    assert_contains(err.text, (char *)*state);
    assert_contains(err.text, "another process");
    store_close(store);
    refuses_to_open(*state, EBUSY, "another process", "close that program");
    assert_int_equal(sqlite3_exec(shell, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(shell);
    store_close(open_store(*state));
}

static void concurrent_reader_does_not_block_writes(void **state)
{
    struct store *store = open_store(*state);
    sqlite3 *shell = scratch_open(*state);
    struct err err = { 0 };

    assert_int_equal(sqlite3_exec(shell, "BEGIN; SELECT * FROM apps", NULL, NULL, NULL), SQLITE_OK);
    assert_ok(store_probe(store, &err), err);
    sqlite3_close(shell);
    store_close(store);
}

/* Starts a process that reads the database when a byte arrives in PIPES[0]. It begins before the store is
 * opened: SQLite's own state must not be copied into it. */
static pid_t start_reader(const char *directory, const int pipes[2])
{
    pid_t reader = fork();
    char byte;

    if (reader != 0)
        return reader;
    if (read(pipes[0], &byte, 1) == 1)
        scratch_expect(directory, "SELECT count(*) FROM apps", "0");
    _exit(0);
}

/* The last process that closes a database deletes its write-ahead log. */
static void a_reader_in_another_process_does_not_delete_the_log(void **state)
{
    scoped_free char *log = mem_printf("%s/state.db-wal", (char *)*state);
    struct store *store = open_store(*state);
    struct stat before, after;
    int status, pipes[2];
    pid_t reader;

    store_close(store);
    assert_int_equal(pipe(pipes), 0);
    reader = start_reader(*state, pipes);
    store = open_store(*state); /* of a database that exists */
    assert_int_equal(stat(log, &before), 0);
    assert_int_equal(write(pipes[1], "", 1), 1);
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_int_equal(status, 0);
    assert_int_equal(stat(log, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    store_close(store);
    close(pipes[0]);
    close(pipes[1]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(starts_are_counted),
        TEST(the_database_is_private),
        TEST(rows_are_read_in_order),
        TEST(setting_is_kept_until_it_is_cleared),
        TEST(the_newest_configurations_are_kept),
        TEST(a_missing_configuration_is_noticed),
        TEST(a_store_without_configurations_is_migrated),
        TEST(a_row_replaces_the_one_before),
        TEST(forgetting_takes_all_of_an_app),
        TEST(uncommitted_rows_are_absent),
        TEST(a_row_without_an_id_ends_the_transaction),
        TEST(a_row_that_is_refused_stops_the_start_until_it_is_accepted),
        TEST(signing_keys_are_restored),
        TEST(a_newer_schema_is_refused),
        TEST(a_foreign_database_is_refused),
        TEST(invalid_database_is_refused),
        TEST(damage_is_found_at_the_start),
        TEST(a_second_resource_manager_is_refused),
        TEST(a_foreign_lock_is_refused_and_waited_out),
        TEST(concurrent_reader_does_not_block_writes),
        TEST(a_reader_in_another_process_does_not_delete_the_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
