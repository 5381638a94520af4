/* SPDX-License-Identifier: Apache-2.0 */
/* labels.c - the node labels of the cluster, and the labels of nodes; what grows with nodes is written in
 * pieces */
#include <string.h>

#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/amounts.h"
#include "web/rest/parts/lists.h"
#include "web/rest/parts/parts.h"
#include "web/rest/parts/pieces.h"
#include "web/rest/parts/reply.h"

#define DEFAULT_PARTITION "<DEFAULT_PARTITION>"

struct label_writer {
    struct document *document;
    const Creel__ClusterInfo *cluster;
    const struct web_model *model;
    struct arena *arena;
};

static struct label_writer writer_of(struct exchange *exchange, struct arena *arena,
                                     struct document *document)
{
    const struct web_model *model = rest_model(exchange);

    return (struct label_writer){ document, web_model_cluster(model), model, arena };
}

static bool begin(struct exchange *exchange, const char *root, struct label_writer *to)
{
    struct document *document = rest_begin(exchange, root, REST_MAPPED);

    *to = writer_of(exchange, exchange_arena(exchange), document);
    return document != NULL;
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
static size_t list_nodes(const struct web_model *model, struct arena *arena, const char *name,
                         const Creel__NodeReport ***ret)
{
    struct web_node_filter filter = { .label = name };
    size_t count = rest_list_nodes(model, arena, &filter, ret), kept = 0;

    for (size_t i = 0; i < count; i++)
        if (name != NULL || *(*ret)[i]->label != '\0')
            (*ret)[kept++] = (*ret)[i];
    return kept;
}

static const char *id_of(const void *report)
{
    return ((const Creel__NodeReport *)report)->node_id;
}

/* Returns the ids of the nodes that list_nodes lists. */
static struct rest_names node_names(struct exchange *exchange, const char *name)
{
    struct arena *arena = arena_new();
    const Creel__NodeReport **nodes;
    size_t count = list_nodes(rest_model(exchange), arena, name, &nodes);
    struct rest_names ids = rest_names_of(exchange_arena(exchange), (const void *const *)nodes, count, id_of);

    arena_free(arena);
    return ids;
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

static void add_rm_label(const struct label_writer *to, const char *name, bool exclusive,
                         const Creel__Resource *total, const char *of)
{
    const Creel__NodeReport **nodes;
    size_t count = list_nodes(to->model, to->arena, of, &nodes), active = 0;

    for (size_t i = 0; i < count; i++)
        active += is_active(nodes[i]) ? 1 : 0;
    document_begin(to->document, NULL);
    add_name(to, name, exclusive);
    add_partition(to, total);
    document_uint(to->document, "activeNMs", active);
    document_end(to->document);
}

static const char *name_of_label(const void *report)
{
    return ((const Creel__LabelReport *)report)->name;
}

struct rm_labels { /* in the arena of the exchange */
    struct rest_names names;
    bool begun; /* the default partition has been written */
};

static enum rest_more next_rm_label(struct exchange *exchange, void *context, struct arena *arena,
                                    struct document *document)
{
    const struct label_writer to = writer_of(exchange, arena, document);
    struct rm_labels *labels = context;
    const Creel__LabelReport *label;
    const char *name;

    if (!labels->begun) {
        labels->begun = true;
        add_rm_label(&to, DEFAULT_PARTITION, true, rest_unlabelled_total(to.arena, to.cluster), "");
        return REST_MORE;
    }
    name = rest_names_take(&labels->names);
    if (name == NULL) {
        document_end_list(document);
        return REST_END;
    }
    label = find(&to, name);
    if (label != NULL)
        add_rm_label(&to, name, label->exclusive, label->total, name);
    return REST_MORE;
}

void rest_rm_labels(struct exchange *exchange)
{
    struct rm_labels *labels = arena_new0(exchange_arena(exchange), struct rm_labels);
    struct label_writer to;

    if (!begin(exchange, "nodeLabelsInfo", &to))
        return;
    labels->names =
        rest_names_of(to.arena, (const void *const *)to.cluster->labels, to.cluster->n_labels, name_of_label);
    document_begin_list(to.document, "nodeLabelInfo", to.cluster->n_labels + 1);
    rest_send_items(exchange, to.document, next_rm_label, labels);
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

static enum rest_more next_node(struct exchange *exchange, void *context, struct arena *arena,
                                struct document *document)
{
    const struct label_writer to = writer_of(exchange, arena, document);
    struct rest_names *ids = context;
    const char *id = rest_names_take(ids);
    const Creel__NodeReport *node;

    if (id == NULL) {
        document_end_list(document);
        document_end(document);
        return REST_END;
    }
    node = web_model_node(to.model, id);
    if (node == NULL || *node->label == '\0')
        return REST_MORE;
    document_begin(document, NULL);
    document_text(document, "key", id);
    document_begin(document, "value");
    add_label_of(&to, node);
    document_end(document);
    document_end(document);
    return REST_MORE;
}

void rest_node_to_labels(struct exchange *exchange)
{
    struct rest_names *ids = arena_new0(exchange_arena(exchange), struct rest_names);
    struct label_writer to;

    if (!begin(exchange, "nodeToLabelsInfo", &to))
        return;
    *ids = node_names(exchange, NULL);
    if (ids->left == 0) {
        document_empty(to.document, "nodeToLabels");
        rest_send(exchange, 200, to.document);
        return;
    }
    document_begin(to.document, "nodeToLabels");
    document_begin_list(to.document, "entry", ids->left);
    rest_send_items(exchange, to.document, next_node, ids);
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

struct mapping { /* a label and its nodes */
    const char *name;
    bool exclusive;
    struct rest_names nodes; /* left to be written, once its item has been begun */
};

struct mappings { /* in the arena of the exchange */
    struct mapping *items;
    size_t count, next;
    bool begun; /* the item NEXT has been begun */
};

/* The nodes are those that have the label now. To find them for all labels at once would take long. */
static void begin_mapping(struct exchange *exchange, const struct label_writer *to, struct mapping *mapping)
{
    mapping->nodes = node_names(exchange, mapping->name);
    document_begin(to->document, NULL);
    document_begin(to->document, "key");
    add_name(to, mapping->name, mapping->exclusive);
    document_end(to->document);
    document_begin(to->document, "value");
    document_begin_list(to->document, "nodes", mapping->nodes.left);
}

static void end_mapping(const struct label_writer *to, const struct mapping *mapping)
{
    const Creel__LabelReport *label = find(to, mapping->name);

    document_end_list(to->document);
    add_partition(to, label != NULL ? label->total : NULL);
    document_end(to->document);
    document_end(to->document);
}

/* Writes the begin of a label, one of its nodes, or its end. */
static enum rest_more next_of_mapping(struct exchange *exchange, void *context, struct arena *arena,
                                      struct document *document)
{
    const struct label_writer to = writer_of(exchange, arena, document);
    struct mappings *mappings = context;
    struct mapping *mapping = &mappings->items[mappings->next];
    const Creel__NodeReport *node;
    const char *id;

    if (mappings->next == mappings->count) {
        document_end_list(document);
        document_end(document);
        return REST_END;
    }
    if (!mappings->begun) {
        mappings->begun = true;
        begin_mapping(exchange, &to, mapping);
        return REST_MORE;
    }
    id = rest_names_take(&mapping->nodes);
    if (id == NULL) {
        mappings->begun = false;
        mappings->next++;
        end_mapping(&to, mapping);
        return REST_MORE;
    }
    node = web_model_node(to.model, id);
    if (node != NULL && text_equal(node->label, mapping->name))
        document_text(document, NULL, id);
    return REST_MORE;
}

void rest_label_mappings(struct exchange *exchange)
{
    struct mappings *mappings = arena_new0(exchange_arena(exchange), struct mappings);
    struct label_writer to;

    if (!begin(exchange, "labelsToNodesInfo", &to))
        return;
    mappings->items = arena_array0(to.arena, to.cluster->n_labels + 1, sizeof(*mappings->items));
    for (size_t i = 0; i < to.cluster->n_labels; i++) {
        const Creel__LabelReport *label = to.cluster->labels[i];

        if (label->nodes > 0 && is_wanted(exchange, label->name))
            mappings->items[mappings->count++] =
                (struct mapping){ .name = arena_strdup(to.arena, label->name),
                                  .exclusive = label->exclusive };
    }
    if (mappings->count == 0) {
        document_empty(to.document, "labelsToNodes");
        rest_send(exchange, 200, to.document);
        return;
    }
    document_begin(to.document, "labelsToNodes");
    document_begin_list(to.document, "entry", mappings->count);
    rest_send_items(exchange, to.document, next_of_mapping, mappings);
}
