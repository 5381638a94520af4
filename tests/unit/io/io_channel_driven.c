/* SPDX-License-Identifier: Apache-2.0 */
/* io_channel_driven.c - test: channel clients in an event loop, as agents and AMs use them */
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

/* A client driven by an event loop, as in an agent or an AM. */
struct driven {
    struct daemon *daemon;
    struct loop *loop;
    struct channel_client *client;
    int replies, unsent;
    bool restarted;
};

static void send_request(void *context)
{
    struct driven *driven = context;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    request.request_id = 5;
    request.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    request.get_cluster_info = &body;
    if (!channel_client_send(driven->client, &request))
        driven->unsent++;
    loop_add_timer(driven->loop, 20, send_request, driven);
}

static void on_reply(void *context, const Creel__Envelope *reply)
{
    struct driven *driven = context;

    assert_int_equal(reply->request_id, 5);
    assert_string_equal(reply->cluster_info->user, "n1");
    driven->replies++;
    if (driven->replies == 3 && !driven->restarted) {
        driven->restarted = true;
        daemon_stop(driven->daemon);
        daemon_start(driven->daemon);
    }
    if (driven->replies == 6)
        loop_stop(driven->loop);
}

static void too_late(void *context)
{
    struct driven *driven = context;

    fail_msg("%d replies within %d ms", driven->replies, CALL_MS);
}

static void a_driven_client_reconnects_and_keeps_nothing_for_later(void **state)
{
    struct driven driven = { .daemon = *state };
    struct key agent = daemon_key(driven.daemon, KEY_AGENT, "n1");
    char address[64];

    daemon_start(driven.daemon);
    daemon_stop(driven.daemon);
    assert_int_equal(loop_new(&driven.loop, NULL), 0);
    snprintf(address, sizeof(address), "127.0.0.1:%d", driven.daemon->ports[PORT_AGENTS].number);
    assert_int_equal(channel_client_new(driven.loop, address, driven.daemon->own.public_text, &agent,
                                        on_reply, &driven, &driven.client, NULL),
                     0);
    send_request(&driven);
    assert_int_equal(driven.unsent, 1); /* not connected yet */
    daemon_start(driven.daemon);
    loop_add_timer(driven.loop, CALL_MS, too_late, &driven);
    loop_run(driven.loop);
    channel_client_free(driven.client);
    loop_free(driven.loop);
    daemon_stop(driven.daemon);
}

static void add_certificate(void *context)
{
    struct driven *driven = context;

    assert_int_equal(key_make(driven->daemon->folder, KEY_AGENT, "n1", NULL), 0);
}

static void note_refusal(void *context)
{
    struct driven *driven = context;

    if (!channel_client_is_refused(driven->client)) {
        loop_add_timer(driven->loop, 10, note_refusal, driven);
        return;
    }
    assert_int_equal(channel_client_state(driven->client, NULL), -EACCES);
    add_certificate(driven);
}

static void a_driven_client_tries_again_after_a_refusal(void **state)
{
    struct driven driven = { .daemon = *state, .restarted = true };
    struct key agent = daemon_key(driven.daemon, KEY_AGENT, "n1");
    char text[128];

    snprintf(text, sizeof(text), "%s/agents/n1", driven.daemon->folder);
    assert_int_equal(unlink(text), 0);
    daemon_start(driven.daemon);
    assert_int_equal(loop_new(&driven.loop, NULL), 0);
    snprintf(text, sizeof(text), "127.0.0.1:%d", driven.daemon->ports[PORT_AGENTS].number);
    assert_int_equal(channel_client_new(driven.loop, text, driven.daemon->own.public_text, &agent, on_reply,
                                        &driven, &driven.client, NULL),
                     0);
    send_request(&driven);
    note_refusal(&driven);
    loop_add_timer(driven.loop, CALL_MS, too_late, &driven);
    loop_run(driven.loop);
    channel_client_free(driven.client);
    loop_free(driven.loop);
    daemon_stop(driven.daemon);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, daemon_set_up, daemon_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_driven_client_reconnects_and_keeps_nothing_for_later),
        TEST(a_driven_client_tries_again_after_a_refusal),
    };

    loop_socket_prepare_process();
    return cmocka_run_group_tests_name("io_channel_driven", tests, NULL, NULL);
}
