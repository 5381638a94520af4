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
#include "common/io/channel/channel_socket.h"
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

/* --- long work on replies ------------------------------------------------------- */

enum { REPLIES = 6 };

struct busy {
    struct driven driven;
    int turns, turns_at_first;
};

static void count_turn(void *context)
{
    struct busy *busy = context;

    busy->turns++;
    loop_add_timer(busy->driven.loop, 0, count_turn, busy);
}

static void work_on_reply(void *context, const Creel__Envelope *reply)
{
    struct busy *busy = context;
    int64_t end_ms = loop_monotonic_ms() + CHANNEL_TURN_MS + 1;

    (void)reply;
    while (loop_monotonic_ms() < end_ms)
        continue;
    if (++busy->driven.replies == 1)
        busy->turns_at_first = busy->turns;
    if (busy->driven.replies == REPLIES)
        loop_stop(busy->driven.loop);
}

static void send_when_connected(void *context)
{
    struct busy *busy = context;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;
    int sent = 0;

    request.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    request.get_cluster_info = &body;
    for (request.request_id = 1; request.request_id <= REPLIES; request.request_id++)
        sent += channel_client_send(busy->driven.client, &request);
    if (sent == 0)
        loop_add_timer(busy->driven.loop, 10, send_when_connected, busy);
    else
        assert_int_equal(sent, REPLIES);
}

/* Other work of the loop has its turn between replies whose work is long. */
static void replies_do_not_hold_the_loop(void **state)
{
    struct busy busy = { .driven = { .daemon = *state } };
    struct key agent = daemon_key(busy.driven.daemon, KEY_AGENT, "n1");
    char address[64];

    daemon_start(busy.driven.daemon);
    assert_int_equal(loop_new(&busy.driven.loop, NULL), 0);
    snprintf(address, sizeof(address), "127.0.0.1:%d", busy.driven.daemon->ports[PORT_AGENTS].number);
    assert_int_equal(channel_client_new(busy.driven.loop, address, busy.driven.daemon->own.public_text,
                                        &agent, work_on_reply, &busy, &busy.driven.client, NULL),
                     0);
    send_when_connected(&busy);
    count_turn(&busy);
    loop_add_timer(busy.driven.loop, CALL_MS, too_late, &busy.driven);
    loop_run(busy.driven.loop);
    assert_true(busy.turns - busy.turns_at_first >= REPLIES - 1);
    channel_client_free(busy.driven.client);
    loop_free(busy.driven.loop);
    daemon_stop(busy.driven.daemon);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, daemon_set_up, daemon_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_driven_client_reconnects_and_keeps_nothing_for_later),
        TEST(a_driven_client_tries_again_after_a_refusal),
        TEST(replies_do_not_hold_the_loop),
    };

    loop_socket_prepare_process();
    return cmocka_run_group_tests_name("io_channel_driven", tests, NULL, NULL);
}
