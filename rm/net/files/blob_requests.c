/* SPDX-License-Identifier: Apache-2.0 */
/* blob_requests.c - requests about submitted files: store, find and read them */
#include "rm/net/files/blob_requests.h"

#include <errno.h>

#include "common/io/wire/wire.h"

#define START_MS 5000 /* the start waits for the directory for so long */

static void refuse(const struct port *port, uint64_t connection, uint64_t request_id, Creel__ErrorCode code,
                   const struct err *err)
{
    channel_server_refuse(port->server, connection, request_id, code, "%s", err->text);
}

static void send_ok(const struct port *port, uint64_t connection, uint64_t request_id)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Ok ok = CREEL__OK__INIT;

    envelope.request_id = request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_OK;
    envelope.ok = &ok;
    (void)channel_server_send(port->server, connection, &envelope);
}

void blob_requests_put(struct daemon_uploads *uploads, const struct port *port, const struct peer *peer,
                       const Creel__Envelope *request)
{
    struct err err = { 0 };
    int r = writer_put(uploads->writer, peer, request->request_id, request->put_blob,
                       clock_now_ms(uploads->parts.clock), &err);

    if (r < 0)
        refuse(port, peer->connection, request->request_id, blobs_error(r), &err);
}

/* The writer's callback: a chunk of a file was written or refused. CONTEXT: struct daemon_uploads. */
static void on_written(void *context, uint64_t connection, uint64_t request_id, const char *principal,
                       int result, const struct err *err)
{
    struct daemon_uploads *uploads = context;
    const struct port *port = &uploads->parts.ports[MASTER_CLIENT];
    char more[LOG_MORE_MAX];

    if (result == 0) {
        send_ok(port, connection, request_id);
        return;
    }
    if (result == -EAGAIN && log_limit_pass(&uploads->refusals, more))
        log_line(LOG_LEVEL_WARN, "an upload of %s is refused: %s%s", principal, err->text, more);
    if (blobs_error(result) == CREEL__ERROR_CODE__ERROR_STORE)
        log_line(LOG_LEVEL_ERROR, "a file of %s: %s", principal, err->text);
    refuse(port, connection, request_id, blobs_error(result), err);
}

/* --- requests that the thread of blob_server.h handles ------------------------- */

static void queue(struct daemon_uploads *uploads, const struct port *port, const struct peer *peer,
                  const Creel__Envelope *request)
{
    const struct master_peer asker = port_asker(port, peer);
    struct err err = { 0 };
    int r = blob_server_add(uploads->server, peer->principal, &asker, peer->address, request, &err);

    if (r < 0)
        refuse(port, peer->connection, request->request_id, blobs_error(r), &err);
}

void blob_requests_have(struct daemon_uploads *uploads, const struct port *port, const struct peer *peer,
                        const Creel__Envelope *request)
{
    if (request->have_blobs->n_hashes > WIRE_FILES_MAX)
        channel_server_refuse(port->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "%zu hashes at once: at most %d",
                              request->have_blobs->n_hashes, WIRE_FILES_MAX);
    else
        queue(uploads, port, peer, request);
}

void blob_requests_get(struct daemon_uploads *uploads, const struct port *port, const struct peer *peer,
                       const Creel__Envelope *request)
{
    queue(uploads, port, peer, request);
}

bool blob_requests_check_job(struct daemon_uploads *uploads, const struct port *port, const struct peer *peer,
                             const char *user, const Creel__Envelope *request)
{
    const struct master_peer asker = port_asker(port, peer);
    struct err err = { 0 };
    int r;

    if (!blob_server_must_check(request))
        return false;
    r = blob_server_add(uploads->server, user, &asker, peer->address, request, &err);
    if (r < 0)
        refuse(port, peer->connection, request->request_id, blobs_error(r), &err);
    return true;
}

bool blob_requests_refuse_sizes(struct daemon_uploads *uploads, const struct port *port,
                                const struct peer *peer, const Creel__Envelope *request)
{
    struct err err = { 0 };
    int r = 0;

    if (request->body_case == CREEL__ENVELOPE__BODY_TEST_APP)
        r = blobs_judge_sizes(uploads->blobs, request->test_app->job, &err);
    if (r < 0)
        refuse(port, peer->connection, request->request_id, blobs_error(r), &err);
    return r < 0;
}

static int64_t now_ms(void *context)
{
    return clock_now_ms(((struct daemon_uploads *)context)->parts.clock);
}

static void send_reply(void *context, const struct master_peer *peer, Creel__Envelope *reply)
{
    struct daemon_uploads *uploads = context;

    (void)channel_server_send(uploads->parts.ports[peer->channel].server, peer->connection, reply);
}

static int may_answer(void *context, const struct master_peer *peer, Creel__Envelope__BodyCase kind,
                      struct err *err)
{
    struct daemon_uploads *uploads = context;

    return channel_server_may_answer(uploads->parts.ports[peer->channel].server, peer->connection, kind, err);
}

static void refuse_request(void *context, const struct master_peer *peer, uint64_t request_id,
                           Creel__ErrorCode code, const struct err *err)
{
    struct daemon_uploads *uploads = context;
    char more[LOG_MORE_MAX];

    if (log_limit_pass(&uploads->refusals, more))
        log_line(LOG_LEVEL_INFO, "a request of %s about files is refused: %s%s", peer->principal, err->text,
                 more);
    refuse(&uploads->parts.ports[peer->channel], peer->connection, request_id, code, err);
}

static void submit(void *context, const struct master_peer *peer, const char *address,
                   const Creel__Envelope *request)
{
    struct daemon_uploads *uploads = context;
    const struct peer sender = {
        .connection = peer->connection, .principal = peer->principal, .job = peer->job, .address = address
    };

    uploads->parts.pass_on(&uploads->parts.ports[peer->channel], &sender, request);
}

struct limits_report {
    struct arena *arena;
    Creel__ClusterInfo *info;
    uint64_t limit;
};

static void report_user(void *context, const char *user, uint64_t bytes)
{
    const struct limits_report *report = context;

    master_report_limit(report->arena, report->info, user, conf_key_info(CONF_USER_UPLOADS_SIZE_MAX)->name,
                        bytes, report->limit);
}

void blob_requests_report(const struct daemon_uploads *uploads, struct arena *arena, Creel__ClusterInfo *info)
{
    struct limits_report report = { arena, info,
                                    (uint64_t)conf_bytes(uploads->parts.conf, CONF_USER_UPLOADS_SIZE_MAX) };

    blobs_each_user(uploads->blobs, report_user, &report);
}

int blob_requests_open(struct daemon_uploads *uploads, const struct blob_requests_parts *parts,
                       struct err *err)
{
    const struct blobs_limits limits = { conf_bytes(parts->conf, CONF_FILE_SIZE_MAX),
                                         conf_bytes(parts->conf, CONF_FILES_SIZE_MAX),
                                         conf_bytes(parts->conf, CONF_USER_FILES_SIZE_MAX),
                                         conf_bytes(parts->conf, CONF_USER_UPLOADS_SIZE_MAX) };
    const struct blob_parts server = { .loop = parts->loop,
                                       .now_ms = now_ms,
                                       .send = send_reply,
                                       .may_answer = may_answer,
                                       .refuse = refuse_request,
                                       .submit = submit,
                                       .context = uploads,
                                       .blobs = blobs_new(parts->directory, &limits) };
    int r;

    uploads->parts = *parts;
    uploads->blobs = server.blobs;
    if ((r = blob_server_new(&server, &uploads->server, err)) < 0 ||
        (r = writer_new(parts->loop, uploads->blobs, on_written, uploads, &uploads->writer, err)) < 0)
        return r;
    r = blobs_wait(uploads->blobs, START_MS, err);
    if (r != -ETIMEDOUT)
        return r;
    log_line(LOG_LEVEL_ERROR, "%s: jobs with files are refused until it does", err->text);
    return 0;
}

bool blob_requests_close(struct daemon_uploads *uploads)
{
    bool written = writer_free(uploads->writer), answered = blob_server_free(uploads->server);

    if (written && answered)
        blobs_free(uploads->blobs);
    else
        log_line(LOG_LEVEL_WARN, "%s/blobs did not answer at the stop%s", uploads->parts.directory,
                 written ? "" : ": unfinished uploads are abandoned");
    return written && answered;
}
