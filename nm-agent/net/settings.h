/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - from the configuration (and the machine) to what the agent is */
#ifndef CREEL_NM_SETTINGS_H
#define CREEL_NM_SETTINGS_H

#include "common/base/err.h"
#include "common/base/resource_types.h"
#include "common/conf/conf.h"
#include "nm-agent/core/monitor.h"
#include "nm-agent/linux/runtime.h"

struct settings {
    char *host;                         /* by which others reach this node */
    int port;                           /* 0: any */
    char *listen_address;               /* host:port to bind to */
    char *rm_agent_address, *rm_am_address, *rm_client_address;
    char *creel_dir;                    /* where the creel program is */
    int64_t cores;                      /* of the machine, as the keys count them */
    struct resource total;              /* what the node offers */
    struct resource_offers others;      /* and beside it */
    struct monitor_rules monitor;       /* what the monitor judges */
    enum runtime_sample_depth sample_depth; /* and what it needs for that */
};

/* -EINVAL: ERR names file, key and value. */
int settings_read(const struct conf *conf, struct settings *settings, struct err *err);
void settings_done(struct settings *settings);

/* Whether the kernel holds containers to their memory (yarn.nodemanager.resource.memory.*). */
bool settings_kernel_enforces(const struct conf *conf);

/* Which checks are the monitor's, since the kernel does not make them; -EINVAL. */
int settings_monitor(const struct conf *conf, struct monitor_rules *rules, struct err *err);

/* Of disks and the health script; texts are CONF's. */
struct runtime_health settings_health(const struct conf *conf);

/* What a machine with PHYSICAL_MB and CORES offers where the configuration has -1
 * (yarn-behaviour 2.1): without detection 8192 MiB and 8 vcores. */
struct resource settings_offer(const struct conf *conf, int64_t physical_mb, int64_t cores);

#endif
