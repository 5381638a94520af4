/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - writes applications, attempts, containers, nodes and settings as rows of the store
 *
 * Each function adds an effect and returns the row's number in the store's sequence:
 * master_on_stored reports it when the row is on disk.
 *
 * The row of an application may be large, and one step may change an application a thousand times. So it is
 * written once, at the end of the step (rm_rows_write_all), with the state of that time; the effect has the
 * place and the number of the first change. All rows of a step reach the disk in one transaction. The master
 * owns the list of the applications that a step has changed; it is empty between steps. Nothing is undone
 * here if the store refuses the rows: master_on_store_failed does that.
 */
#ifndef CREEL_RM_MASTER_ROWS_H
#define CREEL_RM_MASTER_ROWS_H

#include "rm/master/state.h"

/* Marks APP: its row is written at the end of the step. All calls of a step return the same number. */
uint64_t rm_store_app(struct master *m, struct app *app);
/* Writes the row of APP now, if it is marked: before APP is freed. */
void rm_rows_write(struct master *m, struct app *app);
/* Writes the rows of all marked applications, at the end of a step. */
void rm_rows_write_all(struct master *m);
/* Writes those that were marked when FIRST were marked already. */
void rm_rows_write_since(struct master *m, size_t first);
uint64_t rm_store_attempt(struct master *m, const struct attempt *attempt);
uint64_t rm_store_container(struct master *m, struct container *container);
uint64_t rm_store_setting(struct master *m, const struct setting *setting, bool forget);
/* Returns why changes of users cannot be kept, so that they are refused; NULL: they can. */
const char *rm_store_refusal(const struct master *m);
uint64_t rm_store_node(struct master *m, const struct node *node);
uint64_t rm_store_scheduler_conf(struct master *m, const Creel__StoredSchedulerConf *row);
/* Deletes APP, its attempts and its containers from the store. ENDED: it has ended, and its deletion may wait
 * (MASTER_FORGET_APP). */
uint64_t rm_store_forget(struct master *m, const struct app *app, bool ended);
/* Deletes the row of CONTAINER, which has ended, from the store (MASTER_FORGET_CONTAINER). */
uint64_t rm_store_forget_container(struct master *m, const struct container *container);
Creel__StoredAdminState rm_admin_stored(enum admin_state state);

#endif
