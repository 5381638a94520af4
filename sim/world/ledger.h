/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.h - independent record of all processes of a world, against which the cores are checked
 *
 * The ledger records every process: its task, its node, whether it runs, and the exit status that its AM got.
 * It also records the acknowledged submissions. The guarantees that matter to users are checked against it:
 *   - No container starts twice.
 *   - Within an attempt, a task starts in a second container only after the AM got the exit of the first one.
 *   - A task does not run again, in any attempt, after an AM got an exit that the task itself caused.
 *   - If the job requests it, a task never runs in two processes at a time, whatever their attempts.
 *   - The processes of a node do not have more memory than the node.
 *   - No acknowledged submission is lost.
 *   - No task of an array starts in two applications.
 *   - A task of an array that waits for that of another one ("corr") starts after it has succeeded.
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
/* Records that the limits of a running container are those of RESOURCE now. -EINVAL: the node runs more than
 * it has. */
int ledger_resized(struct ledger *ledger, const char *container_id, struct resource resource,
                   struct resource node_total, struct err *err);
/* Records that a container runs the task NAME ("ARRAY_INDEX") of an array. -EINVAL: this task started in
 * another application before. */
int ledger_array_task(struct ledger *ledger, const char *container_id, const char *name, struct err *err);
/* Records that the tasks of the array CHILD wait for those of PARENT; PARENT_SUCCEEDS: the processes of
 * PARENT that end by themselves succeed. */
void ledger_corr(struct ledger *ledger, const char *child, const char *parent, bool parent_succeeds);
/* Records that a process ended. BY_ITSELF: it exited, and was not stopped. */
void ledger_ended(struct ledger *ledger, const char *container_id, bool by_itself);
/* Records that an AM got the exit of CONTAINER_ID with EXIT_STATUS. -EINVAL if the status means that the
 * process exited by itself, and it still runs or was stopped; or if the AM got another status before. */
int ledger_reported(struct ledger *ledger, const char *container_id, int exit_status, struct err *err);

/* Records that the submission of APP_ID was acknowledged to its client. */
void ledger_accepted(struct ledger *ledger, const char *app_id);
/* Calls EACH for every acknowledged submission until EACH returns false. */
void ledger_each_accepted(const struct ledger *ledger, bool (*each)(void *context, const char *app_id),
                          void *context);

unsigned ledger_running(const struct ledger *ledger); /* number of running processes */
unsigned ledger_running_on(const struct ledger *ledger, unsigned node);
unsigned ledger_starts(const struct ledger *ledger); /* number of processes started so far */

#endif
