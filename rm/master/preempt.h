/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt.h - preemption notices, to agents and AMs
 *
 * A container is preempted because the scheduler needs its room, or because its node is drained or
 * made smaller (evict.c). Its node is ordered to announce the deadline until it confirms it; its AM
 * receives it with its next Allocate, and again when it registers.
 */
#ifndef CREEL_RM_MASTER_PREEMPT_H
#define CREEL_RM_MASTER_PREEMPT_H

#include "rm/master/state.h"

void rm_preempt_notice(struct master *m, const struct sched_decision *decision);
/* The scheduler does without the container after all: the notice is void. */
void rm_preempt_spare(struct master *m, const struct sched_decision *decision);
/* CONTAINER is stopped at DEADLINE_MS, or earlier if that was announced before. */
void rm_preempt_evict(struct master *m, struct container *container, int64_t deadline_ms,
                      const char *reason);
void rm_preempt_confirmed(struct container *container, const Creel__ContainerStatus *status);
/* CONTAINER ends, or is ordered to: its notices are void. */
void rm_preempt_forget(struct container *container);
void rm_preempt_forget_news(struct attempt *attempt);
/* The AM of ATTEMPT registers: it receives all notices again. */
void rm_preempt_again(struct master *m, struct attempt *attempt);
/* The AM's news; NULL: none. */
Creel__PreemptionNotice *rm_preempt_pull(struct master *m, struct attempt *attempt);
/* The container's own reason, or the usual one. */
extern const char rm_preempt_usual_reason[];
const char *rm_preempt_reason(const struct container *container);

#endif
