/* SPDX-License-Identifier: Apache-2.0 */
/* history_rows.h - rows of the history, made from the rows of the state: AppReport and ContainerReport,
 * packed */
#ifndef CREEL_RM_HISTORY_ROWS_H
#define CREEL_RM_HISTORY_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/proto/creel.pb-c.h"
#include "rm/store/job_history.h"

/* The history is kept for months: without limits, a user who submits and kills jobs with long commands or
 * many dependencies fills the disk. */
#define HISTORY_COMMAND_MAX 4096 /* bytes of a command; "[...]" follows if there are more */
#define HISTORY_DEPENDENCIES_MAX 64

struct history_rows {             /* begins as zeros */
    struct job_history_row *rows; /* their bytes are owned */
    size_t count, capacity, bytes;
};

/* Return true if the row belongs to the history: the application or container has ended. */
bool history_rows_has_app(const Creel__StoredApp *app);
bool history_rows_has_container(const Creel__ContainerReport *container);

/* Add a row for which the function above returns true. */
void history_rows_add_app(struct history_rows *rows, const Creel__StoredApp *app);
void history_rows_add_container(struct history_rows *rows, const Creel__ContainerReport *container);

void history_rows_clear(struct history_rows *rows); /* frees all rows */

#endif
