/* SPDX-License-Identifier: Apache-2.0 */
/* io_limiter.c - test: limits on connections: the bytes that libzmq has read, and what is closed */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/gateway/gateway.h"
#include "common/gateway/limiter.h"

void gateway_log(struct gateway *gateway, const char *format, ...)
{
    (void)gateway;
    (void)format;
}

void gateway_put(struct gateway *gateway, enum gateway_frame_type type, uint8_t port, uint64_t connection,
                 const void *bytes, size_t size)
{
    (void)gateway;
    (void)type;
    (void)port;
    (void)connection;
    (void)bytes;
    (void)size;
}

static void bytes_that_are_unread_do_not_count(void **state)
{
    (void)state;
    assert_int_equal(limiter_bytes_read(1000, 0), 1000);
    assert_int_equal(limiter_bytes_read(1000, 400), 600);
    assert_int_equal(limiter_bytes_read(1000, 1000), 0);
}

/* Between the two calls a greeting of 64 bytes arrived: such a connection was closed as if it had sent more
 * than a message may have. */
static void bytes_that_arrive_between_the_two_figures_are_not_a_flood(void **state)
{
    (void)state;
    assert_int_equal(limiter_bytes_read(0, 64), 0);
    assert_int_equal(limiter_bytes_read(1000, 1064), 0);
}

/* libzmq has closed the descriptor by then, and a new connection may have its number. */
static void the_descriptor_of_a_removed_connection_is_not_touched(void **state)
{
    struct gateway gateway = { .sockets_max = 100, .limits.address_connections_max = 1 };
    struct limited first = { .fd = -1 }, second = { .fd = -1 };
    int ends[2][2];
    struct err err;

    (void)state;
    assert_int_equal(loop_new(&gateway.loop, &err), 0);
    gateway.limiter = limiter_new(&gateway);
    for (int i = 0; i < 2; i++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]), 0);
    limiter_add(gateway.limiter, &first, ends[0][0], 1000);
    limiter_count_message(gateway.limiter, &first, 10);
    limiter_add(gateway.limiter, &second, ends[1][0], 1000);
    assert_true(second.is_cut && second.closes_at_ms > 0); /* there is no room: it is closed later */
    limiter_remove(gateway.limiter, &second);
    assert_int_equal(send(ends[1][1], "x", 1, MSG_NOSIGNAL), 1);
    limiter_remove(gateway.limiter, &first);
    limiter_free(gateway.limiter);
    loop_free(gateway.loop);
    for (int i = 0; i < 4; i++)
        close(ends[i / 2][i % 2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_are_unread_do_not_count),
        cmocka_unit_test(the_descriptor_of_a_removed_connection_is_not_touched),
        cmocka_unit_test(bytes_that_arrive_between_the_two_figures_are_not_a_flood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
