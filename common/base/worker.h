/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.h - a thread that runs jobs which block, one after another
 *
 * RUN of a job is called in the thread, then DONE in the owner's thread, by worker_finish. Jobs run in the
 * order in which they were added.
 */
#ifndef CREEL_BASE_WORKER_H
#define CREEL_BASE_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/base/err.h"

struct worker; /* opaque */

/* The first member of a struct that the caller allocates. DONE frees the struct. */
struct worker_job {
    void (*run)(struct worker_job *job);
    void (*done)(struct worker_job *job);
    STAILQ_ENTRY(worker_job) link;
    bool has_run; /* private to worker.c */
};

/* How the owner waits for jobs that have run. */
struct worker_watch {
    void *context;
    /* Calls worker_finish(WORKER) in the owner's thread whenever FD is readable. */
    int (*add)(void *context, int fd, struct worker *worker, struct err *err);
    void (*remove)(void *context, int fd);
};

/* Starts the thread. WATCH NULL: the owner calls worker_finish from time to time. OWN_FILES: the thread has a
 * table of descriptors of its own, with 0 to 2 alone of those of the process, and jobs use paths. A thread
 * that blocks then keeps no other file, lock or socket of a process that has ended. */
int worker_start(const struct worker_watch *watch, bool own_files, struct worker **ret, struct err *err);
/* Runs all jobs that were added, calls their DONE, and ends the thread; waits for TIMEOUT_MS at most. Returns
 * false if the thread is still in a job then: the thread and its jobs are abandoned, so all that the jobs use
 * must exist until the end of the process. The thread frees WORKER when it ends. */
bool worker_free(struct worker *worker, int64_t timeout_ms);

void worker_add(struct worker *worker, struct worker_job *job);
/* Adds JOB, and waits for TIMEOUT_MS at most. Returns true if it has run; then DONE of it, and of all jobs
 * before it, has been called. */
bool worker_run(struct worker *worker, struct worker_job *job, int64_t timeout_ms);
/* Waits for TIMEOUT_MS at most until no job is left, and calls DONE of those that have run. Returns false if
 * a job is left. */
bool worker_wait(struct worker *worker, int64_t timeout_ms);
/* Calls DONE of the jobs that have run. */
void worker_finish(struct worker *worker);

#endif
