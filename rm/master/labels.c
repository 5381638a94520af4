/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.c - which partition a node belongs to, and administrators who change it while it runs
 *
 * A node is in one partition. Its agent says in which, unless an administrator said otherwise: that
 * holds, over restarts of either, until another is set. What runs on the node goes on, as in YARN, and
 * counts against the new partition from then on.
 */
#include <errno.h>
#include <string.h>

#include "rm/master/internal.h"
#include "rm/sched/capacity/config.h"

#define NO_LABEL "-"                    /* in a setting: none, whatever the agent says */

static const char *wanted_label(const struct master *m, const struct node *node)
{
    const struct setting *setting = rm_setting_find(m, SETTING_NODE_LABEL, node->id);

    if (setting == NULL)
        return node->own_label;
    return text_equal(setting->value, NO_LABEL) ? NULL : setting->value;
}

void rm_node_take_label(struct master *m, struct node *node)
{
    rm_text_set(&node->label, wanted_label(m, node));
}

static int judge(struct master *m, const char *label, struct err *err)
{
    const char *known = "";

    if (m->capacity == NULL)
        return err_set(err, ESHUTDOWN, "the %s scheduler has no labels", m->config.scheduler);
    if (*label == '\0' || capacity_config_label(m->capacity, label) > 0)
        return 0;
    for (int l = 1; l < m->capacity->label_count; l++)
        known = arena_printf(m->out->arena, "%s%s%s", known, l > 1 ? ", " : "", m->capacity->labels[l]);
    return err_set(err, ENOENT, "label %s: not defined; there %s%s (creel.node-labels names labels, "
                   "creel admin refresh queues makes them known)", label,
                   m->capacity->label_count > 1 ? "is " : "is none", known);
}

static void set_label(struct master *m, struct node *node, const char *label, const char *user)
{
    struct setting *setting = rm_setting_find(m, SETTING_NODE_LABEL, node->id);
    const char *before = node->label ? node->label : "";

    if (!text_equal(label, node->own_label ? node->own_label : ""))
        rm_setting_put(m, SETTING_NODE_LABEL, node->id, *label ? label : NO_LABEL, NULL, user);
    else if (setting)
        rm_setting_forget(m, setting);  /* it says so itself */
    if (text_equal(before, label))
        return;
    rm_node_take_label(m, node);
    if (node->sched)
        sched_node_set_label(m->sched, node->sched, node->label, &m->decisions);
}

void rm_on_set_node_label(struct master *m, const struct master_peer *peer,
                          const Creel__Envelope *in)
{
    const char *label = in->set_node_label->label, *user = rm_acting_user(m, peer, in);
    Creel__Envelope *envelope;
    Creel__NodeList *list;
    struct err err = { .text = "" };
    struct node *node;
    int r;

    if (user == NULL)
        return;
    if (!rm_user_list_has(m->config.admin_users, user)) {
        rm_reply_error(m, peer, in->request_id, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
                       "user %s is not an administrator of this cluster (yarn.admin.acl)", user);
        return;
    }
    node = rm_resolve_node(m, peer, in->request_id, in->set_node_label->node);
    if (node == NULL)
        return;
    if ((r = judge(m, label, &err)) < 0) {
        rm_reply_error(m, peer, in->request_id, rm_queues_error(r), "%s", err.text);
        return;
    }
    set_label(m, node, label, user);
    list = arena_new0(m->out->arena, Creel__NodeList);
    creel__node_list__init(list);
    list->nodes = arena_array0(m->out->arena, 1, sizeof(*list->nodes));
    list->nodes[list->n_nodes++] = rm_node_report(m, node);
    envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_NODE_LIST);
    envelope->node_list = list;
    rm_send_stored(m, m->store_seq, peer->channel, peer->connection, envelope);
}

/* --- labels of the cluster ------------------------------------------------- */

static Creel__LabelReport *label_report(struct master *m, const char *name, bool shared)
{
    Creel__LabelReport *report = arena_new0(m->out->arena, Creel__LabelReport);
    struct resource total = resource_of(0, 0);
    struct node *node;

    creel__label_report__init(report);
    report->name = rm_message_text(m->out->arena, name);
    report->exclusive = !shared;
    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        if (node->sched == NULL || !text_equal(node->label ? node->label : "", name))
            continue;
        report->nodes++;
        total = resource_add(total, node->total);
    }
    report->total = rm_resource_message(m, &total);
    return report;
}

void rm_on_list_labels(struct master *m, const struct master_peer *peer, const Creel__Envelope *in)
{
    Creel__Envelope *envelope = rm_envelope_new(m, in->request_id, CREEL__ENVELOPE__BODY_LABEL_LIST);
    Creel__LabelList *list = arena_new0(m->out->arena, Creel__LabelList);
    int count = m->capacity ? m->capacity->label_count : 1;

    creel__label_list__init(list);
    list->labels = arena_array0(m->out->arena, (size_t)count, sizeof(*list->labels));
    for (int l = 1; l < count; l++)
        list->labels[list->n_labels++] = label_report(m, m->capacity->labels[l],
                                                      m->capacity->label_shared[l]);
    envelope->label_list = list;
    rm_reply_to(m, peer, envelope);
}
