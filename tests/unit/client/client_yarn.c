/* SPDX-License-Identifier: Apache-2.0 */
/* client_yarn.c - test: the formats of the command yarn, which scripts parse */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "client/yarn/format.h"
#include "client/yarn/print.h"

#define TIME_MS INT64_C(1795681028069) /* 26 November 2026, 08:17:08.069 UTC */
#define APP_ID "application_1790000000000_0007"
#define CONTAINER_ID "container_1790000000000_0007_01_000001"

static int set_up(void **state)
{
    (void)state;
    setenv("TZ", "UTC", 1);
    tzset();
    return 0;
}

/* --- numbers and times ---------------------------------------------------------- */

static void numbers_are_as_java_prints_them(void **state)
{
    char text[FORMAT_MAX];

    (void)state;
    assert_string_equal(format_progress(0, text), "0%");
    assert_string_equal(format_progress(1, text), "100%");
    assert_string_equal(format_progress(0.5, text), "50%");
    assert_string_equal(format_progress(0.0512, text), "5.12%");
    assert_string_equal(format_progress(0.005, text), ".5%");
    assert_string_equal(format_decimal(0, text), ".00");
    assert_string_equal(format_decimal(12.5, text), "12.50");
    assert_string_equal(format_decimal(-1, text), "-1.00");
    assert_string_equal(format_decimal(-0.25, text), "-.25");
}

static void times_have_yarns_formats(void **state)
{
    char text[FORMAT_MAX];

    (void)state;
    assert_string_equal(format_date(TIME_MS, text), "Thu Nov 26 08:17:08 +0000 2026");
    assert_string_equal(format_date(0, text), "N/A");
    assert_string_equal(format_iso(TIME_MS, text), "2026-11-26T08:17:08.069+0000");
    assert_string_equal(format_health_date(TIME_MS, text), "Thu 26/Nov/26 08:17:08:69UTC");
}

static void amounts_name_further_types(void **state)
{
    struct creel_resource amounts = { .memory_mb = 8192, .vcores = 16 };
    char text[FORMAT_AMOUNTS_MAX];

    (void)state;
    assert_string_equal(format_amounts(&amounts, text), "<memory:8192, vCores:16>");
    amounts.others[amounts.other_count++] = (struct creel_amount){ "yarn.io/gpu", 2, "" };
    assert_string_equal(format_amounts(&amounts, text), "<memory:8192, vCores:16, yarn.io/gpu: 2>");
}

/* --- lists and reports ------------------------------------------------------------ */

static const char *const no_texts[] = { NULL };

static struct creel_app sample_app(void)
{
    return (struct creel_app){
        .id = APP_ID,
        .name = "nächtlich\tlang",
        .user = "ann",
        .queue = "root.default",
        .type = "CREEL",
        .state = CREEL_APP_RUNNING,
        .progress = 0.25,
        .diagnostics = "",
        .submitted_ms = TIME_MS,
        .tracking_url = "",
        .label = "",
        .am_host = "",
        .master_node_id = "n1:8041",
        .attempt = 2,
        .memory_mb_seconds = 512,
        .vcore_seconds = 2,
    };
}

struct output {
    char *text;
    size_t size;
    FILE *file;
};

static void open_output(struct output *output)
{
    output->file = open_memstream(&output->text, &output->size);
    assert_non_null(output->file);
}

static void expect_output(struct output *output, const char *expected)
{
    assert_int_equal(fclose(output->file), 0);
    assert_string_equal(output->text, expected);
    free(output->text);
}

static void the_list_of_applications_has_yarns_columns(void **state)
{
    struct creel_app app = sample_app();
    const struct creel_app *apps[] = { &app };
    struct print_app_list list = {
        .types = "", .states = "RUNNING", .tags = "etl", .apps = apps, .count = 1
    };
    struct output output;

    (void)state;
    open_output(&output);
    print_app_list(output.file, &list);
    expect_output(
        &output,
        "Total number of applications (application-types: [], states: [RUNNING] and tags: [etl]):1\n"
        "                Application-Id\t    Application-Name\t    Application-Type\t      User\t     "
        "Queue\t             State\t       Final-State\t       Progress\t                       "
        "Tracking-URL\n" APP_ID "\t      nächtlich lang\t               CREEL\t       "
        "ann\troot.default\t           RUNNING\t         UNDEFINED\t            25%\t                 "
        "               N/A\n");
}

static void the_report_of_an_application_has_yarns_lines(void **state)
{
    struct creel_app app = sample_app();
    struct output output;

    (void)state;
    app.expires_ms = TIME_MS + 90000;
    open_output(&output);
    print_app(output.file, &app, TIME_MS);
    expect_output(&output,
                  "Application Report : \n"
                  "\tApplication-Id : " APP_ID "\n"
                  "\tApplication-Name : nächtlich\tlang\n"
                  "\tApplication-Type : CREEL\n"
                  "\tUser : ann\n"
                  "\tQueue : root.default\n"
                  "\tApplication Priority : 0\n"
                  "\tStart-Time : 1795681028069\n"
                  "\tFinish-Time : 0\n"
                  "\tProgress : 25%\n"
                  "\tState : RUNNING\n"
                  "\tFinal-State : UNDEFINED\n"
                  "\tTracking-URL : N/A\n"
                  "\tRPC Port : -1\n"
                  "\tAM Host : n1\n"
                  "\tAggregate Resource Allocation : 512 MB-seconds, 2 vcore-seconds\n"
                  "\tAggregate Resource Preempted : 0 MB-seconds, 0 vcore-seconds\n"
                  "\tLog Aggregation Status : DISABLED\n"
                  "\tDiagnostics : \n"
                  "\tUnmanaged Application : false\n"
                  "\tApplication Node Label Expression : <Not set>\n"
                  "\tAM container Node Label Expression : <DEFAULT_PARTITION>\n"
                  "\tTimeoutType : LIFETIME\tExpiryTime : 2026-11-26T08:18:38.069+0000\tRemainingTime : "
                  "90seconds\n\n");
}

static struct creel_container sample_container(void)
{
    return (struct creel_container){
        .id = CONTAINER_ID,
        .node_id = "n1:8041",
        .user = "ann",
        .state = CREEL_CONTAINER_COMPLETE,
        .allocated_ms = TIME_MS,
        .started_ms = TIME_MS,
        .diagnostics = "lost",
        .master = true,
    };
}

static void attempts_before_the_present_one_have_failed(void **state)
{
    struct creel_app app = sample_app();
    struct creel_container container = sample_container();
    struct creel_containers containers = { 1, &container };
    struct output output;

    (void)state;
    open_output(&output);
    print_attempt_list(output.file, &app, &containers);
    print_attempt(output.file, &app, 1, &containers);
    expect_output(
        &output,
        "Total number of application attempts :2\n"
        "         ApplicationAttempt-Id\t               State\t                    AM-Container-Id\t      "
        "                 Tracking-URL\n"
        "appattempt_1790000000000_0007_000001\t              FAILED\t" CONTAINER_ID
        "\t                                N/A\n"
        "appattempt_1790000000000_0007_000002\t             RUNNING\t                                N/A\t   "
        "                             N/A\n"
        "Application Attempt Report : \n"
        "\tApplicationAttempt-Id : appattempt_1790000000000_0007_000001\n"
        "\tState : FAILED\n"
        "\tAMContainer : " CONTAINER_ID "\n"
        "\tTracking-URL : N/A\n"
        "\tRPC Port : -1\n"
        "\tAM Host : N/A\n"
        "\tDiagnostics : lost\n\n");
}

static struct creel_node sample_node(const char *id, enum creel_node_state node_state)
{
    return (struct creel_node){
        .id = id,
        .rack = "/default-rack",
        .state = node_state,
        .total = { .memory_mb = 8192, .vcores = 8 },
        .used = { .memory_mb = 512, .vcores = 1 },
        .containers = 1,
        .last_heartbeat_ms = TIME_MS,
        .health_report = "",
        .label = "gpu",
        .http_address = "n1:8042",
        .node_memory_bytes = (uint64_t)2048 << 20,
        .node_cpu_millicores = 2504,
        .cpu_millicores = 1500,
        .containers_memory_bytes = (uint64_t)100 << 20,
    };
}

static void containers_name_the_addresses_of_their_node(void **state)
{
    struct creel_container container = sample_container();
    struct creel_containers containers = { 1, &container };
    struct creel_node all[] = { sample_node("n2:8041", CREEL_NODE_RUNNING),
                                sample_node("n1:8041", CREEL_NODE_RUNNING) };
    struct creel_nodes nodes = { .count = 2, .items = all };
    struct output output;

    (void)state;
    all[0].http_address = "n2:8042";
    open_output(&output);
    print_container_list(output.file, &containers, 2, &nodes, false);
    print_container(output.file, &container, &nodes, false);
    expect_output(&output,
                  "Total number of containers :0\n"
                  "                  Container-Id\t          Start Time\t         Finish Time\t          "
                  "     State\t                Host\t   Node Http Address\t                            "
                  "LOG-URL\n"
                  "Container Report : \n"
                  "\tContainer-Id : " CONTAINER_ID "\n"
                  "\tStart-Time : 1795681028069\n"
                  "\tFinish-Time : 0\n"
                  "\tState : COMPLETE\n"
                  "\tExecution-Type : GUARANTEED\n"
                  "\tLOG-URL : http://n1:8042/node/containerlogs/" CONTAINER_ID "/ann\n"
                  "\tHost : n1:8041\n"
                  "\tNodeHttpAddress : http://n1:8042\n"
                  "\tExposedPorts : \n"
                  "\tDiagnostics : lost\n\n");
}

static void links_are_https_if_agents_serve_it(void **state)
{
    struct creel_container container = sample_container();
    struct creel_node node = sample_node("n1:8041", CREEL_NODE_RUNNING);
    struct creel_nodes nodes = { .count = 1, .items = &node };
    struct output output;

    (void)state;
    open_output(&output);
    print_container(output.file, &container, &nodes, true);
    expect_output(&output, "Container Report : \n"
                           "\tContainer-Id : " CONTAINER_ID "\n"
                           "\tStart-Time : 1795681028069\n"
                           "\tFinish-Time : 0\n"
                           "\tState : COMPLETE\n"
                           "\tExecution-Type : GUARANTEED\n"
                           "\tLOG-URL : https://n1:8042/node/containerlogs/" CONTAINER_ID "/ann\n"
                           "\tHost : n1:8041\n"
                           "\tNodeHttpAddress : https://n1:8042\n"
                           "\tExposedPorts : \n"
                           "\tDiagnostics : lost\n\n");
}

static void nodes_have_yarns_states_and_columns(void **state)
{
    struct creel_node drained = sample_node("n1:8041", CREEL_NODE_DRAINED);
    const struct creel_node *nodes[] = { &drained };
    struct output output;

    (void)state;
    open_output(&output);
    print_node_list(output.file, nodes, 1, true);
    print_node(output.file, &drained);
    expect_output(&output,
                  "Total Nodes:1\n"
                  "         Node-Id\t     Node-State\tNode-Http-Address\tNumber-of-Running-Containers\n"
                  "         n1:8041\tDECOMMISSIONING\t          n1:8042\t                           1\n"
                  "Detailed Node Information :\n"
                  "\tConfigured Resources : <memory:8192, vCores:8>\n"
                  "\tAllocated Resources : <memory:512, vCores:1>\n"
                  "\tResource Utilization by Node : PMem:2048 MB, VMem:2048 MB, VCores:2.504\n"
                  "\tResource Utilization by Containers : PMem:100 MB, VMem:0 MB, VCores:1.5\n"
                  "\tNode-Labels : gpu\n"
                  "Node Report : \n"
                  "\tNode-Id : n1:8041\n"
                  "\tRack : /default-rack\n"
                  "\tNode-State : DECOMMISSIONING\n"
                  "\tNode-Http-Address : n1:8042\n"
                  "\tLast-Health-Update : Thu 26/Nov/26 08:17:08:69UTC\n"
                  "\tHealth-Report : \n"
                  "\tContainers : 1\n"
                  "\tMemory-Used : 512MB\n"
                  "\tMemory-Capacity : 8192MB\n"
                  "\tCPU-Used : 1 vcores\n"
                  "\tCPU-Capacity : 8 vcores\n"
                  "\tNode-Labels : gpu\n"
                  "\tNode Attributes : \n"
                  "\tResource Utilization by Node : PMem:2048 MB, VMem:2048 MB, VCores:2.504\n"
                  "\tResource Utilization by Containers : PMem:100 MB, VMem:0 MB, VCores:1.5\n\n");
}

static void nodes_look_as_in_rest(void **state)
{
    struct creel_node node = sample_node("n1:8041", CREEL_NODE_WAITING);
    struct output output;
    const struct creel_node *nodes[] = { &node };

    (void)state;
    node.node_memory_bytes = 0; /* its agent does not measure it */
    node.used_memory_bytes = UINT64_C(300) << 20;
    open_output(&output);
    print_node_list(output.file, nodes, 1, true);
    expect_output(&output,
                  "Total Nodes:1\n"
                  "         Node-Id\t     Node-State\tNode-Http-Address\tNumber-of-Running-Containers\n"
                  "         n1:8041\t            NEW\t          n1:8042\t                           1\n"
                  "Detailed Node Information :\n"
                  "\tConfigured Resources : <memory:8192, vCores:8>\n"
                  "\tAllocated Resources : <memory:512, vCores:1>\n"
                  "\tResource Utilization by Node : PMem:300 MB, VMem:300 MB, VCores:2.504\n"
                  "\tResource Utilization by Containers : PMem:100 MB, VMem:0 MB, VCores:1.5\n"
                  "\tNode-Labels : gpu\n");
}

static void queues_have_shares_in_percent(void **state)
{
    static const char *const labels[] = { "gpu", "fast", NULL };
    struct creel_queue queue = {
        .path = "root.prod",
        .state = "RUNNING",
        .capacity = 0.4,
        .used_capacity = 0.0008,
        .max_capacity = 1,
        .weight = -1,
        .preemption = true,
        .labels = labels,
        .default_label = "gpu",
    };
    const struct creel_queue *queues[] = { &queue };
    struct output output;

    (void)state;
    open_output(&output);
    print_queue(output.file, &queue);
    queue.labels = no_texts;
    print_queue_list(output.file, queues, 1);
    expect_output(
        &output,
        "Queue Information : \n"
        "Queue Name : prod\n"
        "Queue Path : root.prod\n"
        "\tState : RUNNING\n"
        "\tCapacity : 40.00%\n"
        "\tCurrent Capacity : .08%\n"
        "\tMaximum Capacity : 100.00%\n"
        "\tWeight : -1.00\n"
        "\tMaximum Parallel Apps : 2147483647\n"
        "\tDefault Node Label expression : gpu\n"
        "\tAccessible Node Labels : gpu,fast\n"
        "\tPreemption : enabled\n"
        "\tIntra-queue Preemption : disabled\n"
        "1 queues were found\n"
        "+------------+------------+---------+----------+------------------+------------------+--------+-----"
        "------------------+\n"
        "| Queue Name | Queue Path | State   | Capacity | Current Capacity | Maximum Capacity | Weight | "
        "Maximum Parallel Apps |\n"
        "+------------+------------+---------+----------+------------------+------------------+--------+-----"
        "------------------+\n"
        "| prod       | root.prod  | RUNNING | 40.00%   | .08%             | 100.00%          | -1.00  | "
        "2147483647            |\n"
        "+------------+------------+---------+----------+------------------+------------------+--------+-----"
        "------------------+\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_as_java_prints_them),
        cmocka_unit_test(times_have_yarns_formats),
        cmocka_unit_test(amounts_name_further_types),
        cmocka_unit_test(the_list_of_applications_has_yarns_columns),
        cmocka_unit_test(the_report_of_an_application_has_yarns_lines),
        cmocka_unit_test(attempts_before_the_present_one_have_failed),
        cmocka_unit_test(containers_name_the_addresses_of_their_node),
        cmocka_unit_test(links_are_https_if_agents_serve_it),
        cmocka_unit_test(nodes_have_yarns_states_and_columns),
        cmocka_unit_test(nodes_look_as_in_rest),
        cmocka_unit_test(queues_have_shares_in_percent),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
