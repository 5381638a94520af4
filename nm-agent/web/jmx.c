/* SPDX-License-Identifier: Apache-2.0 */
/* jmx.c - /jmx?qry=BEAN of the agent, with the bean that YARN's monitoring tools read from a node manager */
#include <fnmatch.h>
#include <stdlib.h>

#include "nm-agent/web/handlers.h"
#include "nm-agent/web/sums.h"
#include "web/text/document.h"

#define BEAN "Hadoop:service=NodeManager,name=NodeManagerMetrics"
#define MIB_PER_GIB 1024

static void add_bean(struct document *document, const Creel__AgentSnapshot *node)
{
    const struct node_sums sums = node_sums_of(node);
    const size_t *count = sums.containers;
    size_t live = count[CREEL__AGENT_PHASE__AGENT_PHASE_RUNNING] +
                  count[CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING] +
                  count[CREEL__AGENT_PHASE__AGENT_PHASE_WAITING];

    document_begin(document, NULL);
    document_text(document, "name", BEAN);
    document_text(document, "modelerType", "NodeManagerMetrics");
    document_text(document, "tag.Context", "yarn");
    document_text(document, "tag.Hostname", node->host);
    document_uint(document, "ContainersIniting",
                  count[CREEL__AGENT_PHASE__AGENT_PHASE_NEW] +
                      count[CREEL__AGENT_PHASE__AGENT_PHASE_FETCHING]);
    document_uint(document, "ContainersRunning", count[CREEL__AGENT_PHASE__AGENT_PHASE_RUNNING]);
    document_int(document, "AllocatedGB", sums.allocated_mb / MIB_PER_GIB);
    document_uint(document, "AllocatedContainers", live);
    document_int(document, "AvailableGB", (sums.total_mb - sums.allocated_mb) / MIB_PER_GIB);
    document_int(document, "AllocatedVCores", sums.allocated_vcores);
    document_int(document, "AvailableVCores", sums.total_vcores - sums.allocated_vcores);
    document_end(document);
}

void node_jmx(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    const char *pattern = exchange_parameter(exchange, "qry", 0);
    bool is_wanted = pattern == NULL || fnmatch(pattern, BEAN, FNM_NOESCAPE) == 0;
    struct document *document;
    size_t size;
    char *text;

    if (node == NULL)
        return;
    document = document_new(DOCUMENT_BARE, "jmx");
    document_begin_list(document, "beans", is_wanted);
    if (is_wanted)
        add_bean(document, node);
    document_end_list(document);
    text = document_finish(document, &size);
    exchange_add_header(exchange, "Access-Control-Allow-Origin", "*");
    exchange_add_header(exchange, "Access-Control-Allow-Methods", "GET");
    exchange_add_header(exchange, "Cache-Control", "no-cache");
    exchange_answer(exchange, 200, "application/json; charset=utf8", text, size);
    free(text);
}
