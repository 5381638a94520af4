/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_step.h - inside the task master: what each event does to the books
 *
 * Called between begin and pump of task_master.c; messages are made there.
 */
#ifndef CREEL_CLIENT_TASK_STEP_H
#define CREEL_CLIENT_TASK_STEP_H

#include "client/master/task_book.h"

void step_registered(struct task_master *master, const Creel__RegisterAmReply *reply);
void step_allocated(struct task_master *master, const Creel__AllocateReply *reply);
/* am_start_result_fn; OWNER is the struct held. */
void step_start_answered(void *context, void *owner, const Creel__Error *error, bool silent);
/* Every task that is not over fails with EXIT_CODE; all containers are stopped and given back. */
void step_give_up(struct task_master *master, int exit_code, const char *why);

#endif
