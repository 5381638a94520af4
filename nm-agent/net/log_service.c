/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_service.c - handles ReadLog: returns a part of a container's output, now or when it is written
 *
 * The right to read is given by a token of the RM for the application's logs, or by the token with which the
 * container was started. If the requested part is not written yet, the reply waits; the files are checked
 * several times a second while a client waits.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "nm-agent/net/daemon.h"

#define LOOK_MS 50 /* interval of checks of files for which clients wait */
#define WAIT_MAX_MS 60000
#define BYTES_DEFAULT 65536u
#define TURN_BYTES_MAX ((size_t)4 << 20) /* of logs that waiting clients get before others are served */
#define UNREAD_WAIT_MS 5000 /* a peer whose user has too much to read waits for so long, then gets an error */

/* --- rights ------------------------------------------------------------------- */

static bool is_of_app(const char *container_id, const char *app_id)
{
    struct container_id container;
    struct app_id app;

    return container_id_parse(container_id, &container) && app_id_parse(app_id, &app) &&
           app_id_compare(&container.attempt.app, &app) == 0;
}

int log_service_judge(const struct daemon *daemon, const Creel__Envelope *envelope, const char *container_id,
                      bool control, char **user, struct err *err)
{
    ProtobufCMessage *message;
    const Creel__LogGrant *grant;
    struct agent_clock clock = agent_clock(daemon->agent, daemon_now());
    char why[256];
    int r = token_open(&daemon->ring, CREEL__TOKEN_KIND__TOKEN_LOG, &creel__log_grant__descriptor,
                       envelope->token.data, envelope->token.len, &message, err);

    if (r < 0)
        return r;
    grant = (const Creel__LogGrant *)message;
    if (!is_of_app(container_id, grant->app_id))
        r = err_set(err, EACCES, "the token is for logs of %s", grant->app_id);
    else if (agent_clock_is_past(&clock, grant->expires_ms)) {
        agent_clock_explain(&clock, grant->expires_ms, why, sizeof(why));
        r = err_set(err, EACCES, "the token for logs of %s %s", grant->app_id, why);
    } else if (control && !grant->control)
        r = err_set(err, EACCES, "the token is for logs alone");
    else if (user != NULL)
        *user = mem_strdup(grant->user);
    protobuf_c_message_free_unpacked(message, NULL);
    return r;
}

static int judge_container_token(const struct daemon *daemon, const Creel__Envelope *envelope, char **user,
                                 struct err *err)
{
    ProtobufCMessage *message;
    const Creel__ContainerGrant *grant;
    int r = token_open(&daemon->ring, CREEL__TOKEN_KIND__TOKEN_CONTAINER, &creel__container_grant__descriptor,
                       envelope->token.data, envelope->token.len, &message, err);

    if (r < 0)
        return r;
    grant = (const Creel__ContainerGrant *)message;
    if (strcmp(grant->container_id, envelope->read_log->container_id) != 0)
        r = err_set(err, EACCES, "the token is for container %s", grant->container_id);
    else
        *user = mem_strdup(grant->user);
    protobuf_c_message_free_unpacked(message, NULL);
    return r;
}

static int judge(const struct daemon *daemon, const Creel__Envelope *envelope, char **user, struct err *err)
{
    int r = log_service_judge(daemon, envelope, envelope->read_log->container_id, false, user, err);

    return r == -EBADMSG ? judge_container_token(daemon, envelope, user, err) : r;
}

void log_service_refuse(struct daemon *daemon, const struct peer *peer, const Creel__Envelope *envelope,
                        int code, const struct err *err)
{
    channel_server_refuse(daemon->server, peer->connection, envelope->request_id,
                          code == -EKEYEXPIRED ? CREEL__ERROR_CODE__ERROR_UNAVAILABLE
                          : code == -EBADMSG   ? CREEL__ERROR_CODE__ERROR_BAD_REQUEST
                                               : CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                          "%s", err->text);
}

/* --- reading ---------------------------------------------------------------------- */

static bool is_finished(const struct daemon *daemon, const char *container_id)
{
    Creel__ContainerState state = agent_container_state(daemon->agent, container_id);

    return state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE ||
           state == CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN;
}

static bool is_known(const struct daemon *daemon, const char *container_id)
{
    return agent_container_state(daemon->agent, container_id) != CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN;
}

static void send_chunk(struct daemon *daemon, uint64_t connection, uint64_t request_id,
                       Creel__LogChunk *chunk)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;

    envelope.request_id = request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_LOG_CHUNK;
    envelope.log_chunk = chunk;
    channel_server_send(daemon->server, connection, &envelope);
}

/* Returns true if the peer of WAIT may get more: its user has read earlier replies. If not, *LOOK is what
 * becomes of WAIT: it is answered later, and with an error if its time is up. */
static bool may_reply(struct daemon *daemon, const struct log_wait *wait, enum log_look *look)
{
    bool late = loop_monotonic_ms() >= wait->unread_until_ms;
    struct err err = { 0 };
    int r = channel_server_may_answer(daemon->server, wait->connection, CREEL__ENVELOPE__BODY_READ_LOG,
                                      late ? &err : NULL);

    *look = r == -EAGAIN && !late ? LOG_LOOK_WAITS : LOG_LOOK_ANSWERED; /* else it has disconnected */
    if (r == -EAGAIN && late)
        channel_server_refuse(daemon->server, wait->connection, wait->request_id,
                              CREEL__ERROR_CODE__ERROR_UNAVAILABLE, "%s", err.text);
    return r == 0;
}

/* Replies to WAIT if there is new output, the container has ended, or the log cannot be read; in any case if
 * NOW. Subtracts what it read from *LEFT; at 0 it leaves WAIT to a later turn. */
static enum log_look answer(struct daemon *daemon, const struct log_wait *wait, bool now, size_t *left)
{
    Creel__LogChunk chunk = CREEL__LOG_CHUNK__INIT;
    scoped_free uint8_t *data = NULL;
    struct err err = { 0 };
    uint64_t size = 0, stat_size;
    enum log_look look;
    size_t got = 0;
    bool finished;
    int r;

    if (*left == 0)
        return LOG_LOOK_LATER;
    if (!may_reply(daemon, wait, &look))
        return look;
    data = mem_alloc(wait->max_bytes);
    /* Read the state before the file: if the container has ended, the read certainly gets all output. */
    finished = is_finished(daemon, wait->container_id);
    r = runtime_read_log(daemon->runtime, wait->container_id, wait->file, wait->offset, data, wait->max_bytes,
                         &got, &size, &err);
    *left -= got < *left ? got : *left;
    if (r == -ENOENT && is_known(daemon, wait->container_id))
        r = 0; /* the container has not started, or never will */
    if (r < 0) {
        /* A log that the job has replaced is no matter of rights: another token does not help. */
        channel_server_refuse(daemon->server, wait->connection, wait->request_id,
                              r == -EPERM ? CREEL__ERROR_CODE__ERROR_BAD_STATE : wire_error_from_errno(r),
                              "%s", err.text);
        return LOG_LOOK_ANSWERED;
    }
    if (got == 0 && !finished && !now)
        return LOG_LOOK_WAITS;
    if (size > 0)
        runtime_stat_log(daemon->runtime, wait->container_id, wait->file, &stat_size, &chunk.modified_ms,
                         &err);
    chunk.offset = wait->offset;
    chunk.data = (ProtobufCBinaryData){ .len = got, .data = data };
    chunk.size_bytes = size;
    chunk.finished = finished;
    send_chunk(daemon, wait->connection, wait->request_id, &chunk);
    return LOG_LOOK_ANSWERED;
}

int log_service_piece(struct daemon *daemon, const Creel__ReadLog *body, uint8_t *data,
                      Creel__LogChunk *chunk, struct err *err)
{
    /* Read the state before the file, as `answer` does. */
    bool finished = is_finished(daemon, body->container_id);
    size_t got = 0;
    int r = runtime_stat_log(daemon->runtime, body->container_id, body->file, &chunk->size_bytes,
                             &chunk->modified_ms, err);

    chunk->finished = finished;
    chunk->offset = body->offset;
    if (r == -ENOENT && is_known(daemon, body->container_id))
        return 0; /* the container has not started, or never will */
    if (r < 0)
        return r;
    if (body->from_end)
        chunk->offset = chunk->size_bytes > body->offset ? chunk->size_bytes - body->offset : 0;
    r = runtime_read_log(daemon->runtime, body->container_id, body->file, chunk->offset, data,
                         body->max_bytes < WIRE_CHUNK_MAX ? body->max_bytes : WIRE_CHUNK_MAX, &got,
                         &chunk->size_bytes, err);
    chunk->data = (ProtobufCBinaryData){ .len = got, .data = data };
    return r;
}

/* --- waiting ---------------------------------------------------------------------- */

struct check {
    struct daemon *daemon;
    const char *ended; /* only waits for this container, which has ended; NULL: all */
    size_t left;       /* bytes that may be sent in this turn */
};

static enum log_look check_wait(void *context, const struct log_wait *wait)
{
    struct check *check = context;

    if (check->ended && strcmp(wait->container_id, check->ended) != 0)
        return LOG_LOOK_WAITS;
    return answer(check->daemon, wait, check->ended || loop_monotonic_ms() >= wait->until_ms, &check->left);
}

static void check_waits(void *context)
{
    struct daemon *daemon = context;
    struct check check = { .daemon = daemon, .left = TURN_BYTES_MAX };
    bool all = log_waits_check(daemon->log_waits, check_wait, &check);

    if (log_waits_count(daemon->log_waits) > 0)
        loop_add_timer(daemon->loop, all ? LOOK_MS : 1, check_waits, daemon);
    else
        daemon->looking_at_logs = false;
}

/* Waits that are not answered here are looked at soon by the timer. */
void log_service_ended(struct daemon *daemon, const char *container_id)
{
    struct check check = { .daemon = daemon, .ended = container_id, .left = TURN_BYTES_MAX };

    (void)log_waits_check(daemon->log_waits, check_wait, &check);
}

static void note_refused(struct daemon *daemon, const struct log_wait *wait, const char *user)
{
    struct log_about about = { .container_id = wait->container_id, .node = daemon->node_id };
    char more[LOG_MORE_MAX];

    if (log_limit_pass(&daemon->log_waits_refused, more))
        log_about(
            &about, LOG_LEVEL_WARN,
            "container %s: user %s cannot wait for its log: %zu clients wait for logs, %d at most for all "
            "and %d for one user%s",
            wait->container_id, user, log_waits_count(daemon->log_waits), LOG_WAITS_MAX,
            LOG_WAITS_OF_USER_MAX, more);
}

static void wait_for_more(struct daemon *daemon, const struct log_wait *wait, const char *user)
{
    size_t left = TURN_BYTES_MAX;

    if (!log_waits_add(daemon->log_waits, wait, user)) {
        struct log_wait last = *wait;

        last.unread_until_ms = 0;
        note_refused(daemon, wait, user);
        (void)answer(daemon, &last, true,
                     &left); /* too many clients wait: this one must repeat its request */
        return;
    }
    if (daemon->looking_at_logs)
        return;
    daemon->looking_at_logs = true;
    loop_add_timer(daemon->loop, LOOK_MS, check_waits, daemon);
}

/* Converts an offset counted back from the end to one from the beginning. */
static uint64_t find_offset(struct daemon *daemon, const Creel__ReadLog *body)
{
    uint64_t size = 0;
    uint8_t byte;
    size_t got;

    if (!body->from_end)
        return body->offset;
    if (runtime_read_log(daemon->runtime, body->container_id, body->file, 0, &byte, 1, &got, &size, NULL) < 0)
        return 0;
    return size > body->offset ? size - body->offset : 0;
}

void log_service_read(struct daemon *daemon, const struct peer *peer, const Creel__Envelope *envelope)
{
    const Creel__ReadLog *body = envelope->read_log;
    uint32_t wait_ms = body->wait_ms < WAIT_MAX_MS ? body->wait_ms : WAIT_MAX_MS;
    struct log_wait wait = {
        .connection = peer->connection,
        .request_id = envelope->request_id,
        .max_bytes = body->max_bytes == 0               ? BYTES_DEFAULT
                     : body->max_bytes < WIRE_CHUNK_MAX ? body->max_bytes
                                                        : (uint32_t)WIRE_CHUNK_MAX,
        .until_ms = loop_monotonic_ms() + wait_ms,
        .unread_until_ms = loop_monotonic_ms() + wait_ms + UNREAD_WAIT_MS,
    };
    size_t left = TURN_BYTES_MAX;
    struct err err = { 0 };
    scoped_free char *user = NULL;
    int r = judge(daemon, envelope, &user, &err);

    if (r < 0) {
        log_service_refuse(daemon, peer, envelope, r, &err);
        return;
    }
    if (!runtime_is_log(body->file)) {
        channel_server_refuse(daemon->server, peer->connection, envelope->request_id,
                              CREEL__ERROR_CODE__ERROR_NOT_FOUND,
                              "%s: a container's logs are stdout and stderr", body->file);
        return;
    }
    snprintf(wait.container_id, sizeof(wait.container_id), "%s", body->container_id);
    snprintf(wait.file, sizeof(wait.file), "%s", body->file);
    wait.offset = find_offset(daemon, body);
    if (answer(daemon, &wait, wait_ms == 0, &left) == LOG_LOOK_WAITS)
        wait_for_more(daemon, &wait, user);
}
