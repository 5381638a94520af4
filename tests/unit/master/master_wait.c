/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_wait.c - jobs that wait outside of the queues: holds, times to begin, deadlines
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define STATE(name) CREEL__APP_STATE__APP_##name
#define ERROR_OF(name) CREEL__ERROR_CODE__ERROR_##name

static void configure(struct master_config *config)
{
    config->admin_users = "root,boss";
}

static int set_up(void **state)
{
    return world_set_up_with(state, configure);
}

static Creel__JobSpec *job(void)
{
    return job_of(COMMAND, 512, 0);
}

static void submit(struct world *w, const Creel__JobSpec *spec)
{
    const Creel__Error *error;

    people_submit(&w->h, spec, "", w->app, &error);
    assert_null(error);
}

static const Creel__Envelope *change(struct world *w, const char *user, bool hold, const char *reason)
{
    Creel__HoldApp hold_app = CREEL__HOLD_APP__INIT;
    Creel__ReleaseApp release_app = CREEL__RELEASE_APP__INIT;
    Creel__Envelope *envelope =
        harness_envelope(&w->h, hold ? CREEL__ENVELOPE__BODY_HOLD_APP : CREEL__ENVELOPE__BODY_RELEASE_APP);
    const Creel__Envelope *reply;

    hold_app.app_id = release_app.app_id = w->app;
    hold_app.reason = (char *)(uintptr_t)reason;
    if (hold)
        envelope->hold_app = &hold_app;
    else
        envelope->release_app = &release_app;
    reply = harness_ask(&w->h, MASTER_CLIENT, 900, user, envelope);
    assert_non_null(reply);
    return reply;
}

static const Creel__AppReport *changed(const Creel__Envelope *reply)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    return reply->app_list->apps[0];
}

static void expect_error(const Creel__Envelope *reply, Creel__ErrorCode code, const char *words)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    assert_non_null(strstr(reply->error->message, words));
}

static void expect_waits(struct world *w, const char *code, const char *words)
{
    const Creel__AppReport *report = people_show(&w->h, w->app);

    assert_int_equal(report->state, STATE(SUBMITTED));
    assert_int_equal(report->eligible_ms, 0);
    assert_string_equal(report->reason_code, code);
    assert_non_null(strstr(report->reason, words));
    agent_listen(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 0);
}

static void expect_runs(struct world *w)
{
    harness_tick(&w->h, 1);
    agent_listen(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 1);
    assert_string_equal(people_show(&w->h, w->app)->reason_code, "");
}

static void held_job_is_in_no_queue_until_released(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->hold = true;
    submit(w, spec);
    harness_tick(&w->h, 60000);
    agent_heartbeat(&w->h, &w->a);
    expect_waits(w, "Held", "held by ann");
    assert_int_equal(people_show(&w->h, w->app)->n_holds, 1);
    assert_int_equal(changed(change(w, "ann", false, NULL))->n_holds, 0);
    expect_runs(w);
    assert_int_equal(people_show(&w->h, w->app)->eligible_ms, w->h.now - 1);
}

static void hold_outlives_a_restart(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();
    const Creel__AppReport *report;

    spec->hold = true;
    submit(w, spec);
    change(w, "boss", true, "wrong input");
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    expect_waits(w, "Held", "administrator boss: wrong input");
    report = people_show(&w->h, w->app);
    assert_int_equal(report->n_holds, 2);
    assert_false(report->holds[0]->administrator);
    assert_true(report->holds[1]->administrator);
    changed(change(w, "boss", false, NULL)); /* an administrator releases all */
    expect_runs(w);
    harness_restart(&w->h);
    assert_int_not_equal(people_show(&w->h, w->app)->eligible_ms, 0);
}

static void only_an_administrator_releases_an_administrators_hold(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->hold = true;
    submit(w, spec);
    change(w, "boss", true, "disk is full");
    assert_int_equal(changed(change(w, "ann", false, NULL))->n_holds, 1);
    expect_error(change(w, "ann", false, NULL), ERROR_OF(NOT_PERMITTED), "administrator boss: disk is full");
    expect_waits(w, "Held", "boss");
    changed(change(w, "root", false, NULL));
    expect_runs(w);
}

static void held_again_by_the_same_user_changes_the_reason(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->hold = true;
    submit(w, spec);
    assert_string_equal(changed(change(w, "ann", true, "not yet"))->holds[0]->reason, "not yet");
    assert_int_equal(changed(change(w, "ann", true, "later"))->n_holds, 1);
    expect_waits(w, "Held", "later");
}

static void job_in_a_queue_that_has_not_begun_leaves_it(void **state)
{
    struct world *w = *state;
    char first[80];

    people_submit(&w->h, job_of(COMMAND, 4096, 0), "", first, NULL); /* the only node is full */
    submit(w, job_of(COMMAND, 4096, 0));
    agent_listen(&w->h, &w->a);
    assert_int_equal(people_show(&w->h, w->app)->state, STATE(ACCEPTED));
    changed(change(w, "ann", true, ""));
    agent_exit(&w->a, w->a.containers[0].id, 0);
    agent_heartbeat(&w->h, &w->a);
    expect_waits(w, "Held", "ann");
    assert_int_equal(people_show(&w->h, w->app)->attempt, 0);
    changed(change(w, "ann", false, NULL));
    expect_runs(w);
}

/* The row of the attempt that was to begin in the queue does not count after a restart. */
static void job_that_left_its_queue_has_no_attempt_after_a_restart(void **state)
{
    struct world *w = *state;
    char first[80];

    people_submit(&w->h, job_of(COMMAND, 4096, 0), "", first, NULL); /* the only node is full */
    submit(w, job_of(COMMAND, 4096, 0));
    agent_listen(&w->h, &w->a);
    changed(change(w, "ann", true, ""));
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    assert_int_equal(people_show(&w->h, w->app)->attempt, 0);
    agent_exit(&w->a, w->a.containers[0].id, 0);
    agent_heartbeat(&w->h, &w->a);
    changed(change(w, "ann", false, NULL));
    expect_runs(w);
    assert_int_equal(people_show(&w->h, w->app)->attempt, 1);
}

static void job_that_has_begun_is_not_held(void **state)
{
    struct world *w = *state;

    submit(w, job());
    agent_listen(&w->h, &w->a);
    expect_error(change(w, "ann", true, ""), ERROR_OF(BAD_STATE), "has begun");
    expect_error(change(w, "ann", false, ""), ERROR_OF(BAD_STATE), "is not held");
    agent_exit(&w->a, w->a.containers[0].id, 0);
    agent_heartbeat(&w->h, &w->a);
    expect_error(change(w, "ann", true, ""), ERROR_OF(BAD_STATE), "FINISHED");
}

static void held_job_is_killed(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->hold = true;
    submit(w, spec);
    assert_int_equal(people_kill(&w->h, w->app)->body_case, CREEL__ENVELOPE__BODY_OK);
    assert_int_equal(people_show(&w->h, w->app)->state, STATE(KILLED));
    expect_error(change(w, "ann", false, ""), ERROR_OF(BAD_STATE), "is not held");
    harness_restart(&w->h);
    assert_int_equal(people_show(&w->h, w->app)->state, STATE(KILLED));
}

static void job_waits_for_its_time(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->begin_ms = w->h.now + 7200000;
    spec->lifetime_s = 60;
    submit(w, spec);
    expect_waits(w, "BeginTime", "in 2h00m");
    harness_tick(&w->h, 7199000);
    expect_waits(w, "BeginTime", "in 1s");
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    expect_waits(w, "BeginTime", "in 1s");
    harness_tick(&w->h, 1000);
    expect_runs(w);
    /* Its lifetime counts from then. */
    assert_int_equal(people_show(&w->h, w->app)->expires_ms, spec->begin_ms + 60000);
}

static void begin_time_in_the_past_is_no_wait(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->begin_ms = w->h.now - 1000;
    submit(w, spec);
    expect_runs(w);
}

/* Begin time and deadline are times of the wall clock; the clock of the events does not follow at once. */
static void wall_clock_that_is_set_moves_begin_time_and_deadline(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();
    char held[80];

    spec->hold = true;
    spec->deadline_ms = w->h.now + 7200000;
    people_submit(&w->h, spec, "", held, NULL);
    spec->hold = false;
    spec->deadline_ms = 0;
    spec->begin_ms = w->h.now + 7200000;
    submit(w, spec);
    master_set_wall_ahead(w->h.master, -86400000);
    harness_tick(&w->h, 7200000);
    agent_register(&w->h, &w->a);
    expect_waits(w, "BeginTime", "in 1d");
    assert_int_equal(people_show(&w->h, held)->state, STATE(SUBMITTED));
    master_set_wall_ahead(w->h.master, -7200000);
    harness_tick(&w->h, 1);
    expect_waits(w, "BeginTime", "in 1h59m");
    master_set_wall_ahead(w->h.master, 0);
    harness_tick(&w->h, 1);
    expect_runs(w);
    assert_int_equal(people_show(&w->h, held)->state, STATE(KILLED));
    assert_non_null(strstr(people_show(&w->h, held)->diagnostics, "deadline"));
}

static void hold_and_time_both_count(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->begin_ms = w->h.now + 10000;
    spec->hold = true;
    submit(w, spec);
    expect_waits(w, "Held", "ann");
    changed(change(w, "ann", false, NULL));
    harness_tick(&w->h, 1);
    expect_waits(w, "BeginTime", "in 9s");
    harness_tick(&w->h, 10000);
    agent_register(&w->h, &w->a); /* it was silent for too long */
    expect_runs(w);
}

static void deadline_ends_it_in_any_state(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();
    const Creel__AppReport *report;
    const Creel__Error *error;
    char running[80];

    spec->deadline_ms = w->h.now + 5000;
    people_submit(&w->h, spec, "", running, NULL);
    spec->hold = true;
    submit(w, spec);
    agent_listen(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 1);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    harness_tick(&w->h, 5000);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    report = people_show(&w->h, w->app);
    assert_int_equal(report->state, STATE(KILLED));
    assert_non_null(strstr(report->diagnostics, "deadline"));
    assert_int_equal(people_show(&w->h, running)->state, STATE(KILLED));
    people_submit(&w->h, spec, "", w->app, &error);
    assert_int_equal(error->code, ERROR_OF(BAD_REQUEST));
    assert_non_null(strstr(error->message, "its deadline has passed"));
    spec->deadline_ms = w->h.now + 5000;
    spec->begin_ms = w->h.now + 5000;
    people_submit(&w->h, spec, "", w->app, &error);
    assert_int_equal(error->code, ERROR_OF(BAD_REQUEST));
    assert_non_null(strstr(error->message, "not after its time to begin"));
}

static void submission_that_was_not_stored_is_not_there(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->hold = true;
    w->h.hold_store = true;
    people_submit(&w->h, spec, "", w->app, NULL);
    assert_string_equal(w->app, ""); /* no reply before the row is on disk */
    harness_restart(&w->h);
    assert_null(people_show(&w->h, "1"));
}

static const Creel__Envelope *set_priority(struct world *w, int32_t priority)
{
    Creel__SetPriority body = CREEL__SET_PRIORITY__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_PRIORITY);

    body.app_id = w->app;
    body.priority = priority;
    envelope->set_priority = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static const Creel__Envelope *set_lifetime(struct world *w, int64_t expires_ms)
{
    Creel__SetLifetime body = CREEL__SET_LIFETIME__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_LIFETIME);

    body.app_id = w->app;
    body.expires_ms = expires_ms;
    envelope->set_lifetime = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static const Creel__Envelope *move_to(struct world *w, const char *queue)
{
    Creel__MoveApp body = CREEL__MOVE_APP__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_MOVE_APP);

    body.app_id = w->app;
    body.queue = (char *)(uintptr_t)queue;
    envelope->move_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static void waiting_job_is_changed(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->hold = true;
    submit(w, spec);
    assert_int_equal(changed(set_priority(w, 3))->priority, 3);
    assert_int_equal(changed(set_lifetime(w, w->h.now + 60000))->expires_ms, 0);
    expect_error(set_lifetime(w, w->h.now), ERROR_OF(BAD_REQUEST), "in the past");
    expect_error(move_to(w, "root.nowhere"), ERROR_OF(NOT_FOUND), "nowhere");
    expect_waits(w, "Held", "ann");
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    changed(change(w, "ann", false, NULL));
    expect_runs(w);
    assert_int_equal(people_show(&w->h, w->app)->priority, 3);
    assert_string_equal(people_show(&w->h, w->app)->queue, "root.default");
    /* The lifetime counts from the moment at which the job enters its queue. */
    assert_int_equal(people_show(&w->h, w->app)->expires_ms, people_show(&w->h, w->app)->eligible_ms + 60000);
}

static void change_before_a_hold_counts_after_it(void **state)
{
    struct world *w = *state;
    char first[80];

    people_submit(&w->h, job_of(COMMAND, 4096, 0), "", first, NULL); /* the only node is full */
    submit(w, job());
    assert_int_equal(changed(set_priority(w, 3))->priority, 3);
    changed(change(w, "ann", true, NULL));
    changed(change(w, "ann", false, NULL));
    harness_tick(&w->h, 1);
    assert_int_equal(people_show(&w->h, w->app)->state, STATE(ACCEPTED));
    assert_int_equal(people_show(&w->h, w->app)->priority, 3);
}

static void waiting_job_without_lifetime_has_none_in_its_queue(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->hold = true;
    spec->lifetime_s = 60;
    spec->time_limit_s = 30;
    submit(w, spec);
    changed(set_lifetime(w, 0));
    changed(change(w, "ann", false, NULL));
    expect_runs(w);
    assert_int_equal(people_show(&w->h, w->app)->expires_ms, 0);
    agent_heartbeat(&w->h, &w->a);
    harness_tick(&w->h, 61000);
    assert_int_not_equal(people_show(&w->h, w->app)->state, STATE(KILLED));
}

static const Creel__AppExplanation *explain(struct world *w)
{
    Creel__ExplainApp request = CREEL__EXPLAIN_APP__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);

    request.app_id = w->app;
    envelope->explain_app = &request;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope)->app_explanation;
}

static void why_names_the_reason_of_the_wait(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();
    const Creel__AppExplanation *why;

    spec->hold = true;
    spec->begin_ms = w->h.now + 3600000;
    submit(w, spec);
    why = explain(w);
    assert_non_null(why);
    assert_non_null(strstr(why->summary, "is in no queue yet"));
    assert_int_equal(why->n_items, 2);
    assert_string_equal(why->items[0]->reason_code, "Held");
    assert_string_equal(why->items[1]->reason_code, "BeginTime");
    assert_string_equal(why->advice[0], "creel release _0001");
    master_set_wall_ahead(w->h.master, 7200000);
    why = explain(w);
    assert_int_equal(why->n_items, 1); /* the begin time has come */
    assert_string_equal(why->items[0]->reason_code, "Held");
}

static bool advises_logs(const Creel__AppExplanation *why)
{
    for (size_t i = 0; i < why->n_advice; i++)
        if (strstr(why->advice[i], "creel logs") != NULL)
            return true;
    return false;
}

static void a_job_that_never_ran_has_no_logs(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->hold = true;
    submit(w, spec);
    people_kill(&w->h, w->app);
    assert_int_equal(people_show(&w->h, w->app)->state, CREEL__APP_STATE__APP_KILLED);
    assert_false(advises_logs(explain(w)));
    submit(w, job());
    agent_heartbeat(&w->h, &w->a);
    people_kill(&w->h, w->app);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(people_show(&w->h, w->app)->state, CREEL__APP_STATE__APP_KILLED);
    assert_true(advises_logs(explain(w)));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_job_that_never_ran_has_no_logs),
        CASE(held_job_is_in_no_queue_until_released),
        CASE(hold_outlives_a_restart),
        CASE(only_an_administrator_releases_an_administrators_hold),
        CASE(held_again_by_the_same_user_changes_the_reason),
        CASE(job_in_a_queue_that_has_not_begun_leaves_it),
        CASE(job_that_left_its_queue_has_no_attempt_after_a_restart),
        CASE(job_that_has_begun_is_not_held),
        CASE(held_job_is_killed),
        CASE(job_waits_for_its_time),
        CASE(begin_time_in_the_past_is_no_wait),
        CASE(hold_and_time_both_count),
        CASE(wall_clock_that_is_set_moves_begin_time_and_deadline),
        CASE(deadline_ends_it_in_any_state),
        CASE(submission_that_was_not_stored_is_not_there),
        CASE(waiting_job_is_changed),
        CASE(change_before_a_hold_counts_after_it),
        CASE(waiting_job_without_lifetime_has_none_in_its_queue),
        CASE(why_names_the_reason_of_the_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
