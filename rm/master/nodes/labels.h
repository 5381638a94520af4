/* SPDX-License-Identifier: Apache-2.0 */
/* labels.h - node labels (partitions): the known labels, and the label of each node */
#ifndef CREEL_RM_MASTER_LABELS_H
#define CREEL_RM_MASTER_LABELS_H

#include "rm/master/state.h"

bool rm_label_is_shared(const struct master *m, const char *name);
bool rm_label_is_known(const struct master *m, const char *name);
/* Sets RET to the origin of the label. Returns false if the label does not exist (any more). */
bool rm_label_source(const struct master *m, const char *name, Creel__LabelSource *ret);
/* Return the known labels in the step's arena: as text ("there is fast, slow"), and as a message. */
const char *rm_labels_known(const struct master *m);
Creel__LabelList *rm_labels_list(struct master *m);
/* Adapts the labels to a new configuration. NOTES has room for a sentence about each label. Returns the
 * number of sentences. */
size_t rm_labels_apply(struct master *m, const char **notes);
/* Declares the label NAME to the scheduler. -EDQUOT: too many labels. */
int rm_label_declare(struct master *m, const char *name, bool shared, struct err *err);

/* Sets the label of NODE to the one that an administrator set, or else to the one that its agent reports. */
void rm_node_update_label(struct master *m, struct node *node);
/* Sets the label of NODE on behalf of USER; "": no label. */
void rm_node_set_label(struct master *m, struct node *node, const char *label, const char *user);
/* Removes LABEL, which no longer exists, from the nodes to which an administrator gave it. */
void rm_node_labels_forget(struct master *m, const char *label);

#endif
