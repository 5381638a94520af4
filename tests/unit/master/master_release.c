/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_release.c - test: registrations of agents with other versions of the protocol
 *
 * The resource manager of the harness has the release "test" and the versions 2 to 3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

static int set_up(void **state)
{
    static struct harness h;

    harness_init(&h);
    harness_start(&h);
    *state = &h;
    return 0;
}

static int tear_down(void **state)
{
    harness_done(*state);
    return 0;
}

/* An agent with versions OLDEST to NEWEST registers. */
static const Creel__RegisterNodeReply *registers(struct harness *h, uint32_t oldest, uint32_t newest)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    const Creel__Envelope *answer;

    total.memory_mb = 1024;
    total.vcores = 4;
    body.node_id = body.address = (char[]){ "n1:8041" };
    body.total = &total;
    body.incarnation = 1;
    body.agent_key = (char[]){ "key" };
    body.version = (char[]){ "0.9" };
    body.protocol_oldest = oldest;
    body.protocol_newest = newest;
    envelope->register_node = &body;
    answer = harness_ask(h, MASTER_AGENT, 100, "n1", envelope);
    assert_non_null(answer);
    assert_int_equal(answer->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY);
    return answer->register_node_reply;
}

static void the_reply_has_release_and_versions(void **state)
{
    const Creel__RegisterNodeReply *reply = registers(*state, 1, 2);

    assert_int_equal(reply->action, CREEL__NODE_ACTION__NODE_NORMAL);
    assert_string_equal(reply->version, "test");
    assert_int_equal(reply->protocol_oldest, 2);
    assert_int_equal(reply->protocol_newest, 3);
}

static void an_agent_that_sends_no_versions_is_registered(void **state)
{
    assert_int_equal(registers(*state, 0, 0)->action, CREEL__NODE_ACTION__NODE_NORMAL);
}

static void an_agent_without_a_common_version_is_not_registered(void **state)
{
    const Creel__RegisterNodeReply *reply = registers(*state, 4, 5);

    assert_int_equal(reply->action, CREEL__NODE_ACTION__NODE_RESYNC);
    assert_string_equal(reply->diagnostics,
                        "agent and resource manager have no protocol version in common: creel-nm 0.9 "
                        "has 4 to 5, creel-rm test has 2 to 3; update creel-rm");
    assert_int_equal(reply->protocol_newest, 3);
    assert_int_equal(reply->session, 0);
    assert_int_equal(registers(*state, 3, 5)->action, CREEL__NODE_ACTION__NODE_NORMAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_reply_has_release_and_versions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_agent_that_sends_no_versions_is_registered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_agent_without_a_common_version_is_not_registered, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
