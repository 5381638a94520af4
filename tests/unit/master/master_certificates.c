/* SPDX-License-Identifier: Apache-2.0 */
/* master_certificates.c - test: what a certificate of an agent may register */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "tests/unit/master/master_harness.h"

static void begin(struct harness *h)
{
    harness_init(h);
    h->config.nodes_per_certificate = 1;
    h->config.node_maximum = resource_of(1 << 20, 256);
    harness_start(h);
}

static const Creel__Envelope *register_as(struct harness *h, const char *certificate, const char *node_id,
                                          int64_t memory_mb)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;

    total.memory_mb = memory_mb;
    total.vcores = 4;
    body.node_id = body.address = (char *)(uintptr_t)node_id;
    body.agent_key = (char *)(uintptr_t) "key";
    body.total = &total;
    body.protocol_oldest = 2;
    body.protocol_newest = 3;
    body.incarnation = 1;
    envelope->register_node = &body;
    return harness_ask(h, MASTER_AGENT, 77, certificate, envelope);
}

/* Returns the text with which the registration is refused; NULL: it is accepted. */
static const char *refusal(struct harness *h, const char *certificate, const char *node_id, int64_t memory_mb)
{
    const Creel__Envelope *answer = register_as(h, certificate, node_id, memory_mb);

    if (answer->body_case == CREEL__ENVELOPE__BODY_ERROR)
        return answer->error->message;
    return answer->register_node_reply->action == CREEL__NODE_ACTION__NODE_NORMAL
               ? NULL
               : answer->register_node_reply->diagnostics;
}

static void expect_refusal(const char *text, const char *part)
{
    assert_non_null(text);
    if (strstr(text, part) == NULL)
        fail_msg("expected '%s' in: %s", part, text);
}

/* The first node of a certificate stays. The next one is accepted when the first has been silent for a
 * moment, as after a change of the agent's port. */
static void a_certificate_registers_one_node_at_a_time(void **state)
{
    const char *text;
    struct harness h;

    (void)state;
    begin(&h);
    assert_null(refusal(&h, "h1", "h1:8041", 4096));
    text = refusal(&h, "h1", "h1:8042", 4096);
    expect_refusal(text, "agents/h1 is in use by node h1:8041");
    expect_refusal(text, "creel.resourcemanager.nodes-per-certificate");
    assert_null(refusal(&h, "h1", "h1:8041", 4096)); /* the same agent again */
    harness_tick(&h, 11000);
    assert_null(refusal(&h, "h1", "h1:8042", 4096));
    expect_refusal(refusal(&h, "h1", "h1:8041", 4096), "in use by node h1:8042");
    harness_done(&h);
}

static void the_shared_certificate_registers_any_number_of_nodes(void **state)
{
    struct harness h;

    (void)state;
    begin(&h);
    assert_null(refusal(&h, "default", "h2:8041", 4096));
    assert_null(refusal(&h, "default", "h2:8042", 4096));
    assert_null(refusal(&h, "default", "h3:8041", 4096));
    harness_done(&h);
}

static void a_node_of_an_impossible_size_is_refused_by_name(void **state)
{
    const char *text;
    struct harness h;

    (void)state;
    begin(&h);
    text = refusal(&h, "h1", "h1:8041", (1 << 20) + 1);
    expect_refusal(text, "h1:8041");
    expect_refusal(text, "creel.resourcemanager.node-maximum-mb");
    assert_null(refusal(&h, "h1", "h1:8041", 1 << 20));
    harness_done(&h);
}

/* The check refused-agents reports the first case, and not the second. */
static void a_retired_node_is_refused_as_retired(void **state)
{
    const struct master_host h1 = { .name = "h1" };
    const struct master_hosts hosts = { .exclude = &h1, .exclude_count = 1 };
    const Creel__RegisterNodeReply *reply;
    struct harness h;

    (void)state;
    begin(&h);
    reply = register_as(&h, "h1", "h1:8041", (1 << 20) + 1)->register_node_reply;
    assert_int_equal(reply->action, CREEL__NODE_ACTION__NODE_SHUTDOWN);
    assert_false(reply->retired);
    h.hosts = &hosts;
    harness_restart(&h);
    reply = register_as(&h, "h1", "h1:8041", (1 << 20) + 1)->register_node_reply;
    assert_int_equal(reply->action, CREEL__NODE_ACTION__NODE_SHUTDOWN);
    assert_true(reply->retired);
    expect_refusal(reply->diagnostics, "yarn.resourcemanager.nodes.exclude-path");
    assert_null(refusal(&h, "h2", "h2:8041", 1024));
    harness_done(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_certificate_registers_one_node_at_a_time),
        cmocka_unit_test(the_shared_certificate_registers_any_number_of_nodes),
        cmocka_unit_test(a_node_of_an_impossible_size_is_refused_by_name),
        cmocka_unit_test(a_retired_node_is_refused_as_retired),
    };

    return cmocka_run_group_tests_name("master_certificates", tests, NULL, NULL);
}
