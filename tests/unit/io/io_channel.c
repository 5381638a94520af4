/* SPDX-License-Identifier: Apache-2.0 */
/* io_channel.c - test: requests, replies and errors of a channel server over real sockets */
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

static void known_keys_are_served_by_their_name(void **state)
{
    struct daemon *daemon = *state;
    struct key agent = daemon_key(daemon, KEY_AGENT, "n1");
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;
    struct key any;

    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_AGENTS, &agent);
    expect_served(client, "n1");
    expect_served(client, "n1");
    channel_client_free(client);
    client = daemon_connect(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    channel_client_free(client);
    key_generate(&any);
    client = daemon_connect(daemon, PORT_ANY, &any);
    expect_served(client, "");
    channel_client_free(client);
    daemon_stop(daemon);
}

static void keys_of_others_are_refused(void **state)
{
    struct daemon *daemon = *state;
    struct key agent = daemon_key(daemon, KEY_AGENT, "n1");
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;

    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_AGENTS, &user);
    expect_refused(client, -EACCES, "creel-rm refused our key");
    channel_client_free(client);
    client = daemon_connect(daemon, PORT_USERS, &agent);
    expect_refused(client, -EACCES, "is our public certificate in its key directory?");
    channel_client_free(client);
    daemon_stop(daemon);
}

static void wrong_server_key_is_reported(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice"), other, right = daemon->own;
    struct channel_client *client;

    daemon_start(daemon);
    key_generate(&other);
    daemon->own = other; /* daemon_connect then expects a wrong server key */
    client = daemon_connect(daemon, PORT_USERS, &user);
    expect_refused(client, -EACCES, "does not have the key expected of creel-rm");
    channel_client_free(client);
    daemon->own = right;
    daemon_stop(daemon);
}

static void certificates_are_added_and_removed_at_run_time(void **state)
{
    struct daemon *daemon = *state;
    struct key bob;
    struct channel_client *client, *late;
    char path[128], who[64];
    struct err err = { 0 };
    int rc;

    daemon_start(daemon);
    assert_int_equal(key_make(daemon->folder, KEY_USER, "bob", NULL), 0);
    bob = daemon_key(daemon, KEY_USER, "bob");
    snprintf(path, sizeof(path), "%s/users/bob", daemon->folder);
    assert_int_equal(unlink(path), 0);
    client = daemon_connect(daemon, PORT_USERS, &bob);
    expect_refused(client, -EACCES, "refused our key");
    /* The secret key is unchanged, so key_make writes the same certificate again. */
    assert_int_equal(key_make(daemon->folder, KEY_USER, "bob", NULL), 0);
    expect_served(client, "bob");
    assert_int_equal(unlink(path), 0);
    late = daemon_connect(daemon, PORT_USERS, &bob);
    expect_refused(late, -EACCES, "refused our key");
    /* The server closes open connections of a withdrawn key soon. */
    do
        rc = daemon_ask(client, CALL_MS, who, &err);
    while (rc == 0);
    assert_int_equal(rc, -EACCES);
    channel_client_free(late);
    channel_client_free(client);
    daemon_stop(daemon);
}

static void server_without_keys_admits_no_peer(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;
    struct err err = { 0 };
    char who[64];

    daemon->without_keys = true;
    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    assert_true(daemon_ask(client, SILENCE_MS, who, &err) < 0);
    channel_client_free(client);
    daemon_stop(daemon);
}

/* --- missing peers ------------------------------------------------------------------ */

static void absent_server_is_reported(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;
    struct err err = { 0 };
    char who[64];

    daemon_start(daemon);
    daemon_stop(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    assert_int_equal(daemon_ask(client, SILENCE_MS, who, &err), -ETIMEDOUT);
    assert_int_equal(err.code, ETIMEDOUT);
    assert_non_null(strstr(err.text, "Connection refused; is creel-rm running there? "
                                     "(another: --rm HOST:PORT)"));
    assert_int_equal(channel_client_state(client, &err), -ENOTCONN);
    channel_client_free(client);
}

static void silent_server_is_reported(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__ListQueues body = CREEL__LIST_QUEUES__INIT;
    struct err err = { 0 };

    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    assert_int_equal(channel_client_state(client, &err), 0);
    request.body_case = CREEL__ENVELOPE__BODY_LIST_QUEUES;
    request.list_queues = &body;
    assert_int_equal(channel_client_call(client, &request, SILENCE_MS, &reply, &err), -ETIMEDOUT);
    assert_non_null(strstr(err.text, "connected, but no answer to ListQueues within 0.3 s"));
    channel_client_free(client);
    daemon_stop(daemon);
}

static void client_may_start_before_its_server(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;
    struct err err;
    char who[64];

    daemon_start(daemon);
    daemon_stop(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    assert_int_equal(daemon_ask(client, 50, who, &err), -ETIMEDOUT);
    daemon_start(daemon);
    expect_served(client, "alice");
    channel_client_free(client);
    daemon_stop(daemon);
}

static void clients_reconnect_to_a_server_that_was_restarted(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;
    uint64_t connection;

    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    expect_served(client, "alice");
    connection = daemon->connection;
    assert_int_equal(connection, 1);
    daemon_stop(daemon);
    daemon_start(daemon);
    expect_served(client, "alice");
    channel_client_free(client);
    daemon_stop(daemon);
}

static void a_request_survives_a_restart_of_the_server(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__WaitApp body = CREEL__WAIT_APP__INIT;
    struct err err = { 0 };

    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    body.app_id = (char *)(uintptr_t) "application_1_0001";
    request.body_case = CREEL__ENVELOPE__BODY_WAIT_APP;
    request.wait_app = &body;
    if (channel_client_call(client, &request, CALL_MS, &reply, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    wire_free(reply);
    channel_client_free(client);
    daemon_stop(daemon);
    assert_true(daemon->waits >= 2);
}

/* One client after another, as a command that lists many agents does. */
static void many_clients_in_a_row(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");

    daemon_start(daemon);
    for (int i = 0; i < 200; i++) {
        struct channel_client *client = daemon_connect(daemon, PORT_USERS, &user);

        if (i % 4 == 0)
            expect_served(client, "alice");
        channel_client_free(client);
    }
    daemon_stop(daemon);
}

static void never(void *context, const struct peer *peer, const Creel__Envelope *request)
{
    (void)context;
    (void)peer;
    (void)request;
    abort();
}

static void a_port_in_use_is_named_with_its_owner(void **state)
{
    struct daemon *daemon = *state;
    struct channel_server *server;
    struct gateway_pool *pool;
    struct loop *loop;
    char address[64], expected[64];
    struct err err;

    daemon_start(daemon);
    assert_int_equal(loop_new(&loop, NULL), 0);
    assert_int_equal(gateway_pool_new(loop, NULL, NULL, 1, &pool, NULL), 0);
    snprintf(address, sizeof(address), "127.0.0.1:%d", daemon->ports[PORT_USERS].number);
    assert_int_equal(
        channel_server_new(pool, address, ADMISSION_USERS, &daemon->own, never, NULL, &server, &err),
        -EADDRINUSE);
    snprintf(expected, sizeof(expected), "process %d: stop it or choose another port", (int)getpid());
    assert_true(strncmp(err.text, address, strlen(address)) == 0);
    assert_non_null(strstr(err.text, expected));
    assert_int_equal(channel_server_new(pool, "no.such.host.invalid:1", ADMISSION_USERS, &daemon->own, never,
                                        NULL, &server, &err),
                     -EADDRNOTAVAIL);
    assert_int_equal(
        channel_server_new(pool, "8032", ADMISSION_USERS, &daemon->own, never, NULL, &server, &err), -EINVAL);
    gateway_pool_free(pool);
    loop_free(loop);
    daemon_stop(daemon);
}

static void a_request_that_is_refused_gets_the_reason(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__KillApp kill_app = CREEL__KILL_APP__INIT;
    struct channel_client *client;
    struct err err;

    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    kill_app.app_id = (char *)(uintptr_t) "application_1_0001";
    request.body_case = CREEL__ENVELOPE__BODY_KILL_APP;
    request.kill_app = &kill_app;
    assert_int_equal(channel_client_call(client, &request, CALL_MS, &reply, &err), 0);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    assert_string_equal(reply->error->message, "alice may not kill application_1_0001");
    wire_free(reply);
    channel_client_free(client);
    daemon_stop(daemon);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, daemon_set_up, daemon_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(known_keys_are_served_by_their_name),
        TEST(keys_of_others_are_refused),
        TEST(wrong_server_key_is_reported),
        TEST(certificates_are_added_and_removed_at_run_time),
        TEST(server_without_keys_admits_no_peer),
        TEST(absent_server_is_reported),
        TEST(silent_server_is_reported),
        TEST(client_may_start_before_its_server),
        TEST(clients_reconnect_to_a_server_that_was_restarted),
        TEST(a_request_survives_a_restart_of_the_server),
        TEST(many_clients_in_a_row),
        TEST(a_port_in_use_is_named_with_its_owner),
        TEST(a_request_that_is_refused_gets_the_reason),
    };

    loop_socket_prepare_process();
    return cmocka_run_group_tests_name("io_channel", tests, NULL, NULL);
}
