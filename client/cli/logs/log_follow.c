/* SPDX-License-Identifier: Apache-2.0 */
/* log_follow.c - follows many log files at once, complete and line by line, pure (no I/O, no clock) */
#include "client/cli/logs/log_follow.h"

#include <stdio.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "client/cli/logs/line_buffer.h"
#include "client/libcreel/early_answer.h"
#include "common/base/mem.h"
#include "common/proto/log_access.h"

#define POLL_MS 10000    /* maximum time that an agent delays an answer */
#define BUSY_POLL_MS 200 /* the same if more than READS_MAX logs are read */
#define ANSWER_MS 3000   /* additional time, then the read is repeated */
#define RETRY_MS 300     /* pause after a temporary error */
#define READS_MAX 64     /* reads at a time per agent */
#define CHUNK_BYTES ((uint32_t)256 << 10)
#define GIVE_UP_MS 30000     /* silence of the agent after the container ended, then given up */
#define GIVE_UP_LOST_MS 4000 /* the same if the node was lost */
#define FIRST_ID \
    ((uint64_t)1 << 62) /* first request id of reads, distinct from ids of other users of
                           the channels */

enum stream_state { STREAM_QUEUED, STREAM_ASKED, STREAM_RESTING, STREAM_DONE };

struct stream {
    struct source *source;
    bool is_stderr;
    enum stream_state state;
    uint64_t offset;
    uint64_t request_id; /* ASKED: id of the unanswered read */
    bool asked_at_end;   /* ASKED: the container had ended before the read was sent */
    int64_t due_ms;      /* ASKED: time to repeat; RESTING: time to read again */
    int64_t asked_ms;    /* when the last read was sent, and how long it may wait */
    uint32_t wait_ms;
    struct early_answers early;
    struct line_buffer lines;
    TAILQ_ENTRY(stream) link; /* QUEUED: in the agent's queue; RESTING, ASKED: in timed */
    UT_hash_handle hh;        /* ASKED: by request id */
};

TAILQ_HEAD(stream_queue, stream);

struct agent {
    char *address, *key, *node_id;
    ProtobufCBinaryData token; /* for all sources without a token of their own; empty: none yet */
    bool wants_token;          /* in WANTING or ASKED_FOR of the log_follow */
    TAILQ_ENTRY(agent) link;
    struct stream_queue queued;
    uint32_t asked, streams;
    int64_t answered_ms; /* time of the last answer of any kind */
    UT_hash_handle hh;
};

struct source {
    char *container_id, *node_id, *label;
    ProtobufCBinaryData token;
    struct agent *agent;
    bool ended, lost;
    int64_t ended_ms;
    struct stream streams[2];
    UT_hash_handle hh;
};

struct log_follow {
    struct log_follow_calls calls;
    struct source *sources;    /* hash by container id */
    struct agent *agents;      /* hash by address */
    struct stream *asked;      /* hash by request id */
    struct stream_queue timed; /* not ordered; see on_timer */
    uint64_t last_id;
    uint32_t open;                          /* streams not in state DONE */
    TAILQ_HEAD(, agent) wanting, asked_for; /* agents without a token: not yet requested; requested */
    int64_t next_ms;                        /* not later than the earliest due_ms in TIMED */
};

struct log_follow *log_follow_new(const struct log_follow_calls *calls)
{
    struct log_follow *follow = mem_new0(struct log_follow);

    follow->calls = *calls;
    follow->last_id = FIRST_ID;
    follow->next_ms = INT64_MAX;
    TAILQ_INIT(&follow->timed);
    TAILQ_INIT(&follow->wanting);
    TAILQ_INIT(&follow->asked_for);
    return follow;
}

void log_follow_free(struct log_follow *follow)
{
    struct source *source, *next_source;
    struct agent *agent, *next_agent;

    if (!follow)
        return;
    HASH_CLEAR(hh, follow->asked);
    HASH_ITER(hh, follow->sources, source, next_source) {
        HASH_DEL(follow->sources, source);
        line_buffer_done(&source->streams[0].lines);
        line_buffer_done(&source->streams[1].lines);
        free(source->container_id);
        free(source->node_id);
        free(source->label);
        free(source->token.data);
        free(source);
    }
    HASH_ITER(hh, follow->agents, agent, next_agent) {
        HASH_DEL(follow->agents, agent);
        free(agent->address);
        free(agent->key);
        free(agent->node_id);
        free(agent->token.data);
        free(agent);
    }
    free(follow);
}

/* --- states of a stream ----------------------------------------------------- */

static void leave_state(struct log_follow *follow, struct stream *stream)
{
    switch (stream->state) {
    case STREAM_QUEUED:
        TAILQ_REMOVE(&stream->source->agent->queued, stream, link);
        break;
    case STREAM_ASKED:
        HASH_DEL(follow->asked, stream);
        stream->source->agent->asked--;
        TAILQ_REMOVE(&follow->timed, stream, link);
        break;
    case STREAM_RESTING:
        TAILQ_REMOVE(&follow->timed, stream, link);
        break;
    case STREAM_DONE:
        break;
    }
}

static void set_due(struct log_follow *follow, struct stream *stream, int64_t due_ms)
{
    stream->due_ms = due_ms;
    if (due_ms < follow->next_ms)
        follow->next_ms = due_ms;
    TAILQ_INSERT_TAIL(&follow->timed, stream, link);
}

static void queue_stream(struct log_follow *follow, struct stream *stream)
{
    leave_state(follow, stream);
    stream->state = STREAM_QUEUED;
    TAILQ_INSERT_TAIL(&stream->source->agent->queued, stream, link);
}

static void rest_stream_until(struct log_follow *follow, struct stream *stream, int64_t due_ms)
{
    leave_state(follow, stream);
    stream->state = STREAM_RESTING;
    set_due(follow, stream, due_ms);
}

static void rest_stream(struct log_follow *follow, struct stream *stream, int64_t now_ms)
{
    rest_stream_until(follow, stream, now_ms + RETRY_MS);
}

static void write_lines(void *context, const char *data, size_t size)
{
    const struct stream *stream = ((void **)context)[1];
    struct log_follow *follow = ((void **)context)[0];

    follow->calls.write(follow->calls.context, stream->is_stderr, data, size);
}

static void end_stream(struct log_follow *follow, struct stream *stream)
{
    void *both[2] = { follow, stream };

    leave_state(follow, stream);
    stream->state = STREAM_DONE;
    line_buffer_flush(&stream->lines, stream->source->label, write_lines, both);
    line_buffer_done(&stream->lines);
    stream->source->agent->streams--;
    follow->open--;
}

/* --- reads ------------------------------------------------------------------ */

static const ProtobufCBinaryData *token_of(const struct source *source)
{
    return source->token.len ? &source->token : &source->agent->token;
}

static void set_token(ProtobufCBinaryData *token, const ProtobufCBinaryData *given)
{
    free(token->data);
    token->data = mem_dup(given->data, given->len);
    token->len = given->len;
}

static void want_token(struct log_follow *follow, struct agent *agent)
{
    if (agent->wants_token)
        return;
    agent->wants_token = true;
    agent->token.len = 0;
    TAILQ_INSERT_TAIL(&follow->wanting, agent, link);
}

static void ask(struct log_follow *follow, struct stream *stream, int64_t now_ms)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ReadLog read = CREEL__READ_LOG__INIT;
    struct source *source = stream->source;
    char file[8];

    snprintf(file, sizeof(file), "%s", stream->is_stderr ? "stderr" : "stdout");
    leave_state(follow, stream);
    stream->state = STREAM_ASKED;
    stream->request_id = ++follow->last_id;
    stream->asked_at_end = source->ended;
    HASH_ADD(hh, follow->asked, request_id, sizeof(stream->request_id), stream);
    source->agent->asked++;
    read.container_id = source->container_id;
    read.file = file;
    read.offset = stream->offset;
    read.max_bytes = CHUNK_BYTES;
    read.wait_ms = source->ended ? 0 : source->agent->streams > READS_MAX ? BUSY_POLL_MS : POLL_MS;
    stream->asked_ms = now_ms;
    stream->wait_ms = read.wait_ms;
    set_due(follow, stream, now_ms + read.wait_ms + ANSWER_MS);
    envelope.request_id = stream->request_id;
    envelope.token = *token_of(source);
    envelope.body_case = CREEL__ENVELOPE__BODY_READ_LOG;
    envelope.read_log = &read;
    follow->calls.send(follow->calls.context, source->agent->address, source->agent->key, &envelope);
}

static void ask_agent(struct log_follow *follow, struct agent *agent, int64_t now_ms)
{
    struct stream *stream;

    while (agent->asked < READS_MAX && (stream = TAILQ_FIRST(&agent->queued))) {
        if (!token_of(stream->source)->len) {
            want_token(follow, agent);
            return; /* waits for a token */
        }
        ask(follow, stream, now_ms);
    }
}

static struct agent *find_agent(struct log_follow *follow, const char *address, const char *key,
                                const char *node_id)
{
    struct agent *agent;

    HASH_FIND_STR(follow->agents, address, agent);
    if (agent)
        return agent;
    agent = mem_new0(struct agent);
    agent->address = mem_strdup(address);
    agent->key = mem_strdup(key);
    agent->node_id = mem_strdup(node_id);
    TAILQ_INIT(&agent->queued);
    HASH_ADD_KEYPTR(hh, follow->agents, agent->address, strlen(agent->address), agent);
    return agent;
}

static void begin_stream(struct log_follow *follow, struct source *source, bool is_stderr, bool wanted,
                         uint64_t offset)
{
    struct stream *stream = &source->streams[is_stderr];

    stream->source = source;
    stream->is_stderr = is_stderr;
    stream->offset = offset;
    stream->state = STREAM_DONE;
    if (!wanted)
        return;
    follow->open++;
    source->agent->streams++;
    queue_stream(follow, stream);
}

void log_follow_add(struct log_follow *follow, int64_t now_ms, const struct log_source *given)
{
    struct source *source;

    HASH_FIND_STR(follow->sources, given->container_id, source);
    if (source) {
        if (given->token.len)
            set_token(&source->token, &given->token);
        return;
    }
    source = mem_new0(struct source);
    source->container_id = mem_strdup(given->container_id);
    source->node_id = mem_strdup(given->node_id);
    source->label = mem_strdup(given->label);
    if (given->token.len)
        set_token(&source->token, &given->token);
    source->agent = find_agent(follow, given->address, given->agent_key, given->node_id);
    HASH_ADD_KEYPTR(hh, follow->sources, source->container_id, strlen(source->container_id), source);
    begin_stream(follow, source, false, !given->no_stdout, given->stdout_offset);
    begin_stream(follow, source, true, !given->no_stderr, given->stderr_offset);
    ask_agent(follow, source->agent, now_ms);
}

void log_follow_ended(struct log_follow *follow, int64_t now_ms, const char *container_id, bool lost)
{
    struct source *source;

    HASH_FIND_STR(follow->sources, container_id, source);
    if (!source || source->ended)
        return;
    source->ended = true;
    source->lost = lost;
    source->ended_ms = now_ms;
    for (int i = 0; i < 2; i++) { /* unanswered long polls now return soon: shorten their timeout */
        struct stream *stream = &source->streams[i];

        if (stream->state == STREAM_ASKED && stream->due_ms > now_ms + ANSWER_MS)
            stream->due_ms = now_ms + ANSWER_MS;
        if (stream->state == STREAM_RESTING)
            follow->next_ms = stream->due_ms = now_ms;
    }
    if (now_ms + ANSWER_MS < follow->next_ms)
        follow->next_ms = now_ms + ANSWER_MS;
}

size_t log_follow_needs_tokens(struct log_follow *follow, char *nodes[WIRE_LOG_NODES_MAX])
{
    struct agent *agent;
    size_t count = 0;

    while (count < WIRE_LOG_NODES_MAX && (agent = TAILQ_FIRST(&follow->wanting)) != NULL) {
        TAILQ_REMOVE(&follow->wanting, agent, link);
        TAILQ_INSERT_TAIL(&follow->asked_for, agent, link);
        nodes[count++] = agent->node_id;
    }
    return count;
}

void log_follow_set_tokens(struct log_follow *follow, int64_t now_ms, const Creel__LogAccess *access)
{
    struct agent *agent;

    for (size_t i = 0; (agent = TAILQ_FIRST(&follow->asked_for)) != NULL; i++) {
        TAILQ_REMOVE(&follow->asked_for, agent, link);
        agent->wants_token = false;
        set_token(&agent->token, log_access_token(access, i));
        ask_agent(follow, agent, now_ms);
    }
}

/* --- answers ---------------------------------------------------------------- */

static void give_up(struct log_follow *follow, struct stream *stream, const char *why)
{
    scoped_free char *text =
        mem_printf("%s of %s may be incomplete: %s", stream->is_stderr ? "stderr" : "stdout",
                   stream->source->container_id, why);

    end_stream(follow, stream);
    follow->calls.trouble(follow->calls.context, text);
}

static void handle_chunk(struct log_follow *follow, struct stream *stream, int64_t now_ms,
                         const Creel__LogChunk *chunk)
{
    int64_t pause_ms = early_answer_pause(&stream->early, chunk->data.len > 0 || chunk->finished,
                                          now_ms - stream->asked_ms, stream->wait_ms);
    void *both[2] = { follow, stream };
    const uint8_t *data = chunk->data.data;
    size_t size = chunk->data.len;

    if (chunk->offset > stream->offset && size) {
        give_up(follow, stream, "its agent skipped a part");
        return;
    }
    if (size && chunk->offset + size > stream->offset) {
        size_t known = (size_t)(stream->offset - chunk->offset);

        line_buffer_add(&stream->lines, stream->source->label, (const char *)data + known, size - known,
                        write_lines, both);
        stream->offset += size - known;
    }
    if (chunk->finished && stream->offset >= chunk->size_bytes)
        end_stream(follow, stream);
    else if (pause_ms > 0)
        rest_stream_until(follow, stream, now_ms + pause_ms);
    else
        queue_stream(follow, stream);
}

static void handle_error(struct log_follow *follow, struct stream *stream, int64_t now_ms,
                         const Creel__Error *error)
{
    struct source *source = stream->source;

    switch (error->code) {
    case CREEL__ERROR_CODE__ERROR_NOT_PERMITTED:
        if (!source->token.len) {
            want_token(follow, source->agent);
            rest_stream(follow, stream, now_ms);
            return;
        }
        break;
    case CREEL__ERROR_CODE__ERROR_UNAVAILABLE:
        rest_stream(follow, stream, now_ms);
        return;
    case CREEL__ERROR_CODE__ERROR_NOT_FOUND:
        if (!stream->asked_at_end) { /* the file does not exist yet */
            rest_stream(follow, stream, now_ms);
            return;
        }
        break;
    default:
        break;
    }
    give_up(follow, stream, error->message);
}

void log_follow_receive(struct log_follow *follow, int64_t now_ms, const Creel__Envelope *envelope)
{
    struct stream *stream;
    struct agent *agent;

    HASH_FIND(hh, follow->asked, &envelope->request_id, sizeof(envelope->request_id), stream);
    if (!stream)
        return;
    agent = stream->source->agent;
    agent->answered_ms = now_ms;
    if (envelope->body_case == CREEL__ENVELOPE__BODY_LOG_CHUNK)
        handle_chunk(follow, stream, now_ms, envelope->log_chunk);
    else if (envelope->body_case == CREEL__ENVELOPE__BODY_ERROR)
        handle_error(follow, stream, now_ms, envelope->error);
    ask_agent(follow, agent, now_ms);
}

/* Returns the time at which an ended source is given up if its agent stays silent. */
static int64_t patience_ends_ms(const struct source *source)
{
    int64_t since_ms =
        source->agent->answered_ms > source->ended_ms ? source->agent->answered_ms : source->ended_ms;

    return since_ms + (source->lost ? GIVE_UP_LOST_MS : GIVE_UP_MS);
}

static void give_up_silent(struct log_follow *follow, int64_t now_ms)
{
    struct source *source;

    for (source = follow->sources; source; source = source->hh.next) {
        scoped_free char *why = NULL;

        if (!source->ended || now_ms < patience_ends_ms(source))
            continue;
        why = mem_printf("the agent of %s does not answer", source->node_id);
        for (int i = 0; i < 2; i++)
            if (source->streams[i].state != STREAM_DONE)
                give_up(follow, &source->streams[i], why);
    }
}

static void renew_deadline(struct log_follow *follow)
{
    const struct source *source;
    const struct stream *stream;

    follow->next_ms = INT64_MAX;
    TAILQ_FOREACH(stream, &follow->timed, link)
        if (stream->due_ms < follow->next_ms)
            follow->next_ms = stream->due_ms;
    for (source = follow->sources; source; source = source->hh.next) {
        int64_t due = patience_ends_ms(source);
        bool open = source->streams[0].state != STREAM_DONE || source->streams[1].state != STREAM_DONE;

        if (source->ended && open && due < follow->next_ms)
            follow->next_ms = due;
    }
}

void log_follow_on_timer(struct log_follow *follow, int64_t now_ms)
{
    struct stream *stream, *next;
    struct agent *agent;

    if (now_ms < follow->next_ms)
        return;
    for (stream = TAILQ_FIRST(&follow->timed); stream; stream = next) {
        next = TAILQ_NEXT(stream, link);
        if (stream->due_ms <= now_ms)
            queue_stream(follow, stream);
    }
    give_up_silent(follow, now_ms);
    for (agent = follow->agents; agent; agent = agent->hh.next)
        ask_agent(follow, agent, now_ms);
    renew_deadline(follow);
}

int64_t log_follow_next_deadline_ms(const struct log_follow *follow)
{
    return follow->next_ms;
}

bool log_follow_is_idle(const struct log_follow *follow)
{
    return follow->open == 0;
}
