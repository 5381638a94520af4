/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scheduler.h - from the configuration to what the scheduler core begins, or goes on, with
 *
 * One way for starting up, for a refresh and for judging a configuration that is not yet in
 * force, so that what one takes the others take.
 */
#ifndef CREEL_RM_SCHEDULER_H
#define CREEL_RM_SCHEDULER_H

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/sched/sched.h"

/* Called once for each thing that is strange and not wrong. */
typedef void scheduler_warn_fn(void *context, const char *text);

/* What CONF, which must outlive it, says of the scheduler (yarn.resourcemanager.scheduler.class)
 * and its queues. The mapping rules' file is read here. -EINVAL: ERR has one line for each problem,
 * with file, line and key; RET is then empty. */
int scheduler_config_build(const struct conf *conf, struct sched_config *ret, struct err *err);
int scheduler_config_build_warning(const struct conf *conf, scheduler_warn_fn *warn, void *context,
                                   struct sched_config *ret, struct err *err);
/* All of it; nobody took it. An empty one is fine. */
void scheduler_config_free(struct sched_config *config);
/* A scheduler took CONFIG: what it only copied goes. */
void scheduler_config_taken(struct sched_config *config);

#endif
