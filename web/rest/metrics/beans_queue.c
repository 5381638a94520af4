/* SPDX-License-Identifier: Apache-2.0 */
/* beans_queue.c - the beans of queues, by their path and by node label */
#include "web/rest/metrics/beans.h"

#include <string.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "web/rest/parts/amounts.h"
#include "yarn/resource.h"

#define SERVICE "Hadoop:service=ResourceManager,name="

struct building {
    struct bean_list *list;
    struct arena *arena;
    const Creel__ClusterInfo *cluster;
    const char *host;
};

/* Returns "BEAN,q0=root,q1=a" for the path root.a. */
static const char *record_name(struct arena *arena, const char *bean, const char *path)
{
    struct text_builder name = TEXT_BUILDER_IN(arena);
    size_t level = 0;

    text_builder_add(&name, bean);
    for (const char *at = path; *at != '\0'; level++) {
        size_t length = strcspn(at, ".");

        text_builder_printf(&name, ",q%zu=%.*s", level, (int)length, at);
        at += length;
        at += *at == '.';
    }
    return text_builder_finish(&name);
}

static struct bean *add_record(struct building *to, const char *bean, const char *path)
{
    const char *modeler = record_name(to->arena, bean, path);
    struct bean *added = bean_add(to->list, arena_printf(to->arena, SERVICE "%s", modeler), modeler);

    bean_text(added, "tag.Queue", path);
    bean_text(added, "tag.Context", "yarn");
    bean_text(added, "tag.Hostname", to->host);
    return added;
}

/* Adds the amounts NAMEMB and NAMEVCores. NAME is a literal. */
#define ADD_AMOUNT(bean, name, resource) \
    do { \
        bean_int((bean), name "MB", yarn_memory_mb(resource)); \
        bean_int((bean), name "VCores", yarn_vcores(resource)); \
    } while (0)

static void add_running(struct bean *bean, const struct rest_queue *queue)
{
    bean_int(bean, "running_0", (int64_t)queue->running_by_age[0]);
    bean_int(bean, "running_60", (int64_t)queue->running_by_age[1]);
    bean_int(bean, "running_300", (int64_t)queue->running_by_age[2]);
    bean_int(bean, "running_1440", (int64_t)queue->running_by_age[3]);
}

static void add_limits(struct bean *bean, const Creel__QueueReport *report)
{
    ADD_AMOUNT(bean, "AMResourceLimit", report->am_limit);
    bean_double(bean, "AbsoluteUsedCapacity", (double)report->absolute_used);
    bean_double(bean, "GuaranteedAbsoluteCapacity", (double)report->absolute_capacity);
    bean_double(bean, "GuaranteedCapacity", (double)report->capacity);
    ADD_AMOUNT(bean, "Guaranteed", report->minimum);
    bean_double(bean, "MaxAbsoluteCapacity", (double)report->absolute_max_capacity);
    bean_double(bean, "MaxCapacity", (double)report->max_capacity);
    ADD_AMOUNT(bean, "MaxCapacity", report->maximum);
    ADD_AMOUNT(bean, "UsedAMResource", report->am_used);
    bean_double(bean, "UsedCapacity", (double)report->used_capacity);
    bean_int(bean, "ActiveApplications", report->active_apps);
    bean_int(bean, "ActiveUsers", report->active_users);
}

/* Adds the counters of the cluster to the root queue. Other queues have none. */
static void add_counters(struct bean *bean, const Creel__ClusterInfo *cluster)
{
    static const Creel__ClusterCounters none = CREEL__CLUSTER_COUNTERS__INIT;
    const Creel__ClusterCounters *counters = cluster->counters != NULL ? cluster->counters : &none;

    bean_int(bean, "AggregateContainersAllocated", (int64_t)counters->containers_allocated);
    bean_int(bean, "AggregateContainersPreempted", (int64_t)counters->containers_preempted);
    bean_int(bean, "AggregateContainersReleased",
             (int64_t)(counters->containers_succeeded + counters->containers_failed +
                       counters->containers_out_of_memory + counters->containers_lost +
                       counters->containers_stopped + counters->containers_preempted));
    bean_int(bean, "AppsCompleted", (int64_t)cluster->apps_finished);
    bean_int(bean, "AppsFailed", (int64_t)cluster->apps_failed);
    bean_int(bean, "AppsKilled", (int64_t)cluster->apps_killed);
    bean_int(bean, "AppsSubmitted", (int64_t)counters->apps_submitted);
}

static void add_use(struct building *to, struct bean *bean, const struct rest_queue *queue)
{
    const Creel__QueueReport *report = queue->report;
    const Creel__Resource *allocated = rest_allocated(to->arena, to->cluster, report->used, report->reserved);

    bean_int(bean, "AllocatedContainers", report->containers - report->labelled_containers);
    ADD_AMOUNT(bean, "Allocated", allocated);
    bean_int(bean, "AppsPending", report->apps_pending);
    bean_int(bean, "AppsRunning", report->apps_running);
    ADD_AMOUNT(bean, "Available", yarn_difference(to->arena, report->maximum, report->used));
    bean_int(bean, "PendingContainers", (int64_t)queue->unlabelled_pending);
    ADD_AMOUNT(bean, "Pending", report->pending);
    bean_int(bean, "ReservedContainers", (int64_t)queue->unlabelled_reserved);
    ADD_AMOUNT(bean, "Reserved", report->reserved);
}

static void add_queue(struct building *to, const struct rest_queue *queue)
{
    struct bean *bean = add_record(to, "QueueMetrics", queue->report->path);

    add_running(bean, queue);
    add_limits(bean, queue->report);
    if (queue->parent == NULL)
        add_counters(bean, to->cluster);
    add_use(to, bean, queue);
}

static void add_partition(struct building *to, const char *path, const Creel__QueuePartition *partition)
{
    struct bean *bean =
        add_record(to, arena_printf(to->arena, "PartitionQueueMetrics,partition=%s", partition->label), path);

    bean_text(bean, "tag.Partition", partition->label);
    ADD_AMOUNT(bean, "AMResourceLimit", partition->am_limit);
    bean_double(bean, "AbsoluteUsedCapacity", (double)partition->absolute_used);
    ADD_AMOUNT(bean, "Guaranteed", partition->minimum);
    ADD_AMOUNT(bean, "MaxCapacity", partition->maximum);
    ADD_AMOUNT(bean, "UsedAMResource", partition->am_used);
    bean_double(bean, "UsedCapacity", (double)partition->used_capacity);
    ADD_AMOUNT(bean, "Allocated",
               rest_allocated(to->arena, to->cluster, partition->used, partition->reserved));
    ADD_AMOUNT(bean, "Available", yarn_difference(to->arena, partition->maximum, partition->used));
    ADD_AMOUNT(bean, "Pending", partition->pending);
    ADD_AMOUNT(bean, "Reserved", partition->reserved);
}

void beans_add_queue(struct bean_list *list, const struct rest_queue *queue,
                     const Creel__ClusterInfo *cluster, const char *host)
{
    struct building to = {
        .list = list,
        .arena = bean_list_arena(list),
        .cluster = cluster,
        .host = host,
    };

    add_queue(&to, queue);
    for (size_t i = 0; i < queue->report->n_partitions; i++)
        add_partition(&to, queue->report->path, queue->report->partitions[i]);
}
