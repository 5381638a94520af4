/* SPDX-License-Identifier: Apache-2.0 */
#include "rm/sched/capacity/internal.h"
#include "tests/unit/capacity/capacity_world.h"

void world_begin(struct world *world, const char *lines)
{
    *world = (struct world){ .audit = { .r = 0 } };
    live_begin(&world->live, lines);
    preempt_audit_start(world->live.sched, &world->audit);
    world->n1 = live_node(&world->live, "n1:1", WORLD_NODE_MB, NULL);
    world->n2 = live_node(&world->live, "n2:1", WORLD_NODE_MB, NULL);
    world->a = live_app(&world->live, "ann", "a");
    world->b = live_app(&world->live, "bob", "b");
}

void world_end(struct world *world)
{
    if (world->audit.r < 0)
        fail_msg("%s", world->audit.err.text);
    live_end(&world->live);
}

void world_place(struct world *world, struct sched_app *app, struct sched_node *node, uint32_t count)
{
    uint32_t before = live_figures(&world->live, app).containers;

    live_ask(&world->live, app, count, 1024);
    live_heartbeat(&world->live, node, count);
    assert_int_equal(live_figures(&world->live, app).containers, before + count);
}

size_t world_notices(struct world *world, int64_t now_ms)
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
