/* SPDX-License-Identifier: Apache-2.0 */
/* io_key_counts.c - test: the table that counts connections by client key */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/io/key_counts.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"

static void each_key_has_its_own_count(void **state)
{
    struct key_count *counts = NULL;

    (void)state;
    assert_int_equal(key_counts_get(counts, A), 0);
    key_counts_add(&counts, A);
    key_counts_add(&counts, A);
    key_counts_add(&counts, B);
    assert_int_equal(key_counts_get(counts, A), 2);
    assert_int_equal(key_counts_get(counts, B), 1);
    key_counts_remove(&counts, A);
    key_counts_remove(&counts, B);
    assert_int_equal(key_counts_get(counts, A), 1);
    assert_int_equal(key_counts_get(counts, B), 0);
    key_counts_remove(&counts, A);
    assert_null(counts);
}

static void bytes_wait_for_the_connections_of_a_key(void **state)
{
    struct key_count *counts = NULL;

    (void)state;
    key_counts_add(&counts, A);
    key_counts_add(&counts, A);
    key_counts_add(&counts, B);
    key_counts_wait(counts, A, 100);
    key_counts_wait(counts, A, 50);
    key_counts_wait(counts, B, 7);
    key_counts_sent(counts, A, 120);
    assert_int_equal(key_counts_waiting(counts, A), 30);
    assert_int_equal(key_counts_waiting(counts, B), 7);
    key_counts_sent(counts, A, 30);
    key_counts_remove(&counts, A);
    key_counts_remove(&counts, A);
    key_counts_remove(&counts, B);
    assert_int_equal(key_counts_waiting(counts, A), 0);
    assert_null(counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_has_its_own_count),
        cmocka_unit_test(bytes_wait_for_the_connections_of_a_key),
    };

    return cmocka_run_group_tests_name("io_key_counts", tests, NULL, NULL);
}
