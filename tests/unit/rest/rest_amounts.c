/* SPDX-License-Identifier: Apache-2.0 */
/* rest_amounts.c - test: allocated, reserved and available resources in REST, /jmx and /metrics */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <string.h>

#include "tests/unit/rest/rest_json.h"

#define CLUSTER "/ws/v1/cluster"

/* 2048 MiB: containers have 1472, 512 are reserved, 64 are free. */
static Creel__Resource total, containers, reserved, used;

static Creel__Resource amount(int64_t memory_mb)
{
    Creel__Resource made = CREEL__RESOURCE__INIT;

    made.memory_mb = memory_mb;
    made.vcores = memory_mb / 32;
    return made;
}

static int set_up(void **state)
{
    struct rest_world *world = rest_world_new(20, 2);
    struct page_world *page = world->page;
    Creel__QueueReport *root = page->queues[0];

    total = amount(2048);
    containers = amount(1472);
    reserved = amount(512);
    used = amount(1472 + 512);
    page->cluster.total = &total;
    page->cluster.used = &containers;
    page->cluster.reserved = root->reserved = &reserved;
    root->used = &used;
    root->maximum = &total;
    root->n_partitions = 0;
    page_world_load(page);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    rest_world_free(*state);
    return 0;
}

static void set_fair(struct rest_world *world)
{
    world->page->cluster.queue_model = (char *)(uintptr_t) "fair";
    world->page->queues[0]->used = &containers;
    page_world_load(world->page);
}

/* Checks the number NAME of the object at PATH. */
static void check_number(json_t *json, const char *path, const char *name, json_int_t expected)
{
    json_t *value = json_object_get(rest_json_member(json, path), name);

    if (!json_is_integer(value) || json_integer_value(value) != expected)
        fail_msg("%s/%s is %lld, not %lld", path, name, (long long)json_integer_value(value),
                 (long long)expected);
}

static void check_cluster(struct rest_world *world, json_int_t allocated_mb, json_int_t available_mb)
{
    json_t *json = rest_json_get(world, CLUSTER "/metrics");

    check_number(json, "clusterMetrics", "allocatedMB", allocated_mb);
    check_number(json, "clusterMetrics", "reservedMB", 512);
    check_number(json, "clusterMetrics", "availableMB", available_mb);
    check_number(json, "clusterMetrics", "totalMB", 2048);
    check_number(json, "clusterMetrics", "allocatedVirtualCores", allocated_mb / 32);
    check_number(json, "clusterMetrics", "availableVirtualCores", available_mb / 32);
    json_decref(json);
}

static void check_bean(struct rest_world *world, json_int_t allocated_mb)
{
    json_t *json = rest_json_parse(
        rest_world_get(world, "/jmx?qry=Hadoop:service=ResourceManager,name=QueueMetrics,q0=root", NULL));

    check_number(json, "beans/0", "AllocatedMB", allocated_mb);
    check_number(json, "beans/0", "ReservedMB", 512);
    json_decref(json);
}

static void check_series(struct rest_world *world, const char *series)
{
    if (strstr(rest_world_get(world, "/metrics", NULL), series) == NULL)
        fail_msg("/metrics has no %s", series);
}

static void reserved_resources_are_not_allocated(void **state)
{
    json_t *json;

    check_cluster(*state, 1472, 64);
    check_bean(*state, 1472);
    check_series(*state, "\ncreel_cluster_memory_bytes{kind=\"allocated\"} 1543503872\n");
    check_series(*state, "\ncreel_cluster_memory_bytes{kind=\"available\"} 67108864\n");
    check_series(*state, "\ncreel_cluster_resource{resource=\"memory-mb\",kind=\"allocated\"} 1472\n");
    check_series(*state, "\ncreel_cluster_resource{resource=\"memory-mb\",kind=\"available\"} 64\n");
    json = rest_json_get(*state, CLUSTER "/metrics");
    check_number(json, "clusterMetrics/totalUsedResourcesAcrossPartition", "memory", 1984);
    json_decref(json);
}

static void the_use_of_fair_queues_is_without_reserved_resources(void **state)
{
    set_fair(*state);
    check_cluster(*state, 1472, 576); /* as in YARN */
    check_bean(*state, 1472);
    check_series(*state, "\ncreel_cluster_memory_bytes{kind=\"allocated\"} 1543503872\n");
}

/* Half of the nodes have the label gpu: there 512 MiB are pending and 2 containers run; elsewhere 3 run. */
static void set_labels(struct rest_world *world)
{
    static Creel__Resource of_label, unlabelled, pending, nothing;
    static Creel__LabelReport gpu;
    static Creel__LabelReport *labels[] = { &gpu };
    static Creel__QueuePartition part;
    static Creel__QueuePartition *parts[] = { &part };
    Creel__QueueReport *root = world->page->queues[0];

    of_label = amount(1024);
    unlabelled = amount(448);
    pending = amount(512);
    nothing = amount(0);
    creel__label_report__init(&gpu);
    gpu.name = (char *)(uintptr_t) "gpu";
    gpu.total = &of_label;
    creel__queue_partition__init(&part);
    part.label = gpu.name;
    part.used = &of_label;
    part.reserved = &nothing;
    part.pending = &pending;
    world->page->cluster.labels = labels;
    world->page->cluster.n_labels = 1;
    world->page->cluster.containers = root->containers = 5;
    world->page->cluster.pending = world->page->cluster.reserved = &nothing;
    root->labelled_containers = 2;
    root->used = &unlabelled;
    root->reserved = root->pending = &nothing;
    root->partitions = parts;
    root->n_partitions = 1;
    for (size_t i = 0; i < world->page->app_count; i++)
        world->page->apps[i]->labelled_pending_containers = world->page->apps[i]->pending_containers;
    page_world_load(world->page);
}

static void unset_labels(struct rest_world *world)
{
    world->page->cluster.n_labels = 0;
    world->page->cluster.labels = NULL;
    world->page->queues[0]->n_partitions = 0;
    world->page->queues[0]->partitions = NULL;
}

static void figures_are_of_nodes_without_a_label(void **state)
{
    json_t *json;

    set_labels(*state);
    json = rest_json_get(*state, CLUSTER "/metrics");
    check_number(json, "clusterMetrics", "allocatedMB", 448);
    check_number(json, "clusterMetrics", "availableMB", 576);
    check_number(json, "clusterMetrics", "totalMB", 1024);
    check_number(json, "clusterMetrics", "pendingMB", 0);
    check_number(json, "clusterMetrics", "containersPending", 0);
    check_number(json, "clusterMetrics", "containersAllocated", 3);
    check_number(json, "clusterMetrics", "totalAllocatedContainersAcrossPartition", 5);
    check_number(json, "clusterMetrics/totalUsedResourcesAcrossPartition", "memory", 1472);
    json_decref(json);
    json = rest_json_parse(
        rest_world_get(*state, "/jmx?qry=Hadoop:service=ResourceManager,name=QueueMetrics,q0=root", NULL));
    check_number(json, "beans/0", "AllocatedContainers", 3);
    check_number(json, "beans/0", "PendingContainers", 0);
    json_decref(json);
    check_series(*state, "\ncreel_cluster_memory_bytes{kind=\"pending\"} 536870912\n");
    unset_labels(*state);
}

static void containers_of_a_queue_are_of_nodes_without_a_label(void **state)
{
    struct rest_world *world = *state;
    json_t *json;

    for (size_t i = 0; i < world->page->queue_count; i++) {
        world->page->queues[i]->containers = 4;
        world->page->queues[i]->labelled_containers = 3;
    }
    set_labels(world);
    json = rest_json_get(world, CLUSTER "/scheduler");
    check_number(json, "scheduler/schedulerInfo/queues/queue/0", "allocatedContainers", 1);
    check_number(json, "scheduler/schedulerInfo/queues/queue/0", "pendingContainers", 0);
    check_number(json, "scheduler/schedulerInfo/queues/queue/0/queues/queue/0", "numContainers", 4);
    json_decref(json);
    unset_labels(world);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reserved_resources_are_not_allocated),
        TEST(the_use_of_fair_queues_is_without_reserved_resources),
        TEST(figures_are_of_nodes_without_a_label),
        TEST(containers_of_a_queue_are_of_nodes_without_a_label),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
