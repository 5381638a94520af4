/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_preempt.c - test: a drain or a smaller maximum preempts nothing; requests do, as far as open nodes
 * could serve them */
#include "rm/sched/capacity/internal.h"
#include "rm/sched/capacity/preempt_audit.h"
#include "tests/unit/capacity_live.h"

#define MONITOR "yarn.resourcemanager.monitor.capacity.preemption."
#define LINES(maximum) \
    "yarn.resourcemanager.scheduler.monitor.enable=true\n" MONITOR "total_preemption_per_round=1\n" MONITOR \
    "natural_termination_factor=1\n" MONITOR "max_wait_before_kill=1000\n" MONITOR \
    "intra-queue-preemption.enabled=true\n" MONITOR "intra-queue-preemption.minimum-threshold=0\n" MONITOR \
    "intra-queue-preemption.max-allowable-limit=1\n" \
    "root.queues=a,b\nroot.a.capacity=50\nroot.b.capacity=50\nroot.a.user-limit-factor=10\n" \
    "root.b.user-limit-factor=10\nroot.b.minimum-user-limit-percent=50\nroot.b.maximum-capacity=" maximum \
    "\n"

enum { NODE_MB = 8192 };

/* Two nodes. Queue b uses 1 GiB for each container; the maximum of queue b is below the cluster. */
struct world {
    struct live live;
    struct preempt_audit audit;
    struct sched_node *n1, *n2;
    struct sched_app *a, *b; /* applications in the queues of these names */
};

static void begin(struct world *world, const char *lines)
{
    *world = (struct world){ .audit = { .r = 0 } };
    live_begin(&world->live, lines);
    preempt_audit_start(world->live.sched, &world->audit);
    world->n1 = live_node(&world->live, "n1:1", NODE_MB, NULL);
    world->n2 = live_node(&world->live, "n2:1", NODE_MB, NULL);
    world->a = live_app(&world->live, "ann", "a");
    world->b = live_app(&world->live, "bob", "b");
}

static void end(struct world *world)
{
    if (world->audit.r < 0)
        fail_msg("%s", world->audit.err.text);
    live_end(&world->live);
}

/* Places COUNT containers of 1 GiB for APP on NODE. */
static void place(struct world *world, struct sched_app *app, struct sched_node *node, uint32_t count)
{
    uint32_t before = live_figures(&world->live, app).containers;

    live_ask(&world->live, app, count, 1024);
    live_heartbeat(&world->live, node, count);
    assert_int_equal(live_figures(&world->live, app).containers, before + count);
}

/* Runs rounds of preemption until after the wait. Returns how many containers get a notice. */
static size_t notices(struct world *world, int64_t now_ms)
{
    size_t count;

    live_tick(&world->live, now_ms);
    sched_preempt(world->live.sched, &world->live.decisions);
    count = live_count(&world->live, SCHED_PREEMPT);
    live_tick(&world->live, now_ms + 1000);
    sched_preempt(world->live.sched, &world->live.decisions);
    assert_int_equal(live_count(&world->live, SCHED_KILL), count);
    return count;
}

/* As in a drain: the node gets nothing more, and its total becomes what it uses. */
static void drain(struct world *world, struct sched_node *node)
{
    sched_node_set_open(world->live.sched, node, false, &world->live.decisions);
    sched_node_update(world->live.sched, node, node->used, &world->live.decisions);
}

/* --- maxima that become smaller ------------------------------------------------------ */

static void a_drain_preempts_nothing(void **state)
{
    struct world world;

    (void)state;
    begin(&world, LINES("60"));
    place(&world, world.b, world.n1, 5);
    place(&world, world.b, world.n2, 4); /* 9 GiB of 16: within the maximum of 9.6 */
    drain(&world, world.n1);             /* 9 GiB of 13: above the maximum of 7.8 */
    assert_int_equal(notices(&world, 10000), 0);
    drain(&world, world.n2);
    assert_int_equal(notices(&world, 20000), 0);
    end(&world);
}

static void a_lower_maximum_preempts_nothing_until_another_queue_asks(void **state)
{
    struct world world;

    (void)state;
    begin(&world, LINES("100"));
    place(&world, world.b, world.n1, 8);
    place(&world, world.b, world.n2, 4);
    live_refresh(&world.live, LINES("50"));
    assert_int_equal(notices(&world, 10000), 0);
    live_ask(&world.live, world.b, 4, 1024);
    assert_int_equal(notices(&world, 20000), 0);
    live_ask(&world.live, world.a, 8, 1024);
    assert_int_equal(notices(&world, 30000), 4);
    end(&world);
}

/* --- containers of closed nodes --------------------------------------------------------- */

static void what_another_queue_asks_for_is_preempted_on_open_nodes(void **state)
{
    struct world world;
    const struct sched_container *container;
    uint32_t on_n1 = 0;

    (void)state;
    begin(&world, LINES("100"));
    place(&world, world.b, world.n2, 8);
    place(&world, world.b, world.n1, 8); /* the newest containers: selected first */
    drain(&world, world.n1);
    live_ask(&world.live, world.a, 3, 1024);
    assert_int_equal(notices(&world, 10000), 3);
    TAILQ_FOREACH(container, &world.n1->containers, of_node)
        on_n1 += container->killed ? 1 : 0;
    assert_int_equal(on_n1, 0);
    end(&world);
}

static void if_all_nodes_are_drained_nothing_is_preempted(void **state)
{
    struct world world;

    (void)state;
    begin(&world, LINES("100"));
    place(&world, world.b, world.n1, 8);
    place(&world, world.b, world.n2, 8);
    drain(&world, world.n1);
    drain(&world, world.n2);
    live_ask(&world.live, world.a, 4, 1024);
    assert_int_equal(notices(&world, 10000), 0);
    end(&world);
}

/* --- increases on closed nodes ----------------------------------------------------- */

/* Requests MEMORY_MB for the first container of APP. */
static void resize(struct world *world, struct sched_app *app, int64_t memory_mb)
{
    struct resource asked = resource_of(memory_mb, 1);
    struct err err;

    if (sched_container_resize(world->live.sched, TAILQ_FIRST(&app->containers), &asked,
                               &world->live.decisions, &err) < 0)
        fail_msg("%s", err.text);
}

static void an_increase_on_a_drained_node_preempts_nothing(void **state)
{
    struct world world;

    (void)state;
    begin(&world, LINES("100"));
    place(&world, world.a, world.n1, 1);
    place(&world, world.b, world.n1, 7);
    place(&world, world.b, world.n2, 8);
    resize(&world, world.a, 4096);
    sched_node_set_open(world.live.sched, world.n1, false, &world.live.decisions);
    assert_int_equal(notices(&world, 10000), 0);
    live_ask(&world.live, world.a, 1, 1024); /* counts; the increase does not */
    assert_int_equal(notices(&world, 20000), 1);
    live_ask(&world.live, world.a, 0, 1024);
    sched_node_set_open(world.live.sched, world.n1, true, &world.live.decisions);
    assert_true(notices(&world, 30000) > 0);
    end(&world);
}

static void within_a_queue_as_well(void **state)
{
    struct world world;
    struct sched_app *other;

    (void)state;
    begin(&world, LINES("100"));
    other = live_app(&world.live, "eve", "b");
    place(&world, other, world.n1, 1);
    place(&world, world.b, world.n1, 7);
    place(&world, world.b, world.n2, 8);
    resize(&world, other, 4096);
    sched_node_set_open(world.live.sched, world.n1, false, &world.live.decisions);
    assert_int_equal(notices(&world, 10000), 0);
    sched_node_set_open(world.live.sched, world.n1, true, &world.live.decisions);
    assert_true(notices(&world, 20000) > 0);
    end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drain_preempts_nothing),
        cmocka_unit_test(a_lower_maximum_preempts_nothing_until_another_queue_asks),
        cmocka_unit_test(what_another_queue_asks_for_is_preempted_on_open_nodes),
        cmocka_unit_test(if_all_nodes_are_drained_nothing_is_preempted),
        cmocka_unit_test(an_increase_on_a_drained_node_preempts_nothing),
        cmocka_unit_test(within_a_queue_as_well),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
