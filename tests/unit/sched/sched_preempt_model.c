/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_preempt_model.c - test: the preemption policy on random clusters: invariants, and equality with a
 * reference implementation of yarn-behaviour 7.2 to 7.5
 *
 * SEED (1) and SEEDS (400) in the environment choose other clusters for the comparison.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reference/preempt_model.h"

#define SEEDS 400

static struct preempt_marks round_of(struct fixture *fixture, struct preempt *preempt, int64_t now_ms)
{
    struct preempt_marks marks = { .count = 0 };

    preempt_round(preempt, &fixture->snapshot, now_ms, &marks);
    return marks;
}

/* --- invariants ---------------------------------------------------------------------------- */

static void never_too_much(struct fixture *fixture, const struct preempt_marks *marks)
{
    struct resource allowed = calc_multiply(&fixture->snapshot.cluster, (double)fixture->settings.per_round);
    struct resource sum = { .value = { 0 } }, largest = sum;

    for (size_t i = 0; i < marks->count; i++) {
        const struct fixture_container *c = marks->items[i].container;

        if (marks->items[i].act != PREEMPT_NOTIFY)
            continue;
        sum = resource_add(sum, c->size);
        largest = resource_max(largest, c->size);
    }
    assert_true(sum.value[0] <= allowed.value[0] + largest.value[0]);
    if (fixture->settings.calc.dominant && !fixture->settings.underutilized)
        assert_true(sum.value[1] <= allowed.value[1] + largest.value[1]);
}

/* An increase of another leaf waits on the node of the marked container. */
static void only_for_an_increase_there(const struct fixture *fixture, const struct preempt_mark *mark)
{
    const struct fixture_container *gone = mark->container;
    bool found = false;

    for (uint32_t i = 0; i < fixture->container_count; i++) {
        const struct fixture_container *c = &fixture->containers[i];

        found |= !c->gone && !resource_is_zero(&c->growth) && c->node == gone->node &&
                 c->container.leaf == mark->gainer;
    }
    assert_true(found && mark->gainer != mark->leaf);
}

static void never_the_wrong_one(struct fixture *fixture, const struct preempt_marks *marks)
{
    for (size_t i = 0; i < marks->count; i++) {
        const struct preempt_mark *mark = &marks->items[i];
        const struct fixture_container *c = mark->container;
        const struct preempt_queue *queue = &fixture->queues[mark->leaf];

        assert_true(mark->id == c->container.id && !c->container.killable && !c->gone);
        assert_true(queue->leaf && mark->leaf == c->container.leaf);
        assert_true(mark->act == PREEMPT_NOTIFY || mark->act == PREEMPT_RELEASE);
        if (mark->selector == PREEMPT_BY_INTRA_QUEUE)
            assert_true(!queue->intra_disabled && mark->gainer == mark->leaf);
        assert_true(!queue->disabled);
        if (mark->selector == PREEMPT_BY_INCREASE)
            only_for_an_increase_there(fixture, mark);
        if (mark->selector == PREEMPT_BY_GUARANTEE || mark->selector == PREEMPT_BY_BALANCE)
            assert_true(mark->gainer != mark->leaf);
        if (mark->selector != PREEMPT_BY_GUARANTEE && mark->selector != PREEMPT_BY_BALANCE)
            assert_true(!c->container.am && !c->container.reserved);
        for (size_t j = 0; j < i; j++)
            assert_false(marks->items[j].id == mark->id && marks->items[j].act == mark->act);
    }
}

static void the_properties_of_the_model_are_met(void **state)
{
    size_t marked = 0, by[PREEMPT_SELECTORS] = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct fixture *fixture = fixture_drawn(seed);
        struct preempt_marks marks, again, none;

        fixture_add_increases(fixture, seed);
        marks = fixture_first_round(fixture);
        fixture->snapshot.source.next_containers = NULL; /* returns all containers of an app at once */
        again = fixture_first_round(fixture);
        never_too_much(fixture, &marks);
        never_the_wrong_one(fixture, &marks);
        assert_int_equal(marks.count, again.count);
        assert_true(marks.count == 0 ||
                    memcmp(marks.items, again.items, marks.count * sizeof(*marks.items)) == 0);
        fixture->settings.observe_only = true;
        none = fixture_first_round(fixture);
        assert_int_equal(none.count, 0);
        for (size_t i = 0; i < marks.count; i++)
            by[marks.items[i].selector]++;
        marked += marks.count;
        free(marks.items);
        free(again.items);
        free(none.items);
        fixture_free(fixture);
    }
    assert_true(marked > SEEDS); /* enough containers were selected for the test to mean anything */
    for (int s = 0; s < PREEMPT_SELECTORS; s++)
        assert_true(by[s] > 0);
}

/* Several rounds. The cluster ends some of the containers that it was ordered to end, at random times.
 * Each container is notified once per wait and never killed before it has passed, and memory stays
 * bounded. */
static void rounds_in_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
        struct fixture *fixture = fixture_drawn(seed);
        struct preempt *preempt = preempt_new(&fixture->settings);
        int64_t *notified_ms = calloc(FIXTURE_CONTAINERS, sizeof(*notified_ms));
        int64_t *until = calloc(FIXTURE_CONTAINERS, sizeof(*until));
        struct rng rng;

        rng_seed(&rng, seed);
        fixture->settings.balance_wait_ms = 20000;
        preempt_set(preempt, &fixture->settings);
        for (int64_t now_ms = 1000; now_ms < 120000; now_ms += rng_between(&rng, 1, 6000)) {
            struct preempt_marks marks = round_of(fixture, preempt, now_ms);

            for (size_t i = 0; i < marks.count; i++) {
                struct fixture_container *c = marks.items[i].container;
                int64_t *when = &notified_ms[c - fixture->containers];
                int64_t *deadline = &until[c - fixture->containers];

                if (marks.items[i].act == PREEMPT_NOTIFY) {
                    /* Notified once, unless the wait was shortened. */
                    assert_true(*when == 0 || marks.items[i].kill_ms - now_ms < *deadline - *when);
                    *when = now_ms;
                    *deadline = marks.items[i].kill_ms;
                } else if (marks.items[i].act == PREEMPT_WITHDRAW) {
                    assert_true(*when > 0 && now_ms - *when > 2 * (*deadline - *when));
                    *when = 0;
                    continue;
                } else if (marks.items[i].act == PREEMPT_KILL) {
                    assert_true(*when > 0 && now_ms >= *deadline);
                    *when = 0;
                    c->gone = true;
                } else {
                    c->gone = true;
                }
                if (c->gone || rng_chance(&rng, 50)) {
                    c->gone = true;
                    preempt_forget(preempt, marks.items[i].id);
                }
            }
            assert_true(preempt_remembered(preempt) <= fixture->container_count);
            fixture_sum_up(fixture);
            free(marks.items);
        }
        free(notified_ms);
        free(until);
        preempt_free(preempt);
        fixture_free(fixture);
    }
}

/* --- comparison with the reference implementation ------------------------------------------ */

/* Compares what the model selects by guarantee with the first round of the policy. Returns the number of
 * containers. */
static size_t compare_with_model(struct fixture *fixture, uint64_t seed)
{
    struct preempt_choice *choice = malloc(sizeof(*choice));
    struct preempt_marks marks;
    size_t next = 0, taken = 0;
    bool same = true;

    fixture->settings.underutilized = fixture->settings.reserved = false;
    fixture->settings.reserved_balance = fixture->settings.balance = false;
    fixture->settings.intra = false;
    preempt_model_select(fixture, choice);
    marks = fixture_first_round(fixture);
    for (size_t i = 0; i < marks.count; i++) {
        const struct preempt_chosen *chosen = &choice->items[next++];

        same = same && next <= choice->count && chosen->release == (marks.items[i].act == PREEMPT_RELEASE) &&
               fixture->containers[chosen->container].container.id == marks.items[i].id;
        taken += marks.items[i].act == PREEMPT_NOTIFY;
    }
    if (!same || next != choice->count)
        fail_msg("seed %" PRIu64 ": the model makes %zu choices, the policy %zu, or others", seed,
                 choice->count, next);
    free(marks.items);
    free(choice);
    return taken;
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

static size_t compare_seed(uint64_t seed, bool gpus)
{
    struct fixture *fixture = fixture_drawn(seed);
    size_t taken;

    if (gpus)
        fixture_add_gpus(fixture, seed);
    taken = compare_with_model(fixture, seed);
    fixture_free(fixture);
    return taken;
}

static void compare_seeds(bool gpus)
{
    uint64_t first = from_environment("SEED", 1), count = from_environment("SEEDS", SEEDS);
    size_t taken = 0;

    for (uint64_t seed = first; seed < first + count; seed++)
        taken += compare_seed(seed, gpus);
    assert_true(count < SEEDS || taken > count); /* enough for the comparison to mean anything */
}

static void same_as_the_slow_reading(void **state)
{
    (void)state;
    compare_seeds(false);
}

static void same_with_gpus(void **state)
{
    (void)state;
    compare_seeds(true);
    compare_seed(4000982, true); /* the model added capacities in single precision */
    compare_seed(5459094, true); /* a ratio below a parent with a negative ideal was not a number */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_properties_of_the_model_are_met),
        cmocka_unit_test(rounds_in_time),
        cmocka_unit_test(same_as_the_slow_reading),
        cmocka_unit_test(same_with_gpus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
