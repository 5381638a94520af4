/* SPDX-License-Identifier: Apache-2.0 */
/* agent_time_limit.c - test: the signal ahead of a time limit, and the stop by the agent itself */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/id.h"
#include "tests/unit/agent/agent_fixture.h"

#define LIMIT_S 600

/* Launches CONTAINER(2), the first container of an application with a time limit and SIGNAL_NAME ("": none).
 */
static void launch_to(struct fixture *f, const char *signal_name, const char *to, int64_t limit_s)
{
    Creel__ContainerGrant grant = CREEL__CONTAINER_GRANT__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    char id[] = CONTAINER(2), node[] = NODE, user[] = "ann", word[] = "run", name[16], whom[16];
    char *command[] = { word };
    struct agent_start_request request = { .grant = &grant, .launch = &launch };

    snprintf(name, sizeof(name), "%s", signal_name);
    grant.container_id = id;
    grant.node_id = node;
    grant.user = user;
    grant.resource = &resource;
    grant.time_limit_s = limit_s;
    resource.memory_mb = 16;
    resource.vcores = 1;
    launch.command = command;
    launch.n_command = 1;
    launch.limit_signal = name;
    snprintf(whom, sizeof(whom), "%s", to);
    launch.limit_signal_to = whom;
    fixture_step(f);
    agent_on_start(f->agent, f->now, 77, 5, &request, 1, &f->effects);
    fixture_saved(f, CONTAINER(2), 0);
    fixture_launched(f, CONTAINER(2), 0);
}

static void launch_it(struct fixture *f, const char *signal_name, int64_t limit_s)
{
    launch_to(f, signal_name, "", limit_s);
}

static void run(struct fixture *f, const char *signal_name, int64_t limit_s)
{
    launch_it(f, signal_name, limit_s);
    fixture_running(f, CONTAINER(2));
}

static void order(struct fixture *f, int64_t limit_ms)
{
    Creel__NodeOrders orders = CREEL__NODE_ORDERS__INIT;
    Creel__LimitOrder one = CREEL__LIMIT_ORDER__INIT, *list[] = { &one };
    char id[] = CONTAINER(2);

    one.container_id = id;
    one.limit_ms = limit_ms;
    orders.session = SESSION;
    orders.limits = list;
    orders.n_limits = 1;
    fixture_push(f, &orders);
}

/* Sets the clocks MS ahead, without any contact to the resource manager; returns the effects of KIND. */
static size_t after(struct fixture *f, int64_t ms, enum agent_effect_kind kind)
{
    f->now.wall_ms += ms;
    f->now.steady_ms += ms;
    fixture_step(f);
    agent_on_timer(f->agent, f->now, &f->effects);
    return fixture_count(f, kind);
}

static int set_up(void **state)
{
    struct fixture *f;
    int r = fixture_set_up(state);

    if (r != 0)
        return r;
    f = *state;
    f->rm_offset_ms = f->now.wall_ms - f->now.steady_ms;
    fixture_register(f, SESSION);
    return 0;
}

static void the_signal_is_sent_once_ahead_of_the_limit(void **state)
{
    struct fixture *f = *state;

    run(f, "USR1@60", LIMIT_S);
    assert_int_equal(after(f, (LIMIT_S - 61) * 1000, AGENT_SIGNAL), 0);
    assert_int_equal(after(f, 1000, AGENT_SIGNAL), 1);
    assert_int_equal(fixture_one(f, AGENT_SIGNAL)->signal_number, SIGUSR1);
    assert_string_equal(fixture_one(f, AGENT_SIGNAL)->container_id, CONTAINER(2));
    assert_int_equal(after(f, 1000, AGENT_SIGNAL), 0);
}

static void a_container_whose_command_has_ended_is_stopping_and_has_no_limit(void **state)
{
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;

    run(f, "", LIMIT_S);
    fixture_step(f);
    agent_on_command_ended(f->agent, f->now, CONTAINER(2), 5, f->now.wall_ms, &f->effects);
    status = fixture_status(f, CONTAINER(2), true);
    assert_int_equal(status->state, CREEL__CONTAINER_STATE__CONTAINER_STOPPING);
    assert_int_equal(status->exit_status, 5);
    assert_int_equal(after(f, 2 * LIMIT_S * 1000, AGENT_STOP), 0);
    fixture_step(f);
    assert_null(agent_container_launch(f->agent, f->now, CONTAINER(2), &f->effects)); /* for an exec */
}

/* It gets neither the signal nor the stop. */
static void an_ended_container_has_no_limit(void **state)
{
    struct fixture *f = *state;

    run(f, "USR1@60", LIMIT_S);
    fixture_exited(f, CONTAINER(2), 0);
    fixture_status(f, CONTAINER(2), true);
    assert_int_equal(after(f, (LIMIT_S - 60) * 1000, AGENT_SIGNAL), 0);
    assert_int_equal(after(f, 2 * LIMIT_S * 1000, AGENT_STOP), 0);
}

static void the_signal_goes_to_the_processes_that_were_requested(void **state)
{
    static const struct {
        const char *word;
        enum job_signal_to to;
    } cases[] = {
        { "", JOB_SIGNAL_TO_ALL },        { "all", JOB_SIGNAL_TO_ALL },
        { "first", JOB_SIGNAL_TO_FIRST }, { "others", JOB_SIGNAL_TO_OTHERS },
        { "steps", JOB_SIGNAL_TO_STEPS },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (i > 0) {
            assert_int_equal(fixture_tear_down(state), 0);
            assert_int_equal(set_up(state), 0);
        }
        launch_to(*state, "USR1@60", cases[i].word, LIMIT_S);
        fixture_running(*state, CONTAINER(2));
        assert_int_equal(after(*state, (LIMIT_S - 60) * 1000, AGENT_SIGNAL), 1);
        assert_int_equal(fixture_one(*state, AGENT_SIGNAL)->signal_to, cases[i].to);
    }
}

static void the_agent_stops_it_if_no_order_comes(void **state)
{
    struct fixture *f = *state;
    const struct agent_effect *saved;
    Creel__StoredStart *start;

    run(f, "", LIMIT_S);
    assert_int_equal(after(f, LIMIT_S * 1000, AGENT_STOP), 0);
    assert_int_equal(after(f, 10000, AGENT_STOP), 1);
    saved = fixture_one(f, AGENT_SAVE);
    start = creel__stored_start__unpack(NULL, saved->size, saved->data);
    assert_non_null(start);
    assert_int_equal(start->stop_exit_status, -106);
    creel__stored_start__free_unpacked(start, NULL);
    assert_int_equal(after(f, 10000, AGENT_STOP), 0);
}

/* The start of a command can hang, for instance in a file system that does not answer. */
static void a_start_that_hangs_is_stopped_at_the_limit(void **state)
{
    struct fixture *f = *state;

    launch_it(f, "USR1@60", LIMIT_S);
    assert_int_equal(after(f, (LIMIT_S - 1) * 1000, AGENT_STOP), 0);
    assert_int_equal(after(f, 1000, AGENT_STOP), 1);
    assert_int_equal(fixture_count(f, AGENT_SIGNAL), 0);
    assert_int_equal(after(f, 10000, AGENT_STOP), 0);
}

static void without_a_limit_nothing_happens(void **state)
{
    struct fixture *f = *state;

    run(f, "USR1@60", 0);
    assert_int_equal(after(f, INT64_C(100) * 24 * 3600 * 1000, AGENT_SIGNAL), 0);
    assert_int_equal(fixture_count(f, AGENT_STOP), 0);
}

static void a_limit_that_is_nearer_gives_the_signal_at_once(void **state)
{
    struct fixture *f = *state;

    run(f, "TERM@5m", 100);
    assert_int_equal(after(f, 1, AGENT_SIGNAL), 1);
}

static void an_order_moves_the_limit(void **state)
{
    struct fixture *f = *state;
    int64_t limit_ms = f->now.wall_ms + 2 * LIMIT_S * 1000;

    run(f, "USR1@60", LIMIT_S);
    order(f, limit_ms);
    assert_int_equal(fixture_count(f, AGENT_SAVE), 1);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->limit_ms, limit_ms);
    order(f, limit_ms);
    assert_int_equal(fixture_count(f, AGENT_SAVE), 0);
    assert_int_equal(after(f, LIMIT_S * 1000, AGENT_SIGNAL), 0);
    assert_int_equal(after(f, (LIMIT_S - 60) * 1000, AGENT_SIGNAL), 1);
}

static void a_limit_that_is_moved_gives_the_signal_again(void **state)
{
    struct fixture *f = *state;

    run(f, "USR1@60", 61);
    assert_int_equal(after(f, 1000, AGENT_SIGNAL), 1);
    order(f, f->now.wall_ms + LIMIT_S * 1000);
    assert_int_equal(after(f, 100000, AGENT_SIGNAL), 0);
    assert_int_equal(fixture_count(f, AGENT_STOP), 0);
    assert_int_equal(after(f, (LIMIT_S - 160) * 1000, AGENT_SIGNAL), 1);
}

/* Not before its record is on disk: a report is a promise. fixture_check has the rule. */
static void an_order_does_not_report_a_container_that_is_being_saved(void **state)
{
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;
    int64_t limit_ms = f->now.wall_ms + 60000;

    fixture_ask(f, CONTAINER(2), 16, 0);
    order(f, limit_ms);
    fixture_saved(f, CONTAINER(2), 0);
    status = fixture_status(f, CONTAINER(2), true);
    assert_non_null(status);
    assert_int_equal(status->limit_ms, limit_ms);
}

/* The runtime reports events of a container before it reports the result of its launch. */
static void an_end_before_the_answer_to_the_launch_is_final(void **state)
{
    struct fixture *f = *state;

    fixture_ask(f, CONTAINER(3), 16, 0);
    fixture_saved(f, CONTAINER(3), 0);
    fixture_ask_stop(f, CONTAINER(3));
    fixture_exited(f, CONTAINER(3), 143);
    fixture_launched(f, CONTAINER(3), 0);
    assert_int_equal(fixture_count(f, AGENT_STOP), 0);
    assert_int_equal(fixture_status(f, CONTAINER(3), true)->exit_status, -105);
}

static void an_order_removes_the_limit(void **state)
{
    struct fixture *f = *state;

    run(f, "USR1@60", LIMIT_S);
    order(f, 0);
    assert_int_equal(after(f, INT64_C(100) * 24 * 3600 * 1000, AGENT_STOP), 0);
    assert_int_equal(fixture_count(f, AGENT_SIGNAL), 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_signal_is_sent_once_ahead_of_the_limit),
        TEST(a_container_whose_command_has_ended_is_stopping_and_has_no_limit),
        TEST(an_ended_container_has_no_limit),
        TEST(the_signal_goes_to_the_processes_that_were_requested),
        TEST(the_agent_stops_it_if_no_order_comes),
        TEST(a_start_that_hangs_is_stopped_at_the_limit),
        TEST(without_a_limit_nothing_happens),
        TEST(a_limit_that_is_nearer_gives_the_signal_at_once),
        TEST(an_order_moves_the_limit),
        TEST(a_limit_that_is_moved_gives_the_signal_again),
        TEST(an_order_removes_the_limit),
        TEST(an_end_before_the_answer_to_the_launch_is_final),
        TEST(an_order_does_not_report_a_container_that_is_being_saved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
