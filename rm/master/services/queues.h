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
/* Copies the limits and features that the master needs from CONFIG, which the scheduler has accepted. */
void rm_queues_apply_config(struct master *m, const struct sched_config *config);
void rm_queues_tick(struct master *m);
void rm_queues_start_timers(struct master *m);
void rm_queues_on_timer(struct master *m, enum deadline_kind kind);
/* Offers NODE, which sent a heartbeat, to the scheduler. With continuous scheduling only if NODE is reserved,
 * since batches offer the other nodes. */
void rm_queues_on_heartbeat(struct master *m, struct sched_node *node);
/* At the end of a step: sets a timer for the next batch if the scheduler wants one. */
void rm_queues_step_end(struct master *m);

/* --- applications ---------------------------------------------------------- */

/* Enters APP into its queue and sets its queue, groups and priority. Errors as of sched_app_add. RECOVERED:
 * if its queue refuses APP, enters it into another queue, and still returns the error. */
int rm_queues_enter(struct master *m, struct app *app, bool recovered, struct err *err);
/* Copies the present groups of its user into APP, unless APP has groups: these do not change after
 * submission. */
void rm_queues_copy_groups(struct master *m, struct app *app);
int rm_queues_test(struct master *m, const char *user, const Creel__JobSpec *job,
                   const struct resource *largest, struct err *err);
/* Returns the path of the queue in which a JOB of USER would be placed; the queue may not exist yet. */
const char *rm_queues_place(struct master *m, const char *user, const Creel__JobSpec *job);
/* Returns the priority that a JOB of USER would have in its queue. */
int32_t rm_queues_priority(struct master *m, const char *user, const Creel__JobSpec *job);

/* --- queues ---------------------------------------------------------------- */

/* Finds out whether the root queue, the default queue or all leaf queues accept no applications. Reads the
 * queues up to the first leaf queue that runs. */
void rm_queues_find_stopped(const struct master *m, struct master_stopped_queues *ret);
bool rm_queues_have_labels(const struct master *m);
/* Returns the name of a queue for the scheduler, in the step's arena: "root.dev.ml" for the displayed name
 * "dev.ml". Returns a name without a dot unchanged. */
const char *rm_queue_name(struct master *m, const char *name);
/* Returns the present groups of USER, in the step's arena. */
size_t rm_groups_of(struct master *m, const char *user, const char *const **ret);
/* Explains a queue with fair shares: calls SAY for each sentence, in order. */
typedef void rm_append_fn(void *context, const char *text);
void rm_fair_describe_queue(struct master *m, const struct sched_queue_figures *figures, rm_append_fn *append,
                            void *context);

#endif
