/* SPDX-License-Identifier: Apache-2.0 */
/* agent_clock.c - test: the agent judges deadlines by the RM's clock, even if the node's clock differs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/agent/agent_fixture.h"

#define HOUR_MS 3600000
#define MINUTE_MS 60000

static const int64_t skews_ms[] = { 0, HOUR_MS, -HOUR_MS, 24 * HOUR_MS, -24 * HOUR_MS };

/* Starts and registers an agent whose clock is SKEW_MS ahead of the RM's clock. */
static void begin(struct fixture *f, int64_t skew_ms)
{
    fixture_init(f, 4096);
    f->rm_offset_ms = f->now.wall_ms - skew_ms - f->now.steady_ms;
    fixture_register(f, SESSION);
}

static int64_t rm_ms(const struct fixture *f)
{
    return f->now.steady_ms + f->rm_offset_ms;
}

static void a_grant_holds_until_it_expires_by_the_rm(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(skews_ms) / sizeof(*skews_ms); i++) {
        struct fixture f;

        begin(&f, skews_ms[i]);
        f.expires_ms = rm_ms(&f) + 10 * MINUTE_MS;
        fixture_ask(&f, CONTAINER(2), 16, 0);
        assert_int_equal(fixture_count(&f, AGENT_SAVE), 1);
        fixture_saved(&f, CONTAINER(2), 0);
        f.now.wall_ms += 10 * MINUTE_MS + 1;
        f.now.steady_ms += 10 * MINUTE_MS + 1;
        fixture_ask(&f, CONTAINER(3), 16, 0);
        assert_non_null(fixture_answer(&f));
        fixture_done(&f);
    }
}

/* The node's clock is set while the agent runs; the agent detects that at once, without a heartbeat. */
static void a_clock_that_is_set_changes_nothing(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, 0);
    f.expires_ms = rm_ms(&f) + MINUTE_MS;
    f.now.wall_ms += 24 * HOUR_MS;
    fixture_ask(&f, CONTAINER(2), 16, 0);
    assert_int_equal(fixture_count(&f, AGENT_SAVE), 1);
    fixture_saved(&f, CONTAINER(2), 0);
    f.now.wall_ms -= 48 * HOUR_MS;
    f.now.steady_ms += MINUTE_MS + 1;
    fixture_ask(&f, CONTAINER(3), 16, 0);
    assert_non_null(fixture_answer(&f));
    fixture_done(&f);
}

static void a_refusal_names_both_clocks(void **state)
{
    const Creel__Error *error;
    struct fixture f;

    (void)state;
    begin(&f, HOUR_MS);
    f.expires_ms = rm_ms(&f) - 2000;
    fixture_ask(&f, CONTAINER(2), 16, 0);
    error = fixture_answer(&f);
    assert_int_equal(error->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
    assert_string_equal(error->message,
                        "the grant of the container has expired 2.0 s ago by the clock of "
                        "the resource manager (the clock of this node is 3600.0 s ahead of it)");
    fixture_done(&f);
}

static void rm_without_clock_report_counts_as_synchronous(void **state)
{
    const Creel__Error *error;
    struct fixture f;

    (void)state;
    fixture_init(&f, 4096);
    fixture_register(&f, SESSION);
    fixture_ask(&f, CONTAINER(2), 16, 0);
    assert_int_equal(fixture_count(&f, AGENT_SAVE), 1);
    fixture_saved(&f, CONTAINER(2), 0);
    f.expires_ms = f.now.wall_ms - 1000;
    fixture_ask(&f, CONTAINER(3), 16, 0);
    error = fixture_answer(&f);
    assert_non_null(strstr(error->message, "by the clock of this node"));
    fixture_done(&f);
}

/* Answers a heartbeat TRIP_MS after it was sent, with half of TRIP_MS on the way to the RM. */
static void check_measured(int64_t skew_ms, int64_t trip_ms)
{
    const Creel__Envelope *sent;
    struct fixture f;

    begin(&f, skew_ms);
    sent = fixture_next_send(&f);
    assert_int_equal(sent->body_case, CREEL__ENVELOPE__BODY_HEARTBEAT);
    f.now.wall_ms += trip_ms;
    f.now.steady_ms += trip_ms;
    f.rm_offset_ms -= trip_ms / 2; /* the RM wrote the answer in the middle of the trip */
    fixture_reply_heartbeat(&f, sent->request_id, sent->heartbeat->seq, CREEL__NODE_ACTION__NODE_NORMAL);
    sent = fixture_next_send(&f);
    assert_true(sent->heartbeat->clock_measured);
    assert_int_equal(sent->heartbeat->clock_skew_ms, skew_ms);
    assert_int_equal(sent->heartbeat->clock_error_ms, trip_ms / 2);
    fixture_done(&f);
}

static void heartbeats_report_the_skew(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(skews_ms) / sizeof(*skews_ms); i++)
        check_measured(skews_ms[i], 400);
}

/* The agent converts a deadline of the RM to the node's clock, which the container reads. */
static void a_notice_has_the_time_of_the_node(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(skews_ms) / sizeof(*skews_ms); i++) {
        Creel__NodeOrders orders = CREEL__NODE_ORDERS__INIT;
        Creel__PreemptOrder order = CREEL__PREEMPT_ORDER__INIT, *list[] = { &order };
        char id[] = CONTAINER(2), reason[] = "room for others";
        struct fixture f;

        begin(&f, skews_ms[i]);
        f.expires_ms = rm_ms(&f) + MINUTE_MS;
        fixture_run(&f, CONTAINER(2), 16);
        order.container_id = id;
        order.reason = reason;
        order.deadline_ms = rm_ms(&f) + MINUTE_MS;
        orders.session = SESSION;
        orders.preempt = list;
        orders.n_preempt = 1;
        fixture_push(&f, &orders);
        assert_int_equal(fixture_one(&f, AGENT_PREEMPT_NOTICE)->deadline_ms, f.now.wall_ms + MINUTE_MS);
        /* A container that ends after the notice counts as preempted, not as failed. */
        fixture_exited(&f, CONTAINER(2), 143);
        assert_int_equal(fixture_status(&f, CONTAINER(2), true)->exit_status, -102);
        fixture_done(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grant_holds_until_it_expires_by_the_rm),
        cmocka_unit_test(a_clock_that_is_set_changes_nothing),
        cmocka_unit_test(a_refusal_names_both_clocks),
        cmocka_unit_test(rm_without_clock_report_counts_as_synchronous),
        cmocka_unit_test(heartbeats_report_the_skew),
        cmocka_unit_test(a_notice_has_the_time_of_the_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
