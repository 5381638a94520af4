/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_lazy.c - test: lazy preemption: a selected container is killed only when a request can use its
 * resources */
#include "rm/sched/capacity/internal.h"
#include "tests/unit/capacity/capacity_live.h"

#define MONITOR "yarn.resourcemanager.monitor.capacity.preemption."
#define LINES \
    "yarn.resourcemanager.scheduler.monitor.enable=true\n" MONITOR "total_preemption_per_round=1\n" MONITOR \
    "natural_termination_factor=1\n" MONITOR "max_wait_before_kill=1000\n" QUEUES
#define QUEUES \
    "root.queues=a,b\nroot.a.capacity=50\nroot.b.capacity=50\nroot.a.user-limit-factor=10\n" \
    "root.b.user-limit-factor=10\n"
#define LAZY LINES "lazy-preemption-enabled=true\n"
#define LAZY_TREE \
    LAZY "root.a.queues=a1,a2\nroot.a.capacity=25\nroot.b.capacity=75\n" \
         "root.a.a1.capacity=50\nroot.a.a2.capacity=50\n" \
         "root.a.a1.user-limit-factor=10\nroot.a.a2.user-limit-factor=10\n"

struct world {
    struct live live;
    struct sched_node *n1, *n2;
    struct sched_app *greedy, *starved;
};

/* The app in queue a occupies both nodes; the app in queue b requests WANTED containers. */
static void begin(struct world *world, const char *lines, uint32_t wanted)
{
    live_begin(&world->live, lines);
    world->n1 = live_node(&world->live, "n1:1", 8192, NULL);
    world->n2 = live_node(&world->live, "n2:1", 8192, NULL);
    world->greedy = live_app(&world->live, "ann", "a");
    world->starved = live_app(&world->live, "bob", "b");
    live_ask(&world->live, world->greedy, 16, 1024);
    live_heartbeat(&world->live, world->n1, 8);
    live_heartbeat(&world->live, world->n2, 8);
    assert_int_equal(live_figures(&world->live, world->greedy).containers, 16);
    live_ask(&world->live, world->starved, wanted, 1024);
}

/* Runs a preemption round at NOW_MS. */
static void round_at(struct world *world, int64_t now_ms)
{
    live_tick(&world->live, now_ms);
    sched_preempt(world->live.sched, &world->live.decisions);
}

static void without_it_they_are_killed_at_once(void **state)
{
    struct world world;
    (void)state;

    begin(&world, LINES, 4);
    round_at(&world, 10000);
    assert_int_equal(live_count(&world.live, SCHED_PREEMPT), 4);
    round_at(&world, 11000);
    assert_int_equal(live_count(&world.live, SCHED_KILL), 4);
    live_end(&world.live);
}

/* A container that was ordered to end is not killed again after preemption was switched off and on. Seed
 * 1618 of the storms. */
static void no_container_is_killed_twice_after_lazy_preemption_was_off(void **state)
{
    struct world world;
    (void)state;

    begin(&world, LINES, 4);
    round_at(&world, 10000);
    round_at(&world, 11000);
    assert_int_equal(live_count(&world.live, SCHED_KILL), 4);
    live_refresh(&world.live, QUEUES);
    live_refresh(&world.live, LINES);
    round_at(&world, 12000);
    assert_int_equal(world.live.decisions.count, 0);
    round_at(&world, 13000);
    assert_int_equal(world.live.decisions.count, 0);
    live_end(&world.live);
}

static void with_it_they_run_on_until_their_room_is_of_use(void **state)
{
    struct world world;
    (void)state;

    begin(&world, LAZY, 4);
    round_at(&world, 10000);
    assert_int_equal(live_count(&world.live, SCHED_PREEMPT), 4);
    round_at(&world, 11000);
    assert_int_equal(world.live.decisions.count, 0);
    round_at(&world, 14000); /* no other containers are selected in their place */
    assert_int_equal(world.live.decisions.count, 0);
    live_check(&world.live);
    live_heartbeat(&world.live, world.n2, 1); /* the newest containers are on n2 */
    assert_int_equal(live_count(&world.live, SCHED_KILL), 1);
    assert_int_equal(live_count(&world.live, SCHED_RESERVED), 1);
    assert_int_equal(live_figures(&world.live, world.starved).containers, 0);
    live_heartbeat(&world.live, world.n2, 3); /* the reservation waits for that container only */
    assert_int_equal(world.live.decisions.count, 0);
    live_check(&world.live);
    live_end(&world.live);
}

static void room_of_an_ended_container_goes_to_the_requester(void **state)
{
    struct world world;
    (void)state;

    begin(&world, LAZY, 4);
    round_at(&world, 10000);
    round_at(&world, 11000);
    for (uint32_t i = 1; i <= 4; i++) {
        live_heartbeat(&world.live, world.n2, 1);
        assert_int_equal(live_count(&world.live, SCHED_KILL), 1);
        live_end_killed(&world.live);
        assert_int_equal(live_count(&world.live, SCHED_ALLOCATED), 1);
        assert_int_equal(live_figures(&world.live, world.starved).containers, i);
        live_check(&world.live);
    }
    live_heartbeat(&world.live, world.n1, 2);
    live_heartbeat(&world.live, world.n2, 2);
    assert_int_equal(world.live.decisions.count, 0);
    live_end(&world.live);
}

static void withdrawn_request_kills_no_container(void **state)
{
    struct world world;
    (void)state;

    begin(&world, LAZY, 4);
    round_at(&world, 10000);
    round_at(&world, 11000);
    live_ask(&world.live, world.starved, 0, 1024);
    live_heartbeat(&world.live, world.n1, 2);
    live_heartbeat(&world.live, world.n2, 2);
    assert_int_equal(world.live.decisions.count, 0);
    assert_int_equal(live_figures(&world.live, world.greedy).containers, 16);
    round_at(&world, 20000); /* after twice the wait the notices stay: the containers are killable */
    assert_int_equal(live_count(&world.live, SCHED_SPARE), 0);
    live_ask(&world.live, world.starved, 1, 1024);
    live_heartbeat(&world.live, world.n2, 1);
    assert_int_equal(live_count(&world.live, SCHED_KILL), 1);
    live_end(&world.live);
}

/* When other containers of the queue have ended, the rest of the queue is its guarantee. */
static void a_queue_is_not_brought_below_its_guarantee(void **state)
{
    struct world world;
    struct sched_container *marked[16], *all[16];
    size_t count = 0, ended = 0;
    (void)state;

    live_begin(&world.live, LAZY);
    world.n1 = live_node(&world.live, "n1:1", 8192, NULL);
    world.greedy = live_app(&world.live, "ann", "a");
    live_ask(&world.live, world.greedy, 8, 1024);
    live_heartbeat(&world.live, world.n1, 8);
    for (size_t i = 0; i < 8; i++)
        all[i] = world.live.decisions.items[i].container;
    world.starved = live_app(&world.live, "bob", "b");
    live_ask(&world.live, world.starved, 4, 1024);
    round_at(&world, 10000);
    for (; count < world.live.decisions.count; count++)
        marked[count] = world.live.decisions.items[count].container;
    assert_int_equal(count, 4);
    round_at(&world, 11000);
    live_ask(&world.live, world.starved, 0, 1024);
    for (size_t i = 0; i < 8 && ended < 2; i++) {
        bool is_marked = false;

        for (size_t j = 0; j < count; j++)
            is_marked = is_marked || marked[j] == all[i];
        if (is_marked)
            continue;
        sched_container_end(world.live.sched, all[i], &world.live.decisions);
        ended++;
    }
    round_at(&world, 12000); /* only 2 of the 4 marked containers are above the guarantee now */
    assert_int_equal(live_count(&world.live, SCHED_SPARE), 2);
    live_check(&world.live);
    live_ask(&world.live, world.starved, 1, 5120);
    live_heartbeat(&world.live, world.n1, 2);
    assert_int_equal(live_count(&world.live, SCHED_KILL), 0); /* not enough, even with the 2 GiB free */
    live_ask(&world.live, world.starved, 1, 4096);
    live_heartbeat(&world.live, world.n1, 2);
    assert_int_equal(live_count(&world.live, SCHED_KILL), 2);
    live_end(&world.live);
}

static void move_or_disabled_preemption_unmarks_containers(void **state)
{
    struct world world;
    struct err err;
    (void)state;

    begin(&world, LAZY, 4);
    round_at(&world, 10000);
    round_at(&world, 11000);
    live_refresh(&world.live, LINES);
    assert_int_equal(live_count(&world.live, SCHED_SPARE), 4);
    live_check(&world.live);
    live_heartbeat(&world.live, world.n2, 2);
    assert_int_equal(live_count(&world.live, SCHED_KILL), 0);
    round_at(&world, 20000); /* selection and timeout start again */
    assert_int_equal(live_count(&world.live, SCHED_PREEMPT), 4);
    live_end(&world.live);
    begin(&world, LAZY, 4);
    round_at(&world, 10000);
    round_at(&world, 11000);
    assert_int_equal(sched_app_move(world.live.sched, world.greedy, "b", &world.live.decisions, &err), 0);
    live_check(&world.live);
    live_heartbeat(&world.live, world.n2, 2);
    assert_int_equal(live_count(&world.live, SCHED_KILL), 0);
    round_at(&world, 14000);
    assert_int_equal(live_count(&world.live, SCHED_SPARE), 4);
    round_at(&world, 17000); /* reported only once */
    assert_int_equal(live_count(&world.live, SCHED_SPARE), 0);
    live_end(&world.live);
}

static void container_marked_twice_is_unmarked_once(void **state)
{
    struct sched_container *container;
    struct world world;
    struct err err;

    (void)state;
    begin(&world, LAZY, 4);
    round_at(&world, 10000);
    round_at(&world, 11000);
    assert_int_equal(sched_app_move(world.live.sched, world.greedy, "b", &world.live.decisions, &err), 0);
    TAILQ_FOREACH(container, &world.greedy->containers, of_app)
        capacity_make_killable(world.live.sched, container);
    live_refresh(&world.live, LINES);
    assert_int_equal(live_count(&world.live, SCHED_SPARE), world.greedy->container_count);
    live_check(&world.live);
    live_end(&world.live);
}

/* Killable containers count as free when limits are computed for the queues, but not when a decision is
 * accepted (AbstractCSQueue.accept): their resources are not allocated on another node. */
static void killable_containers_make_no_room_on_other_nodes(void **state)
{
    struct world world;
    struct live *live = &world.live;
    struct sched_app *large, *keeps;
    struct sched_node *n3;
    (void)state;

    live_begin(live, LAZY_TREE);
    world.n1 = live_node(live, "n1:1", 8192, NULL);
    world.n2 = live_node(live, "n2:1", 8192, NULL);
    n3 = live_node(live, "n3:1", 2048, NULL);
    world.greedy = live_app(live, "ann", "root.a.a1");
    live_ask(live, world.greedy, 8, 1024);
    live_heartbeat(live, world.n1, 8);
    large = live_app(live, "bob", "root.b");
    live_ask(live, large, 1, 6144);
    live_heartbeat(live, world.n2, 1);
    keeps = live_app(live, "bob", "root.b");
    live_ask(live, keeps, 1, 4096);
    live_heartbeat(live, world.n2, 1);
    assert_int_equal(live_count(live, SCHED_RESERVED), 1);
    world.starved = live_app(live, "bob", "root.b");
    live_ask(live, world.starved, 1, 1024);
    live_heartbeat(live, n3, 1);
    assert_int_equal(live->decisions.count, 0); /* everything is used or reserved */
    round_at(&world, 10000);
    assert_int_equal(live_count(live, SCHED_PREEMPT), 1);
    round_at(&world, 11000);
    live_heartbeat(live, n3, 1);
    assert_int_equal(live->decisions.count, 0);
    live_heartbeat(live, world.n1, 1);
    assert_int_equal(live_count(live, SCHED_KILL), 1);
    live_check(live);
    live_end(live);
}

static bool preempts_within(const struct live *live, const char *path)
{
    struct sched_queue_settings settings;

    assert_true(sched_queue_settings(live->sched, path, &settings));
    return settings.intra_queue_preemption;
}

static void queues_report_preemption_within_them(void **state)
{
    struct live live;

    (void)state;
    live_begin(&live, LINES);
    assert_false(preempts_within(&live, "root.a")); /* intra-queue-preemption.enabled is false */
    live_refresh(&live, LINES MONITOR "intra-queue-preemption.enabled=true\n"
                                      "root.a.disable_preemption=true\n");
    assert_false(preempts_within(&live, "root.a"));
    assert_true(preempts_within(&live, "root.b"));
    live_refresh(&live, LINES MONITOR "intra-queue-preemption.enabled=true\n"
                                      "root.b.intra-queue-preemption.disable_preemption=true\n");
    assert_true(preempts_within(&live, "root.a"));
    assert_false(preempts_within(&live, "root.b"));
    live_end(&live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_report_preemption_within_them),
        cmocka_unit_test(without_it_they_are_killed_at_once),
        cmocka_unit_test(no_container_is_killed_twice_after_lazy_preemption_was_off),
        cmocka_unit_test(with_it_they_run_on_until_their_room_is_of_use),
        cmocka_unit_test(room_of_an_ended_container_goes_to_the_requester),
        cmocka_unit_test(withdrawn_request_kills_no_container),
        cmocka_unit_test(a_queue_is_not_brought_below_its_guarantee),
        cmocka_unit_test(move_or_disabled_preemption_unmarks_containers),
        cmocka_unit_test(container_marked_twice_is_unmarked_once),
        cmocka_unit_test(killable_containers_make_no_room_on_other_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
