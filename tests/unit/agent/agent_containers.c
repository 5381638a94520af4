/* SPDX-License-Identifier: Apache-2.0 */
/* agent_containers.c - test: start, files and stop of a container, as seen by its AM and the RM */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/id.h"
#include "tests/unit/agent/agent_fixture.h"

/* --- starts --------------------------------------------------------------------- */

static void a_start_is_answered_when_it_is_on_disk(void **state)
{
    struct fixture *f = *state;
    const struct launch *plan;

    fixture_ask(f, CONTAINER(2), 1024, 0);
    assert_int_equal(fixture_count(f, AGENT_REPLY), 0);
    assert_int_equal(fixture_count(f, AGENT_LAUNCH), 0);
    assert_string_equal(fixture_one(f, AGENT_SAVE)->container_id, CONTAINER(2));
    fixture_saved(f, CONTAINER(2), 0);
    assert_null(fixture_answer(f));
    plan = fixture_one(f, AGENT_LAUNCH)->launch;
    assert_string_equal(plan->user, "ann");
    assert_string_equal(plan->argv[0], "true");
    assert_null(plan->argv[1]);
    assert_string_equal(plan->app_id, APP);
    assert_int_equal(plan->resource.value[RESOURCE_MEMORY_MB], 1024);
    assert_true(fixture_has_variable(plan, "NM_HOST=n1"));
    assert_true(fixture_has_variable(plan, "NM_PORT=8041"));
    assert_true(fixture_has_variable(plan, "CONTAINER_ID=" CONTAINER(2)));
    assert_false(fixture_has_variable(plan, "CREEL_RM_AM=rm:8030"));
    assert_int_equal(plan->secret_count, 0);
    assert_int_equal(agent_container_state(f->agent, CONTAINER(2)),
                     CREEL__CONTAINER_STATE__CONTAINER_STARTING);
}

static void a_whole_life(void **state)
{
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;

    fixture_run(f, CONTAINER(2), 1024);
    status = fixture_status(f, CONTAINER(2), true);
    assert_int_equal(status->state, CREEL__CONTAINER_STATE__CONTAINER_RUNNING);
    assert_int_equal(agent_summarise(f->agent).used.value[RESOURCE_MEMORY_MB], 1024);
    fixture_exited(f, CONTAINER(2), 3);
    assert_string_equal(fixture_one(f, AGENT_CLEANUP)->container_id, CONTAINER(2));
    status = fixture_status(f, CONTAINER(2), true);
    assert_int_equal(status->state, CREEL__CONTAINER_STATE__CONTAINER_COMPLETE);
    assert_int_equal(status->exit_status, 3);
    assert_int_equal(status->memory_peak_bytes, 4096);
    assert_int_equal(status->cpu_time_us, 99);
    assert_string_equal(fixture_one(f, AGENT_ACKNOWLEDGE)->container_id, CONTAINER(2));
    assert_int_equal(agent_summarise(f->agent).used.value[RESOURCE_MEMORY_MB], 0);
    fixture_order_finished(f, APP);
    assert_string_equal(fixture_one(f, AGENT_CLEANUP_APP)->app_id, APP);
    fixture_step(f);
    assert_string_equal(fixture_next_send(f)->heartbeat->finished_apps[0], APP);
}

static void a_repeated_start_starts_nothing(void **state)
{
    struct fixture *f = *state;

    fixture_ask(f, CONTAINER(2), 1024, 0);
    fixture_ask(f, CONTAINER(2), 1024, 0); /* both requests wait for the same save */
    assert_int_equal(f->effects.count, 0);
    fixture_saved(f, CONTAINER(2), 0);
    assert_int_equal(fixture_count(f, AGENT_REPLY), 2);
    fixture_ask(f, CONTAINER(2), 1024, 0);
    assert_null(fixture_answer(f));
    assert_int_equal(f->effects.count, 1);
    fixture_launched(f, CONTAINER(2), 0);
    fixture_running(f, CONTAINER(2));
    fixture_exited(f, CONTAINER(2), 0);
    fixture_status(f, CONTAINER(2), true);
    fixture_ask(f, CONTAINER(2), 1024, 0); /* the container has ended; the agent still knows its id */
    assert_null(fixture_answer(f));
    assert_int_equal(f->effects.count, 1);
}

/* The agent bounds the number of launches at a time, so that the event loop handles other events in
 * between. */
static void launches_are_limited_in_number(void **state)
{
    struct fixture *f = *state;
    char id[ID_TEXT_MAX];

    for (int i = 0; i < 2 * AGENT_LAUNCHES_MAX; i++) {
        snprintf(id, sizeof(id), "container_1700000000000_0001_01_%06d", 100 + i);
        fixture_ask(f, id, 16, 0);
        fixture_saved(f, id, 0);
        assert_null(fixture_answer(f));
        assert_int_equal(fixture_count(f, AGENT_LAUNCH), i < AGENT_LAUNCHES_MAX);
    }
    fixture_launched(f, "container_1700000000000_0001_01_000105", 0);
    assert_string_equal(fixture_one(f, AGENT_LAUNCH)->container_id, "container_1700000000000_0001_01_000116");
    fixture_launched(f, "container_1700000000000_0001_01_000106", -ENOENT);
    assert_string_equal(fixture_one(f, AGENT_LAUNCH)->container_id, "container_1700000000000_0001_01_000117");
    fixture_check(f);
}

static void a_full_disk_refuses_and_leaves_nothing(void **state)
{
    struct fixture *f = *state;

    fixture_ask(f, CONTAINER(2), 4096, 0);
    fixture_saved(f, CONTAINER(2), -ENOSPC);
    assert_int_equal(fixture_answer(f)->code, CREEL__ERROR_CODE__ERROR_STORE);
    assert_non_null(strstr(fixture_answer(f)->message, "no space left"));
    assert_int_equal(agent_summarise(f->agent).live, 0);
    fixture_ask(f, CONTAINER(3), 4096, 0);
    assert_int_equal(fixture_count(f, AGENT_SAVE), 1);
}

static void a_full_disk_for_the_rm_is_an_exit_status(void **state)
{
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;

    fixture_order_start(f, SESSION, 1024, false);
    fixture_saved(f, CONTAINER(1), -ENOSPC);
    status = fixture_status(f, CONTAINER(1), true);
    assert_int_equal(status->state, CREEL__CONTAINER_STATE__CONTAINER_COMPLETE);
    assert_int_equal(status->exit_status, -101);
    assert_non_null(strstr(status->diagnostics, "no space left"));
}

static void the_node_never_promises_more_than_it_has(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 3000);
    fixture_ask(f, CONTAINER(3), 1097, 0);
    assert_int_equal(fixture_answer(f)->code, CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    fixture_ask(f, CONTAINER(3), 4097, 0);
    assert_int_equal(fixture_answer(f)->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
    fixture_ask(f, CONTAINER(4), 1096, 0);
    assert_int_equal(fixture_count(f, AGENT_SAVE), 1);
}

/* The RM may have allocated a container's resources again before the agent gets the order to stop it. */
static void a_start_waits_for_the_room_of_one_that_is_stopped(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 4096);
    fixture_order_stop(f, CONTAINER(2), -105);
    fixture_ask(f, CONTAINER(3), 4096, 0);
    fixture_saved(f, CONTAINER(3), 0);
    assert_null(fixture_answer(f));
    assert_int_equal(fixture_count(f, AGENT_LAUNCH), 0);
    fixture_exited(f, CONTAINER(2), 137);
    assert_string_equal(fixture_one(f, AGENT_LAUNCH)->container_id, CONTAINER(3));
}

static void bad_grants_are_refused(void **state)
{
    struct fixture *f = *state;
    Creel__ContainerGrant grant = CREEL__CONTAINER_GRANT__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    struct agent_start_request requests[6];
    const Creel__StartContainersReply *reply;
    Creel__ContainerGrant grants[6];
    Creel__LaunchContext empty = CREEL__LAUNCH_CONTEXT__INIT, hasty;
    char id[] = CONTAINER(2), other[] = "n2:8041", node[] = NODE, user[] = "ann", word[] = "run";
    char *command[] = { word };

    launch.command = command;
    launch.n_command = 1;
    grant.container_id = id;
    grant.node_id = node;
    grant.user = user;
    for (int i = 0; i < 6; i++) {
        grants[i] = grant;
        requests[i] = (struct agent_start_request){ .grant = &grants[i], .launch = &launch };
    }
    grants[0].expires_ms = f->now.wall_ms - 1;
    grants[1].node_id = other;
    requests[2].launch = &empty;
    requests[3] = (struct agent_start_request){
        .refusal = CREEL__ERROR_CODE__ERROR_NOT_PERMITTED,
        .refusal_text = "not signed",
    };
    hasty = launch;
    hasty.nice = -1;
    requests[4].launch = &hasty;
    fixture_step(f);
    agent_on_start(f->agent, f->now, 1, 2, requests, 6, &f->effects);
    assert_int_equal(fixture_count(f, AGENT_REPLY), 0); /* the last request is valid */
    fixture_saved(f, id, 0);
    reply = fixture_one(f, AGENT_REPLY)->envelope->start_containers_reply;
    assert_int_equal(reply->n_results, 6);
    assert_int_equal(reply->results[0]->error->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
    assert_int_equal(reply->results[1]->error->code, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    assert_int_equal(reply->results[2]->error->code, CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
    assert_string_equal(reply->results[3]->error->message, "not signed");
    assert_int_equal(reply->results[4]->error->code, CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
    assert_string_equal(reply->results[4]->error->message, "nice -1: user ann may not give less than 0; only "
                                                           "root may");
    assert_null(reply->results[5]->error);
}

/* Ten %t are short, but their value is a variable that the sender chooses. */
static void a_container_whose_output_file_has_no_path_is_refused(void **state)
{
    struct fixture *f = *state;
    Creel__ContainerGrant grant = CREEL__CONTAINER_GRANT__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Variable variable = CREEL__VARIABLE__INIT, *environment[] = { &variable };
    struct agent_start_request request = { .grant = &grant, .launch = &launch };
    char id[] = CONTAINER(2), node[] = NODE, user[] = "ann", word[] = "run", *command[] = { word };
    char name[] = "CREEL_TASK_INDEX", value[501], pattern[] = "%t%t%t%t%t%t%t%t%t%t";
    const Creel__StartContainersReply *reply;

    memset(value, '7', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    variable.name = name;
    variable.value = value;
    launch.environment = environment;
    launch.n_environment = 1;
    launch.command = command;
    launch.n_command = 1;
    launch.out_file = pattern;
    grant.container_id = id;
    grant.node_id = node;
    grant.user = user;
    fixture_step(f);
    agent_on_start(f->agent, f->now, 1, 2, &request, 1, &f->effects);
    reply = fixture_one(f, AGENT_REPLY)->envelope->start_containers_reply;
    assert_int_equal(reply->results[0]->error->code, CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
    assert_string_equal(reply->results[0]->error->message,
                        "out: the name becomes longer than the 4095 bytes of a path");
}

static void a_failed_launch_is_an_exit_status(void **state)
{
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;

    fixture_ask(f, CONTAINER(2), 1024, 0);
    fixture_saved(f, CONTAINER(2), 0);
    fixture_launched(f, CONTAINER(2), -EACCES);
    status = fixture_status(f, CONTAINER(2), true);
    assert_int_equal(status->exit_status, -1);
    assert_non_null(strstr(status->diagnostics, "may not run containers"));
    fixture_ask(f, CONTAINER(3), 1024, 0);
    fixture_saved(f, CONTAINER(3), 0);
    fixture_launched(f, CONTAINER(3), -ENOSPC);
    assert_int_equal(fixture_status(f, CONTAINER(3), true)->exit_status, -101);
}

static void a_file_cannot_have_a_name_that_the_agent_makes(void **state)
{
    struct fixture *f = *state;
    const Creel__StartContainersReply *reply;

    f->file = "tmp";
    fixture_ask(f, CONTAINER(2), 1024, 1);
    reply = fixture_one(f, AGENT_REPLY)->envelope->start_containers_reply;
    assert_int_equal(reply->results[0]->error->code, CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
    assert_non_null(strstr(reply->results[0]->error->message, "file tmp: the agent makes tmp"));
}

/* Else a job with two files of one name would make nodes unhealthy. */
static void wrong_names_of_files_are_no_fault_of_the_node(void **state)
{
    static const struct {
        int code;
        bool node_fault, no_account;
    } cases[] = { { -EBADR, false, false },
                  { -EEXIST, true, false },
                  { -EACCES, false, false },
                  { -LAUNCH_NO_ACCOUNT, false, true } };
    static const char *const containers[] = { CONTAINER(2), CONTAINER(3), CONTAINER(4), CONTAINER(5) };
    const Creel__ContainerStatus *status;
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture_ask(f, containers[i], 1024, 0);
        fixture_saved(f, containers[i], 0);
        fixture_launched(f, containers[i], cases[i].code);
        status = fixture_status(f, containers[i], true);
        assert_int_equal(status->node_fault, cases[i].node_fault);
        assert_int_equal(status->no_account, cases[i].no_account);
        assert_int_equal(status->retry_elsewhere, cases[i].code != -EBADR);
    }
}

/* --- files ----------------------------------------------------------------------- */

static void fetched(struct fixture *f, uint8_t hash, int code)
{
    uint8_t bytes[32];

    memset(bytes, hash, sizeof(bytes));
    fixture_step(f);
    agent_on_fetched(f->agent, f->now, bytes, code, code ? "no such file" : NULL, &f->effects);
    fixture_check(f);
}

/* Else containers fail again and again on a node where no process can be made. */
static void a_start_that_the_shim_could_not_make_is_a_fault_of_the_node(void **state)
{
    const struct container_end end = { .exit_status = -1,
                                       .diagnostics = "could not be started: no process could be made",
                                       .node_fault = true };
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;

    fixture_ask(f, CONTAINER(2), 1024, 0);
    fixture_saved(f, CONTAINER(2), 0);
    fixture_launched(f, CONTAINER(2), 0);
    fixture_step(f);
    agent_on_exited(f->agent, f->now, CONTAINER(2), &end, &f->effects);
    status = fixture_status(f, CONTAINER(2), true);
    assert_int_equal(status->exit_status, -1);
    assert_true(status->node_fault && status->retry_elsewhere);
}

static void ten_containers_fetch_a_file_once(void **state)
{
    struct fixture *f = *state;
    char id[ID_TEXT_MAX];

    for (int i = 0; i < 10; i++) {
        snprintf(id, sizeof(id), "container_1700000000000_0001_01_%06d", i + 2);
        fixture_ask(f, id, 16, 9);
        fixture_saved(f, id, 0);
        assert_int_equal(fixture_count(f, AGENT_FETCH), i == 0);
        assert_int_equal(fixture_count(f, AGENT_LAUNCH), 0);
    }
    fetched(f, 9, 0);
    assert_int_equal(fixture_count(f, AGENT_LAUNCH), 10);
}

/* The fetcher has to know all users who wait: the file takes a place of one of them. */
static void a_file_is_requested_once_for_each_user(void **state)
{
    struct fixture *f = *state;
    char id[ID_TEXT_MAX];

    for (int i = 0; i < 6; i++) {
        f->user = i % 2 == 0 ? "ann" : "bob";
        snprintf(id, sizeof(id), "container_1700000000000_000%d_01_%06d", i % 2 + 1, i + 2);
        fixture_ask(f, id, 16, 9);
        fixture_saved(f, id, 0);
        assert_int_equal(fixture_count(f, AGENT_FETCH), i < 2);
        if (i < 2)
            assert_string_equal(fixture_one(f, AGENT_FETCH)->user, f->user);
    }
    fetched(f, 9, 0);
    assert_int_equal(fixture_count(f, AGENT_LAUNCH), 6);
}

static void missing_file_fails_the_containers_that_need_it(void **state)
{
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;

    fixture_ask(f, CONTAINER(2), 16, 9);
    fixture_saved(f, CONTAINER(2), 0);
    fixture_ask(f, CONTAINER(3), 16, 8);
    fixture_saved(f, CONTAINER(3), 0);
    fetched(f, 9, -ENOENT);
    status = fixture_status(f, CONTAINER(2), true);
    assert_int_equal(status->exit_status, -1);
    assert_non_null(strstr(status->diagnostics, "no such file"));
    assert_int_equal(agent_container_state(f->agent, CONTAINER(3)),
                     CREEL__CONTAINER_STATE__CONTAINER_STARTING);
    fetched(f, 8, 0);
    assert_string_equal(fixture_one(f, AGENT_LAUNCH)->container_id, CONTAINER(3));
}

static void a_stop_while_files_are_fetched_ends_it(void **state)
{
    struct fixture *f = *state;

    fixture_ask(f, CONTAINER(2), 16, 9);
    fixture_saved(f, CONTAINER(2), 0);
    fixture_ask_stop(f, CONTAINER(2));
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -105);
    fetched(f, 9, 0);
    assert_int_equal(f->effects.count, 0);
}

/* --- durations -------------------------------------------------------------------- */

/* Expects TOTAL values, which all are in the bucket whose upper bound is BOUND. */
static void is_counted(const struct histogram *histogram, uint64_t total, double sum, double bound)
{
    uint64_t found = 0;

    assert_int_equal(histogram->total, total);
    assert_true(histogram->sum > sum - 1e-6 && histogram->sum < sum + 1e-6);
    for (size_t i = 0; i < histogram->count; i++)
        if (histogram->bounds[i] > bound - 1e-6 && histogram->bounds[i] < bound + 1e-6)
            found += histogram->buckets[i];
    assert_int_equal(found, total);
}

static void durations_of_starts_are_counted(void **state)
{
    struct fixture *f = *state;
    const struct agent_durations *durations = agent_durations(f->agent);

    fixture_ask(f, CONTAINER(2), 16, 9);
    f->now.steady_ms += 5; /* the save is no part of either */
    fixture_saved(f, CONTAINER(2), 0);
    f->now.steady_ms += 30;
    is_counted(&durations->localize, 0, 0, 0);
    fetched(f, 9, 0);
    is_counted(&durations->localize, 1, 0.03, 0.05);
    fixture_launched(f, CONTAINER(2), 0);
    f->now.steady_ms += 7;
    is_counted(&durations->start, 0, 0, 0);
    fixture_running(f, CONTAINER(2));
    is_counted(&durations->start, 1, 0.007, 0.01);
}

static void starts_without_files_or_without_a_command_are_not_counted(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 16);
    is_counted(&agent_durations(f->agent)->localize, 0, 0, 0);
    is_counted(&agent_durations(f->agent)->start, 1, 0, 0.005);
    fixture_ask(f, CONTAINER(3), 16, 8);
    fixture_saved(f, CONTAINER(3), 0);
    fetched(f, 8, -ENOENT);
    fixture_ask(f, CONTAINER(4), 16, 0);
    fixture_saved(f, CONTAINER(4), 0);
    fixture_launched(f, CONTAINER(4), -EACCES);
    is_counted(&agent_durations(f->agent)->localize, 0, 0, 0);
    is_counted(&agent_durations(f->agent)->start, 1, 0, 0.005);
}

/* --- stops ----------------------------------------------------------------------- */

static void exit_status_names_the_reason_of_the_stop(void **state)
{
    static const int statuses[] = { -102, -105, -106, -107 };
    struct fixture *f = *state;
    char id[ID_TEXT_MAX];

    for (int i = 0; i < 4; i++) {
        const Creel__ContainerStatus *status;

        snprintf(id, sizeof(id), "container_1700000000000_0001_01_%06d", i + 2);
        fixture_run(f, id, 16);
        fixture_order_stop(f, id, statuses[i]);
        assert_string_equal(fixture_one(f, AGENT_STOP)->container_id, id);
        fixture_order_stop(f, id, -106); /* repeated with another status: the first status
                                            counts */
        assert_int_equal(fixture_count(f, AGENT_STOP), 0);
        fixture_exited(f, id, 143);
        status = fixture_status(f, id, true);
        assert_int_equal(status->exit_status, statuses[i]);
        assert_non_null(strstr(status->diagnostics, "why"));
    }
}

static void first_exit_status_is_final(void **state)
{
    struct fixture *f = *state;
    struct container_end end = { .exit_status = 3, .started_ms = 1 };

    fixture_run(f, CONTAINER(2), 16);
    end.finished_ms = f->now.wall_ms;
    fixture_wait(f, 5);
    fixture_ask_stop(f, CONTAINER(2));
    agent_on_exited(f->agent, f->now, CONTAINER(2), &end, &f->effects);
    fixture_step(f);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, 3);
}

static void a_stop_before_the_start_is_remembered(void **state)
{
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;

    fixture_order_stop(f, CONTAINER(2), -106);
    assert_int_equal(fixture_count(f, AGENT_STOP), 0);
    status = fixture_status(f, CONTAINER(2), true);
    assert_int_equal(status->state, CREEL__CONTAINER_STATE__CONTAINER_COMPLETE);
    assert_int_equal(status->exit_status, -106);
    fixture_ask(f, CONTAINER(2), 16, 0);
    assert_null(fixture_answer(f));
    assert_int_equal(fixture_count(f, AGENT_SAVE), 0);
}

static void a_stop_while_it_is_saved_never_starts_it(void **state)
{
    struct fixture *f = *state;

    fixture_ask(f, CONTAINER(2), 16, 0);
    fixture_ask_stop(f, CONTAINER(2));
    fixture_saved(f, CONTAINER(2), 0);
    assert_null(fixture_answer(f));
    assert_int_equal(fixture_count(f, AGENT_LAUNCH), 0);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -105);
}

/* The agent repeats the stop of a container whose shim may have got the stop before the command was
 * started. */
static void stop_during_the_launch_is_repeated(void **state)
{
    struct fixture *f = *state;

    fixture_ask(f, CONTAINER(2), 16, 0);
    fixture_saved(f, CONTAINER(2), 0);
    fixture_ask_stop(f, CONTAINER(2));
    assert_int_equal(fixture_count(f, AGENT_STOP), 1);
    fixture_launched(f, CONTAINER(2), 0);
    assert_int_equal(fixture_count(f, AGENT_STOP), 1);
    fixture_running(f, CONTAINER(2));
    assert_int_equal(fixture_count(f, AGENT_STOP), 1);
    fixture_exited(f, CONTAINER(2), 143);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -105);
}

/* The wall clock dates events and never measures durations: setting the wall clock ends no container and
 * prevents no start. */
static void clock_steps_change_nothing(void **state)
{
    static const int64_t steps_ms[] = { 86400000, -5 * 86400000LL, 366 * 86400000LL, -3600000, 1000 };
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;

    fixture_run(f, CONTAINER(1), 100);
    fixture_status(f, CONTAINER(1), true);
    for (size_t i = 0; i < sizeof(steps_ms) / sizeof(*steps_ms); i++) {
        f->now.wall_ms += steps_ms[i];
        for (int beat = 0; beat < 3; beat++) {
            const Creel__Envelope *sent = fixture_next_send(f);

            assert_int_equal(fixture_count(f, AGENT_STOP), 0);
            assert_int_equal(sent->body_case, CREEL__ENVELOPE__BODY_HEARTBEAT);
            assert_false(sent->heartbeat->unhealthy);
            fixture_reply_heartbeat(f, sent->request_id, sent->heartbeat->seq,
                                    CREEL__NODE_ACTION__NODE_NORMAL);
            assert_int_equal(fixture_count(f, AGENT_STOP), 0);
            assert_int_equal(fixture_count(f, AGENT_SHUTDOWN), 0);
        }
    }
    fixture_run(f, CONTAINER(2), 100);
    fixture_exited(f, CONTAINER(1), 3);
    status = fixture_status(f, CONTAINER(1), true);
    assert_non_null(status);
    assert_int_equal(status->exit_status, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up_registered, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_start_is_answered_when_it_is_on_disk),
        TEST(a_whole_life),
        TEST(a_repeated_start_starts_nothing),
        TEST(launches_are_limited_in_number),
        TEST(a_full_disk_refuses_and_leaves_nothing),
        TEST(a_full_disk_for_the_rm_is_an_exit_status),
        TEST(the_node_never_promises_more_than_it_has),
        TEST(a_start_waits_for_the_room_of_one_that_is_stopped),
        TEST(bad_grants_are_refused),
        TEST(a_container_whose_output_file_has_no_path_is_refused),
        TEST(a_failed_launch_is_an_exit_status),
        TEST(a_file_cannot_have_a_name_that_the_agent_makes),
        TEST(wrong_names_of_files_are_no_fault_of_the_node),
        TEST(a_start_that_the_shim_could_not_make_is_a_fault_of_the_node),
        TEST(ten_containers_fetch_a_file_once),
        TEST(a_file_is_requested_once_for_each_user),
        TEST(missing_file_fails_the_containers_that_need_it),
        TEST(a_stop_while_files_are_fetched_ends_it),
        TEST(durations_of_starts_are_counted),
        TEST(starts_without_files_or_without_a_command_are_not_counted),
        TEST(exit_status_names_the_reason_of_the_stop),
        TEST(first_exit_status_is_final),
        TEST(a_stop_before_the_start_is_remembered),
        TEST(a_stop_while_it_is_saved_never_starts_it),
        TEST(stop_during_the_launch_is_repeated),
        TEST(clock_steps_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
