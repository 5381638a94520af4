/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_maintenance.h - checks, backs up, restores or accepts a state directory for an operator
 *
 * All functions except those of backups are for a directory whose resource manager is stopped: they lock the
 * directory, and return -EBUSY if the resource manager runs. No state is deleted: replaced files are moved
 * into a folder of the state directory, which the result names.
 */
#ifndef CREEL_RM_STORE_MAINTENANCE_H
#define CREEL_RM_STORE_MAINTENANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

enum store_verdict {
    STORE_SOUND,    /* the newest commit exists, and every row is as it was written */
    STORE_NEW,      /* the directory was never used */
    STORE_EARLIER,  /* written by a creel without checksums; the next start adds them */
    STORE_LOST,     /* commits are missing at the end, or all of them */
    STORE_UNPROVEN, /* the head is missing or is another store's: it cannot be seen
                       whether this is the newest */
    STORE_DAMAGED,  /* rows or pages are not as they were written */
    STORE_VERDICTS
};

#define STORE_PROBLEMS_MAX 20 /* maximum of described problems; more are only counted */

struct store_report {
    enum store_verdict verdict;
    bool readable;                      /* its rows can be read: store_accept_directory can use them */
    char *problems[STORE_PROBLEMS_MAX]; /* sentences; owned */
    size_t problem_count;               /* number of all problems */
    char store_id[33];                  /* "": unknown */
    int64_t cluster_ms;
    uint64_t commit, head_commit; /* of the database and of the head; 0: there is none */
    int64_t written_ms, head_written_ms;
    uint64_t apps; /* rows */
    int64_t schema;
};

const char *store_verdict_name(enum store_verdict verdict); /* "sound", "lost", ... */
void store_report_done(struct store_report *report);

/* Checks whether the state in DIRECTORY is valid and the newest. Returns 0 if REPORT has a verdict, good or
 * bad; -errno if the check could not be made. Changes nothing but the lock file. */
int store_check(const char *directory, struct store_report *report, struct err *err);

/* Copies the database of DIRECTORY, whose resource manager may run, into the new file FILE, and checks the
 * copy. -EEXIST: FILE exists; -EBADMSG: the database is damaged or not the newest. */
int store_backup(const char *directory, const char *file, struct store_report *report, struct err *err);

/* The same for DATABASE, a copy of the database that its resource manager has written. */
int store_backup_file(const char *directory, const char *database, const char *file,
                      struct store_report *report, struct err *err);

/* Copies FILE, a database of SQLite that may be written meanwhile, to the new file COPY, of mode 0600. */
int store_copy_file(const char *file, const char *copy, struct err *err);

struct store_decision {           /* result of a restore or accept */
    char *moved_to;               /* owned; NULL: nothing was moved */
    bool anew;                    /* an empty store was created */
    size_t set_aside;             /* number of rows now in the table quarantine */
    uint32_t epoch, last_app_seq; /* new ids are above these */
};
void store_decision_done(struct store_decision *decision);
/* Undoes a store_restore that has succeeded. */
void store_restore_undo(const char *directory, const struct store_decision *decision);

/* Returns 0 if no process uses the state in DIRECTORY, or -EBUSY. */
int store_check_unused(const char *directory, struct err *err);

/* Replaces the state in DIRECTORY by the backup FILE. Ids assigned since the backup are not assigned again:
 * application numbers and starts continue above those of the head; without a valid head, 100,000 application
 * numbers and 1,000 starts are skipped. -EBADMSG: FILE is not a valid store. After an error the state is as
 * it was. */
int store_restore(const char *directory, const char *file, int64_t now_ms, struct store_decision *decision,
                  struct err *err);

/* Accepts the state in DIRECTORY and the loss of missing commits. Damaged rows are moved to the quarantine; a
 * database that cannot be read is moved away, and an empty one created. Ids are skipped as by store_restore.
 * -ENOENT: the directory was never used. */
int store_accept_directory(const char *directory, int64_t now_ms, struct store_decision *decision,
                           struct err *err);

#endif
