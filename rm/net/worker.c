/* SPDX-License-Identifier: Apache-2.0 */
/* worker.c - a thread that runs jobs which block */
#include "rm/net/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"

STAILQ_HEAD(worker_jobs, worker_job);

struct worker {
    struct loop *loop;
    int done_fd; /* eventfd: readable if DONE has items */
    pthread_t thread;
    pthread_mutex_t lock; /* protects all fields below */
    pthread_cond_t wake;
    struct worker_jobs queued, done;
    bool stop;
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
    if (job != NULL)
        STAILQ_REMOVE_HEAD(&worker->queued, link);
    pthread_mutex_unlock(&worker->lock);
    return job;
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct worker_job *job;

    while ((job = next_job(worker)) != NULL) {
        job->run(job);
        pthread_mutex_lock(&worker->lock);
        STAILQ_INSERT_TAIL(&worker->done, job, link);
        pthread_mutex_unlock(&worker->lock);
        if (eventfd_write(worker->done_fd, 1) < 0)
            abort(); /* impossible: the loop reads the counter all the time */
    }
    return NULL;
}

/* --- in the loop ----------------------------------------------------------- */

static void finish_jobs(struct worker *worker)
{
    struct worker_jobs jobs = STAILQ_HEAD_INITIALIZER(jobs);
    struct worker_job *job;

    pthread_mutex_lock(&worker->lock);
    STAILQ_CONCAT(&jobs, &worker->done);
    pthread_mutex_unlock(&worker->lock);
    while ((job = STAILQ_FIRST(&jobs)) != NULL) {
        STAILQ_REMOVE_HEAD(&jobs, link);
        job->done(job);
    }
}

static void on_done(void *context, int fd)
{
    eventfd_t count;

    (void)eventfd_read(fd, &count);
    finish_jobs(context);
}

void worker_add(struct worker *worker, struct worker_job *job)
{
    pthread_mutex_lock(&worker->lock);
    STAILQ_INSERT_TAIL(&worker->queued, job, link);
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
}

/* Starts the thread with all signals blocked: the loop handles them. */
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

int worker_new(struct loop *loop, struct worker **ret, struct err *err)
{
    struct worker *worker = mem_new0(struct worker);
    int r;

    worker->loop = loop;
    STAILQ_INIT(&worker->queued);
    STAILQ_INIT(&worker->done);
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->wake, NULL);
    worker->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (worker->done_fd < 0) {
        r = err_set_errno(err, errno, "cannot make an eventfd");
        goto undo;
    }
    r = loop_add_fd(loop, worker->done_fd, false, on_done, worker, err);
    if (r < 0)
        goto undo_fd;
    r = -start_thread(worker);
    if (r < 0) {
        err_set_errno(err, -r, "cannot start a thread");
        goto undo_loop;
    }
    *ret = worker;
    return 0;

undo_loop:
    loop_remove_fd(loop, worker->done_fd);
undo_fd:
    close(worker->done_fd);
undo:
    pthread_cond_destroy(&worker->wake);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
    return r;
}

static void stop(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->stop = true;
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
}

/* To be called when the thread has ended. */
static void destroy(struct worker *worker)
{
    finish_jobs(worker);
    loop_remove_fd(worker->loop, worker->done_fd);
    close(worker->done_fd);
    pthread_cond_destroy(&worker->wake);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}

void worker_free(struct worker *worker)
{
    if (worker == NULL)
        return;
    stop(worker);
    pthread_join(worker->thread, NULL);
    destroy(worker);
}

bool worker_free_within(struct worker *worker, int64_t timeout_ms)
{
    int64_t end_ms = loop_monotonic_ms() + timeout_ms;
    const struct timespec end = { end_ms / 1000, end_ms % 1000 * 1000000 };

    stop(worker);
    if (pthread_clockjoin_np(worker->thread, NULL, CLOCK_MONOTONIC, &end) == 0) {
        destroy(worker);
        return true;
    }
    pthread_detach(worker->thread);
    loop_remove_fd(worker->loop, worker->done_fd);
    return false;
}
