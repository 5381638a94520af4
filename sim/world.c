/* SPDX-License-Identifier: Apache-2.0 */
/* world.c - one simulated cluster: its clock, its network, its faults */
#include "sim/world.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/wire.h"
#include "sim/actors.h"
#include "sim/describe.h"

/* --- the queue of events: a heap by (time, order of making) ---------------- */

struct event {
    int64_t at_ms;
    uint64_t seq;
    world_fn *fn;
    void *actor, *data;
};

struct event_queue {
    struct event *heap;                 /* owned */
    size_t count, capacity;
    uint64_t next_seq;
};

static bool earlier(const struct event *a, const struct event *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->seq < b->seq;
}

static void swap(struct event *a, struct event *b)
{
    struct event kept = *a;

    *a = *b;
    *b = kept;
}

static void push(struct event_queue *queue, struct event event)
{
    size_t i = queue->count;

    mem_grow(queue->heap, queue->count, queue->capacity);
    queue->heap[queue->count++] = event;
    while (i > 0 && earlier(&queue->heap[i], &queue->heap[(i - 1) / 2])) {
        swap(&queue->heap[i], &queue->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static struct event pop(struct event_queue *queue)
{
    struct event first = queue->heap[0];
    size_t i = 0;

    queue->heap[0] = queue->heap[--queue->count];
    for (;;) {
        size_t least = i, left = 2 * i + 1, right = left + 1;

        if (left < queue->count && earlier(&queue->heap[left], &queue->heap[least]))
            least = left;
        if (right < queue->count && earlier(&queue->heap[right], &queue->heap[least]))
            least = right;
        if (least == i)
            return first;
        swap(&queue->heap[i], &queue->heap[least]);
        i = least;
    }
}

void world_after(struct world *world, int64_t delay_ms, world_fn *fn, void *actor, void *data)
{
    struct event event = {
        .at_ms = world->now_ms + (delay_ms > 0 ? delay_ms : 0),
        .seq = world->events->next_seq++,
        .fn = fn,
        .actor = actor,
        .data = data,
    };

    push(world->events, event);
}

/* --- telling --------------------------------------------------------------- */

bool world_faulty(const struct world *world)
{
    return world->now_ms < WORLD_EPOCH_MS + WORLD_FAULTS_END_MS;
}

bool world_chance(struct world *world, unsigned permille)
{
    return world_faulty(world) && rng_chance(&world->rng, permille);
}

void world_note(struct world *world, const char *format, ...)
{
    va_list args;

    if (!world->verbose)
        return;
    printf("%9.3f ", (double)(world->now_ms - WORLD_EPOCH_MS) / 1000);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

void world_fail(struct world *world, const char *format, ...)
{
    va_list args;

    if (world->failure.code != 0)
        return;
    va_start(args, format);
    err_vset(&world->failure, EINVAL, format, args);
    va_end(args);
    world_note(world, "FAILED: %s", world->failure.text);
}

/* --- the network ----------------------------------------------------------- */

struct packet {
    struct sim_sender from;
    enum sim_kind to;
    uint64_t receiver_life;
    size_t size;
    uint8_t bytes[];
};

static bool alive(const struct packet *packet, void *receiver)
{
    uint64_t life = 0;

    switch (packet->to) {
    case SIM_RM:
        life = sim_rm_life(receiver);
        break;
    case SIM_NODE:
        life = sim_node_life(receiver);
        break;
    case SIM_AM:
        life = sim_am_life(receiver);
        break;
    case SIM_CLIENT:
    case SIM_ADMIN:
        return true;
    }
    return life != 0 && (packet->receiver_life == 0 || packet->receiver_life == life);
}

static void deliver(struct world *world, void *receiver, void *data)
{
    static const char *const names[] = { "rm", "node", "am", "client", "admin" };
    const struct packet *packet = data;
    Creel__Envelope *envelope;
    struct err err;

    if (!alive(packet, receiver))
        return;
    if (wire_decode(packet->bytes, packet->size, &envelope, NULL, &err) < 0) {
        world_fail(world, "a %s sent what the wire refuses: %s", names[packet->from.kind],
                   err.text);
        return;
    }
    if (world->verbose) {
        char text[512];

        world_note(world, "%s -> %s %s", names[packet->from.kind], names[packet->to],
                   describe_envelope(envelope, text, sizeof(text)));
    }
    switch (packet->to) {
    case SIM_RM:
        sim_rm_receive(receiver, packet->from, envelope);
        break;
    case SIM_NODE:
        sim_node_receive(receiver, packet->from, envelope);
        break;
    case SIM_AM:
        sim_am_receive(receiver, packet->from, envelope);
        break;
    case SIM_CLIENT:
        sim_client_receive(receiver, envelope);
        break;
    case SIM_ADMIN:
        sim_admin_receive(receiver, envelope);
        break;
    }
    wire_free(envelope);
}

/* The link between an agent and the RM may be cut. */
static bool is_cut(const struct sim_sender *from, enum sim_kind to, const void *receiver)
{
    if (from->kind == SIM_NODE && to == SIM_RM)
        return sim_node_cut(from->actor);
    if (from->kind == SIM_RM && to == SIM_NODE)
        return sim_node_cut(receiver);
    return false;
}

void world_send(struct world *world, struct sim_sender from, enum sim_kind to, void *receiver,
                uint64_t receiver_life, Creel__Envelope *envelope)
{
    const struct world_plan *plan = &world->plan;
    uint8_t *bytes;
    size_t size;
    int copies = 1 + world_chance(world, plan->repeat);

    wire_encode(envelope, &bytes, &size);
    for (int i = 0; i < copies; i++) {
        struct packet *packet;

        if (world_chance(world, plan->lose) || is_cut(&from, to, receiver))
            continue;
        packet = mem_alloc(sizeof(*packet) + size);
        packet->from = from;
        packet->to = to;
        packet->receiver_life = receiver_life;
        packet->size = size;
        memcpy(packet->bytes, bytes, size);
        world_after(world, rng_between(&world->rng, plan->delay_min_ms, plan->delay_max_ms),
                    deliver, receiver, packet);
    }
    free(bytes);
}

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
    unsigned hardship = (unsigned)rng_below(rng, 5);   /* 0: a perfect world */
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
    world->plan = plan;
}

struct resource world_draw_total(struct world *world)
{
    int64_t gib = rng_between(&world->rng, world->plan.queues != WORLD_FIFO ? 2 : 1, 4);

    return resource_of(gib * 1024,
                       rng_between(&world->rng, world->plan.queues != WORLD_FIFO ? 5 : 2, 8));
}

struct resource world_most(const struct world *world, struct resource total)
{
    if (world->plan.drain > 0 && total.value[RESOURCE_MEMORY_MB] < WORLD_RESIZED_MB_MAX)
        total.value[RESOURCE_MEMORY_MB] = WORLD_RESIZED_MB_MAX;
    return total;
}

/* --- life ------------------------------------------------------------------ */

/* The defect of struct world_options. */
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
    world->events = mem_new0(struct event_queue);
    world->ledger = ledger_new();
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
    while (world->events->count > 0)
        free(pop(world->events).data);
    free(world->events->heap);
    free(world->events);
    ledger_free(world->ledger);
    free(world);
}

/* Is everything over, as it must be some time after the faults have ended? */
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
    err_prefix(err, "%.3f s, step %" PRIu64, (double)(world->now_ms - WORLD_EPOCH_MS) / 1000,
               world->steps);
    return -EINVAL;
}

/* Too many steps: what is it that does not come to rest? */
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

    while (world->events->count > 0) {
        struct event event = pop(world->events);

        world->now_ms = event.at_ms;
        world->steps++;
        event.fn(world, event.actor, event.data);
        free(event.data);
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
