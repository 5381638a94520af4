/* SPDX-License-Identifier: Apache-2.0 */
/* master_jobs.c - test: jobs from submission to end, as their users see them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define TASKS CREEL__APP_KIND__APP_TASKS
#define MASTER CREEL__APP_KIND__APP_MASTER
#define SUCCEEDED CREEL__FINAL_STATUS__FINAL_SUCCEEDED
#define FAILED CREEL__FINAL_STATUS__FINAL_FAILED
#define KILLED CREEL__FINAL_STATUS__FINAL_KILLED
#define UNDEFINED CREEL__FINAL_STATUS__FINAL_UNDEFINED
#define STATE(name) CREEL__APP_STATE__APP_##name

static void expect_state(struct world *w, Creel__AppState state, Creel__FinalStatus final, int exit_status)
{
    const Creel__AppReport *report = people_show(&w->h, w->app);

    assert_non_null(report);
    assert_int_equal(report->state, state);
    assert_int_equal(report->final_status, final);
    assert_int_equal(report->exit_status, exit_status);
}

static void expect_tasks(struct world *w, uint32_t total, uint32_t running, uint32_t succeeded,
                         uint32_t failed)
{
    const Creel__TaskCounts *tasks = people_show(&w->h, w->app)->tasks;

    assert_int_equal(tasks->total, total);
    assert_int_equal(tasks->running, running);
    assert_int_equal(tasks->succeeded, succeeded);
    assert_int_equal(tasks->failed, failed);
}

static void submit(struct world *w, Creel__AppKind kind, int64_t memory_mb, uint32_t tasks)
{
    people_submit(&w->h, job_of(kind, memory_mb, tasks), "", w->app, NULL);
    assert_string_not_equal(w->app, "");
    agent_listen(&w->h, &w->a);
    if (w->b.session)
        agent_listen(&w->h, &w->b);
}

/* --- commands -------------------------------------------------------------- */

static void command_runs_to_its_end(void **state)
{
    struct world *w = *state;

    submit(w, COMMAND, 512, 0);
    assert_string_equal(w->app, "application_1700000000000_0001");
    assert_int_equal(agent_running(&w->a), 1);
    assert_string_equal(w->a.containers[0].id, "container_1700000000000_0001_01_000001");
    agent_heartbeat(&w->h, &w->a);
    expect_state(w, STATE(RUNNING), UNDEFINED, -1000);
    agent_exit(&w->a, w->a.containers[0].id, 0);
    w->h.now += 2000;
    agent_heartbeat(&w->h, &w->a);
    expect_state(w, STATE(FINISHED), SUCCEEDED, 0);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(agent_unacked(&w->a), 0);
    assert_int_equal(people_show(&w->h, w->app)->memory_mb_seconds, 1024);
    assert_int_equal(people_show(&w->h, w->app)->vcore_seconds, 2);
}

static void command_that_fails_is_not_tried_again(void **state)
{
    struct world *w = *state;

    submit(w, COMMAND, 512, 0);
    agent_exit(&w->a, w->a.containers[0].id, 3);
    agent_heartbeat(&w->h, &w->a);
    expect_state(w, STATE(FAILED), FAILED, 3);
    assert_int_equal(people_show(&w->h, w->app)->attempt, 1);
}

static void command_is_tried_again_when_its_node_is_lost(void **state)
{
    struct world *w = *state;

    submit(w, COMMAND, 512, 0);
    agent_heartbeat(&w->h, &w->a);
    harness_tick(&w->h, 5000);
    agent_register(&w->h, &w->b);
    for (int i = 0; i < 8; i++) { /* n1 is silent; n2 sends heartbeats */
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->b);
    }
    assert_int_equal(agent_running(&w->b), 1);
    assert_string_equal(w->b.containers[0].id, "container_1700000000000_0001_02_000001");
    /* n1 returns and still runs the lost container: the RM stops it and does not count it. */
    agent_heartbeat(&w->h, &w->a);
    agent_listen(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 0);
    agent_heartbeat(&w->h, &w->a);
    agent_exit(&w->b, w->b.containers[0].id, 0);
    agent_heartbeat(&w->h, &w->b);
    expect_state(w, STATE(FINISHED), SUCCEEDED, 0);
    assert_int_equal(people_show(&w->h, w->app)->attempt, 2);
}

static void command_lost_by_its_agent_is_tried_until_the_limit(void **state)
{
    struct world *w = *state;

    submit(w, COMMAND, 512, 0);
    for (int attempt = 1; attempt <= 2; attempt++) {
        agent_heartbeat(&w->h, &w->a);
        agent_exit(&w->a, w->a.containers[w->a.count - 1].id, 154);
        agent_heartbeat(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
    }
    expect_state(w, STATE(FAILED), FAILED, 154);
    assert_int_equal(people_show(&w->h, w->app)->attempt, 2);
}

static void no_answer_before_the_row_is_on_disk(void **state)
{
    struct world *w = *state;

    w->h.hold_store = true;
    people_submit(&w->h, job_of(COMMAND, 512, 0), "key", w->app, NULL);
    assert_string_equal(w->app, "");
    assert_null(harness_find_reply(&w->h, 1000, w->h.next_request));
    assert_int_equal(people_show(&w->h, "1")->state, STATE(NEW_SAVING));
    harness_commit(&w->h);
    /* The start waits until the attempt's row is committed. */
    agent_listen(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 0);
    harness_commit(&w->h);
    agent_listen(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 1);
    /* The exit is not acknowledged before it is committed. */
    agent_exit(&w->a, w->a.containers[0].id, 0);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(agent_unacked(&w->a), 1);
    assert_int_equal(people_show(&w->h, "1")->state, STATE(ACCEPTED));
    while (w->h.waiting_count > 0)
        harness_commit(&w->h);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(agent_unacked(&w->a), 0);
    assert_int_equal(people_show(&w->h, "1")->state, STATE(FINISHED));
}

static void same_key_same_app_also_after_a_restart(void **state)
{
    struct world *w = *state;
    char again[80];

    people_submit(&w->h, job_of(COMMAND, 512, 0), "k1", w->app, NULL);
    people_submit(&w->h, job_of(COMMAND, 512, 0), "k1", again, NULL);
    assert_string_equal(w->app, again);
    harness_restart(&w->h);
    people_submit(&w->h, job_of(COMMAND, 512, 0), "k1", again, NULL);
    assert_string_equal(w->app, again);
    people_submit(&w->h, job_of(COMMAND, 512, 0), "k2", again, NULL);
    assert_string_equal(again, "application_1700000000000_0002");
}

/* --- tasks ----------------------------------------------------------------- */

/* The AM requests TASKS containers and starts each container at its agent. */
static void start_tasks(struct world *w, struct fake_am *am, int tasks)
{
    const Creel__AllocateReply *reply = am_allocate(&w->h, am, tasks, 256, NULL);

    for (int round = 0; round < 20 && reply; round++) {
        for (size_t i = 0; i < reply->n_allocated; i++) {
            const Creel__Container *container = reply->allocated[i];
            struct fake_agent *at = strcmp(container->node_id, w->a.node_id) == 0 ? &w->a : &w->b;

            assert_string_equal(container->agent_key, AGENT_KEY);
            agent_start(at, container->container_id, &container->token);
        }
        if (reply->n_allocated == 0 && round > 0)
            break;
        reply = am_allocate(&w->h, am, -1, 0, NULL);
    }
}

static void exit_tasks(struct fake_agent *a, int exit_status)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->containers[i].state == CREEL__CONTAINER_STATE__CONTAINER_RUNNING &&
            strstr(a->containers[i].id, "_000001") == NULL)
            agent_exit(a, a->containers[i].id, exit_status);
}

static void tasks_run_and_the_app_ends_with_the_status_of_its_am(void **state)
{
    struct world *w = *state;
    const Creel__AllocateReply *reply;
    struct fake_am am;

    agent_register(&w->h, &w->b);
    submit(w, TASKS, 256, 6);
    assert_int_equal(agent_running(&w->a), 1);
    am_init(&am, w->app, 1);
    assert_int_equal(am_register(&w->h, &am)->register_am_reply->job->task_count, 6);
    expect_state(w, STATE(RUNNING), UNDEFINED, -1000);
    start_tasks(w, &am, 6);
    assert_int_equal(agent_running(&w->a) + agent_running(&w->b), 7);
    assert_true(agent_running(&w->b) >= 2); /* spread over the nodes */
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->b);
    assert_int_equal(people_show(&w->h, w->app)->running_containers, 7);
    exit_tasks(&w->a, 0);
    exit_tasks(&w->b, 4);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->b);
    reply = am_allocate(&w->h, &am, -1, 0, NULL);
    assert_int_equal(reply->n_completed, 6);
    memcpy(am.tasks, (uint32_t[]){ 6, 0, 4, 2 }, sizeof(am.tasks));
    assert_true(am_finish(&w->h, &am, FAILED, 4)->finish_am_reply->done);
    expect_state(w, STATE(FAILED), FAILED, 4);
    expect_tasks(w, 6, 0, 4, 2);
    agent_exit(&w->a, w->a.containers[0].id, 4);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->b);
    assert_int_equal(people_show(&w->h, w->app)->running_containers, 0);
    assert_true(am_finish(&w->h, &am, FAILED, 4)->finish_am_reply->done); /* repeated request */
    harness_restart(&w->h);
    expect_state(w, STATE(FAILED), FAILED, 4);
    expect_tasks(w, 6, 0, 4, 2);
}

static void master_that_dies_is_started_again(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w, TASKS, 256, 3);
    for (unsigned attempt = 1; attempt <= 2; attempt++) {
        char master[80];

        snprintf(master, sizeof(master), "container_1700000000000_0001_%02u_000001", attempt);
        agent_heartbeat(&w->h, &w->a);
        assert_non_null(agent_find(&w->a, master));
        am_init(&am, w->app, attempt);
        assert_int_equal(am_register(&w->h, &am)->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
        start_tasks(w, &am, 3);
        agent_heartbeat(&w->h, &w->a);
        assert_int_equal(agent_running(&w->a), 4);
        agent_exit(&w->a, master, 1);
        agent_heartbeat(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
    }
    assert_int_equal(agent_running(&w->a), 0); /* the tasks end together with their attempt */
    expect_state(w, STATE(FAILED), FAILED, 1);
    assert_int_equal(am_allocate(&w->h, &am, 1, 256, NULL)->action, CREEL__AM_ACTION__AM_SHUTDOWN);
}

static void master_that_is_silent_expires(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w, MASTER, 512, 0);
    agent_heartbeat(&w->h, &w->a);
    am_init(&am, w->app, 1);
    am_register(&w->h, &am);
    for (int i = 0; i < 25; i++) {
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->a);
    }
    assert_int_equal(people_show(&w->h, w->app)->attempt, 2);
    assert_int_equal(agent_running(&w->a), 1); /* only the second attempt's container */
}

static void replies_are_repeated_unchanged(void **state)
{
    struct world *w = *state;
    const Creel__AllocateReply *reply;
    char first[80];
    struct fake_am am;
    uint64_t last;

    submit(w, MASTER, 512, 0);
    agent_heartbeat(&w->h, &w->a);
    am_init(&am, w->app, 1);
    am_register(&w->h, &am);
    last = am.response_id;
    reply = am_allocate(&w->h, &am, 1, 256, NULL);
    assert_int_equal(reply->n_allocated, 1);
    snprintf(first, sizeof(first), "%s", reply->allocated[0]->container_id);
    am.response_id = last; /* the reply was lost: the repeated request allocates nothing more */
    reply = am_allocate(&w->h, &am, 1, 256, NULL);
    assert_int_equal(reply->n_allocated, 1);
    assert_string_equal(reply->allocated[0]->container_id, first);
    assert_int_equal(people_show(&w->h, w->app)->pending_containers, 0);
    am.response_id = last + 77;
    assert_null(am_allocate(&w->h, &am, 1, 256, NULL));
}

static void grants_are_handed_out_only_when_stored(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w, MASTER, 512, 0);
    agent_heartbeat(&w->h, &w->a);
    am_init(&am, w->app, 1);
    am_register(&w->h, &am);
    w->h.hold_store = true;
    assert_null(am_allocate(&w->h, &am, 1, 256, NULL));
    harness_commit(&w->h);
    assert_non_null(harness_find_reply(&w->h, am.connection, w->h.next_request));
}

static void unstarted_containers_expire_and_released_ones_end(void **state)
{
    struct world *w = *state;
    const Creel__AllocateReply *reply;
    char ids[2][80];
    struct fake_am am;

    submit(w, MASTER, 512, 0);
    agent_heartbeat(&w->h, &w->a);
    am_init(&am, w->app, 1);
    am_register(&w->h, &am);
    reply = am_allocate(&w->h, &am, 2, 256, NULL);
    assert_int_equal(reply->n_allocated, 2);
    snprintf(ids[0], 80, "%s", reply->allocated[0]->container_id);
    snprintf(ids[1], 80, "%s", reply->allocated[1]->container_id);
    am_allocate(&w->h, &am, -1, 0, ids[0]);
    for (int i = 0; i < 2; i++)
        agent_heartbeat(&w->h, &w->a);
    reply = am_allocate(&w->h, &am, -1, 0, NULL);
    assert_int_equal(reply->n_completed, 1);
    assert_int_equal(reply->completed[0]->exit_status, -105);
    for (int i = 0; i < 34; i++) {
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->a);
        if (i % 10 == 0)
            am_allocate(&w->h, &am, -1, 0, NULL);
    }
    reply = am_allocate(&w->h, &am, -1, 0, NULL);
    assert_int_equal(reply->n_completed, 1);
    assert_string_equal(reply->completed[0]->container_id, ids[1]);
    assert_int_equal(reply->completed[0]->exit_status, -100);
    /* Any release is answered, also for a container that never existed. */
    reply = am_allocate(&w->h, &am, -1, 0, "container_1700000000000_0001_01_000099");
    assert_int_equal(reply->n_completed, 1);
    reply = am_allocate(&w->h, &am, -1, 0, ids[0]); /* it is forgotten, since its end was confirmed */
    assert_int_equal(reply->n_completed, 1);
    assert_int_equal(reply->completed[0]->exit_status, -100);
}

static void end_of_a_step_does_not_end_its_job(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w, COMMAND, 512, 0);
    am_init(&am, w->app, 1);
    for (int step = 0; step < 2; step++) { /* the AM may register before its node reports the AM's
                                              container */
        const Creel__RegisterAmReply *reply = am_register(&w->h, &am)->register_am_reply;

        assert_int_equal(reply->n_completed + reply->n_running, 0);
        start_tasks(w, &am, 3);
        agent_heartbeat(&w->h, &w->a);
        assert_int_equal(agent_running(&w->a), 4);
        assert_true(am_finish(&w->h, &am, SUCCEEDED, 0)->finish_am_reply->done);
        agent_heartbeat(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
        assert_int_equal(agent_running(&w->a), 1);
        expect_state(w, STATE(RUNNING), UNDEFINED, -1000);
    }
    agent_exit(&w->a, w->a.containers[0].id, 0);
    agent_heartbeat(&w->h, &w->a);
    expect_state(w, STATE(FINISHED), SUCCEEDED, 0);
}

/* --- kill ------------------------------------------------------------------ */

static void kill_ends_a_job_in_whatever_state(void **state)
{
    (void)state;
    for (int when = 0; when < 6; when++) {
        struct fake_am am;
        struct world w;

        world_begin(&w, NULL);
        if (when == 0)
            w.h.hold_store = true;
        people_submit(&w.h, job_of(when == 1 ? COMMAND : TASKS, when == 2 ? 8192 : 256, when == 1 ? 0 : 3),
                      "", w.app, NULL);
        am_init(&am, "_1700000000000_0001", 1);
        if (when >= 3)
            agent_listen(&w.h, &w.a);
        if (when >= 4) {
            agent_heartbeat(&w.h, &w.a);
            am_register(&w.h, &am);
        }
        if (when >= 5) {
            start_tasks(&w, &am, 3);
            agent_heartbeat(&w.h, &w.a);
        }
        snprintf(w.app, sizeof(w.app), "application_1700000000000_0001");
        people_kill(&w.h, "1");
        people_kill(&w.h, "_0001"); /* a second kill has no effect */
        w.h.hold_store = false;
        while (w.h.waiting_count > 0)
            harness_commit(&w.h);
        expect_state(&w, STATE(KILLED), KILLED, -106);
        assert_int_equal(people_kill(&w.h, w.app)->error->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
        for (int i = 0; i < 3; i++)
            agent_heartbeat(&w.h, &w.a);
        assert_int_equal(agent_running(&w.a), 0);
        assert_int_equal(agent_unacked(&w.a), 0);
        assert_int_equal(people_show(&w.h, w.app)->running_containers, 0);
        world_end(&w);
    }
}

static void nodes_get_orders_to_clean_up(void **state)
{
    struct world *w = *state;

    submit(w, COMMAND, 512, 0);
    agent_exit(&w->a, w->a.containers[0].id, 0);
    agent_heartbeat(&w->h, &w->a);
    agent_listen(&w->h, &w->a);
    assert_int_equal(w->a.finished_count, 1);
    assert_string_equal(w->a.finished[0], w->app);
    agent_heartbeat(&w->h, &w->a); /* reports the end, so the order is not repeated */
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(w->a.finished_count, 0);
}

#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(command_runs_to_its_end),
        WORLD_TEST(command_that_fails_is_not_tried_again),
        WORLD_TEST(command_is_tried_again_when_its_node_is_lost),
        WORLD_TEST(command_lost_by_its_agent_is_tried_until_the_limit),
        WORLD_TEST(no_answer_before_the_row_is_on_disk),
        WORLD_TEST(same_key_same_app_also_after_a_restart),
        WORLD_TEST(tasks_run_and_the_app_ends_with_the_status_of_its_am),
        WORLD_TEST(master_that_dies_is_started_again),
        WORLD_TEST(master_that_is_silent_expires),
        WORLD_TEST(replies_are_repeated_unchanged),
        WORLD_TEST(grants_are_handed_out_only_when_stored),
        WORLD_TEST(unstarted_containers_expire_and_released_ones_end),
        WORLD_TEST(end_of_a_step_does_not_end_its_job),
        cmocka_unit_test(kill_ends_a_job_in_whatever_state),
        WORLD_TEST(nodes_get_orders_to_clean_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
