/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_types.c - test: a third resource type: accounting, and cost of an offer where the type is scarce
 *
 * The same cluster with each scheduler, in its own configuration.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rm/sched/internal.h"
#include "rm/schedconf/schedconf.h"

enum { APPS = 10000, USERS = 10 };

struct world {
    struct conf *conf;
    struct sched *sched;
    struct sched_decisions decisions;
    struct sched_node *plain, *gpu; /* 64 GiB, 64 vcores; GPU also has 4 GPUs */
    struct sched_app *last;
};

static void set(struct world *w, const char *key, const char *value)
{
    struct err err;

    if (conf_set(w->conf, key, value, &err) < 0)
        fail_msg("%s", err.text);
}

#define CAPACITY "yarn.scheduler.capacity."

static void begin(struct world *w, const char *scheduler)
{
    struct sched_config config;
    struct err err;

    *w = (struct world){ .conf = conf_new_defaults() };
    set(w, "yarn.resourcemanager.scheduler.class", scheduler);
    set(w, "yarn.resource-types", "gpu");
    set(w, CAPACITY "root.queues", "default");
    set(w, CAPACITY "root.default.capacity", "100");
    set(w, CAPACITY "root.default.user-limit-factor", "100");
    set(w, CAPACITY "resource-calculator", "DominantResourceCalculator");
    if (schedconf_build(w->conf, NULL, NULL, &config, &err) < 0)
        fail_msg("%s", err.text);
    config.assign_on_demand = false;
    if (sched_new(&config, &w->sched, &err) < 0)
        fail_msg("%s", err.text);
    schedconf_taken(&config);
}

static void end(struct world *w)
{
    struct err err;

    if (sched_check(w->sched, &err) < 0)
        fail_msg("%s", err.text);
    sched_free(w->sched);
    conf_free(w->conf);
    free(w->decisions.items);
}

static struct sched_node *add_node(struct world *w, const char *name, int64_t gpus)
{
    struct sched_node_spec spec = {
        .id = name,
        .host = name,
        .rack = "/r",
        .total = resource_of(65536, 64),
    };

    spec.total.value[2] = gpus;
    return sched_node_add(w->sched, &spec, &w->decisions);
}

static struct sched_app *add_app(struct world *w, uint32_t number)
{
    char user[16];
    const struct sched_app_spec spec = { .id = { 1, number }, .user = user, .queue = "default" };
    struct sched_app *app;
    struct err err;

    snprintf(user, sizeof(user), "user%u", number % USERS);
    if (sched_app_add(w->sched, &spec, &app, &err) < 0)
        fail_msg("%s", err.text);
    sched_app_start(w->sched, app, NULL, &w->decisions);
    return app;
}

static void ask(struct world *w, struct sched_app *app, uint32_t count, int64_t gpus)
{
    struct sched_ask row = {
        .priority = 1,
        .resource_name = "*",
        .capability = resource_of(1024, 1),
        .count = count,
    };
    const struct sched_request request = { .asks = &row, .ask_count = 1 };
    struct err err;

    row.capability.value[2] = gpus;
    if (sched_allocate(w->sched, app, &request, &w->decisions, &err) < 0)
        fail_msg("%s", err.text);
}

/* Offers NODE. Returns the number of applications visited; DECISIONS has the placed containers. */
static uint64_t offer(struct world *w, struct sched_node *node)
{
    uint64_t before = w->sched->visits;

    w->decisions.count = 0;
    sched_node_heartbeat(w->sched, node, &w->decisions);
    return w->sched->visits - before;
}

/* Adds 10,000 applications that need a GPU each. */
static void fill(struct world *w, const char *scheduler)
{
    begin(w, scheduler);
    w->plain = add_node(w, "plain", 0);
    w->gpu = add_node(w, "gpu", 4);
    for (uint32_t i = 1; i <= APPS; i++) {
        w->last = add_app(w, i);
        ask(w, w->last, 1, 1);
    }
    sched_update(w->sched, &w->decisions);
    offer(w, w->plain); /* the fair scheduler computes the needs during an offer */
}

static void check_scarce_type(struct world *w)
{
    assert_in_range(offer(w, w->plain), 0, 20);
    assert_int_equal(w->decisions.count, 0);
    assert_in_range(offer(w, w->gpu), 1, 20);
    assert_in_range(w->decisions.count, 1, 4);
    ask(w, w->last, 1, 0);
    sched_update(w->sched, &w->decisions);
    assert_in_range(offer(w, w->plain), 1, 20);
    assert_int_equal(w->decisions.count, 1);
    assert_ptr_equal(w->decisions.items[0].app, w->last);
}

static void fifo_visits_no_application_that_needs_it(void **state)
{
    struct world w;

    (void)state;
    fill(&w, "FifoScheduler");
    check_scarce_type(&w);
    end(&w);
}

static void fair_visits_no_application_that_needs_it(void **state)
{
    struct world w;

    (void)state;
    fill(&w, "FairScheduler");
    check_scarce_type(&w);
    end(&w);
}

static void capacity_visits_no_application_that_needs_it(void **state)
{
    struct world w;

    (void)state;
    fill(&w, "CapacityScheduler");
    check_scarce_type(&w);
    end(&w);
}

/* No more than an offer: a list requests the reason of each application. */
static void why_visits_few_applications(void **state)
{
    static const char *const schedulers[] = { "FifoScheduler", "FairScheduler", "CapacityScheduler" };
    struct sched_why why;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct world w;
        uint64_t before;

        fill(&w, schedulers[i]);
        before = w.sched->visits;
        sched_app_why(w.sched, w.last, &why);
        assert_int_not_equal(why.reason, SCHED_REASON_NONE);
        assert_in_range(w.sched->visits - before, 0, 2 * SCHED_WHY_AHEAD_MAX + 2);
        end(&w);
    }
}

/* A node that lost its GPUs while in use still accepts containers without GPUs. (With the other schedulers
 * the queue then is above its maximum.) */
static void fifo_serves_requests_without_gpus_where_gpus_are_overcommitted(void **state)
{
    struct sched_app *app;
    struct world w;

    (void)state;
    begin(&w, "FifoScheduler");
    w.gpu = add_node(&w, "gpu", 4);
    ask(&w, add_app(&w, 1), 1, 4);
    offer(&w, w.gpu);
    assert_int_equal(sched_node_used(w.gpu).value[2], 4);
    sched_node_update(w.sched, w.gpu, resource_of(65536, 64), &w.decisions);
    app = add_app(&w, 2);
    ask(&w, app, 1, 0);
    offer(&w, w.gpu);
    assert_int_equal(w.decisions.count, 1);
    assert_ptr_equal(w.decisions.items[0].app, app);
    end(&w);
}

/* The used share of a queue is that of GPUs if it is the largest. */
static void the_used_share_counts_the_third_type(void **state)
{
    const struct sched_queue *at = NULL;
    struct sched_queue_figures queue;
    struct sched_app *app;
    struct world w;

    (void)state;
    begin(&w, "FifoScheduler");
    w.gpu = add_node(&w, "gpu", 4);
    app = add_app(&w, 1);
    ask(&w, app, 3, 1);
    offer(&w, w.gpu);
    while (sched_queue_next(w.sched, &at, &queue))
        assert_float_equal(queue.absolute_used, 0.75f, 0.001f);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifo_visits_no_application_that_needs_it),
        cmocka_unit_test(fair_visits_no_application_that_needs_it),
        cmocka_unit_test(capacity_visits_no_application_that_needs_it),
        cmocka_unit_test(why_visits_few_applications),
        cmocka_unit_test(fifo_serves_requests_without_gpus_where_gpus_are_overcommitted),
        cmocka_unit_test(the_used_share_counts_the_third_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
