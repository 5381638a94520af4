/* SPDX-License-Identifier: Apache-2.0 */
/* master_unmanaged.c - test: applications whose application master runs outside of the cluster */
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
#define ERROR_OF(name) CREEL__ERROR_CODE__ERROR_##name

static Creel__JobSpec *job(void)
{
    Creel__JobSpec *spec = job_of(CREEL__APP_KIND__APP_MASTER, 512, 0);

    spec->unmanaged = true;
    return spec;
}

static const Creel__AppReport *show(struct world *w)
{
    return people_show(&w->h, w->app);
}

static void submit(struct world *w)
{
    const Creel__Error *error;

    people_submit(&w->h, job(), "", w->app, &error);
    assert_null(error);
}

static const Creel__Envelope *ask_access(struct world *w, const char *user)
{
    Creel__GetAmAccess body = CREEL__GET_AM_ACCESS__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_GET_AM_ACCESS);

    body.app_id = w->app;
    envelope->get_am_access = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, user, envelope);
}

static void expect_no_access(struct world *w, const char *user, Creel__ErrorCode code, const char *words)
{
    const Creel__Envelope *reply = ask_access(w, user);

    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    assert_non_null(strstr(reply->error->message, words));
}

/* A process that is the AM from its registration on. */
static void become_master(struct world *w, struct fake_am *am)
{
    const Creel__Envelope *reply = ask_access(w, "ann");

    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_AM_ACCESS);
    assert_true(reply->am_access->token.len > 0);
    am_init(am, w->app, 1);
    am->session = reply->am_access->session;
}

static const Creel__RegisterAmReply *registered(struct world *w, struct fake_am *am)
{
    const Creel__Envelope *reply = am_register(&w->h, am);

    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
    return reply->register_am_reply;
}

/* AM gets COUNT containers, which run on agent a. */
static void run_containers(struct world *w, struct fake_am *am, int count)
{
    const Creel__AllocateReply *reply = am_allocate(&w->h, am, count, 512, NULL);

    if (reply->n_allocated == 0)
        reply = am_allocate(&w->h, am, -1, 0, NULL);
    assert_int_equal(reply->n_allocated, count);
    for (int i = 0; i < count; i++)
        agent_start(&w->a, reply->allocated[i]->container_id, &reply->allocated[i]->token);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), count);
}

static void expect_ended(struct world *w, Creel__AppState state, Creel__FinalStatus status)
{
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    agent_listen(&w->h, &w->a);
    assert_int_equal(show(w)->state, state);
    assert_int_equal(show(w)->final_status, status);
    assert_int_equal(show(w)->attempt, 1);
    assert_int_equal(agent_running(&w->a), 0);
}

/* --- life of an application --------------------------------------------------- */

static void gets_no_container_and_runs_when_its_master_registers(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(w->a.count, 0);
    assert_int_equal(show(w)->state, STATE(ACCEPTED));
    assert_true(show(w)->unmanaged);
    assert_int_equal(show(w)->max_attempts, 1);
    assert_string_equal(show(w)->reason_code, "Unmanaged");
    become_master(w, &am);
    assert_int_equal(show(w)->state, STATE(ACCEPTED));
    assert_int_equal(registered(w, &am)->n_running, 0);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    assert_string_equal(show(w)->reason_code, "");
}

static void result_of_its_master_ends_it_and_its_containers(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w);
    become_master(w, &am);
    registered(w, &am);
    run_containers(w, &am, 3);
    assert_int_equal(am_finish(&w->h, &am, CREEL__FINAL_STATUS__FINAL_FAILED, 7)->body_case,
                     CREEL__ENVELOPE__BODY_FINISH_AM_REPLY);
    expect_ended(w, STATE(FINISHED), CREEL__FINAL_STATUS__FINAL_FAILED);
    assert_int_equal(show(w)->exit_status, 7);
    expect_no_access(w, "ann", ERROR_OF(BAD_STATE), "is over already");
}

static void a_silent_master_fails_the_application_after_the_expiry(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w);
    become_master(w, &am);
    registered(w, &am);
    run_containers(w, &am, 2);
    for (int64_t waited = 0; waited <= w->h.config.am_expiry_ms; waited += 1000) {
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->a);
        agent_listen(&w->h, &w->a);
    }
    expect_ended(w, STATE(FAILED), CREEL__FINAL_STATUS__FINAL_FAILED);
    assert_non_null(strstr(show(w)->diagnostics, "sent no request"));
}

static void master_that_never_registers_fails_it(void **state)
{
    struct world *w = *state;

    submit(w);
    harness_tick(&w->h, w->h.config.am_expiry_ms + 1000);
    expect_ended(w, STATE(FAILED), CREEL__FINAL_STATUS__FINAL_FAILED);
    assert_non_null(strstr(show(w)->diagnostics, "did not register"));
}

static void kill_ends_it_before_and_after_the_registration(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w);
    people_kill(&w->h, w->app);
    expect_ended(w, STATE(KILLED), CREEL__FINAL_STATUS__FINAL_KILLED);
    submit(w);
    become_master(w, &am);
    registered(w, &am);
    run_containers(w, &am, 2);
    people_kill(&w->h, w->app);
    assert_int_equal(am_allocate(&w->h, &am, -1, 0, NULL)->action, CREEL__AM_ACTION__AM_SHUTDOWN);
    expect_ended(w, STATE(KILLED), CREEL__FINAL_STATUS__FINAL_KILLED);
}

/* --- restarts of the resource manager ----------------------------------------- */

static void waits_for_its_master_after_a_restart(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w);
    become_master(w, &am);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    assert_int_equal(show(w)->state, STATE(ACCEPTED));
    registered(w, &am);
    run_containers(w, &am, 1);
    assert_int_equal(show(w)->state, STATE(RUNNING));
}

static void keeps_its_containers_over_a_restart(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w);
    become_master(w, &am);
    registered(w, &am);
    run_containers(w, &am, 2);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    assert_int_equal(am_allocate(&w->h, &am, -1, 0, NULL)->action, CREEL__AM_ACTION__AM_RESYNC);
    assert_int_equal(registered(w, &am)->n_running, 2);
    assert_int_equal(agent_running(&w->a), 2);
    am_finish(&w->h, &am, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0);
    expect_ended(w, STATE(FINISHED), CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
}

static void result_survives_a_restart(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w);
    become_master(w, &am);
    registered(w, &am);
    am_finish(&w->h, &am, CREEL__FINAL_STATUS__FINAL_FAILED, 3);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    expect_ended(w, STATE(FINISHED), CREEL__FINAL_STATUS__FINAL_FAILED);
}

static void a_silent_master_fails_the_application_after_a_restart(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    submit(w);
    become_master(w, &am);
    registered(w, &am);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    harness_tick(&w->h, w->h.config.am_expiry_ms + 1000);
    assert_int_equal(show(w)->state, STATE(FAILED));
}

/* --- two processes ------------------------------------------------------------- */

/* OLD learns with its next request that another process is the AM. */
static void expect_replaced(struct world *w, struct fake_am *old)
{
    const Creel__Envelope *reply;

    assert_int_equal(am_allocate(&w->h, old, -1, 0, NULL)->action, CREEL__AM_ACTION__AM_RESYNC);
    reply = am_register(&w->h, old);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, ERROR_OF(BAD_STATE));
    assert_non_null(strstr(reply->error->message, "another process"));
    assert_int_equal(am_finish(&w->h, old, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0)->body_case,
                     CREEL__ENVELOPE__BODY_ERROR);
}

static void later_process_takes_it_over_with_its_containers(void **state)
{
    struct world *w = *state;
    struct fake_am old, later;

    submit(w);
    become_master(w, &old);
    registered(w, &old);
    run_containers(w, &old, 2);
    become_master(w, &later);
    assert_int_equal(am_allocate(&w->h, &old, -1, 0, NULL)->action, CREEL__AM_ACTION__AM_NORMAL);
    assert_int_equal(registered(w, &later)->n_running, 2);
    expect_replaced(w, &old);
    assert_int_equal(am_allocate(&w->h, &later, -1, 0, NULL)->action, CREEL__AM_ACTION__AM_NORMAL);
    assert_int_equal(agent_running(&w->a), 2);
}

static void later_process_learns_of_containers_that_are_being_stopped(void **state)
{
    struct world *w = *state;
    struct fake_am old, later;

    submit(w);
    become_master(w, &old);
    registered(w, &old);
    run_containers(w, &old, 2);
    am_allocate(&w->h, &old, -1, 0, w->a.containers[0].id);
    become_master(w, &later);
    assert_int_equal(registered(w, &later)->n_running, 2);
}

static void add_to_blacklist(struct world *w, struct fake_am *am, char *name)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_ALLOCATE);
    Creel__Allocate body = CREEL__ALLOCATE__INIT;

    body.response_id = am->response_id;
    body.session = am->session;
    body.blacklist_add = &name;
    body.n_blacklist_add = 1;
    envelope->allocate = &body;
    assert_non_null(harness_ask(&w->h, MASTER_AM, am->connection, am->attempt_id, envelope));
}

/* The later process does not know which nodes the earlier one blacklisted. */
static void later_process_has_no_blacklist(void **state)
{
    struct world *w = *state;
    struct fake_am old, later;

    submit(w);
    become_master(w, &old);
    registered(w, &old);
    add_to_blacklist(w, &old, w->a.node_id);
    registered(w, &old); /* the same process: it knows its blacklist */
    am_allocate(&w->h, &old, 1, 512, NULL);
    assert_int_equal(am_allocate(&w->h, &old, -1, 0, NULL)->n_allocated, 0);
    become_master(w, &later);
    registered(w, &later);
    run_containers(w, &later, 1);
}

/* After the restart the former process may register first. */
static void later_process_stays_its_master_over_a_restart(void **state)
{
    struct world *w = *state;
    struct fake_am old, later;

    submit(w);
    become_master(w, &old);
    registered(w, &old);
    become_master(w, &later);
    registered(w, &later);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    registered(w, &old);
    registered(w, &later);
    expect_replaced(w, &old);
    become_master(w, &old);
    assert_true(old.session > later.session);
}

/* --- limits on application masters ------------------------------------------------ */

#define CAPACITY "yarn.scheduler.capacity."

/* One application master of 1024 MB, the minimum, is the limit of the queue. */
static void its_master_counts_as_the_minimum(void **state)
{
    static const char *const settings[][2] = {
        { "yarn.scheduler.minimum-allocation-mb", "1024" },
        { CAPACITY "root.queues", "default" },
        { CAPACITY "root.default.capacity", "100" },
        { CAPACITY "maximum-am-resource-percent", "0.1" },
    };
    struct conf *conf = conf_of(settings, sizeof(settings) / sizeof(settings[0]));
    struct sched_config sched = capacity_of(conf);
    struct world w = { .app = "" };
    struct fake_am first, second;

    (void)state;
    harness_init(&w.h);
    w.h.config.scheduler = "capacity";
    w.h.config.sched = &sched;
    harness_start(&w.h);
    agent_init(&w.a, "n1:8041", 4096, 4);
    agent_register(&w.h, &w.a);
    submit(&w);
    become_master(&w, &first);
    registered(&w, &first);
    run_containers(&w, &first, 1);
    submit(&w);
    become_master(&w, &second);
    registered(&w, &second);
    assert_int_equal(am_allocate(&w.h, &second, 1, 512, NULL)->n_allocated, 0);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(am_allocate(&w.h, &second, -1, 0, NULL)->n_allocated, 0);
    assert_string_equal(show(&w)->reason_code, "AmLimit");
    am_finish(&w.h, &first, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0);
    agent_heartbeat(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(am_allocate(&w.h, &second, -1, 0, NULL)->n_allocated, 1);
    agent_done(&w.a);
    harness_done(&w.h);
    conf_free(conf);
}

/* --- refusals ------------------------------------------------------------------- */

static void only_its_owner_may_be_its_master(void **state)
{
    struct world *w = *state;
    const Creel__Error *error;

    submit(w);
    expect_no_access(w, "bob", ERROR_OF(NOT_PERMITTED), "be its application master");
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_MASTER, 512, 0), "", w->app, &error);
    expect_no_access(w, "ann", ERROR_OF(BAD_REQUEST), "in the cluster");
    snprintf(w->app, sizeof(w->app), "application_1700000000000_0999");
    expect_no_access(w, "ann", ERROR_OF(NOT_FOUND), "not known");
}

/* The client repeats ERROR_UNAVAILABLE until its timeout. */
static void has_no_master_before_it_is_in_its_queue(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job_of(CREEL__APP_KIND__APP_MASTER, 512, 0);
    const Creel__Error *error;

    spec->unmanaged = true;
    spec->hold = true;
    people_submit(&w->h, spec, "", w->app, &error);
    assert_null(error);
    expect_no_access(w, "ann", ERROR_OF(UNAVAILABLE), "not in its queue yet");
}

static void expect_refused(struct world *w, Creel__JobSpec *spec, const char *words)
{
    const Creel__Error *error;

    spec->unmanaged = true;
    people_submit(&w->h, spec, "", w->app, &error);
    assert_non_null(error);
    assert_non_null(strstr(error->message, words));
}

static void only_an_application_with_a_master_is_unmanaged(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *array = job_of(CREEL__APP_KIND__APP_MASTER, 512, 0);

    array->array = (char *)(uintptr_t) "1-3";
    expect_refused(w, array, "cannot be an array");
    expect_refused(w, job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0), "application master of its own");
    expect_refused(w, job_of(CREEL__APP_KIND__APP_TASKS, 512, 2), "application master of its own");
}

static void is_not_requeued(void **state)
{
    struct world *w = *state;
    Creel__RequeueApp body = CREEL__REQUEUE_APP__INIT;
    Creel__Envelope *envelope;
    struct fake_am am;

    submit(w);
    become_master(w, &am);
    registered(w, &am);
    envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_REQUEUE_APP);
    body.app_id = w->app;
    envelope->requeue_app = &body;
    assert_non_null(
        strstr(harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope)->error->message, "one attempt"));
    assert_int_equal(show(w)->state, STATE(RUNNING));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(gets_no_container_and_runs_when_its_master_registers),
        CASE(result_of_its_master_ends_it_and_its_containers),
        CASE(a_silent_master_fails_the_application_after_the_expiry),
        CASE(master_that_never_registers_fails_it),
        CASE(kill_ends_it_before_and_after_the_registration),
        CASE(waits_for_its_master_after_a_restart),
        CASE(keeps_its_containers_over_a_restart),
        CASE(result_survives_a_restart),
        CASE(a_silent_master_fails_the_application_after_a_restart),
        CASE(later_process_takes_it_over_with_its_containers),
        CASE(later_process_learns_of_containers_that_are_being_stopped),
        CASE(later_process_has_no_blacklist),
        CASE(later_process_stays_its_master_over_a_restart),
        cmocka_unit_test(its_master_counts_as_the_minimum),
        CASE(only_its_owner_may_be_its_master),
        CASE(has_no_master_before_it_is_in_its_queue),
        CASE(only_an_application_with_a_master_is_unmanaged),
        CASE(is_not_requeued),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
