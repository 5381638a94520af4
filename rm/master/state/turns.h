/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns.h - bounds the work of a step: what is left continues in later steps, the turns
 *
 * One event may concern any number of applications: all jobs of a chain of dependencies, all children of a
 * job that ends, all rows of a large transaction. A step that handled all of them at once would stop the
 * resource manager for everybody else. So a step counts its work, in units that do not depend on the speed
 * of the host: one for a timer and for the row of an application, and one more for each WORK_UNIT_BYTES of
 * the row: of its job with its dependencies, the state of its AM, its diagnostics, the states of its
 * tasks. When the step has done WORK_MAX units, the rest waits for a timer that is due at once; between
 * two turns the loop handles other events.
 *
 * Nothing of this is stored. After a restart the same work follows from the rows: a job that waits for one
 * that has ended is judged when it is recovered (rm_depend_connect).
 */
#ifndef CREEL_RM_MASTER_TURNS_H
#define CREEL_RM_MASTER_TURNS_H

#include <bsd/sys/queue.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rm/jobs/array_queue.h"
#include "rm/master/state/deadline.h"

#define WORK_MAX 256u         /* units: below 50 ms also on a slow host */
#define WORK_UNIT_BYTES 4096u /* of a row: copying and packing it */

/* Of an application that has started or ended, and has children that are not informed yet. */
struct turn {
    bool listed, ended;
    TAILQ_ENTRY(app) link;
};

/* Of an application that has changed: requests that wait for that are not answered yet (waiters.h). */
struct due_answers {
    bool listed;
    TAILQ_ENTRY(app) link;
};

/* Of an application: its row is written at the end of the step (rows.h). */
struct unwritten {
    bool marked;
    size_t effect; /* index of the row's effect among those of the step */
    size_t index;  /* in the list */
};

/* The applications whose rows are written at the end of the step. Empty between steps. */
struct unwritten_apps {
    struct app **apps; /* owned array; NULL: the row is written already */
    size_t count, capacity;
};

/* The tasks of an array that are to be judged, since tasks of its parents have changed (array_corr.h). */
struct array_scan {
    bool listed; /* the array is on turns.scans */
    TAILQ_ENTRY(app) link;
    struct array_queue tasks; /* those to judge */
    bool all;                 /* all tasks are to be judged, from position NEXT on */
    bool has_failed;          /* one of these has failed */
    uint32_t next;
};

struct turns {
    uint64_t work;             /* units of this step */
    uint64_t all_work;         /* units of all steps */
    uint64_t disk_seq;         /* rows up to this number are on disk; master->stored_seq follows in turns */
    TAILQ_HEAD(, app) parents; /* whose children are not informed yet */
    TAILQ_HEAD(, app) scans;   /* arrays with tasks to judge (array_corr.h) */
    TAILQ_HEAD(, app) answers; /* with requests to answer (waiters.h) */
    struct deadline next;      /* armed: work is left */
};

void rm_turns_init(struct master *m);
/* Adds UNITS to the work of the step. */
void rm_work_add(struct master *m, uint64_t units);
/* Returns the units of a row or message of BYTES. */
static inline uint64_t rm_work_of(size_t bytes)
{
    return 1 + bytes / WORK_UNIT_BYTES;
}
/* Returns true if the step has done its share: the caller leaves the rest to a later turn (rm_turn_later). */
bool rm_work_is_done(const struct master *m);
/* Sets the timer of the next turn. */
void rm_turn_later(struct master *m);

/* Lists PARENT, whose children are informed in later turns that it has ended, or else started (depend.h). */
void rm_turn_add_parent(struct master *m, struct app *parent, bool ended);
/* Removes APP from the list, before it is freed. */
void rm_turn_drop(struct master *m, struct app *app);

/* Lists ARRAY, whose scan names the tasks to judge (array_corr.h). */
void rm_turn_add_scan(struct master *m, struct app *array);
/* Removes ARRAY from the list, and forgets its tasks to judge. */
void rm_turn_drop_scan(struct master *m, struct app *array);

#endif
