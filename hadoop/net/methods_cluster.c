/* SPDX-License-Identifier: Apache-2.0 */
/* methods_cluster.c - nodes, labels, types of resources, sums of the cluster */
#include <string.h>

#include "hadoop/map/reports.h"
#include "hadoop/net/methods.h"
#include "hadoop/net/pages.h"

#define ROWS_FIELD 1 /* of Nodes, AllNodeLabels and AllLabelNodes */

/* --- sums and types ------------------------------------------------------------------ */

static void send_metrics(struct hadoop_exchange *exchange, const Creel__ClusterInfo *cluster, void *context)
{
    Hadoop__Metrics answer = HADOOP__METRICS__INIT;

    (void)context;
    answer.metrics = hadoop_cluster_metrics(exchange_arena(exchange), cluster);
    exchange_send_message(exchange, &answer.base);
}

void method_metrics(struct hadoop_exchange *exchange)
{
    methods_ask_cluster(exchange, send_metrics, NULL);
}

static void send_types(struct hadoop_exchange *exchange, const Creel__ClusterInfo *cluster, void *context)
{
    (void)context;
    exchange_send_message(exchange, &hadoop_resource_types(exchange_arena(exchange), cluster)->base);
}

void method_resource_types(struct hadoop_exchange *exchange)
{
    methods_ask_cluster(exchange, send_types, NULL);
}

/* --- nodes ------------------------------------------------------------------------- */

struct node_query { /* in the arena of the exchange */
    const Hadoop__GetNodes *message;
    const Creel__ClusterInfo *cluster;
};

static void add_node(struct hadoop_exchange *exchange, void *context, const Creel__NodeReport *node)
{
    const struct node_query *query = context;
    struct arena *arena;

    if (!hadoop_node_passes(query->message, node))
        return;
    arena = arena_new(); /* of this one report: there may be many */
    hadoop_bytes_add_element(exchange_body(exchange), ROWS_FIELD,
                             &hadoop_node_report(arena, query->cluster, node)->base);
    arena_free(arena);
}

static void send_body(struct hadoop_exchange *exchange, void *context)
{
    (void)context;
    exchange_send(exchange);
}

static void list_nodes(struct hadoop_exchange *exchange, const Creel__ClusterInfo *cluster, void *context)
{
    struct node_query *query = context;

    query->cluster = cluster;
    pages_nodes(exchange, add_node, send_body, query);
}

void method_nodes(struct hadoop_exchange *exchange)
{
    const Hadoop__GetNodes *message = exchange_message(exchange, &hadoop__get_nodes__descriptor);
    struct node_query *query;

    if (message == NULL)
        return;
    query = arena_new0(exchange_arena(exchange), struct node_query);
    query->message = message;
    methods_ask_cluster(exchange, list_nodes, query);
}

/* --- labels ------------------------------------------------------------------------ */

static void send_labels(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__Error *error = methods_error(reply, CREEL__ENVELOPE__BODY_LABEL_LIST);
    struct arena *arena = exchange_arena(exchange);
    Hadoop__ClusterLabels answer = HADOOP__CLUSTER_LABELS__INIT;
    size_t count = error == NULL ? reply->label_list->n_labels : 0;

    (void)context;
    if (error != NULL) {
        methods_fail(exchange, error);
        return;
    }
    answer.names = arena_array0(arena, count + 1, sizeof(*answer.names));
    answer.labels = arena_array0(arena, count + 1, sizeof(*answer.labels));
    for (size_t i = 0; i < count; i++) {
        Hadoop__NodeLabel *label = arena_new0(arena, Hadoop__NodeLabel);

        hadoop__node_label__init(label);
        label->name = reply->label_list->labels[i]->name;
        HADOOP_SET(label, exclusive, reply->label_list->labels[i]->exclusive);
        answer.names[answer.n_names++] = label->name;
        answer.labels[answer.n_labels++] = label;
    }
    exchange_send_message(exchange, &answer.base);
}

void method_labels(struct hadoop_exchange *exchange)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListLabels body = CREEL__LIST_LABELS__INIT;

    query.body_case = CREEL__ENVELOPE__BODY_LIST_LABELS;
    query.list_labels = &body;
    exchange_ask(exchange, &query, send_labels, NULL);
}

static void add_node_labels(struct hadoop_exchange *exchange, void *context, const Creel__NodeReport *node)
{
    Hadoop__NodeLabels row = HADOOP__NODE_LABELS__INIT;
    char *labels[1] = { node->label };

    (void)context;
    if (*node->label == '\0')
        return;
    row.node = hadoop_node_id(exchange_arena(exchange), node->node_id);
    row.labels = labels;
    row.n_labels = 1;
    hadoop_bytes_add_element(exchange_body(exchange), ROWS_FIELD, &row.base);
}

void method_node_labels(struct hadoop_exchange *exchange)
{
    pages_nodes(exchange, add_node_labels, send_body, NULL);
}

/* --- nodes by label ------------------------------------------------------------------ */

struct label_row { /* in the arena of the exchange */
    Hadoop__LabelNodes message;
    size_t capacity;
    struct label_row *next;
};

struct label_query { /* in the arena of the exchange */
    const Hadoop__GetLabelNodes *message;
    struct label_row *rows;
};

static bool is_asked_for(const Hadoop__GetLabelNodes *message, const char *label)
{
    for (size_t i = 0; i < message->n_labels; i++)
        if (strcmp(message->labels[i], label) == 0)
            return true;
    return message->n_labels == 0;
}

static struct label_row *row_of(struct arena *arena, struct label_query *query, const char *label)
{
    struct label_row *row = query->rows;

    while (row != NULL && strcmp(row->message.label, label) != 0)
        row = row->next;
    if (row != NULL)
        return row;
    row = arena_new0(arena, struct label_row);
    hadoop__label_nodes__init(&row->message);
    row->message.label = arena_strdup(arena, label);
    row->next = query->rows;
    query->rows = row;
    return row;
}

static void add_to_label(struct hadoop_exchange *exchange, void *context, const Creel__NodeReport *node)
{
    struct arena *arena = exchange_arena(exchange);
    struct label_query *query = context;
    struct label_row *row;

    if (*node->label == '\0' || !is_asked_for(query->message, node->label))
        return;
    row = row_of(arena, query, node->label);
    if (row->message.n_nodes == row->capacity) {
        Hadoop__NodeId **longer;

        row->capacity = row->capacity > 0 ? 2 * row->capacity : 8;
        longer = arena_array0(arena, row->capacity, sizeof(*longer));
        if (row->message.n_nodes > 0)
            memcpy(longer, row->message.nodes, row->message.n_nodes * sizeof(*longer));
        row->message.nodes = longer;
    }
    row->message.nodes[row->message.n_nodes++] = hadoop_node_id(arena, node->node_id);
}

static void send_label_nodes(struct hadoop_exchange *exchange, void *context)
{
    const struct label_query *query = context;

    for (struct label_row *row = query->rows; row != NULL; row = row->next)
        hadoop_bytes_add_element(exchange_body(exchange), ROWS_FIELD, &row->message.base);
    exchange_send(exchange);
}

void method_label_nodes(struct hadoop_exchange *exchange)
{
    const Hadoop__GetLabelNodes *message = exchange_message(exchange, &hadoop__get_label_nodes__descriptor);
    struct label_query *query;

    if (message == NULL)
        return;
    query = arena_new0(exchange_arena(exchange), struct label_query);
    query->message = message;
    pages_nodes(exchange, add_to_label, send_label_nodes, query);
}
