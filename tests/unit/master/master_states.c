/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_states.c - test: the state machines of states.h, for all pairs of state and event
 *
 * The step functions abort on a pair that cannot happen, so the test tries each pair in a child process.
 * Checked properties: final states are final, a kill ends every state, late reports never abort, every state
 * is reachable, a queued event has a cell in each state that may be entered before it is handled, and an
 * abort is preceded by a line that names the object, the state and the event.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "rm/master/parts/states.h"

#define ROOM 16

struct cell {
    bool there;
    int next, action;
};

struct table {
    int states, events;
    struct cell cells[ROOM][ROOM];
};

static struct cell ask_app(int s, int e)
{
    struct app_step step = rm_app_step((enum app_state)s, (enum app_event)e, "a1");

    return (struct cell){ true, (int)step.next, (int)step.action };
}

static struct cell ask_attempt(int s, int e)
{
    struct attempt_step step = rm_attempt_step((enum attempt_state)s, (enum attempt_event)e, "a1_1");

    return (struct cell){ true, (int)step.next, (int)step.action };
}

static struct cell ask_container(int s, int e)
{
    struct container_step step = rm_container_step((enum container_state)s, (enum container_event)e, "c1");

    return (struct cell){ true, (int)step.next, (int)step.action };
}

static struct cell ask_node(int s, int e)
{
    struct node_step step = rm_node_step((enum node_state)s, (enum node_event)e, "n1");

    return (struct cell){ true, (int)step.next, (int)step.action };
}

static struct cell ask_admin_state(int s, int e)
{
    struct admin_step step = rm_admin_step((enum admin_state)s, (enum admin_event)e, "n1");

    return (struct cell){ true, (int)step.next, (int)step.action };
}

/* Tries each pair in a child process, which may abort. */
static void read_table(struct table *table, int states, int events, struct cell (*ask)(int state, int event))
{
    *table = (struct table){ .states = states, .events = events };
    for (int s = 0; s < states; s++)
        for (int e = 0; e < events; e++) {
            struct rlimit none = { 0, 0 };
            int pipes[2], status;
            pid_t child;

            assert_int_equal(pipe(pipes), 0);
            child = fork();
            if (child == 0) {
                struct cell cell;

                setrlimit(RLIMIT_CORE, &none);
                close(STDERR_FILENO); /* an expected abort writes a line */
                cell = ask(s, e);
                _exit(write(pipes[1], &cell, sizeof(cell)) == sizeof(cell) ? 0 : 1);
            }
            close(pipes[1]);
            if (read(pipes[0], &table->cells[s][e], sizeof(struct cell)) != (ssize_t)sizeof(struct cell))
                table->cells[s][e].there = false;
            close(pipes[0]);
            assert_int_equal(waitpid(child, &status, 0), child);
        }
}

static void mark_reachable(const struct table *table, int from, bool seen[ROOM])
{
    if (seen[from])
        return;
    seen[from] = true;
    for (int e = 0; e < table->events; e++)
        if (table->cells[from][e].there)
            mark_reachable(table, table->cells[from][e].next, seen);
}

static void every_state_is_reached(const struct table *table, int start, const int *targets,
                                   size_t target_count)
{
    bool seen[ROOM] = { false };

    mark_reachable(table, start, seen);
    for (size_t i = 0; i < target_count; i++) /* the final states after FINAL_SAVING */
        mark_reachable(table, targets[i], seen);
    for (int s = 0; s < table->states; s++)
        if (!seen[s])
            fail_msg("state %d is never reached", s);
}

/* Events that an attempt queues for its application. */
static const int of_attempt[] = { APP_EVENT_ATTEMPT_RUNNING,  APP_EVENT_ATTEMPT_RETRY,
                                  APP_EVENT_ATTEMPT_FAILED,   APP_EVENT_ATTEMPT_UNREGISTERED,
                                  APP_EVENT_ATTEMPT_FINISHED, APP_EVENT_ATTEMPT_KILLED };

/* An application is killed, and its end is stored, at once; events of its attempt may be queued then. */
static void app_takes_what_is_queued(void **state)
{
    struct table t;

    (void)state;
    read_table(&t, APP_STATES, APP_EVENTS, ask_app);
    for (int from = APP_STATE_ACCEPTED; from < APP_STATES; from++) {
        int killed = t.cells[from][APP_EVENT_KILL].next;

        for (size_t i = 0; i < sizeof(of_attempt) / sizeof(of_attempt[0]); i++)
            if (!t.cells[killed][of_attempt[i]].there)
                fail_msg("state %s has no cell for event %d, which may be queued when it is entered",
                         rm_app_state_name((enum app_state)killed), of_attempt[i]);
    }
    for (int s = APP_STATE_KILLING; s < APP_STATES; s++)
        for (size_t i = 0; i < sizeof(of_attempt) / sizeof(of_attempt[0]); i++)
            if (!t.cells[s][of_attempt[i]].there)
                fail_msg("state %s has no cell for event %d", rm_app_state_name((enum app_state)s),
                         of_attempt[i]);
    for (int s = APP_STATE_FINAL_SAVING; s < APP_STATES; s++) /* the outcome is decided */
        for (size_t i = 0; i < sizeof(of_attempt) / sizeof(of_attempt[0]); i++)
            assert_true(t.cells[s][of_attempt[i]].next == s ||
                        (s == APP_STATE_FINISHING && t.cells[s][of_attempt[i]].next == APP_STATE_FINISHED));
}

/* Events that containers queue for the attempt; not ALLOCATED, which is handled before anything else. */
static void attempt_takes_what_is_queued(void **state)
{
    static const int queued[] = { ATTEMPT_EVENT_LAUNCHED, ATTEMPT_EVENT_RUNNING, ATTEMPT_EVENT_ENDED,
                                  ATTEMPT_EVENT_VERDICT, ATTEMPT_EVENT_UNBLOCKED };
    static const int ends[] = { ATTEMPT_EVENT_KILL, ATTEMPT_EVENT_ENDED, ATTEMPT_EVENT_VERDICT,
                                ATTEMPT_EVENT_UNREGISTER, ATTEMPT_EVENT_EXPIRE };
    struct table t;

    (void)state;
    read_table(&t, ATTEMPT_STATES, ATTEMPT_EVENTS, ask_attempt);
    for (int from = ATTEMPT_SCHEDULED; from < ATTEMPT_STATES; from++)
        for (size_t e = 0; e < sizeof(ends) / sizeof(ends[0]); e++) {
            struct cell end = t.cells[from][ends[e]];

            for (size_t i = 0; end.there && i < sizeof(queued) / sizeof(queued[0]); i++)
                if (!t.cells[end.next][queued[i]].there)
                    fail_msg("state %s has no cell for event %d, which may be queued when it is entered",
                             rm_attempt_state_name((enum attempt_state)end.next), queued[i]);
        }
    for (int s = ATTEMPT_ALLOCATED_SAVING; s < ATTEMPT_STATES; s++) /* an agent may report at any time */
        for (size_t i = 0; i < 4; i++)
            assert_true(t.cells[s][queued[i]].there);
}

/* A container that is stopped, lost or completed meanwhile takes each report of its node. */
static void container_takes_what_is_reported(void **state)
{
    static const int reports[] = { CONTAINER_EVENT_SEEN, CONTAINER_EVENT_STOP, CONTAINER_EVENT_ENDED,
                                   CONTAINER_EVENT_LOST };
    struct table t;

    (void)state;
    read_table(&t, CONTAINER_STATES, CONTAINER_EVENTS, ask_container);
    for (int s = CONTAINER_ALLOCATED; s < CONTAINER_STATES; s++)
        for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
            assert_true(t.cells[s][reports[i]].there);
}

static void an_abort_is_preceded_by_a_line(void **state)
{
    static const char expected[] =
        "creel: fault of the program: application application_1_0001: event SAVED in state KILLED\n";
    char line[256] = "";
    int pipes[2], status;
    pid_t child;

    (void)state;
    assert_int_equal(pipe(pipes), 0);
    child = fork();
    if (child == 0) {
        struct rlimit none = { 0, 0 };

        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL); /* sanitizers have a handler */
        dup2(pipes[1], STDERR_FILENO);
        rm_app_step(APP_STATE_KILLED, APP_EVENT_SAVED, "application_1_0001");
        _exit(0);
    }
    close(pipes[1]);
    assert_true(read(pipes[0], line, sizeof(line) - 1) > 0);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_string_equal(line, expected);
}

static void app_table(void **state)
{
    static const int targets[] = { APP_STATE_FINISHING, APP_STATE_FINISHED, APP_STATE_FAILED,
                                   APP_STATE_KILLED };
    struct table t;

    (void)state;
    read_table(&t, APP_STATES, APP_EVENTS, ask_app);
    every_state_is_reached(&t, APP_STATE_NEW, targets, 4);
    for (int s = APP_STATE_NEW_SAVING; s < APP_STATES; s++) {
        struct cell kill = t.cells[s][APP_EVENT_KILL];

        assert_true(kill.there); /* users may kill in any state */
        assert_true(kill.next == s || kill.next == APP_STATE_KILLING || kill.next == APP_STATE_FINAL_SAVING);
    }
    for (int s = APP_STATE_FINISHED; s <= APP_STATE_KILLED; s++)
        for (int e = 0; e < APP_EVENTS; e++)
            assert_true(!t.cells[s][e].there ||
                        (t.cells[s][e].next == s && t.cells[s][e].action == APP_NONE));
    assert_false(t.cells[APP_STATE_NEW][APP_EVENT_SAVED].there);
}

static void attempt_table(void **state)
{
    static const int targets[] = { ATTEMPT_FINISHING, ATTEMPT_FINISHED, ATTEMPT_FAILED, ATTEMPT_KILLED };
    /* Reports that a node may send about the AM's container at any time after the node got the order. */
    static const int reports[] = { ATTEMPT_EVENT_LAUNCHED, ATTEMPT_EVENT_RUNNING, ATTEMPT_EVENT_ENDED };
    struct table t;

    (void)state;
    read_table(&t, ATTEMPT_STATES, ATTEMPT_EVENTS, ask_attempt);
    every_state_is_reached(&t, ATTEMPT_NEW, targets, 4);
    for (int s = ATTEMPT_ALLOCATED; s < ATTEMPT_STATES; s++)
        for (size_t i = 0; i < 3; i++)
            assert_true(t.cells[s][reports[i]].there);
    for (int s = ATTEMPT_SCHEDULED; s < ATTEMPT_STATES; s++)
        assert_true(t.cells[s][ATTEMPT_EVENT_KILL].there);
    for (int s = ATTEMPT_FINISHED; s <= ATTEMPT_KILLED; s++)
        for (int e = 0; e < ATTEMPT_EVENTS; e++)
            assert_true(!t.cells[s][e].there ||
                        (t.cells[s][e].next == s && t.cells[s][e].action == ATTEMPT_NONE));
    /* Only an attempt that registered can unregister. */
    for (int s = 0; s < ATTEMPT_STATES; s++)
        assert_int_equal(t.cells[s][ATTEMPT_EVENT_UNREGISTER].there, s == ATTEMPT_RUNNING);
}

static void container_table(void **state)
{
    struct table t;

    (void)state;
    read_table(&t, CONTAINER_STATES, CONTAINER_EVENTS, ask_container);
    every_state_is_reached(&t, CONTAINER_NEW, NULL, 0);
    for (int s = CONTAINER_ALLOCATED; s < CONTAINER_STATES; s++) {
        assert_true(t.cells[s][CONTAINER_EVENT_SEEN].there);
        assert_true(t.cells[s][CONTAINER_EVENT_ENDED].there);
        assert_true(t.cells[s][CONTAINER_EVENT_STOP].there);
    }
    /* Resources stay allocated until the node reports the container's end: a stop alone releases nothing
     * that an AM or a node knows about. */
    assert_int_equal(t.cells[CONTAINER_ACQUIRED][CONTAINER_EVENT_STOP].next, CONTAINER_STOPPING);
    assert_int_equal(t.cells[CONTAINER_RUNNING][CONTAINER_EVENT_STOP].next, CONTAINER_STOPPING);
    for (int e = 0; e < CONTAINER_EVENTS; e++)
        assert_true(!t.cells[CONTAINER_COMPLETED][e].there ||
                    t.cells[CONTAINER_COMPLETED][e].next == CONTAINER_COMPLETED);
}

static void node_table(void **state)
{
    struct table t;

    (void)state;
    read_table(&t, NODE_STATES, NODE_EVENTS, ask_node);
    every_state_is_reached(&t, NODE_STATE_NEW, NULL, 0);
    for (int s = 0; s < NODE_STATES; s++) {
        assert_true(t.cells[s][NODE_EVENT_REGISTER].there);
        assert_int_equal(t.cells[s][NODE_EVENT_REGISTER].next, NODE_STATE_RUNNING);
    }
}

static void admin_table(void **state)
{
    struct table t;

    (void)state;
    read_table(&t, ADMIN_STATES, ADMIN_EVENTS, ask_admin_state);
    every_state_is_reached(&t, ADMIN_SERVING, NULL, 0);
    /* A node can return to service from every state. */
    for (int s = 0; s < ADMIN_STATES; s++)
        assert_int_equal(t.cells[s][ADMIN_EVENT_RESTORE].next, ADMIN_SERVING);
    /* A decommissioned node does not return by itself, nor by a drain. */
    assert_int_equal(t.cells[ADMIN_DECOMMISSIONED][ADMIN_EVENT_EMPTY].next, ADMIN_DECOMMISSIONED);
    assert_int_equal(t.cells[ADMIN_DECOMMISSIONED][ADMIN_EVENT_DRAIN].next, ADMIN_DECOMMISSIONED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(app_table),
        cmocka_unit_test(attempt_table),
        cmocka_unit_test(container_table),
        cmocka_unit_test(node_table),
        cmocka_unit_test(admin_table),
        cmocka_unit_test(app_takes_what_is_queued),
        cmocka_unit_test(attempt_takes_what_is_queued),
        cmocka_unit_test(container_takes_what_is_reported),
        cmocka_unit_test(an_abort_is_preceded_by_a_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
