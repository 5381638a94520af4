/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_sums.c - checksums of rows and tallies of tables, which detect damaged and missing rows
 *
 * Each row has, in its last column, 64 bits of the BLAKE2b hash of the table's name and all its other
 * columns. Each table has a tally: the number of its rows and the sum of their checksums, which is
 * part of the hash of each commit (store_chain.c). A checksum detects a row whose bytes changed; the
 * tally detects a missing row, and an outdated row, whose checksum is valid.
 *
 * Tallies are updated by temporary triggers, which exist in this connection only and run for every statement
 * that writes or deletes a row. (REPLACE deletes: recursive_triggers makes it fire the triggers, too.)
 */
#include <errno.h>
#include <sodium.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/store/store_sqlite.h"

static const struct {
    const char *name, *columns;
    const char *key;  /* an SQL expression: name of a row in messages */
    const char *kind; /* kind in the table quarantine; NULL: rows are not moved there */
} tables[SUMMED_TABLES] = {
    [SUMMED_META] = { "meta", META_COLUMNS, "name", NULL },
    [SUMMED_KEYS] = { "token_keys", KEY_COLUMNS, "ring || ' ' || place", NULL },
    [SUMMED_APPS] = { "apps", APP_COLUMNS, "id", "app" },
    [SUMMED_ATTEMPTS] = { "attempts", ATTEMPT_COLUMNS, "id", "attempt" },
    [SUMMED_CONTAINERS] = { "containers", CONTAINER_COLUMNS, "id", "container" },
    [SUMMED_SETTINGS] = { "settings", SETTING_COLUMNS, "kind || ' ' || name", "setting" },
    [SUMMED_NODES] = { "nodes", NODE_COLUMNS, "id", "node" },
    [SUMMED_STARTS] = { "starts", START_COLUMNS, "epoch", NULL },
    [SUMMED_ACCEPTED] = { "accepted", ACCEPTED_COLUMNS, "hex(store_id)", NULL },
    [SUMMED_SCHEDULER_CONFS] = { "scheduler_confs", SCHEDULER_CONF_COLUMNS, "id", "scheduler-conf" },
};

/* --- row_sum ------------------------------------------------------------------ */

static void add_value(crypto_generichash_state *state, sqlite3_value *value)
{
    uint8_t type = (uint8_t)sqlite3_value_type(value);
    int64_t number = 0;
    const void *bytes = NULL;

    if (type == SQLITE_INTEGER) {
        number = sqlite3_value_int64(value);
    } else if (type != SQLITE_NULL) {
        bytes = sqlite3_value_blob(value);
        number = sqlite3_value_bytes(value);
    }
    crypto_generichash_update(state, &type, sizeof(type));
    crypto_generichash_update(state, (const uint8_t *)&number, sizeof(number));
    if (bytes != NULL)
        crypto_generichash_update(state, bytes, (unsigned long long)number);
}

static void row_sum(sqlite3_context *context, int count, sqlite3_value **values)
{
    crypto_generichash_state state;
    uint8_t hash[crypto_generichash_BYTES_MIN];
    int64_t sum;

    crypto_generichash_init(&state, NULL, 0, sizeof(hash));
    for (int i = 0; i < count; i++)
        add_value(&state, values[i]);
    crypto_generichash_final(&state, hash, sizeof(hash));
    memcpy(&sum, hash, sizeof(sum));
    sqlite3_result_int64(context, sum);
}

/* Implements the SQL function tally(TABLE, +1 or -1, CHECKSUM), which counts an added or removed row. */
static void tally(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct sqlite_store *store = sqlite3_user_data(context);
    struct tally *of = &store->tallies[sqlite3_value_int(values[0])];
    uint64_t sum = (uint64_t)sqlite3_value_int64(values[2]);
    bool comes = sqlite3_value_int(values[1]) > 0;

    (void)count;
    of->count += comes ? 1 : UINT64_MAX;
    of->sum += comes ? sum : -sum;
}

int store_sums_define(struct sqlite_store *store, struct err *err)
{
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;

    if (sqlite3_create_function(store->database, "row_sum", -1, flags, NULL, row_sum, NULL, NULL) !=
            SQLITE_OK ||
        sqlite3_create_function(store->database, "tally", 3, SQLITE_UTF8, store, tally, NULL, NULL) !=
            SQLITE_OK)
        return store_sqlite_fail(store, "cannot define its functions", err);
    return 0;
}

int store_sums_watch(struct sqlite_store *store, struct err *err)
{
    int r = 0;

    for (int i = 0; r == 0 && i < SUMMED_TABLES; i++) {
        scoped_free char *sql =
            mem_printf("CREATE TEMP TRIGGER %s_come AFTER INSERT ON main.%s "
                       "BEGIN SELECT tally(%d, 1, new.sum); END;"
                       "CREATE TEMP TRIGGER %s_go AFTER DELETE ON main.%s "
                       "BEGIN SELECT tally(%d, -1, old.sum); END",
                       tables[i].name, tables[i].name, i, tables[i].name, tables[i].name, i);

        r = store_sqlite_run(store, sql, "cannot set up checksums", err);
    }
    return r;
}

/* --- whole tables --------------------------------------------------------------- */

static int count_table(struct sqlite_store *store, int table, struct err *err)
{
    scoped_free char *sql = mem_printf("SELECT sum FROM %s", tables[table].name);
    struct tally *of = &store->tallies[table];
    sqlite3_stmt *statement = NULL;
    int code, r = 0;

    *of = (struct tally){ 0 };
    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK)
        return store_sqlite_fail(store, "cannot read it", err);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        of->count++;
        of->sum += (uint64_t)sqlite3_column_int64(statement, 0);
    }
    if (code != SQLITE_DONE)
        r = store_sqlite_fail(store, "cannot read it", err);
    sqlite3_finalize(statement);
    return r;
}

int store_sums_count(struct sqlite_store *store, struct err *err)
{
    int r = 0;

    for (int i = 0; r == 0 && i < SUMMED_TABLES; i++)
        r = count_table(store, i, err);
    return r;
}

struct verification {
    struct sqlite_store *store;
    void (*problem)(void *context, const char *text);
    void *context;
};

/* Returns a text that names an attempt whose application has no row, or a container whose attempt has no row;
 * the caller frees the text. NULL: there is none. */
static char *orphan(struct sqlite_store *store)
{
    static const char sql[] = "SELECT id FROM attempts AS a WHERE NOT EXISTS "
                              "(SELECT 1 FROM apps WHERE cluster_ms = a.cluster_ms AND seq = a.seq) "
                              "UNION ALL SELECT id FROM containers AS c WHERE NOT EXISTS "
                              "(SELECT 1 FROM attempts WHERE cluster_ms = c.cluster_ms AND seq = c.seq "
                              " AND attempt = c.attempt) LIMIT 1";
    sqlite3_stmt *statement = NULL;
    char *text = NULL;

    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        text = mem_printf("; what %s belongs to is not there", sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return text;
}

static void compare_tally(const struct verification *of, int table, const struct tally *found,
                          const struct tally *written)
{
    scoped_free char *missing = orphan(of->store), *text = NULL;
    unsigned long long has = found->count, had = written->count;

    if (found->count == written->count)
        text = mem_printf("table %s: a row is not the one that was written last", tables[table].name);
    else if (found->count < written->count)
        text = mem_printf("table %s: %llu of its %llu rows are missing%s", tables[table].name, had - has, had,
                          missing != NULL ? missing : "");
    else
        text = mem_printf("table %s: has %llu rows, %llu were written", tables[table].name, has, had);
    of->problem(of->context, text);
}

static int verify_table(const struct verification *of, int table, const struct tally *written,
                        struct err *err)
{
    scoped_free char *sql = mem_printf("SELECT sum, row_sum('%s', %s), %s FROM %s", tables[table].name,
                                       tables[table].columns, tables[table].key, tables[table].name);
    struct tally found = { 0 };
    sqlite3_stmt *statement = NULL;
    bool sound = true;
    int code, r = 0;

    if (sqlite3_prepare_v2(of->store->database, sql, -1, &statement, NULL) != SQLITE_OK)
        return store_sqlite_fail(of->store, "its tables are not as they should be", err);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t sum = sqlite3_column_int64(statement, 0);

        found.count++;
        found.sum += (uint64_t)sum;
        if (sum != sqlite3_column_int64(statement, 1)) {
            scoped_free char *text = mem_printf("table %s, row %s: its checksum is wrong", tables[table].name,
                                                sqlite3_column_text(statement, 2));

            of->problem(of->context, text);
            sound = false;
        }
    }
    if (code != SQLITE_DONE)
        r = store_sqlite_fail(of->store, "cannot read it", err);
    sqlite3_finalize(statement);
    /* The sums are compared only if all checksums are right: wrong ones were reported above. */
    if (r == 0 && (found.count != written->count || (sound && found.sum != written->sum)))
        compare_tally(of, table, &found, written);
    return r;
}

int store_sums_verify(struct sqlite_store *store, const struct chain *chain,
                      void (*problem)(void *context, const char *text), void *context, struct err *err)
{
    struct verification of = { store, problem, context };
    int r = 0;

    for (int i = 0; r == 0 && i < (int)chain->tables; i++)
        r = verify_table(&of, i, &chain->tallies[i], err);
    return r;
}

/* --- setting aside ------------------------------------------------------------------ */

int store_sums_set_aside(struct sqlite_store *store, struct err *err)
{
    int r = 0;

    for (int i = 0; r == 0 && i < SUMMED_TABLES; i++) {
        const char *name = tables[i].name;
        scoped_free char *wrong = mem_printf("WHERE sum IS NOT row_sum('%s', %s)", name, tables[i].columns);
        scoped_free char *sql =
            tables[i].kind != NULL
                ? mem_printf("INSERT INTO quarantine SELECT '%s', %s, 'its checksum is wrong', "
                             "CAST(strftime('%%s','now') AS INTEGER), row FROM %s %s;"
                             "DELETE FROM %s %s",
                             tables[i].kind, tables[i].key, name, wrong, name, wrong)
                : mem_printf("DELETE FROM %s %s", name, wrong);

        r = store_sqlite_run(store, sql, "cannot set rows aside", err);
    }
    return r;
}
