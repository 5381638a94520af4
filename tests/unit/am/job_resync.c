/* SPDX-License-Identifier: Apache-2.0 */
/* job_resync.c - test: the task master after a restart of the resource manager, and after its own */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/unit/am/job_dialogue.h"

static void after_resync_running_tasks_go_on(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    script_begin(&script, 2, &options);
    script_registered(&script);
    script_exchange(&script, 1, 0, 0, "");
    script_started(&script, 2, NULL);
    script_wait_until(&script, script.now_ms + 1000);
    script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    script_error(&script, CREEL__ERROR_CODE__ERROR_RESYNC, "unknown");
    assert_non_null(script_event(&script, TASK_EVENT_RESYNC));
    script_wait_until(&script, script.now_ms + 100);
    script_registered(&script);
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->asks[0]->count, 1); /* for the other task only */
    assert_int_equal(allocate->n_releases, 0);
    assert_null(script_only(&script, TASK_SEND_AGENT));
    assert_int_equal(task_master_counts(script.master).running, 1);
    script_end(&script);
}

static uint32_t requested(const Creel__Allocate *allocate)
{
    return allocate->n_asks > 0 ? allocate->asks[0]->count : 0;
}

/* The process before may have started any task in the container: none starts before its title or its end is
 * known. */
static void untitled_container_of_an_earlier_process_delays_the_tasks(void **state)
{
    static char title[] = "1";
    struct task_options options = { .session = 7, .rm_resend_ms = 0 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    script_begin(&script, 2, &options);
    script_registered_with(&script, 2, "token");
    assert_int_equal(requested(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate), 0);
    script_allocated(&script, 0, 0, 0, "");
    script_wait_until(&script, script.now_ms + 2000);
    script.title = title;
    script_registered_with(&script, 2, "token");
    assert_int_equal(script_event(&script, TASK_EVENT_STARTED)->task, 1);
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->asks[0]->count, 1); /* for the other task */
    assert_int_equal(allocate->n_releases, 0);
    script_end(&script);
}

static void untitled_container_is_released_when_its_title_stays_unknown(void **state)
{
    struct task_options options = { .session = 7, .rm_resend_ms = 0 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    script_begin(&script, 1, &options);
    script_registered_with(&script, 2, "token");
    for (int waited = 0; waited < 10000; waited += 2000) {
        allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
        assert_int_equal(requested(allocate) + allocate->n_releases, 0);
        script_allocated(&script, 0, 0, 0, "");
        script_wait_until(&script, script.now_ms + 2000);
        script_registered_with(&script, 2, "token");
    }
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_releases, 1);
    assert_int_equal(requested(allocate), 0);
    script_allocated(&script, 0, 2, -105, ""); /* the end of the container */
    assert_int_equal(requested(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate), 1);
    script_end(&script);
}

/* Another process has taken the application over, and runs the tasks. */
static void replaced_process_stops_no_task(void **state)
{
    struct task_options options = { .session = 7, .rm_resend_ms = 0 };
    struct script script;

    (void)state;
    script_run_one(&script, &options);
    script_error(&script, CREEL__ERROR_CODE__ERROR_RESYNC, "unknown");
    script_wait_until(&script, script.now_ms + 100);
    script_sent(&script, CREEL__ENVELOPE__BODY_REGISTER_AM);
    script_error(&script, CREEL__ERROR_CODE__ERROR_BAD_STATE, "another process has taken it over");
    assert_null(script_only(&script, TASK_SEND_AGENT));
    assert_non_null(script_only(&script, TASK_DONE));
    script_end(&script);
}

/* Tokens are signed with keys that change daily; a task may run for weeks. */
static void a_registration_brings_new_tokens(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    const struct task_event *event;
    const struct task_effect *stop;
    struct script script;

    (void)state;
    script_run_one(&script, &options);
    for (int i = 0; i < 2; i++) { /* a reply without tokens keeps the old tokens */
        script_error(&script, CREEL__ERROR_CODE__ERROR_RESYNC, "unknown");
        script_wait_until(&script, script.now_ms + 100);
        script_registered_with(&script, 2, i == 0 ? "renewed" : NULL);
        event = script_event(&script, TASK_EVENT_RENEWED);
        assert_int_equal(event != NULL, i == 0);
        if (event)
            assert_string_equal((const char *)event->token.data, "renewed");
        script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    }
    task_effects_reset(&script.effects);
    task_master_on_stop(script.master, script.now_ms, 130, "interrupted", &script.effects);
    stop = script_only(&script, TASK_SEND_AGENT);
    assert_non_null(stop);
    assert_string_equal((const char *)stop->envelope->stop_containers->tokens[0].data, "renewed");
    script_end(&script);
}

static void container_lost_by_the_rm_is_given_up_late(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    script_run_one(&script, &options);
    script_error(&script, CREEL__ERROR_CODE__ERROR_RESYNC, "unknown");
    script_wait_until(&script, script.now_ms + 100);
    script_registered(&script);
    script_exchange(&script, 0, 0, 0, "");
    script_wait_until(&script, script.now_ms + 1000000); /* the master asks for the list of its
                                                            containers */
    script_registered(&script);
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_releases, 1);
    script_allocated(&script, 0, 2, -100, "not known");
    assert_non_null(script_event(&script, TASK_EVENT_RETRY));
    script_end(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_resync_running_tasks_go_on),
        cmocka_unit_test(untitled_container_of_an_earlier_process_delays_the_tasks),
        cmocka_unit_test(untitled_container_is_released_when_its_title_stays_unknown),
        cmocka_unit_test(replaced_process_stops_no_task),
        cmocka_unit_test(a_registration_brings_new_tokens),
        cmocka_unit_test(container_lost_by_the_rm_is_given_up_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
