/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notifier.h - runs the notify command (creel.jobs.notify-command) for the events of jobs
 *
 * Rows are examined when they are on disk. Up to NOTIFY_AT_ONCE commands run at the same time, each in a
 * thread; further events wait in a bounded queue (notify_queue.h). The command runs at most once for each
 * event. The event is lost if the queue is full, the command fails, or the resource manager ends before. The
 * first failure or lost event is logged at once; further ones are counted in at most one line a minute.
 */
#ifndef CREEL_RM_NOTIFIER_H
#define CREEL_RM_NOTIFIER_H

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "common/io/loop.h"
#include "common/proto/creel.pb-c.h"

struct notifier; /* opaque */

/* Starts the threads. *RET is NULL if no command is configured. LOOP must outlive the notifier. -EINVAL: the
 * configuration is invalid. */
int notifier_new(struct loop *loop, const struct conf *conf, struct notifier **ret, struct err *err);
/* Kills commands that run, and drops the events that wait. NULL is fine, here and below. */
void notifier_free(struct notifier *notifier);

/* Records the state of a job that was read at the start, so that its past events are not repeated. */
void notifier_recovered(struct notifier *notifier, const Creel__StoredApp *row);
/* Runs or queues the command if ROW, which is on disk, shows an event of its job. */
void notifier_written(struct notifier *notifier, const Creel__StoredApp *row);

#endif
