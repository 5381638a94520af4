/* SPDX-License-Identifier: Apache-2.0 */
/* labels.h - node labels: which there are, and which node has which */
#ifndef CREEL_RM_MASTER_LABELS_H
#define CREEL_RM_MASTER_LABELS_H

#include "rm/master/state.h"

bool rm_label_is_shared(const struct master *m, const char *name);
bool rm_label_is_known(const struct master *m, const char *name);
/* Where the label comes from; false: no node has it and no queue names it (any more). */
bool rm_label_source(const struct master *m, const char *name, Creel__LabelSource *ret);
const struct node *rm_label_node(const struct master *m, const char *name);    /* one that has it */
/* In the step's arena: "there is fast, slow"; all of them as a message. */
const char *rm_labels_known(const struct master *m);
Creel__LabelList *rm_labels_list(struct master *m);
/* The configuration is new; NOTES has room for a sentence about each label. Returns their count. */
size_t rm_labels_apply(struct master *m, const char **notes);
/* Makes NAME known to the scheduler. -EDQUOT */
int rm_label_declare(struct master *m, const char *name, bool shared, struct err *err);

/* The label that NODE is to have: an administrator's, or its agent's. */
void rm_node_take_label(struct master *m, struct node *node);
/* USER gives NODE another label; "": none. */
void rm_node_set_label(struct master *m, struct node *node, const char *label, const char *user);
/* LABEL was removed: nodes that an administrator gave it lose it. */
void rm_node_labels_forget(struct master *m, const char *label);

#endif
