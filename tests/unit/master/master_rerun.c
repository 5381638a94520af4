/* SPDX-License-Identifier: Apache-2.0 */
/* master_rerun.c - test: the submission of an ended application, and what runs when it is submitted again */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/am_state.h"
#include "common/base/job/task_results.h"
#include "common/base/mem.h"
#include "tests/unit/master/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define TASKS CREEL__APP_KIND__APP_TASKS

static void submit(struct world *w, const Creel__JobSpec *spec)
{
    const Creel__Error *error;

    people_submit(&w->h, spec, "", w->app, &error);
    if (error)
        fail_msg("%s", error->message);
    world_settle(w);
}

/* Ends the running containers, each with the next of STATUSES. */
static void end_with(struct world *w, const int *statuses, size_t count)
{
    size_t next = 0;

    for (size_t i = 0; i < w->a.count && next < count; i++)
        if (w->a.containers[i].state == CREEL__CONTAINER_STATE__CONTAINER_RUNNING)
            agent_exit(&w->a, w->a.containers[i].id, statuses[next++]);
    assert_int_equal(next, count);
    world_settle(w);
}

static const Creel__Envelope *ask(struct world *w, const char *user, const char *id, bool failed)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_GET_RERUN);
    Creel__GetRerun body = CREEL__GET_RERUN__INIT;

    body.app_id = (char *)(uintptr_t)id;
    body.failed = failed;
    envelope->get_rerun = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, user, envelope);
}

static const Creel__Rerun *rerun_of(struct world *w, bool failed)
{
    const Creel__Envelope *reply = ask(w, "ann", w->app, failed);

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("%s", reply->error->message);
    return reply->rerun;
}

static void is_refused(const Creel__Envelope *reply, Creel__ErrorCode code, const char *part)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    if (strstr(reply->error->message, part) == NULL)
        fail_msg("no \"%s\" in: %s", part, reply->error->message);
}

/* Submits RERUN; the id is in w->app. Returns NULL, or the error. */
static const Creel__Error *submit_again(struct world *w, const Creel__Rerun *rerun)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SUBMIT_APP);
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    uint64_t request_id = envelope->request_id;
    const Creel__Envelope *reply;

    body.job = rerun->job;
    body.am_state = rerun->am_state;
    envelope->submit_app = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
    harness_commit(&w->h);
    if (reply == NULL)
        reply = harness_find_reply(&w->h, 900, request_id);
    assert_non_null(reply);
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        return reply->error;
    snprintf(w->app, sizeof(w->app), "%s", reply->submit_app_reply->app_id);
    world_settle(w);
    return NULL;
}

static const char *variable(const Creel__LaunchContext *launch, const char *name)
{
    for (size_t i = 0; i < launch->n_environment; i++)
        if (strcmp(launch->environment[i]->name, name) == 0)
            return launch->environment[i]->value;
    return "";
}

/* Returns the launch of the container that was ordered last. */
static const Creel__LaunchContext *last_launch(const struct world *w)
{
    const Creel__LaunchContext *launch = NULL;

    for (size_t i = 0; i < w->h.sent_count; i++) {
        const Creel__Envelope *envelope = w->h.sent[i].envelope;

        if (envelope->body_case == CREEL__ENVELOPE__BODY_NODE_ORDERS && envelope->node_orders->n_start > 0)
            launch = envelope->node_orders->start[envelope->node_orders->n_start - 1]->launch;
    }
    assert_non_null(launch);
    return launch;
}

static void a_rerun_does_not_wait_for_the_applications_of_the_first_run(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job_of(COMMAND, 512, 0);

    submit(w, spec);
    end_with(w, (int[]){ 3 }, 1);
    spec->depends_on = (char *)(uintptr_t) "ok:1";
    submit(w, spec);
    assert_int_equal(people_show(&w->h, w->app)->state, CREEL__APP_STATE__APP_KILLED);
    assert_string_equal(rerun_of(w, false)->job->depends_on, "");
    assert_null(submit_again(w, rerun_of(w, false)));
    assert_int_equal(people_show(&w->h, w->app)->state, CREEL__APP_STATE__APP_RUNNING);
    end_with(w, (int[]){ 0 }, 1);
    spec->depends_on = (char *)(uintptr_t) "any:1,singleton";
    submit(w, spec);
    end_with(w, (int[]){ 0 }, 1);
    assert_string_equal(rerun_of(w, false)->job->depends_on, "singleton");
}

static void failed_tasks_of_an_array_run_again(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job_of(COMMAND, 512, 0);
    const Creel__Rerun *rerun;
    const Creel__LaunchContext *launch;

    spec->array = (char *)(uintptr_t) "10-40:10%4";
    submit(w, spec);
    end_with(w, (int[]){ 0, 3, 0, 4 }, 4);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    rerun = rerun_of(w, true);
    assert_int_equal(rerun->tasks, 2);
    assert_string_equal(rerun->job->array, "20,40%4");
    assert_string_equal(rerun->job->whole_array, "10-40:10%4");
    assert_string_equal(rerun->job->rerun_of, w->app);
    assert_null(submit_again(w, rerun));
    assert_string_equal(people_show(&w->h, w->app)->rerun_of, "application_1700000000000_0001");
    assert_int_equal(agent_running(&w->a), 2);
    launch = last_launch(w);
    assert_string_equal(variable(launch, "CREEL_ARRAY_TASK_COUNT"), "4");
    assert_string_equal(variable(launch, "CREEL_ARRAY_TASK_MIN"), "10");
    assert_string_equal(variable(launch, "CREEL_ARRAY_TASK_MAX"), "40");
    assert_string_equal(variable(launch, "CREEL_ARRAY_TASK_STEP"), "10");
    assert_string_equal(variable(launch, "CREEL_ARRAY_JOB_ID"), w->app);
}

static void an_array_that_runs_has_its_failed_tasks_only(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job_of(COMMAND, 512, 0);

    spec->array = (char *)(uintptr_t) "0-2";
    submit(w, spec);
    is_refused(ask(w, "ann", w->app, true), CREEL__ERROR_CODE__ERROR_BAD_STATE, "no task of this array");
    end_with(w, (int[]){ 7 }, 1);
    is_refused(ask(w, "ann", w->app, false), CREEL__ERROR_CODE__ERROR_BAD_STATE, "has not ended");
    assert_string_equal(rerun_of(w, true)->job->array, "0");
    assert_int_equal(ask(w, "ann", "1_0", false)->body_case, CREEL__ENVELOPE__BODY_RERUN);
}

static void an_array_is_no_part_of_one_without_its_tasks(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job_of(COMMAND, 512, 0);
    const Creel__Error *error;

    spec->array = (char *)(uintptr_t) "0-9";
    spec->whole_array = (char *)(uintptr_t) "0-8";
    people_submit(&w->h, spec, "", w->app, &error);
    assert_non_null(error);
    assert_non_null(strstr(error->message, "repeats tasks of another one"));
    spec->rerun_of = (char *)(uintptr_t) "application_1_0001";
    people_submit(&w->h, spec, "", w->app, &error);
    assert_non_null(error);
    assert_non_null(strstr(error->message, "has no task 9"));
}

static void a_command_runs_again_as_it_was_submitted(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job_of(COMMAND, 512, 0);
    const Creel__Rerun *rerun;

    spec->begin_ms = 5;
    spec->name = (char *)(uintptr_t) "night";
    submit(w, spec);
    is_refused(ask(w, "ann", w->app, false), CREEL__ERROR_CODE__ERROR_BAD_STATE, "creel app requeue _0001");
    end_with(w, (int[]){ 1 }, 1);
    is_refused(ask(w, "bob", w->app, false), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "may not run it again");
    is_refused(ask(w, "ann", "77", false), CREEL__ERROR_CODE__ERROR_NOT_FOUND, "not known");
    rerun = rerun_of(w, false);
    assert_string_equal(rerun->job->name, "night");
    assert_int_equal(rerun->job->begin_ms, 0);
    assert_int_equal(rerun->tasks, 0);
    assert_null(submit_again(w, rerun));
    end_with(w, (int[]){ 0 }, 1);
    is_refused(ask(w, "ann", w->app, true), CREEL__ERROR_CODE__ERROR_BAD_STATE, "has succeeded");
    assert_int_equal(ask(w, "ann", w->app, false)->body_case, CREEL__ENVELOPE__BODY_RERUN);
}

static void input_that_is_not_kept_is_named(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job_of(COMMAND, 512, 0);

    spec->launch->input = true;
    submit(w, spec);
    spec->launch->input = false;
    end_with(w, (int[]){ 1 }, 1);
    is_refused(ask(w, "ann", w->app, false), CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "standard input");
}

/* The application master reports the results of COUNT tasks and ends. */
static void finish(struct world *w, const int16_t *results, uint32_t count)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_FINISH_AM);
    Creel__FinishAm body = CREEL__FINISH_AM__INIT;
    Creel__AmState stored = CREEL__AM_STATE__INIT;
    uint8_t bytes[256];
    struct fake_am am;

    am_init(&am, w->app, 1);
    am_register(&w->h, &am);
    stored.data.data = bytes;
    stored.data.len = task_results_encode(results, count, bytes, sizeof(bytes));
    body.exit_status = 3;
    body.am_state = &stored;
    envelope->finish_am = &body;
    harness_ask(&w->h, MASTER_AM, am.connection, am.attempt_id, envelope);
    harness_commit(&w->h);
    world_settle(w);
    end_with(w, (int[]){ 3 }, 1);
}

static void tasks_that_succeeded_do_not_run_again(void **state)
{
    static const int16_t results[] = { 0, 3, 0, TASK_NOT_ENDED };
    struct world *w = *state;
    const Creel__RegisterAmReply *reply;
    const Creel__Rerun *rerun;
    struct fake_am am;
    int16_t again[4];
    struct err err;

    submit(w, job_of(TASKS, 256, 4));
    finish(w, results, 4);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    assert_int_equal(people_show(&w->h, w->app)->state, CREEL__APP_STATE__APP_FAILED);
    assert_null(rerun_of(w, false)->am_state);
    rerun = rerun_of(w, true);
    assert_int_equal(rerun->tasks, 2);
    assert_null(submit_again(w, rerun));
    am_init(&am, w->app, 1);
    reply = am_register(&w->h, &am)->register_am_reply;
    assert_int_equal(task_results_decode(reply->am_state.data, reply->am_state.len, again, 4, &err), 0);
    assert_int_equal(again[0], 0);
    assert_int_equal(again[1], TASK_NOT_ENDED);
    assert_int_equal(again[2], 0);
    assert_int_equal(again[3], TASK_NOT_ENDED);
}

static void a_part_of_a_job_of_tasks_runs_again_as_that_part(void **state)
{
    static const int16_t results[] = { 0, 3, 0, 3 }, of_part[] = { 0, 0, 0, 3 };
    struct world *w = *state;
    const Creel__Rerun *rerun;
    int16_t again[4];
    struct err err;

    submit(w, job_of(TASKS, 256, 4));
    finish(w, results, 4);
    assert_null(submit_again(w, rerun_of(w, true)));
    world_settle(w);
    finish(w, of_part, 4);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    assert_int_equal(rerun_of(w, true)->tasks, 1);
    rerun = rerun_of(w, false);
    assert_int_equal(rerun->tasks, 2);
    assert_int_equal(rerun->job->first_results.len, 0);
    assert_non_null(rerun->am_state);
    assert_int_equal(
        task_results_decode(rerun->am_state->data.data, rerun->am_state->data.len, again, 4, &err), 0);
    assert_int_equal(again[0], 0);
    assert_int_equal(again[1], TASK_NOT_ENDED);
    assert_int_equal(again[3], TASK_NOT_ENDED);
    assert_null(submit_again(w, rerun));
}

static void note_file(void *context, const Creel__JobSpec *job)
{
    unsigned *counts = context;

    counts[job->launch->files[0]->hash.data[0]]++;
}

static void the_newest_files_of_a_user_are_kept(void **state)
{
    enum { JOBS = 67 };
    struct world *w = *state;
    Creel__JobSpec *spec = job_of(COMMAND, 512, 0);
    Creel__FileRef file = CREEL__FILE_REF__INIT, *files[] = { &file };
    unsigned counts[JOBS] = { 0 };
    uint8_t hash[32] = { 0 };

    file.name = (char *)(uintptr_t) "data";
    file.hash = (ProtobufCBinaryData){ .len = sizeof(hash), .data = hash };
    file.size_bytes = MASTER_RERUN_FILES_MAX;
    spec->launch->files = files;
    for (unsigned i = 0; i < JOBS; i++) {
        hash[0] = (uint8_t)(i < JOBS - 1 ? i : i - 1); /* the last two jobs have the same file */
        spec->launch->n_files = 1;
        submit(w, spec);
        spec->launch->n_files = 0;
        end_with(w, (int[]){ 1 }, 1);
    }
    master_each_live_job(w->h.master, note_file, counts);
    for (unsigned i = 0; i < JOBS - 1; i++)
        assert_int_equal(counts[i], i < 2 ? 0 : i == JOBS - 2 ? 2 : 1);
}

static void results_of_another_job_are_refused(void **state)
{
    static const int16_t results[] = { 0, 0, 0 };
    struct world *w = *state;
    Creel__AmState stored = CREEL__AM_STATE__INIT;
    Creel__Rerun rerun = CREEL__RERUN__INIT;
    uint8_t bytes[256];

    stored.data.data = bytes;
    stored.data.len = task_results_encode(results, 3, bytes, sizeof(bytes));
    rerun.am_state = &stored;
    rerun.job = job_of(TASKS, 256, 4);
    assert_non_null(submit_again(w, &rerun)); /* it repeats no application */
    rerun.job->rerun_of = (char *)(uintptr_t) "application_1700000000000_0001";
    assert_non_null(
        strstr(submit_again(w, &rerun)->message, "the results of its tasks: ")); /* of three tasks */
    rerun.job->task_count = 3;
    assert_null(submit_again(w, &rerun));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_rerun_does_not_wait_for_the_applications_of_the_first_run),
        TEST(failed_tasks_of_an_array_run_again),
        TEST(an_array_that_runs_has_its_failed_tasks_only),
        TEST(an_array_is_no_part_of_one_without_its_tasks),
        TEST(a_command_runs_again_as_it_was_submitted),
        TEST(input_that_is_not_kept_is_named),
        TEST(tasks_that_succeeded_do_not_run_again),
        TEST(a_part_of_a_job_of_tasks_runs_again_as_that_part),
        TEST(the_newest_files_of_a_user_are_kept),
        TEST(results_of_another_job_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
