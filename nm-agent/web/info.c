/* SPDX-License-Identifier: Apache-2.0 */
/* info.c - /ws/v1/node/info, as YARN's NodeInfo of the node manager */
#include "nm-agent/web/handlers.h"
#include "web/rest/parts/format.h"
#include "yarn/resource.h"

#define YARN_VERSION "3.4.1" /* version of YARN whose interface this program has */

static void add_totals(struct document *document, const Creel__AgentSnapshot *node)
{
    int64_t memory_mb = yarn_memory_mb(node->total);

    document_text(document, "healthReport", node->health_report);
    document_int(document, "totalVmemAllocatedContainersMB",
                 (int64_t)((double)memory_mb * node->virtual_ratio));
    document_int(document, "totalPmemAllocatedContainersMB", memory_mb);
    document_int(document, "totalVCoresAllocatedContainers", yarn_vcores(node->total));
    document_bool(document, "vmemCheckEnabled", node->checks_virtual);
    document_bool(document, "pmemCheckEnabled", node->checks_physical);
    document_int(document, "lastNodeUpdateTime", node->taken_ms);
    document_text(document, "resourceTypes", node->resource_types);
    document_bool(document, "nodeHealthy", !node->unhealthy);
}

/* Returns versions of the protocol as "1" or "1-2". */
static const char *protocol(struct exchange *exchange, uint32_t oldest, uint32_t newest)
{
    struct arena *arena = exchange_arena(exchange);

    return oldest == newest ? arena_printf(arena, "%u", newest)
                            : arena_printf(arena, "%u-%u", oldest, newest);
}

void node_info(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    struct document *document;
    const char *build;

    if (node == NULL)
        return;
    document = rest_begin_plain(exchange, "nodeInfo", REST_NATURAL);
    if (document == NULL)
        return;
    build = arena_printf(exchange_arena(exchange), YARN_VERSION " by creel %s", node->version);
    add_totals(document, node);
    document_text(document, "nodeManagerVersion", YARN_VERSION);
    document_text(document, "nodeManagerBuildVersion", build);
    document_text(document, "nodeManagerVersionBuiltOn", "");
    document_text(document, "hadoopVersion", YARN_VERSION);
    document_text(document, "hadoopBuildVersion", build);
    document_text(document, "hadoopVersionBuiltOn", "");
    document_text(document, "id", node->node_id);
    document_text(document, "nodeHostName", node->host);
    document_int(document, "nmStartupTime", node->started_ms);
    document_text(document, "creelVersion", node->version);
    if (node->protocol_newest != 0)
        document_text(document, "creelProtocol",
                      protocol(exchange, node->protocol_oldest, node->protocol_newest));
    if (*node->rm_version != '\0')
        document_text(document, "creelResourceManagerVersion", node->rm_version);
    if (node->rm_protocol_newest != 0)
        document_text(document, "creelResourceManagerProtocol",
                      protocol(exchange, node->rm_protocol_oldest, node->rm_protocol_newest));
    if (*node->mismatch != '\0')
        document_text(document, "creelProtocolMismatch", node->mismatch);
    rest_send(exchange, 200, document);
}
