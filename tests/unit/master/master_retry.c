/* SPDX-License-Identifier: Apache-2.0 */
/* master_retry.c - test: a job starts again after the ends of its retry_on, and when a user requeues it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/exit_status.h"
#include "rm/master/state/retry.h"
#include "tests/unit/master/master_world.h"

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

static void begin(struct world *w, const Creel__JobSpec *spec)
{
    const Creel__Error *error;

    people_submit(&w->h, spec, "", w->app, &error);
    assert_null(error);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 1);
}

static void submit(struct world *w, const Creel__JobSpec *spec)
{
    begin(w, spec);
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

/* Lets MS pass, with heartbeats; a container that is allocated starts. */
static void pass(struct world *w, int64_t ms)
{
    for (int64_t passed = 0; passed < ms; passed += 1000) {
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->a);
        agent_listen(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
    }
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
        pass(w, RM_RETRY_SOON_MS);
        requeue(w, "ann", "");
        end_with(w, CONTAINER_EXIT_APP_OVER);
        expect_runs_again(w, i, 0, "requeued by ann");
    }
    end_with(w, 0);
    assert_int_equal(show(w)->state, STATE(FINISHED));
}

/* A job that requeues itself at its start: the pause doubles up to five minutes. */
static void requeues_at_once_have_pauses_that_grow(void **state)
{
    struct world *w = *state;

    submit(w, job("", 0));
    for (uint32_t attempt = 2; attempt < 13; attempt++) {
        int64_t pause_ms = attempt < 3 ? 0 : INT64_C(1000) << (attempt - 3);

        pause_ms = pause_ms > 300000 ? 300000 : pause_ms;
        requeue(w, "ann", "");
        end_with(w, CONTAINER_EXIT_APP_OVER);
        for (int64_t passed = 0; passed < pause_ms; passed += 1000) {
            assert_int_equal(agent_running(&w->a), 0);
            assert_string_equal(show(w)->reason_code, "RetryPause");
            assert_non_null(strstr(show(w)->reason, "requeued less than a minute after their start"));
            pass(w, 1000);
        }
        expect_runs_again(w, attempt, 0, "requeued by ann");
    }
    pass(w, RM_RETRY_SOON_MS);
    requeue(w, "ann", "");
    end_with(w, CONTAINER_EXIT_APP_OVER);
    expect_runs_again(w, 13, 0, "requeued by ann"); /* after a minute there is none */
}

/* Of the statuses of a stop, only -107 leaves an exit with 0 as it is. */
static void a_requeue_stops_containers_with_the_status_of_the_resource_manager(void **state)
{
    struct world *w = *state;

    submit(w, job("", 0));
    requeue(w, "ann", "");
    agent_listen(&w->h, &w->a);
    assert_int_equal(w->a.containers[0].exit_status, CONTAINER_EXIT_BY_RM);
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

static void a_job_that_is_being_stopped_is_not_requeued_again(void **state)
{
    struct world *w = *state;

    submit(w, job("", 0));
    requeue(w, "ann", "");
    expect_refused(w, ERROR_OF(BAD_STATE), "its attempt before is being stopped");
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

/* --- never a second time -------------------------------------------------------- */

static Creel__JobSpec *job_once(Creel__AppKind kind)
{
    Creel__JobSpec *spec = job_of(kind, 512, kind == CREEL__APP_KIND__APP_TASKS ? 1 : 0);

    spec->no_requeue = true;
    return spec;
}

static void expect_ended_for_good(struct world *w, int32_t exit_status)
{
    expect_failed(w, exit_status, 1);
    assert_non_null(strstr(show(w)->diagnostics, "it does not start again (--no-requeue)"));
    assert_true(show(w)->no_requeue);
}

static void a_job_with_no_requeue_ends_where_others_start_again(void **state)
{
    static const int32_t ends[] = { CONTAINER_EXIT_PREEMPTED, CONTAINER_EXIT_DISKS, CONTAINER_EXIT_ABORTED,
                                    CONTAINER_EXIT_BY_RM, CONTAINER_EXIT_LOST };
    static const Creel__AppKind kinds[] = { CREEL__APP_KIND__APP_COMMAND, CREEL__APP_KIND__APP_TASKS,
                                            CREEL__APP_KIND__APP_MASTER };
    struct world *w = *state;

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
            begin(w, job_once(kinds[k]));
            end_with(w, ends[i]);
            expect_ended_for_good(w, ends[i]);
        }
    }
    harness_restart(&w->h);
    expect_ended_for_good(w, CONTAINER_EXIT_LOST);
}

static void a_job_with_no_requeue_ends_with_its_node(void **state)
{
    struct world *w = *state;

    submit(w, job_once(CREEL__APP_KIND__APP_COMMAND));
    harness_tick(&w->h, 3600 * 1000); /* without a heartbeat */
    assert_int_equal(show(w)->state, STATE(FAILED));
    assert_int_equal(show(w)->exit_status, CONTAINER_EXIT_ABORTED);
    assert_non_null(strstr(show(w)->diagnostics, "(--no-requeue)"));
}

static void a_job_with_no_requeue_cannot_be_requeued(void **state)
{
    struct world *w = *state;

    submit(w, job_once(CREEL__APP_KIND__APP_COMMAND));
    expect_refused(w, ERROR_OF(BAD_REQUEST), "never starts a second time (--no-requeue)");
    assert_int_equal(agent_running(&w->a), 1);
    end_with(w, 0);
    assert_int_equal(show(w)->state, STATE(FINISHED));
    assert_string_equal(show(w)->diagnostics, "");
    expect_refused(w, ERROR_OF(BAD_REQUEST), "creel app rerun");
}

static void a_command_that_was_not_started_starts_on_another_node(void **state)
{
    struct world *w = *state;

    submit(w, job_once(CREEL__APP_KIND__APP_COMMAND));
    w->a.containers[w->a.count - 1].retry_elsewhere = true;
    end_with(w, CONTAINER_EXIT_NOT_STARTED);
    assert_int_equal(show(w)->attempt, 2);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    end_with(w, CONTAINER_EXIT_PREEMPTED);
    expect_failed(w, CONTAINER_EXIT_PREEMPTED, 2);
}

static void no_requeue_and_retry_on_exclude_each_other(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job("exit:75", 1);
    const Creel__Error *error;
    char app[80];

    spec->no_requeue = true;
    people_submit(&w->h, spec, "", app, &error);
    assert_int_equal(error->code, ERROR_OF(BAD_REQUEST));
    assert_non_null(strstr(error->message, "--no-requeue forbids that"));
}

/* --- containers of earlier attempts -------------------------------------------- */

static const Creel__AppExplanation *explain(struct world *w)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;

    body.app_id = w->app;
    envelope->explain_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 901, "ann", envelope)->app_explanation;
}

/* Starts a job of KIND on the node a, whose AM has one container TASK on the node b, which goes on when it is
 * stopped. Then the AM ends. */
static void begin_two(struct world *w, Creel__AppKind kind, char task[80])
{
    const Creel__AllocateReply *reply;
    const Creel__Error *error;
    struct fake_am am;

    people_submit(&w->h, job_of(kind, 4096, kind == CREEL__APP_KIND__APP_TASKS ? 1 : 0), "", w->app, &error);
    assert_null(error);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    am_init(&am, w->app, 1);
    am_register(&w->h, &am);
    agent_register(&w->h, &w->b);
    reply = am_allocate(&w->h, &am, 1, 4096, NULL);
    agent_heartbeat(&w->h, &w->b);
    if (reply->n_allocated == 0)
        reply = am_allocate(&w->h, &am, -1, 0, NULL);
    assert_int_equal(reply->n_allocated, 1);
    snprintf(task, 80, "%s", reply->allocated[0]->container_id);
    agent_start(&w->b, task, &reply->allocated[0]->token);
    agent_heartbeat(&w->h, &w->b);
    w->b.ignores_stops = true;
    end_with(w, CONTAINER_EXIT_PREEMPTED); /* no failure: the next attempt may use the node again */
    agent_heartbeat(&w->h, &w->b);
}

static void expect_waits_for(struct world *w, const char *node_id)
{
    char words[128];

    assert_int_equal(show(w)->state, STATE(ACCEPTED));
    assert_int_equal(show(w)->attempt, 2);
    assert_int_equal(agent_running(&w->a), 0);
    assert_string_equal(show(w)->reason_code, "EarlierAttempt");
    snprintf(words, sizeof(words),
             "attempt 2 waits until 1 container of earlier attempts has ended on node %s", node_id);
    assert_string_equal(show(w)->reason, words);
    assert_non_null(strstr(explain(w)->summary, words));
    assert_string_equal(explain(w)->items[0]->reason_code, "EarlierAttempt");
    assert_true(explain(w)->items[0]->blocking);
}

static void expect_begins(struct world *w)
{
    for (int i = 0; i < 3; i++) {
        agent_heartbeat(&w->h, &w->a);
        agent_listen(&w->h, &w->a);
    }
    assert_int_equal(agent_running(&w->a), 1);
    assert_int_equal(show(w)->attempt, 2);
    assert_string_not_equal(show(w)->reason_code, "EarlierAttempt");
}

static void next_attempt_of_tasks_waits_until_no_task_is_left(void **state)
{
    struct world *w = *state;
    char task[80];

    begin_two(w, CREEL__APP_KIND__APP_TASKS, task);
    expect_waits_for(w, "n2:8041");
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    agent_register(&w->h, &w->b);
    agent_heartbeat(&w->h, &w->b);
    expect_waits_for(w, "n2:8041");
    agent_exit(&w->b, task, 0);
    agent_heartbeat(&w->h, &w->b);
    expect_begins(w);
}

static void set_expiry(struct master_config *config)
{
    config->node_expiry_ms = 30000;
}

static int set_up_with_expiry(void **state)
{
    return world_set_up_with(state, set_expiry);
}

static void wait_for_tasks_of_a_silent_node_ends_when_it_is_lost(void **state)
{
    struct world *w = *state;
    char task[80];
    int seconds = 0;

    begin_two(w, CREEL__APP_KIND__APP_TASKS, task);
    for (; agent_running(&w->a) == 0 && seconds < 60; seconds++) {
        if (seconds == 15) {
            expect_waits_for(w, "n2:8041");
            assert_string_equal(explain(w)->items[1]->reason_code, "SilentNode");
        }
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->a);
        agent_listen(&w->h, &w->a);
    }
    assert_in_range(seconds, 30, 32);
    expect_begins(w);
}

static void next_attempt_of_another_master_begins_at_once(void **state)
{
    struct world *w = *state;
    char task[80];

    begin_two(w, CREEL__APP_KIND__APP_MASTER, task);
    expect_begins(w);
    assert_int_equal(agent_running(&w->b), 1);
}

static size_t count_words(const Creel__AppExplanation *explanation, const char *words)
{
    size_t count = 0;

    for (size_t i = 0; i < explanation->n_items; i++)
        for (const char *at = explanation->items[i]->text; (at = strstr(at, words)) != NULL; at++)
            count++;
    return count;
}

/* The attempt that was requeued has the reason, its container has it with the exit status. */
static void an_explanation_has_each_reason_once(void **state)
{
    struct world *w = *state;

    submit(w, job("", 0));
    w->a.containers[0].reason = "requeued by ann: test (exit status 143)";
    requeue(w, "ann", "test");
    agent_listen(&w->h, &w->a);
    pass(w, 20000);
    expect_runs_again(w, 2, 0, "requeued by ann");
    w->a.containers[1].reason = "command not found: \"sort\"";
    end_with(w, 127);
    expect_failed(w, 127, 2);
    assert_int_equal(count_words(explain(w), "requeued by ann: test"), 1);
    assert_int_equal(count_words(explain(w), "command not found"), 1);
    assert_int_equal(count_words(explain(w), "-106 for the reason given above (exit status 143)"), 1);
    assert_int_equal(count_words(explain(w), "127 for the reason given above"), 1);
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
        CASE(requeues_at_once_have_pauses_that_grow),
        CASE(a_requeue_stops_containers_with_the_status_of_the_resource_manager),
        CASE(requeue_survives_a_restart),
        CASE(only_a_job_that_has_begun_is_requeued),
        CASE(a_job_that_is_being_stopped_is_not_requeued_again),
        CASE(a_job_with_no_requeue_ends_where_others_start_again),
        CASE(a_job_with_no_requeue_ends_with_its_node),
        CASE(a_job_with_no_requeue_cannot_be_requeued),
        CASE(a_command_that_was_not_started_starts_on_another_node),
        CASE(no_requeue_and_retry_on_exclude_each_other),
        CASE(next_attempt_of_tasks_waits_until_no_task_is_left),
        cmocka_unit_test_setup_teardown(wait_for_tasks_of_a_silent_node_ends_when_it_is_lost,
                                        set_up_with_expiry, world_tear_down),
        CASE(next_attempt_of_another_master_begins_at_once),
        CASE(an_explanation_has_each_reason_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
