/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_on_demand.c - test: placement on demand: released resources are offered at once, and new requests are
 * tried at once
 *
 * An app that waits for a better node is not skipped forever, and the result has the same limits as placement
 * at heartbeats.
 */
#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/base/text_builder.h"
#include "tests/unit/capacity/capacity_live.h"
#include "tests/unit/fair/fair_fixture.h"

#define NODES 4
#define BUSY NODES /* one more node, on which a container runs all the time */
#define ENDS 40

struct world {
    struct sched *sched;
    struct sched_decisions *decisions;
    struct sched_container *last[NODES];
};

static void ask(struct world *world, struct sched_app *app, const char *host, uint32_t count)
{
    const struct resource size = resource_of(1024, 1);
    const struct sched_ask asks[] = {
        { .priority = 1, .resource_name = "*", .count = count, .capability = size },
        { .priority = 1, .resource_name = host, .count = count, .capability = size },
    };
    const struct sched_request request = { .asks = asks, .ask_count = host ? 2 : 1 };
    struct err err;

    if (sched_allocate(world->sched, app, &request, world->decisions, &err) < 0)
        fail_msg("%s", err.text);
}

/* Returns the number of containers placed since the last call that belong to APP. */
static unsigned count_placed(struct world *world, const struct sched_app *app,
                             struct sched_node *const *nodes)
{
    unsigned own = 0;

    for (size_t i = 0; i < world->decisions->count; i++) {
        const struct sched_decision *decision = &world->decisions->items[i];

        assert_int_equal(decision->kind, SCHED_ALLOCATED);
        own += decision->app == app;
        for (size_t n = 0; n < NODES; n++)
            if (nodes[n] == decision->node)
                world->last[n] = decision->container;
    }
    world->decisions->count = 0;
    return own;
}

/* FIRST requests the busy node and comes first in the order; the other app takes every container that
 * FIRST does not. Containers end one after another, and only their node's agent reports that. Returns the
 * number of ends until FIRST has a container. */
static unsigned wait_for_first(struct world *world, struct sched_node *const *nodes, struct sched_app *first)
{
    for (unsigned ended = 1; ended <= ENDS; ended++) {
        struct sched_node *node = nodes[ended % NODES];

        sched_container_end(world->sched, world->last[ended % NODES], world->decisions);
        sched_node_heartbeat(world->sched, node, world->decisions);
        if (count_placed(world, first, nodes) > 0)
            return ended;
    }
    return ENDS + 1;
}

static void capacity_gives_up_waiting_for_a_host(void **state)
{
    struct sched_node *nodes[NODES + 1];
    struct sched_app *busy, *first, *then;
    struct world world;
    struct live live;
    (void)state;

    live_begin_on_demand(&live, "root.queues=a\nroot.a.capacity=100\nroot.a.user-limit-factor=10\n"
                                "node-locality-delay=8\nrack-locality-additional-delay=0\n");
    world = (struct world){ .sched = live.sched, .decisions = &live.decisions };
    nodes[BUSY] = live_node(&live, "busy:1", 1024, NULL);
    busy = live_app(&live, "ann", "a");
    ask(&world, busy, NULL, 1);
    for (int i = 0; i < NODES; i++)
        nodes[i] = live_node(&live, (const char *[]){ "n0:1", "n1:1", "n2:1", "n3:1" }[i], 1024, NULL);
    first = live_app(&live, "ann", "a");
    then = live_app(&live, "ann", "a");
    ask(&world, then, NULL, 100);
    count_placed(&world, first, nodes);
    ask(&world, first, "busy:1", 1);
    assert_int_equal(count_placed(&world, first, nodes), 0);
    assert_in_range(wait_for_first(&world, nodes, first), 2, 9);
    live_end(&live);
}

static void fair_gives_up_waiting_for_a_host(void **state)
{
    static const char *const site[][2] = {
        { "yarn.scheduler.fair.locality.threshold.node", "0.5" },
        { "yarn.scheduler.fair.locality.threshold.rack", "0.5" },
        { NULL, NULL },
    };
    struct fair_fixture fixture = { .on_demand = true };
    struct sched_node *nodes[NODES + 1];
    struct sched_app *busy, *first, *then;
    struct world world;
    (void)state;

    fixture_begin(&fixture, site, "");
    world = (struct world){ .sched = fixture.sched, .decisions = &fixture.decisions };
    nodes[BUSY] = fixture_node(&fixture, "busy", 1024, 1);
    busy = fixture_app(&fixture, "b", 0);
    ask(&world, busy, NULL, 1);
    fixture_update(&fixture);
    for (int i = 0; i < NODES; i++)
        nodes[i] = fixture_node(&fixture, (const char *[]){ "n0", "n1", "n2", "n3" }[i], 1024, 1);
    first = fixture_app(&fixture, "a", 0);
    then = fixture_app(&fixture, "b", 0);
    ask(&world, then, NULL, 100);
    fixture_update(&fixture);
    count_placed(&world, first, nodes);
    ask(&world, first, "busy", 1);
    fixture_update(&fixture);
    assert_int_equal(count_placed(&world, first, nodes), 0);
    assert_in_range(wait_for_first(&world, nodes, first), 2, 9);
    fixture_end(&fixture);
}

/* --- placement on demand compared with placement at heartbeats ------------- */

#define SEEDS 60
#define LEAVES 6
#define USERS 3
#define ASKS 30
#define HOSTS 8

static const char *const leaves[LEAVES] = { "a.x", "a.y", "a.z", "b.x", "b.y", "c" };
static const char *const users[USERS] = { "ann", "bob", "cid" };

struct twin {
    struct sched *sched;
    struct sched_decisions *decisions;
    struct sched_node *nodes[HOSTS];
    struct sched_app *apps[LEAVES][USERS];
};

static char *limited_lines(struct rng *rng)
{
    struct text_builder lines = TEXT_BUILDER_MALLOC;

    text_builder_add(&lines, "root.queues=a,b,c\nroot.a.queues=x,y,z\nroot.b.queues=x,y\n"
                             "root.a.capacity=40\nroot.b.capacity=35\nroot.c.capacity=25\n"
                             "root.a.x.capacity=20\nroot.a.y.capacity=30\nroot.a.z.capacity=50\n"
                             "root.b.x.capacity=60\nroot.b.y.capacity=40\n"
                             "resource-calculator=org.apache.hadoop.yarn.util.resource."
                             "DominantResourceCalculator\n");
    for (int i = 0; i < LEAVES + 2; i++) {
        const char *queue = i < LEAVES ? leaves[i] : i == LEAVES ? "a" : "b";

        text_builder_printf(&lines,
                            "root.%s.maximum-capacity=%d\nroot.%s.user-limit-factor=%d\n"
                            "root.%s.minimum-user-limit-percent=%d\n",
                            queue, (int)rng_between(rng, 45, 100), queue, (int)rng_between(rng, 1, 3), queue,
                            (int)rng_between(rng, 25, 100));
    }
    return text_builder_finish(&lines);
}

static char *limited_queues(struct rng *rng)
{
    static const char *const form =
        "<queue name=\"a\">%s<queue name=\"x\">%s</queue><queue name=\"y\">%s</queue>"
        "<queue name=\"z\">%s</queue></queue>"
        "<queue name=\"b\">%s<queue name=\"x\">%s</queue><queue name=\"y\">%s</queue></queue>"
        "<queue name=\"c\">%s</queue>";
    char limit[8][80];

    for (int i = 0; i < 8; i++)
        snprintf(limit[i], sizeof(limit[i]), "<maxResources>%d mb, %d vcores</maxResources>",
                 (int)rng_between(rng, 2, 20) * 1024, (int)rng_between(rng, 2, 20));
    return mem_printf(form, limit[0], limit[1], limit[2], limit[3], limit[4], limit[5], limit[6], limit[7]);
}

/* Requests COUNT containers for the app of LEAF and USER; placed at heartbeats if HEARTBEATS, else only on
 * demand. */
static void ask_as(struct twin *twin, int leaf, int user, uint32_t count, bool heartbeats)
{
    struct world world = { .sched = twin->sched, .decisions = twin->decisions };
    struct err err;

    ask(&world, twin->apps[leaf][user], NULL, count);
    if (heartbeats)
        sched_update(twin->sched, twin->decisions);
    for (int turn = 0; heartbeats && turn < 40; turn++)
        for (int i = 0; i < HOSTS; i++)
            sched_node_heartbeat(twin->sched, twin->nodes[i], twin->decisions);
    if (sched_check(twin->sched, &err) < 0)
        fail_msg("%s", err.text);
}

static void compare(const struct twin *at_once, const struct twin *waits, int seed)
{
    struct sched_app_figures one, other;

    for (int i = 0; i < LEAVES * USERS; i++) {
        sched_app_figures(at_once->sched, at_once->apps[i / USERS][i % USERS], &one);
        sched_app_figures(waits->sched, waits->apps[i / USERS][i % USERS], &other);
        if (one.containers != other.containers)
            fail_msg("seed %d: %s of %s has %u at once, %u by heartbeats", seed, users[i % USERS],
                     leaves[i / USERS], one.containers, other.containers);
    }
}

/* All apps request in turn, mostly more than they can get, so that limits decide. */
static unsigned ask_both(struct twin *at_once, struct twin *waits, struct rng *rng, int seed)
{
    bool asked[LEAVES][USERS] = { 0 };
    struct sched_app_figures figures;
    unsigned refused = 0;

    for (int i = 0; i < ASKS; i++) {
        int leaf = (int)rng_below(rng, LEAVES), user = (int)rng_below(rng, USERS);
        uint32_t count = (uint32_t)rng_between(rng, 1, 12);

        if (asked[leaf][user]) /* the rest of an earlier request is replaced by the new count */
            continue;
        asked[leaf][user] = true;
        ask_as(at_once, leaf, user, count, false);
        ask_as(waits, leaf, user, count, true);
        compare(at_once, waits, seed);
        sched_app_figures(at_once->sched, at_once->apps[leaf][user], &figures);
        refused += figures.containers < count;
    }
    return refused;
}

/* Adds a node with one vcore per GiB. With another ratio, a queue near its maximum may get a limit above
 * its parent's, and heartbeats propose and drop the same container again and again, as in YARN. */
static struct sched_node *balanced_node(struct live *live, const char *id)
{
    const struct sched_node_spec spec = { .id = id, .host = id, .rack = "/r", .total = resource_of(4096, 4) };

    return sched_node_add(live->sched, &spec, &live->decisions);
}

static void capacity_on_demand_equals_heartbeats(void **state)
{
    unsigned refused = 0;
    struct rng rng;
    (void)state;

    for (int seed = 1; seed <= SEEDS; seed++) {
        struct live live[2];
        struct twin twins[2];
        char *lines;

        rng_seed(&rng, (uint64_t)seed);
        lines = limited_lines(&rng);
        live_begin_on_demand(&live[0], lines);
        live_begin(&live[1], lines);
        for (int t = 0; t < 2; t++) {
            twins[t] = (struct twin){ .sched = live[t].sched, .decisions = &live[t].decisions };
            for (int i = 0; i < HOSTS; i++) {
                char id[16];

                snprintf(id, sizeof(id), "n%d:1", i);
                twins[t].nodes[i] = balanced_node(&live[t], id);
            }
            for (int i = 0; i < LEAVES * USERS; i++) {
                char path[16];

                snprintf(path, sizeof(path), "root.%s", leaves[i / USERS]);
                twins[t].apps[i / USERS][i % USERS] = live_app(&live[t], users[i % USERS], path);
            }
        }
        refused += ask_both(&twins[0], &twins[1], &rng, seed);
        live_end(&live[0]);
        live_end(&live[1]);
        free(lines);
    }
    assert_true(refused > SEEDS); /* limits refused something */
}

static void fair_on_demand_equals_heartbeats(void **state)
{
    unsigned refused = 0;
    struct rng rng;
    (void)state;

    for (int seed = 1; seed <= SEEDS; seed++) {
        struct fair_fixture fixtures[2] = { { .on_demand = true }, { .on_demand = false } };
        struct twin twins[2];
        char *queues;

        rng_seed(&rng, (uint64_t)seed);
        queues = limited_queues(&rng);
        for (int t = 0; t < 2; t++) {
            fixture_begin(&fixtures[t], NULL, queues);
            twins[t] = (struct twin){ .sched = fixtures[t].sched, .decisions = &fixtures[t].decisions };
            for (int i = 0; i < HOSTS; i++) {
                char id[16];

                snprintf(id, sizeof(id), "n%d", i);
                twins[t].nodes[i] = fixture_node(&fixtures[t], id, 4096, 8);
            }
            for (int i = 0; i < LEAVES * USERS; i++)
                twins[t].apps[i / USERS][i % USERS] = fixture_app(&fixtures[t], leaves[i / USERS], 0);
        }
        refused += ask_both(&twins[0], &twins[1], &rng, seed);
        fixture_end(&fixtures[0]);
        fixture_end(&fixtures[1]);
        free(queues);
    }
    assert_true(refused > SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacity_gives_up_waiting_for_a_host),
        cmocka_unit_test(fair_gives_up_waiting_for_a_host),
        cmocka_unit_test(capacity_on_demand_equals_heartbeats),
        cmocka_unit_test(fair_on_demand_equals_heartbeats),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
