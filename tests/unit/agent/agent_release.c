/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_release.c - test: the agent and resource managers with other versions of the protocol
 *
 * The agent of the fixture has release 0.1.0 and the versions 1 to 2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/agent/agent_fixture.h"

/* The resource manager, with versions OLDEST to NEWEST, answers the next registration request. */
static void answer(struct fixture *f, Creel__NodeAction action, uint32_t oldest, uint32_t newest)
{
    Creel__RegisterNodeReply body = CREEL__REGISTER_NODE_REPLY__INIT;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    const Creel__Envelope *sent;

    fixture_step(f);
    sent = fixture_next_send(f);
    assert_int_equal(sent->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    assert_int_equal(sent->register_node->protocol_oldest, 1);
    assert_int_equal(sent->register_node->protocol_newest, 2);
    body.session = SESSION + sent->request_id;
    body.action = action;
    body.heartbeat_interval_ms = 1000;
    body.version = (char[]){ "9.8.0" };
    body.protocol_oldest = oldest;
    body.protocol_newest = newest;
    envelope.request_id = sent->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY;
    envelope.register_node_reply = &body;
    fixture_step(f);
    agent_on_message(f->agent, f->now, &envelope, &f->effects);
}

static bool has_note(const struct fixture *f, const char *part)
{
    for (size_t i = 0; i < f->effects.count; i++) {
        if (f->effects.items[i].kind == AGENT_NOTE && strstr(f->effects.items[i].text, part) != NULL)
            return true;
    }
    return false;
}

static void both_releases_are_logged(void **state)
{
    struct fixture *f = *state;

    fixture_start(f);
    answer(f, CREEL__NODE_ACTION__NODE_NORMAL, 2, 3);
    assert_true(agent_summarise(f->agent).registered);
    assert_true(has_note(f, "creel-nm 0.1.0 (protocol 1 to 2), creel-rm 9.8.0 (protocol 2 to 3)"));
    assert_string_equal(agent_summarise(f->agent).rm_version, "9.8.0");
    assert_int_equal(agent_summarise(f->agent).rm_protocol.newest, 3);
    assert_null(agent_summarise(f->agent).mismatch);
}

static void an_rm_that_sends_no_versions_is_accepted(void **state)
{
    struct fixture *f = *state;

    fixture_start(f);
    answer(f, CREEL__NODE_ACTION__NODE_NORMAL, 0, 0);
    assert_true(agent_summarise(f->agent).registered);
}

/* The containers run on, and the agent registers when the resource manager has been updated. */
static void it_is_not_registered_without_a_common_version(void **state)
{
    struct fixture *f = *state;
    const Creel__Envelope *beat;
    static const char text[] =
        "agent and resource manager have no protocol version in common: creel-nm 0.1.0 has 1 "
        "to 2, creel-rm 9.8.0 has 3 to 4; update creel-nm";

    fixture_start(f);
    answer(f, CREEL__NODE_ACTION__NODE_NORMAL, 1, 1);
    fixture_status(f, CONTAINER(0), true);
    fixture_run(f, CONTAINER(1), 100);
    fixture_step(f);
    beat = fixture_next_send(f);
    fixture_reply_heartbeat(f, beat->request_id, 0, CREEL__NODE_ACTION__NODE_RESYNC);

    answer(f, CREEL__NODE_ACTION__NODE_NORMAL, 3, 4);
    assert_false(agent_summarise(f->agent).registered);
    assert_string_equal(agent_summarise(f->agent).mismatch, text);
    assert_true(has_note(f, text));
    assert_int_equal(fixture_count(f, AGENT_STOP), 0);
    assert_int_equal(fixture_count(f, AGENT_SHUTDOWN), 0);
    answer(f, CREEL__NODE_ACTION__NODE_RESYNC, 3, 4);
    assert_false(has_note(f, text)); /* logged once */
    assert_int_equal(agent_container_state(f->agent, CONTAINER(1)),
                     CREEL__CONTAINER_STATE__CONTAINER_RUNNING);

    answer(f, CREEL__NODE_ACTION__NODE_NORMAL, 2, 4);
    assert_true(agent_summarise(f->agent).registered);
    assert_null(agent_summarise(f->agent).mismatch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_releases_are_logged, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(an_rm_that_sends_no_versions_is_accepted, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(it_is_not_registered_without_a_common_version, fixture_set_up,
                                        fixture_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
