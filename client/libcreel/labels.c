/* SPDX-License-Identifier: Apache-2.0 */
/* labels.c - requests about labels: partitions of the cluster, and their nodes */
#include "client/include/creel-admin.h"
#include "client/libcreel/reports.h"
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"
#include "client/libcreel/texts.h"
#include "common/base/mem.h"

CREEL_EXPORT
int creel_node_set_label(struct creel_client *client, const char *node, const char *label,
                         struct creel_nodes **ret, struct creel_error *error)
{
    Creel__SetNodeLabel set = CREEL__SET_NODE_LABEL__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    set.node = texts_borrow(node);
    set.label = texts_borrow(label);
    r = request_pages(client, REQUEST(SET_NODE_LABEL, &set), ANSWER(NODE_LIST), NULL, &pages, &err);
    if (r == 0)
        r = reports_nodes(&pages, ret, &err);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

/* Sends BODY, a message of KIND, which is answered by a LabelList. */
static int ask(struct creel_client *client, Creel__Envelope__BodyCase kind, void *body,
               struct creel_labels **ret, struct creel_error *error)
{
    const Creel__LabelList *list;
    struct creel_labels *labels;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = request_pages(client, kind, body, ANSWER(LABEL_LIST), NULL, &pages, &err);

    if (r < 0)
        return client_set_error(error, &err, r);
    list = pages.items[0]->label_list;
    labels = RESULT_NEW(struct creel_labels, &pages);
    labels->items = reports_labels(labels, list->labels, list->n_labels);
    labels->count = list->n_labels;
    *ret = labels;
    return 0;
}

CREEL_EXPORT
int creel_label_list(struct creel_client *client, struct creel_labels **ret, struct creel_error *error)
{
    Creel__ListLabels list = CREEL__LIST_LABELS__INIT;

    return ask(client, REQUEST(LIST_LABELS, &list), ret, error);
}

CREEL_EXPORT
int creel_label_change(struct creel_client *client, bool remove, const struct creel_label_spec *specs,
                       size_t count, struct creel_labels **ret, struct creel_error *error)
{
    scoped_free Creel__LabelSpec **labels = mem_array0(count + 1, sizeof(*labels));
    scoped_free Creel__LabelSpec *items = mem_array0(count + 1, sizeof(*items));
    Creel__ChangeLabels change = CREEL__CHANGE_LABELS__INIT;

    for (size_t i = 0; i < count; i++) {
        creel__label_spec__init(&items[i]);
        items[i].name = texts_borrow(specs[i].name);
        items[i].shared = specs[i].shared;
        labels[i] = &items[i];
    }
    change.remove = remove;
    change.n_labels = count;
    change.labels = labels;
    return ask(client, REQUEST(CHANGE_LABELS, &change), ret, error);
}

CREEL_EXPORT
void creel_labels_free(struct creel_labels *labels)
{
    result_free(labels);
}
