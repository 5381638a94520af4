/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_labels.c - sets the label of a node, which is its partition
 *
 * A node is in the partition that its agent reports, or in the one that an administrator set. A partition set
 * by an administrator is kept over restarts of agent and resource manager. If the partition changes, running
 * containers on the node continue, as in YARN, and count for the new partition.
 */
#include <errno.h>
#include <string.h>

#include "rm/master/nodes/labels.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"
#include "rm/master/state/settings.h"

#define NO_LABEL "-" /* value of a setting: the node has no label, even if its agent reports one */

static const char *wanted_label(const struct master *m, const struct node *node)
{
    const struct setting *setting = rm_setting_find(m, SETTING_NODE_LABEL, node->id);

    if (setting == NULL)
        return node->own_label;
    return text_equal(setting->value, NO_LABEL) ? NULL : setting->value;
}

void rm_node_update_label(struct master *m, struct node *node)
{
    rm_text_set(&node->label, wanted_label(m, node));
}

void rm_node_set_label(struct master *m, struct node *node, const char *label, const char *user)
{
    struct setting *setting = rm_setting_find(m, SETTING_NODE_LABEL, node->id);
    const char *before = node->label ? node->label : "";

    if (!text_equal(label, node->own_label ? node->own_label : ""))
        rm_setting_put(m, SETTING_NODE_LABEL, node->id, *label ? label : NO_LABEL, NULL, user);
    else if (setting)
        rm_setting_forget(m, setting); /* the agent itself reports the same label */
    if (text_equal(before, label))
        return;
    rm_node_update_label(m, node);
    rm_changes_node(m, node);
    if (node->sched)
        sched_node_set_label(m->sched, node->sched, node->label, &m->decisions);
}

void rm_node_labels_forget(struct master *m, const char *label)
{
    struct setting *setting, *next;
    struct node *node;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        setting = rm_setting_find(m, SETTING_NODE_LABEL, node->id);
        if (setting && text_equal(setting->value, label))
            rm_node_set_label(m, node, node->own_label ? node->own_label : "", "");
    }
    /* Forget the labels of nodes that are not known. */
    HASH_ITER(hh, m->settings, setting, next)
        if (text_equal(setting->kind, SETTING_NODE_LABEL) && text_equal(setting->value, label))
            rm_setting_forget(m, setting);
}
