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
    struct name_set *queues;     /* of the filter; NULL: all */
    int64_t page_end_ms, end_ms; /* steady clock: a page ends at the next row, the request with an error */
    bool too_long;               /* ended by END_MS */
};

/* Reads which months have a file; the files are opened when they are needed. -errno: the folder could not be
 * read. */
int history_reader_open(struct history_reader *reader, const char *state_directory, struct err *err);
/* Sets the queues for which history_sql_add_choice asks, and the time of the page. */
void history_reader_filter(struct history_reader *reader, const struct job_history_filter *filter);
/* Returns true if the page has used up its time. */
bool history_reader_is_late(const struct history_reader *reader);
/* Returns the error of a request that was ended; 0: it was not. */
int history_reader_judge(const struct history_reader *reader, struct err *err);
void history_reader_close(struct history_reader *reader);
/* Prepares SQL on the file of month I; the caller finalizes *RET. Returns false if the file is unreadable. */
bool history_reader_begin(struct history_reader *reader, size_t i, const char *sql, sqlite3_stmt **ret);
/* Closes the file of month I, all of whose statements are finalized: an open file takes 2 MiB. */
void history_reader_leave(struct history_reader *reader, size_t i);
/* Marks the file of month I as damaged; a file is counted once. */
void history_reader_mark(struct history_reader *reader, size_t i);

struct history_sql {
    char *text; /* owned by the caller */
    size_t length;
};

void history_sql_add(struct history_sql *sql, const char *piece);
/* Adds conditions of FILTER on the table apps, without the position of the page: those that an index helps
 * to find ("finished_ms >= ? ..."), and those that choose among the rows. */
void history_sql_add_filter(struct history_sql *sql, const struct job_history_filter *filter);
void history_sql_add_choice(struct history_sql *sql, const struct job_history_filter *filter);
/* Bind the values of these conditions, beginning with parameter FIRST. Return the next free parameter. */
int history_filter_bind(sqlite3_stmt *statement, int first, const struct job_history_filter *filter);
int history_choice_bind(sqlite3_stmt *statement, int first, const struct job_history_filter *filter);
/* Returns true if applications that FILTER selects may have ended in MONTH. */
bool history_filter_has_month(const struct job_history_filter *filter, int month);

#endif
