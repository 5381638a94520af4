/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_step.h - inside the task master: updates of its tables for each event
 *
 * task_master.c calls these functions between begin() and pump(). pump() then makes the messages.
 */
#ifndef CREEL_CLIENT_TASK_STEP_H
#define CREEL_CLIENT_TASK_STEP_H

#include "client/am/task_book.h"

void step_registered(struct task_master *master, const Creel__RegisterAmReply *reply);
void step_allocated(struct task_master *master, const Creel__AllocateReply *reply);
/* An am_start_result_fn; OWNER is the struct held_container. */
void step_start_answered(void *context, void *owner, const Creel__Error *error, bool silent);
/* Sets every task that has not ended to failed, with EXIT_CODE. Stops and releases all containers. */
void step_give_up(struct task_master *master, int exit_code, const char *why);

#endif
