/* SPDX-License-Identifier: Apache-2.0 */
/* io_gateway_hostile.c - test: peers that violate the ZMTP and CURVE protocols at byte level */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/hostile/raw_peer.h"
#include "tests/unit/io/io_daemon.h"
#include "common/io/loop/loop_socket.h"

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

/* libzmq aborts on pings behind full queues if the sender resets the connection. The daemon survives, and
 * refuses the sender after some tries. */
static void pings_behind_full_queues_end_no_daemon(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct raw_peer peer = stranger(daemon);
    struct channel_client *client;
    bool refused = false;

    daemon_start(daemon);
    for (int i = 0; i < 200 && !refused; i++) {
        if (raw_peer_open(&peer, daemon->ports[PORT_ANY].number))
            raw_peer_send_with_pings(&peer, 40);
        raw_peer_reset(&peer);
        refused = peer.refused;
    }
    assert_true(refused);
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

/* Sends a frame that announces SIZE bytes, without the last byte. */
static bool send_most_of_a_frame(struct raw_peer *peer, size_t size)
{
    scoped_free uint8_t *bytes = mem_alloc0(size + 8);

    bytes[0] = 6; /* flags of a long ZMTP command */
    for (int i = 0; i < 8; i++)
        bytes[1 + i] = (uint8_t)((uint64_t)size >> (56 - 8 * i));
    return raw_peer_write(peer, bytes, size + 8);
}

static void handshakes_that_are_too_long_are_cut(void **state)
{
    struct daemon *daemon = *state;
    struct raw_peer peer = stranger(daemon);

    daemon_start(daemon);
    for (int port = PORT_USERS; port <= PORT_ANY; port++) {
        assert_true(raw_peer_connect(&peer, daemon->ports[port].number));
        assert_true(raw_peer_greet(&peer));
        send_most_of_a_frame(&peer, 16 << 20);
        assert_true(raw_peer_wait_closed(&peer));
        raw_peer_close(&peer);
    }
    daemon_stop(daemon);
}

static void a_long_message_of_an_agent_is_not_read(void **state)
{
    struct daemon *daemon = *state;
    struct key agent = daemon_key(daemon, KEY_AGENT, "n1");
    scoped_free uint8_t *bytes = mem_array0(2, 1 << 20);
    struct raw_peer peer;

    daemon_start(daemon);
    raw_peer_init_with(&peer, daemon->own.public_text, agent.public_text, agent.secret_text);
    assert_true(raw_peer_open(&peer, daemon->ports[PORT_AGENTS].number));
    (void)raw_peer_send(&peer, 0, bytes, 2 << 20);
    assert_true(raw_peer_wait_closed(&peer));
    raw_peer_close(&peer);
    daemon_stop(daemon);
}

/* A handshake may be as long as a message; the bytes of all handshakes are bounded. */
static void handshakes_share_a_bound(void **state)
{
    enum { PEERS = 150 };
    struct daemon *daemon = *state;
    struct key agent = daemon_key(daemon, KEY_AGENT, "n1");
    struct channel_client *client;
    struct raw_peer peers[PEERS];
    unsigned open = 0;

    daemon_start(daemon);
    for (int i = 0; i < PEERS; i++) {
        peers[i] = stranger(daemon);
        assert_true(raw_peer_connect(&peers[i], daemon->ports[PORT_AGENTS].number));
        assert_true(raw_peer_greet(&peers[i]));
        send_most_of_a_frame(&peers[i], 1 << 20);
    }
    /* These handshakes would need 150 MiB; 128 MiB are allowed. */
    do {
        open = 0;
        for (int i = 0; i < PEERS; i++)
            open += raw_peer_is_open(&peers[i]);
    } while (open > 129);
    client = daemon_connect(daemon, PORT_AGENTS, &agent);
    expect_served(client, "n1");
    channel_client_free(client);
    for (int i = 0; i < PEERS; i++)
        raw_peer_close(&peers[i]);
    daemon_stop(daemon);
}

static void a_message_of_endless_frames_is_cut(void **state)
{
    enum { PIECE = 65536 };
    static const char zeros[PIECE];
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct raw_peer peer = stranger(daemon);
    struct channel_client *client;
    size_t sent = 0;

    daemon_start(daemon);
    assert_true(raw_peer_open(&peer, daemon->ports[PORT_ANY].number));
    while (sent < (size_t)4 << 30 && raw_peer_send(&peer, RAW_MORE, zeros, sizeof(zeros)))
        sent += sizeof(zeros);
    assert_true(sent < (size_t)1 << 30);
    raw_peer_close(&peer);
    client = daemon_connect(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    channel_client_free(client);
    daemon_stop(daemon);
}

static void slow_handshakes_are_cut(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct raw_peer slow = stranger(daemon), bare = stranger(daemon);
    struct channel_client *client;
    int64_t end_ms;

    daemon->limits.handshake_ms = 1000;
    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    assert_true(raw_peer_connect(&bare, daemon->ports[PORT_USERS].number));
    assert_true(raw_peer_connect(&slow, daemon->ports[PORT_USERS].number));
    end_ms = loop_monotonic_ms() + CALL_MS;
    /* One byte at a time: the greeting starts with 0xff and nine arbitrary bytes. */
    while (raw_peer_is_open(&slow) && loop_monotonic_ms() < end_ms) {
        raw_peer_write(&slow, slow.nonce++ == 0 ? "\xff" : "", 1);
        expect_served(client, "alice");
    }
    assert_false(raw_peer_is_open(&slow));
    assert_true(raw_peer_wait_closed(&bare));
    channel_client_free(client);
    raw_peer_close(&slow);
    raw_peer_close(&bare);
    daemon_stop(daemon);
}

static void connections_of_one_address_are_limited_by_choice(void **state)
{
    enum { PEERS = 12, MOST = 5 };
    struct daemon *daemon = *state;
    struct raw_peer peers[PEERS];
    unsigned open;

    daemon->limits.address_connections_max = MOST;
    daemon_start(daemon);
    for (int i = 0; i < PEERS; i++) {
        peers[i] = stranger(daemon);
        assert_true(raw_peer_connect(&peers[i], daemon->ports[PORT_USERS].number));
    }
    do {
        open = 0;
        for (int i = 0; i < PEERS; i++)
            open += raw_peer_is_open(&peers[i]);
    } while (open > MOST);
    assert_int_equal(open, MOST);
    for (int i = 0; i < PEERS; i++)
        raw_peer_close(&peers[i]);
    daemon_stop(daemon);
}

static void connections_of_one_key_are_limited(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice"), agent = daemon_key(daemon, KEY_AGENT, "n1");
    struct channel_client *clients[3], *agents[3];
    struct err err = { 0 };
    int64_t end_ms;
    char name[64];
    int r;

    daemon->limits.key_connections_max = 2;
    daemon_start(daemon);
    for (int i = 0; i < 3; i++) {
        agents[i] = daemon_connect(daemon, PORT_AGENTS, &agent);
        expect_served(agents[i], "n1");
        clients[i] = daemon_connect(daemon, PORT_USERS, &user);
        if (i < 2)
            expect_served(clients[i], "alice");
    }
    expect_refused(clients[2], -EACCES, "");
    channel_client_free(clients[0]);
    /* The daemon may not have noticed yet that a peer has closed. */
    end_ms = loop_monotonic_ms() + CALL_MS;
    do {
        channel_client_free(clients[2]);
        clients[2] = daemon_connect(daemon, PORT_USERS, &user);
        r = daemon_ask(clients[2], CALL_MS, name, &err);
    } while (r == -EACCES && loop_monotonic_ms() < end_ms);
    assert_int_equal(r, 0);
    channel_client_free(clients[1]);
    channel_client_free(clients[2]);
    for (int i = 0; i < 3; i++)
        channel_client_free(agents[i]);
    daemon_stop(daemon);
}

/* The strangers have connections, and never send anything. */
static void strangers_do_not_shut_out_peers_of_their_address(void **state)
{
    enum { MOST = 8 };
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice"), agent = daemon_key(daemon, KEY_AGENT, "n1");
    struct channel_client *clients[2];
    struct raw_peer peers[MOST];

    daemon->limits.address_connections_max = MOST;
    daemon_start(daemon);
    for (int i = 0; i < MOST; i++) {
        peers[i] = stranger(daemon);
        assert_true(raw_peer_connect(&peers[i], daemon->ports[PORT_AGENTS].number));
    }
    clients[0] = daemon_connect(daemon, PORT_AGENTS, &agent);
    clients[1] = daemon_connect(daemon, PORT_USERS, &user);
    expect_served(clients[0], "n1");
    expect_served(clients[1], "alice");
    assert_true(raw_peer_wait_closed(&peers[0])); /* the oldest */
    assert_true(raw_peer_is_open(&peers[MOST - 1]));
    for (int i = 0; i < MOST; i++) { /* more of them do not close a connection that has had a message */
        raw_peer_close(&peers[i]);
        assert_true(raw_peer_connect(&peers[i], daemon->ports[PORT_AGENTS].number));
    }
    expect_served(clients[0], "n1");
    expect_served(clients[1], "alice");
    channel_client_free(clients[0]);
    channel_client_free(clients[1]);
    for (int i = 0; i < MOST; i++)
        raw_peer_close(&peers[i]);
    daemon_stop(daemon);
}

static void a_client_without_a_connection_learns_the_reason(void **state)
{
    enum { MOST = 2 };
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *clients[MOST + 1];

    daemon->limits.address_connections_max = MOST;
    daemon_start(daemon);
    for (int i = 0; i < MOST; i++) {
        clients[i] = daemon_connect(daemon, PORT_USERS, &user);
        expect_served(clients[i], "alice");
    }
    clients[MOST] = daemon_connect(daemon, PORT_USERS, &user);
    expect_refused(clients[MOST], -EAGAIN, "the server has no free connection for the address of this host");
    for (int i = 0; i <= MOST; i++)
        channel_client_free(clients[i]);
    daemon_stop(daemon);
}

/* Must be the last test: it lowers a limit of this process permanently. */
static void connections_of_one_address_are_limited(void **state)
{
    enum { DESCRIPTORS = 2048, PEERS = 700, LEAST = 100 };
    const struct rlimit limit = { DESCRIPTORS, DESCRIPTORS };
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct raw_peer *peers = mem_array0(PEERS, sizeof(*peers));
    struct channel_client *client;
    unsigned closed;

    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    daemon_start(daemon);
    for (int i = 0; i < PEERS; i++) {
        peers[i] = stranger(daemon);
        assert_true(raw_peer_connect(&peers[i], daemon->ports[PORT_USERS].number));
    }
    do {
        closed = 0;
        for (int i = 0; i < PEERS; i++)
            closed += !raw_peer_is_open(&peers[i]);
    } while (closed < LEAST);
    for (int i = 0; i < PEERS; i++)
        raw_peer_close(&peers[i]);
    client = daemon_connect(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    channel_client_free(client);
    free(peers);
    daemon_stop(daemon);
}

/* Sends the opening of a Hadoop client to PORT, and returns the bytes that come until the daemon closes. */
static size_t ask_as_hadoop(int port, uint8_t *answer, size_t size)
{
    const struct timeval deadline = { .tv_sec = CALL_MS / 1000 };
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    scoped_fd int fd = socket(AF_INET, SOCK_STREAM, 0);
    size_t got = 0;
    ssize_t more;

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof(deadline)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    assert_int_equal(send(fd, "hrpc\x09\0\0", 7, 0), 7);
    assert_int_equal(send(fd, "\0\0\0\x02\x01\x01", 6, 0), 6);
    while ((more = recv(fd, answer + got, size - got, 0)) > 0)
        got += (size_t)more;
    assert_int_equal(more, 0);
    return got;
}

static bool has_text(const uint8_t *bytes, size_t size, const char *text)
{
    return memmem(bytes, size, text, strlen(text)) != NULL;
}

static void a_hadoop_program_learns_that_the_port_is_creels(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;
    uint8_t answer[4096];
    size_t size;

    daemon_start(daemon);
    for (unsigned i = 0; i < 3; i++) {
        size = ask_as_hadoop(daemon->ports[PORT_USERS].number, answer, sizeof(answer));
        assert_in_range(size, 5, sizeof(answer) - 1);
        /* one frame, with a header and nothing behind it */
        assert_int_equal(size - 4, answer[2] << 8 | answer[3]);
        assert_int_equal(size - 6, (answer[4] & 0x7f) | answer[5] << 7);
        assert_true(has_text(answer, size, "org.apache.hadoop.security.AccessControlException"));
        assert_true(has_text(answer, size, "this port has creel's own protocol"));
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
        TEST(a_hadoop_program_learns_that_the_port_is_creels),
        TEST(pings_behind_full_queues_end_no_daemon),
        TEST(random_bytes_after_each_stage_do_no_harm),
        TEST(handshakes_that_are_too_long_are_cut),
        TEST(handshakes_share_a_bound),
        TEST(a_long_message_of_an_agent_is_not_read),
        TEST(a_message_of_endless_frames_is_cut),
        TEST(slow_handshakes_are_cut),
        TEST(connections_of_one_address_are_limited_by_choice),
        TEST(connections_of_one_key_are_limited),
        TEST(strangers_do_not_shut_out_peers_of_their_address),
        TEST(a_client_without_a_connection_learns_the_reason),
        TEST(connections_of_one_address_are_limited),
    };

    loop_socket_prepare_process();
    return cmocka_run_group_tests_name("io_gateway_hostile", tests, NULL, NULL);
}
