/* SPDX-License-Identifier: Apache-2.0 */
/* live_nodes.c - YARN's list of nodes as JSON in a text, in the bean RMNMInfo */
#include "web/rest/metrics/beans.h"

#include <string.h>

#include "web/rest/parts/lists.h"
#include "web/rest/parts/parts.h"
#include "web/rest/parts/reply.h"
#include "yarn/node.h"
#include "yarn/resource.h"

struct rest_names live_nodes_ids(struct exchange *exchange)
{
    const struct web_node_filter filter = { .states = 1u << CREEL__NODE_STATE__NODE_RUNNING };

    return rest_list_node_ids(exchange, &filter);
}

char *live_nodes_object(struct exchange *exchange, struct arena *arena, const char *id)
{
    const Creel__NodeReport *node = web_model_node(rest_model(exchange), id);
    struct document *document;
    int64_t used_mb;
    size_t size;

    if (node == NULL || node->state != CREEL__NODE_STATE__NODE_RUNNING)
        return NULL;
    document = document_new(DOCUMENT_BARE, "node");
    used_mb = yarn_memory_mb(node->used);
    document_text(document, "HostName", rest_node_host(arena, node->node_id));
    document_text(document, "Rack", node->rack);
    document_text(document, "State", yarn_node_state(node->state));
    document_text(document, "NodeId", node->node_id);
    document_text(document, "NodeHTTPAddress", node->http_address);
    document_int(document, "LastHealthUpdate", node->last_heartbeat_ms);
    document_text(document, "HealthReport", node->health_report);
    document_text(document, "NodeManagerVersion", node->version);
    document_uint(document, "NumContainers", node->containers);
    document_int(document, "UsedMemoryMB", used_mb);
    document_int(document, "AvailableMemoryMB", yarn_memory_mb(node->total) - used_mb);
    return document_finish(document, &size);
}
