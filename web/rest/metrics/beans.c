/* SPDX-License-Identifier: Apache-2.0 */
/* beans.c - the beans of /jmx that monitors of YARN read */
#include "web/rest/metrics/beans.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/base/own_process.h"
#include "web/rest/parts/sums.h"
#include "yarn/node.h"
#include "yarn/resource.h"

#define SERVICE "Hadoop:service=ResourceManager,name="
#define CLASSES "org.apache.hadoop.yarn.server.resourcemanager."
#define HOST_MAX 256

struct building {
    struct arena *arena;
    const struct web_view *view;
    const Creel__ClusterInfo *cluster;
    const char *host; /* of creel-web, on that of the resource manager as a rule */
    struct bean_list *list;
};

const char *beans_host(struct arena *arena)
{
    char host[HOST_MAX] = "";

    if (gethostname(host, sizeof(host) - 1) < 0)
        return "";
    return arena_strdup(arena, host);
}

/* --- the cluster ---------------------------------------------------------------- */

struct delays {
    uint64_t count, sum_us;
};

static struct delays delays_of(const struct metrics_copy *metrics)
{
    struct delays delays = { .count = 0 };
    const Creel__QueueMetrics *queue;
    const char *key = NULL;

    while (metrics != NULL && (queue = metrics_copy_next(metrics, METRICS_QUEUES, key, &key)) != NULL) {
        if (queue->wait == NULL)
            continue;
        delays.count += queue->wait->total;
        delays.sum_us += queue->wait->sum_us;
    }
    return delays;
}

/* Adds the times from submission to the first container, and names of delays that are not measured. */
static void add_delays(struct bean *bean, const struct metrics_copy *metrics)
{
    struct delays waited = delays_of(metrics);

    bean_int(bean, "AMContainerAllocationDelayNumOps", (int64_t)waited.count);
    bean_double(bean, "AMContainerAllocationDelayAvgTime",
                waited.count > 0 ? (double)waited.sum_us / 1e3 / (double)waited.count : 0);
    bean_int(bean, "AMLaunchDelayNumOps", 0);
    bean_double(bean, "AMLaunchDelayAvgTime", 0);
    bean_int(bean, "AMRegisterDelayNumOps", 0);
    bean_double(bean, "AMRegisterDelayAvgTime", 0);
}

static void add_cluster(struct building *to)
{
    const Creel__ClusterInfo *cluster = to->cluster;
    struct bean *bean = bean_add(to->list, SERVICE "ClusterMetrics", "ClusterMetrics");
    const struct rest_sums sums = rest_sums_of(to->view->model, to->arena);
    struct yarn_node_counts nodes = yarn_node_counts(cluster);

    bean_text(bean, "tag.ClusterMetrics", "ResourceManager");
    bean_text(bean, "tag.Context", "yarn");
    bean_text(bean, "tag.Hostname", to->host);
    add_delays(bean, to->view->metrics);
    bean_int(bean, "CapabilityMB", yarn_memory_mb(cluster->total));
    bean_int(bean, "CapabilityVirtualCores", yarn_vcores(cluster->total));
    bean_int(bean, "ContainerAssignedPerSecond", 0);
    bean_int(bean, "NumActiveNMs", nodes.active);
    bean_int(bean, "NumDecommissionedNMs", nodes.decommissioned);
    bean_int(bean, "NumDecommissioningNMs", nodes.decommissioning);
    bean_int(bean, "NumLostNMs", nodes.lost);
    bean_int(bean, "NumRebootedNMs", nodes.rebooted);
    bean_int(bean, "NumShutdownNMs", nodes.shut_down);
    bean_int(bean, "NumUnhealthyNMs", nodes.unhealthy);
    bean_int(bean, "RmDispatcherEventQueueSize", 0);
    bean_int(bean, "RmEventProcCPUAvg", 0);
    bean_int(bean, "RmEventProcCPUMax", 0);
    bean_int(bean, "SchedulerDispatcherEventQueueSize", 0);
    bean_int(bean, "UtilizedMB", sums.physical_mb);
    bean_int(bean, "UtilizedVirtualCores", rest_sums_vcores(&sums));
}

static void add_info(struct building *to)
{
    struct bean *bean = bean_add(to->list, SERVICE "RMInfo", CLASSES "RMInfo");

    bean_text(bean, "State", to->view->trouble == NULL ? "active" : "standby");
    bean_bool(bean, "SecurityEnabled", false);
    bean_text(bean, "HostAndPort", to->view->rm_address != NULL ? to->view->rm_address : "");
}

/* --- the process ---------------------------------------------------------------- */

/* Adds the process of the resource manager; if that has not been measured yet, the memory and files of
 * creel-web. */
static void add_process(struct building *to)
{
    const Creel__Metrics *metrics = to->view->metrics != NULL ? metrics_copy_last(to->view->metrics) : NULL;
    const struct own_process own = own_process_read();
    struct bean_process process = {
        .service = "ResourceManager",
        .host = to->host,
        .started_ms = to->cluster->started_ms,
        .now_ms = to->cluster->now_ms,
        .resident_bytes = metrics != NULL ? metrics->resident_bytes : own.resident_bytes,
        .virtual_bytes = own.virtual_bytes,
        .cpu_us = metrics != NULL ? metrics->cpu_us : own.cpu_us,
        .open_files = metrics != NULL ? metrics->open_files : own.open_files,
        .open_files_max = own.open_files_max,
        .processors = (int)sysconf(_SC_NPROCESSORS_ONLN),
    };

    if (getloadavg(&process.load, 1) != 1)
        process.load = -1; /* as Java, if it is not known */
    bean_add_process(to->list, &process);
}

struct bean_list *beans_of(const struct web_view *view, struct arena *arena)
{
    struct building to = {
        .arena = arena,
        .view = view,
        .cluster = web_model_cluster(view->model),
        .host = beans_host(arena),
        .list = bean_list_new(arena),
    };

    add_cluster(&to);
    add_info(&to);
    add_process(&to);
    bean_text(bean_add(to.list, SERVICE "RMNMInfo", CLASSES "RMNMInfo"), "LiveNodeManagers", "");
    return to.list;
}
