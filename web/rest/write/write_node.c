/* SPDX-License-Identifier: Apache-2.0 */
/* write_node.c - changes the resources of a node, and node labels */
#include <string.h>

#include "common/base/text.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/parts.h"
#include "web/rest/parts/reply.h"
#include "web/rest/write/write.h"

#define LABELS_MAX 1000 /* maximum in one request */

/* Returns the node in the path; NULL: the function answered with an error. */
static const Creel__NodeReport *begin(struct exchange *exchange)
{
    const char *id = exchange_capture(exchange, 0);
    const Creel__NodeReport *node;

    if (!rest_may_write(exchange))
        return NULL;
    node = web_model_node(rest_model(exchange), id);
    if (node == NULL)
        rest_not_found(exchange, arena_printf(exchange_arena(exchange), "nodeId, %s, is not found", id));
    return node;
}

/* --- resources -------------------------------------------------------------------- */

static void resources_set(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const Creel__Resource *total = context;
    struct document *document;

    if (rest_write_failed(exchange, reply, NULL))
        return;
    if (reply->body_case == CREEL__ENVELOPE__BODY_NODE_LIST && reply->node_list->n_nodes == 1)
        total = reply->node_list->nodes[0]->total;
    document = rest_begin(exchange, "resourceInfo", REST_NATURAL);
    if (document == NULL)
        return;
    rest_resource_members(document, web_model_cluster(rest_model(exchange)), total);
    rest_send(exchange, 200, document);
}

void rest_node_resource(struct exchange *exchange)
{
    const Creel__NodeReport *node = begin(exchange);
    const struct tree *body = node != NULL ? rest_read_body(exchange, "resourceOption") : NULL;
    Creel__Resource *total = arena_new0(exchange_arena(exchange), Creel__Resource);
    Creel__SetNodeResources set = CREEL__SET_NODE_RESOURCES__INIT;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    char *nodes[1];
    int64_t memory_mb = 0, vcores = 0, overcommit_ms = -1;

    if (body == NULL)
        return;
    rest_tree_int(body, "overCommitTimeout", &overcommit_ms);
    if (!rest_tree_int(tree_find(body, "resource"), "memory", &memory_mb) ||
        !rest_tree_int(tree_find(body, "resource"), "vCores", &vcores) || memory_mb <= 0 || vcores <= 0) {
        rest_bad_request(exchange, "the body has no resource with memory and vCores above 0");
        return;
    }
    creel__resource__init(total);
    total->memory_mb = memory_mb;
    total->vcores = vcores;
    nodes[0] = node->node_id;
    set.nodes = nodes;
    set.n_nodes = 1;
    set.total = total;
    set.overcommit_ms = overcommit_ms;
    query.body_case = CREEL__ENVELOPE__BODY_SET_NODE_RESOURCES;
    query.set_node_resources = &set;
    exchange_ask(exchange, &query, resources_set, total);
}

/* --- labels of the cluster ---------------------------------------------------------- */

/* Returns whether REPLY is an error; if so, answers the request. As in YARN, without permission the status is
 * 401. */
static bool label_failed(struct exchange *exchange, const Creel__Envelope *reply)
{
    if (reply->body_case != CREEL__ENVELOPE__BODY_ERROR)
        return false;
    if (reply->error->code == CREEL__ERROR_CODE__ERROR_NOT_PERMITTED)
        rest_error(exchange, 401, "org.apache.hadoop.security.authorize.AuthorizationException",
                   reply->error->message);
    else
        rest_upstream_error(exchange, reply->error);
    return true;
}

static void labels_changed(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    (void)context;
    if (!label_failed(exchange, reply))
        rest_send_text(exchange, 200, "");
}

static void change_labels(struct exchange *exchange, bool remove, Creel__LabelSpec **labels, size_t count)
{
    Creel__ChangeLabels change = CREEL__CHANGE_LABELS__INIT;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    change.remove = remove;
    change.labels = labels;
    change.n_labels = count;
    query.body_case = CREEL__ENVELOPE__BODY_CHANGE_LABELS;
    query.change_labels = &change;
    exchange_ask(exchange, &query, labels_changed, NULL);
}

static Creel__LabelSpec *label_spec(struct exchange *exchange, const char *name, bool shared)
{
    Creel__LabelSpec *spec = arena_new0(exchange_arena(exchange), Creel__LabelSpec);

    creel__label_spec__init(spec);
    spec->name = (char *)(uintptr_t)name;
    spec->shared = shared;
    return spec;
}

void rest_add_labels(struct exchange *exchange)
{
    const struct tree *body = rest_may_write(exchange) ? rest_read_body(exchange, "nodeLabelsInfo") : NULL;
    Creel__LabelSpec *specs[LABELS_MAX];
    size_t count = 0;

    if (body == NULL)
        return;
    for (const struct tree *label = tree_find(body, "nodeLabelInfo"); label != NULL && count < LABELS_MAX;
         label = tree_next(label)) {
        const char *name = tree_text(label, "name");

        if (name == NULL || *name == '\0') {
            rest_bad_request(exchange, "a label has no name");
            return;
        }
        specs[count++] = label_spec(exchange, name, text_equal(tree_text(label, "exclusivity"), "false"));
    }
    if (count == 0)
        rest_bad_request(exchange, "the body names no label: {\"nodeLabelInfo\":[{\"name\":\"gpu\"}]}");
    else
        change_labels(exchange, false, specs, count);
}

void rest_remove_labels(struct exchange *exchange)
{
    struct arena *arena = exchange_arena(exchange);
    Creel__LabelSpec *specs[LABELS_MAX];
    const char *value;
    size_t count = 0;

    if (!rest_may_write(exchange))
        return;
    for (size_t i = 0; (value = exchange_parameter(exchange, "labels", i)) != NULL; i++) {
        char *rest = arena_strdup(arena, value), *word;

        while (count < LABELS_MAX && (word = text_next_word(&rest)) != NULL)
            specs[count++] = label_spec(exchange, word, false);
    }
    if (count == 0)
        rest_bad_request(exchange, "the parameter labels names no label");
    else
        change_labels(exchange, true, specs, count);
}

/* --- labels of nodes ----------------------------------------------------------------- */

struct relabeling { /* labels of nodes to set, one request to the resource manager after the other */
    const char *nodes[LABELS_MAX], *labels[LABELS_MAX];
    size_t count, done;
};

static void set_next(struct exchange *exchange, struct relabeling *relabeling);

static void label_set(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct relabeling *relabeling = context;

    if (!label_failed(exchange, reply))
        set_next(exchange, relabeling);
}

static void set_next(struct exchange *exchange, struct relabeling *relabeling)
{
    Creel__SetNodeLabel set = CREEL__SET_NODE_LABEL__INIT;
    Creel__Envelope query = CREEL__ENVELOPE__INIT;

    if (relabeling->done == relabeling->count) {
        rest_send_text(exchange, 200, "");
        return;
    }
    set.node = (char *)(uintptr_t)relabeling->nodes[relabeling->done];
    set.label = (char *)(uintptr_t)relabeling->labels[relabeling->done];
    relabeling->done++;
    query.body_case = CREEL__ENVELOPE__BODY_SET_NODE_LABEL;
    query.set_node_label = &set;
    exchange_ask(exchange, &query, label_set, relabeling);
}

void rest_replace_node_labels(struct exchange *exchange)
{
    const Creel__NodeReport *node = begin(exchange);
    struct relabeling *relabeling = arena_new0(exchange_arena(exchange), struct relabeling);
    const char *label = exchange_parameter(exchange, "labels", 0);

    if (node == NULL)
        return;
    if (exchange_parameter(exchange, "labels", 1) != NULL) {
        rest_bad_request(exchange, "a node has one label at most");
        return;
    }
    relabeling->nodes[0] = exchange_capture(exchange, 0);
    relabeling->labels[0] = label != NULL ? label : "";
    relabeling->count = 1;
    set_next(exchange, relabeling);
}

/* Handles {"nodeToLabels":[{"nodeId":"h:p","labels":["gpu"]}]}. */
void rest_replace_labels(struct exchange *exchange)
{
    const struct tree *body =
        rest_may_write(exchange) ? rest_read_body(exchange, "nodeToLabelsEntryList") : NULL;
    struct relabeling *relabeling = arena_new0(exchange_arena(exchange), struct relabeling);

    if (body == NULL)
        return;
    for (const struct tree *entry = tree_find(body, "nodeToLabels"); entry != NULL;
         entry = tree_next(entry)) {
        const struct tree *label = tree_find(entry, "labels");
        const char *node = tree_text(entry, "nodeId");

        if (node == NULL || (label != NULL && tree_next(label) != NULL) || relabeling->count == LABELS_MAX) {
            rest_bad_request(exchange,
                             "an entry has no nodeId, or more than one label, or there are more than "
                             "1000 entries");
            return;
        }
        relabeling->nodes[relabeling->count] = node;
        relabeling->labels[relabeling->count++] = label != NULL ? label->text : "";
    }
    set_next(exchange, relabeling);
}
