/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - gets the agent's state, or one container, for handlers; answers with an error if there is none */
#include <string.h>

#include "common/base/id.h"
#include "nm-agent/web/handlers.h"
#include "web/rest/parts/format.h"

const Creel__AgentSnapshot *node_state(struct exchange *exchange)
{
    const struct node_view *view = exchange_application(exchange);

    if (view->snapshot != NULL)
        return view->snapshot;
    exchange_add_header(exchange, "Retry-After", "1");
    rest_refuse(exchange, 503, "the agent did not answer in time");
    return NULL;
}

const char *node_container_id(struct exchange *exchange)
{
    char canonical[ID_TEXT_MAX];
    struct container_id id;

    if (!container_id_parse(exchange_capture(exchange, 0), &id))
        return NULL;
    container_id_format(&id, canonical);
    return arena_strdup(exchange_arena(exchange), canonical);
}

const Creel__AgentContainer *node_container_of(const Creel__AgentSnapshot *node, const char *id)
{
    for (size_t i = 0; i < node->n_containers; i++)
        if (strcmp(node->containers[i]->container_id, id) == 0)
            return node->containers[i];
    return NULL;
}

const Creel__AgentContainer *node_find_container(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    const Creel__AgentContainer *container;
    struct arena *arena = exchange_arena(exchange);
    const char *text = exchange_capture(exchange, 0), *id;

    if (node == NULL)
        return NULL;
    id = node_container_id(exchange);
    if (id == NULL) {
        rest_bad_request(exchange, arena_printf(arena, "invalid container id, %s", text));
        return NULL;
    }
    container = node_container_of(node, id);
    if (container == NULL)
        rest_not_found(exchange, arena_printf(arena, "container with id, %s, not found", text));
    return container;
}
