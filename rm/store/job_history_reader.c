/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_reader.c - the history files of one request, and the conditions of a filter in SQL */
#include "rm/store/job_history_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "rm/store/job_history_file.h"

struct name_set {
    UT_hash_handle hh;
    size_t length;
    const char *name; /* borrowed from the filter */
};

static int64_t steady_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- files ----------------------------------------------------------------- */

int history_reader_open(struct history_reader *reader, const char *state_directory, struct err *err)
{
    int64_t now_ms = steady_ms();

    *reader = (struct history_reader){ .state_directory = state_directory,
                                       .page_end_ms = now_ms + HISTORY_PAGE_MS,
                                       .end_ms = now_ms + HISTORY_REQUEST_MS };
    int r = history_months(state_directory, &reader->months, &reader->count, err);

    if (r < 0)
        return r;
    reader->files = mem_array0(reader->count + 1, sizeof(*reader->files));
    reader->sums = mem_array0(reader->count + 1, sizeof(*reader->sums));
    reader->unreadable = mem_array0(reader->count + 1, sizeof(*reader->unreadable));
    return 0;
}

void history_reader_close(struct history_reader *reader)
{
    struct name_set *entry, *next;

    HASH_ITER(hh, reader->queues, entry, next) {
        HASH_DEL(reader->queues, entry);
        free(entry);
    }
    for (size_t i = 0; i < reader->count; i++) {
        sqlite3_finalize(reader->sums[i]);
        sqlite3_close(reader->files[i]);
    }
    free(reader->files);
    free(reader->sums);
    free(reader->unreadable);
    free(reader->months);
}

void history_reader_mark(struct history_reader *reader, size_t i)
{
    if (reader->too_long) /* the read was ended; the file may be in order */
        return;
    reader->damaged += !reader->unreadable[i];
    reader->unreadable[i] = true;
}

/* Returns true if QUEUE or adjacent components of its path are in the set: its full path, its name, or a
 * parent's. */
static bool has_queue(const struct name_set *queues, const char *queue)
{
    const struct name_set *found;

    for (const char *from = queue; from != NULL; from = (from = strchr(from, '.')) != NULL ? from + 1 : NULL)
        for (const char *to = from; to != NULL; to = *to != '\0' ? to + 1 : NULL) {
            to += strcspn(to, ".");
            HASH_FIND(hh, queues, from, (size_t)(to - from), found);
            if (found != NULL)
                return true;
        }
    return false;
}

/* The SQL function in_queues(QUEUE). */
static void in_queues(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct history_reader *reader = sqlite3_user_data(context);
    const char *queue = count == 1 ? (const char *)sqlite3_value_text(values[0]) : NULL;

    sqlite3_result_int(context, queue != NULL && has_queue(reader->queues, queue));
}

static int on_progress(void *context)
{
    struct history_reader *reader = context;

    reader->too_long = reader->too_long || steady_ms() >= reader->end_ms;
    return reader->too_long;
}

bool history_reader_is_late(const struct history_reader *reader)
{
    return steady_ms() >= reader->page_end_ms;
}

int history_reader_judge(const struct history_reader *reader, struct err *err)
{
    if (!reader->too_long)
        return 0;
    return err_set(err, E2BIG,
                   "the history has too many rows for this request, which was ended after %d s: choose a "
                   "shorter time, with since and until",
                   HISTORY_REQUEST_MS / 1000);
}

#define PROGRESS_STEPS 10000 /* of SQLite, between two looks at the clock */

/* Opens the file of month I if it is not open, and returns it; NULL: the file cannot be read. */
static sqlite3 *file_at(struct history_reader *reader, size_t i)
{
    scoped_free char *path = NULL;
    int r;

    if (reader->files[i] != NULL || reader->unreadable[i])
        return reader->files[i];
    path = history_month_path(reader->state_directory, reader->months[i]);
    r = history_file_open(path, false, &reader->files[i], NULL);
    if (r < 0 && r != -ENOENT) /* -ENOENT: the file is being created and has no tables yet */
        history_reader_mark(reader, i);
    if (reader->files[i] == NULL)
        return NULL;
    sqlite3_progress_handler(reader->files[i], PROGRESS_STEPS, on_progress, reader);
    sqlite3_create_function(reader->files[i], "in_queues", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, reader,
                            in_queues, NULL, NULL);
    return reader->files[i];
}

bool history_reader_begin(struct history_reader *reader, size_t i, const char *sql, sqlite3_stmt **ret)
{
    sqlite3 *file = file_at(reader, i);

    *ret = NULL;
    if (file == NULL)
        return false;
    if (sqlite3_prepare_v2(file, sql, -1, ret, NULL) == SQLITE_OK)
        return true;
    history_reader_mark(reader, i);
    return false;
}

void history_reader_leave(struct history_reader *reader, size_t i)
{
    sqlite3_close(reader->files[i]);
    reader->files[i] = NULL;
}

/* --- filters --------------------------------------------------------------- */

void history_sql_add(struct history_sql *sql, const char *piece)
{
    size_t length = strlen(piece);

    sql->text = mem_resize(sql->text, sql->length + length + 1, 1);
    memcpy(sql->text + sql->length, piece, length + 1);
    sql->length += length;
}

void history_reader_filter(struct history_reader *reader, const struct job_history_filter *filter)
{
    if (filter->page_ms != 0)
        reader->page_end_ms = steady_ms() + filter->page_ms;
    for (size_t i = 0; i < filter->queue_count; i++) {
        struct name_set *entry = mem_new0(struct name_set);

        entry->name = filter->queues[i];
        entry->length = strlen(entry->name);
        HASH_ADD_KEYPTR(hh, reader->queues, entry->name, entry->length, entry);
    }
}

/* SQLite looks up the values of IN in a tree. */
static void add_any(struct history_sql *sql, const char *column, size_t count)
{
    if (count == 0)
        return;
    history_sql_add(sql, " AND ");
    history_sql_add(sql, column);
    for (size_t i = 0; i < count; i++)
        history_sql_add(sql, i > 0 ? ", ?" : " IN (?");
    history_sql_add(sql, ")");
}

static bool has_name(const struct job_history_filter *filter)
{
    return filter->name != NULL && filter->name[0] != '\0';
}

void history_sql_add_filter(struct history_sql *sql, const struct job_history_filter *filter)
{
    history_sql_add(sql, "finished_ms >= ? AND finished_ms <= ?");
    add_any(sql, "user", filter->user_count);
    if (!filter->tasks)
        history_sql_add(sql, " AND is_task = 0");
}

void history_sql_add_choice(struct history_sql *sql, const struct job_history_filter *filter)
{
    history_sql_add(sql, "1");
    add_any(sql, "state", filter->state_count);
    if (has_name(filter))
        history_sql_add(sql, " AND name GLOB ?");
    if (filter->queue_count > 0)
        history_sql_add(sql, " AND in_queues(queue)");
}

int history_filter_bind(sqlite3_stmt *statement, int first, const struct job_history_filter *filter)
{
    int next = first;

    sqlite3_bind_int64(statement, next++, filter->since_ms);
    sqlite3_bind_int64(statement, next++, filter->until_ms > 0 ? filter->until_ms : INT64_MAX);
    for (size_t i = 0; i < filter->user_count; i++)
        sqlite3_bind_text(statement, next++, filter->users[i], -1, SQLITE_STATIC);
    return next;
}

int history_choice_bind(sqlite3_stmt *statement, int first, const struct job_history_filter *filter)
{
    int next = first;

    for (size_t i = 0; i < filter->state_count; i++)
        sqlite3_bind_int64(statement, next++, (int64_t)filter->states[i]);
    if (has_name(filter))
        sqlite3_bind_text(statement, next++, filter->name, -1, SQLITE_STATIC);
    return next;
}

bool history_filter_has_month(const struct job_history_filter *filter, int month)
{
    return month >= history_month_of(filter->since_ms) &&
           (filter->until_ms <= 0 || month <= history_month_of(filter->until_ms));
}
