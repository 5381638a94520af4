/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_channel_bounds.c - test: bounds on the memory that one peer can make a server use
 *
 * The server runs in the test's own thread, so that the test decides when the server reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <czmq.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/server/gateway_frame.h"
#include "tests/unit/io/io_daemon.h"
#include "common/io/loop/loop_socket.h"

struct stage {
    struct loop *loop;
    struct keys *keys;
    struct gateway_pool *pool;
    struct channel_server *server;
    struct key own;
    unsigned asked, sent, wanted; /* wanted: count at which the loop stops */
    unsigned read, read_before;
    int timer;
    zsock_t *sock;
    void *raw;
};

static void give_up(void *context)
{
    (void)context;
    fail_msg("the server heard nothing");
}

/* Answers each request with one megabyte. */
static void serve(void *context, const struct peer *peer, const Creel__Envelope *request)
{
    struct stage *stage = context;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__LogChunk chunk = CREEL__LOG_CHUNK__INIT;
    scoped_free uint8_t *data = mem_alloc0(WIRE_CHUNK_MAX);

    chunk.data.len = WIRE_CHUNK_MAX;
    chunk.data.data = data;
    reply.request_id = request->request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_LOG_CHUNK;
    reply.log_chunk = &chunk;
    stage->sent += channel_server_send(stage->server, peer->connection, &reply);
    if (++stage->asked == stage->wanted && stage->timer == 0)
        loop_stop(stage->loop);
}

static void run_until(struct stage *stage, unsigned wanted)
{
    int timer = loop_add_timer(stage->loop, CALL_MS, give_up, stage);

    stage->wanted = wanted;
    loop_run(stage->loop);
    loop_cancel_timer(stage->loop, timer);
}

static void set(void *socket, int option, int value)
{
    assert_int_equal(zmq_setsockopt(socket, option, &value, sizeof(value)), 0);
}

/* SEND_MOST: number of messages in the send queue. It must be set before the connect: ZeroMQ does not
 * always notice free space if the limit was changed later. */
static void begin(struct stage *stage, struct daemon *daemon, int send_most)
{
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    char endpoint[64];

    *stage = (struct stage){ .asked = 0 };
    key_generate(&stage->own);
    assert_int_equal(loop_new(&stage->loop, NULL), 0);
    assert_int_equal(keys_open(daemon->folder, &stage->keys, NULL), 0);
    assert_int_equal(gateway_pool_new(stage->loop, stage->keys, NULL, 1, &stage->pool, NULL), 0);
    assert_int_equal(channel_server_new(stage->pool, "127.0.0.1:0", ADMISSION_USERS, &stage->own, serve,
                                        stage, &stage->server, NULL),
                     0);
    stage->sock = zsock_new(ZMQ_DEALER);
    stage->raw = zsock_resolve(stage->sock);
    zsock_set_curve_serverkey(stage->sock, stage->own.public_text);
    zsock_set_curve_publickey(stage->sock, user.public_text);
    zsock_set_curve_secretkey(stage->sock, user.secret_text);
    set(stage->raw, ZMQ_RCVHWM, 1);
    set(stage->raw, ZMQ_SNDHWM, send_most);
    set(stage->raw, ZMQ_RCVBUF, 65536);
    set(stage->raw, ZMQ_LINGER, 0);
    snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%d", channel_server_port(stage->server));
    assert_int_equal(zmq_connect(stage->raw, endpoint), 0);
}

static void end(struct stage *stage)
{
    zsock_destroy(&stage->sock);
    channel_server_free(stage->server);
    gateway_pool_free(stage->pool);
    keys_free(stage->keys);
    loop_free(stage->loop);
}

static void ask(struct stage *stage)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__NewApp body = CREEL__NEW_APP__INIT;
    scoped_free uint8_t *bytes = NULL;
    size_t size;

    request.request_id = 1;
    request.body_case = CREEL__ENVELOPE__BODY_NEW_APP;
    request.new_app = &body;
    wire_encode(&request, &bytes, &size);
    assert_true(zmq_send(stage->raw, bytes, size, 0) >= 0);
}

static void read_one(void *context)
{
    struct stage *stage = context;
    zmq_msg_t message;

    zmq_msg_init(&message);
    assert_true(zmq_msg_recv(&message, stage->raw, 0) >= (int)WIRE_CHUNK_MAX);
    zmq_msg_close(&message);
    stage->read++;
}

static void stop_if_silent(void *context)
{
    struct stage *stage = context;

    if (stage->read == stage->read_before && stage->read >= stage->wanted)
        loop_stop(stage->loop);
    stage->read_before = stage->read;
    stage->timer = loop_add_timer(stage->loop, SILENCE_MS, stop_if_silent, stage);
}

/* Reads complete answers until there are LEAST and no more arrive. Returns their number. */
static unsigned read_all(struct stage *stage, unsigned least)
{
    struct loop_socket *watch = loop_socket_add(stage->loop, stage->raw, read_one, stage);

    stage->read = stage->read_before = 0;
    stop_if_silent(stage);
    run_until(stage, least);
    loop_cancel_timer(stage->loop, stage->timer);
    stage->timer = 0;
    loop_socket_remove(watch);
    return stage->read;
}

static void a_peer_that_does_not_read_costs_so_much(void **state)
{
    enum { ASKED = 200 };
    struct stage stage;

    begin(&stage, *state, ASKED + 1);
    for (unsigned i = 0; i < ASKED; i++)
        ask(&stage);
    run_until(&stage, ASKED);
    /* Bytes in the kernel's buffers and at the peer do not count. */
    assert_in_range(stage.sent, 10, (GATEWAY_OWNER_WAITING_MAX >> 20) + 30);
    assert_int_equal(read_all(&stage, stage.sent), stage.sent);
    ask(&stage); /* there is space for one more request */
    run_until(&stage, ASKED + 1);
    assert_int_equal(read_all(&stage, 1), 1);
    end(&stage);
}

static void a_peer_that_floods_costs_so_much(void **state)
{
    enum { LENGTH = 1 << 20 };
    scoped_free char *nonsense = mem_alloc0(LENGTH);
    struct stage stage;
    zmq_pollitem_t item;
    unsigned sent = 0;

    begin(&stage, *state, 1);
    ask(&stage);
    run_until(&stage, 1); /* connected; from this point on no answer is read */
    item = (zmq_pollitem_t){ stage.raw, -1, ZMQ_POLLOUT, 0 };
    while (sent < 100 && zmq_poll(&item, 1, sent < 1 ? CALL_MS : SILENCE_MS) > 0) {
        assert_true(zmq_send(stage.raw, nonsense, LENGTH, ZMQ_DONTWAIT) >= 0);
        sent++;
    }
    /* The rest is in buffers of the kernel and of the peer, which are larger on a busy machine. */
    assert_in_range(sent, 1, 60);
    end(&stage);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, daemon_set_up, daemon_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_peer_that_does_not_read_costs_so_much),
        TEST(a_peer_that_floods_costs_so_much),
    };

    loop_socket_prepare_process();
    return cmocka_run_group_tests_name("io_channel_bounds", tests, NULL, NULL);
}
