/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.h - a thread that runs jobs which block, one after another
 *
 * RUN of a job is called in the thread, then DONE in the loop. Jobs run in the order in which they were
 * added.
 */
#ifndef CREEL_RM_WORKER_H
#define CREEL_RM_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/base/err.h"
#include "common/io/loop.h"

struct worker; /* opaque */

/* The first member of a struct that the caller allocates. DONE frees the struct. */
struct worker_job {
    void (*run)(struct worker_job *job);
    void (*done)(struct worker_job *job);
    STAILQ_ENTRY(worker_job) link;
};

/* Starts the thread. LOOP must outlive the worker. */
int worker_new(struct loop *loop, struct worker **ret, struct err *err);
/* Runs all jobs that were added, calls their DONE, and ends the thread before it returns. NULL is fine. */
void worker_free(struct worker *worker);
/* The same, but waits for TIMEOUT_MS at most. Returns false if the thread is still in a job then: the thread
 * and its jobs are abandoned, so all that the jobs use must exist until the end of the process. */
bool worker_free_within(struct worker *worker, int64_t timeout_ms);
void worker_add(struct worker *worker, struct worker_job *job);

#endif
