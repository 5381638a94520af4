/* SPDX-License-Identifier: Apache-2.0 */
/* yarn_view.c - test: creel's records as YARN shows them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/arena.h"
#include "yarn/app.h"
#include "yarn/container.h"
#include "yarn/node.h"
#include "yarn/queue.h"
#include "yarn/resource.h"

/* --- names ------------------------------------------------------------------- */

static void states_of_applications_are_read_as_they_are_written(void **state)
{
    char text[256] = "";
    Creel__AppState read;

    (void)state;
    for (Creel__AppState app = CREEL__APP_STATE__APP_NEW; app <= CREEL__APP_STATE__APP_KILLED; app++) {
        size_t length = strlen(text);

        assert_true(yarn_app_state_parse(yarn_app_state(app), &read));
        assert_int_equal(read, app);
        snprintf(text + length, sizeof(text) - length, "%s%s", length > 0 ? ", " : "", yarn_app_state(app));
    }
    assert_string_equal(text, YARN_APP_STATES);
    assert_true(yarn_app_state_parse("new_saving", &read));
    assert_int_equal(read, CREEL__APP_STATE__APP_NEW_SAVING);
    assert_false(yarn_app_state_parse("STATE_ANY", &read));
    assert_false(yarn_app_state_parse("", &read));
    assert_string_equal(yarn_app_state(CREEL__APP_STATE__APP_STATE_ANY), "UNKNOWN");
}

static void final_statuses_are_read_as_they_are_written(void **state)
{
    char text[128] = "";
    Creel__FinalStatus read;

    (void)state;
    for (Creel__FinalStatus status = CREEL__FINAL_STATUS__FINAL_UNDEFINED;
         status <= CREEL__FINAL_STATUS__FINAL_KILLED; status++) {
        size_t length = strlen(text);

        assert_true(yarn_final_status_parse(yarn_final_status(status), &read));
        assert_int_equal(read, status);
        snprintf(text + length, sizeof(text) - length, "%s%s", length > 0 ? ", " : "",
                 yarn_final_status(status));
    }
    assert_string_equal(text, YARN_FINAL_STATUSES);
    assert_false(yarn_final_status_parse("ENDED", &read));
}

static void a_kill_request_shows_until_the_application_has_ended(void **state)
{
    (void)state;
    assert_string_equal(yarn_app_inner_state(CREEL__APP_STATE__APP_RUNNING, false), "RUNNING");
    assert_string_equal(yarn_app_inner_state(CREEL__APP_STATE__APP_RUNNING, true), "KILLING");
    assert_string_equal(yarn_app_inner_state(CREEL__APP_STATE__APP_FINISHED, true), "FINISHED");
}

static void attempts_have_states_of_application_and_first_container(void **state)
{
    static const struct {
        Creel__AppState app;
        bool is_last;
        Creel__ContainerState master;
        const char *name;
    } rows[] = {
        { CREEL__APP_STATE__APP_RUNNING, false, CREEL__CONTAINER_STATE__CONTAINER_COMPLETE, "FAILED" },
        { CREEL__APP_STATE__APP_SUBMITTED, true, CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN, "NEW" },
        { CREEL__APP_STATE__APP_ACCEPTED, true, CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN, "SCHEDULED" },
        { CREEL__APP_STATE__APP_ACCEPTED, true, CREEL__CONTAINER_STATE__CONTAINER_ALLOCATED, "ALLOCATED" },
        { CREEL__APP_STATE__APP_ACCEPTED, true, CREEL__CONTAINER_STATE__CONTAINER_STARTING, "LAUNCHED" },
        { CREEL__APP_STATE__APP_RUNNING, true, CREEL__CONTAINER_STATE__CONTAINER_RUNNING, "RUNNING" },
        { CREEL__APP_STATE__APP_KILLED, true, CREEL__CONTAINER_STATE__CONTAINER_COMPLETE, "KILLED" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_string_equal(yarn_attempt_state(rows[i].app, rows[i].is_last, rows[i].master), rows[i].name);
}

static void each_state_of_a_node_has_a_name_of_yarn(void **state)
{
    static const char *const names[][2] = {
        [CREEL__NODE_STATE__NODE_RUNNING] = { "RUNNING", "RUNNING" },
        [CREEL__NODE_STATE__NODE_UNHEALTHY] = { "UNHEALTHY", "UNHEALTHY" },
        [CREEL__NODE_STATE__NODE_DECOMMISSIONING] = { "DECOMMISSIONING", "DECOMMISSIONING" },
        [CREEL__NODE_STATE__NODE_DECOMMISSIONED] = { "DECOMMISSIONED", "DECOMMISSIONED" },
        [CREEL__NODE_STATE__NODE_LOST] = { "LOST", "LOST" },
        [CREEL__NODE_STATE__NODE_REBOOTED] = { "REBOOTED", "REBOOTED" },
        [CREEL__NODE_STATE__NODE_SHUT_DOWN] = { "SHUTDOWN", "SHUTDOWN" },
        [CREEL__NODE_STATE__NODE_DRAINING] = { "DRAINING", "DECOMMISSIONING" },
        [CREEL__NODE_STATE__NODE_DRAINED] = { "DRAINED", "DECOMMISSIONING" },
        [CREEL__NODE_STATE__NODE_WAITING] = { "WAITING", "NEW" },
    };
    Creel__NodeState read;

    (void)state;
    for (Creel__NodeState node = CREEL__NODE_STATE__NODE_RUNNING; node <= CREEL__NODE_STATE__NODE_WAITING;
         node++) {
        assert_string_equal(node_state_name(node), names[node][0]);
        assert_true(node_state_parse(names[node][0], &read));
        assert_int_equal(read, node);
        assert_string_equal(yarn_node_state(node), names[node][1]);
        assert_non_null(strstr(YARN_NODE_STATES, names[node][1]));
        assert_true((yarn_node_states_parse(names[node][1]) & 1u << node) != 0);
    }
    assert_int_equal(yarn_node_states_parse("shutdown"), 1u << CREEL__NODE_STATE__NODE_SHUT_DOWN);
    assert_int_equal(yarn_node_states_parse("DRAINED"), 0);
    assert_false(node_state_parse("NEW", &read));
    assert_string_equal(node_state_name(CREEL__NODE_STATE__NODE_STATE_ANY), "UNKNOWN");
}

static void containers_have_names_of_both_managers(void **state)
{
    Creel__AgentContainer container = CREEL__AGENT_CONTAINER__INIT;
    static const char *const names[] = { "NEW",     "LOCALIZING",          "SCHEDULED", "RUNNING",
                                         "KILLING", "EXITED_WITH_SUCCESS", "DONE" };

    (void)state;
    assert_string_equal(container_state_name(CREEL__CONTAINER_STATE__CONTAINER_STARTING), "STARTING");
    assert_string_equal(yarn_container_state(CREEL__CONTAINER_STATE__CONTAINER_STARTING), "NEW");
    assert_string_equal(yarn_container_state(CREEL__CONTAINER_STATE__CONTAINER_STOPPING), "RUNNING");
    assert_string_equal(yarn_container_state(CREEL__CONTAINER_STATE__CONTAINER_COMPLETE), "COMPLETE");
    for (unsigned phase = 0; phase < sizeof(names) / sizeof(*names); phase++) {
        container.phase = (Creel__AgentPhase)phase;
        assert_string_equal(yarn_agent_container_state(&container), names[phase]);
    }
    container.phase = CREEL__AGENT_PHASE__AGENT_PHASE_ENDED;
    container.exit_status = 3;
    assert_string_equal(yarn_agent_container_state(&container), "EXITED_WITH_FAILURE");
}

static void applications_on_a_node_have_names_of_the_node_manager(void **state)
{
    static const char *const names[] = {
        "NEW",      "INITING", "RUNNING", "FINISHING_CONTAINERS_WAIT", "APPLICATION_RESOURCES_CLEANINGUP",
        "FINISHED",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_true(yarn_is_agent_app_state(names[i]));
    assert_string_equal(yarn_agent_app_state(false, true, false), "INITING");
    assert_string_equal(yarn_agent_app_state(false, true, true), "RUNNING");
    assert_string_equal(yarn_agent_app_state(true, true, true), "FINISHING_CONTAINERS_WAIT");
    assert_string_equal(yarn_agent_app_state(true, false, true), "APPLICATION_RESOURCES_CLEANINGUP");
    assert_false(yarn_is_agent_app_state("KILLED"));
    assert_false(yarn_is_agent_app_state(""));
}

/* --- values ------------------------------------------------------------------ */

static void an_ended_application_has_nothing(void **state)
{
    Creel__AppReport app = CREEL__APP_REPORT__INIT;
    Creel__Resource allocated = CREEL__RESOURCE__INIT, reserved = CREEL__RESOURCE__INIT;
    struct yarn_app_held held;

    (void)state;
    allocated.memory_mb = 512;
    allocated.vcores = 2;
    reserved.memory_mb = 256;
    reserved.vcores = 1;
    app.allocated = &allocated;
    app.reserved = &reserved;
    app.running_containers = 3;
    app.started_ms = 7;
    app.state = CREEL__APP_STATE__APP_RUNNING;
    held = yarn_app_held(&app);
    assert_memory_equal(&held, &((struct yarn_app_held){ 512, 2, 256, 1, 3 }), sizeof(held));
    assert_true(yarn_app_memory_percent(&app, 2048) == 25.0f);
    assert_true(yarn_app_memory_percent(&app, 0) == 0.0f);
    assert_true(yarn_app_progress(app.state, 0.5) == 0.5);
    assert_string_equal(yarn_app_tracking_ui(&app), "UNASSIGNED");
    assert_false(yarn_app_has_tracking_url(&app));
    app.registered = true;
    assert_string_equal(yarn_app_tracking_ui(&app), "ApplicationMaster");
    assert_true(yarn_app_has_tracking_url(&app));
    assert_int_equal(yarn_app_launched_ms(&app), 7);
    app.unmanaged = true;
    assert_int_equal(yarn_app_launched_ms(&app), -1);
    app.state = CREEL__APP_STATE__APP_FAILED;
    app.registered = false;
    held = yarn_app_held(&app);
    assert_memory_equal(&held, &((struct yarn_app_held){ -1, -1, -1, -1, -1 }), sizeof(held));
    assert_true(yarn_app_memory_percent(&app, 2048) == 0.0f);
    assert_true(yarn_app_progress(app.state, 0.5) == 1);
    assert_string_equal(yarn_app_tracking_ui(&app), "History");
    assert_true(yarn_app_has_tracking_url(&app));
}

static void times_are_never_below_zero(void **state)
{
    (void)state;
    assert_int_equal(yarn_elapsed_ms(100, 0, 350), 250);
    assert_int_equal(yarn_elapsed_ms(100, 300, 350), 200);
    assert_int_equal(yarn_elapsed_ms(100, 0, 50), 0);
    assert_int_equal(yarn_app_remaining_s(0, 1000), -1);
    assert_int_equal(yarn_app_remaining_s(4999, 1000), 3);
    assert_int_equal(yarn_app_remaining_s(1000, 1001), 0);
    assert_string_equal(yarn_or_not_available(""), "N/A");
    assert_string_equal(yarn_or_not_available("n1"), "n1");
}

static void nodes_are_counted_by_yarns_states(void **state)
{
    Creel__ClusterInfo cluster = CREEL__CLUSTER_INFO__INIT;
    struct yarn_node_counts counts;

    (void)state;
    cluster.nodes_running = 1;
    cluster.nodes_unhealthy = 2;
    cluster.nodes_lost = 4;
    cluster.nodes_decommissioning = 8;
    cluster.nodes_draining = 16;
    cluster.nodes_drained = 32;
    cluster.nodes_decommissioned = 64;
    cluster.nodes_shut_down = 128;
    cluster.nodes_waiting = 256;
    counts = yarn_node_counts(&cluster);
    assert_memory_equal(&counts, &((struct yarn_node_counts){ 255, 1, 2, 4, 56, 64, 0, 128 }),
                        sizeof(counts));
}

static void a_node_that_is_not_measured_shows_its_containers(void **state)
{
    Creel__NodeReport node = CREEL__NODE_REPORT__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;

    (void)state;
    assert_int_equal(yarn_node_used_mb(3u << 20, 1u << 20), 3);
    assert_int_equal(yarn_node_used_mb(0, 1u << 20), 1);
    assert_true(yarn_node_memory_percent(&node) == 0.0f);
    assert_true(yarn_node_cpu_percent(&node) == 0.0f);
    total.memory_mb = 8;
    total.vcores = 4;
    node.total = &total;
    node.used_memory_bytes = 2u << 20;
    node.node_cpu_millicores = 1000;
    assert_true(yarn_node_memory_percent(&node) == 25.0f);
    assert_true(yarn_node_cpu_percent(&node) == 25.0f);
    assert_true(yarn_cores(1500) == 1.5);
}

static void a_container_has_no_exit_status_before_its_end(void **state)
{
    Creel__ContainerReport container = CREEL__CONTAINER_REPORT__INIT;

    (void)state;
    container.exit_status = -1000;
    container.state = CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    assert_int_equal(yarn_container_exit_status(&container), 0);
    container.state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    assert_int_equal(yarn_container_exit_status(&container), -1000);
}

static void limits_without_end_are_yarns_number(void **state)
{
    (void)state;
    assert_int_equal(yarn_running_limit(-1), 0);
    assert_int_equal(yarn_running_limit(0), INT32_MAX);
    assert_int_equal(yarn_running_limit(7), 7);
}

static void sums_have_the_types_of_both_resources(void **state)
{
    struct arena *arena = arena_new();
    Creel__NamedAmount gpu = CREEL__NAMED_AMOUNT__INIT, *others[] = { &gpu };
    Creel__Resource one = CREEL__RESOURCE__INIT, other = CREEL__RESOURCE__INIT;
    const Creel__Resource *result;

    (void)state;
    gpu.name = (char[]){ "gpu" };
    gpu.amount = 2;
    one.memory_mb = 5;
    one.vcores = 3;
    other.memory_mb = 1;
    other.vcores = 1;
    other.others = others;
    other.n_others = 1;
    result = yarn_sum(arena, &one, &other);
    assert_int_equal(yarn_amount(result, "memory-mb"), 6);
    assert_int_equal(yarn_amount(result, "vcores"), 4);
    assert_int_equal(yarn_amount(result, "gpu"), 2);
    result = yarn_difference(arena, &one, &other);
    assert_int_equal(yarn_memory_mb(result), 4);
    assert_int_equal(yarn_vcores(result), 2);
    assert_int_equal(yarn_amount(result, "gpu"), -2);
    assert_int_equal(yarn_amount(NULL, "memory-mb"), 0);
    assert_int_equal(yarn_amount(NULL, "gpu"), 0);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_of_applications_are_read_as_they_are_written),
        cmocka_unit_test(final_statuses_are_read_as_they_are_written),
        cmocka_unit_test(a_kill_request_shows_until_the_application_has_ended),
        cmocka_unit_test(attempts_have_states_of_application_and_first_container),
        cmocka_unit_test(each_state_of_a_node_has_a_name_of_yarn),
        cmocka_unit_test(containers_have_names_of_both_managers),
        cmocka_unit_test(applications_on_a_node_have_names_of_the_node_manager),
        cmocka_unit_test(an_ended_application_has_nothing),
        cmocka_unit_test(times_are_never_below_zero),
        cmocka_unit_test(nodes_are_counted_by_yarns_states),
        cmocka_unit_test(a_node_that_is_not_measured_shows_its_containers),
        cmocka_unit_test(a_container_has_no_exit_status_before_its_end),
        cmocka_unit_test(limits_without_end_are_yarns_number),
        cmocka_unit_test(sums_have_the_types_of_both_resources),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
