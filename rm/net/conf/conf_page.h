/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_page.h - pages of the configuration of queues, as messages for clients
 *
 * A page has rows from number FIRST on, about 1 MiB of them: each property, version, and change of a
 * version is a row. The changes of a version may be in several pages. The caller frees each page with
 * creel__scheduler_conf__free_unpacked.
 */
#ifndef CREEL_RM_CONF_PAGE_H
#define CREEL_RM_CONF_PAGE_H

#include "rm/net/conf/scheduler_conf.h"

/* Texts about a configuration that is valid; owned. All zero: none. */
struct conf_warnings {
    char **texts;
    size_t count, capacity;
};

/* Returns properties of CONF that a file or a version sets. WARNINGS (NULL: none) are in the first page. */
Creel__SchedulerConf *conf_page_properties(const struct scheduler_confs *confs, const struct conf *conf,
                                           const struct conf_warnings *warnings, uint32_t first);
/* Returns the version number I of CONFS, from 0, with what it changed; the caller frees it with
 * creel__scheduler_conf_version__free_unpacked. The version before the oldest kept one is deleted, so that
 * the changes of that one are not known: it has none. */
Creel__SchedulerConfVersion *conf_page_version(const struct scheduler_confs *confs, size_t i);
/* Returns versions, the oldest first, and what each changed. */
Creel__SchedulerConf *conf_page_versions(const struct scheduler_confs *confs, uint32_t first);

#endif
