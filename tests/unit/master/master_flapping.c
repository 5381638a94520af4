/* SPDX-License-Identifier: Apache-2.0 */
/* master_flapping.c - test: nodes that become silent again and again are counted and named */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "rm/master/nodes/flapping.h"
#include "tests/unit/master/master_harness.h"

#define SILENT_MS 13000

struct scene {
    struct harness h;
    struct fake_agent agents[2];
    uint32_t flapping;
    char *text; /* owned */
};

static void take_health(void *context, struct arena *arena, const struct master_node_faults *faults,
                        const struct master_stopped_queues *stopped, Creel__ClusterInfo *info)
{
    struct scene *scene = context;

    (void)stopped;
    (void)arena;
    (void)info;
    free(scene->text);
    scene->flapping = faults->flapping;
    scene->text = mem_strdup(faults->flapping_text);
}

static const Creel__ClusterInfo *look(struct scene *scene)
{
    Creel__Envelope *envelope = harness_envelope(&scene->h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    envelope->get_cluster_info = &body;
    return harness_ask(&scene->h, MASTER_CLIENT, 1000, "ann", envelope)->cluster_info;
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    harness_init(&scene->h);
    scene->h.config.health = take_health;
    scene->h.config.context = scene;
    scene->h.config.admin_users = "root";
    scene->h.config.node_expiry_ms = 600000;
    harness_start(&scene->h);
    for (int i = 0; i < 2; i++) {
        agent_init(&scene->agents[i], i == 0 ? "n0:8041" : "n1:8041", 4096, 8);
        agent_register(&scene->h, &scene->agents[i]);
    }
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    for (int i = 0; i < 2; i++)
        agent_done(&scene->agents[i]);
    harness_done(&scene->h);
    free(scene->text);
    free(scene);
    return 0;
}

/* Lets MS pass; only the agents from FIRST on send heartbeats. */
static void pass_time(struct scene *scene, int first, int64_t ms)
{
    for (int64_t passed = 0; passed < ms; passed += 1000) {
        harness_tick(&scene->h, 1000);
        for (int i = first; i < 2; i++)
            agent_heartbeat(&scene->h, &scene->agents[i]);
    }
}

/* The first node is silent for some seconds, and heard of again. */
static void flap(struct scene *scene)
{
    pass_time(scene, 1, SILENT_MS);
    pass_time(scene, 0, 3000);
}

static void a_node_that_is_silent_three_times_is_named_until_it_is_heard_of(void **state)
{
    struct scene *scene = *state;

    flap(scene);
    flap(scene);
    assert_int_equal(look(scene)->counters->node_silences, 2);
    assert_int_equal(scene->flapping, 0);
    assert_string_equal(scene->text, "");
    flap(scene);
    assert_int_equal(look(scene)->counters->node_silences, 3);
    assert_int_equal(scene->flapping, 1);
    assert_string_equal(scene->text, "n0:8041 (silent 3 times)");
    pass_time(scene, 0, FLAPPING_MS);
    assert_int_equal(look(scene)->counters->node_silences, 3);
    assert_int_equal(scene->flapping, 0);
    flap(scene);
    look(scene);
    assert_int_equal(scene->flapping, 0);
}

/* As in an upgrade: each node is silent once. */
static void nodes_that_are_silent_once_do_not_flap(void **state)
{
    struct scene *scene = *state;

    for (int i = 0; i < 2; i++) {
        pass_time(scene, 2, SILENT_MS);
        pass_time(scene, 0, FLAPPING_MS);
    }
    assert_int_equal(look(scene)->counters->node_silences, 4);
    assert_int_equal(scene->flapping, 0);
}

static void a_node_that_is_lost_does_not_flap(void **state)
{
    struct scene *scene = *state;

    for (int i = 0; i < FLAPPING_SILENCES; i++)
        flap(scene);
    look(scene);
    assert_int_equal(scene->flapping, 1);
    pass_time(scene, 1, scene->h.config.node_expiry_ms + 1000);
    look(scene);
    assert_int_equal(scene->flapping, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_node_that_is_silent_three_times_is_named_until_it_is_heard_of),
        TEST(nodes_that_are_silent_once_do_not_flap),
        TEST(a_node_that_is_lost_does_not_flap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
