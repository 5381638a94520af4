/* SPDX-License-Identifier: Apache-2.0 */
/* rest_reads.c - test: what clients of YARN's REST interface read */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/rest/rest_json.h"

#define CLUSTER "/ws/v1/cluster"
#define JSON_TYPE "200 application/json;charset=utf-8\n"

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

/* STATUS and the short name and message of the exception are those of the answer. */
static void check_error(const char *answer, int status, const char *exception, const char *message)
{
    json_t *json = rest_json_parse(answer), *error = json_object_get(json, "RemoteException");
    const char *text = json_string_value(json_object_get(error, "message"));

    assert_int_equal(atoi(answer), status);
    assert_string_equal(json_string_value(json_object_get(error, "exception")), exception);
    if (text == NULL || strstr(text, message) == NULL)
        fail_msg("%s: not \"%s\"", text, message);
    json_decref(json);
}

/* --- links -------------------------------------------------------------------------- */

static void logs_of_a_running_application_are_at_its_agent(void **state)
{
    static const char own[] = "http://localhost/cluster/container/container_1795500000000_0198_01_000001";
    struct rest_world *world = *state;
    struct page_world *pages = world->page;
    Creel__AppReport *app = pages->apps[197];
    json_t *json;

    app->master_container_id = (char *)(uintptr_t) "container_1795500000000_0198_01_000001";
    page_world_load(pages);
    json = rest_json_get(world, CLUSTER "/apps/application_1795500000000_0198");
    assert_string_equal(rest_json_text(json, "app/amContainerLogs"), own);
    json_decref(json);
    pages->nodes[0]->http_address = (char *)(uintptr_t) "node-1.example.org:8042";
    app->master_node_id = pages->nodes[0]->node_id;
    page_world_load(pages);
    json = rest_json_get(world, CLUSTER "/apps/application_1795500000000_0198");
    assert_string_equal(rest_json_text(json, "app/amContainerLogs"),
                        "http://node-1.example.org:8042/node/containerlogs/"
                        "container_1795500000000_0198_01_000001/bob");
    json_decref(json);
    pages->cluster.acl_enabled = true; /* agents show no logs then */
    page_world_load(pages);
    json = rest_json_get(world, CLUSTER "/apps/application_1795500000000_0198");
    assert_string_equal(rest_json_text(json, "app/amContainerLogs"), own);
    json_decref(json);
}

/* Those that were killed before they began are no applications. */
static void an_array_names_its_failed_tasks(void **state)
{
    struct rest_world *world = *state;
    Creel__AppReport *app = world->page->apps[198];
    Creel__TaskCounts tasks = CREEL__TASK_COUNTS__INIT;
    json_t *json;
    size_t asked;

    tasks.total = 5;
    tasks.failed = 3;
    tasks.killed = 2;
    app->array = (char *)(uintptr_t) "0-4";
    app->tasks = &tasks;
    app->failed_tasks = (char *)(uintptr_t) "1,3-4";
    app->state = CREEL__APP_STATE__APP_FAILED;
    page_world_load(world->page);
    asked = world->page->asked;
    json = rest_json_get(world, CLUSTER "/apps/application_1795500000000_0199");
    assert_string_equal(rest_json_text(json, "app/creelTasks/failedTasks"), "1,3-4");
    assert_int_equal(world->page->asked, asked + 1); /* the copy of the cluster does not have them */
    json_decref(json);
    app->tasks = NULL;
}

/* --- lists of applications -------------------------------------------------------- */

static size_t count_apps(struct rest_world *world, const char *query)
{
    char target[300];
    json_t *json;
    size_t count;

    snprintf(target, sizeof(target), CLUSTER "/apps%s", query);
    json = rest_json_get(world, target);
    count = json_array_size(rest_json_member(json, "apps/app"));
    json_decref(json);
    return count;
}

static void lists_are_filtered(void **state)
{
    size_t running;

    assert_int_equal(count_apps(*state, ""), 200);
    assert_int_equal(count_apps(*state, "/?unknown=1"), 200);
    running = count_apps(*state, "?state=Running");
    assert_in_range(running, 1, 199);
    assert_int_equal(count_apps(*state, "?states=running"), running);
    assert_int_equal(count_apps(*state, "?states=accepted,RUNNING&states=finished,failed&state=KILLED"), 200);
    assert_int_equal(count_apps(*state, "?limit=7"), 7);
    assert_int_equal(count_apps(*state, "?user=nobody"), 0);
    assert_in_range(count_apps(*state, "?user=ann"), 1, 199);
    assert_int_equal(count_apps(*state, "?applicationTypes=creel,x"), 200);
    assert_int_equal(count_apps(*state, "?applicationType=SPARK"), 0);
    assert_int_equal(count_apps(*state, "?applicationTags=x"), 0);
    assert_int_equal(count_apps(*state, "?queue=root"), 200);
    assert_int_equal(count_apps(*state, "?queue=prod"), count_apps(*state, "?queue=root.prod"));
    assert_in_range(count_apps(*state, "?queue=root.prod"), 1, 199);
    assert_int_equal(count_apps(*state, "?name=nightly-report"), 0); /* the whole name */
    assert_in_range(count_apps(*state, "?finalStatus=FAILED"), 1, 199);
    assert_int_equal(count_apps(*state, "?startedTimeBegin=0&startedTimeEnd=1"), 0);
    assert_int_equal(count_apps(*state, "?finishedTimeBegin=1"),
                     200 - count_apps(*state, "?finishedTimeEnd=0"));
}

static void wrong_parameters_are_refused(void **state)
{
    struct rest_world *world = *state;

    check_error(rest_world_get(world, CLUSTER "/apps?states=bogus", NULL), 400, "BadRequestException",
                "Invalid application-state bogus specified.");
    check_error(rest_world_get(world, CLUSTER "/apps?limit=0", NULL), 400, "BadRequestException",
                "limit value must be greater then 0");
    check_error(rest_world_get(world, CLUSTER "/apps?limit=x", NULL), 400, "BadRequestException", "a number");
    check_error(rest_world_get(world, CLUSTER "/apps?startedTimeBegin=x", NULL), 400, "BadRequestException",
                "startedTimeBegin");
    check_error(rest_world_get(world, CLUSTER "/apps?finalStatus=x", NULL), 400, "BadRequestException",
                "Invalid application-state x");
    check_error(rest_world_get(world, CLUSTER "/apps?queue=nosuch", NULL), 400, "BadRequestException",
                "Unknown queue: nosuch");
    check_error(rest_world_get(world, CLUSTER "/apps?deSelects=bogus", NULL), 400, "BadRequestException",
                "bogus");
    check_error(rest_world_get(world, CLUSTER "/nodes?states=bogus", NULL), 400, "IllegalArgumentException",
                "NodeState.BOGUS");
    check_error(rest_world_get(world, CLUSTER "/appstatistics?applicationTypes=a,b", NULL), 400,
                "BadRequestException", "at most one");
}

static void newest_applications_come_first(void **state)
{
    json_t *json = rest_json_get(*state, CLUSTER "/apps?limit=2");

    assert_string_equal(rest_json_text(json, "apps/app/0/id"), "application_1795500000000_0200");
    assert_string_equal(rest_json_text(json, "apps/app/1/id"), "application_1795500000000_0199");
    json_decref(json);
}

/* --- one application --------------------------------------------------------------- */

static void an_application_has_the_types_of_yarn(void **state)
{
    json_t *json = rest_json_get(*state, CLUSTER "/apps/application_1795500000000_0197");
    json_t *app = rest_json_member(json, "app");

    assert_true(json_is_integer(json_object_get(app, "startedTime")));
    assert_true(json_is_integer(json_object_get(app, "allocatedMB")));
    assert_true(json_is_real(json_object_get(app, "progress")));
    assert_true(json_is_real(json_object_get(app, "clusterUsagePercentage")));
    assert_string_equal(rest_json_text(app, "timeouts/timeout/0/expiryTime"), "UNLIMITED");
    assert_string_equal(rest_json_text(app, "resourceSecondsMap/entry/0/key"), "memory-mb");
    assert_string_equal(rest_json_text(app, "resourceRequests/0/resourceName"), "*");
    assert_int_equal(json_integer_value(rest_json_member(app, "resourceRequests/0/numContainers")), 3);
    assert_int_equal(json_integer_value(rest_json_member(app, "resourceRequests/0/capability/memory")), 2048);
    assert_true(json_is_true(rest_json_member(app, "resourceRequests/0/relaxLocality")));
    json_decref(json);
    json = rest_json_get(*state,
                         CLUSTER "/apps/application_1795500000000_0197?deSelects=timeouts,resourceRequests");
    assert_null(rest_json_member(json, "app/timeouts"));
    assert_null(rest_json_member(json, "app/resourceRequests"));
    json_decref(json);
}

static void parts_of_an_application(void **state)
{
    const char *app = CLUSTER "/apps/application_1795500000000_0001";
    char target[200];
    static const char *const parts[][2] = {
        { "state", "{\"state\":\"FINISHED\"}" },
        { "queue", "{\"queue\":\"root.prod.etl\"}" },
        { "priority", "{\"priority\":0}" },
        { "timeouts/lifetime", "{\"timeout\":{\"type\":\"LIFETIME\",\"expiryTime\":\"UNLIMITED\","
                               "\"remainingTimeInSeconds\":-1}}" },
    };

    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        snprintf(target, sizeof(target), "%s/%s", app, parts[i][0]);
        assert_string_equal(strchr(rest_world_get(*state, target, NULL), '\n') + 1, parts[i][1]);
    }
}

static void unknown_ids_get_the_message_of_yarn(void **state)
{
    struct rest_world *world = *state;

    check_error(rest_world_get(world, CLUSTER "/apps/foo", NULL), 400, "BadRequestException",
                "Invalid ApplicationId prefix: foo. The valid ApplicationId should start with prefix "
                "application");
    check_error(rest_world_get(world, CLUSTER "/apps/application_1_x", NULL), 400, "BadRequestException",
                "Invalid ApplicationId: application_1_x");
    check_error(rest_world_get(world, CLUSTER "/apps/application_1_0001", NULL), 404, "NotFoundException",
                "app with id: application_1_0001 not found");
    check_error(rest_world_get(world, CLUSTER "/nodes/nosuch", NULL), 400, "IllegalArgumentException",
                "Invalid NodeId [nosuch]. Expected host:port");
    check_error(rest_world_get(world, CLUSTER "/nodes/h:1", NULL), 404, "NotFoundException",
                "nodeId, h:1, is not found");
    check_error(rest_world_get(world, CLUSTER "/nosuch", NULL), 404, "NotFoundException", "");
    check_error(rest_world_get(world, CLUSTER "/apps/application_1795500000000_0001/timeouts/foo", NULL), 400,
                "BadRequestException", "It should be one of [LIFETIME]");
}

static void attempts_and_containers(void **state)
{
    const char *app = CLUSTER "/apps/application_1795500000000_0007";
    char target[300];
    json_t *json;

    snprintf(target, sizeof(target), "%s/appattempts", app);
    json = rest_json_get(*state, target);
    assert_string_equal(rest_json_text(json, "appAttempts/appAttempt/0/appAttemptId"),
                        "appattempt_1795500000000_0007_000001");
    assert_string_equal(rest_json_text(json, "appAttempts/appAttempt/0/containerId"),
                        "container_1795500000000_0007_01_000001");
    json_decref(json);
    snprintf(target, sizeof(target), "%s/appattempts/appattempt_1795500000000_0007_000001/containers", app);
    json = rest_json_get(*state, target);
    assert_string_equal(rest_json_text(json, "container/1/allocatedMB"), "4096"); /* mapped: texts */
    json_decref(json);
    snprintf(target, sizeof(target),
             "%s/appattempts/appattempt_1795500000000_0007_000001/containers?"
             "creel.json=plain",
             app);
    json = rest_json_get(*state, target);
    assert_true(json_is_integer(rest_json_member(json, "container/1/allocatedMB")));
    json_decref(json);
    snprintf(target, sizeof(target), "%s/appattempts/bogus", app);
    check_error(rest_world_get(*state, target, NULL), 400, "BadRequestException",
                "Invalid AppAttemptId prefix: bogus");
    snprintf(target, sizeof(target), "%s/appattempts/appattempt_1795500000000_0007_000009", app);
    check_error(rest_world_get(*state, target, NULL), 404, "NotFoundException", "doesn't exist in RM");
}

/* --- formats ------------------------------------------------------------------------ */

static void accept_chooses_the_format(void **state)
{
    struct rest_world *world = *state;
    static const char *const json[] = {
        NULL, "", "*/*", "application/json", "application/xml;q=0.1, application/json", "application/*",
    };
    static const char *const xml[] = {
        "application/xml",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    };
    static const char *const none[] = { "text/html", "text/xml", "application/json;q=0" };

    for (size_t i = 0; i < sizeof(json) / sizeof(*json); i++)
        assert_memory_equal(rest_world_get(world, CLUSTER "/info", json[i]), JSON_TYPE, strlen(JSON_TYPE));
    for (size_t i = 0; i < sizeof(xml) / sizeof(*xml); i++)
        assert_non_null(strstr(rest_world_get(world, CLUSTER "/info", xml[i]),
                               "200 application/xml; charset=utf-8\n<?xml version=\"1.0\" encoding=\"UTF-8\" "
                               "standalone=\"yes\"?><clusterInfo><id>"));
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
        check_error(rest_world_get(world, CLUSTER "/info", none[i]), 406, "WebApplicationException",
                    "application/json");
    assert_string_equal(rest_world_header(world, "Cache-Control"), "no-cache");
    assert_non_null(strstr(rest_world_get(world, CLUSTER "/apps/application_1_0001", "application/xml"),
                           "404 application/xml; charset=utf-8\n<?xml version=\"1.0\" encoding=\"UTF-8\" "
                           "standalone=\"yes\"?><RemoteException><exception>NotFoundException</exception>"));
}

static void hostile_names_are_escaped(void **state)
{
    json_t *json = rest_json_get(*state, CLUSTER "/apps/application_1795500000000_0101");

    assert_string_equal(rest_json_text(json, "app/name"), HOSTILE_NAME);
    json_decref(json);
    assert_null(strstr(
        rest_world_get(*state, CLUSTER "/apps/application_1795500000000_0101", "application/xml"), "<img"));
}

static void other_methods_are_405(void **state)
{
    check_error(rest_world_send(*state, "DELETE", CLUSTER "/metrics", NULL, ""), 405,
                "WebApplicationException", "");
    assert_non_null(rest_world_header(*state, "Allow"));
    check_error(rest_world_send(*state, "POST", CLUSTER "/reservation/submit", "application/json", "{}"), 501,
                "UnsupportedOperationException", "reservations");
}

/* --- the cluster -------------------------------------------------------------------- */

/* Monitors go over all members, and print those of the figures. */
static void figures_of_the_cluster_are_integers(void **state)
{
    json_t *json = rest_json_get(*state, CLUSTER "/metrics"), *value;
    const char *key;

    json_object_foreach(rest_json_member(json, "clusterMetrics"), key,
                        value) if (!json_is_integer(value) && !json_is_object(value) &&
                                   !json_is_boolean(value)) fail_msg("%s is no integer", key);
    assert_int_equal(json_integer_value(rest_json_member(json, "clusterMetrics/appsSubmitted")), 200);
    assert_int_equal(json_integer_value(rest_json_member(json, "clusterMetrics/totalNodes")), 6);
    json_decref(json);
}

static void agents_are_targets_of_prometheus(void **state)
{
    struct rest_world *world = *state;
    json_t *json;

    world->page->nodes[0]->http_address = (char *)(uintptr_t) "n1.example.org:8042";
    world->page->nodes[0]->state = CREEL__NODE_STATE__NODE_LOST;
    world->page->nodes[1]->http_address = (char *)(uintptr_t) "n2.example.org:8042";
    world->page->nodes[1]->state = CREEL__NODE_STATE__NODE_DECOMMISSIONED;
    page_world_load(world->page);
    json = rest_json_parse(rest_world_get(world, "/prometheus/sd", NULL));
    assert_int_equal(json_array_size(json), 1);
    assert_string_equal(rest_json_text(json, "0/targets/0"), "n1.example.org:8042");
    assert_string_equal(rest_json_text(json, "0/labels/__meta_creel_node"), world->page->nodes[0]->node_id);
    assert_string_equal(rest_json_text(json, "0/labels/__meta_creel_state"), "LOST");
    json_decref(json);
}

static void the_utilization_of_a_node_is_measured_by_its_agent(void **state)
{
    struct rest_world *world = *state;
    json_t *json;

    world->page->nodes[0]->cpu_millicores = 1500;
    world->page->nodes[0]->node_cpu_millicores = 2250;
    world->page->nodes[0]->node_memory_bytes = (uint64_t)3 << 30;
    page_world_load(world->page);
    json = rest_json_parse(rest_world_get(
        world, arena_printf(world->page->arena, CLUSTER "/nodes/%s", world->page->nodes[0]->node_id), NULL));
    assert_true(json_real_value(rest_json_member(json, "node/resourceUtilization/containersCPUUsage")) ==
                1.5);
    assert_true(json_real_value(rest_json_member(json, "node/resourceUtilization/nodeCPUUsage")) == 2.25);
    assert_int_equal(
        json_integer_value(rest_json_member(json, "node/resourceUtilization/nodePhysicalMemoryMB")), 3072);
    json_decref(json);
}

static void statistics_have_all_states(void **state)
{
    json_t *json = rest_json_get(*state, CLUSTER "/appstatistics"), *item;
    json_int_t sum = 0;
    size_t i;

    json_array_foreach(rest_json_member(json, "appStatInfo/statItem"), i, item) sum +=
        json_integer_value(json_object_get(item, "count"));
    assert_int_equal(sum, 200);
    assert_int_equal(i, 8);
    json_decref(json);
}

static void a_model_without_data_is_503(void **state)
{
    struct rest_world *world = *state;

    page_world_unload(world->page);
    check_error(rest_world_get(world, CLUSTER "/apps", NULL), 503, "YarnException", "state of the cluster");
    check_error(rest_world_get(world, CLUSTER "/scheduler", NULL), 503, "YarnException",
                "state of the cluster");
}

static void check_no_activities(struct rest_world *world, const char *request, const char *diagnostic)
{
    char target[200];
    const char *text;

    snprintf(target, sizeof(target), CLUSTER "/scheduler/app-activities/%s", request);
    text = rest_world_get(world, target, NULL);
    assert_memory_equal(text, "200 ", 4);
    if (strstr(text, diagnostic) == NULL)
        fail_msg("%s: %s, expected %s", target, text, diagnostic);
}

static void activities_that_are_not_there_are_explained(void **state)
{
    check_no_activities(*state, "foo", "\"diagnostic\":\"Cannot find application with given appId\"");
    check_no_activities(*state, "application_1_0001",
                        "{\"appActivities\":{\"applicationId\":\"application_1_0001\",\"diagnostic\":"
                        "\"fail to get application activities after finished\",\"timestamp\":");
    check_no_activities(*state, "foo?groupBy=x", "Got invalid groupBy: x, valid groupBy types: [DIAGNOSTIC]");
    check_no_activities(*state, "foo?actions=get,x", "Got invalid action: x, valid actions: [REFRESH, GET]");
    check_no_activities(*state, "application_1_0001?actions=refresh",
                        "Successfully received action: refresh");
    check_no_activities(*state, "foo?limit=x", "limit must be integer!");
    check_no_activities(*state, "foo?limit=0", "limit must be greater than 0!");
    check_no_activities(*state, "foo?requestPriorities=1,x", "request priorities must be integers!");
    check_no_activities(*state, "foo?allocationRequestIds=1&allocationRequestIds=x",
                        "allocation request Ids must be integers!");
    check_error(rest_world_get(*state, CLUSTER "/scheduler/app-activities/foo?maxTime=x", NULL), 400,
                "NumberFormatException", "For input string");
}

/* --- beside REST -------------------------------------------------------------------- */

static void beans_are_found_by_name(void **state)
{
    const char *target = "/jmx?qry=Hadoop:service=ResourceManager,name=ClusterMetrics";
    json_t *json = rest_json_parse(rest_world_get(*state, target, NULL));

    assert_int_equal(json_array_size(rest_json_member(json, "beans")), 1);
    assert_int_equal(json_integer_value(rest_json_member(json, "beans/0/NumActiveNMs")), 6);
    json_decref(json);
    json = rest_json_parse(rest_world_get(*state, "/jmx?get=java.lang:type=Runtime::Uptime", NULL));
    assert_true(json_is_integer(rest_json_member(json, "beans/0/Uptime")));
    json_decref(json);
    assert_non_null(strstr(rest_world_get(*state, "/jmx?qry=bogus", NULL), "\n{ }"));
    assert_non_null(strstr(rest_world_get(*state, "/jmx?qry=Hadoop:name=None", NULL), "\"beans\" : [ ]"));
    assert_memory_equal(rest_world_get(*state, "/jmx?get=java.lang:type=Runtime", NULL), "400 ", 4);
    assert_memory_equal(rest_world_get(*state, "/jmx?get=java.lang:type=Runtime::None", NULL), "404 ", 4);
    assert_non_null(
        strstr(rest_world_get(*state, "/jmx?qry=*name=QueueMetrics,q0=root,q1=prod,q2=*", NULL), "q2=etl"));
}

static void the_proxy_leads_to_the_page_of_the_application(void **state)
{
    assert_memory_equal(rest_world_get(*state, "/proxy/application_1795500000000_0001/", NULL), "302 ", 4);
    assert_string_equal(rest_world_header(*state, "Location"),
                        "http://localhost/cluster/app/application_1795500000000_0001");
}

static void metrics_are_prometheus_text(void **state)
{
    const char *text = rest_world_get(*state, "/metrics", NULL);

    assert_non_null(strstr(text, "200 text/plain; version=0.0.4; charset=utf-8\n# HELP "));
    assert_non_null(strstr(text, "\ncreel_containers_total{event=\"allocated\"} 12345\n"));
    assert_non_null(strstr(text, "\n# TYPE creel_heartbeats_total counter\ncreel_heartbeats_total 54321\n"));
    assert_non_null(strstr(text, "\ncreel_node_silences_total 7\n"));
    assert_non_null(strstr(text, "\ncreel_queue_memory_bytes{queue=\"root.dev.ml\",kind=\"used\"} "));
    assert_non_null(
        strstr(text, "\ncreel_cluster_resource{resource=\"memory-mb\",kind=\"pending\"} 65536\n"));
    assert_non_null(strstr(text, "\n# TYPE creel_web_open_fds gauge\ncreel_web_open_fds "));
    text = rest_world_get(*state, "/metrics", "application/openmetrics-text; version=1.0.0");
    assert_non_null(strstr(text, "\n# TYPE creel_heartbeats counter\ncreel_heartbeats_total 54321\n"));
    assert_non_null(strstr(text, "\n# EOF\n"));
}

static void configuration_is_xml_or_json(void **state)
{
    static const char xml[] =
        "200 text/xml;charset=utf-8\n<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>"
        "<configuration>\n<property><name>yarn.acl.enable</name><value>true</value><final>true</final>"
        "<source>yarn-site.xml</source></property>\n</configuration>\n";
    json_t *json;

    assert_string_equal(rest_world_get(*state, "/conf?name=yarn.acl.enable", NULL), xml);
    json = rest_json_parse(rest_world_get(*state, "/conf", "application/json"));
    assert_int_equal(json_array_size(json_object_get(json, "properties")), 3);
    assert_string_equal(rest_json_text(json, "properties/0/value"), "<redacted>");
    assert_string_equal(rest_json_text(json, "properties/2/resource"), "yarn-default.xml");
    json_decref(json);
    json = rest_json_parse(rest_world_get(*state, "/conf?format=json&name=yarn.acl.enable", NULL));
    assert_string_equal(rest_json_text(json, "property/key"), "yarn.acl.enable");
    assert_true(json_is_true(rest_json_member(json, "property/isFinal")));
    json_decref(json);
    check_error(rest_world_get(*state, "/conf?name=no.such", NULL), 404, "NotFoundException",
                "Property no.such not found");
    check_error(rest_world_get(*state, "/conf?format=yaml", NULL), 400, "BadRequestException",
                "Bad format: yaml");
}

static void threads_are_listed(void **state)
{
    const char *text = rest_world_get(*state, "/stacks", NULL);

    assert_non_null(strstr(text, "200 text/plain;charset=utf-8\nProcess Thread Dump: \n"));
    assert_non_null(strstr(text, " (rest_reads):\n  State: R (running)\n  Blocked count: "));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void a_silent_node_is_marked(void **state)
{
    struct rest_world *world = *state;
    Creel__NodeReport *node = world->page->nodes[0];
    const char *path = arena_printf(world->page->arena, CLUSTER "/nodes/%s", node->node_id);
    json_t *json = rest_json_parse(rest_world_get(world, path, NULL));

    assert_true(json_is_false(rest_json_member(json, "node/creelSilent")));
    assert_null(json_object_get(json_object_get(json, "node"), "creelLostAtMs"));
    json_decref(json);
    node->lost_at_ms = WORLD_NOW_MS + 575000;
    page_world_load(world->page);
    json = rest_json_parse(rest_world_get(world, path, NULL));
    assert_true(json_is_true(rest_json_member(json, "node/creelSilent")));
    assert_int_equal(json_integer_value(rest_json_member(json, "node/creelLostAtMs")), node->lost_at_ms);
    assert_string_equal(json_string_value(rest_json_member(json, "node/state")), "RUNNING");
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(logs_of_a_running_application_are_at_its_agent),
        TEST(an_array_names_its_failed_tasks),
        TEST(lists_are_filtered),
        TEST(wrong_parameters_are_refused),
        TEST(newest_applications_come_first),
        TEST(an_application_has_the_types_of_yarn),
        TEST(parts_of_an_application),
        TEST(unknown_ids_get_the_message_of_yarn),
        TEST(attempts_and_containers),
        TEST(accept_chooses_the_format),
        TEST(hostile_names_are_escaped),
        TEST(other_methods_are_405),
        TEST(figures_of_the_cluster_are_integers),
        TEST(agents_are_targets_of_prometheus),
        TEST(the_utilization_of_a_node_is_measured_by_its_agent),
        TEST(a_silent_node_is_marked),
        TEST(statistics_have_all_states),
        TEST(a_model_without_data_is_503),
        TEST(activities_that_are_not_there_are_explained),
        TEST(beans_are_found_by_name),
        TEST(the_proxy_leads_to_the_page_of_the_application),
        TEST(metrics_are_prometheus_text),
        TEST(configuration_is_xml_or_json),
        TEST(threads_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
