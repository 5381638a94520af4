/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - main program of creel-nm-web: serves the agent's REST interface, without privileges
 *
 * The agent starts it (frame.h). It drops its rights as a gateway does (common/gateway/sandbox.h) before the
 * first request is read, and ends with the agent.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "common/base/mem.h"
#include "common/gateway/sandbox.h"
#include "common/io/server/gateway_link.h"
#include "nm-agent/web/feed.h"
#include "nm-agent/web/frame.h"
#include "nm-agent/web/handlers.h"
#include "nm-agent/web/log_client.h"
#include "web/http/certificate.h"
#include "web/http/server.h"
#include "web/rest/parts/format.h"

#define STATIC_USER "dr.who" /* as YARN calls a user without a name */

static const struct http_limits limits = {
    .connections_max = 256,
    .address_connections_max = 64,
    .request_ms = 10000,
    .answer_ms = 10000,
    .memory_max = (size_t)32 << 20,
    .stalled_ms = 3000,
};

static const struct route_table tables[] = {
    { node_routes, "/", rest_refuse },
};

struct node_web {
    struct loop *loop;
    struct gateway_link *link;
    struct feed *feed;
    struct log_client *logs;
    struct site site;
    struct http_tls tls;        /* owned until LISTEN; NULL: HTTP */
    struct http_server *server; /* NULL until LISTEN */
    bool is_restricted;         /* SETUP was received */
};

/* --- to the agent ------------------------------------------------------------ */

static void flush(void *context)
{
    struct node_web *web = context;
    int r = gateway_link_flush(web->link);

    if (r == 0 || r == -EAGAIN)
        loop_set_writable(web->loop, GATEWAY_FD, r == -EAGAIN);
    else
        loop_stop(web->loop);
}

static void ask_state(void *context, uint64_t number)
{
    struct node_web *web = context;

    gateway_link_put(web->link, (struct gateway_header){ .type = NODE_WEB_ASK_STATE, .connection = number },
                     NULL, 0);
}

static void ask_log(void *context, uint64_t number, const void *bytes, size_t size)
{
    struct node_web *web = context;

    gateway_link_put(web->link, (struct gateway_header){ .type = NODE_WEB_ASK_LOG, .connection = number },
                     bytes, size);
}

/* Sends a line for the agent's log. */
static void note(void *context, const char *line)
{
    struct node_web *web = context;

    gateway_link_put(web->link, (struct gateway_header){ .type = NODE_WEB_NOTE }, line,
                     strnlen(line, NODE_WEB_NOTE_MAX));
}

/* --- from the agent ---------------------------------------------------------- */

static bool on_setup(struct node_web *web, const struct gateway_header *header, const uint8_t *payload)
{
    struct gateway_setup setup;

    if (web->is_restricted || header->size != sizeof(setup))
        return false;
    memcpy(&setup, payload, sizeof(setup));
    if (setup.protocol != GATEWAY_PROTOCOL)
        return false;
    sandbox_drop_rights(&setup);
    web->is_restricted = true;
    return true;
}

/* Copies certificate and key out of the payload. */
static bool on_tls(struct node_web *web, const struct gateway_header *header, const uint8_t *payload)
{
    const char *text = (const char *)payload;
    size_t size = header->size, length = size > 0 ? strnlen(text, size) : 0;

    if (web->server != NULL || web->tls.key != NULL || length + 1 >= size || text[size - 1] != '\0')
        return false;
    web->tls.certificate = mem_strdup(text);
    web->tls.key = mem_strdup(text + length + 1);
    return true;
}

static void forget_tls(struct node_web *web)
{
    if (web->tls.key != NULL)
        explicit_bzero(web->tls.key, strlen(web->tls.key));
    free(web->tls.key);
    free(web->tls.certificate);
    web->tls = (struct http_tls){ .key = NULL };
}

/* Creates the HTTP server with all its descriptors, then forbids system calls that create others. */
static bool on_listen(struct node_web *web)
{
    const struct gateway_hello hello = { .protocol = GATEWAY_PROTOCOL };
    int fd = gateway_link_pop_fd(web->link);
    int64_t dates_ms[2] = { 0, 0 };
    struct err err = { 0 };

    if (fd < 0 || !web->is_restricted || web->server != NULL)
        return false;
    web->site.secure = web->tls.key != NULL;
    if (http_server_new_on(&web->server, web->loop, fd, &web->site, &limits,
                           web->site.secure ? &web->tls : NULL, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    if (web->site.secure) {
        dates_ms[0] = certificate_expires_ms(web->tls.certificate);
        dates_ms[1] = certificate_begins_ms(web->tls.certificate);
    }
    feed_view(web->feed)->certificate_expires_ms = dates_ms[0];
    forget_tls(web);
    sandbox_restrict_calls();
    gateway_link_put(web->link, (struct gateway_header){ .type = GATEWAY_HELLO }, &hello, sizeof(hello));
    if (web->site.secure)
        gateway_link_put(web->link, (struct gateway_header){ .type = NODE_WEB_CERTIFICATE }, dates_ms,
                         sizeof(dates_ms));
    return true;
}

static bool on_frame(void *context, const struct gateway_header *header, const uint8_t *payload)
{
    struct node_web *web = context;

    switch (header->type) {
    case GATEWAY_SETUP:
        return on_setup(web, header, payload);
    case NODE_WEB_TLS:
        return on_tls(web, header, payload);
    case GATEWAY_LISTEN:
        return on_listen(web);
    case GATEWAY_PING:
        gateway_link_put(web->link, (struct gateway_header){ .type = GATEWAY_PONG }, NULL, 0);
        return true;
    case NODE_WEB_STATE:
        return feed_handle_snapshot(web->feed, header->connection, payload, header->size);
    case NODE_WEB_LOG:
        return log_client_handle_reply(web->logs, header->connection, payload, header->size);
    default:
        return false;
    }
}

static void on_ready(void *context, int fd)
{
    struct node_web *web = context;
    int r = gateway_link_read(web->link, on_frame, web);

    (void)fd;
    if (r == -EBADMSG)
        abort();
    if (r < 0)
        loop_stop(web->loop);
}

/* --- start ------------------------------------------------------------------- */

static void fill_site(struct node_web *web)
{
    web->site = (struct site){
        .tables = tables,
        .table_count = sizeof(tables) / sizeof(*tables),
        .application = feed_view(web->feed),
        .traffic = traffic_new(tables, sizeof(tables) / sizeof(*tables)),
        .note = note,
        .note_context = web,
        .upstream = log_client_ask,
        .upstream_context = web->logs,
        .prepare = feed_prepare,
        .prepare_context = web->feed,
        .static_user = STATIC_USER,
    };
}

int main(void)
{
    struct node_web web = { .server = NULL };
    int type = 0;
    socklen_t size = sizeof(type);

    if (getsockopt(GATEWAY_FD, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) {
        fprintf(stderr, "creel-nm-web: creel-nm starts this program; it serves the agent's REST interface\n");
        return 2;
    }
    tzset(); /* reads its file while files can be opened */
    if (loop_new(&web.loop, NULL) < 0)
        return 1;
    web.link = gateway_link_new(GATEWAY_FD, true);
    web.feed = feed_new(web.loop, ask_state, &web);
    web.logs = log_client_new(web.loop, ask_log, &web);
    fill_site(&web);
    feed_view(web.feed)->traffic = web.site.traffic;
    if (loop_add_fd(web.loop, GATEWAY_FD, false, on_ready, &web, NULL) < 0)
        return 1;
    loop_before_sleep(web.loop, flush, &web);
    loop_run(web.loop);
    return 0; /* (the end of the process closes all connections) */
}
