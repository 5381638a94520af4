/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.h - draining and decommissioning
 *
 * Administrators and the lists of hosts order it; the table is in states.c. A node that is drained
 * gets nothing new, and is empty when its last container has ended. yarn-behaviour 15.
 */
#ifndef CREEL_RM_MASTER_DRAIN_H
#define CREEL_RM_MASTER_DRAIN_H

#include "rm/master/state.h"

struct drain_order {                     /* texts are copied */
    enum admin_event event;
    const char *by, *reason;            /* REASON NULL or "": an earlier one stays */
    bool by_file, forced;
    bool deadline_given;                /* else an earlier one stays */
    int64_t deadline_ms;                /* 0: none */
};

/* Could ORDER be carried out? -EINVAL: ERR has the reason. */
int rm_drain_judge(const struct node *node, const struct drain_order *order, struct err *err);
void rm_drain_order(struct master *m, struct node *node, const struct drain_order *order);
/* Checks whether the nodes that were marked (rm_node_mark_for_check) are empty now. */
void rm_drain_check_marked(struct master *m);
/* NODE is about to be forgotten, and its row is deleted. */
void rm_drain_forget(struct master *m, struct node *node);
void rm_drain_recovered(struct master *m, struct node *node);

#endif
