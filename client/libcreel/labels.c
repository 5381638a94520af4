/* SPDX-License-Identifier: Apache-2.0 */
/* labels.c - requests about labels: partitions of the cluster, and their nodes */
#include <errno.h>
#include <stdlib.h>

#include "client/include/creel-admin.h"
#include "client/libcreel/client.h"
#include "client/libcreel/reports.h"
#include "client/libcreel/texts.h"
#include "common/base/mem.h"
#include "common/io/wire.h"

struct labels_box {
    struct creel_labels shown; /* first member: callers have a pointer to it */
    Creel__Envelope *reply;
};

CREEL_EXPORT
int creel_node_set_label(struct creel_client *client, const char *node, const char *label,
                         struct creel_nodes **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__SetNodeLabel set = CREEL__SET_NODE_LABEL__INIT;
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r;

    set.node = texts_borrow(node);
    set.label = texts_borrow(label);
    request.body_case = CREEL__ENVELOPE__BODY_SET_NODE_LABEL;
    request.set_node_label = &set;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_NODE_LIST, client->timeout_ms, &reply, &err);
    if (r == 0)
        r = pages_add(&pages, reply, &err);
    if (r == 0)
        r = reports_nodes(&pages, ret, &err);
    pages_done(&pages);
    return client_set_error(error, &err, r);
}

/* Sends a request that is answered by a LabelList. */
static int ask(struct creel_client *client, const Creel__Envelope *request, struct creel_labels **ret,
               struct creel_error *error)
{
    struct err err = { 0 };
    struct labels_box *box;
    Creel__Envelope copy = *request, *reply;
    int r = client_call(client, &copy, CREEL__ENVELOPE__BODY_LABEL_LIST, client->timeout_ms, &reply, &err);

    if (r < 0)
        return client_set_error(error, &err, r);
    box = mem_new0(struct labels_box);
    box->reply = reply;
    box->shown.items = reports_labels(reply->label_list->labels, reply->label_list->n_labels);
    box->shown.count = reply->label_list->n_labels;
    *ret = &box->shown;
    return 0;
}

CREEL_EXPORT
int creel_label_list(struct creel_client *client, struct creel_labels **ret, struct creel_error *error)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__ListLabels list = CREEL__LIST_LABELS__INIT;

    request.body_case = CREEL__ENVELOPE__BODY_LIST_LABELS;
    request.list_labels = &list;
    return ask(client, &request, ret, error);
}

CREEL_EXPORT
int creel_label_change(struct creel_client *client, bool remove, const struct creel_label_spec *specs,
                       size_t count, struct creel_labels **ret, struct creel_error *error)
{
    scoped_free Creel__LabelSpec **labels = mem_array0(count + 1, sizeof(*labels));
    scoped_free Creel__LabelSpec *items = mem_array0(count + 1, sizeof(*items));
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
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
    request.body_case = CREEL__ENVELOPE__BODY_CHANGE_LABELS;
    request.change_labels = &change;
    return ask(client, &request, ret, error);
}

CREEL_EXPORT
void creel_labels_free(struct creel_labels *labels)
{
    struct labels_box *box = (struct labels_box *)(void *)labels;

    if (!box)
        return;
    wire_free(box->reply);
    free(box->shown.items);
    free(box);
}
