/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_storm.c - test: random events against the scheduler core and a simple reference implementation
 *
 * The reference keeps arrays and scans everything each time: for an offered node it tries apps by id, their
 * requests by priority, and places as many containers as fit. Both must place the same containers in the same
 * order; the core's accounting is audited after each event. The reference for the capacity scheduler is
 * tests/reference (sched_reference.c). This test also runs the first seeds of creel-sim storm (scripts/test
 * runs more), which can be printed event by event: creel-sim storm --seeds 7-7 -v.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/rng.h"
#include "rm/sched/sched.h"
#include "sim/storm/storm.h"

#define NODES 6
#define APPS 12
#define PRIORITIES 3
#define LIVE_MAX 4096

struct slow_ask {
    uint32_t any, host[NODES], rack[2];
    int64_t memory_mb, vcores;
};

struct slow_app {
    bool here;
    struct slow_ask asks[PRIORITIES];
    bool avoids[NODES];
    struct sched_app *fast;
};

struct slow_node {
    bool here, open;
    int64_t memory_mb, vcores, used_mb, used_vcores;
    struct sched_node *fast;
};

struct live {
    int app, node;
    int64_t memory_mb, vcores;
    struct sched_container *fast;
};

struct world {
    struct rng rng;
    struct sched *sched;
    struct sched_decisions decisions;
    struct slow_app apps[APPS];
    struct slow_node nodes[NODES];
    struct live live[LIVE_MAX];
    int live_count;
    size_t given; /* decisions of the reference */
    uint64_t placed;
};

static int rack_of(int node)
{
    return node % 2;
}

/* --- the reference implementation ------------------------------------------ */

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t allocate(struct world *w, int node, int app, const struct slow_ask *ask, uint32_t most)
{
    struct slow_node *at = &w->nodes[node];
    uint32_t given = 0;

    while (given < most && at->used_mb + ask->memory_mb <= at->memory_mb &&
           at->used_vcores + ask->vcores <= at->vcores) {
        const struct sched_decision *decision;
        struct sched_container_info info;

        assert_true(w->given < w->decisions.count);
        decision = &w->decisions.items[w->given++];
        sched_container_info(decision->container, &info);
        assert_true(decision->app == w->apps[app].fast);
        assert_true(decision->node == at->fast);
        assert_int_equal(info.resource.value[0], ask->memory_mb);
        assert_int_equal(info.resource.value[1], ask->vcores);
        assert_true(w->live_count < LIVE_MAX);
        w->live[w->live_count++] =
            (struct live){ app, node, ask->memory_mb, ask->vcores, decision->container };
        at->used_mb += ask->memory_mb;
        at->used_vcores += ask->vcores;
        w->placed++;
        given++;
    }
    return given;
}

static uint32_t offer_ask(struct world *w, int node, int app, struct slow_ask *ask)
{
    uint32_t local, rack, off;

    local = allocate(w, node, app, ask, smaller(ask->host[node], ask->any));
    ask->any -= local;
    ask->host[node] -= local;
    ask->rack[rack_of(node)] -= smaller(local, ask->rack[rack_of(node)]);
    rack = allocate(w, node, app, ask, smaller(ask->rack[rack_of(node)], ask->any));
    ask->any -= rack;
    ask->rack[rack_of(node)] -= rack;
    off = allocate(w, node, app, ask, ask->any);
    ask->any -= off;
    if (ask->any == 0)
        memset(ask, 0, sizeof(*ask));
    return local + rack + off;
}

static void slow_offer(struct world *w, int node)
{
    const struct slow_node *at = &w->nodes[node];

    for (int app = 0; app < APPS; app++) {
        if (!w->apps[app].here || w->apps[app].avoids[node])
            continue;
        for (int p = 0; p < PRIORITIES; p++) {
            if (!at->open || at->memory_mb - at->used_mb < 128 || at->vcores - at->used_vcores < 1)
                return;
            if (w->apps[app].asks[p].any > 0 && offer_ask(w, node, app, &w->apps[app].asks[p]) == 0)
                break;
        }
    }
}

/* --- events ---------------------------------------------------------------- */

static int pick(struct world *w, int bound)
{
    return (int)rng_below(&w->rng, (uint64_t)bound);
}

static void node_comes(struct world *w, int i)
{
    char id[16], host[16], rack[16];
    struct sched_node_spec spec = { .id = id, .host = host, .rack = rack };
    struct slow_node *node = &w->nodes[i];

    snprintf(id, sizeof(id), "n%d:1", i);
    snprintf(host, sizeof(host), "n%d", i);
    snprintf(rack, sizeof(rack), "/r%d", rack_of(i));
    *node = (struct slow_node){
        .here = true,
        .open = true,
        .memory_mb = 128 * rng_between(&w->rng, 4, 40),
        .vcores = rng_between(&w->rng, 1, 12),
    };
    spec.total = resource_of(node->memory_mb, node->vcores);
    node->fast = sched_node_add(w->sched, &spec, &w->decisions);
}

static void container_ends(struct world *w, int i)
{
    struct live gone = w->live[i];

    w->live[i] = w->live[--w->live_count];
    w->nodes[gone.node].used_mb -= gone.memory_mb;
    w->nodes[gone.node].used_vcores -= gone.vcores;
    sched_container_end(w->sched, gone.fast, &w->decisions);
}

static void node_goes(struct world *w, int i)
{
    for (int c = w->live_count - 1; c >= 0; c--)
        if (w->live[c].node == i)
            container_ends(w, c);
    sched_node_remove(w->sched, w->nodes[i].fast);
    w->nodes[i].here = false;
}

static void app_comes(struct world *w, int i)
{
    struct sched_app_spec spec = { .id = { 1, (uint32_t)i + 1 }, .user = "u", .queue = "" };

    w->apps[i] = (struct slow_app){ .here = true };
    assert_int_equal(sched_app_add(w->sched, &spec, &w->apps[i].fast, NULL), 0);
}

static void app_goes(struct world *w, int i)
{
    for (int c = w->live_count - 1; c >= 0; c--)
        if (w->live[c].app == i)
            container_ends(w, c);
    sched_app_remove(w->sched, w->apps[i].fast, &w->decisions);
    w->apps[i].here = false;
}

static void app_asks(struct world *w, int i)
{
    uint32_t priority = (uint32_t)pick(w, PRIORITIES);
    struct slow_ask *slow = &w->apps[i].asks[priority];
    struct sched_ask asks[3];
    struct sched_request request = { .asks = asks };
    int node = pick(w, NODES);
    char host[16], rack[16];
    struct sched_ask any;

    snprintf(host, sizeof(host), "n%d", node);
    snprintf(rack, sizeof(rack), "/r%d", rack_of(node));
    memset(slow, 0, sizeof(*slow));
    { /* start from zero, so that no rows of an earlier request are left */
        struct sched_ask none = { .priority = priority,
                                  .resource_name = "*",
                                  .capability = resource_of(128, 1) };
        struct sched_ask rows[NODES + 3];
        char names[NODES + 2][16];
        struct sched_request clear = { .asks = rows };

        for (int n = 0; n < NODES + 2; n++) {
            snprintf(names[n], sizeof(names[n]), n < NODES ? "n%d" : "/r%d", n % NODES);
            rows[clear.ask_count] = none;
            rows[clear.ask_count++].resource_name = names[n];
        }
        rows[clear.ask_count++] = none;
        assert_int_equal(sched_allocate(w->sched, w->apps[i].fast, &clear, &w->decisions, NULL), 0);
    }
    slow->memory_mb = 128 * rng_between(&w->rng, 1, 16);
    slow->vcores = rng_between(&w->rng, 1, 4);
    slow->any = (uint32_t)pick(w, 9);
    any = (struct sched_ask){ .priority = priority,
                              .resource_name = "*",
                              .count = slow->any,
                              .capability = resource_of(slow->memory_mb, slow->vcores) };
    if (rng_chance(&w->rng, 500)) {
        slow->host[node] = slow->any;
        slow->rack[rack_of(node)] = slow->any;
        asks[request.ask_count] = any;
        asks[request.ask_count++].resource_name = host;
        asks[request.ask_count] = any;
        asks[request.ask_count++].resource_name = rack;
    }
    asks[request.ask_count++] = any;
    assert_int_equal(sched_allocate(w->sched, w->apps[i].fast, &request, &w->decisions, NULL), 0);
    if (slow->any == 0)
        memset(slow, 0, sizeof(*slow));
}

static void app_avoids_node(struct world *w, int i)
{
    int node = pick(w, NODES);
    char host[16];
    const char *name = host;
    struct sched_request request = { .asks = NULL };

    snprintf(host, sizeof(host), "n%d", node);
    w->apps[i].avoids[node] = !w->apps[i].avoids[node];
    if (w->apps[i].avoids[node]) {
        request.blacklist_add = &name;
        request.blacklist_add_count = 1;
    } else {
        request.blacklist_remove = &name;
        request.blacklist_remove_count = 1;
    }
    assert_int_equal(sched_allocate(w->sched, w->apps[i].fast, &request, &w->decisions, NULL), 0);
}

static void node_changes(struct world *w, int i)
{
    struct slow_node *node = &w->nodes[i];

    if (rng_chance(&w->rng, 300)) {
        node->open = !node->open;
        sched_node_set_open(w->sched, node->fast, node->open, &w->decisions);
    } else if (rng_chance(&w->rng, 200)) {
        node->memory_mb = 128 * rng_between(&w->rng, 4, 40);
        sched_node_update(w->sched, node->fast, resource_of(node->memory_mb, node->vcores), &w->decisions);
    } else {
        sched_node_heartbeat(w->sched, node->fast, &w->decisions);
        slow_offer(w, i);
    }
}

static void event(struct world *w)
{
    int node = pick(w, NODES), app = pick(w, APPS);
    unsigned what = (unsigned)pick(w, 100);

    if (!w->nodes[node].here || !w->apps[app].here) {
        if (!w->nodes[node].here)
            node_comes(w, node);
        else
            app_comes(w, app);
    } else if (what < 2) {
        node_goes(w, node);
    } else if (what < 4) {
        app_goes(w, app);
    } else if (what < 30) {
        app_asks(w, app);
    } else if (what < 33) {
        app_avoids_node(w, app);
    } else if (what < 60 && w->live_count > 0) {
        container_ends(w, pick(w, w->live_count));
    } else {
        node_changes(w, node);
    }
}

/* --- the random test ------------------------------------------------------- */

static void compare_books(struct world *w)
{
    struct err err;

    if (sched_check(w->sched, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < NODES; i++)
        if (w->nodes[i].here)
            assert_int_equal(sched_node_used(w->nodes[i].fast).value[0], w->nodes[i].used_mb);
    for (int i = 0; i < APPS; i++) {
        struct sched_app_figures figures;
        uint64_t wanted = 0;

        if (!w->apps[i].here)
            continue;
        for (int p = 0; p < PRIORITIES; p++)
            wanted += w->apps[i].asks[p].any;
        sched_app_figures(w->sched, w->apps[i].fast, &figures);
        assert_int_equal(figures.pending_containers, wanted);
    }
}

static struct sched *make(bool on_demand)
{
    struct sched_config config = {
        .policy = "fifo",
        .calculator = SCHED_EVERY_TYPE,
        .minimum = resource_of(128, 1),
        .step = resource_of(128, 1),
        .maximum = resource_of(8192, 8),
        .size_wait_ms = INT64_MAX,
        .assign_on_demand = on_demand,
    };
    struct sched *sched;
    struct err err;

    assert_int_equal(sched_new(&config, &sched, &err), 0);
    return sched;
}

static void heartbeats_equal_the_reference(void **state)
{
    static struct world w;
    uint64_t placed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        w = (struct world){ .sched = make(false) };
        rng_seed(&w.rng, seed);
        for (int i = 0; i < 3000; i++) {
            w.decisions.count = w.given = 0;
            event(&w);
            assert_int_equal(w.given, w.decisions.count);
            compare_books(&w);
        }
        placed += w.placed;
        sched_free(w.sched);
        free(w.decisions.items);
    }
    assert_true(placed > 10000); /* enough containers were placed */
}

/* On demand the core decides at other moments, but after each decision no pending request may be left that
 * a heartbeat would place. */
static void on_demand_leaves_nothing_that_fits(void **state)
{
    struct sched *sched = make(true);
    struct sched_decisions decisions = { 0 };
    struct sched_node *nodes[NODES];
    struct sched_app *apps[APPS];
    struct sched_container *live[LIVE_MAX];
    size_t live_count = 0;
    struct rng rng;
    struct err err;

    (void)state;
    rng_seed(&rng, 99);
    for (int i = 0; i < NODES; i++) {
        char id[16];
        struct sched_node_spec spec = { .id = id, .host = id, .rack = "/r", .total = resource_of(4096, 16) };

        snprintf(id, sizeof(id), "n%d", i);
        nodes[i] = sched_node_add(sched, &spec, &decisions);
    }
    for (int i = 0; i < APPS; i++) {
        struct sched_app_spec spec = { .id = { 1, (uint32_t)i + 1 }, .user = "u", .queue = "" };

        assert_int_equal(sched_app_add(sched, &spec, &apps[i], &err), 0);
    }
    for (int i = 0; i < 20000; i++) {
        size_t before;

        decisions.count = 0;
        if (rng_chance(&rng, 400)) {
            struct sched_ask ask = {
                .priority = 1,
                .resource_name = "*",
                .capability = resource_of(128 * rng_between(&rng, 1, 8), 1),
                .count = (uint32_t)rng_below(&rng, 6),
            };
            struct sched_request request = { .asks = &ask, .ask_count = 1 };

            sched_allocate(sched, apps[rng_below(&rng, APPS)], &request, &decisions, NULL);
        } else if (live_count > 0) {
            size_t gone = rng_below(&rng, live_count);

            sched_container_end(sched, live[gone], &decisions);
            live[gone] = live[--live_count];
        }
        before = decisions.count;
        for (int n = 0; n < NODES; n++)
            sched_node_heartbeat(sched, nodes[n], &decisions);
        assert_int_equal(decisions.count, before);
        for (size_t d = 0; d < decisions.count; d++)
            live[live_count++] = decisions.items[d].container;
        if (sched_check(sched, &err) < 0)
            fail_msg("%s", err.text);
    }
    sched_free(sched);
    free(decisions.items);
}

#define STORM_SEEDS 3

/* Fails if one of the storms of the capacity scheduler fails. */
static void run_seeds(const uint64_t *seeds, size_t count)
{
    struct storm_count counts = { 0 };
    struct err err;

    for (size_t i = 0; i < count; i++)
        if (storm_run("capacity", seeds[i], NULL, &counts, &err) < 0)
            fail_msg("%s", err.text);
}

static void run_storms(const char *scheduler, struct storm_count *count)
{
    struct err err;

    for (uint64_t seed = 1; seed <= STORM_SEEDS; seed++)
        if (storm_run(scheduler, seed, NULL, count, &err) < 0)
            fail_msg("%s: %s", scheduler, err.text);
}

/* A container ends, and pending requests cannot use its resources: that counts as one missed opportunity
 * for each, whatever the core has cached; once only, also where a queue is visited after its children
 * (542). */
static void unusable_room_counts_as_an_opportunity(void **state)
{
    static const uint64_t seeds[] = { 74, 174, 542 };

    (void)state;
    run_seeds(seeds, 3);
}

/* An application at its queue's limit has reservations in two partitions, of which only one makes room on the
 * offered node. */
static void reservation_makes_room_in_its_own_partition(void **state)
{
    static const uint64_t seeds[] = { 8203984 };

    (void)state;
    run_seeds(seeds, 1);
}

/* Within a queue, containers are preempted for a request whose application loses its own to another queue in
 * the same round, and, with the fair ordering policy, for one whose AM is all that its user has above the
 * limit. */
static void preemption_within_a_queue_has_a_request(void **state)
{
    static const uint64_t seeds[] = { 17627712, 17627778, 11120318 };

    (void)state;
    run_seeds(seeds, 3);
}

static void fifo_adds_up_whatever_happens(void **state)
{
    struct storm_count count = { 0 };

    (void)state;
    run_storms("fifo", &count);
    assert_true(count.allocated > 50 * STORM_SEEDS);
}

static void capacity_adds_up_whatever_happens(void **state)
{
    struct storm_count count = { 0 };

    (void)state;
    run_storms("capacity", &count);
    assert_true(count.allocated > 50 * STORM_SEEDS && count.reserved > 10 * STORM_SEEDS);
    assert_true(count.preempted > STORM_SEEDS && count.killed > STORM_SEEDS / 4);
    assert_true(count.refreshed > STORM_SEEDS && count.refused > STORM_SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heartbeats_equal_the_reference),
        cmocka_unit_test(on_demand_leaves_nothing_that_fits),
        cmocka_unit_test(fifo_adds_up_whatever_happens),
        cmocka_unit_test(capacity_adds_up_whatever_happens),
        cmocka_unit_test(unusable_room_counts_as_an_opportunity),
        cmocka_unit_test(reservation_makes_room_in_its_own_partition),
        cmocka_unit_test(preemption_within_a_queue_has_a_request),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
