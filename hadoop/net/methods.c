/* SPDX-License-Identifier: Apache-2.0 */
/* methods.c - finds the method of a call */
#include "hadoop/net/methods.h"

#include <string.h>

#define CLIENT_PROTOCOL "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"
#define PROTOCOL_VERSION 1
#define NO_METHOD "org.apache.hadoop.ipc.RpcNoSuchMethodException"
#define NO_PROTOCOL "org.apache.hadoop.ipc.RpcNoSuchProtocolException"
#define MISMATCH "org.apache.hadoop.ipc.RPC$VersionMismatch"

/* --- the table ---------------------------------------------------------------------- */

/* As YARN with the feature off. */
static void no_profiles(struct hadoop_exchange *exchange)
{
    methods_throw(exchange, YARN_EXCEPTION("YARNFeatureNotEnabledException"),
                  "Resource profile is not enabled, please enable resource profile feature before using its "
                  "functions. (by setting yarn.resourcemanager.resource-profiles.enabled to true)");
}

static const struct method {
    const char *name;
    method_fn *call;
} methods[] = {
    { "forceKillApplication", method_kill },
    { "getApplicationAttemptReport", method_attempt },
    { "getApplicationAttempts", method_attempts },
    { "getApplicationReport", method_application },
    { "getApplications", method_applications },
    { "getClusterMetrics", method_metrics },
    { "getClusterNodeLabels", method_labels },
    { "getClusterNodes", method_nodes },
    { "getContainerReport", method_container },
    { "getContainers", method_containers },
    { "getLabelsToNodes", method_label_nodes },
    { "getNodeToLabels", method_node_labels },
    { "getQueueInfo", method_queue },
    { "getQueueUserAcls", method_queue_rights },
    { "getResourceProfile", no_profiles },
    { "getResourceProfiles", no_profiles },
    { "getResourceTypeInfo", method_resource_types },
};

/* The words are Hadoop's own. */
static void refuse_method(struct hadoop_exchange *exchange, const struct hadoop_call *call)
{
    struct arena *arena = exchange_arena(exchange);

    if (strcmp(call->protocol, CLIENT_PROTOCOL) != 0)
        exchange_fail(exchange, NO_PROTOCOL, HADOOP__RPC_DETAIL__DETAIL_NO_SUCH_PROTOCOL,
                      arena_printf(arena, "Unknown protocol: %s", call->protocol));
    else if (call->version != PROTOCOL_VERSION)
        exchange_fail(exchange, MISMATCH, HADOOP__RPC_DETAIL__DETAIL_RPC_VERSION_MISMATCH,
                      arena_printf(arena, "Protocol %s version mismatch. (client = %llu, server = %d)",
                                   call->protocol, (unsigned long long)call->version, PROTOCOL_VERSION));
    else
        exchange_fail(
            exchange, NO_METHOD, HADOOP__RPC_DETAIL__DETAIL_NO_SUCH_METHOD,
            arena_printf(arena, "Unknown method %s called on %s protocol.", call->method, call->protocol));
}

void methods_call(void *context, struct hadoop_exchange *exchange)
{
    const struct hadoop_call *call = exchange_call(exchange);
    method_fn *found = NULL;

    (void)context;
    for (size_t i = 0; i < sizeof(methods) / sizeof(*methods) && found == NULL; i++)
        if (strcmp(methods[i].name, call->method) == 0)
            found = methods[i].call;
    if (found != NULL && strcmp(call->protocol, CLIENT_PROTOCOL) == 0 && call->version == PROTOCOL_VERSION)
        found(exchange);
    else
        refuse_method(exchange, call);
}
