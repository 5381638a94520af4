/* SPDX-License-Identifier: Apache-2.0 */
/* base_task_retry.c - test: ends of containers after which a task runs again, and the limits that count */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/base/job/exit_status.h"
#include "common/base/job/task_retry.h"

enum kind { NEVER, ALWAYS, LOST, FAILURE };

static const struct {
    int32_t status;
    enum kind kind, released; /* RELEASED: of a container that the master has released */
} table[] = {
    { 0, NEVER, NEVER },
    { 1, FAILURE, FAILURE },
    { 143, FAILURE, FAILURE },
    { 255, FAILURE, FAILURE },
    { CONTAINER_EXIT_LOST, LOST, LOST },
    { CONTAINER_EXIT_NOT_STARTED, FAILURE, LOST },
    { CONTAINER_EXIT_ABORTED, LOST, LOST },
    { CONTAINER_EXIT_DISKS, LOST, LOST },
    { CONTAINER_EXIT_PREEMPTED, ALWAYS, ALWAYS },
    { CONTAINER_EXIT_VIRTUAL, FAILURE, LOST },
    { CONTAINER_EXIT_PHYSICAL, FAILURE, LOST },
    { CONTAINER_EXIT_BY_AM, FAILURE, LOST },
    { CONTAINER_EXIT_BY_RM, LOST, LOST },
    { CONTAINER_EXIT_APP_OVER, FAILURE, LOST },
    { CONTAINER_EXIT_EVICTED, LOST, LOST },
    { CONTAINER_EXIT_LOGS, FAILURE, LOST },
    { CONTAINER_EXIT_DIRECTORY, FAILURE, LOST },
    { CONTAINER_EXIT_NONE, LOST, LOST },
};

#define ROWS (sizeof(table) / sizeof(table[0]))

/* Returns how often a task with LIMITS runs again if it always ends as END; 100: without a limit. */
static uint32_t runs(const struct task_limits *limits, const struct task_end *end)
{
    struct task_end_counts counts = { 0 };
    uint32_t again = 0;

    while (again < 100 && task_retry_count(&counts, limits, end))
        again++;
    return again;
}

static uint32_t expected(enum kind kind, const struct task_limits *limits)
{
    switch (kind) {
    case ALWAYS:
        return 100;
    case LOST:
        return limits->lost;
    case FAILURE:
        return limits->attempts > 1 ? limits->attempts - 1 : 0;
    default:
        return 0;
    }
}

static void each_end_counts_against_one_limit(void **state)
{
    static const struct task_limits limits[] = { { .lost = 0, .attempts = 0 },
                                                 { .lost = 5, .attempts = 1 },
                                                 { .lost = 2, .attempts = 4 } };

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++)
            for (int released = 0; released < 2; released++) {
                struct task_end end = { .status = table[i].status, .released = released, .started = true };

                assert_int_equal(runs(&limits[k], &end),
                                 expected(released ? table[i].released : table[i].kind, &limits[k]));
            }
}

static void a_reason_of_the_node_permits_three_more_starts(void **state)
{
    const struct task_limits once = { .attempts = 1 }, never = { .no_requeue = true, .lost = 5 };
    const struct task_end end = { .status = CONTAINER_EXIT_NOT_STARTED, .elsewhere = true };

    (void)state;
    assert_int_equal(runs(&once, &end), TASK_ELSEWHERE_MAX);
    assert_int_equal(runs(&never, &end), TASK_ELSEWHERE_MAX);
}

static void without_requeue_only_a_command_that_did_not_start_runs_again(void **state)
{
    const struct task_limits never = { .no_requeue = true, .lost = 5, .attempts = 5 };

    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        for (int bits = 0; bits < 8; bits++) {
            struct task_end end = {
                .status = table[i].status, .released = bits & 1, .unanswered = bits & 2, .started = bits & 4
            };

            assert_int_equal(runs(&never, &end), bits == 1 ? expected(table[i].released, &never) : 0);
        }
}

static void the_limits_are_apart(void **state)
{
    const struct task_limits limits = { .lost = 1, .attempts = 2 };
    const struct task_end lost = { .status = CONTAINER_EXIT_ABORTED }, failed = { .status = 3 };
    struct task_end_counts counts = { 0 };

    (void)state;
    assert_true(task_retry_count(&counts, &limits, &failed));
    assert_true(task_retry_count(&counts, &limits, &lost));
    assert_false(task_retry_count(&counts, &limits, &lost));
    assert_false(task_retry_count(&counts, &limits, &failed));
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(each_end_counts_against_one_limit),
        cmocka_unit_test(a_reason_of_the_node_permits_three_more_starts),
        cmocka_unit_test(without_requeue_only_a_command_that_did_not_start_runs_again),
        cmocka_unit_test(the_limits_are_apart),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
