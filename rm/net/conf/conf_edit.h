/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_edit.h - edits of the configuration of queues, as YARN's scheduler-conf takes them (pure)
 *
 * No edit writes capacity-scheduler.xml. Overrides are what differs from it: properties with another value,
 * or removed ones. An edit adds a queue to the list of its parent, removes a queue with all its properties,
 * or sets properties of a queue or of the scheduler; an empty value removes a property.
 *
 * Differs: YARN takes every key. Here the keys are those of capacity-scheduler.xml, except the one that is a
 * file of the host, and values have no variables: administrators over HTTP do not read files or the
 * environment of the resource manager.
 */
#ifndef CREEL_RM_CONF_EDIT_H
#define CREEL_RM_CONF_EDIT_H

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "common/proto/creel.pb-c.h"

#define CONF_EDIT_PREFIX "yarn.scheduler.capacity."

/* Returns the overrides that are in force after CHANGE, as a new version of the configuration. CONF has the
 * properties in force, including the overrides of BEFORE (NULL: there are none). The caller frees RET with
 * creel__stored_scheduler_conf__free_unpacked. -EINVAL, -EEXIST, -ENOENT: ERR has YARN's sentence, or the key
 * and what is wrong with it. -EMSGSIZE: too many overrides. */
int conf_edit_apply(const struct conf *conf, const Creel__StoredSchedulerConf *before,
                    const Creel__ChangeSchedulerConf *change, const char *user, int64_t now_ms,
                    Creel__StoredSchedulerConf **ret, struct err *err);

/* Returns the version after NEWEST (NULL: there is none) with the overrides of OLD. OLD NULL: the new version
 * has no overrides, so that the files alone are in force. */
Creel__StoredSchedulerConf *conf_edit_roll_back(const Creel__StoredSchedulerConf *old,
                                                const Creel__StoredSchedulerConf *newest, const char *user,
                                                int64_t now_ms);

/* Returns NOW as a row of the list of versions, with the overrides that differ from those of BEFORE (NULL:
 * no overrides). The caller frees the row with creel__scheduler_conf_version__free_unpacked. */
Creel__SchedulerConfVersion *conf_edit_version(const Creel__StoredSchedulerConf *before,
                                               const Creel__StoredSchedulerConf *now);

#endif
