/* SPDX-License-Identifier: Apache-2.0 */
/* master_requeue_hold.c - test: a job is held when it is requeued; a job gets another name */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_world.h"

#define STATE(name) CREEL__APP_STATE__APP_##name
#define COMMAND CREEL__APP_KIND__APP_COMMAND

static const Creel__AppReport *show(struct world *w)
{
    return people_show(&w->h, w->app);
}

static void begin(struct world *w)
{
    people_submit(&w->h, job_of(COMMAND, 512, 0), "", w->app, NULL);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(show(w)->state, STATE(RUNNING));
}

static void heartbeats(struct world *w)
{
    for (int i = 0; i < 4; i++) {
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->a);
        agent_listen(&w->h, &w->a);
    }
}

static const Creel__Envelope *requeue(struct world *w)
{
    Creel__RequeueApp body = CREEL__REQUEUE_APP__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_REQUEUE_APP);

    body.app_id = w->app;
    body.hold = true;
    envelope->requeue_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static const Creel__Envelope *release(struct world *w)
{
    Creel__ReleaseApp body = CREEL__RELEASE_APP__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_RELEASE_APP);

    body.app_id = w->app;
    envelope->release_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static const Creel__Envelope *rename_app(struct world *w, const char *app, const char *name)
{
    Creel__SetName body = CREEL__SET_NAME__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_NAME);

    body.app_id = (char *)(uintptr_t)app;
    body.name = (char *)(uintptr_t)name;
    envelope->set_name = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static const Creel__Envelope *hold(struct world *w, bool begun)
{
    Creel__HoldApp body = CREEL__HOLD_APP__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_HOLD_APP);

    body.app_id = w->app;
    body.begun = begun;
    envelope->hold_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static const Creel__Envelope *requeue_alone(struct world *w)
{
    Creel__RequeueApp body = CREEL__REQUEUE_APP__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_REQUEUE_APP);

    body.app_id = w->app;
    envelope->requeue_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static void expect_held(struct world *w)
{
    assert_int_equal(show(w)->state, STATE(SUBMITTED));
    assert_string_equal(show(w)->reason_code, "Held");
    assert_int_equal(show(w)->attempt, 1);
    assert_int_equal(show(w)->attempt_started_ms, 0);
    assert_int_equal(agent_running(&w->a), 0);
}

static void expect_second_attempt(struct world *w)
{
    assert_int_equal(release(w)->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    heartbeats(w);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    assert_int_equal(show(w)->attempt, 2);
    assert_true(show(w)->attempt_started_ms > show(w)->started_ms);
    assert_int_equal(agent_running(&w->a), 1);
}

static void a_job_is_held_when_it_is_requeued(void **state)
{
    struct world *w = *state;
    const Creel__Envelope *reply;

    begin(w);
    reply = requeue(w);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    assert_int_equal(reply->app_list->apps[0]->n_holds, 1);
    heartbeats(w);
    expect_held(w);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    heartbeats(w);
    expect_held(w);
    expect_second_attempt(w);
}

static void a_job_that_runs_is_held_before_its_next_attempt(void **state)
{
    struct world *w = *state;
    const Creel__Envelope *reply;

    begin(w);
    assert_int_equal(hold(w, false)->error->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
    reply = hold(w, true);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    assert_int_equal(reply->app_list->apps[0]->n_holds, 1);
    heartbeats(w);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    heartbeats(w);
    assert_int_equal(show(w)->n_holds, 1);
    requeue_alone(w);
    heartbeats(w);
    expect_held(w);
    expect_second_attempt(w);
    assert_int_equal(hold(w, true)->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    assert_int_equal(release(w)->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    requeue_alone(w);
    heartbeats(w);
    assert_int_equal(show(w)->attempt, 3);
    assert_int_equal(agent_running(&w->a), 1);
}

/* The first attempt still runs when the resource manager starts again. */
static void it_is_held_after_a_restart(void **state)
{
    struct world *w = *state;

    begin(w);
    w->a.ignores_stops = true;
    requeue(w);
    heartbeats(w);
    assert_int_equal(show(w)->state, STATE(ACCEPTED));
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    heartbeats(w);
    agent_exit(&w->a, w->a.containers[0].id, 143);
    heartbeats(w);
    expect_held(w);
    expect_second_attempt(w);
}

static void a_release_before_the_end_of_the_attempt_counts(void **state)
{
    struct world *w = *state;

    begin(w);
    w->a.ignores_stops = true;
    requeue(w);
    heartbeats(w);
    assert_int_equal(release(w)->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    agent_exit(&w->a, w->a.containers[0].id, 143);
    heartbeats(w);
    assert_int_equal(show(w)->attempt, 2);
    assert_int_equal(agent_running(&w->a), 1);
    assert_int_equal(release(w)->error->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
}

static void a_held_job_can_be_killed_before_its_attempt_has_ended(void **state)
{
    struct world *w = *state;

    begin(w);
    w->a.ignores_stops = true;
    requeue(w);
    heartbeats(w);
    people_kill(&w->h, w->app);
    agent_exit(&w->a, w->a.containers[0].id, 143);
    heartbeats(w);
    assert_int_equal(show(w)->state, STATE(KILLED));
}

static void a_job_that_has_not_begun_is_not_requeued(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);

    job->hold = true;
    people_submit(&w->h, job, "", w->app, NULL);
    job->hold = false;
    assert_int_equal(requeue(w)->error->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
    assert_int_equal(show(w)->n_holds, 1);
}

static void a_job_gets_another_name(void **state)
{
    struct world *w = *state;

    begin(w);
    assert_string_equal(rename_app(w, w->app, "second")->app_list->apps[0]->name, "second");
    harness_restart(&w->h);
    assert_string_equal(show(w)->name, "second");
    agent_register(&w->h, &w->a);
    agent_exit(&w->a, w->a.containers[0].id, 0);
    heartbeats(w);
    assert_int_equal(rename_app(w, w->app, "third")->error->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
}

/* A singleton waits for the jobs of its present name. */
static void a_singleton_gets_another_name(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    char first[80];

    job->name = (char[]){ "night" };
    people_submit(&w->h, job, "", first, NULL);
    job->depends_on = (char[]){ "singleton" };
    people_submit(&w->h, job, "", w->app, NULL);
    heartbeats(w);
    assert_string_equal(show(w)->reason_code, "Dependency");
    rename_app(w, w->app, "day");
    heartbeats(w);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    people_submit(&w->h, job, "", w->app, NULL);
    heartbeats(w);
    assert_string_equal(show(w)->reason_code, "Dependency");
    rename_app(w, first, "other");
    heartbeats(w);
    assert_int_equal(show(w)->state, STATE(RUNNING));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_job_is_held_when_it_is_requeued),
        CASE(a_job_that_runs_is_held_before_its_next_attempt),
        CASE(it_is_held_after_a_restart),
        CASE(a_release_before_the_end_of_the_attempt_counts),
        CASE(a_held_job_can_be_killed_before_its_attempt_has_ended),
        CASE(a_job_that_has_not_begun_is_not_requeued),
        CASE(a_job_gets_another_name),
        CASE(a_singleton_gets_another_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
