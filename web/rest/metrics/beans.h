/* SPDX-License-Identifier: Apache-2.0 */
/* beans.h - the JMX beans of a resource manager that YARN's monitoring tools read */
#ifndef CREEL_WEB_REST_BEANS_H
#define CREEL_WEB_REST_BEANS_H

#include "web/model/view.h"
#include "web/rest/parts/pieces.h"
#include "web/rest/queues/queue_tree.h"
#include "web/text/bean.h"

/* Returns all beans but those of queues, in ARENA. The model must be complete. The last one
 * is RMNMInfo; its last attribute, LiveNodeManagers, is "" here. */
struct bean_list *beans_of(const struct web_view *view, struct arena *arena);
/* Returns the name of this host, in ARENA. */
const char *beans_host(struct arena *arena);

/* Adds the beans QueueMetrics and PartitionQueueMetrics of QUEUE, whose report is set. HOST is the value
 * of tag.Hostname. */
void beans_add_queue(struct bean_list *list, const struct rest_queue *queue,
                     const Creel__ClusterInfo *cluster, const char *host);

/* LiveNodeManagers, all running nodes as JSON, is written a node at a time. Returns the ids of these
 * nodes. */
struct rest_names live_nodes_ids(struct exchange *exchange);
/* Returns the object of the node ID, which the caller must free; NULL: it does not run any more. */
char *live_nodes_object(struct exchange *exchange, struct arena *arena, const char *id);

#endif
