/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_preempt.c - test: preemption notices: given once, confirmed, and how an end after a notice is
 * reported
 */
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

static void order(struct fixture *f, const char *container_id, int64_t deadline_ms, bool spared)
{
    Creel__NodeOrders orders = CREEL__NODE_ORDERS__INIT;
    Creel__PreemptOrder one = CREEL__PREEMPT_ORDER__INIT, *list[] = { &one };
    char id[ID_TEXT_MAX], why[] = "preempted: others need it";

    snprintf(id, sizeof(id), "%s", container_id);
    one.container_id = id;
    one.deadline_ms = deadline_ms;
    one.reason = why;
    one.spared = spared;
    orders.session = SESSION;
    orders.preempt = list;
    orders.n_preempt = 1;
    fixture_push(f, &orders);
}

static void order_preempt(struct fixture *f, const char *container_id, int64_t deadline_ms)
{
    order(f, container_id, deadline_ms, false);
}

/* Runs CONTAINER(2), whose start request sets SIGNAL_NAME as the signal for notices. */
static void run_heeding(struct fixture *f, const char *signal_name)
{
    Creel__ContainerGrant grant = CREEL__CONTAINER_GRANT__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    char id[] = CONTAINER(2), node[] = NODE, user[] = "ann", word[] = "run", name[16];
    char *command[] = { word };
    struct agent_start_request request = { .grant = &grant, .launch = &launch };

    snprintf(name, sizeof(name), "%s", signal_name);
    grant.container_id = id;
    grant.node_id = node;
    grant.user = user;
    grant.resource = &resource;
    resource.memory_mb = 16;
    resource.vcores = 1;
    launch.command = command;
    launch.n_command = 1;
    launch.preempt_signal = name;
    fixture_step(f);
    agent_on_start(f->agent, f->now, 77, 5, &request, 1, &f->effects);
    fixture_saved(f, CONTAINER(2), 0);
    fixture_launched(f, CONTAINER(2), 0);
    fixture_running(f, CONTAINER(2));
}

static int64_t soon(const struct fixture *f)
{
    return f->now.wall_ms + 15000;
}

static void running_container_gets_one_notice_and_the_rm_a_report(void **state)
{
    struct fixture *f = *state;
    const struct agent_effect *effect;
    int64_t deadline_ms;

    run_heeding(f, "USR1");
    deadline_ms = soon(f);
    order_preempt(f, CONTAINER(2), deadline_ms);
    effect = fixture_one(f, AGENT_PREEMPT_NOTICE);
    assert_string_equal(effect->container_id, CONTAINER(2));
    assert_int_equal(effect->deadline_ms, deadline_ms);
    assert_int_equal(effect->signal_number, SIGUSR1);
    assert_string_equal(effect->text, "preempted: others need it");
    assert_int_equal(fixture_count(f, AGENT_SAVE), 2); /* one save before the notice, one after */
    order_preempt(f, CONTAINER(2), deadline_ms);
    assert_int_equal(fixture_count(f, AGENT_PREEMPT_NOTICE), 0);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->preempt_ms, deadline_ms);
    /* The confirmation was lost: the RM repeats the order, the agent repeats the confirmation. */
    order_preempt(f, CONTAINER(2), deadline_ms);
    assert_int_equal(fixture_count(f, AGENT_PREEMPT_NOTICE), 0);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->preempt_ms, deadline_ms);
    order_preempt(f, CONTAINER(2), deadline_ms + 1000);
    assert_int_equal(fixture_one(f, AGENT_PREEMPT_NOTICE)->deadline_ms, deadline_ms + 1000);
}

static void starting_container_gets_its_notice_when_it_runs(void **state)
{
    struct fixture *f = *state;

    order_preempt(f, CONTAINER(2), soon(f));
    assert_int_equal(f->effects.count, 0);
    fixture_ask(f, CONTAINER(2), 16, 0);
    order_preempt(f, CONTAINER(2), soon(f));
    assert_int_equal(fixture_count(f, AGENT_PREEMPT_NOTICE), 0);
    fixture_saved(f, CONTAINER(2), 0);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->preempt_ms, 0);
    fixture_launched(f, CONTAINER(2), 0);
    fixture_running(f, CONTAINER(2));
    assert_int_equal(fixture_count(f, AGENT_PREEMPT_NOTICE), 1);
    assert_int_equal(fixture_one(f, AGENT_PREEMPT_NOTICE)->signal_number, 0);
    assert_int_not_equal(fixture_status(f, CONTAINER(2), true)->preempt_ms, 0);
}

static void an_end_after_the_notice_counts_as_preempted(void **state)
{
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;

    fixture_run(f, CONTAINER(2), 16);
    order_preempt(f, CONTAINER(2), soon(f));
    fixture_exited(f, CONTAINER(2), 75);
    status = fixture_status(f, CONTAINER(2), true);
    assert_int_equal(status->exit_status, -102);
    assert_non_null(strstr(status->diagnostics, "preempted: others need it"));
    assert_non_null(strstr(status->diagnostics, "exit status 75"));
}

static void a_command_that_ends_after_the_notice_is_reported_as_preempted(void **state)
{
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;

    fixture_run(f, CONTAINER(2), 16);
    order_preempt(f, CONTAINER(2), soon(f));
    fixture_step(f);
    agent_on_command_ended(f->agent, f->now, CONTAINER(2), 75, f->now.wall_ms, &f->effects);
    status = fixture_status(f, CONTAINER(2), true);
    assert_int_equal(status->state, CREEL__CONTAINER_STATE__CONTAINER_STOPPING);
    assert_int_equal(status->exit_status, -102); /* the outcome, if its node is lost now */
    fixture_exited(f, CONTAINER(2), 75);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -102);
}

/* The order to stop the container arrives between its exit and the shim's report of the exit. */
static void an_end_just_before_the_stop_counts_as_preempted(void **state)
{
    struct fixture *f = *state;
    int64_t finished_ms;

    fixture_run(f, CONTAINER(2), 16);
    order_preempt(f, CONTAINER(2), soon(f));
    f->now.wall_ms += 100;
    finished_ms = f->now.wall_ms;
    f->now.wall_ms += 3;
    fixture_order_stop(f, CONTAINER(2), -102);
    f->now.wall_ms += 2;
    fixture_exited_at(f, CONTAINER(2), 75, finished_ms);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -102);
}

/* The command ends after the notice; what it had left is stopped 100 ms later, with STOP_REASON. */
static void expect_stopped(struct fixture *f, const char *stop_reason, const char *diagnostics)
{
    const Creel__ContainerStatus *status;
    struct container_end end = { .exit_status = 138 };

    f->stop_reason = stop_reason;
    run_heeding(f, "USR1");
    order_preempt(f, CONTAINER(2), soon(f));
    end.command_ms = f->now.wall_ms + 1;
    f->now.wall_ms += 100;
    fixture_order_stop(f, CONTAINER(2), -102);
    f->now.wall_ms += 100;
    end.finished_ms = f->now.wall_ms;
    fixture_step(f);
    agent_on_exited(f->agent, f->now, CONTAINER(2), &end, &f->effects);
    status = fixture_status(f, CONTAINER(2), true);
    assert_int_equal(status->exit_status, -102);
    assert_string_equal(status->diagnostics, diagnostics);
}

static void an_end_by_a_kill_is_not_an_end_by_itself(void **state)
{
    expect_stopped(
        *state, "its application was killed",
        "preempted: others need it; its command ended after the notice (exit status 138), what it had "
        "left was stopped: its application was killed");
}

static void the_reason_of_notice_and_stop_is_there_once(void **state)
{
    expect_stopped(
        *state, "preempted: others need it",
        "preempted: others need it; its command ended after the notice (exit status 138), what it had "
        "left was stopped");
}

static void an_end_after_the_deadline_is_not_before_it(void **state)
{
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;
    struct container_end end = { .exit_status = 138 };

    run_heeding(f, "USR1");
    order_preempt(f, CONTAINER(2), soon(f));
    end.command_ms = f->now.wall_ms + 1;
    f->now.wall_ms = soon(f) + 1;
    end.finished_ms = f->now.wall_ms;
    fixture_step(f);
    agent_on_exited(f->agent, f->now, CONTAINER(2), &end, &f->effects);
    status = fixture_status(f, CONTAINER(2), true);
    assert_int_equal(status->exit_status, -102);
    assert_null(strstr(status->diagnostics, "before the deadline"));
}

static void exit_status_0_after_the_notice_is_a_success_unless_a_signal_was_configured(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(3), 16);
    order_preempt(f, CONTAINER(3), soon(f));
    fixture_exited(f, CONTAINER(3), 0);
    assert_int_equal(fixture_status(f, CONTAINER(3), true)->exit_status, 0);
    run_heeding(f, "TERM");
    order_preempt(f, CONTAINER(2), soon(f));
    fixture_exited(f, CONTAINER(2), 0);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -102);
}

static void notice_without_a_kill_expires(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 16);
    order_preempt(f, CONTAINER(2), soon(f));
    fixture_status(f, CONTAINER(2), true);
    f->now.wall_ms += 200000;
    fixture_exited(f, CONTAINER(2), 3);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, 3);
}

static void the_kill_at_the_deadline_is_an_order_as_any(void **state)
{
    struct fixture *f = *state;

    fixture_run(f, CONTAINER(2), 16);
    order_preempt(f, CONTAINER(2), soon(f));
    fixture_order_stop(f, CONTAINER(2), -102);
    assert_int_equal(fixture_count(f, AGENT_STOP), 1);
    order_preempt(f, CONTAINER(2), soon(f) + 1);
    assert_int_equal(fixture_count(f, AGENT_PREEMPT_NOTICE), 0);
    fixture_exited(f, CONTAINER(2), 143);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -102);
}

/* Copies the WHICH-th record saved around the notice (0: before, 1: after) to RECORD. Returns its size. */
static size_t copy_record(const struct fixture *f, size_t which, uint8_t record[4096])
{
    for (size_t i = 0; i < f->effects.count; i++) {
        const struct agent_effect *effect = &f->effects.items[i];

        if (effect->kind != AGENT_SAVE || which-- > 0)
            continue;
        assert_true(effect->size <= 4096);
        memcpy(record, effect->data, effect->size);
        return effect->size;
    }
    fail();
    return 0;
}

static void end_after_restart(struct fixture *f, size_t which, size_t notices)
{
    uint8_t record[4096];
    size_t size;

    fixture_run(f, CONTAINER(2), 16);
    order_preempt(f, CONTAINER(2), soon(f));
    size = copy_record(f, which, record);
    fixture_restart(f, 4096);
    agent_found(f->agent, f->now, CONTAINER(2), AGENT_FOUND_RUNNING, record, size, f->now.wall_ms,
                &f->effects);
    assert_int_equal(fixture_count(f, AGENT_PREEMPT_NOTICE), notices);
    fixture_register(f, SESSION);
    fixture_exited(f, CONTAINER(2), 1);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -102);
}

static void a_notice_survives_the_agent(void **state)
{
    end_after_restart(*state, 1, 0);
}

/* The agent crashed before it could record whether the notice was given, so the new agent gives it again. */
static void a_notice_survives_an_agent_that_dies_while_it_gives_it(void **state)
{
    end_after_restart(*state, 0, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up_registered, fixture_tear_down)

static void revoked_notice_is_removed(void **state)
{
    struct fixture *f = *state;
    int64_t deadline_ms;

    run_heeding(f, "USR1");
    deadline_ms = soon(f);
    order_preempt(f, CONTAINER(2), deadline_ms);
    order(f, CONTAINER(2), deadline_ms, true);
    assert_string_equal(fixture_one(f, AGENT_SPARE)->container_id, CONTAINER(2));
    assert_int_equal(fixture_count(f, AGENT_SAVE), 1);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->preempt_ms, 0);
    order(f, CONTAINER(2), deadline_ms, true); /* the same order again: confirmed again */
    assert_int_equal(fixture_count(f, AGENT_SPARE), 0);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->spared_ms, deadline_ms);
    order_preempt(f, CONTAINER(2), deadline_ms + 60000);
    assert_int_equal(fixture_count(f, AGENT_PREEMPT_NOTICE), 1);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->preempt_ms, deadline_ms + 60000);
    order(f, CONTAINER(2), deadline_ms + 70000, true); /* withdrawal of a notice that was lost */
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->spared_ms, deadline_ms + 70000);
}

/* The preemption was withdrawn before its order arrived: there is no notice that could be removed. */
static void a_container_without_a_notice_is_spared_without_an_effect(void **state)
{
    struct fixture *f = *state;
    int64_t deadline_ms;

    run_heeding(f, "USR1");
    deadline_ms = soon(f);
    order(f, CONTAINER(2), deadline_ms, true);
    assert_int_equal(f->effects.count, 0);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->spared_ms, deadline_ms);
}

/* The container may have begun to exit because of the notice. */
static void an_end_soon_after_that_counts_as_preempted(void **state)
{
    struct fixture *f = *state;

    run_heeding(f, "USR1");
    order_preempt(f, CONTAINER(2), soon(f));
    order(f, CONTAINER(2), soon(f), true);
    fixture_exited(f, CONTAINER(2), 3);
    assert_int_equal(fixture_status(f, CONTAINER(2), true)->exit_status, -102);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(running_container_gets_one_notice_and_the_rm_a_report),
        TEST(starting_container_gets_its_notice_when_it_runs),
        TEST(an_end_after_the_notice_counts_as_preempted),
        TEST(a_command_that_ends_after_the_notice_is_reported_as_preempted),
        TEST(an_end_just_before_the_stop_counts_as_preempted),
        TEST(an_end_by_a_kill_is_not_an_end_by_itself),
        TEST(an_end_after_the_deadline_is_not_before_it),
        TEST(the_reason_of_notice_and_stop_is_there_once),
        TEST(exit_status_0_after_the_notice_is_a_success_unless_a_signal_was_configured),
        TEST(notice_without_a_kill_expires),
        TEST(the_kill_at_the_deadline_is_an_order_as_any),
        TEST(a_notice_survives_the_agent),
        TEST(a_notice_survives_an_agent_that_dies_while_it_gives_it),
        TEST(revoked_notice_is_removed),
        TEST(a_container_without_a_notice_is_spared_without_an_effect),
        TEST(an_end_soon_after_that_counts_as_preempted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
