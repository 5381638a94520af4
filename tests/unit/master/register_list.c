/* SPDX-License-Identifier: Apache-2.0 */
/*
 * register_list.c - test: an agent registers with more containers than a message has room for
 *
 * The cores of the agent and of the resource manager exchange messages, of which some get lost or come twice.
 * The history that the agent sends makes the resource manager report how many containers the agent has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/id.h"
#include "tests/unit/master/master_harness.h"
#include "tests/unit/master/register_agent.h"

#define NODE "n1:8041"
#define CONTAINERS 20000u
#define MESSAGE_MAX ((size_t)1 << 20)
#define CONNECTION 5

struct pair {
    struct harness h;
    enum master_seen verdict;
    struct register_agent *agent;
    unsigned sent;       /* messages of the agent so far */
    unsigned parts;      /* of them RegisterContainers */
    unsigned lose_every; /* this message and its reply are lost in turn; 0: none */
    bool repeat;         /* each part comes twice */
    char diagnostics[300];
};

static void history(void *context, Creel__History *ret)
{
    (void)context;
    register_agent_history(ret);
}

static struct pair pair;

static enum master_seen judge(void *context, const Creel__History *seen)
{
    (void)context;
    (void)seen;
    return pair.verdict;
}

static int set_up(void **state)
{
    memset(&pair, 0, sizeof(pair));
    harness_init(&pair.h);
    pair.h.config.history = history;
    pair.h.config.judge_history = judge;
    harness_start(&pair.h);
    pair.verdict = MASTER_SEEN_OURS;
    *state = &pair;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    register_agent_free(pair.agent);
    harness_done(&pair.h);
    return 0;
}

/* Sends a copy of ENVELOPE to the resource manager. Returns its reply; NULL: none. */
static const Creel__Envelope *deliver(const Creel__Envelope *envelope)
{
    Creel__Envelope *copy = malloc(sizeof(*copy));

    assert_non_null(copy);
    *copy = *envelope;
    return harness_ask(&pair.h, MASTER_AGENT, CONNECTION, "n1", copy);
}

static void receive(const Creel__Envelope *reply)
{
    if (reply != NULL && reply->body_case == CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY)
        snprintf(pair.diagnostics, sizeof(pair.diagnostics), "%s", reply->register_node_reply->diagnostics);
    register_agent_receive(pair.agent, reply);
}

/* Carries the agent's next message to the resource manager, and the reply back. */
static Creel__Envelope__BodyCase exchange(void)
{
    const Creel__Envelope *sent = register_agent_next(pair.agent), *reply;
    Creel__Envelope__BodyCase body;

    body = sent->body_case;
    assert_in_range(creel__envelope__get_packed_size(sent), 1, MESSAGE_MAX);
    pair.sent++;
    pair.parts += body == CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS;
    harness_forget(&pair.h);
    if (pair.lose_every > 0 && pair.sent % pair.lose_every == 0) {
        receive(NULL);
        return body; /* lost */
    }
    reply = deliver(sent);
    if (pair.repeat && body == CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS)
        reply = deliver(sent);
    if (pair.lose_every > 0 && pair.sent % pair.lose_every == 1)
        reply = NULL; /* the reply is lost */
    receive(reply);
    return body;
}

/* Registers the agent with a resource manager that lets it wait, then lets it in. */
static void check_registers(void)
{
    char expected[60];

    pair.verdict = MASTER_SEEN_NEWER;
    for (unsigned i = 0; pair.diagnostics[0] == '\0'; i++) {
        assert_in_range(i, 0, 2000);
        exchange();
    }
    snprintf(expected, sizeof(expected), "keeps its %u containers and waits", CONTAINERS);
    assert_non_null(strstr(pair.diagnostics, expected));
    pair.verdict = MASTER_SEEN_OURS;
    for (unsigned i = 0; !register_agent_is_registered(pair.agent); i++) {
        assert_in_range(i, 0, 2000);
        exchange();
    }
}

/* --- tests ------------------------------------------------------------------- */

static void a_long_list_travels_in_parts(void **state)
{
    unsigned heartbeats = 0;

    (void)state;
    pair.agent = register_agent_new(CONTAINERS);
    check_registers();
    assert_in_range(pair.parts, 10, 60);
    while (heartbeats < 10) /* exchange checks their size */
        heartbeats += exchange() == CREEL__ENVELOPE__BODY_HEARTBEAT;
}

/* Else the agent waits a second or more for each part, as it does if no reply comes. */
static void a_part_follows_the_reply_to_the_last_one_at_once(void **state)
{
    int64_t began_ms;

    (void)state;
    pair.agent = register_agent_new(CONTAINERS);
    began_ms = register_agent_now_ms(pair.agent);
    while (!register_agent_is_registered(pair.agent))
        exchange();
    assert_in_range(pair.parts, 4, 30);
    assert_in_range(register_agent_now_ms(pair.agent) - began_ms, 0, 500);
}

static void messages_may_be_lost_or_come_twice(void **state)
{
    (void)state;
    pair.agent = register_agent_new(CONTAINERS);
    pair.lose_every = 7;
    pair.repeat = true;
    check_registers();
}

static void a_resource_manager_that_restarts_gets_all_parts_again(void **state)
{
    (void)state;
    pair.agent = register_agent_new(CONTAINERS);
    while (pair.parts < 3)
        exchange();
    harness_restart(&pair.h);
    check_registers();
}

static void a_short_list_is_one_message(void **state)
{
    (void)state;
    pair.agent = register_agent_new(3);
    assert_int_equal(exchange(), CREEL__ENVELOPE__BODY_REGISTER_NODE);
    assert_true(register_agent_is_registered(pair.agent));
}

/* --- parts that the test makes ------------------------------------------------- */

/* Sends COUNT containers from number FIRST on, behind AFTER ("": the first ones), as REGISTRATION. */
static const Creel__Envelope *send_part(const char *node_id, const char *principal, uint64_t registration,
                                        const char *after, unsigned first, unsigned count,
                                        const char *diagnostics)
{
    Creel__Envelope *envelope = harness_envelope(&pair.h, CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS);
    Creel__RegisterContainers body = CREEL__REGISTER_CONTAINERS__INIT;
    Creel__ContainerStatus *statuses = calloc(count, sizeof(*statuses));
    Creel__ContainerStatus **list = calloc(count, sizeof(*list));
    char(*ids)[ID_TEXT_MAX] = calloc(count, sizeof(*ids));
    const Creel__Envelope *reply;

    assert_true(statuses != NULL && list != NULL && ids != NULL);
    for (unsigned i = 0; i < count; i++) {
        struct container_id id = { { { CLUSTER_MS, 1 + first + i }, 1 }, 0, 1 };

        creel__container_status__init(&statuses[i]);
        statuses[i].container_id = (char *)(uintptr_t)container_id_format(&id, ids[i]);
        statuses[i].diagnostics = (char *)(uintptr_t)diagnostics;
        list[i] = &statuses[i];
    }
    body.node_id = (char *)(uintptr_t)node_id;
    body.incarnation = 1;
    body.registration = registration;
    body.after = (char *)(uintptr_t)after;
    body.containers = list;
    body.n_containers = count;
    envelope->register_containers = &body;
    harness_forget(&pair.h);
    reply = harness_ask(&pair.h, MASTER_AGENT, CONNECTION, principal, envelope);
    free(statuses);
    free(list);
    free(ids);
    return reply;
}

/* Checks that REPLY asks for the containers behind number LAST (0: for the first ones). */
static void check_asks(const Creel__Envelope *reply, unsigned last)
{
    struct container_id id = { { { CLUSTER_MS, last }, 1 }, 0, 1 };
    char text[ID_TEXT_MAX] = "";

    if (last > 0)
        container_id_format(&id, text);
    assert_non_null(reply);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_REGISTER_CONTAINERS_REPLY);
    assert_string_equal(reply->register_containers_reply->after, text);
    assert_int_equal(reply->register_containers_reply->before, last);
}

static void check_error(const Creel__Envelope *reply, Creel__ErrorCode code)
{
    assert_non_null(reply);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
}

static void a_part_that_continues_nothing_has_no_effect(void **state)
{
    char third[ID_TEXT_MAX];
    struct container_id id = { { { CLUSTER_MS, 3 }, 1 }, 0, 1 };

    (void)state;
    container_id_format(&id, third);
    check_asks(send_part(NODE, "n1", 7, third, 3, 2, ""), 0); /* its first part did not come */
    check_asks(send_part(NODE, "n1", 7, "", 0, 3, ""), 3);
    check_asks(send_part(NODE, "n1", 7, "", 0, 3, ""), 3); /* repeated */
    check_asks(send_part(NODE, "n1", 7, third, 3, 2, ""), 5);
    check_asks(send_part(NODE, "n1", 7, third, 3, 2, ""), 5);      /* repeated */
    assert_null(send_part(NODE, "n1", 6, "", 0, 3, ""));           /* late, of an earlier registration */
    check_asks(send_part(NODE, "default", 7, third, 3, 2, ""), 0); /* of another key */
    check_asks(send_part(NODE, "n1", 8, "", 0, 1, ""), 1);         /* a later registration begins again */
}

static void a_list_that_is_not_continued_is_dropped(void **state)
{
    char third[ID_TEXT_MAX];
    struct container_id id = { { { CLUSTER_MS, 3 }, 1 }, 0, 1 };

    (void)state;
    container_id_format(&id, third);
    check_asks(send_part(NODE, "n1", 7, "", 0, 3, ""), 3);
    harness_tick(&pair.h, 29000);
    check_asks(send_part(NODE, "n1", 7, third, 3, 2, ""), 5);
    harness_tick(&pair.h, 31000);
    check_asks(send_part(NODE, "n1", 7, third, 3, 2, ""), 0);
}

static void a_list_has_at_most_100000_containers(void **state)
{
    const Creel__Envelope *reply = NULL;
    char after[ID_TEXT_MAX] = "";

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        reply = send_part(NODE, "n1", 7, after, i * 25000, 25000, "");
        check_asks(reply, (i + 1) * 25000);
        snprintf(after, sizeof(after), "%s", reply->register_containers_reply->after);
    }
    check_error(send_part(NODE, "n1", 7, after, 100000, 1, ""), CREEL__ERROR_CODE__ERROR_TOO_LARGE);
    check_asks(send_part(NODE, "n1", 7, after, 100000, 1, ""), 0); /* the list was dropped */
}

/* Sends a part of 1 MiB for node NUMBER. */
static const Creel__Envelope *send_large(unsigned number, const char *principal)
{
    static char diagnostics[65000];
    char node_id[40];

    memset(diagnostics, 'x', sizeof(diagnostics) - 1);
    snprintf(node_id, sizeof(node_id), "n%u:8041", number);
    return send_part(node_id, principal, 7, "", 0, 16, diagnostics);
}

static void the_bytes_of_lists_are_limited(void **state)
{
    unsigned node = 0;

    (void)state;
    while (send_large(++node, "default")->body_case != CREEL__ENVELOPE__BODY_ERROR)
        assert_in_range(node, 1, 70);
    assert_in_range(node, 60, 70); /* 64 MiB of one key */
    check_error(send_large(node, "default"), CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    check_asks(send_large(++node, "other"), 16); /* other keys have room */
    for (unsigned key = 0; key < 4; key++) {
        char principal[16];

        snprintf(principal, sizeof(principal), "key%u", key);
        while (node < 300 && send_large(++node, principal)->body_case != CREEL__ENVELOPE__BODY_ERROR)
            continue;
    }
    assert_in_range(node, 250, 290); /* 256 MiB of all */
    check_error(send_large(++node, "third"), CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    harness_tick(&pair.h, 31000);
    check_asks(send_large(node, "third"), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_long_list_travels_in_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_part_follows_the_reply_to_the_last_one_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(messages_may_be_lost_or_come_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_resource_manager_that_restarts_gets_all_parts_again, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_short_list_is_one_message, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_part_that_continues_nothing_has_no_effect, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list_that_is_not_continued_is_dropped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list_has_at_most_100000_containers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_bytes_of_lists_are_limited, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
