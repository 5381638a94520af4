/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_preempt_request.c - test: the preemption policy selects containers only if a request could use their
 * resources, on random clusters. creel-sim storm and chaos check the same in a live scheduler
 * (rm/sched/capacity/preempt_audit.h, which names the exceptions).
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "tests/unit/sched/preempt_fixture.h"

#define SEEDS 1000

/* Returns true if an application that asks could use the resources of the marked container: one of another
 * leaf, or of the same leaf if the container was selected within it. */
static bool another_asks(const struct fixture *fixture, const struct preempt_mark *mark)
{
    const struct fixture_container *c = mark->container;

    for (uint32_t a = 0; a < fixture->app_count; a++) {
        bool inside = fixture->apps[a].leaf == mark->leaf;

        if (a != c->app && !resource_is_zero(&fixture->apps[a].pending) &&
            inside == (mark->selector == PREEMPT_BY_INTRA_QUEUE))
            return true;
    }
    return false;
}

/* Reservations count as requests: their selectors do not look at pending resources. */
static void never_without_a_request(const struct fixture *fixture, const struct preempt_marks *marks)
{
    for (size_t i = 0; i < marks->count; i++)
        if (marks->items[i].act != PREEMPT_WITHDRAW && marks->items[i].selector != PREEMPT_BY_RESERVED &&
            marks->items[i].selector != PREEMPT_BY_QUEUE_PRIORITY)
            assert_true(another_asks(fixture, &marks->items[i]));
}

/* Returns the number of marks on random clusters in which all queues ask, one, or none. */
static size_t check_clusters(bool asks(const struct fixture *fixture, uint64_t seed, uint32_t leaf))
{
    size_t marked = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct fixture *fixture = fixture_drawn(seed);
        struct preempt_marks marks;

        for (uint32_t a = 0; a < fixture->app_count; a++)
            if (!asks(fixture, seed, fixture->apps[a].leaf))
                fixture->apps[a].pending = resource_of(0, 0);
        fixture_sum_up(fixture);
        marks = fixture_first_round(fixture);
        never_without_a_request(fixture, &marks);
        marked += marks.count;
        free(marks.items);
        fixture_free(fixture);
    }
    return marked;
}

static bool all_ask(const struct fixture *fixture, uint64_t seed, uint32_t leaf)
{
    (void)fixture;
    (void)seed;
    (void)leaf;
    return true;
}

static bool one_asks(const struct fixture *fixture, uint64_t seed, uint32_t leaf)
{
    return leaf == seed % fixture->queue_count;
}

static bool none_asks(const struct fixture *fixture, uint64_t seed, uint32_t leaf)
{
    (void)fixture;
    (void)seed;
    (void)leaf;
    return false;
}

static void if_all_queues_ask(void **state)
{
    (void)state;
    assert_true(check_clusters(all_ask) > SEEDS); /* enough for the test to mean anything */
}

static void if_one_queue_asks(void **state)
{
    (void)state;
    assert_true(check_clusters(one_asks) > SEEDS / 2);
}

static void if_no_queue_asks(void **state)
{
    (void)state;
    check_clusters(none_asks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(if_all_queues_ask),
        cmocka_unit_test(if_one_queue_asks),
        cmocka_unit_test(if_no_queue_asks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
