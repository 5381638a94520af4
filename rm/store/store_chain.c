/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_chain.c - the chain of commits, the head, the starts, and losses accepted by an operator
 *
 * Each transaction ends with the row of the table history: the number of the commit, the hash of the previous
 * commit, and the tallies of all tables, all covered by one hash. COMMIT makes that row durable; then the
 * head (head.h) records the commit.
 *
 * Each start has a random id. Two copies of one store that were both used have different ids, so the start
 * and the commit that an agent has seen last can be compared with this store.
 */
#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"
#include "rm/store/store_sqlite.h"

#define HEAD_SYNC_MS 1000

int64_t store_wall_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- the newest commit ------------------------------------------------------- */

static size_t tallies_size(const struct chain *chain)
{
    return chain->tables * sizeof(chain->tallies[0]);
}

static void hash_chain(const struct chain *chain, uint8_t hash[STORE_HASH_BYTES])
{
    crypto_generichash_state state;

    crypto_generichash_init(&state, NULL, 0, STORE_HASH_BYTES);
    crypto_generichash_update(&state, chain->store_id, STORE_ID_BYTES);
    crypto_generichash_update(&state, (const uint8_t *)&chain->number, sizeof(chain->number));
    crypto_generichash_update(&state, (const uint8_t *)&chain->written_ms, sizeof(chain->written_ms));
    crypto_generichash_update(&state, chain->previous, STORE_HASH_BYTES);
    crypto_generichash_update(&state, (const uint8_t *)chain->tallies, tallies_size(chain));
    crypto_generichash_final(&state, hash, STORE_HASH_BYTES);
}

static bool read_bytes(sqlite3_stmt *row, int column, void *bytes, size_t size)
{
    if (sqlite3_column_bytes(row, column) != (int)size)
        return false;
    memcpy(bytes, sqlite3_column_blob(row, column), size);
    return true;
}

static bool read_chain(sqlite3_stmt *row, struct chain *chain)
{
    uint8_t hash[STORE_HASH_BYTES];

    chain->number = (uint64_t)sqlite3_column_int64(row, 0);
    chain->written_ms = sqlite3_column_int64(row, 1);
    chain->tables = (size_t)sqlite3_column_bytes(row, 5) / sizeof(chain->tallies[0]);
    if (chain->tables < SUMMED_TABLES_OLDEST || chain->tables > SUMMED_TABLES ||
        !read_bytes(row, 2, chain->store_id, STORE_ID_BYTES) ||
        !read_bytes(row, 3, chain->previous, STORE_HASH_BYTES) ||
        !read_bytes(row, 4, chain->hash, STORE_HASH_BYTES) ||
        !read_bytes(row, 5, chain->tallies, tallies_size(chain)))
        return false;
    hash_chain(chain, hash);
    return memcmp(hash, chain->hash, sizeof(hash)) == 0;
}

int store_chain_read(struct sqlite_store *store, struct chain *chain, struct err *err)
{
    static const char sql[] = "SELECT number, written_ms, store_id, previous, hash, tallies "
                              "FROM history";
    sqlite3_stmt *statement = NULL;
    int code, r = 0;

    *chain = (struct chain){ 0 };
    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK)
        return store_sqlite_fail(store, "its tables are not as they should be", err);
    code = sqlite3_step(statement);
    if (code == SQLITE_DONE)
        r = err_set(err, ENOENT, "%s: has no commit", store->file);
    else if (code != SQLITE_ROW)
        r = store_sqlite_fail(store, "cannot read it", err);
    else if (!read_chain(statement, chain))
        r = err_set(err, EBADMSG, "table history: its row is damaged");
    sqlite3_finalize(statement);
    return r;
}

/* Extends the chain by the commit in progress, and writes the new row. */
static int store_chain_extend(struct sqlite_store *store, struct chain *next, struct err *err)
{
    struct binder binder = store_bind_start(store, STATEMENT_PUT_HISTORY);

    *next = store->chain;
    next->number++;
    next->written_ms = store_wall_ms();
    next->tables = SUMMED_TABLES;
    memcpy(next->previous, store->chain.hash, STORE_HASH_BYTES);
    memcpy(next->tallies, store->tallies, sizeof(next->tallies));
    hash_chain(next, next->hash);
    store_bind_number(&binder, (int64_t)next->number);
    store_bind_number(&binder, next->written_ms);
    store_bind_bytes(&binder, next->store_id, STORE_ID_BYTES);
    store_bind_bytes(&binder, next->previous, STORE_HASH_BYTES);
    store_bind_bytes(&binder, next->hash, STORE_HASH_BYTES);
    store_bind_bytes(&binder, next->tallies, sizeof(next->tallies));
    return store_bind_finish(store, &binder, "cannot write", err);
}

/* --- the head -------------------------------------------------------------------- */

int store_chain_write_head(struct sqlite_store *store, struct err *err)
{
    const struct start *start = &store->starts[store->start_count - 1];
    struct head head = {
        .commit = store->chain.number,
        .written_ms = store->chain.written_ms,
        .cluster_ms = store->base.cluster_ms,
        .epoch = start->epoch,
        .last_app_seq = store->base.new_app_seq,
    };
    int r = 0;

    if (!store->head_due)
        return 0;
    memcpy(head.start_id, start->id, STORE_ID_BYTES);
    memcpy(head.store_id, store->chain.store_id, STORE_ID_BYTES);
    memcpy(head.hash, store->chain.hash, STORE_HASH_BYTES);
    if (store->head_fd < 0)
        r = head_open(store->directory, &store->head_fd, err);
    if (r == 0)
        r = head_write(store->head_fd, store->directory, &head, err);
    if (r == 0 && head.written_ms - store->head_synced_ms > HEAD_SYNC_MS) {
        r = head_sync(store->head_fd, store->directory, err);
        store->head_synced_ms = head.written_ms;
    }
    store->head_due = r < 0;
    return r;
}

/* Commits in the order described in head.h. */
int store_chain_commit(struct sqlite_store *store, struct err *err)
{
    struct chain next;
    struct binder commit;
    int r = store_chain_extend(store, &next, err);

    if (r == 0 && store->head_fd >= 0)
        r = head_settle(store->head_fd, store->directory, err);
    if (r < 0)
        return r;
    commit = store_bind_start(store, STATEMENT_COMMIT);
    r = store_bind_finish(store, &commit, "cannot write", err);
    if (r < 0)
        return r;
    store->chain = next;
    store->head_due = true;
    return store_chain_write_head(store, err);
}

/* --- starts, and accepted losses --------------------------------------------------- */

static int load_starts(struct sqlite_store *store, sqlite3_stmt *row)
{
    struct start *start;

    mem_grow(store->starts, store->start_count, store->start_capacity);
    start = &store->starts[store->start_count++];
    start->epoch = (uint32_t)sqlite3_column_int64(row, 0);
    start->first_commit = (uint64_t)sqlite3_column_int64(row, 2);
    return read_bytes(row, 1, start->id, STORE_ID_BYTES) ? 0 : -EBADMSG;
}

static int load_accepted(struct sqlite_store *store, sqlite3_stmt *row)
{
    struct accepted *accepted;

    mem_grow(store->accepted, store->accepted_count, store->accepted_capacity);
    accepted = &store->accepted[store->accepted_count++];
    accepted->epoch = (uint32_t)sqlite3_column_int64(row, 1);
    return read_bytes(row, 0, accepted->store_id, STORE_ID_BYTES) ? 0 : -EBADMSG;
}

static int each_row(struct sqlite_store *store, const char *sql,
                    int (*take)(struct sqlite_store *store, sqlite3_stmt *row), struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int code, r = 0;

    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK)
        return store_sqlite_fail(store, "its tables are not as they should be", err);
    while (r == 0 && (code = sqlite3_step(statement)) != SQLITE_DONE)
        r = code == SQLITE_ROW ? take(store, statement) : store_sqlite_fail(store, "cannot read it", err);
    sqlite3_finalize(statement);
    return r;
}

int store_chain_load(struct sqlite_store *store, struct err *err)
{
    int r;

    store->start_count = store->accepted_count = 0;
    r = each_row(store, "SELECT epoch, start_id, first_commit FROM starts ORDER BY epoch", load_starts, err);
    return r < 0 ? r : each_row(store, "SELECT store_id, epoch FROM accepted", load_accepted, err);
}

int store_chain_begin_start(struct sqlite_store *store, uint32_t epoch, int64_t now_ms, struct err *err)
{
    struct binder binder = store_bind_start(store, STATEMENT_PUT_START);
    scoped_free char *prune = mem_printf("DELETE FROM starts WHERE epoch NOT IN (SELECT epoch FROM "
                                         "starts ORDER BY epoch DESC LIMIT %d)",
                                         STARTS_KEPT);
    uint8_t id[STORE_ID_BYTES];
    int r = store_sqlite_put_meta(store, "epoch", epoch, err);

    if (r < 0)
        return r;
    randombytes_buf(id, sizeof(id));
    store_bind_number(&binder, epoch);
    store_bind_bytes(&binder, id, sizeof(id));
    store_bind_number(&binder, (int64_t)store->chain.number + 1);
    store_bind_number(&binder, now_ms);
    r = store_bind_finish(store, &binder, "cannot write a start", err);
    return r < 0 ? r : store_sqlite_run(store, prune, "cannot forget old starts", err);
}

int store_chain_accept(struct sqlite_store *store, const uint8_t store_id[STORE_ID_BYTES], uint32_t epoch,
                       int64_t now_ms, struct err *err)
{
    struct binder binder = store_bind_start(store, STATEMENT_PUT_ACCEPTED);

    store_bind_bytes(&binder, store_id, STORE_ID_BYTES);
    store_bind_number(&binder, epoch);
    store_bind_number(&binder, now_ms);
    return store_bind_finish(store, &binder, "cannot write what is accepted", err);
}

/* --- comparing -------------------------------------------------------------------------- */

static bool is_accepted(const struct sqlite_store *store, const Creel__History *seen)
{
    for (size_t i = 0; i < store->accepted_count; i++)
        if (memcmp(store->accepted[i].store_id, seen->store_id.data, STORE_ID_BYTES) == 0 &&
            seen->epoch <= store->accepted[i].epoch)
            return true;
    return false;
}

/* Returns the last commit of the start at INDEX. */
static uint64_t last_commit(const struct sqlite_store *store, size_t index)
{
    return index + 1 < store->start_count ? store->starts[index + 1].first_commit - 1 : store->chain.number;
}

bool store_chain_has(const struct sqlite_store *store, uint32_t epoch, const uint8_t start_id[STORE_ID_BYTES],
                     uint64_t commit)
{
    if (store->start_count > 0 && epoch < store->starts[0].epoch)
        return commit < store->starts[0].first_commit; /* the start is older than those that are kept */
    for (size_t i = store->start_count; i-- > 0;)
        if (store->starts[i].epoch == epoch)
            return memcmp(store->starts[i].id, start_id, STORE_ID_BYTES) == 0 &&
                   commit <= last_commit(store, i);
    return false;
}

enum store_compared store_sqlite_compare(const struct store *base, const Creel__History *seen)
{
    const struct sqlite_store *store = (const struct sqlite_store *)base;
    bool same;

    if (seen->store_id.len != STORE_ID_BYTES || seen->start_id.len != STORE_ID_BYTES)
        return STORE_COMPARED_OTHER;
    same = memcmp(store->chain.store_id, seen->store_id.data, STORE_ID_BYTES) == 0;
    if (same && store_chain_has(store, seen->epoch, seen->start_id.data, seen->commit))
        return STORE_COMPARED_SEEN;
    if (is_accepted(store, seen))
        return STORE_COMPARED_ACCEPTED;
    return same ? STORE_COMPARED_NEWER : STORE_COMPARED_OTHER;
}

void store_sqlite_history(const struct store *base, Creel__History *ret)
{
    const struct sqlite_store *store = (const struct sqlite_store *)base;
    const struct start *start = &store->starts[store->start_count - 1];

    creel__history__init(ret);
    ret->store_id.data = (uint8_t *)(uintptr_t)store->chain.store_id;
    ret->store_id.len = STORE_ID_BYTES;
    ret->start_id.data = (uint8_t *)(uintptr_t)start->id;
    ret->start_id.len = STORE_ID_BYTES;
    ret->epoch = start->epoch;
    ret->commit = store->chain.number;
    ret->last_app = base->last_app_seq;
    ret->written_ms = store->chain.written_ms;
}
