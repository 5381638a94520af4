/* SPDX-License-Identifier: Apache-2.0 */
/* rm_health_facts.c - test: checks that need no file: clock, notify command, slow starts, crashes */
#include "tests/unit/store/store_support.h"

#include "rm/net/health/health.h"

struct world {
    struct arena *arena;
    struct free_space space; /* nothing is measured */
    struct master_node_faults nodes;
    struct master_stopped_queues stopped;
    struct health_facts facts;
};

static int set_up(void **state)
{
    struct world *world = mem_new0(struct world);

    world->arena = arena_new();
    world->facts = (struct health_facts){ .space = &world->space,
                                          .nodes = &world->nodes,
                                          .stopped = &world->stopped,
                                          .history_problem = "",
                                          .backups.directory = "" };
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    arena_free(world->arena);
    free(world);
    return 0;
}

/* Returns the check NAME of the present facts. */
static const Creel__HealthCheck *check(struct world *world, const char *name)
{
    Creel__ClusterInfo info = CREEL__CLUSTER_INFO__INIT;

    health_fill(&world->facts, world->arena, &info);
    for (size_t i = 0; i < info.n_checks; i++)
        if (strcmp(info.checks[i]->name, name) == 0)
            return info.checks[i];
    fail_msg("there is no check %s", name);
    return NULL;
}

static void expect_ok(struct world *world, const char *name)
{
    assert_int_equal(check(world, name)->result, CREEL__HEALTH_RESULT__HEALTH_OK);
    assert_string_equal(check(world, name)->remedy, "");
}

static void expect_warning(struct world *world, const char *name, const char *part)
{
    assert_int_equal(check(world, name)->result, CREEL__HEALTH_RESULT__HEALTH_WARNING);
    assert_contains(check(world, name)->text, part);
    assert_string_not_equal(check(world, name)->remedy, "");
}

static void a_clock_that_was_set(void **state)
{
    struct world *world = *state;

    world->facts.now_ms = NOW_MS;
    world->facts.clock_limit_ms = 10000;
    world->facts.wall_ms = NOW_MS + 10000;
    expect_ok(world, "clock");
    world->facts.wall_ms = NOW_MS + 7200000;
    expect_warning(world, "clock", "was set forward while it runs: by 2h");
    world->facts.wall_ms = NOW_MS - 86400000;
    expect_warning(world, "clock", "was set back while it runs: by 1d");
    assert_contains(check(world, "clock")->remedy, "timedatectl");
}

static void own_key_files_that_are_gone(void **state)
{
    struct world *world = *state;

    expect_ok(world, "keys");
    world->facts.key_directory = "/srv/keys";
    world->facts.key_problem = "certificate rm_secret is missing";
    world->facts.key_problem_ms = NOW_MS;
    assert_int_equal(check(world, "keys")->result, CREEL__HEALTH_RESULT__HEALTH_FAILED);
    assert_contains(check(world, "keys")->text, "rm_secret is missing");
    assert_int_equal(check(world, "keys")->since_ms, NOW_MS);
    assert_contains(check(world, "keys")->remedy,
                    "tar -xpf FILE -C /srv/keys --strip-components=1 keys/rm keys/rm_secret");
}

static void a_notify_command_that_fails(void **state)
{
    struct world *world = *state;
    struct notifier_state *notify = &world->facts.notify;

    expect_ok(world, "notify");
    notify->command = "/usr/local/bin/note";
    expect_ok(world, "notify");
    notify->problem = "exit status 3";
    notify->failing_ms = NOW_MS;
    expect_warning(world, "notify",
                   "command /usr/local/bin/note fails, and events of jobs are lost: exit status 3");
    notify->problem = NULL;
    notify->dropped = 7;
    notify->dropped_ms = world->facts.wall_ms = NOW_MS;
    expect_warning(world, "notify", "7 events of jobs were lost since the start, the last at 2023");
    world->facts.wall_ms += HEALTH_DROPPED_MS + 1;
    expect_ok(world, "notify");
    notify->waiting = 5;
    notify->running_for_ms = HEALTH_NOTIFY_MS;
    expect_ok(world, "notify");
    notify->running_for_ms++;
    expect_warning(world, "notify",
                   "5 events of jobs wait: the notify command /usr/local/bin/note has run for 30 s");
}

static void starts_that_take_long(void **state)
{
    struct world *world = *state;

    world->nodes.starting = 1;
    world->nodes.starting_text = "c1 on n1";
    expect_warning(world, "slow-starts", "1 container has been starting for long: c1");
}

static void nodes_on_which_containers_fail(void **state)
{
    struct world *world = *state;

    expect_ok(world, "failing-nodes");
    world->nodes.failing = 1;
    world->nodes.failing_text = "n1 (8 of the last 10)";
    expect_warning(world, "failing-nodes",
                   "on 1 node most containers fail soon after their start: n1 (8 of the last 10)");
}

static void a_creel_web_that_is_silent(void **state)
{
    struct world *world = *state;

    expect_ok(world, "web");
    world->nodes.web_services = 2;
    expect_ok(world, "web");
    world->nodes.web_silent = 1;
    world->nodes.web_silent_text = "creel-web at rm:8090 for 5m";
    expect_warning(world, "web", "not heard of: creel-web at rm:8090 for 5m");
    assert_contains(check(world, "web")->remedy, "systemctl status creel-web");
}

static void a_fault_of_most_nodes(void **state)
{
    struct world *world = *state;

    expect_ok(world, "common-fault");
    world->nodes.common = 87;
    world->nodes.common_text = "87 of 90 nodes: unhealthy: /shared does not answer (as on n1:8041)";
    expect_warning(world, "common-fault", "87 of 90 nodes: unhealthy: /shared does not answer");
    world->nodes.common_everywhere = true;
    assert_int_equal(check(world, "common-fault")->result, CREEL__HEALTH_RESULT__HEALTH_FAILED);
}

static void nodes_that_flap(void **state)
{
    struct world *world = *state;

    expect_ok(world, "flapping-nodes");
    world->nodes.flapping = 2;
    world->nodes.flapping_text = "n1 (silent 3 times); n2 (silent 4 times)";
    expect_warning(world, "flapping-nodes", "2 nodes become silent again and again: n1 (silent 3 times); n2");
}

static void a_resource_manager_that_ends_again_and_again_is_a_failure(void **state)
{
    struct world *world = *state;

    expect_ok(world, "crashes");
    world->facts.crashes = 38;
    assert_int_equal(check(world, "crashes")->result, CREEL__HEALTH_RESULT__HEALTH_FAILED);
    assert_non_null(strstr(check(world, "crashes")->text, "has ended 38 times in the last hour"));
}

static void agents_that_end_again_and_again(void **state)
{
    struct world *world = *state;

    expect_ok(world, "agent-crashes");
    world->nodes.crashing = 2;
    world->nodes.crashing_text = "n1:8041 (5 times in the last hour); n2:8041 (3 times in the last hour)";
    expect_warning(world, "agent-crashes",
                   "the agents of 2 nodes end again and again without being stopped: n1:8041 (5 times");
}

/* Without `lock` the state is written. Without `head` it is not: STORE_ERROR has that. */
static void a_guard_that_cannot_be_made_again(void **state)
{
    struct world *world = *state;

    world->facts.guard_fault = "/s/lock: cannot write: No space left on device";
    expect_warning(world, "state-store",
                   "the state is written, but the file that marks its directory as used was removed and "
                   "cannot be made again: /s/lock: cannot write: No space left on device");
    assert_contains(check(world, "state-store")->remedy, "make room");
    assert_contains(check(world, "state-store")->remedy, "move away what is in place of its file");
    world->facts.guard_fault = NULL;
    expect_ok(world, "state-store");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_clock_that_was_set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(own_key_files_that_are_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_notify_command_that_fails, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nodes_that_flap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(starts_that_take_long, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_guard_that_cannot_be_made_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(agents_that_end_again_and_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nodes_on_which_containers_fail, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_creel_web_that_is_silent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_fault_of_most_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_resource_manager_that_ends_again_and_again_is_a_failure, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
