/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.h - log of the changes of applications, nodes and queues, for GetChanges
 *
 * query_changes.c reads this log. One tree contains each changed application, node and queue, and each
 * removed application and node, ordered by the number of its last change. The scheduler has the list of
 * queues that have changed since; a GetChanges moves some of them into the tree. Recording begins with the
 * first GetChanges and ends CHANGES_KEPT_MS after the last one. The time of a GetChanges is proportional to
 * the rows of its reply.
 */
#ifndef CREEL_RM_MASTER_CHANGES_H
#define CREEL_RM_MASTER_CHANGES_H

#include "rm/master/state.h"

#define CHANGES_KEPT_MS 120000 /* time from the last GetChanges to the end of recording */
#define CHANGES_GONE_MAX \
    10000                       /* removals that are remembered; a client that is further behind reads
             everything again */
#define CHANGES_QUEUES_MOVED 32 /* queues that one GetChanges moves into the tree */

RB_PROTOTYPE(rm_change_tree, change, link, rm_change_compare)

void rm_changes_app(struct master *m, struct app *app);
void rm_changes_node(struct master *m, struct node *node);
/* Record a removal. Called before APP or NODE is freed. */
void rm_changes_app_gone(struct master *m, struct app *app);
void rm_changes_node_gone(struct master *m, struct node *node);

/* Notes the time of a GetChanges, and begins to record changes if none are recorded yet. */
void rm_changes_ask(struct master *m);
/* Moves queues from the list of the scheduler into the tree, at most CHANGES_QUEUES_MOVED. */
void rm_changes_move_queues(struct master *m);
/* Removes a queue from the tree: it no longer exists. */
void rm_changes_forget_queue(struct master *m, struct queue_change *queue);
/* Returns true if all changes after number SINCE of SESSION are recorded. */
bool rm_changes_known(const struct master *m, uint64_t session, uint64_t since);
/* Returns the first change after number SINCE, for iteration with RB_NEXT; NULL: none. */
struct change *rm_changes_after(struct master *m, uint64_t since);
void rm_changes_stop(struct master *m);

#endif
