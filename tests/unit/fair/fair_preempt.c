/* SPDX-License-Identifier: Apache-2.0 */
/* fair_preempt.c - test: fair scheduler: which containers are preempted, and on which nodes */
#include "rm/sched/internal.h"
#include "tests/unit/fair/fair_fixture.h"

static const char *const preemption[][2] = {
    { "yarn.scheduler.fair.preemption", "true" },
    { "yarn.scheduler.fair.preemption.cluster-utilization-threshold", "0" },
    { "yarn.scheduler.fair.dynamic.max.assign", "false" },
    { "yarn.scheduler.maximum-allocation-mb", "1048576" },
    { "yarn.scheduler.maximum-allocation-vcores", "1024" },
    { NULL, NULL },
};

#define AT_ONCE \
    "<defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout>" \
    "<defaultFairSharePreemptionThreshold>1</defaultFairSharePreemptionThreshold>"

/* Places one container of GB and VCORES for APP on NODE. */
static void place(struct fair_fixture *f, struct sched_app *app, struct sched_node *node, int gb, int vcores)
{
    uint32_t before = fixture_app_figures(f, app).containers;

    fixture_ask(f, app, "*", 1, gb * 1024, vcores);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, app).containers, before + 1);
}

static const struct sched_decision *nth_preempted(const struct fair_fixture *f, size_t nth)
{
    for (size_t i = 0; i < f->decisions.count; i++)
        if (f->decisions.items[i].kind == SCHED_PREEMPT && nth-- == 0)
            return &f->decisions.items[i];
    return NULL;
}

/* Cluster: 120 GB and 120 vcores; each of the three queues has a share of 40 of each. "large" has 50 of
 * each, so it keeps its dominant share as long as it has 40 of either type. n1: the newest container uses
 * memory, the older container uses vcores. While both amounts of "large" are above 40, the newest
 * container may be preempted, but then not the older container, and the vcores that "small" requests do
 * not become free. After "large" has lost vcores on n2, the newest container may no longer be preempted,
 * and the older one may. */
static void a_node_without_room_is_searched_again_for_the_next_container(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *large, *other, *small;
    struct sched_node *n1, *n2, *n3;

    fixture_begin(f, preemption,
                  AT_ONCE "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"
                          "<queue name=\"large\"/><queue name=\"small\"/>"
                          "<queue name=\"other\"><allowPreemptionFrom>false</allowPreemptionFrom></queue>");
    n1 = fixture_node(f, "n1", 16 * 1024, 16);
    n2 = fixture_node(f, "n2", 1 * 1024, 15);
    n3 = fixture_node(f, "n3", 103 * 1024, 89);
    large = fixture_app(f, "large", 0);
    other = fixture_app(f, "other", 0);
    small = fixture_app(f, "small", 0);
    place(f, large, n1, 1, 15);
    place(f, large, n1, 15, 1);
    place(f, large, n2, 1, 15);
    place(f, large, n3, 33, 19);
    place(f, other, n3, 70, 70);
    fixture_ask(f, small, "*", 2, 1024, 15);
    fixture_count(f, SCHED_PREEMPT);
    fixture_update(f);
    fixture_update(f);
    assert_non_null(nth_preempted(f, 0));
    assert_ptr_equal(nth_preempted(f, 0)->node, n2);
    assert_string_equal(nth_preempted(f, 0)->gainer, "root.small");
    assert_non_null(nth_preempted(f, 1));
    assert_ptr_equal(nth_preempted(f, 1)->node, n1);
    assert_null(nth_preempted(f, 2));
}

#define TWO_QUEUES AT_ONCE "<queue name=\"large\"/><queue name=\"small\"/>"

/* Adds a node of 8 GB, of which queue "large" uses USED_GB. */
static struct sched_node *add_used_node(struct fair_fixture *f, const char *name, int used_gb)
{
    struct sched_node *node = fixture_node(f, name, 8 * 1024, 8);
    struct sched_app *large = fixture_app(f, "large", 0);

    for (int i = 0; i < used_gb; i++)
        place(f, large, node, 1, 1);
    fixture_count(f, SCHED_PREEMPT);
    return node;
}

/* Makes "small" starve: below its share, while "large" is above its share. */
static struct sched_app *starve(struct fair_fixture *f, int gb)
{
    struct sched_app *small = fixture_app(f, "small", 0);

    fixture_ask(f, small, "*", 1, gb * 1024, 1);
    fixture_update(f);
    fixture_update(f);
    return small;
}

static void as_many_containers_are_preempted_as_make_room(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_node *node;

    fixture_begin(f, preemption, TWO_QUEUES);
    node = add_used_node(f, "n1", 6);
    starve(f, 3);
    assert_non_null(nth_preempted(f, 0));
    assert_ptr_equal(nth_preempted(f, 0)->node, node);
    assert_null(nth_preempted(f, 1));
}

static void no_container_is_preempted_on_a_node_with_room(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *small;
    struct sched_node *node;

    fixture_begin(f, preemption, TWO_QUEUES);
    node = add_used_node(f, "n1", 6);
    small = starve(f, 2);
    assert_null(nth_preempted(f, 0));
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, small).containers, 1);
}

static void no_container_is_preempted_while_an_empty_node_has_room(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *small;
    struct sched_node *empty;

    fixture_begin(f, preemption, TWO_QUEUES);
    empty = fixture_node(f, "n0", 4 * 1024, 8);
    add_used_node(f, "n1", 8);
    small = starve(f, 2);
    assert_null(nth_preempted(f, 0));
    fixture_heartbeat(f, empty, 1);
    assert_int_equal(fixture_app_figures(f, small).containers, 1);
}

static void no_more_is_preempted_for_a_minimum_share_than_it_lacks(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *small;

    fixture_begin(f, preemption,
                  "<queue name=\"large\"/>"
                  "<queue name=\"small\"><minResources>2048 mb, 0 vcores</minResources>"
                  "<minSharePreemptionTimeout>0</minSharePreemptionTimeout></queue>");
    add_used_node(f, "n1", 8);
    small = fixture_app(f, "small", 0);
    fixture_ask(f, small, "*", 6, 1024, 1);
    fixture_update(f);
    fixture_update(f);
    assert_int_equal(fixture_count(f, SCHED_PREEMPT), 2);
}

/* Three containers of "large" on one node are killed for one request of 3 GB. */
static void their_room_is_kept_until_all_killed_containers_have_ended(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *small, *large;
    struct sched_node *node;
    struct sched_container *killed[3];

    fixture_begin(f, preemption, TWO_QUEUES);
    node = add_used_node(f, "n1", 8);
    small = starve(f, 3);
    large = nth_preempted(f, 0)->app;
    for (size_t i = 0; i < 3; i++)
        killed[i] = nth_preempted(f, i)->container;
    fixture_count(f, SCHED_PREEMPT);
    fixture_ask(f, large, "*", 4, 1024, 1);
    fixture_advance(f, 20000);
    assert_int_equal(fixture_count(f, SCHED_KILL), 3);
    for (uint32_t i = 0; i < 2; i++) {
        sched_container_end(f->sched, killed[i], &f->decisions);
        fixture_heartbeat(f, node, 2);
        fixture_advance(f, 60000);
        fixture_update(f);
        assert_int_equal(fixture_count(f, SCHED_PREEMPT), 0);
        assert_int_equal(fixture_app_figures(f, large).containers, 7 - i);
    }
    sched_container_end(f->sched, killed[2], &f->decisions);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, small).containers, 1);
    assert_int_equal(fixture_app_figures(f, large).containers, 5);
}

static void a_container_that_does_not_end_is_replaced(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_container *stuck;
    struct sched_app *small;
    struct sched_node *node;

    fixture_begin(f, preemption, TWO_QUEUES);
    node = add_used_node(f, "n1", 8);
    small = starve(f, 1);
    stuck = nth_preempted(f, 0)->container;
    fixture_count(f, SCHED_PREEMPT);
    fixture_advance(f, 20000);
    assert_int_equal(fixture_count(f, SCHED_KILL), 1);
    sched_container_stopping(f->sched, stuck, false);
    sched_container_stopping(f->sched, stuck, true);
    fixture_audit(f);
    fixture_advance(f, 60000);
    fixture_update(f);
    assert_non_null(nth_preempted(f, 0));
    assert_ptr_not_equal(nth_preempted(f, 0)->container, stuck);
    sched_container_end(f->sched, nth_preempted(f, 0)->container, &f->decisions);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, small).containers, 1);
    sched_container_end(f->sched, stuck, &f->decisions);
    fixture_audit(f);
}

/* A process of a container did not end, and has ended: the container runs on, and is preempted as others. */
static void a_container_that_runs_on_is_preempted(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_container *container;
    struct sched_node *node;

    fixture_begin(f, preemption, TWO_QUEUES);
    node = add_used_node(f, "n1", 8);
    TAILQ_FOREACH(container, &node->containers, of_node) {
        sched_container_stopping(f->sched, container, true);
        sched_container_continues(f->sched, container);
    }
    fixture_audit(f);
    starve(f, 1);
    assert_non_null(nth_preempted(f, 0));
}

/* A job whose containers end after a kill: 3 GB on the node that "small" needs. */
static void nothing_is_preempted_for_room_that_comes(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *large;
    struct sched_node *node;

    fixture_begin(f, preemption, TWO_QUEUES);
    node = fixture_node(f, "n1", 8 * 1024, 8);
    large = fixture_app(f, "large", 0);
    fixture_ask(f, large, "*", 3, 1024, 1);
    fixture_update(f);
    fixture_count(f, SCHED_PREEMPT);
    sched_node_heartbeat(f->sched, node, &f->decisions);
    sched_node_heartbeat(f->sched, node, &f->decisions);
    sched_node_heartbeat(f->sched, node, &f->decisions);
    assert_int_equal(f->decisions.count, 3);
    for (size_t i = 0; i < 3; i++)
        sched_container_stopping(f->sched, f->decisions.items[i].container, false);
    fixture_count(f, SCHED_ALLOCATED);
    large = fixture_app(f, "large", 0);
    for (int i = 0; i < 5; i++)
        place(f, large, node, 1, 1);
    fixture_count(f, SCHED_PREEMPT);
    starve(f, 3);
    assert_int_equal(fixture_count(f, SCHED_PREEMPT), 0);
}

/* --- nothing is preempted unless the request could be placed then --- */

static void room_is_made_for_the_excess_of_a_node_that_became_smaller(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_node *node;

    fixture_begin(f, preemption, TWO_QUEUES);
    node = add_used_node(f, "n1", 6);
    sched_node_update(f->sched, node, resource_of(4 * 1024, 8), &f->decisions);
    starve(f, 1);
    assert_int_equal(fixture_count(f, SCHED_PREEMPT), 3);
}

/* "small" is at its maximum. The node of "large", which is above its share, would be chosen first. */
static void a_queue_at_its_maximum_preempts_only_its_own_containers(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_node *node;
    struct sched_app *first;

    fixture_begin(f, preemption,
                  AT_ONCE "<queue name=\"large\"/><queue name=\"idle\"/>"
                          "<queue name=\"small\"><maxResources>2048 mb, 8 vcores</maxResources></queue>");
    fixture_app(f, "idle", 0);
    add_used_node(f, "n1", 8);
    node = fixture_node(f, "n2", 2 * 1024, 8);
    first = fixture_app(f, "small", 0);
    place(f, first, node, 1, 1);
    place(f, first, node, 1, 1);
    fixture_count(f, SCHED_PREEMPT);
    starve(f, 1);
    assert_ptr_equal(nth_preempted(f, 0)->app, first);
    assert_int_equal(fixture_count(f, SCHED_PREEMPT), 1);
}

static void nothing_is_preempted_for_an_am_above_the_limit_of_its_queue(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_node *node;
    struct sched_app *first;

    fixture_begin(f, preemption, TWO_QUEUES);
    node = add_used_node(f, "n1", 6);
    first = fixture_app(f, "small", 2 * 1024);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, first).containers, 1);
    fixture_app(f, "small", 1024);
    fixture_count(f, SCHED_PREEMPT);
    fixture_update(f);
    fixture_update(f);
    assert_int_equal(fixture_count(f, SCHED_PREEMPT), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_node_without_room_is_searched_again_for_the_next_container),
        TEST(as_many_containers_are_preempted_as_make_room),
        TEST(no_container_is_preempted_on_a_node_with_room),
        TEST(no_container_is_preempted_while_an_empty_node_has_room),
        TEST(no_more_is_preempted_for_a_minimum_share_than_it_lacks),
        TEST(their_room_is_kept_until_all_killed_containers_have_ended),
        TEST(a_container_that_does_not_end_is_replaced),
        TEST(a_container_that_runs_on_is_preempted),
        TEST(nothing_is_preempted_for_room_that_comes),
        TEST(room_is_made_for_the_excess_of_a_node_that_became_smaller),
        TEST(a_queue_at_its_maximum_preempts_only_its_own_containers),
        TEST(nothing_is_preempted_for_an_am_above_the_limit_of_its_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
