/* SPDX-License-Identifier: Apache-2.0 */
/* fair_order.c - the first of many beside a search among all of them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/rng.h"
#include "rm/sched/fair/order.h"

#define ITEMS 200

struct thing {
    struct fair_item item;
    int rank;                           /* decides between equal keys */
    bool aside;
};

struct world {
    struct rng rng;
    struct fair_order order;
    struct thing things[ITEMS];
};

static int compare(const struct fair_item *a, const struct fair_item *b)
{
    return ((const struct thing *)(const void *)a)->rank - ((const struct thing *)(const void *)b)->rank;
}

static uint64_t pick(struct world *w, uint64_t bound)
{
    return rng_below(&w->rng, bound);
}

static bool passes(const struct fair_item *item, const struct fair_filter *filter)
{
    return filter == NULL || !item->known || (filter->reserve && item->reserves) ||
           (item->need[0] <= filter->memory && item->need[1] <= filter->vcores);
}

static const struct fair_item *slow_first(const struct world *w, const struct fair_filter *filter)
{
    const struct fair_item *first = NULL;

    for (int i = 0; i < ITEMS; i++) {
        const struct thing *thing = &w->things[i];

        if (thing->item.listed && !thing->aside && passes(&thing->item, filter) &&
            (first == NULL || fair_order_compare(&thing->item, first, compare) < 0))
            first = &thing->item;
    }
    return first;
}

static void say(struct world *w, struct fair_item *item)
{
    item->known = pick(w, 4) > 0;
    item->need[0] = (uint32_t)pick(w, 8);
    item->need[1] = (uint32_t)pick(w, 8);
    item->reserves = pick(w, 8) == 0;
    item->unsaid = true;
}

static void change(struct world *w, struct thing *thing)
{
    struct fair_key key = { { pick(w, 3) << 62 | pick(w, 3), pick(w, 2) << 63 }, pick(w, 3) };

    if (thing->item.listed && pick(w, 3) == 0) {
        fair_order_leave(&w->order, &thing->item, compare);
        return;
    }
    if (pick(w, 2) == 0)
        say(w, &thing->item);
    fair_order_place(&w->order, &thing->item, &key, compare);
}

static void compare_first(struct world *w)
{
    const struct fair_filter filter = { (uint32_t)pick(w, 8), (uint32_t)pick(w, 8), pick(w, 2) == 0 };

    assert_ptr_equal(fair_order_first(&w->order, NULL, compare), slow_first(w, NULL));
    assert_ptr_equal(fair_order_first(&w->order, &filter, compare), slow_first(w, &filter));
}

/* As a visit does that finds nothing. */
static void pass_some_over(struct world *w)
{
    for (uint64_t i = pick(w, 6); i > 0; i--) {
        struct fair_item *item = fair_order_first(&w->order, NULL, compare);

        if (item == NULL)
            break;
        fair_order_set_aside(&w->order, item, compare);
        ((struct thing *)(void *)item)->aside = true;
        compare_first(w);
    }
    fair_order_put_back(&w->order, compare);
    for (int i = 0; i < ITEMS; i++)
        w->things[i].aside = false;
}

static void compare_sum(const struct world *w)
{
    struct fair_item sum = { .types = 2 };
    uint32_t memory = FAIR_NEED_MAX;
    bool reserves = false;

    for (int i = 0; i < ITEMS; i++) {
        const struct fair_item *item = &w->things[i].item;

        if (!item->listed)
            continue;
        memory = !item->known ? 0 : item->need[0] < memory ? item->need[0] : memory;
        reserves = reserves || !item->known || item->reserves;
    }
    fair_order_sum(&w->order, &sum);
    assert_int_equal(sum.need[0], memory);
    assert_int_equal(sum.reserves, reserves);
}

static void run(uint64_t seed)
{
    struct world w = { .order = { .capacity = 0 } };
    uint64_t most = 0;

    rng_seed(&w.rng, seed);
    for (int i = 0; i < ITEMS; i++)
        w.things[i].rank = (i * 7919) % ITEMS;
    for (int event = 0; event < 3000; event++) {
        if (event % 500 == 0)
            most = 1 + pick(&w, ITEMS);         /* many come, then few are left */
        for (uint64_t i = most; i < ITEMS; i++)
            if (w.things[i].item.listed)
                fair_order_leave(&w.order, &w.things[i].item, compare);
        change(&w, &w.things[pick(&w, most)]);
        compare_first(&w);
        pass_some_over(&w);
        compare_sum(&w);
        assert_true(fair_order_is_right(&w.order, compare));
    }
    fair_order_clear(&w.order);
}

static void the_first_is_the_first(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++)
        run(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_is_the_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
