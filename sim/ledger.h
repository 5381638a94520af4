/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.h - independent record of all processes of a world, against which the cores are checked
 *
 * Every process that was started, for which task, where, when it ended, and
 * what was reported to its AM. The promises that matter to users are checked
 * against it: no container starts twice, no task runs in two containers of an attempt
 * unless the first was reported over, no task whose own end was reported runs
 * again in any attempt, no task whose job chose so runs twice at a time in whatever attempt, no node runs
 * more than it has, no acknowledged submission is lost, no task of an array starts in two applications.
 */
#ifndef CREEL_SIM_LEDGER_H
#define CREEL_SIM_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/resource.h"

struct ledger;

struct ledger *ledger_new(void);
void ledger_free(struct ledger *ledger);

/* Records the start of a container's process. TASK is the index of the task, or -1 for a first container.
 * ALONE: no other process of that task, of any attempt, may be running. Returns 0, or -EINVAL if a guarantee
 * is violated. */
int ledger_started(struct ledger *ledger, const char *container_id, int task, unsigned node,
                   struct resource resource, bool alone, struct resource node_total, struct err *err);
/* It is the task NAME ("ARRAY_INDEX") of an array. -EINVAL: that was another application before. */
int ledger_array_task(struct ledger *ledger, const char *container_id, const char *name, struct err *err);
/* It ended; BY_ITSELF: not stopped, not lost with its host. */
void ledger_ended(struct ledger *ledger, const char *container_id, bool by_itself);
/* Records that an AM got the exit of CONTAINER_ID with EXIT_STATUS. -EINVAL if the process still runs
 * although the status means that it exited by itself. */
int ledger_reported(struct ledger *ledger, const char *container_id, int exit_status, struct err *err);

/* Records that the submission of APP_ID was acknowledged to its client. */
void ledger_accepted(struct ledger *ledger, const char *app_id);
/* Calls EACH for every accepted app until it returns false. */
void ledger_each_accepted(const struct ledger *ledger, bool (*each)(void *context, const char *app_id),
                          void *context);

unsigned ledger_running(const struct ledger *ledger); /* number of running processes */
unsigned ledger_running_on(const struct ledger *ledger, unsigned node);
unsigned ledger_starts(const struct ledger *ledger); /* number of processes started so far */

#endif
