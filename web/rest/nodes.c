/* SPDX-License-Identifier: Apache-2.0 */
/* nodes.c - /ws/v1/cluster/nodes, as YARN's NodeInfo */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/lists.h"
#include "web/rest/parts.h"
#include "web/rest/pieces.h"
#include "web/rest/reply.h"

/* --- one node ------------------------------------------------------------------ */

static const char *host_of(struct arena *arena, const char *node_id)
{
    const char *colon = strrchr(node_id, ':');

    return colon == NULL ? node_id : arena_printf(arena, "%.*s", (int)(colon - node_id), node_id);
}

static void add_identity(struct document *document, struct arena *arena, const Creel__NodeReport *node)
{
    document_text(document, "rack", *node->rack != '\0' ? node->rack : "/default-rack");
    document_text(document, "state", rest_node_state(node->state));
    document_text(document, "id", node->node_id);
    document_text(document, "nodeHostName", host_of(arena, node->node_id));
    document_text(document, "nodeHTTPAddress", node->http_address);
    document_int(document, "lastHealthUpdate", node->last_heartbeat_ms);
    document_text(document, "version", node->version);
    document_text(document, "healthReport", node->health_report);
}

/* Returns the memory in use on the node. If the agent does not measure it, returns the memory of the
 * containers. */
static int64_t used_on_node_mb(const Creel__NodeReport *node)
{
    return (int64_t)((node->node_memory_bytes > 0 ? node->node_memory_bytes : node->used_memory_bytes) >> 20);
}

static double cores(uint32_t millicores)
{
    return (double)millicores / 1000;
}

/* Adds the agent's measurements. Agents do not measure the virtual memory of containers. */
static void add_utilization(struct document *document, const Creel__NodeReport *node)
{
    int64_t used_mb = used_on_node_mb(node);
    int64_t containers_mb = (int64_t)(node->containers_memory_bytes >> 20);

    document_begin(document, "resourceUtilization");
    document_int(document, "nodePhysicalMemoryMB", used_mb);
    document_int(document, "nodeVirtualMemoryMB", used_mb);
    document_double(document, "nodeCPUUsage", cores(node->node_cpu_millicores));
    document_int(document, "aggregatedContainersPhysicalMemoryMB", containers_mb);
    document_int(document, "aggregatedContainersVirtualMemoryMB", 0);
    document_double(document, "containersCPUUsage", cores(node->cpu_millicores));
    document_end(document);
}

static void add_amounts(struct document *document, const Creel__NodeReport *node)
{
    int64_t total_mb = rest_memory_mb(node->total);
    int64_t vcores = rest_vcores(node->total);
    float used_mb = (float)used_on_node_mb(node);
    double busy = vcores > 0 ? cores(node->node_cpu_millicores) / (double)vcores * 100 : 0;

    document_uint(document, "numContainers", node->containers);
    document_int(document, "usedMemoryMB", rest_memory_mb(node->used));
    document_int(document, "availMemoryMB", total_mb - rest_memory_mb(node->used));
    document_int(document, "usedVirtualCores", rest_vcores(node->used));
    document_int(document, "availableVirtualCores", rest_vcores(node->total) - rest_vcores(node->used));
    document_float(document, "memUtilization", total_mb > 0 ? used_mb / (float)total_mb * 100 : 0);
    document_float(document, "cpuUtilization", (float)busy);
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
    rest_resource(document, "availableResource", cluster, rest_difference(arena, node->total, node->used));
    document_empty(document, "nodeAttributesInfo");
    rest_resource(document, "totalResource", cluster, node->total);
}

/* --- handlers ------------------------------------------------------------------ */

static uint32_t states_called(const char *name)
{
    uint32_t states = 0;

    for (Creel__NodeState state = CREEL__NODE_STATE__NODE_RUNNING; state <= CREEL__NODE_STATE__NODE_WAITING;
         state++)
        if (strcasecmp(rest_node_state(state), name) == 0)
            states |= 1u << state;
    return states;
}

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
                uint32_t found = states_called(word);

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

static const char *id_of(const void *report)
{
    return ((const Creel__NodeReport *)report)->node_id;
}

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

static struct rest_names list_nodes(struct exchange *exchange, uint32_t states)
{
    const struct web_node_filter filter = { .states = states };
    struct arena *arena = arena_new();
    const Creel__NodeReport **nodes;
    size_t count = rest_list_nodes(rest_model(exchange), arena, &filter, &nodes);
    struct rest_names ids = rest_names_of(exchange_arena(exchange), (const void *const *)nodes, count, id_of);

    arena_free(arena);
    return ids;
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
    list->ids = list_nodes(exchange, list->states);
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
