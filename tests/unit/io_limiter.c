/* SPDX-License-Identifier: Apache-2.0 */
/* io_limiter.c - test: how many bytes of a connection libzmq has read, from two figures of the kernel */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "common/gateway/limiter.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_are_unread_do_not_count),
        cmocka_unit_test(bytes_that_arrive_between_the_two_figures_are_not_a_flood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
