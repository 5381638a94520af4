/* SPDX-License-Identifier: Apache-2.0 */
/* store_support.h - fixture: state directories and rows for the tests of the store and the daemon */
#ifndef CREEL_TEST_STORE_SUPPORT_H
#define CREEL_TEST_STORE_SUPPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ftw.h>
#include <sqlite3.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/proto/creel.pb-c.h"
#include "rm/store/store.h"
#include "rm/store/store_maintenance.h"

#define assert_ok(call, err) \
    do { \
        if ((call) != 0) \
            fail_msg("%s: %s", #call, (err).text); \
    } while (0)

#define assert_contains(text, part) \
    do { \
        if (strstr((text), (part)) == NULL) \
            fail_msg("no \"%s\" in \"%s\"", (part), (text)); \
    } while (0)

#define NOW_MS 1700000000000

static inline char *scratch_make(void)
{
    char *path = mem_strdup("/tmp/creel-test-XXXXXX");

    assert_non_null(mkdtemp(path));
    return path;
}

static inline int scratch_remove_one(const char *path, const struct stat *status, int kind, struct FTW *ftw)
{
    (void)status;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static inline void scratch_remove(char *path)
{
    assert_int_equal(nftw(path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT), 0);
    free(path);
}

/* For cmocka: *STATE is the path of a directory for this test alone. */
static inline int scratch_set_up(void **state)
{
    *state = scratch_make();
    return 0;
}

static inline int scratch_tear_down(void **state)
{
    scratch_remove(*state);
    return 0;
}

/* Opens the store of DIRECTORY; the clock shows NOW_MS. */
static inline struct store *open_store(const char *directory)
{
    struct store *store = NULL;
    struct err err = { 0 };

    assert_ok(store_open_sqlite(directory, NOW_MS, &store, &err), err);
    return store;
}

static inline sqlite3 *scratch_open(const char *directory)
{
    scoped_free char *file = mem_printf("%s/state.db", directory);
    sqlite3 *database;

    assert_int_equal(sqlite3_open(file, &database), SQLITE_OK);
    return database;
}

/* Runs SQL on the database of a state directory, as an administrator with the sqlite3 shell would. */
static inline void scratch_sql(const char *directory, const char *sql)
{
    sqlite3 *database = scratch_open(directory);
    char *message = NULL;

    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(database);
}

/* Checks that the first column of the first row is EXPECTED. */
static inline void scratch_expect(const char *directory, const char *sql, const char *expected)
{
    sqlite3 *database = scratch_open(directory);
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(statement, 0), expected);
    sqlite3_finalize(statement);
    sqlite3_close(database);
}

/* --- earlier versions -------------------------------------------------------- */

/* Returns SQL that makes a database of schema 3, before checksums: one application, the start 4. */
static inline const char *store_schema_3(void)
{
    return "PRAGMA journal_mode = WAL; PRAGMA application_id = 0x6372656c; PRAGMA user_version = 3;"
           "CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;"
           "CREATE TABLE token_keys (ring TEXT NOT NULL, place INTEGER NOT NULL,"
           "  key_id INTEGER NOT NULL, key BLOB NOT NULL, rolled_ms INTEGER NOT NULL,"
           "  PRIMARY KEY (ring, place)) STRICT;"
           "CREATE TABLE apps (id TEXT NOT NULL, cluster_ms INTEGER NOT NULL, seq INTEGER NOT NULL,"
           "  user TEXT NOT NULL, queue TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL,"
           "  final_status TEXT NOT NULL, exit_status INTEGER NOT NULL, submitted_ms INTEGER NOT NULL,"
           "  finished_ms INTEGER NOT NULL, row BLOB NOT NULL, PRIMARY KEY (cluster_ms, seq)) STRICT;"
           "CREATE TABLE attempts (id TEXT NOT NULL, cluster_ms INTEGER NOT NULL, seq INTEGER NOT NULL,"
           "  attempt INTEGER NOT NULL, master_container TEXT NOT NULL, master_node TEXT NOT NULL,"
           "  over INTEGER NOT NULL, exit_status INTEGER NOT NULL, row BLOB NOT NULL,"
           "  PRIMARY KEY (cluster_ms, seq, attempt)) STRICT;"
           "CREATE TABLE containers (id TEXT NOT NULL, cluster_ms INTEGER NOT NULL,"
           "  seq INTEGER NOT NULL, attempt INTEGER NOT NULL, epoch INTEGER NOT NULL,"
           "  number INTEGER NOT NULL, user TEXT NOT NULL, node TEXT NOT NULL, state TEXT NOT NULL,"
           "  exit_status INTEGER NOT NULL, finished_ms INTEGER NOT NULL, row BLOB NOT NULL,"
           "  PRIMARY KEY (cluster_ms, seq, attempt, epoch, number)) STRICT;"
           "CREATE TABLE quarantine (kind TEXT NOT NULL, id TEXT NOT NULL, reason TEXT NOT NULL,"
           "  set_aside_s INTEGER NOT NULL, row BLOB NOT NULL) STRICT;"
           "CREATE TABLE settings (kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,"
           "  row BLOB NOT NULL, PRIMARY KEY (kind, name)) STRICT;"
           "CREATE TABLE nodes (id TEXT NOT NULL PRIMARY KEY, state TEXT NOT NULL, who TEXT NOT NULL,"
           "  reason TEXT NOT NULL, since_ms INTEGER NOT NULL, deadline_ms INTEGER NOT NULL,"
           "  row BLOB NOT NULL) STRICT;"
           "INSERT INTO meta VALUES ('cluster_ms', 1700000000000), ('epoch', 4), ('last_app_seq', 9);"
           /* app_id = 1: "application_1700000000000_0009" */
           "INSERT INTO apps VALUES ('application_1700000000000_0009', 1700000000000, 9, 'ann', 'q', 'n',"
           "  'RUNNING', 'UNDEFINED', 0, 1, 0, CAST(x'0a1e' || 'application_1700000000000_0009' AS BLOB));";
}

/* --- rows ------------------------------------------------------------------ */

struct row_texts {
    char app[80], attempt[80], container[80];
};

static inline void row_ids(struct row_texts *texts, unsigned seq, unsigned attempt, unsigned container)
{
    snprintf(texts->app, sizeof(texts->app), "application_1700000000000_%04u", seq);
    snprintf(texts->attempt, sizeof(texts->attempt), "appattempt_1700000000000_%04u_%06u", seq, attempt);
    snprintf(texts->container, sizeof(texts->container), "container_1700000000000_%04u_%02u_%06u", seq,
             attempt, container);
}

static inline int put_app_row(struct store *store, const Creel__StoredApp *row, struct err *err)
{
    size_t size = creel__stored_app__get_packed_size(row);
    scoped_free uint8_t *packed = mem_alloc(size + 1);

    creel__stored_app__pack(row, packed);
    return store_put_app(store, row, packed, size, err);
}

static inline int put_app_named(struct store *store, unsigned seq, Creel__AppState state, char *name,
                                struct err *err)
{
    Creel__StoredApp row = CREEL__STORED_APP__INIT;
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    struct row_texts texts;

    row_ids(&texts, seq, 1, 1);
    job.name = name;
    row.app_id = texts.app;
    row.user = (char[]){ "ann" };
    row.queue = (char[]){ "default" };
    row.state = state;
    row.job = &job;
    row.submitted_ms = 1000 + seq;
    return put_app_row(store, &row, err);
}

static inline int put_app(struct store *store, unsigned seq, struct err *err)
{
    return put_app_named(store, seq, CREEL__APP_STATE__APP_RUNNING, (char[]){ "job" }, err);
}

static inline int put_attempt(struct store *store, unsigned seq, unsigned attempt, struct err *err)
{
    Creel__StoredAttempt row = CREEL__STORED_ATTEMPT__INIT;
    struct row_texts texts;

    row_ids(&texts, seq, attempt, 1);
    row.attempt_id = texts.attempt;
    return store_put_attempt(store, &row, err);
}

static inline int put_container(struct store *store, unsigned seq, unsigned attempt, unsigned number,
                                struct err *err)
{
    Creel__StoredContainer row = CREEL__STORED_CONTAINER__INIT;
    Creel__ContainerReport report = CREEL__CONTAINER_REPORT__INIT;
    struct row_texts texts;

    row_ids(&texts, seq, attempt, number);
    report.container_id = texts.container;
    report.state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    row.report = &report;
    return store_put_container(store, &row, err);
}

/* --- loading --------------------------------------------------------------- */

struct loaded {
    char *order;       /* ids in the order of loading, separated by blanks */
    char *quarantined; /* lines of the form "kind id: reason" */
    size_t apps, attempts, containers;
    const char *refuse; /* id that the load callback refuses */
};

static inline void loaded_append(char **text, const char *more, const char *separator)
{
    char *longer = mem_printf("%s%s%s", *text, (*text)[0] != '\0' ? separator : "", more);

    free(*text);
    *text = longer;
}

static inline int loaded_add(struct loaded *loaded, const char *id, struct err *err)
{
    if (loaded->refuse != NULL && strcmp(loaded->refuse, id) == 0)
        return err_set(err, 22, "makes no sense here");
    loaded_append(&loaded->order, id, " ");
    return 0;
}

static inline int loaded_app(void *context, const Creel__StoredApp *row, struct err *err)
{
    struct loaded *loaded = context;

    loaded->apps++;
    return loaded_add(loaded, row->app_id, err);
}

static inline int loaded_attempt(void *context, const Creel__StoredAttempt *row, struct err *err)
{
    struct loaded *loaded = context;

    loaded->attempts++;
    return loaded_add(loaded, row->attempt_id, err);
}

static inline int loaded_container(void *context, const Creel__StoredContainer *row, struct err *err)
{
    struct loaded *loaded = context;

    loaded->containers++;
    return loaded_add(loaded, row->report->container_id, err);
}

static inline int loaded_setting(void *context, const Creel__StoredSetting *row, struct err *err)
{
    return loaded_add(context, row->name, err);
}

static inline int loaded_node(void *context, const Creel__StoredNode *row, struct err *err)
{
    return loaded_add(context, row->node_id, err);
}

static inline void loaded_quarantined(void *context, const char *kind, const char *id, const char *reason)
{
    struct loaded *loaded = context;
    scoped_free char *line = mem_printf("%s %s: %s", kind, id, reason);

    loaded_append(&loaded->quarantined, line, "\n");
}

static inline int load_all(struct store *store, struct loaded *loaded, const char *refuse, struct err *err)
{
    struct store_sink sink = { loaded_app,     loaded_attempt, loaded_container,
                               loaded_setting, loaded_node,    loaded_quarantined,
                               loaded };

    memset(loaded, 0, sizeof(*loaded));
    loaded->order = mem_strdup("");
    loaded->quarantined = mem_strdup("");
    loaded->refuse = refuse;
    return store_load(store, &sink, err);
}

static inline void loaded_free(struct loaded *loaded)
{
    free(loaded->order);
    free(loaded->quarantined);
}

/* Returns the number of applications in STORE. */
static inline size_t apps_of(struct store *store)
{
    struct loaded loaded;
    struct err err = { 0 };
    size_t apps;

    assert_ok(load_all(store, &loaded, NULL, &err), err);
    apps = loaded.apps;
    loaded_free(&loaded);
    return apps;
}

#endif
