/* SPDX-License-Identifier: Apache-2.0 */
/* methods.h - the methods of YARN's ApplicationClientProtocol (private) */
#ifndef CREEL_HADOOP_NET_METHODS_H
#define CREEL_HADOOP_NET_METHODS_H

#include "hadoop/net/server.h"

#define YARN_EXCEPTION(name) "org.apache.hadoop.yarn.exceptions." name

typedef void method_fn(struct hadoop_exchange *exchange);

/* Calls the method that EXCHANGE names; one that there is not is answered as by Hadoop. A callback of struct
 * hadoop_service. */
void methods_call(void *context, struct hadoop_exchange *exchange);

/* Answers with the exception that fits ERROR, of creel. */
void methods_fail(struct hadoop_exchange *exchange, const Creel__Error *error);
/* Answers with an exception of YARN. */
void methods_throw(struct hadoop_exchange *exchange, const char *exception, const char *message);
/* Returns the error of REPLY, or one about an unexpected reply if its body is not BODY; NULL: it is BODY. */
const Creel__Error *methods_error(const Creel__Envelope *reply, Creel__Envelope__BodyCase body);

/* Asks for the cluster, and calls THEN with the request of the caller, and a copy that lives as long as
 * EXCHANGE. */
typedef void method_cluster_fn(struct hadoop_exchange *exchange, const Creel__ClusterInfo *cluster,
                               void *context);
void methods_ask_cluster(struct hadoop_exchange *exchange, method_cluster_fn *then, void *context);
void methods_ask_app(struct hadoop_exchange *exchange, const char *app_id, exchange_reply_fn *then,
                     void *context);
/* Throws YARN's exception about an application that does not exist. */
void methods_no_app(struct hadoop_exchange *exchange, const char *app_id);

/* methods_app.c */
method_fn method_applications, method_application, method_kill;
/* methods_attempt.c */
method_fn method_attempts, method_attempt;
/* methods_container.c */
method_fn method_containers, method_container;
/* methods_cluster.c */
method_fn method_metrics, method_nodes, method_resource_types, method_labels, method_node_labels,
    method_label_nodes;
/* methods_queue.c */
method_fn method_queue, method_queue_rights;

#endif
