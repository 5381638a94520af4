/* SPDX-License-Identifier: Apache-2.0 */
/* containers.c - /ws/v1/node/containers, as YARN's ContainerInfo of the node manager */
#include "nm-agent/web/handlers.h"
#include "web/rest/parts/format.h"
#include "yarn/container.h"
#include "yarn/resource.h"

static void add_members(struct exchange *exchange, struct document *document,
                        const Creel__AgentSnapshot *node, const Creel__AgentContainer *container)
{
    document_text(document, "id", container->container_id);
    document_text(document, "state", yarn_agent_container_state(container));
    document_int(document, "exitCode", container->exit_status);
    document_text(document, "diagnostics", container->diagnostics);
    document_text(document, "user", container->user);
    document_int(document, "totalMemoryNeededMB", yarn_memory_mb(container->resource));
    document_int(document, "totalVCoresNeeded", yarn_vcores(container->resource));
    document_text(document, "executionType", YARN_EXECUTION_TYPE);
    document_text(document, "containerLogsLink",
                  arena_printf(exchange_arena(exchange), "%s/node/containerlogs/%s/%s",
                               rest_base_url(exchange), container->container_id, container->user));
    document_text(document, "nodeId", node->node_id);
    document_begin_list(document, "containerLogFiles", 2);
    document_text(document, NULL, "stdout");
    document_text(document, NULL, "stderr");
    document_end_list(document);
}

void node_containers(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    struct document *document;

    if (node == NULL)
        return;
    document = rest_begin_plain(exchange, "containers", REST_NATURAL);
    if (document == NULL)
        return;
    document_begin_list(document, "container", node->n_containers);
    for (size_t i = 0; i < node->n_containers; i++) {
        document_begin(document, NULL);
        add_members(exchange, document, node, node->containers[i]);
        document_end(document);
    }
    document_end_list(document);
    rest_send(exchange, 200, document);
}

void node_container(struct exchange *exchange)
{
    const Creel__AgentContainer *container = node_find_container(exchange);
    struct document *document;

    if (container == NULL)
        return;
    document = rest_begin_plain(exchange, "container", REST_NATURAL);
    if (document == NULL)
        return;
    add_members(exchange, document, node_state(exchange), container);
    rest_send(exchange, 200, document);
}
