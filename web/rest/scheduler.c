/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.c - /ws/v1/cluster/scheduler */
#include "web/rest/scheduler.h"

#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/parts.h"
#include "web/rest/reply.h"

static void add_fifo(const struct rest_tree_writer *to, const struct rest_queue *root)
{
    struct document *document = to->document;
    const Creel__ClusterInfo *cluster = to->cluster;
    int64_t total_mb = rest_memory_mb(cluster->total), used_mb = rest_memory_mb(cluster->used);

    document_float(document, "capacity", 1);
    document_float(document, "usedCapacity", total_mb > 0 ? (float)used_mb / (float)total_mb : 0);
    document_text(document, "qstate", root->report->state);
    document_int(document, "minQueueMemoryCapacity", rest_memory_mb(cluster->minimum_allocation));
    document_int(document, "maxQueueMemoryCapacity", rest_memory_mb(cluster->maximum_allocation));
    document_uint(document, "numNodes", cluster->nodes_running);
    document_int(document, "usedNodeCapacity", used_mb);
    document_int(document, "availNodeCapacity", total_mb - used_mb);
    document_int(document, "totalNodeCapacity", total_mb);
    document_uint(document, "numContainers", cluster->containers);
}

void rest_scheduler(struct exchange *exchange)
{
    struct document *document = rest_begin(exchange, "scheduler", REST_NATURAL);
    struct rest_tree_writer to = { .document = document, .arena = exchange_arena(exchange) };
    const struct rest_queue *root;
    const char *type = "fifoScheduler";

    if (document == NULL)
        return;
    to.cluster = web_model_cluster(rest_model(exchange));
    root = rest_queue_tree(rest_model(exchange), to.arena);
    if (root == NULL) {
        document_free(document);
        rest_refuse(exchange, 503, "the queues are not known yet");
        return;
    }
    if (text_equal(to.cluster->queue_model, "capacity"))
        type = "capacityScheduler";
    else if (text_equal(to.cluster->queue_model, "fair"))
        type = "fairScheduler";
    document_begin_as(document, "schedulerInfo", type);
    if (text_equal(type, "capacityScheduler"))
        rest_capacity_info(&to, root);
    else if (text_equal(type, "fairScheduler"))
        rest_fair_info(&to, root);
    else
        add_fifo(&to, root);
    document_end(document);
    rest_send(exchange, 200, document);
}
