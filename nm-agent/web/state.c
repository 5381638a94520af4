/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - gets the agent's state, or one container, for handlers; answers with an error if there is none */
#include <string.h>

#include "common/base/id.h"
#include "nm-agent/web/handlers.h"
#include "web/rest/format.h"

const Creel__AgentSnapshot *node_state(struct exchange *exchange)
{
    const struct node_view *view = exchange_application(exchange);

    if (view->snapshot != NULL)
        return view->snapshot;
    exchange_add_header(exchange, "Retry-After", "1");
    rest_refuse(exchange, 503, "the agent did not answer in time");
    return NULL;
}

const Creel__AgentContainer *node_find_container(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    struct arena *arena = exchange_arena(exchange);
    const char *text = exchange_capture(exchange, 0);
    char canonical[ID_TEXT_MAX];
    struct container_id id;

    if (node == NULL)
        return NULL;
    if (!container_id_parse(text, &id)) {
        rest_bad_request(exchange, arena_printf(arena, "invalid container id, %s", text));
        return NULL;
    }
    container_id_format(&id, canonical);
    for (size_t i = 0; i < node->n_containers; i++)
        if (strcmp(node->containers[i]->container_id, canonical) == 0)
            return node->containers[i];
    rest_not_found(exchange, arena_printf(arena, "container with id, %s, not found", text));
    return NULL;
}
