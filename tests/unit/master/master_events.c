/* SPDX-License-Identifier: Apache-2.0 */
/* master_events.c - test: consequences of a state change are handled before the next change
 * (rm/master/state/events.h) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

#define TASKS CREEL__APP_KIND__APP_TASKS

struct world {
    struct harness h;
    struct fake_agent a;
    struct fake_am am;
    char app[80];
};

/* Starts a job whose AM and two tasks run on one node, with at most MAX_ATTEMPTS attempts; 0: the default. */
static void begin_with(struct world *w, uint32_t max_attempts)
{
    Creel__JobSpec *job = job_of(TASKS, 256, 2);
    const Creel__AllocateReply *reply;

    harness_init(&w->h);
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 4096, 8);
    agent_register(&w->h, &w->a);
    job->max_attempts = max_attempts;
    people_submit(&w->h, job, "", w->app, NULL);
    agent_heartbeat(&w->h, &w->a);
    am_init(&w->am, w->app, 1);
    am_register(&w->h, &w->am);
    reply = am_allocate(&w->h, &w->am, 2, 256, NULL);
    assert_int_equal(reply->n_allocated, 2);
    for (size_t i = 0; i < reply->n_allocated; i++)
        agent_start(&w->a, reply->allocated[i]->container_id, &reply->allocated[i]->token);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 3);
}

static void begin(struct world *w)
{
    begin_with(w, 0);
}

static void end(struct world *w)
{
    agent_done(&w->a);
    harness_done(&w->h);
}

static const Creel__ContainerReport *show(struct world *w, size_t i)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_CONTAINERS);
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    const Creel__Envelope *reply;

    body.container_id = w->a.containers[i].id;
    envelope->list_containers = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_CONTAINER_LIST);
    return reply->container_list->containers[0];
}

/* The AM's container is lost first. That ends the attempt, which stops the tasks: the tasks end because of
 * the attempt's end (-106), not because of the node (-100). */
static void an_attempt_ends_before_the_rest_of_its_node_is_lost(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    harness_tick(&w.h, 11000);
    assert_int_equal(show(&w, 0)->exit_status, -100);
    assert_int_equal(show(&w, 1)->exit_status, -106);
    assert_int_equal(show(&w, 2)->exit_status, -106);
    end(&w);
}

static const Creel__AppExplanation *ask_why(struct world *w)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;

    body.app_id = w->app;
    envelope->explain_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope)->app_explanation;
}

/* The agent reports the status of the stop also for a task that saves its work and exits with 0, but not if
 * the status is -107: the application is over. */
static void tasks_of_an_attempt_that_is_repeated_are_stopped_by_the_resource_manager(void **state)
{
    const Creel__AppExplanation *why;
    struct world w;

    (void)state;
    begin(&w);
    agent_exit(&w.a, w.a.containers[0].id, 1);
    agent_heartbeat(&w.h, &w.a);
    agent_listen(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(show(&w, 1)->exit_status, -106);
    assert_int_equal(show(&w, 2)->exit_status, -106);
    assert_int_equal(people_show(&w.h, w.app)->attempt, 2);
    agent_exit(&w.a, w.a.containers[3].id, 1);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(people_show(&w.h, w.app)->state, CREEL__APP_STATE__APP_FAILED);
    why = ask_why(&w);
    for (size_t i = 0; i < why->n_items; i++)
        assert_null(strstr(why->items[i]->text, w.a.containers[1].id));
    end(&w);
}

static void tasks_of_the_last_attempt_are_stopped_since_their_application_is_over(void **state)
{
    struct world w;

    (void)state;
    begin_with(&w, 1);
    agent_exit(&w.a, w.a.containers[0].id, 1);
    agent_heartbeat(&w.h, &w.a);
    agent_listen(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(show(&w, 1)->exit_status, -107);
    assert_int_equal(show(&w, 2)->exit_status, -107);
    end(&w);
}

/* The agents get the orders to stop only after the restart. */
static void a_restart_keeps_the_status_of_tasks_whose_attempt_is_repeated(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    agent_exit(&w.a, w.a.containers[0].id, 1);
    agent_heartbeat(&w.h, &w.a);
    harness_restart(&w.h);
    agent_register(&w.h, &w.a);
    for (int i = 0; i < 3; i++)
        agent_heartbeat(&w.h, &w.a);
    assert_int_equal(show(&w, 1)->exit_status, -106);
    assert_int_equal(show(&w, 2)->exit_status, -106);
    end(&w);
}

/* One heartbeat reports the end of the AM and then of a task. The attempt has ended when the task's end is
 * handled, so the task's end is not reported to the next attempt, and the job runs again. */
static void an_attempt_ends_within_the_report_of_its_end(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    agent_exit(&w.a, w.a.containers[0].id, 1);
    agent_exit(&w.a, w.a.containers[1].id, 0);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(people_show(&w.h, w.app)->attempt, 2);
    assert_int_equal(show(&w, 0)->exit_status, 1);
    assert_int_equal(show(&w, 1)->exit_status, 0);
    assert_int_equal(show(&w, 2)->state, CREEL__CONTAINER_STATE__CONTAINER_STOPPING);
    end(&w);
}

/* The agent was restarted without its containers. The loss of the AM ends the attempt, which discards a task
 * on the same node that no AM has received: it is gone when the rest of the node is looked at. */
static void a_restarted_agent_loses_an_am_and_a_task_that_was_not_received(void **state)
{
    struct world w;
    char other[80];

    (void)state;
    harness_init(&w.h);
    harness_start(&w.h);
    agent_init(&w.a, "n1:8041", 4096, 8);
    agent_register(&w.h, &w.a);
    people_submit(&w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 3840, 0), "1", other, NULL);
    people_submit(&w.h, job_of(TASKS, 256, 1), "2", w.app, NULL);
    agent_heartbeat(&w.h, &w.a);
    am_init(&w.am, w.app, 1);
    am_register(&w.h, &w.am);
    assert_int_equal(am_allocate(&w.h, &w.am, 1, 256, NULL)->n_allocated, 0); /* the node is full */
    agent_exit(&w.a, w.a.containers[0].id, 0); /* the task is allocated now; its AM does not ask again */
    agent_heartbeat(&w.h, &w.a);
    for (size_t i = 0; i < w.a.count; i++)
        free(w.a.containers[i].grant);
    w.a.count = 0;
    w.a.incarnation++;
    agent_register(&w.h, &w.a);
    assert_int_equal(people_show(&w.h, w.app)->attempt, 2);
    end(&w);
}

/* A task that was allocated in the same step as the kill leaves nothing: the harness checks every sum. */
static void kill_stops_running_containers_in_the_same_step(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    people_kill(&w.h, w.app);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(show(&w, i)->state, CREEL__CONTAINER_STATE__CONTAINER_STOPPING);
    agent_listen(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_running(&w.a), 0);
    assert_int_equal(people_show(&w.h, w.app)->state, CREEL__APP_STATE__APP_KILLED);
    end(&w);
}

/* Submits a job of one command that ends before its node reports it. STARTED: the node reports a start. */
static const Creel__AppReport *run_short(struct world *w, bool started)
{
    struct fake_container *container;

    harness_init(&w->h);
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 4096, 8);
    agent_register(&w->h, &w->a);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 256, 0), "", w->app, NULL);
    agent_listen(&w->h, &w->a);
    assert_int_equal(w->a.count, 1);
    container = &w->a.containers[0];
    container->started_ms = started ? w->h.now : 0;
    agent_exit(&w->a, container->id, 3);
    agent_heartbeat(&w->h, &w->a);
    return people_show(&w->h, w->app);
}

static void a_command_that_ends_before_its_first_report_has_started(void **state)
{
    const Creel__AppReport *report;
    struct world w;

    (void)state;
    report = run_short(&w, true);
    assert_int_equal(report->state, CREEL__APP_STATE__APP_FAILED);
    assert_int_equal(report->exit_status, 3);
    assert_int_equal(report->started_ms, w.h.now);
    end(&w);
    report = run_short(&w, false);
    assert_int_equal(report->state, CREEL__APP_STATE__APP_FAILED);
    assert_int_equal(report->started_ms, 0);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_attempt_ends_before_the_rest_of_its_node_is_lost),
        cmocka_unit_test(tasks_of_an_attempt_that_is_repeated_are_stopped_by_the_resource_manager),
        cmocka_unit_test(tasks_of_the_last_attempt_are_stopped_since_their_application_is_over),
        cmocka_unit_test(a_restart_keeps_the_status_of_tasks_whose_attempt_is_repeated),
        cmocka_unit_test(an_attempt_ends_within_the_report_of_its_end),
        cmocka_unit_test(a_restarted_agent_loses_an_am_and_a_task_that_was_not_received),
        cmocka_unit_test(kill_stops_running_containers_in_the_same_step),
        cmocka_unit_test(a_command_that_ends_before_its_first_report_has_started),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
