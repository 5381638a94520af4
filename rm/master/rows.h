/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - writes applications, attempts, containers, nodes and settings as rows of the store
 *
 * Each function adds an effect and returns the row's number in the store's sequence:
 * master_on_stored reports it when the row is on disk.
 */
#ifndef CREEL_RM_MASTER_ROWS_H
#define CREEL_RM_MASTER_ROWS_H

#include "rm/master/state.h"

uint64_t rm_store_app(struct master *m, const struct app *app);
uint64_t rm_store_attempt(struct master *m, const struct attempt *attempt);
uint64_t rm_store_container(struct master *m, struct container *container);
uint64_t rm_store_setting(struct master *m, const struct setting *setting, bool forget);
uint64_t rm_store_node(struct master *m, const struct node *node);
uint64_t rm_store_scheduler_conf(struct master *m, const Creel__StoredSchedulerConf *row);
/* Deletes APP, its attempts and its containers from the store. ENDED: it has ended, and its deletion may wait
 * (MASTER_FORGET_APP). */
uint64_t rm_store_forget(struct master *m, const struct app *app, bool ended);
Creel__StoredAdminState rm_admin_stored(enum admin_state state);

#endif
