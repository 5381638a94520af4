/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.h - lists of hosts that may, and may not, be part of the cluster
 *
 * yarn.resourcemanager.nodes.include-path and .exclude-path (yarn-behaviour 15). hosts.c keeps the
 * lists and answers whether a node is in them; host_lists_apply.c carries out what follows.
 */
#ifndef CREEL_RM_MASTER_HOSTS_H
#define CREEL_RM_MASTER_HOSTS_H

#include "rm/master/state.h"

void rm_hosts_done(struct hosts *hosts);
/* Why NODE_ID at ADDRESS may not be here, in the step's arena; NULL: it may. *RET (may be NULL): its
 * entry in the exclude list. */
const char *rm_hosts_refusal(struct master *m, const char *node_id, const char *address,
                             const struct host **ret);
/* Names in the exclude list that no node has, for the list of nodes. */
void rm_hosts_each_unknown(struct master *m, void (*each)(void *context, const char *name),
                           void *context);
/* NODE is gone, there is a list of hosts that may be here, and it is in neither. */
bool rm_hosts_untracked(struct master *m, const struct node *node);
/* NODE has come or gone, or the lists are new: an untracked node is forgotten after a while. */
void rm_hosts_watch(struct master *m, struct node *node);

void rm_hosts_take(struct master *m, const struct master_hosts *lists);
/* Decommissions NODE or takes it back, as the lists have it. True if NODE may come back. */
bool rm_hosts_apply(struct master *m, struct node *node, const struct master_reload *reload);
void rm_hosts_forget(struct master *m, struct node *node);
void rm_hosts_recovered(struct master *m);

#endif
