/* SPDX-License-Identifier: Apache-2.0 */
/* beans_queue.h - the beans QueueMetrics and PartitionQueueMetrics (pure) */
#ifndef CREEL_WEB_REST_BEANS_QUEUE_H
#define CREEL_WEB_REST_BEANS_QUEUE_H

#include "web/rest/queue_tree.h"
#include "web/text/bean.h"

/* Adds the beans of QUEUE, whose report is set. HOST is the value of tag.Hostname. */
void beans_add_queue(struct bean_list *list, const struct rest_queue *queue,
                     const Creel__ClusterInfo *cluster, const char *host);

#endif
