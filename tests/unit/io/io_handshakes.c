/* SPDX-License-Identifier: Apache-2.0 */
/* io_handshakes.c - test: the number of connections in the CURVE handshake is bounded, and each handshake
 * has a time limit */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/io/server/handshakes.h"
#include "tests/unit/cost.h"

/* From an address of its own: 10.0.0.QUESTION / HANDSHAKES_OF_ADDRESS_MAX. */
static bool add(struct handshakes *handshakes, unsigned gateway, uint64_t question, const char *key,
                int64_t now_ms)
{
    struct handshake handshake = { .gateway = gateway, .question = question };

    snprintf(handshake.peer.address, sizeof(handshake.peer.address), "10.0.0.%u",
             (unsigned)(question / HANDSHAKES_OF_ADDRESS_MAX));
    snprintf(handshake.key, sizeof(handshake.key), "%s", key);
    return handshakes_add(handshakes, &handshake, now_ms);
}

static void each_is_taken_by_its_key_once(void **state)
{
    struct handshakes handshakes;
    struct handshake taken;

    (void)state;
    handshakes_init(&handshakes);
    assert_true(add(&handshakes, 0, 1, "one", 0));
    assert_true(add(&handshakes, 1, 2, "two", 0));
    assert_true(add(&handshakes, 2, 3, "one", 0));
    assert_true(handshakes_remove(&handshakes, "one", &taken));
    assert_int_equal(taken.question, 1);
    assert_true(handshakes_remove(&handshakes, "one", &taken));
    assert_int_equal(taken.question, 3);
    assert_int_equal(taken.gateway, 2);
    assert_false(handshakes_remove(&handshakes, "one", &taken));
    assert_int_equal(handshakes.count, 1);
    handshakes_clear(&handshakes);
    assert_int_equal(handshakes.count, 0);
}

static void none_waits_for_long(void **state)
{
    struct handshakes handshakes;
    struct handshake taken;

    (void)state;
    handshakes_init(&handshakes);
    assert_true(add(&handshakes, 0, 1, "one", 100));
    assert_true(add(&handshakes, 0, 2, "two", 200));
    assert_false(handshakes_remove_expired(&handshakes, 100 + HANDSHAKE_WAIT_MS - 1, &taken));
    assert_true(handshakes_remove_expired(&handshakes, 100 + HANDSHAKE_WAIT_MS, &taken));
    assert_int_equal(taken.question, 1);
    assert_false(handshakes_remove_expired(&handshakes, 100 + HANDSHAKE_WAIT_MS, &taken));
    handshakes_clear(&handshakes);
}

static void number_of_waiting_handshakes_is_limited(void **state)
{
    struct handshakes handshakes;
    struct handshake taken;

    (void)state;
    handshakes_init(&handshakes);
    for (unsigned i = 0; i < HANDSHAKES_MAX; i++)
        assert_true(add(&handshakes, 0, i, "one", 0));
    assert_false(add(&handshakes, 0, HANDSHAKES_MAX, "one", 0));
    assert_true(handshakes_remove(&handshakes, "one", &taken));
    assert_true(add(&handshakes, 0, HANDSHAKES_MAX, "one", 0));
    handshakes_clear(&handshakes);
}

static void one_address_leaves_room_for_others(void **state)
{
    struct handshakes handshakes;
    struct handshake taken;

    (void)state;
    handshakes_init(&handshakes);
    for (unsigned i = 0; i < HANDSHAKES_OF_ADDRESS_MAX; i++)
        assert_true(add(&handshakes, 0, i, "one", 0));
    assert_false(add(&handshakes, 0, 0, "one", 0));
    assert_true(add(&handshakes, 0, HANDSHAKES_OF_ADDRESS_MAX, "two", 0));
    assert_true(handshakes_remove(&handshakes, "one", &taken));
    assert_true(add(&handshakes, 0, 0, "one", 0));
    handshakes_clear(&handshakes);
}

static void handshakes_of_a_crashed_gateway_are_dropped(void **state)
{
    struct handshakes handshakes;
    struct handshake taken;

    (void)state;
    handshakes_init(&handshakes);
    assert_true(add(&handshakes, 0, 1, "one", 0));
    assert_true(add(&handshakes, 1, 2, "one", 0));
    assert_true(add(&handshakes, 0, 3, "one", 0));
    handshakes_forget(&handshakes, 0);
    assert_true(handshakes_remove(&handshakes, "one", &taken));
    assert_int_equal(taken.question, 2);
    assert_int_equal(handshakes.count, 0);
}

/* An address that tries again and again, while nearly all places are taken. */
static void a_refusal_is_cheap(void **state)
{
    struct handshakes handshakes;
    int64_t before_us;

    (void)state;
    handshakes_init(&handshakes);
    for (uint64_t i = 0; i < HANDSHAKES_MAX - 1; i++)
        assert_true(add(&handshakes, 0, i, "one", 0));
    before_us = cost_processor_us();
    for (int i = 0; i < 5000; i++)
        assert_false(add(&handshakes, 0, 0, "one", 0));
    cost_check_processor(before_us, 250, "5000 handshakes of an address that has its share");
    handshakes_clear(&handshakes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_taken_by_its_key_once),
        cmocka_unit_test(none_waits_for_long),
        cmocka_unit_test(number_of_waiting_handshakes_is_limited),
        cmocka_unit_test(one_address_leaves_room_for_others),
        cmocka_unit_test(a_refusal_is_cheap),
        cmocka_unit_test(handshakes_of_a_crashed_gateway_are_dropped),
    };

    return cmocka_run_group_tests_name("io_handshakes", tests, NULL, NULL);
}
