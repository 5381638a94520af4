/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moved_logs.c - leads requests for logs that are not on this node to the log server
 *
 * As YARN does: pages to LOG_SERVER/NODE/CONTAINER/CONTAINER/USER[/FILE], REST to
 * LOG_SERVER/containers/CONTAINER/logs[/FILE], with the query of the request.
 */
#include <string.h>

#include "nm-agent/web/handlers.h"
#include "web/text/html.h"

/* Returns TEXT without slashes at its end. */
static const char *without_slash(struct arena *arena, const char *text)
{
    size_t length = strlen(text);

    while (length > 0 && text[length - 1] == '/')
        length--;
    return arena_printf(arena, "%.*s", (int)length, text);
}

static const char *part(struct arena *arena, const char *text)
{
    return text == NULL ? "" : arena_printf(arena, "/%s", html_url(arena, text));
}

static void redirect(struct exchange *exchange, int status, const char *target)
{
    exchange_add_header(exchange, "Location", target);
    exchange_answer(exchange, status, NULL, NULL, 0);
}

/* Returns the query of the request, "" or with its "?". */
static const char *query_of(const struct exchange *exchange)
{
    const char *query = strchr(exchange_target(exchange), '?');

    return query != NULL && query[1] != '\0' ? query : "";
}

bool node_redirect_page(struct exchange *exchange, const char *container_id, const char *user,
                        const char *file)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    struct arena *arena = exchange_arena(exchange);

    if (node == NULL || *node->log_server_url == '\0')
        return false;
    redirect(exchange, 302,
             arena_printf(arena, "%s/%s/%s/%s%s%s%s", without_slash(arena, node->log_server_url),
                          node->node_id, container_id, container_id, part(arena, user), part(arena, file),
                          query_of(exchange)));
    return true;
}

bool node_redirect_rest(struct exchange *exchange, const char *container_id, const char *file)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    struct arena *arena = exchange_arena(exchange);
    const char *query = query_of(exchange);

    if (node == NULL || *node->log_server_rest_url == '\0')
        return false;
    redirect(exchange, 307,
             arena_printf(arena, "%s/containers/%s/logs%s%s%sredirected_from_node=true",
                          without_slash(arena, node->log_server_rest_url), container_id, part(arena, file),
                          query, *query != '\0' ? "&" : "?"));
    return true;
}
