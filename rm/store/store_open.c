/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_open.c - opens the store in a directory
 *
 * In this order: locks the directory; checks the state (store_check.c), and refuses it if it is not sound;
 * sets how the database is written; brings its tables up to date; counts the start.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/store/store_sqlite.h"

/* Numbers that are skipped if the ids assigned since a backup are unknown. */
#define APPS_LEFT_OUT 100000u
#define STARTS_LEFT_OUT 1000u

/* Creates the database file with its final mode, since it has token keys; SQLite gives the files beside it
 * the same mode. An existing file must not be opened here: closing it would release the locks that SQLite has
 * on it, and any other process that reads the database would then delete the write-ahead log. */
static int make_file(struct sqlite_store *store, struct err *err)
{
    scoped_fd int fd = open(store->file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct stat status;

    if (fd < 0 && stat(store->file, &status) == 0 && !S_ISREG(status.st_mode))
        return err_set(err, EINVAL, "%s: is no file: move it away", store->file);
    if (fd < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "%s: cannot open", store->file);
    return store->database != NULL ? 0 : store_sqlite_connect(store, err);
}

static int set_journal(struct sqlite_store *store, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int r = 0;

    if (sqlite3_prepare_v2(store->database, "PRAGMA journal_mode = WAL", -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        r = store_sqlite_fail(store, "cannot be written through a log", err);
    else if (!text_equal((const char *)sqlite3_column_text(statement, 0), "wal"))
        r = err_set(err, EIO, "%s: cannot be written through a log (is it on a network file system?)",
                    store->file);
    sqlite3_finalize(statement);
    /* recursive_triggers: see store_sums.c. */
    return r < 0 ? r
                 : store_sqlite_run(store,
                                    "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;"
                                    "PRAGMA recursive_triggers = ON",
                                    "cannot set up writing", err);
}

/* --- counting the start ------------------------------------------------------- */

/* Returns a value of the table meta, or FALLBACK if there is none. */
static int meta_or(struct sqlite_store *store, const char *name, int64_t fallback, int64_t *value,
                   struct err *err)
{
    int r = store_sqlite_get_meta(store, name, value, err);

    if (r != -ENOENT)
        return r;
    *value = fallback;
    return 0;
}

static void raise_range(const struct store_range *range, int64_t *epoch, int64_t *last)
{
    const struct head *head = range->head;

    if (head != NULL) {
        *epoch = (int64_t)head->epoch > *epoch ? (int64_t)head->epoch : *epoch;
        *last = (int64_t)head->last_app_seq > *last ? (int64_t)head->last_app_seq : *last;
    } else {
        *epoch += STARTS_LEFT_OUT;
        *last += APPS_LEFT_OUT;
    }
}

/* Stores that the loss of the starts up to EPOCH is accepted, and if the head is of another store, the loss
 * of that store's starts. */
static int accept_before(struct sqlite_store *store, const struct store_range *range, int64_t epoch,
                         int64_t now_ms, struct err *err)
{
    const struct head *head = range->head;
    int r = store_chain_accept(store, store->chain.store_id, (uint32_t)epoch, now_ms, err);

    if (r < 0 || head == NULL || memcmp(head->store_id, store->chain.store_id, STORE_ID_BYTES) == 0)
        return r;
    return store_chain_accept(store, head->store_id, head->epoch, now_ms, err);
}

static int count_start(struct sqlite_store *store, int64_t now_ms, const struct store_range *range,
                       struct err *err)
{
    int64_t cluster_ms = 0, epoch = 0, last = 0;
    int r;

    if ((r = meta_or(store, "cluster_ms", range->head != NULL ? range->head->cluster_ms : now_ms, &cluster_ms,
                     err)) < 0 ||
        (r = meta_or(store, "epoch", -1, &epoch, err)) < 0 ||
        (r = meta_or(store, "last_app_seq", 0, &last, err)) < 0)
        return r;
    if (range->raise) {
        raise_range(range, &epoch, &last);
        if ((r = accept_before(store, range, epoch, now_ms, err)) < 0 ||
            (r = store_sqlite_put_meta(store, "last_app_seq", last, err)) < 0 ||
            (r = store_sqlite_put_meta(store, "set_aside", 1, err)) < 0)
            return r;
    }
    epoch++;
    if ((r = store_sqlite_put_meta(store, "cluster_ms", cluster_ms, err)) < 0 ||
        (r = store_chain_begin_start(store, (uint32_t)epoch, now_ms, err)) < 0 ||
        (r = store_chain_load(store, err)) < 0)
        return r;
    store->base.cluster_ms = cluster_ms;
    store->base.epoch = (uint32_t)epoch;
    store->base.last_app_seq = store->base.new_app_seq = (uint32_t)last;
    return 0;
}

/* --- ready ----------------------------------------------------------------------- */

static int first_rows(struct sqlite_store *store, int64_t now_ms, const struct store_range *range,
                      struct err *err)
{
    int r;

    if ((r = store_schema_prepare(store, err)) < 0 || (r = store_sqlite_prepare(store, err)) < 0 ||
        (range->raise && (r = store_sums_set_aside(store, err)) < 0) ||
        (r = store_sums_count(store, err)) < 0 || (r = store_sums_watch(store, err)) < 0)
        return r;
    if (store->chain.number == 0 && sodium_is_zero(store->chain.store_id, STORE_ID_BYTES))
        randombytes_buf(store->chain.store_id, STORE_ID_BYTES);
    if (store->chain.number < range->commit)
        store->chain.number = range->commit;
    r = count_start(store, now_ms, range, err);
    return r < 0 ? r : store_chain_commit(store, err);
}

int store_open_ready(struct sqlite_store *store, int64_t now_ms, const struct store_range *range,
                     struct err *err)
{
    int r;

    /* The database may be one commit ahead of its head: writes the head before the next commit. */
    store->head_due = store->chain.number > 0 && !range->raise;
    if (store->head_due) {
        int64_t epoch = 0, last = 0;

        if ((r = store_sqlite_number(store, "SELECT value FROM meta WHERE name = 'cluster_ms'",
                                     &store->base.cluster_ms, err)) < 0 ||
            (r = store_sqlite_number(store, "SELECT value FROM meta WHERE name = 'epoch'", &epoch, err)) < 0)
            return r;
        (void)store_sqlite_number(store, "SELECT value FROM meta WHERE name = 'last_app_seq'", &last, NULL);
        store->base.epoch = (uint32_t)epoch;
        store->base.new_app_seq = (uint32_t)last;
        r = store_chain_write_head(store, err);
        if (r < 0)
            return r;
    }
    if ((r = make_file(store, err)) < 0 || (r = set_journal(store, err)) < 0 ||
        (r = store_sqlite_run(store, "BEGIN IMMEDIATE", "cannot begin to write", err)) < 0 ||
        (r = first_rows(store, now_ms, range, err)) < 0)
        return r;
    store_files_note(store);
    return store_sqlite_set_checkpoints(store, true, err);
}

static int refuse(const char *directory, const struct store_report *report, struct err *err)
{
    scoped_free char *more =
        report->problem_count > 1 ? mem_printf(" (and %zu more)", report->problem_count - 1) : mem_strdup("");

    return err_set(err, EBADMSG, "the state in %s is %s: %s%s\nnothing was changed; " STORE_CHOICES,
                   directory, store_verdict_name(report->verdict), report->problems[0], more);
}

int store_open_sqlite(const char *directory, int64_t now_ms, struct store **ret, struct err *err)
{
    static const struct store_range as_before = { .raise = false };
    struct sqlite_store *store = store_sqlite_new(directory);
    struct store_report report = { 0 };
    int r;

    if ((r = store_lock_directory(directory, &store->lock_fd, err)) == 0 &&
        (r = store_examine(store, &report, err)) == 0)
        r = report.verdict <= STORE_EARLIER ? store_open_ready(store, now_ms, &as_before, err)
                                            : refuse(directory, &report, err);
    store_report_done(&report);
    if (r < 0) {
        store_close(&store->base); /* an open transaction ends with the connection */
        return r;
    }
    *ret = &store->base;
    return 0;
}
