/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_open.c - from a directory to a store that is ready
 *
 * In this order: lock the directory, open the file, see that it is ours, check
 * its pages, set how it writes, bring its tables up to date, count the start.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/store/store_sqlite.h"

#define DATABASE_NAME "state.db"
#define LOCK_NAME "lock"
/* Long enough for an administrator's shell to get out of the way, short enough
 * for heartbeats: the loop stands still so long. */
#define BUSY_TIMEOUT_MS 200

static int refuse_locked(int fd, const char *directory, struct err *err)
{
    char holder[32] = "";
    ssize_t n = pread(fd, holder, sizeof(holder) - 1, 0);

    if (n > 0)
        holder[strcspn(holder, "\n")] = '\0';
    return err_set(err, EBUSY,
                   "%s: another resource manager%s%s uses this state directory: stop it, or set "
                   "creel.resourcemanager.state-dir to another directory",
                   directory, n > 0 ? ", process " : "", n > 0 ? holder : "");
}

/* The lock is the kernel's and dies with the process; the number in the file
 * is for the message above. */
static int lock_directory(const char *directory, int *ret, struct err *err)
{
    scoped_free char *file = mem_printf("%s/%s", directory, LOCK_NAME);
    scoped_fd int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    char text[32];
    int length;

    if (fd < 0)
        return err_set_errno(err, errno, "%s: cannot open (the state directory has to be "
                             "writable for the resource manager)", file);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? refuse_locked(fd, directory, err)
                                    : err_set_errno(err, errno, "%s: cannot lock", file);
    length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)length, 0) != length)
        return err_set_errno(err, errno, "%s: cannot write", file);
    *ret = fd_take(&fd);
    return 0;
}

/* The database holds token keys: it is made with its final mode, and SQLite
 * gives the same one to the files beside it. */
static int open_file(struct sqlite_store *store, struct err *err)
{
    scoped_fd int fd = open(store->file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_set_errno(err, errno, "%s: cannot open", store->file);
    if (sqlite3_open_v2(store->file, &store->database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        return store_sqlite_fail(store, "cannot open", err);
    sqlite3_extended_result_codes(store->database, 1);
    sqlite3_busy_timeout(store->database, BUSY_TIMEOUT_MS);
    return 0;
}

/* One row of text that has to be EXPECTED. */
static int expect_text(struct sqlite_store *store, const char *sql, const char *expected,
                       const char *doing, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    const char *text;
    int r = 0;

    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW) {
        r = store_sqlite_fail(store, doing, err);
    } else {
        text = (const char *)sqlite3_column_text(statement, 0);
        if (!text_equal(text, expected))
            r = err_set(err, EBADMSG, "%s: %s: %s: restore it from a backup, or move it away to "
                        "begin anew (then every application is forgotten)",
                        store->file, doing, text != NULL ? text : "no answer");
    }
    sqlite3_finalize(statement);
    return r;
}

static int set_up_writing(struct sqlite_store *store, struct err *err)
{
    int r;

    r = expect_text(store, "PRAGMA quick_check(1)", "ok", "the database is damaged", err);
    if (r < 0)
        return r;
    r = expect_text(store, "PRAGMA journal_mode = WAL", "wal",
                    "cannot be written through a log (is it on a network file system?)", err);
    if (r < 0)
        return r;
    return store_sqlite_run(store, "PRAGMA synchronous = FULL", "cannot set up writing", err);
}

/* A value of meta, or FALLBACK where none was put yet. */
static int meta_or(struct sqlite_store *store, const char *name, int64_t fallback,
                   int64_t *value, struct err *err)
{
    int r = store_sqlite_get_meta(store, name, value, err);

    if (r != -ENOENT)
        return r;
    *value = fallback;
    return 0;
}

static int count_start(struct sqlite_store *store, int64_t now_ms, struct err *err)
{
    int64_t cluster_ms = 0, epoch = 0, last = 0;
    int r;

    if ((r = meta_or(store, "cluster_ms", now_ms, &cluster_ms, err)) < 0 ||
        (r = meta_or(store, "epoch", -1, &epoch, err)) < 0 ||
        (r = meta_or(store, "last_app_seq", 0, &last, err)) < 0)
        return r;
    epoch++;
    if ((r = store_sqlite_put_meta(store, "cluster_ms", cluster_ms, err)) < 0 ||
        (r = store_sqlite_put_meta(store, "epoch", epoch, err)) < 0)
        return r;
    store->base.cluster_ms = cluster_ms;
    store->base.epoch = (uint32_t)epoch;
    store->base.last_app_seq = (uint32_t)last;
    return 0;
}

static int set_up_tables(struct sqlite_store *store, int64_t now_ms, struct err *err)
{
    int r;

    r = store_sqlite_run(store, "BEGIN IMMEDIATE", "cannot begin to write", err);
    if (r < 0)
        return r;
    if ((r = store_schema_prepare(store, err)) < 0 ||
        (r = store_sqlite_prepare(store, err)) < 0 ||
        (r = count_start(store, now_ms, err)) < 0)
        return r;
    return store_sqlite_run(store, "COMMIT", "cannot write", err);
}

int store_open_sqlite(const char *directory, int64_t now_ms, struct store **ret, struct err *err)
{
    struct sqlite_store *store = mem_new0(struct sqlite_store);
    int r;

    store->base.ops = &store_sqlite_ops;
    store->file = mem_printf("%s/%s", directory, DATABASE_NAME);
    store->lock_fd = -1;
    if ((r = lock_directory(directory, &store->lock_fd, err)) < 0 ||
        (r = open_file(store, err)) < 0 ||
        (r = store_schema_check(store, err)) < 0 ||
        (r = set_up_writing(store, err)) < 0 ||
        (r = set_up_tables(store, now_ms, err)) < 0)
        goto undo;
    *ret = &store->base;
    return 0;

undo:
    store_close(&store->base);          /* an open transaction goes with the handle */
    return r;
}
