/* SPDX-License-Identifier: Apache-2.0 */
/* io_gateway_hostile.c - test: peers that break ZMTP and CURVE, byte for byte */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/hostile/raw_peer.h"
#include "tests/unit/io_daemon.h"
#include "common/io/loop_socket.h"

static struct raw_peer stranger(const struct daemon *daemon)
{
    struct raw_peer peer;

    raw_peer_init(&peer, daemon->own.public_text);
    return peer;
}

static void a_raw_peer_is_served(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct raw_peer peer, other = stranger(daemon);

    daemon_start(daemon);
    raw_peer_init_with(&peer, daemon->own.public_text, user.public_text, user.secret_text);
    assert_true(raw_peer_open(&peer, daemon->ports[PORT_USERS].number));
    assert_true(raw_peer_ping(&peer));
    assert_true(raw_peer_is_open(&peer));
    assert_false(raw_peer_open(&other, daemon->ports[PORT_USERS].number));
    assert_true(raw_peer_open(&other, daemon->ports[PORT_ANY].number));
    raw_peer_close(&peer);
    raw_peer_close(&other);
    daemon_stop(daemon);
}

/* libzmq asserts on pings behind full queues whose sender resets the connection. */
static void pings_behind_full_queues_end_no_daemon(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct raw_peer peer = stranger(daemon);
    struct channel_client *client;

    daemon_start(daemon);
    for (int i = 0; i < 50; i++) {
        if (raw_peer_open(&peer, daemon->ports[PORT_ANY].number))
            raw_peer_send_with_pings(&peer, 40);
        raw_peer_reset(&peer);
    }
    client = daemon_connect(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    channel_client_free(client);
    daemon_stop(daemon);
}

static void random_bytes_after_each_stage_do_no_harm(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct raw_peer peer = stranger(daemon);
    struct channel_client *client;
    uint8_t bytes[4096];
    int port;

    daemon_start(daemon);
    port = daemon->ports[PORT_ANY].number;
    for (int i = 0; i < 100; i++) {
        bool open = raw_peer_connect(&peer, port) && (i % 4 < 1 || raw_peer_greet(&peer)) &&
                    (i % 4 < 2 || raw_peer_hello(&peer)) && (i % 4 < 3 || raw_peer_initiate(&peer));

        randombytes_buf(bytes, sizeof(bytes));
        if (open)
            raw_peer_write(&peer, bytes, 1 + randombytes_uniform(sizeof(bytes)));
        if (i % 2 == 0)
            raw_peer_reset(&peer);
        raw_peer_close(&peer);
    }
    client = daemon_connect(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    channel_client_free(client);
    daemon_stop(daemon);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, daemon_set_up, daemon_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_raw_peer_is_served),
        TEST(pings_behind_full_queues_end_no_daemon),
        TEST(random_bytes_after_each_stage_do_no_harm),
    };

    loop_socket_prepare_process();
    return cmocka_run_group_tests_name("io_gateway_hostile", tests, NULL, NULL);
}
