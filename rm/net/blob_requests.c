/* SPDX-License-Identifier: Apache-2.0 */
/* blob_requests.c - requests about submitted files: store, find and read them */
#include <errno.h>

#include "common/base/mem.h"
#include "common/io/wire.h"
#include "rm/net/daemon.h"

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

void blob_requests_put(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    struct daemon *daemon = port->daemon;
    struct err err = { 0 };
    int r =
        writer_put(daemon->writer, peer, request->request_id, request->put_blob, daemon_now_ms(daemon), &err);

    if (r < 0)
        refuse(port, peer->connection, request->request_id, blobs_error(r), &err);
}

void blob_requests_written(void *context, uint64_t connection, uint64_t request_id, const char *principal,
                           int result, const struct err *err)
{
    struct daemon *daemon = context;
    const struct port *port = &daemon->ports[MASTER_CLIENT];
    char more[LOG_MORE_MAX];

    if (result == 0) {
        send_ok(port, connection, request_id);
        return;
    }
    if (result == -EAGAIN && log_limit_pass(&daemon->upload_refusals, more))
        log_line(LOG_LEVEL_WARN, "an upload of %s is refused: %s%s", principal, err->text, more);
    if (blobs_error(result) == CREEL__ERROR_CODE__ERROR_STORE)
        log_line(LOG_LEVEL_ERROR, "a file of %s: %s", principal, err->text);
    refuse(port, connection, request_id, blobs_error(result), err);
}

void blob_requests_have(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    struct daemon *daemon = port->daemon;
    Creel__HaveBlobs *have = request->have_blobs;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__HaveBlobsReply reply = CREEL__HAVE_BLOBS_REPLY__INIT;
    scoped_free ProtobufCBinaryData *missing = NULL;
    int64_t now_ms = daemon_now_ms(daemon);
    struct err err = { 0 };
    bool here;

    if (have->n_hashes > WIRE_FILES_MAX) {
        channel_server_refuse(port->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "%zu hashes at once: at most %d",
                              have->n_hashes, WIRE_FILES_MAX);
        return;
    }
    missing = mem_array0(have->n_hashes + 1, sizeof(*missing));
    for (size_t i = 0; i < have->n_hashes; i++) {
        if (blobs_has(daemon->blobs, &have->hashes[i], now_ms, &here, &err) < 0) {
            refuse(port, peer->connection, request->request_id, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, &err);
            return;
        }
        if (!here)
            missing[reply.n_missing++] = have->hashes[i];
    }
    reply.missing = missing;
    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_HAVE_BLOBS_REPLY;
    envelope.have_blobs_reply = &reply;
    (void)channel_server_send(port->server, peer->connection, &envelope);
}

void blob_requests_get(const struct port *port, const struct peer *peer, const Creel__Envelope *request)
{
    scoped_free uint8_t *data = mem_alloc(WIRE_CHUNK_MAX);
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__BlobChunk chunk = CREEL__BLOB_CHUNK__INIT;
    struct err err = { 0 };
    int r = blobs_get(port->daemon->blobs, request->get_blob, data, WIRE_CHUNK_MAX, &chunk.data.len,
                      &chunk.size_bytes, &err);

    if (r < 0) {
        refuse(port, peer->connection, request->request_id, blobs_error(r), &err);
        return;
    }
    chunk.offset = request->get_blob->offset;
    chunk.data.data = data;
    envelope.request_id = request->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_BLOB_CHUNK;
    envelope.blob_chunk = &chunk;
    (void)channel_server_send(port->server, peer->connection, &envelope);
}
