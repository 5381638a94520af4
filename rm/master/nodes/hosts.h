/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.h - the include and exclude lists of hosts of the cluster
 *
 * yarn.resourcemanager.nodes.include-path and .exclude-path (yarn-behaviour 15). hosts.c keeps the lists and
 * looks up nodes in them; host_lists_apply.c applies changed lists to the nodes.
 */
#ifndef CREEL_RM_MASTER_HOSTS_H
#define CREEL_RM_MASTER_HOSTS_H

#include "rm/master/state.h"

void rm_hosts_done(struct hosts *hosts);
/* Returns the reason (a static text) for which NODE_ID at ADDRESS may not be part of the cluster; NULL if it
 * may be. Sets *RET (RET may be NULL) to its entry in the exclude list; NULL if there is none. */
const char *rm_hosts_refusal(struct master *m, const char *node_id, const char *address,
                             const struct host **ret);
/* Calls EACH for the names in the exclude list that belong to no known node, for the list of nodes. */
void rm_hosts_each_unknown(struct master *m, void (*each)(void *context, const char *name), void *context);
/* Returns true if NODE is not connected, the include list is not empty, and NODE is in neither list. */
bool rm_hosts_untracked(struct master *m, const struct node *node);
/* Sets or clears the timer after which an untracked node is forgotten. Called when NODE connects or leaves,
 * and when the lists have changed. */
void rm_hosts_watch(struct master *m, struct node *node);

void rm_hosts_set(struct master *m, const struct master_hosts *lists);
/* Decommissions NODE or takes it back into service, as the lists require. Returns true if NODE was excluded
 * and may register again from now on. */
bool rm_hosts_apply(struct master *m, struct node *node, const struct master_reload *reload);
void rm_hosts_forget(struct master *m, struct node *node);
void rm_hosts_recovered(struct master *m);

#endif
