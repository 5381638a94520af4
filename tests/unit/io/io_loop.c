/* SPDX-License-Identifier: Apache-2.0 */
/* io_loop.c - test: event loop: order of callbacks, and removed sources that must not run */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/loop/loop.h"

#define DEADLINE_MS 10000

struct scene {
    struct loop *loop;
    char trace[256]; /* one letter for each callback that ran */
    int pipes[3][2];
    int timer;
    int again;
};

static void late(void *context)
{
    (void)context;
    fail_msg("not done within %d ms", DEADLINE_MS);
}

static void note(struct scene *scene, const char *what)
{
    strncat(scene->trace, what, sizeof(scene->trace) - strlen(scene->trace) - 1);
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    assert_int_equal(loop_new(&scene->loop, NULL), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pipe(scene->pipes[i]), 0);
    loop_add_timer(scene->loop, DEADLINE_MS, late, NULL);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    loop_free(scene->loop);
    for (int i = 0; i < 3; i++) {
        close(scene->pipes[i][0]);
        close(scene->pipes[i][1]);
    }
    free(scene);
    return 0;
}

static void timer_a(void *context)
{
    note(context, "a");
}
static void timer_b(void *context)
{
    note(context, "b");
}
static void timer_c(void *context)
{
    note(context, "c");
}

static void stop(void *context)
{
    struct scene *scene = context;

    note(scene, ".");
    loop_stop(scene->loop);
}

static void timers_run_by_due_time_then_as_set(void **state)
{
    struct scene *scene = *state;

    loop_add_timer(scene->loop, 30, stop, scene);
    loop_add_timer(scene->loop, 20, timer_b, scene);
    for (int i = 0; i < 3; i++)
        loop_add_timer(scene->loop, 0, timer_a, scene);
    loop_add_timer(scene->loop, 0, timer_c, scene);
    loop_add_timer(scene->loop, -5, timer_b, scene);
    loop_run(scene->loop);
    assert_string_equal(scene->trace, "aaacbb.");
}

static void many_timers_keep_their_order(void **state)
{
    struct scene *scene = *state;
    int handles[100];

    for (int i = 0; i < 100; i++)
        handles[i] = loop_add_timer(scene->loop, (i * 37) % 10, i % 2 ? timer_a : timer_b, scene);
    for (int i = 0; i < 100; i += 2)
        loop_cancel_timer(scene->loop, handles[i]);
    loop_add_timer(scene->loop, 11, stop, scene);
    loop_run(scene->loop);
    assert_int_equal(strlen(scene->trace), 51);
    assert_int_equal(strspn(scene->trace, "a"), 50);
}

static void cancel_other(void *context)
{
    struct scene *scene = context;

    note(scene, "x");
    loop_cancel_timer(scene->loop, scene->timer);
    loop_cancel_timer(scene->loop, scene->timer);
    loop_cancel_timer(scene->loop, 0);
}

static void a_timer_that_is_due_can_be_cancelled_in_a_callback(void **state)
{
    struct scene *scene = *state;

    loop_add_timer(scene->loop, 0, cancel_other, scene);
    scene->timer = loop_add_timer(scene->loop, 0, timer_a, scene);
    loop_add_timer(scene->loop, 0, stop, scene);
    loop_run(scene->loop);
    assert_string_equal(scene->trace, "x.");
}

static void repeat(void *context)
{
    struct scene *scene = context;

    note(scene, "r");
    if (++scene->again < 3)
        loop_add_timer(scene->loop, 0, repeat, scene);
    else
        loop_stop(scene->loop);
}

static void on_pipe(void *context, int fd)
{
    struct scene *scene = context;
    char byte;

    assert_int_equal(read(fd, &byte, 1), 1);
    note(scene, &(char[2]){ byte, '\0' }[0]);
}

static void hook(void *context)
{
    note(context, "|");
}

static void the_hook_runs_once_before_each_sleep(void **state)
{
    struct scene *scene = *state;

    assert_int_equal(loop_add_fd(scene->loop, scene->pipes[0][0], false, on_pipe, scene, NULL), 0);
    assert_int_equal(loop_add_fd(scene->loop, scene->pipes[1][0], false, on_pipe, scene, NULL), 0);
    loop_before_sleep(scene->loop, hook, scene);
    assert_int_equal(write(scene->pipes[0][1], "1", 1), 1);
    assert_int_equal(write(scene->pipes[1][1], "2", 1), 1);
    loop_add_timer(scene->loop, 0, repeat, scene);
    loop_run(scene->loop);
    /* Both pipes and the due timer run in one turn. A timer set in a callback waits for the next turn. The
     * hook runs after the last turn, too. */
    assert_string_equal(scene->trace, "|12r|r|r|");
}

static void on_pipe_then_stop(void *context, int fd)
{
    on_pipe(context, fd);
    stop(context);
}

static void remove_the_other(void *context, int fd)
{
    struct scene *scene = context;

    on_pipe(context, fd);
    loop_remove_fd(scene->loop, scene->pipes[1][0]);
    loop_remove_fd(scene->loop, fd);
    /* The file descriptor number is reused at once, for another source. */
    assert_int_equal(loop_add_fd(scene->loop, scene->pipes[1][0], false, on_pipe_then_stop, scene, NULL), 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(loop_add_fd(scene->loop, dup(fd), true, on_pipe, scene, NULL), 0);
}

static void descriptors_can_be_removed_in_callbacks(void **state)
{
    struct scene *scene = *state;
    int base = dup(0);

    close(base);
    assert_int_equal(loop_add_fd(scene->loop, scene->pipes[0][0], false, remove_the_other, scene, NULL), 0);
    assert_int_equal(loop_add_fd(scene->loop, scene->pipes[1][0], false, on_pipe, scene, NULL), 0);
    loop_before_sleep(scene->loop, hook, scene);
    assert_int_equal(write(scene->pipes[0][1], "1", 1), 1);
    assert_int_equal(write(scene->pipes[1][1], "2", 1), 1);
    loop_run(scene->loop);
    /* Pipe "2" had data in the first turn already. That event belonged to the removed source, so the new
     * source must not get it. It is called in the second turn. */
    assert_string_equal(scene->trace, "|1|2.|");
    for (int i = 0; i < 20; i++)
        close(base + i);
}

static void wrong_descriptors_are_refused(void **state)
{
    struct scene *scene = *state;
    struct err err;

    assert_int_equal(loop_add_fd(scene->loop, -1, false, on_pipe, scene, &err), -EBADF);
    assert_int_equal(loop_add_fd(scene->loop, 0, false, on_pipe, scene, &err), 0);
    assert_int_equal(loop_add_fd(scene->loop, 0, false, on_pipe, scene, &err), -EEXIST);
    loop_remove_fd(scene->loop, 0);
    loop_remove_fd(scene->loop, 99);
}

static void on_signal(void *context, int number)
{
    char text[16];

    snprintf(text, sizeof(text), "%d,", number);
    note(context, text);
    if (number == SIGTERM)
        loop_stop(((struct scene *)context)->loop);
}

static void signals_arrive_as_events(void **state)
{
    struct scene *scene = *state;
    char expected[32];

    assert_int_equal(loop_on_signal(scene->loop, SIGHUP, on_signal, scene, NULL), 0);
    assert_int_equal(loop_on_signal(scene->loop, SIGTERM, on_signal, scene, NULL), 0);
    raise(SIGHUP);
    raise(SIGTERM);
    loop_run(scene->loop);
    snprintf(expected, sizeof(expected), "%d,%d,", SIGHUP, SIGTERM);
    assert_string_equal(scene->trace, expected);
    assert_int_equal(loop_on_signal(scene->loop, 4711, on_signal, scene, NULL), -EINVAL);
}

static void the_process_is_prepared(void **state)
{
    struct rlimit limit;
    struct sigaction action;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(limit.rlim_cur == limit.rlim_max);
    assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_IGN);
    /* czmq would install a SIGINT handler of its own; a background job ignores SIGINT. */
    assert_int_equal(sigaction(SIGINT, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(timers_run_by_due_time_then_as_set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_timers_keep_their_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_timer_that_is_due_can_be_cancelled_in_a_callback, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_hook_runs_once_before_each_sleep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(descriptors_can_be_removed_in_callbacks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_descriptors_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(signals_arrive_as_events, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_process_is_prepared, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("io_loop", tests, NULL, NULL);
}
