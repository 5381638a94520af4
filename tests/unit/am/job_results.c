/* SPDX-License-Identifier: Apache-2.0 */
/* job_results.c - test: the results of tasks as bytes, and the attempt that reads them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/job/task_results.h"
#include "common/base/job/am_state.h"
#include "common/base/mem.h"
#include "common/base/rng.h"
#include "tests/unit/am/job_dialogue.h"

/* --- the bytes --------------------------------------------------------------- */

static void check_round_trip(const int16_t *results, uint32_t count)
{
    scoped_free uint8_t *bytes = mem_alloc(AM_STATE_BYTES_MAX);
    scoped_free int16_t *again = mem_array0(count, sizeof(*again));
    size_t size = task_results_encode(results, count, bytes, AM_STATE_BYTES_MAX);
    struct err err;

    if (task_results_decode(bytes, size, again, count, &err) < 0)
        fail_msg("%s", err.text);
    assert_memory_equal(again, results, count * sizeof(*again));
    assert_int_equal(task_results_decode(bytes, size, again, count + 1, &err), -EINVAL);
    for (size_t shorter = 0; shorter < size && shorter < 64; shorter++) /* valid only before the failures */
        (void)task_results_decode(bytes, shorter, again, count, &err);
}

static void results_are_read_as_they_were_written(void **state)
{
    static const int16_t few[] = { 0, 3, TASK_NOT_ENDED, 0, 255, TASK_NOT_ENDED, 0 };
    static const int16_t none[] = { TASK_NOT_ENDED };
    struct rng rng;

    (void)state;
    rng_seed(&rng, 7);
    check_round_trip(few, 7);
    check_round_trip(none, 1);
    for (unsigned i = 0; i < 300; i++) {
        uint32_t count = (uint32_t)rng_between(&rng, 1, 5000), ended = (uint32_t)rng_between(&rng, 0, 100);
        scoped_free int16_t *results = mem_array0(count, sizeof(*results));

        for (uint32_t task = 0; task < count; task++)
            results[task] = rng_between(&rng, 0, 99) >= ended ? TASK_NOT_ENDED
                            : rng_between(&rng, 0, 9) > 0     ? 0
                                                              : (int16_t)rng_between(&rng, 1, 255);
        check_round_trip(results, count);
    }
}

static void the_largest_job_fits(void **state)
{
    const uint32_t count = 1000000;
    scoped_free int16_t *results = mem_array0(count, sizeof(*results)),
                        *again = mem_array0(count, sizeof(*again));
    scoped_free uint8_t *bytes = mem_alloc(AM_STATE_BYTES_MAX);
    uint32_t failed = 0;
    struct err err;
    size_t size;

    (void)state;
    for (uint32_t i = 0; i < count; i++)
        results[i] = i % 2 == 0 ? 0 : TASK_NOT_ENDED;
    check_round_trip(results, count);
    for (uint32_t i = 0; i < count; i += 2)
        results[i] = 9;
    size = task_results_encode(results, count, bytes, AM_STATE_BYTES_MAX);
    assert_in_range(size, 1, AM_STATE_BYTES_MAX);
    assert_int_equal(task_results_decode(bytes, size, again, count, &err), 0);
    for (uint32_t i = 0; i < count; i++) { /* failures that do not fit count as not ended */
        failed += again[i] == 9;
        assert_true(again[i] == TASK_NOT_ENDED || (again[i] == 9 && i % 2 == 0));
    }
    assert_in_range(failed, 1000, count / 2 - 1);
}

static void expect_damaged(const char *bytes, size_t size, const char *words)
{
    int16_t results[3];
    struct err err;

    assert_int_equal(task_results_decode((const uint8_t *)bytes, size, results, 3, &err), -EINVAL);
    if (strstr(err.text, words) == NULL)
        fail_msg("%s, expected: %s", err.text, words);
}

static void damaged_bytes_are_refused(void **state)
{
    (void)state;
    expect_damaged("", 0, "version 1");
    expect_damaged("\2\3\0\3", 4, "version 1");
    expect_damaged("\1", 1, "end too early");
    expect_damaged("\1\xff\xff\xff\xff\xff\xff", 7, "end too early");
    expect_damaged("\1\4\0\4", 4, "of 4 tasks, not of 3");
    expect_damaged("\1\3\2\3", 4, "ended tasks");
    expect_damaged("\1\3\0\4", 4, "ended tasks");
    expect_damaged("\1\3\0\1\0\2", 6, "ended tasks");
    expect_damaged("\1\3\0\1", 4, "ended tasks");
    expect_damaged("\1\3\1", 3, "ended tasks");
    expect_damaged("\1\3\0\0\3\0\0", 7, "failed tasks"); /* failed with 0 */
    expect_damaged("\1\3\0\0\3\3\1", 7, "failed tasks"); /* a task that is not there */
    expect_damaged("\1\3\0\0\3\0", 6, "failed tasks");
    expect_damaged("\1\3\0\3\0\1", 6, "failed tasks"); /* failed, but not ended */
}

/* --- the attempts ------------------------------------------------------------- */

static void registered_with_state(struct script *script, const void *bytes, size_t size, const char *ended)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__RegisterAmReply body = CREEL__REGISTER_AM_REPLY__INIT;
    Creel__ContainerStatus status = CREEL__CONTAINER_STATUS__INIT, *completed[] = { &status };
    char id[] = "container_1700000000000_0001_01_000099";
    scoped_free uint8_t *copy = mem_dup(bytes, size + 1);
    scoped_free char *title = mem_strdup(ended);

    script_sent(script, CREEL__ENVELOPE__BODY_REGISTER_AM);
    status.container_id = id;
    status.title = title;
    body.completed = completed;
    body.n_completed = ended[0] != '\0';
    body.am_state.data = copy;
    body.am_state.len = size;
    body.response_id = script->response_id = 10;
    envelope.request_id = script->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY;
    envelope.register_am_reply = &body;
    script_hear(script, &envelope);
}

static void results_are_stored_when_they_changed(void **state)
{
    struct task_options options = { .keep_results = true };
    const Creel__Allocate *sent;
    struct script script;

    (void)state;
    script_begin(&script, 3, &options);
    script_registered(&script);
    assert_null(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->am_state);
    script_allocated(&script, 3, 0, 0, "");
    script_started(&script, 2, NULL);
    script_started(&script, 3, NULL);
    script_started(&script, 4, NULL);
    script_wait_until(&script, script.now_ms + 1000);
    script_exchange(&script, 0, 3, 5, "");
    script_wait_until(&script, script.now_ms + 1000);
    sent = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(sent->am_state->data.len, 6);
    assert_memory_equal(sent->am_state->data.data, "\1\3\1\2\1\5", 6);
    script_allocated(&script, 0, 0, 0, "");
    script_wait_until(&script, script.now_ms + 1000);
    assert_null(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->am_state);
    script_error(&script, CREEL__ERROR_CODE__ERROR_RESYNC, ""); /* an RM that restarted may not have them */
    script_wait_until(&script, script.now_ms + 1000);
    script_registered(&script);
    assert_non_null(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->am_state);
    script_end(&script);
}

static void the_next_attempt_runs_the_tasks_that_had_not_ended(void **state)
{
    struct task_options options = { .keep_results = true };
    struct task_counts counts;
    struct script script;

    (void)state;
    script_begin(&script, 5, &options);
    /* Tasks 0 and 2 ended, 2 with 5; the end of task 4 is newer than these results. */
    registered_with_state(&script, "\1\5\1\5\2\5", 6, "4");
    assert_int_equal(script_event(&script, TASK_EVENT_RESTORED)->task, 2);
    counts = task_master_counts(script.master);
    assert_int_equal(counts.succeeded, 2);
    assert_int_equal(counts.failed, 1);
    assert_int_equal(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->asks[0]->count, 2);
    script_end(&script);
}

static void a_job_with_all_tasks_ended_ends_at_once(void **state)
{
    struct task_options options = { .keep_results = true };
    const Creel__Envelope *sent;
    struct script script;

    (void)state;
    script_begin(&script, 2, &options);
    registered_with_state(&script, "\1\2\0\0\2\1\4", 7, "");
    sent = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE); /* withdraws all requests */
    assert_int_equal(sent->allocate->asks[0]->count, 0);
    script_allocated(&script, 0, 0, 0, "");
    sent = script_sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM);
    assert_int_equal(sent->finish_am->status, CREEL__FINAL_STATUS__FINAL_FAILED);
    assert_int_equal(sent->finish_am->exit_status, 4);
    script_end(&script);
}

static void unreadable_results_run_all_tasks(void **state)
{
    struct task_options options = { .keep_results = true };
    struct script script;

    (void)state;
    script_begin(&script, 2, &options);
    registered_with_state(&script, "\1\2\0\7", 4, "");
    assert_non_null(
        strstr(script_event(&script, TASK_EVENT_RESTORED)->diagnostics, "ended tasks is damaged"));
    assert_int_equal(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->asks[0]->count, 2);
    script_end(&script);
}

static void step_of_a_job_ignores_the_state(void **state)
{
    struct task_options options = { .title_prefix = "s." };
    struct script script;

    (void)state;
    script_begin(&script, 2, &options);
    registered_with_state(&script, "\1\2\0\0\2", 5, "");
    assert_null(script_event(&script, TASK_EVENT_RESTORED));
    assert_int_equal(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->asks[0]->count, 2);
    script_end(&script);
}

/* Ends a job of two tasks: the first with status 3 and WORDS, the second with 0 and OTHER. */
static void expect_diagnostics(const char *words, const char *other, const char *result)
{
    struct task_options options = { .app_id = "application_1_0001" };
    struct script script;

    script_begin(&script, 2, &options);
    script_registered(&script);
    script_exchange(&script, 2, 0, 0, "");
    script_started(&script, 2, NULL);
    script_started(&script, 3, NULL);
    script_wait_until(&script, script.now_ms + 1000);
    script_exchange(&script, 0, 2, 3, words);
    script_wait_until(&script, script.now_ms + 1000);
    script_exchange(&script, 0, 3, 0, other);
    assert_string_equal(script_sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM)->finish_am->diagnostics,
                        result);
    script_end(&script);
}

static void the_result_has_each_message_once(void **state)
{
    (void)state;
    expect_diagnostics("no space", "left: x",
                       "1 of 2 tasks failed; task 0 ended with 3: no space. task 1: left: x");
    expect_diagnostics(
        "left: x", "left: x",
        "1 of 2 tasks failed; task 0 ended with 3: left: x. Task 1, which succeeded, has the same message");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_read_as_they_were_written),
        cmocka_unit_test(the_largest_job_fits),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(results_are_stored_when_they_changed),
        cmocka_unit_test(the_next_attempt_runs_the_tasks_that_had_not_ended),
        cmocka_unit_test(a_job_with_all_tasks_ended_ends_at_once),
        cmocka_unit_test(unreadable_results_run_all_tasks),
        cmocka_unit_test(step_of_a_job_ignores_the_state),
        cmocka_unit_test(the_result_has_each_message_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
