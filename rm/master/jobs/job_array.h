/* SPDX-License-Identifier: Apache-2.0 */
/* job_array.h - what an application that is a job array has beside its job (array.h) */
#ifndef CREEL_RM_MASTER_JOB_ARRAY_H
#define CREEL_RM_MASTER_JOB_ARRAY_H

#include <bsd/sys/queue.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/job/array_spec.h"
#include "rm/jobs/array_queue.h"
#include "rm/jobs/array_states.h"
#include "rm/master/parts/usage.h"
#include "rm/master/state/turns.h"

/* What the variables of tasks have about the indexes of their array. */
struct array_extent {
    uint32_t count, min, max, step;
};

struct job_array {
    struct array_spec spec;
    struct array_extent whole;  /* of JobSpec.whole_array, or else of SPEC */
    struct array_states states; /* by position in SPEC */
    uint32_t at_once;           /* tasks that may be live; 0: no limit */
    uint32_t live_max;          /* limit of live tasks, which depends on the size of the job */
    uint32_t killed;            /* tasks that were killed; in STATES they are FAILED */
    int32_t exit_status;        /* highest exit status of the tasks that have ended */
    bool is_gated;              /* only the tasks of QUEUE may be submitted (array_corr.h) */
    struct array_queue queue;
    struct array_scan scan;
    TAILQ_HEAD(, app) tasks;   /* tasks that are applications now, oldest first */
    uint32_t ended_count;      /* tasks in TASKS that have ended */
    TAILQ_HEAD(, app) waiting; /* those of TASKS that do not run yet, the first to wait first */
    uint32_t waiting_count;
    struct usage usage;         /* of its tasks, with those that are forgotten */
    struct usage_sum ended_use; /* of the tasks that have ended */
    bool queue_emptied;         /* tasks that waited in the queue were killed, since too many have failed */
};

#endif
