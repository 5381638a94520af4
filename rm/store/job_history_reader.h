/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_reader.h - the history files of one request, and the conditions of a filter in SQL */
#ifndef CREEL_RM_STORE_JOB_HISTORY_READER_H
#define CREEL_RM_STORE_JOB_HISTORY_READER_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "rm/store/job_history.h"

/* The files that were opened for one request. */
struct history_reader {
    const char *state_directory; /* borrowed */
    int *months;                 /* newest first */
    sqlite3 **files;             /* of MONTHS; NULL: not open */
    sqlite3_stmt **sums;         /* of MONTHS: prepared statement of job_history_read.c; NULL: none yet */
    bool *unreadable;            /* of MONTHS */
    size_t count, damaged;
};

/* Reads which months have a file; the files are opened when they are needed. -errno: the folder could not be
 * read. */
int history_reader_open(struct history_reader *reader, const char *state_directory, struct err *err);
void history_reader_close(struct history_reader *reader);
/* Prepares SQL on the file of month I; the caller finalizes *RET. Returns false if the file is unreadable. */
bool history_reader_begin(struct history_reader *reader, size_t i, const char *sql, sqlite3_stmt **ret);
/* Marks the file of month I as damaged; a file is counted once. */
void history_reader_mark(struct history_reader *reader, size_t i);

struct history_sql {
    char *text; /* owned by the caller */
    size_t length;
};

void history_sql_add(struct history_sql *sql, const char *piece);
/* Adds the conditions of FILTER on the table apps, without the position of the page: "finished_ms >= ?
 * ...". */
void history_sql_add_filter(struct history_sql *sql, const struct job_history_filter *filter);
/* Binds the values of these conditions, beginning with parameter FIRST. Returns the next free parameter. */
int history_filter_bind(sqlite3_stmt *statement, int first, const struct job_history_filter *filter);
/* Returns true if applications that FILTER selects may have ended in MONTH. */
bool history_filter_has_month(const struct job_history_filter *filter, int month);

#endif
