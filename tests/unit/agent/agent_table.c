/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_table.c - test: the state machine of a container in the agent, for all states and events
 *
 * Visits every pair of phase and event: permitted events lead on, a container that was ordered to stop ends,
 * and a container that ended stays ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nm-agent/core/container_phase.h"

static bool possible(int phase, int event)
{
    return container_step((enum container_phase)phase, (enum container_event)event).action != ACTION_BUG;
}

static enum container_phase next(int phase, int event)
{
    return container_step((enum container_phase)phase, (enum container_event)event).next;
}

static void states_only_move_up(void **state)
{
    (void)state;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        for (int event = 0; event < EVENT_COUNT; event++) {
            if (!possible(phase, event) || next(phase, event) == PHASE_GONE)
                continue;
            if (container_phase_state(next(phase, event)) <
                container_phase_state((enum container_phase)phase))
                fail_msg("%s falls back on %s", container_phase_name((enum container_phase)phase),
                         container_event_name((enum container_event)event));
        }
    }
}

static void final_states_are_final(void **state)
{
    (void)state;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        for (int event = 0; event < EVENT_COUNT; event++) {
            if (container_phase_over((enum container_phase)phase) && possible(phase, event))
                assert_true(container_phase_over(next(phase, event)));
        }
    }
}

/* Orders of the RM and requests of AMs may arrive in any phase; none of them may abort the agent. */
static void events_of_peers_never_reach_a_bug_cell(void **state)
{
    (void)state;
    for (int phase = 0; phase < PHASE_GONE; phase++) {
        assert_true(possible(phase, EVENT_START));
        assert_true(possible(phase, EVENT_STOP));
    }
}

static void there_is_one_way_to_launch(void **state)
{
    int launches = 0;

    (void)state;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        for (int event = 0; event < EVENT_COUNT; event++)
            launches += container_step((enum container_phase)phase, (enum container_event)event).action ==
                        ACTION_LAUNCH;
    }
    assert_int_equal(launches, 1);
    assert_int_equal(container_step(PHASE_WAITING, EVENT_ROOM).action, ACTION_LAUNCH);
}

/* A container that was ordered to stop is never launched, whatever event follows. */
static void a_stop_is_for_good(void **state)
{
    bool reached[PHASE_COUNT] = { false };
    bool grown = true;

    (void)state;
    for (int phase = 0; phase < PHASE_GONE; phase++)
        reached[next(phase, EVENT_STOP)] = true;
    while (grown) {
        grown = false;
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            for (int event = 0; reached[phase] && event < EVENT_COUNT; event++) {
                if (possible(phase, event) && !reached[next(phase, event)])
                    grown = reached[next(phase, event)] = true;
            }
        }
    }
    assert_true(reached[PHASE_STOPPING] && reached[PHASE_ENDED] && reached[PHASE_ACKED]);
    assert_false(reached[PHASE_FETCHING] || reached[PHASE_WAITING] || reached[PHASE_LAUNCHING] ||
                 reached[PHASE_RUNNING]);
}

/* Every phase is reachable from the first, and the end is reachable from every phase. */
static void no_phase_is_a_trap_or_an_island(void **state)
{
    bool reached[PHASE_COUNT] = { [PHASE_NEW] = true };
    bool ends[PHASE_COUNT] = { [PHASE_ACKED] = true };

    (void)state;
    for (int round = 0; round < PHASE_COUNT; round++) {
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            for (int event = 0; event < EVENT_COUNT; event++) {
                if (!possible(phase, event))
                    continue;
                reached[next(phase, event)] |= reached[phase];
                ends[phase] |= ends[next(phase, event)];
            }
        }
    }
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        assert_true(reached[phase]);
        assert_true(ends[phase] || phase == PHASE_GONE);
    }
}

static void resources_are_promised_until_the_container_has_stopped(void **state)
{
    (void)state;
    for (int i = 0; i < PHASE_COUNT; i++) {
        enum container_phase phase = (enum container_phase)i;

        if (container_phase_may_run(phase))
            assert_true(container_phase_promised(phase) || phase == PHASE_ENDING || phase == PHASE_STOPPING);
        if (container_phase_over(phase))
            assert_false(container_phase_may_run(phase) || container_phase_promised(phase));
    }
}

static void exit_statuses(void **state)
{
    static const struct {
        int exit_status;
        long long command_ms;
        int stop_status;
        long long stopped_ms;
        int expected;
    } cases[] = {
        { 3, 100, 0, 0, 3 },           /* not stopped */
        { 143, 200, -105, 100, -105 }, /* ended by the stop */
        { 137, 200, -102, 100, -102 },
        { 1, 200, -102, 100, -102 },    /* handled the signal and exited */
        { 3, 99, -105, 100, 3 },        /* exited before the stop */
        { 0, 200, -106, 100, -106 },    /* saved its work and exited */
        { 0, 99, -106, 100, 0 },        /* succeeded before the stop */
        { 0, 200, -107, 100, 0 },       /* its application is over */
        { -104, 200, -105, 100, -104 }, /* killed by the kernel: out of memory */
        { 154, 200, -107, 100, 154 },   /* exit status lost */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_int_equal(container_exit_status(cases[i].exit_status, cases[i].command_ms,
                                               cases[i].stop_status, cases[i].stopped_ms),
                         cases[i].expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_only_move_up),
        cmocka_unit_test(final_states_are_final),
        cmocka_unit_test(events_of_peers_never_reach_a_bug_cell),
        cmocka_unit_test(there_is_one_way_to_launch),
        cmocka_unit_test(a_stop_is_for_good),
        cmocka_unit_test(no_phase_is_a_trap_or_an_island),
        cmocka_unit_test(resources_are_promised_until_the_container_has_stopped),
        cmocka_unit_test(exit_statuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
