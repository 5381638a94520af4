/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_duel.c - test: the fair scheduler against a simple reference implementation, on random trees and
 * events
 *
 * After each event, both schedulers must have made the same decisions in the same order and agree on every
 * share and demand; the core's accounting is audited. Each run can be repeated from its seed.
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
#include "tests/reference/fair.h"
#include "tests/unit/fair/fair_duel.h"

#define SEEDS \
    12 /* number of seeds; the environment variable of this name overrides it:
          scripts/test --all */

static struct duel duel;

static int pick(int bound)
{
    return (int)rng_below(&duel.rng, (uint64_t)bound);
}

/* --- comparing --------------------------------------------------------------- */

static bool same_decision(const struct sched_decision *fast, const struct slow_decision *slow)
{
    bool container = slow->kind == SCHED_ALLOCATED || slow->kind == SCHED_PREEMPT || slow->kind == SCHED_KILL;

    if (fast->kind != slow->kind || fast->node != duel.nodes[slow->node] || fast->app != duel.apps[slow->app])
        return false;
    if (slow->kind == SCHED_ALLOCATED)
        return fast->locality == slow->locality;
    return !container || fast->container == duel.containers[slow->container];
}

static void print_decisions(void)
{
    static const char *const kinds[] = { "allocated", "reserved", "unreserved", "preempt", "kill" };

    for (size_t i = 0; i < duel.decisions.count; i++) {
        int n = 0, a = 0;

        while (duel.nodes[n] != duel.decisions.items[i].node)
            n++;
        while (duel.apps[a] != duel.decisions.items[i].app)
            a++;
        print_message("fast: %s app %d node %d\n", kinds[duel.decisions.items[i].kind], a, n);
    }
    for (int i = 0; i < duel.slow.decision_count; i++)
        print_message("slow: %s app %d node %d\n", kinds[duel.slow.decisions[i].kind],
                      duel.slow.decisions[i].app, duel.slow.decisions[i].node);
}

/* Compares the decisions; ORDERED: in the same order, too. Stores the handles of allocated containers. */
static void compare_decisions(bool ordered)
{
    bool taken[SLOW_DECISIONS] = { false };

    for (size_t i = 0; i < duel.decisions.count; i++) {
        const struct sched_decision *fast = &duel.decisions.items[i];
        int s = ordered ? (int)i : 0;

        while (s < duel.slow.decision_count && (taken[s] || !same_decision(fast, &duel.slow.decisions[s])))
            s = ordered ? duel.slow.decision_count : s + 1;
        if (s >= duel.slow.decision_count) {
            print_decisions();
            fail_msg("seed %llu, event %d: decision %zu is not the reference's",
                     (unsigned long long)duel.seed, duel.event, i);
        }
        taken[s] = true;
        duel.count[fast->kind]++;
        if (fast->kind == SCHED_ALLOCATED)
            duel.containers[duel.slow.decisions[s].container] = fast->container;
    }
    if ((int)duel.decisions.count != duel.slow.decision_count) {
        print_decisions();
        fail_msg("seed %llu, event %d: decisions are missing", (unsigned long long)duel.seed, duel.event);
    }
    duel.decisions.count = 0;
    duel.slow.decision_count = 0;
}

static void expect(const char *what, const char *name, const struct resource *fast,
                   const struct resource *slow)
{
    char of_fast[RESOURCE_TEXT_MAX], of_slow[RESOURCE_TEXT_MAX];

    if (!resource_equal(fast, slow))
        fail_msg("seed %llu, event %d: %s of %s is %s, the reference has %s", (unsigned long long)duel.seed,
                 duel.event, what, name, resource_format(fast, of_fast), resource_format(slow, of_slow));
}

static void compare_queues(void)
{
    slow_compute_steady(&duel.slow);
    for (int q = 0; q < duel.slow.config.queue_count; q++) {
        struct sched_queue_figures figures;
        struct resource used = slow_queue_used(&duel.slow, q);
        char path[FAIR_PATH_MAX];

        duel_path(&duel.slow.config, q, path);
        assert_true(sched_queue_find_figures(duel.sched, path, &figures));
        expect("use", path, &figures.used, &used);
        expect("demand", path, &figures.demand, &duel.slow.queues[q].demand);
        expect("share", path, &figures.fair_share, &duel.slow.queues[q].share);
        expect("steady share", path, &figures.steady_fair_share, &duel.slow.queues[q].steady);
        if (figures.active_apps != slow_running(&duel.slow, q))
            fail_msg("seed %llu, event %d: %u apps run in %s, in the reference %u",
                     (unsigned long long)duel.seed, duel.event, figures.active_apps, path,
                     slow_running(&duel.slow, q));
    }
}

static void compare_apps(void)
{
    for (int a = 0; a < SLOW_APPS; a++) {
        struct sched_app_figures figures;
        struct resource used;
        char name[16];

        if (!duel.slow.apps[a].here)
            continue;
        snprintf(name, sizeof(name), "app %d", a);
        used = slow_app_used(&duel.slow, a);
        sched_app_figures(duel.sched, duel.apps[a], &figures);
        expect("use", name, &figures.used, &used);
        expect("share", name, &figures.fair_share, &duel.slow.apps[a].share);
        assert_int_equal(figures.active, duel.slow.apps[a].state == SLOW_RUNS);
        assert_int_equal(figures.pending_containers, slow_app_pending_count(&duel.slow, a));
    }
}

/* --- events -------------------------------------------------------------------- */

static void node_comes(int n)
{
    char id[16], rack[16];
    struct sched_node_spec spec = { .id = id, .host = id, .rack = rack };
    int r = n % SLOW_RACKS;

    snprintf(id, sizeof(id), "n%d", n);
    snprintf(rack, sizeof(rack), "/r%d", r);
    spec.total = duel_amount(&duel, 4, 24);
    duel.nodes[n] = sched_node_add(duel.sched, &spec, &duel.decisions);
    slow_node_add(&duel.slow, n, r, spec.total);
}

static void container_ends(int c)
{
    sched_container_end(duel.sched, duel.containers[c], &duel.decisions);
    slow_container_end(&duel.slow, c);
}

static void node_goes(int n)
{
    for (int c = duel.slow.container_top; c-- > 0;)
        if (duel.slow.containers[c].here && duel.slow.containers[c].node == n)
            container_ends(c);
    sched_node_remove(duel.sched, duel.nodes[n]);
    slow_node_remove(&duel.slow, n);
    for (int a = 0; a < SLOW_APPS; a++)
        if (duel.slow.apps[a].here && duel.slow.apps[a].avoids[n])
            duel_avoid(&duel, a, n);
}

static void app_comes(int a)
{
    char user[16], path[FAIR_PATH_MAX];
    struct sched_app_spec spec = { .user = user, .queue = path };
    struct resource master = duel_amount(&duel, 1, 3);
    int u = pick(SLOW_USERS), q = duel_leaf(&duel), r;
    bool has_master = pick(2) == 0;
    struct err err;

    spec.id = (struct app_id){ 1, ++duel.last_id };
    spec.priority = pick(3);
    spec.manages = has_master;
    snprintf(user, sizeof(user), "u%d", u);
    duel_path(&duel.slow.config, q, path);
    spec.master = has_master ? &master : NULL;
    r = sched_app_add(duel.sched, &spec, &duel.apps[a], &err);
    if (slow_app_add(&duel.slow, a, u, q, spec.priority, spec.master) != (r == 0))
        fail_msg("seed %llu, event %d: a submission returns %d, the reference otherwise",
                 (unsigned long long)duel.seed, duel.event, r);
    if (r == 0)
        sched_app_start(duel.sched, duel.apps[a], spec.master, &duel.decisions);
}

static void app_goes(int a)
{
    for (int c = duel.slow.container_top; c-- > 0;)
        if (duel.slow.containers[c].here && duel.slow.containers[c].app == a)
            container_ends(c);
    sched_app_remove(duel.sched, duel.apps[a], &duel.decisions);
    slow_app_remove(&duel.slow, a);
    compare_decisions(false);
}

static void app_moves(int a)
{
    char path[FAIR_PATH_MAX];
    int q = duel_leaf(&duel), r;
    bool moved;

    duel_path(&duel.slow.config, q, path);
    r = sched_app_move(duel.sched, duel.apps[a], path, &duel.decisions, NULL);
    moved = slow_app_move(&duel.slow, a, q);
    if ((r == 0) != moved)
        fail_msg("seed %llu, event %d: move returns %d, the reference %d", (unsigned long long)duel.seed,
                 duel.event, r, moved);
}

static void app_event(int a)
{
    int what = pick(100);

    if (what < 8)
        app_goes(a);
    else if (what < 16)
        app_moves(a);
    else if (what < 20)
        duel_avoid(&duel, a, pick(SLOW_NODES));
    else if (what < 24)
        sched_app_set_priority(duel.sched, duel.apps[a], duel.slow.apps[a].priority = pick(3),
                               &duel.decisions);
    else
        duel_ask(&duel, a);
}

static void node_event(int n)
{
    int what = pick(100);

    if (what < 2) {
        node_goes(n);
    } else if (what < 4) {
        duel.slow.nodes[n].total = duel_amount(&duel, 4, 24);
        sched_node_update(duel.sched, duel.nodes[n], duel.slow.nodes[n].total, &duel.decisions);
    } else {
        sched_node_heartbeat(duel.sched, duel.nodes[n], &duel.decisions);
        slow_heartbeat(&duel.slow, n);
    }
}

static void time_passes(void)
{
    duel.slow.now_ms += pick(400);
    sched_tick(duel.sched, duel.slow.now_ms, &duel.decisions);
    slow_kill_due(&duel.slow);
    compare_decisions(false);
    if (pick(3) > 0)
        return;
    sched_update(duel.sched, &duel.decisions);
    slow_update(&duel.slow);
    compare_decisions(true);
    compare_queues();
    compare_apps();
}

static void some_container_ends(void)
{
    int c = pick(duel.slow.container_top + 1);

    for (; c < duel.slow.container_top; c++)
        if (duel.slow.containers[c].here) {
            container_ends(c);
            return;
        }
}

static void random_event(void)
{
    int node = pick(SLOW_NODES), app = pick(SLOW_APPS), what = pick(100);

    if (what < 2)
        duel_reload(&duel);
    else if (!duel.slow.nodes[node].here)
        node_comes(node);
    else if (!duel.slow.apps[app].here && what < 30)
        app_comes(app);
    else if (what < 30)
        app_event(app);
    else if (what < 42)
        some_container_ends();
    else if (what < 60)
        time_passes();
    else
        node_event(node);
}

static void run(uint64_t seed, int events)
{
    struct err err;

    duel_begin(&duel, seed);
    for (duel.event = 0; duel.event < events; duel.event++) {
        random_event();
        compare_decisions(true);
        if (sched_check(duel.sched, &err) < 0)
            fail_msg("seed %llu, event %d: %s", (unsigned long long)seed, duel.event, err.text);
        if (duel.event % 8 == 0) {
            compare_queues();
            compare_apps();
        }
    }
    duel_end(&duel);
}

static void both_decide_the_same(void **state)
{
    const char *from = getenv("SEED"), *many = getenv("SEEDS");
    uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    uint64_t count = many ? strtoull(many, NULL, 10) : from ? 1 : SEEDS;

    (void)state;
    for (uint64_t seed = first; seed < first + count; seed++)
        run(seed, 1500);
    print_message("allocated %llu, reserved %llu, unreserved %llu, preempted %llu, killed %llu\n",
                  (unsigned long long)duel.count[SCHED_ALLOCATED],
                  (unsigned long long)duel.count[SCHED_RESERVED],
                  (unsigned long long)duel.count[SCHED_UNRESERVED],
                  (unsigned long long)duel.count[SCHED_PREEMPT], (unsigned long long)duel.count[SCHED_KILL]);
    if (count < SEEDS)
        return;
    assert_true(duel.count[SCHED_ALLOCATED] > 125 * count); /* the run made enough allocations to test
                                                               anything */
    assert_true(duel.count[SCHED_RESERVED] > 12 * count);
    assert_true(duel.count[SCHED_PREEMPT] > 2 * count);
    assert_true(duel.count[SCHED_KILL] > count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_decide_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
