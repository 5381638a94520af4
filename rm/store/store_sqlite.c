/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_sqlite.c - the store in SQLite: transactions, and the rows that are written in them
 *
 * WAL with full sync: a commit is one append and one fsync of the log. Readers (an administrator's shell)
 * never delay it; another writer makes BEGIN IMMEDIATE fail with -EBUSY after a short wait.
 */
#include "rm/store/store_sqlite.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

/* --- parameters ------------------------------------------------------------ */

static void bind_packed(struct binder *binder, const ProtobufCMessage *row)
{
    size_t size = protobuf_c_message_get_packed_size(row);
    uint8_t *bytes = mem_alloc(size + 1);

    protobuf_c_message_pack(row, bytes);
    (void)sqlite3_bind_blob64(binder->statement, binder->next++, bytes, size, free);
}

static void bind_app_id(struct binder *binder, const struct app_id *id)
{
    store_bind_number(binder, id->cluster_ms);
    store_bind_number(binder, id->seq);
}

/* Binds an enum value as text, "APP_RUNNING" as "RUNNING", since people read the column. */
static void bind_enum(struct binder *binder, const ProtobufCEnumDescriptor *type, int value)
{
    const ProtobufCEnumValue *found = protobuf_c_enum_descriptor_get_value(type, value);
    const char *name = found != NULL ? found->name : "?";
    const char *behind = strchr(name, '_');

    store_bind_text(binder, behind != NULL ? behind + 1 : name);
}

static int run_statement(struct sqlite_store *store, enum statement which, const char *doing, struct err *err)
{
    struct binder binder = store_bind_start(store, which);

    return store_bind_finish(store, &binder, doing, err);
}

/* --- transactions and rows ------------------------------------------------- */

/* Begins a transaction. Before, writes the head of the last commit if that failed earlier (head.h). */
static int sqlite_begin(struct store *base, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    int r;

    store_files_look(store);
    r = store_chain_write_head(store, err);
    return r < 0 ? r : run_statement(store, STATEMENT_BEGIN, "cannot begin to write", err);
}

static int sqlite_watch(struct store *base, struct err *err)
{
    return store_files_watch((struct sqlite_store *)base, err);
}

static int sqlite_rescue(struct store *base, const char *file, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct store_report report = { 0 };
    int r = store_copy_database(store, file, err);

    if (r == 0)
        r = store_examine_copy(file, &report, err);
    if (r == 0 && report.commit != store->chain.number)
        r = err_set(err, EBADMSG, "%s: has not the newest commit", file);
    store_report_done(&report);
    return r;
}

static int sqlite_commit(struct store *base, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    int r = store_chain_commit(store, err);

    if (r == 0)
        store_files_note(store);
    return r;
}

static void sqlite_rollback(struct store *base)
{
    struct sqlite_store *store = (struct sqlite_store *)base;

    /* Some failures have already undone the transaction. */
    if (store->database != NULL && !sqlite3_get_autocommit(store->database))
        (void)run_statement(store, STATEMENT_ROLLBACK, "cannot undo", NULL);
    memcpy(store->tallies, store->chain.tallies, sizeof(store->tallies));
    (void)store_chain_load(store, NULL);
    store_files_note(store);
}

static int sqlite_put_app(struct store *base, const struct app_id *id, const Creel__StoredApp *row,
                          const uint8_t *packed, size_t size, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder binder = store_bind_start(store, STATEMENT_PUT_APP);

    bind_app_id(&binder, id);
    store_bind_text(&binder, row->app_id);
    store_bind_text(&binder, row->user);
    store_bind_text(&binder, row->queue);
    store_bind_text(&binder, row->job != NULL ? row->job->name : "");
    bind_enum(&binder, &creel__app_state__descriptor, (int)row->state);
    bind_enum(&binder, &creel__final_status__descriptor, (int)row->final_status);
    store_bind_number(&binder, row->exit_status);
    store_bind_number(&binder, row->submitted_ms);
    store_bind_number(&binder, row->finished_ms);
    store_bind_bytes(&binder, packed, size);
    return store_bind_finish(store, &binder, "cannot write an application", err);
}

static int sqlite_put_attempt(struct store *base, const struct attempt_id *id,
                              const Creel__StoredAttempt *row, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder binder = store_bind_start(store, STATEMENT_PUT_ATTEMPT);

    bind_app_id(&binder, &id->app);
    store_bind_text(&binder, row->attempt_id);
    store_bind_number(&binder, id->attempt);
    store_bind_text(&binder, row->master_container_id);
    store_bind_text(&binder, row->master_node_id);
    store_bind_number(&binder, row->over);
    store_bind_number(&binder, row->exit_status);
    bind_packed(&binder, &row->base);
    return store_bind_finish(store, &binder, "cannot write an attempt", err);
}

static int sqlite_put_container(struct store *base, const struct container_id *id,
                                const Creel__StoredContainer *row, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder binder = store_bind_start(store, STATEMENT_PUT_CONTAINER);
    const Creel__ContainerReport *report = row->report;

    bind_app_id(&binder, &id->attempt.app);
    store_bind_text(&binder, report->container_id);
    store_bind_number(&binder, id->attempt.attempt);
    store_bind_number(&binder, id->epoch);
    store_bind_number(&binder, id->number);
    store_bind_text(&binder, report->user);
    store_bind_text(&binder, report->node_id);
    bind_enum(&binder, &creel__container_state__descriptor, (int)report->state);
    store_bind_number(&binder, report->exit_status);
    store_bind_number(&binder, report->finished_ms);
    bind_packed(&binder, &row->base);
    return store_bind_finish(store, &binder, "cannot write a container", err);
}

static int sqlite_put_setting(struct store *base, const Creel__StoredSetting *row, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    bool forgotten = *row->value == '\0';
    struct binder binder =
        store_bind_start(store, forgotten ? STATEMENT_FORGET_SETTING : STATEMENT_PUT_SETTING);

    store_bind_text(&binder, row->kind);
    store_bind_text(&binder, row->name);
    if (!forgotten) {
        store_bind_text(&binder, row->value);
        bind_packed(&binder, &row->base);
    }
    return store_bind_finish(store, &binder, "cannot write a setting", err);
}

/* Returns whether nothing is to be known about the node after a restart. */
static bool is_blank_node(const Creel__StoredNode *row)
{
    return row->state == CREEL__STORED_ADMIN_STATE__STORED_SERVING && row->total == NULL && !row->registered;
}

static int sqlite_put_node(struct store *base, const Creel__StoredNode *row, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    bool forgotten = is_blank_node(row);
    struct binder binder = store_bind_start(store, forgotten ? STATEMENT_FORGET_NODE : STATEMENT_PUT_NODE);

    store_bind_text(&binder, row->node_id);
    if (forgotten)
        return store_bind_finish(store, &binder, "cannot forget a node", err);
    bind_enum(&binder, &creel__stored_admin_state__descriptor, (int)row->state);
    store_bind_text(&binder, row->by);
    store_bind_text(&binder, row->reason);
    store_bind_number(&binder, row->since_ms);
    store_bind_number(&binder, row->deadline_ms);
    bind_packed(&binder, &row->base);
    return store_bind_finish(store, &binder, "cannot write a node", err);
}

static int sqlite_put_scheduler_conf(struct store *base, const Creel__StoredSchedulerConf *row,
                                     struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder binder = store_bind_start(store, STATEMENT_PUT_SCHEDULER_CONF), forget;
    int r;

    store_bind_number(&binder, (int64_t)row->version);
    store_bind_text(&binder, row->by);
    store_bind_number(&binder, row->at_ms);
    store_bind_text(&binder, row->summary);
    bind_packed(&binder, &row->base);
    r = store_bind_finish(store, &binder, "cannot write a configuration of queues", err);
    if (r < 0)
        return r;
    forget = store_bind_start(store, STATEMENT_FORGET_SCHEDULER_CONFS);
    store_bind_number(&forget, (int64_t)row->version - STORE_SCHEDULER_CONFS_KEPT);
    return store_bind_finish(store, &forget, "cannot forget a configuration of queues", err);
}

static int sqlite_forget_app(struct store *base, const struct app_id *id, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;

    for (enum statement which = STATEMENT_FORGET_APP; which <= STATEMENT_FORGET_CONTAINERS; which++) {
        struct binder binder = store_bind_start(store, which);
        int r;

        bind_app_id(&binder, id);
        r = store_bind_finish(store, &binder, "cannot forget an application", err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int sqlite_forget_container(struct store *base, const struct container_id *id, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder binder = store_bind_start(store, STATEMENT_FORGET_CONTAINER);

    bind_app_id(&binder, &id->attempt.app);
    store_bind_number(&binder, id->attempt.attempt);
    store_bind_number(&binder, id->epoch);
    store_bind_number(&binder, id->number);
    return store_bind_finish(store, &binder, "cannot forget a container", err);
}

/* --- numbers and keys --------------------------------------------------------- */

static int sqlite_put_last_app_seq(struct store *base, uint32_t seq, struct err *err)
{
    return store_sqlite_put_meta((struct sqlite_store *)base, "last_app_seq", seq, err);
}

/* Changes a counter: without a change SQLite would write nothing to the disk. */
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
        return err_set(err, EBADMSG,
                       "%s: table token_keys is damaged: delete its rows (AMs and "
                       "containers that run now will be refused once)",
                       store->file);
    ring->keys[place].id = (uint32_t)sqlite3_column_int64(row, 1);
    memcpy(ring->keys[place].bytes, sqlite3_column_blob(row, 2), TOKEN_KEY_BYTES);
    if (place == 0)
        *rolled_ms = sqlite3_column_int64(row, 3);
    return 0;
}

static int sqlite_accept(struct store *base, const Creel__History *seen, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    bool own = memcmp(store->chain.store_id, seen->store_id.data, STORE_ID_BYTES) == 0;
    uint32_t epoch = seen->epoch > base->epoch ? seen->epoch : base->epoch;
    uint32_t last = seen->last_app > base->last_app_seq ? seen->last_app : base->last_app_seq;
    int64_t now_ms = store_wall_ms();
    int r = store_chain_accept(store, seen->store_id.data, own ? epoch : seen->epoch, now_ms, err);

    if (r == 0 && own)
        r = store_sqlite_put_meta(store, "last_app_seq", last, err);
    if (r == 0 && own)
        r = store_chain_begin_start(store, epoch + 1, now_ms, err);
    if (r == 0)
        r = store_chain_load(store, err);
    if (r == 0 && own)
        base->new_app_seq = last;
    return r;
}

static int sqlite_get_ring(struct store *base, const char *name, struct token_ring *ret,
                           int64_t *ret_rolled_ms, struct err *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct binder binder = store_bind_start(store, STATEMENT_GET_RING);
    struct token_ring ring = { 0 };
    int64_t rolled_ms = 0;
    int code, r = 0;

    store_bind_text(&binder, name);
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
    struct binder clear = store_bind_start(store, STATEMENT_CLEAR_RING);
    int r;

    store_bind_text(&clear, name);
    r = store_bind_finish(store, &clear, "cannot write token keys", err);
    for (int place = 0; r == 0 && place < TOKEN_KEYS_MAX; place++) {
        struct binder put = store_bind_start(store, STATEMENT_PUT_KEY);

        if (ring->keys[place].id == 0)
            continue;
        store_bind_text(&put, name);
        store_bind_number(&put, place);
        store_bind_number(&put, ring->keys[place].id);
        store_bind_bytes(&put, ring->keys[place].bytes, TOKEN_KEY_BYTES);
        store_bind_number(&put, rolled_ms);
        r = store_bind_finish(store, &put, "cannot write token keys", err);
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
    mem_close_fd(&store->second_lock_fd);
    mem_close_fd(&store->head_fd);
    free(store->starts);
    free(store->accepted);
    free(store->directory);
    free(store->file);
    free(store);
}

static uint64_t size_of(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 ? (uint64_t)found.st_size : 0;
}

static uint64_t sqlite_bytes(const struct store *base)
{
    const struct sqlite_store *store = (const struct sqlite_store *)(const void *)base;
    scoped_free char *log = mem_printf("%s-wal", store->file);

    return size_of(store->file) + size_of(log);
}

const struct store_ops store_sqlite_ops = {
    .backend = "sqlite",
    .bytes = sqlite_bytes,
    .close = sqlite_close_store,
    .load = store_sqlite_load,
    .begin = sqlite_begin,
    .put_app = sqlite_put_app,
    .put_attempt = sqlite_put_attempt,
    .put_container = sqlite_put_container,
    .put_setting = sqlite_put_setting,
    .put_node = sqlite_put_node,
    .put_scheduler_conf = sqlite_put_scheduler_conf,
    .load_scheduler_confs = store_sqlite_load_scheduler_confs,
    .forget_app = sqlite_forget_app,
    .forget_container = sqlite_forget_container,
    .put_last_app_seq = sqlite_put_last_app_seq,
    .probe = sqlite_probe,
    .watch = sqlite_watch,
    .rescue = sqlite_rescue,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .history = store_sqlite_history,
    .compare = store_sqlite_compare,
    .accept = sqlite_accept,
    .get_ring = sqlite_get_ring,
    .put_ring = sqlite_put_ring,
};
