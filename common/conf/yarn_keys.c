/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yarn_keys.c - keys that YARN defines and creel ignores
 *
 * Families of keys by their prefix. A prefix that does not end with a dot or dash is also a key itself.
 */
#include "common/conf/yarn_keys.h"

#include <stddef.h>

#include "common/base/text.h"

static const char *const families[] = {
    "yarn.acl.", "yarn.am.blacklisting.", "yarn.app.", "yarn.application.", "yarn.authorization-",
    "yarn.client.", "yarn.cluster.", "yarn.dispatcher.", "yarn.fail-fast", "yarn.federation.",
    "yarn.http.policy", "yarn.intermediate-data-encryption.", "yarn.ipc.", "yarn.is.minicluster",
    "yarn.log-aggregation", "yarn.log.server.", "yarn.minicluster.", "yarn.nm.",
    "yarn.node-attribute.", "yarn.node-labels.", "yarn.nodemanager.admin-env",
    "yarn.nodemanager.amrmproxy.", "yarn.nodemanager.aux-services", "yarn.nodemanager.bind-host",
    "yarn.nodemanager.collector-service.", "yarn.nodemanager.container-",
    "yarn.nodemanager.containers-", "yarn.nodemanager.default-container-executor.",
    "yarn.nodemanager.delete.", "yarn.nodemanager.disk-health-checker.",
    "yarn.nodemanager.disk-validator", "yarn.nodemanager.distributed-scheduling.",
    "yarn.nodemanager.docker-container-executor.", "yarn.nodemanager.elastic-memory-control.",
    "yarn.nodemanager.emit-container-events", "yarn.nodemanager.health-checker.",
    "yarn.nodemanager.heartbeat.", "yarn.nodemanager.hostname",
    "yarn.nodemanager.kerberos-principal-pattern", "yarn.nodemanager.keytab",
    "yarn.nodemanager.least-load-policy-selector.", "yarn.nodemanager.linux-container-executor.",
    "yarn.nodemanager.local-cache.", "yarn.nodemanager.localizer.",
    "yarn.nodemanager.log-aggregation.", "yarn.nodemanager.log-container-debug-info",
    "yarn.nodemanager.log.", "yarn.nodemanager.logaggregation.",
    "yarn.nodemanager.node-attributes.", "yarn.nodemanager.node-labels.",
    "yarn.nodemanager.numa-awareness.", "yarn.nodemanager.opportunistic-containers-",
    "yarn.nodemanager.pluggable-", "yarn.nodemanager.pmem-check-enabled",
    "yarn.nodemanager.principal", "yarn.nodemanager.process-kill-wait.",
    "yarn.nodemanager.recovery.", "yarn.nodemanager.remote-app-log-dir",
    "yarn.nodemanager.resource-", "yarn.nodemanager.resource.",
    "yarn.nodemanager.resourcemanager.", "yarn.nodemanager.runtime.",
    "yarn.nodemanager.script-based-mapping.", "yarn.nodemanager.sleep-delay-before-sigkill.",
    "yarn.nodemanager.user-home-dir", "yarn.nodemanager.vmem-", "yarn.nodemanager.webapp.",
    "yarn.nodemanager.windows-container.", "yarn.registry.", "yarn.resource-types",
    "yarn.resourcemanager.activities-manager.", "yarn.resourcemanager.admin.",
    "yarn.resourcemanager.am-rm-tokens.", "yarn.resourcemanager.am-scheduling.",
    "yarn.resourcemanager.am.", "yarn.resourcemanager.amlauncher.",
    "yarn.resourcemanager.application-", "yarn.resourcemanager.auto-update.",
    "yarn.resourcemanager.bind-host", "yarn.resourcemanager.client.",
    "yarn.resourcemanager.cluster-id", "yarn.resourcemanager.configuration.",
    "yarn.resourcemanager.connect.", "yarn.resourcemanager.container-",
    "yarn.resourcemanager.container.", "yarn.resourcemanager.decommissioning-nodes-watcher.",
    "yarn.resourcemanager.delayed.", "yarn.resourcemanager.delegation-token",
    "yarn.resourcemanager.delegation.", "yarn.resourcemanager.dynamic-resources.",
    "yarn.resourcemanager.epoch", "yarn.resourcemanager.fail-fast", "yarn.resourcemanager.fs.",
    "yarn.resourcemanager.ha.", "yarn.resourcemanager.history-writer.",
    "yarn.resourcemanager.keytab", "yarn.resourcemanager.leveldb-state-store.",
    "yarn.resourcemanager.max-", "yarn.resourcemanager.metrics.", "yarn.resourcemanager.monitor.",
    "yarn.resourcemanager.nm-", "yarn.resourcemanager.node-", "yarn.resourcemanager.nodemanager",
    "yarn.resourcemanager.nodes.", "yarn.resourcemanager.opportunistic-container-allocation.",
    "yarn.resourcemanager.placement-constraints.", "yarn.resourcemanager.principal",
    "yarn.resourcemanager.proxy", "yarn.resourcemanager.recovery.",
    "yarn.resourcemanager.reservation-system.", "yarn.resourcemanager.resource-profiles.",
    "yarn.resourcemanager.resource-tracker.", "yarn.resourcemanager.rm.",
    "yarn.resourcemanager.scheduler.", "yarn.resourcemanager.state-store.",
    "yarn.resourcemanager.store.", "yarn.resourcemanager.submission-preprocessor.",
    "yarn.resourcemanager.system-metrics-publisher.", "yarn.resourcemanager.webapp.",
    "yarn.resourcemanager.work-preserving-recovery.", "yarn.resourcemanager.zk-", "yarn.rm.",
    "yarn.router.", "yarn.scheduler.app-placement-allocator.",
    "yarn.scheduler.configuration.", "yarn.scheduler.fair.",
    "yarn.scheduler.include-port-in-node-name", "yarn.scheduler.increment-allocation-",
    "yarn.scheduler.queue-placement-rules", "yarn.scheduler.reservation-threshold.",
    "yarn.scheduler.skip.", "yarn.service.", "yarn.sharedcache.",
    "yarn.system-metrics-publisher.", "yarn.timeline-service.", "yarn.web-proxy.", "yarn.webapp.",
    "yarn.workflow-id.",
};

bool yarn_key_elsewhere(const char *name)
{
    static const char *const elsewhere[] = {
        "yarn.scheduler.capacity.", "yarn.scheduler.queue-placement-rules",
        "yarn.resource-types.", "yarn.nodemanager.resource-type.",
        "yarn.scheduler.fair.am.preemption.",
    };

    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
        if (text_has_prefix(name, elsewhere[i]))
            return true;
    return false;
}

bool yarn_key_known(const char *name)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (text_has_prefix(name, families[i]))
            return true;
    return false;
}
