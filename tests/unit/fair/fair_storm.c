/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair_storm.c - test: random events against the fair scheduler, with an audit of its accounting after each
 *
 * Covers what the reference implementation of fair_duel lacks: queues created and deleted, reloads that turn
 * parents into leaves, placement on demand, continuous scheduling, draining nodes, new attempts, recovered
 * containers, increases of containers. A second set of files makes queues starve: then containers are
 * preempted (fair_preempt_audit.h).
 */
#include <inttypes.h>

#include "common/base/rng.h"
#include "tests/unit/fair/fair_fixture.h"
#include "tests/unit/fair/fair_preempt_audit.h"

#define NODES 8
#define APPS 20
#define LIVE_MAX 2000
#define FILES 5
#define SEEDS 6 /* for each configuration; the environment variable SEEDS overrides it */

static const char *const files[FILES] = {
    "",
    "<queue name=\"a\"><maxRunningApps>2</maxRunningApps></queue><queue name=\"b\" type=\"parent\"/>",
    "<queue name=\"a\"><queue name=\"x\"><weight>2</weight></queue></queue>"
    "<queue name=\"b\"><minResources>4096 mb, 4 vcores</minResources></queue>"
    "<defaultMinSharePreemptionTimeout>0</defaultMinSharePreemptionTimeout>",
    "<queue name=\"b\"><queue name=\"x\"><maxResources>40%</maxResources></queue>"
    "<queue name=\"y\"><weight>0</weight></queue></queue><userMaxAppsDefault>4</userMaxAppsDefault>"
    "<defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>",
    "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"
    "<queue name=\"root\"><schedulingPolicy>drf</schedulingPolicy>"
    "<queue name=\"a\"><schedulingPolicy>fifo</schedulingPolicy><maxAMShare>-1</maxAMShare></queue>"
    "</queue><queueMaxAppsDefault>3</queueMaxAppsDefault>",
};

#define STARVING \
    "<defaultMinSharePreemptionTimeout>1</defaultMinSharePreemptionTimeout>" \
    "<defaultFairSharePreemptionTimeout>2</defaultFairSharePreemptionTimeout>" \
    "<defaultFairSharePreemptionThreshold>1</defaultFairSharePreemptionThreshold>"

/* Files with which queues preempt for their minimum share and for their fair share. */
static const char *const starving[FILES] = {
    STARVING,
    STARVING "<queue name=\"a\"><minResources>16384 mb, 16 vcores</minResources></queue>"
             "<queue name=\"b\" type=\"parent\"/>",
    STARVING "<queue name=\"a\"><queue name=\"x\"><weight>3</weight></queue></queue>"
             "<queue name=\"b\"><minResources>8192 mb, 8 vcores</minResources>"
             "<allowPreemptionFrom>false</allowPreemptionFrom></queue>",
    STARVING "<queue name=\"b\"><queue name=\"x\"><maxResources>30%</maxResources>"
             "<minResources>6144 mb, 6 vcores</minResources></queue>"
             "<queue name=\"y\"><weight>0</weight></queue></queue><userMaxAppsDefault>6</userMaxAppsDefault>",
    STARVING "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"
             "<queue name=\"root\"><schedulingPolicy>drf</schedulingPolicy>"
             "<queue name=\"a\"><schedulingPolicy>fifo</schedulingPolicy>"
             "<minResources>12288 mb, 12 vcores</minResources><maxAMShare>-1</maxAMShare></queue></queue>",
};

static const char *const paths[] = {
    "root.a", "root.b", "root.a.x", "root.b.x", "root.b.y", "root.c.d.e", "root.c", "", "root.c.f",
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

struct storm {
    struct fair_fixture fixture;
    struct rng rng;
    struct sched_node *nodes[NODES];
    bool open[NODES];
    struct sched_app *apps[APPS];
    struct sched_container *live[LIVE_MAX];
    int live_count;
    const char *const *files;
    uint64_t placed, moved, preempted, killed, grown;
    size_t removed, refused;
};

static int pick(struct storm *s, int bound)
{
    return (int)rng_below(&s->rng, (uint64_t)bound);
}

static void end_container(struct storm *s, int i)
{
    struct sched_container *container = s->live[i];

    s->live[i] = s->live[--s->live_count];
    sched_container_end(s->fixture.sched, container, &s->fixture.decisions);
}

static void end_this(struct storm *s, const struct sched_container *container)
{
    for (int i = 0; i < s->live_count; i++)
        if (s->live[i] == container) {
            end_container(s, i);
            return;
        }
}

static void absorb(struct storm *s)
{
    for (size_t i = 0; i < s->fixture.decisions.count; i++) {
        struct sched_decision decision = s->fixture.decisions.items[i];

        if (decision.kind == SCHED_ALLOCATED) {
            assert_true(s->live_count < LIVE_MAX);
            s->live[s->live_count++] = decision.container;
            s->placed++;
        } else if (decision.kind == SCHED_PREEMPT) {
            fair_preempt_audit(&decision);
            s->preempted++;
        } else if (decision.kind == SCHED_KILL) {
            end_this(s, decision.container);
            s->killed++;
        } else if (decision.kind == SCHED_RESIZED) {
            s->grown++;
        }
    }
    s->fixture.decisions.count = 0;
}

static void end_all(struct storm *s, const struct sched_node *node, const struct sched_app *app)
{
    absorb(s);
    for (int i = s->live_count; i-- > 0;) {
        struct sched_container_info info;

        sched_container_info(s->live[i], &info);
        if (info.node == node || info.app == app) {
            end_container(s, i);
            absorb(s);
            i = s->live_count; /* an ended app may have made room for more apps */
        }
    }
}

static void app_goes(struct storm *s, int i)
{
    sched_app_stop_asking(s->fixture.sched, s->apps[i]);
    end_all(s, NULL, s->apps[i]);
    sched_app_remove(s->fixture.sched, s->apps[i], &s->fixture.decisions);
    s->apps[i] = NULL;
}

static void app_comes(struct storm *s, int i)
{
    char user[8];
    struct sched_app_spec spec = { .id = { 1, ++s->fixture.last_id },
                                   .user = user,
                                   .queue = paths[pick(s, COUNT(paths))],
                                   .manages = pick(s, 2),
                                   .recovered = pick(s, 10) == 0 };
    struct resource master = resource_of(1024, 1);
    struct err err;

    snprintf(user, sizeof(user), "u%d", pick(s, 3));
    if (sched_app_test(s->fixture.sched, &spec, &master, &err) < 0)
        s->refused++;
    if (sched_app_add(s->fixture.sched, &spec, &s->apps[i], &err) < 0) {
        s->apps[i] = NULL;
        s->refused++;
        return;
    }
    if (pick(s, 10) > 0)
        sched_app_start(s->fixture.sched, s->apps[i], spec.manages ? &master : NULL, &s->fixture.decisions);
}

static void recover_container(struct storm *s, int i, int n)
{
    const struct sched_container_info info = {
        .node = s->nodes[n],
        .app = s->apps[i],
        .resource = resource_of(1024, 1),
        .number = 1,
    };

    assert_true(s->live_count < LIVE_MAX);
    s->live[s->live_count++] = sched_container_recover(s->fixture.sched, &info, NULL);
}

static void app_asks(struct storm *s, int i)
{
    char host[8];
    const char *where = pick(s, 2) ? "*" : host;
    uint32_t count = (uint32_t)pick(s, s->files == starving ? 30 : 6);

    snprintf(host, sizeof(host), "n%d", pick(s, NODES));
    fixture_ask(&s->fixture, s->apps[i], where, count, 512 * rng_between(&s->rng, 0, 8),
                rng_between(&s->rng, 1, 4));
}

static void resize_container(struct storm *s)
{
    const struct resource asked = resource_of(1024 * rng_between(&s->rng, 1, 8), rng_between(&s->rng, 1, 8));
    struct err err;

    if (s->live_count > 0)
        (void)sched_container_resize(s->fixture.sched, s->live[pick(s, s->live_count)], &asked,
                                     &s->fixture.decisions, &err);
}

static void app_event(struct storm *s, int i)
{
    struct resource master = resource_of(2048, 1);
    int what = pick(s, 100), node = pick(s, NODES);

    if (what < 10) {
        app_goes(s, i);
    } else if (what < 20) {
        s->moved += sched_app_move(s->fixture.sched, s->apps[i], paths[pick(s, COUNT(paths))],
                                   &s->fixture.decisions, NULL) == 0;
    } else if (what < 24) {
        end_all(s, NULL, s->apps[i]);
        sched_app_start(s->fixture.sched, s->apps[i], pick(s, 2) ? &master : NULL, &s->fixture.decisions);
    } else if (what < 26) {
        sched_app_set_priority(s->fixture.sched, s->apps[i], pick(s, 5), &s->fixture.decisions);
    } else if (what < 28 && s->nodes[node]) {
        recover_container(s, i, node);
    } else if (what < 36) {
        resize_container(s);
    } else {
        app_asks(s, i);
    }
}

static void node_event(struct storm *s, int n)
{
    struct sched *sched = s->fixture.sched;
    int what = pick(s, 100);

    if (what < 3) {
        sched_node_set_open(sched, s->nodes[n], false, &s->fixture.decisions);
        end_all(s, s->nodes[n], NULL);
        sched_node_remove(sched, s->nodes[n]);
        s->nodes[n] = NULL;
    } else if (what < 8) {
        s->open[n] = !s->open[n];
        sched_node_set_open(sched, s->nodes[n], s->open[n], &s->fixture.decisions);
    } else if (what < 11) {
        sched_node_update(sched, s->nodes[n], resource_of(1024 * pick(s, 12), rng_between(&s->rng, 0, 12)),
                          &s->fixture.decisions);
    } else if (what < 30) {
        sched_node_batch(sched, (size_t)pick(s, 5), &s->fixture.decisions);
    } else {
        sched_node_heartbeat(sched, s->nodes[n], &s->fixture.decisions);
    }
}

static void check_queries(struct storm *s)
{
    const struct sched_queue *at = NULL;
    struct sched_queue_figures queue;
    struct sched_cluster cluster;
    struct sched_why why;
    char text[500];

    sched_cluster(s->fixture.sched, &cluster);
    while (sched_queue_next(s->fixture.sched, &at, &queue))
        assert_non_null(queue.path);
    for (int i = 0; i < APPS; i++) {
        if (s->apps[i] == NULL)
            continue;
        sched_app_why(s->fixture.sched, s->apps[i], &why);
        sched_why_format(&why, text, sizeof(text));
        assert_true(fixture_app_figures(&s->fixture, s->apps[i]).headroom.value[RESOURCE_MEMORY_MB] <=
                    cluster.total.value[RESOURCE_MEMORY_MB] - cluster.used.value[RESOURCE_MEMORY_MB]);
    }
}

static void event(struct storm *s)
{
    int node = pick(s, NODES), app = pick(s, APPS), what = pick(s, 100);
    struct err err;

    if (what < 2) {
        s->removed += fixture_reload(&s->fixture, s->files[pick(s, FILES)], &err) == 0;
    } else if (what < 12) {
        fixture_advance(&s->fixture, pick(s, 4000));
    } else if (what < 20) {
        fixture_update(&s->fixture);
    } else if (s->nodes[node] == NULL) {
        char name[8];

        snprintf(name, sizeof(name), "n%d", node);
        s->nodes[node] =
            fixture_node(&s->fixture, name, 1024 * rng_between(&s->rng, 1, 12), rng_between(&s->rng, 1, 12));
        s->open[node] = true;
    } else if (what < 50 && s->apps[app] == NULL) {
        app_comes(s, app);
    } else if (what < 50) {
        app_event(s, app);
    } else if (what < 58 && s->live_count > 0) {
        end_container(s, pick(s, s->live_count));
    } else if (what < 60) {
        check_queries(s);
    } else {
        node_event(s, node);
    }
}

static void finish(struct storm *s)
{
    for (int i = 0; i < APPS; i++)
        if (s->apps[i])
            app_goes(s, i);
    absorb(s);
    fixture_audit(&s->fixture);
    fixture_advance(&s->fixture, 20000);
    fixture_advance(&s->fixture, 20000);
    assert_false(fixture_has(&s->fixture, "root.c")); /* deleted, since no app uses it */
    assert_int_equal(fixture_queue(&s->fixture, "root").used.value[0], 0);
    assert_int_equal(fixture_queue(&s->fixture, "root").reserved.value[0], 0);
    fixture_end(&s->fixture);
}

/* Returns the figures of one storm. */
static const struct storm *run(const char *const (*site)[2], bool on_demand, const char *const *of,
                               uint64_t seed)
{
    static struct storm storm;

    storm = (struct storm){ .fixture = { .on_demand = on_demand, .any_size = true }, .files = of };
    rng_seed(&storm.rng, seed);
    fixture_begin(&storm.fixture, site, of[pick(&storm, FILES)]);
    for (int i = 0; i < 2500; i++) {
        event(&storm);
        absorb(&storm);
        fixture_audit(&storm.fixture);
    }
    finish(&storm);
    return &storm;
}

static void run_storms(const char *const (*site)[2], bool on_demand, const char *const *of, uint64_t first)
{
    const char *from = getenv("SEED"), *many = getenv("SEEDS");
    uint64_t placed = 0, preempted = 0, killed = 0, moved = 0, grown = 0;
    uint64_t count = many ? strtoull(many, NULL, 10) : SEEDS;

    first = from ? strtoull(from, NULL, 10) : first;
    for (uint64_t seed = first; seed < first + count; seed++) {
        const struct storm *storm = run(site, on_demand, of, seed);

        placed += storm->placed;
        preempted += storm->preempted;
        killed += storm->killed;
        grown += storm->grown;
        moved += storm->moved;
    }
    print_message("placed %" PRIu64 ", moved %" PRIu64 ", grown %" PRIu64 ", preempted %" PRIu64
                  ", killed %" PRIu64 "\n",
                  placed, moved, grown, preempted, killed);
    assert_true(placed > 130 * count && moved > 6 * count);
    if (of == starving)
        assert_true(preempted > 10 * count && killed > 5 * count);
}

#define PREEMPTION \
    { "yarn.scheduler.fair.preemption", "true" }, \
        { "yarn.scheduler.fair.preemption.cluster-utilization-threshold", "0.1" }, \
    { \
        "yarn.scheduler.fair.waitTimeBeforeKill", "1000" \
    }

static void audit_passes_with_heartbeats(void **state)
{
    static const char *const site[][2] = { PREEMPTION, { NULL, NULL } };

    (void)state;
    run_storms(site, false, files, 100);
}

static void audit_passes_on_demand(void **state)
{
    static const char *const site[][2] = { PREEMPTION, { NULL, NULL } };

    (void)state;
    run_storms(site, true, files, 200);
}

static void audit_passes_with_continuous_scheduling(void **state)
{
    static const char *const site[][2] = {
        PREEMPTION,
        { "yarn.scheduler.fair.continuous-scheduling-enabled", "true" },
        { "yarn.scheduler.fair.locality-delay-node-ms", "700" },
        { "yarn.scheduler.fair.locality-delay-rack-ms", "700" },
        { "yarn.scheduler.fair.assignmultiple", "true" },
        { "yarn.scheduler.fair.sizebasedweight", "true" },
        { "yarn.scheduler.minimum-allocation-mb", "0" },
        { NULL, NULL },
    };

    (void)state;
    run_storms(site, false, files, 300);
}

static void preemption_has_a_request(void **state)
{
    static const char *const site[][2] = { PREEMPTION, { NULL, NULL } };

    (void)state;
    run_storms(site, false, starving, 400);
    run_storms(site, true, starving, 500);
}

/* In this storm an application lacks its part of a minimum share, and asks for an increase. */
static void no_container_is_preempted_for_its_own_increase(void **state)
{
    static const char *const site[][2] = { PREEMPTION, { NULL, NULL } };

    (void)state;
    run(site, false, starving, 880294);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(audit_passes_with_heartbeats),
        cmocka_unit_test(audit_passes_on_demand),
        cmocka_unit_test(audit_passes_with_continuous_scheduling),
        cmocka_unit_test(preemption_has_a_request),
        cmocka_unit_test(no_container_is_preempted_for_its_own_increase),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
