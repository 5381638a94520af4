/* SPDX-License-Identifier: Apache-2.0 */
/* job_history_file.h - names and schema of history files, for job_history.c and job_history_read.c */
#ifndef CREEL_RM_STORE_JOB_HISTORY_FILE_H
#define CREEL_RM_STORE_JOB_HISTORY_FILE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

/* The size of a row: its report, and HISTORY_ROW_BYTES for columns and indexes. HISTORY_SQL_BYTES is the same
 * in SQL. */
#define HISTORY_ROW_BYTES 200
#define HISTORY_SQL_BYTES "(length(report) + 200)"

/* A month as a number that grows by 1: year * 12 + month (0 to 11). */
int history_month_of(int64_t time_ms);
int64_t history_month_begin_ms(int month);
/* Return the first and the last month in which containers of APP may have ended. The times of containers are
 * those of their nodes, whose clocks may differ by a day; and a container may end after its application. */
int history_first_month(const Creel__AppReport *app);
int history_last_month(const Creel__AppReport *app);
/* Returns the path of the file of MONTH below STATE_DIRECTORY, owned by the caller. */
char *history_month_path(const char *state_directory, int month);
char *history_folder(const char *state_directory);
/* Sets *MONTHS, which the caller frees, to the months that have a file, the newest first; none if the folder
 * does not exist. -errno: the folder could not be read. */
int history_months(const char *state_directory, int **months, size_t *count, struct err *err);

/* Opens a file; if WRITE, creates it and its tables if necessary. Brings a file of an earlier version to the
 * present schema (job_history_upgrade.h), even if it is only read. On failure *RET is NULL. -ENOENT: opened
 * for reading, and has no tables yet. */
int history_file_open(const char *path, bool write, sqlite3 **ret, struct err *err);
/* Returns the last error of DATABASE as -errno; ERR has PATH and DOING. -EBADMSG: the file is damaged. */
int history_file_fail(sqlite3 *database, const char *path, const char *doing, struct err *err);

#endif
