/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scheduler_fair.h - the fair scheduler's part of scheduler.h: its keys and its allocation file
 *
 * yarn.scheduler.fair.allocation.file names the file; one without a leading '/' is searched in the
 * directory that the configuration came from. If that is not there, the scheduler begins with
 * root.default alone, as YARN's does; a file that is named by its whole path must be there.
 */
#ifndef CREEL_RM_SCHEDULER_FAIR_H
#define CREEL_RM_SCHEDULER_FAIR_H

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/net/scheduler.h"

/* Where the file of CONF is, or would be; the caller's. SEARCHED (may be NULL): its name was not a
 * whole path. -EINVAL: it is not one of this machine's. */
int scheduler_fair_path(const struct conf *conf, char **ret, bool *searched, struct err *err);

/* As scheduler_config_build_warning; RET is empty before. */
int scheduler_fair_build(const struct conf *conf, scheduler_warn_fn *warn, void *context,
                         struct sched_config *ret, struct err *err);

#endif
