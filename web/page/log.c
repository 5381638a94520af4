/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - /cluster/app/ID/logs/CONTAINER/FILE: the end of what a container wrote
 *
 * The resource manager returns the node of the container and a token to read, for the user of the request;
 * the agent returns the bytes. The page refreshes itself like other pages. With raw=1 only the bytes are
 * sent, as text in a sandbox.
 */
#include <inttypes.h>
#include <string.h>

#include "common/base/id.h"
#include "common/proto/log_access.h"
#include "web/page/frame.h"
#include "web/page/pages.h"
#include "web/page/page_text.h"
#include "web/text/log_text.h"

#define TAIL_BYTES 65536u
#define RAW_BYTES (1024u * 1024u)

struct log {
    struct exchange *exchange;
    const char *app_id, *container_id, *file;
    const char *address, *key; /* address and public key of the agent */
};

/* --- answers ----------------------------------------------------------------- */

static int status_of(const Creel__Error *error)
{
    switch (error->code) {
    case CREEL__ERROR_CODE__ERROR_NOT_FOUND:
        return 404;
    case CREEL__ERROR_CODE__ERROR_NOT_PERMITTED:
        return 403;
    case CREEL__ERROR_CODE__ERROR_UNAVAILABLE:
        return 503;
    default:
        return 400;
    }
}

/* Returns whether REPLY has a body of kind BODY; if not, answers with an error. */
static bool expect(struct exchange *exchange, const Creel__Envelope *reply, Creel__Envelope__BodyCase body)
{
    if (reply->body_case == body)
        return true;
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        exchange_refuse(exchange, status_of(reply->error), reply->error->message);
    else
        exchange_refuse(exchange, 502, "The reply was not the expected one.");
    return false;
}

static bool is_raw(struct exchange *exchange)
{
    const char *raw = exchange_parameter(exchange, "raw", 0);

    return raw != NULL && strcmp(raw, "1") == 0;
}

static void send_raw(struct exchange *exchange, const Creel__LogChunk *chunk)
{
    exchange_add_header(exchange, "Content-Security-Policy", "default-src 'none'; sandbox");
    exchange_answer(exchange, 200, "text/plain; charset=utf-8", chunk->data.data, chunk->data.len);
}

static void add_text(struct page *page, const Creel__LogChunk *chunk)
{
    const unsigned char *bytes = chunk->data.data;
    size_t size = chunk->data.len;
    const unsigned char *newline = chunk->offset > 0 ? memchr(bytes, '\n', size) : NULL;

    if (newline != NULL) { /* skip the first line, which is incomplete */
        size -= (size_t)(newline + 1 - bytes);
        bytes = newline + 1;
    }
    html_add(&page->html, "<pre class=\"log\">%s</pre>", log_text_clean(page->arena, bytes, size));
}

static void send_page(const struct log *log, const Creel__LogChunk *chunk)
{
    struct arena *arena = exchange_arena(log->exchange);
    struct page *page = arena_new0(arena, struct page);
    const char *other = strcmp(log->file, "stdout") == 0 ? "stderr" : "stdout";

    if (!page_begin(page, log->exchange, MENU_APPS, log->file, false))
        return;
    html_add(&page->html, "<p class=\"subtitle\"><span class=\"id\">%s</span> of ", log->container_id);
    page_app_link(page, log->app_id);
    html_add(&page->html, " · <a href=\"%s\">%s</a> · <a href=\"%s?raw=1\">as text</a></p>\n", other, other,
             html_url(arena, log->file));
    html_add(&page->html, "<section id=\"log\" class=\"live wide\"><p class=\"foot\">%s%s%s</p>",
             chunk->offset > 0 ? "The end of " : "", page_text_bytes(arena, chunk->size_bytes),
             chunk->finished ? ", complete: the container has ended" : "");
    if (chunk->size_bytes == 0)
        html_add(&page->html, "<p class=\"note\">Nothing was written%s.</p>", chunk->finished ? "" : " yet");
    else
        add_text(page, chunk);
    html_add(&page->html, "</section>\n");
    page_send(page);
}

/* --- questions --------------------------------------------------------------- */

static void handle_chunk(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    if (!expect(exchange, reply, CREEL__ENVELOPE__BODY_LOG_CHUNK))
        return;
    if (is_raw(exchange))
        send_raw(exchange, reply->log_chunk);
    else
        send_page(context, reply->log_chunk);
}

static void handle_access(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct log *log = context;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ReadLog body = CREEL__READ_LOG__INIT;

    if (!expect(exchange, reply, CREEL__ENVELOPE__BODY_LOG_ACCESS))
        return;
    if (log_access_token(reply->log_access, 0)->len == 0) {
        exchange_refuse(exchange, 502, "The reply has no token for the node of the container.");
        return;
    }
    body.container_id = (char *)(uintptr_t)log->container_id;
    body.file = (char *)(uintptr_t)log->file;
    body.from_end = true;
    body.max_bytes = is_raw(exchange) ? RAW_BYTES : TAIL_BYTES;
    body.offset = body.max_bytes;
    query.token = *log_access_token(reply->log_access, 0);
    query.body_case = CREEL__ENVELOPE__BODY_READ_LOG;
    query.read_log = &body;
    exchange_ask_agent(exchange, log->address, log->key, &query, handle_chunk, log);
}

static void handle_container(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct log *log = context;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetLogAccess body = CREEL__GET_LOG_ACCESS__INIT;
    const Creel__ContainerReport *container;

    if (!expect(exchange, reply, CREEL__ENVELOPE__BODY_CONTAINER_LIST))
        return;
    container = reply->container_list->n_containers > 0 ? reply->container_list->containers[0] : NULL;
    if (container == NULL || strcmp(container->app_id, log->app_id) != 0 ||
        *container->node_address == '\0') {
        exchange_refuse(exchange, 404, "There is no such container, or its node is not known any more.");
        return;
    }
    log->address = arena_strdup(exchange_arena(exchange), container->node_address);
    log->key = arena_strdup(exchange_arena(exchange), container->agent_key);
    body.app_id = (char *)(uintptr_t)log->app_id;
    body.nodes = (char **)(uintptr_t)&container->node_id;
    body.n_nodes = 1;
    query.body_case = CREEL__ENVELOPE__BODY_GET_LOG_ACCESS;
    query.get_log_access = &body;
    exchange_ask(exchange, &query, handle_access, log);
}

void page_log(struct exchange *exchange)
{
    struct log *log = arena_new0(exchange_arena(exchange), struct log);
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    struct container_id container;
    struct app_id app;

    *log = (struct log){
        .exchange = exchange,
        .app_id = exchange_capture(exchange, 0),
        .container_id = exchange_capture(exchange, 1),
        .file = exchange_capture(exchange, 2),
    };
    if (!app_id_parse(log->app_id, &app) || !container_id_parse(log->container_id, &container) ||
        (strcmp(log->file, "stdout") != 0 && strcmp(log->file, "stderr") != 0)) {
        exchange_refuse(exchange, 404, "There is no such log. A container has the files stdout and stderr.");
        return;
    }
    body.container_id = (char *)(uintptr_t)log->container_id;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    query.list_containers = &body;
    exchange_ask(exchange, &query, handle_container, log);
}
