/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preempt_audit.h - checks that the capacity scheduler preempts containers only for a request
 *
 * After each round of preemption, a request must exist that could use the resources of the marked container:
 *
 * - of another application of the same queue, if it was selected within the queue;
 * - a reservation of the container's node, if it was selected for a reservation;
 * - an increase of a container on the same node, of another queue, if it was selected for an increase;
 * - of another queue in the same partition otherwise.
 *
 * The node of the container must be open: not drained, silent or unhealthy. A request counts as far as its
 * user may get more in the queue; with strict locality, as far as its rows name open nodes that its
 * application does not avoid. An increase counts for its own node alone. YARN's algorithm does not promise
 * more:
 *
 * - It compares sums of queues. It does not check whether the request fits a node, on which of the open
 *   nodes it may run, whether its own queue has reached its maximum, or how large it is.
 * - Within a queue it compares the limit of all users, not of the active ones, with what the applications of
 *   a user should have, not with what they have now: the audit compares it with what the application that
 *   asks keeps, without the containers that the round takes from it. (YARN adds them to what it asks for.)
 * - With the fair ordering policy the fair share of an application includes its AM, and its use does not: the
 *   application asks for the size of its AM more, although its user has reached the limit.
 * - With the fair ordering policy and a minimum-user-limit-percent of 100 the fair share is an equal part of
 *   what the queue uses, whatever user-limit-factor is.
 * - It makes room for reservations of the queue that gives, too.
 * - Reservations of an application that gives resources in one partition are cancelled in all.
 * - A mark stays although the request is gone: the audit looks at the marks of a round, not at containers
 *   that were marked in an earlier round.
 * - Lazy preemption kills later, when a container is allocated: then the request is not pending any more.
 */
#ifndef CREEL_SCHED_CAPACITY_PREEMPT_AUDIT_H
#define CREEL_SCHED_CAPACITY_PREEMPT_AUDIT_H

#include <stdint.h>

#include "common/base/err.h"
#include "rm/sched/sched.h"

struct preempt_audit {
    uint64_t marks; /* number of marks checked */
    int r;          /* 0, or -EINVAL: ERR describes the first mark without a request */
    struct err err;
};

/* Checks all further rounds of SCHED. Does nothing for other schedulers than capacity. AUDIT must outlive
 * SCHED. */
void preempt_audit_start(const struct sched *sched, struct preempt_audit *audit);

#endif
