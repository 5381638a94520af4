/* SPDX-License-Identifier: Apache-2.0 */
/* io_key_counts.c - test: the table that counts connections by client key */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/io/server/key_counts.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_has_its_own_count),
    };

    return cmocka_run_group_tests_name("io_key_counts", tests, NULL, NULL);
}
