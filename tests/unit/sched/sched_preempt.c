/* SPDX-License-Identifier: Apache-2.0 */
/* sched_preempt.c - test: the preemption policy: which containers, how many, and when a container is
 * killed */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/sched/preempt_fixture.h"

static struct preempt_marks run(struct preempt *preempt, struct fixture *fixture, int64_t now_ms)
{
    struct preempt_marks marks = { .count = 0 };

    preempt_round(preempt, &fixture->snapshot, now_ms, &marks);
    return marks;
}

/* Makes two queues with half of the cluster each. The first queue uses everything, the second requests
 * WANTED. */
static struct fixture *greedy(int64_t wanted, uint32_t *from, uint32_t *to)
{
    struct fixture *fixture = fixture_new(resource_of(100, 100));
    uint32_t app;

    *from = fixture_queue(fixture, 0, 50);
    *to = fixture_queue(fixture, 0, 50);
    app = fixture_app(fixture, *from, 0, 0, 0);
    fixture_containers(fixture, app, 100, 1);
    fixture->containers[0].container.am = true;
    fixture_app(fixture, *to, 0, 0, wanted);
    fixture_sum_up(fixture);
    return fixture;
}

/* Runs one round of a new policy. Returns the number of notified containers. */
static size_t count_notified(struct fixture *fixture)
{
    struct preempt *preempt = preempt_new(&fixture->settings);
    struct preempt_marks marks = run(preempt, fixture, 0);
    size_t count = 0;

    for (size_t i = 0; i < marks.count; i++)
        count += marks.items[i].act == PREEMPT_NOTIFY;
    free(marks.items);
    preempt_free(preempt);
    return count;
}

static void each_key_counts(void **state)
{
    uint32_t from, to;
    struct fixture *fixture = greedy(30, &from, &to);

    (void)state;
    assert_int_equal(count_notified(fixture), 30);
    fixture->settings.observe_only = true;
    assert_int_equal(count_notified(fixture), 0);
    fixture->settings.observe_only = false;
    fixture->settings.termination_factor = 0.2;
    assert_int_equal(count_notified(fixture), 6);
    fixture->settings.per_round = 0.05f; /* 5 of 100 per round; damping gives 5 of 30 */
    assert_int_equal(count_notified(fixture), 1);
    fixture->settings.termination_factor = 1.0;
    assert_int_equal(count_notified(fixture), 5);
    fixture->settings.per_round = 1.0f;
    fixture->settings.ignored_over_capacity = 1.0; /* the queue may use twice its guarantee before
                                                      preemption */
    assert_int_equal(count_notified(fixture), 0);
    fixture->settings.ignored_over_capacity = 0.9;
    assert_int_equal(count_notified(fixture), 30);
    fixture->queues[from].disabled = true;
    assert_int_equal(count_notified(fixture), 0);
    fixture_free(fixture);
}

static void a_container_gets_one_notice_and_is_then_killed(void **state)
{
    uint32_t from, to;
    struct fixture *fixture = greedy(3, &from, &to);
    struct preempt *preempt = preempt_new(&fixture->settings);
    static const struct {
        int64_t now_ms;
        size_t notify, kill;
    } rounds[] = {
        { 1000, 3, 0 },  { 4000, 0, 0 },  { 10999, 0, 0 },
        { 11000, 0, 3 }, { 12000, 3, 0 }, /* still running: notified again */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
        struct preempt_marks marks = run(preempt, fixture, rounds[i].now_ms);

        assert_int_equal(fixture_count(&marks, PREEMPT_NOTIFY, from), rounds[i].notify);
        assert_int_equal(fixture_count(&marks, PREEMPT_KILL, from), rounds[i].kill);
        for (size_t m = 0; m < marks.count; m++) {
            assert_int_equal(marks.items[m].gainer, to);
            assert_int_equal(marks.items[m].selector, PREEMPT_BY_GUARANTEE);
            assert_true(marks.items[m].act != PREEMPT_NOTIFY ||
                        marks.items[m].kill_ms == rounds[i].now_ms + 10000);
        }
        free(marks.items);
    }
    preempt_free(preempt);
    fixture_free(fixture);
}

/* Runs a round at NOW_MS, and counts how many of the containers with a mark it picked for each of LEAVES, and
 * for none. */
static void count_gainers(struct preempt *preempt, struct fixture *fixture, int64_t now_ms,
                          const uint32_t leaves[2], size_t counts[3])
{
    struct preempt_marks marks = run(preempt, fixture, now_ms);
    uint32_t gainer;

    free(marks.items);
    memset(counts, 0, 3 * sizeof(*counts));
    for (uint32_t i = 0; i < fixture->container_count; i++) {
        if (!preempt_gainer(preempt, fixture->containers[i].container.id, &gainer))
            continue;
        counts[0] += gainer == leaves[0];
        counts[1] += gainer == leaves[1];
        counts[2] += gainer == PREEMPT_NONE;
    }
}

/* The notices of the first round, for one queue, are for two in the next one, and for one of them later. */
static void a_round_deals_the_room_anew(void **state)
{
    static const struct {
        int64_t wanted[2];
        size_t counts[3];
    } rounds[] = {
        { { 0, 6 }, { 0, 6, 0 } },
        { { 4, 2 }, { 4, 2, 0 } },
        { { 3, 0 }, { 3, 0, 3 } },
        { { 0, 0 }, { 0, 0, 6 } },
    };
    struct fixture *fixture = fixture_new(resource_of(100, 100));
    uint32_t from = fixture_queue(fixture, 0, 40);
    const uint32_t leaves[2] = { fixture_queue(fixture, 0, 30), fixture_queue(fixture, 0, 30) };
    struct preempt *preempt = preempt_new(&fixture->settings);
    uint32_t first;

    (void)state;
    fixture_containers(fixture, fixture_app(fixture, from, 0, 0, 0), 100, 1);
    first = fixture_app(fixture, leaves[0], 0, 0, 0);
    fixture_app(fixture, leaves[1], 0, 0, 0);
    for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
        size_t counts[3];

        for (uint32_t leaf = 0; leaf < 2; leaf++)
            fixture->apps[first + leaf].pending = resource_of(rounds[i].wanted[leaf], rounds[i].wanted[leaf]);
        fixture_sum_up(fixture);
        count_gainers(preempt, fixture, (int64_t)i * 1000, leaves, counts);
        for (size_t c = 0; c < 3; c++)
            assert_int_equal(counts[c], rounds[i].counts[c]);
    }
    preempt_free(preempt);
    fixture_free(fixture);
}

static void no_longer_needed(void **state)
{
    uint32_t from, to;
    struct fixture *fixture = greedy(3, &from, &to);
    struct preempt *preempt = preempt_new(&fixture->settings);
    struct preempt_marks marks = run(preempt, fixture, 0);

    (void)state;
    assert_int_equal(preempt_remembered(preempt), 3);
    fixture->apps[1].pending = resource_of(0, 0);
    fixture_sum_up(fixture);
    for (int64_t now_ms = 3000; now_ms <= 20000; now_ms += 1000) {
        marks.count = 0;
        preempt_round(preempt, &fixture->snapshot, now_ms, &marks);
        assert_int_equal(marks.count, 0);
        assert_int_equal(preempt_remembered(preempt), 3);
    }
    preempt_round(preempt, &fixture->snapshot, 20001, &marks); /* twice the wait has passed */
    assert_int_equal(preempt_remembered(preempt), 0);
    free(marks.items);
    preempt_free(preempt);
    fixture_free(fixture);
}

static void gone_is_forgotten(void **state)
{
    uint32_t from, to;
    struct fixture *fixture = greedy(40, &from, &to);
    struct preempt *preempt = preempt_new(&fixture->settings);
    struct preempt_marks marks = run(preempt, fixture, 0);

    (void)state;
    assert_int_equal(marks.count, 40);
    for (size_t i = 0; i < marks.count; i++) {
        preempt_forget(preempt, marks.items[i].id);
        preempt_forget(preempt, marks.items[i].id);
        assert_int_equal(preempt_remembered(preempt), 39 - i);
    }
    free(marks.items);
    preempt_free(preempt);
    fixture_free(fixture);
}

/* Order: the newest app first; within the app the least important container, then the newest. */
static void victims_are_chosen_in_order(void **state)
{
    struct fixture *fixture = fixture_new(resource_of(100, 100));
    uint32_t from = fixture_queue(fixture, 0, 10), to = fixture_queue(fixture, 0, 90);
    uint32_t old = fixture_app(fixture, from, 0, 1, 0), fresh = fixture_app(fixture, from, 0, 1, 0);
    uint32_t low = fixture_app(fixture, from, 0, 0, 0);
    uint32_t of_old = fixture_containers(fixture, old, 2, 10);
    uint32_t of_fresh = fixture_containers(fixture, fresh, 3, 10);
    uint32_t of_low = fixture_containers(fixture, low, 1, 10);
    const uint32_t order[] = { of_low, of_fresh, of_fresh + 2, of_fresh + 1, of_old + 1 };
    struct preempt *preempt = preempt_new(&fixture->settings);
    struct preempt_marks marks;

    (void)state;
    fixture->containers[of_fresh].container.priority = 5; /* larger number: less important */
    fixture_app(fixture, to, 0, 0, 90);
    fixture_sum_up(fixture);
    fixture->figures[0].used = fixture->figures[from].used = resource_of(100, 100);
    fixture->figures[from].guaranteed = resource_of(50, 50);
    marks = run(preempt, fixture, 0);
    assert_int_equal(marks.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_ptr_equal(marks.items[i].container, &fixture->containers[order[i]]);
    free(marks.items);
    preempt_free(preempt);
    fixture_free(fixture);
}

static void reservations_go_first(void **state)
{
    uint32_t from, to;
    struct fixture *fixture = greedy(3, &from, &to);
    struct preempt *preempt = preempt_new(&fixture->settings);
    struct preempt_marks marks;

    (void)state;
    fixture->containers[10].container.reserved = fixture->containers[11].container.reserved = true;
    fixture_sum_up(fixture);
    marks = run(preempt, fixture, 0);
    assert_int_equal(fixture_count(&marks, PREEMPT_RELEASE, from), 2);
    assert_int_equal(fixture_count(&marks, PREEMPT_NOTIFY, from), 3);
    free(marks.items);
    preempt_free(preempt);
    fixture_free(fixture);
}

static void masters_go_last(void **state)
{
    struct fixture *fixture = fixture_new(resource_of(100, 100));
    uint32_t from = fixture_queue(fixture, 0, 10), to = fixture_queue(fixture, 0, 90);

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t first = fixture_containers(fixture, fixture_app(fixture, from, 0, 0, 0), 2, 10);

        fixture->containers[first].container.am = true;
    }
    fixture_app(fixture, to, 0, 0, 90);
    fixture_sum_up(fixture);
    fixture->figures[from].used = fixture->figures[0].used = resource_of(100, 100);
    fixture->queues[from].am_fraction = 1.0f; /* trunc(100 * 0.1) * 1: one of the AMs stays */
    assert_int_equal(count_notified(fixture), 7);
    fixture->queues[from].am_fraction = 0.0f;
    assert_int_equal(count_notified(fixture), 8);
    fixture_free(fixture);
}

static void killable_container_counts_as_ended(void **state)
{
    uint32_t from, to;
    struct fixture *fixture = greedy(30, &from, &to);

    (void)state;
    for (uint32_t i = 80; i < 100; i++)
        fixture->containers[i].container.killable = true;
    fixture->figures[from].killable = resource_of(20, 20);
    assert_int_equal(count_notified(fixture), 10);
    fixture_free(fixture);
}

/* The policy reads no container of a leaf from which it preempts nothing. */
static void only_givers_are_fetched(void **state)
{
    struct fixture *fixture = fixture_new(resource_of(100, 100));

    (void)state;
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t q = fixture_queue(fixture, 0, 10);

        fixture_containers(fixture, fixture_app(fixture, q, 0, 0, i == 9 ? 5 : 0), 10, 1);
    }
    fixture_sum_up(fixture);
    assert_int_equal(count_notified(fixture), 0);
    assert_int_equal(fixture->leaf_fetches, 0);
    fixture_free(fixture);
}

/* A second partition: containers there without the label are preempted first, and only the excess in that
 * partition. */
static void partitions(void **state)
{
    uint32_t from, to;
    struct fixture *fixture = greedy(0, &from, &to);
    struct preempt *preempt = preempt_new(&fixture->settings);
    struct preempt_marks marks;

    (void)state;
    fixture->partition_count = 2;
    fixture->partitions[1] = resource_of(100, 100);
    for (uint32_t q = 0; q < 3; q++)
        fixture->figures[3 + q] =
            (struct preempt_figures){ .maximum = resource_of(100, 100),
                                      .guaranteed = q == from ? resource_of(40, 40)
                                                              : resource_of(q == 0 ? 100 : 60, 60) };
    for (uint32_t i = 0; i < 60; i++)
        fixture->containers[i].container.partition = 1;
    fixture->containers[5].borrows = fixture->containers[6].borrows = true;
    fixture_sum_up(fixture);
    fixture->figures[3 + to].pending = fixture->figures[3 + to].pending_unreserved = resource_of(45, 45);
    marks = run(preempt, fixture, 0);
    assert_int_equal(marks.count, 5); /* of 100 in the partition: 55 stay, plus 45 */
    assert_ptr_equal(marks.items[0].container, &fixture->containers[6]);
    assert_ptr_equal(marks.items[1].container, &fixture->containers[5]);
    assert_ptr_equal(marks.items[2].container, &fixture->containers[59]);
    free(marks.items);
    preempt_free(preempt);
    fixture_free(fixture);
}

/* A node with a reservation of 10 gets all 10, from containers that are to be preempted anyway; or
 * nothing. */
static void room_for_reservations(void **state)
{
    uint32_t from, to;
    struct fixture *fixture = greedy(0, &from, &to);
    uint32_t first, app = 1;
    struct preempt *preempt;
    struct preempt_marks marks;

    (void)state;
    fixture->settings.reserved = true;
    fixture->node_count = 2;
    for (uint32_t i = 0; i < 100; i++)
        fixture->containers[i].node = i < 12 ? 0 : 1;
    first = fixture_containers(fixture, app, 1, 10);
    fixture->containers[first].container.reserved = true;
    fixture_sum_up(fixture);
    fixture->figures[from].used = resource_of(90, 90);
    fixture->figures[to].pending = resource_of(10, 10);
    fixture->figures[to].pending_unreserved = resource_of(0, 0);
    preempt = preempt_new(&fixture->settings);
    marks = run(preempt, fixture, 0);
    assert_int_equal(marks.count, 10);
    for (size_t i = 0; i < 10; i++) {
        assert_ptr_equal(marks.items[i].container, &fixture->containers[11 - i]);
        assert_int_equal(marks.items[i].selector, PREEMPT_BY_RESERVED);
        assert_int_equal(marks.items[i].gainer, to);
    }
    free(marks.items);
    preempt_free(preempt);
    fixture->containers[1].node = fixture->containers[2].node = 1; /* 9 and the AM are left */
    assert_int_equal(count_notified(fixture), 0);
    fixture_free(fixture);
}

/* A reservation of a queue of higher priority takes the node's oldest container after a while. */
static void underutilized(void **state)
{
    uint32_t from, to;
    struct fixture *fixture = greedy(0, &from, &to);
    uint32_t first = fixture_containers(fixture, 1, 1, 10);
    struct preempt *preempt;
    struct preempt_marks marks;

    (void)state;
    fixture->settings.underutilized = true;
    fixture->settings.reserved_delay_ms = 60000;
    fixture->queues[to].priority = 1;
    fixture->node_count = 1;
    fixture->containers[first].container.reserved = true;
    fixture->containers[first].container.created_ms = 1000;
    fixture_sum_up(fixture);
    fixture->figures[from].used = resource_of(90, 90);
    fixture->figures[0].used = resource_of(100, 100);
    preempt = preempt_new(&fixture->settings);
    marks = run(preempt, fixture, 60999);
    assert_int_equal(marks.count, 0);
    preempt_round(preempt, &fixture->snapshot, 61000, &marks);
    assert_int_equal(marks.count, 10);
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(marks.items[i].selector, PREEMPT_BY_QUEUE_PRIORITY);
        assert_ptr_equal(marks.items[i].container, &fixture->containers[i + 1]);
    }
    free(marks.items);
    preempt_free(preempt);
    fixture_free(fixture);
}

static void balance_has_its_own_wait(void **state)
{
    uint32_t from, to;
    struct fixture *fixture = greedy(80, &from, &to);
    struct preempt *preempt;
    struct preempt_marks marks;

    (void)state;
    for (uint32_t i = 0; i < 40; i++)
        fixture->containers[99 - i].gone = true;
    fixture_containers(fixture, 1, 20, 1);
    fixture->figures[from].guaranteed = resource_of(20, 20);
    fixture->figures[to].guaranteed = resource_of(20, 20);
    fixture->settings.balance = true;
    fixture->settings.balance_wait_ms = 300000;
    fixture_sum_up(fixture);
    fixture->figures[0].guaranteed = resource_of(80, 80);
    preempt = preempt_new(&fixture->settings);
    marks = run(preempt, fixture, 0);
    assert_true(marks.count > 0);
    for (size_t i = 0; i < marks.count; i++)
        assert_true(marks.items[i].selector == PREEMPT_BY_BALANCE && marks.items[i].leaf == from);
    for (int64_t now_ms = 10000; now_ms < 300000; now_ms += 10000) {
        marks.count = 0;
        preempt_round(preempt, &fixture->snapshot, now_ms, &marks);
        assert_int_equal(marks.count, 0);
    }
    preempt_round(preempt, &fixture->snapshot, 300000, &marks);
    assert_true(marks.count > 0 && marks.items[0].act == PREEMPT_KILL);
    free(marks.items);
    preempt_free(preempt);
    fixture_free(fixture);
}

static void settings_are_read(void **state)
{
    static const char delay[] = "yarn.scheduler.capacity.ordering-policy.priority-utilization."
                                "underutilized-preemption.reserved-container-delay-ms";
    static const char *const keys[][2] = {
        { "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", "30000" },
        { "yarn.resourcemanager.monitor.capacity.preemption.observe_only", "TRUE" },
        { "yarn.resourcemanager.scheduler.monitor.enable", "true" },
        { "yarn.scheduler.capacity.resource-calculator",
          "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator" },
        { "yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption."
          "preemption-order-policy",
          "PRIORITY_FIRST" },
        { delay, "2m" },
    };
    struct conf *conf = conf_new_defaults();
    struct preempt_settings settings, fresh;
    struct err err = { .code = 0 };

    (void)state;
    preempt_settings_default(&fresh);
    fresh.minimum = resource_of(1024, 1);
    memset(&settings, 0, sizeof(settings));
    assert_int_equal(preempt_settings_read(conf, 2, &settings, &err), 0);
    assert_true(settings.wait_ms == fresh.wait_ms && settings.per_round == fresh.per_round);
    assert_true(settings.termination_factor == fresh.termination_factor && !settings.enabled);
    assert_true(settings.reserved_delay_ms == 60000 && !settings.intra_priority_first);
    assert_true(resource_equal(&settings.minimum, &fresh.minimum));
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (conf_set(conf, keys[i][0], keys[i][1], &err) < 0)
            fail_msg("%s", err.text);
    assert_int_equal(preempt_settings_read(conf, 3, &settings, &err), 0);
    assert_true(settings.wait_ms == 30000 && settings.observe_only && settings.enabled);
    assert_true(settings.calc.dominant && settings.calc.types == 3);
    assert_true(settings.intra_priority_first && settings.reserved_delay_ms == 120000);
    conf_set(conf, delay, "soon", &err);
    assert_int_equal(preempt_settings_read(conf, 2, &settings, &err), -EINVAL);
    assert_non_null(strstr(err.text, "delay-ms: \"soon\": expected a time"));
    assert_true(settings.calc.types == 3); /* unchanged */
    conf_free(conf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_counts),
        cmocka_unit_test(a_container_gets_one_notice_and_is_then_killed),
        cmocka_unit_test(a_round_deals_the_room_anew),
        cmocka_unit_test(no_longer_needed),
        cmocka_unit_test(gone_is_forgotten),
        cmocka_unit_test(victims_are_chosen_in_order),
        cmocka_unit_test(reservations_go_first),
        cmocka_unit_test(masters_go_last),
        cmocka_unit_test(killable_container_counts_as_ended),
        cmocka_unit_test(only_givers_are_fetched),
        cmocka_unit_test(partitions),
        cmocka_unit_test(room_for_reservations),
        cmocka_unit_test(underutilized),
        cmocka_unit_test(balance_has_its_own_wait),
        cmocka_unit_test(settings_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
