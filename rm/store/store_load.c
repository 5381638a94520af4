/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_load.c - every row handed out in order; what makes no sense set aside
 *
 * A row that cannot be unpacked, that says another id than its column, or that
 * its taker refuses is moved to the table quarantine when the walk is over,
 * with the reason, so that one bad row costs one app and not the cluster.
 */
#include <errno.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/store/store_sqlite.h"

enum row_kind { ROW_SETTING, ROW_APP, ROW_ATTEMPT, ROW_CONTAINER, ROW_NODE };

static const struct {
    const char *name, *table;
} kinds[] = {
    [ROW_SETTING] = { "setting", "settings" },
    [ROW_APP] = { "app", "apps" },
    [ROW_ATTEMPT] = { "attempt", "attempts" },
    [ROW_CONTAINER] = { "container", "containers" },
    [ROW_NODE] = { "node", "nodes" },
};

static const char walk_sql[] =
    "SELECT 0 AS kind, rowid, name AS id, row, 0 AS cluster_ms, 0 AS seq, 0 AS attempt,"
    "  0 AS epoch, 0 AS number FROM settings UNION ALL "
    "SELECT 1, rowid, id, row, cluster_ms, seq, 0, 0, 0 FROM apps UNION ALL "
    "SELECT 2, rowid, id, row, cluster_ms, seq, attempt, 0, 0 FROM attempts UNION ALL "
    "SELECT 3, rowid, id, row, cluster_ms, seq, attempt, epoch, number FROM containers UNION ALL "
    "SELECT 4, rowid, id, row, -1, 0, 0, 0, 0 FROM nodes "
    "ORDER BY cluster_ms, seq, kind, attempt, epoch, number";

struct refused {
    enum row_kind kind;
    int64_t rowid;
    char *id, *reason;
};

struct walk {
    struct sqlite_store *store;
    const struct store_sink *sink;
    struct refused *refused;
    size_t count, capacity;
};

static int take_setting(const struct store_sink *sink, const char *id, size_t size,
                        const uint8_t *bytes, struct err *err)
{
    Creel__StoredSetting *row = creel__stored_setting__unpack(NULL, size, bytes);
    int r;

    if (row == NULL)
        return err_set(err, EBADMSG, "cannot be unpacked");
    r = text_equal(row->name, id) ? sink->setting(sink->context, row, err)
                                  : err_set(err, EBADMSG, "holds the row of \"%s\"", row->name);
    creel__stored_setting__free_unpacked(row, NULL);
    return r;
}

static int take_app(const struct store_sink *sink, const char *id, size_t size,
                    const uint8_t *bytes, struct err *err)
{
    Creel__StoredApp *row = creel__stored_app__unpack(NULL, size, bytes);
    int r;

    if (row == NULL)
        return err_set(err, EBADMSG, "cannot be unpacked");
    r = text_equal(row->app_id, id) ? sink->app(sink->context, row, err)
                                    : err_set(err, EBADMSG, "holds the row of \"%s\"", row->app_id);
    creel__stored_app__free_unpacked(row, NULL);
    return r;
}

static int take_attempt(const struct store_sink *sink, const char *id, size_t size,
                        const uint8_t *bytes, struct err *err)
{
    Creel__StoredAttempt *row = creel__stored_attempt__unpack(NULL, size, bytes);
    int r;

    if (row == NULL)
        return err_set(err, EBADMSG, "cannot be unpacked");
    r = text_equal(row->attempt_id, id)
            ? sink->attempt(sink->context, row, err)
            : err_set(err, EBADMSG, "holds the row of \"%s\"", row->attempt_id);
    creel__stored_attempt__free_unpacked(row, NULL);
    return r;
}

static int take_container(const struct store_sink *sink, const char *id, size_t size,
                          const uint8_t *bytes, struct err *err)
{
    Creel__StoredContainer *row = creel__stored_container__unpack(NULL, size, bytes);
    const char *own;
    int r;

    if (row == NULL)
        return err_set(err, EBADMSG, "cannot be unpacked");
    own = row->report != NULL ? row->report->container_id : "";
    r = text_equal(own, id) ? sink->container(sink->context, row, err)
                            : err_set(err, EBADMSG, "holds the row of \"%s\"", own);
    creel__stored_container__free_unpacked(row, NULL);
    return r;
}

static int take_node(const struct store_sink *sink, const char *id, size_t size,
                     const uint8_t *bytes, struct err *err)
{
    Creel__StoredNode *row = creel__stored_node__unpack(NULL, size, bytes);
    int r;

    if (row == NULL)
        return err_set(err, EBADMSG, "cannot be unpacked");
    r = text_equal(row->node_id, id) ? sink->node(sink->context, row, err)
                                     : err_set(err, EBADMSG, "holds the row of \"%s\"", row->node_id);
    creel__stored_node__free_unpacked(row, NULL);
    return r;
}

static void take_row(struct walk *walk, sqlite3_stmt *statement)
{
    static int (*const take[])(const struct store_sink *sink, const char *id, size_t size,
                               const uint8_t *bytes, struct err *err) = {
        [ROW_SETTING] = take_setting, [ROW_APP] = take_app,
        [ROW_ATTEMPT] = take_attempt, [ROW_CONTAINER] = take_container,
        [ROW_NODE] = take_node,
    };
    enum row_kind kind = (enum row_kind)sqlite3_column_int(statement, 0);
    const char *id = (const char *)sqlite3_column_text(statement, 2);
    const uint8_t *bytes = sqlite3_column_blob(statement, 3);
    size_t size = (size_t)sqlite3_column_bytes(statement, 3);
    struct refused *refused;
    struct err err = { 0 };

    if (take[kind](walk->sink, id, size, bytes, &err) == 0)
        return;
    mem_grow(walk->refused, walk->count, walk->capacity);
    refused = &walk->refused[walk->count++];
    refused->kind = kind;
    refused->rowid = sqlite3_column_int64(statement, 1);
    refused->id = mem_strdup(id);
    refused->reason = mem_strdup(err.text);
}

static int walk_rows(struct walk *walk, struct err *err)
{
    struct sqlite_store *store = walk->store;
    sqlite3_stmt *statement = NULL;
    int code, r = 0;

    if (sqlite3_prepare_v2(store->database, walk_sql, -1, &statement, NULL) != SQLITE_OK)
        return store_sqlite_fail(store, "cannot read it", err);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        take_row(walk, statement);
    if (code != SQLITE_DONE)
        r = store_sqlite_fail(store, "cannot read it", err);
    sqlite3_finalize(statement);
    return r;
}

static int move_row(struct sqlite_store *store, const struct refused *refused, struct err *err)
{
    const char *table = kinds[refused->kind].table;
    scoped_free char *copy = mem_printf(
        "INSERT INTO quarantine SELECT '%s', %s, ?1, CAST(strftime('%%s','now') AS INTEGER), row "
        "FROM %s WHERE rowid = ?2", kinds[refused->kind].name,
        refused->kind == ROW_SETTING ? "name" : "id", table);
    scoped_free char *sql = mem_printf("DELETE FROM %s WHERE rowid = %lld", table,
                                       (long long)refused->rowid);
    sqlite3_stmt *statement = NULL;
    int r = 0;

    if (sqlite3_prepare_v2(store->database, copy, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_bind_text(statement, 1, refused->reason, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_int64(statement, 2, refused->rowid) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_DONE)
        r = store_sqlite_fail(store, "cannot set a row aside", err);
    sqlite3_finalize(statement);
    return r < 0 ? r : store_sqlite_run(store, sql, "cannot set a row aside", err);
}

static int move_rows(struct walk *walk, struct err *err)
{
    int r = store_begin(&walk->store->base, err);

    for (size_t i = 0; r == 0 && i < walk->count; i++)
        r = move_row(walk->store, &walk->refused[i], err);
    if (r < 0) {
        store_rollback(&walk->store->base);
        return r;
    }
    return store_commit(&walk->store->base, err);
}

/* Rows that could not be moved (a full disk) stay where they are and will be
 * refused again at the next start: no reason not to serve now. */
static void set_aside(struct walk *walk)
{
    struct err err = { 0 };
    int r = walk->count > 0 ? move_rows(walk, &err) : 0;

    for (size_t i = 0; i < walk->count; i++) {
        const struct refused *refused = &walk->refused[i];
        scoped_free char *reason = r < 0 ? mem_printf("%s (and it could not be set aside: %s)",
                                                      refused->reason, err.text)
                                         : mem_strdup(refused->reason);

        walk->sink->quarantined(walk->sink->context, kinds[refused->kind].name, refused->id,
                                reason);
    }
}

int store_sqlite_load(struct store *base, const struct store_sink *sink, struct err *err)
{
    struct walk walk = { .store = (struct sqlite_store *)base, .sink = sink };
    int r = walk_rows(&walk, err);

    if (r == 0)
        set_aside(&walk);
    for (size_t i = 0; i < walk.count; i++) {
        free(walk.refused[i].id);
        free(walk.refused[i].reason);
    }
    free(walk.refused);
    return r;
}
