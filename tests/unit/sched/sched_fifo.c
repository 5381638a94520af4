/* SPDX-License-Identifier: Apache-2.0 */
/* sched_fifo.c - test: allocation order of the FIFO scheduler (yarn-behaviour 9) */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rm/sched/sched.h"

struct world {
    struct sched *sched;
    struct sched_decisions decisions;
    struct sched_node *nodes[8];
    struct sched_app *apps[8];
};

static void begin(struct world *w, enum sched_calculator calculator, bool on_demand)
{
    struct sched_config config = {
        .policy = "fifo",
        .calculator = calculator,
        .minimum = resource_of(1024, 1),
        .step = resource_of(1024, 1),
        .maximum = resource_of(8192, 4),
        .size_wait_ms = SCHED_SIZE_WAIT_MS,
        .assign_on_demand = on_demand,
    };
    struct err err;

    *w = (struct world){ .sched = NULL };
    assert_int_equal(sched_new(&config, &w->sched, &err), 0);
}

static void audit(struct world *w)
{
    struct err err;

    if (sched_check(w->sched, &err) < 0)
        fail_msg("%s", err.text);
}

static void end(struct world *w)
{
    audit(w);
    sched_free(w->sched);
    free(w->decisions.items);
}

static void add_node(struct world *w, int i, const char *rack, int64_t memory_mb, int64_t vcores)
{
    char id[32], host[32];
    struct sched_node_spec spec = {
        .id = id,
        .host = host,
        .rack = rack,
        .total = resource_of(memory_mb, vcores),
    };

    snprintf(id, sizeof(id), "n%d:1", i);
    snprintf(host, sizeof(host), "n%d", i);
    w->nodes[i] = sched_node_add(w->sched, &spec, &w->decisions);
}

static void add_app(struct world *w, int i)
{
    struct sched_app_spec spec = {
        .id = { 1, (uint32_t)i },
        .user = "ann",
        .queue = "default",
    };
    struct err err;

    assert_int_equal(sched_app_add(w->sched, &spec, &w->apps[i], &err), 0);
}

static int ask_at(struct world *w, int app, uint32_t priority, const char *where, int64_t memory_mb,
                  uint32_t count, bool strict)
{
    struct sched_ask ask = {
        .priority = priority,
        .resource_name = where,
        .capability = resource_of(memory_mb, 1),
        .count = count,
        .strict_locality = strict,
    };
    struct sched_request request = { .asks = &ask, .ask_count = 1 };
    struct err err;
    int r = sched_allocate(w->sched, w->apps[app], &request, &w->decisions, &err);

    audit(w);
    return r;
}

static void ask(struct world *w, int app, uint32_t priority, int64_t memory_mb, uint32_t count)
{
    assert_int_equal(ask_at(w, app, priority, "*", memory_mb, count, false), 0);
}

static void blacklist(struct world *w, int app, const char *add, const char *remove)
{
    struct sched_request request = {
        .blacklist_add = &add,
        .blacklist_add_count = add ? 1 : 0,
        .blacklist_remove = &remove,
        .blacklist_remove_count = remove ? 1 : 0,
    };

    assert_int_equal(sched_allocate(w->sched, w->apps[app], &request, &w->decisions, NULL), 0);
}

static void beat(struct world *w, int node)
{
    sched_node_heartbeat(w->sched, w->nodes[node], &w->decisions);
    audit(w);
}

static int64_t used_mb(struct world *w, int app)
{
    struct sched_app_figures figures;

    sched_app_figures(w->sched, w->apps[app], &figures);
    return figures.used.value[RESOURCE_MEMORY_MB];
}

static int64_t node_used_mb(struct world *w, int node)
{
    return sched_node_used(w->nodes[node]).value[RESOURCE_MEMORY_MB];
}

static const char *why(struct world *w, int app)
{
    struct sched_why found;

    sched_app_why(w->sched, w->apps[app], &found);
    return sched_reason_name(found.reason);
}

/* --- YARN's own cases ------------------------------------------------------ */

static void two_apps_on_small_nodes(void **state)
{
    static const char *const places[] = { "n1", "n2", "/default-rack", "*" };
    struct world w;

    (void)state;
    begin(&w, SCHED_MEMORY_ONLY, false);
    add_node(&w, 1, "/default-rack", 4096, 1);
    add_node(&w, 2, "/default-rack", 2048, 1);
    add_app(&w, 1);
    add_app(&w, 2);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(ask_at(&w, 1, 1, places[i], 1024, 1, false), 0);
        assert_int_equal(ask_at(&w, 2, 1, places[i], 3072, 1, false), 0);
    }
    beat(&w, 1);
    beat(&w, 2);
    assert_int_equal(used_mb(&w, 1), 1024);
    assert_int_equal(used_mb(&w, 2), 3072);
    assert_int_equal(node_used_mb(&w, 1), 4096);
    assert_int_equal(node_used_mb(&w, 2), 0);
    ask(&w, 2, 0, 4096, 1);
    ask(&w, 1, 0, 2048, 1);
    beat(&w, 1);
    beat(&w, 2);
    assert_int_equal(used_mb(&w, 1), 3072);
    assert_int_equal(used_mb(&w, 2), 3072);
    assert_int_equal(node_used_mb(&w, 2), 2048);
    end(&w);
}

static void blacklists_are_respected(void **state)
{
    struct world w;

    (void)state;
    begin(&w, SCHED_EVERY_TYPE, false);
    for (int i = 1; i <= 4; i++)
        add_node(&w, i, i <= 2 ? "/rack0" : "/rack1", 4096, 4);
    add_app(&w, 1);
    assert_int_equal(ask_at(&w, 1, 0, "/rack1", 1024, 1, false), 0);
    ask(&w, 1, 0, 1024, 1);
    blacklist(&w, 1, "n3", NULL);
    beat(&w, 3);
    assert_int_equal(used_mb(&w, 1), 0);
    beat(&w, 4);
    assert_int_equal(node_used_mb(&w, 4), 1024);
    ask(&w, 1, 0, 1024, 1);
    blacklist(&w, 1, "/rack0", NULL);
    for (int i = 1; i <= 3; i++)
        beat(&w, i);
    assert_int_equal(used_mb(&w, 1), 1024);
    blacklist(&w, 1, NULL, "n3");
    beat(&w, 3);
    assert_int_equal(node_used_mb(&w, 3), 1024);
    end(&w);
}

static void reduced_node_keeps_its_containers(void **state)
{
    struct world w;

    (void)state;
    begin(&w, SCHED_EVERY_TYPE, false);
    add_node(&w, 1, "/r", 4096, 4);
    add_app(&w, 1);
    ask(&w, 1, 1, 2048, 2);
    beat(&w, 1);
    assert_int_equal(node_used_mb(&w, 1), 4096);
    sched_node_update(w.sched, w.nodes[1], resource_of(2048, 1), &w.decisions);
    audit(&w);
    assert_int_equal(node_used_mb(&w, 1), 4096);
    sched_container_end(w.sched, w.decisions.items[0].container, &w.decisions);
    audit(&w);
    ask(&w, 1, 1, 1024, 1);
    beat(&w, 1);
    assert_int_equal(node_used_mb(&w, 1), 2048);
    end(&w);
}

/* --- the rest -------------------------------------------------------------- */

static void every_type_must_fit(void **state)
{
    struct world w;

    (void)state;
    begin(&w, SCHED_EVERY_TYPE, true);
    add_node(&w, 1, "/r", 8192, 2);
    add_app(&w, 1);
    ask(&w, 1, 1, 1024, 5);
    assert_int_equal(used_mb(&w, 1), 2048); /* two vcores: two containers */
    assert_string_equal(why(&w, 1), "ClusterFull");
    end(&w);
}

static void earlier_apps_come_first_and_a_large_request_is_skipped(void **state)
{
    struct world w;

    (void)state;
    begin(&w, SCHED_EVERY_TYPE, false);
    add_node(&w, 1, "/r", 4096, 8);
    for (int i = 1; i <= 3; i++)
        add_app(&w, 4 - i); /* the order is by id, not by arrival */
    ask(&w, 3, 1, 1024, 2);
    ask(&w, 2, 1, 8192, 1);
    ask(&w, 1, 5, 1024, 1);
    ask(&w, 1, 2, 2048, 1);
    beat(&w, 1);
    assert_int_equal(used_mb(&w, 1), 3072);
    assert_int_equal(used_mb(&w, 2), 0);
    assert_int_equal(used_mb(&w, 3), 1024);
    assert_int_equal(w.decisions.items[0].app == w.apps[1], 1);
    assert_string_equal(why(&w, 2), "NodeTooSmall");
    assert_string_equal(why(&w, 3), "BehindInQueue");
    end(&w);
}

static void strict_requests_wait_for_their_place(void **state)
{
    struct world w;

    (void)state;
    begin(&w, SCHED_EVERY_TYPE, true);
    add_node(&w, 1, "/r1", 4096, 4);
    add_node(&w, 2, "/r2", 1024, 4);
    add_app(&w, 1);
    assert_int_equal(ask_at(&w, 1, 1, "n2", 1024, 2, false), 0);
    assert_int_equal(ask_at(&w, 1, 1, "/r2", 1024, 2, true), 0);
    assert_int_equal(ask_at(&w, 1, 1, "*", 1024, 2, true), 0);
    assert_int_equal(node_used_mb(&w, 2), 1024);
    assert_int_equal(node_used_mb(&w, 1), 0);
    assert_string_equal(why(&w, 1), "Placement");
    sched_container_end(w.sched, w.decisions.items[0].container, &w.decisions);
    assert_int_equal(node_used_mb(&w, 2), 1024);
    assert_string_equal(why(&w, 1), "");
    end(&w);
}

static void named_hosts_are_taken_first_on_demand(void **state)
{
    struct world w;

    (void)state;
    begin(&w, SCHED_EVERY_TYPE, true);
    add_node(&w, 1, "/r1", 8192, 4);
    add_node(&w, 2, "/r2", 4096, 4);
    add_node(&w, 3, "/r2", 2048, 4);
    add_app(&w, 1);
    {
        struct sched_ask asks[] = {
            { 1, 0, "n3", resource_of(1024, 1), 1, false, NULL },
            { 1, 0, "/r2", resource_of(1024, 1), 2, false, NULL },
            { 1, 0, "*", resource_of(1024, 1), 3, false, NULL },
        };
        struct sched_request request = { .asks = asks, .ask_count = 3 };

        assert_int_equal(sched_allocate(w.sched, w.apps[1], &request, &w.decisions, NULL), 0);
    }
    assert_int_equal(w.decisions.count, 3);
    assert_int_equal(w.decisions.items[0].locality, SCHED_NODE_LOCAL);
    assert_true(w.decisions.items[0].node == w.nodes[3]);
    assert_int_equal(w.decisions.items[1].locality, SCHED_RACK_LOCAL);
    assert_int_equal(w.decisions.items[2].locality, SCHED_OFF_SWITCH);
    end(&w);
}

static void ams_leave_room_for_their_containers(void **state)
{
    struct sched_config config = {
        .policy = "fifo",
        .calculator = SCHED_EVERY_TYPE,
        .minimum = resource_of(256, 1),
        .step = resource_of(256, 1),
        .maximum = resource_of(8192, 4),
        .am_permille = 500,
        .assign_on_demand = true,
    };
    struct resource size = resource_of(256, 1);
    struct sched_cluster cluster;
    struct err err;
    struct world w;

    (void)state;
    w = (struct world){ .sched = NULL };
    assert_int_equal(sched_new(&config, &w.sched, &err), 0);
    add_node(&w, 1, "/r", 1024, 2);
    for (int i = 1; i <= 3; i++) {
        struct sched_app_spec spec = {
            .id = { 1, (uint32_t)i }, .user = "ann", .queue = "", .manages = i != 3
        };

        assert_int_equal(sched_app_add(w.sched, &spec, &w.apps[i], &err), 0);
        sched_app_start(w.sched, w.apps[i], &size, &w.decisions);
        audit(&w);
    }
    /* The second AM is pending; the third app, which has no AM, is not. */
    assert_int_equal(w.decisions.count, 2);
    assert_true(w.decisions.items[1].app == w.apps[3]);
    assert_string_equal(why(&w, 2), "AmLimit");
    add_node(&w, 2, "/r", 1024, 2);
    audit(&w);
    assert_int_equal(w.decisions.count, 3);
    /* One AM is always allowed. */
    sched_node_set_open(w.sched, w.nodes[2], false, &w.decisions);
    for (int i = 0; i < 3; i++) {
        sched_container_end(w.sched, w.decisions.items[i].container, &w.decisions);
        audit(&w);
    }
    sched_app_start(w.sched, w.apps[1], &config.maximum, &w.decisions);
    sched_cluster(w.sched, &cluster);
    assert_int_equal(cluster.containers, 0);
    assert_string_equal(why(&w, 1), "NodeTooSmall");
    end(&w);
}

static void demand_is_spread_over_the_emptiest(void **state)
{
    struct world w;

    (void)state;
    begin(&w, SCHED_EVERY_TYPE, true);
    for (int i = 1; i <= 3; i++)
        add_node(&w, i, "/r", 8192, 16);
    add_app(&w, 1);
    ask(&w, 1, 1, 1024, 12);
    for (int i = 1; i <= 3; i++)
        assert_int_equal(sched_node_containers(w.nodes[i]), 4);
    end(&w);
}

static void counts_are_absolute(void **state)
{
    struct sched_app_figures figures;
    struct world w;

    (void)state;
    begin(&w, SCHED_EVERY_TYPE, false);
    add_app(&w, 1);
    ask(&w, 1, 1, 1024, 7);
    ask(&w, 1, 1, 1024, 3);
    ask(&w, 1, 2, 1000, 2);
    sched_app_figures(w.sched, w.apps[1], &figures);
    assert_int_equal(figures.pending_containers, 5);
    assert_int_equal(figures.pending.value[RESOURCE_MEMORY_MB], 5 * 1024);
    assert_string_equal(why(&w, 1), "NoNodes");
    ask(&w, 1, 1, 1024, 0);
    ask(&w, 1, 2, 1024, 0);
    sched_app_figures(w.sched, w.apps[1], &figures);
    assert_int_equal(figures.pending_containers, 0);
    end(&w);
}

static void bad_requests_change_nothing(void **state)
{
    struct sched_app_figures figures;
    struct world w;

    (void)state;
    begin(&w, SCHED_EVERY_TYPE, true);
    add_node(&w, 1, "/r", 8192, 4);
    add_app(&w, 1);
    assert_int_equal(ask_at(&w, 1, 1, "*", 9000, 1, false), -ERANGE);
    assert_int_equal(ask_at(&w, 1, 1, "*", -1, 1, false), -ERANGE);
    assert_int_equal(ask_at(&w, 1, 1, "*", 1024, 4000000000u, false), -ERANGE);
    {
        struct sched_ask asks[] = {
            { 1, 0, "*", resource_of(1024, 1), 1, false, NULL },
            { 2, 0, "*", resource_of(1024, 9), 1, false, NULL },
        };
        struct sched_request request = { .asks = asks, .ask_count = 2 };
        struct err err;

        assert_int_equal(sched_allocate(w.sched, w.apps[1], &request, &w.decisions, &err), -ERANGE);
        assert_non_null(strstr(err.text, "<memory:8192, vCores:4>"));
    }
    sched_app_figures(w.sched, w.apps[1], &figures);
    assert_int_equal(figures.pending_containers, 0);
    assert_int_equal(w.decisions.count, 0);
    end(&w);
}

static void sizes_are_rounded(void **state)
{
    const struct {
        int64_t memory_mb, vcores, memory_out, vcores_out;
    } cases[] = {
        { 0, 0, 1024, 1 },    { 1, 1, 1024, 1 },    { 1025, 3, 2048, 3 },
        { 8192, 4, 8192, 4 }, { 7169, 0, 8192, 1 },
    };
    struct world w;

    (void)state;
    begin(&w, SCHED_EVERY_TYPE, true);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct resource asked = resource_of(cases[i].memory_mb, cases[i].vcores), normal;
        struct resource wanted = resource_of(cases[i].memory_out, cases[i].vcores_out);

        assert_int_equal(sched_normalise(w.sched, &asked, &normal, NULL), 0);
        assert_true(resource_equal(&normal, &wanted));
    }
    end(&w);
}

static void queues_and_their_names(void **state)
{
    struct sched_app_spec spec = { .id = { 1, 1 }, .user = "ann", .queue = "x" };
    const struct sched_queue *at = NULL;
    struct sched_queue_figures figures;
    struct sched_app *app;
    struct err err;
    struct world w;

    (void)state;
    begin(&w, SCHED_EVERY_TYPE, true);
    assert_int_equal(sched_app_add(w.sched, &spec, &app, &err), -ENOENT);
    assert_string_equal(err.text, "queue x: not defined (there is: default)");
    spec.queue = "root";
    assert_int_equal(sched_app_add(w.sched, &spec, &app, &err), -ENOENT);
    spec.queue = "root.default";
    assert_int_equal(sched_app_add(w.sched, &spec, &app, &err), 0);
    assert_int_equal(sched_app_add(w.sched, &spec, &app, &err), -EEXIST);
    spec.queue = "";
    spec.id.seq = 2;
    assert_int_equal(sched_app_add(w.sched, &spec, &app, &err), 0);
    assert_string_equal(sched_app_queue(app), "root.default");
    assert_true(sched_queue_next(w.sched, &at, &figures));
    assert_string_equal(figures.path, "root");
    assert_true(sched_queue_next(w.sched, &at, &figures));
    assert_string_equal(figures.path, "root.default");
    assert_int_equal(figures.apps_pending, 2);
    assert_false(sched_queue_next(w.sched, &at, &figures));
    assert_int_equal(sched_queue_count(w.sched), 2);
    end(&w);
}

static void contradicting_limits_are_refused(void **state)
{
    struct sched_config config = {
        .policy = "fifo",
        .minimum = resource_of(2048, 1),
        .maximum = resource_of(1024, 1),
    };
    struct sched *sched;
    struct err err;

    (void)state;
    assert_int_equal(sched_new(&config, &sched, &err), -EINVAL);
    config.minimum = resource_of(0, 1);
    assert_int_equal(sched_new(&config, &sched, &err), -EINVAL);
    config.minimum = resource_of(1024, 1);
    config.policy = "lottery";
    assert_int_equal(sched_new(&config, &sched, &err), -EINVAL);
    assert_non_null(strstr(err.text, "lottery"));
}

/* A request looks up the places that it names, however many others the application has requested. */
static void old_requests_are_not_looked_up_again(void **state)
{
    enum { NAMES = 500 };
    struct world w;
    uint64_t lookups;
    char name[32];

    (void)state;
    begin(&w, SCHED_MEMORY_ONLY, true);
    add_node(&w, 1, "/r", 8192, 4);
    add_app(&w, 1);
    ask(&w, 1, 9, 8192, 1);
    assert_int_equal(used_mb(&w, 1), 8192);
    add_node(&w, 2, "/r", 1024, 1); /* has room, but too little */
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(name, sizeof(name), "nowhere%u", i);
        assert_int_equal(ask_at(&w, 1, 1 + i % 2, name, 2048, 1, false), 0);
        if (i < 2)
            ask(&w, 1, 1 + i, 2048, NAMES);
    }
    lookups = sched_lookups(w.sched);
    for (uint32_t i = 0; i < 10; i++) {
        ask(&w, 1, 1, 2048, NAMES + i);
        snprintf(name, sizeof(name), "nowhere%u", i * 2);
        assert_int_equal(ask_at(&w, 1, 1, name, 2048, 2, false), 0);
    }
    assert_int_equal(sched_lookups(w.sched) - lookups, 10);
    /* What names a node is placed there, and what waited for a node on the blacklist. */
    add_node(&w, 3, "/r", 4096, 4);
    assert_int_equal(used_mb(&w, 1), 8192 + 4096);
    end(&w);
}

/* A rack that a hundred requests of one call name is searched once. */
static void a_place_is_offered_once(void **state)
{
    enum { ASKS = 100, NODES = 4 };
    struct sched_ask asks[2 * ASKS];
    struct sched_request request = { .asks = asks, .ask_count = 2 * ASKS };
    struct world w;

    (void)state;
    begin(&w, SCHED_MEMORY_ONLY, true);
    for (int i = 1; i <= NODES; i++)
        add_node(&w, i, "/r", 1024, 1);
    add_app(&w, 1);
    for (uint32_t i = 0; i < 2 * ASKS; i++)
        asks[i] = (struct sched_ask){ .priority = i / 2,
                                      .resource_name = i % 2 ? "/r" : "*",
                                      .capability = resource_of(2048, 1),
                                      .count = 1 };
    assert_int_equal(sched_allocate(w.sched, w.apps[1], &request, &w.decisions, NULL), 0);
    assert_in_range(sched_lookups(w.sched), ASKS, ASKS + NODES);
    end(&w);
}

static void a_place_off_the_blacklist_is_offered(void **state)
{
    struct world w;

    (void)state;
    begin(&w, SCHED_MEMORY_ONLY, true);
    add_node(&w, 1, "/r", 4096, 4);
    add_app(&w, 1);
    blacklist(&w, 1, "n1", NULL);
    assert_int_equal(ask_at(&w, 1, 1, "n1", 2048, 1, false), 0);
    ask(&w, 1, 1, 2048, 1);
    assert_int_equal(used_mb(&w, 1), 0);
    blacklist(&w, 1, NULL, "n1");
    assert_int_equal(used_mb(&w, 1), 2048);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_apps_on_small_nodes),
        cmocka_unit_test(blacklists_are_respected),
        cmocka_unit_test(reduced_node_keeps_its_containers),
        cmocka_unit_test(every_type_must_fit),
        cmocka_unit_test(earlier_apps_come_first_and_a_large_request_is_skipped),
        cmocka_unit_test(strict_requests_wait_for_their_place),
        cmocka_unit_test(named_hosts_are_taken_first_on_demand),
        cmocka_unit_test(old_requests_are_not_looked_up_again),
        cmocka_unit_test(a_place_is_offered_once),
        cmocka_unit_test(a_place_off_the_blacklist_is_offered),
        cmocka_unit_test(ams_leave_room_for_their_containers),
        cmocka_unit_test(demand_is_spread_over_the_emptiest),
        cmocka_unit_test(counts_are_absolute),
        cmocka_unit_test(bad_requests_change_nothing),
        cmocka_unit_test(sizes_are_rounded),
        cmocka_unit_test(queues_and_their_names),
        cmocka_unit_test(contradicting_limits_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
