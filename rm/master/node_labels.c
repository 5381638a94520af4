/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_labels.c - which partition a node belongs to, and administrators who change it while it runs
 *
 * A node is in one partition. Its agent says in which, unless an administrator said otherwise: that
 * holds, over restarts of either, until another is set. What runs on the node goes on, as in YARN, and
 * counts against the new partition from then on.
 */
#include <errno.h>
#include <string.h>

#include "rm/master/internal.h"

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
    if (!m->features.labels)
        return err_set(err, ESHUTDOWN, "the %s scheduler has no labels", m->config.scheduler);
    if (*label == '\0')
        return 0;
    if (!m->features.labels_enabled)
        return err_set(err, ESHUTDOWN, "yarn.node-labels.enabled is false: with true, and after creel "
                       "admin refresh queues, nodes may have labels");
    if (rm_label_is_known(m, label))
        return 0;
    return err_set(err, ENOENT, "label %s: not defined; %s (creel label add %s makes it known)", label,
                   rm_labels_known(m), label);
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
    const char *label = in->set_node_label->label, *user = rm_administrator(m, peer, in);
    Creel__Envelope *envelope;
    Creel__NodeList *list;
    struct err err = { .text = "" };
    struct node *node;
    int r;

    if (user == NULL)
        return;
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
    list->now_ms = m->now_ms;
    envelope->node_list = list;
    rm_send_stored(m, m->store_seq, peer->channel, peer->connection, envelope);
}

void rm_node_labels_forget(struct master *m, const char *label)
{
    struct setting *setting, *next;
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        setting = rm_setting_find(m, SETTING_NODE_LABEL, node->id);
        if (setting && text_equal(setting->value, label))
            set_label(m, node, node->own_label ? node->own_label : "", "");
    }
    /* Those of nodes that are not here. */
    HASH_ITER(hh, m->settings, setting, next)
        if (text_equal(setting->kind, SETTING_NODE_LABEL) && text_equal(setting->value, label))
            rm_setting_forget(m, setting);
}
