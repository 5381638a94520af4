/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_care.h - a state directory that an operator looks at, saves, puts back or accepts
 *
 * All but store_backup are for a directory whose resource manager is stopped: they take its lock and
 * return -EBUSY if it runs. Nothing is deleted: files that are replaced are moved into a folder of the
 * state directory, which the answer names.
 */
#ifndef CREEL_RM_STORE_CARE_H
#define CREEL_RM_STORE_CARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

enum store_verdict {
    STORE_SOUND,                        /* the newest commit is there, every row is as it was written */
    STORE_NEW,                          /* nothing was ever here */
    STORE_EARLIER,                      /* of a creel that wrote no checksums; the next start adds them */
    STORE_LOST,                         /* commits are missing at the end, or all of them */
    STORE_UNPROVEN,                     /* the head is missing or is another store's: it cannot be seen
                                           whether this is the newest */
    STORE_DAMAGED,                      /* rows or pages are not as they were written */
    STORE_VERDICTS
};

#define STORE_PROBLEMS_MAX 20           /* are described; more are only counted */

struct store_look {
    enum store_verdict verdict;
    bool readable;                      /* its rows can be read: ACCEPT can go on with it */
    char *problems[STORE_PROBLEMS_MAX]; /* sentences; owned */
    size_t problem_count;               /* all of them */
    char store_id[33];                  /* "": not known */
    int64_t cluster_ms;
    uint64_t commit, head_commit;       /* of the database and of the head; 0: there is none */
    int64_t written_ms, head_written_ms;
    uint64_t apps;                      /* rows */
    int64_t schema;
};

const char *store_verdict_name(enum store_verdict verdict);     /* "sound", "lost", ... */
void store_look_done(struct store_look *look);

/* Is what DIRECTORY has sound, and is it the newest? 0 with LOOK filled whatever the verdict; below 0:
 * could not look. Writes nothing. */
int store_check(const char *directory, struct store_look *look, struct err *err);

/* Copy the database of DIRECTORY, whose resource manager may run, into the new file FILE, and check
 * the copy. -EEXIST: FILE is there; -EBADMSG: what is to be copied is damaged or not the newest. */
int store_backup(const char *directory, const char *file, struct store_look *look, struct err *err);

struct store_decision {                 /* what came of it */
    char *moved_to;                     /* owned; NULL: nothing was moved */
    bool anew;                          /* an empty store was made */
    size_t set_aside;                   /* rows that are in the table quarantine now */
    uint32_t epoch, last_app_seq;       /* ids from here on are above these */
};
void store_decision_done(struct store_decision *decision);

/* Put the backup FILE in the place of what DIRECTORY has. Ids that were given out since are not given
 * out again: application numbers and starts go on above those of the head; without one 100,000
 * application numbers and 1,000 starts are left out. -EBADMSG: FILE is not a sound store. */
int store_restore(const char *directory, const char *file, int64_t now_ms,
                  struct store_decision *decision, struct err *err);

/* Go on with what DIRECTORY has: what was lost is lost. Damaged rows are set aside; a database that cannot be
 * read is moved away and an empty one made. Ids as for store_restore. -EALREADY: it is sound. */
int store_accept_directory(const char *directory, int64_t now_ms, struct store_decision *decision,
                           struct err *err);

#endif
