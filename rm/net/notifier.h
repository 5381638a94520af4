/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notifier.h - runs the notify command (creel.jobs.notify-command) for the events of jobs
 *
 * Rows are passed on when the state has them on disk. The command runs in threads, NOTIFY_AT_ONCE at a time;
 * further events wait in a bounded queue (notify_queue.h). An event is passed once at most: it is lost if the
 * queue is full, the command fails, or the resource manager ends before. Failures and lost events have a log
 * line at once, and then one a minute at most, with their number.
 */
#ifndef CREEL_RM_NOTIFIER_H
#define CREEL_RM_NOTIFIER_H

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "common/io/loop.h"
#include "common/proto/creel.pb-c.h"

struct notifier; /* opaque */

/* *RET is NULL if no command is configured. LOOP must outlive the notifier. -EINVAL: the configuration is
 * invalid. */
int notifier_new(struct loop *loop, const struct conf *conf, struct notifier **ret, struct err *err);
/* Kills commands that run, and drops the events that wait. NULL is fine, here and below. */
void notifier_free(struct notifier *notifier);

/* Notes a row that was read at the start. */
void notifier_recovered(struct notifier *notifier, const Creel__StoredApp *row);
/* Runs the command if ROW, which is on disk now, is an event of its job. */
void notifier_written(struct notifier *notifier, const Creel__StoredApp *row);

#endif
