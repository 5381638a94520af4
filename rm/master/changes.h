/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.h - which applications and nodes have changed, in the order of their last change
 *
 * For GetChanges (query_changes.c). Each application and node that has changed is in one tree by the number
 * of its last change, and so is what is gone. Nothing is kept until the first request, and nothing any more
 * when the last one is CHANGES_KEPT_MS ago. A request costs the rows of its reply.
 */
#ifndef CREEL_RM_MASTER_CHANGES_H
#define CREEL_RM_MASTER_CHANGES_H

#include "rm/master/state.h"

#define CHANGES_KEPT_MS 120000          /* after the last request */
#define CHANGES_GONE_MAX 10000          /* that are remembered; a client that is further behind loads anew */

RB_PROTOTYPE(rm_change_tree, change, link, rm_change_compare)
int rm_change_compare(const struct change *a, const struct change *b);

void rm_changes_app(struct master *m, struct app *app);
void rm_changes_node(struct master *m, struct node *node);
/* Before APP or NODE is freed. */
void rm_changes_app_gone(struct master *m, struct app *app);
void rm_changes_node_gone(struct master *m, struct node *node);

/* A request has come: changes are kept from now on. */
void rm_changes_ask(struct master *m);
/* Are all changes after SINCE of SESSION known? */
bool rm_changes_known(const struct master *m, uint64_t session, uint64_t since);
/* The first change after SINCE; NULL: none. RB_NEXT has the others. */
struct change *rm_changes_after(struct master *m, uint64_t since);
void rm_changes_stop(struct master *m);

#endif
