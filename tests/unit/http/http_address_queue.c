/* SPDX-License-Identifier: Apache-2.0 */
/* http_address_queue.c - test: the queue in which addresses take turns */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "web/http/address_queue.h"

enum { ENTRIES = 6 };

static void addresses_take_turns(void **state)
{
    static const char *const addresses[ENTRIES] = { "a", "a", "a", "b", "b", "c" };
    static const int order[ENTRIES] = { 0, 3, 5, 1, 4, 2 };
    static const bool others[ENTRIES] = { true, true, false, true, false, false };
    struct address_queue_entry entries[ENTRIES] = { { .queue = NULL } };
    struct address_queue *queue = address_queue_new();
    bool more;

    (void)state;
    for (int i = 0; i < ENTRIES; i++)
        address_queue_add(queue, &entries[i], addresses[i]);
    for (int i = 0; i < ENTRIES; i++) {
        assert_ptr_equal(address_queue_take(queue, &more), &entries[order[i]]);
        assert_int_equal(more, others[i]);
    }
    assert_true(address_queue_is_empty(queue));
    assert_null(address_queue_take(queue, &more));
    address_queue_free(queue);
}

/* The address that had its turn last comes after the one that is new. */
static void a_new_address_waits_for_one_entry(void **state)
{
    struct address_queue_entry many[3] = { { .queue = NULL } }, one = { .queue = NULL };
    struct address_queue *queue = address_queue_new();
    bool more;

    (void)state;
    for (int i = 0; i < 3; i++)
        address_queue_add(queue, &many[i], "many");
    assert_ptr_equal(address_queue_take(queue, &more), &many[0]);
    address_queue_add(queue, &one, "one");
    assert_ptr_equal(address_queue_take(queue, &more), &many[1]);
    assert_ptr_equal(address_queue_take(queue, &more), &one);
    assert_ptr_equal(address_queue_take(queue, &more), &many[2]);
    address_queue_free(queue);
}

static void an_entry_leaves(void **state)
{
    struct address_queue_entry entries[2] = { { .queue = NULL } };
    struct address_queue *queue = address_queue_new();
    bool more;

    (void)state;
    address_queue_remove(&entries[0]); /* does not wait */
    address_queue_add(queue, &entries[0], "a");
    address_queue_add(queue, &entries[1], "a");
    address_queue_remove(&entries[0]);
    assert_ptr_equal(address_queue_take(queue, &more), &entries[1]);
    assert_false(more);
    address_queue_add(queue, &entries[0], "a"); /* it may wait again */
    address_queue_remove(&entries[0]);
    assert_true(address_queue_is_empty(queue));
    address_queue_free(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_take_turns),
        cmocka_unit_test(a_new_address_waits_for_one_entry),
        cmocka_unit_test(an_entry_leaves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
