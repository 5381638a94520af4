/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_reader.c - the history files of one request, and the conditions of a filter in SQL */
#include "rm/store/job_history_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/store/job_history_file.h"

/* --- files ----------------------------------------------------------------- */

int history_reader_open(struct history_reader *reader, const char *state_directory, struct err *err)
{
    *reader = (struct history_reader){ .state_directory = state_directory };
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
    reader->damaged += !reader->unreadable[i];
    reader->unreadable[i] = true;
}

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

/* --- filters --------------------------------------------------------------- */

void history_sql_add(struct history_sql *sql, const char *piece)
{
    size_t length = strlen(piece);

    sql->text = mem_resize(sql->text, sql->length + length + 1, 1);
    memcpy(sql->text + sql->length, piece, length + 1);
    sql->length += length;
}

static void add_any(struct history_sql *sql, const char *condition, size_t count)
{
    if (count == 0)
        return;
    history_sql_add(sql, " AND (");
    for (size_t i = 0; i < count; i++) {
        history_sql_add(sql, i > 0 ? " OR " : "");
        history_sql_add(sql, condition);
    }
    history_sql_add(sql, ")");
}

static bool has_name(const struct job_history_filter *filter)
{
    return filter->name != NULL && filter->name[0] != '\0';
}

void history_sql_add_filter(struct history_sql *sql, const struct job_history_filter *filter)
{
    history_sql_add(sql, "finished_ms >= ? AND finished_ms <= ?");
    add_any(sql, "user = ?", filter->user_count);
    /* A queue matches adjacent components of its path: its full path, its name, or a parent's. */
    add_any(sql, "instr('.' || queue || '.', '.' || ? || '.') > 0", filter->queue_count);
    add_any(sql, "state = ?", filter->state_count);
    if (has_name(filter))
        history_sql_add(sql, " AND name GLOB ?");
    if (!filter->tasks)
        history_sql_add(sql, " AND is_task = 0");
}

int history_filter_bind(sqlite3_stmt *statement, int first, const struct job_history_filter *filter)
{
    int next = first;

    sqlite3_bind_int64(statement, next++, filter->since_ms);
    sqlite3_bind_int64(statement, next++, filter->until_ms > 0 ? filter->until_ms : INT64_MAX);
    for (size_t i = 0; i < filter->user_count; i++)
        sqlite3_bind_text(statement, next++, filter->users[i], -1, SQLITE_STATIC);
    for (size_t i = 0; i < filter->queue_count; i++)
        sqlite3_bind_text(statement, next++, filter->queues[i], -1, SQLITE_STATIC);
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
