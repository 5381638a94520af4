/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_history.h - the history files: rows of ended applications and containers, kept longer than the state
 *
 * The folder "history" of the state directory has one SQLite file for each month (UTC) in which an
 * application or a container ended: 2026-11.db. A row has columns for filters and sums, and the report as
 * it was packed (AppReport, ContainerReport). The row of an application or container replaces an earlier
 * row of the same id, so rows can be written again after a failure or a restart: a row that is there already
 * changes nothing. The resource manager starts and runs without the files: they are not part of its state. A
 * file may be deleted or replaced at any time.
 *
 * Files are written by one thread and read by another one; each has objects of its own. Both block on the
 * disk.
 */
#ifndef CREEL_RM_STORE_JOB_HISTORY_H
#define CREEL_RM_STORE_JOB_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/id.h"
#include "common/proto/creel.pb-c.h"

/* --- writing --------------------------------------------------------------- */

struct job_history; /* opaque; the writer */

enum job_history_kind { JOB_HISTORY_APP, JOB_HISTORY_CONTAINER };

struct job_history_row {
    enum job_history_kind kind;
    size_t size;
    const uint8_t *packed; /* SIZE bytes: an AppReport or a ContainerReport, packed; borrowed */
};

/* Uses the folder of STATE_DIRECTORY, which job_history_write creates. Rows older than KEEP_MS are not
 * written, and files whose rows are all older are deleted, one in an hour, the first after an hour: so a
 * wrong clock does not delete the whole history at once. KEEP_MS 0: nothing is written, nothing is
 * deleted. If the rows of one user have more than USER_BYTES_MAX (0: no limit), the oldest of this user are
 * deleted (job_history_share.h). */
struct job_history *job_history_new(const char *state_directory, int64_t keep_ms, int64_t user_bytes_max);
void job_history_free(struct job_history *history); /* NULL is fine */

/* Writes ROWS, in one transaction for each file. After a failure some rows may be written; the caller can
 * write all again. If a file is damaged, renames it and begins a new one: *SET_ASIDE is the new name of the
 * damaged file, which the caller frees, else NULL. -ENOSPC, -EIO, -EBUSY, -EACCES, ...: ERR names the
 * file. */
int job_history_write(struct job_history *history, const struct job_history_row *rows, size_t count,
                      int64_t now_ms, char **set_aside, struct err *err);

struct job_history_removed { /* rows of users who had more than USER_BYTES_MAX */
    uint64_t apps;           /* with their containers */
    uint64_t containers;     /* of applications that ran */
};

/* Returns what was deleted since job_history_new. */
struct job_history_removed job_history_removed(const struct job_history *history);
/* Returns why the last job_history_write could not delete the rows of such users; NULL: it could. */
const struct err *job_history_removal_error(const struct job_history *history);

/* --- reading --------------------------------------------------------------- */

struct job_history_filter {             /* all texts are borrowed */
    char *const *users, *const *queues; /* a queue: path or last component; queues below it match, too */
    size_t user_count, queue_count;     /* 0: all */
    const Creel__AppState *states;
    size_t state_count;         /* 0: all */
    const char *name;           /* pattern with * and ?; NULL or "": all */
    int64_t since_ms, until_ms; /* bounds of the time of the end, both included; UNTIL_MS 0: none */
    bool tasks;                 /* tasks of arrays, too */
    bool nodes;                 /* job_history_list adds the names of nodes */
    const char *after;          /* NEXT of the previous page; NULL or "": the first page */
    size_t limit;               /* rows of the page; 1 or more */
    int64_t page_ms;            /* the page ends after this time, whatever it has; 0: HISTORY_PAGE_MS */
};

/* Called for each row. The callback owns REPORT, and frees it with protobuf_c_message_free_unpacked. The
 * callback for applications returns false to end the page after this row. */
typedef bool job_history_app_fn(void *context, Creel__AppReport *report);
typedef void job_history_container_fn(void *context, Creel__ContainerReport *report);

/* Passes the applications of one page to EACH, the last ended first, with the sums of their containers.
 * Sets NEXT (JOB_HISTORY_NEXT_MAX bytes) to FILTER->after of the next page; "" after the last page. A page
 * that has used up its time may be short, or empty, and not the last. Damaged files are left out, and
 * *DAMAGED counts them. -EINVAL: FILTER->after is not valid. -E2BIG: no row was found in
 * HISTORY_REQUEST_MS. */
#define HISTORY_PAGE_MS 100
#define HISTORY_REQUEST_MS 5000
#define JOB_HISTORY_NEXT_MAX (ID_TEXT_MAX + 24)
int job_history_list(const char *state_directory, const struct job_history_filter *filter,
                     job_history_app_fn *each, void *context, char next[JOB_HISTORY_NEXT_MAX],
                     size_t *damaged, struct err *err);

/* Finds one application, with the names of its nodes. -ENOENT: no file that can be read has it; any other
 * -errno: the folder could not be read. */
int job_history_find(const char *state_directory, const struct app_id *id, Creel__AppReport **ret,
                     struct err *err);
/* The same for the task with INDEX of ARRAY; of very large arrays only the first tasks are found. */
int job_history_find_task(const char *state_directory, const struct app_id *array, uint32_t index,
                          Creel__AppReport **ret, struct err *err);
/* Passes up to LIMIT ended containers of APP whose ids follow AFTER (NULL: from the first) to EACH, in order
 * of id. Sets *MORE if further containers follow. The times in APP determine the files to be read; files
 * that cannot be read are left out. */
int job_history_containers(const char *state_directory, const Creel__AppReport *app,
                           const struct container_id *after, size_t limit, job_history_container_fn *each,
                           void *context, bool *more, struct err *err);

/* --- sums -------------------------------------------------------------------- */

enum job_history_group { JOB_HISTORY_BY_USER, JOB_HISTORY_BY_QUEUE, JOB_HISTORY_BY_HOUR };

struct job_history_sum { /* of the applications of one user, queue or hour of the end */
    char *group;         /* name of the user or queue; for an hour the time at which it begins, in ms */
    uint64_t jobs, succeeded, failed, killed;
    uint64_t waited_ms; /* from the submission to the first container */
    uint64_t vcore_seconds, memory_mb_seconds, cpu_time_us;
    uint64_t memory_used_mb_seconds; /* of each container, its peak memory times the time that it ran */
};

/* Adds up the applications that FILTER selects, in SQL, and passes the sums of one page to EACH, in order
 * of the group. FILTER->after is the group of the last sum of the previous page, FILTER->limit the maximum
 * of sums in a page. OFFSET_MS shifts the begin of hours (-3600000 to 3600000). Sets *MORE if further
 * groups follow, and *DAMAGED to the number of files left out. The sums lack containers that ended in a
 * later month than their application. -EINVAL: FILTER->after is no hour. -E2BIG: it took longer than
 * HISTORY_REQUEST_MS. */
int job_history_sum(const char *state_directory, const struct job_history_filter *filter,
                    enum job_history_group by, int64_t offset_ms,
                    void (*each)(void *context, const struct job_history_sum *sum), void *context, bool *more,
                    size_t *damaged, struct err *err);

#endif
