/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c - the thread that writes submitted files */
#include "rm/net/writer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/wire.h"

struct job {
    Creel__PutBlob *chunk; /* NULL: drop stalled uploads */
    uint64_t connection, request_id;
    char *principal;
    int64_t now_ms;
    int result;
    struct err err;
    STAILQ_ENTRY(job) link;
};

STAILQ_HEAD(jobs, job);

struct writer {
    struct loop *loop;
    struct blobs *blobs;
    writer_done_fn *done;
    void *context;
    int done_fd; /* eventfd: readable if DONE_JOBS has items */
    pthread_t thread;
    pthread_mutex_t lock; /* protects all fields below */
    pthread_cond_t wake;
    struct jobs queued, done_jobs;
    size_t queued_bytes;
    bool stop;
};

static void job_free(struct job *job)
{
    if (job->chunk != NULL)
        protobuf_c_message_free_unpacked(&job->chunk->base, NULL);
    free(job->principal);
    free(job);
}

static void clear(struct jobs *jobs)
{
    struct job *job;

    while ((job = STAILQ_FIRST(jobs)) != NULL) {
        STAILQ_REMOVE_HEAD(jobs, link);
        job_free(job);
    }
}

/* --- in the thread --------------------------------------------------------- */

static struct job *next_job(struct writer *writer)
{
    struct job *job = NULL;

    pthread_mutex_lock(&writer->lock);
    while (!writer->stop && STAILQ_EMPTY(&writer->queued))
        pthread_cond_wait(&writer->wake, &writer->lock);
    if (!writer->stop) {
        job = STAILQ_FIRST(&writer->queued);
        STAILQ_REMOVE_HEAD(&writer->queued, link);
    }
    pthread_mutex_unlock(&writer->lock);
    return job;
}

static void finish_job(struct writer *writer, struct job *job)
{
    pthread_mutex_lock(&writer->lock);
    if (job->chunk != NULL)
        writer->queued_bytes -= job->chunk->data.len;
    STAILQ_INSERT_TAIL(&writer->done_jobs, job, link);
    pthread_mutex_unlock(&writer->lock);
    if (eventfd_write(writer->done_fd, 1) < 0)
        abort(); /* impossible: the loop reads the counter all the time */
}

static void *work(void *context)
{
    struct writer *writer = context;
    struct job *job;

    while ((job = next_job(writer)) != NULL) {
        if (job->chunk != NULL)
            job->result =
                blobs_put(writer->blobs, job->connection, job->principal, job->chunk, job->now_ms, &job->err);
        else
            blobs_drop_stalled(writer->blobs, job->now_ms);
        finish_job(writer, job);
    }
    return NULL;
}

/* --- in the loop ----------------------------------------------------------- */

static void on_done(void *context, int fd)
{
    struct writer *writer = context;
    struct jobs jobs = STAILQ_HEAD_INITIALIZER(jobs);
    struct job *job;
    eventfd_t count;

    (void)eventfd_read(fd, &count);
    pthread_mutex_lock(&writer->lock);
    STAILQ_CONCAT(&jobs, &writer->done_jobs);
    pthread_mutex_unlock(&writer->lock);
    STAILQ_FOREACH(job, &jobs, link)
        if (job->chunk != NULL)
            writer->done(writer->context, job->connection, job->request_id, job->principal, job->result,
                         &job->err);
    clear(&jobs);
}

static void queue(struct writer *writer, struct job *job, size_t bytes)
{
    pthread_mutex_lock(&writer->lock);
    writer->queued_bytes += bytes;
    STAILQ_INSERT_TAIL(&writer->queued, job, link);
    pthread_cond_signal(&writer->wake);
    pthread_mutex_unlock(&writer->lock);
}

int writer_put(struct writer *writer, const struct peer *peer, uint64_t request_id,
               const Creel__PutBlob *chunk, int64_t now_ms, struct err *err)
{
    struct job *job;
    size_t bytes;

    pthread_mutex_lock(&writer->lock);
    bytes = writer->queued_bytes;
    pthread_mutex_unlock(&writer->lock);
    if (bytes + chunk->data.len > WRITER_QUEUE_BYTES_MAX)
        return err_set(err, EAGAIN,
                       "files are uploaded faster than the resource manager can write "
                       "them to its disk: try again later");
    job = mem_new0(struct job);
    job->chunk = (Creel__PutBlob *)wire_copy(&chunk->base);
    job->connection = peer->connection;
    job->request_id = request_id;
    job->principal = mem_strdup(peer->principal);
    job->now_ms = now_ms;
    queue(writer, job, chunk->data.len);
    return 0;
}

void writer_drop_stalled(struct writer *writer, int64_t now_ms)
{
    struct job *job = mem_new0(struct job);

    job->now_ms = now_ms;
    queue(writer, job, 0);
}

/* Starts the thread with all signals blocked: the loop handles them. */
static int start_thread(struct writer *writer)
{
    sigset_t all, before;
    int code;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    code = pthread_create(&writer->thread, NULL, work, writer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

int writer_new(struct loop *loop, struct blobs *blobs, writer_done_fn *done, void *context,
               struct writer **ret, struct err *err)
{
    struct writer *writer = mem_new0(struct writer);
    int r;

    writer->loop = loop;
    writer->blobs = blobs;
    writer->done = done;
    writer->context = context;
    STAILQ_INIT(&writer->queued);
    STAILQ_INIT(&writer->done_jobs);
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->wake, NULL);
    writer->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (writer->done_fd < 0) {
        r = err_set_errno(err, errno, "cannot make an eventfd");
        goto undo;
    }
    r = loop_add_fd(loop, writer->done_fd, false, on_done, writer, err);
    if (r < 0)
        goto undo_fd;
    r = -start_thread(writer);
    if (r < 0) {
        err_set_errno(err, -r, "cannot start a thread");
        goto undo_loop;
    }
    *ret = writer;
    return 0;

undo_loop:
    loop_remove_fd(loop, writer->done_fd);
undo_fd:
    close(writer->done_fd);
undo:
    free(writer);
    return r;
}

void writer_free(struct writer *writer)
{
    if (writer == NULL)
        return;
    pthread_mutex_lock(&writer->lock);
    writer->stop = true;
    pthread_cond_signal(&writer->wake);
    pthread_mutex_unlock(&writer->lock);
    pthread_join(writer->thread, NULL);
    loop_remove_fd(writer->loop, writer->done_fd);
    close(writer->done_fd);
    clear(&writer->queued);
    clear(&writer->done_jobs);
    pthread_mutex_destroy(&writer->lock);
    pthread_cond_destroy(&writer->wake);
    free(writer);
}
