/* SPDX-License-Identifier: Apache-2.0 */
/* master_drain.c - test: draining nodes: their containers, and applications that wait for such nodes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_drain_fixture.h"

/* --- drain ----------------------------------------------------------------- */

static void draining_node_gets_no_containers_and_finishes_the_running_ones(void **state)
{
    const Creel__NodeReport *report;
    const Creel__AllocateReply *reply;
    struct world w;

    (void)state;
    begin(&w, 2);
    report = done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    assert_int_equal(report->state, STATE(DRAINING));
    assert_string_equal(report->admin_state->by, "admin");
    assert_string_equal(report->admin_state->reason, "disk");
    assert_int_equal(report->admin_state->since_ms, w.h.now);
    assert_int_equal(report->admin_state->deadline_ms, 0);
    assert_false(report->admin_state->leaving);
    assert_int_equal(report->containers, 3);
    reply = am_allocate(&w.h, &w.am, 3, 256, NULL);
    assert_int_equal(reply->n_allocated, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(reply->allocated[i]->node_id, "n2:8041");
    pass(&w, 9);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINING));
    agent_exit(&w.a, w.tasks[0], 0);
    agent_exit(&w.a, w.tasks[1], 3);
    am_finish(&w.h, &w.am, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0);
    beat(&w);
    assert_int_equal(show(&w, "n1")->containers, 1);
    agent_exit(&w.a, w.a.containers[0].id, 0);
    beat(&w);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    assert_int_equal(done(change(&w, "admin", "n1:8041", UNDRAIN, "", UNSAID))->state, STATE(RUNNING));
    assert_null(show(&w, "n1")->admin_state);
    end(&w);
}

static void an_empty_node_is_drained_at_once_and_twice_is_once(void **state)
{
    struct world w;

    (void)state;
    begin(&w, -1);
    assert_int_equal(done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID))->state, STATE(DRAINED));
    assert_int_equal(done(change(&w, "admin", "n1", DRAIN, "", UNSAID))->state, STATE(DRAINED));
    assert_string_equal(show(&w, "n1")->admin_state->reason, "disk");
    done(change(&w, "root", "n1", DRAIN, "fan", 60000));
    assert_string_equal(show(&w, "n1")->admin_state->reason, "fan");
    assert_string_equal(show(&w, "n1")->admin_state->by, "root");
    assert_int_equal(done(change(&w, "admin", "n1", UNDRAIN, "", UNSAID))->state, STATE(RUNNING));
    assert_int_equal(done(change(&w, "admin", "n1", UNDRAIN, "", UNSAID))->state, STATE(RUNNING));
    end(&w);
}

static void containers_get_a_notice_at_the_deadline_and_are_then_stopped(void **state)
{
    const Creel__AllocateReply *reply;
    struct world w;
    int64_t deadline_ms;

    (void)state;
    begin(&w, 2);
    done(change(&w, "admin", "n1", DRAIN, "disk", 3000));
    deadline_ms = w.h.now + 3000;
    pass(&w, 2);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->preempt_notices, 0);
    pass(&w, 2);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->preempt_ms, deadline_ms + 5000);
    assert_int_equal(show(&w, "n1")->admin_state->containers_notified, 3);
    reply = am_allocate(&w.h, &w.am, -1, 0, NULL);
    assert_non_null(reply->preemption);
    assert_int_equal(reply->preemption->n_strict, 3);
    assert_int_equal(reply->preemption->n_negotiable, 0);
    pass(&w, 3);
    assert_int_equal(status_of(&w, 0), 0);
    pass(&w, 3);
    assert_int_equal(status_of(&w, 0), PREEMPTED);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    end(&w);
}

/* Containers were placed on the node, and the AM does not know them yet: they are placed on another node. */
static void containers_unknown_to_their_am_are_placed_again(void **state)
{
    const Creel__AllocateReply *reply;
    struct world w;
    size_t count;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n2", DRAIN, "disk", UNSAID));
    reply = am_allocate(&w.h, &w.am, 2, 256, NULL); /* placed on n1 immediately */
    count = reply->n_allocated;
    done(change(&w, "admin", "n2", UNDRAIN, "", UNSAID));
    done(change(&w, "admin", "n1", DRAIN, "fire", NOW));
    for (int i = 0; i < 3 && count < 2; i++) {
        beat(&w);
        count += am_allocate(&w.h, &w.am, -1, 0, NULL)->n_allocated;
    }
    assert_int_equal(count, 2);
    end(&w);
}

static void kill_now_means_now(void **state)
{
    struct world w;
    int64_t ordered_ms, end_ms;

    (void)state;
    begin(&w, 1);
    w.h.now += 1000;
    done(change(&w, "admin", "n1", DRAIN, "smoke", UNSAID));
    assert_int_equal(show(&w, "n1")->admin_state->end_ms, 0);
    w.h.now += 60000;
    ordered_ms = w.h.now;
    done(change(&w, "admin", "n1", DRAIN, "fire", NOW));
    /* The end counts from this order; a repeated one does not change it. */
    assert_true(show(&w, "n1")->admin_state->end_ms >= ordered_ms + 1000);
    end_ms = show(&w, "n1")->admin_state->end_ms;
    w.h.now += 100;
    done(change(&w, "admin", "n1", DRAIN, "fire", NOW));
    assert_int_equal(show(&w, "n1")->admin_state->end_ms, end_ms);
    agent_listen(&w.h, &w.a);
    assert_int_equal(status_of(&w, 0), ABORTED);
    beat(&w);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    end(&w);
}

/* The attempt's row was not committed yet. Seed 1625 of creel-sim chaos --fair. */
static void a_master_that_is_stopped_before_it_was_started_is_not(void **state)
{
    struct world w;

    (void)state;
    begin(&w, -1);
    w.h.hold_store = true;
    people_submit(&w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 256, 0), "", w.app, NULL);
    harness_commit(&w.h); /* accepted and placed on a node */
    change(&w, "admin", "n1", DRAIN, "fire", NOW);
    change(&w, "admin", "n2", DRAIN, "fire", NOW);
    w.h.hold_store = false;
    harness_commit(&w.h);
    for (int i = 0; i < 3; i++)
        beat(&w);
    assert_int_equal(agent_running(&w.a) + agent_running(&w.b), 0);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    assert_int_equal(show(&w, "n2")->state, STATE(DRAINED));
    done(change(&w, "admin", "n2", UNDRAIN, "", UNSAID));
    agent_heartbeat(&w.h, &w.b);
    assert_int_equal(agent_running(&w.b), 1);
    end(&w);
}

static void a_deadline_is_moved_and_taken_away(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", 3000));
    done(change(&w, "admin", "n1", DRAIN, "", UNSAID));
    assert_int_equal(show(&w, "n1")->admin_state->deadline_ms, w.h.now + 3000);
    done(change(&w, "admin", "n1", DRAIN, "", 9000));
    pass(&w, 5);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->preempt_notices, 0);
    done(change(&w, "admin", "n1", DRAIN, "", FOREVER));
    pass(&w, 12);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->preempt_notices, 0);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINING));
    end(&w);
}

/* A container that got the notice may have begun to exit, so its stop is not withdrawn. The node itself is
 * active again. */
static void notified_container_ends_even_if_the_drain_is_cancelled(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", 1000));
    pass(&w, 2);
    assert_true(agent_find(&w.a, w.tasks[0])->preempt_notices > 0);
    assert_int_equal(done(change(&w, "admin", "n1", UNDRAIN, "", UNSAID))->state, STATE(RUNNING));
    pass(&w, 6);
    assert_int_equal(status_of(&w, 0), PREEMPTED);
    assert_int_equal(show(&w, "n1")->state, STATE(RUNNING));
    end(&w);
}

static void a_restart_of_the_master_keeps_reason_and_deadline(void **state)
{
    const Creel__NodeReport *report;
    struct world w;
    int64_t deadline_ms;

    (void)state;
    begin(&w, 2);
    done(change(&w, "admin", "n1", DRAIN, "disk", 4000));
    deadline_ms = w.h.now + 4000;
    pass(&w, 1);
    harness_restart(&w.h);
    report = show(&w, "n1");
    assert_int_equal(report->state, STATE(DRAINING));
    assert_string_equal(report->admin_state->reason, "disk");
    assert_int_equal(report->admin_state->deadline_ms, deadline_ms);
    pass(&w, 4);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->preempt_ms, deadline_ms + 5000);
    /* A second drain, after the deadline: it does not extend the time. */
    harness_restart(&w.h);
    pass(&w, 2);
    assert_int_equal(agent_find(&w.a, w.tasks[0])->preempt_ms, deadline_ms + 5000);
    pass(&w, 4);
    assert_int_equal(status_of(&w, 0), PREEMPTED);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    harness_restart(&w.h);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    pass(&w, 2);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    done(change(&w, "admin", "n1", UNDRAIN, "", UNSAID));
    harness_restart(&w.h);
    pass(&w, 2);
    assert_int_equal(show(&w, "n1")->state, STATE(RUNNING));
    end(&w);
}

static void restarted_agent_continues_its_drain(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    w.a.incarnation++;
    agent_register(&w.h, &w.a);
    beat(&w);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINING));
    assert_int_equal(show(&w, "n1")->containers, 2);
    end(&w);
}

static void lost_node_that_returns_is_still_drained(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    for (int i = 0; i < 15; i++) {
        harness_tick(&w.h, 1000);
        agent_heartbeat(&w.h, &w.b);
    }
    assert_int_equal(show(&w, "n1")->state, STATE(LOST));
    assert_string_equal(show(&w, "n1")->admin_state->reason, "disk");
    agent_register(&w.h, &w.a);
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINING));
    pass(&w, 2); /* containers left on the node are stopped */
    assert_int_equal(show(&w, "n1")->state, STATE(DRAINED));
    assert_int_equal(agent_running(&w.a), 0);
    end(&w);
}

static void cluster_shrinks_as_containers_end(void **state)
{
    Creel__Envelope *envelope;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;
    const Creel__Envelope *reply;
    struct world w;

    (void)state;
    begin(&w, 2);
    done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    envelope->get_cluster_info = &body;
    reply = harness_ask(&w.h, MASTER_CLIENT, 1000, "ann", envelope);
    assert_int_equal(reply->cluster_info->total->memory_mb, 4096 + 3 * 256);
    assert_int_equal(reply->cluster_info->nodes_draining, 1);
    assert_int_equal(reply->cluster_info->nodes_running, 1);
    agent_exit(&w.a, w.tasks[0], 0);
    beat(&w);
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    envelope->get_cluster_info = &body;
    reply = harness_ask(&w.h, MASTER_CLIENT, 1000, "ann", envelope);
    assert_int_equal(reply->cluster_info->total->memory_mb, 4096 + 2 * 256);
    assert_int_equal(show(&w, "n1")->total->memory_mb, 4096);
    end(&w);
}

/* --- applications that wait ------------------------------------------------ */

static uint64_t ask_wait(struct world *w, uint64_t version, uint32_t wait_ms, const Creel__Envelope **reply)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_WAIT_NODES);
    Creel__WaitNodes body = CREEL__WAIT_NODES__INIT;
    uint64_t request_id = envelope->request_id;

    body.known_version = version;
    body.wait_ms = wait_ms;
    envelope->wait_nodes = &body;
    *reply = harness_ask(&w->h, MASTER_CLIENT, 2000, "ann", envelope);
    return request_id;
}

static void waiting_client_gets_each_change(void **state)
{
    const Creel__Envelope *reply;
    struct world w;
    uint64_t version, request_id;

    (void)state;
    begin(&w, 1);
    ask_wait(&w, 0, 5000, &reply);
    assert_int_equal(reply->node_list->n_nodes, 0);
    version = reply->node_list->version;
    request_id = ask_wait(&w, version, 60000, &reply);
    assert_null(reply);
    done(change(&w, "admin", "n1", DRAIN, "disk", UNSAID));
    reply = harness_find_reply(&w.h, 2000, request_id);
    assert_non_null(reply);
    assert_int_equal(reply->node_list->n_nodes, 1);
    version = reply->node_list->version;
    request_id = ask_wait(&w, version, 60000, &reply);
    assert_null(reply);
    agent_exit(&w.a, w.tasks[0], 0);
    beat(&w);
    reply = harness_find_reply(&w.h, 2000, request_id);
    assert_non_null(reply);
    assert_int_equal(reply->node_list->nodes[0]->containers, 1);
    version = reply->node_list->version;
    request_id = ask_wait(&w, version, 3000, &reply);
    assert_null(reply);
    harness_tick(&w.h, 3001);
    assert_non_null(harness_find_reply(&w.h, 2000, request_id));
    end(&w);
}

static const Creel__AppExplanation *why(struct world *w, const char *app_id)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;

    body.app_id = (char *)(uintptr_t)app_id;
    envelope->explain_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope)->app_explanation;
}

/* Returns the sentence of the explanation about nodes. */
static const Creel__WhyItem *nodes_of(const Creel__AppExplanation *explanation)
{
    const Creel__WhyItem *item = explanation->items[explanation->n_items - 1];

    assert_string_equal(item->reason_code, "Nodes");
    return item;
}

static void waiting_client_gets_nodes_without_containers(void **state)
{
    const Creel__AppExplanation *explanation;
    const Creel__WhyItem *nodes;
    struct world w;
    char app[80];

    (void)state;
    begin(&w, 2);
    done(change(&w, "admin", "n2", DRAIN, "new disk", UNSAID));
    people_submit(&w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 4096, 0), "second", app, NULL);
    explanation = why(&w, app);
    nodes = nodes_of(explanation);
    assert_string_equal(nodes->text, "0 of 2 have room; 1 lacks memory; 1 is drained (n2 \"new disk\"), "
                                     "large enough");
    assert_int_equal(nodes->n_passed_over, 2);
    assert_string_equal(nodes->passed_over[1]->reason, "Drained");
    assert_int_equal(nodes->passed_over[1]->fitting, 1);
    assert_non_null(strstr(explanation->advice[0], "creel node undrain n2:8041"));
    w.a.unhealthy = true;
    beat(&w);
    explanation = why(&w, app);
    assert_string_equal(explanation->items[0]->reason_code, "NoNodes");
    assert_non_null(strstr(nodes_of(explanation)->text, "1 is unhealthy (n1"));
    assert_non_null(strstr(nodes_of(explanation)->text, "1 is drained (n2 \"new disk\")"));
    end(&w);
}

/* The request is too large for all active nodes, but not for the draining node, so the application is not
 * failed. */
static void a_large_node_that_is_drained_is_not_forgotten(void **state)
{
    const Creel__AppExplanation *explanation;
    struct fake_agent large;
    struct world w;
    char app[80];

    (void)state;
    begin(&w, 1);
    agent_init(&large, "n3:8041", 8192, 8);
    agent_register(&w.h, &large);
    done(change(&w, "admin", "n3", DRAIN, "new disk", UNSAID));
    people_submit(&w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 8192, 0), "second", app, NULL);
    explanation = why(&w, app);
    assert_string_equal(explanation->items[0]->reason_code, "NoNodes");
    assert_string_equal(explanation->app->reason_code, "NoNodes");
    assert_non_null(strstr(explanation->advice[0], "n3 would be large enough and was drained by admin"));
    for (size_t i = 0; i < explanation->n_advice; i++)
        assert_null(strstr(explanation->advice[i], "never run"));
    agent_done(&large);
    end(&w);
}

static void the_end_is_that_of_the_containers(void **state)
{
    struct world w;
    int64_t stop_ms;

    (void)state;
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", 1000));
    pass(&w, 2);
    stop_ms = agent_find(&w.a, w.tasks[0])->preempt_ms;
    assert_true(stop_ms > w.h.now);
    /* Its notice is not changed by the new deadline. */
    done(change(&w, "admin", "n1", DRAIN, "", FOREVER));
    assert_true(show(&w, "n1")->admin_state->end_ms >= stop_ms);
    done(change(&w, "admin", "n1", DRAIN, "", 3600000));
    assert_true(show(&w, "n1")->admin_state->deadline_ms > w.h.now);
    end(&w);
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", 2000));
    harness_tick(&w.h, 1000);
    w.h.now += 9000; /* the resource manager is away */
    harness_restart(&w.h);
    agent_register(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    stop_ms = agent_find(&w.a, w.tasks[0])->preempt_ms;
    assert_true(stop_ms > w.h.now);
    assert_true(show(&w, "n1")->admin_state->end_ms >= stop_ms);
    end(&w);
    begin(&w, 1);
    agent_find(&w.a, w.tasks[0])->stuck = "process 7 (cp) is in state D";
    pass(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", 3600000));
    assert_int_equal(show(&w, "n1")->containers_stuck, 1);
    assert_int_not_equal(show(&w, "n1")->admin_state->end_ms, 0); /* of the others */
    w.a.containers[0].stuck = "process 8 (cp) is in state D";
    pass(&w, 1);
    assert_int_equal(show(&w, "n1")->admin_state->end_ms, 0); /* none can end */
    end(&w);
    begin(&w, 1);
    done(change(&w, "admin", "n1", DRAIN, "disk", 3600000));
    done(change(&w, "admin", "n1", DRAIN, "fire", NOW));
    assert_int_equal(show(&w, "n1")->admin_state->deadline_ms, 0); /* no notice is given */
    harness_tick(&w.h, 5000);                                      /* the agent is away */
    assert_true(show(&w, "n1")->admin_state->end_ms >= w.h.now);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draining_node_gets_no_containers_and_finishes_the_running_ones),
        cmocka_unit_test(an_empty_node_is_drained_at_once_and_twice_is_once),
        cmocka_unit_test(containers_get_a_notice_at_the_deadline_and_are_then_stopped),
        cmocka_unit_test(containers_unknown_to_their_am_are_placed_again),
        cmocka_unit_test(kill_now_means_now),
        cmocka_unit_test(the_end_is_that_of_the_containers),
        cmocka_unit_test(a_master_that_is_stopped_before_it_was_started_is_not),
        cmocka_unit_test(a_deadline_is_moved_and_taken_away),
        cmocka_unit_test(notified_container_ends_even_if_the_drain_is_cancelled),
        cmocka_unit_test(a_restart_of_the_master_keeps_reason_and_deadline),
        cmocka_unit_test(restarted_agent_continues_its_drain),
        cmocka_unit_test(lost_node_that_returns_is_still_drained),
        cmocka_unit_test(cluster_shrinks_as_containers_end),
        cmocka_unit_test(waiting_client_gets_each_change),
        cmocka_unit_test(waiting_client_gets_nodes_without_containers),
        cmocka_unit_test(a_large_node_that_is_drained_is_not_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
