/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h - measures applications, preemption and heartbeats, for the metrics of the resource manager, and
 * counts events since it started
 *
 * Counters without a queue or user are in struct counters; series.h has the others.
 */
#ifndef CREEL_RM_MASTER_MEASURE_H
#define CREEL_RM_MASTER_MEASURE_H

#include "rm/master/state.h"

void rm_measure_start(struct master *m); /* called once, by master_new */
void rm_measure_free(struct master *m);

/* APP has started for the first time; it has ended. */
void rm_measure_app_started(struct master *m, const struct app *app);
void rm_measure_app_ended(struct master *m, const struct app *app);
/* Counts the time that NODE's heartbeat is late. Called before the time of the heartbeat is stored. */
void rm_measure_heartbeat(struct master *m, const struct node *node);
/* Notes for which queue the scheduler preempts CONTAINER; a preempted container has ended. */
void rm_measure_preempt(struct container *container, const struct sched_decision *decision);
void rm_measure_preempted(struct master *m, const struct container *container);

/* The resources held by APP, or its queue, have changed. Cheap unless memory is counted by user. */
void rm_measure_use(struct master *m, struct app *app);
/* Called before APP is freed. */
void rm_measure_app_gone(struct master *m, struct app *app);

/* Counts the end of CONTAINER by its exit status. Called once for each container. */
void rm_count_container_end(struct master *m, const struct container *container);
Creel__ClusterCounters *rm_counters_message(const struct master *m, struct arena *arena);

#endif
