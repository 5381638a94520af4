/* SPDX-License-Identifier: Apache-2.0 */
/* node_rest_metrics.c - test: the metrics and beans of creel-nm-web */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/node/node_rest_world.h"

static int set_up(void **state)
{
    struct node_rest_world *world = mem_new0(struct node_rest_world);

    node_rest_world_fill(world);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

static void begins(void **state, const char *target, const char *expected)
{
    scoped_free char *text = node_rest_ask(*state, "GET", target, NULL);

    assert_memory_equal(text, expected, strlen(expected));
}

static void metrics(void **state)
{
    static const char *const lines[] = {
        "# TYPE creel_build_info gauge\ncreel_build_info{version=\"0.1\"} 1\n",
        "\ncreel_agent_registered 1\n",
        "\ncreel_agent_health_ok 1\n",
        "\ncreel_agent_start_time_seconds 1\n",
        "\ncreel_agent_containers{state=\"fetching\"} 1\n",
        "\ncreel_agent_containers{state=\"running\"} 1\n",
        "\ncreel_agent_containers{state=\"acknowledged\"} 0\n",
        "\ncreel_agent_memory_bytes{kind=\"total\"} 4294967296\n",
        "\ncreel_agent_memory_bytes{kind=\"allocated\"} 2147483648\n",
        "\ncreel_agent_memory_bytes{kind=\"used\"} 1000\n",
        "\ncreel_agent_vcores{kind=\"allocated\"} 2\n",
        "\ncreel_agent_cpu_usage_cores{by=\"containers\"} 1.5\n",
        "\ncreel_agent_cpu_usage_cores{by=\"node\"} 2.25\n",
        "\ncreel_agent_node_memory_used_bytes 3000\n",
        "\ncreel_agent_rm_rtt_seconds 0.0015\n",
        "\n# TYPE creel_agent_container_start_seconds histogram\n",
        "\ncreel_agent_container_start_seconds_bucket{le=\"0.5\"} 3\n",
        "\ncreel_agent_container_start_seconds_bucket{le=\"2\"} 4\n",
        "\ncreel_agent_container_start_seconds_bucket{le=\"+Inf\"} 5\n",
        "\ncreel_agent_container_start_seconds_sum 12.5\ncreel_agent_container_start_seconds_count 5\n",
        "\ncreel_agent_localize_bytes_total 777\n",
        "\ncreel_agent_oom_kills_total{scope=\"container\"} 2\n",
        "\ncreel_agent_oom_kills_total{scope=\"slice\"} 1\n",
        "\ncreel_agent_log_bytes_total 88\n",
        "\ncreel_agent_orphans_killed_total 4\n",
        "\ncreel_agent_gateway_deaths_total{process=\"creel-gateway\"} 3\n",
        "\ncreel_agent_gateway_deaths_total{process=\"creel-nm-web\"} 1\n",
        "\ncreel_agent_memory_bytes{kind=\"limit\"} 10000\n",
        "\ncreel_agent_memory_bytes{kind=\"anon\"} 20\n",
        "\ncreel_agent_memory_bytes{kind=\"file\"} 30\n",
        "\ncreel_agent_memory_bytes{kind=\"shmem\"} 10\n",
        "\ncreel_agent_memory_bytes{kind=\"kernel\"} 5\n",
        "\ncreel_agent_cpu_seconds_total 2.5\n",
        "\ncreel_agent_pressure_ratio{resource=\"cpu\",kind=\"some\"} 0.25\n"
        "creel_agent_pressure_ratio{resource=\"memory\",kind=\"some\"} 0.25\n"
        "creel_agent_pressure_ratio{resource=\"memory\",kind=\"full\"} 0.125\n#",
        "\ncreel_agent_disk_ok{dir=\"/var/local\"} 1\ncreel_agent_disk_ok{dir=\"/gone\"} 0\n",
        "\ncreel_agent_disk_free_bytes{dir=\"/var/local\"} 12345\n#",
        "\ncreel_agent_disk_inodes{dir=\"/var/local\"} 1000\n#",
        "\ncreel_agent_disk_free_inodes{dir=\"/var/local\"} 900\n#",
        "\nprocess_cpu_seconds_total 0.25\n",
        "\nprocess_resident_memory_bytes 5000\n",
        "\nprocess_virtual_memory_bytes 9000\n",
        "\nprocess_start_time_seconds 1\n",
        "\nprocess_open_fds 12\n",
        "\nprocess_max_fds 1024\n",
    };
    scoped_free char *text = node_rest_ask(*state, "GET", "/metrics", NULL);
    scoped_free char *open = node_rest_ask(*state, "GET", "/metrics", "application/openmetrics-text");

    assert_memory_equal(text, "200 text/plain; version=0.0.4; charset=utf-8 #", 46);
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("%s: not in %s", lines[i], text);
    assert_memory_equal(open, "200 application/openmetrics-text; version=1.0.0;", 48);
    assert_non_null(strstr(open, "\n# EOF\n"));
}

/* What the kernel does not measure, or the agent does not send, has no sample. */
static void metrics_that_are_not_known_are_left_out(void **state)
{
    static const char *const names[] = {
        "creel_agent_rm_rtt_seconds",
        "creel_agent_pressure_ratio",
        "creel_agent_container_start_seconds",
        "creel_agent_cpu_seconds_total",
        "kind=\"anon\"",
    };
    struct node_rest_world *world = *state;
    char *text;

    world->snapshot.metrics = NULL;
    text = node_rest_ask(world, "GET", "/metrics", NULL);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        assert_null(strstr(text, names[i]));
    assert_non_null(strstr(text, "\ncreel_agent_registered 1\n"));
    free(text);
}

static void beans(void **state)
{
    begins(state, "/jmx?qry=Hadoop:service=NodeManager,name=NodeManager*",
           "200 application/json; charset=utf8 {\n  \"beans\" : [ {\n"
           "    \"name\" : \"Hadoop:service=NodeManager,name=NodeManagerMetrics\",\n"
           "    \"modelerType\" : \"NodeManagerMetrics\",\n"
           "    \"tag.Context\" : \"yarn\",\n"
           "    \"tag.Hostname\" : \"n1\",\n"
           "    \"ContainersLaunched\" : 5,\n"
           "    \"ContainerLaunchDurationNumOps\" : 5,\n"
           "    \"ContainerLaunchDurationAvgTime\" : 2500.0,\n"
           "    \"ContainersIniting\" : 1,\n"
           "    \"ContainersRunning\" : 1,\n"
           "    \"AllocatedGB\" : 2,\n"
           "    \"AllocatedContainers\" : 2,\n"
           "    \"AvailableGB\" : 2,\n"
           "    \"AllocatedVCores\" : 2,\n"
           "    \"AvailableVCores\" : 2,\n");
    begins(state, "/jmx?get=java.lang:type=Runtime::Uptime",
           "200 application/json; charset=utf8 {\n  \"beans\" : [ {\n"
           "    \"name\" : \"java.lang:type=Runtime\",\n");
    begins(state, "/jmx?qry=bogus", "200 application/json; charset=utf8 { }");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(metrics, set_up, tear_down),
        cmocka_unit_test_setup_teardown(metrics_that_are_not_known_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(beans, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
