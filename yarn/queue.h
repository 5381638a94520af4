/* SPDX-License-Identifier: Apache-2.0 */
/* queue.h - a queue as YARN shows it */
#ifndef CREEL_YARN_QUEUE_H
#define CREEL_YARN_QUEUE_H

#include <stdint.h>

/* The values of QueueState; RUNNING and STOPPED are also those of the key "state" in capacity-scheduler.xml.
 * DRAINING: the queue is stopped, and some of its applications have not ended. */
#define YARN_QUEUE_RUNNING "RUNNING"
#define YARN_QUEUE_DRAINING "DRAINING"
#define YARN_QUEUE_STOPPED "STOPPED"

#define YARN_UNLIMITED INT64_C(2147483647) /* YARN's value for "unlimited" in 32-bit numbers */

/* Returns how YARN shows MOST, a limit on running applications in a report (0: no limit; -1: the limit
 * is 0). */
static inline int64_t yarn_running_limit(int64_t most)
{
    return most < 0 ? 0 : most == 0 ? YARN_UNLIMITED : most;
}

#endif
