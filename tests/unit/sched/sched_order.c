/* SPDX-License-Identifier: Apache-2.0 */
/* sched_order.c - test: the ordered index of rm/sched/order.h against a scanned sorted array */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rm/sched/order.h"

enum { ITEMS = 200, STEPS = 20000, TYPES = 3 };

struct item {
    struct order_entry entry;
    unsigned key; /* unique */
};

struct world {
    struct order order;
    struct item items[ITEMS];
    uint64_t random;
};

static const struct item *item_of(const struct order_entry *entry)
{
    return (const struct item *)(const void *)entry;
}

static int compare_items(const struct order_entry *a, const struct order_entry *b)
{
    return (item_of(a)->key > item_of(b)->key) - (item_of(a)->key < item_of(b)->key);
}

static unsigned draw(struct world *world, unsigned below)
{
    world->random = world->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(world->random >> 33) % below;
}

/* Returns a random amount from LEAST up, in each type. */
static struct resource draw_from(struct world *world, int64_t least, unsigned values)
{
    struct resource amount = { .value = { 0 } };

    for (int t = 0; t < TYPES; t++)
        amount.value[t] = least + draw(world, values);
    return amount;
}

static struct resource draw_amount(struct world *world)
{
    return draw(world, 8) == 0 ? order_never : draw_from(world, 0, 20);
}

static void start(struct world *world, uint64_t seed)
{
    *world = (struct world){ .random = seed };
    order_init(&world->order, compare_items, TYPES);
    for (unsigned i = 0; i < ITEMS; i++)
        world->items[i].key = 10 * i; /* no item has a key in between */
}

static bool qualifies(const struct item *item, const struct order_offer *offer)
{
    return offer == NULL || order_fits(TYPES, &item->entry.need, &offer->room) ||
           order_fits(TYPES, &item->entry.exchange, &offer->exchange);
}

static const struct order_entry *scan(const struct world *world, const struct item *after,
                                      const struct order_offer *offer)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        const struct item *item = &world->items[i];

        if (order_has(&item->entry) && (after == NULL || item->key > after->key) && qualifies(item, offer))
            return &item->entry;
    }
    return NULL;
}

static void check_find(struct world *world)
{
    struct item after = { .key = draw(world, 10 * ITEMS) };
    struct order_offer offer = { .room = draw_from(world, -1, 20), .exchange = draw_from(world, -1, 20) };
    const struct item *from = draw(world, 4) == 0 ? NULL : &after;
    const struct order_offer *what = draw(world, 8) == 0 ? NULL : &offer;

    assert_ptr_equal(order_find(&world->order, from ? &from->entry : NULL, what), scan(world, from, what));
}

/* Does the same as order_pass(), entry by entry. */
static const struct order_entry *scan_past(const struct world *world, const struct item *after,
                                           struct order_offer *offer)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        const struct item *item = &world->items[i];

        if (!order_has(&item->entry) || (after && item->key <= after->key))
            continue;
        if (qualifies(item, offer) || !order_fits(TYPES, &item->entry.blocked, &offer->room))
            return &item->entry;
        for (int t = 0; t < TYPES; t++)
            offer->room.value[t] -= item->entry.blocked.value[t];
    }
    return NULL;
}

static void check_pass(struct world *world)
{
    struct item after = { .key = draw(world, 10 * ITEMS) };
    const struct item *from = draw(world, 4) == 0 ? NULL : &after;
    struct order_offer offer = { .room = draw_from(world, 0, 1000), .exchange = order_no_room };
    struct order_offer slow = offer;

    assert_ptr_equal(order_pass(&world->order, from ? &from->entry : NULL, &offer),
                     scan_past(world, from, &slow));
    for (int t = 0; t < TYPES; t++)
        assert_int_equal(offer.room.value[t], slow.room.value[t]);
}

static void skipped_request_blocks_its_room(void **state)
{
    struct world world;

    (void)state;
    start(&world, 4);
    for (unsigned step = 0; step < STEPS; step++) {
        struct order_entry *entry = &world.items[draw(&world, ITEMS)].entry;
        struct resource blocked = draw_from(&world, 0, 20);

        if (order_has(entry) && draw(&world, 2) == 0)
            order_remove(entry);
        order_set(entry, draw(&world, 50) == 0 ? &order_always : &order_never, &order_never, &blocked);
        if (!order_has(entry) && draw(&world, 3) != 0)
            order_insert(&world.order, entry);
        check_pass(&world);
        if (step % 10 == 0)
            assert_true(order_is_consistent(&world.order));
    }
}

static void index_equals_a_scan(void **state)
{
    struct world world;

    (void)state;
    start(&world, 1);
    for (unsigned step = 0; step < STEPS; step++) {
        struct order_entry *entry = &world.items[draw(&world, ITEMS)].entry;

        struct resource need = draw_amount(&world), exchange = draw_amount(&world);

        if (order_has(entry) && draw(&world, 2) == 0)
            order_remove(entry);
        else
            order_set_need(entry, &need, &exchange);
        if (!order_has(entry) && draw(&world, 3) != 0)
            order_insert(&world.order, entry);
        check_find(&world);
        if (step % 10 == 0)
            assert_true(order_is_consistent(&world.order));
    }
}

static void the_least_need_is_that_of_all_entries(void **state)
{
    struct world world;

    (void)state;
    start(&world, 2);
    assert_int_equal(order_least_need(&world.order)->value[0], ORDER_NEVER);
    for (unsigned i = 0; i < 10; i++) {
        const struct resource need = { .value = { 100 - i, 5 + i, i % 3 + 1 } };

        order_set_need(&world.items[i].entry, &need, &order_never);
        order_insert(&world.order, &world.items[i].entry);
    }
    assert_int_equal(order_least_need(&world.order)->value[0], 91);
    assert_int_equal(order_least_need(&world.order)->value[1], 5);
    assert_int_equal(order_least_need(&world.order)->value[2], 1);
    assert_int_equal(order_least_exchange(&world.order)->value[1], ORDER_NEVER);
    order_remove(&world.items[9].entry);
    assert_int_equal(order_least_need(&world.order)->value[0], 92);
}

static void removing_an_entry_that_is_in_no_index_does_nothing(void **state)
{
    struct world world;

    (void)state;
    start(&world, 3);
    order_remove(&world.items[0].entry);
    assert_true(order_is_empty(&world.order));
    assert_true(order_is_consistent(&world.order));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_equals_a_scan),
        cmocka_unit_test(skipped_request_blocks_its_room),
        cmocka_unit_test(the_least_need_is_that_of_all_entries),
        cmocka_unit_test(removing_an_entry_that_is_in_no_index_does_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
