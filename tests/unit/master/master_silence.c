/* SPDX-License-Identifier: Apache-2.0 */
/* master_silence.c - test: nodes whose agents have missed several heartbeats are reported as silent */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

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

/* A restart of the resource manager neither ends the silence of a node nor puts off its loss. */
static void a_restart_does_not_end_the_silence(void **state)
{
    int64_t last_ms;
    struct world w;

    (void)state;
    begin(&w);
    last_ms = show(&w, 0)->last_heartbeat_ms;
    for (int64_t passed_ms = 12000; passed_ms < EXPIRY_MS; passed_ms += 12000) {
        pass_time(&w, 1, 12000);
        harness_restart(&w.h);
        assert_int_equal(cluster(&w)->nodes_silent, 1);
        assert_string_equal(cluster(&w)->silent_node, "n0:8041");
        assert_int_equal(cluster(&w)->oldest_heartbeat_ms, last_ms);
        for (int i = 1; i < 3; i++)
            agent_register(&w.h, &w.agents[i]);
        assert_int_equal(cluster(&w)->nodes_silent, 1);
    }
    assert_int_equal(show(&w, 0)->state, CREEL__NODE_STATE__NODE_RUNNING);
    pass_time(&w, 1, 26000);
    assert_int_equal(show(&w, 0)->state, CREEL__NODE_STATE__NODE_LOST);
    harness_restart(&w.h);
    assert_int_equal(cluster(&w)->nodes_silent, 0);
    end(&w);
}

/* A node that has come back before the restart was heard of then. */
static void a_silence_that_has_ended_is_forgotten(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    pass_time(&w, 1, 12000);
    harness_restart(&w.h);
    agent_register(&w.h, &w.agents[0]);
    assert_int_equal(cluster(&w)->nodes_silent, 0);
    harness_restart(&w.h);
    assert_int_equal(cluster(&w)->nodes_silent, 0);
    pass_time(&w, 1, 12000);
    agent_heartbeat(&w.h, &w.agents[0]);
    harness_restart(&w.h);
    assert_int_equal(cluster(&w)->nodes_silent, 0);
    end(&w);
}

/* The agent of a silent node may have come back while no resource manager ran. */
static void a_silent_node_is_not_lost_right_after_a_long_stop(void **state)
{
    const Creel__NodeReport *node;
    struct world w;

    (void)state;
    begin(&w);
    pass_time(&w, 1, 12000);
    w.h.now += 10 * EXPIRY_MS;
    harness_restart(&w.h);
    node = show(&w, 0);
    assert_int_equal(node->state, CREEL__NODE_STATE__NODE_RUNNING);
    assert_int_equal(node->lost_at_ms, w.h.now + 25000);
    agent_register(&w.h, &w.agents[0]);
    assert_int_equal(cluster(&w)->nodes_silent, 0);
    assert_int_equal(show(&w, 0)->state, CREEL__NODE_STATE__NODE_RUNNING);
    end(&w);
}

/* The time of the last contact follows a clock that was set while no resource manager ran. */
static void a_clock_that_was_set_changes_no_silence(void **state)
{
    static const int64_t sets_ms[] = { 7200000, -7200000 };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct world w;
        int64_t last_ms;

        begin(&w);
        pass_time(&w, 1, 12000);
        last_ms = show(&w, 0)->last_heartbeat_ms;
        w.h.now += sets_ms[i];
        w.h.config.clock_set_ms = sets_ms[i];
        harness_restart(&w.h);
        assert_int_equal(cluster(&w)->nodes_silent, 1);
        assert_int_equal(show(&w, 0)->last_heartbeat_ms, last_ms + sets_ms[i]);
        assert_int_equal(show(&w, 0)->lost_at_ms, last_ms + sets_ms[i] + EXPIRY_MS);
        w.h.config.clock_set_ms = 0;
        w.h.now += 1000;
        harness_restart(&w.h);
        assert_int_equal(show(&w, 0)->last_heartbeat_ms, last_ms + sets_ms[i]);
        assert_int_equal(show(&w, 0)->lost_at_ms, last_ms + sets_ms[i] + EXPIRY_MS);
        end(&w);
    }
}

/* After a boot it is not known by how much the clock was set: a contact in the future counts as now. */
static void a_last_contact_in_the_future_is_now(void **state)
{
    struct world w;
    int64_t start_ms;

    (void)state;
    begin(&w);
    pass_time(&w, 1, 12000);
    w.h.now -= 7200000;
    start_ms = w.h.now;
    for (int start = 0; start < 2; start++) {
        harness_restart(&w.h);
        assert_int_equal(show(&w, 0)->last_heartbeat_ms, start_ms);
        assert_int_equal(show(&w, 0)->lost_at_ms, start_ms + EXPIRY_MS);
        w.h.now += 1000;
    }
    end(&w);
}

static const Creel__NodeList *list(struct world *w)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_NODES);
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;

    envelope->list_nodes = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope)->node_list;
}

static const Creel__AppExplanation *why(struct world *w, const char *id)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;

    body.app_id = (char *)(uintptr_t)id;
    envelope->explain_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope)->app_explanation;
}

static void on_expected(void *context, const char *node_id)
{
    assert_string_equal(node_id, "n0:8041");
    ++*(unsigned *)context;
}

/* A node with containers that does not register after a restart is silent since the start, then lost. */
static void a_node_that_does_not_come_back_after_a_restart_is_silent(void **state)
{
    const Creel__AppReport *app;
    const Creel__NodeReport *node;
    unsigned expected = 0;
    struct world w;
    char id[80];

    (void)state;
    begin(&w);
    pass_time(&w, 3, 12000);
    agent_heartbeat(&w.h, &w.agents[0]);
    people_submit(&w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0), "", id, NULL);
    for (int i = 0; i < 3; i++) {
        agent_heartbeat(&w.h, &w.agents[0]);
        agent_listen(&w.h, &w.agents[0]);
    }
    assert_string_equal(people_show(&w.h, id)->master_node_id, "n0:8041");
    harness_restart(&w.h);
    agent_register(&w.h, &w.agents[1]);
    agent_register(&w.h, &w.agents[2]);
    master_each_expected_node(w.h.master, on_expected, &expected);
    assert_int_equal(expected, 1);
    assert_int_equal(list(&w)->n_nodes, 2);
    pass_time(&w, 1, 12000);
    assert_int_equal(list(&w)->n_nodes, 3);
    assert_int_equal(cluster(&w)->nodes_silent, 1);
    assert_string_equal(cluster(&w)->silent_node, "n0:8041");
    node = show(&w, 0);
    assert_int_equal(node->state, CREEL__NODE_STATE__NODE_RUNNING);
    assert_int_equal(node->lost_at_ms, node->last_heartbeat_ms + EXPIRY_MS);
    assert_int_equal(node->containers, 1);
    app = people_show(&w.h, id);
    assert_non_null(strstr(app->silent_nodes, "node n0:8041, where it has containers, is silent for 12"));
    assert_string_equal(why(&w, id)->items[0]->reason_code, "SilentNode");
    assert_null(strstr(why(&w, id)->summary, "nothing"));
    pass_time(&w, 1, EXPIRY_MS);
    assert_int_equal(show(&w, 0)->state, CREEL__NODE_STATE__NODE_LOST);
    assert_int_equal(cluster(&w)->nodes_silent, 0);
    agent_register(&w.h, &w.agents[0]);
    assert_int_equal(show(&w, 0)->state, CREEL__NODE_STATE__NODE_RUNNING);
    end(&w);
}

/* So is a node without containers: the row of its registration names it. */
static void a_registered_node_without_containers_is_expected_after_a_restart(void **state)
{
    unsigned expected = 0;
    struct world w;

    (void)state;
    begin(&w);
    harness_restart(&w.h);
    agent_register(&w.h, &w.agents[1]);
    agent_register(&w.h, &w.agents[2]);
    master_each_expected_node(w.h.master, on_expected, &expected);
    assert_int_equal(expected, 1);
    pass_time(&w, 1, 12000);
    assert_int_equal(cluster(&w)->nodes_silent, 1);
    assert_string_equal(cluster(&w)->silent_node, "n0:8041");
    assert_int_equal(show(&w, 0)->state, CREEL__NODE_STATE__NODE_RUNNING);
    pass_time(&w, 1, EXPIRY_MS);
    assert_int_equal(show(&w, 0)->state, CREEL__NODE_STATE__NODE_LOST);
    assert_int_equal(list(&w)->n_nodes, 3);
    end(&w);
}

static void a_lost_node_is_not_expected_after_a_restart_until_it_registers(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    pass_time(&w, 1, EXPIRY_MS + 1000);
    assert_int_equal(show(&w, 0)->state, CREEL__NODE_STATE__NODE_LOST);
    harness_restart(&w.h);
    pass_time(&w, 3, 12000);
    assert_int_equal(cluster(&w)->nodes_silent, 2);
    agent_register(&w.h, &w.agents[0]);
    harness_restart(&w.h);
    pass_time(&w, 3, 12000);
    assert_int_equal(cluster(&w)->nodes_silent, 3);
    end(&w);
}

/* A registration that changes nothing writes no row. */
static void the_row_of_a_node_is_written_once(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    assert_int_equal(w.h.disk_count, 3);
    w.h.hold_store = true;
    agent_register(&w.h, &w.agents[0]);
    harness_restart(&w.h);
    for (int i = 0; i < 3; i++)
        agent_register(&w.h, &w.agents[i]);
    assert_int_equal(w.h.waiting_count, 0);
    end(&w);
}

/* The reason of an application whose first container has not started is in the list, too. */
static void an_application_whose_first_container_is_on_a_silent_node_has_that_reason(void **state)
{
    struct world w;
    char id[80];

    (void)state;
    begin(&w);
    pass_time(&w, 3, 12000);
    agent_heartbeat(&w.h, &w.agents[0]);
    people_submit(&w.h, job_of(CREEL__APP_KIND__APP_MASTER, 512, 0), "", id, NULL);
    agent_heartbeat(&w.h, &w.agents[0]);
    pass_time(&w, 1, 12000);
    assert_int_equal(people_show(&w.h, id)->state, CREEL__APP_STATE__APP_ACCEPTED);
    assert_string_equal(people_show(&w.h, id)->reason_code, "SilentNode");
    assert_string_equal(people_show(&w.h, id)->reason_short, "n0:8041");
    end(&w);
}

static const Creel__TestAppReply *test_only(struct world *w)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_TEST_APP);
    Creel__TestApp body = CREEL__TEST_APP__INIT;

    body.job = job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0);
    envelope->test_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope)->test_app_reply;
}

/* why and --test-only agree about a cluster whose nodes are all silent. */
static void nodes_that_are_all_silent_have_no_room(void **state)
{
    const Creel__AppExplanation *explained;
    const Creel__TestAppReply *test;
    bool named = false, advised = false;
    struct world w;
    char id[80];

    (void)state;
    begin(&w);
    pass_time(&w, 3, 12000);
    people_submit(&w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0), "", id, NULL);
    explained = why(&w, id);
    for (size_t i = 0; i < explained->n_items; i++)
        named = named || strstr(explained->items[i]->text,
                                "0 of 3 have room; 3 are silent (n0, n1, n2), large enough") != NULL;
    assert_true(named);
    for (size_t i = 0; i < explained->n_advice; i++)
        advised = advised || strstr(explained->advice[i], "n0 would be large enough when its agent is heard");
    assert_true(advised);
    test = test_only(&w);
    assert_int_equal(test->nodes_with_room, 0);
    assert_string_equal(test->reason_code, "NoNodes");
    assert_string_equal(test->reason, "no node in service could run it, and 3 out of service could, of which "
                                      "3 are silent (creel node list)");
    agent_heartbeat(&w.h, &w.agents[1]);
    assert_string_equal(test_only(&w)->reason_code, "");
    end(&w);
}

/* The agent reports that it starts the container, and no more. */
static void a_start_that_takes_long_has_its_age(void **state)
{
    struct world w;
    char id[80];

    (void)state;
    begin(&w);
    people_submit(&w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0), "", id, NULL);
    for (int i = 0; i < 3; i++) {
        agent_listen(&w.h, &w.agents[i]);
        if (w.agents[i].count > 0)
            w.agents[i].containers[0].state = CREEL__CONTAINER_STATE__CONTAINER_STARTING;
    }
    pass_time(&w, 0, 10000);
    assert_null(strstr(why(&w, id)->summary, "starting"));
    pass_time(&w, 0, 98000);
    assert_non_null(strstr(why(&w, id)->summary, ", and has been starting for 1"));
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_that_is_not_heard_of_is_silent_then_lost),
        cmocka_unit_test(one_heartbeat_ends_the_silence),
        cmocka_unit_test(a_silent_node_gets_no_containers),
        cmocka_unit_test(a_restart_does_not_end_the_silence),
        cmocka_unit_test(a_silence_that_has_ended_is_forgotten),
        cmocka_unit_test(a_silent_node_is_not_lost_right_after_a_long_stop),
        cmocka_unit_test(a_clock_that_was_set_changes_no_silence),
        cmocka_unit_test(a_last_contact_in_the_future_is_now),
        cmocka_unit_test(a_node_that_does_not_come_back_after_a_restart_is_silent),
        cmocka_unit_test(a_registered_node_without_containers_is_expected_after_a_restart),
        cmocka_unit_test(a_lost_node_is_not_expected_after_a_restart_until_it_registers),
        cmocka_unit_test(the_row_of_a_node_is_written_once),
        cmocka_unit_test(a_start_that_takes_long_has_its_age),
        cmocka_unit_test(nodes_that_are_all_silent_have_no_room),
        cmocka_unit_test(an_application_whose_first_container_is_on_a_silent_node_has_that_reason),
    };

    return cmocka_run_group_tests_name("master_silence", tests, NULL, NULL);
}
