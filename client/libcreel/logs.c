/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.c - reading a container's log from its agent
 *
 * The RM signs a short-lived token for the logs of one application; the agent
 * checks it. An expired one is renewed on the way. Nothing passes through the RM.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/libcreel/client.h"
#include "common/base/mem.h"
#include "common/io/loop.h"
#include "common/io/wire.h"

#define RENEW_AHEAD_MS 30000

struct creel_log {
    struct creel_client *client;        /* borrowed */
    struct channel_client *channel;     /* owned */
    char *app_id, *container_id, *file, *node;  /* owned */
    uint8_t *token;                     /* owned */
    size_t token_size;
    int64_t renew_ms;                   /* monotonic */
    Creel__Envelope *reply;             /* the last piece; owned */
};

static int get_token(struct creel_log *log, struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__GetLogAccess get = CREEL__GET_LOG_ACCESS__INIT;
    int64_t lifetime_ms;
    int r;

    get.app_id = log->app_id;
    request.body_case = CREEL__ENVELOPE__BODY_GET_LOG_ACCESS;
    request.get_log_access = &get;
    r = client_call(log->client, &request, CREEL__ENVELOPE__BODY_LOG_ACCESS,
                    log->client->timeout_ms, &reply, err);
    if (r < 0)
        return r;
    free(log->token);
    log->token = mem_dup(reply->log_access->token.data, reply->log_access->token.len);
    log->token_size = reply->log_access->token.len;
    /* By our own clock, which may differ from the RM's: an early refusal is
     * handled too, so this only saves a round trip. */
    lifetime_ms = reply->log_access->expires_ms - loop_now_ms();
    log->renew_ms = loop_monotonic_ms() +
        (lifetime_ms > 2 * RENEW_AHEAD_MS ? lifetime_ms - RENEW_AHEAD_MS : RENEW_AHEAD_MS);
    wire_free(reply);
    return 0;
}

CREEL_EXPORT
int creel_log_open(struct creel_client *client, const struct creel_container *container,
                   const char *file, struct creel_log **ret, struct creel_error *error)
{
    struct err err = { 0 };
    struct creel_log *log;
    int r;

    if (!*container->node_address || !*container->node_key)
        return client_give_error(error, &err, err_set(&err, EHOSTUNREACH, "container %s: its node "
                                 "%s is not connected, so its logs cannot be read",
                                 container->id, container->node_id));
    log = mem_new0(struct creel_log);
    log->client = client;
    log->app_id = mem_strdup(container->app_id);
    log->container_id = mem_strdup(container->id);
    log->file = mem_strdup(file);
    log->node = mem_strdup(container->node_id);
    r = get_token(log, &err);
    if (r == 0)
        r = channel_client_new(NULL, container->node_address, container->node_key, &client->own,
                               NULL, NULL, &log->channel, &err);
    if (r < 0) {
        creel_log_close(log);
        return client_give_error(error, &err, r);
    }
    *ret = log;
    return 0;
}

CREEL_EXPORT
void creel_log_close(struct creel_log *log)
{
    if (!log)
        return;
    channel_client_free(log->channel);
    wire_free(log->reply);
    free(log->token);
    free(log->app_id);
    free(log->container_id);
    free(log->file);
    free(log->node);
    free(log);
}

static int read_once(struct creel_log *log, Creel__ReadLog *read, Creel__Envelope **reply,
                     struct err *err)
{
    int64_t timeout_ms = log->client->timeout_ms;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    char who[300];
    int r;

    snprintf(who, sizeof(who), "the agent of node %s", log->node);
    request.body_case = CREEL__ENVELOPE__BODY_READ_LOG;
    request.read_log = read;
    request.token.data = log->token;
    request.token.len = log->token_size;
    r = channel_client_call(log->channel, &request, timeout_ms + read->wait_ms, reply, err);
    if (r == -ETIMEDOUT) {
        err_prefix(err, "%s did not answer within %g s", who, (double)timeout_ms / 1000.0);
        return -EHOSTUNREACH;
    }
    if (r < 0)
        return r;
    r = client_check_reply(who, *reply, CREEL__ENVELOPE__BODY_LOG_CHUNK, err);
    if (r < 0) {
        wire_free(*reply);
        *reply = NULL;
    }
    return r;
}

CREEL_EXPORT
int creel_log_read(struct creel_log *log, uint64_t offset, bool from_end, size_t max_bytes,
                   int64_t wait_ms, struct creel_log_piece *piece, struct creel_error *error)
{
    Creel__ReadLog read = CREEL__READ_LOG__INIT;
    Creel__Envelope *reply = NULL;
    struct err err = { 0 };
    int r = 0;

    read.container_id = log->container_id;
    read.file = log->file;
    read.offset = offset;
    read.from_end = from_end;
    read.max_bytes = max_bytes == 0 || max_bytes > WIRE_CHUNK_MAX ? WIRE_CHUNK_MAX
                                                                   : (uint32_t)max_bytes;
    read.wait_ms = wait_ms < 0 ? 0 : wait_ms > 60000 ? 60000 : (uint32_t)wait_ms;
    if (loop_monotonic_ms() >= log->renew_ms)
        r = get_token(log, &err);
    if (r == 0)
        r = read_once(log, &read, &reply, &err);
    if (r == -EPERM && (r = get_token(log, &err)) == 0)
        r = read_once(log, &read, &reply, &err);
    if (r < 0)
        return client_give_error(error, &err, r);
    wire_free(log->reply);
    log->reply = reply;
    *piece = (struct creel_log_piece){
        .offset = reply->log_chunk->offset,
        .data = reply->log_chunk->data.data, .size = reply->log_chunk->data.len,
        .file_size = reply->log_chunk->size_bytes, .finished = reply->log_chunk->finished,
    };
    return 0;
}
