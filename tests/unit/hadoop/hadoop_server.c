/* SPDX-License-Identifier: Apache-2.0 */
/* hadoop_server.c - test: limits of the connections of clients of Hadoop's RPC */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "hadoop/net/methods.h"
#include "hadoop/net/server.h"

#define DEADLINE_MS 20000

struct stage {
    struct loop *loop;
    struct hadoop_server *server;
    bool admits;
    int64_t end_ms;
    int fd; /* a client; the loop runs until it has something to read */
};

static bool admit(void *context, const struct hadoop_ends *ends, char reason[HADOOP_REASON_MAX])
{
    const struct stage *stage = context;

    (void)ends;
    snprintf(reason, HADOOP_REASON_MAX, "not from there");
    return stage->admits;
}

static bool identify(void *context, const struct hadoop_ends *ends, const struct hadoop_claim *claim,
                     char user[HADOOP_NAME_MAX], char reason[HADOOP_REASON_MAX])
{
    (void)context;
    (void)ends;
    (void)reason;
    memcpy(user, claim->effective_user, HADOOP_NAME_MAX);
    return *user != '\0';
}

static void start(struct stage *stage, struct hadoop_limits limits)
{
    const struct hadoop_service service = {
        .context = stage, .admit = admit, .identify = identify, .call = methods_call
    };

    *stage = (struct stage){ .admits = true, .fd = -1 };
    assert_int_equal(loop_new(&stage->loop, NULL), 0);
    assert_int_equal(hadoop_server_new(stage->loop, "127.0.0.1:0", &service, &limits, &stage->server, NULL),
                     0);
}

static void stop(struct stage *stage)
{
    hadoop_server_free(stage->server);
    loop_free(stage->loop);
}

static int connect_client(const struct stage *stage)
{
    struct sockaddr_in to = { .sin_family = AF_INET };
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons((uint16_t)hadoop_server_port(stage->server));
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static void check(void *context)
{
    struct stage *stage = context;
    char byte;
    ssize_t got = recv(stage->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    if ((got >= 0 || errno != EAGAIN) || loop_monotonic_ms() > stage->end_ms)
        loop_stop(stage->loop);
    else
        loop_add_timer(stage->loop, 5, check, stage);
}

/* Runs the server until it sends something to FD, or closes it. Returns the bytes; -1: none came. */
static ssize_t wait_for(struct stage *stage, int fd, char *bytes, size_t size)
{
    stage->fd = fd;
    stage->end_ms = loop_monotonic_ms() + DEADLINE_MS;
    loop_add_timer(stage->loop, 0, check, stage);
    loop_run(stage->loop);
    return recv(fd, bytes, size, MSG_DONTWAIT);
}

static void send_text(int fd, const char *bytes, size_t size)
{
    assert_int_equal(send(fd, bytes, size, 0), size);
}

static void a_silent_client_is_closed(void **state)
{
    struct hadoop_limits limits = HADOOP_LIMITS_DEFAULT;
    struct stage stage;
    char bytes[16];
    int fd;

    (void)state;
    limits.context_ms = 1;
    start(&stage, limits);
    fd = connect_client(&stage);
    send_text(fd, "hrpc", 4);
    assert_int_equal(wait_for(&stage, fd, bytes, sizeof(bytes)), 0);
    close(fd);
    stop(&stage);
}

static void a_long_frame_of_a_stranger_closes_its_connection(void **state)
{
    struct stage stage;
    char bytes[16];
    int fd;

    (void)state;
    start(&stage, HADOOP_LIMITS_DEFAULT);
    fd = connect_client(&stage);
    send_text(fd, "hrpc\x09\0\0\0\0\x10\x01", 11);
    assert_int_equal(wait_for(&stage, fd, bytes, sizeof(bytes)), 0);
    close(fd);
    stop(&stage);
}

static void end_turn(void *context)
{
    const struct stage *stage = context;

    loop_stop(stage->loop);
}

/* The context of user ann, and a call of a method that there is not. */
static const char opening[] = "hrpc\x09\0\0\0\0\0\x11\x08\x08\x02\x10\0\x18\x05\x22\0\x07\x12\x05\x0a\x03"
                              "ann";
static const char call[] = "\0\0\0\x11\x08\x08\x02\x10\0\x18\0\x22\0\x07\x0a\x01m\x12\0\x18\x01";

/* Sends calls of a method that there is not, and reads nothing, until the server closes the connection.
 * Returns false if it does not. */
static bool flood(struct stage *stage, int fd)
{
    size_t at = 0, size = sizeof(call) - 1;
    int64_t end_ms = loop_monotonic_ms() + DEADLINE_MS;

    send_text(fd, opening, sizeof(opening) - 1);
    while (loop_monotonic_ms() < end_ms) {
        ssize_t sent = send(fd, call + at, size - at, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (sent >= 0) {
            at = (at + (size_t)sent) % size;
            continue;
        }
        if (errno != EAGAIN)
            return true;
        loop_add_timer(stage->loop, 1, end_turn, stage);
        loop_run(stage->loop);
    }
    return false;
}

static void a_client_that_does_not_read_is_closed(void **state)
{
    struct hadoop_limits limits = HADOOP_LIMITS_DEFAULT;
    struct stage stage;
    int fd;

    (void)state;
    limits.memory_max = 256 << 10;
    start(&stage, limits);
    fd = connect_client(&stage);
    assert_true(flood(&stage, fd));
    close(fd);
    stop(&stage);
}

static void a_client_that_is_not_admitted_gets_the_reason(void **state)
{
    struct stage stage;
    char bytes[1024];
    ssize_t size;
    int fd;

    (void)state;
    start(&stage, HADOOP_LIMITS_DEFAULT);
    stage.admits = false;
    fd = connect_client(&stage);
    send_text(fd, "hrpc\x09\0\0", 7);
    size = wait_for(&stage, fd, bytes, sizeof(bytes));
    assert_true(size > 0);
    assert_non_null(memmem(bytes, (size_t)size, "not from there", 14));
    assert_int_equal(wait_for(&stage, fd, bytes, sizeof(bytes)), 0);
    close(fd);
    stop(&stage);
}

static void the_oldest_stranger_of_an_address_makes_room(void **state)
{
    struct hadoop_limits limits = HADOOP_LIMITS_DEFAULT;
    struct stage stage;
    int clients[3];
    char byte;

    (void)state;
    limits.address_connections_max = 2;
    start(&stage, limits);
    for (size_t i = 0; i < 3; i++)
        clients[i] = connect_client(&stage);
    assert_int_equal(wait_for(&stage, clients[0], &byte, 1), 0);
    for (size_t i = 1; i < 3; i++) {
        assert_int_equal(recv(clients[i], &byte, 1, MSG_DONTWAIT), -1);
        assert_int_equal(errno, EAGAIN);
    }
    for (size_t i = 0; i < 3; i++)
        close(clients[i]);
    stop(&stage);
}

/* All users of a host have the share of one address: none of them may have all of it. */
static void a_user_has_a_share_of_an_address(void **state)
{
    struct hadoop_limits limits = HADOOP_LIMITS_DEFAULT;
    struct stage stage;
    char bytes[1024];
    int clients[3];
    ssize_t size;

    (void)state;
    limits.address_connections_max = 8;
    start(&stage, limits);
    for (size_t i = 0; i < 3; i++) {
        clients[i] = connect_client(&stage);
        send_text(clients[i], opening, sizeof(opening) - 1);
        if (i < 2)
            send_text(clients[i], call, sizeof(call) - 1);
        size = wait_for(&stage, clients[i], bytes, sizeof(bytes));
        assert_true(size > 0);
        assert_int_equal(memmem(bytes, (size_t)size, "user ann has 2 connections", 26) != NULL, i == 2);
    }
    close(clients[0]);
    close(clients[2]);
    clients[2] = connect_client(&stage);
    send_text(clients[2], opening, sizeof(opening) - 1);
    send_text(clients[2], call, sizeof(call) - 1);
    size = wait_for(&stage, clients[2], bytes, sizeof(bytes));
    assert_true(size > 0);
    assert_null(memmem(bytes, (size_t)size, "user ann has 2 connections", 26));
    close(clients[1]);
    close(clients[2]);
    stop(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silent_client_is_closed),
        cmocka_unit_test(a_long_frame_of_a_stranger_closes_its_connection),
        cmocka_unit_test(a_client_that_does_not_read_is_closed),
        cmocka_unit_test(a_client_that_is_not_admitted_gets_the_reason),
        cmocka_unit_test(the_oldest_stranger_of_an_address_makes_room),
        cmocka_unit_test(a_user_has_a_share_of_an_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
