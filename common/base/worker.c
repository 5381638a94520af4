/* SPDX-License-Identifier: Apache-2.0 */
/* worker.c - a thread that runs jobs which block */
#include "common/base/worker.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/monotonic_wait.h"

STAILQ_HEAD(worker_jobs, worker_job);

struct worker {
    struct worker_watch watch;
    bool watched;   /* WATCH is set */
    bool own_files; /* the thread has no descriptor of the process but DONE_FD */
    int done_fd;    /* eventfd: readable if DONE has items */
    pthread_t thread;
    pthread_mutex_t lock; /* protects all fields below */
    pthread_cond_t wake;  /* a job is queued, or STOP is set */
    pthread_cond_t ran;   /* a job has run, or ENDED is set; waits are by CLOCK_MONOTONIC */
    struct worker_jobs queued, done;
    bool runs; /* a job runs */
    bool stop;
    bool ended;     /* no job is left, and the thread returns */
    bool abandoned; /* the owner has not waited for the end: the thread frees the worker */
};

/* --- in the thread --------------------------------------------------------- */

/* Waits for the next job and returns it. NULL: the worker is being freed, and no job is left. */
static struct worker_job *next_job(struct worker *worker)
{
    struct worker_job *job;

    pthread_mutex_lock(&worker->lock);
    while (!worker->stop && STAILQ_EMPTY(&worker->queued))
        pthread_cond_wait(&worker->wake, &worker->lock);
    job = STAILQ_FIRST(&worker->queued);
    worker->runs = job != NULL;
    if (job != NULL)
        STAILQ_REMOVE_HEAD(&worker->queued, link);
    pthread_mutex_unlock(&worker->lock);
    return job;
}

static void put_done(struct worker *worker, struct worker_job *job)
{
    pthread_mutex_lock(&worker->lock);
    STAILQ_INSERT_TAIL(&worker->done, job, link);
    job->has_run = true;
    worker->runs = false;
    pthread_cond_signal(&worker->ran);
    pthread_mutex_unlock(&worker->lock);
    if (eventfd_write(worker->done_fd, 1) < 0 && errno != EAGAIN)
        abort(); /* impossible */
}

/* If the table cannot be copied, the thread shares that of the process. */
static void leave_files(const struct worker *worker)
{
    if (unshare(CLONE_FILES) != 0)
        return;
    if (worker->done_fd > 3)
        close_range(3, (unsigned)worker->done_fd - 1, 0);
    close_range((unsigned)worker->done_fd + 1, UINT_MAX, 0);
}

static void clear(struct worker *worker)
{
    mem_close_fd(&worker->done_fd);
    pthread_cond_destroy(&worker->wake);
    pthread_cond_destroy(&worker->ran);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}

/* Returns whether the owner has abandoned WORKER, which has ended. If not, the owner may have freed it. */
static bool end(struct worker *worker)
{
    bool abandoned;

    pthread_mutex_lock(&worker->lock);
    worker->ended = true;
    abandoned = worker->abandoned;
    pthread_cond_signal(&worker->ran);
    pthread_mutex_unlock(&worker->lock);
    return abandoned;
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct worker_job *job;

    if (worker->own_files)
        leave_files(worker);
    while ((job = next_job(worker)) != NULL) {
        job->run(job);
        put_done(worker, job);
    }
    if (end(worker))
        clear(worker);
    return NULL;
}

/* --- in the owner's thread ------------------------------------------------- */

void worker_finish(struct worker *worker)
{
    struct worker_jobs jobs = STAILQ_HEAD_INITIALIZER(jobs);
    struct worker_job *job;
    eventfd_t count;

    (void)eventfd_read(worker->done_fd, &count);
    pthread_mutex_lock(&worker->lock);
    STAILQ_CONCAT(&jobs, &worker->done);
    pthread_mutex_unlock(&worker->lock);
    while ((job = STAILQ_FIRST(&jobs)) != NULL) {
        STAILQ_REMOVE_HEAD(&jobs, link);
        job->done(job);
    }
}

void worker_add(struct worker *worker, struct worker_job *job)
{
    job->has_run = false;
    pthread_mutex_lock(&worker->lock);
    STAILQ_INSERT_TAIL(&worker->queued, job, link);
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
}

bool worker_run(struct worker *worker, struct worker_job *job, int64_t timeout_ms)
{
    const struct timespec end = monotonic_wait_end(timeout_ms);
    bool has_run;
    int r = 0;

    worker_add(worker, job);
    pthread_mutex_lock(&worker->lock);
    while (!job->has_run && r == 0)
        r = pthread_cond_timedwait(&worker->ran, &worker->lock, &end);
    has_run = job->has_run;
    pthread_mutex_unlock(&worker->lock);
    worker_finish(worker);
    return has_run;
}

bool worker_wait(struct worker *worker, int64_t timeout_ms)
{
    const struct timespec end = monotonic_wait_end(timeout_ms);
    bool is_idle;
    int r = 0;

    pthread_mutex_lock(&worker->lock);
    while ((worker->runs || !STAILQ_EMPTY(&worker->queued)) && r == 0)
        r = pthread_cond_timedwait(&worker->ran, &worker->lock, &end);
    is_idle = !worker->runs && STAILQ_EMPTY(&worker->queued);
    pthread_mutex_unlock(&worker->lock);
    worker_finish(worker);
    return is_idle;
}

/* Starts the thread with all signals blocked: the owner's thread handles them. */
static int start_thread(struct worker *worker)
{
    sigset_t all, before;
    int code;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    code = pthread_create(&worker->thread, NULL, work, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

static void unwatch(struct worker *worker)
{
    if (worker->watched)
        worker->watch.remove(worker->watch.context, worker->done_fd);
}

int worker_start(const struct worker_watch *watch, bool own_files, struct worker **ret, struct err *err)
{
    struct worker *worker = mem_new0(struct worker);
    int r = 0;

    worker->own_files = own_files;
    STAILQ_INIT(&worker->queued);
    STAILQ_INIT(&worker->done);
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->wake, NULL);
    monotonic_wait_init(&worker->ran);
    worker->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (worker->done_fd < 0)
        r = err_set_errno(err, errno, "cannot make an eventfd");
    if (r == 0 && watch != NULL) {
        worker->watch = *watch;
        r = watch->add(watch->context, worker->done_fd, worker, err);
        worker->watched = r == 0;
    }
    if (r == 0 && (r = -start_thread(worker)) < 0)
        err_set_errno(err, -r, "cannot start a thread");
    if (r < 0) {
        unwatch(worker);
        clear(worker);
        return r;
    }
    *ret = worker;
    return 0;
}

static void stop(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->stop = true;
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
}

/* Returns true if the thread has no job any more, at the latest at END. Otherwise, abandons it: the thread
 * may free WORKER at any time. */
static bool wait_for_end(struct worker *worker, const struct timespec *end)
{
    bool ended;
    int r = 0;

    pthread_mutex_lock(&worker->lock);
    while (!worker->ended && r == 0)
        r = pthread_cond_timedwait(&worker->ran, &worker->lock, end);
    ended = worker->ended;
    worker->abandoned = !ended;
    if (worker->abandoned)
        pthread_detach(worker->thread);
    pthread_mutex_unlock(&worker->lock);
    return ended;
}

bool worker_free(struct worker *worker, int64_t timeout_ms)
{
    const struct timespec end = monotonic_wait_end(timeout_ms);

    stop(worker);
    unwatch(worker);
    if (!wait_for_end(worker, &end))
        return false;
    pthread_join(worker->thread, NULL);
    worker_finish(worker);
    clear(worker);
    return true;
}
