/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_writer.h - writes ended applications and containers to the history files, in a thread
 *
 * Rows are added when the state has them on disk. All rows that were added while the thread wrote the
 * previous ones are written together, so a slow disk makes larger transactions, not a slower loop. If
 * writing fails, it is tried again, and rows wait in memory up to HISTORY_WAITING_MAX; further rows are
 * dropped and counted. Rows that were lost by a crash are added again at the next start, for the
 * applications that the state still has.
 */
#ifndef CREEL_RM_HISTORY_WRITER_H
#define CREEL_RM_HISTORY_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/io/loop.h"
#include "common/proto/creel.pb-c.h"

#define HISTORY_WAITING_MAX ((size_t)64 << 20) /* bytes of rows that wait to be written */

struct history_writer; /* opaque */

/* Starts the thread. KEEP_MS as of job_history_new. */
int history_writer_new(struct loop *loop, const char *state_directory, int64_t keep_ms,
                       struct history_writer **ret, struct err *err);
/* Tries once to write the rows that wait, before it returns. NULL is fine. */
void history_writer_free(struct history_writer *writer);

/* Add the row of an ended application or container. An application or container that has not ended is
 * ignored. */
void history_writer_add_app(struct history_writer *writer, const Creel__StoredApp *app);
void history_writer_add_container(struct history_writer *writer, const Creel__ContainerReport *container);

/* Returns the number of rows that were dropped. */
uint64_t history_writer_dropped(const struct history_writer *writer);
/* Returns why the last try to write failed; NULL: it succeeded. */
const char *history_writer_problem(const struct history_writer *writer);

#endif
