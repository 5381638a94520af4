/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_account.c - what the resource manager keeps for a user, and the limits on that
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "tests/unit/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define BAD_STATE CREEL__ERROR_CODE__ERROR_BAD_STATE
#define JOBS_MAX 3

static void limit_jobs(struct master_config *config)
{
    config->user_jobs_max = JOBS_MAX;
}

static int set_up(void **state)
{
    return world_set_up_with(state, limit_jobs);
}

static Creel__JobSpec *held(void)
{
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);

    job->hold = true;
    return job;
}

/* Submits JOB as USER, and expects that it is accepted. Its id is in W->app. */
static void accepted(struct world *w, const char *user, const Creel__JobSpec *job)
{
    const Creel__Envelope *reply = people_submit_as(&w->h, user, job, "", w->app);

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("%s", reply->error->message);
}

static void refused(struct world *w, const char *user, const Creel__JobSpec *job, const char *text)
{
    char app_id[80];
    const Creel__Envelope *reply = people_submit_as(&w->h, user, job, "", app_id);

    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, BAD_STATE);
    if (strstr(reply->error->message, text) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", reply->error->message, text);
}

static void settle(struct world *w)
{
    for (int i = 0; i < 4; i++) {
        harness_tick(&w->h, 1);
        agent_listen(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
    }
}

/* --- number of jobs ------------------------------------------------------------ */

#define JOBS_OF_ANN \
    "user ann has 3 jobs that have not ended, tasks of arrays included, and creel.submit.user-jobs-max is 3"

static void waiting_jobs_count(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job;
    char parent[80], depends_on[96];

    accepted(w, "ann", held());
    memcpy(parent, w->app, sizeof(parent));
    snprintf(depends_on, sizeof(depends_on), "ok:%s", parent);
    job = job_of(COMMAND, 512, 0);
    job->begin_ms = w->h.now + 1000000;
    accepted(w, "ann", job);
    job = job_of(COMMAND, 512, 0);
    job->depends_on = depends_on;
    accepted(w, "ann", job);
    refused(w, "ann", held(), JOBS_OF_ANN);
    refused(w, "ann", job_of(COMMAND, 512, 0), JOBS_OF_ANN);
    accepted(w, "bob", held()); /* another user has an account of his own */
    for (int i = 0; i <= JOBS_MAX; i++)
        accepted(w, "admin", held()); /* an administrator that is listed by name has no limit */
    people_kill(&w->h, parent);
    settle(w); /* the child is killed, too */
    accepted(w, "ann", held());
    accepted(w, "ann", held());
    refused(w, "ann", held(), JOBS_OF_ANN);
}

static void a_restart_counts_the_same(void **state)
{
    struct world *w = *state;

    for (int i = 0; i < JOBS_MAX; i++)
        accepted(w, "ann", held());
    harness_restart(&w->h);
    refused(w, "ann", held(), JOBS_OF_ANN);
    people_kill(&w->h, w->app);
    harness_restart(&w->h);
    accepted(w, "ann", held());
    refused(w, "ann", held(), JOBS_OF_ANN);
}

static void a_dry_run_is_refused_too(void **state)
{
    struct world *w = *state;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_TEST_APP);
    Creel__TestApp body = CREEL__TEST_APP__INIT;
    const Creel__Envelope *reply;

    for (int i = 0; i < JOBS_MAX; i++)
        accepted(w, "ann", held());
    body.job = held();
    envelope->test_app = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, BAD_STATE);
}

/* The tasks that an array has submitted count, but the array continues; those that it has not submitted do not
 * count, so an array of a million tasks is accepted. */
static void tasks_of_an_array_count(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    static char tasks[] = "0-999999%4";
    char array[80];

    job->array = tasks;
    accepted(w, "ann", job);
    memcpy(array, w->app, sizeof(array));
    settle(w);
    assert_int_equal(people_show(&w->h, array)->tasks->running, 4);
    refused(w, "ann", held(), "user ann has 5 jobs that have not ended");
    agent_exit(&w->a, w->a.containers[0].id, 0);
    settle(w);
    assert_int_equal(people_show(&w->h, array)->tasks->succeeded, 1);
    assert_int_equal(people_show(&w->h, array)->tasks->running, 4);
}

/* A repeated submission, whose reply was lost, is no new job. */
static void a_repeated_submission_is_answered(void **state)
{
    struct world *w = *state;
    char again[80];

    for (int i = 0; i < JOBS_MAX - 1; i++)
        accepted(w, "ann", held());
    people_submit_as(&w->h, "ann", held(), "key-1", w->app);
    assert_string_not_equal(w->app, "");
    people_submit_as(&w->h, "ann", held(), "key-1", again);
    assert_string_equal(w->app, again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waiting_jobs_count, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(a_restart_counts_the_same, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(a_dry_run_is_refused_too, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(tasks_of_an_array_count, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(a_repeated_submission_is_answered, set_up, world_tear_down),
    };

    return cmocka_run_group_tests_name("master_account", tests, NULL, NULL);
}
