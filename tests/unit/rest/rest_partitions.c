/* SPDX-License-Identifier: Apache-2.0 */
/* rest_partitions.c - test: queues, users and applications by node label, as clients of REST read them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/rest/rest_json.h"

#define CLUSTER "/ws/v1/cluster"

static int set_up(void **state)
{
    *state = rest_world_new(200, 6);
    return 0;
}

static int tear_down(void **state)
{
    rest_world_free(*state);
    return 0;
}

static void walk_queues(json_t *queues, size_t *leaves)
{
    json_t *queue;
    size_t i;

    json_array_foreach(json_object_get(queues, "queue"), i, queue)
    {
        assert_non_null(json_object_get(queue, "queueName"));
        assert_true(json_is_real(json_object_get(queue, "capacity")));
        if (json_object_get(queue, "queues") != NULL) {
            walk_queues(json_object_get(queue, "queues"), leaves);
        } else {
            assert_string_equal(rest_json_text(queue, "type"), "capacitySchedulerLeafQueueInfo");
            assert_true(json_is_object(json_object_get(queue, "users")));
            assert_string_equal(rest_json_text(queue, "resources/resourceUsagesByPartition/1/partitionName"),
                                "gpu");
            assert_int_equal(json_integer_value(rest_json_member(
                                 queue, "resources/resourceUsagesByPartition/1/used/memory")),
                             3072);
            (*leaves)++;
        }
    }
}

/* Returns the element of ARRAY whose member NAME is VALUE. */
static json_t *element(json_t *array, const char *name, const char *value)
{
    json_t *each;
    size_t i;

    json_array_foreach(array, i, each) if (strcmp(rest_json_text(each, name), value) == 0) return each;
    fail_msg("no %s is %s", name, value);
    return NULL;
}

static void users_have_their_partitions(void **state)
{
    struct rest_world *world = *state;
    Creel__AppReport *app = world->page->apps[197]; /* of bob, in root.prod.reports; runs */
    json_t *json, *user, *usages;
    json_int_t in_label;

    app->label = (char *)(uintptr_t) "gpu";
    page_world_load(world->page);
    json = rest_json_get(world, CLUSTER "/scheduler");
    user = element(rest_json_member(json, "scheduler/schedulerInfo/queues/queue"), "queueName", "prod");
    user = element(rest_json_member(user, "queues/queue"), "queueName", "reports");
    user = element(rest_json_member(user, "users/user"), "username", "bob");
    usages = rest_json_member(user, "resources/resourceUsagesByPartition");
    assert_string_equal(rest_json_text(usages, "0/partitionName"), "");
    assert_string_equal(rest_json_text(usages, "1/partitionName"), "gpu");
    in_label = json_integer_value(rest_json_member(usages, "1/used/memory"));
    assert_int_equal(in_label, app->allocated->memory_mb);
    assert_int_equal(json_integer_value(rest_json_member(usages, "1/amLimit/memory")), 6144);
    assert_int_equal(json_integer_value(rest_json_member(usages, "0/used/memory")) + in_label,
                     json_integer_value(rest_json_member(user, "resourcesUsed/memory")));
    json_decref(json);
}

static void resources_of_an_application_are_listed_by_partition(void **state)
{
    struct rest_world *world = *state;
    Creel__AppReport *app = world->page->apps[197]; /* runs */
    Creel__AppPartition plain = CREEL__APP_PARTITION__INIT, gpu = CREEL__APP_PARTITION__INIT;
    Creel__AppPartition *partitions[] = { &plain, &gpu };
    char path[128];
    json_t *json, *usages;

    snprintf(path, sizeof(path), CLUSTER "/apps/%s", app->app_id);
    json = rest_json_get(world, path);
    usages = rest_json_member(json, "app/resourceInfo/resourceUsagesByPartition");
    assert_int_equal(json_array_size(usages), 1);
    assert_string_equal(rest_json_text(usages, "0/partitionName"), "");
    assert_int_equal(json_integer_value(rest_json_member(usages, "0/used/memory")),
                     app->allocated->memory_mb);
    json_decref(json);
    gpu.label = (char *)(uintptr_t) "gpu";
    gpu.used = app->allocated;
    app->partitions = partitions;
    app->n_partitions = 2;
    page_world_load(world->page);
    json = rest_json_get(world, path);
    usages = rest_json_member(json, "app/resourceInfo/resourceUsagesByPartition");
    assert_int_equal(json_array_size(usages), 2);
    assert_int_equal(json_integer_value(rest_json_member(usages, "0/used/memory")), 0);
    assert_string_equal(rest_json_text(usages, "1/partitionName"), "gpu");
    assert_int_equal(json_integer_value(rest_json_member(usages, "1/used/memory")),
                     app->allocated->memory_mb);
    json_decref(json);
    app->partitions = NULL;
    app->n_partitions = 0;
}

static void queues_are_a_tree(void **state)
{
    json_t *json = rest_json_get(*state, CLUSTER "/scheduler"),
           *root = rest_json_member(json, "scheduler/schedulerInfo");
    size_t leaves = 0;

    assert_string_equal(rest_json_text(root, "type"), "capacityScheduler");
    assert_string_equal(rest_json_text(root, "capacities/queueCapacitiesByPartition/0/partitionName"), "");
    assert_string_equal(rest_json_text(root, "capacities/queueCapacitiesByPartition/1/partitionName"), "gpu");
    assert_string_equal(rest_json_text(root,
                                       "capacities/queueCapacitiesByPartition/1/queueCapacityVectorInfo/"
                                       "configuredCapacityVector"),
                        "[memory-mb=25.0%,vcores=25.0%]");
    assert_string_equal(rest_json_text(root, "queueCapacityVectorInfo/configuredCapacityVector"),
                        "[memory-mb=12.5%,vcores=12.5%]");
    assert_true(json_real_value(
                    rest_json_member(root, "capacities/queueCapacitiesByPartition/1/usedCapacity")) == 50);
    walk_queues(json_object_get(root, "queues"), &leaves);
    assert_int_equal(leaves, 5);
    json_decref(json);
}

/* Returns the queue of a whole tree of queues whose path is PATH; NULL: none. */
static json_t *queue_at(json_t *queues, const char *path)
{
    json_t *queue, *found = NULL;
    size_t i;

    json_array_foreach(json_object_get(queues, "queue"), i, queue)
    {
        if (strcmp(rest_json_text(queue, "queuePath"), path) == 0)
            return queue;
        if (found == NULL && json_object_get(queue, "queues") != NULL)
            found = queue_at(json_object_get(queue, "queues"), path);
    }
    return found;
}

/* A vector has the amounts and weights of the file, beside those in effect. A limit of 0 applications is
 * 0. */
static void capacities_are_shown_as_configured(void **state)
{
    struct rest_world *world = *state;
    Creel__QueueReport *queue = world->page->queues[0];
    Creel__Resource amounts = CREEL__RESOURCE__INIT;
    json_t *json, *shown, *part;

    for (size_t i = 0; i < world->page->queue_count; i++)
        if (strcmp(world->page->queues[i]->path, "root.prod.reports") == 0)
            queue = world->page->queues[i];
    queue->settings->mode = (char *)(uintptr_t) "mixed";
    queue->settings->configured[0]->value = 1048576;
    queue->settings->configured[0]->unit = (char *)(uintptr_t) "";
    queue->settings->configured[1]->value = 2.5;
    queue->settings->configured[1]->unit = (char *)(uintptr_t) "w";
    amounts.memory_mb = 1048576;
    queue->settings->configured_minimum = &amounts;
    queue->max_apps = queue->max_apps_per_user = 0;
    page_world_load(world->page);
    json = rest_json_get(world, CLUSTER "/scheduler");
    shown = queue_at(rest_json_member(json, "scheduler/schedulerInfo/queues"), "root.prod.reports");
    part = rest_json_member(shown, "capacities/queueCapacitiesByPartition/0");
    assert_string_equal(rest_json_text(shown, "mode"), "mixed");
    assert_string_equal(rest_json_text(part, "queueCapacityVectorInfo/configuredCapacityVector"),
                        "[memory-mb=1048576.0,vcores=2.5w]");
    assert_int_equal(json_integer_value(rest_json_member(part, "configuredMinResource/memory")), 1048576);
    assert_int_equal(json_integer_value(rest_json_member(part, "effectiveMinResource/memory")), 4096);
    assert_int_equal(json_integer_value(json_object_get(shown, "maxApplications")), 0);
    assert_int_equal(json_integer_value(json_object_get(shown, "maxApplicationsPerUser")), 0);
    json_decref(json);
}

static void templates_are_listed(void **state)
{
    Creel__QueueProperty property = CREEL__QUEUE_PROPERTY__INIT, *properties[] = { &property };
    struct rest_world *world = *state;
    Creel__QueueSettings *settings = NULL;
    json_t *json, *shown;

    property.name = (char *)(uintptr_t) "capacity";
    property.value = (char *)(uintptr_t) "2w";
    for (size_t i = 0; i < world->page->queue_count; i++)
        if (strcmp(world->page->queues[i]->path, "root.prod") == 0)
            settings = world->page->queues[i]->settings;
    settings->managed_template = settings->dynamic_leaf_template = properties;
    settings->n_managed_template = settings->n_dynamic_leaf_template = 1;
    page_world_load(world->page);
    json = rest_json_get(world, CLUSTER "/scheduler");
    shown = queue_at(rest_json_member(json, "scheduler/schedulerInfo/queues"), "root.prod");
    assert_string_equal(rest_json_text(shown, "leafQueueTemplate/property/0/name"),
                        "leaf-queue-template.capacity");
    assert_string_equal(rest_json_text(shown, "autoQueueLeafTemplateProperties/property/0/name"), "capacity");
    assert_string_equal(rest_json_text(shown, "autoQueueLeafTemplateProperties/property/0/value"), "2w");
    assert_int_equal(json_object_size(json_object_get(shown, "autoQueueTemplateProperties")), 0);
    json_decref(json);
    settings->n_managed_template = settings->n_dynamic_leaf_template = 0;
    settings->managed_template = settings->dynamic_leaf_template = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(queues_are_a_tree),
        TEST(users_have_their_partitions),
        TEST(resources_of_an_application_are_listed_by_partition),
        TEST(capacities_are_shown_as_configured),
        TEST(templates_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
