/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_check.c - checks whether the state in a directory is valid and the newest
 *
 * Checked are, in this order: the head; whether a database exists; whether it is creel's and its pages are
 * valid; whether its newest commit is that of the head or the next one; the checksum of every row and the
 * tally of every table. Nothing is written, and closing the database leaves the write-ahead log as it is, so
 * that a refused state can still be examined.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/store/store_sqlite.h"

/* How long to wait for a lock: long enough for a statement in an administrator's shell, and short enough for
 * heartbeats, since the loop is blocked meanwhile. */
#define BUSY_TIMEOUT_MS 200

/* --- the directory --------------------------------------------------------------- */

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

/* Locks the directory with a kernel lock, which ends with the process. Writes the process id to the lock
 * file, for the message of refuse_locked. */
int store_lock_directory(const char *directory, int *ret, struct err *err)
{
    scoped_free char *file = mem_printf("%s/%s", directory, LOCK_NAME);
    scoped_fd int fd = file_open(AT_FDCWD, file, O_RDWR | O_CREAT, 0600, err);
    char text[32];
    int length;

    if (fd == -EINVAL || fd == -EISDIR)
        return fd;
    if (fd < 0)
        return err_set_errno(err, -fd,
                             "%s: cannot open (the state directory has to be "
                             "writable for the resource manager)",
                             file);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? refuse_locked(fd, directory, err)
                                    : err_set_errno(err, errno, "%s: cannot lock", file);
    length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)length, 0) != length)
        return err_set_errno(err, errno, "%s: cannot write", file);
    *ret = fd_take(&fd);
    return 0;
}

struct sqlite_store *store_sqlite_new(const char *directory)
{
    struct sqlite_store *store = mem_new0(struct sqlite_store);

    store->base.ops = &store_sqlite_ops;
    store->directory = mem_strdup(directory);
    store->file = mem_printf("%s/%s", directory, DATABASE_NAME);
    store->lock_fd = store->second_lock_fd = store->head_fd = -1;
    return store;
}

int store_sqlite_set_checkpoints(struct sqlite_store *store, bool on, struct err *err)
{
    if (sqlite3_db_config(store->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !on, NULL) != SQLITE_OK)
        return store_sqlite_fail(store, "cannot set up writing", err);
    return 0;
}

int store_sqlite_connect(struct sqlite_store *store, struct err *err)
{
    int r;

    if (sqlite3_open_v2(store->file, &store->database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        return store_sqlite_fail(store, "cannot open", err);
    sqlite3_extended_result_codes(store->database, 1);
    sqlite3_busy_timeout(store->database, BUSY_TIMEOUT_MS);
    r = store_sqlite_set_checkpoints(store, false, err);
    return r < 0 ? r : store_sums_define(store, err);
}

/* --- the verdict --------------------------------------------------------------------- */

const char *store_verdict_name(enum store_verdict verdict)
{
    static const char *const names[STORE_VERDICTS] = {
        [STORE_SOUND] = "sound", [STORE_NEW] = "new",           [STORE_EARLIER] = "earlier",
        [STORE_LOST] = "lost",   [STORE_UNPROVEN] = "unproven", [STORE_DAMAGED] = "damaged",
    };

    return names[verdict];
}

void store_report_done(struct store_report *report)
{
    for (size_t i = 0; i < STORE_PROBLEMS_MAX; i++)
        free(report->problems[i]);
    *report = (struct store_report){ 0 };
}

static void add_problem(void *context, const char *text)
{
    struct store_report *report = context;

    if (report->problem_count < STORE_PROBLEMS_MAX)
        report->problems[report->problem_count] = mem_strdup(text);
    report->problem_count++;
}

static int judge(struct store_report *report, enum store_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Records a problem and the worst verdict so far. */
static int judge(struct store_report *report, enum store_verdict verdict, const char *format, ...)
{
    scoped_free char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    text = mem_vprintf(format, arguments);
    va_end(arguments);
    if (verdict > report->verdict)
        report->verdict = verdict;
    add_problem(report, text);
    return 0;
}

static const char *format_time(int64_t at_ms, char text[32])
{
    time_t seconds = (time_t)(at_ms / 1000);
    struct tm parts;

    if (at_ms == 0 || localtime_r(&seconds, &parts) == NULL ||
        strftime(text, 32, "%Y-%m-%d %H:%M:%S", &parts) == 0)
        snprintf(text, 32, "an unknown time");
    return text;
}

/* --- database and head ---------------------------------------------------------------- */

static int judge_gone(struct store_report *report, const struct sqlite_store *store, bool has_head,
                      const char *how)
{
    char at[32];

    if (!has_head) {
        report->verdict = STORE_NEW;
        return 0;
    }
    return judge(report, STORE_LOST,
                 "%s: %s, and the file %s beside it records %llu "
                 "commits, the last of %s: all of them are lost",
                 store->file, how, HEAD_NAME, (unsigned long long)report->head_commit,
                 format_time(report->head_written_ms, at));
}

static int judge_behind(struct store_report *report, const struct sqlite_store *store)
{
    unsigned long long lost = report->head_commit - report->commit;
    char ends[32], last[32];

    return judge(report, STORE_LOST,
                 "%s: the last %llu commit%s lost: it ends with commit %llu of "
                 "%s, and the newest was commit %llu of %s (its write-ahead log was cut, damaged or "
                 "deleted, or this is an old copy)",
                 store->file, lost, lost == 1 ? " is" : "s are", (unsigned long long)report->commit,
                 format_time(report->written_ms, ends), (unsigned long long)report->head_commit,
                 format_time(report->head_written_ms, last));
}

/* Returns true if the database continues the history of the head (see head.h). */
static bool continues(const struct sqlite_store *store, const struct chain *chain, const struct head *head)
{
    if (chain->number == head->commit)
        return memcmp(chain->hash, head->hash, STORE_HASH_BYTES) == 0;
    return chain->number > head->commit && store_chain_has(store, head->epoch, head->start_id, head->commit);
}

static int compare_head(struct store_report *report, const struct sqlite_store *store,
                        const struct chain *chain, const struct head *head)
{
    if (memcmp(head->store_id, chain->store_id, STORE_ID_BYTES) != 0)
        return judge(report, STORE_UNPROVEN, "%s/%s: belongs to another store than %s", store->directory,
                     HEAD_NAME, DATABASE_NAME);
    if (continues(store, chain, head))
        return 0;
    if (chain->number < head->commit)
        return judge_behind(report, store);
    return judge(report, STORE_UNPROVEN,
                 "%s/%s: names commit %llu, which is not in the history of commit "
                 "%llu of %s: one of the two files is an old copy",
                 store->directory, HEAD_NAME, (unsigned long long)head->commit,
                 (unsigned long long)chain->number, DATABASE_NAME);
}

/* Judges a missing head. This is normal if the database has only its first commit: the process was killed
 * before it wrote the head. */
static int report_missing_head(struct store_report *report, const struct sqlite_store *store,
                               const struct chain *chain)
{
    if (chain->number <= 1)
        return 0;
    return judge(report, STORE_UNPROVEN,
                 "%s/%s: is missing: it cannot be seen whether commit %llu is "
                 "the newest",
                 store->directory, HEAD_NAME, (unsigned long long)chain->number);
}

/* --- its content -------------------------------------------------------------------------- */

static int check_pages(struct sqlite_store *store, struct store_report *report, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    const char *text = NULL;
    int r = 0;

    if (sqlite3_prepare_v2(store->database, "PRAGMA quick_check(1)", -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        r = store_sqlite_fail(store, "cannot read it", err);
    else
        text = (const char *)sqlite3_column_text(statement, 0);
    if (r == 0 && !text_equal(text, "ok"))
        judge(report, STORE_DAMAGED, "%s: the database is damaged: %s", store->file,
              text != NULL ? text : "no answer");
    sqlite3_finalize(statement);
    return r;
}

/* Turns damage that SQLite found (R is -EBADMSG) into a verdict and returns 0; returns other errors. */
static int damaged(struct store_report *report, int r, const struct err *err)
{
    if (r != -EBADMSG)
        return r;
    report->readable = false;
    return judge(report, STORE_DAMAGED, "%s", err->text);
}

static void read_facts(struct sqlite_store *store, struct store_report *report)
{
    int64_t apps = 0;

    (void)store_sqlite_number(store, "SELECT value FROM meta WHERE name = 'cluster_ms'", &report->cluster_ms,
                              NULL);
    if (store_sqlite_number(store, "SELECT count(*) FROM apps", &apps, NULL) == 0)
        report->apps = (uint64_t)apps;
}

static int check_rows(struct sqlite_store *store, struct store_report *report, const struct chain *chain,
                      struct err *err)
{
    size_t before = report->problem_count;
    int r = store_sums_verify(store, chain, add_problem, report, err);

    if (r == 0 && report->problem_count > before)
        report->verdict = STORE_DAMAGED;
    return damaged(report, r, err);
}

static int examine_content(struct sqlite_store *store, struct store_report *report, bool has_head,
                           const struct head *head, bool alone, struct err *err)
{
    struct chain chain;
    int r = store_sqlite_connect(store, err);

    if (r == 0)
        r = store_schema_check(store, &report->schema, err);
    if (r < 0)
        return err->code == EBADMSG && sqlite3_errcode(store->database) != SQLITE_OK &&
                       sqlite3_errcode(store->database) != SQLITE_ROW
                   ? damaged(report, r, err)
                   : r;
    r = check_pages(store, report, err);
    if (r < 0 || report->verdict == STORE_DAMAGED)
        return damaged(report, r, err);
    if (report->schema == 0)
        return judge_gone(report, store, has_head, "is empty");
    report->readable = true;
    read_facts(store, report);
    if (report->schema < SCHEMA_SUMMED) {
        report->verdict = STORE_EARLIER;
        return has_head ? judge(report, STORE_LOST,
                                "%s: was written by an earlier creel, before the %llu "
                                "commits that %s records: it is an old copy",
                                store->file, (unsigned long long)report->head_commit, HEAD_NAME)
                        : 0;
    }
    r = store_chain_read(store, &chain, err);
    if (r == -ENOENT || r == -EBADMSG)
        return judge(report, STORE_DAMAGED, "%s", err->text);
    if (r < 0)
        return r;
    store->chain = chain;
    report->commit = chain.number;
    report->written_ms = chain.written_ms;
    sodium_bin2hex(report->store_id, sizeof(report->store_id), chain.store_id, STORE_ID_BYTES);
    r = store_chain_load(store, err);
    if (r < 0)
        return damaged(report, r, err);
    if (!alone)
        (void)(has_head ? compare_head(report, store, &chain, head)
                        : report_missing_head(report, store, &chain));
    return check_rows(store, report, &chain, err);
}

/* --- the whole check ------------------------------------------------------------------------------ */

int store_examine_file(struct sqlite_store *store, struct store_report *report, struct err *err)
{
    *report = (struct store_report){ .verdict = STORE_SOUND };
    return examine_content(store, report, false, NULL, true, err);
}

int store_examine(struct sqlite_store *store, struct store_report *report, struct err *err)
{
    struct head head = { .commit = 0 };
    struct stat status;
    bool has_head, absent;
    int r = head_read(store->directory, &head, err);

    *report = (struct store_report){ .verdict = STORE_SOUND };
    has_head = r > 0;
    if (r < 0 && r != -EBADMSG)
        return r;
    if (r < 0)
        judge(report, STORE_UNPROVEN, "%s", err->text);
    report->head_commit = head.commit;
    report->head_written_ms = head.written_ms;
    report->cluster_ms = head.cluster_ms;
    if (has_head)
        sodium_bin2hex(report->store_id, sizeof(report->store_id), head.store_id, STORE_ID_BYTES);
    absent = stat(store->file, &status) < 0;
    if (absent && errno != ENOENT)
        return err_set_errno(err, errno, "%s: cannot be accessed", store->file);
    /* Does not open an empty database, whose log SQLite would delete. */
    if (absent || status.st_size == 0)
        return judge_gone(report, store, has_head || r < 0, absent ? "is not there" : "is empty");
    /* A damaged head was reported already. */
    return examine_content(store, report, has_head, &head, r < 0, err);
}
