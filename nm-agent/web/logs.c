/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.c - logs of containers: their list, and parts of them
 *
 * A part is chosen with size=N (the first N bytes), size=-N (the last N), or start=N&end=N, which count from
 * the end if they are negative. An answer has at most 1 MiB of a log. Without raw=1 the part has YARN's lines
 * before and after it. With raw=1 and none of these parameters, a header Range chooses the part.
 *
 * The agent may have logs of a container that it no longer lists, since its application has ended. If they
 * have moved, the answer leads to the log server (moved_logs.c), or is 404 and names the place.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "common/base/text.h"
#include "common/io/wire/wire.h"
#include "nm-agent/web/handlers.h"
#include "web/rest/parts/format.h"

#define NO_LIMIT INT64_MAX
#define LINE "====================================================================\n"
#define LAST_LINE "***********************************************************************\n\n"

static const char *const files[] = { "stdout", "stderr" };

#define FILES (sizeof(files) / sizeof(*files))

/* Returns the Unix time MS as "Tue Nov 24 14:24:43 +0000 2026". */
static const char *date_text(struct arena *arena, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    char text[64];
    struct tm parts;

    if (gmtime_r(&seconds, &parts) == NULL ||
        strftime(text, sizeof(text), "%a %b %d %H:%M:%S +0000 %Y", &parts) == 0)
        return "";
    return arena_strdup(arena, text);
}

/* --- the container ------------------------------------------------------------------ */

/* Sets *ID to the container that the address names; *CONTAINER is NULL if the agent does not list it. Returns
 * false after answering with 400 or 503. */
static bool find_owner(struct exchange *exchange, const char **id, const Creel__AgentContainer **container)
{
    const Creel__AgentSnapshot *node = node_state(exchange);

    if (node == NULL)
        return false;
    *id = node_container_id(exchange);
    if (*id == NULL) {
        rest_bad_request(exchange, arena_printf(exchange_arena(exchange), "invalid container id, %s",
                                                exchange_capture(exchange, 0)));
        return false;
    }
    *container = node_container_of(node, *id);
    return true;
}

/* --- the list ---------------------------------------------------------------------- */

/* The list needs one answer of the agent for each file. */
struct list {
    const char *container_id, *node_id;
    bool is_listed;      /* the agent lists the container: it may have no logs yet */
    const char *missing; /* why the first missing log is not there */
    size_t done;
    uint64_t sizes[FILES];
    int64_t modified_ms[FILES];
};

static void ask_size(struct exchange *exchange, struct list *list);

static void send_list(struct exchange *exchange, const struct list *list)
{
    struct arena *arena = exchange_arena(exchange);
    struct document *document;
    size_t written = 0;

    for (size_t i = 0; i < FILES; i++)
        written += list->modified_ms[i] != 0;
    if (written == 0 && !list->is_listed) {
        if (!node_redirect_rest(exchange, list->container_id, NULL))
            rest_not_found(exchange, list->missing);
        return;
    }
    document = rest_begin_plain(exchange, "containerLogsInfo", REST_NATURAL);
    if (document == NULL)
        return;
    document_begin_list(document, "containerLogInfo", written);
    for (size_t i = 0; i < FILES; i++) {
        if (list->modified_ms[i] == 0)
            continue; /* it does not exist yet */
        document_begin(document, NULL);
        document_text(document, "fileName", files[i]);
        document_text(document, "fileSize", arena_printf(arena, "%" PRIu64, list->sizes[i]));
        document_text(document, "lastModifiedTime", date_text(arena, list->modified_ms[i]));
        document_end(document);
    }
    document_end_list(document);
    document_text(document, "logAggregationType", "LOCAL");
    document_text(document, "containerId", list->container_id);
    document_text(document, "nodeId", list->node_id);
    rest_send(exchange, 200, document);
}

static void handle_size(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct list *list = context;

    if (reply->body_case == CREEL__ENVELOPE__BODY_LOG_CHUNK) {
        list->sizes[list->done] = reply->log_chunk->size_bytes;
        list->modified_ms[list->done] = reply->log_chunk->modified_ms;
    } else if (reply->error->code != CREEL__ERROR_CODE__ERROR_NOT_FOUND) {
        rest_upstream_error(exchange, reply->error);
        return;
    } else if (list->missing == NULL) {
        list->missing = arena_strdup(exchange_arena(exchange), reply->error->message);
    }
    if (++list->done < FILES)
        ask_size(exchange, list);
    else
        send_list(exchange, list);
}

static void ask_size(struct exchange *exchange, struct list *list)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ReadLog body = CREEL__READ_LOG__INIT;

    body.container_id = (char *)(uintptr_t)list->container_id;
    body.file = (char *)(uintptr_t)files[list->done];
    query.body_case = CREEL__ENVELOPE__BODY_READ_LOG;
    query.read_log = &body;
    exchange_ask(exchange, &query, handle_size, list);
}

void node_logs(struct exchange *exchange)
{
    const Creel__AgentContainer *container;
    struct arena *arena = exchange_arena(exchange);
    const char *id;
    struct list *list;

    if (!find_owner(exchange, &id, &container))
        return;
    list = arena_new0(arena, struct list);
    list->container_id = id;
    list->is_listed = container != NULL;
    list->node_id = arena_strdup(arena, node_state(exchange)->node_id);
    ask_size(exchange, list);
}

/* --- a part ------------------------------------------------------------------------ */

struct part {
    const char *container_id, *node_id, *file;
    bool is_raw, is_download;
    bool is_running;
    bool is_range; /* chosen by the header Range: the answer may be shorter */
    bool from_end;
    int64_t offset, length; /* NO_LIMIT: to the end */
};

/* Reads parameter NAME. Returns false after answering with 400. */
static bool read_number(struct exchange *exchange, const char *name, bool *is_set, int64_t *value)
{
    const char *text = exchange_parameter(exchange, name, 0);

    *is_set = text != NULL;
    if (text == NULL || (text_parse_int64(text, value) && *value > -NO_LIMIT))
        return true;
    rest_bad_request(exchange, arena_printf(exchange_arena(exchange), "%s: not a number: %s", name, text));
    return false;
}

/* Sets the part from START to END. Returns false after answering with 400. */
static bool choose(struct exchange *exchange, struct part *part, int64_t start, int64_t end)
{
    part->from_end = start < 0;
    part->offset = start < 0 ? -start : start;
    if (end == NO_LIMIT) {
        part->length = NO_LIMIT;
        return true;
    }
    if ((start < 0) != (end < 0) || end < start) {
        rest_bad_request(exchange, "end must be after start, and count from the same side of the log");
        return false;
    }
    part->length = end - start;
    return true;
}

static bool read_part(struct exchange *exchange, struct part *part)
{
    int64_t size = 0, start = 0, end = NO_LIMIT;
    bool has_size, has_start, has_end;

    if (!read_number(exchange, "size", &has_size, &size) ||
        !read_number(exchange, "start", &has_start, &start) || !read_number(exchange, "end", &has_end, &end))
        return false;
    if (has_size)
        return size < 0 ? choose(exchange, part, size, NO_LIMIT) : choose(exchange, part, 0, size);
    return choose(exchange, part, start, end);
}

/* Reads the bound of a range at *TEXT, and moves *TEXT behind it. Returns -1 if there is no number. */
static int64_t read_bound(const char **text)
{
    const char *at = *text;
    int64_t value = 0;

    if (*at < '0' || *at > '9')
        return -1;
    for (; *at >= '0' && *at <= '9'; at++)
        value = value < NO_LIMIT / 10 - 9 ? value * 10 + (*at - '0') : value;
    *text = at;
    return value;
}

/* Sets the part that the header Range chooses: "bytes=0-99", "bytes=100-" or "bytes=-100". A header with
 * another form, or more than one range, has no effect (RFC 9110, 14.2). */
static void read_range(struct exchange *exchange, struct part *part)
{
    const char *text = exchange_header(exchange, "Range");
    int64_t first, last;

    if (text == NULL || !text_has_prefix(text, "bytes="))
        return;
    text += strlen("bytes=");
    first = read_bound(&text);
    if (*text++ != '-')
        return;
    last = read_bound(&text);
    if (*text != '\0' || (first < 0 && last < 0) || (first >= 0 && last >= 0 && last < first))
        return;
    part->is_range = true;
    part->from_end = first < 0;
    part->offset = first < 0 ? last : first;
    part->length = first >= 0 && last >= 0 ? last - first + 1 : NO_LIMIT;
    if (part->length > (int64_t)WIRE_CHUNK_MAX)
        part->length = (int64_t)WIRE_CHUNK_MAX;
}

static const char *type_of(const struct part *part)
{
    return part->is_download ? "application/octet-stream; charset=utf-8" : "text/plain;charset=utf-8";
}

static void send_framed(struct exchange *exchange, const struct part *part, const Creel__LogChunk *chunk)
{
    struct arena *arena = exchange_arena(exchange);
    const char *head =
        arena_printf(arena,
                     "Container: %s on %s\nLogAggregationType: LOCAL\n" LINE
                     "LogType:%s\nLogLastModifiedTime:%s\nLogLength:%" PRIu64 "\nLogContents:\n",
                     part->container_id, part->node_id, part->file, date_text(arena, chunk->modified_ms),
                     chunk->size_bytes);
    const char *tail =
        part->is_running
            ? arena_printf(arena,
                           "End of LogType:%s.This log file belongs to a running container (%s) and "
                           "so may not be complete.\n" LAST_LINE,
                           part->file, part->container_id)
            : arena_printf(arena, "End of LogType:%s\n" LAST_LINE, part->file);
    size_t head_size = strlen(head), tail_size = strlen(tail), size = chunk->data.len;
    char *bytes = arena_alloc0(arena, head_size + size + tail_size);

    memcpy(bytes, head, head_size);
    if (size > 0)
        memcpy(bytes + head_size, chunk->data.data, size);
    memcpy(bytes + head_size + size, tail, tail_size);
    exchange_answer(exchange, 200, type_of(part), bytes, head_size + size + tail_size);
}

/* Cuts CHUNK at the end of PART. Needed if PART counts from the end and begins before the log: then CHUNK
 * begins at 0, and has bytes beyond that end. */
static void cut_end(const struct part *part, Creel__LogChunk *chunk)
{
    int64_t left = (int64_t)chunk->size_bytes - (int64_t)chunk->offset; /* from the begin of CHUNK on */
    int64_t size;

    if (!part->from_end || part->length == NO_LIMIT)
        return;
    size = left - (part->offset - part->length); /* without the bytes behind the end of PART */
    if (size < (int64_t)chunk->data.len)
        chunk->data.len = size > 0 ? (size_t)size : 0;
}

static void send_range(struct exchange *exchange, const struct part *part, const Creel__LogChunk *chunk)
{
    struct arena *arena = exchange_arena(exchange);

    if (chunk->data.len == 0) {
        exchange_add_header(exchange, "Content-Range",
                            arena_printf(arena, "bytes */%" PRIu64, chunk->size_bytes));
        exchange_answer(exchange, 416, NULL, NULL, 0);
        return;
    }
    exchange_add_header(exchange, "Content-Range",
                        arena_printf(arena, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, chunk->offset,
                                     chunk->offset + chunk->data.len - 1, chunk->size_bytes));
    exchange_answer(exchange, 206, type_of(part), chunk->data.data, chunk->data.len);
}

static void send_raw(struct exchange *exchange, const struct part *part, const Creel__LogChunk *chunk)
{
    exchange_add_header(exchange, "Accept-Ranges", "bytes");
    if (part->is_range)
        send_range(exchange, part, chunk);
    else
        exchange_answer(exchange, 200, type_of(part), chunk->data.data, chunk->data.len);
}

/* Answers as YARN if a log is not there: with text. */
static void send_missing(struct exchange *exchange, const char *message)
{
    const char *text = arena_printf(exchange_arena(exchange), "java.lang.Exception: %s", message);

    exchange_answer(exchange, 404, "text/plain;charset=utf-8", text, strlen(text));
}

static void send_error(struct exchange *exchange, const struct part *part, const Creel__Error *error)
{
    if (error->code != CREEL__ERROR_CODE__ERROR_NOT_FOUND)
        rest_upstream_error(exchange, error);
    else if (!node_redirect_rest(exchange, part->container_id, part->file))
        send_missing(exchange, error->message);
}

static void send_part(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const struct part *part = context;
    const Creel__LogChunk *chunk = reply->log_chunk;
    Creel__LogChunk cut;

    if (reply->body_case != CREEL__ENVELOPE__BODY_LOG_CHUNK) {
        send_error(exchange, part, reply->error);
        return;
    }
    if (!part->is_range && part->length == NO_LIMIT && chunk->offset + chunk->data.len < chunk->size_bytes &&
        chunk->data.len == WIRE_CHUNK_MAX) {
        rest_refuse(exchange, 413,
                    arena_printf(exchange_arena(exchange),
                                 "the log has %" PRIu64
                                 " bytes, and an answer at most %zu: choose a part with "
                                 "start and end, or with size",
                                 chunk->size_bytes, WIRE_CHUNK_MAX));
        return;
    }
    cut = *chunk;
    cut_end(part, &cut);
    exchange_add_header(exchange, "Content-Security-Policy", "default-src 'none'; sandbox");
    exchange_add_header(exchange, "Creel-Log-Size",
                        arena_printf(exchange_arena(exchange), "%" PRIu64, chunk->size_bytes));
    exchange_add_header(exchange, "Creel-Log-Offset",
                        arena_printf(exchange_arena(exchange), "%" PRIu64, chunk->offset));
    if (chunk->finished)
        exchange_add_header(exchange, "Creel-Log-Complete", "true");
    if (part->is_raw)
        send_raw(exchange, part, &cut);
    else
        send_framed(exchange, part, &cut);
}

static bool is_file(const char *name)
{
    for (size_t i = 0; i < FILES; i++)
        if (strcmp(files[i], name) == 0)
            return true;
    return false;
}

static void ask_part(struct exchange *exchange, struct part *part)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ReadLog body = CREEL__READ_LOG__INIT;

    body.container_id = (char *)(uintptr_t)part->container_id;
    body.file = (char *)(uintptr_t)part->file;
    body.offset = (uint64_t)part->offset;
    body.from_end = part->from_end;
    body.max_bytes =
        (uint32_t)(part->length < (int64_t)WIRE_CHUNK_MAX ? part->length : (int64_t)WIRE_CHUNK_MAX);
    query.body_case = CREEL__ENVELOPE__BODY_READ_LOG;
    query.read_log = &body;
    exchange_ask(exchange, &query, send_part, part);
}

static bool is_format(const char *text)
{
    return text == NULL || text_equal(text, "text") || text_equal(text, "octet-stream");
}

/* Returns whether parameters choose a part. */
static bool has_part(const struct exchange *exchange)
{
    static const char *const names[] = { "size", "start", "end" };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (exchange_parameter(exchange, names[i], 0) != NULL)
            return true;
    return false;
}

void node_log(struct exchange *exchange)
{
    const Creel__AgentContainer *container;
    struct arena *arena = exchange_arena(exchange);
    const char *file = exchange_capture(exchange, 1), *raw, *format, *id;
    struct part *part;

    if (!find_owner(exchange, &id, &container))
        return;
    format = exchange_parameter(exchange, "format", 0);
    if (!is_format(format)) {
        rest_send_text(exchange, 400, "The valid values for the parameter : format are [text, octet-stream]");
        return;
    }
    if (!is_file(file)) {
        send_missing(exchange, "Cannot find this log on the local disk.");
        return;
    }
    part = arena_new0(arena, struct part);
    if (!read_part(exchange, part))
        return;
    if (part->length != NO_LIMIT && part->length > (int64_t)WIRE_CHUNK_MAX) {
        rest_refuse(exchange, 413, "an answer has at most 1048576 bytes of a log");
        return;
    }
    raw = exchange_parameter(exchange, "raw", 0);
    part->is_raw = text_equal(raw, "1");
    if (part->is_raw && !has_part(exchange))
        read_range(exchange, part);
    part->is_download = text_equal(format, "octet-stream");
    part->container_id = id;
    part->node_id = arena_strdup(arena, node_state(exchange)->node_id);
    part->file = arena_strdup(arena, file);
    part->is_running = container != NULL && container->phase <= CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING;
    ask_part(exchange, part);
}
