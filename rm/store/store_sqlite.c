/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_sqlite.c - rows into SQLite: statements, transactions, errors in words
 *
 * WAL with full sync: a commit is one append and one fsync of the log. Readers
 * (an administrator's shell) never hinder it; a foreign writer makes BEGIN
 * IMMEDIATE fail with -EBUSY after a short wait.
 */
#include "rm/store/store_sqlite.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"

#define APP_KEY " WHERE cluster_ms = ?1 AND seq = ?2"

static const char *const statement_sql[STATEMENT_COUNT] = {
    [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_ROLLBACK] = "ROLLBACK",
    [STATEMENT_PUT_APP] =
        "INSERT OR REPLACE INTO apps (cluster_ms, seq, id, user, queue, name, state,"
        " final_status, exit_status, submitted_ms, finished_ms, row)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    [STATEMENT_PUT_ATTEMPT] =
        "INSERT OR REPLACE INTO attempts (cluster_ms, seq, id, attempt, master_container,"
        " master_node, over, exit_status, row) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [STATEMENT_PUT_CONTAINER] =
        "INSERT OR REPLACE INTO containers (cluster_ms, seq, id, attempt, epoch, number, user,"
        " node, state, exit_status, finished_ms, row)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    [STATEMENT_PUT_SETTING] =
        "INSERT OR REPLACE INTO settings (kind, name, value, row) VALUES (?1, ?2, ?3, ?4)",
    [STATEMENT_FORGET_SETTING] = "DELETE FROM settings WHERE kind = ?1 AND name = ?2",
    [STATEMENT_PUT_NODE] =
        "INSERT OR REPLACE INTO nodes (id, state, who, reason, since_ms, deadline_ms, row)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [STATEMENT_FORGET_APP] = "DELETE FROM apps" APP_KEY,
    [STATEMENT_FORGET_ATTEMPTS] = "DELETE FROM attempts" APP_KEY,
    [STATEMENT_FORGET_CONTAINERS] = "DELETE FROM containers" APP_KEY,
    [STATEMENT_PUT_META] = "INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)",
    [STATEMENT_GET_META] = "SELECT value FROM meta WHERE name = ?1",
    [STATEMENT_GET_RING] =
        "SELECT place, key_id, key, rolled_ms FROM token_keys WHERE ring = ?1 ORDER BY place",
    [STATEMENT_CLEAR_RING] = "DELETE FROM token_keys WHERE ring = ?1",
    [STATEMENT_PUT_KEY] =
        "INSERT INTO token_keys (ring, place, key_id, key, rolled_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
};

/* --- errors ---------------------------------------------------------------- */

static const struct {
    int sqlite, code;
    const char *advice;
} troubles[] = {
    { SQLITE_FULL, ENOSPC, "the disk is full: make room there" },
    { SQLITE_IOERR, EIO, "the disk does not read or write: see the kernel's log" },
    { SQLITE_BUSY, EBUSY, "another process holds its lock: close that program (a database shell?)" },
    { SQLITE_LOCKED, EBUSY, "another process holds its lock: close that program" },
    { SQLITE_CORRUPT, EBADMSG, "the database is damaged: restore it from a backup, or move it "
                               "away to begin anew (then every application is forgotten)" },
    { SQLITE_NOTADB, EBADMSG, "this is not a database: restore it from a backup, or move it "
                              "away to begin anew (then every application is forgotten)" },
    { SQLITE_READONLY, EROFS, "it cannot be written: check its owner, its mode and the mount" },
    { SQLITE_PERM, EACCES, "permission denied: check its owner and mode" },
    { SQLITE_CANTOPEN, EACCES, "cannot be opened: check the directory's owner and mode" },
    { SQLITE_NOMEM, ENOMEM, "out of memory" },
};

int store_sqlite_fail(const struct sqlite_store *store, const char *doing, struct err *err)
{
    int extended = sqlite3_extended_errcode(store->database);

    for (size_t i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++)
        if (troubles[i].sqlite == (extended & 0xff))
            return err_set(err, troubles[i].code, "%s: %s: %s (SQLite: %s, %d)", store->file, doing,
                           troubles[i].advice, sqlite3_errmsg(store->database), extended);
    return err_set(err, EIO, "%s: %s (SQLite: %s, %d)", store->file, doing,
                   sqlite3_errmsg(store->database), extended);
}

/* --- statements ------------------------------------------------------------ */

int store_sqlite_run(struct sqlite_store *store, const char *sql, const char *doing,
                     struct err *err)
{
    if (sqlite3_exec(store->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_sqlite_fail(store, doing, err);
    return 0;
}

int store_sqlite_prepare(struct sqlite_store *store, struct err *err)
{
    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        if (sqlite3_prepare_v3(store->database, statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &store->statements[i], NULL) != SQLITE_OK)
            return store_sqlite_fail(store, "its tables are not as they should be", err);
    return 0;
}

/* Parameters are bound in order: the cursor keeps call sites short. Binding
 * cannot fail but for lack of memory or a wrong index: then the step shows. */
struct binder {
    sqlite3_stmt *statement;
    int next;
};

static void bind_number(struct binder *binder, int64_t value)
{
    (void)sqlite3_bind_int64(binder->statement, binder->next++, value);
}

static void bind_text(struct binder *binder, const char *text)
{
    (void)sqlite3_bind_text(binder->statement, binder->next++, text, -1, SQLITE_TRANSIENT);
}

static void bind_bytes(struct binder *binder, const void *bytes, size_t size)
{
    (void)sqlite3_bind_blob64(binder->statement, binder->next++, bytes, size, SQLITE_TRANSIENT);
}

static void bind_packed(struct binder *binder, const ProtobufCMessage *row)
{
    size_t size = protobuf_c_message_get_packed_size(row);
    uint8_t *bytes = mem_alloc(size + 1);

    protobuf_c_message_pack(row, bytes);
    (void)sqlite3_bind_blob64(binder->statement, binder->next++, bytes, size, free);
}

static void bind_app_id(struct binder *binder, const struct app_id *id)
{
    bind_number(binder, id->cluster_ms);
    bind_number(binder, id->seq);
}

/* "APP_RUNNING" -> "RUNNING": the column is for people. */
static void bind_enum(struct binder *binder, const ProtobufCEnumDescriptor *type, int value)
{
    const ProtobufCEnumValue *found = protobuf_c_enum_descriptor_get_value(type, value);
    const char *name = found != NULL ? found->name : "?";
    const char *behind = strchr(name, '_');

    bind_text(binder, behind != NULL ? behind + 1 : name);
}

static struct binder bind_start(struct sqlite_store *store, enum statement which)
{
    struct binder binder = { store->statements[which], 1 };

    return binder;
}

static int finish(struct sqlite_store *store, struct binder *binder, const char *doing,
                  struct err *err)
{
    int r = 0;

    if (sqlite3_step(binder->statement) != SQLITE_DONE)
        r = store_sqlite_fail(store, doing, err);
    sqlite3_reset(binder->statement);
    sqlite3_clear_bindings(binder->statement);
    return r;
}

static int run_statement(struct sqlite_store *store, enum statement which, const char *doing,
                         struct err *err)
{
    struct binder binder = bind_start(store, which);

    return finish(store, &binder, doing, err);
}

/* --- transactions and rows ------------------------------------------------- */

static int sqlite_begin(struct store *base, struct err *err)
{
    return run_statement((struct sqlite_store *)base, STATEMENT_BEGIN, "cannot begin to write",
                         err);
}

static int sqlite_commit(struct store *base, struct err *err)
{
    return run_statement((struct sqlite_store *)base, STATEMENT_COMMIT, "cannot write", err);
}

static void sqlite_rollback(struct store *base)
{
    struct sqlite_store *store = (struct sqlite_store *)base;

    /* Some failures have undone it already: then there is nothing to do. */
    if (!sqlite3_get_autocommit(store->database))
        (void)run_statement(store, STATEMENT_ROLLBACK, "cannot undo", NULL);
}

static int sqlite_put_app(struct store *base, const struct app_id *id,
                          const Creel__StoredApp *row, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder binder = bind_start(store, STATEMENT_PUT_APP);

    bind_app_id(&binder, id);
    bind_text(&binder, row->app_id);
    bind_text(&binder, row->user);
    bind_text(&binder, row->queue);
    bind_text(&binder, row->job != NULL ? row->job->name : "");
    bind_enum(&binder, &creel__app_state__descriptor, (int)row->state);
    bind_enum(&binder, &creel__final_status__descriptor, (int)row->final_status);
    bind_number(&binder, row->exit_status);
    bind_number(&binder, row->submitted_ms);
    bind_number(&binder, row->finished_ms);
    bind_packed(&binder, &row->base);
    return finish(store, &binder, "cannot write an application", err);
}

static int sqlite_put_attempt(struct store *base, const struct attempt_id *id,
                              const Creel__StoredAttempt *row, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder binder = bind_start(store, STATEMENT_PUT_ATTEMPT);

    bind_app_id(&binder, &id->app);
    bind_text(&binder, row->attempt_id);
    bind_number(&binder, id->attempt);
    bind_text(&binder, row->master_container_id);
    bind_text(&binder, row->master_node_id);
    bind_number(&binder, row->over);
    bind_number(&binder, row->exit_status);
    bind_packed(&binder, &row->base);
    return finish(store, &binder, "cannot write an attempt", err);
}

static int sqlite_put_container(struct store *base, const struct container_id *id,
                                const Creel__StoredContainer *row, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder binder = bind_start(store, STATEMENT_PUT_CONTAINER);
    const Creel__ContainerReport *report = row->report;

    bind_app_id(&binder, &id->attempt.app);
    bind_text(&binder, report->container_id);
    bind_number(&binder, id->attempt.attempt);
    bind_number(&binder, id->epoch);
    bind_number(&binder, id->number);
    bind_text(&binder, report->user);
    bind_text(&binder, report->node_id);
    bind_enum(&binder, &creel__container_state__descriptor, (int)report->state);
    bind_number(&binder, report->exit_status);
    bind_number(&binder, report->finished_ms);
    bind_packed(&binder, &row->base);
    return finish(store, &binder, "cannot write a container", err);
}

static int sqlite_put_setting(struct store *base, const Creel__StoredSetting *row, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    bool forgotten = *row->value == '\0';
    struct binder binder = bind_start(store, forgotten ? STATEMENT_FORGET_SETTING
                                                       : STATEMENT_PUT_SETTING);

    bind_text(&binder, row->kind);
    bind_text(&binder, row->name);
    if (!forgotten) {
        bind_text(&binder, row->value);
        bind_packed(&binder, &row->base);
    }
    return finish(store, &binder, "cannot write a setting", err);
}

static int sqlite_put_node(struct store *base, const Creel__StoredNode *row, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder binder = bind_start(store, STATEMENT_PUT_NODE);

    bind_text(&binder, row->node_id);
    bind_enum(&binder, &creel__stored_duty__descriptor, (int)row->state);
    bind_text(&binder, row->by);
    bind_text(&binder, row->reason);
    bind_number(&binder, row->since_ms);
    bind_number(&binder, row->deadline_ms);
    bind_packed(&binder, &row->base);
    return finish(store, &binder, "cannot write a node", err);
}

static int sqlite_forget_app(struct store *base, const struct app_id *id, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;

    for (enum statement which = STATEMENT_FORGET_APP; which <= STATEMENT_FORGET_CONTAINERS;
         which++) {
        struct binder binder = bind_start(store, which);
        int r;

        bind_app_id(&binder, id);
        r = finish(store, &binder, "cannot forget an application", err);
        if (r < 0)
            return r;
    }
    return 0;
}

/* --- meta ------------------------------------------------------------------ */

int store_sqlite_put_meta(struct sqlite_store *store, const char *name, int64_t value,
                          struct err *err)
{
    struct binder binder = bind_start(store, STATEMENT_PUT_META);

    bind_text(&binder, name);
    bind_number(&binder, value);
    return finish(store, &binder, "cannot write its numbers", err);
}

int store_sqlite_get_meta(struct sqlite_store *store, const char *name, int64_t *value,
                          struct err *err)
{
    struct binder binder = bind_start(store, STATEMENT_GET_META);
    int code, r = 0;

    bind_text(&binder, name);
    code = sqlite3_step(binder.statement);
    if (code == SQLITE_ROW)
        *value = sqlite3_column_int64(binder.statement, 0);
    else if (code == SQLITE_DONE)
        r = err_set(err, ENOENT, "%s: has no %s", store->file, name);
    else
        r = store_sqlite_fail(store, "cannot read its numbers", err);
    sqlite3_reset(binder.statement);
    return r;
}

static int sqlite_put_last_app_seq(struct store *base, uint32_t seq, struct err *err)
{
    return store_sqlite_put_meta((struct sqlite_store *)base, "last_app_seq", seq, err);
}

/* Has to be a change, or SQLite would write nothing. */
static int sqlite_probe(struct store *base, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    int64_t probes = 0;
    int r = store_sqlite_get_meta(store, "probes", &probes, err);

    if (r < 0 && r != -ENOENT)
        return r;
    return store_sqlite_put_meta(store, "probes", probes + 1, err);
}

static int read_key(struct sqlite_store *store, sqlite3_stmt *row, struct token_ring *ring,
                    int64_t *rolled_ms, struct err *err)
{
    int place = sqlite3_column_int(row, 0);

    if (place < 0 || place >= TOKEN_KEYS_MAX || sqlite3_column_bytes(row, 2) != TOKEN_KEY_BYTES)
        return err_set(err, EBADMSG, "%s: table token_keys is damaged: delete its rows (AMs and "
                       "containers that run now will be refused once)", store->file);
    ring->keys[place].id = (uint32_t)sqlite3_column_int64(row, 1);
    memcpy(ring->keys[place].bytes, sqlite3_column_blob(row, 2), TOKEN_KEY_BYTES);
    if (place == 0)
        *rolled_ms = sqlite3_column_int64(row, 3);
    return 0;
}

static int sqlite_get_ring(struct store *base, const char *name, struct token_ring *ret,
                           int64_t *ret_rolled_ms, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder binder = bind_start(store, STATEMENT_GET_RING);
    struct token_ring ring = { 0 };
    int64_t rolled_ms = 0;
    int code, r = 0;

    bind_text(&binder, name);
    while (r == 0 && (code = sqlite3_step(binder.statement)) != SQLITE_DONE)
        r = code == SQLITE_ROW ? read_key(store, binder.statement, &ring, &rolled_ms, err)
                               : store_sqlite_fail(store, "cannot read token keys", err);
    sqlite3_reset(binder.statement);
    if (r == 0 && ring.keys[0].id == 0)
        return err_set(err, ENOENT, "%s: has no token keys \"%s\"", store->file, name);
    if (r == 0) {
        *ret = ring;
        *ret_rolled_ms = rolled_ms;
    }
    return r;
}

static int sqlite_put_ring(struct store *base, const char *name, const struct token_ring *ring,
                           int64_t rolled_ms, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder clear = bind_start(store, STATEMENT_CLEAR_RING);
    int r;

    bind_text(&clear, name);
    r = finish(store, &clear, "cannot write token keys", err);
    for (int place = 0; r == 0 && place < TOKEN_KEYS_MAX; place++) {
        struct binder put = bind_start(store, STATEMENT_PUT_KEY);

        if (ring->keys[place].id == 0)
            continue;
        bind_text(&put, name);
        bind_number(&put, place);
        bind_number(&put, ring->keys[place].id);
        bind_bytes(&put, ring->keys[place].bytes, TOKEN_KEY_BYTES);
        bind_number(&put, rolled_ms);
        r = finish(store, &put, "cannot write token keys", err);
    }
    return r;
}

/* --- the end --------------------------------------------------------------- */

static void sqlite_close_store(struct store *base)
{
    struct sqlite_store *store = (struct sqlite_store *)base;

    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->database);
    mem_close_fd(&store->lock_fd);
    free(store->file);
    free(store);
}

const struct store_ops store_sqlite_ops = {
    .close = sqlite_close_store,
    .load = store_sqlite_load,
    .begin = sqlite_begin,
    .put_app = sqlite_put_app,
    .put_attempt = sqlite_put_attempt,
    .put_container = sqlite_put_container,
    .put_setting = sqlite_put_setting,
    .put_node = sqlite_put_node,
    .forget_app = sqlite_forget_app,
    .put_last_app_seq = sqlite_put_last_app_seq,
    .probe = sqlite_probe,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .get_ring = sqlite_get_ring,
    .put_ring = sqlite_put_ring,
};
