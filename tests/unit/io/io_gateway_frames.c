/* SPDX-License-Identifier: Apache-2.0 */
/* io_gateway_frames.c - test: a compromised gateway process cannot harm the daemon */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/server/gateway_link.h"
#include "common/io/server/gateway_pool.h"

struct stage {
    struct loop *loop;
    struct gateway_pool *pool;
    struct channel_server *server, *users;
    struct key own;
    unsigned requests;
    uint64_t connection; /* connection of the last request */
    bool free_server;    /* the next request frees the server */
};

static void serve(void *context, const struct peer *peer, const Creel__Envelope *request)
{
    struct stage *stage = context;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Ok ok = CREEL__OK__INIT;

    stage->requests++;
    stage->connection = peer->connection;
    reply.request_id = request->request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_OK;
    reply.ok = &ok;
    channel_server_send(stage->server, peer->connection, &reply);
    if (!stage->free_server)
        return;
    channel_server_free(stage->server);
    stage->server = NULL;
}

/* Makes a pool without gateways: port 0 admits any key, port 1 admits users, and there are no users. */
static int set_up(void **state)
{
    struct stage *stage = mem_new0(struct stage);

    key_generate(&stage->own);
    assert_int_equal(loop_new(&stage->loop, NULL), 0);
    assert_int_equal(gateway_pool_new(stage->loop, NULL, NULL, 0, &stage->pool, NULL), 0);
    assert_int_equal(channel_server_new(stage->pool, "127.0.0.1:0", ADMISSION_ANY, &stage->own, serve, stage,
                                        &stage->server, NULL),
                     0);
    assert_int_equal(channel_server_new(stage->pool, "127.0.0.1:0", ADMISSION_USERS, &stage->own, serve,
                                        stage, &stage->users, NULL),
                     0);
    *state = stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;

    channel_server_free(stage->server);
    channel_server_free(stage->users);
    gateway_pool_free(stage->pool);
    loop_free(stage->loop);
    free(stage);
    return 0;
}

static bool receive(struct stage *stage, struct gateway_header header, const void *payload, size_t size)
{
    header.size = (uint32_t)size;
    return gateway_pool_receive(stage->pool, 0, &header, payload);
}

static bool open_as(struct stage *stage, uint8_t key, uint8_t port, uint64_t number)
{
    const struct gateway_peer peer = { .key = { key }, .address = "10.0.0.1" };

    return receive(stage, (struct gateway_header){ .type = GATEWAY_OPEN, .port = port, .connection = number },
                   &peer, sizeof(peer));
}

static bool open_connection(struct stage *stage, uint8_t port, uint64_t number)
{
    return open_as(stage, 1, port, number);
}

static bool send_request(struct stage *stage, uint64_t number, uint16_t count)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__NewApp body = CREEL__NEW_APP__INIT;
    scoped_free uint8_t *bytes = NULL;
    size_t size;

    request.request_id = 1;
    request.body_case = CREEL__ENVELOPE__BODY_NEW_APP;
    request.new_app = &body;
    wire_encode(&request, &bytes, &size);
    return receive(stage,
                   (struct gateway_header){ .type = GATEWAY_MESSAGE, .connection = number, .count = count },
                   bytes, size);
}

static void frames_that_break_the_protocol_are_refused(void **state)
{
    static const uint8_t zeros[1024];
    const struct gateway_peer endless = { .address = { [0 ... GATEWAY_ADDRESS_MAX - 1] = 'x' } };
    static const struct {
        struct gateway_header header;
        size_t size;
    } wrong[] = {
        { { .type = 0 }, 0 },
        { { .type = GATEWAY_SEND, .connection = 7 }, 3 }, /* only the daemon may send this */
        { { .type = GATEWAY_HELLO }, sizeof(struct gateway_hello) },
        { { .type = 255 }, 0 },
        { { .type = GATEWAY_AUTH }, 0 },
        { { .type = GATEWAY_AUTH }, sizeof(struct gateway_peer) + 1 },
        { { .type = GATEWAY_AUTH, .port = GATEWAY_PORTS_MAX }, sizeof(struct gateway_peer) },
        { { .type = GATEWAY_OPEN, .port = 200, .connection = 9 }, sizeof(struct gateway_peer) },
        { { .type = GATEWAY_OPEN, .connection = 9 }, 3 },
        { { .type = GATEWAY_OPEN, .connection = 7 }, sizeof(struct gateway_peer) }, /* already open */
        { { .type = GATEWAY_MESSAGE, .connection = 7, .count = 0 }, 0 },
        { { .type = GATEWAY_MESSAGE, .connection = 7, .count = 2 }, 1 },
        { { .type = GATEWAY_SENT, .connection = 7 }, 4 },
        { { .type = GATEWAY_CLOSED, .connection = 99 }, 1 },
        { { .type = GATEWAY_LOG }, 501 },
        { { .type = GATEWAY_COUNTS }, sizeof(struct gateway_counts) - 1 },
    };
    struct stage *stage = *state;

    assert_true(open_connection(stage, 0, 7));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (receive(stage, wrong[i].header, zeros, wrong[i].size))
            fail_msg("row %zu was taken", i);
    assert_false(receive(stage, (struct gateway_header){ .type = GATEWAY_OPEN, .connection = 9 }, &endless,
                         sizeof(endless)));
    assert_int_equal(stage->requests, 0);
}

static void more_bytes_than_were_sent_cannot_be_confirmed(void **state)
{
    struct stage *stage = *state;
    const struct gateway_header sent = { .type = GATEWAY_SENT, .connection = 7 };
    uint64_t bytes = 1;

    assert_true(open_connection(stage, 0, 7));
    assert_false(receive(stage, sent, &bytes, sizeof(bytes)));
    assert_true(send_request(stage, 7, 1));
    assert_int_equal(stage->requests, 1);
    assert_true(receive(stage, sent, &bytes, sizeof(bytes)));
    bytes = UINT64_MAX;
    assert_false(receive(stage, sent, &bytes, sizeof(bytes)));
}

/* Returns the server's number of the connection that has NUMBER at the gateway. */
static uint64_t opened(struct stage *stage, uint8_t key, uint64_t number)
{
    assert_true(open_as(stage, key, 0, number));
    assert_true(send_request(stage, number, 1));
    return stage->connection;
}

/* Sends replies of 1 MiB to CONNECTION until one is refused. Returns the number accepted. */
static unsigned fill(struct stage *stage, uint64_t connection)
{
    scoped_free uint8_t *data = mem_array0(WIRE_CHUNK_MAX, 1);
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__BlobChunk chunk = CREEL__BLOB_CHUNK__INIT;
    unsigned count = 0;

    chunk.size_bytes = chunk.data.len = WIRE_CHUNK_MAX;
    chunk.data.data = data;
    reply.request_id = 1;
    reply.body_case = CREEL__ENVELOPE__BODY_BLOB_CHUNK;
    reply.blob_chunk = &chunk;
    while (count < 10000 && channel_server_send(stage->server, connection, &reply))
        count++;
    return count;
}

static void unread_bytes_of_one_key_are_limited(void **state)
{
    const struct gateway_header closed = { .type = GATEWAY_CLOSED, .connection = 7 };
    const unsigned most = GATEWAY_OWNER_WAITING_MAX / WIRE_CHUNK_MAX;
    struct stage *stage = *state;
    uint64_t first = opened(stage, 1, 7), second = opened(stage, 1, 8), other = opened(stage, 2, 9);

    assert_in_range(fill(stage, first), most - 1, most);
    assert_int_equal(fill(stage, second), 0);
    assert_in_range(fill(stage, other), most - 1, most);
    assert_true(receive(stage, closed, NULL, 0));
    assert_in_range(fill(stage, second), most - 1, most);
}

/* The last ones get less than those before them, and each gets something. */
static void unread_bytes_of_all_keys_are_limited(void **state)
{
    const unsigned most = GATEWAY_USERS_WAITING_MAX / WIRE_CHUNK_MAX;
    struct stage *stage = *state;
    unsigned count = 0;

    for (uint8_t key = 1; key <= 12; key++) {
        unsigned got = fill(stage, opened(stage, key, key));

        assert_true(got > 0);
        count += got;
    }
    assert_in_range(count, most * 3 / 4, most);
}

static void a_key_that_is_not_known_opens_nothing(void **state)
{
    struct stage *stage = *state;

    /* The gateway claims that the client was admitted. */
    assert_true(open_connection(stage, 1, 7));
    assert_true(send_request(stage, 7, 1));
    assert_int_equal(stage->requests, 0);
}

static void frames_about_connections_that_are_gone_do_no_harm(void **state)
{
    struct stage *stage = *state;
    const struct gateway_header closed = { .type = GATEWAY_CLOSED, .connection = 7 };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    uint64_t bytes = 5;

    assert_true(send_request(stage, 7, 1));
    assert_true(open_connection(stage, 0, 7));
    assert_true(send_request(stage, 7, 1));
    assert_true(receive(stage, closed, NULL, 0));
    assert_true(receive(stage, closed, NULL, 0));
    assert_true(send_request(stage, 7, 1));
    assert_true(receive(stage, (struct gateway_header){ .type = GATEWAY_SENT, .connection = 7 }, &bytes,
                        sizeof(bytes)));
    assert_int_equal(stage->requests, 1);
    assert_false(channel_server_send(stage->server, stage->connection, &envelope));
}

static void a_server_may_be_freed_while_it_serves(void **state)
{
    struct stage *stage = *state;

    assert_true(open_connection(stage, 0, 7));
    assert_true(open_connection(stage, 0, 8));
    stage->free_server = true;
    assert_true(send_request(stage, 7, 1));
    assert_true(send_request(stage, 7, 1));
    assert_true(send_request(stage, 8, 1));
    assert_int_equal(stage->requests, 1);
    assert_true(open_connection(stage, 0, 9)); /* no server on this port: dropped */
    assert_true(send_request(stage, 9, 1));
    assert_int_equal(stage->requests, 1);
}

/* --- the byte stream ------------------------------------------------------------- */

struct seen {
    unsigned frames;
    size_t bytes;
    unsigned refuse_at;
};

static bool count(void *context, const struct gateway_header *header, const uint8_t *payload)
{
    struct seen *seen = context;

    seen->frames++;
    seen->bytes += header->size;
    for (uint32_t i = 0; i < header->size; i++)
        assert_int_equal(payload[i], (uint8_t)(header->connection + i));
    return seen->frames != seen->refuse_at;
}

static void frames_of_all_lengths_arrive(void **state)
{
    static const size_t sizes[] = {
        0, 1, 15, 16, 17, 65519, 65520, 65521, 1 << 20, 5, GATEWAY_PAYLOAD_MAX, 0,
    };
    enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
    scoped_free uint8_t *bytes = mem_alloc(GATEWAY_PAYLOAD_MAX + COUNT);
    struct gateway_link *from, *to;
    struct seen seen = { 0 };
    size_t total = 0;
    int pair[2], r;

    (void)state;
    for (size_t i = 0; i < GATEWAY_PAYLOAD_MAX + COUNT; i++)
        bytes[i] = (uint8_t)i;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    from = gateway_link_new(pair[0], false);
    to = gateway_link_new(pair[1], true);
    for (size_t i = 0; i < COUNT; i++) {
        const struct gateway_header header = { .type = GATEWAY_MESSAGE, .connection = i };

        gateway_link_put(from, header, bytes + i, sizes[i]);
        total += sizes[i];
    }
    assert_int_equal(gateway_link_queued(from), total + COUNT * sizeof(struct gateway_header));
    do {
        r = gateway_link_flush(from);
        assert_int_equal(gateway_link_read(to, count, &seen), 0);
    } while (r == -EAGAIN || seen.frames < COUNT);
    assert_int_equal(seen.frames, COUNT);
    assert_int_equal(seen.bytes, total);
    assert_int_equal(gateway_link_queued(from), 0);
    gateway_link_free(from);
    assert_int_equal(gateway_link_read(to, count, &seen), -EPIPE);
    gateway_link_free(to);
}

static void descriptors_arrive_with_their_frames(void **state)
{
    struct gateway_link *from, *to;
    struct seen seen = { 0 };
    int pair[2], files[2], fd;
    char byte;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(pipe(files), 0);
    from = gateway_link_new(pair[0], false);
    to = gateway_link_new(pair[1], true);
    gateway_link_put(from, (struct gateway_header){ .type = GATEWAY_SETUP }, NULL, 0);
    gateway_link_put_fd(from, (struct gateway_header){ .type = GATEWAY_LISTEN }, NULL, 0, files[1]);
    gateway_link_put(from, (struct gateway_header){ .type = GATEWAY_DROP }, NULL, 0);
    close(files[1]);
    assert_int_equal(gateway_link_flush(from), 0);
    while (seen.frames < 3)
        assert_int_equal(gateway_link_read(to, count, &seen), 0);
    fd = gateway_link_pop_fd(to);
    assert_true(fd >= 0);
    assert_int_equal(gateway_link_pop_fd(to), -1);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(read(files[0], &byte, 1), 1);
    /* The daemon accepts no file descriptor from a gateway. */
    gateway_link_put_fd(to, (struct gateway_header){ .type = GATEWAY_LOG }, NULL, 0, fd);
    assert_int_equal(gateway_link_flush(to), 0);
    close(fd);
    assert_int_equal(gateway_link_read(from, count, &seen), 0);
    assert_int_equal(gateway_link_pop_fd(from), -1);
    assert_int_equal(read(files[0], &byte, 1), 0);
    close(files[0]);
    gateway_link_free(from);
    gateway_link_free(to);
}

static void frames_that_are_too_long_end_the_link(void **state)
{
    const struct gateway_header header = { .type = GATEWAY_MESSAGE, .size = GATEWAY_PAYLOAD_MAX + 1 };
    struct gateway_link *link;
    struct seen seen = { 0 };
    int pair[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    link = gateway_link_new(pair[0], false);
    assert_int_equal(write(pair[1], &header, sizeof(header)), sizeof(header));
    assert_int_equal(gateway_link_read(link, count, &seen), -EBADMSG);
    close(pair[1]);
    gateway_link_free(link);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(frames_that_break_the_protocol_are_refused),
        TEST(more_bytes_than_were_sent_cannot_be_confirmed),
        TEST(unread_bytes_of_one_key_are_limited),
        TEST(unread_bytes_of_all_keys_are_limited),
        TEST(a_key_that_is_not_known_opens_nothing),
        TEST(frames_about_connections_that_are_gone_do_no_harm),
        TEST(a_server_may_be_freed_while_it_serves),
        cmocka_unit_test(frames_of_all_lengths_arrive),
        cmocka_unit_test(descriptors_arrive_with_their_frames),
        cmocka_unit_test(frames_that_are_too_long_end_the_link),
    };

    return cmocka_run_group_tests_name("io_gateway_frames", tests, NULL, NULL);
}
