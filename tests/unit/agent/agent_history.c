/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_history.c - test: the agent and a resource manager that has lost its state
 *
 * An agent remembers the state that its RM had. If an RM has another or an older state, it cannot end the
 * agent's containers until that RM shows that an operator accepted the loss.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/agent/agent_fixture.h"

static uint8_t ids[4][16] = { "store one", "store two", "start one", "start two" };

static Creel__History history_of(int store, int start, uint32_t epoch, uint64_t commit)
{
    Creel__History history = CREEL__HISTORY__INIT;

    history.store_id = (ProtobufCBinaryData){ 16, ids[store] };
    history.start_id = (ProtobufCBinaryData){ 16, ids[2 + start] };
    history.epoch = epoch;
    history.commit = commit;
    return history;
}

/* The RM answers the next registration request. */
static void answer(struct fixture *f, Creel__NodeAction action, Creel__History now, Creel__History *accepted)
{
    Creel__RegisterNodeReply body = CREEL__REGISTER_NODE_REPLY__INIT;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    const Creel__Envelope *sent;

    fixture_step(f);
    sent = fixture_next_send(f);
    assert_int_equal(sent->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    body.session = SESSION + sent->request_id;
    body.action = action;
    body.diagnostics = (char[]){ "why" };
    body.heartbeat_interval_ms = 1000;
    body.history = &now;
    body.accepted = accepted;
    envelope.request_id = sent->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY;
    envelope.register_node_reply = &body;
    fixture_step(f);
    agent_on_message(f->agent, f->now, &envelope, &f->effects);
}

static bool registered(const struct fixture *f)
{
    return agent_summarise(f->agent).registered;
}

/* Registers the agent at an RM in the first start of store one and runs one container; then the RM
 * requests a new registration. */
static void begin(struct fixture *f)
{
    const Creel__Envelope *beat;

    fixture_start(f);
    answer(f, CREEL__NODE_ACTION__NODE_NORMAL, history_of(0, 0, 3, 100), NULL);
    assert_true(registered(f));
    assert_int_equal(fixture_count(f, AGENT_KEEP_HISTORY), 1);
    fixture_status(f, CONTAINER(0), true);
    fixture_run(f, CONTAINER(1), 100);
    fixture_step(f);
    beat = fixture_next_send(f);
    fixture_reply_heartbeat(f, beat->request_id, 0, CREEL__NODE_ACTION__NODE_RESYNC);
    assert_false(registered(f));
}

static void waits(struct fixture *f)
{
    assert_false(registered(f));
    assert_true(agent_summarise(f->agent).waiting);
    assert_int_equal(fixture_count(f, AGENT_STOP), 0);
    assert_int_equal(fixture_count(f, AGENT_SHUTDOWN), 0);
    assert_int_equal(agent_container_state(f->agent, CONTAINER(1)),
                     CREEL__CONTAINER_STATE__CONTAINER_RUNNING);
}

static void newest_commit_seen_is_reported(void **state)
{
    const Creel__History *history;
    struct fixture *f = *state;

    begin(f);
    fixture_step(f);
    history = fixture_next_send(f)->register_node->history;
    assert_non_null(history);
    assert_int_equal(history->commit, 100);
    assert_int_equal(history->epoch, 3);
    assert_memory_equal(history->store_id.data, ids[0], 16);
}

static void continued_state_is_accepted(void **state)
{
    begin(*state);
    answer(*state, CREEL__NODE_ACTION__NODE_NORMAL, history_of(0, 1, 4, 101), NULL);
    assert_true(registered(*state));
}

static void an_older_state_is_not_followed(void **state)
{
    begin(*state);
    answer(*state, CREEL__NODE_ACTION__NODE_NORMAL, history_of(0, 0, 3, 99), NULL);
    waits(*state);
    answer(*state, CREEL__NODE_ACTION__NODE_NORMAL, history_of(0, 1, 3, 200), NULL);
    waits(*state);
    answer(*state, CREEL__NODE_ACTION__NODE_NORMAL, history_of(0, 1, 4, 99), NULL);
    waits(*state);
    /* Then the RM with the correct state returns. */
    answer(*state, CREEL__NODE_ACTION__NODE_NORMAL, history_of(0, 1, 4, 103), NULL);
    assert_true(registered(*state));
    assert_false(agent_summarise(((struct fixture *)*state)->agent).waiting);
}

static void another_state_may_not_even_refuse_the_node(void **state)
{
    begin(*state);
    answer(*state, CREEL__NODE_ACTION__NODE_SHUTDOWN, history_of(1, 1, 0, 3), NULL);
    waits(*state);
}

static void agent_waits_for_an_rm_that_expects_a_newer_state(void **state)
{
    begin(*state);
    answer(*state, CREEL__NODE_ACTION__NODE_RESYNC, history_of(0, 1, 5, 300), NULL);
    waits(*state);
}

static void loss_accepted_by_an_operator_is_accepted(void **state)
{
    Creel__History other = history_of(1, 0, 3, 100), ours = history_of(0, 0, 3, 100);
    struct fixture *f = *state;

    begin(f);
    answer(f, CREEL__NODE_ACTION__NODE_NORMAL, history_of(1, 1, 0, 3), &other);
    waits(f);
    answer(f, CREEL__NODE_ACTION__NODE_NORMAL, history_of(1, 1, 0, 3), &ours);
    assert_true(registered(f));
    assert_int_equal(fixture_count(f, AGENT_KEEP_HISTORY), 1);
}

static void an_earlier_rm_is_followed(void **state)
{
    struct fixture *f = *state;

    begin(f);
    fixture_step(f);
    fixture_reply_register(f, fixture_next_send(f)->request_id, 99, CREEL__NODE_ACTION__NODE_NORMAL, "");
    assert_true(registered(f));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(newest_commit_seen_is_reported),
        TEST(continued_state_is_accepted),
        TEST(an_older_state_is_not_followed),
        TEST(another_state_may_not_even_refuse_the_node),
        TEST(agent_waits_for_an_rm_that_expects_a_newer_state),
        TEST(loss_accepted_by_an_operator_is_accepted),
        TEST(an_earlier_rm_is_followed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
