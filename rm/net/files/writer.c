/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c - the thread that writes submitted files */
#include "rm/net/files/writer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "rm/net/parts/worker.h"

#define STOP_MS 5000

struct writer {
    struct worker *worker;
    struct blobs *blobs;
    writer_done_fn *done;
    void *context;
    size_t queued_bytes;
    size_t queued_chunks;
    int64_t moved_ms;    /* steady clock: when a chunk was last answered, or added to an empty queue */
    bool dropping;       /* a call of blobs_drop_stalled is queued */
    atomic_bool closing; /* queued chunks are not written any more */
};

struct job {
    struct worker_job job; /* first member */
    struct writer *writer;
    Creel__PutBlob *chunk; /* owned; NULL: drop stalled uploads */
    uint64_t connection, request_id;
    char *principal;
    int64_t now_ms;
    int result;
    struct err err;
};

/* --- in the thread --------------------------------------------------------- */

static void run_job(struct worker_job *base)
{
    struct job *job = (struct job *)base;
    struct writer *writer = job->writer;

    job->result = blobs_wait(writer->blobs, -1, &job->err);
    if (job->result < 0)
        return;
    if (job->chunk == NULL)
        blobs_drop_stalled(writer->blobs, job->now_ms);
    else if (!writer->closing)
        job->result =
            blobs_put(writer->blobs, job->connection, job->principal, job->chunk, job->now_ms, &job->err);
}

/* --- in the loop ----------------------------------------------------------- */

static void finish_job(struct worker_job *base)
{
    struct job *job = (struct job *)base;
    struct writer *writer = job->writer;

    if (job->chunk == NULL)
        writer->dropping = false;
    if (job->chunk != NULL) {
        writer->queued_bytes -= job->chunk->data.len;
        writer->queued_chunks--;
        writer->moved_ms = loop_monotonic_ms();
    }
    if (job->chunk != NULL && !writer->closing)
        writer->done(writer->context, job->connection, job->request_id, job->principal, job->result,
                     &job->err);
    if (job->chunk != NULL)
        protobuf_c_message_free_unpacked(&job->chunk->base, NULL);
    free(job->principal);
    free(job);
}

static struct job *job_new(struct writer *writer, int64_t now_ms)
{
    struct job *job = mem_new0(struct job);

    job->job.run = run_job;
    job->job.done = finish_job;
    job->writer = writer;
    job->now_ms = now_ms;
    return job;
}

/* Refuses a chunk for which there is no room, or no disk that answers. */
static int check_room(const struct writer *writer, size_t bytes, struct err *err)
{
    int64_t silent_ms = writer->queued_chunks > 0 ? loop_monotonic_ms() - writer->moved_ms : 0;

    if (silent_ms > BLOBS_SILENT_MS)
        return blobs_refuse_silent(writer->blobs, silent_ms, err);
    if (writer->queued_bytes + bytes > WRITER_QUEUE_BYTES_MAX)
        return err_set(err, EAGAIN,
                       "files are uploaded faster than the resource manager can write "
                       "them to its disk: try again later");
    return 0;
}

int writer_put(struct writer *writer, const struct peer *peer, uint64_t request_id,
               const Creel__PutBlob *chunk, int64_t now_ms, struct err *err)
{
    int r = check_room(writer, chunk->data.len, err);
    struct job *job;

    if (r < 0)
        return r;
    job = job_new(writer, now_ms);
    job->chunk = (Creel__PutBlob *)wire_copy(&chunk->base);
    job->connection = peer->connection;
    job->request_id = request_id;
    job->principal = mem_strdup(peer->principal);
    if (writer->queued_chunks++ == 0)
        writer->moved_ms = loop_monotonic_ms();
    writer->queued_bytes += chunk->data.len;
    worker_add(writer->worker, &job->job);
    return 0;
}

void writer_drop_stalled(struct writer *writer, int64_t now_ms)
{
    if (writer->dropping)
        return;
    writer->dropping = true;
    worker_add(writer->worker, &job_new(writer, now_ms)->job);
}

int writer_new(struct loop *loop, struct blobs *blobs, writer_done_fn *done, void *context,
               struct writer **ret, struct err *err)
{
    struct writer *writer = mem_new0(struct writer);
    int r = worker_new(loop, &writer->worker, err);

    if (r < 0) {
        free(writer);
        return r;
    }
    writer->blobs = blobs;
    writer->done = done;
    writer->context = context;
    *ret = writer;
    return 0;
}

bool writer_free(struct writer *writer)
{
    if (writer == NULL)
        return true;
    writer->closing = true;
    /* The thread removes unfinished uploads: the loop must not wait for their disk. */
    worker_add(writer->worker, &job_new(writer, INT64_MAX)->job);
    if (!worker_free(writer->worker, STOP_MS))
        return false;
    free(writer);
    return true;
}
