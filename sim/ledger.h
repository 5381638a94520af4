/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.h - what really happened, written down by the world and not by the cores
 *
 * Every process that was started, for which task, where, when it ended, and
 * what was reported to its AM. The promises that matter to users are checked
 * against it: no container starts twice, no task runs in two containers of an attempt
 * unless the first was reported over, no task that ended by itself runs
 * again, no task whose job chose so runs twice at a time in whatever attempt, no node runs more
 * than it has, no acknowledged submission is lost, no task of an array starts in two applications.
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

/* A container's process starts. TASK is its index, or -1 for a first container; ALONE: no other process of
 * that task, of whichever attempt, may be running. 0, or -EINVAL if that breaks a promise. */
int ledger_started(struct ledger *ledger, const char *container_id, int task, unsigned node,
                   struct resource resource, bool alone, struct resource node_total, struct err *err);
/* It is the task NAME ("ARRAY_INDEX") of an array. -EINVAL: that was another application before. */
int ledger_array_task(struct ledger *ledger, const char *container_id, const char *name, struct err *err);
/* It ended; BY_ITSELF: not stopped, not lost with its host. */
void ledger_ended(struct ledger *ledger, const char *container_id, bool by_itself);
/* An AM heard that CONTAINER_ID is over, as EXIT_STATUS. -EINVAL if it still runs though its status claims
 * that it ended by itself. */
int ledger_reported(struct ledger *ledger, const char *container_id, int exit_status,
                    struct err *err);

/* The submission of APP_ID was acknowledged to its client. */
void ledger_accepted(struct ledger *ledger, const char *app_id);
/* Call EACH for every accepted app until it returns false. */
void ledger_each_accepted(const struct ledger *ledger, bool (*each)(void *context, const char *app_id),
                          void *context);

unsigned ledger_running(const struct ledger *ledger);   /* processes now */
unsigned ledger_running_on(const struct ledger *ledger, unsigned node);
unsigned ledger_starts(const struct ledger *ledger);    /* processes ever */

#endif
