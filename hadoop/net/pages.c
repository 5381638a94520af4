/* SPDX-License-Identifier: Apache-2.0 */
/* pages.c - all pages of a list of nodes or queues, as requests of a call */
#include "hadoop/net/pages.h"

/* --- nodes ------------------------------------------------------------------------- */

struct node_pages { /* in the arena of the exchange */
    pages_node_fn *each;
    pages_end_fn *end;
    void *context;
    const char *after;
};

static void on_nodes(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply);

static void ask_nodes(struct hadoop_exchange *exchange, struct node_pages *pages)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;

    body.after = (char *)(uintptr_t)pages->after;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_NODES;
    query.list_nodes = &body;
    exchange_ask(exchange, &query, on_nodes, pages);
}

static void on_nodes(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__Error *error = methods_error(reply, CREEL__ENVELOPE__BODY_NODE_LIST);
    struct node_pages *pages = context;

    if (error != NULL) {
        methods_fail(exchange, error);
        return;
    }
    for (size_t i = 0; i < reply->node_list->n_nodes; i++)
        pages->each(exchange, pages->context, reply->node_list->nodes[i]);
    if (*reply->node_list->next == '\0') {
        pages->end(exchange, pages->context);
        return;
    }
    pages->after = arena_strdup(exchange_arena(exchange), reply->node_list->next);
    ask_nodes(exchange, pages);
}

void pages_nodes(struct hadoop_exchange *exchange, pages_node_fn *each, pages_end_fn *end, void *context)
{
    struct node_pages *pages = arena_new0(exchange_arena(exchange), struct node_pages);

    *pages = (struct node_pages){ each, end, context, "" };
    ask_nodes(exchange, pages);
}

/* --- queues ------------------------------------------------------------------------ */

struct queue_pages { /* in the arena of the exchange */
    pages_queue_fn *each;
    pages_end_fn *end, *missing;
    void *context;
    const char *name, *after;
};

static void on_queues(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply);

static void ask_queues(struct hadoop_exchange *exchange, struct queue_pages *pages)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListQueues body = CREEL__LIST_QUEUES__INIT;

    body.queue = (char *)(uintptr_t)pages->name;
    body.after = (char *)(uintptr_t)pages->after;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_QUEUES;
    query.list_queues = &body;
    exchange_ask(exchange, &query, on_queues, pages);
}

static void on_queues(struct hadoop_exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__Error *error = methods_error(reply, CREEL__ENVELOPE__BODY_QUEUE_LIST);
    struct queue_pages *pages = context;

    if (error != NULL && error->code == CREEL__ERROR_CODE__ERROR_NOT_FOUND) {
        pages->missing(exchange, pages->context);
        return;
    }
    if (error != NULL) {
        methods_fail(exchange, error);
        return;
    }
    for (size_t i = 0; i < reply->queue_list->n_queues; i++)
        pages->each(exchange, pages->context, reply->queue_list->queues[i]);
    if (*reply->queue_list->next == '\0') {
        pages->end(exchange, pages->context);
        return;
    }
    pages->after = arena_strdup(exchange_arena(exchange), reply->queue_list->next);
    ask_queues(exchange, pages);
}

void pages_queues(struct hadoop_exchange *exchange, const char *name, pages_queue_fn *each, pages_end_fn *end,
                  pages_end_fn *missing, void *context)
{
    struct queue_pages *pages = arena_new0(exchange_arena(exchange), struct queue_pages);

    *pages = (struct queue_pages){ each, end, missing, context, name != NULL ? name : "", "" };
    ask_queues(exchange, pages);
}
