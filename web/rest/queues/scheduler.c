/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.c - /ws/v1/cluster/scheduler */
#include "web/rest/queues/scheduler.h"

#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/pieces.h"
#include "web/rest/parts/reply.h"
#include "yarn/resource.h"

static void add_fifo(struct document *document, const Creel__ClusterInfo *cluster,
                     const struct rest_queue *root)
{
    int64_t total_mb = yarn_memory_mb(cluster->total), used_mb = yarn_memory_mb(cluster->used);

    document_float(document, "capacity", 1);
    document_float(document, "usedCapacity", total_mb > 0 ? (float)used_mb / (float)total_mb : 0);
    document_text(document, "qstate", root->report->state);
    document_int(document, "minQueueMemoryCapacity", yarn_memory_mb(cluster->minimum_allocation));
    document_int(document, "maxQueueMemoryCapacity", yarn_memory_mb(cluster->maximum_allocation));
    document_uint(document, "numNodes", cluster->nodes_running);
    document_int(document, "usedNodeCapacity", used_mb);
    document_int(document, "availNodeCapacity", total_mb - used_mb);
    document_int(document, "totalNodeCapacity", total_mb);
    document_uint(document, "numContainers", cluster->containers);
}

/* --- the tree, a queue at a time ------------------------------------------------ */

struct walk { /* in the arena of the exchange */
    const struct rest_tree_kind *kind;
    struct rest_queue *queue;
    enum { WALK_ENTER, WALK_INSIDE, WALK_LEAVE } place;
};

/* Moves on to the next sibling, or, after the last one, back to the parent. */
static void move_on(struct walk *walk)
{
    const struct rest_queue *queue = walk->queue;

    walk->place = queue->next != NULL ? WALK_ENTER : WALK_LEAVE;
    walk->queue = queue->next != NULL ? queue->next : queue->parent;
}

static void write_place(struct walk *walk, const struct rest_tree_writer *to)
{
    struct rest_queue *queue = walk->queue;

    switch (walk->place) {
    case WALK_ENTER:
        walk->kind->enter(to, queue);
        if (queue->first != NULL)
            walk->queue = queue->first;
        else
            walk->place = WALK_INSIDE;
        break;
    case WALK_INSIDE:
        if (walk->kind->user == NULL || !walk->kind->user(to, queue))
            walk->place = WALK_LEAVE;
        break;
    case WALK_LEAVE:
        walk->kind->leave(to, queue);
        move_on(walk);
        break;
    }
}

static enum rest_more next_place(struct exchange *exchange, void *context, struct arena *arena,
                                 struct document *document)
{
    struct walk *walk = context;
    const struct rest_tree_writer to = {
        .document = document,
        .model = rest_model(exchange),
        .cluster = web_model_cluster(rest_model(exchange)),
        .arena = arena,
    };

    if (walk->queue == NULL) {
        document_end(document);
        return REST_END;
    }
    if (walk->queue->parent != NULL && !rest_queue_look(walk->queue->parent, to.model))
        return REST_BROKEN;
    if (rest_queue_look(walk->queue, to.model))
        write_place(walk, &to);
    else if (walk->place == WALK_ENTER && walk->queue->parent != NULL)
        move_on(walk);
    else
        return REST_BROKEN;
    return REST_MORE;
}

static void send_tree(struct exchange *exchange, struct document *document, const struct rest_tree_kind *kind,
                      struct rest_queue *root)
{
    struct walk *walk = arena_new0(exchange_arena(exchange), struct walk);

    *walk = (struct walk){ kind, root, WALK_ENTER };
    document_begin_as(document, "schedulerInfo", kind->type);
    rest_send_items(exchange, document, next_place, walk);
}

void rest_scheduler(struct exchange *exchange)
{
    struct document *document = rest_begin(exchange, "scheduler", REST_NATURAL);
    const Creel__ClusterInfo *cluster = web_model_cluster(rest_model(exchange));
    struct rest_queue *root;

    if (document == NULL)
        return;
    root = rest_queue_tree(rest_model(exchange), exchange_arena(exchange));
    if (root == NULL) {
        document_free(document);
        rest_refuse(exchange, 503, "the queues are not known yet");
    } else if (text_equal(cluster->queue_model, "capacity")) {
        send_tree(exchange, document, &rest_capacity_tree, root);
    } else if (text_equal(cluster->queue_model, "fair")) {
        send_tree(exchange, document, &rest_fair_tree, root);
    } else {
        document_begin_as(document, "schedulerInfo", "fifoScheduler");
        add_fifo(document, cluster, root);
        document_end(document);
        rest_send(exchange, 200, document);
    }
}
