/* SPDX-License-Identifier: Apache-2.0 */
/* sched_give_back.c - test: a lost container that its AM does not know yet becomes a pending request
 * again, at the same locations */
#include "tests/unit/capacity/capacity_live.h"

#define LINES \
    "yarn.node-labels.enabled=true\nroot.queues=a\nroot.a.capacity=100\n" \
    "root.a.user-limit-factor=10\nroot.accessible-node-labels.gpu.capacity=100\n" \
    "root.a.accessible-node-labels=gpu\n" \
    "root.a.accessible-node-labels.gpu.capacity=100\nnode-locality-delay=0\n"

struct world {
    struct live live;
    struct sched_node *n1, *n2, *n3;
    struct sched_app *app;
};

static void begin(struct world *world, const char *label)
{
    live_begin(&world->live, LINES);
    world->n1 = live_node(&world->live, "n1:1", 4096, label);
    world->n2 = live_node(&world->live, "n2:1", 4096, label);
    world->n3 = live_node(&world->live, "n3:1", 4096, NULL);
    world->app = live_app(&world->live, "ann", "a");
}

/* Requests COUNT containers at each of NAMES, which end with "*"; names from index STRICT on have relaxed
 * locality off. */
static void ask(struct world *world, uint32_t count, const char *const *names, size_t strict,
                const char *label)
{
    struct sched_ask asks[8];
    struct sched_request request = { .asks = asks };
    struct err err;

    for (size_t i = 0; names[i]; i++)
        asks[request.ask_count++] = (struct sched_ask){
            .priority = 1,
            .resource_name = names[i],
            .count = count,
            .label = label,
            .capability = resource_of(1024, 1),
            .strict_locality = i >= strict,
        };
    if (sched_allocate(world->live.sched, world->app, &request, &world->live.decisions, &err) < 0)
        fail_msg("%s", err.text);
}

/* Requests one container at NAMES. Returns the container, which must be placed on NODE. */
static struct sched_container *get(struct world *world, const char *const *names, size_t strict,
                                   struct sched_node *node)
{
    ask(world, 1, names, strict, NULL);
    live_heartbeat(&world->live, node, 1);
    assert_int_equal(live_count(&world->live, SCHED_ALLOCATED), 1);
    return world->live.decisions.items[0].container;
}

static const char *const either_host[] = { "n1:1", "n2:1", "/r", "*", NULL };
static const char *const one_host[] = { "n1:1", "/r", "*", NULL };
static const char *const anywhere[] = { "*", NULL };

/* Removes the node with the container that was just placed. */
static void lose(struct world *world, struct sched_node *node)
{
    struct live *live = &world->live;
    struct sched_container *container = live->decisions.items[0].container;

    assert_int_equal(live_count(live, SCHED_ALLOCATED), 1);
    sched_node_set_open(live->sched, node, false, &live->decisions);
    sched_container_return(live->sched, container, &live->decisions);
    sched_node_remove(live->sched, node);
    assert_int_equal(live_figures(live, world->app).pending_containers, 1);
    live_check(live);
}

static int containers(const struct world *world)
{
    return (int)live_figures(&world->live, world->app).containers;
}

static void one_of_two_hosts_may_be_the_other(void **state)
{
    struct world world;
    (void)state;

    begin(&world, NULL);
    ask(&world, 1, either_host, 2, NULL); /* not in the rack, and not on other nodes */
    live_heartbeat(&world.live, world.n1, 1);
    lose(&world, world.n1);
    live_heartbeat(&world.live, world.n3, 10);
    assert_int_equal(containers(&world), 0);
    live_heartbeat(&world.live, world.n2, 1);
    assert_int_equal(containers(&world), 1);
    assert_int_equal(world.live.decisions.items[0].locality, SCHED_NODE_LOCAL);
    live_end(&world.live);
}

static void the_rack_will_do_where_it_would_have_done(void **state)
{
    struct world world;
    (void)state;

    begin(&world, NULL);
    ask(&world, 1, one_host, 2, NULL); /* in the rack, but on no other nodes */
    live_heartbeat(&world.live, world.n1, 1);
    lose(&world, world.n1);
    live_heartbeat(&world.live, world.n3, 1);
    assert_int_equal(containers(&world), 1);
    assert_int_equal(world.live.decisions.items[0].locality, SCHED_RACK_LOCAL);
    live_end(&world.live);
}

/* Of two requested containers one is placed and lost: it is added to the pending requests. */
static void returned_container_increases_the_pending_request(void **state)
{
    struct world world;
    struct live *live = &world.live;
    (void)state;

    begin(&world, NULL);
    ask(&world, 2, one_host, 1, NULL);
    live_heartbeat(live, world.n1, 2);
    assert_int_equal(containers(&world), 2);
    sched_container_return(live->sched, live->decisions.items[0].container, &live->decisions);
    sched_container_return(live->sched, live->decisions.items[1].container, &live->decisions);
    live_check(live);
    live_heartbeat(live, world.n3, 10);
    assert_int_equal(containers(&world), 0);
    live_heartbeat(live, world.n1, 3);
    assert_int_equal(containers(&world), 2);
    live_end(live);
}

static void its_label_is_not_forgotten(void **state)
{
    struct world world;
    (void)state;

    begin(&world, "gpu");
    ask(&world, 1, anywhere, 1, "gpu");
    live_heartbeat(&world.live, world.n1, 1);
    lose(&world, world.n1);
    live_heartbeat(&world.live, world.n3, 10);
    assert_int_equal(containers(&world), 0);
    live_heartbeat(&world.live, world.n2, 1);
    assert_int_equal(containers(&world), 1);
    live_end(&world.live);
}

/* A request for any node is placed on any node, even if locations of an earlier request are still stored. */
static void places_of_an_earlier_request_keep_none_waiting(void **state)
{
    struct world world;
    struct sched_container *first, *second;
    struct live *live = &world.live;
    (void)state;

    begin(&world, NULL);
    first = get(&world, either_host, 2, world.n1);
    get(&world, anywhere, 1, world.n3);
    assert_int_equal(containers(&world), 2);
    assert_int_equal(live->decisions.items[0].locality, SCHED_OFF_SWITCH);
    second = get(&world, either_host, 2, world.n1);
    sched_container_acquired(live->sched, first);
    sched_container_acquired(live->sched, second);
    live_check(live);
    sched_container_end(live->sched, first, &live->decisions);
    live_end(live);
}

/* A lost container of an earlier request is added to the rows of the last request, all of whose containers
 * the AM knows. The rack's row is used up, so the host's row does not count
 * (RegularContainerAllocator.canAssign). */
static void returned_container_of_an_earlier_request_goes_to_the_latest(void **state)
{
    struct world world;
    struct sched_container *first;
    struct live *live = &world.live;
    (void)state;

    begin(&world, NULL);
    first = get(&world, anywhere, 1, world.n3);
    sched_container_acquired(live->sched, get(&world, either_host, 4, world.n1));
    live_check(live);
    sched_container_return(live->sched, first, &live->decisions);
    live_check(live);
    live_heartbeat(live, world.n2, 1);
    assert_int_equal(live_count(live, SCHED_ALLOCATED), 1);
    assert_int_equal(live->decisions.items[0].locality, SCHED_OFF_SWITCH);
    live_end(live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_two_hosts_may_be_the_other),
        cmocka_unit_test(the_rack_will_do_where_it_would_have_done),
        cmocka_unit_test(returned_container_increases_the_pending_request),
        cmocka_unit_test(its_label_is_not_forgotten),
        cmocka_unit_test(places_of_an_earlier_request_keep_none_waiting),
        cmocka_unit_test(returned_container_of_an_earlier_request_goes_to_the_latest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
