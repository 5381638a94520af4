/* SPDX-License-Identifier: Apache-2.0 */
/* master_retry.c - test: a job starts again after the ends of its retry_on, and when a user requeues it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/exit_status.h"
#include "tests/unit/master_world.h"

#define STATE(name) CREEL__APP_STATE__APP_##name
#define ERROR_OF(name) CREEL__ERROR_CODE__ERROR_##name

static Creel__JobSpec *job(const char *retry_on, uint32_t retries)
{
    Creel__JobSpec *spec = job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0);

    spec->retry_on = (char *)(uintptr_t)retry_on;
    spec->retries = retries;
    return spec;
}

static const Creel__AppReport *show(struct world *w)
{
    return people_show(&w->h, w->app);
}

static void submit(struct world *w, const Creel__JobSpec *spec)
{
    const Creel__Error *error;

    people_submit(&w->h, spec, "", w->app, &error);
    assert_null(error);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(show(w)->state, STATE(RUNNING));
}

/* Ends the container that runs; a further attempt starts if the master allocates one. */
static void end_with(struct world *w, int exit_status)
{
    agent_exit(&w->a, w->a.containers[w->a.count - 1].id, exit_status);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
}

static void expect_runs_again(struct world *w, uint32_t attempt, uint32_t used, const char *reason)
{
    assert_int_equal(show(w)->state, STATE(RUNNING));
    assert_int_equal(show(w)->final_status, CREEL__FINAL_STATUS__FINAL_UNDEFINED);
    assert_int_equal(show(w)->attempt, attempt);
    assert_int_equal(show(w)->retries_used, used);
    assert_non_null(strstr(show(w)->restart_reason, reason));
    assert_int_equal(agent_running(&w->a), 1);
}

static void expect_failed(struct world *w, int32_t exit_status, uint32_t attempt)
{
    assert_int_equal(show(w)->state, STATE(FAILED));
    assert_int_equal(show(w)->exit_status, exit_status);
    assert_int_equal(show(w)->attempt, attempt);
    assert_int_equal(agent_running(&w->a), 0);
}

static const Creel__Envelope *requeue(struct world *w, const char *user, const char *reason)
{
    Creel__RequeueApp body = CREEL__REQUEUE_APP__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_REQUEUE_APP);

    body.app_id = w->app;
    body.reason = (char *)(uintptr_t)reason;
    envelope->requeue_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, user, envelope);
}

static void expect_refused(struct world *w, Creel__ErrorCode code, const char *words)
{
    const Creel__Envelope *reply = requeue(w, "ann", "");

    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    assert_non_null(strstr(reply->error->message, words));
}

/* --- retries ----------------------------------------------------------------- */

static void named_exit_status_starts_it_again_until_retries_are_used(void **state)
{
    struct world *w = *state;

    submit(w, job("exit:75", 2));
    end_with(w, 75);
    expect_runs_again(w, 2, 1, "ended with exit status 75");
    end_with(w, 75);
    expect_runs_again(w, 3, 2, "attempt 2");
    end_with(w, 75);
    expect_failed(w, 75, 3);
}

static void other_exit_status_is_the_result(void **state)
{
    struct world *w = *state;

    submit(w, job("oom,exit:75", 2));
    end_with(w, 3);
    expect_failed(w, 3, 1);
}

static void success_after_a_retry_is_success(void **state)
{
    struct world *w = *state;

    submit(w, job("oom", 1));
    end_with(w, CONTAINER_EXIT_PHYSICAL);
    expect_runs_again(w, 2, 1, "-104");
    end_with(w, 0);
    assert_int_equal(show(w)->state, STATE(FINISHED));
    assert_int_equal(show(w)->exit_status, 0);
    assert_string_equal(show(w)->diagnostics, "");
}

static void named_preemption_has_the_limit_of_retries(void **state)
{
    struct world *w = *state;

    submit(w, job("preempt", 1));
    end_with(w, CONTAINER_EXIT_PREEMPTED);
    expect_runs_again(w, 2, 1, "-102");
    end_with(w, CONTAINER_EXIT_PREEMPTED);
    expect_failed(w, CONTAINER_EXIT_PREEMPTED, 2);
}

static void preemption_that_is_not_named_has_no_limit(void **state)
{
    struct world *w = *state;

    submit(w, job("exit:75", 1));
    for (uint32_t i = 2; i < 8; i++) {
        end_with(w, CONTAINER_EXIT_PREEMPTED);
        expect_runs_again(w, i, 0, "-102");
    }
    end_with(w, 75);
    expect_runs_again(w, 8, 1, "75");
}

static void used_retries_survive_a_restart(void **state)
{
    struct world *w = *state;

    submit(w, job("exit:75", 2));
    end_with(w, 75);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    expect_runs_again(w, 2, 1, "75");
    end_with(w, 75);
    expect_runs_again(w, 3, 2, "75");
    end_with(w, 75);
    expect_failed(w, 75, 3);
    harness_restart(&w->h);
    expect_failed(w, 75, 3);
}

static void killed_job_does_not_start_again(void **state)
{
    struct world *w = *state;
    Creel__KillApp kill = CREEL__KILL_APP__INIT;
    Creel__Envelope *envelope;

    submit(w, job("exit:143", 5));
    kill.app_id = w->app;
    envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_KILL_APP);
    envelope->kill_app = &kill;
    harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
    end_with(w, 143);
    assert_int_equal(show(w)->state, STATE(KILLED));
    assert_int_equal(show(w)->attempt, 1);
}

static void incomplete_rules_are_refused(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec;
    const Creel__Error *error;
    char app[80];

    people_submit(&w->h, job("exit:75", 0), "", app, &error);
    assert_non_null(strstr(error->message, "--retry-on needs --retries"));
    people_submit(&w->h, job("", 3), "", app, &error);
    assert_non_null(strstr(error->message, "--retries needs --retry-on"));
    people_submit(&w->h, job("sometimes", 3), "", app, &error);
    assert_int_equal(error->code, ERROR_OF(BAD_REQUEST));
    assert_non_null(strstr(error->message, "retry-on sometimes: expected node"));
    spec = job_of(CREEL__APP_KIND__APP_TASKS, 512, 2);
    spec->retry_on = (char *)(uintptr_t) "node";
    spec->retries = 1;
    people_submit(&w->h, spec, "", app, &error);
    assert_non_null(strstr(error->message, "jobs of one command"));
}

/* --- requeue ----------------------------------------------------------------- */

static void requeued_job_starts_again_when_its_container_has_ended(void **state)
{
    struct world *w = *state;

    submit(w, job("", 0));
    assert_int_equal(requeue(w, "ann", "slow node")->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    agent_listen(&w->h, &w->b);
    harness_tick(&w->h, 1000);
    assert_int_equal(w->a.count, 1); /* no further container while the first one ends */
    assert_int_equal(show(w)->state, STATE(ACCEPTED));
    end_with(w, CONTAINER_EXIT_APP_OVER);
    expect_runs_again(w, 2, 0, "requeued by ann: slow node");
    for (uint32_t i = 3; i < 8; i++) { /* more often than attempts may fail */
        requeue(w, "ann", "");
        end_with(w, CONTAINER_EXIT_APP_OVER);
        expect_runs_again(w, i, 0, "requeued by ann");
    }
    end_with(w, 0);
    assert_int_equal(show(w)->state, STATE(FINISHED));
}

static void requeue_survives_a_restart(void **state)
{
    struct world *w = *state;

    submit(w, job("", 0));
    requeue(w, "ann", "");
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a); /* it gets the order to stop the container */
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    expect_runs_again(w, 2, 0, "requeued by ann");
}

static void only_a_job_that_has_begun_is_requeued(void **state)
{
    struct world *w = *state;
    const Creel__Error *error;

    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 4096, 0), "", w->app, &error);
    agent_listen(&w->h, &w->a);
    people_submit(&w->h, job("", 0), "", w->app, &error); /* the only node is full */
    expect_refused(w, ERROR_OF(BAD_STATE), "has not begun");
    agent_heartbeat(&w->h, &w->a);
    end_with(w, 0);
    end_with(w, 0);
    expect_refused(w, ERROR_OF(BAD_STATE), "is over already: FINISHED");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(named_exit_status_starts_it_again_until_retries_are_used),
        CASE(other_exit_status_is_the_result),
        CASE(success_after_a_retry_is_success),
        CASE(named_preemption_has_the_limit_of_retries),
        CASE(preemption_that_is_not_named_has_no_limit),
        CASE(used_retries_survive_a_restart),
        CASE(killed_job_does_not_start_again),
        CASE(incomplete_rules_are_refused),
        CASE(requeued_job_starts_again_when_its_container_has_ended),
        CASE(requeue_survives_a_restart),
        CASE(only_a_job_that_has_begun_is_requeued),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
