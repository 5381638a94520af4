/* SPDX-License-Identifier: Apache-2.0 */
/* io_channel_hostile.c - test: unknown clients and invalid messages get an error or no answer */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <czmq.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/unit/io/io_daemon.h"
#include "common/io/loop/loop_socket.h"

/* --- unknown clients and invalid messages --------------------------------------------- */

static void *raw_dealer_at(struct daemon *daemon, int which, const struct key *key, const char *routing_id,
                           zsock_t **sock)
{
    char endpoint[64];

    *sock = zsock_new(ZMQ_DEALER);
    if (key != NULL) {
        zsock_set_curve_serverkey(*sock, daemon->own.public_text);
        zsock_set_curve_publickey(*sock, key->public_text);
        zsock_set_curve_secretkey(*sock, key->secret_text);
    }
    if (routing_id != NULL)
        zsock_set_identity(*sock, routing_id);
    snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%d", daemon->ports[which].number);
    assert_int_equal(zmq_connect(zsock_resolve(*sock), endpoint), 0);
    return zsock_resolve(*sock);
}

static void *raw_dealer(struct daemon *daemon, const struct key *key, const char *routing_id, zsock_t **sock)
{
    return raw_dealer_at(daemon, PORT_USERS, key, routing_id, sock);
}

static void expect_error(void *raw, Creel__ErrorCode code, const char *text)
{
    zmq_pollitem_t item = { raw, -1, ZMQ_POLLIN, 0 };
    Creel__Envelope *reply;
    zmq_msg_t message;

    assert_int_equal(zmq_poll(&item, 1, CALL_MS), 1);
    zmq_msg_init(&message);
    assert_true(zmq_msg_recv(&message, raw, 0) >= 0);
    assert_int_equal(wire_decode(zmq_msg_data(&message), zmq_msg_size(&message), &reply, NULL, NULL), 0);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    if (strstr(reply->error->message, text) == NULL)
        fail_msg("expected '%s' in: %s", text, reply->error->message);
    wire_free(reply);
    zmq_msg_close(&message);
}

static void expect_silence(void *raw)
{
    zmq_pollitem_t item = { raw, -1, ZMQ_POLLIN, 0 };

    assert_int_equal(zmq_poll(&item, 1, SILENCE_MS), 0);
}

/* A well-behaved client, and a raw socket whose messages the test builds by hand. */
struct visit {
    struct channel_client *client;
    zsock_t *sock;
    void *raw;
};

static struct visit visit_begin(struct daemon *daemon, bool curve, const char *routing_id)
{
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct visit visit;

    daemon_start(daemon);
    visit.client = daemon_connect(daemon, PORT_USERS, &user);
    visit.raw = raw_dealer(daemon, curve ? &user : NULL, routing_id, &visit.sock);
    return visit;
}

/* Checks that the well-behaved client is still served. */
static void visit_end(struct daemon *daemon, struct visit *visit)
{
    expect_served(visit->client, "alice");
    zsock_destroy(&visit->sock);
    channel_client_free(visit->client);
    daemon_stop(daemon);
}

static void malformed_messages_get_an_error(void **state)
{
    struct daemon *daemon = *state;
    static const uint8_t unknown[] = { 0x08, 1, 0x10, 9, 0xea, 0x04, 0 };
    static const uint8_t old[] = { 0x08, 0, 0x10, 9, 0x5a, 0 };
    struct visit visit = visit_begin(daemon, true, NULL);

    zmq_send(visit.raw, "\xde\xad\xbe\xef random bytes", 17, 0);
    expect_error(visit.raw, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "not a message (17 bytes)");
    zmq_send(visit.raw, "", 0, 0);
    expect_error(visit.raw, CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "protocol version 0");
    zmq_send(visit.raw, "two", 3, ZMQ_SNDMORE);
    zmq_send(visit.raw, "frames", 6, 0);
    expect_error(visit.raw, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "message of 2 frames");
    zmq_send(visit.raw, unknown, sizeof(unknown), 0);
    expect_error(visit.raw, CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "message type 77 is not known");
    zmq_send(visit.raw, old, sizeof(old), 0);
    expect_error(visit.raw, CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "protocol version 0 is too old");
    visit_end(daemon, &visit);
}

static void an_agent_of_another_protocol_is_known_as_refused(void **state)
{
    struct daemon *daemon = *state;
    static const uint8_t unknown[] = { 0x08, 1, 0x10, 9, 0xea, 0x04, 0 };
    static const uint8_t new[] = { 0x08, 2, 0x10, 9, 0x5a, 0 };
    struct visit visit = visit_begin(daemon, true, NULL);
    struct key agent = daemon_key(daemon, KEY_AGENT, "n1");
    struct refused_agent refused;
    zsock_t *sock;
    void *raw = raw_dealer_at(daemon, PORT_AGENTS, &agent, NULL, &sock);

    zmq_send(raw, unknown, sizeof(unknown), 0);
    expect_error(raw, CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "message type 77 is not known");
    assert_int_equal(gateway_pool_refused_agents(daemon->pool, &refused, 1), 0);
    zmq_send(raw, new, sizeof(new), 0);
    expect_error(raw, CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "protocol version 2 is too new");
    assert_int_equal(gateway_pool_refused_agents(daemon->pool, &refused, 1), 1);
    assert_string_equal(refused.name, "n1");
    assert_string_equal(refused.address, "127.0.0.1");
    assert_string_equal(refused.reason,
                        "its agent is of another version: protocol version 2 is too new: this "
                        "side speaks 1 to 1, update it");
    zsock_destroy(&sock);
    visit_end(daemon, &visit);
}

static void flood_of_malformed_messages_does_not_starve_other_peers(void **state)
{
    struct daemon *daemon = *state;
    struct visit visit = visit_begin(daemon, true, NULL);

    for (int i = 0; i < 900; i++) /* as much as its own queue takes; it reads no answer */
        zmq_send(visit.raw, "nonsense", 8, ZMQ_DONTWAIT);
    for (int i = 0; i < 20; i++)
        expect_served(visit.client, "alice");
    visit_end(daemon, &visit);
}

static void peers_without_curve_are_refused(void **state)
{
    struct daemon *daemon = *state;
    struct visit visit = visit_begin(daemon, false, NULL);

    zmq_send(visit.raw, "\x08\x01\x5a", 4, 0);
    expect_silence(visit.raw);
    visit_end(daemon, &visit);
}

static void a_peer_cannot_choose_its_routing_id(void **state)
{
    struct daemon *daemon = *state;
    struct visit visit = visit_begin(daemon, true, "thief");

    zmq_send(visit.raw, "nonsense", 8, 0);
    expect_silence(visit.raw);
    visit_end(daemon, &visit);
}

/* --- messages --------------------------------------------------------------------------- */

static void large_and_unsendable_messages(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__ReadLog read_log = CREEL__READ_LOG__INIT;
    Creel__GetLogAccess access = CREEL__GET_LOG_ACCESS__INIT;
    struct channel_client *client;
    struct err err = { 0 };

    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    read_log.container_id = (char *)(uintptr_t) "container_1_0001_01_000001";
    read_log.file = (char *)(uintptr_t) "stdout";
    request.body_case = CREEL__ENVELOPE__BODY_READ_LOG;
    request.read_log = &read_log;
    assert_int_equal(channel_client_call(client, &request, CALL_MS, &reply, &err), 0);
    assert_int_equal(reply->log_chunk->data.len, WIRE_CHUNK_MAX);
    wire_free(reply);

    /* The client refuses to send an invalid message; the server answers one with an error. Neither waits. */
    read_log.file = (char *)(uintptr_t) "../stdout";
    assert_int_equal(channel_client_call(client, &request, CALL_MS, &reply, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "read_log.file"));
    access.app_id = (char *)(uintptr_t) "application_1_0001";
    request.body_case = CREEL__ENVELOPE__BODY_GET_LOG_ACCESS;
    request.get_log_access = &access;
    assert_int_equal(channel_client_call(client, &request, CALL_MS, &reply, &err), 0);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_non_null(strstr(reply->error->message, "now_ms"));
    wire_free(reply);
    channel_client_free(client);
    daemon_stop(daemon);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, daemon_set_up, daemon_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(malformed_messages_get_an_error),
        TEST(an_agent_of_another_protocol_is_known_as_refused),
        TEST(flood_of_malformed_messages_does_not_starve_other_peers),
        TEST(peers_without_curve_are_refused),
        TEST(a_peer_cannot_choose_its_routing_id),
        TEST(large_and_unsendable_messages),
    };

    loop_socket_prepare_process();
    return cmocka_run_group_tests_name("io_channel_hostile", tests, NULL, NULL);
}
