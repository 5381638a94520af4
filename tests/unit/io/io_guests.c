/* SPDX-License-Identifier: Apache-2.0 */
/* io_guests.c - test: the number of guests, of an address and in all */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

#include "common/io/server/guests.h"

static void the_guests_of_an_address_are_limited(void **state)
{
    struct guests guests = { .count = 0 };

    (void)state;
    for (unsigned i = 0; i < GUESTS_OF_ADDRESS_MAX; i++) {
        assert_true(guests_have_room(&guests, "10.0.0.1"));
        guests_add(&guests, "10.0.0.1");
    }
    assert_false(guests_have_room(&guests, "10.0.0.1"));
    assert_true(guests_have_room(&guests, "10.0.0.2"));
    assert_false(guests_have_room(&guests, "::ffff:10.0.0.1")); /* the same address */
    guests_remove(&guests, "10.0.0.1");
    assert_true(guests_have_room(&guests, "10.0.0.1"));
    for (unsigned i = 1; i < GUESTS_OF_ADDRESS_MAX; i++)
        guests_remove(&guests, "10.0.0.1");
    assert_int_equal(guests.count, 0);
    assert_null(guests.addresses);
}

static void all_guests_are_limited(void **state)
{
    struct guests guests = { .count = 0 };
    char address[32];

    (void)state;
    for (unsigned i = 0; i < GUESTS_MAX; i++) {
        snprintf(address, sizeof(address), "10.0.%u.%u", i / 256, i % 256);
        assert_true(guests_have_room(&guests, address));
        guests_add(&guests, address);
    }
    assert_false(guests_have_room(&guests, "10.1.0.0"));
    for (unsigned i = 0; i < GUESTS_MAX; i++) {
        snprintf(address, sizeof(address), "10.0.%u.%u", i / 256, i % 256);
        guests_remove(&guests, address);
    }
    assert_true(guests_have_room(&guests, "10.1.0.0"));
    assert_null(guests.addresses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_guests_of_an_address_are_limited),
        cmocka_unit_test(all_guests_are_limited),
    };

    return cmocka_run_group_tests_name("io_guests", tests, NULL, NULL);
}
