/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_measure.c - runs and times the phases of the benchmark: fill, churn, idle, blocked
 *
 * Throughput is timed over chunks of thousands of steps. The time of single decisions is measured in a second
 * pass, step by step, minus the time of reading the clock. Requests are repeated between chunks, and timed
 * separately.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "common/base/mem.h"
#include "sim/bench/bench.h"

#define BATCH 100 /* nodes in one batch of continuous scheduling */
#define CHUNK \
    4096 /* smaller than the backlog of an app, so that no app runs out of
            requests */
#define IDLE_HEARTBEATS_MAX 1000000
#define BLOCKED_APPS 10000
#define BLOCKED_HEARTBEATS_MAX 50000
#define BLOCKED_NODES_MAX 1000

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static double allocated_bytes(void)
{
    return (double)bench_allocated_bytes();
}

/* --- churn ----------------------------------------------------------------- */

struct churn {
    uint64_t ended, heartbeats;
    int64_t ns;
    uint32_t *samples; /* owned; ns of each decision; NULL: not measured */
    size_t sample_count, sample_room;
};

static void sample(struct churn *churn, int64_t start_ns)
{
    int64_t took = now_ns() - start_ns;

    if (churn->sample_count == churn->sample_room)
        return;
    churn->samples[churn->sample_count++] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}

static void offer(struct bench_world *world, struct churn *churn)
{
    bool timed = churn->samples && world->options.mode != BENCH_DEMAND;
    int64_t start_ns = timed ? now_ns() : 0;

    bench_world_heartbeat_next(world);
    if (timed)
        sample(churn, start_ns);
    churn->heartbeats++;
    bench_world_absorb(world);
}

/* Offers all nodes with free resources in batches; one by one if each decision is timed. */
static void offer_batches(struct bench_world *world, struct churn *churn)
{
    size_t most = churn->samples ? 1 : BATCH, offered;

    do {
        int64_t start_ns = churn->samples ? now_ns() : 0;

        offered = sched_node_batch(world->sched, most, &world->decisions);
        if (churn->samples)
            sample(churn, start_ns);
        churn->heartbeats += offered;
        bench_world_absorb(world);
    } while (offered == most);
}

static void end_anywhere(struct bench_world *world, struct churn *churn)
{
    size_t node = (size_t)rng_below(&world->rng, (uint64_t)world->options.nodes);

    if (bench_world_end_one(world, node))
        churn->ended++;
    bench_world_absorb(world);
}

static void end_next(struct bench_world *world, struct churn *churn)
{
    bool timed = churn->samples && world->options.mode == BENCH_DEMAND;
    int64_t start_ns = timed ? now_ns() : 0;

    if (bench_world_end_next(world))
        churn->ended++;
    if (timed)
        sample(churn, start_ns);
    bench_world_absorb(world);
}

static void step(struct bench_world *world, struct churn *churn)
{
    int64_t nodes = world->options.nodes;

    switch (world->options.mode) {
    case BENCH_HEARTBEAT:
    case BENCH_DEMAND: /* the core decides when a container ends, and the heartbeat has little to do */
        end_next(world, churn);
        offer(world, churn);
        break;
    case BENCH_CONTINUOUS:
        for (int64_t i = 0; i < (nodes + 9) / 10; i++)
            end_anywhere(world, churn);
        offer_batches(world, churn);
        break;
    }
}

static int64_t samples_per_step(const struct bench_options *options)
{
    return options->mode == BENCH_CONTINUOUS ? 2 * options->nodes : 1; /* a node that got a container is
                                                                          offered again */
}

static int churn_for(struct bench_world *world, uint64_t pairs, struct churn *churn, struct churn *asks,
                     struct err *err)
{
    uint64_t until = churn->ended + pairs;
    int r = 0;

    while (r == 0 && churn->ended < until) {
        uint64_t chunk_end = churn->ended + CHUNK < until ? churn->ended + CHUNK : until;
        int64_t start_ns = now_ns();

        while (churn->ended < chunk_end)
            step(world, churn);
        churn->ns += now_ns() - start_ns;
        start_ns = now_ns();
        r = bench_world_renew(world, &asks->ended, err);
        asks->ns += now_ns() - start_ns;
        bench_world_update(world);
    }
    return r;
}

static int compare_samples(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Returns the time of reading the clock twice on this machine. */
static double clock_ns(void)
{
    uint32_t samples[1001];

    for (size_t i = 0; i < 1001; i++) {
        int64_t start_ns = now_ns();

        samples[i] = (uint32_t)(now_ns() - start_ns);
    }
    qsort(samples, 1001, sizeof(samples[0]), compare_samples);
    return samples[500];
}

static double at_permille(const struct churn *churn, size_t permille)
{
    size_t i = (churn->sample_count - 1) * permille / 1000;
    double ns = churn->samples[i] - clock_ns();

    return ns > 0 ? ns : 0;
}

static int sample_decisions(struct bench_world *world, struct bench_result *ret, struct err *err)
{
    int64_t each = samples_per_step(&world->options);
    uint64_t pairs = (uint64_t)world->options.pairs / 4 + 1;
    struct churn churn = { .ended = 0 }, asks = { .ended = 0 };
    int r = 0;

    churn.sample_room = ((size_t)pairs * 20 + 2 * CHUNK) * 2 + (size_t)each;
    churn.samples = mem_array0(churn.sample_room, sizeof(*churn.samples));
    while (r == 0 && churn.ended < pairs && churn.sample_count + (size_t)each <= churn.sample_room) {
        step(world, &churn);
        if (churn.ended % CHUNK == 0) {
            r = bench_world_renew(world, &asks.ended, err);
            bench_world_update(world);
        }
    }
    qsort(churn.samples, churn.sample_count, sizeof(*churn.samples), compare_samples);
    ret->decision_p50_ns = at_permille(&churn, 500);
    ret->decision_p99_ns = at_permille(&churn, 990);
    ret->decision_max_ns = at_permille(&churn, 1000);
    free(churn.samples);
    return r;
}

static int measure_churn(struct bench_world *world, struct bench_result *ret, struct err *err)
{
    struct churn churn = { .ended = 0 }, asks = { .ended = 0 };
    uint64_t before = world->allocated, reserved = world->reserved, given, pairs;
    int r = churn_for(world, (uint64_t)world->options.pairs, &churn, &asks, err);
    double seconds = (double)churn.ns / 1e9;

    given = world->allocated - before;
    pairs = given < churn.ended ? given : churn.ended;
    ret->reservations = (double)(world->reserved - reserved);
    ret->pairs_per_s = (double)pairs / seconds;
    ret->ns_per_pair = pairs > 0 ? (double)churn.ns / (double)pairs : -1;
    ret->allocations_per_s = (double)given / seconds;
    ret->heartbeats_per_s = churn.heartbeats > 0 ? (double)churn.heartbeats / seconds : -1;
    ret->ask_ns = asks.ended > 0 ? (double)asks.ns / (double)asks.ended : -1;
    return r < 0 ? r : sample_decisions(world, ret, err);
}

/* --- idle heartbeats ------------------------------------------------------- */

/* Returns the number of heartbeats to measure: MAX, less only if the load has few pairs. */
static int64_t heartbeats_of(int64_t pairs, int64_t max)
{
    int64_t count = pairs * (max / 1000) / 200;

    return count < 100 ? 100 : count > max ? max : count;
}

static double heartbeats_ns(struct bench_world *world, int64_t count)
{
    int64_t start_ns = now_ns();

    for (int64_t i = 0; i < count; i++) {
        bench_world_heartbeat_next(world);
        bench_world_absorb(world);
    }
    return (double)(now_ns() - start_ns) / (double)count;
}

/* Measures heartbeats of a full cluster with pending requests, then heartbeats of free nodes without
 * requests. */
static void measure_idle(struct bench_world *world, struct bench_result *ret)
{
    int64_t count = heartbeats_of(world->options.pairs, IDLE_HEARTBEATS_MAX);

    bench_world_fill(world);
    ret->heartbeat_full_ns = heartbeats_ns(world, count);
    for (int64_t i = 0; i < world->options.apps; i++)
        sched_app_stop_asking(world->sched, world->apps[i].handle);
    for (int64_t i = 0; i < world->options.nodes; i++) {
        bench_world_end_one(world, (size_t)i);
        bench_world_absorb(world);
    }
    ret->heartbeat_idle_ns = heartbeats_ns(world, count);
    ret->heartbeats_idle_per_s = 1e9 / ret->heartbeat_idle_ns;
}

/* Returns the CPU time of this process. It is used for rare and long operations, since other processes of the
 * machine do not affect it. */
static int64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Measures updates without changes, and updates after a change of a node's size changed all shares. */
static void measure_update(struct bench_world *world, struct bench_result *ret)
{
    struct sched_node *node = world->nodes[0].handle;
    struct resource total = sched_node_total(node);
    int64_t start_ns = cpu_ns();

    if (strcmp(world->options.scheduler, "fair") != 0)
        return;
    for (int i = 0; i < 100; i++)
        sched_update(world->sched, &world->decisions);
    ret->update_ms = (double)(cpu_ns() - start_ns) / 100 / 1e6;
    ret->update_all_ms = 0;
    for (int i = 0; i < 20; i++) {
        const struct sched_queue *first = NULL;
        struct sched_queue_figures figures;

        total.value[0] += i % 2 ? 1024 : -1024;
        sched_node_update(world->sched, node, total, &world->decisions);
        /* makes the core sort its lists by shares of the cluster now, so that this is not measured */
        sched_queue_next(world->sched, &first, &figures);
        start_ns = cpu_ns();
        sched_update(world->sched, &world->decisions);
        ret->update_all_ms += (double)(cpu_ns() - start_ns) / 20 / 1e6;
    }
}

/* Measures a round of the preemption policy in the live scheduler, including the snapshot of the queues. */
static void measure_preemption(struct bench_world *world, struct bench_result *ret)
{
    enum { ROUNDS = 10 };
    int64_t start_ns;

    if (strcmp(world->options.scheduler, "capacity") != 0)
        return;
    sched_preempt(world->sched, &world->decisions); /* allocates the memory for the snapshots */
    start_ns = now_ns();
    for (int i = 0; i < ROUNDS; i++)
        sched_preempt(world->sched, &world->decisions);
    ret->preemption_round_ms = (double)(now_ns() - start_ns) / ROUNDS / 1e6;
}

static int start_masters(struct bench_world *world)
{
    struct resource master = resource_of(1024, 1);

    for (int64_t i = 0; i < world->options.apps; i++) {
        sched_app_start(world->sched, world->apps[i].handle, &master, &world->decisions);
        bench_world_absorb(world);
    }
    sched_update(world->sched, &world->decisions);
    return 0;
}

/* Measures heartbeats of nodes with free resources and waiting apps that LIMIT blocks. */
static int measure_blocked(const struct bench_options *options, enum bench_limit limit, double *ret,
                           struct err *err)
{
    struct bench_options blocked = *options;
    struct bench_world *world = NULL;
    int64_t each = options->containers / options->nodes;
    int r;

    *ret = -1;
    if (!bench_config_limits(options->scheduler, limit))
        return 0;
    blocked.limit = limit;
    blocked.mode = BENCH_HEARTBEAT;
    blocked.asks = BENCH_PLAIN;
    blocked.apps = BLOCKED_APPS;
    blocked.nodes = options->nodes < BLOCKED_NODES_MAX ? options->nodes : BLOCKED_NODES_MAX;
    blocked.containers = blocked.nodes * each;
    if ((r = bench_world_new(&blocked, &world, err)) < 0)
        return r;
    bench_world_add_nodes(world);
    if ((r = bench_world_add_apps(world, err)) == 0)
        r = limit == BENCH_AM_LIMIT ? start_masters(world) : bench_world_ask_all(world, err);
    if (r == 0) {
        bench_world_fill(world);
        *ret = heartbeats_ns(world, heartbeats_of(options->pairs, BLOCKED_HEARTBEATS_MAX));
    }
    bench_world_free(world);
    return r;
}

static int measure_limits(const struct bench_options *options, struct bench_result *ret, struct err *err)
{
    double *const figures[] = {
        &ret->heartbeat_blocked_queue_ns,
        &ret->heartbeat_blocked_user_ns,
        &ret->heartbeat_blocked_am_ns,
    };
    int r;

    ret->heartbeat_blocked_ns = -1;
    for (int i = 0; i < 3; i++) {
        r = measure_blocked(options, (enum bench_limit)(BENCH_QUEUE_LIMIT + i), figures[i], err);
        if (r < 0)
            return r;
        if (*figures[i] > ret->heartbeat_blocked_ns)
            ret->heartbeat_blocked_ns = *figures[i];
    }
    return 0;
}

/* --- the whole measurement ------------------------------------------------- */

static int measure_memory_and_fill(struct bench_world *world, struct bench_result *ret, struct err *err)
{
    double bytes = allocated_bytes();
    int64_t start_ns;
    int r;

    ret->bytes_per_queue = -1;
    if (bench_config_queue_count(&world->options) > 1)
        ret->bytes_per_queue =
            (bytes - (double)world->bytes_before) / (double)bench_config_queue_count(&world->options);
    bench_world_add_nodes(world);
    ret->bytes_per_node = (allocated_bytes() - bytes) / (double)world->options.nodes;
    bytes = allocated_bytes();
    if ((r = bench_world_add_apps(world, err)) < 0)
        return r;
    if ((r = bench_world_ask_all(world, err)) < 0)
        return r;
    ret->bytes_per_app = (allocated_bytes() - bytes) / (double)world->options.apps;
    bytes = allocated_bytes();
    start_ns = now_ns();
    bench_world_fill(world);
    ret->containers = (int64_t)world->allocated;
    ret->fill_ns_per_container = (double)(now_ns() - start_ns) / (double)world->allocated;
    ret->bytes_per_container = (allocated_bytes() - bytes) / (double)world->allocated;
    return 0;
}

int bench_measure(const struct bench_options *options, struct bench_result *ret, struct err *err)
{
    struct bench_world *world;
    struct rusage usage;
    int r;

    *ret = (struct bench_result){ .preemption_round_ms = -1, .update_ms = -1, .update_all_ms = -1 };
    if ((r = bench_world_new(options, &world, err)) < 0)
        return r;
    if ((r = measure_memory_and_fill(world, ret, err)) == 0 && (r = measure_churn(world, ret, err)) == 0) {
        measure_update(world, ret);
        measure_preemption(world, ret);
        measure_idle(world, ret);
        ret->decisions_checksum = world->checksum;
    }
    bench_world_free(world);
    if (r < 0 || (r = measure_limits(options, ret, err)) < 0)
        return r;
    getrusage(RUSAGE_SELF, &usage);
    ret->peak_rss_bytes = (double)usage.ru_maxrss * 1024;
    return 0;
}
