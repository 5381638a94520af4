/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.h - drains and decommissions nodes, and takes them back into service
 *
 * Administrators and the lists of hosts order a change; states.c has the table of administrative states. A
 * node that is being drained gets no new containers, and is drained when its last container has ended.
 * yarn-behaviour 15.
 */
#ifndef CREEL_RM_MASTER_DRAIN_H
#define CREEL_RM_MASTER_DRAIN_H

#include "rm/master/state.h"

struct drain_order { /* texts are copied */
    enum admin_event event;
    const char *by, *reason; /* empty REASON: a changed order keeps its reason */
    bool by_file, forced;
    bool deadline_given; /* false: a changed order keeps its deadline, a new one has none */
    int64_t deadline_ms; /* 0: none */
};

/* Checks whether ORDER is possible for NODE. -EINVAL: ERR has the reason. */
int rm_drain_judge(const struct node *node, const struct drain_order *order, struct err *err);
void rm_drain_order(struct master *m, struct node *node, const struct drain_order *order);
/* Checks whether the nodes that were marked (rm_node_mark_for_check) are empty now. */
void rm_drain_check_marked(struct master *m);
/* Deletes the row of NODE. Called before NODE is forgotten. */
void rm_drain_forget(struct master *m, struct node *node);
void rm_drain_recovered(struct master *m, struct node *node);

#endif
