/* SPDX-License-Identifier: Apache-2.0 */
/* jmx.c - /jmx of the agent, with the beans that YARN's monitoring tools read from a node manager */
#include <stdlib.h>
#include <unistd.h>

#include "nm-agent/web/handlers.h"
#include "nm-agent/web/sums.h"
#include "web/rest/parts/format.h"

#define BEAN "Hadoop:service=NodeManager,name=NodeManagerMetrics"
#define MIB_PER_GIB 1024
#define GIB (1024.0 * 1024.0 * 1024.0)

static void add_launches(struct bean *bean, const Creel__AgentMetrics *metrics)
{
    const Creel__Histogram *start = metrics != NULL ? metrics->start : NULL;
    uint64_t count = start != NULL ? start->total : 0;

    bean_int(bean, "ContainersLaunched", (int64_t)count);
    bean_int(bean, "ContainerLaunchDurationNumOps", (int64_t)count);
    bean_double(bean, "ContainerLaunchDurationAvgTime",
                count > 0 ? (double)start->sum_us / 1e3 / (double)count : 0);
}

static void add_use(struct bean *bean, const Creel__AgentSnapshot *node, const struct node_sums *sums)
{
    bean_double(bean, "NodeUsedMemGB", (double)node->node_memory_bytes / GIB);
    bean_double(bean, "ContainerUsedMemGB", (double)sums->used_bytes / GIB);
    bean_double(bean, "NodeCpuUtilization", node->node_cpu_millicores / 1e3);
    bean_double(bean, "ContainerCpuUtilization", node->cpu_millicores / 1e3);
}

static void add_node(struct bean_list *list, const Creel__AgentSnapshot *node)
{
    const struct node_sums sums = node_sums_of(node);
    const size_t *count = sums.containers;
    size_t live = count[CREEL__AGENT_PHASE__AGENT_PHASE_RUNNING] +
                  count[CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING] +
                  count[CREEL__AGENT_PHASE__AGENT_PHASE_WAITING];
    struct bean *bean = bean_add(list, BEAN, "NodeManagerMetrics");

    bean_text(bean, "tag.Context", "yarn");
    bean_text(bean, "tag.Hostname", node->host);
    add_launches(bean, node->metrics);
    bean_int(bean, "ContainersIniting",
             (int64_t)(count[CREEL__AGENT_PHASE__AGENT_PHASE_NEW] +
                       count[CREEL__AGENT_PHASE__AGENT_PHASE_FETCHING]));
    bean_int(bean, "ContainersRunning", (int64_t)count[CREEL__AGENT_PHASE__AGENT_PHASE_RUNNING]);
    bean_int(bean, "AllocatedGB", sums.allocated_mb / MIB_PER_GIB);
    bean_int(bean, "AllocatedContainers", (int64_t)live);
    bean_int(bean, "AvailableGB", (sums.total_mb - sums.allocated_mb) / MIB_PER_GIB);
    bean_int(bean, "AllocatedVCores", sums.allocated_vcores);
    bean_int(bean, "AvailableVCores", sums.total_vcores - sums.allocated_vcores);
    add_use(bean, node, &sums);
}

static void add_process(struct bean_list *list, const Creel__AgentSnapshot *node)
{
    static const Creel__AgentMetrics none = CREEL__AGENT_METRICS__INIT;
    const Creel__AgentMetrics *metrics = node->metrics != NULL ? node->metrics : &none;
    struct bean_process process = {
        .service = "NodeManager",
        .host = node->host,
        .started_ms = node->started_ms,
        .now_ms = node->taken_ms,
        .resident_bytes = node->process_memory_bytes,
        .virtual_bytes = metrics->process_virtual_bytes,
        .cpu_us = node->process_cpu_us,
        .open_files = metrics->process_open_fds,
        .open_files_max = metrics->process_max_fds,
        .processors = (int)sysconf(_SC_NPROCESSORS_ONLN),
    };

    if (getloadavg(&process.load, 1) != 1)
        process.load = -1; /* as Java, if it is not known */
    bean_add_process(list, &process);
}

void node_jmx(struct exchange *exchange)
{
    const Creel__AgentSnapshot *node = node_state(exchange);
    struct bean_list *list;

    if (node == NULL)
        return;
    list = bean_list_new(exchange_arena(exchange));
    add_node(list, node);
    add_process(list, node);
    rest_send_beans(exchange, list);
}
