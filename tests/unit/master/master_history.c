/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_history.c - test: an RM that lost its state, and agents that know a newer state
 *
 * Such an agent is listed but not registered, and gets no orders, until an operator accepts the loss. Its AMs
 * are not ordered to exit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

static uint8_t store_id[16] = "store", start_id[16] = "start";
static enum master_seen verdict;

static void history(void *context, Creel__History *ret)
{
    (void)context;
    creel__history__init(ret);
    ret->store_id = (ProtobufCBinaryData){ sizeof(store_id), store_id };
    ret->start_id = (ProtobufCBinaryData){ sizeof(start_id), start_id };
    ret->commit = 5;
}

static enum master_seen judge(void *context, const Creel__History *seen)
{
    (void)context;
    assert_int_equal(seen->commit, 77);
    return verdict;
}

static int set_up(void **state)
{
    static struct harness h;

    harness_init(&h);
    h.config.history = history;
    h.config.judge_history = judge;
    harness_start(&h);
    *state = &h;
    return 0;
}

static int tear_down(void **state)
{
    harness_done(*state);
    return 0;
}

static const Creel__RegisterNodeReply *register_agent(struct harness *h)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__ContainerStatus status = CREEL__CONTAINER_STATUS__INIT, *list[] = { &status };
    Creel__Resource total = CREEL__RESOURCE__INIT;
    Creel__History seen;

    history(NULL, &seen);
    seen.commit = 77;
    seen.last_app = 40;
    total.memory_mb = 4096;
    total.vcores = 8;
    status.container_id = (char[]){ "container_1700000000000_0009_01_000001" };
    status.state = CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    body.node_id = (char[]){ "n1:8041" };
    body.total = &total;
    body.incarnation = 1;
    body.history = &seen;
    body.warning = (char[]){ "offers too much" };
    body.containers = list;
    body.n_containers = 1;
    envelope->register_node = &body;
    return harness_ask(h, MASTER_AGENT, 5, "n1", envelope)->register_node_reply;
}

static const Creel__NodeReport *only_node(struct harness *h)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_LIST_NODES);
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;
    const Creel__NodeList *list;

    envelope->list_nodes = &body;
    list = harness_ask(h, MASTER_CLIENT, 9, "ann", envelope)->node_list;
    return list->n_nodes == 1 ? list->nodes[0] : NULL;
}

static uint32_t nodes_waiting(struct harness *h)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    envelope->get_cluster_info = &body;
    return harness_ask(h, MASTER_CLIENT, 9, "ann", envelope)->cluster_info->nodes_waiting;
}

static void a_history_that_is_missing_has_the_agent_wait(void **state)
{
    struct harness *h = *state;
    const Creel__RegisterNodeReply *reply;
    const Creel__NodeReport *node;

    verdict = MASTER_SEEN_NEWER;
    reply = register_agent(h);
    assert_int_equal(reply->action, CREEL__NODE_ACTION__NODE_RESYNC);
    assert_non_null(strstr(reply->diagnostics, "creel admin state accept"));
    assert_int_equal(reply->history->commit, 5);
    assert_null(reply->accepted);
    node = only_node(h);
    assert_string_equal(node->warning, "offers too much");
    assert_int_equal(node->state, CREEL__NODE_STATE__NODE_WAITING);
    assert_int_equal(node->containers, 1);
    assert_non_null(strstr(node->health_report, "commit 77"));
    assert_int_equal(nodes_waiting(h), 1);
    /* As long as the agent repeats its registration. */
    for (int i = 0; i < 5; i++) {
        harness_tick(h, 8000);
        register_agent(h);
    }
    assert_int_equal(only_node(h)->state, CREEL__NODE_STATE__NODE_WAITING);
    harness_tick(h, 20000);
    assert_int_equal(only_node(h)->state, CREEL__NODE_STATE__NODE_LOST);
    assert_int_equal(nodes_waiting(h), 0);
}

/* An agent whose node was lost registers again, has to wait for the operator, and loses contact: the node
 * stays lost. */
static void a_lost_node_may_wait_and_fall_silent(void **state)
{
    struct harness *h = *state;

    verdict = MASTER_SEEN_NEWER;
    for (int i = 0; i < 2; i++) {
        register_agent(h);
        assert_int_equal(only_node(h)->state, CREEL__NODE_STATE__NODE_WAITING);
        harness_tick(h, 20000);
        assert_int_equal(only_node(h)->state, CREEL__NODE_STATE__NODE_LOST);
    }
}

/* Its agent registers again every 10 s at the latest. */
static void a_waiting_node_that_is_not_heard_of_is_silent(void **state)
{
    struct harness *h = *state;

    h->config.node_expiry_ms = 60000;
    harness_restart(h);
    verdict = MASTER_SEEN_NEWER;
    for (int i = 0; i < 3; i++) {
        register_agent(h);
        harness_tick(h, 10500);
        assert_int_equal(only_node(h)->lost_at_ms, 0);
    }
    harness_tick(h, 15000);
    assert_int_equal(only_node(h)->state, CREEL__NODE_STATE__NODE_WAITING);
    assert_int_equal(only_node(h)->lost_at_ms, only_node(h)->last_heartbeat_ms + 60000);
}

static const Creel__AppExplanation *explain(struct harness *h, char *app)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;

    body.app_id = app;
    envelope->explain_app = &body;
    return harness_ask(h, MASTER_CLIENT, 9, "ann", envelope)->app_explanation;
}

static void a_job_on_a_waiting_node_names_the_missing_state(void **state)
{
    struct harness *h = *state;
    const Creel__AppExplanation *why;
    struct fake_agent agent;
    char app[80];

    agent_init(&agent, "n1:8041", 4096, 8);
    agent_register(h, &agent);
    people_submit(h, job_of(CREEL__APP_KIND__APP_COMMAND, 256, 0), "", app, NULL);
    agent_heartbeat(h, &agent);
    harness_restart(h);
    why = explain(h, app);
    assert_non_null(strstr(why->summary, "runs: it waits for node n1:8041"));
    assert_non_null(strstr(why->items[0]->text, "has not registered again yet"));
    assert_int_equal(why->n_advice, 0);
    verdict = MASTER_SEEN_NEWER;
    register_agent(h);
    why = explain(h, app);
    assert_string_equal(why->items[0]->reason_code, "RmRecovering");
    assert_non_null(strstr(why->items[0]->text, "waits for state that the resource manager does not have"));
    assert_non_null(strstr(why->advice[0], "creel cluster health"));
    assert_non_null(strstr(people_show(h, app)->reason, "an administrator has to act"));
    agent_done(&agent);
}

static void numbers_known_to_agents_are_not_assigned(void **state)
{
    struct harness *h = *state;
    char app[80];

    verdict = MASTER_SEEN_NEWER;
    register_agent(h);
    people_submit(h, job_of(CREEL__APP_KIND__APP_COMMAND, 256, 0), "", app, NULL);
    assert_string_equal(app, "application_1700000000000_0041");
}

static void accepted_history_registers(void **state)
{
    struct harness *h = *state;
    const Creel__RegisterNodeReply *reply;

    verdict = MASTER_SEEN_OTHER;
    register_agent(h);
    verdict = MASTER_SEEN_ACCEPTED;
    reply = register_agent(h);
    assert_int_equal(reply->action, CREEL__NODE_ACTION__NODE_NORMAL);
    assert_int_equal(reply->accepted->commit, 77);
    assert_int_equal(only_node(h)->state, CREEL__NODE_STATE__NODE_RUNNING);
    assert_int_equal(nodes_waiting(h), 0);
}

static const Creel__Envelope *ask_am(struct harness *h, const char *attempt)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_REGISTER_AM);
    Creel__RegisterAm body = CREEL__REGISTER_AM__INIT;

    envelope->register_am = &body;
    return harness_ask(h, MASTER_AM, 7, attempt, envelope);
}

/* An AM whose application is older than the new state, or should be in the new state, may be ordered to
 * exit. */
static void a_master_of_a_missing_history_tries_again(void **state)
{
    struct harness *h = *state;

    assert_int_equal(ask_am(h, "appattempt_1700000000000_0009_000001")->error->code,
                     CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    assert_int_equal(ask_am(h, "appattempt_1600000000000_0001_000001")->error->code,
                     CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    master_recover_last_app(h->master, 20);
    assert_int_equal(ask_am(h, "appattempt_1700000000000_0009_000001")->error->code,
                     CREEL__ERROR_CODE__ERROR_BAD_STATE);
}

static void only_administrators_accept(void **state)
{
    struct harness *h = *state;
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_ACCEPT_STATE);
    Creel__AcceptState body = CREEL__ACCEPT_STATE__INIT;

    envelope->accept_state = &body;
    assert_int_equal(harness_ask(h, MASTER_CLIENT, 9, "ann", envelope)->error->code,
                     CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
}

static void nothing_is_accepted_if_no_node_waits(void **state)
{
    struct harness *h = *state;
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_ACCEPT_STATE);
    Creel__AcceptState body = CREEL__ACCEPT_STATE__INIT;
    const Creel__Envelope *reply;

    envelope->accept_state = &body;
    reply = harness_ask(h, MASTER_CLIENT, 9, "root", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
    assert_non_null(strstr(reply->error->message, "no node waits"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_history_that_is_missing_has_the_agent_wait),
        TEST(a_lost_node_may_wait_and_fall_silent),
        TEST(a_job_on_a_waiting_node_names_the_missing_state),
        TEST(numbers_known_to_agents_are_not_assigned),
        TEST(accepted_history_registers),
        TEST(a_master_of_a_missing_history_tries_again),
        TEST(only_administrators_accept),
        TEST(a_waiting_node_that_is_not_heard_of_is_silent),
        TEST(nothing_is_accepted_if_no_node_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
