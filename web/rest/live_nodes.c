/* SPDX-License-Identifier: Apache-2.0 */
/* live_nodes.c - YARN's list of nodes as JSON in a text, in the bean RMNMInfo */
#include "web/rest/live_nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json_writer.h"
#include "web/rest/lists.h"
#include "web/rest/parts.h"

static void add_node(struct json_writer *json, struct arena *arena, const Creel__NodeReport *node)
{
    const char *colon = strrchr(node->node_id, ':');
    int length = colon != NULL ? (int)(colon - node->node_id) : (int)strlen(node->node_id);
    int64_t used_mb = rest_memory_mb(node->used);

    json_begin_object(json, NULL);
    json_text(json, "HostName", arena_printf(arena, "%.*s", length, node->node_id));
    json_text(json, "Rack", node->rack);
    json_text(json, "State", rest_node_state(node->state));
    json_text(json, "NodeId", node->node_id);
    json_text(json, "NodeHTTPAddress", node->http_address);
    json_int(json, "LastHealthUpdate", node->last_heartbeat_ms);
    json_text(json, "HealthReport", node->health_report);
    json_text(json, "NodeManagerVersion", node->version);
    json_uint(json, "NumContainers", node->containers);
    json_int(json, "UsedMemoryMB", used_mb);
    json_int(json, "AvailableMemoryMB", rest_memory_mb(node->total) - used_mb);
    json_end_object(json);
}

const char *live_nodes_text(const struct web_model *model, struct arena *arena)
{
    struct web_node_filter filter = { .states = 1u << CREEL__NODE_STATE__NODE_RUNNING };
    const Creel__NodeReport **nodes;
    struct json_writer json;
    size_t count = rest_list_nodes(model, arena, &filter, &nodes), size;
    char *text, *copy;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        abort();
    json_init(&json, out, true);
    json_begin_array(&json, NULL);
    for (size_t i = 0; i < count; i++)
        add_node(&json, arena, nodes[i]);
    json_end_array(&json);
    if (fclose(out) != 0)
        abort();
    copy = arena_strdup(arena, text);
    free(text);
    return copy;
}
