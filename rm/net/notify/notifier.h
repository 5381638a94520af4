/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notifier.h - runs the notify command (creel.jobs.notify-command) for the events of jobs
 *
 * Up to NOTIFY_AT_ONCE commands run at the same time, each in a thread; further events wait in a bounded
 * queue (notify_queue.h). The command runs at most once for each event. The event is lost if the queue is
 * full, the command fails, or the resource manager ends before. The first failure or lost event is logged at
 * once; further ones are counted in at most one line a minute.
 */
#ifndef CREEL_RM_NOTIFIER_H
#define CREEL_RM_NOTIFIER_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "common/io/loop/loop.h"
#include "common/proto/creel.pb-c.h"

struct notifier; /* opaque */

/* Starts the threads. *RET is NULL if no command is configured. LOOP must outlive the notifier. -EINVAL: the
 * configuration is invalid. */
int notifier_new(struct loop *loop, const struct conf *conf, struct notifier **ret, struct err *err);
/* Kills commands that run, and drops the events that wait. Returns false if a command does not end within
 * NOTIFIER_STOP_MS, as one on a dead network disk: its thread is abandoned, and the process has to end with
 * _exit. NULL is fine, here and below. */
#define NOTIFIER_STOP_MS 5000
bool notifier_free(struct notifier *notifier);

/* What the health check shows. */
struct notifier_state {
    const char *command;    /* NULL: there is none */
    const char *problem;    /* why the last command failed; NULL: it did not; valid until the loop runs */
    int64_t failing_ms;     /* since when, since 1970; 0 with PROBLEM NULL */
    uint64_t dropped;       /* events since the start for which no command ran: too many waited */
    int64_t dropped_ms;     /* time of the last of them, since 1970; 0: none */
    size_t waiting;         /* events that wait now */
    int64_t running_for_ms; /* how long the oldest command runs, if all NOTIFY_AT_ONCE do; else 0 */
};
struct notifier_state notifier_state(const struct notifier *notifier);

/* Runs or queues the command for EVENT, the start or the end of the job whose ROW, packed, is on disk. */
void notifier_add(struct notifier *notifier, const Creel__Event *event, const ProtobufCBinaryData *row);

#endif
