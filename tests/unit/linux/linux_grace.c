/* SPDX-License-Identifier: Apache-2.0 */
/* linux_grace.c - test: when a container is over, and which signals its processes get until then */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nm-agent/linux/shim/grace.h"

#define DELAY 10000

struct moment { /* what the shim sees, and what it must do */
    struct grace_view view;
    enum grace_action action;
    int64_t until_ms; /* of GRACE_WAIT */
};

#define RUNS(at) .now_ms = (at), .kill_delay_ms = DELAY
#define LEFT(at) .now_ms = (at), .kill_delay_ms = DELAY, .command_over = true
#define GONE(at) .now_ms = (at), .kill_delay_ms = DELAY, .command_over = true, .empty = true

/* Plays MOMENTS, ended by one without a time; returns the state after them. */
static struct grace play(const struct moment *moments)
{
    struct grace grace = { .kill_at_ms = 0 };

    for (; moments->view.now_ms != 0; moments++) {
        int64_t until_ms = 0;

        assert_int_equal(grace_next(&grace, &moments->view, &until_ms), moments->action);
        assert_int_equal(until_ms, moments->until_ms);
    }
    return grace;
}
#define PLAY(...) play((const struct moment[]){ __VA_ARGS__, { .view = { .now_ms = 0 } } })

static void a_command_that_ends_alone_ends_the_container(void **state)
{
    (void)state;
    struct grace grace = PLAY({ { RUNS(1000) }, GRACE_WAIT, GRACE_NEVER }, { { GONE(2000) }, GRACE_OVER, 0 });

    assert_false(grace.cut_off);
}

static void what_a_command_leaves_gets_term_and_the_delay(void **state)
{
    (void)state;
    PLAY({ { LEFT(2000) }, GRACE_TERM, 0 }, { { LEFT(2001), .terminated = true }, GRACE_WAIT, 12000 },
         { { LEFT(11999), .terminated = true }, GRACE_WAIT, 12000 },
         { { LEFT(12000), .terminated = true }, GRACE_KILL, 0 }, { { GONE(12050) }, GRACE_OVER, 0 });
}

static void the_end_of_the_command_in_a_stop_is_not_the_end(void **state)
{
    (void)state;
    struct stop_order order = { .kill_at_ms = 15000 };

    PLAY({ { RUNS(1000) }, GRACE_WAIT, GRACE_NEVER }, { { RUNS(5000), .order = order }, GRACE_WAIT, 15000 },
         { { LEFT(5001), .order = order, .terminated = true }, GRACE_WAIT, 15000 },
         { { LEFT(8000), .order = order, .terminated = true }, GRACE_WAIT, 15000 },
         { { GONE(8001), .order = order }, GRACE_OVER, 0 });
}

static void a_stop_kills_when_the_grace_has_passed(void **state)
{
    (void)state;
    struct stop_order order = { .kill_at_ms = 15000 };

    PLAY({ { RUNS(14999), .order = order }, GRACE_WAIT, 15000 },
         { { RUNS(15000), .order = order }, GRACE_KILL, 0 },
         { { LEFT(15001), .order = order, .terminated = true }, GRACE_KILL, 0 },
         { { GONE(15002), .order = order }, GRACE_OVER, 0 });
}

static void an_earlier_kill_replaces_the_time(void **state)
{
    (void)state;
    PLAY({ { LEFT(2000) }, GRACE_TERM, 0 },
         { { LEFT(3000), .terminated = true, .order.kill_at_ms = 13000 }, GRACE_WAIT, 12000 },
         { { LEFT(3100), .terminated = true, .order.kill_at_ms = 3100 }, GRACE_KILL, 0 });
}

/* A step whose client has gone: the stop of its container, which comes next, has sent SIGTERM. */
static void a_stop_just_after_the_end_of_a_step_bounds_it(void **state)
{
    (void)state;
    PLAY({ { LEFT(2000), .order.kill_at_ms = 11999 }, GRACE_WAIT, 11999 },
         { { LEFT(11999), .order.kill_at_ms = 11999 }, GRACE_KILL, 0 });
    PLAY({ { LEFT(2000) }, GRACE_TERM, 0 },
         { { LEFT(2001), .terminated = true, .order.kill_at_ms = 5000 }, GRACE_WAIT, 5000 },
         { { LEFT(5000), .terminated = true, .order.kill_at_ms = 5000 }, GRACE_KILL, 0 });
}

static void processes_that_handle_a_signal_are_left_alone(void **state)
{
    (void)state;
    struct stop_order order = { .signal_number = SIGUSR1, .signal_until_ms = 60000 };

    PLAY({ { RUNS(1000), .order = order }, GRACE_WAIT, GRACE_NEVER },
         { { LEFT(2000), .order = order }, GRACE_WAIT, 60000 },
         { { GONE(3000), .order = order }, GRACE_OVER, 0 });
    PLAY({ { LEFT(2000), .order = order }, GRACE_WAIT, 60000 },
         { { LEFT(60000), .order = order }, GRACE_TERM, 0 },
         { { LEFT(60001), .order = order, .terminated = true }, GRACE_WAIT, 60000 + DELAY });
}

static void an_early_term_is_a_warning_and_does_not_replace_the_grace(void **state)
{
    (void)state;
    struct stop_order order = { .signal_number = SIGTERM, .signal_until_ms = 9000 };

    PLAY({ { LEFT(2000), .order = order }, GRACE_WAIT, 9000 },
         { { LEFT(9000), .order = order }, GRACE_TERM, 0 },
         { { LEFT(9001), .order = order, .terminated = true }, GRACE_WAIT, 9000 + DELAY },
         { { LEFT(9000 + DELAY), .order = order, .terminated = true }, GRACE_KILL, 0 });
}

static void a_signal_of_long_ago_changes_nothing(void **state)
{
    (void)state;
    PLAY({ { LEFT(2000), .order = { .signal_number = SIGUSR1, .signal_until_ms = 1500 } }, GRACE_TERM, 0 });
}

static void term_is_not_sent_twice(void **state)
{
    (void)state;
    /* Somebody else sent it, as systemd when the keeper stops. */
    PLAY({ { LEFT(2000), .terminated = true }, GRACE_WAIT, 12000 });
}

static void an_old_term_to_some_processes_does_not_replace_that_of_the_end(void **state)
{
    (void)state;
    PLAY({ { LEFT(20000), .order = { .signal_number = SIGTERM, .signal_until_ms = 9000 } }, GRACE_TERM, 0 });
}

static void lost_contact_stops_the_container(void **state)
{
    (void)state;
    struct grace grace =
        PLAY({ { RUNS(1000), .cutoff_term_ms = 7000, .cutoff_kill_ms = 8000 }, GRACE_WAIT, 7000 },
             { { RUNS(7000), .cutoff_term_ms = 9000, .cutoff_kill_ms = 10000 }, GRACE_WAIT, 9000 },
             { { RUNS(9000), .cutoff_term_ms = 9000, .cutoff_kill_ms = 10000 }, GRACE_TERM, 0 },
             /* New contact no longer prevents the end. */
             { { RUNS(9001), .cutoff_term_ms = 99000, .cutoff_kill_ms = 100000 }, GRACE_WAIT, 10000 },
             { { LEFT(9002), .terminated = true }, GRACE_WAIT, 10000 },
             { { LEFT(10000), .terminated = true }, GRACE_KILL, 0 }, { { GONE(10001) }, GRACE_OVER, 0 });

    assert_true(grace.cut_off);
}

static void orders_are_read_as_they_were_written(void **state)
{
    static const char *const damaged[] = { "", "kill", "kill 5\nsignal 10 7\n", "kill x\nsignal 0 0\nend\n" };
    struct stop_order order = { .kill_at_ms = 123456789012, .signal_until_ms = 5, .signal_number = 10 }, read;
    char text[STOP_ORDER_TEXT_MAX];

    (void)state;
    stop_order_format(&order, text);
    assert_true(stop_order_parse(text, &read));
    assert_int_equal(read.kill_at_ms, order.kill_at_ms);
    assert_int_equal(read.signal_until_ms, 5);
    assert_int_equal(read.signal_number, 10);
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
        assert_false(stop_order_parse(damaged[i], &read));
}

/* The shim of a running container sleeps: a wait without an end is a wait, in milliseconds and
 * microseconds. */
static void a_wait_without_an_end_is_bounded(void **state)
{
    (void)state;
    assert_int_equal(grace_wait_ms(GRACE_NEVER, 1), GRACE_WAIT_MAX_MS);
    assert_int_equal(grace_wait_ms(GRACE_NEVER, 9000000000), GRACE_WAIT_MAX_MS);
    assert_int_equal(grace_wait_ms(1500, 1000), 500);
    assert_int_equal(grace_wait_ms(900, 1000), 0);
    assert_true(GRACE_WAIT_MAX_MS <= INT64_MAX / 1000);
}

/* The resource manager runs the task elsewhere when the time has passed. */
static void no_signal_and_no_stop_lasts_longer_than_without_contact(void **state)
{
    (void)state;
    struct stop_order signal = { .signal_number = SIGUSR1, .signal_until_ms = 1800000 };
    struct stop_order stop = { .kill_at_ms = 3600000 };
    struct grace grace = PLAY(
        { { LEFT(1000), .order = signal }, GRACE_WAIT, 1800000 },
        { { LEFT(2000), .order = signal, .cutoff_term_ms = 9000, .cutoff_kill_ms = 10000 },
          GRACE_WAIT,
          9000 },
        { { LEFT(9000), .order = signal, .cutoff_term_ms = 9000, .cutoff_kill_ms = 10000 }, GRACE_TERM, 0 },
        { { LEFT(9001), .order = signal, .cutoff_term_ms = 9000, .cutoff_kill_ms = 10000 },
          GRACE_WAIT,
          10000 },
        { { LEFT(10000), .order = signal, .cutoff_term_ms = 9000, .cutoff_kill_ms = 10000 }, GRACE_KILL, 0 });

    assert_false(grace.cut_off); /* the command had ended by itself */
    PLAY(
        { { RUNS(1000), .order = stop, .cutoff_term_ms = 9000, .cutoff_kill_ms = 10000 }, GRACE_WAIT, 9000 },
        { { RUNS(9000), .order = stop, .cutoff_term_ms = 9000, .cutoff_kill_ms = 10000 }, GRACE_WAIT, 10000 },
        { { RUNS(10000), .order = stop, .cutoff_term_ms = 9000, .cutoff_kill_ms = 10000 }, GRACE_KILL, 0 });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_without_an_end_is_bounded),
        cmocka_unit_test(a_command_that_ends_alone_ends_the_container),
        cmocka_unit_test(what_a_command_leaves_gets_term_and_the_delay),
        cmocka_unit_test(the_end_of_the_command_in_a_stop_is_not_the_end),
        cmocka_unit_test(a_stop_kills_when_the_grace_has_passed),
        cmocka_unit_test(an_earlier_kill_replaces_the_time),
        cmocka_unit_test(a_stop_just_after_the_end_of_a_step_bounds_it),
        cmocka_unit_test(processes_that_handle_a_signal_are_left_alone),
        cmocka_unit_test(an_early_term_is_a_warning_and_does_not_replace_the_grace),
        cmocka_unit_test(a_signal_of_long_ago_changes_nothing),
        cmocka_unit_test(term_is_not_sent_twice),
        cmocka_unit_test(an_old_term_to_some_processes_does_not_replace_that_of_the_end),
        cmocka_unit_test(lost_contact_stops_the_container),
        cmocka_unit_test(orders_are_read_as_they_were_written),
        cmocka_unit_test(no_signal_and_no_stop_lasts_longer_than_without_contact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
