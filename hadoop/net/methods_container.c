/* SPDX-License-Identifier: Apache-2.0 */
/* methods_container.c - containers of an attempt, with the addresses of their nodes */
#include <string.h>
#include <uthash.h>

#include "hadoop/map/reports.h"
#include "hadoop/net/methods.h"
#include "hadoop/net/pages.h"

#define CONTAINERS_FIELD 1 /* of Containers, and the one of Container */

struct node_address { /* in the arena of the exchange */
    UT_hash_handle hh;
    const char *node_id, *http_address;
};

struct container_query { /* in the arena of the exchange */
    struct attempt_id attempt;
    char app_id[ID_TEXT_MAX];
    char container_id[ID_TEXT_MAX]; /* "": all of the attempt */
    const char *after;
    const Creel__ClusterInfo *cluster;
    struct node_address *nodes;
};

/* --- nodes ------------------------------------------------------------------------- */

static void add_node(struct hadoop_exchange *exchange, void *context, const Creel__NodeReport *node)
{
    struct arena *arena = exchange_arena(exchange);
    struct node_address *address = arena_new0(arena, struct node_address);
    struct container_query *query = context;

    address->node_id = arena_strdup(arena, node->node_id);
    address->http_address = arena_strdup(arena, node->http_address);
    HASH_ADD_KEYPTR(hh, query->nodes, address->node_id, strlen(address->node_id), address);
}

static void forget_nodes(void *context)
{
    struct container_query *query = context;

    HASH_CLEAR(hh, query->nodes); /* the nodes themselves are in the arena */
}

static const char *http_address_of(const struct container_query *query, const char *node_id)
{
    struct node_address *address;

    HASH_FIND_STR(query->nodes, node_id, address);
    return address != NULL ? address->http_address : "";
}

/* --- containers ---------------------------------------------------------------------- */

static void end_with(struct hadoop_exchange *exchange, const struct container_query *query,
                     const Creel__Error *error)
{
    if (error->code != CREEL__ERROR_CODE__ERROR_NOT_FOUND)
        methods_fail(exchange, error);
    else if (query->container_id[0] == '\0')
        methods_no_app(exchange, query->app_id);
    else
        methods_throw(exchange, YARN_EXCEPTION("ContainerNotFoundException"),
                      arena_printf(exchange_arena(exchange), "Container with id '%s' doesn't exist in RM.",
                                   query->container_id));
}

/* Adds CONTAINER, if it is of the attempt that is asked for. Returns false if it is of a later one. */
static bool add_container(struct hadoop_exchange *exchange, const struct container_query *query,
                          const Creel__ContainerReport *container)
{
    struct container_id id;
    struct arena *arena;

    if (!container_id_parse(container->container_id, &id))
        return true;
    if (query->container_id[0] == '\0' && id.attempt.attempt != query->attempt.attempt)
        return id.attempt.attempt < query->attempt.attempt;
    arena = arena_new();
    hadoop_bytes_add_element(
        exchange_body(exchange), CONTAINERS_FIELD,
        &hadoop_container_report(arena, query->cluster, container, http_address_of(query, container->node_id))
             ->base);
    arena_free(arena);
    return true;
}

static void ask_containers(struct hadoop_exchange *exchange, void *context);

static void on_containers(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__Error *error = methods_error(reply, CREEL__ENVELOPE__BODY_CONTAINER_LIST);
    struct container_query *query = context;
    bool more = true;

    if (error != NULL) {
        end_with(exchange, query, error);
        return;
    }
    for (size_t i = 0; i < reply->container_list->n_containers && more; i++)
        more = add_container(exchange, query, reply->container_list->containers[i]);
    if (!more || *reply->container_list->next == '\0') {
        exchange_send(exchange);
        return;
    }
    query->after = arena_strdup(exchange_arena(exchange), reply->container_list->next);
    ask_containers(exchange, query);
}

/* As YARN, lists the containers that have not ended. */
static void ask_containers(struct hadoop_exchange *exchange, void *context)
{
    struct container_query *query = context;
    Creel__Envelope ask = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;

    body.container_id = query->container_id;
    if (query->container_id[0] == '\0') {
        body.app_id = query->app_id;
        body.after = hadoop_text(query->after);
        body.live_only = true;
    }
    ask.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    ask.list_containers = &body;
    exchange_ask(exchange, &ask, on_containers, query);
}

static void on_cluster(struct hadoop_exchange *exchange, const Creel__ClusterInfo *cluster, void *context)
{
    struct container_query *query = context;

    query->cluster = cluster;
    exchange_at_end(exchange, forget_nodes, query);
    pages_nodes(exchange, add_node, ask_containers, query);
}

void method_containers(struct hadoop_exchange *exchange)
{
    const Hadoop__GetAttempt *message = exchange_message(exchange, &hadoop__get_attempt__descriptor);
    struct container_id before = { .number = 0 };
    struct container_query *query;
    char after[ID_TEXT_MAX];

    if (message == NULL)
        return;
    query = arena_new0(exchange_arena(exchange), struct container_query);
    if (!hadoop_attempt_id_read(message->attempt, &query->attempt)) {
        methods_no_app(exchange, "null");
        return;
    }
    (void)app_id_format(&query->attempt.app, query->app_id);
    before.attempt = query->attempt;
    query->after = arena_strdup(exchange_arena(exchange), container_id_format(&before, after));
    methods_ask_cluster(exchange, on_cluster, query);
}

void method_container(struct hadoop_exchange *exchange)
{
    const Hadoop__GetContainer *message = exchange_message(exchange, &hadoop__get_container__descriptor);
    struct container_query *query;

    if (message == NULL)
        return;
    query = arena_new0(exchange_arena(exchange), struct container_query);
    if (hadoop_container_id_text(message->container, query->container_id))
        methods_ask_cluster(exchange, on_cluster, query);
    else
        methods_throw(exchange, YARN_EXCEPTION("ContainerNotFoundException"), "Invalid container id: null");
}
