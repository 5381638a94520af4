/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_link.c - test: registration and heartbeats of the agent over a lossy network
 *
 * Whatever messages are lost, the RM gets to know the node and all events on the node. An answer to an old
 * request changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/agent/agent_fixture.h"

static void registers_with_back_off(void **state)
{
    struct fixture *f = *state;
    int64_t last, gap;
    static const int64_t low[] = { 800, 1600, 3200, 6400, 8000, 8000 };
    static const int64_t high[] = { 1200, 2400, 4800, 9600, 12000, 12000 };
    const Creel__RegisterNode *body;

    fixture_start(f);
    body = fixture_one(f, AGENT_SEND)->envelope->register_node;
    assert_string_equal(body->node_id, NODE);
    assert_string_equal(body->address, NODE);
    assert_int_equal(body->total->memory_mb, 4096);
    assert_int_equal(body->incarnation, 1);
    assert_string_equal(body->cgroup_mode, "v2");
    assert_string_equal(body->warning, "offers too much");
    assert_true(body->unpacks);
    assert_true(body->restores);
    assert_true(body->resizes);
    for (int i = 0; i < 6; i++) {
        last = f->now.steady_ms;
        fixture_step(f);
        assert_int_equal(fixture_next_send(f)->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE);
        gap = f->now.steady_ms - last;
        assert_in_range(gap, low[i], high[i]);
    }
}

/* Each member of the configuration has another value. */
static void a_registration_has_the_configuration(void **state)
{
    static const struct agent_config config = {
        .node_id = "n1:8041",
        .address = "n1.example.org:8042",
        .http_address = "n1.example.org:8043",
        .rack = "/r7",
        .warning = "offers too much",
        .label = "fast",
        .agent_key = "0123456789012345678901234567890123456789",
        .version = "1.2.3",
        .protocol = { 4, 5 },
        .cgroup_mode = "hybrid",
        .kill_delay_ms = 6000,
        .total = { .value = { 7000, 8 } },
        .others = { .count = 1, .offer = { { "gpu", 9, "k" } } },
        .incarnation = 10,
        .conf_dir = "",
    };
    struct fixture *f = *state;
    const Creel__RegisterNode *body;

    agent_free(f->agent);
    f->agent = agent_new(&config);
    fixture_start(f);
    body = fixture_one(f, AGENT_SEND)->envelope->register_node;
    assert_string_equal(body->node_id, config.node_id);
    assert_string_equal(body->address, config.address);
    assert_string_equal(body->http_address, config.http_address);
    assert_string_equal(body->rack, config.rack);
    assert_string_equal(body->warning, config.warning);
    assert_string_equal(body->label, config.label);
    assert_string_equal(body->agent_key, config.agent_key);
    assert_string_equal(body->version, config.version);
    assert_int_equal(body->protocol_oldest, 4);
    assert_int_equal(body->protocol_newest, 5);
    assert_string_equal(body->cgroup_mode, config.cgroup_mode);
    assert_int_equal(body->kill_delay_ms, 6000);
    assert_int_equal(body->total->memory_mb, 7000);
    assert_int_equal(body->total->vcores, 8);
    assert_int_equal(body->total->n_others, 1);
    assert_string_equal(body->total->others[0]->name, "gpu");
    assert_int_equal(body->total->others[0]->amount, 9);
    assert_string_equal(body->total->others[0]->unit, "k");
    assert_int_equal(body->incarnation, 10);
}

static void a_reply_to_any_of_several_registrations_counts(void **state)
{
    struct fixture *f = *state;
    uint64_t first, second;

    fixture_start(f);
    first = fixture_next_send(f)->request_id;
    fixture_step(f);
    second = fixture_next_send(f)->request_id;
    fixture_reply_register(f, first, 10, CREEL__NODE_ACTION__NODE_NORMAL, "");
    assert_int_equal(agent_summarise(f->agent).session, 10);
    assert_int_equal(fixture_next_send(f)->heartbeat->session, 10);
    /* The RM took the second request for a new registration: the session of the second answer is valid. */
    fixture_reply_register(f, second, 11, CREEL__NODE_ACTION__NODE_NORMAL, "");
    assert_int_equal(fixture_next_send(f)->heartbeat->session, 11);
    /* A repeated answer to the first request changes nothing. */
    fixture_reply_register(f, first, 10, CREEL__NODE_ACTION__NODE_NORMAL, "");
    assert_int_equal(agent_summarise(f->agent).session, 11);
}

/* The RM got the second request first, and answered the first one with the existing session. */
static void a_session_is_begun_once(void **state)
{
    struct fixture *f = *state;
    const Creel__Envelope *envelope;
    uint64_t first, second;

    fixture_start(f);
    first = fixture_next_send(f)->request_id;
    fixture_step(f);
    second = fixture_next_send(f)->request_id;
    fixture_reply_register(f, first, 10, CREEL__NODE_ACTION__NODE_NORMAL, "");
    envelope = fixture_next_send(f);
    assert_int_equal(envelope->heartbeat->seq, 1);
    fixture_reply_heartbeat(f, envelope->request_id, 1, CREEL__NODE_ACTION__NODE_NORMAL);
    fixture_reply_register(f, second, 10, CREEL__NODE_ACTION__NODE_NORMAL, "");
    assert_int_equal(fixture_next_send(f)->heartbeat->seq, 2);
}

static void answers_to_an_earlier_agent_are_ignored(void **state)
{
    struct fixture *f = *state;
    uint64_t request;

    fixture_start(f);
    request = fixture_next_send(f)->request_id;
    fixture_restart(f, 4096);
    fixture_start(f);
    fixture_reply_register(f, request, 10, CREEL__NODE_ACTION__NODE_NORMAL, "");
    assert_false(agent_summarise(f->agent).registered);
}

static void unanswered_heartbeat_is_repeated_unchanged(void **state)
{
    struct fixture *f = *state;
    const Creel__Envelope *envelope;
    uint8_t first[2000], again[2000];
    size_t size;

    fixture_register(f, 10);
    fixture_run(f, CONTAINER(2), 1024);
    envelope = fixture_next_send(f);
    size = creel__envelope__pack(envelope, first);
    fixture_exited(f, CONTAINER(2), 0); /* the copied request must not contain this exit */
    envelope = fixture_next_send(f);
    assert_int_equal(creel__envelope__pack(envelope, again), size);
    assert_memory_equal(first, again, size);
    fixture_reply_heartbeat(f, envelope->request_id, envelope->heartbeat->seq,
                            CREEL__NODE_ACTION__NODE_NORMAL);
    assert_int_equal(fixture_status(f, CONTAINER(2), false)->state,
                     CREEL__CONTAINER_STATE__CONTAINER_COMPLETE);
}

static void after_long_silence_it_registers_again(void **state)
{
    struct fixture *f = *state;
    const Creel__Envelope *envelope;
    int heartbeats = 0;

    fixture_register(f, 10);
    fixture_run(f, CONTAINER(2), 1024);
    while ((envelope = fixture_next_send(f))->body_case == CREEL__ENVELOPE__BODY_HEARTBEAT) {
        heartbeats++;
        assert_in_range(heartbeats, 1, 10);
        fixture_step(f);
    }
    assert_int_equal(envelope->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    assert_int_equal(envelope->register_node->n_containers, 1);
    assert_non_null(envelope->register_node->containers[0]->grant);
    assert_string_equal(envelope->register_node->containers[0]->grant->user, "ann");
    assert_int_equal(envelope->register_node->containers[0]->state,
                     CREEL__CONTAINER_STATE__CONTAINER_RUNNING);
    assert_string_equal(envelope->register_node->containers[0]->title, "7");
}

static void resync_lists_everything_again(void **state)
{
    struct fixture *f = *state;
    const Creel__Envelope *envelope;

    fixture_register(f, 10);
    fixture_run(f, CONTAINER(2), 1024);
    fixture_run(f, CONTAINER(3), 1024);
    fixture_exited(f, CONTAINER(3), 7);
    envelope = fixture_next_send(f);
    fixture_reply_heartbeat(f, envelope->request_id, 0, CREEL__NODE_ACTION__NODE_RESYNC);
    envelope = fixture_next_send(f);
    assert_int_equal(envelope->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    assert_int_equal(envelope->register_node->n_containers, 2);
    assert_int_equal(envelope->register_node->containers[1]->exit_status, 7);
    fixture_reply_register(f, envelope->request_id, 11, CREEL__NODE_ACTION__NODE_NORMAL, "");
    envelope = fixture_next_send(f);
    assert_int_equal(envelope->heartbeat->session, 11);
    assert_int_equal(envelope->heartbeat->seq, 1);
    assert_int_equal(envelope->heartbeat->n_containers, 2);
}

static void constant_resync_is_answered_at_a_bounded_rate(void **state)
{
    struct fixture *f = *state;
    int64_t began = f->now.steady_ms;
    const Creel__Envelope *envelope;

    fixture_start(f);
    for (int i = 0; i < 10; i++) {
        envelope = fixture_next_send(f);
        fixture_reply_register(f, envelope->request_id, 10 + (uint64_t)i, CREEL__NODE_ACTION__NODE_NORMAL,
                               "");
        envelope = fixture_next_send(f);
        fixture_reply_heartbeat(f, envelope->request_id, 0, CREEL__NODE_ACTION__NODE_RESYNC);
    }
    assert_true(f->now.steady_ms - began >= 9000);
}

static void an_error_resync_registers_again_too(void **state)
{
    struct fixture *f = *state;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    fixture_register(f, 10);
    envelope.request_id = fixture_next_send(f)->request_id;
    error.code = CREEL__ERROR_CODE__ERROR_RESYNC;
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    fixture_step(f);
    agent_on_message(f->agent, f->now, &envelope, &f->effects);
    assert_int_equal(fixture_next_send(f)->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE);
}

static void a_refused_node_ends_its_containers_and_shuts_down(void **state)
{
    struct fixture *f = *state;
    uint64_t request;

    fixture_register(f, 10);
    fixture_run(f, CONTAINER(2), 1024);
    request = fixture_next_send(f)->request_id;
    fixture_reply_heartbeat(f, request, 0, CREEL__NODE_ACTION__NODE_RESYNC);
    request = fixture_next_send(f)->request_id;
    fixture_reply_register(f, request, 0, CREEL__NODE_ACTION__NODE_SHUTDOWN, "too small");
    assert_string_equal(fixture_one(f, AGENT_STOP)->container_id, CONTAINER(2));
    assert_int_equal(fixture_count(f, AGENT_SHUTDOWN), 0);
    fixture_exited(f, CONTAINER(2), 143);
    assert_string_equal(fixture_one(f, AGENT_SHUTDOWN)->text, "too small");
    assert_true(fixture_one(f, AGENT_SHUTDOWN)->warning);
    assert_int_equal(agent_next_deadline_ms(f->agent), INT64_MAX);
    fixture_ask(f, CONTAINER(3), 1, 0);
    assert_non_null(fixture_one(f, AGENT_REPLY)->envelope->start_containers_reply->results[0]->error);
}

static void a_node_refused_at_once_shuts_down_at_once(void **state)
{
    struct fixture *f = *state;
    uint64_t request;

    fixture_start(f);
    request = fixture_next_send(f)->request_id;
    fixture_reply_register(f, request, 0, CREEL__NODE_ACTION__NODE_SHUTDOWN, "excluded");
    assert_string_equal(fixture_one(f, AGENT_SHUTDOWN)->text, "excluded");
    assert_true(fixture_one(f, AGENT_SHUTDOWN)->warning);
}

static void shutdown_order_ends_the_agent_without_failure(void **state)
{
    struct fixture *f = *state;
    uint64_t request;

    fixture_register(f, 10);
    request = fixture_next_send(f)->request_id;
    fixture_reply_heartbeat(f, request, 0, CREEL__NODE_ACTION__NODE_SHUTDOWN);
    assert_int_equal(fixture_count(f, AGENT_SHUTDOWN), 1);
    assert_false(fixture_one(f, AGENT_SHUTDOWN)->warning);
}

static void changes_are_reported_at_once_in_one_heartbeat(void **state)
{
    struct fixture *f = *state;
    int64_t began;

    fixture_register(f, 10);
    fixture_wait(f, 100);
    began = f->now.steady_ms;
    fixture_run(f, CONTAINER(2), 1024);
    fixture_run(f, CONTAINER(3), 1024);
    fixture_step(f);
    assert_int_equal(fixture_next_send(f)->heartbeat->n_containers, 2);
    assert_in_range(f->now.steady_ms - began, 0, 20);
}

static void a_quiet_node_beats_once_an_interval(void **state)
{
    struct fixture *f = *state;
    const Creel__Envelope *envelope;
    int64_t last;
    uint64_t seq;

    fixture_register(f, 10);
    fixture_status(f, CONTAINER(2), true);
    last = f->now.steady_ms;
    fixture_step(f);
    envelope = fixture_next_send(f);
    seq = envelope->heartbeat->seq;
    assert_int_equal(f->now.steady_ms - last, 1000);
    fixture_reply_heartbeat(f, envelope->request_id, seq, CREEL__NODE_ACTION__NODE_NORMAL);
    assert_int_equal(fixture_next_send(f)->heartbeat->seq, seq + 1);
}

/* The RM acknowledges only what its store has committed. That may be less than the RM received. */
static void unacknowledged_statuses_are_repeated(void **state)
{
    struct fixture *f = *state;
    const Creel__Envelope *envelope;

    fixture_register(f, 10);
    fixture_run(f, CONTAINER(2), 1024);
    fixture_exited(f, CONTAINER(2), 3);
    for (int i = 0; i < 3; i++) {
        fixture_step(f);
        envelope = fixture_next_send(f);
        assert_int_equal(envelope->heartbeat->n_containers, 1);
        fixture_reply_heartbeat(f, envelope->request_id, 1, CREEL__NODE_ACTION__NODE_NORMAL);
        assert_int_equal(fixture_count(f, AGENT_ACKNOWLEDGE), 0);
    }
    fixture_step(f);
    envelope = fixture_next_send(f);
    fixture_reply_heartbeat(f, envelope->request_id, envelope->heartbeat->seq,
                            CREEL__NODE_ACTION__NODE_NORMAL);
    assert_string_equal(fixture_one(f, AGENT_ACKNOWLEDGE)->container_id, CONTAINER(2));
    fixture_step(f);
    assert_int_equal(fixture_next_send(f)->heartbeat->n_containers, 0);
}

/* An answer to a heartbeat of the previous session must not acknowledge one of the current session. */
static void an_old_answer_acknowledges_nothing(void **state)
{
    struct fixture *f = *state;
    uint64_t old, request;

    fixture_register(f, 10);
    old = fixture_next_send(f)->request_id;
    fixture_reply_heartbeat(f, old, 0, CREEL__NODE_ACTION__NODE_RESYNC);
    request = fixture_next_send(f)->request_id;
    fixture_reply_register(f, request, 11, CREEL__NODE_ACTION__NODE_NORMAL, "");
    fixture_status(f, CONTAINER(0), true);
    fixture_run(f, CONTAINER(2), 1024);
    fixture_exited(f, CONTAINER(2), 3);
    fixture_status(f, CONTAINER(2), false);
    fixture_reply_heartbeat(f, old, 100, CREEL__NODE_ACTION__NODE_NORMAL);
    assert_int_equal(fixture_count(f, AGENT_ACKNOWLEDGE), 0);
    assert_int_equal(agent_summarise(f->agent).ended, 1);
}

static void keys_of_tokens_are_passed_on(void **state)
{
    struct fixture *f = *state;
    Creel__RegisterNodeReply body = CREEL__REGISTER_NODE_REPLY__INIT;
    Creel__TokenKey key = CREEL__TOKEN_KEY__INIT, *keys[] = { &key };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    uint8_t bytes[32] = { 9 };

    fixture_start(f);
    envelope.request_id = fixture_next_send(f)->request_id;
    body.session = SESSION;
    key.key_id = 4;
    key.key = (ProtobufCBinaryData){ .len = 32, .data = bytes };
    body.token_keys = keys;
    body.n_token_keys = 1;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY;
    envelope.register_node_reply = &body;
    fixture_step(f);
    agent_on_message(f->agent, f->now, &envelope, &f->effects);
    assert_int_equal(fixture_one(f, AGENT_LEARN_KEYS)->key_count, 1);
    assert_int_equal(fixture_one(f, AGENT_LEARN_KEYS)->keys[0]->key_id, 4);
    assert_memory_equal(fixture_one(f, AGENT_LEARN_KEYS)->keys[0]->key.data, bytes, 32);
}

/* Registers at an RM that counts a node as lost after 8 s without a heartbeat. */
static void register_with_lease(struct fixture *f)
{
    Creel__RegisterNodeReply body = CREEL__REGISTER_NODE_REPLY__INIT;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;

    fixture_start(f);
    envelope.request_id = fixture_next_send(f)->request_id;
    body.session = 10;
    body.heartbeat_interval_ms = 1000;
    body.expiry_ms = 8000;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY;
    envelope.register_node_reply = &body;
    fixture_step(f);
    agent_on_message(f->agent, f->now, &envelope, &f->effects);
}

/* If the RM may have counted the node as lost, a container started on the node could run elsewhere, too. */
static void nothing_starts_unless_the_rm_counts_on_the_node(void **state)
{
    struct fixture *f = *state;

    register_with_lease(f);
    fixture_ask(f, CONTAINER(2), 1024, 0);
    fixture_saved(f, CONTAINER(2), 0);
    assert_int_equal(fixture_count(f, AGENT_LAUNCH), 0);
    fixture_status(f, CONTAINER(0), true);
    assert_string_equal(fixture_one(f, AGENT_LAUNCH)->container_id, CONTAINER(2));

    fixture_wait(f, 7500); /* no answer for almost the whole interval */
    fixture_ask(f, CONTAINER(3), 1024, 0);
    fixture_saved(f, CONTAINER(3), 0);
    assert_int_equal(fixture_count(f, AGENT_LAUNCH), 0);
}

static void changed_health_is_reported_at_once(void **state)
{
    struct fixture *f = *state;
    const struct agent_use use = { 12345, 23456, 1500, 2500 };
    const Creel__Envelope *envelope;
    int64_t began;

    fixture_register(f, 10);
    fixture_wait(f, 100);
    fixture_step(f);
    agent_on_health(f->agent, f->now, true, "", &use, &f->effects);
    began = f->now.steady_ms;
    agent_on_health(f->agent, f->now, false, "disk\x01 full \xff", &use, &f->effects);
    fixture_step(f);
    envelope = fixture_next_send(f);
    assert_in_range(f->now.steady_ms - began, 0, 20);
    assert_true(envelope->heartbeat->unhealthy);
    assert_string_equal(envelope->heartbeat->health_report, "disk? full ?");
    assert_int_equal(envelope->heartbeat->used_memory_bytes, 12345);
    assert_int_equal(envelope->heartbeat->node_memory_bytes, 23456);
    assert_int_equal(envelope->heartbeat->cpu_millicores, 1500);
    assert_int_equal(envelope->heartbeat->node_cpu_millicores, 2500);
}

/* However long the RM was away, its nodes reconnect at once when it returns. */
static void unsent_message_is_retried_soon(void **state)
{
    struct fixture *f = *state;
    int64_t last;

    fixture_start(f);
    for (int i = 0; i < 10; i++) {
        last = f->now.steady_ms;
        agent_on_unsent(f->agent, f->now);
        fixture_step(f);
        assert_int_equal(fixture_next_send(f)->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE);
        assert_int_equal(f->now.steady_ms - last, 200);
    }
}

static void other_messages_are_ignored(void **state)
{
    struct fixture *f = *state;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__AmWakeup wakeup = CREEL__AM_WAKEUP__INIT;

    fixture_register(f, 10);
    envelope.body_case = CREEL__ENVELOPE__BODY_AM_WAKEUP;
    envelope.am_wakeup = &wakeup;
    fixture_step(f);
    agent_on_message(f->agent, f->now, &envelope, &f->effects);
    assert_int_equal(f->effects.count, 0);
    fixture_check(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(registers_with_back_off),
        TEST(a_registration_has_the_configuration),
        TEST(a_reply_to_any_of_several_registrations_counts),
        TEST(a_session_is_begun_once),
        TEST(answers_to_an_earlier_agent_are_ignored),
        TEST(unanswered_heartbeat_is_repeated_unchanged),
        TEST(after_long_silence_it_registers_again),
        TEST(resync_lists_everything_again),
        TEST(constant_resync_is_answered_at_a_bounded_rate),
        TEST(an_error_resync_registers_again_too),
        TEST(a_refused_node_ends_its_containers_and_shuts_down),
        TEST(a_node_refused_at_once_shuts_down_at_once),
        TEST(shutdown_order_ends_the_agent_without_failure),
        TEST(changes_are_reported_at_once_in_one_heartbeat),
        TEST(a_quiet_node_beats_once_an_interval),
        TEST(unacknowledged_statuses_are_repeated),
        TEST(an_old_answer_acknowledges_nothing),
        TEST(keys_of_tokens_are_passed_on),
        TEST(nothing_starts_unless_the_rm_counts_on_the_node),
        TEST(changed_health_is_reported_at_once),
        TEST(unsent_message_is_retried_soon),
        TEST(other_messages_are_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
