/* SPDX-License-Identifier: Apache-2.0 */
/* web_failures.c - test: wrong passwords are counted by address and user */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "web/net/failures.h"

static int set_up(void **state)
{
    *state = failures_new();
    return 0;
}

static int tear_down(void **state)
{
    failures_free(*state);
    return 0;
}

static void add(struct failures *failures, int count, const char *address, const char *user, int64_t now_ms)
{
    while (count-- > 0)
        failures_add(failures, address, user, now_ms);
}

static void test_one_user_from_one_address(void **state)
{
    struct failures *failures = *state;

    add(failures, FAILURES_PAIR_MAX - 1, "10.0.0.1", "ann", 1000);
    assert_false(failures_is_address_limited(failures, "10.0.0.1", "ann", 1000));
    add(failures, 1, "10.0.0.1", "ann", 2000);
    assert_true(failures_is_address_limited(failures, "10.0.0.1", "ann", 2000));
    assert_false(failures_is_address_limited(failures, "10.0.0.1", "ben", 2000));
    assert_false(failures_is_address_limited(failures, "10.0.0.2", "ann", 2000));
    assert_true(failures_is_address_limited(failures, "10.0.0.1", "ann", 1000 + FAILURES_WINDOW_MS - 1));
    assert_false(failures_is_address_limited(failures, "10.0.0.1", "ann", 1000 + FAILURES_WINDOW_MS));
}

static void test_many_users_from_one_address(void **state)
{
    struct failures *failures = *state;
    char user[32];

    for (int i = 0; i < FAILURES_ADDRESS_MAX; i++) {
        snprintf(user, sizeof(user), "user%d", i);
        assert_false(failures_is_address_limited(failures, "10.0.0.1", user, 0));
        failures_add(failures, "10.0.0.1", user, 0);
    }
    assert_true(failures_is_address_limited(failures, "10.0.0.1", "ann", 0));
    assert_false(failures_is_address_limited(failures, "10.0.0.2", "ann", 0));
}

static void test_one_user_from_many_addresses(void **state)
{
    struct failures *failures = *state;
    char address[32];

    for (int i = 0; i < FAILURES_USER_MAX; i++) {
        assert_false(failures_is_user_limited(failures, "ann", 0));
        snprintf(address, sizeof(address), "10.0.1.%d", i);
        failures_add(failures, address, "ann", 0);
    }
    assert_true(failures_is_user_limited(failures, "ann", 0));
    assert_false(failures_is_user_limited(failures, "ben", 0));
}

static void test_ipv6_counts_by_network(void **state)
{
    struct failures *failures = *state;

    add(failures, FAILURES_PAIR_MAX - 1, "2001:db8::1", "ann", 0);
    add(failures, 1, "2001:db8::ffff:2", "ann", 0);
    assert_true(failures_is_address_limited(failures, "2001:db8::3", "ann", 0));
    assert_false(failures_is_address_limited(failures, "2001:db8:0:1::3", "ann", 0));
    add(failures, FAILURES_PAIR_MAX, "::ffff:10.0.0.1", "ann", 0);
    assert_false(failures_is_address_limited(failures, "::ffff:10.0.0.2", "ann", 0));
}

static void test_success_resets_the_pair(void **state)
{
    struct failures *failures = *state;

    add(failures, FAILURES_PAIR_MAX, "10.0.0.1", "ann", 0);
    failures_reset(failures, "10.0.0.1", "ann");
    assert_false(failures_is_address_limited(failures, "10.0.0.1", "ann", 0));
    failures_reset(failures, "10.0.0.9", "zoe");
}

static void test_number_of_counters_is_limited(void **state)
{
    struct failures *failures = *state;
    char user[32];

    add(failures, FAILURES_PAIR_MAX, "10.0.0.1", "ann", 0);
    for (int i = 0; i < FAILURES_COUNTERS_MAX; i++) {
        snprintf(user, sizeof(user), "user%d", i);
        failures_add(failures, "10.0.0.2", user, 0);
    }
    assert_false(failures_is_address_limited(failures, "10.0.0.1", "ann", 0));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_one_user_from_one_address),    TEST(test_many_users_from_one_address),
        TEST(test_one_user_from_many_addresses), TEST(test_ipv6_counts_by_network),
        TEST(test_success_resets_the_pair),      TEST(test_number_of_counters_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
