/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_managed.c - test: capacity scheduler: a managed parent creates leaves and distributes its
 * capacity to them */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "tests/unit/capacity/capacity_live.h"

#define LINES \
    "root.queues=a,m\nroot.a.capacity=50\nroot.m.capacity=50\n" \
    "root.m.auto-create-child-queue.enabled=true\n" \
    "root.m.leaf-queue-template.capacity=40\n" \
    "root.m.leaf-queue-template.user-settings.ann.weight=0.5\n" \
    "queue-mappings=u:%user:root.m.%user\n"

static struct sched_app *submit(struct live *live, const char *user)
{
    return live_app(live, user, "");
}

static bool has(const struct live *live, const char *path, double absolute)
{
    return fabs((double)live_queue(live, path).absolute_capacity - absolute) < 1e-6;
}

static void longest_waiting_queue_gets_returned_resources(void **state)
{
    struct live live;
    struct sched_app *ann, *bob, *cat, *dan;
    (void)state;

    live_begin(&live, LINES);
    live_node(&live, "n1:1", 20480, NULL);
    ann = submit(&live, "ann");
    bob = submit(&live, "bob");
    cat = submit(&live, "cat");
    dan = submit(&live, "dan");
    assert_true(has(&live, "root.m.ann", 0.2) && has(&live, "root.m.bob", 0.2));
    assert_true(has(&live, "root.m.cat", 0) && has(&live, "root.m.dan", 0));
    live_ask(&live, dan, 1, 1024);
    live_ask(&live, cat, 1, 1024);
    live_tick(&live, 10000); /* ann's and bob's queues have applications: no capacity is left */
    assert_true(has(&live, "root.m.cat", 0) && has(&live, "root.m.dan", 0));
    sched_app_remove(live.sched, ann, &live.decisions);
    live_tick(&live, 11000); /* not before 1.5 s have passed */
    assert_true(has(&live, "root.m.ann", 0.2));
    live_tick(&live, 11500);
    assert_true(has(&live, "root.m.ann", 0) && has(&live, "root.m.cat", 0.2));
    assert_true(has(&live, "root.m.dan", 0));
    sched_app_remove(live.sched, bob, &live.decisions);
    sched_app_remove(live.sched, cat, &live.decisions);
    live_tick(&live, 13000);
    assert_true(has(&live, "root.m.dan", 0.2) && has(&live, "root.m.cat", 0));
    live_tick(&live, 1000000); /* the leaves stay, as in YARN */
    assert_true(has(&live, "root.m.ann", 0));
    live_end(&live);
}

static void queue_without_requests_is_not_waiting(void **state)
{
    struct live live;
    struct sched_app *ann;
    (void)state;

    live_begin(&live, LINES);
    live_node(&live, "n1:1", 20480, NULL);
    ann = submit(&live, "ann");
    submit(&live, "bob");
    submit(&live, "cat");
    sched_app_remove(live.sched, ann, &live.decisions);
    live_tick(&live, 10000);
    assert_true(has(&live, "root.m.ann", 0) && has(&live, "root.m.cat", 0));
    live_end(&live);
}

static void a_refresh_leaves_it_as_it_was(void **state)
{
    struct live live;
    struct sched_app *ann, *cat;
    (void)state;

    live_begin(&live, LINES);
    live_node(&live, "n1:1", 20480, NULL);
    ann = submit(&live, "ann");
    submit(&live, "bob");
    cat = submit(&live, "cat");
    live_ask(&live, cat, 1, 1024);
    sched_app_remove(live.sched, ann, &live.decisions);
    live_tick(&live, 10000);
    live_refresh(&live, LINES "root.m.auto-create-child-queue.max-queues=7\n");
    assert_true(has(&live, "root.m.ann", 0));
    assert_true(has(&live, "root.m.bob", 0.2) && has(&live, "root.m.cat", 0.2));
    live_end(&live);
}

static void amounts_are_dealt_out_too(void **state)
{
    struct live live;
    struct sched_queue_figures bob, cat;
    (void)state;

    live_begin(&live, "root.queues=a,m\nroot.a.capacity=[memory=1024,vcores=1]\n"
                      "root.m.capacity=[memory=8192,vcores=8]\nroot.m.auto-create-child-queue.enabled=true\n"
                      "root.m.leaf-queue-template.capacity=[memory=4096,vcores=4]\n"
                      "queue-mappings=u:%user:root.m.%user\n");
    live_node(&live, "n1:1", 20480, NULL);
    submit(&live, "ann");
    submit(&live, "bob");
    submit(&live, "cat");
    bob = live_queue(&live, "root.m.bob");
    cat = live_queue(&live, "root.m.cat");
    assert_amount(&bob.minimum, 4096, 4);
    assert_amount(&cat.minimum, 0, 0);
    live_end(&live);
}

static void queue_may_refuse_an_unusable_node(void **state)
{
    struct live live;
    struct err err;
    const struct sched_app_spec spec = { .user = "cat", .queue = "" };
    (void)state;

    live_begin(&live, LINES "root.m.auto-create-child-queue.fail-on-exceeding-parent-capacity=true\n");
    live_node(&live, "n1:1", 20480, NULL);
    submit(&live, "ann");
    submit(&live, "bob");
    assert_null(live_try_app(&live, spec, &err));
    assert_int_equal(err.code, ENOSPC);
    assert_non_null(strstr(err.text, "root.m has no capacity left for it"));
    live_end(&live);
}

static void users_have_the_weights_of_the_template(void **state)
{
    struct live live;
    struct sched_user_figures user;
    (void)state;

    live_begin(&live, LINES);
    live_node(&live, "n1:1", 20480, NULL);
    submit(&live, "ann");
    assert_true(sched_queue_user_next(live.sched, "root.m.ann", NULL, &user));
    assert_true(user.weight == 0.5f);
    live_end(&live);
    capacity_bad(LINES "root.m.leaf-queue-template.user-settings.bob.weight=3\n",
                 "cs.xml:9: yarn.scheduler.capacity.root.m.leaf-queue-template.user-settings.bob."
                 "weight: \"3\": expected at most 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longest_waiting_queue_gets_returned_resources),
        cmocka_unit_test(queue_without_requests_is_not_waiting),
        cmocka_unit_test(a_refresh_leaves_it_as_it_was),
        cmocka_unit_test(amounts_are_dealt_out_too),
        cmocka_unit_test(queue_may_refuse_an_unusable_node),
        cmocka_unit_test(users_have_the_weights_of_the_template),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
