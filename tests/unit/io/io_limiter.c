/* SPDX-License-Identifier: Apache-2.0 */
/* io_limiter.c - test: limits on connections: which ones are checked and closed */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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

static loop_fn *period; /* what the limiter does in each period */
static unsigned checks; /* sockets of which the kernel's figures were read */
static unsigned memory_pages;

int __wrap_loop_add_timer(struct loop *loop, int64_t delay_ms, loop_fn *fn, void *context);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size);
int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *size);

int __wrap_loop_add_timer(struct loop *loop, int64_t delay_ms, loop_fn *fn, void *context)
{
    (void)loop;
    (void)delay_ms;
    (void)context;
    period = fn;
    return 0;
}

ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset)
{
    (void)fd;
    (void)offset;
    return snprintf(bytes, size, "%u %u 0 0 0 0 0\n", 2 * memory_pages, memory_pages);
}

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
    checks += level == IPPROTO_TCP;
    return __real_getsockopt(fd, level, name, value, size);
}

static unsigned checks_of_a_period(struct limiter *limiter)
{
    checks = 0;
    period(limiter);
    return checks;
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

/* Connections that send valid messages cost nearly nothing, until the memory of the gateway grows. */
static void proven_connections_are_checked_in_rotation(void **state)
{
    enum { PROVEN = 500, SILENT = 3 };
    struct gateway gateway = { .sockets_max = 10000 };
    struct limited *sockets = calloc(PROVEN + SILENT, sizeof(*sockets));
    int ends[2];

    (void)state;
    memory_pages = 1000;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    gateway.limiter = limiter_new(&gateway);
    for (int i = 0; i < PROVEN + SILENT; i++)
        limiter_add(gateway.limiter, &sockets[i], ends[0], 1000);
    for (int i = 0; i < PROVEN; i++)
        limiter_count_message(gateway.limiter, &sockets[i], 10);
    assert_int_equal(checks_of_a_period(gateway.limiter), PROVEN + SILENT);
    assert_int_equal(checks_of_a_period(gateway.limiter), LIMITER_PROVEN_CHECKS + SILENT);
    memory_pages += LIMITER_GROWTH / (unsigned)sysconf(_SC_PAGESIZE) + 1;
    assert_int_equal(checks_of_a_period(gateway.limiter), PROVEN + SILENT);
    assert_int_equal(checks_of_a_period(gateway.limiter), LIMITER_PROVEN_CHECKS + SILENT);
    for (int i = 0; i < PROVEN + SILENT; i++)
        limiter_remove(gateway.limiter, &sockets[i]);
    limiter_free(gateway.limiter);
    free(sockets);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_are_unread_do_not_count),
        cmocka_unit_test(the_descriptor_of_a_removed_connection_is_not_touched),
        cmocka_unit_test(bytes_that_arrive_between_the_two_figures_are_not_a_flood),
        cmocka_unit_test(proven_connections_are_checked_in_rotation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
