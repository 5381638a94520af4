/* SPDX-License-Identifier: Apache-2.0 */
/* master_silence.c - test: nodes whose agents have missed several heartbeats are reported as silent */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master_harness.h"

#define EXPIRY_MS 60000

struct world {
    struct harness h;
    struct fake_agent agents[3];
};

static void begin(struct world *w)
{
    harness_init(&w->h);
    w->h.config.node_expiry_ms = EXPIRY_MS;
    harness_start(&w->h);
    for (int i = 0; i < 3; i++) {
        char id[32];

        snprintf(id, sizeof(id), "n%d:8041", i);
        agent_init(&w->agents[i], id, 4096, 8);
        agent_register(&w->h, &w->agents[i]);
    }
}

static void end(struct world *w)
{
    for (int i = 0; i < 3; i++)
        agent_done(&w->agents[i]);
    harness_done(&w->h);
}

/* Lets MS pass; only the agents from FIRST on send heartbeats. */
static void pass_time(struct world *w, int first, int64_t ms)
{
    for (int64_t passed = 0; passed < ms; passed += 1000) {
        harness_tick(&w->h, 1000);
        for (int i = first; i < 3; i++)
            agent_heartbeat(&w->h, &w->agents[i]);
    }
}

static const Creel__ClusterInfo *cluster(struct world *w)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    envelope->get_cluster_info = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope)->cluster_info;
}

static const Creel__NodeReport *show(struct world *w, int i)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_NODES);
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;

    body.node_id = w->agents[i].node_id;
    envelope->list_nodes = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope)->node_list->nodes[0];
}

static void a_node_that_is_not_heard_of_is_silent_then_lost(void **state)
{
    const Creel__NodeReport *node;
    struct world w;

    (void)state;
    begin(&w);
    pass_time(&w, 1, 8000);
    assert_int_equal(cluster(&w)->nodes_silent, 0);
    pass_time(&w, 1, 4000);
    assert_int_equal(cluster(&w)->nodes_silent, 1);
    assert_string_equal(cluster(&w)->silent_node, "n0:8041");
    node = show(&w, 0);
    assert_int_equal(node->state, CREEL__NODE_STATE__NODE_RUNNING);
    assert_int_equal(node->lost_at_ms, node->last_heartbeat_ms + EXPIRY_MS);
    assert_int_equal(cluster(&w)->oldest_heartbeat_ms, node->last_heartbeat_ms);
    assert_int_equal(show(&w, 1)->lost_at_ms, 0);
    pass_time(&w, 1, EXPIRY_MS);
    assert_int_equal(show(&w, 0)->state, CREEL__NODE_STATE__NODE_LOST);
    assert_int_equal(show(&w, 0)->lost_at_ms, 0);
    assert_int_equal(cluster(&w)->nodes_silent, 0);
    end(&w);
}

static void one_heartbeat_ends_the_silence(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    pass_time(&w, 2, 12000);
    assert_int_equal(cluster(&w)->nodes_silent, 2);
    agent_heartbeat(&w.h, &w.agents[0]);
    assert_int_equal(cluster(&w)->nodes_silent, 1);
    assert_string_equal(cluster(&w)->silent_node, "n1:8041");
    assert_int_equal(show(&w, 0)->lost_at_ms, 0);
    end(&w);
}

static void a_silent_node_gets_no_containers(void **state)
{
    struct world w;
    char id[80];

    (void)state;
    begin(&w);
    pass_time(&w, 2, 12000);
    for (int i = 0; i < 2; i++) {
        people_submit(&w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 4096, 0), "", id, NULL);
        pass_time(&w, 2, 1000);
    }
    assert_int_equal(show(&w, 0)->containers + show(&w, 1)->containers, 0);
    assert_int_equal(show(&w, 2)->containers, 1);
    assert_int_equal(cluster(&w)->total->memory_mb, 3 * 4096);
    agent_heartbeat(&w.h, &w.agents[1]);
    assert_int_equal(show(&w, 1)->containers, 1);
    end(&w);
}

/* A restart of the resource manager is no silence of the agents. */
static void a_restart_begins_anew(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    pass_time(&w, 1, 12000);
    assert_int_equal(cluster(&w)->nodes_silent, 1);
    harness_restart(&w.h);
    assert_int_equal(cluster(&w)->nodes_silent, 0);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_that_is_not_heard_of_is_silent_then_lost),
        cmocka_unit_test(one_heartbeat_ends_the_silence),
        cmocka_unit_test(a_silent_node_gets_no_containers),
        cmocka_unit_test(a_restart_begins_anew),
    };

    return cmocka_run_group_tests_name("master_silence", tests, NULL, NULL);
}
