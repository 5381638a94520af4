/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt.h - preemption notices, to agents and AMs
 *
 * A container is preempted because the scheduler needs its resources, or because its node is drained or was
 * made smaller (evict.c). The order to its node to announce the deadline is repeated until the node confirms
 * it. Its AM receives the notice with the reply to its next Allocate, and again when the AM registers.
 */
#ifndef CREEL_RM_MASTER_PREEMPT_H
#define CREEL_RM_MASTER_PREEMPT_H

#include "rm/master/jobs/am_peer.h"
#include "rm/master/state.h"

void rm_preempt_notice(struct master *m, const struct sched_decision *decision);
/* Revokes the notice: the scheduler does not need the container's resources any more. */
void rm_preempt_spare(struct master *m, const struct sched_decision *decision);
/* Announces that CONTAINER will be stopped at DEADLINE_MS, or at an earlier deadline announced before. */
void rm_preempt_evict(struct master *m, struct container *container, int64_t deadline_ms, const char *reason);
/* The same, but rm_preempt_withdraw takes it back. */
void rm_preempt_oversized(struct master *m, struct container *container, int64_t deadline_ms,
                          const char *reason);
/* Takes back the eviction of CONTAINER, which is oversized. A notice of the scheduler counts again. */
void rm_preempt_withdraw(struct master *m, struct container *container);
/* Lets evict.c check soon which oversized containers of NODE fit: its use has become less. */
void rm_preempt_recheck(struct master *m, struct node *node);
/* Updates the notice of CONTAINER from the report of its node. Revokes a notice that this resource manager
 * does not know: an earlier one decided it, and the scheduler decides again. */
void rm_preempt_reported(struct master *m, struct container *container, const Creel__ContainerStatus *status);
/* Drops the notices of CONTAINER, which has ended or is being stopped. */
void rm_preempt_forget(struct container *container);
void rm_preempt_forget_news(struct attempt *attempt);
/* Queues all notices again for the AM of ATTEMPT, which is registering. */
void rm_preempt_again(struct master *m, struct attempt *attempt);
/* Returns the notices for the AM that were not sent yet, as many as ROOM allows; NULL: none. */
Creel__PreemptionNotice *rm_preempt_pull(struct master *m, struct attempt *attempt, struct am_room *room);
/* Returns the reason of the preemption of CONTAINER, or the default text rm_preempt_usual_reason. */
extern const char rm_preempt_usual_reason[];
const char *rm_preempt_reason(const struct container *container);

#endif
