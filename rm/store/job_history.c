/* SPDX-License-Identifier: Apache-2.0 */
/* job_history.c - writes history files, deletes old ones and renames damaged ones */
#include "rm/store/job_history.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "rm/store/job_history_file.h"
#include "rm/store/job_history_share.h"
#include "rm/store/job_history_upgrade.h"

#define MONTHS_BACK 12   /* maximum of earlier months that are searched for containers of an application */
#define PRUNE_MS 3600000 /* interval between two deletions of an old file */

static const char put_app[] =
    "INSERT OR REPLACE INTO apps (cluster_ms, seq, finished_ms, submitted_ms, started_ms, user, queue, name,"
    " state, exit_status, memory_mb_seconds, vcore_seconds, is_task, succeeded, waited_ms, cpu_time_us,"
    " memory_used_mb_seconds, report)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char put_container[] =
    "INSERT OR REPLACE INTO containers (cluster_ms, seq, attempt, epoch, number, finished_ms, node,"
    " exit_status, memory_peak_bytes, cpu_time_us, read_bytes, written_bytes, memory_used_mb_seconds, report)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char has_app[] = "SELECT report = ?3 FROM apps WHERE cluster_ms = ?1 AND seq = ?2";
static const char get_container[] =
    "SELECT cpu_time_us, memory_used_mb_seconds, report = ?6, " HISTORY_SQL_BYTES " FROM containers"
    " WHERE cluster_ms = ?1 AND seq = ?2 AND attempt = ?3 AND epoch = ?4 AND number = ?5";
static const char sum_containers[] =
    "SELECT total(cpu_time_us), total(memory_used_mb_seconds) FROM containers"
    " WHERE cluster_ms = ?1 AND seq = ?2";
static const char add_to_app[] =
    "UPDATE apps SET cpu_time_us = cpu_time_us + ?3,"
    " memory_used_mb_seconds = memory_used_mb_seconds + ?4 WHERE cluster_ms = ?1 AND seq = ?2";

static const char add_to_sum[] =
    "INSERT INTO container_sums (cluster_ms, seq, user, bytes) VALUES (?1, ?2, ?3, ?4)"
    " ON CONFLICT (cluster_ms, seq) DO UPDATE SET bytes = bytes + excluded.bytes";

enum statement {
    PUT_APP,
    PUT_CONTAINER,
    HAS_APP,
    GET_CONTAINER,
    SUM_CONTAINERS,
    ADD_TO_APP,
    ADD_TO_SUM,
    STATEMENTS
};

static const char *const statement_texts[STATEMENTS] = {
    [PUT_APP] = put_app,
    [PUT_CONTAINER] = put_container,
    [HAS_APP] = has_app,
    [GET_CONTAINER] = get_container,
    [SUM_CONTAINERS] = sum_containers,
    [ADD_TO_APP] = add_to_app,
    [ADD_TO_SUM] = add_to_sum,
};

struct job_history {
    char *state_directory;
    int64_t keep_ms;
    struct history_share *share;
    struct job_history_removed removed; /* by the limit on the rows of a user */
    struct err removal_error;           /* code 0: none */
    int64_t pruned_ms;                  /* when an old file was deleted last, or of the first write */
    int month;                          /* of the open file */
    char *path;                         /* of the open file; NULL: none is open */
    dev_t device;                       /* of the open file */
    ino_t file_number;                  /* of the open file */
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENTS];
    bool in_transaction;
};

struct job_history *job_history_new(const char *state_directory, int64_t keep_ms, int64_t user_bytes_max)
{
    struct job_history *history = mem_new0(struct job_history);

    history->state_directory = mem_strdup(state_directory);
    history->keep_ms = keep_ms;
    history->share = history_share_new(state_directory, user_bytes_max);
    return history;
}

/* --- the open file --------------------------------------------------------- */

static void close_file(struct job_history *history)
{
    for (size_t i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(history->statements[i]);
        history->statements[i] = NULL;
    }
    sqlite3_close(history->database); /* undoes an open transaction */
    free(history->path);
    history->database = NULL;
    history->path = NULL;
    history->in_transaction = false;
}

void job_history_free(struct job_history *history)
{
    if (history == NULL)
        return;
    close_file(history);
    history_share_free(history->share);
    free(history->state_directory);
    free(history);
}

static int fail(struct job_history *history, const char *doing, struct err *err)
{
    return history_file_fail(history->database, history->path, doing, err);
}

static int make_folder(const struct job_history *history, struct err *err)
{
    scoped_free char *folder = history_folder(history->state_directory);

    if (mkdir(folder, 0700) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "%s: cannot make the folder of history files", folder);
    return 0;
}

/* Closes the open file if its path leads to another file now, or to none. */
static void close_if_replaced(struct job_history *history)
{
    struct stat found;

    if (history->path != NULL && (stat(history->path, &found) < 0 || found.st_dev != history->device ||
                                  found.st_ino != history->file_number))
        close_file(history);
}

static void note_identity(struct job_history *history)
{
    struct stat found = { 0 };

    (void)stat(history->path, &found);
    history->device = found.st_dev;
    history->file_number = found.st_ino;
}

static int prepare(struct job_history *history, const char *sql, sqlite3_stmt **ret, struct err *err)
{
    if (sqlite3_prepare_v3(history->database, sql, -1, SQLITE_PREPARE_PERSISTENT, ret, NULL) != SQLITE_OK)
        return fail(history, "cannot prepare writing", err);
    return 0;
}

static int open_file(struct job_history *history, int month, struct err *err)
{
    int r = make_folder(history, err);

    if (r < 0)
        return r;
    history->month = month;
    history->path = history_month_path(history->state_directory, month);
    r = history_file_open(history->path, true, &history->database, err);
    for (size_t i = 0; r == 0 && i < STATEMENTS; i++)
        r = prepare(history, statement_texts[i], &history->statements[i], err);
    note_identity(history);
    return r;
}

static int run(struct job_history *history, const char *sql, struct err *err)
{
    if (sqlite3_exec(history->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        return fail(history, "cannot write", err);
    return 0;
}

static int commit(struct job_history *history, struct err *err)
{
    int r = 0;

    if (history->in_transaction)
        r = run(history, "COMMIT", err);
    if (r == 0)
        history->in_transaction = false;
    return r;
}

/* Opens the file of MONTH and begins a transaction, unless this is done. If the file of another month is
 * open, commits its transaction and closes it first. */
static int enter(struct job_history *history, int month, struct err *err)
{
    int r = 0;

    if (history->path != NULL && history->month != month) {
        r = commit(history, err);
        if (r < 0)
            return r;
        close_file(history);
    }
    if (history->path == NULL)
        r = open_file(history, month, err);
    if (r == 0 && !history->in_transaction) {
        r = run(history, "BEGIN IMMEDIATE", err);
        history->in_transaction = r == 0;
    }
    return r;
}

/* --- sums of containers ---------------------------------------------------- */

struct sums { /* of containers */
    int64_t cpu_time_us, memory_used_mb_seconds;
    int64_t bytes; /* of their rows; 0 where sums of usage are read */
};

static int64_t clamp(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static struct sums sums_of(const Creel__ContainerReport *container, const struct job_history_row *row)
{
    return (struct sums){ clamp(container->cpu_time_us), history_memory_used(container),
                          (int64_t)(row->size + HISTORY_ROW_BYTES) };
}

static struct sums sums_of_columns(sqlite3_stmt *statement)
{
    return (struct sums){ sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1), 0 };
}

/* Returns the two numbers of the row of STATEMENT; zeros if there is no row. An error gives zeros, too: the
 * write that follows then fails. */
static struct sums read_sums(sqlite3_stmt *statement)
{
    struct sums sums = { 0 };

    if (sqlite3_step(statement) == SQLITE_ROW)
        sums = sums_of_columns(statement);
    sqlite3_reset(statement);
    return sums;
}

static int64_t add_saturated(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Adds the containers of ID in the file of an earlier MONTH to SUMS. A file that cannot be read is
 * ignored. */
static void add_earlier(const struct job_history *history, int month, const struct app_id *id,
                        struct sums *sums)
{
    scoped_free char *path = history_month_path(history->state_directory, month);
    sqlite3 *database;
    sqlite3_stmt *statement;
    struct sums earlier;

    if (access(path, F_OK) < 0 || history_file_open(path, false, &database, NULL) < 0)
        return;
    if (sqlite3_prepare_v2(database, sum_containers, -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, id->cluster_ms);
        sqlite3_bind_int64(statement, 2, id->seq);
        earlier = read_sums(statement);
        sums->cpu_time_us = add_saturated(sums->cpu_time_us, earlier.cpu_time_us);
        sums->memory_used_mb_seconds =
            add_saturated(sums->memory_used_mb_seconds, earlier.memory_used_mb_seconds);
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
}

/* Adds up the containers of an application that have been written: those in the open file, and those in the
 * files of earlier months since its submission (at most MONTHS_BACK). */
static struct sums sum_of_app(const struct job_history *history, const struct app_id *id,
                              const Creel__AppReport *app)
{
    int first = history_first_month(app);
    sqlite3_stmt *statement = history->statements[SUM_CONTAINERS];
    struct sums sums;

    sqlite3_bind_int64(statement, 1, id->cluster_ms);
    sqlite3_bind_int64(statement, 2, id->seq);
    sums = read_sums(statement);
    if (first < history->month - MONTHS_BACK)
        first = history->month - MONTHS_BACK;
    for (int month = first; month < history->month; month++)
        add_earlier(history, month, id, &sums);
    return sums;
}

/* Adds the sums of a container to the row of its application, if the open file has that row: the container
 * ended later than the application. Subtracts OLD, the sums of the row of this container that is replaced. */
static int add_to_its_app(struct job_history *history, const struct container_id *id, struct sums old,
                          struct sums sums, struct err *err)
{
    sqlite3_stmt *statement = history->statements[ADD_TO_APP];
    int code;

    sqlite3_bind_int64(statement, 1, id->attempt.app.cluster_ms);
    sqlite3_bind_int64(statement, 2, id->attempt.app.seq);
    sqlite3_bind_int64(statement, 3, sums.cpu_time_us - old.cpu_time_us);
    sqlite3_bind_int64(statement, 4, sums.memory_used_mb_seconds - old.memory_used_mb_seconds);
    code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? 0 : fail(history, "cannot write the sums of an application", err);
}

/* Counts the row of a container for USER, in place of the row with the sums OLD. */
static int add_to_sum_of_rows(struct job_history *history, const struct container_id *id, const char *user,
                              struct sums old, struct sums sums, struct err *err)
{
    sqlite3_stmt *statement = history->statements[ADD_TO_SUM];
    int code;

    sqlite3_bind_int64(statement, 1, id->attempt.app.cluster_ms);
    sqlite3_bind_int64(statement, 2, id->attempt.app.seq);
    sqlite3_bind_text(statement, 3, user, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 4, sums.bytes - old.bytes);
    code = sqlite3_step(statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return code == SQLITE_DONE ? 0 : fail(history, "cannot write the size of rows", err);
}

/* Sets SUMS to those of the row of container ID; zeros if there is no row. Returns true if the row is ROW. */
static bool read_row(struct job_history *history, const struct container_id *id,
                     const struct job_history_row *row, struct sums *sums)
{
    sqlite3_stmt *statement = history->statements[GET_CONTAINER];
    bool same = false;

    sqlite3_bind_int64(statement, 1, id->attempt.app.cluster_ms);
    sqlite3_bind_int64(statement, 2, id->attempt.app.seq);
    sqlite3_bind_int64(statement, 3, id->attempt.attempt);
    sqlite3_bind_int64(statement, 4, id->epoch);
    sqlite3_bind_int64(statement, 5, id->number);
    sqlite3_bind_blob64(statement, 6, row->packed, row->size, SQLITE_STATIC);
    *sums = (struct sums){ 0 };
    if (sqlite3_step(statement) == SQLITE_ROW) {
        *sums = sums_of_columns(statement);
        same = sqlite3_column_int(statement, 2) == 1;
        sums->bytes = sqlite3_column_int64(statement, 3);
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return same;
}

static bool has_row(struct job_history *history, const struct app_id *id, const struct job_history_row *row)
{
    sqlite3_stmt *statement = history->statements[HAS_APP];
    bool same;

    sqlite3_bind_int64(statement, 1, id->cluster_ms);
    sqlite3_bind_int64(statement, 2, id->seq);
    sqlite3_bind_blob64(statement, 3, row->packed, row->size, SQLITE_STATIC);
    same = sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 1;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return same;
}

/* --- rows ------------------------------------------------------------------ */

struct columns { /* binds values in order */
    sqlite3_stmt *statement;
    int next;
};

static void bind_number(struct columns *columns, int64_t value)
{
    sqlite3_bind_int64(columns->statement, columns->next++, value);
}

/* Binds a sum, limited to INT64_MAX: sums are unsigned on the wire, and SQLite has no unsigned numbers. */
static void bind_sum(struct columns *columns, uint64_t value)
{
    bind_number(columns, clamp(value));
}

static void bind_text(struct columns *columns, const char *text)
{
    sqlite3_bind_text(columns->statement, columns->next++, text, -1, SQLITE_STATIC);
}

static int finish(struct job_history *history, struct columns *columns, const struct job_history_row *row,
                  struct err *err)
{
    int code;

    sqlite3_bind_blob64(columns->statement, columns->next, row->packed, row->size, SQLITE_STATIC);
    code = sqlite3_step(columns->statement);
    sqlite3_reset(columns->statement);
    sqlite3_clear_bindings(columns->statement);
    return code == SQLITE_DONE ? 0 : fail(history, "cannot write a row", err);
}

/* Returns the time from the submission to the first container; 0 if none started. */
static int64_t waited_ms(const Creel__AppReport *app)
{
    return app->started_ms > app->submitted_ms ? app->started_ms - app->submitted_ms : 0;
}

static int write_app(struct job_history *history, const Creel__AppReport *app,
                     const struct job_history_row *row, int64_t oldest_ms, struct err *err)
{
    struct columns columns;
    struct app_id id;
    struct sums sums;
    int r;

    if (!app_id_parse(app->app_id, &id) || app->finished_ms < oldest_ms)
        return 0;
    r = enter(history, history_month_of(app->finished_ms), err);
    if (r < 0 || has_row(history, &id, row))
        return r;
    sums = sum_of_app(history, &id, app);
    columns = (struct columns){ history->statements[PUT_APP], 1 };
    bind_number(&columns, id.cluster_ms);
    bind_number(&columns, id.seq);
    bind_number(&columns, app->finished_ms);
    bind_number(&columns, app->submitted_ms);
    bind_number(&columns, app->started_ms);
    bind_text(&columns, app->user);
    bind_text(&columns, app->queue);
    bind_text(&columns, app->name);
    bind_number(&columns, (int64_t)app->state);
    bind_number(&columns, app->exit_status);
    bind_sum(&columns, app->memory_mb_seconds);
    bind_sum(&columns, app->vcore_seconds);
    bind_number(&columns, *app->array_id != '\0');
    bind_number(&columns, app->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
    bind_number(&columns, waited_ms(app));
    bind_number(&columns, sums.cpu_time_us);
    bind_number(&columns, sums.memory_used_mb_seconds);
    history_share_add(history->share, app->user, row->size);
    return finish(history, &columns, row, err);
}

static int write_container(struct job_history *history, const Creel__ContainerReport *container,
                           const struct job_history_row *row, int64_t oldest_ms, struct err *err)
{
    struct sums old, sums = sums_of(container, row);
    struct container_id id;
    struct columns columns;
    int r;

    if (!container_id_parse(container->container_id, &id) || container->finished_ms < oldest_ms)
        return 0;
    r = enter(history, history_month_of(container->finished_ms), err);
    if (r < 0 || read_row(history, &id, row, &old))
        return r;
    columns = (struct columns){ history->statements[PUT_CONTAINER], 1 };
    bind_number(&columns, id.attempt.app.cluster_ms);
    bind_number(&columns, id.attempt.app.seq);
    bind_number(&columns, id.attempt.attempt);
    bind_number(&columns, id.epoch);
    bind_number(&columns, id.number);
    bind_number(&columns, container->finished_ms);
    bind_text(&columns, container->node_id);
    bind_number(&columns, container->exit_status);
    bind_sum(&columns, container->memory_peak_bytes);
    bind_sum(&columns, container->cpu_time_us);
    bind_sum(&columns, container->read_bytes);
    bind_sum(&columns, container->written_bytes);
    bind_number(&columns, sums.memory_used_mb_seconds);
    history_share_add(history->share, container->user, row->size);
    if ((r = finish(history, &columns, row, err)) < 0 ||
        (r = add_to_sum_of_rows(history, &id, container->user, old, sums, err)) < 0)
        return r;
    return add_to_its_app(history, &id, old, sums, err);
}

static int write_row(struct job_history *history, const struct job_history_row *row, int64_t oldest_ms,
                     struct err *err)
{
    bool is_app = row->kind == JOB_HISTORY_APP;
    ProtobufCMessage *message = protobuf_c_message_unpack(is_app ? &creel__app_report__descriptor
                                                                 : &creel__container_report__descriptor,
                                                          NULL, row->size, row->packed);
    int r;

    if (message == NULL)
        return err_set(err, ENOMEM, "a row of the history cannot be read: out of memory");
    r = is_app ? write_app(history, (Creel__AppReport *)message, row, oldest_ms, err)
               : write_container(history, (Creel__ContainerReport *)message, row, oldest_ms, err);
    protobuf_c_message_free_unpacked(message, NULL);
    return r;
}

static int write_all(struct job_history *history, const struct job_history_row *rows, size_t count,
                     int64_t oldest_ms, struct err *err)
{
    int r = 0;

    for (size_t i = 0; i < count && r == 0; i++)
        r = write_row(history, &rows[i], oldest_ms, err);
    return r == 0 ? commit(history, err) : r;
}

/* --- care ------------------------------------------------------------------ */

/* Renames PATH to PATH + NEW_SUFFIX, or deletes it if NEW_SUFFIX is NULL. Does the same with the files "-wal"
 * and "-shm" of PATH. */
static void each_companion(const char *path, const char *new_suffix)
{
    static const char *const suffixes[] = { "", "-wal", "-shm" };

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        scoped_free char *from = mem_printf("%s%s", path, suffixes[i]);
        scoped_free char *to = new_suffix ? mem_printf("%s%s%s", path, new_suffix, suffixes[i]) : NULL;

        (void)(to ? rename(from, to) : unlink(from));
    }
}

static char *set_file_aside(struct job_history *history, int64_t now_ms)
{
    scoped_free char *path = mem_strdup(history->path);
    scoped_free char *suffix = mem_printf(".damaged-%lld", (long long)now_ms);

    close_file(history);
    each_companion(path, suffix);
    return mem_printf("%s%s", path, suffix);
}

/* Deletes the oldest file, if all its rows are too old. */
static void delete_old_file(struct job_history *history, int64_t now_ms)
{
    scoped_free char *path = NULL;
    scoped_free int *months = NULL;
    int now = history_month_of(now_ms), oldest;
    size_t count = 0;

    if (history->pruned_ms == 0)
        history->pruned_ms = now_ms;
    if (now_ms >= history->pruned_ms && now_ms - history->pruned_ms < PRUNE_MS)
        return;
    history->pruned_ms = now_ms;
    if (history_months(history->state_directory, &months, &count, NULL) < 0 || count == 0)
        return;
    oldest = months[count - 1];
    if (oldest >= now || history_month_begin_ms(oldest + 1) >= now_ms - history->keep_ms)
        return;
    if (history->path != NULL && history->month == oldest)
        close_file(history);
    path = history_month_path(history->state_directory, oldest);
    each_companion(path, NULL);
}

static void remove_excess(struct job_history *history)
{
    struct err err = { .code = 0 };

    (void)history_share_enforce(history->share, &history->removed, &err);
    history->removal_error = err;
}

int job_history_write(struct job_history *history, const struct job_history_row *rows, size_t count,
                      int64_t now_ms, char **set_aside, struct err *err)
{
    int64_t oldest_ms = now_ms - history->keep_ms;
    int r;

    *set_aside = NULL;
    if (history->keep_ms == 0)
        return 0;
    close_if_replaced(history);
    delete_old_file(history, now_ms);
    r = write_all(history, rows, count, oldest_ms, err);
    if (r == -EBADMSG && history->path != NULL) {
        *set_aside = set_file_aside(history, now_ms);
        r = write_all(history, rows, count, oldest_ms, err);
    }
    /* That rows of a user stay is no reason to write all again: the next call deletes them. */
    if (r == 0)
        remove_excess(history);
    if (r < 0)
        close_file(history);
    return r;
}

struct job_history_removed job_history_removed(const struct job_history *history)
{
    return history->removed;
}

const struct err *job_history_removal_error(const struct job_history *history)
{
    return history->removal_error.code != 0 ? &history->removal_error : NULL;
}
