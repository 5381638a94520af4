/* SPDX-License-Identifier: Apache-2.0 */
/* blob_server.c - the thread that reads the directory of submitted files */
#include "rm/net/files/blob_server.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/io/loop/log.h"
#include "common/io/wire/wire.h"
#include "rm/net/parts/request_queue.h"
#include "rm/net/parts/worker.h"

#define STOP_MS 1000
#define OF_USER_MAX 12000 /* as of user_requests.h, from which the submissions come */
#define OF_USER_BYTES_MAX ((size_t)8 << 20)
#define BYTES_MAX ((size_t)128 << 20)

struct blob_server {
    struct blob_parts parts;
    struct worker *worker;
    struct request_queue *queue;
    bool busy;        /* a request is in the thread */
    bool sweeping;    /* a sweep is in the thread */
    bool must_open;   /* the last try to open the directory has failed */
    int64_t pending;  /* jobs in the thread */
    int64_t moved_ms; /* steady clock: when a job last ended, or was added to none */
    bool closing;
};

/* One request: decoded by the loop, handled by the thread, answered by the loop. */
struct job {
    struct worker_job job; /* first member */
    struct blob_server *server;
    struct queued_request *queued; /* owned; NULL: opens or sweeps */
    Creel__Envelope *request;      /* owned */
    int64_t now_ms;
    bool opens;
    /* Set by the thread: */
    int result;
    struct err err;
    ProtobufCBinaryData *missing; /* of HaveBlobs: hashes, borrowed from the request; owned */
    size_t missing_count;
    uint8_t *data; /* of GetBlob; owned */
    size_t length;
    uint64_t size_bytes;
    size_t removed; /* by a sweep */
};

static void job_free(struct job *job)
{
    free(job->missing);
    free(job->data);
    if (job->request != NULL)
        wire_free(job->request);
    if (job->queued != NULL)
        queued_request_free(job->queued);
    free(job);
}

/* --- in the thread --------------------------------------------------------- */

static int find_missing(struct job *job)
{
    const Creel__HaveBlobs *have = job->request->have_blobs;
    bool here;

    job->missing = mem_array0(have->n_hashes + 1, sizeof(*job->missing));
    for (size_t i = 0; i < have->n_hashes; i++) {
        int r = blobs_has(job->server->parts.blobs, job->queued->principal, &have->hashes[i], job->now_ms,
                          &here, &job->err);

        if (r < 0)
            return r;
        if (!here)
            job->missing[job->missing_count++] = have->hashes[i];
    }
    return 0;
}

static int handle(struct job *job)
{
    struct blobs *blobs = job->server->parts.blobs;

    switch (job->request->body_case) {
    case CREEL__ENVELOPE__BODY_HAVE_BLOBS:
        return find_missing(job);
    case CREEL__ENVELOPE__BODY_GET_BLOB:
        job->data = mem_alloc(WIRE_CHUNK_MAX);
        return blobs_get(blobs, job->request->get_blob, job->data, WIRE_CHUNK_MAX, &job->length,
                         &job->size_bytes, &job->err);
    default:
        return blobs_check_job(blobs, job->request->submit_app->job, job->now_ms, &job->err);
    }
}

static void run_job(struct worker_job *base)
{
    struct job *job = (struct job *)base;
    struct blobs *blobs = job->server->parts.blobs;

    if (job->opens)
        job->result = blobs_open(blobs, &job->err);
    else if ((job->result = blobs_wait(blobs, -1, &job->err)) < 0)
        return;
    else if (job->queued == NULL)
        job->removed = blobs_sweep(blobs, job->now_ms);
    else
        job->result = handle(job);
}

/* --- in the loop ----------------------------------------------------------- */

static void send_missing(struct job *job, const struct master_peer *peer)
{
    const struct blob_parts *parts = &job->server->parts;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__HaveBlobsReply reply = CREEL__HAVE_BLOBS_REPLY__INIT;

    reply.missing = job->missing;
    reply.n_missing = job->missing_count;
    envelope.request_id = job->queued->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_HAVE_BLOBS_REPLY;
    envelope.have_blobs_reply = &reply;
    parts->send(parts->context, peer, &envelope);
}

static void send_chunk(struct job *job, const struct master_peer *peer)
{
    const struct blob_parts *parts = &job->server->parts;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__BlobChunk chunk = CREEL__BLOB_CHUNK__INIT;

    chunk.offset = job->request->get_blob->offset;
    chunk.size_bytes = job->size_bytes;
    chunk.data.data = job->data;
    chunk.data.len = job->length;
    envelope.request_id = job->queued->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_BLOB_CHUNK;
    envelope.blob_chunk = &chunk;
    parts->send(parts->context, peer, &envelope);
}

static void answer(struct job *job)
{
    const struct blob_parts *parts = &job->server->parts;
    const struct master_peer peer = queued_request_peer(job->queued);

    if (job->result < 0)
        parts->refuse(parts->context, &peer, job->queued->request_id, blobs_error(job->result), &job->err);
    else if (job->request->body_case == CREEL__ENVELOPE__BODY_HAVE_BLOBS)
        send_missing(job, &peer);
    else if (job->request->body_case == CREEL__ENVELOPE__BODY_GET_BLOB)
        send_chunk(job, &peer);
    else
        parts->submit(parts->context, &peer, job->queued->address, job->request);
}

/* Notes the end of a job that no request needs. */
static void note_end(const struct job *job)
{
    struct blob_server *server = job->server;

    if (job->opens) {
        if (job->result < 0 && !server->must_open && !server->closing)
            log_line(LOG_LEVEL_ERROR, "%s; jobs with files are refused", job->err.text);
        server->must_open = job->result < 0;
    } else {
        server->sweeping = false;
    }
    if (job->removed > 0)
        log_line(LOG_LEVEL_DEBUG, "%zu submitted files removed that no application uses", job->removed);
}

static void handle_next(struct blob_server *server);

static void finish_job(struct worker_job *base)
{
    struct job *job = (struct job *)base;
    struct blob_server *server = job->server;

    server->pending--;
    server->moved_ms = loop_monotonic_ms();
    if (job->queued == NULL)
        note_end(job);
    else
        server->busy = false;
    if (job->queued != NULL && !server->closing)
        answer(job);
    job_free(job);
    if (!server->closing)
        handle_next(server);
}

static void pass(struct blob_server *server, struct job *job)
{
    job->job.run = run_job;
    job->job.done = finish_job;
    job->server = server;
    if (server->pending++ == 0)
        server->moved_ms = loop_monotonic_ms();
    worker_add(server->worker, &job->job);
}

static void pass_open(struct blob_server *server)
{
    struct job *job = mem_new0(struct job);

    job->opens = true;
    pass(server, job);
}

static void refuse_queued(struct blob_server *server, const struct queued_request *queued, int result,
                          const struct err *err)
{
    const struct master_peer peer = queued_request_peer(queued);

    server->parts.refuse(server->parts.context, &peer, queued->request_id, wire_error_from_errno(result),
                         err);
}

/* Returns the next request that may be answered, and refuses those before it that may not. A SubmitApp is
 * served though its connection has ended. */
static struct queued_request *next_request(struct blob_server *server)
{
    struct queued_request *queued;

    while ((queued = request_queue_pop(server->queue)) != NULL) {
        const struct master_peer peer = queued_request_peer(queued);
        struct err err = { 0 };
        int r = server->parts.may_answer(server->parts.context, &peer, queued->kind, &err);

        if (r == 0 || (r == -ENOTCONN && queued->kind == CREEL__ENVELOPE__BODY_SUBMIT_APP))
            return queued;
        if (r != -ENOTCONN)
            refuse_queued(server, queued, r, &err);
        queued_request_free(queued);
    }
    return NULL;
}

static void handle_next(struct blob_server *server)
{
    struct queued_request *queued = server->busy ? NULL : next_request(server);
    struct err err = { 0 };
    struct job *job;
    int r;

    if (queued == NULL)
        return;
    job = mem_new0(struct job);
    job->queued = queued;
    job->now_ms = server->parts.now_ms(server->parts.context);
    /* The request was checked before it was queued; only a lack of memory can fail. */
    r = wire_decode(queued->request, queued->size, &job->request, NULL, &err);
    if (r < 0) {
        refuse_queued(server, queued, r, &err);
        job_free(job);
        return;
    }
    server->busy = true;
    pass(server, job);
}

/* Returns for how long the disk has not answered, if that is more than BLOBS_SILENT_MS; else 0. */
static int64_t silent_ms(const struct blob_server *server)
{
    int64_t waited_ms = loop_monotonic_ms() - server->moved_ms;

    return server->pending > 0 && waited_ms > BLOBS_SILENT_MS ? waited_ms : 0;
}

bool blob_server_must_check(const Creel__Envelope *request)
{
    const Creel__JobSpec *job =
        request->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP ? request->submit_app->job : NULL;

    return job != NULL && job->launch != NULL && job->launch->n_files > 0;
}

int blob_server_add(struct blob_server *server, const char *user, const struct master_peer *peer,
                    const char *address, const Creel__Envelope *request, struct err *err)
{
    int64_t waited_ms = silent_ms(server);
    int r;

    if (waited_ms > 0)
        return blobs_refuse_silent(server->parts.blobs, waited_ms, err);
    r = request_queue_add(server->queue, user, peer, address, request, err);
    if (r == 0)
        handle_next(server);
    return r;
}

void blob_server_check(struct blob_server *server)
{
    int64_t waited_ms = silent_ms(server);
    struct queued_request *queued;
    struct err err = { 0 };
    int r;

    if (server->must_open && server->pending == 0)
        pass_open(server);
    if (waited_ms == 0)
        return;
    r = blobs_refuse_silent(server->parts.blobs, waited_ms, &err);
    while ((queued = request_queue_pop(server->queue)) != NULL) {
        refuse_queued(server, queued, r, &err);
        queued_request_free(queued);
    }
}

void blob_server_sweep(struct blob_server *server, struct master *master)
{
    struct job *job;

    if (server->sweeping || silent_ms(server) > 0)
        return;
    server->sweeping = true;
    master_each_live_job(master, blobs_mark_job, server->parts.blobs);
    job = mem_new0(struct job);
    job->now_ms = server->parts.now_ms(server->parts.context);
    pass(server, job);
}

/* --- start and end ----------------------------------------------------------- */

int blob_server_new(const struct blob_parts *parts, struct blob_server **ret, struct err *err)
{
    static const struct request_limits limits = { "file-requests-kib", "requests about files", OF_USER_MAX,
                                                  OF_USER_BYTES_MAX, BYTES_MAX };
    struct blob_server *server = mem_new0(struct blob_server);
    int r = worker_new(parts->loop, &server->worker, err);

    if (r < 0) {
        free(server);
        return r;
    }
    server->parts = *parts;
    server->queue = request_queue_new(&limits);
    pass_open(server);
    *ret = server;
    return 0;
}

const struct request_queue *blob_server_queue(const struct blob_server *server)
{
    return server->queue;
}

bool blob_server_free(struct blob_server *server)
{
    if (server == NULL)
        return true;
    server->closing = true;
    if (!worker_free(server->worker, STOP_MS))
        return false;
    request_queue_free(server->queue);
    free(server);
    return true;
}
