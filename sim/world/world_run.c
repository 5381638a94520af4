/* SPDX-License-Identifier: Apache-2.0 */
/* world_run.c - runs one simulated cluster: creates its actors, causes faults, checks the state at rest */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "sim/world/actors.h"
#include "sim/world/world.h"

/* --- functions that the network calls ---------------------------------------- */

static uint64_t life_of(enum sim_kind kind, const void *actor)
{
    switch (kind) {
    case SIM_RM:
        return sim_rm_life(actor);
    case SIM_NODE:
        return sim_node_life(actor);
    case SIM_AM:
        return sim_am_life(actor);
    case SIM_CLIENT:
    case SIM_ADMIN:
        return 1; /* clients and the administrator never crash */
    }
    abort();
}

static void receive(enum sim_kind kind, void *receiver, struct sim_sender from,
                    const Creel__Envelope *envelope)
{
    switch (kind) {
    case SIM_RM:
        sim_rm_receive(receiver, from, envelope);
        break;
    case SIM_NODE:
        sim_node_receive(receiver, from, envelope);
        break;
    case SIM_AM:
        sim_am_receive(receiver, from, envelope);
        break;
    case SIM_CLIENT:
        sim_client_receive(receiver, envelope);
        break;
    case SIM_ADMIN:
        sim_admin_receive(receiver, envelope);
        break;
    }
}

/* Returns true if the link is cut. Only links between an agent and the RM can be cut. */
static bool is_cut(const struct sim_sender *from, enum sim_kind to, const void *receiver)
{
    if (from->kind == SIM_NODE && to == SIM_RM)
        return sim_node_cut(from->actor);
    if (from->kind == SIM_RM && to == SIM_NODE)
        return sim_node_cut(receiver);
    return false;
}

static const struct world_actors actors = { life_of, receive, is_cut, sim_node_address,
                                            sim_node_process_exit };

/* --- faults ---------------------------------------------------------------- */

static void mend_link(struct world *world, void *node, void *data)
{
    (void)data;
    world_note(world, "a link is mended");
    sim_node_set_cut(node, false);
}

static void each_second(struct world *world, void *actor, void *data)
{
    const struct world_plan *plan = &world->plan;

    (void)actor;
    (void)data;
    if (!world_faulty(world))
        return;
    if (world_chance(world, plan->rm_crash) && sim_rm_life(world->rm) != 0)
        sim_rm_crash(world->rm);
    if (plan->reload > 0 && world_chance(world, plan->reload))
        sim_rm_reload(world->rm, sim_queues_file_draw(&world->rng));
    for (unsigned i = 0; i < plan->nodes; i++) {
        struct sim_node *node = world->nodes[i];

        if (world_chance(world, plan->node_crash) && sim_node_life(node) != 0)
            sim_node_crash(node);
        if (world_chance(world, plan->am_crash))
            sim_node_kill_am(node);
        if (!sim_node_cut(node) && world_chance(world, plan->cut)) {
            world_note(world, "the link of node %u is cut", i);
            sim_node_set_cut(node, true);
            world_after(world, rng_between(&world->rng, 500, 25000), mend_link, node, NULL);
        }
    }
    world_after(world, 1000, each_second, NULL, NULL);
}

static void mend_file(struct world *world, void *actor, void *data)
{
    (void)data;
    (void)world;
    sim_rm_reload(actor, 0);
}

static void draw_plan(struct world *world, enum world_queues queues, bool broken)
{
    struct rng *rng = &world->rng;
    unsigned hardship = (unsigned)rng_below(rng, 5); /* 0: no faults */
    struct world_plan plan = {
        .nodes = 1 + (unsigned)rng_below(rng, WORLD_NODES_MAX),
        .clients = 1 + (unsigned)rng_below(rng, WORLD_CLIENTS_MAX),
        .jobs = 1 + (unsigned)rng_below(rng, 3),
        .lose = hardship * (unsigned)rng_below(rng, 30),
        .repeat = hardship * (unsigned)rng_below(rng, 30),
        .delay_min_ms = 1,
        .delay_max_ms = 1 + (int64_t)(hardship * rng_below(rng, 400)),
        .rm_crash = hardship * (unsigned)rng_below(rng, 10),
        .node_crash = hardship * (unsigned)rng_below(rng, 10),
        .am_crash = hardship * (unsigned)rng_below(rng, 5),
        .crash_between = hardship > 1 ? (unsigned)rng_below(rng, 4) : 0,
        .cut = hardship * (unsigned)rng_below(rng, 8),
        .disk_refuses = hardship > 2 ? (unsigned)rng_below(rng, 30) : 0,
        .queues = queues,
        .broken = broken,
    };

    if (queues == WORLD_FAIR && rng_chance(rng, 600))
        plan.reload = (unsigned)rng_below(rng, 200);
    if (rng_chance(rng, 600))
        plan.drain = (unsigned)rng_below(rng, 150);
    if (broken && plan.node_crash < 20)
        plan.node_crash = 20;
    if (world->seed % 3 == 1)
        plan.message_bytes = 600;
    if (world->seed % 3 == 2)
        plan.am_reply_bytes = 600;
    world->plan = plan;
}

/* --- the run --------------------------------------------------------------- */

/* Schedules itself again without delay, so that the run never ends: the deliberate defect `endless` of struct
 * world_options. */
static void again(struct world *world, void *actor, void *data)
{
    (void)data;
    world_after(world, 0, again, actor, NULL);
}

struct world *world_new(uint64_t seed, const struct world_options *options)
{
    struct world *world = mem_new0(struct world);

    world->seed = seed;
    rng_seed(&world->rng, seed * 0x2545f4914f6cdd1dULL + 1);
    world->now_ms = WORLD_EPOCH_MS;
    world->verbose = options->verbose;
    world->steps_max = options->steps_max;
    world->events = world_queue_new();
    world->actors = &actors;
    world->ledger = ledger_new();
    world->attempts = attempts_new();
    draw_plan(world, options->queues, options->broken);
    world->rm = sim_rm_new(world);
    for (unsigned i = 0; i < world->plan.nodes; i++)
        world->nodes[i] = sim_node_new(world, i);
    for (unsigned i = 0; i < world->plan.clients; i++)
        world->clients[i] = sim_client_new(world, i, world->plan.jobs);
    world->admin = sim_admin_new(world);
    world_after(world, 1000, each_second, NULL, NULL);
    if (world->plan.reload > 0)
        world_after(world, WORLD_FAULTS_END_MS + 500, mend_file, world->rm, NULL);
    if (options->endless)
        world_after(world, WORLD_FAULTS_END_MS / 2, again, world, NULL);
    return world;
}

void world_free(struct world *world)
{
    for (unsigned i = 0; i < world->plan.clients; i++)
        sim_client_free(world->clients[i]);
    sim_admin_free(world->admin);
    for (unsigned i = 0; i < world->plan.nodes; i++)
        sim_node_free(world->nodes[i]);
    sim_rm_free(world->rm);
    world_queue_free(world->events);
    ledger_free(world->ledger);
    attempts_free(world->attempts);
    free(world);
}

/* Checks that all activity has ended. This must be so some time after the end of the faults. */
static int check_rest(struct world *world, struct err *err)
{
    int r;

    for (unsigned i = 0; i < world->plan.clients; i++)
        if (!sim_client_done(world->clients[i]))
            return err_set(err, EINVAL, "client %u still waits for an answer", i);
    if (!sim_admin_done(world->admin))
        return err_set(err, EINVAL, "the administrator has not put all nodes back");
    if ((r = sim_rm_check_apps(world->rm, true, err)) < 0)
        return r;
    for (unsigned i = 0; i < world->plan.nodes; i++)
        if ((r = sim_node_check_rest(world->nodes[i], err)) < 0)
            return r;
    if (ledger_running(world->ledger) > 0)
        return err_set(err, EINVAL, "%u processes still run", ledger_running(world->ledger));
    return 0;
}

static int fail_at(const struct world *world, struct err *err)
{
    err_prefix(err, "%.3f s, step %" PRIu64, (double)(world->now_ms - WORLD_EPOCH_MS) / 1000, world->steps);
    return -EINVAL;
}

/* Returns the error of too many steps, which names an actor that is not at rest. */
static int fail_endless(struct world *world, struct err *err)
{
    if (check_rest(world, err) == 0)
        err_set(err, EINVAL, "all applications are over");
    err_prefix(err, "still no rest after so many steps, %u containers started: a livelock?",
               ledger_starts(world->ledger));
    return fail_at(world, err);
}

int world_run(struct world *world, struct err *err)
{
    int64_t next_look_ms = WORLD_EPOCH_MS + WORLD_FAULTS_END_MS + 1000;

    while (world_next(world)) {
        if (world->failure.code != 0) {
            *err = world->failure;
            return fail_at(world, err);
        }
        if (world->steps >= world->steps_max)
            return fail_endless(world, err);
        if (world->now_ms >= next_look_ms) {
            if (check_rest(world, err) == 0)
                return 0;
            if (world->now_ms > WORLD_EPOCH_MS + WORLD_END_MS) {
                err_prefix(err, "not at rest after %d s without faults",
                           (WORLD_END_MS - WORLD_FAULTS_END_MS) / 1000);
                return -EINVAL;
            }
            next_look_ms = world->now_ms + 1000;
        }
    }
    return err_set(err, EINVAL, "nothing happens any more, and it is not at rest");
}
