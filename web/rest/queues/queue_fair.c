/* SPDX-License-Identifier: Apache-2.0 */
/* queue_fair.c - queues of the fair scheduler, as YARN's FairSchedulerQueueInfo */
#include "common/base/text.h"
#include "web/rest/parts/parts.h"
#include "web/rest/queues/scheduler.h"
#include "yarn/queue.h"

static void add_resources(const struct rest_tree_writer *to, const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;
    const Creel__ClusterInfo *cluster = to->cluster;
    struct document *document = to->document;

    rest_allocation(document, "minResources", cluster, report->minimum);
    rest_allocation(document, "maxResources", cluster, report->maximum);
    rest_resource(document, "usedResources", cluster, report->used);
    rest_resource(document, "amUsedResources", cluster, report->am_used);
    rest_resource(document, "amMaxResources", cluster, report->am_limit);
    rest_resource(document, "demandResources", cluster, report->demand);
    rest_resource(document, "steadyFairResources", cluster, report->steady_fair_share);
    rest_resource(document, "fairResources", cluster, report->fair_share);
    rest_resource(document, "clusterResources", cluster, cluster->total);
    rest_resource(document, "reservedResources", cluster, report->reserved);
    rest_resource(document, "maxContainerAllocation", cluster, cluster->maximum_allocation);
}

static const char *policy_name(const Creel__QueueReport *report)
{
    return text_equal(report->policy, "drf") ? "DRF" : report->policy;
}

static void begin_children(struct document *document, const struct rest_queue *queue)
{
    if (queue->child_count == 0) {
        document_empty(document, "childQueues");
        return;
    }
    document_begin(document, "childQueues");
    document_begin_list(document, "queue", queue->child_count);
}

static void enter(const struct rest_tree_writer *to, struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;
    struct document *document = to->document;

    document_begin_as(document, queue->parent == NULL ? "rootQueue" : NULL,
                      queue->leaf ? "fairSchedulerLeafQueueInfo" : NULL);
    document_int(document, "maxApps", yarn_running_limit(report->max_apps));
    add_resources(to, queue);
    document_uint(document, "pendingContainers", queue->pending_containers);
    document_uint(document, "allocatedContainers", report->containers);
    document_uint(document, "reservedContainers", queue->reserved_containers);
    document_text(document, "queueName", report->path);
    document_text(document, "schedulingPolicy", policy_name(report));
    document_bool(document, "preemptable", report->preemption);
    if (queue->leaf) {
        document_uint(document, "numPendingApps", report->waiting_apps);
        document_uint(document, "numActiveApps", report->active_apps);
    } else {
        begin_children(document, queue);
    }
}

static void leave(const struct rest_tree_writer *to, struct rest_queue *queue)
{
    if (!queue->leaf && queue->child_count > 0) {
        document_end_list(to->document);
        document_end(to->document);
    }
    document_end(to->document);
}

const struct rest_tree_kind rest_fair_tree = { "fairScheduler", enter, NULL, leave };
