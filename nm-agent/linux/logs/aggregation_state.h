/* SPDX-License-Identifier: Apache-2.0 */
/* aggregation_state.h - state of the module aggregation, a part of the state of the runtime */
#ifndef CREEL_NM_AGGREGATION_STATE_H
#define CREEL_NM_AGGREGATION_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/shares.h"

#define AGGREGATION_JOBS_MAX 6         /* processes that write logs at the same time */
#define AGGREGATION_JOBS_OF_USER_MAX 4 /* of them for one user */
#define AGGREGATION_OWNER_MAX 16

struct aggregation_job { /* a process creel-aggregate */
    pid_t pid;           /* 0: none */
    int message_fd;      /* its standard error; -1: closed */
    int64_t began_ms;    /* monotonic */
    bool killed;         /* after the time limit; a process that waits for storage ends only later */
    bool incomplete;     /* a log directory does not answer: it writes what the others have */
    char *app_id;        /* owned; NULL: deletes old files */
    char owner[AGGREGATION_OWNER_MAX]; /* user id of the logs; its place is in aggregation.places */
    char message[256];
};

struct aggregation {
    char *dir, *suffix, *file, *program; /* owned; DIR is NULL: logs stay on this node */
    int64_t retain_ms, check_ms, timeout_ms, retry_ms, grace_ms;
    struct aggregation_job jobs[AGGREGATION_JOBS_MAX];
    struct aggregation_job sweep;
    struct shares *places;     /* of jobs, by owner; NULL: logs stay on this node */
    int64_t waiting_noted_ms;  /* monotonic: last note about a user who has its share */
    unsigned storage_failures; /* one after the other */
    int64_t storage_due_ms;    /* monotonic: next start after a failure of the storage */
    int64_t saved_ms;          /* monotonic: last success */
    int64_t sweep_due_ms;      /* monotonic */
    int64_t poll_due_ms;       /* monotonic: next aggregation_go_on; INT64_MAX: none */
    char problem[320];         /* of the storage or of the last user; "": none */
    bool problem_is_of_user;
    char room[256]; /* warning of the last process that the storage has little room; "": it has enough */
};

#endif
