/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_task_ends.c - test: the commands of all tasks of a job have ended, and their agents stop the
 * processes that they left: no time limit, kill or requeue changes the outcome
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/exit_status.h"
#include "tests/unit/master/master_world.h"

#define STATE(name) CREEL__APP_STATE__APP_##name
#define LIMIT_S 60

static const Creel__AppReport *show(struct world *w)
{
    return people_show(&w->h, w->app);
}

/* Lets MS pass; the agent reports now and then, so that its node is not lost. */
static void pass(struct world *w, int64_t ms)
{
    for (; ms > 0; ms -= 5000) {
        harness_tick(&w->h, ms < 5000 ? ms : 5000);
        agent_listen(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
    }
}

static Creel__JobSpec *tasks(void)
{
    Creel__JobSpec *spec = job_of(CREEL__APP_KIND__APP_TASKS, 512, 2);

    spec->time_limit_s = LIMIT_S;
    return spec;
}

/* SPEC is a job of two tasks, which run. Its master reports that it has COUNT tasks (0: it reports none). */
static void begin_job(struct world *w, const Creel__JobSpec *spec, uint32_t count, struct fake_am *am)
{
    const Creel__AllocateReply *reply;
    const Creel__Error *error;

    people_submit(&w->h, spec, "", w->app, &error);
    assert_null(error);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    am_init(am, w->app, 1);
    am_register(&w->h, am);
    am->tasks[0] = am->tasks[1] = count;
    reply = am_allocate(&w->h, am, 2, 512, NULL);
    for (size_t i = 0; i < reply->n_allocated; i++)
        agent_start(&w->a, reply->allocated[i]->container_id, &reply->allocated[i]->token);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(w->a.count, 3);
}

static void begin_tasks(struct world *w, struct fake_am *am)
{
    begin_job(w, tasks(), 2, am);
}

/* The command of container INDEX has ended; the processes that it left have not. */
static void end_command(struct world *w, size_t index, int status)
{
    w->a.containers[index].state = CREEL__CONTAINER_STATE__CONTAINER_STOPPING;
    w->a.containers[index].exit_status = status;
    agent_heartbeat(&w->h, &w->a);
}

/* The processes that the commands left have ended, and the master reports the result. */
static void end_job(struct world *w, struct fake_am *am, Creel__FinalStatus status)
{
    for (int i = 1; i <= 2; i++)
        agent_exit(&w->a, w->a.containers[i].id, w->a.containers[i].exit_status);
    agent_heartbeat(&w->h, &w->a);
    am_finish(&w->h, am, status, status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED ? 0 : 3);
    assert_int_equal(show(w)->final_status, status);
}

/* --- time limit --- */

static void pass_limit(struct world *w, struct fake_am *am)
{
    for (int i = 0; i < LIMIT_S + 5; i += 5) {
        pass(w, 5000);
        am_allocate(&w->h, am, -1, 0, NULL);
    }
}

static void a_limit_does_not_kill_tasks_whose_commands_have_ended(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    begin_tasks(w, &am);
    end_command(w, 1, 0);
    end_command(w, 2, 0);
    pass_limit(w, &am);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    assert_true(w->a.containers[0].limit_ms > w->h.now); /* the agent does not stop the AM */
    end_job(w, &am, CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
}

static void a_limit_kills_tasks_if_one_command_runs(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    begin_tasks(w, &am);
    end_command(w, 1, 0);
    pass_limit(w, &am);
    assert_int_equal(show(w)->state, STATE(KILLED));
    assert_non_null(strstr(show(w)->diagnostics, "its time limit of 60 s is reached"));
}

/* --- kill and requeue --- */

static const Creel__Envelope *requeue(struct world *w)
{
    Creel__RequeueApp body = CREEL__REQUEUE_APP__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_REQUEUE_APP);

    body.app_id = w->app;
    envelope->requeue_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static const Creel__Envelope *kill_at_once(struct world *w)
{
    Creel__KillApp body = CREEL__KILL_APP__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_KILL_APP);

    body.app_id = w->app;
    body.at_once = true;
    envelope->kill_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static void expect_refused(const Creel__Envelope *reply)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_non_null(strstr(reply->error->message, "tasks"));
    assert_non_null(strstr(reply->error->message, "have ended"));
}

static void a_kill_and_a_requeue_do_not_change_an_outcome(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    begin_tasks(w, &am);
    end_command(w, 1, 0);
    end_command(w, 2, 3);
    expect_refused(people_kill(&w->h, w->app));
    expect_refused(requeue(w));
    assert_int_equal(show(w)->state, STATE(RUNNING));
    end_job(w, &am, CREEL__FINAL_STATUS__FINAL_FAILED);
    assert_int_equal(show(w)->attempt, 1);
}

/* The master has reported the end of one task. */
static void tasks_that_are_over_count(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    begin_tasks(w, &am);
    agent_exit(&w->a, w->a.containers[1].id, 0);
    end_command(w, 2, 0);
    am.tasks[2] = 1;
    am_allocate(&w->h, &am, -1, 0, NULL);
    expect_refused(people_kill(&w->h, w->app));
}

static void a_kill_at_once_ends_what_is_left(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    begin_tasks(w, &am);
    end_command(w, 1, 0);
    end_command(w, 2, 0);
    assert_int_equal(kill_at_once(w)->body_case, CREEL__ENVELOPE__BODY_OK);
    agent_listen(&w->h, &w->a);
    assert_int_equal(w->a.containers[0].state, CREEL__CONTAINER_STATE__CONTAINER_RUNNING);
    for (int i = 1; i <= 2; i++)
        assert_int_equal(w->a.containers[i].state, CREEL__CONTAINER_STATE__CONTAINER_COMPLETE);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    end_job(w, &am, CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
}

static void expect_killed(struct world *w)
{
    assert_int_not_equal(people_kill(&w->h, w->app)->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(show(w)->state, STATE(KILLED));
}

static void a_job_with_a_task_that_runs_is_killed(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    begin_tasks(w, &am);
    end_command(w, 1, 0);
    expect_killed(w);
}

/* The third task waits for its next try: it has neither a container nor a request. */
static void a_job_with_a_task_that_waits_for_its_next_try_is_killed(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    begin_tasks(w, &am);
    am.tasks[0] = 3;
    am_allocate(&w->h, &am, -1, 0, NULL);
    end_command(w, 1, 0);
    end_command(w, 2, 0);
    expect_killed(w);
}

static void a_job_whose_tasks_are_not_counted_is_killed(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    begin_job(w, tasks(), 0, &am);
    end_command(w, 1, 0);
    end_command(w, 2, 0);
    expect_killed(w);
}

static void a_job_with_a_task_that_is_tried_again_is_killed(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = tasks();
    struct fake_am am;

    spec->max_attempts = 2;
    begin_job(w, spec, 2, &am);
    end_command(w, 1, 0);
    end_command(w, 2, 3);
    expect_killed(w);
}

static void a_job_with_a_task_that_was_preempted_is_killed(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    begin_tasks(w, &am);
    end_command(w, 1, 0);
    end_command(w, 2, CONTAINER_EXIT_PREEMPTED);
    expect_killed(w);
}

/* The job never runs a task twice: the end is final, as for its master. */
static void a_kill_does_not_change_the_end_of_a_task_that_never_runs_again(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = tasks();
    struct fake_am am;

    spec->no_requeue = true;
    begin_job(w, spec, 2, &am);
    end_command(w, 1, 0);
    end_command(w, 2, CONTAINER_EXIT_PREEMPTED);
    expect_refused(people_kill(&w->h, w->app));
    end_job(w, &am, CREEL__FINAL_STATUS__FINAL_FAILED);
}

/* The master has released a container whose start was not confirmed, and runs its task again. */
static void a_job_with_a_task_whose_container_was_released_is_killed(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    begin_tasks(w, &am);
    w->a.ignores_stops = true;
    end_command(w, 1, 0);
    am_allocate(&w->h, &am, -1, 0, w->a.containers[2].id);
    end_command(w, 2, CONTAINER_EXIT_BY_AM);
    expect_killed(w);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest all[] = {
        TEST(a_limit_does_not_kill_tasks_whose_commands_have_ended),
        TEST(a_limit_kills_tasks_if_one_command_runs),
        TEST(a_kill_and_a_requeue_do_not_change_an_outcome),
        TEST(tasks_that_are_over_count),
        TEST(a_kill_at_once_ends_what_is_left),
        TEST(a_job_with_a_task_that_runs_is_killed),
        TEST(a_job_with_a_task_that_waits_for_its_next_try_is_killed),
        TEST(a_job_whose_tasks_are_not_counted_is_killed),
        TEST(a_job_with_a_task_that_is_tried_again_is_killed),
        TEST(a_job_with_a_task_that_was_preempted_is_killed),
        TEST(a_kill_does_not_change_the_end_of_a_task_that_never_runs_again),
        TEST(a_job_with_a_task_whose_container_was_released_is_killed),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
