/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_writer.h - writes ended applications and containers to the history files, in a thread
 *
 * No row is lost, and each is written once (job_history.h), although the history is written after the commit
 * of the state, to another disk perhaps:
 *
 *   1. The state (rm/store) has every row until the history has it. When the master forgets an application,
 *      history_writer_forget queues its id; history_writer_next_deletion returns the id when all rows that
 *      were added before are in the history and synced to its disk. Only then is the application deleted from
 *      the state. The same is done for a container that the master has forgotten although its application
 *      runs.
 *   2. Rows that are added are kept in memory for the next transaction. That is a shortcut: if they exceed
 *      HISTORY_WAITING_MAX, as on a full disk, they are dropped, and the thread reads the ended applications
 *      and containers from the state (store_ended.h) as soon as the history can be written.
 *   3. The same is done at the start, after a crash perhaps, and after a damaged file was set aside.
 *
 * While the history cannot be written, the state grows. At most HISTORY_KEPT_APPS_MAX forgotten applications
 * are kept, and none after HISTORY_KEPT_ROWS_MAX further rows: then the oldest are deleted without a row in
 * the history, and counted. Of forgotten containers the last HISTORY_KEPT_CONTAINERS_MAX wait; the rows of
 * others remain in the state until their application is deleted.
 *
 * All rows that were added while the thread wrote the previous ones are written together, so a slow disk
 * makes larger transactions, not a slower loop. A write that failed is repeated after 1 to 60 seconds.
 */
#ifndef CREEL_RM_HISTORY_WRITER_H
#define CREEL_RM_HISTORY_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/id.h"
#include "common/io/loop/loop.h"
#include "common/proto/creel.pb-c.h"

#define HISTORY_STOP_MS 5000
#define HISTORY_WAITING_MAX ((size_t)16 << 20) /* bytes of rows in memory */
#define HISTORY_KEPT_APPS_MAX 100000           /* forgotten applications in the state */
#define HISTORY_KEPT_ROWS_MAX 1000000          /* rows added since an application was forgotten */
#define HISTORY_KEPT_CONTAINERS_MAX 1000000    /* forgotten containers */

struct history_writer; /* opaque */

/* Starts the thread, which first reads the state in STATE_DIRECTORY. KEEP_MS and USER_BYTES_MAX as of
 * job_history_new. */
int history_writer_new(struct loop *loop, const char *state_directory, int64_t keep_ms,
                       int64_t user_bytes_max, struct history_writer **ret, struct err *err);
/* Tries once to write the rows that wait, for HISTORY_STOP_MS at most: the next start reads them from the
 * state. Returns false if the disk does not answer: the thread is abandoned, and the process has to end with
 * _exit. NULL is fine. */
bool history_writer_free(struct history_writer *writer);

/* Add the row of an ended application or container, which the state has on its disk. An application or
 * container that has not ended is ignored. */
void history_writer_add_app(struct history_writer *writer, const Creel__StoredApp *app);
void history_writer_add_container(struct history_writer *writer, const Creel__ContainerReport *container);

/* Queues the application or container ID, which the master has forgotten. All its rows have been added. */
void history_writer_forget(struct history_writer *writer, const char *id);
/* Take the next application, or container, that can be deleted from the state from its queue. Return false if
 * there is none. */
bool history_writer_next_deletion(struct history_writer *writer, char app_id[ID_TEXT_MAX]);
bool history_writer_next_container(struct history_writer *writer, char container_id[ID_TEXT_MAX]);

struct history_writer_state {
    const char *problem; /* why the last try to write failed; NULL: it succeeded */
    uint64_t kept;       /* forgotten applications that the state keeps for the history */
    uint64_t lost;       /* applications that were deleted before the history had them (history_loss.h) */
    int64_t behind_ms;   /* when the oldest row was added that the history lacks; 0: it lacks none */
};
/* The text is valid until the next call of any function above. */
struct history_writer_state history_writer_state(const struct history_writer *writer);
/* Keeps what the history lacks for the next start (history_loss.h), and looks whether an administrator has
 * acknowledged it. MOVED: the directory of the history was removed or replaced. To be called every second or
 * so. */
void history_writer_record_loss(struct history_writer *writer, bool moved);
/* Returns the sentence of a warning about STATE, owned by the caller; "": all is well. */
char *history_writer_warning(const struct history_writer *writer);

#endif
