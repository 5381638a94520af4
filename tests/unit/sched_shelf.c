/* SPDX-License-Identifier: Apache-2.0 */
/* sched_shelf.c - the order of many children holds while they move, come and go */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/rng.h"
#include "rm/sched/capacity/shelf.h"

#define CHILDREN 1000                   /* many blocks of them; FEW are one */
#define FEW 40
#define STEPS 30000

struct child {
    bool here;
    uint64_t key;
    float need, hold, most;
    bool counts;
    uint32_t counted;
};

static struct child children[CHILDREN];
static size_t child_count;

/* The shelf takes a child for a queue's part, and does not look at it. */
static struct queue_part *part_of(struct child *child)
{
    return (struct queue_part *)(void *)child;
}

static uint64_t key_of(struct queue_part *part)
{
    return part ? ((struct child *)(void *)part)->key : UINT64_MAX;
}

static struct shelf_entry say(struct rng *rng, size_t i)
{
    struct child *child = &children[i];
    bool counts = rng_chance(rng, 700);

    child->counted = child->here && child->counts && counts ? child->counted : 0;
    child->counts = counts;
    child->key = rng_below(rng, 50) << 10 | i;
    child->need = (float)rng_below(rng, 40);
    child->hold = (float)rng_below(rng, 40);
    child->most = (float)rng_below(rng, 40) - 1;
    return (struct shelf_entry){ .key = child->key, .part = part_of(child), .need = child->need,
                                 .hold = child->hold, .most = child->most, .counts = counts };
}

static bool passes(const struct child *child, const struct shelf_filter *filter)
{
    if (!child->here)
        return false;
    return (double)child->need <= filter->room &&
           ((double)child->most <= filter->standing || (double)child->hold <= filter->node_room);
}

/* The key that comes next, looked for everywhere. */
static uint64_t slow_next(const struct shelf_filter *filter, bool any, uint64_t behind)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < child_count; i++)
        if (passes(&children[i], filter) && (any || children[i].key > behind) &&
            children[i].key < next)
            next = children[i].key;
    return next;
}

static void look(struct rng *rng, struct shelf *shelf)
{
    const struct shelf_filter filters[] = {
        shelf_filter_all(),
        shelf_filter_hold((double)rng_below(rng, 20)),
        { .room = (double)rng_below(rng, 20), .node_room = (double)rng_below(rng, 20),
          .standing = (double)rng_below(rng, 40) },
    };
    const struct shelf_filter *filter = &filters[rng_below(rng, 3)];
    uint64_t behind = rng_below(rng, 50 << 10);

    assert_int_equal(key_of(shelf_first(shelf, filter)), slow_next(filter, true, 0));
    assert_int_equal(key_of(shelf_after(shelf, behind, filter)), slow_next(filter, false, behind));
}

static void check_least(const struct shelf *shelf)
{
    float need = SHELF_NEVER, hold = SHELF_NEVER;

    for (size_t i = 0; i < child_count; i++)
        if (children[i].here) {
            need = fminf(need, children[i].need);
            hold = fminf(hold, children[i].hold);
        }
    assert_true(shelf->need == need && shelf->hold == hold);
}

static void step(struct rng *rng, struct shelf *shelf, uint64_t crowd)
{
    size_t i = (size_t)rng_below(rng, child_count);
    uint64_t before = children[i].key;
    struct shelf_entry entry;

    if (!children[i].here) {
        entry = say(rng, i);
        shelf_enter(shelf, &entry);
        children[i].here = true;
    } else if (rng_below(rng, 100) >= crowd) {
        shelf_leave(shelf, before);
        children[i].here = false;
    } else if (rng_chance(rng, 500)) {
        entry = say(rng, i);
        shelf_move(shelf, before, &entry);
    } else {
        entry = say(rng, i);
        children[i].key = entry.key = before;
        shelf_note(shelf, &entry);
    }
}

/* A child is served, and may move before that is said; another is asked how often it was passed over. */
static void pass(struct rng *rng, struct shelf *shelf)
{
    size_t served = (size_t)rng_below(rng, child_count), asked = (size_t)rng_below(rng, child_count);
    uint64_t key = children[served].key;

    if (!children[served].here)
        return;
    if (rng_chance(rng, 500)) {
        struct shelf_entry entry = say(rng, served);

        shelf_move(shelf, key, &entry);
    }
    shelf_pass(shelf, key);
    for (size_t i = 0; i < child_count; i++)
        if (i != served && children[i].here && children[i].counts && children[i].key < key)
            children[i].counted++;
    if (children[asked].here)
        assert_int_equal(shelf_counted(shelf, children[asked].key), children[asked].counted);
}

static void shelve(size_t count)
{
    struct shelf *shelf = shelf_new((uint32_t)count);
    struct rng rng;

    memset(children, 0, sizeof(children));
    child_count = count;
    rng_seed(&rng, 7);
    for (int i = 0; i < STEPS; i++) {
        step(&rng, shelf, i / 5000 % 2 ? 5 : 95);       /* it fills, and empties, in turn */
        look(&rng, shelf);
        pass(&rng, shelf);
        if (i % 50 == 0)
            check_least(shelf);
    }
    free(shelf);
}

static void order_and_counts_of_many_are_those_of_a_search_everywhere(void **state)
{
    (void)state;
    shelve(CHILDREN);
}

static void order_and_counts_of_few_are_those_of_a_search_everywhere(void **state)
{
    (void)state;
    shelve(FEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_and_counts_of_many_are_those_of_a_search_everywhere),
        cmocka_unit_test(order_and_counts_of_few_are_those_of_a_search_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
