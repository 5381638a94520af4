/* SPDX-License-Identifier: Apache-2.0 */
/* labels.c - the node labels of the cluster, and the labels of nodes */
#include <string.h>

#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/lists.h"
#include "web/rest/parts.h"
#include "web/rest/reply.h"

#define DEFAULT_PARTITION "<DEFAULT_PARTITION>"

struct label_writer {
    struct document *document;
    const Creel__ClusterInfo *cluster;
    const struct web_model *model;
    struct arena *arena;
};

static bool begin(struct exchange *exchange, const char *root, struct label_writer *to)
{
    *to = (struct label_writer){
        .document = rest_begin(exchange, root, REST_MAPPED),
        .model = rest_model(exchange),
        .arena = exchange_arena(exchange),
    };
    if (to->document != NULL)
        to->cluster = web_model_cluster(to->model);
    return to->document != NULL;
}

static void add_partition(const struct label_writer *to, const Creel__Resource *resource)
{
    document_begin(to->document, "partitionInfo");
    rest_resource(to->document, "resourceAvailable", to->cluster, resource);
    document_end(to->document);
}

static void add_name(const struct label_writer *to, const char *name, bool exclusive)
{
    document_text(to->document, "name", name);
    document_bool(to->document, "exclusivity", exclusive);
}

static const Creel__LabelReport *find(const struct label_writer *to, const char *name)
{
    for (size_t i = 0; i < to->cluster->n_labels; i++)
        if (text_equal(to->cluster->labels[i]->name, name))
            return to->cluster->labels[i];
    return NULL;
}

/* Lists the nodes with label NAME in *RET. NULL: nodes with any label; "": nodes without a label. */
static size_t list_nodes(const struct label_writer *to, const char *name, const Creel__NodeReport ***ret)
{
    struct web_node_filter filter = { .label = name };
    size_t count = rest_list_nodes(to->model, to->arena, &filter, ret), kept = 0;

    for (size_t i = 0; i < count; i++)
        if (name != NULL || *(*ret)[i]->label != '\0')
            (*ret)[kept++] = (*ret)[i];
    return kept;
}

static bool is_active(const Creel__NodeReport *node)
{
    return node->state == CREEL__NODE_STATE__NODE_RUNNING;
}

/* --- labels --------------------------------------------------------------------- */

void rest_labels(struct exchange *exchange)
{
    struct label_writer to;

    if (!begin(exchange, "nodeLabelsInfo", &to))
        return;
    document_begin_list(to.document, "nodeLabelInfo", to.cluster->n_labels);
    for (size_t i = 0; i < to.cluster->n_labels; i++) {
        document_begin(to.document, NULL);
        add_name(&to, to.cluster->labels[i]->name, to.cluster->labels[i]->exclusive);
        add_partition(&to, to.cluster->labels[i]->total);
        document_end(to.document);
    }
    document_end_list(to.document);
    rest_send(exchange, 200, to.document);
}

/* Returns the resources of all nodes without a label. */
static const Creel__Resource *unlabelled(const struct label_writer *to)
{
    const Creel__Resource *rest = to->cluster->total;

    for (size_t i = 0; i < to->cluster->n_labels; i++)
        rest = rest_difference(to->arena, rest, to->cluster->labels[i]->total);
    return rest;
}

static void add_rm_label(const struct label_writer *to, const char *name, bool exclusive,
                         const Creel__Resource *total, const char *of)
{
    const Creel__NodeReport **nodes;
    size_t count = list_nodes(to, of, &nodes), active = 0;

    for (size_t i = 0; i < count; i++)
        active += is_active(nodes[i]) ? 1 : 0;
    document_begin(to->document, NULL);
    add_name(to, name, exclusive);
    add_partition(to, total);
    document_uint(to->document, "activeNMs", active);
    document_end(to->document);
}

void rest_rm_labels(struct exchange *exchange)
{
    struct label_writer to;

    if (!begin(exchange, "nodeLabelsInfo", &to))
        return;
    document_begin_list(to.document, "nodeLabelInfo", to.cluster->n_labels + 1);
    add_rm_label(&to, DEFAULT_PARTITION, true, unlabelled(&to), "");
    for (size_t i = 0; i < to.cluster->n_labels; i++)
        add_rm_label(&to, to.cluster->labels[i]->name, to.cluster->labels[i]->exclusive,
                     to.cluster->labels[i]->total, to.cluster->labels[i]->name);
    document_end_list(to.document);
    rest_send(exchange, 200, to.document);
}

/* --- labels of nodes ------------------------------------------------------------ */

static void add_label_of(const struct label_writer *to, const Creel__NodeReport *node)
{
    const Creel__LabelReport *label = find(to, node->label);

    document_begin_list(to->document, "nodeLabelInfo", 1);
    document_begin(to->document, NULL);
    add_name(to, node->label, label == NULL || label->exclusive);
    document_end(to->document);
    document_end_list(to->document);
}

void rest_node_labels(struct exchange *exchange)
{
    const char *id = exchange_capture(exchange, 0);
    const Creel__NodeReport *node;
    struct label_writer to;

    if (!rest_model_is_recent(exchange))
        return;
    node = web_model_node(rest_model(exchange), id);
    if (node == NULL) {
        rest_not_found(exchange, arena_printf(exchange_arena(exchange), "nodeId, %s, is not found", id));
        return;
    }
    if (!begin(exchange, "nodeLabelsInfo", &to))
        return;
    if (*node->label != '\0')
        add_label_of(&to, node);
    rest_send(exchange, 200, to.document);
}

void rest_node_to_labels(struct exchange *exchange)
{
    const Creel__NodeReport **nodes;
    struct label_writer to;
    size_t count;

    if (!begin(exchange, "nodeToLabelsInfo", &to))
        return;
    count = list_nodes(&to, NULL, &nodes);
    if (count == 0) {
        document_empty(to.document, "nodeToLabels");
        rest_send(exchange, 200, to.document);
        return;
    }
    document_begin(to.document, "nodeToLabels");
    document_begin_list(to.document, "entry", count);
    for (size_t i = 0; i < count; i++) {
        document_begin(to.document, NULL);
        document_text(to.document, "key", nodes[i]->node_id);
        document_begin(to.document, "value");
        add_label_of(&to, nodes[i]);
        document_end(to.document);
        document_end(to.document);
    }
    document_end_list(to.document);
    document_end(to.document);
    rest_send(exchange, 200, to.document);
}

/* --- nodes of labels ------------------------------------------------------------ */

static bool is_wanted(struct exchange *exchange, const char *name)
{
    const char *value;

    if (exchange_parameter(exchange, "labels", 0) == NULL)
        return true;
    for (size_t i = 0; (value = exchange_parameter(exchange, "labels", i)) != NULL; i++) {
        char *rest = arena_strdup(exchange_arena(exchange), value), *word;

        while ((word = text_next_word(&rest)) != NULL)
            if (text_equal(word, name))
                return true;
    }
    return false;
}

static void add_mapping(const struct label_writer *to, const Creel__LabelReport *label)
{
    const Creel__NodeReport **nodes;
    size_t count = list_nodes(to, label->name, &nodes);

    document_begin(to->document, NULL);
    document_begin(to->document, "key");
    add_name(to, label->name, label->exclusive);
    document_end(to->document);
    document_begin(to->document, "value");
    document_begin_list(to->document, "nodes", count);
    for (size_t i = 0; i < count; i++)
        document_text(to->document, NULL, nodes[i]->node_id);
    document_end_list(to->document);
    add_partition(to, label->total);
    document_end(to->document);
    document_end(to->document);
}

void rest_label_mappings(struct exchange *exchange)
{
    const Creel__LabelReport **wanted;
    struct label_writer to;
    size_t count = 0;

    if (!begin(exchange, "labelsToNodesInfo", &to))
        return;
    wanted = arena_array0(to.arena, to.cluster->n_labels + 1, sizeof(*wanted));
    for (size_t i = 0; i < to.cluster->n_labels; i++)
        if (to.cluster->labels[i]->nodes > 0 && is_wanted(exchange, to.cluster->labels[i]->name))
            wanted[count++] = to.cluster->labels[i];
    if (count == 0) {
        document_empty(to.document, "labelsToNodes");
        rest_send(exchange, 200, to.document);
        return;
    }
    document_begin(to.document, "labelsToNodes");
    document_begin_list(to.document, "entry", count);
    for (size_t i = 0; i < count; i++)
        add_mapping(&to, wanted[i]);
    document_end_list(to.document);
    document_end(to.document);
    rest_send(exchange, 200, to.document);
}
