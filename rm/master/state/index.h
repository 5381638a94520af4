/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h - finds applications, attempts, containers and nodes, and marks them for the end of the step
 *
 * This is the lowest layer: its functions read the state, or append an object to a list that the end of the
 * step processes. Functions that find an object return NULL if none exists.
 */
#ifndef CREEL_RM_MASTER_INDEX_H
#define CREEL_RM_MASTER_INDEX_H

#include "rm/master/state.h"

/* --- applications and attempts --------------------------------------------- */

RB_PROTOTYPE(rm_app_tree, app, link, rm_app_compare)
struct app *rm_app_find(const struct master *m, uint32_t seq);
struct attempt *rm_attempt_find(const struct master *m, const struct attempt_id *id);
bool rm_app_is_over(const struct app *app);  /* APP and its last attempt have ended */
bool rm_app_is_ended(const struct app *app); /* clients see a final state of APP */
void rm_app_show(struct master *m, struct app *app, Creel__AppState state); /* sets the state that clients
                                                                               see */
const char *rm_app_state_word(const struct app *app); /* word for the final state of APP */
bool rm_attempt_is_over(const struct attempt *attempt);
/* Returns true if the agent has reported that the command of the first container of ATTEMPT (NULL: none) has
 * ended, whether or not the processes that it left have ended too. */
bool rm_attempt_has_ended_command(const struct attempt *attempt);
uint32_t rm_app_max_attempts(const struct master *m, const struct app *app);
/* Puts TASK on the list of the tasks of its array that wait in their queue, or takes it off the list. Ignores
 * an application that is no task. */
void rm_app_list_waiting(struct app *task);
/* Notes a change that clients can see: the end of the step answers the requests that wait for a change of
 * APP. */
void rm_app_touch(struct master *m, struct app *app);
/* Notes news for the AM of ATTEMPT: the end of the step sends the AM a wakeup, so that it sends an
 * Allocate. */
void rm_attempt_wake_up(struct master *m, struct attempt *attempt);

/* --- containers ------------------------------------------------------------ */

RB_PROTOTYPE(rm_container_tree, container, link, rm_container_compare)
RB_PROTOTYPE(rm_node_container_tree, container, by_node, rm_container_compare)
int rm_container_compare(const struct container *a, const struct container *b);
struct container *rm_container_find(const struct master *m, const char *text);

/* --- nodes ----------------------------------------------------------------- */

RB_PROTOTYPE(rm_node_tree, node, link, rm_node_compare)
struct node *rm_node_find(const struct master *m, const char *id);
bool rm_node_serves(const struct node *node);            /* neither drained nor being decommissioned */
Creel__NodeState rm_node_shown(const struct node *node); /* the state that users see */
/* Marks NODE, where a container or application was added or removed: the end of the step checks whether NODE
 * is drained. */
void rm_node_mark_for_check(struct master *m, struct node *node);

#endif
