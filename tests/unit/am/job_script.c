/* SPDX-License-Identifier: Apache-2.0 */
/* job_script.c - test: the task master message by message: its requests and its reactions */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/text.h"
#include "common/base/job/exit_status.h"
#include "tests/unit/am/job_dialogue.h"

static bool has_variable(const Creel__LaunchContext *launch, const char *name, const char *value)
{
    bool found = false;

    for (size_t i = 0; i < launch->n_environment; i++) {
        if (!text_equal(launch->environment[i]->name, name))
            continue;
        assert_false(found);
        assert_string_equal(launch->environment[i]->value, value);
        found = true;
    }
    return found;
}

static void a_start_has_all_data_of_the_task(void **state)
{
    struct task_options options = { .app_id = "application_1_0001", .title_prefix = "s." };
    const Creel__StartRequest *request;
    const struct task_effect *effect;
    struct script script;

    (void)state;
    script_begin(&script, 2, &options);
    script_registered(&script);
    assert_int_equal(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->asks[0]->count, 2);
    script_allocated(&script, 2, 0, 0, "");
    effect = script_only(&script, TASK_SEND_AGENT); /* one message for both containers */
    assert_non_null(effect);
    assert_string_equal(effect->address, "n1:8041");
    assert_int_equal(effect->envelope->start_containers->n_containers, 2);
    request = effect->envelope->start_containers->containers[1];
    assert_string_equal((const char *)request->token.data, "token");
    assert_string_equal(request->launch->title, "s.1");
    assert_string_equal(request->launch->command[0], "work");
    assert_true(has_variable(request->launch, "A", "1"));
    assert_true(has_variable(request->launch, "CREEL_TASK_INDEX", "1"));
    assert_true(has_variable(request->launch, "CREEL_TASK_COUNT", "2"));
    assert_true(has_variable(request->launch, "CREEL_TASK_TRY", "1"));
    assert_true(has_variable(request->launch, "CREEL_APP_ID", "application_1_0001"));
    script_end(&script);
}

/* READERS: the tasks that read standard input, as "01". */
static void expect_readers(const struct script_input *input, const char *readers)
{
    struct task_options options = { .title_prefix = "" };
    const Creel__StartContainers *starts;
    struct script script;
    char text[8] = "";

    script_begin_input(&script, 3, &options, input);
    script_registered(&script);
    script_exchange(&script, 3, 0, 0, "");
    starts = script_only(&script, TASK_SEND_AGENT)->envelope->start_containers;
    assert_int_equal(starts->n_containers, 3);
    for (size_t i = 0; i < 3; i++)
        if (starts->containers[i]->launch->input)
            strcat(text, starts->containers[i]->launch->title);
    assert_string_equal(text, readers);
    script_end(&script);
}

static void chosen_tasks_read_standard_input(void **state)
{
    (void)state;
    expect_readers(&(struct script_input){ .none = true }, "");
    expect_readers(&(struct script_input){ .task = 1 }, "1");
    expect_readers(&(struct script_input){ .all = true }, "012");
}

static void an_unanswered_allocate_is_repeated_unchanged(void **state)
{
    struct task_options options = { .rm_resend_ms = 500 };
    const Creel__Envelope *again;
    struct script script;
    uint64_t first;

    (void)state;
    script_begin(&script, 3, &options);
    script_registered(&script);
    script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    first = script.request_id;
    script_wait_until(&script, script.now_ms + 499);
    assert_null(script_only(&script, TASK_SEND_RM));
    script_wait_until(&script, script.now_ms + 1);
    again = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    assert_int_equal(again->request_id, first);
    assert_int_equal(again->allocate->response_id, 10);
    assert_int_equal(again->allocate->asks[0]->count, 3);
    script_allocated(&script, 1, 0, 0, "");
    script.request_id = first; /* the same reply a second time */
    script.response_id--;
    script.next--;
    script_allocated(&script, 1, 0, 0, "");
    assert_int_equal(script.effects.count, 0);
    script_wait_until(&script, script.now_ms + 1000);
    again = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    assert_int_equal(again->allocate->response_id, 11);
    assert_int_equal(again->allocate->n_asks, 0); /* the RM still has to allocate the other two */
    script_end(&script);
}

static void wakeup_sends_the_request_at_once(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__AmWakeup wakeup = CREEL__AM_WAKEUP__INIT;
    struct script script;

    (void)state;
    script_begin(&script, 1, &options);
    script_registered(&script);
    script_exchange(&script, 0, 0, 0, "");
    assert_null(script_only(&script, TASK_SEND_RM));
    envelope.body_case = CREEL__ENVELOPE__BODY_AM_WAKEUP;
    envelope.am_wakeup = &wakeup;
    script_hear(&script, &envelope);
    script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    script_end(&script);
}

static void surplus_container_is_released_until_it_ended(void **state)
{
    struct task_options options = { .agent_resend_ms = 3600000 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    script_begin(&script, 1, &options);
    script_registered(&script);
    script_exchange(&script, 2, 0, 0, "");
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_releases, 1);
    assert_non_null(strstr(allocate->releases[0], "000003"));
    script_allocated(&script, 0, 0, 0, "");
    script_wait_until(&script, script.now_ms + 5000);
    assert_int_equal(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->n_releases, 1);
    script_allocated(&script, 0, 3, -100, "");
    script_wait_until(&script, script.now_ms + 20000);
    assert_int_equal(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->n_releases, 0);
    script_end(&script);
}

struct judgement {
    int status;
    bool again; /* the task gets another try */
    int exit_status;
};

static void containers_of_many_tasks_are_requested_in_portions(void **state)
{
    struct task_options options = { .agent_resend_ms = 3600000 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    script_begin(&script, 50000, &options);
    script_registered(&script);
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_asks, 1);
    assert_int_equal(allocate->asks[0]->count, 4000);
    /* Requests no more containers while many allocated containers have not been started. */
    for (int granted = 0; granted < 2400; granted += 8) {
        script_allocated(&script, 8, 0, 0, "");
        if (!script_only(&script, TASK_SEND_RM))
            script_wait_until(&script, script.now_ms + 1000);
        allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    }
    assert_int_equal(allocate->n_asks, 0);
    script_allocated(&script, 0, 0, 0, "");
    for (uint32_t i = 0; i < 401; i++)
        script_started(&script, 2 + i, NULL);
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_asks, 1);
    assert_int_equal(allocate->asks[0]->count, 4000);
    script_end(&script);
}

static void every_way_to_end_is_judged(void **state)
{
    static const struct judgement table[] = {
        { 0, false, 0 },      { 3, false, 3 },      { 143, false, 143 }, { 137, false, 137 },
        { -104, false, 137 }, { -103, false, 137 }, { -1, false, 127 },  { -107, false, 143 },
        { -100, true, 0 },    { -102, true, 0 },    { 154, true, 0 },    { -101, true, 0 },
        { -106, true, 0 },
    };
    struct task_options options = { .rm_resend_ms = 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const Creel__Envelope *next;
        struct script script;

        script_run_one(&script, &options);
        script_allocated(&script, 0, 2, table[i].status, "some words");
        if (table[i].again) {
            next = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
            assert_int_equal(next->allocate->asks[0]->count, 1);
            assert_non_null(script_event(&script, TASK_EVENT_RETRY));
            assert_null(script_event(&script, TASK_EVENT_ENDED));
        } else {
            next = script_sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM);
            assert_int_equal(next->finish_am->exit_status, table[i].exit_status);
            assert_int_equal(next->finish_am->tasks->total, 1);
            assert_int_equal(next->finish_am->tasks->running, 0);
            assert_int_equal(next->finish_am->tasks->succeeded, table[i].exit_status == 0);
            assert_int_equal(next->finish_am->tasks->failed, table[i].exit_status != 0);
            assert_int_equal(next->finish_am->status, table[i].exit_status
                                                          ? CREEL__FINAL_STATUS__FINAL_FAILED
                                                          : CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
            assert_true(!table[i].exit_status || strstr(next->finish_am->diagnostics, "some words"));
            script_finished(&script);
            assert_int_equal(script_only(&script, TASK_DONE)->exit_status, table[i].exit_status);
        }
        script_end(&script);
    }
}

static void a_lost_task_is_tried_a_bounded_number_of_times(void **state)
{
    struct task_options options = { .lost_retries = 2 };
    struct script script;

    (void)state;
    script_run_one(&script, &options);
    for (uint32_t i = 0; i < 2; i++) {
        script_allocated(&script, 0, 2 + i, -100, "node lost");
        script_exchange(&script, 1, 0, 0, "");
        script_wait_until(&script, script.now_ms + 1000);
        script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    }
    script_allocated(&script, 0, 4, -100, "node lost");
    assert_int_equal(script_sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM)->finish_am->exit_status, 1);
    assert_int_equal(script_event(&script, TASK_EVENT_ENDED)->try_number, 3);
    script_end(&script);
}

static void a_task_with_no_requeue_starts_once(void **state)
{
    static const int ends[] = { CONTAINER_EXIT_ABORTED, CONTAINER_EXIT_PREEMPTED, CONTAINER_EXIT_DISKS };
    const struct script_input input = { .none = true, .no_requeue = true };
    struct task_options options = { .lost_retries = 2, .task_attempts = 3 };
    Creel__Error error = CREEL__ERROR__INIT;
    struct script script;

    (void)state;
    error.code = CREEL__ERROR_CODE__ERROR_BAD_STATE;
    error.message = (char[]){ "disk full" };
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        script_begin_input(&script, 1, &options, &input);
        script_registered(&script);
        script_exchange(&script, 1, 0, 0, "");
        script_started(&script, 2, &error); /* the agent refuses it, so it may start again */
        script_exchange(&script, 0, 2, CONTAINER_EXIT_BY_AM, "released");
        assert_non_null(script_event(&script, TASK_EVENT_RETRY));
        script_wait_until(&script, script.now_ms + 60000);
        script_exchange(&script, 1, 0, 0, "");
        script_started(&script, 3, NULL);
        script_wait_until(&script, script.now_ms + 1000);
        script_exchange(&script, 0, 3, ends[i], "its node was drained");
        assert_non_null(script_event(&script, TASK_EVENT_ENDED));
        assert_int_not_equal(script_sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM)->finish_am->exit_status,
                             0);
        script_end(&script);
    }
}

static void refused_start_waits_for_the_final_status_from_the_rm(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    Creel__Error error = CREEL__ERROR__INIT;
    char words[] = "disk full";
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    error.code = CREEL__ERROR_CODE__ERROR_BAD_STATE;
    error.message = words;
    script_begin(&script, 1, &options);
    script_registered(&script);
    script_exchange(&script, 1, 0, 0, "");
    script_started(&script, 2, &error);
    assert_string_equal(script_event(&script, TASK_EVENT_REFUSED)->diagnostics, "disk full");
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_releases, 1);
    assert_int_equal(allocate->n_asks, 0); /* the container may run in spite of the error */
    script_allocated(&script, 0, 2, -100, "released");
    assert_null(script_only(&script, TASK_SEND_RM)); /* no immediate retry */
    script_wait_until(&script, script.now_ms + 3000);
    assert_int_equal(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->asks[0]->count, 1);
    script_end(&script);
}

static void a_refused_start_that_ran_all_the_same_counts(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    Creel__Error error = CREEL__ERROR__INIT;
    struct script script;

    (void)state;
    error.code = CREEL__ERROR_CODE__ERROR_BAD_STATE;
    script_begin(&script, 1, &options);
    script_registered(&script);
    script_exchange(&script, 1, 0, 0, "");
    script_started(&script, 2, &error);
    script_exchange(&script, 0, 2, 0, "");
    assert_int_equal(script_sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM)->finish_am->exit_status, 0);
    script_end(&script);
}

/* Returns the seconds until the next message to the RM. */
static int seconds_of_silence(struct script *script)
{
    int seconds = 0;

    do {
        assert_true(++seconds < 100);
        script_wait_until(script, script->now_ms + 1000);
    } while (script_only(script, TASK_SEND_RM) == NULL);
    return seconds;
}

static void a_silent_agent_is_avoided(void **state)
{
    struct task_options options = { .agent_resend_ms = 1000 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    script_begin(&script, 1, &options);
    script_registered(&script);
    script_exchange(&script, 1, 0, 0, "");
    for (int i = 0; i < 3; i++) {
        script_wait_until(&script, script.now_ms + 1000);
        assert_non_null(script_only(&script, TASK_SEND_AGENT));
        script_exchange(&script, 0, 0, 0, "");
    }
    script_wait_until(&script, script.now_ms + 1000);
    assert_non_null(strstr(script_event(&script, TASK_EVENT_REFUSED)->diagnostics,
                           "its agent at n1:8041 has not answered for 4 s"));
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_releases, 1);
    assert_int_equal(allocate->n_blacklist_add, 1);
    assert_string_equal(allocate->blacklist_add[0], "n1:8041");
    /* The task is retried elsewhere only when the RM has reported the container's end. */
    assert_int_equal(allocate->n_asks, 0);
    script_allocated(&script, 0, 1, -105, "");
    assert_int_equal(seconds_of_silence(&script), 1);
    assert_int_equal(script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->n_blacklist_add, 0);
    script_end(&script);
}

/* As for a user who has no account on the node: other nodes may have it. */
static void task_that_a_node_could_not_start_is_tried_elsewhere(void **state)
{
    struct task_options options = { .rm_resend_ms = 3600000 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    script_begin(&script, 1, &options);
    script.cluster_nodes = 2;
    script.elsewhere = true;
    script_registered(&script);
    script_exchange(&script, 1, 0, 0, "");
    for (uint32_t i = 0; i < 3; i++) {
        script_started(&script, 2 + i, NULL);
        script_wait_until(&script, script.now_ms + 1000);
        script_exchange(&script, 0, 2 + i, -1, "could not be launched");
        assert_non_null(script_event(&script, TASK_EVENT_RETRY));
        allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
        assert_int_equal(allocate->asks[0]->count, 1);
        assert_int_equal(allocate->n_blacklist_add, i == 0); /* never more than half of the nodes */
        script_allocated(&script, 1, 0, 0, "");
    }
    script_started(&script, 5, NULL);
    script_wait_until(&script, script.now_ms + 1000);
    script_exchange(&script, 0, 5, -1, "could not be launched");
    assert_int_equal(script_event(&script, TASK_EVENT_ENDED)->exit_status, 127);
    script_end(&script);
}

/* An agent of 0.2.0 would run the command with other bytes. */
static void escaped_task_runs_only_on_a_node_that_restores_it(void **state)
{
    const struct script_input input = { .none = true, .escaped = true };
    struct task_options options = { .title_prefix = "" };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    script_begin_input(&script, 1, &options, &input);
    script_registered(&script);
    script_exchange(&script, 1, 0, 0, "");
    assert_null(script_only(&script, TASK_SEND_AGENT));
    assert_non_null(strstr(script_event(&script, TASK_EVENT_AVOIDED)->diagnostics,
                           "agent of node n1:8041 does not accept"));
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_releases, 1);
    assert_string_equal(allocate->blacklist_add[0], "n1:8041");
    assert_int_equal(allocate->asks[0]->count, 1); /* the task waits for another container */
    script.restores = true;
    script_allocated(&script, 1, 2, -105, "");
    assert_true(
        script_only(&script, TASK_SEND_AGENT)->envelope->start_containers->containers[0]->launch->escaped);
    script_end(&script);
}

/* Nobody has checked whether the cluster has nodes for a step. */
static void escaped_step_is_refused_by_a_node_that_does_not_restore_it(void **state)
{
    const struct script_input input = { .none = true, .escaped = true };
    struct task_options options = { .title_prefix = "s.", .job_files = true };
    const struct task_event *end;
    struct script script;

    (void)state;
    script_begin_input(&script, 1, &options, &input);
    script_registered(&script);
    script_exchange(&script, 1, 0, 0, "");
    assert_null(script_only(&script, TASK_SEND_AGENT));
    end = script_event(&script, TASK_EVENT_ENDED);
    assert_int_equal(end->exit_status, 127);
    assert_non_null(strstr(end->diagnostics, "agent of node n1:8041 does not accept"));
    script_end(&script);
}

static void avoided_node_is_requested_again_later(void **state)
{
    struct task_options options = { .agent_resend_ms = 1000, .rm_resend_ms = 3600000 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    script_begin(&script, 1, &options);
    script_registered(&script);
    script_exchange(&script, 1, 0, 0, "");
    script_wait_until(&script, script.now_ms + 1000);
    script_exchange(&script, 0, 0, 0, "");
    script_wait_until(&script, script.now_ms + 4000);
    script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    script_error(&script, CREEL__ERROR_CODE__ERROR_RESYNC, "unknown");
    script_wait_until(&script, script.now_ms + 1000);
    script_registered(&script);
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_blacklist_add, 1);
    script_allocated(&script, 0, 1, -105, "");
    script_wait_until(&script, script.now_ms + 600000);
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_blacklist_add, 0);
    assert_int_equal(allocate->n_blacklist_remove, 1);
    assert_string_equal(allocate->blacklist_remove[0], "n1:8041");
    script_end(&script);
}

static void tasks_are_found_by_their_titles(void **state)
{
    struct task_options options = { .title_prefix = "s.", .own_container_id = "own" };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__RegisterAmReply body = CREEL__REGISTER_AM_REPLY__INIT;
    Creel__Container own = CREEL__CONTAINER__INIT, found = CREEL__CONTAINER__INIT,
                     other = CREEL__CONTAINER__INIT, *running[] = { &own, &found, &other };
    Creel__ContainerStatus done = CREEL__CONTAINER_STATUS__INIT, old = CREEL__CONTAINER_STATUS__INIT,
                           *completed[] = { &done, &old };
    char texts[][16] = { "own", "c1", "c2", "c3", "c4", "s.0", "s.1", "t.2" };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    script_begin(&script, 3, &options);
    own.container_id = texts[0];
    found.container_id = texts[1];
    found.title = texts[5];
    other.container_id = texts[2];
    other.title = texts[7]; /* container of an earlier step, still running */
    done.container_id = texts[3];
    done.title = texts[6];
    old.container_id = texts[4];
    old.title = texts[7];
    old.exit_status = 9;
    body.n_running = 3;
    body.running = running;
    body.n_completed = 2;
    body.completed = completed;
    script_sent(&script, CREEL__ENVELOPE__BODY_REGISTER_AM);
    envelope.request_id = script.request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY;
    envelope.register_am_reply = &body;
    script_hear(&script, &envelope);
    allocate = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->asks[0]->count, 1); /* task 2 */
    assert_int_equal(allocate->n_releases, 1);
    assert_string_equal(allocate->releases[0], "c2");
    assert_int_equal(task_master_counts(script.master).running, 1);
    assert_int_equal(task_master_counts(script.master).succeeded, 1);
    script_end(&script);
}

static void stopping_stops_and_gives_back_everything(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    const Creel__Envelope *envelope;
    struct script script;

    (void)state;
    script_run_one(&script, &options);
    script_allocated(&script, 0, 0, 0, "");
    task_effects_reset(&script.effects);
    task_master_on_stop(script.master, script.now_ms, 130, "interrupted", &script.effects);
    assert_int_equal(script_only(&script, TASK_SEND_AGENT)->envelope->body_case,
                     CREEL__ENVELOPE__BODY_STOP_CONTAINERS);
    envelope = script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    assert_int_equal(envelope->allocate->n_releases, 1);
    script_allocated(&script, 0, 0, 0, "");
    envelope = script_sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM);
    assert_int_equal(envelope->finish_am->status, CREEL__FINAL_STATUS__FINAL_KILLED);
    assert_int_equal(envelope->finish_am->exit_status, 130);
    script_finished(&script);
    assert_int_equal(script_only(&script, TASK_DONE)->exit_status, 130);
    script_end(&script);
}

static void impossible_request_fails_the_job_with_the_message_of_the_rm(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    const Creel__Envelope *envelope;
    struct script script;

    (void)state;
    script_begin(&script, 5, &options);
    script_registered(&script);
    script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    script_error(&script, CREEL__ERROR_CODE__ERROR_NEVER_RUNS, "9 TB is more than any node has");
    script_sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE); /* withdraws the request */
    script_allocated(&script, 0, 0, 0, "");
    envelope = script_sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM);
    assert_int_equal(envelope->finish_am->exit_status, 1);
    assert_non_null(strstr(envelope->finish_am->diagnostics, "9 TB is more than any node has"));
    script_end(&script);
}

static void a_job_that_makes_no_sense_is_refused(void **state)
{
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    struct task_options options = { .rm_resend_ms = 0 };
    struct task_master *master;
    struct err err;

    (void)state;
    assert_int_equal(task_master_new(&job, &options, &master, &err), -EINVAL);
    assert_non_null(strstr(err.text, "no command"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_has_all_data_of_the_task),
        cmocka_unit_test(chosen_tasks_read_standard_input),
        cmocka_unit_test(an_unanswered_allocate_is_repeated_unchanged),
        cmocka_unit_test(wakeup_sends_the_request_at_once),
        cmocka_unit_test(surplus_container_is_released_until_it_ended),
        cmocka_unit_test(containers_of_many_tasks_are_requested_in_portions),
        cmocka_unit_test(every_way_to_end_is_judged),
        cmocka_unit_test(a_lost_task_is_tried_a_bounded_number_of_times),
        cmocka_unit_test(a_task_with_no_requeue_starts_once),
        cmocka_unit_test(refused_start_waits_for_the_final_status_from_the_rm),
        cmocka_unit_test(a_refused_start_that_ran_all_the_same_counts),
        cmocka_unit_test(a_silent_agent_is_avoided),
        cmocka_unit_test(escaped_task_runs_only_on_a_node_that_restores_it),
        cmocka_unit_test(escaped_step_is_refused_by_a_node_that_does_not_restore_it),
        cmocka_unit_test(avoided_node_is_requested_again_later),
        cmocka_unit_test(tasks_are_found_by_their_titles),
        cmocka_unit_test(stopping_stops_and_gives_back_everything),
        cmocka_unit_test(task_that_a_node_could_not_start_is_tried_elsewhere),
        cmocka_unit_test(impossible_request_fails_the_job_with_the_message_of_the_rm),
        cmocka_unit_test(a_job_that_makes_no_sense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
