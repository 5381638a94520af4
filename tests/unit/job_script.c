/* SPDX-License-Identifier: Apache-2.0 */
/* job_script.c - the task master word by word: what it sends and how it judges */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "client/master/task_master.h"
#include "common/base/mem.h"
#include "common/base/text.h"

struct script {
    struct task_master *master;
    struct task_effects effects;
    int64_t now_ms;
    uint64_t request_id, response_id;   /* of what was sent to the RM last */
    uint32_t next;                      /* container number */
};

static void begin(struct script *script, uint32_t tasks, const struct task_options *options)
{
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    Creel__Variable own = CREEL__VARIABLE__INIT, forged = CREEL__VARIABLE__INIT;
    Creel__Variable *environment[] = { &own, &forged };
    char command[] = "work", own_name[] = "A", own_value[] = "1";
    char forged_name[] = "CREEL_TASK_INDEX", *argv[] = { command };

    *script = (struct script){ .now_ms = 1000, .next = 2 };
    task_effects_init(&script->effects);
    own.name = own_name;
    own.value = own_value;
    forged.name = forged_name;
    forged.value = own_value;
    launch.command = argv;
    launch.n_command = 1;
    launch.environment = environment;
    launch.n_environment = 2;
    resource.memory_mb = 64;
    job.launch = &launch;
    job.resource = &resource;
    job.task_count = tasks;
    assert_int_equal(task_master_new(&job, options, &script->master, NULL), 0);
    task_master_on_start(script->master, script->now_ms, &script->effects);
}

static void end(struct script *script)
{
    task_master_free(script->master);
    task_effects_done(&script->effects);
}

/* The only effect of KIND in the last step, or NULL. */
static const struct task_effect *only(const struct script *script, enum task_effect_kind kind)
{
    const struct task_effect *found = NULL;

    for (size_t i = 0; i < script->effects.count; i++) {
        if (script->effects.items[i].kind != kind)
            continue;
        assert_null(found);
        found = &script->effects.items[i];
    }
    return found;
}

static const struct task_event *event_of(const struct script *script, enum task_event_kind kind)
{
    for (size_t i = 0; i < script->effects.count; i++)
        if (script->effects.items[i].kind == TASK_EVENT &&
            script->effects.items[i].event.kind == kind)
            return &script->effects.items[i].event;
    return NULL;
}

/* What was sent to the RM in the last step: BODY. */
static const Creel__Envelope *sent(struct script *script, Creel__Envelope__BodyCase body)
{
    const struct task_effect *effect = only(script, TASK_SEND_RM);

    assert_non_null(effect);
    assert_int_equal(effect->envelope->body_case, body);
    script->request_id = effect->envelope->request_id;
    return effect->envelope;
}

static void hear(struct script *script, Creel__Envelope *envelope)
{
    struct err err;

    task_effects_reset(&script->effects);
    task_master_on_rm(script->master, script->now_ms, envelope, &script->effects);
    if (task_master_check(script->master, &err) < 0)
        fail_msg("%s", err.text);
}

static void wait_until(struct script *script, int64_t now_ms)
{
    task_effects_reset(&script->effects);
    script->now_ms = now_ms;
    task_master_on_timer(script->master, now_ms, &script->effects);
}

static void hear_registered(struct script *script)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__RegisterAmReply body = CREEL__REGISTER_AM_REPLY__INIT;

    sent(script, CREEL__ENVELOPE__BODY_REGISTER_AM);
    body.response_id = script->response_id = 10;
    envelope.request_id = script->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY;
    envelope.register_am_reply = &body;
    hear(script, &envelope);
}

static void hear_error(struct script *script, Creel__ErrorCode code, const char *text)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = code;
    error.message = mem_strdup(text);
    envelope.request_id = script->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    hear(script, &envelope);
    free(error.message);
}

static void name_container(char text[64], uint32_t number)
{
    snprintf(text, 64, "container_1700000000000_0001_01_%06u", number);
}

/* An AllocateReply: GRANTS new containers, and the end of ENDED (0: none) with STATUS. */
static void hear_allocated(struct script *script, uint32_t grants, uint32_t ended, int status,
                           const char *words)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__AllocateReply body = CREEL__ALLOCATE_REPLY__INIT;
    Creel__Container containers[8], *granted[8];
    Creel__ContainerStatus report = CREEL__CONTAINER_STATUS__INIT, *completed[] = { &report };
    char ids[9][64], node[] = "n1:8041", key[] = "key";
    uint8_t token[] = "token";

    assert_in_range(grants, 0, 8);
    for (uint32_t i = 0; i < grants; i++) {
        creel__container__init(&containers[i]);
        name_container(ids[i], script->next++);
        containers[i].container_id = ids[i];
        containers[i].node_id = containers[i].node_address = node;
        containers[i].agent_key = key;
        containers[i].priority = 1;
        containers[i].token.data = token;
        containers[i].token.len = sizeof(token);
        granted[i] = &containers[i];
    }
    name_container(ids[8], ended);
    report.container_id = ids[8];
    report.state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    report.exit_status = status;
    report.diagnostics = mem_strdup(words);
    body.response_id = ++script->response_id;
    body.n_allocated = grants;
    body.allocated = granted;
    body.n_completed = ended != 0;
    body.completed = completed;
    envelope.request_id = script->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_ALLOCATE_REPLY;
    envelope.allocate_reply = &body;
    hear(script, &envelope);
    free(report.diagnostics);
}

static void hear_started(struct script *script, uint32_t number, Creel__Error *error)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__StartContainersReply body = CREEL__START_CONTAINERS_REPLY__INIT;
    Creel__StartResult result = CREEL__START_RESULT__INIT, *results[] = { &result };
    char id[64];

    name_container(id, number);
    result.container_id = id;
    result.error = error;
    body.n_results = 1;
    body.results = results;
    envelope.body_case = CREEL__ENVELOPE__BODY_START_CONTAINERS_REPLY;
    envelope.start_containers_reply = &body;
    task_effects_reset(&script->effects);
    task_master_on_agent(script->master, script->now_ms, "n1:8041", &envelope, &script->effects);
}

static void hear_finished(struct script *script)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__FinishAmReply body = CREEL__FINISH_AM_REPLY__INIT;

    body.done = true;
    envelope.request_id = script->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_FINISH_AM_REPLY;
    envelope.finish_am_reply = &body;
    hear(script, &envelope);
}

/* One task, its container granted and its start accepted. */
static void run_one(struct script *script, const struct task_options *options)
{
    begin(script, 1, options);
    hear_registered(script);
    sent(script, CREEL__ENVELOPE__BODY_ALLOCATE);
    hear_allocated(script, 1, 0, 0, "");
    hear_started(script, 2, NULL);
    wait_until(script, script->now_ms + 1000);
    sent(script, CREEL__ENVELOPE__BODY_ALLOCATE);
}

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

/* --- tests ------------------------------------------------------------------ */

static void a_start_carries_what_the_task_needs(void **state)
{
    struct task_options options = { .app_id = "application_1_0001", .title_prefix = "s." };
    const Creel__StartRequest *request;
    const struct task_effect *effect;
    struct script script;

    (void)state;
    begin(&script, 2, &options);
    hear_registered(&script);
    assert_int_equal(sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->asks[0]->count, 2);
    hear_allocated(&script, 2, 0, 0, "");
    effect = only(&script, TASK_SEND_AGENT);            /* both in one message */
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
    end(&script);
}

static void an_unanswered_allocate_is_repeated_unchanged(void **state)
{
    struct task_options options = { .rm_resend_ms = 500 };
    const Creel__Envelope *again;
    struct script script;
    uint64_t first;

    (void)state;
    begin(&script, 3, &options);
    hear_registered(&script);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    first = script.request_id;
    wait_until(&script, script.now_ms + 499);
    assert_null(only(&script, TASK_SEND_RM));
    wait_until(&script, script.now_ms + 1);
    again = sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    assert_int_equal(again->request_id, first);
    assert_int_equal(again->allocate->response_id, 10);
    assert_int_equal(again->allocate->asks[0]->count, 3);
    hear_allocated(&script, 1, 0, 0, "");
    script.request_id = first;                          /* the same reply once more */
    script.response_id--;
    script.next--;
    hear_allocated(&script, 1, 0, 0, "");
    assert_int_equal(script.effects.count, 0);
    wait_until(&script, script.now_ms + 1000);
    again = sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    assert_int_equal(again->allocate->response_id, 11);
    assert_int_equal(again->allocate->n_asks, 0);       /* the RM still owes the other two */
    end(&script);
}

static void a_nudge_asks_at_once(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__AmNudge nudge = CREEL__AM_NUDGE__INIT;
    struct script script;

    (void)state;
    begin(&script, 1, &options);
    hear_registered(&script);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    hear_allocated(&script, 0, 0, 0, "");
    assert_null(only(&script, TASK_SEND_RM));
    envelope.body_case = CREEL__ENVELOPE__BODY_AM_NUDGE;
    envelope.am_nudge = &nudge;
    hear(&script, &envelope);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    end(&script);
}

static void a_surplus_container_is_given_back_until_it_ended(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    begin(&script, 1, &options);
    hear_registered(&script);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    hear_allocated(&script, 2, 0, 0, "");
    allocate = sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_releases, 1);
    assert_non_null(strstr(allocate->releases[0], "000003"));
    hear_allocated(&script, 0, 0, 0, "");
    wait_until(&script, script.now_ms + 5000);
    assert_int_equal(sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->n_releases, 1);
    hear_allocated(&script, 0, 3, -100, "");
    wait_until(&script, script.now_ms + 20000);
    assert_int_equal(sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->n_releases, 0);
    end(&script);
}

struct judgement {
    int status;
    bool again;                         /* the task is tried again */
    int exit_status;
};

static void every_way_to_end_is_judged(void **state)
{
    static const struct judgement table[] = {
        { 0, false, 0 },       { 3, false, 3 },      { 143, false, 143 }, { 137, false, 137 },
        { -104, false, 137 },  { -103, false, 137 }, { -1, false, 127 },  { -107, false, 143 },
        { -100, true, 0 },     { -102, true, 0 },    { 154, true, 0 },    { -101, true, 0 },
        { -106, true, 0 },
    };
    struct task_options options = { .rm_resend_ms = 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const Creel__Envelope *next;
        struct script script;

        run_one(&script, &options);
        hear_allocated(&script, 0, 2, table[i].status, "some words");
        if (table[i].again) {
            next = sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
            assert_int_equal(next->allocate->asks[0]->count, 1);
            assert_non_null(event_of(&script, TASK_EVENT_RETRY));
            assert_null(event_of(&script, TASK_EVENT_ENDED));
        } else {
            next = sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM);
            assert_int_equal(next->finish_am->exit_status, table[i].exit_status);
            assert_int_equal(next->finish_am->status,
                             table[i].exit_status ? CREEL__FINAL_STATUS__FINAL_FAILED
                                                  : CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
            assert_true(!table[i].exit_status ||
                        strstr(next->finish_am->diagnostics, "some words"));
            hear_finished(&script);
            assert_int_equal(only(&script, TASK_DONE)->exit_status, table[i].exit_status);
        }
        end(&script);
    }
}

static void a_lost_task_is_tried_a_bounded_number_of_times(void **state)
{
    struct task_options options = { .lost_retries = 2 };
    struct script script;

    (void)state;
    run_one(&script, &options);
    for (uint32_t i = 0; i < 2; i++) {
        hear_allocated(&script, 0, 2 + i, -100, "node lost");
        sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
        hear_allocated(&script, 1, 0, 0, "");
        wait_until(&script, script.now_ms + 1000);
        sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    }
    hear_allocated(&script, 0, 4, -100, "node lost");
    assert_int_equal(sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM)->finish_am->exit_status, 1);
    assert_int_equal(event_of(&script, TASK_EVENT_ENDED)->try_number, 3);
    end(&script);
}

static void a_refused_start_waits_for_the_last_word_of_the_rm(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    Creel__Error error = CREEL__ERROR__INIT;
    char words[] = "disk full";
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    error.code = CREEL__ERROR_CODE__ERROR_BAD_STATE;
    error.message = words;
    begin(&script, 1, &options);
    hear_registered(&script);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    hear_allocated(&script, 1, 0, 0, "");
    hear_started(&script, 2, &error);
    assert_string_equal(event_of(&script, TASK_EVENT_REFUSED)->diagnostics, "disk full");
    allocate = sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_releases, 1);
    assert_int_equal(allocate->n_asks, 0);              /* it may run there all the same */
    hear_allocated(&script, 0, 2, -100, "released");
    assert_null(only(&script, TASK_SEND_RM));           /* not at once again */
    wait_until(&script, script.now_ms + 3000);
    assert_int_equal(sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate->asks[0]->count, 1);
    end(&script);
}

static void a_refused_start_that_ran_all_the_same_counts(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    Creel__Error error = CREEL__ERROR__INIT;
    struct script script;

    (void)state;
    error.code = CREEL__ERROR_CODE__ERROR_BAD_STATE;
    begin(&script, 1, &options);
    hear_registered(&script);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    hear_allocated(&script, 1, 0, 0, "");
    hear_started(&script, 2, &error);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    hear_allocated(&script, 0, 2, 0, "");
    assert_int_equal(sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM)->finish_am->exit_status, 0);
    end(&script);
}

static void a_silent_agent_is_asked_for_ever(void **state)
{
    struct task_options options = { .agent_resend_ms = 1000 };
    struct script script;

    (void)state;
    begin(&script, 1, &options);
    hear_registered(&script);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    hear_allocated(&script, 1, 0, 0, "");
    for (int i = 0; i < 100; i++) {
        wait_until(&script, script.now_ms + 1000);
        assert_non_null(only(&script, TASK_SEND_AGENT));
        assert_int_equal(task_master_counts(script.master).waiting, 1);
    }
    end(&script);
}

static void after_resync_running_tasks_go_on(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    begin(&script, 2, &options);
    hear_registered(&script);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    hear_allocated(&script, 1, 0, 0, "");
    hear_started(&script, 2, NULL);
    wait_until(&script, script.now_ms + 1000);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    hear_error(&script, CREEL__ERROR_CODE__ERROR_RESYNC, "unknown");
    assert_non_null(event_of(&script, TASK_EVENT_RESYNC));
    wait_until(&script, script.now_ms + 100);
    hear_registered(&script);
    allocate = sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->asks[0]->count, 1);      /* for the other task only */
    assert_int_equal(allocate->n_releases, 0);
    assert_null(only(&script, TASK_SEND_AGENT));
    assert_int_equal(task_master_counts(script.master).running, 1);
    end(&script);
}

static void what_the_rm_never_found_again_is_given_up_late(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    run_one(&script, &options);
    hear_error(&script, CREEL__ERROR_CODE__ERROR_RESYNC, "unknown");
    wait_until(&script, script.now_ms + 100);
    hear_registered(&script);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    hear_allocated(&script, 0, 0, 0, "");
    wait_until(&script, script.now_ms + 1000000);       /* it asks which containers there are */
    hear_registered(&script);
    allocate = sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->n_releases, 1);
    hear_allocated(&script, 0, 2, -100, "not known");
    assert_non_null(event_of(&script, TASK_EVENT_RETRY));
    end(&script);
}

static void tasks_are_found_by_their_titles(void **state)
{
    struct task_options options = { .title_prefix = "s.", .own_container_id = "own" };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__RegisterAmReply body = CREEL__REGISTER_AM_REPLY__INIT;
    Creel__Container own = CREEL__CONTAINER__INIT, found = CREEL__CONTAINER__INIT,
                     other = CREEL__CONTAINER__INIT, *running[] = { &own, &found, &other };
    Creel__ContainerStatus done = CREEL__CONTAINER_STATUS__INIT,
                           old = CREEL__CONTAINER_STATUS__INIT, *completed[] = { &done, &old };
    char texts[][16] = { "own", "c1", "c2", "c3", "c4", "s.0", "s.1", "t.2" };
    const Creel__Allocate *allocate;
    struct script script;

    (void)state;
    begin(&script, 3, &options);
    own.container_id = texts[0];
    found.container_id = texts[1];
    found.title = texts[5];
    other.container_id = texts[2];
    other.title = texts[7];             /* of an earlier step, still running */
    done.container_id = texts[3];
    done.title = texts[6];
    old.container_id = texts[4];
    old.title = texts[7];
    old.exit_status = 9;
    body.n_running = 3;
    body.running = running;
    body.n_completed = 2;
    body.completed = completed;
    sent(&script, CREEL__ENVELOPE__BODY_REGISTER_AM);
    envelope.request_id = script.request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY;
    envelope.register_am_reply = &body;
    hear(&script, &envelope);
    allocate = sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE)->allocate;
    assert_int_equal(allocate->asks[0]->count, 1);      /* task 2 */
    assert_int_equal(allocate->n_releases, 1);
    assert_string_equal(allocate->releases[0], "c2");
    assert_int_equal(task_master_counts(script.master).running, 1);
    assert_int_equal(task_master_counts(script.master).succeeded, 1);
    end(&script);
}

static void stopping_stops_and_gives_back_everything(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    const Creel__Envelope *envelope;
    struct script script;

    (void)state;
    run_one(&script, &options);
    hear_allocated(&script, 0, 0, 0, "");
    task_effects_reset(&script.effects);
    task_master_on_stop(script.master, script.now_ms, 130, "interrupted", &script.effects);
    assert_int_equal(only(&script, TASK_SEND_AGENT)->envelope->body_case,
                     CREEL__ENVELOPE__BODY_STOP_CONTAINERS);
    envelope = sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    assert_int_equal(envelope->allocate->n_releases, 1);
    hear_allocated(&script, 0, 0, 0, "");
    envelope = sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM);
    assert_int_equal(envelope->finish_am->status, CREEL__FINAL_STATUS__FINAL_KILLED);
    assert_int_equal(envelope->finish_am->exit_status, 130);
    hear_finished(&script);
    assert_int_equal(only(&script, TASK_DONE)->exit_status, 130);
    end(&script);
}

static void an_impossible_ask_fails_the_job_with_the_rms_words(void **state)
{
    struct task_options options = { .rm_resend_ms = 0 };
    const Creel__Envelope *envelope;
    struct script script;

    (void)state;
    begin(&script, 5, &options);
    hear_registered(&script);
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);
    hear_error(&script, CREEL__ERROR_CODE__ERROR_NEVER_RUNS, "9 TB is more than any node has");
    sent(&script, CREEL__ENVELOPE__BODY_ALLOCATE);      /* takes the ask back */
    hear_allocated(&script, 0, 0, 0, "");
    envelope = sent(&script, CREEL__ENVELOPE__BODY_FINISH_AM);
    assert_int_equal(envelope->finish_am->exit_status, 1);
    assert_non_null(strstr(envelope->finish_am->diagnostics, "9 TB is more than any node has"));
    end(&script);
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
        cmocka_unit_test(a_start_carries_what_the_task_needs),
        cmocka_unit_test(an_unanswered_allocate_is_repeated_unchanged),
        cmocka_unit_test(a_nudge_asks_at_once),
        cmocka_unit_test(a_surplus_container_is_given_back_until_it_ended),
        cmocka_unit_test(every_way_to_end_is_judged),
        cmocka_unit_test(a_lost_task_is_tried_a_bounded_number_of_times),
        cmocka_unit_test(a_refused_start_waits_for_the_last_word_of_the_rm),
        cmocka_unit_test(a_refused_start_that_ran_all_the_same_counts),
        cmocka_unit_test(a_silent_agent_is_asked_for_ever),
        cmocka_unit_test(after_resync_running_tasks_go_on),
        cmocka_unit_test(what_the_rm_never_found_again_is_given_up_late),
        cmocka_unit_test(tasks_are_found_by_their_titles),
        cmocka_unit_test(stopping_stops_and_gives_back_everything),
        cmocka_unit_test(an_impossible_ask_fails_the_job_with_the_rms_words),
        cmocka_unit_test(a_job_that_makes_no_sense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
