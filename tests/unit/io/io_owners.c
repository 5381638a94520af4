/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_owners.c - test: replies that nobody reads are bounded by user and by host, for each kind of request
 *
 * The server has a pool without gateways: the test plays the gateway, and so all peers. Nothing that is
 * sent is confirmed, as if no peer read anything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/keys/z85.h"
#include "common/io/server/gateway_pool.h"
#include "tests/unit/io/io_sample.h"

#define CONNECTIONS 40u /* of the user who does not read, each with another key */
#define REQUESTS 40u    /* on each connection */

struct stage {
    struct loop *loop;
    struct gateway_pool *pool;
    struct channel_server *server;
    struct key own;
    size_t answer_size;
    char user[16];         /* that was found last */
    unsigned served, lost; /* requests that the server got, answers that were dropped */
};

/* Answers each request with ANSWER_SIZE bytes. */
static void serve(void *context, const struct peer *peer, const Creel__Envelope *request)
{
    struct stage *stage = context;
    scoped_free uint8_t *data = mem_array0(stage->answer_size + 1, 1);
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__BlobChunk chunk = CREEL__BLOB_CHUNK__INIT;

    stage->served++;
    if (channel_server_may_answer(stage->server, peer->connection, request->body_case, NULL) < 0)
        return; /* it waits */
    chunk.size_bytes = chunk.data.len = stage->answer_size;
    chunk.data.data = data;
    reply.request_id = request->request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_BLOB_CHUNK;
    reply.blob_chunk = &chunk;
    stage->lost += !channel_server_send(stage->server, peer->connection, &reply);
}

/* The first byte of a key is the number of its user. */
static const char *find_owner(void *context, const char *public_text)
{
    struct stage *stage = context;
    uint8_t key[32];

    assert_true(z85_decode(public_text, key, sizeof(key)));
    snprintf(stage->user, sizeof(stage->user), "user%u", key[0]);
    return stage->user;
}

static enum key_lookup find_key(void *context, const char *public_text, bool connected)
{
    (void)context;
    (void)public_text;
    (void)connected;
    return KEY_LOOKUP_KNOWN;
}

static int set_up(void **state)
{
    struct stage *stage = mem_new0(struct stage);

    key_generate(&stage->own);
    assert_int_equal(loop_new(&stage->loop, NULL), 0);
    assert_int_equal(gateway_pool_new(stage->loop, NULL, NULL, 0, &stage->pool, NULL), 0);
    gateway_pool_set_lookup(stage->pool, find_key, stage);
    gateway_pool_set_owners(stage->pool, find_owner, stage);
    assert_int_equal(channel_server_new(stage->pool, "127.0.0.1:0", ADMISSION_LOOKUP, &stage->own, serve,
                                        stage, &stage->server, NULL),
                     0);
    *state = stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;

    channel_server_free(stage->server);
    gateway_pool_free(stage->pool);
    loop_free(stage->loop);
    free(stage);
    return 0;
}

/* Opens connection NUMBER with key SERIAL of USER. */
static void open_connection(struct stage *stage, uint8_t user, uint8_t serial, uint64_t number)
{
    const struct gateway_peer peer = { .key = { user, serial }, .address = "10.0.0.1" };
    const struct gateway_header open = { .type = GATEWAY_OPEN, .connection = number, .size = sizeof(peer) };

    assert_true(gateway_pool_receive(stage->pool, 0, &open, (const uint8_t *)&peer));
}

static void close_connection(struct stage *stage, uint64_t number)
{
    const struct gateway_header closed = { .type = GATEWAY_CLOSED, .connection = number };

    assert_true(gateway_pool_receive(stage->pool, 0, &closed, NULL));
}

/* Sends a request with the body BODY on connection NUMBER. */
static void ask(struct stage *stage, uint32_t body, uint64_t number)
{
    Creel__Envelope *request = sample_envelope(body);
    size_t size;
    scoped_free uint8_t *bytes = sample_pack(request, &size);
    const struct gateway_header message = {
        .type = GATEWAY_MESSAGE, .connection = number, .count = 1, .size = (uint32_t)size
    };

    assert_true(gateway_pool_receive(stage->pool, 0, &message, bytes));
    sample_free(request);
}

static size_t unread_kib(const struct stage *stage)
{
    return gateway_pool_unread(stage->pool).used_kib;
}

/* User 1 sends requests of kind BODY on many connections with many keys, and reads nothing. Then user 0
 * sends one. */
static void flood(struct stage *stage, uint32_t body)
{
    const size_t most_kib = (GATEWAY_OWNER_WAITING_MAX >> 10) + 1;
    unsigned served;

    for (uint8_t i = 0; i < CONNECTIONS; i++)
        open_connection(stage, 1, i, i);
    for (unsigned i = 0; i < CONNECTIONS * REQUESTS; i++)
        ask(stage, body, i % CONNECTIONS);
    if (unread_kib(stage) > most_kib)
        fail_msg("requests with body %u: %zu KiB are not read, of one user", body, unread_kib(stage));
    assert_true(gateway_pool_unread(stage->pool).refused_owner > 0 ||
                unread_kib(stage) <= GATEWAY_OWNER_BULK_MAX >> 10);
    open_connection(stage, 0, 0, 1000);
    served = stage->served;
    ask(stage, body, 1000);
    if (stage->served != served + 1)
        fail_msg("requests with body %u: those of another user are refused", body);
    close_connection(stage, 1000);
    for (unsigned i = 0; i < CONNECTIONS; i++)
        close_connection(stage, i);
    assert_int_equal(unread_kib(stage), 0);
}

static void each_kind_of_request_costs_a_user_so_much(void **state)
{
    struct stage *stage = *state;
    uint32_t body;

    stage->answer_size = 256 << 10;
    for (unsigned i = 0; (body = sample_body(i)) != 0; i++)
        flood(stage, body);
}

/* What comes over the limit is not worked for: it is refused before. */
static void long_answers_are_not_made_for_a_user_who_does_not_read(void **state)
{
    struct stage *stage = *state;

    stage->answer_size = 1 << 20;
    for (uint8_t i = 0; i < CONNECTIONS; i++)
        open_connection(stage, 1, i, i);
    for (unsigned i = 0; i < CONNECTIONS * REQUESTS; i++)
        ask(stage, CREEL__ENVELOPE__BODY_LIST_APPS, i % CONNECTIONS);
    assert_in_range(stage->served, GATEWAY_OWNER_UNREAD_MAX >> 20, (GATEWAY_OWNER_UNREAD_MAX >> 20) + 2);
    assert_int_equal(gateway_pool_unread(stage->pool).refused_owner, CONNECTIONS * REQUESTS - stage->served);
}

/* Contents of files leave room for the heartbeats and lists of the same user. */
static void files_leave_room_for_other_answers(void **state)
{
    struct stage *stage = *state;
    unsigned served;

    stage->answer_size = 1 << 20;
    for (uint8_t i = 0; i < CONNECTIONS; i++)
        open_connection(stage, 1, i, i);
    for (unsigned i = 0; i < CONNECTIONS; i++)
        ask(stage, CREEL__ENVELOPE__BODY_GET_BLOB, i);
    assert_in_range(unread_kib(stage), GATEWAY_OWNER_BULK_MAX >> 10, (GATEWAY_OWNER_BULK_MAX >> 10) + 1100);
    served = stage->served;
    ask(stage, CREEL__ENVELOPE__BODY_ALLOCATE, 3);
    assert_int_equal(stage->served, served + 1);
}

/* Answers to queries that a user does not read do not end the attempts of the user; nor does a log that is
 * read slowly end a command in a container. */
static void queries_leave_room_for_attempts(void **state)
{
    static const uint32_t alive[] = { CREEL__ENVELOPE__BODY_ALLOCATE, CREEL__ENVELOPE__BODY_REGISTER_AM,
                                      CREEL__ENVELOPE__BODY_HEARTBEAT, CREEL__ENVELOPE__BODY_REGISTER_NODE };
    struct stage *stage = *state;
    unsigned served;

    stage->answer_size = 1 << 20;
    for (uint8_t i = 0; i < CONNECTIONS; i++)
        open_connection(stage, 1, i, i);
    for (unsigned i = 0; i < CONNECTIONS; i++)
        ask(stage, CREEL__ENVELOPE__BODY_GET_BLOB, i);
    served = stage->served;
    ask(stage, CREEL__ENVELOPE__BODY_READ_EXEC, 3);
    assert_int_equal(stage->served, served + 1);
    for (unsigned i = 0; i < CONNECTIONS * REQUESTS; i++)
        ask(stage, CREEL__ENVELOPE__BODY_LIST_APPS, i % CONNECTIONS);
    for (size_t i = 0; i < sizeof(alive) / sizeof(*alive); i++) {
        served = stage->served;
        ask(stage, alive[i], 3);
        assert_int_equal(stage->served, served + 1);
    }
    assert_int_equal(stage->lost, 0);
}

/* However many users do not read, another one gets its answer. */
static void users_who_do_not_read_leave_room_for_others(void **state)
{
    struct stage *stage = *state;
    unsigned served;

    stage->answer_size = 1 << 20;
    for (uint8_t user = 1; user <= 100; user++)
        open_connection(stage, (uint8_t)(2 * user + 1), 0, user);
    for (unsigned i = 0; i < 100 * REQUESTS; i++)
        ask(stage, CREEL__ENVELOPE__BODY_LIST_APPS, 1 + i % 100);
    open_connection(stage, 0, 0, 1000);
    served = stage->served;
    ask(stage, CREEL__ENVELOPE__BODY_LIST_APPS, 1000);
    assert_int_equal(stage->served, served + 1);
    assert_int_equal(stage->lost, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_kind_of_request_costs_a_user_so_much),
        TEST(long_answers_are_not_made_for_a_user_who_does_not_read),
        TEST(files_leave_room_for_other_answers),
        TEST(queries_leave_room_for_attempts),
        TEST(users_who_do_not_read_leave_room_for_others),
    };

    return cmocka_run_group_tests_name("io_owners", tests, NULL, NULL);
}
