/* SPDX-License-Identifier: Apache-2.0 */
/* nodes.c - /ws/v1/cluster/nodes, as YARN's NodeInfo */
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/lists.h"
#include "web/rest/parts/parts.h"
#include "web/rest/parts/pieces.h"
#include "web/rest/parts/reply.h"
#include "yarn/node.h"
#include "yarn/resource.h"

/* --- one node ------------------------------------------------------------------ */

static void add_identity(struct document *document, struct arena *arena, const Creel__NodeReport *node)
{
    document_text(document, "rack", *node->rack != '\0' ? node->rack : "/default-rack");
    document_text(document, "state", yarn_node_state(node->state));
    document_text(document, "id", node->node_id);
    document_text(document, "nodeHostName", rest_node_host(arena, node->node_id));
    document_text(document, "nodeHTTPAddress", node->http_address);
    document_int(document, "lastHealthUpdate", node->last_heartbeat_ms);
    document_text(document, "version", node->version);
    document_text(document, "healthReport", node->health_report);
    document_bool(document, "creelSilent", node->lost_at_ms > 0);
    if (node->lost_at_ms > 0)
        document_int(document, "creelLostAtMs", node->lost_at_ms);
}

/* Adds the agent's measurements. Agents do not measure the virtual memory of containers. */
static void add_utilization(struct document *document, const Creel__NodeReport *node)
{
    int64_t used_mb = yarn_node_used_mb(node->node_memory_bytes, node->used_memory_bytes);
    int64_t containers_mb = (int64_t)(node->containers_memory_bytes >> 20);

    document_begin(document, "resourceUtilization");
    document_int(document, "nodePhysicalMemoryMB", used_mb);
    document_int(document, "nodeVirtualMemoryMB", used_mb);
    document_double(document, "nodeCPUUsage", yarn_cores(node->node_cpu_millicores));
    document_int(document, "aggregatedContainersPhysicalMemoryMB", containers_mb);
    document_int(document, "aggregatedContainersVirtualMemoryMB", 0);
    document_double(document, "containersCPUUsage", yarn_cores(node->cpu_millicores));
    document_end(document);
}

static void add_amounts(struct document *document, const Creel__NodeReport *node)
{
    document_uint(document, "numContainers", node->containers);
    document_int(document, "usedMemoryMB", yarn_memory_mb(node->used));
    document_int(document, "availMemoryMB", yarn_memory_mb(node->total) - yarn_memory_mb(node->used));
    document_int(document, "usedVirtualCores", yarn_vcores(node->used));
    document_int(document, "availableVirtualCores", yarn_vcores(node->total) - yarn_vcores(node->used));
    document_float(document, "memUtilization", yarn_node_memory_percent(node));
    document_float(document, "cpuUtilization", yarn_node_cpu_percent(node));
    document_int(document, "numRunningOpportContainers", 0);
    document_int(document, "usedMemoryOpportGB", 0);
    document_int(document, "usedVirtualCoresOpport", 0);
    document_int(document, "numQueuedContainers", 0);
}

static void node_members(struct document *document, struct arena *arena, const Creel__ClusterInfo *cluster,
                         const Creel__NodeReport *node)
{
    bool has_label = *node->label != '\0';

    add_identity(document, arena, node);
    add_amounts(document, node);
    document_begin_list(document, "nodeLabels", has_label ? 1 : 0);
    if (has_label)
        document_text(document, NULL, node->label);
    document_end_list(document);
    document_empty(document, "allocationTags");
    add_utilization(document, node);
    rest_resource(document, "usedResource", cluster, node->used);
    rest_resource(document, "availableResource", cluster, yarn_difference(arena, node->total, node->used));
    document_empty(document, "nodeAttributesInfo");
    rest_resource(document, "totalResource", cluster, node->total);
}

/* --- handlers ------------------------------------------------------------------ */

static const char *upper(struct arena *arena, const char *text)
{
    char *copy = arena_strdup(arena, text);

    for (char *at = copy; *at != '\0'; at++)
        if (*at >= 'a' && *at <= 'z')
            *at = (char)(*at - 'a' + 'A');
    return copy;
}

/* Reads the parameters "states", the one that YARN reads, and "state", the one in YARN's manual. */
static bool read_states(struct exchange *exchange, uint32_t *states)
{
    static const char *const names[] = { "states", "state" };
    struct arena *arena = exchange_arena(exchange);
    const char *value;

    for (size_t n = 0; n < 2; n++) {
        for (size_t i = 0; (value = exchange_parameter(exchange, names[n], i)) != NULL; i++) {
            char *rest = arena_strdup(arena, value), *word;

            while ((word = text_next_word(&rest)) != NULL) {
                uint32_t found = yarn_node_states_parse(word);

                if (found == 0) {
                    rest_illegal_argument(exchange,
                                          arena_printf(arena,
                                                       "No enum constant "
                                                       "org.apache.hadoop.yarn.api.records.NodeState.%s",
                                                       upper(arena, word)));
                    return false;
                }
                *states |= found;
            }
        }
    }
    return true;
}

struct node_list { /* in the arena of the exchange */
    uint32_t states;
    struct rest_names ids;
};

static enum rest_more next_node(struct exchange *exchange, void *context, struct arena *arena,
                                struct document *document)
{
    struct node_list *list = context;
    const struct web_model *model = rest_model(exchange);
    const char *id = rest_names_take(&list->ids);
    const Creel__NodeReport *node;

    if (id == NULL) {
        document_end_list(document);
        return REST_END;
    }
    node = web_model_node(model, id);
    if (node == NULL || (list->states != 0 && (list->states & 1u << node->state) == 0))
        return REST_MORE;
    document_begin(document, NULL);
    node_members(document, arena, web_model_cluster(model), node);
    document_end(document);
    return REST_MORE;
}

void rest_nodes(struct exchange *exchange)
{
    struct node_list *list = arena_new0(exchange_arena(exchange), struct node_list);
    struct document *document;

    if (!rest_model_is_recent(exchange) || !read_states(exchange, &list->states))
        return;
    document = rest_begin(exchange, "nodes", REST_NATURAL);
    if (document == NULL)
        return;
    list->ids = rest_list_node_ids(exchange, &(struct web_node_filter){ .states = list->states });
    document_begin_list(document, "node", list->ids.left);
    rest_send_items(exchange, document, next_node, list);
}

static bool is_node_id(const char *text)
{
    const char *colon = strrchr(text, ':');
    int64_t port;

    return colon != NULL && colon != text && text_parse_int64(colon + 1, &port) && port >= 0 && port <= 65535;
}

void rest_node(struct exchange *exchange)
{
    struct arena *arena = exchange_arena(exchange);
    const char *id = exchange_capture(exchange, 0);
    const Creel__NodeReport *node;
    struct document *document;

    if (!is_node_id(id)) {
        rest_illegal_argument(exchange, arena_printf(arena, "Invalid NodeId [%s]. Expected host:port", id));
        return;
    }
    if (!rest_model_is_recent(exchange))
        return;
    node = web_model_node(rest_model(exchange), id);
    if (node == NULL) {
        rest_not_found(exchange, arena_printf(arena, "nodeId, %s, is not found", id));
        return;
    }
    document = rest_begin(exchange, "node", REST_NATURAL);
    if (document == NULL)
        return;
    node_members(document, arena, web_model_cluster(rest_model(exchange)), node);
    rest_send(exchange, 200, document);
}
