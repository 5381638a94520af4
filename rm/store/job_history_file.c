/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_file.c - names and schema of history files */
#include "rm/store/job_history_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "rm/store/job_history_upgrade.h"

#define APPLICATION_ID 0x63726568 /* "creh" */
#define BUSY_MS 2000
#define YEAR_MAX 9999
#define CLOCKS_DIFFER_MS 86400000 /* of nodes and of the resource manager */

_Static_assert(HISTORY_ROW_BYTES == 200, "as in HISTORY_SQL_BYTES");

/* The row of an application has the sums of its containers. */
static const char schema[] =
    "CREATE TABLE apps (cluster_ms INTEGER NOT NULL, seq INTEGER NOT NULL, finished_ms INTEGER NOT NULL,"
    "  submitted_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL, user TEXT NOT NULL,"
    "  queue TEXT NOT NULL, name TEXT NOT NULL, state INTEGER NOT NULL, exit_status INTEGER NOT NULL,"
    "  memory_mb_seconds INTEGER NOT NULL, vcore_seconds INTEGER NOT NULL, is_task INTEGER NOT NULL,"
    "  succeeded INTEGER NOT NULL, waited_ms INTEGER NOT NULL, cpu_time_us INTEGER NOT NULL,"
    "  memory_used_mb_seconds INTEGER NOT NULL, report BLOB NOT NULL,"
    "  PRIMARY KEY (cluster_ms, seq)) STRICT;" HISTORY_INDEX_BY_END
    "CREATE INDEX apps_by_user ON apps (user, finished_ms, cluster_ms, seq);"
    "CREATE TABLE containers (cluster_ms INTEGER NOT NULL, seq INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL, epoch INTEGER NOT NULL, number INTEGER NOT NULL,"
    "  finished_ms INTEGER NOT NULL, node TEXT NOT NULL, exit_status INTEGER NOT NULL,"
    "  memory_peak_bytes INTEGER NOT NULL, cpu_time_us INTEGER NOT NULL, read_bytes INTEGER NOT NULL,"
    "  written_bytes INTEGER NOT NULL, memory_used_mb_seconds INTEGER NOT NULL, report BLOB NOT NULL,"
    "  PRIMARY KEY (cluster_ms, seq, attempt, epoch, number)) STRICT;" HISTORY_CONTAINER_SUMS;

/* --- months ---------------------------------------------------------------- */

int history_month_of(int64_t time_ms)
{
    time_t seconds = (time_t)(time_ms > 0 ? time_ms / 1000 : 0);
    struct tm utc;

    if (gmtime_r(&seconds, &utc) == NULL || utc.tm_year + 1900 > YEAR_MAX)
        return YEAR_MAX * 12 + 11;
    return (utc.tm_year + 1900) * 12 + utc.tm_mon;
}

int64_t history_month_begin_ms(int month)
{
    struct tm utc = { .tm_year = month / 12 - 1900, .tm_mon = month % 12, .tm_mday = 1 };

    return (int64_t)timegm(&utc) * 1000;
}

int history_first_month(const Creel__AppReport *app)
{
    int64_t first_ms = app->submitted_ms < app->finished_ms ? app->submitted_ms : app->finished_ms;

    return history_month_of(first_ms - CLOCKS_DIFFER_MS);
}

int history_last_month(const Creel__AppReport *app)
{
    int64_t last_ms = app->submitted_ms > app->finished_ms ? app->submitted_ms : app->finished_ms;

    return history_month_of(last_ms) + 1;
}

char *history_folder(const char *state_directory)
{
    return mem_printf("%s/history", state_directory);
}

char *history_month_path(const char *state_directory, int month)
{
    return mem_printf("%s/history/%04d-%02d.db", state_directory, month / 12, month % 12 + 1);
}

static bool parse_month(const char *name, int *month)
{
    int year, of_year, length = 0;

    if (sscanf(name, "%4d-%2d.db%n", &year, &of_year, &length) != 2 || length != 10 || name[10] != '\0')
        return false;
    if (year < 1970 || of_year < 1 || of_year > 12)
        return false;
    *month = year * 12 + of_year - 1;
    return true;
}

static int compare_newest_first(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

int history_months(const char *state_directory, int **months, size_t *count, struct err *err)
{
    scoped_free char *folder = history_folder(state_directory);
    size_t capacity = 0, found = 0;
    const struct dirent *entry;
    int *list = NULL;
    DIR *directory = opendir(folder);

    if (directory == NULL && errno != ENOENT)
        return err_set_errno(err, errno, "%s: cannot read", folder);
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        int month;

        if (!parse_month(entry->d_name, &month))
            continue;
        mem_grow(list, found, capacity);
        list[found++] = month;
    }
    if (directory != NULL)
        closedir(directory);
    if (found > 0)
        qsort(list, found, sizeof(*list), compare_newest_first);
    *months = list;
    *count = found;
    return 0;
}

/* --- files ----------------------------------------------------------------- */

int history_file_fail(sqlite3 *database, const char *path, const char *doing, struct err *err)
{
    static const struct {
        int sqlite, code;
        const char *text;
    } table[] = {
        { SQLITE_FULL, ENOSPC, "the disk is full: make room there" },
        { SQLITE_IOERR, EIO, "the disk does not read or write" },
        { SQLITE_BUSY, EBUSY, "another process has locked the file" },
        { SQLITE_CORRUPT, EBADMSG, "the file is damaged" },
        { SQLITE_NOTADB, EBADMSG, "the file is no database" },
        { SQLITE_ERROR, EBADMSG, "the file does not have the tables of a history file" },
        { SQLITE_READONLY, EROFS, "the file cannot be written" },
        { SQLITE_CANTOPEN, EACCES, "the file cannot be opened" },
    };
    int code = sqlite3_extended_errcode(database);

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].sqlite == (code & 0xff))
            return err_set(err, table[i].code, "%s: %s: %s (SQLite: %s, %d)", path, doing, table[i].text,
                           sqlite3_errmsg(database), code);
    return err_set(err, EIO, "%s: %s (SQLite: %s, %d)", path, doing, sqlite3_errmsg(database), code);
}

static int read_number(sqlite3 *database, const char *path, const char *sql, int64_t *value, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int r = 0;

    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        r = history_file_fail(database, path, "cannot read it", err);
    else
        *value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return r;
}

static int run(sqlite3 *database, const char *path, const char *sql, struct err *err)
{
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
        return history_file_fail(database, path, "cannot write", err);
    return 0;
}

static int create_tables(sqlite3 *database, const char *path, struct err *err)
{
    scoped_free char *numbers = mem_printf("PRAGMA application_id = %d; PRAGMA user_version = %d;",
                                           APPLICATION_ID, HISTORY_SCHEMA_VERSION);
    int r = run(database, path, "BEGIN IMMEDIATE", err);

    if (r < 0)
        return r;
    if ((r = run(database, path, schema, err)) < 0 || (r = run(database, path, numbers, err)) < 0) {
        sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
        return r;
    }
    return run(database, path, "COMMIT", err);
}

/* Checks the schema of a file; if WRITE, creates the tables or upgrades them. Sets *OUTDATED if the file has
 * an earlier schema and cannot be upgraded, since it is open for reading only. */
static int prepare(sqlite3 *database, const char *path, bool write, bool *outdated, struct err *err)
{
    int64_t version, application;
    int r;

    sqlite3_busy_timeout(database, BUSY_MS);
    if ((r = read_number(database, path, "PRAGMA user_version", &version, err)) < 0 ||
        (r = read_number(database, path, "PRAGMA application_id", &application, err)) < 0)
        return r;
    if (version > HISTORY_SCHEMA_VERSION)
        return err_set(err, EPROTO, "%s: a newer creel wrote this file (schema %lld)", path,
                       (long long)version);
    if (version != 0 && application != APPLICATION_ID)
        return err_set(err, EBADMSG, "%s: not a history file of creel", path);
    *outdated = !write && version != 0 && version < HISTORY_SCHEMA_VERSION;
    if (!write)
        return version > 0 ? 0 : err_set(err, ENOENT, "%s: has no tables yet", path);
    /* FULL: the state deletes an application when the history has it. */
    r = run(database, path,
            "PRAGMA auto_vacuum = INCREMENTAL;" /* of a new file: before its first page is written */
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
            "PRAGMA temp_store = MEMORY",
            err);
    if (r < 0)
        return r;
    if (version == 0)
        return create_tables(database, path, err);
    if (version < HISTORY_SCHEMA_VERSION && history_upgrade(database) != SQLITE_OK)
        return history_file_fail(database, path, "cannot bring it to the present schema", err);
    return 0;
}

/* Creates the file with its final mode: the file has commands of jobs, which other users must not read. An
 * existing file must not be opened here: closing it would release the locks of another thread's
 * connection. */
static int make_file(const char *path, struct err *err)
{
    scoped_fd int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    return fd < 0 && errno != EEXIST ? err_set_errno(err, errno, "%s: cannot open", path) : 0;
}

static int open_once(const char *path, bool write, bool *outdated, sqlite3 **ret, struct err *err)
{
    sqlite3 *database = NULL;
    int flags = (write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX;
    int r = write ? make_file(path, err) : 0;

    *ret = NULL;
    if (r < 0)
        return r;
    if (sqlite3_open_v2(path, &database, flags, NULL) != SQLITE_OK)
        r = history_file_fail(database, path, "cannot open it", err);
    else
        r = prepare(database, path, write, outdated, err);
    if (r < 0) {
        sqlite3_close(database);
        return r;
    }
    *ret = database;
    return 0;
}

int history_file_open(const char *path, bool write, sqlite3 **ret, struct err *err)
{
    bool outdated = false;
    int r = open_once(path, write, &outdated, ret, err);

    if (r < 0 || !outdated)
        return r;
    sqlite3_close(*ret);
    if ((r = open_once(path, true, &outdated, ret, err)) < 0)
        return r;
    sqlite3_close(*ret);
    return open_once(path, false, &outdated, ret, err);
}
