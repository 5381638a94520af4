/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.h - creates and drives the scheduler, and enters applications into its queues
 *
 * The scheduler is called through rm/sched/sched.h alone, whatever its policy.
 */
#ifndef CREEL_RM_MASTER_QUEUES_H
#define CREEL_RM_MASTER_QUEUES_H

#include "rm/master/state.h"

int rm_queues_new(struct master *m, const struct master_config *config, struct err *err);
void rm_queues_free(struct master *m);
/* Passes CONFIG to the scheduler, which owns its parts from now on. */
void rm_queues_take_config(struct master *m, const struct sched_config *config);
void rm_queues_tick(struct master *m);
void rm_queues_start_timers(struct master *m);
void rm_queues_on_timer(struct master *m, enum deadline_kind kind);
/* Offers NODE, which sent a heartbeat, to the scheduler, unless the scheduler offers nodes in batches. */
void rm_queues_on_heartbeat(struct master *m, struct sched_node *node);
/* At the end of a step: sets a timer for the next batch if the scheduler wants one. */
void rm_queues_step_end(struct master *m);

/* --- applications ---------------------------------------------------------- */

/* Enters APP into its queue and sets its queue, groups and priority. Errors as of sched_app_add. */
int rm_queues_enter(struct master *m, struct app *app, bool recovered, struct err *err);
/* Stores with APP the groups of its user at submission; they do not change later. */
void rm_queues_keep_groups(struct master *m, struct app *app);
int rm_queues_test(struct master *m, const char *user, const Creel__JobSpec *job,
                   const struct resource *largest, struct err *err);
/* Returns the path of the queue in which JOB of USER would be placed; that queue may not exist yet. */
const char *rm_queues_place(struct master *m, const char *user, const Creel__JobSpec *job);
/* Returns the maximum lifetime of an application of QUEUE that requests ASKED_S (0: no request); 0:
 * unlimited. */
int64_t rm_queues_lifetime_s(const struct master *m, const char *queue, int64_t asked_s);

/* --- queues ---------------------------------------------------------------- */

bool rm_queues_have_labels(const struct master *m);
/* Returns the full path of a queue in the step's arena: the displayed name "dev.ml" is "root.dev.ml" in the
 * scheduler. */
const char *rm_queue_name(struct master *m, const char *name);
/* Returns the present groups of USER, in the step's arena. */
size_t rm_groups_of(struct master *m, const char *user, const char *const **ret);
/* Explains a queue with fair shares: calls SAY for each sentence, in order. */
typedef void rm_say_fn(void *context, const char *text);
void rm_fair_say_queue(struct master *m, const struct sched_queue_figures *figures, rm_say_fn *say,
                       void *context);

#endif
