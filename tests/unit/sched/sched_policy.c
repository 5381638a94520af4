/* SPDX-License-Identifier: Apache-2.0 */
/* sched_policy.c - test: a scheduling policy supplied by a program: examples/policy-priority.c */
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

extern const struct sched_policy sched_priority;

enum { APPS = 20, NODES = 5, STEPS = 3000 };

struct world {
    struct sched *sched;
    struct sched_decisions decisions;
    struct sched_node *nodes[NODES];
    struct sched_app *apps[APPS];
    uint32_t last_id;
};

static struct sched_config config_of(bool on_demand)
{
    return (struct sched_config){
        .custom = &sched_priority,
        .calculator = SCHED_EVERY_TYPE,
        .minimum = resource_of(1024, 1),
        .step = resource_of(1024, 1),
        .maximum = resource_of(8192, 8),
        .size_wait_ms = SCHED_SIZE_WAIT_MS,
        .assign_on_demand = on_demand,
    };
}

static void begin(struct world *w, bool on_demand)
{
    struct sched_config config = config_of(on_demand);
    struct err err;

    *w = (struct world){ .sched = NULL };
    assert_int_equal(sched_new(&config, &w->sched, &err), 0);
}

static void audit(const struct world *w)
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

static void add_node(struct world *w, int i, int64_t memory_mb)
{
    char id[32], host[32];
    struct sched_node_spec spec = {
        .id = id,
        .host = host,
        .rack = "/r",
        .total = resource_of(memory_mb, 100),
    };

    snprintf(id, sizeof(id), "n%d:1", i);
    snprintf(host, sizeof(host), "n%d", i);
    w->nodes[i] = sched_node_add(w->sched, &spec, &w->decisions);
}

static void add_app(struct world *w, int i, int32_t priority)
{
    struct sched_app_spec spec = {
        .id = { 1, ++w->last_id },
        .user = "ann",
        .queue = "",
        .priority = priority,
    };
    struct err err;

    assert_int_equal(sched_app_add(w->sched, &spec, &w->apps[i], &err), 0);
}

static void request(struct world *w, int app, int64_t memory_mb, uint32_t count)
{
    struct sched_ask ask = {
        .resource_name = "*",
        .capability = resource_of(memory_mb, 1),
        .count = count,
    };
    struct sched_request request = { .asks = &ask, .ask_count = 1 };

    assert_int_equal(sched_allocate(w->sched, w->apps[app], &request, &w->decisions, NULL), 0);
    audit(w);
}

static void heartbeat(struct world *w, int node)
{
    sched_node_heartbeat(w->sched, w->nodes[node], &w->decisions);
    audit(w);
}

static void expect(const struct world *w, size_t decision, int app)
{
    assert_true(decision < w->decisions.count);
    assert_int_equal(w->decisions.items[decision].kind, SCHED_ALLOCATED);
    assert_ptr_equal(w->decisions.items[decision].app, w->apps[app]);
}

static void higher_priorities_come_first_and_then_earlier_applications(void **state)
{
    struct world w;

    (void)state;
    begin(&w, false);
    add_node(&w, 0, 4096);
    add_app(&w, 0, 1);
    add_app(&w, 1, 5);
    add_app(&w, 2, 5);
    for (int i = 0; i < 3; i++)
        request(&w, i, 1024, i == 1 ? 2 : 1);
    heartbeat(&w, 0);
    assert_int_equal(w.decisions.count, 4);
    expect(&w, 0, 1);
    expect(&w, 1, 1);
    expect(&w, 2, 2);
    expect(&w, 3, 0);
    end(&w);
}

static void a_priority_may_change_while_an_application_waits(void **state)
{
    struct world w;

    (void)state;
    begin(&w, false);
    add_node(&w, 0, 1024);
    add_app(&w, 0, 5);
    add_app(&w, 1, 1);
    request(&w, 0, 1024, 1);
    request(&w, 1, 1024, 1);
    sched_app_set_priority(w.sched, w.apps[1], 9, &w.decisions);
    audit(&w);
    heartbeat(&w, 0);
    assert_int_equal(w.decisions.count, 1);
    expect(&w, 0, 1);
    end(&w);
}

static void request_that_does_not_fit_does_not_block_others(void **state)
{
    struct world w;

    (void)state;
    begin(&w, false);
    add_node(&w, 0, 2048);
    add_app(&w, 0, 9);
    add_app(&w, 1, 1);
    request(&w, 0, 4096, 1);
    request(&w, 1, 1024, 1);
    heartbeat(&w, 0);
    assert_int_equal(w.decisions.count, 1);
    expect(&w, 0, 1);
    end(&w);
}

static void freed_room_is_given_to_the_highest_priority_at_once(void **state)
{
    struct sched_why why;
    struct world w;

    (void)state;
    begin(&w, true);
    add_node(&w, 0, 1024);
    add_app(&w, 0, 1);
    add_app(&w, 1, 2);
    add_app(&w, 2, 3);
    for (int i = 0; i < 3; i++)
        request(&w, i, 1024, 1);
    assert_int_equal(w.decisions.count, 1); /* the first app got it when no other app had requests */
    expect(&w, 0, 0);
    sched_app_why(w.sched, w.apps[1], &why);
    assert_string_equal(sched_reason_name(why.reason), "BehindInQueue");
    assert_int_equal(why.ahead, 1);
    sched_container_end(w.sched, w.decisions.items[0].container, &w.decisions);
    audit(&w);
    assert_int_equal(w.decisions.count, 2);
    expect(&w, 1, 2);
    end(&w);
}

static void a_refresh_stays_with_the_policy(void **state)
{
    struct sched_config config = config_of(true);
    struct sched_config other = sched_config_fifo(config.minimum, config.maximum, true);
    struct resource large = resource_of(16384, 1);
    struct world w;
    struct err err;

    (void)state;
    begin(&w, true);
    assert_true(sched_normalise(w.sched, &large, NULL, &err) < 0);
    config.maximum = resource_of(16384, 8);
    assert_int_equal(sched_refresh(w.sched, &config, &w.decisions, &err), 0);
    assert_int_equal(sched_normalise(w.sched, &large, NULL, &err), 0);
    assert_true(sched_refresh(w.sched, &other, &w.decisions, &err) < 0);
    assert_non_null(strstr(err.text, "priority"));
    end(&w);
}

/* --- random events ------------------------------------------------------------- */

static void end_one(struct world *w, struct rng *rng)
{
    size_t from = w->decisions.count > 0 ? rng_below(rng, w->decisions.count) : 0;

    for (size_t i = from; i < w->decisions.count; i++)
        if (w->decisions.items[i].container) {
            struct sched_container *container = w->decisions.items[i].container;

            w->decisions.items[i].container = NULL;
            sched_container_end(w->sched, container, &w->decisions);
            return;
        }
}

static void remove_app(struct world *w, int i)
{
    for (size_t d = 0; d < w->decisions.count; d++)
        if (w->decisions.items[d].app == w->apps[i] && w->decisions.items[d].container) {
            struct sched_container *container = w->decisions.items[d].container;

            w->decisions.items[d].container = NULL;
            sched_app_stop_asking(w->sched, w->apps[i]);
            sched_container_end(w->sched, container, &w->decisions);
        }
    sched_app_remove(w->sched, w->apps[i], &w->decisions);
    w->apps[i] = NULL;
}

static void step(struct world *w, struct rng *rng)
{
    int i = (int)rng_below(rng, APPS);

    if (w->apps[i] == NULL) {
        add_app(w, i, (int32_t)rng_below(rng, 4));
        return;
    }
    switch (rng_below(rng, 6)) {
    case 0:
        remove_app(w, i);
        break;
    case 1:
        sched_app_set_priority(w->sched, w->apps[i], (int32_t)rng_below(rng, 4), &w->decisions);
        break;
    case 2:
        heartbeat(w, (int)rng_below(rng, NODES));
        break;
    case 3:
        end_one(w, rng);
        break;
    default:
        request(w, i, (int64_t)rng_between(rng, 1, 4) * 1024, (uint32_t)rng_below(rng, 4));
        break;
    }
}

static void sums_stay_consistent_under_random_events(void **state)
{
    struct rng rng;
    struct world w;

    (void)state;
    for (int on_demand = 0; on_demand < 2; on_demand++) {
        begin(&w, on_demand);
        rng_seed(&rng, 20 + (uint64_t)on_demand);
        for (int i = 0; i < NODES; i++)
            add_node(&w, i, 8192);
        for (int i = 0; i < STEPS; i++) {
            step(&w, &rng);
            audit(&w);
        }
        for (int i = 0; i < APPS; i++)
            if (w.apps[i])
                remove_app(&w, i);
        end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(higher_priorities_come_first_and_then_earlier_applications),
        cmocka_unit_test(a_priority_may_change_while_an_application_waits),
        cmocka_unit_test(request_that_does_not_fit_does_not_block_others),
        cmocka_unit_test(freed_room_is_given_to_the_highest_priority_at_once),
        cmocka_unit_test(a_refresh_stays_with_the_policy),
        cmocka_unit_test(sums_stay_consistent_under_random_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
