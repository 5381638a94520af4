/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.c - reads a container's log from its agent
 *
 * The RM signs a short-lived token for the logs of one application on one node; the agent verifies the
 * token. An expired token is renewed between reads. Log data does not pass through the RM.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/libcreel/client.h"
#include "common/base/mem.h"
#include "common/io/loop/loop.h"
#include "common/io/wire/wire.h"
#include "common/proto/log_access.h"

#define RENEW_AHEAD_MS 30000
#define PART_BYTES 65536

struct creel_log {
    struct creel_client *client;               /* borrowed */
    struct client_agent *agent;                /* shared; see release_agent */
    char *app_id, *container_id, *file, *node; /* owned */
    int64_t timeout_ms;                        /* of one answer; 0: the client's limit */
    Creel__Envelope *reply;                    /* last chunk; owned */
    struct log_file *file_part;                /* owned; NULL: the log is read from AGENT */
};

struct log_file { /* a log that is a part of a file */
    int fd;       /* owned */
    uint64_t offset, size;
    int64_t modified_ms;
    uint8_t data[PART_BYTES]; /* of the last read */
};

/* --- token ----------------------------------------------------------------- */

static int renew_token(struct creel_log *log, struct err *err)
{
    struct client_log_token *token = &log->client->log_token;
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__GetLogAccess get = CREEL__GET_LOG_ACCESS__INIT;
    const ProtobufCBinaryData *given;
    int64_t lifetime_ms;
    int r;

    get.app_id = log->app_id;
    get.nodes = &log->node;
    get.n_nodes = 1;
    request.body_case = CREEL__ENVELOPE__BODY_GET_LOG_ACCESS;
    request.get_log_access = &get;
    r = client_call(log->client, &request, CREEL__ENVELOPE__BODY_LOG_ACCESS, log->client->timeout_ms, &reply,
                    err);
    if (r < 0)
        return r;
    free(token->bytes);
    free(token->app_id);
    free(token->node);
    token->app_id = mem_strdup(log->app_id);
    token->node = mem_strdup(log->node);
    given = log_access_token(reply->log_access, 0);
    token->bytes = mem_dup(given->data, given->len);
    token->size = given->len;
    lifetime_ms = reply->log_access->expires_ms - reply->log_access->now_ms;
    token->renew_ms = loop_monotonic_ms() +
                      (lifetime_ms > 2 * RENEW_AHEAD_MS ? lifetime_ms - RENEW_AHEAD_MS : RENEW_AHEAD_MS);
    wire_free(reply);
    return 0;
}

static int need_token(struct creel_log *log, struct err *err)
{
    const struct client_log_token *token = &log->client->log_token;

    if (token->app_id && !strcmp(token->app_id, log->app_id) && !strcmp(token->node, log->node) &&
        loop_monotonic_ms() < token->renew_ms)
        return 0;
    return renew_token(log, err);
}

/* --- connections to agents ------------------------------------------------- */

static int use_agent(struct creel_client *client, const char *address, const char *key,
                     struct client_agent **ret, struct err *err)
{
    struct client_agent *agent;
    int r;

    for (agent = client->agents; agent; agent = agent->next) {
        if (!strcmp(agent->address, address) && !strcmp(agent->key, key)) {
            agent->users++;
            *ret = agent;
            return 0;
        }
    }
    agent = mem_new0(struct client_agent);
    r = channel_client_new(NULL, address, key, &client->own, NULL, NULL, &agent->channel, err);
    if (r < 0) {
        free(agent);
        return r;
    }
    agent->address = mem_strdup(address);
    agent->key = mem_strdup(key);
    agent->users = 1;
    agent->next = client->agents;
    client->agents = agent;
    *ret = agent;
    return 0;
}

static void release_agent(struct creel_client *client, struct client_agent *agent)
{
    struct client_agent **link;

    if (!agent || --agent->users > 0)
        return;
    link = &client->agents;
    while (*link != agent)
        link = &(*link)->next;
    *link = agent->next;
    channel_client_free(agent->channel);
    free(agent->address);
    free(agent->key);
    free(agent);
}

/* --- logs ------------------------------------------------------------------ */

CREEL_EXPORT
int creel_log_open(struct creel_client *client, const struct creel_container *container, const char *file,
                   struct creel_log **ret, struct creel_error *error)
{
    struct err err = { 0 };
    struct creel_log *log;
    int r;

    if (!*container->node_address || !*container->node_key)
        return client_set_error(error, &err,
                                err_set(&err, EHOSTUNREACH,
                                        "container %s: its node "
                                        "%s is not connected, so its logs cannot be read",
                                        container->id, container->node_id));
    log = mem_new0(struct creel_log);
    log->client = client;
    log->app_id = mem_strdup(container->app_id);
    log->container_id = mem_strdup(container->id);
    log->file = mem_strdup(file);
    log->node = mem_strdup(container->node_id);
    r = use_agent(client, container->node_address, container->node_key, &log->agent, &err);
    if (r < 0) {
        creel_log_close(log);
        return client_set_error(error, &err, r);
    }
    *ret = log;
    return 0;
}

struct creel_log *log_of_file(int fd, uint64_t offset, uint64_t size, int64_t modified_ms)
{
    struct creel_log *log = mem_new0(struct creel_log);

    log->file_part = mem_new0(struct log_file);
    log->file_part->fd = fd;
    log->file_part->offset = offset;
    log->file_part->size = size;
    log->file_part->modified_ms = modified_ms;
    return log;
}

CREEL_EXPORT
void creel_log_close(struct creel_log *log)
{
    if (!log)
        return;
    release_agent(log->client, log->agent);
    if (log->file_part)
        close(log->file_part->fd);
    free(log->file_part);
    wire_free(log->reply);
    free(log->app_id);
    free(log->container_id);
    free(log->file);
    free(log->node);
    free(log);
}

void log_set_timeout(struct creel_log *log, int64_t timeout_ms)
{
    log->timeout_ms = timeout_ms;
}

bool log_is_connected(struct creel_log *log)
{
    struct err err = { 0 };

    return log->file_part || channel_client_state(log->agent->channel, &err) == 0;
}

static int read_part(struct log_file *part, uint64_t offset, bool from_end, size_t max_bytes,
                     struct creel_log_piece *piece, struct err *err)
{
    uint64_t start = !from_end ? offset : offset < part->size ? part->size - offset : 0;
    uint64_t left = start < part->size ? part->size - start : 0;
    size_t room = max_bytes == 0 || max_bytes > sizeof(part->data) ? sizeof(part->data) : max_bytes;
    ssize_t got =
        pread(part->fd, part->data, left < room ? (size_t)left : room, (off_t)(part->offset + start));

    if (got < 0)
        return err_set_errno(err, errno, "a temporary file cannot be read");
    *piece = (struct creel_log_piece){
        .offset = start,
        .data = part->data,
        .size = (size_t)got,
        .file_size = part->size,
        .finished = true,
    };
    return 0;
}

static int read_once(struct creel_log *log, Creel__ReadLog *read, Creel__Envelope **reply, struct err *err)
{
    int64_t timeout_ms = log->timeout_ms ? log->timeout_ms : log->client->timeout_ms;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    char who[300];
    int r;

    snprintf(who, sizeof(who), "the agent of node %s", log->node);
    request.body_case = CREEL__ENVELOPE__BODY_READ_LOG;
    request.read_log = read;
    request.token.data = log->client->log_token.bytes;
    request.token.len = log->client->log_token.size;
    r = channel_client_call(log->agent->channel, &request, timeout_ms + read->wait_ms, reply, err);
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
int creel_log_read(struct creel_log *log, uint64_t offset, bool from_end, size_t max_bytes, int64_t wait_ms,
                   struct creel_log_piece *piece, struct creel_error *error)
{
    Creel__ReadLog read = CREEL__READ_LOG__INIT;
    Creel__Envelope *reply = NULL;
    struct err err = { 0 };
    int64_t asked_ms;
    int r;

    if (log->file_part) {
        r = read_part(log->file_part, offset, from_end, max_bytes, piece, &err);
        return r < 0 ? client_set_error(error, &err, r) : 0;
    }
    read.container_id = log->container_id;
    read.file = log->file;
    read.offset = offset;
    read.from_end = from_end;
    read.max_bytes = max_bytes == 0 || max_bytes > WIRE_CHUNK_MAX ? WIRE_CHUNK_MAX : (uint32_t)max_bytes;
    read.wait_ms = wait_ms < 0 ? 0 : wait_ms > 60000 ? 60000 : (uint32_t)wait_ms;
    client_renew(log->client, false);
    r = need_token(log, &err);
    asked_ms = loop_monotonic_ms();
    if (r == 0)
        r = read_once(log, &read, &reply, &err);
    if (r == -EPERM && (r = renew_token(log, &err)) == 0)
        r = read_once(log, &read, &reply, &err);
    if (r < 0)
        return client_set_error(error, &err, r);
    client_pause_if_early(log->client, reply->log_chunk->data.len > 0 || reply->log_chunk->finished, asked_ms,
                          read.wait_ms);
    wire_free(log->reply);
    log->reply = reply;
    *piece = (struct creel_log_piece){
        .offset = reply->log_chunk->offset,
        .data = reply->log_chunk->data.data,
        .size = reply->log_chunk->data.len,
        .file_size = reply->log_chunk->size_bytes,
        .finished = reply->log_chunk->finished,
    };
    return 0;
}

CREEL_EXPORT
int64_t creel_log_modified_ms(const struct creel_log *log)
{
    if (log->file_part)
        return log->file_part->modified_ms;
    return log->reply ? log->reply->log_chunk->modified_ms : 0;
}
