/* SPDX-License-Identifier: Apache-2.0 */
/* job_master.c - test: the task master in the simulated cluster: every task ends exactly once */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/am/job_world.h"
#include "tests/unit/cost.h"

#define BURDEN_MAX_MS 15000 /* of processor time, for a job of ten thousand tasks */

static void play_seeds(const struct world_options *options, uint64_t seeds, int exit_status)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct world_result result;

        result = world_play(options, seed);
        if (result.ended_events != options->tasks || result.done_events != 1 ||
            result.exit_status != exit_status)
            fail_msg("seed %llu: %u tasks ended, %u ends, exit status %d", (unsigned long long)seed,
                     result.ended_events, result.done_events, result.exit_status);
    }
}

static void a_quiet_cluster_runs_all_tasks(void **state)
{
    struct world_options options = { .tasks = 50, .slots = 3 };

    (void)state;
    play_seeds(&options, 20, 0);
}

static void a_failing_task_gives_its_status(void **state)
{
    struct world_options options = { .tasks = 50, .slots = 8, .fail = 200, .lose = 100 };

    (void)state;
    play_seeds(&options, 20, 3);
}

static void a_bad_network_loses_and_repeats_nothing(void **state)
{
    struct world_options options = {
        .tasks = 40, .slots = 4, .lose = 200, .repeat = 200, .delay = 200, .over_grant = 100
    };

    (void)state;
    play_seeds(&options, 100, 0);
}

static void all_daemons_crash_and_restart(void **state)
{
    struct world_options options = { .tasks = 40,
                                     .slots = 4,
                                     .lose = 100,
                                     .repeat = 100,
                                     .delay = 100,
                                     .over_grant = 50,
                                     .refuse = 100,
                                     .node_death = 2,
                                     .rm_death = 4,
                                     .preempt = 5,
                                     .fail = 0 };
    struct world_result sum = { 0 };

    (void)state;
    play_seeds(&options, 300, 0);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world_result result = world_play(&options, seed);

        sum.rm_deaths += result.rm_deaths;
        sum.node_deaths += result.node_deaths;
        sum.refusals += result.refusals;
    }
    assert_in_range(sum.rm_deaths, 20, 100000); /* the simulation had enough failures */
    assert_in_range(sum.node_deaths, 20, 100000);
    assert_in_range(sum.refusals, 20, 100000);
}

static void the_same_seed_plays_the_same(void **state)
{
    struct world_options options = {
        .tasks = 30, .slots = 4, .lose = 100, .repeat = 100, .delay = 100, .refuse = 50, .rm_death = 4
    };
    struct world_result first, second;

    (void)state;
    first = world_play(&options, 7);
    second = world_play(&options, 7);
    assert_int_equal(first.ended_ms, second.ended_ms);
    assert_int_equal(first.steps, second.steps);
}

static void ten_thousand_tasks_are_no_burden(void **state)
{
    struct world_options options = { .tasks = 10000, .slots = 200 };
    int64_t begun_us = cost_processor_us();
    struct world_result result;

    (void)state;
    result = world_play(&options, 1);
    assert_int_equal(result.ended_events, 10000);
    cost_check_processor(begun_us, BURDEN_MAX_MS, "a job of ten thousand tasks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_cluster_runs_all_tasks),
        cmocka_unit_test(a_failing_task_gives_its_status),
        cmocka_unit_test(a_bad_network_loses_and_repeats_nothing),
        cmocka_unit_test(all_daemons_crash_and_restart),
        cmocka_unit_test(the_same_seed_plays_the_same),
        cmocka_unit_test(ten_thousand_tasks_are_no_burden),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
