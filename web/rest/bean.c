/* SPDX-License-Identifier: Apache-2.0 */
/* bean.c - the beans of /jmx that monitors of YARN read */
#include "web/rest/bean.h"

#include <assert.h>
#include <string.h>
#include <sys/resource.h>

#include "common/base/text.h"
#include "web/rest/live_nodes.h"
#include "web/rest/parts.h"
#include "web/rest/queue_tree.h"

#define SERVICE "Hadoop:service=ResourceManager,name="

struct building {
    struct arena *arena;
    const struct web_model *model;
    const Creel__ClusterInfo *cluster;
    struct bean *first, *last;
};

/* --- attributes ----------------------------------------------------------------- */

static struct bean *add_bean(struct building *to, const char *name, const char *modeler)
{
    struct bean *bean = arena_new0(to->arena, struct bean);

    bean->name = name;
    bean->modeler = modeler;
    if (to->last != NULL)
        to->last->next = bean;
    else
        to->first = bean;
    to->last = bean;
    return bean;
}

static void add(struct bean *bean, struct bean_attribute attribute)
{
    assert(bean->count < BEAN_ATTRIBUTES_MAX);
    bean->attributes[bean->count++] = attribute;
}

static void add_int(struct bean *bean, const char *name, int64_t value)
{
    add(bean, (struct bean_attribute){ .name = name, .type = BEAN_INT, .integer = value });
}

static void add_double(struct bean *bean, const char *name, double value)
{
    add(bean, (struct bean_attribute){ .name = name, .type = BEAN_DOUBLE, .number = value });
}

static void add_text(struct bean *bean, const char *name, const char *value)
{
    add(bean, (struct bean_attribute){ .name = name, .type = BEAN_TEXT, .text = value });
}

static void add_bool(struct bean *bean, const char *name, bool value)
{
    add(bean, (struct bean_attribute){ .name = name, .type = BEAN_BOOL, .truth = value });
}

/* --- the cluster ---------------------------------------------------------------- */

static void add_cluster(struct building *to)
{
    const Creel__ClusterInfo *cluster = to->cluster;
    struct bean *bean = add_bean(to, SERVICE "ClusterMetrics", "ClusterMetrics");

    add_text(bean, "tag.ClusterMetrics", "ResourceManager");
    add_text(bean, "tag.Context", "yarn");
    add_int(bean, "CapabilityMB", rest_memory_mb(cluster->total));
    add_int(bean, "CapabilityVirtualCores", rest_vcores(cluster->total));
    add_int(bean, "NumActiveNMs", cluster->nodes_running);
    add_int(bean, "NumDecommissionedNMs", cluster->nodes_decommissioned);
    add_int(bean, "NumDecommissioningNMs",
            (int64_t)cluster->nodes_decommissioning + cluster->nodes_draining + cluster->nodes_drained);
    add_int(bean, "NumLostNMs", cluster->nodes_lost);
    add_int(bean, "NumRebootedNMs", 0);
    add_int(bean, "NumShutdownNMs", cluster->nodes_shut_down);
    add_int(bean, "NumUnhealthyNMs", cluster->nodes_unhealthy);
    add_int(bean, "RmDispatcherEventQueueSize", 0);
    add_int(bean, "SchedulerDispatcherEventQueueSize", 0);
    add_int(bean, "UtilizedVirtualCores", rest_vcores(cluster->used));
}

static void add_info(struct building *to)
{
    struct bean *bean =
        add_bean(to, SERVICE "RMInfo", "org.apache.hadoop.yarn.server.resourcemanager.RMInfo");

    add_text(bean, "State", "active");
    add_bool(bean, "SecurityEnabled", false);
    add_text(bean, "HostAndPort", "");
    bean = add_bean(to, SERVICE "RMNMInfo", "org.apache.hadoop.yarn.server.resourcemanager.RMNMInfo");
    add_text(bean, "LiveNodeManagers", live_nodes_text(to->model, to->arena));
}

/* Adds the beans of the Java process. The memory is that of creel-web, the times are those of the resource
 * manager. */
static void add_process(struct building *to)
{
    struct rusage usage = { .ru_maxrss = 0 };
    struct bean *bean = add_bean(to, "java.lang:type=Runtime", "sun.management.RuntimeImpl");

    add_int(bean, "Uptime", to->cluster->now_ms - to->cluster->started_ms);
    add_int(bean, "StartTime", to->cluster->started_ms);
    getrusage(RUSAGE_SELF, &usage);
    bean = add_bean(to, SERVICE "JvmMetrics", "JvmMetrics");
    add_double(bean, "MemHeapUsedM", (double)usage.ru_maxrss / 1024);
    add_double(bean, "MemHeapMaxM", (double)usage.ru_maxrss / 1024);
    add_int(bean, "ThreadsRunnable", 1);
}

/* --- queues ---------------------------------------------------------------------- */

/* Returns "Hadoop:service=ResourceManager,name=QueueMetrics,q0=root,q1=a" for the path root.a. */
static const char *queue_bean_name(struct arena *arena, const char *path)
{
    const char *name = SERVICE "QueueMetrics";
    size_t level = 0;

    for (const char *at = path; *at != '\0'; level++) {
        size_t length = strcspn(at, ".");

        name = arena_printf(arena, "%s,q%zu=%.*s", name, level, (int)length, at);
        at += length;
        at += *at == '.';
    }
    return name;
}

static void add_queue_limits(struct bean *bean, const Creel__QueueReport *report)
{
    add_int(bean, "AMResourceLimitMB", rest_memory_mb(report->am_limit));
    add_int(bean, "AMResourceLimitVCores", rest_vcores(report->am_limit));
    add_double(bean, "AbsoluteUsedCapacity", (double)report->absolute_used);
    add_double(bean, "GuaranteedAbsoluteCapacity", (double)report->absolute_capacity);
    add_double(bean, "GuaranteedCapacity", (double)report->capacity);
    add_int(bean, "GuaranteedMB", rest_memory_mb(report->minimum));
    add_int(bean, "GuaranteedVCores", rest_vcores(report->minimum));
    add_double(bean, "MaxAbsoluteCapacity", (double)report->absolute_max_capacity);
    add_double(bean, "MaxCapacity", (double)report->max_capacity);
    add_int(bean, "MaxCapacityMB", rest_memory_mb(report->maximum));
    add_int(bean, "MaxCapacityVCores", rest_vcores(report->maximum));
    add_int(bean, "UsedAMResourceMB", rest_memory_mb(report->am_used));
    add_int(bean, "UsedAMResourceVCores", rest_vcores(report->am_used));
    add_double(bean, "UsedCapacity", (double)report->used_capacity);
}

static void add_queue_use(struct building *to, struct bean *bean, const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;
    const Creel__Resource *free = rest_difference(to->arena, report->maximum, report->used);

    add_int(bean, "ActiveApplications", report->active_apps);
    add_int(bean, "ActiveUsers", report->active_users);
    add_int(bean, "AllocatedContainers", report->containers);
    add_int(bean, "AllocatedMB", rest_memory_mb(report->used) - rest_memory_mb(report->reserved));
    add_int(bean, "AllocatedVCores", rest_vcores(report->used) - rest_vcores(report->reserved));
    add_int(bean, "AppsPending", report->apps_pending);
    add_int(bean, "AppsRunning", report->apps_running);
    add_int(bean, "AvailableMB", free->memory_mb);
    add_int(bean, "AvailableVCores", free->vcores);
    add_int(bean, "PendingContainers", (int64_t)queue->pending_containers);
    add_int(bean, "PendingMB", rest_memory_mb(report->pending));
    add_int(bean, "PendingVCores", rest_vcores(report->pending));
    add_int(bean, "ReservedContainers", (int64_t)queue->reserved_containers);
    add_int(bean, "ReservedMB", rest_memory_mb(report->reserved));
    add_int(bean, "ReservedVCores", rest_vcores(report->reserved));
}

/* Adds the counters of the cluster to the bean of the root queue. Other queues have no counters. */
static void add_counters(struct building *to, struct bean *bean)
{
    const Creel__ClusterInfo *cluster = to->cluster;
    const Creel__ClusterCounters *counters = cluster->counters;

    add_int(bean, "AppsSubmitted", counters != NULL ? (int64_t)counters->apps_submitted : 0);
    add_int(bean, "AppsCompleted", (int64_t)cluster->apps_finished);
    add_int(bean, "AppsFailed", (int64_t)cluster->apps_failed);
    add_int(bean, "AppsKilled", (int64_t)cluster->apps_killed);
    add_int(bean, "AggregateContainersAllocated",
            counters != NULL ? (int64_t)counters->containers_allocated : 0);
    add_int(bean, "AggregateContainersPreempted",
            counters != NULL ? (int64_t)counters->containers_preempted : 0);
}

static void add_queues(struct building *to, const struct rest_queue *queue)
{
    struct bean *bean;

    for (; queue != NULL; queue = queue->next) {
        bean = add_bean(to, queue_bean_name(to->arena, queue->report->path), "QueueMetrics");
        add_text(bean, "tag.Queue", queue->report->path);
        add_text(bean, "tag.Context", "yarn");
        add_queue_limits(bean, queue->report);
        add_queue_use(to, bean, queue);
        if (queue->parent == NULL)
            add_counters(to, bean);
        add_queues(to, queue->first);
    }
}

const struct bean *beans_of(const struct web_view *view, struct arena *arena)
{
    struct building to = { .arena = arena, .model = view->model, .cluster = web_model_cluster(view->model) };

    add_cluster(&to);
    add_info(&to);
    add_process(&to);
    add_queues(&to, rest_queue_tree(view->model, arena));
    return to.first;
}
