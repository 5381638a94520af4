/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_rows.c - test: each row of a request counts as a location, whatever its count, for the
 * off-switch delay */
#include <stdio.h>

#include "tests/unit/capacity/capacity_live.h"

enum { NODES = 4 };

struct world {
    struct live live;
    struct sched_node *nodes[NODES];
    struct sched_app *app;
};

static void begin(struct world *world)
{
    static const char *const ids[NODES] = { "n1:1", "n2:1", "n3:1", "n4:1" };

    live_begin(&world->live, "root.queues=a\nroot.a.capacity=100\nroot.a.user-limit-factor=10\n");
    for (int i = 0; i < NODES; i++)
        world->nodes[i] = live_node(&world->live, ids[i], 8192, NULL);
    world->app = live_app(&world->live, "ada", "a");
}

struct place {
    const char *name;
    uint32_t count;
};

/* Requests containers at PLACES, which end with a place without a name. */
static void ask(struct world *world, const struct place *places)
{
    struct sched_ask asks[8];
    struct sched_request request = { .asks = asks };
    struct err err;

    for (; places->name; places++)
        asks[request.ask_count++] = (struct sched_ask){
            .priority = 1,
            .resource_name = places->name,
            .count = places->count,
            .capability = resource_of(1024, 1),
        };
    if (sched_allocate(world->live.sched, world->app, &request, &world->live.decisions, &err) < 0)
        fail_msg("%s", err.text);
}

/* Returns the number of heartbeats of the last node until a container is placed on that node. */
static unsigned heartbeats(struct world *world)
{
    unsigned count = 0;

    do {
        live_heartbeat(&world->live, world->nodes[NODES - 1], 1);
        count++;
    } while (live_count(&world->live, SCHED_ALLOCATED) == 0 && count < 100);
    live_check(&world->live);
    return count;
}

static void a_row_of_nothing_is_a_location(void **state)
{
    struct world world;
    (void)state;

    begin(&world);
    ask(&world, (struct place[]){ { "*", NODES }, { NULL, 0 } });
    assert_int_equal(heartbeats(&world), 1);
    live_end(&world.live);
    begin(&world);
    ask(&world, (struct place[]){ { "elsewhere", 0 }, { "*", NODES }, { NULL, 0 } });
    assert_int_equal(heartbeats(&world), 2);
    live_end(&world.live);
}

static void rows_stay_behind_placed_containers(void **state)
{
    struct world world;
    (void)state;

    begin(&world);
    ask(&world, (struct place[]){ { "n1:1", 1 }, { "n2:1", 1 }, { "/r", 1 }, { "*", 1 }, { NULL, 0 } });
    live_heartbeat(&world.live, world.nodes[0], 1);
    assert_int_equal(live_count(&world.live, SCHED_ALLOCATED), 1);
    ask(&world, (struct place[]){ { "*", NODES }, { NULL, 0 } });
    assert_int_equal(heartbeats(&world), 2);
    live_end(&world.live);
}

static void cancelled_requests_leave_no_rows(void **state)
{
    struct world world;
    (void)state;

    begin(&world);
    ask(&world, (struct place[]){ { "*", 1 }, { "n1:1", 1 }, { "n2:1", 1 }, { "/r", 1 }, { NULL, 0 } });
    ask(&world, (struct place[]){ { "n1:1", 2 }, { "*", 0 }, { "n2:1", 2 }, { NULL, 0 } });
    assert_int_equal(live_figures(&world.live, world.app).pending_containers, 0);
    ask(&world, (struct place[]){ { "*", NODES }, { NULL, 0 } });
    assert_int_equal(heartbeats(&world), 1);
    live_end(&world.live);
}

/* Missed opportunities also count for the next request of the same priority. */
static void missed_opportunities_are_kept(void **state)
{
    struct world world;
    (void)state;

    begin(&world);
    ask(&world, (struct place[]){ { "*", 2 }, { NULL, 0 } });
    live_heartbeat(&world.live, world.nodes[0], 2);
    assert_int_equal(live_figures(&world.live, world.app).pending_containers, 0);
    live_check(&world.live);
    ask(&world, (struct place[]){ { "*", 4 }, { "n1:1", 1 }, { "/elsewhere", 1 }, { NULL, 0 } });
    assert_int_equal(heartbeats(&world), 1);
    live_end(&world.live);
}

/* An application may name any number of hosts over time. The scheduler remembers a bounded number of
 * names; beyond that bound it forgets all names. */
static void number_of_kept_rows_is_limited(void **state)
{
    struct world world;
    char name[32];
    (void)state;

    begin(&world);
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof(name), "host%d", i);
        ask(&world, (struct place[]){ { name, 1 }, { NULL, 0 } });
    }
    live_check(&world.live);
    ask(&world, (struct place[]){ { "*", NODES }, { NULL, 0 } });
    assert_int_equal(heartbeats(&world), 1);
    live_end(&world.live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_nothing_is_a_location),
        cmocka_unit_test(rows_stay_behind_placed_containers),
        cmocka_unit_test(cancelled_requests_leave_no_rows),
        cmocka_unit_test(missed_opportunities_are_kept),
        cmocka_unit_test(number_of_kept_rows_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
