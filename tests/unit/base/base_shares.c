/* SPDX-License-Identifier: Apache-2.0 */
/* base_shares.c - test: shares of a pool */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "common/base/shares.h"

static void an_owner_gets_its_share_and_no_more(void **state)
{
    struct shares *shares = shares_new(5, 2);

    (void)state;
    shares_add(shares, "ann");
    assert_int_equal(shares_room(shares, "ann"), SHARES_FREE);
    shares_add(shares, "ann");
    assert_int_equal(shares_room(shares, "ann"), SHARES_OWNER_FULL);
    assert_int_equal(shares_room(shares, "bob"), SHARES_FREE);
    shares_remove(shares, "ann");
    assert_int_equal(shares_room(shares, "ann"), SHARES_FREE);
    shares_free(shares);
}

static void a_full_pool_has_room_again_when_a_place_is_given_back(void **state)
{
    struct shares *shares = shares_new(2, 2);

    (void)state;
    shares_add(shares, "ann");
    shares_add(shares, "bob");
    assert_int_equal(shares_room(shares, "eve"), SHARES_FULL);
    assert_int_equal(shares_used(shares), 2);
    shares_remove(shares, "ann");
    assert_int_equal(shares_room(shares, "eve"), SHARES_FREE);
    shares_free(shares);
}

static void refusals_are_counted_by_their_reason(void **state)
{
    struct shares *shares = shares_new(2, 2);

    (void)state;
    shares_count_refused(shares, SHARES_FULL);
    shares_count_refused(shares, SHARES_FULL);
    shares_count_refused(shares, SHARES_OWNER_FULL);
    assert_int_equal(shares_refused(shares, SHARES_FULL), 2);
    assert_int_equal(shares_refused(shares, SHARES_OWNER_FULL), 1);
    shares_free(shares);
}

static void units_are_taken_and_given_back_by_their_number(void **state)
{
    struct shares *shares = shares_new(100, 25);

    (void)state;
    assert_int_equal(shares_room_for(shares, "ann", 25), SHARES_FREE);
    shares_take(shares, "ann", 20);
    assert_int_equal(shares_room_for(shares, "ann", 5), SHARES_FREE);
    assert_int_equal(shares_room_for(shares, "ann", 6), SHARES_OWNER_FULL);
    assert_int_equal(shares_room_for(shares, "bob", 80), SHARES_FREE); /* the first one of bob */
    assert_int_equal(shares_room_for(shares, "bob", 81), SHARES_FULL);
    shares_take(shares, "bob", 85); /* also if there is no room */
    assert_int_equal(shares_room_for(shares, "eve", 1), SHARES_FULL);
    shares_give_back(shares, "bob", 85);
    shares_give_back(shares, "ann", 5);
    assert_int_equal(shares_of(shares, "ann"), 15);
    assert_int_equal(shares_of(shares, "bob"), 0);
    assert_int_equal(shares_used(shares), 15);
    shares_free(shares);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_owner_gets_its_share_and_no_more),
        cmocka_unit_test(a_full_pool_has_room_again_when_a_place_is_given_back),
        cmocka_unit_test(units_are_taken_and_given_back_by_their_number),
        cmocka_unit_test(refusals_are_counted_by_their_reason),
    };

    return cmocka_run_group_tests_name("base/shares", tests, NULL, NULL);
}
