/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_preempt_audit.h - checks that the fair scheduler preempts a container only for a request
 *
 * When a container is preempted, the queue that gains must have a request that could be placed on the
 * node of the container if all containers that are being preempted or stopped there were gone: it
 * fits, locality and blacklist allow the node, and no queue exceeds its maximum. The algorithm, which
 * is YARN's, does not promise more:
 *
 * - A reservation of another application does not count: an application for which containers were preempted
 *   is offered the node first.
 * - Of several applications for which containers on the node were preempted, the oldest is offered the room
 *   first.
 * - The AM limit of a queue that has no fair share of a type depends on the free resources of the cluster. It
 *   rises when a container ends, not always by enough.
 * - For the minimum share of a queue, an application may lose a container for a request of its own.
 * - The kill follows although the request is gone: the audit looks at the moment of the decision.
 */
#ifndef CREEL_TESTS_UNIT_FAIR_PREEMPT_AUDIT_H
#define CREEL_TESTS_UNIT_FAIR_PREEMPT_AUDIT_H

#include "rm/sched/sched.h"

/* Checks DECISION, which is of kind SCHED_PREEMPT and was just made. Fails the test if there is no
 * request. */
void fair_preempt_audit(const struct sched_decision *decision);

#endif
