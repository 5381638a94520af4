/* SPDX-License-Identifier: Apache-2.0 */
/* store_maintenance.c - checks, backs up, restores and accepts state directories */
#include "rm/store/store_maintenance.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "rm/store/store_sqlite.h"

#define BUSY_TRIES 100
#define BUSY_PAUSE_MS 100

void store_decision_done(struct store_decision *decision)
{
    free(decision->moved_to);
    *decision = (struct store_decision){ 0 };
}

/* --- check ------------------------------------------------------------------------ */

int store_check(const char *directory, struct store_report *report, struct err *err)
{
    struct sqlite_store *store = store_sqlite_new(directory);
    int r = store_lock_directory(directory, &store->lock_fd, err);

    *report = (struct store_report){ 0 };
    if (r == 0)
        r = store_examine(store, report, err);
    store_close(&store->base);
    return r;
}

/* --- copying ------------------------------------------------------------------------ */

int store_sync_path(const char *path, int flags, struct err *err)
{
    scoped_fd int fd = open(path, flags | O_CLOEXEC);

    if (fd < 0 || fsync(fd) < 0)
        return err_set_errno(err, errno, "%s: cannot be written to the disk", path);
    return 0;
}

static int fail_copy(const char *path, sqlite3 *database, struct err *err)
{
    bool full = (sqlite3_errcode(database) & 0xff) == SQLITE_FULL;

    return err_set(err, full ? ENOSPC : EIO, "%s: cannot be copied to%s (SQLite: %s)", path,
                   full ? ": the disk is full: make room there" : "", sqlite3_errmsg(database));
}

/* Copies all pages in one read transaction: concurrent writes neither corrupt nor delay the copy. */
static int copy_pages(sqlite3 *to, sqlite3 *from, const char *path, struct err *err)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    int code = SQLITE_ERROR;

    for (int i = 0; backup != NULL && i < BUSY_TRIES; i++) {
        code = sqlite3_backup_step(backup, -1);
        if (code != SQLITE_BUSY && code != SQLITE_LOCKED)
            break;
        sqlite3_sleep(BUSY_PAUSE_MS);
    }
    if (backup != NULL)
        (void)sqlite3_backup_finish(backup);
    return code == SQLITE_DONE ? 0 : fail_copy(path, to, err);
}

int store_copy_database(struct sqlite_store *from, const char *path, struct err *err)
{
    scoped_fd int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    sqlite3 *to = NULL;
    int r;

    if (fd < 0)
        return err_set_errno(err, errno, "%s: cannot be made", path);
    if (sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        r = fail_copy(path, to, err);
    else
        r = copy_pages(to, from->database, path, err);
    if (r == 0 && sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) != SQLITE_OK)
        r = fail_copy(path, to, err);
    sqlite3_close(to);
    return r < 0 ? r : store_sync_path(path, O_RDONLY, err);
}

static struct sqlite_store *store_of_file(const char *file)
{
    struct sqlite_store *store = store_sqlite_new("");

    free(store->file);
    store->file = mem_strdup(file);
    return store;
}

int store_copy_file(const char *file, const char *copy, struct err *err)
{
    struct sqlite_store *store = store_of_file(file);
    int r = store_sqlite_connect(store, err);

    if (r == 0)
        r = store_copy_database(store, copy, err);
    store_close(&store->base);
    return r;
}

int store_examine_copy(const char *file, struct store_report *report, struct err *err)
{
    struct sqlite_store *store = store_of_file(file);
    int r = access(file, R_OK) < 0 ? err_set_errno(err, errno, "%s: cannot be read", file)
                                   : store_examine_file(store, report, err);

    store_close(&store->base);
    if (r == 0 && report->verdict != STORE_SOUND && report->verdict != STORE_EARLIER)
        r = err_set(err, EBADMSG, "%s: %s", file,
                    report->problem_count > 0 ? report->problems[0] : "is not a store");
    return r;
}

/* --- backup --------------------------------------------------------------------------- */

static int check_copy(const char *copy, const struct head *head, struct store_report *report, struct err *err)
{
    int r = store_examine_copy(copy, report, err);

    if (r == 0 && report->commit < head->commit)
        r = err_set(err, EBADMSG,
                    "%s: ends with commit %" PRIu64 ", but the newest was %" PRIu64 ": " STORE_CHOICES,
                    DATABASE_NAME, report->commit, head->commit);
    return r;
}

int store_backup(const char *directory, const char *file, struct store_report *report, struct err *err)
{
    scoped_free char *database = mem_printf("%s/" DATABASE_NAME, directory);

    return store_backup_file(directory, database, file, report, err);
}

int store_backup_file(const char *directory, const char *database, const char *file,
                      struct store_report *report, struct err *err)
{
    struct sqlite_store *store = store_of_file(database);
    scoped_free char *part = mem_printf("%s.part", file);
    struct head head = { .commit = 0 };
    int r = access(file, F_OK) == 0 ? err_set(err, EEXIST, "%s: exists already", file)
                                    : head_read(directory, &head, err);

    *report = (struct store_report){ 0 };
    if (r >= 0)
        r = access(store->file, F_OK) < 0 ? err_set_errno(err, errno, "%s: cannot be read", store->file)
                                          : store_sqlite_connect(store, err);
    (void)(r < 0 ? 0 : unlink(part)); /* left by an interrupted backup */
    if (r == 0)
        r = store_copy_database(store, part, err);
    if (r == 0)
        r = check_copy(part, &head, report, err);
    if (r == 0 && link(part, file) < 0)
        r = err_set_errno(err, errno, "%s: cannot be made", file);
    if (r != -EEXIST)
        (void)unlink(part);
    store_close(&store->base);
    return r;
}

/* --- moving away -------------------------------------------------------------------------- */

static const char *const database_files[] = { DATABASE_NAME, DATABASE_NAME "-wal", DATABASE_NAME "-shm",
                                              HEAD_NAME };

/* Moves the database files, and if HEAD then the head, to a new folder, whose path the caller frees. The head
 * is last: if this is interrupted, a directory without a head would look unused. */
static int move_away(const char *directory, const char *why, int64_t now_ms, bool head, char **ret,
                     struct err *err)
{
    size_t count = sizeof(database_files) / sizeof(database_files[0]) - !head;
    scoped_free char *folder = mem_printf("%s/%s-%" PRId64, directory, why, now_ms);

    if (mkdir(folder, 0700) < 0)
        return err_set_errno(err, errno, "%s: cannot be made", folder);
    *ret = mem_strdup(folder); /* also after an error: the caller may put back what was moved */
    for (size_t i = 0; i < count; i++) {
        scoped_free char *from = mem_printf("%s/%s", directory, database_files[i]);
        scoped_free char *to = mem_printf("%s/%s", folder, database_files[i]);

        if (rename(from, to) < 0 && errno != ENOENT)
            return err_set_errno(err, errno, "%s: cannot be moved to %s", from, folder);
    }
    return store_sync_path(directory, O_RDONLY | O_DIRECTORY, err);
}

/* Copies the head, which a new one is written over, to FOLDER. */
static int copy_head(const char *directory, const char *folder, struct err *err)
{
    scoped_free char *from = mem_printf("%s/" HEAD_NAME, directory),
                     *to = mem_printf("%s/" HEAD_NAME, folder);
    scoped_fd int source = file_open(AT_FDCWD, from, O_RDONLY, 0, err), target = -1;
    char bytes[4096];
    ssize_t size;
    int r;

    if (source < 0)
        return source == -ENOENT ? 0 : source;
    target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (target < 0)
        return err_set_errno(err, errno, "%s: cannot be made", to);
    while ((size = read(source, bytes, sizeof(bytes))) > 0)
        if ((r = file_write(target, bytes, (size_t)size)) < 0)
            return err_set_errno(err, -r, "%s: cannot be written", to);
    return size == 0 ? 0 : err_set_errno(err, errno, "%s: cannot be read", from);
}

/* Puts what is in FOLDER back into DIRECTORY, and if HEAD then the head. */
static void put_back(const char *directory, const char *folder, bool head)
{
    size_t count = sizeof(database_files) / sizeof(database_files[0]) - !head;

    for (size_t i = 0; i < count; i++) {
        scoped_free char *from = mem_printf("%s/%s", folder, database_files[i]);
        scoped_free char *to = mem_printf("%s/%s", directory, database_files[i]);

        (void)unlink(to);
        (void)rename(from, to);
    }
    if (!head) {
        scoped_free char *copy = mem_printf("%s/" HEAD_NAME, folder);

        (void)unlink(copy);
    }
    (void)rmdir(folder);
}

void store_restore_undo(const char *directory, const struct store_decision *decision)
{
    put_back(directory, decision->moved_to, true);
}

/* --- restore and accept ---------------------------------------------------------------------- */

static int accept_store(const char *directory, int lock_fd, const struct head *head, int64_t now_ms,
                        struct store_decision *decision, struct err *err)
{
    struct sqlite_store *store = store_sqlite_new(directory);
    struct store_range range = { true, head, 0 };
    struct store_report report = { 0 };
    int64_t aside = 0;
    int r = store_examine(store, &report, err);

    (void)lock_fd;
    if (r == 0) {
        range.commit = report.head_commit > report.commit ? report.head_commit : report.commit;
        r = store_open_ready(store, now_ms, &range, err);
    }
    if (r == 0)
        r = store_sqlite_number(store, "SELECT count(*) FROM quarantine", &aside, err);
    decision->set_aside = (size_t)aside;
    decision->epoch = store->base.epoch;
    decision->last_app_seq = store->base.last_app_seq;
    store_report_done(&report);
    store_close(&store->base);
    return r;
}

/* Reads the head, which has the highest assigned ids. Sets *RET to HEAD, or to NULL if there is no valid
 * head. */
static int read_head(const char *directory, struct head *head, const struct head **ret, struct err *err)
{
    int r = head_read(directory, head, err);

    *ret = r > 0 ? head : NULL;
    return r == -EBADMSG || r > 0 ? 0 : r;
}

/* Checks that FILE begins as a database of SQLite does. */
static int check_magic(const char *file, struct err *err)
{
    static const char magic[16] = "SQLite format 3";
    char found[sizeof(magic)];
    scoped_fd int fd = file_open(AT_FDCWD, file, O_RDONLY, 0, err);

    if (fd < 0)
        return fd;
    if (read(fd, found, sizeof(found)) != (ssize_t)sizeof(found) || memcmp(found, magic, sizeof(magic)) != 0)
        return err_set(err, EBADMSG, "%s: is no backup of the state: creel admin state backup FILE makes one",
                       file);
    return 0;
}

static int put_backup(const char *directory, const char *file, int64_t now_ms,
                      struct store_decision *decision, struct err *err)
{
    struct sqlite_store *backup = store_of_file(file);
    scoped_free char *fresh = mem_printf("%s/%s.restored", directory, DATABASE_NAME);
    scoped_free char *place = mem_printf("%s/%s", directory, DATABASE_NAME);
    struct store_report report = { 0 };
    int r = check_magic(file, err);

    if (r == 0)
        r = store_examine_copy(file, &report, err);
    store_report_done(&report);
    (void)unlink(fresh);
    if (r == 0)
        r = store_sqlite_connect(backup, err);
    if (r == 0)
        r = store_copy_database(backup, fresh, err);
    store_close(&backup->base);
    if (r == 0)
        r = store_examine_copy(fresh, &report, err);
    store_report_done(&report);
    if (r == 0)
        r = move_away(directory, "before-restore", now_ms, false, &decision->moved_to, err);
    if (r == 0)
        r = copy_head(directory, decision->moved_to, err);
    if (r == 0 && rename(fresh, place) < 0)
        r = err_set_errno(err, errno, "%s: cannot be put there", place);
    if (r < 0) {
        (void)unlink(fresh);
        if (decision->moved_to != NULL)
            put_back(directory, decision->moved_to, false);
    }
    return r;
}

int store_check_unused(const char *directory, struct err *err)
{
    scoped_fd int lock_fd = -1;

    return store_lock_directory(directory, &lock_fd, err);
}

int store_restore(const char *directory, const char *file, int64_t now_ms, struct store_decision *decision,
                  struct err *err)
{
    const struct head *known = NULL;
    scoped_fd int lock_fd = -1;
    struct head head;
    int r;

    *decision = (struct store_decision){ 0 };
    if ((r = store_lock_directory(directory, &lock_fd, err)) < 0 ||
        (r = read_head(directory, &head, &known, err)) < 0 ||
        (r = put_backup(directory, file, now_ms, decision, err)) < 0)
        return r;
    r = accept_store(directory, lock_fd, known, now_ms, decision, err);
    if (r < 0)
        store_restore_undo(directory, decision);
    return r;
}

int store_accept_directory(const char *directory, int64_t now_ms, struct store_decision *decision,
                           struct err *err)
{
    struct sqlite_store *store = store_sqlite_new(directory);
    const struct head *known = NULL;
    struct store_report report = { 0 };
    scoped_fd int lock_fd = -1;
    struct head head;
    int r;

    *decision = (struct store_decision){ 0 };
    if ((r = store_lock_directory(directory, &lock_fd, err)) == 0 &&
        (r = read_head(directory, &head, &known, err)) == 0)
        r = store_examine(store, &report, err);
    if (r == 0 && report.verdict == STORE_NEW)
        r = err_set(err, ENOENT, "%s: has no state that could be accepted", directory);
    store_close(&store->base);
    if (r == 0 && !report.readable) {
        decision->anew = true;
        r = move_away(directory, "damaged", now_ms, true, &decision->moved_to, err);
    }
    store_report_done(&report);
    return r < 0 ? r : accept_store(directory, lock_fd, known, now_ms, decision, err);
}
