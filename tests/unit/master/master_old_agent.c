/* SPDX-License-Identifier: Apache-2.0 */
/* master_old_agent.c - test: an agent of an earlier version joins, which cannot start a job that waits */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/master/master_world.h"

/* Submits a job with a directory that is not UTF-8, which waits until a running job ends. */
static void submit_waiting(struct world *w)
{
    static char directory[] = "/caf\xf4\x8f\xbb\xa9";
    char first[80];
    Creel__JobSpec *job;

    w->a.restores = true;
    w->a.incarnation++;
    agent_register(&w->h, &w->a);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 4096, 0), "", first, NULL);
    agent_heartbeat(&w->h, &w->a);
    agent_listen(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 1);
    job = job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0);
    job->launch->escaped = true;
    job->launch->directory = directory;
    people_submit(&w->h, job, "", w->app, NULL);
    assert_string_not_equal(w->app, "");
}

static void heartbeats(struct world *w, struct fake_agent *agent)
{
    for (int i = 0; i < 4; i++) {
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, agent);
        agent_listen(&w->h, agent);
    }
}

static void an_old_agent_does_not_get_the_order(void **state)
{
    struct world *w = *state;

    submit_waiting(w);
    agent_register(&w->h, &w->b);
    heartbeats(w, &w->b);
    assert_int_equal(agent_running(&w->b), 0);
    assert_int_equal(people_show(&w->h, w->app)->attempt, 2);
    assert_int_equal(people_show(&w->h, w->app)->n_avoided_nodes, 1);
    assert_string_equal(people_show(&w->h, w->app)->avoided_nodes[0], "n2:8041");
    agent_exit(&w->a, w->a.containers[0].id, 0);
    heartbeats(w, &w->a);
    assert_int_equal(agent_running(&w->a), 1);
    assert_int_equal(agent_running(&w->b), 0);
}

static void a_new_agent_gets_it(void **state)
{
    struct world *w = *state;

    submit_waiting(w);
    w->b.restores = true;
    agent_register(&w->h, &w->b);
    heartbeats(w, &w->b);
    assert_int_equal(agent_running(&w->b), 1);
    assert_int_equal(people_show(&w->h, w->app)->attempt, 1);
}

/* The built-in AM starts no task with such texts on other nodes. */
static void an_am_gets_to_know_which_nodes_restore_texts(void **state)
{
    struct world *w = *state;
    const Creel__AllocateReply *reply;
    size_t seen[2] = { 0 };
    struct fake_am am;

    w->a.restores = true;
    w->a.incarnation++;
    agent_register(&w->h, &w->a);
    agent_register(&w->h, &w->b);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_TASKS, 256, 6), "", w->app, NULL);
    heartbeats(w, &w->a);
    heartbeats(w, &w->b);
    am_init(&am, w->app, 1);
    am_register(&w->h, &am);
    reply = am_allocate(&w->h, &am, 6, 256, NULL);
    for (int round = 0; round < 20 && reply; round++) {
        for (size_t i = 0; i < reply->n_allocated; i++) {
            bool is_new = strcmp(reply->allocated[i]->node_id, w->a.node_id) == 0;

            assert_int_equal(reply->allocated[i]->restores, is_new);
            seen[is_new]++;
        }
        reply = am_allocate(&w->h, &am, -1, 0, NULL);
    }
    assert_int_equal(seen[0] + seen[1], 6);
    assert_true(seen[0] > 0 && seen[1] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_old_agent_does_not_get_the_order, world_set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(a_new_agent_gets_it, world_set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(an_am_gets_to_know_which_nodes_restore_texts, world_set_up,
                                        world_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
