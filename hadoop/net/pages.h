/* SPDX-License-Identifier: Apache-2.0 */
/* pages.h - all pages of a list of nodes or queues, as requests of a call (private) */
#ifndef CREEL_HADOOP_NET_PAGES_H
#define CREEL_HADOOP_NET_PAGES_H

#include "hadoop/net/methods.h"

/* Handles one row, which lives until the next page is asked for. */
typedef void pages_node_fn(struct hadoop_exchange *exchange, void *context, const Creel__NodeReport *node);
typedef void pages_queue_fn(struct hadoop_exchange *exchange, void *context, const Creel__QueueReport *queue);
typedef void pages_end_fn(struct hadoop_exchange *exchange, void *context);

/* Calls EACH for all nodes of the cluster, then END. If a request fails, the call is answered with the
 * reason, and END is not called. */
void pages_nodes(struct hadoop_exchange *exchange, pages_node_fn *each, pages_end_fn *end, void *context);
/* The same for the queue NAME, a name or path; NULL: all queues. MISSING is called if there is none. */
void pages_queues(struct hadoop_exchange *exchange, const char *name, pages_queue_fn *each, pages_end_fn *end,
                  pages_end_fn *missing, void *context);

#endif
