/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_share.c - limits the bytes of the history that the rows of one user have */
#include "rm/store/job_history_share.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "rm/store/job_history_file.h"

/* Queries have the user as ?1; the other statements an application as ?1 and ?2. */
enum statement {
    SUM_ROWS,
    FIRST_APP, /* that ended */
    DELETE_APP,
    FORGET_CONTAINERS, /* deletes their sum; returns it */
    DELETE_CONTAINERS,
    MOST_CONTAINERS,
    LIST_CONTAINERS,
    DELETE_CONTAINERS_UP_TO, /* attempt, epoch and number are ?3 to ?5 */
    SUBTRACT_BYTES,          /* ?3 */
    STATEMENTS
};

static const char *const texts[STATEMENTS] = {
    [SUM_ROWS] = "SELECT (SELECT total" HISTORY_SQL_BYTES " FROM apps WHERE user = ?1) +"
                 " (SELECT total(bytes) FROM container_sums WHERE user = ?1)",
    [FIRST_APP] = "SELECT cluster_ms, seq, " HISTORY_SQL_BYTES
                  " FROM apps WHERE user = ?1 ORDER BY finished_ms, cluster_ms, seq LIMIT 1",
    [DELETE_APP] = "DELETE FROM apps WHERE cluster_ms = ?1 AND seq = ?2",
    [FORGET_CONTAINERS] = "DELETE FROM container_sums WHERE cluster_ms = ?1 AND seq = ?2 RETURNING bytes",
    [DELETE_CONTAINERS] = "DELETE FROM containers WHERE cluster_ms = ?1 AND seq = ?2",
    [MOST_CONTAINERS] =
        "SELECT cluster_ms, seq, bytes FROM container_sums WHERE user = ?1 ORDER BY bytes DESC LIMIT 1",
    [LIST_CONTAINERS] = "SELECT attempt, epoch, number, " HISTORY_SQL_BYTES
                        " FROM containers WHERE cluster_ms = ?1 AND seq = ?2 ORDER BY attempt, epoch, number",
    [DELETE_CONTAINERS_UP_TO] = ("DELETE FROM containers WHERE cluster_ms = ?1 AND seq = ?2"
                                 " AND (attempt, epoch, number) <= (?3, ?4, ?5)"),
    [SUBTRACT_BYTES] = "UPDATE container_sums SET bytes = bytes - ?3 WHERE cluster_ms = ?1 AND seq = ?2",
};

struct user {
    char *name;
    uint64_t bytes; /* at least what the rows have that were written since the start, or since measured */
    bool measured;  /* rows of earlier starts are in BYTES */
    UT_hash_handle hh;
};

struct history_share {
    char *state_directory;
    uint64_t bytes_max;
    struct user *users;
};

struct history_share *history_share_new(const char *state_directory, int64_t bytes_max)
{
    struct history_share *share = mem_new0(struct history_share);

    share->state_directory = mem_strdup(state_directory);
    share->bytes_max = (uint64_t)bytes_max;
    return share;
}

void history_share_free(struct history_share *share)
{
    struct user *user, *next;

    if (share == NULL)
        return;
    HASH_ITER(hh, share->users, user, next) {
        HASH_DEL(share->users, user);
        free(user->name);
        free(user);
    }
    free(share->state_directory);
    free(share);
}

void history_share_add(struct history_share *share, const char *name, size_t bytes)
{
    struct user *user;

    if (share->bytes_max == 0)
        return;
    HASH_FIND_STR(share->users, name, user);
    if (user == NULL) {
        user = mem_new0(struct user);
        user->name = mem_strdup(name);
        HASH_ADD_KEYPTR(hh, share->users, user->name, strlen(user->name), user);
    }
    user->bytes += bytes + HISTORY_ROW_BYTES;
}

/* --- one file -------------------------------------------------------------- */

struct file {
    sqlite3 *database; /* NULL: it is damaged; it is set aside when it is written */
    char *path;
    sqlite3_stmt *statements[STATEMENTS];
};

static void file_close(struct file *file)
{
    for (size_t i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(file->statements[i]);
    sqlite3_close(file->database); /* undoes an open transaction */
    free(file->path);
    *file = (struct file){ .database = NULL };
}

static int prepare(struct file *file, struct err *err)
{
    for (size_t i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v2(file->database, texts[i], -1, &file->statements[i], NULL) != SQLITE_OK)
            return history_file_fail(file->database, file->path, "cannot find rows of a user", err);
    return 0;
}

static int file_open(const struct history_share *share, int month, bool write, struct file *file,
                     struct err *err)
{
    int r;

    *file = (struct file){ .path = history_month_path(share->state_directory, month) };
    if ((r = history_file_open(file->path, write, &file->database, err)) < 0 || (r = prepare(file, err)) < 0)
        file_close(file);
    return r;
}

static int run(const struct file *file, const char *sql, struct err *err)
{
    if (sqlite3_exec(file->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        return history_file_fail(file->database, file->path, "cannot delete rows of a user", err);
    return 0;
}

/* Ends the transaction; then gives the space of deleted rows back to the file system. */
static int commit(const struct file *file, struct err *err)
{
    int r = run(file, "COMMIT", err);

    return r < 0 ? r : run(file, "PRAGMA incremental_vacuum", err);
}

struct app { /* an application in a file */
    int64_t cluster_ms, seq;
    uint64_t bytes; /* of its row, or of its containers in this file */
};

static sqlite3_stmt *of_user(const struct file *file, enum statement number, const char *user)
{
    sqlite3_bind_text(file->statements[number], 1, user, -1, SQLITE_STATIC);
    return file->statements[number];
}

static sqlite3_stmt *of_app(const struct file *file, enum statement number, const struct app *app)
{
    sqlite3_bind_int64(file->statements[number], 1, app->cluster_ms);
    sqlite3_bind_int64(file->statements[number], 2, app->seq);
    return file->statements[number];
}

/* CODE is the last result of STATEMENT. */
static int end(const struct file *file, sqlite3_stmt *statement, int code, struct err *err)
{
    int r = code == SQLITE_ROW || code == SQLITE_DONE
                ? 0
                : history_file_fail(file->database, file->path, "cannot delete rows of a user", err);

    sqlite3_reset(statement);
    return r;
}

static int execute(const struct file *file, sqlite3_stmt *statement, struct err *err)
{
    return end(file, statement, sqlite3_step(statement), err);
}

static uint64_t column_bytes(sqlite3_stmt *statement, int column)
{
    int64_t bytes = sqlite3_column_int64(statement, column);

    return bytes > 0 ? (uint64_t)bytes : 0;
}

static int sum_file(const struct file *file, const char *user, uint64_t *sum, struct err *err)
{
    sqlite3_stmt *statement = of_user(file, SUM_ROWS, user);
    int code = sqlite3_step(statement);

    if (code == SQLITE_ROW)
        *sum += column_bytes(statement, 0);
    return end(file, statement, code, err);
}

/* Finds the first application that the query NUMBER selects for USER. Returns 1, or 0: the file has none. */
static int find_first(const struct file *file, enum statement number, const char *user, struct app *app,
                      struct err *err)
{
    sqlite3_stmt *statement = of_user(file, number, user);
    int r, code = sqlite3_step(statement);

    if (code == SQLITE_ROW)
        *app = (struct app){ sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                             column_bytes(statement, 2) };
    r = end(file, statement, code, err);
    return r < 0 ? r : code == SQLITE_ROW;
}

static void subtract(uint64_t *bytes, uint64_t removed)
{
    *bytes -= removed < *bytes ? removed : *bytes;
}

/* Deletes all containers of APP in FILE; last, so that sqlite3_changes has their number. */
static int delete_containers(const struct file *file, const struct app *app, uint64_t *bytes, struct err *err)
{
    sqlite3_stmt *statement = of_app(file, FORGET_CONTAINERS, app);
    int r, code = sqlite3_step(statement);

    if (code == SQLITE_ROW)
        subtract(bytes, column_bytes(statement, 0));
    if ((r = end(file, statement, code, err)) < 0 || code == SQLITE_DONE)
        return r;
    return execute(file, of_app(file, DELETE_CONTAINERS, app), err);
}

/* Deletes the containers of APP with the lowest ids: at least EXCESS bytes, but less than all. Ends
 * as delete_containers. */
static int delete_some_containers(const struct file *file, const struct app *app, uint64_t excess,
                                  uint64_t *bytes, struct err *err)
{
    sqlite3_stmt *list = of_app(file, LIST_CONTAINERS, app);
    sqlite3_stmt *statement = of_app(file, DELETE_CONTAINERS_UP_TO, app);
    uint64_t found = 0;
    int r, code = SQLITE_DONE;

    while (found < excess && (code = sqlite3_step(list)) == SQLITE_ROW) {
        for (int i = 0; i < 3; i++)
            sqlite3_bind_int64(statement, 3 + i, sqlite3_column_int64(list, i));
        found += column_bytes(list, 3);
    }
    if ((r = end(file, list, code, err)) < 0)
        return r;
    if (found == 0) /* the file is not what creel wrote: there are none */
        return delete_containers(file, app, bytes, err);
    sqlite3_bind_int64(file->statements[SUBTRACT_BYTES], 3, (int64_t)found);
    if ((r = execute(file, of_app(file, SUBTRACT_BYTES, app), err)) < 0)
        return r;
    subtract(bytes, found);
    return execute(file, statement, err);
}

/* --- all files ------------------------------------------------------------- */

struct files {
    struct file *items; /* the newest first */
    size_t count;
};

static int measure(const struct history_share *share, struct user *user, const int *months, size_t count,
                   struct err *err)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        struct file file;
        int r = file_open(share, months[i], false, &file, err);

        if (r == -ENOENT ||
            r == -EBADMSG) /* has no tables yet; a damaged file is set aside when it is written */
            continue;
        if (r < 0)
            return r;
        r = sum_file(&file, user->name, &sum, err);
        file_close(&file);
        if (r < 0)
            return r;
    }
    user->bytes = sum;
    user->measured = true;
    return 0;
}

static void close_all(struct files *files)
{
    for (size_t i = 0; i < files->count; i++)
        file_close(&files->items[i]);
    free(files->items);
}

static int open_all(const struct history_share *share, const int *months, size_t count, struct files *files,
                    struct err *err)
{
    int r;

    *files = (struct files){ mem_array0(count, sizeof(*files->items)), count };
    for (size_t i = 0; i < count; i++) {
        r = file_open(share, months[i], true, &files->items[i], err);
        if (r < 0 && r != -EBADMSG) {
            close_all(files);
            return r;
        }
    }
    return 0;
}

/* R is a result of work with FILE. Closes a file whose damage is found only now; returns other errors. */
static int skip_damaged(struct file *file, int r)
{
    if (r != -EBADMSG)
        return r;
    file_close(file);
    return 0;
}

static int begin_all(struct files *files, struct err *err)
{
    int r = 0;

    for (size_t i = 0; i < files->count && r >= 0; i++)
        if (files->items[i].database != NULL)
            r = skip_damaged(&files->items[i], run(&files->items[i], "BEGIN IMMEDIATE", err));
    return r;
}

/* Commits the file LAST after all others. */
static int commit_all(struct files *files, size_t last, struct err *err)
{
    int r = 0;

    for (size_t i = 0; i < files->count && r >= 0; i++)
        if (i != last && files->items[i].database != NULL)
            r = skip_damaged(&files->items[i], commit(&files->items[i], err));
    if (r < 0 || files->items[last].database == NULL)
        return r;
    return commit(&files->items[last], err);
}

/* Deletes the containers of APP: each is in the file of the month in which it ended. */
static int delete_all_containers(struct files *files, const struct app *app, uint64_t *bytes, struct err *err)
{
    int r = 0;

    for (size_t i = 0; i < files->count && r >= 0; i++)
        if (files->items[i].database != NULL)
            r = skip_damaged(&files->items[i], delete_containers(&files->items[i], app, bytes, err));
    return r;
}

/* Deletes rows of USER that are in FILES->items[I] until *LEFT bytes are at most TARGET, or that file has
 * none. */
typedef int delete_fn(struct files *files, size_t i, const char *user, uint64_t target, uint64_t *left,
                      struct job_history_removed *removed, struct err *err);

/* Deletes the applications that ended first, with their containers. */
static int delete_apps(struct files *files, size_t i, const char *user, uint64_t target, uint64_t *left,
                       struct job_history_removed *removed, struct err *err)
{
    const struct file *file = &files->items[i];
    struct app app;
    int r = 1;

    while (*left > target && file->database != NULL &&
           (r = find_first(file, FIRST_APP, user, &app, err)) > 0) {
        if ((r = delete_all_containers(files, &app, left, err)) < 0)
            return r;
        if (file->database == NULL)
            return 0;
        if ((r = execute(file, of_app(file, DELETE_APP, &app), err)) < 0)
            return r;
        subtract(left, app.bytes);
        removed->apps++;
    }
    return r < 0 ? r : 0;
}

/* Deletes the containers with the lowest ids of the application that has the most. */
static int delete_first_containers(struct files *files, size_t i, const char *user, uint64_t target,
                                   uint64_t *left, struct job_history_removed *removed, struct err *err)
{
    const struct file *file = &files->items[i];
    struct app app;
    int r = 1;

    while (*left > target && file->database != NULL &&
           (r = find_first(file, MOST_CONTAINERS, user, &app, err)) > 0) {
        uint64_t excess = *left - target;

        r = app.bytes <= excess ? delete_containers(file, &app, left, err)
                                : delete_some_containers(file, &app, excess, left, err);
        if (r < 0)
            return r;
        removed->containers += (uint64_t)sqlite3_changes(file->database);
    }
    return r < 0 ? r : 0;
}

/* Deletes rows in one transaction for each file. The file of an application is committed after those of its
 * containers: after an error the application is still there, and is found again. */
static int shrink_file(struct files *files, size_t i, struct user *user, uint64_t target, delete_fn *delete,
                       struct job_history_removed *removed, struct err *err)
{
    struct job_history_removed now = { 0 };
    uint64_t left = user->bytes;
    int r;

    if ((r = begin_all(files, err)) < 0 ||
        (r = delete (files, i, user->name, target, &left, &now, err)) < 0 ||
        (r = commit_all(files, i, err)) < 0)
        return r;
    user->bytes = left;
    removed->apps += now.apps;
    removed->containers += now.containers;
    return 0;
}

static int shrink(struct files *files, struct user *user, uint64_t target, delete_fn *delete,
                  struct job_history_removed *removed, struct err *err)
{
    int r = 0;

    for (size_t i = files->count; i-- > 0 && r >= 0 && user->bytes > target;)
        if (files->items[i].database != NULL)
            r = shrink_file(files, i, user, target, delete, removed, err);
    return r;
}

static int judge(const struct history_share *share, struct user *user, struct job_history_removed *removed,
                 struct err *err)
{
    uint64_t target = share->bytes_max - share->bytes_max / 10;
    scoped_free int *months = NULL;
    struct files files;
    size_t count = 0;
    int r;

    if (user->measured && user->bytes <= share->bytes_max)
        return 0;
    if ((r = history_months(share->state_directory, &months, &count, err)) < 0 ||
        (r = measure(share, user, months, count, err)) < 0 || user->bytes <= share->bytes_max ||
        (r = open_all(share, months, count, &files, err)) < 0)
        return r;
    if ((r = shrink(&files, user, target, delete_apps, removed, err)) >= 0)
        r = shrink(&files, user, target, delete_first_containers, removed, err);
    close_all(&files);
    return r;
}

int history_share_enforce(struct history_share *share, struct job_history_removed *removed, struct err *err)
{
    int result = 0;

    for (struct user *user = share->users; user != NULL; user = user->hh.next) {
        int r = judge(share, user, removed, result == 0 ? err : NULL);

        result = result == 0 ? r : result;
    }
    return result;
}
