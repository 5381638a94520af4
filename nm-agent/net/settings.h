/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h - derives the settings of the agent from the configuration and the machine */
#ifndef CREEL_NM_SETTINGS_H
#define CREEL_NM_SETTINGS_H

#include "common/base/err.h"
#include "common/base/resource_types.h"
#include "common/conf/conf.h"
#include "common/conf/log_storage.h"
#include "nm-agent/core/monitor.h"
#include "nm-agent/linux/runtime.h"

#define SETTINGS_WARNING_MAX 512

struct settings {
    char *host;           /* host name at which other processes reach this node */
    int port;             /* 0: any free port */
    char *listen_address; /* host:port to bind to */
    char *web_address;    /* host:port of the REST interface to bind to; NULL: none */
    bool web_secure;      /* it is served over TLS */
    char *rm_agent_address, *rm_am_address, *rm_client_address;
    char *creel_dir;                        /* directory of the creel program */
    int64_t cores;                          /* cores of the machine, counted as configured */
    struct resource total;                  /* memory and vcores that the node offers */
    char oversized[SETTINGS_WARNING_MAX];   /* warning that TOTAL is too large; "": none */
    struct log_storage log_storage;         /* where logs of ended applications are moved to */
    char *log_file;                         /* name of this node's file there */
    char log_warning[SETTINGS_WARNING_MAX]; /* logs are to be moved, and cannot; "": none */
    struct resource_offers others;          /* other resources that the node offers */
    struct monitor_rules monitor;           /* limits that the monitor checks */
    enum runtime_sample_depth sample_depth; /* sample depth that the monitor needs */
};

/* Reads the settings. -EINVAL: ERR names file, key and value. */
int settings_read(const struct conf *conf, struct settings *settings, struct err *err);
void settings_done(struct settings *settings);

/* Returns true if the kernel enforces the memory limits of containers
 * (yarn.nodemanager.resource.memory.*). */
bool settings_kernel_enforces(const struct conf *conf);

/* Determines the checks that the monitor makes because the kernel does not. -EINVAL: wrong configuration.
 * Declared for tests. */
int settings_monitor(const struct conf *conf, struct monitor_rules *rules, struct err *err);

/* Returns the rules for disks and the health script; its texts are borrowed from CONF. */
struct runtime_health settings_health(const struct conf *conf);

/* Returns the rules for moving logs to shared storage; its texts are borrowed from SETTINGS. */
struct runtime_aggregation settings_aggregation(const struct conf *conf, const struct settings *settings);

/* Returns the memory and vcores that the node offers. A -1 in the configuration is replaced by the share of a
 * machine with PHYSICAL_MB and CORES or, without detection, by 8192 MiB and 8 vcores (yarn-behaviour 2.1).
 * Declared for tests. */
struct resource settings_offer(const struct conf *conf, int64_t physical_mb, int64_t cores);

/* Fills TEXT with a warning if OFFER is more than a machine with PHYSICAL_MB and CORES (logical processors)
 * has, and returns true. Up to VCORES_PER_CORE vcores for each processor cause no warning.
 * Declared for tests. */
bool settings_is_oversized(const struct resource *offer, int64_t physical_mb, int64_t cores,
                           double vcores_per_core, char text[SETTINGS_WARNING_MAX]);

#endif
