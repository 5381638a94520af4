/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_page.c - /node/containerlogs/CONTAINER/USER[/FILE]: YARN's pages of the logs of a container, as HTML
 *
 * start=N shows the log from byte N on, start=-N its last N bytes (default: 4096). A page has at most
 * PAGE_BYTES of a log, and a link to what follows. While the container runs, a script (follow.js) appends
 * what is written. The user in the address is not checked: the agent decides who may read logs
 * (web_service.c).
 *
 * The agent may have logs of a container that it no longer lists, since its application has ended. If they
 * have moved, the page leads to the log server (moved_logs.c), or names the place.
 */
#include <inttypes.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/text.h"
#include "nm-agent/web/handlers.h"
#include "nm-agent/web/page.h"
#include "web/text/html.h"
#include "web/text/log_text.h"

#define PAGE_BYTES 262144u
#define TAIL_BYTES 4096 /* YARN's usual part */

static const char *const files[] = { "stdout", "stderr" };

#define FILES (sizeof(files) / sizeof(*files))

struct log_page {
    struct exchange *exchange;
    struct html html;
    const char *container_id, *user, *file; /* texts of the arena; FILE: NULL: the list */
    bool is_listed;   /* the agent lists the container; else USER is that of the address */
    const char *path; /* /node/containerlogs/CONTAINER/USER */
    bool is_running;
    int64_t start;
    size_t listed;       /* files that the list has */
    bool has_any;        /* one of them is written */
    const char *missing; /* why the first missing log is not there */
};

/* --- the frame --------------------------------------------------------------------- */

static void begin(struct log_page *page, const char *title)
{
    node_page_begin(page->exchange, &page->html, title);
}

static void send_page(struct log_page *page, int status)
{
    node_page_send(page->exchange, &page->html, status);
}

static void refuse(struct log_page *page, int status, const char *message)
{
    begin(page, status == 404 ? "Not found" : status == 403 ? "Not permitted" : "This did not work");
    html_add(&page->html, "<p class=\"note\">%s</p>", message);
    send_page(page, status);
}

static void refuse_for(struct log_page *page, const Creel__Error *error)
{
    int status = error->code == CREEL__ERROR_CODE__ERROR_NOT_FOUND       ? 404
                 : error->code == CREEL__ERROR_CODE__ERROR_NOT_PERMITTED ? 403
                 : error->code == CREEL__ERROR_CODE__ERROR_UNAVAILABLE   ? 503
                                                                         : 500;

    refuse(page, status, error->message);
}

/* The log, or all of them, is not on this node because of WHY. */
static void lead_away(struct log_page *page, const char *why)
{
    struct container_id id;
    char app[ID_TEXT_MAX];

    if (node_redirect_page(page->exchange, page->container_id, page->user, page->file))
        return;
    begin(page, "Not found");
    html_add(&page->html, "<p class=\"note\">%s</p>\n", why);
    if (container_id_parse(page->container_id, &id))
        html_add(&page->html, "<p>If they have moved, <code>creel logs %s</code> shows them.</p>\n",
                 app_id_format(&id.attempt.app, app));
    send_page(page, 404);
}

static void add_facts(struct log_page *page)
{
    if (!page->is_listed) {
        html_add(&page->html, "<p>Container <span class=\"id\">%s</span>, ended</p>\n", page->container_id);
        return;
    }
    html_add(&page->html, "<p>Container <span class=\"id\">%s</span> of user <bdi>%s</bdi>, %s</p>\n",
             page->container_id, page->user, page->is_running ? "running" : "ended");
}

static void ask(struct log_page *page, const char *file, uint32_t max_bytes, exchange_reply_fn *then)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ReadLog body = CREEL__READ_LOG__INIT;

    body.container_id = (char *)(uintptr_t)page->container_id;
    body.file = (char *)(uintptr_t)file;
    body.from_end = max_bytes > 0 && page->start < 0;
    body.offset = max_bytes == 0 ? 0 : (uint64_t)(page->start < 0 ? -page->start : page->start);
    body.max_bytes = max_bytes;
    query.body_case = CREEL__ENVELOPE__BODY_READ_LOG;
    query.read_log = &body;
    exchange_ask(page->exchange, &query, then, page);
}

/* --- the list of files ---------------------------------------------------------------- */

static void handle_size(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct log_page *page = context;
    const char *file = files[page->listed];

    if (reply->body_case == CREEL__ENVELOPE__BODY_LOG_CHUNK) {
        page->has_any = true;
        html_add(&page->html,
                 "<li><a href=\"%s/%s/?start=-%d\">%s : Total file length is %" PRIu64 " bytes.</a></li>\n",
                 page->path, file, TAIL_BYTES, file, reply->log_chunk->size_bytes);
    } else if (reply->error->code == CREEL__ERROR_CODE__ERROR_NOT_FOUND) {
        if (page->missing == NULL)
            page->missing = arena_strdup(exchange_arena(exchange), reply->error->message);
        html_add(&page->html, "<li>%s : not written yet</li>\n", file);
    } else {
        refuse_for(page, reply->error);
        return;
    }
    if (++page->listed < FILES) {
        ask(page, files[page->listed], 0, handle_size);
        return;
    }
    if (!page->has_any && !page->is_listed) {
        lead_away(page, page->missing);
        return;
    }
    html_add(&page->html, "</ul>\n");
    send_page(page, 200);
}

static void list_files(struct log_page *page)
{
    begin(page, "Logs");
    add_facts(page);
    html_add(&page->html, "<ul>\n");
    ask(page, files[0], 0, handle_size);
}

/* --- a part of a file ------------------------------------------------------------------- */

static void add_links(struct log_page *page, const Creel__LogChunk *chunk)
{
    struct html *html = &page->html;
    uint64_t end = chunk->offset + chunk->data.len;

    html_add(html, "<p>Showing %" PRIu64 " bytes of %" PRIu64 " total.", (uint64_t)chunk->data.len,
             chunk->size_bytes);
    if (chunk->offset > 0)
        html_add(html, " <a href=\"%s/%s/?start=0\">From the beginning</a>", page->path, page->file);
    if (end < chunk->size_bytes)
        html_add(html, " <a rel=\"next\" href=\"%s/%s/?start=%" PRIu64 "\">What follows</a>", page->path,
                 page->file, end);
    if (chunk->size_bytes > TAIL_BYTES)
        html_add(html, " <a href=\"%s/%s/?start=-%d\">The end</a>", page->path, page->file, TAIL_BYTES);
    html_add(html,
             " <a href=\"/ws/v1/node/containers/%s/logs/%s?raw=1\">As text</a>"
             " <a href=\"%s\">All logs</a></p>\n",
             page->container_id, page->file, page->path);
}

static void handle_part(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct log_page *page = context;
    const Creel__LogChunk *chunk = reply->log_chunk;
    struct html *html = &page->html;

    if (reply->body_case != CREEL__ENVELOPE__BODY_LOG_CHUNK) {
        if (reply->error->code == CREEL__ERROR_CODE__ERROR_NOT_FOUND)
            lead_away(page, reply->error->message);
        else
            refuse_for(page, reply->error);
        return;
    }
    begin(page, page->file);
    add_facts(page);
    add_links(page, chunk);
    html_add(html, "<pre id=\"log\"");
    if (!chunk->finished && chunk->offset + chunk->data.len == chunk->size_bytes)
        html_add(html, " data-source=\"/ws/v1/node/containers/%s/logs/%s\" data-next=\"%" PRIu64 "\"",
                 page->container_id, page->file, chunk->size_bytes);
    html_add(html, ">%s</pre>\n<p id=\"state\" aria-live=\"polite\">%s</p>\n",
             log_text_clean(exchange_arena(exchange), chunk->data.data, chunk->data.len),
             chunk->finished ? "The container has ended; the log is complete."
                             : "The container may write more.");
    send_page(page, 200);
}

/* --- requests ------------------------------------------------------------------------- */

static bool is_file(const char *name)
{
    for (size_t i = 0; i < FILES; i++)
        if (strcmp(files[i], name) == 0)
            return true;
    return false;
}

static void set_container(struct log_page *page, const char *id, const Creel__AgentContainer *container)
{
    struct arena *arena = exchange_arena(page->exchange);

    page->container_id = id;
    page->is_listed = container != NULL;
    page->user =
        container != NULL ? arena_strdup(arena, container->user) : exchange_capture(page->exchange, 1);
    page->is_running = container != NULL && container->phase <= CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING;
    page->path = arena_printf(arena, "/node/containerlogs/%s/%s", id, html_url(arena, page->user));
}

void node_log_page(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    struct log_page *page = arena_new0(exchange_arena(exchange), struct log_page);
    const char *start = exchange_parameter(exchange, "start", 0), *id;

    if (node == NULL)
        return;
    page->exchange = exchange;
    page->file = exchange_capture(exchange, 2);
    page->start = -TAIL_BYTES;
    id = node_container_id(exchange);
    if (id == NULL) {
        refuse(page, 404, "There is no such container: the address has no valid container id.");
    } else if (page->file != NULL && !is_file(page->file)) {
        refuse(page, 404,
               "Cannot find this log on the local disk. A container has the files stdout and stderr.");
    } else if (start != NULL && *start != '\0' &&
               (!text_parse_int64(start, &page->start) || page->start == INT64_MIN)) {
        refuse(page, 400, "start is a number of bytes, from the end of the log if it is negative.");
    } else {
        set_container(page, id, node_container_of(node, id));
        if (page->file == NULL)
            list_files(page);
        else
            ask(page, page->file, PAGE_BYTES, handle_part);
    }
}
