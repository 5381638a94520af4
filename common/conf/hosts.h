/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.h - reads the lists of the hosts that may, and may not, be nodes of the cluster
 *
 * yarn.resourcemanager.nodes.include-path and .exclude-path (yarn-behaviour 15). A plain file has names,
 * separated by blanks or lines; a name that begins with '#' starts a comment up to the end of the line. A
 * file whose name ends in .xml has
 *   <hosts><host><name>n1,n2</name><timeout>600</timeout></host></hosts>
 * where timeout, in seconds, is for graceful decommissioning; below 0: no limit. A relative path is relative
 * to the configuration directory.
 */
#ifndef CREEL_CONF_HOSTS_H
#define CREEL_CONF_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/conf/conf.h"

struct hosts_entry {
    char *name;
    bool timed;
    int64_t timeout_ms; /* valid if TIMED; below 0: no limit */
};

struct hosts_list {
    struct hosts_entry *items;
    size_t count, capacity;
};

struct hosts_lists { /* owned by the caller of hosts_load; freed by hosts_done */
    struct hosts_list include, exclude;
};

/* Reads both lists; a list without a path is empty. -EINVAL: ERR names file, line and the expected text, and
 * RET is unchanged. */
int hosts_load(const struct conf *conf, struct hosts_lists *ret, struct err *err);
void hosts_done(struct hosts_lists *lists);

#endif
