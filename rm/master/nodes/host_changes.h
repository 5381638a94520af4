/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_changes.h - what a refresh of the lists of hosts has changed: hosts, timeouts and states of nodes
 *
 * Each change is a text "<object>: <old> -> <new>", for the answer to the refresh.
 */
#ifndef CREEL_RM_MASTER_HOST_CHANGES_H
#define CREEL_RM_MASTER_HOST_CHANGES_H

#include "common/base/text_list.h"
#include "rm/master/state.h"

/* What is shown of each node, in the order of m->nodes; in the arena of the step. */
struct node_before;

struct node_before *rm_host_changes_before(struct master *m);
/* Adds the hosts and the default timeout that differ between the lists OLD and those in force. */
void rm_host_changes_of_lists(struct master *m, const struct hosts *old, struct text_list *changes);
/* Adds the nodes that differ from BEFORE; no node was added or removed since. */
void rm_host_changes_of_nodes(struct master *m, const struct node_before *before, struct text_list *changes);

#endif
