/* SPDX-License-Identifier: Apache-2.0 */
/* agent_orders.c - test: orders of the RM, applications that end, restarts of the agent */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "nm-agent/core/state.h"
#include "tests/unit/agent/agent_fixture.h"

/* --- orders ----------------------------------------------------------------------- */

static void a_first_container_gets_its_secrets(void **state)
{
    struct fixture *f = *state;
    const struct launch *plan;
    Creel__JobSpec *job;

    fixture_order_start(f, SESSION, 64, true);
    fixture_saved(f, CONTAINER(1), 0);
    assert_int_equal(fixture_count(f, AGENT_REPLY), 0);
    plan = fixture_one(f, AGENT_LAUNCH)->launch;
    assert_int_equal(plan->secret_count, 2);
    assert_string_equal(plan->secrets[0].name, "creel-token");
    assert_string_equal(plan->secrets[0].variable, "CREEL_TOKEN_FILE");
    assert_memory_equal(plan->secrets[0].data, TOKEN, 5);
    assert_string_equal(plan->secrets[1].name, "creel-job");
    assert_string_equal(plan->secrets[1].variable, "CREEL_JOB_FILE");
    job = creel__job_spec__unpack(NULL, plan->secrets[1].size, plan->secrets[1].data);
    assert_string_equal(job->name, "run");
    creel__job_spec__free_unpacked(job, NULL);
    assert_true(fixture_has_variable(plan, "CREEL_RM=rm:8032"));
    assert_true(fixture_has_variable(plan, "CREEL_RM_AM=rm:8030"));
    assert_true(fixture_has_variable(plan, "CREEL_RM_KEY=9876543210987654321098765432109876543210"));
    assert_true(fixture_has_variable(plan, "MAX_APP_ATTEMPTS=3"));
}

/* Returns how often the environment of PLAN has the variable NAME. */
static size_t times(const struct launch *plan, const char *name)
{
    size_t count = 0, length = strlen(name);

    for (size_t i = 0; plan->environment[i] != NULL; i++)
        count += strncmp(plan->environment[i], name, length) == 0 && plan->environment[i][length] == '=';
    return count;
}

/* Starts the application master of a job whose environment has the one VARIABLE. */
static const struct launch *launch_with(struct fixture *f, const char *variable, const char *value)
{
    f->variable[0] = variable;
    f->variable[1] = value;
    fixture_order_start(f, SESSION, 64, true);
    fixture_saved(f, CONTAINER(1), 0);
    return fixture_one(f, AGENT_LAUNCH)->launch;
}

static void variables_of_a_job_replace_those_of_the_agent(void **state)
{
    static const char *const variables[][2] = {
        { "CREEL_RM", "CREEL_RM=other" },
        { "CREEL_CONF_DIR", "CREEL_CONF_DIR=other" },
        { "MAX_APP_ATTEMPTS", "MAX_APP_ATTEMPTS=other" },
    };

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const struct launch *plan;

        if (i > 0) {
            assert_int_equal(fixture_tear_down(state), 0);
            assert_int_equal(fixture_set_up_registered(state), 0);
        }
        plan = launch_with(*state, variables[i][0], "other");
        assert_true(fixture_has_variable(plan, variables[i][1]));
        assert_int_equal(times(plan, "CREEL_RM"), 1);
        assert_int_equal(times(plan, "CREEL_CONF_DIR"), 1);
        assert_int_equal(times(plan, "MAX_APP_ATTEMPTS"), 1);
    }
}

static void orders_of_another_session_are_ignored(void **state)
{
    struct fixture *f = *state;

    fixture_order_start(f, SESSION + 1, 64, false);
    assert_int_equal(f->effects.count, 0);
    assert_int_equal(agent_summarise(f->agent).live, 0);
}

static void a_repeated_order_starts_nothing_and_is_answered(void **state)
{
    struct fixture *f = *state;

    fixture_order_start(f, SESSION, 64, false);
    fixture_order_start(f, SESSION, 64, false);
    assert_int_equal(f->effects.count, 0);
    fixture_saved(f, CONTAINER(1), 0);
    fixture_launched(f, CONTAINER(1), 0);
    fixture_running(f, CONTAINER(1));
    fixture_exited(f, CONTAINER(1), 0);
    fixture_status(f, CONTAINER(1), true);
    fixture_order_start(f, SESSION, 64, false);
    assert_int_equal(fixture_count(f, AGENT_SAVE), 0);
    assert_int_equal(fixture_status(f, CONTAINER(1), true)->state,
                     CREEL__CONTAINER_STATE__CONTAINER_COMPLETE);
    assert_int_equal(agent_summarise(f->agent).tombstones, 1);
}

static void an_order_larger_than_the_node_ends(void **state)
{
    struct fixture *f = *state;

    fixture_order_start(f, SESSION, 5000, false);
    assert_int_equal(fixture_status(f, CONTAINER(1), true)->exit_status, -100);
}

static void an_order_without_room_is_left_to_be_repeated(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 4096);
    fixture_order_start(f, SESSION, 64, false);
    assert_int_equal(fixture_count(f, AGENT_SAVE), 0);
    fixture_exited(f, CONTAINER(2), 0);
    fixture_order_start(f, SESSION, 64, false);
    assert_int_equal(fixture_count(f, AGENT_SAVE), 1);
}

static void finished_application_ends_its_containers(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 16);
    fixture_ask(f, CONTAINER(3), 16, 9);
    fixture_saved(f, CONTAINER(3), 0);
    fixture_order_finished(f, APP);
    assert_string_equal(fixture_one(f, AGENT_STOP)->container_id, CONTAINER(2));
    assert_int_equal(fixture_count(f, AGENT_CLEANUP_APP), 0);
    fixture_exited(f, CONTAINER(2), 143);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -107);
    assert_int_equal(fixture_count(f, AGENT_CLEANUP_APP), 1);
    assert_int_equal(fixture_count(f, AGENT_ACKNOWLEDGE), 2);
    fixture_ask(f, CONTAINER(4), 16, 0);
    assert_int_equal(fixture_answer(f)->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
    fixture_order_start(f, SESSION, 16, false);
    fixture_saved(f, CONTAINER(1), 0);
    assert_int_equal(fixture_count(f, AGENT_LAUNCH), 0);
    assert_int_equal(fixture_status(f, CONTAINER(1), true)->exit_status, -107);
}

static void a_finished_application_is_confirmed_until_acknowledged(void **state)
{
    struct fixture *f = *state;
    const Creel__Envelope *envelope;

    fixture_order_finished(f, APP);
    assert_int_equal(fixture_count(f, AGENT_CLEANUP_APP), 1);
    fixture_step(f);
    envelope = fixture_next_send(f);
    assert_int_equal(envelope->heartbeat->n_finished_apps, 1);
    fixture_reply_heartbeat(f, envelope->request_id, 0, CREEL__NODE_ACTION__NODE_NORMAL);
    fixture_order_finished(f, APP);
    assert_int_equal(fixture_count(f, AGENT_CLEANUP_APP), 0);
    fixture_step(f);
    envelope = fixture_next_send(f);
    assert_int_equal(envelope->heartbeat->n_finished_apps, 1);
    fixture_reply_heartbeat(f, envelope->request_id, envelope->heartbeat->seq,
                            CREEL__NODE_ACTION__NODE_NORMAL);
    fixture_step(f);
    envelope = fixture_next_send(f);
    assert_int_equal(envelope->heartbeat->n_finished_apps, 0);
}

static void a_state_of_logs_is_sent_until_acknowledged(void **state)
{
    struct fixture *f = *state;
    const Creel__Envelope *envelope;

    agent_on_logs(f->agent, APP, CREEL__LOG_AGGREGATION__LOGS_SUCCEEDED);
    fixture_step(f);
    envelope = fixture_next_send(f);
    assert_int_equal(envelope->heartbeat->n_log_reports, 1);
    assert_string_equal(envelope->heartbeat->log_reports[0]->app_id, APP);
    assert_int_equal(envelope->heartbeat->log_reports[0]->state, CREEL__LOG_AGGREGATION__LOGS_SUCCEEDED);
    fixture_reply_heartbeat(f, envelope->request_id, 0, CREEL__NODE_ACTION__NODE_NORMAL);
    fixture_step(f);
    envelope = fixture_next_send(f);
    assert_int_equal(envelope->heartbeat->n_log_reports, 1);
    fixture_reply_heartbeat(f, envelope->request_id, envelope->heartbeat->seq,
                            CREEL__NODE_ACTION__NODE_NORMAL);
    fixture_step(f);
    envelope = fixture_next_send(f);
    assert_int_equal(envelope->heartbeat->n_log_reports, 0);
}

/* Reasons of orders come from users, and are shown on terminals. */
static void texts_of_orders_are_cut_between_characters_and_have_no_controls(void **state)
{
    static const struct {
        const char *text;
        size_t max;
        const char *clean;
    } cases[] = {
        { NULL, 9, "" },
        { "abc", 3, "abc" },
        { "abc", 2, "ab" },
        { "a\n\tb", 9, "a\n\tb" },
        { "\x1b[2J\x7f", 9, "?[2J?" },
        { "\xc3\xa9z", 9, "\xc3\xa9z" },
        { "a\xc3\xa9", 3, "a\xc3\xa9" },
        { "a\xc3\xa9", 2, "a" },
        { "\xe6\x97\xa5\xe6\x9c\xac", 5, "\xe6\x97\xa5" },
        { "\xc2\x9bz", 9, "??z" },
        { "\xff\xc3", 9, "??" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scoped_free char *clean = effect_clean_text(cases[i].text, cases[i].max);

        assert_string_equal(clean, cases[i].clean);
    }
}

/* --- restarts --------------------------------------------------------------------- */

struct record {
    uint8_t bytes[4096];
    size_t size;
};

static struct record copy_record(struct fixture *f)
{
    const struct agent_effect *effect = fixture_one(f, AGENT_SAVE);
    struct record record = { .size = effect->size };

    assert_true(effect->size <= sizeof(record.bytes));
    memcpy(record.bytes, effect->data, effect->size);
    return record;
}

static void found(struct fixture *f, const char *container_id, enum agent_found_state state,
                  const struct record *record)
{
    fixture_step(f);
    agent_found(f->agent, f->now, container_id, state, record ? record->bytes : NULL,
                record ? record->size : 0, 1234, &f->effects);
    fixture_check(f);
}

static void a_restart_loses_nothing(void **state)
{
    struct fixture *f = *state;
    struct record records[4];
    const Creel__RegisterNode *body;

    for (int i = 0; i < 4; i++) {
        char id[ID_TEXT_MAX];

        snprintf(id, sizeof(id), "container_1700000000000_0001_01_%06d", i + 2);
        fixture_ask(f, id, 1000, 0);
        records[i] = copy_record(f);
    }
    fixture_restart(f, 4096);
    found(f, CONTAINER(2), AGENT_FOUND_SAVED, &records[0]);
    assert_int_equal(f->effects.count, 0);
    found(f, CONTAINER(3), AGENT_FOUND_RUNNING, &records[1]);
    found(f, CONTAINER(4), AGENT_FOUND_ENDED, &records[2]);
    found(f, CONTAINER(5), AGENT_FOUND_ACKED, &records[3]);
    fixture_start(f);
    assert_int_equal(fixture_count(f, AGENT_LAUNCH), 0); /* the RM may have given up the container */
    body = fixture_one(f, AGENT_SEND)->envelope->register_node;
    assert_int_equal(body->n_containers, 3);
    assert_int_equal(body->containers[0]->state, CREEL__CONTAINER_STATE__CONTAINER_STARTING);
    assert_int_equal(body->containers[1]->state, CREEL__CONTAINER_STATE__CONTAINER_RUNNING);
    assert_int_equal(body->containers[1]->started_ms, 1234);
    assert_int_equal(body->containers[1]->grant->resource->memory_mb, 1000);
    fixture_reply_register(f, fixture_one(f, AGENT_SEND)->envelope->request_id, 10,
                           CREEL__NODE_ACTION__NODE_NORMAL, "");
    fixture_status(f, CONTAINER(2), true);
    assert_string_equal(fixture_one(f, AGENT_LAUNCH)->container_id, CONTAINER(2));
    fixture_exited(f, CONTAINER(4), 6);
    fixture_ask(f, CONTAINER(5), 1000, 0);
    assert_null(fixture_answer(f));
    assert_int_equal(fixture_count(f, AGENT_SAVE), 0);
}

static void a_stop_survives_a_restart(void **state)
{
    struct fixture *f = *state;
    struct record record;

    fixture_run(f, CONTAINER(2), 16);
    fixture_order_stop(f, CONTAINER(2), -102);
    record = copy_record(f);
    fixture_restart(f, 4096);
    found(f, CONTAINER(2), AGENT_FOUND_RUNNING, &record);
    assert_string_equal(fixture_one(f, AGENT_STOP)->container_id, CONTAINER(2));
    fixture_register(f, SESSION);
    fixture_exited(f, CONTAINER(2), 137);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -102);
}

static void a_stop_may_be_hastened_and_keeps_its_cause(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 16);
    fixture_order_stop(f, CONTAINER(2), -102);
    assert_false(fixture_one(f, AGENT_STOP)->at_once);
    fixture_order_kill(f, CONTAINER(2), -106);
    assert_true(fixture_one(f, AGENT_STOP)->at_once);
    fixture_order_kill(f, CONTAINER(2), -106);
    assert_int_equal(fixture_count(f, AGENT_STOP), 0);
    fixture_exited(f, CONTAINER(2), 137);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -102);
    fixture_run(f, CONTAINER(3), 16);
    fixture_order_kill(f, CONTAINER(3), -106);
    assert_true(fixture_one(f, AGENT_STOP)->at_once);
}

static void a_process_that_does_not_end_is_reported(void **state)
{
    struct fixture *f = *state;
    int64_t began;

    fixture_run(f, CONTAINER(2), 16);
    fixture_status(f, CONTAINER(2), true);
    fixture_wait(f, 100);
    began = f->now.steady_ms;
    agent_on_stuck(f->agent, f->now, CONTAINER(2), "its shim (process 6) is in state T", &f->effects);
    assert_string_equal(fixture_status(f, CONTAINER(2), true)->stuck, "its shim (process 6) is in state T");
    assert_in_range(f->now.steady_ms - began, 0, 20); /* at once, not with the next regular heartbeat */
    agent_on_stuck(f->agent, f->now, CONTAINER(2), "", &f->effects); /* it goes on */
    assert_string_equal(fixture_status(f, CONTAINER(2), true)->stuck, "");
    fixture_order_stop(f, CONTAINER(2), -106);
    agent_on_stuck(f->agent, f->now, CONTAINER(2), "process 7 (cp) is in state D", &f->effects);
    agent_on_stuck(f->agent, f->now, CONTAINER(3), "no such container", &f->effects);
    assert_string_equal(fixture_status(f, CONTAINER(2), true)->stuck, "process 7 (cp) is in state D");
    fixture_exited(f, CONTAINER(2), 137);
    assert_string_equal(fixture_status(f, CONTAINER(2), true)->stuck, "");
}

static void stop_before_the_start_is_kept_over_a_restart(void **state)
{
    struct fixture *f = *state;
    struct record record;

    fixture_order_stop(f, CONTAINER(2), -106);
    record = copy_record(f);
    fixture_restart(f, 4096);
    found(f, CONTAINER(2), AGENT_FOUND_SAVED, &record);
    fixture_register(f, SESSION);
    assert_int_equal(agent_summarise(f->agent).tombstones, 1);
    fixture_ask(f, CONTAINER(2), 16, 0);
    assert_null(fixture_answer(f));
    assert_int_equal(fixture_count(f, AGENT_SAVE), 0);
}

static void application_finished_long_ago_stays_finished(void **state)
{
    struct fixture *f = *state;

    fixture_restart(f, 4096);
    agent_recall(f->agent, APP);
    agent_recall(f->agent, "junk");
    fixture_register(f, SESSION);
    fixture_ask(f, CONTAINER(2), 16, 0);
    assert_int_equal(fixture_answer(f)->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
}

static void a_damaged_record_ends_its_container(void **state)
{
    struct fixture *f = *state;
    struct record junk = { .bytes = "\xff\xff\xff\xff", .size = 4 };

    fixture_restart(f, 4096);
    found(f, CONTAINER(2), AGENT_FOUND_RUNNING, &junk);
    assert_int_equal(fixture_count(f, AGENT_STOP), 1);
    found(f, CONTAINER(3), AGENT_FOUND_SAVED, NULL);
    fixture_register(f, SESSION);
    fixture_exited(f, CONTAINER(2), 137);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, 154);
    assert_int_equal(agent_summarise(f->agent).ended, 0);
    assert_int_equal(agent_summarise(f->agent).tombstones, 2);
}

/* After the administrator reduced the node's memory, running containers stay and no new container is
 * accepted. */
static void reduced_node_keeps_its_containers(void **state)
{
    struct fixture *f = *state;
    struct record record;

    fixture_ask(f, CONTAINER(2), 4000, 0);
    record = copy_record(f);
    fixture_restart(f, 1000);
    found(f, CONTAINER(2), AGENT_FOUND_RUNNING, &record);
    fixture_register(f, SESSION);
    fixture_ask(f, CONTAINER(3), 1, 0);
    assert_int_equal(fixture_answer(f)->code, CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    fixture_exited(f, CONTAINER(2), 0);
    fixture_ask(f, CONTAINER(3), 1, 0);
    assert_int_equal(fixture_count(f, AGENT_SAVE), 1);
}

static bool save_fails(struct fixture *f, const char *container_id)
{
    fixture_step(f);
    return agent_on_saved(f->agent, f->now, container_id, -EIO, "no answer", &f->effects);
}

/* If the record of a stop got lost, a restarted agent would start the container. */
static void a_later_record_is_to_be_written_when_that_is_possible(void **state)
{
    struct fixture *f = *state;

    fixture_ask(f, CONTAINER(2), 1024, 7); /* a file is fetched before the start */
    fixture_saved(f, CONTAINER(2), 0);
    fixture_order_stop(f, CONTAINER(2), -105);
    assert_string_equal(fixture_one(f, AGENT_SAVE)->container_id, CONTAINER(2));
    assert_true(save_fails(f, CONTAINER(2)));
    fixture_ask(f, CONTAINER(3), 1024, 0);
    assert_false(save_fails(f, CONTAINER(3))); /* refused: nothing is on disk */
    assert_false(save_fails(f, CONTAINER(3)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up_registered, fixture_tear_down)

/* An AM repeats the start of a container that ended when the agent lost its state directory. */
static void new_state_directory_refuses_earlier_grants(void **state)
{
    struct fixture *f = *state;

    for (int lost = 0; lost <= 1; lost++) {
        f->state_lost = lost == 1;
        fixture_restart(f, 4096);
        fixture_register(f, SESSION + 1);
        f->session = SESSION;
        fixture_ask(f, CONTAINER(2), 16, 0);
        assert_int_equal(fixture_count(f, AGENT_SAVE), lost == 0);
        if (lost == 1)
            assert_non_null(strstr(fixture_answer(f)->message, "state directory is gone"));
    }
    f->session = SESSION + 1;
    fixture_ask(f, CONTAINER(3), 16, 0);
    assert_int_equal(fixture_count(f, AGENT_SAVE), 1);
    fixture_saved(f, CONTAINER(3), 0);
}

/* An operator has accepted the loss of the resource manager's state: its sessions begin again. */
static void sessions_that_begin_again_are_not_earlier_ones(void **state)
{
    struct fixture *f = *state;

    f->state_lost = true;
    fixture_restart(f, 4096);
    fixture_register(f, SESSION + 5);
    fixture_step(f);
    fixture_reply_heartbeat(f, fixture_next_send(f)->request_id, 0, CREEL__NODE_ACTION__NODE_RESYNC);
    fixture_step(f);
    fixture_reply_register(f, fixture_next_send(f)->request_id, SESSION + 1, CREEL__NODE_ACTION__NODE_NORMAL,
                           "");
    f->session = SESSION + 1;
    fixture_ask(f, CONTAINER(3), 16, 0);
    assert_int_equal(fixture_count(f, AGENT_SAVE), 1);
    fixture_saved(f, CONTAINER(3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_first_container_gets_its_secrets),
        TEST(variables_of_a_job_replace_those_of_the_agent),
        TEST(orders_of_another_session_are_ignored),
        TEST(a_repeated_order_starts_nothing_and_is_answered),
        TEST(an_order_larger_than_the_node_ends),
        TEST(an_order_without_room_is_left_to_be_repeated),
        TEST(finished_application_ends_its_containers),
        TEST(a_finished_application_is_confirmed_until_acknowledged),
        TEST(a_state_of_logs_is_sent_until_acknowledged),
        TEST(texts_of_orders_are_cut_between_characters_and_have_no_controls),
        TEST(a_restart_loses_nothing),
        TEST(new_state_directory_refuses_earlier_grants),
        TEST(sessions_that_begin_again_are_not_earlier_ones),
        TEST(a_stop_survives_a_restart),
        TEST(a_stop_may_be_hastened_and_keeps_its_cause),
        TEST(a_process_that_does_not_end_is_reported),
        TEST(stop_before_the_start_is_kept_over_a_restart),
        TEST(a_later_record_is_to_be_written_when_that_is_possible),
        TEST(application_finished_long_ago_stays_finished),
        TEST(a_damaged_record_ends_its_container),
        TEST(reduced_node_keeps_its_containers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
