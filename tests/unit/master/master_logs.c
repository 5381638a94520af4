/* SPDX-License-Identifier: Apache-2.0 */
/* master_logs.c - test: the state of an application's logs, as its nodes report it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_world.h"

#define LOGS(name) CREEL__LOG_AGGREGATION__LOGS_##name

static void configure(struct master_config *config)
{
    config->log_aggregation = true;
    config->log_timeout_ms = 600000;
}

static int set_up(void **state)
{
    return world_set_up_with(state, configure);
}

/* Sends a heartbeat with a report on the logs of APP; FINISHED: the agent has cleaned up, too. */
static void report(struct world *w, char *app, Creel__LogAggregation state, bool finished)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_HEARTBEAT);
    Creel__LogReport item = CREEL__LOG_REPORT__INIT, *list = &item;
    Creel__Heartbeat body = CREEL__HEARTBEAT__INIT;

    item.app_id = app;
    item.state = state;
    body.node_id = w->a.node_id;
    body.session = w->a.session;
    body.seq = ++w->a.seq;
    body.log_reports = &list;
    body.n_log_reports = 1;
    body.finished_apps = &app;
    body.n_finished_apps = finished ? 1 : 0;
    envelope->heartbeat = &body;
    harness_ask(&w->h, MASTER_AGENT, w->a.connection, w->a.principal, envelope);
}

static Creel__LogAggregation state_of(struct world *w)
{
    return people_show(&w->h, w->app)->log_aggregation;
}

/* Runs a job of one command to its end; the agent has not cleaned up yet. */
static void run_one(struct world *w)
{
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 256, 1), "", w->app, NULL);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(state_of(w), LOGS(RUNNING));
    agent_exit(&w->a, w->a.containers[0].id, 0);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(people_show(&w->h, w->app)->state, CREEL__APP_STATE__APP_FINISHED);
    assert_int_equal(state_of(w), LOGS(RUNNING));
}

static void logs_that_have_moved(void **state)
{
    struct world *w = *state;

    run_one(w);
    report(w, w->app, LOGS(RUNNING), true);
    assert_int_equal(state_of(w), LOGS(RUNNING));
    report(w, w->app, LOGS(SUCCEEDED), false);
    assert_int_equal(state_of(w), LOGS(SUCCEEDED));
    report(w, w->app, LOGS(SUCCEEDED), false); /* of an agent that was restarted */
    assert_int_equal(state_of(w), LOGS(SUCCEEDED));
}

static void a_node_that_gives_up(void **state)
{
    struct world *w = *state;

    run_one(w);
    report(w, w->app, LOGS(RUNNING), true);
    report(w, w->app, LOGS(FAILED), false);
    assert_int_equal(state_of(w), LOGS(FAILED));
}

static void a_node_that_reports_nothing(void **state)
{
    struct world *w = *state;

    run_one(w);
    report(w, w->app, LOGS(RUNNING), true);
    for (int i = 0; i <= 600; i++) {
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->a);
    }
    assert_int_equal(state_of(w), LOGS(TIME_OUT));
    report(w, w->app, LOGS(SUCCEEDED), false);
    assert_int_equal(state_of(w), LOGS(SUCCEEDED));
}

/* The state is known before the node registers, or if it never does. */
static void moved_logs_are_known_after_a_restart(void **state)
{
    struct world *w = *state;

    run_one(w);
    report(w, w->app, LOGS(RUNNING), true);
    report(w, w->app, LOGS(SUCCEEDED), false);
    for (int i = 0; i <= 600; i++) {
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->a);
    }
    harness_restart(&w->h);
    assert_int_equal(state_of(w), LOGS(SUCCEEDED));
}

static void logs_that_are_kept_on_a_node_are_known_after_a_restart(void **state)
{
    struct world *w = *state;

    run_one(w);
    report(w, w->app, LOGS(RUNNING), true);
    report(w, w->app, LOGS(FAILED), false);
    harness_restart(&w->h);
    assert_int_equal(state_of(w), LOGS(FAILED));
}

/* The node has not reported the end: it has the whole time-out for it after the restart. */
static void the_time_out_begins_again_with_a_restart(void **state)
{
    struct world *w = *state;

    run_one(w);
    report(w, w->app, LOGS(RUNNING), true);
    for (int i = 0; i <= 500; i++) {
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->a);
    }
    harness_restart(&w->h);
    assert_int_equal(state_of(w), LOGS(RUNNING));
    harness_tick(&w->h, 590000);
    assert_int_equal(state_of(w), LOGS(RUNNING));
    harness_tick(&w->h, 20000);
    assert_int_equal(state_of(w), LOGS(TIME_OUT));
}

static void unknown_applications_are_ignored(void **state)
{
    static char unknown[] = "application_1_0777", other[] = "application_1700000000000_0777";
    struct world *w = *state;

    report(w, unknown, LOGS(RUNNING), false);
    report(w, other, LOGS(SUCCEEDED), false);
}

static void an_application_that_has_not_run(void **state)
{
    struct world *w = *state;

    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 4096, 1), "", w->app, NULL);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 4096, 1), "", w->app, NULL);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(state_of(w), LOGS(NOT_START));
}

static void without_log_aggregation(void **state)
{
    struct world *w = *state;

    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 256, 1), "", w->app, NULL);
    assert_int_equal(state_of(w), LOGS(DISABLED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(logs_that_have_moved, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(a_node_that_gives_up, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(a_node_that_reports_nothing, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(moved_logs_are_known_after_a_restart, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(logs_that_are_kept_on_a_node_are_known_after_a_restart, set_up,
                                        world_tear_down),
        cmocka_unit_test_setup_teardown(the_time_out_begins_again_with_a_restart, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(unknown_applications_are_ignored, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(an_application_that_has_not_run, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(without_log_aggregation, world_set_up, world_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
