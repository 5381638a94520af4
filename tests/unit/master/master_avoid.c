/* SPDX-License-Identifier: Apache-2.0 */
/* master_avoid.c - test: nodes on which launches of different applications fail are avoided for a while */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/exit_status.h"
#include "rm/master/nodes/avoid.h"
#include "tests/unit/master/master_world.h"

static const Creel__NodeReport *show(struct world *w, char *id)
{
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_NODES);
    const Creel__Envelope *reply;

    body.node_id = id;
    envelope->list_nodes = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_NODE_LIST);
    return reply->node_list->nodes[0];
}

/* Submits a job, which node a gets (add_second_node). */
static struct fake_container *submit(struct world *w)
{
    size_t before = w->a.count;

    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0), "", w->app, NULL);
    agent_listen(&w->h, &w->a);
    assert_int_equal(w->a.count, before + 1);
    return &w->a.containers[before];
}

static void end_with(struct world *w, struct fake_container *container, int exit_status, bool node_fault)
{
    agent_exit(&w->a, container->id, exit_status);
    container->node_fault = node_fault;
    agent_heartbeat(&w->h, &w->a);
}

static void started(struct world *w, struct fake_container *container)
{
    container->started_ms = w->h.now;
    agent_heartbeat(&w->h, &w->a);
    end_with(w, container, 0, false);
}

static void fail_launches(struct world *w, int count)
{
    for (int i = 0; i < count; i++)
        end_with(w, submit(w), CONTAINER_EXIT_NOT_STARTED, true);
}

static void expect_avoided(struct world *w, bool avoided)
{
    const Creel__NodeReport *node = show(w, w->a.node_id);

    assert_int_equal(node->state,
                     avoided ? CREEL__NODE_STATE__NODE_UNHEALTHY : CREEL__NODE_STATE__NODE_RUNNING);
    assert_int_equal(strstr(node->health_report, "avoided for 5 minutes") != NULL, avoided);
}

/* Adds node b, which is unhealthy, so that all jobs go to node a. */
static void add_second_node(struct world *w)
{
    agent_register(&w->h, &w->b);
    w->b.unhealthy = true;
    agent_heartbeat(&w->h, &w->b);
}

static void pass(struct world *w, int64_t ms)
{
    for (; ms > 0; ms -= 5000) {
        harness_tick(&w->h, 5000);
        agent_heartbeat(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->b);
    }
}

static void node_that_fails_three_applications_is_avoided_and_comes_back(void **state)
{
    struct world *w = *state;

    add_second_node(w);
    fail_launches(w, AVOID_FAULTS - 1);
    expect_avoided(w, false);
    fail_launches(w, 1);
    expect_avoided(w, true);
    assert_non_null(strstr(show(w, w->a.node_id)->health_report, "container_"));
    pass(w, AVOID_MS - 5000);
    expect_avoided(w, true);
    pass(w, 10000);
    expect_avoided(w, false);
    fail_launches(w, AVOID_FAULTS - 1);
    expect_avoided(w, false); /* the count was reset */
}

static void start_between_failures_resets_the_count(void **state)
{
    struct world *w = *state;

    add_second_node(w);
    for (int i = 0; i < 3; i++) {
        fail_launches(w, AVOID_FAULTS - 1);
        started(w, submit(w));
    }
    expect_avoided(w, false);
}

static void failure_of_the_job_itself_does_not_count(void **state)
{
    struct world *w = *state;

    add_second_node(w);
    for (int i = 0; i < 2 * AVOID_FAULTS; i++)
        end_with(w, submit(w), CONTAINER_EXIT_NOT_STARTED, false);
    expect_avoided(w, false);
}

static void only_node_is_never_avoided(void **state)
{
    struct world *w = *state;

    fail_launches(w, 2 * AVOID_FAULTS);
    expect_avoided(w, false);
}

/* As for a user who has no account on a node: other nodes may have it. */
static void command_that_a_node_could_not_start_begins_again_on_another_one(void **state)
{
    struct world *w = *state;
    const Creel__AppReport *app;
    char id[80] = "";

    add_second_node(w);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0), "", id, NULL);
    agent_listen(&w->h, &w->a);
    assert_int_equal(w->a.count, 1);
    w->b.unhealthy = false;
    agent_heartbeat(&w->h, &w->b);
    w->a.containers[0].retry_elsewhere = true;
    end_with(w, &w->a.containers[0], CONTAINER_EXIT_NOT_STARTED, false);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->b);
    agent_listen(&w->h, &w->a);
    agent_listen(&w->h, &w->b);
    assert_int_equal(w->a.count, 1);
    assert_int_equal(w->b.count, 1);
    app = people_show(&w->h, id);
    assert_int_equal(app->attempt, 2);
    expect_avoided(w, false);
    /* The last attempt ends the application. */
    agent_exit(&w->b, w->b.containers[0].id, CONTAINER_EXIT_NOT_STARTED);
    w->b.containers[0].retry_elsewhere = true;
    agent_heartbeat(&w->h, &w->b);
    app = people_show(&w->h, id);
    assert_int_equal(app->state, CREEL__APP_STATE__APP_FAILED);
    assert_int_equal(app->attempt, 2);
    assert_int_equal(app->exit_status, CONTAINER_EXIT_NOT_STARTED);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(node_that_fails_three_applications_is_avoided_and_comes_back),
        CASE(start_between_failures_resets_the_count),
        CASE(failure_of_the_job_itself_does_not_count),
        CASE(command_that_a_node_could_not_start_begins_again_on_another_one),
        CASE(only_node_is_never_avoided),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
