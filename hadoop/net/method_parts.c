/* SPDX-License-Identifier: Apache-2.0 */
/* method_parts.c - what the methods share: failures, and requests that several of them make */
#include "hadoop/net/methods.h"

#define RETRIABLE "org.apache.hadoop.ipc.RetriableException"
#define ACCESS "org.apache.hadoop.security.AccessControlException"

/* --- failures --------------------------------------------------------------------- */

void methods_throw(struct hadoop_exchange *exchange, const char *exception, const char *message)
{
    exchange_fail(exchange, exception, HADOOP__RPC_DETAIL__DETAIL_APPLICATION, message);
}

void methods_fail(struct hadoop_exchange *exchange, const Creel__Error *error)
{
    const char *exception = YARN_EXCEPTION("YarnException");

    if (error->code == CREEL__ERROR_CODE__ERROR_NOT_PERMITTED)
        exception = ACCESS;
    else if (error->code == CREEL__ERROR_CODE__ERROR_UNAVAILABLE)
        exception = RETRIABLE;
    methods_throw(exchange, exception, error->message);
}

const Creel__Error *methods_error(const Creel__Envelope *reply, Creel__Envelope__BodyCase body)
{
    static char unexpected[] = "the resource manager sent an unexpected reply";
    static const Creel__Error other = {
        .base = PROTOBUF_C_MESSAGE_INIT(&creel__error__descriptor),
        .code = CREEL__ERROR_CODE__ERROR_UNKNOWN,
        .message = unexpected,
    };

    if (reply->body_case == body)
        return NULL;
    return reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? reply->error : &other;
}

void methods_no_app(struct hadoop_exchange *exchange, const char *app_id)
{
    methods_throw(exchange, YARN_EXCEPTION("ApplicationNotFoundException"),
                  arena_printf(exchange_arena(exchange),
                               "Application with id '%s' doesn't exist in RM. Please check that the job "
                               "submission was successful.",
                               app_id));
}

/* --- requests that several methods make ------------------------------------------------ */

struct asks_cluster {
    method_cluster_fn *then;
    void *context;
};

static void on_cluster(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__Error *error = methods_error(reply, CREEL__ENVELOPE__BODY_CLUSTER_INFO);
    const struct asks_cluster *asks = context;

    if (error != NULL)
        methods_fail(exchange, error);
    else
        asks->then(exchange, exchange_keep(exchange, &reply->cluster_info->base), asks->context);
}

void methods_ask_cluster(struct hadoop_exchange *exchange, method_cluster_fn *then, void *context)
{
    struct asks_cluster *asks = arena_new0(exchange_arena(exchange), struct asks_cluster);
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    *asks = (struct asks_cluster){ then, context };
    query.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    query.get_cluster_info = &body;
    exchange_ask(exchange, &query, on_cluster, asks);
}

void methods_ask_app(struct hadoop_exchange *exchange, const char *app_id, exchange_reply_fn *then,
                     void *context)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;

    body.app_id = (char *)(uintptr_t)app_id;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    query.list_apps = &body;
    exchange_ask(exchange, &query, then, context);
}
