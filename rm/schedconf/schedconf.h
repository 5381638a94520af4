/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedconf.h - builds a struct sched_config from the configuration
 *
 * Reads the keys and files that concern the scheduler: yarn.resourcemanager.scheduler.class, the queues in
 * capacity-scheduler.xml or fair-scheduler.xml, mapping rules, access lists, preemption. The resource manager
 * uses this code at its start and for a refresh, and `creel conf check` uses it to check a configuration that
 * is not in use yet, so that all three accept the same configurations.
 */
#ifndef CREEL_RM_SCHEDCONF_H
#define CREEL_RM_SCHEDCONF_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/sched/sched.h"

/*
 * Fills *RET from CONF, which must outlive it. WARN may be NULL. This function reads the files that CONF
 * names. -EINVAL: ERR has one line for each problem, with file, line and key; *RET is then empty.
 *
 * On success the caller gives *RET to sched_new() or sched_refresh(). If that succeeds, the scheduler owns
 * most of it: call schedconf_taken(). Else call schedconf_free().
 */
int schedconf_build(const struct conf *conf, conf_warn_fn *warn, void *context, struct sched_config *ret,
                    struct err *err);
/* Frees CONFIG and everything in it. CONFIG may be empty. */
void schedconf_free(struct sched_config *config);
/* Frees the parts of CONFIG that the scheduler has copied, after the scheduler has accepted CONFIG. */
void schedconf_taken(struct sched_config *config);

/*
 * Sets *RET to the path of the fair scheduler's allocation file (yarn.scheduler.fair.allocation.file). The
 * caller frees the path; the file need not exist. A name without a leading '/' is relative to the directory
 * from which CONF was loaded, and sets *SEARCHED (may be NULL) to true. If a file named in this way does not
 * exist, the scheduler starts with root.default alone, as in YARN. A file named by an absolute path must
 * exist. -EINVAL: the value is not a path of a local file.
 */
int schedconf_fair_path(const struct conf *conf, char **ret, bool *searched, struct err *err);

/* Returns the path of the capacity scheduler's file of mapping rules; NULL: the configuration names none.
 * Borrowed from CONF. */
const char *schedconf_rules_path(const struct conf *conf);

/* KEY is the name of a key behind "yarn.scheduler.capacity." and the path of a queue. Returns NULL if it is a
 * key of queues, or unknown; else the key of queues that it ends with: what is before it can only be the name
 * of another queue. ("b.maximum-capacity": "maximum-capacity") */
const char *schedconf_key_of_other_queue(const char *key);

#endif
