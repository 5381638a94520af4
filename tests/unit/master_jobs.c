/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_jobs.c - jobs from submission to their end, as the people who submitted them see it
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master_harness.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define TASKS CREEL__APP_KIND__APP_TASKS
#define MASTER CREEL__APP_KIND__APP_MASTER

static void expect_state(struct harness *h, const char *app, Creel__AppState state,
                         Creel__FinalStatus final, int exit_status)
{
    const Creel__AppReport *report = people_show(h, app);

    assert_non_null(report);
    assert_int_equal(report->state, state);
    assert_int_equal(report->final_status, final);
    assert_int_equal(report->exit_status, exit_status);
}

static void command_runs_to_its_end(void **state)
{
    struct harness h;
    struct fake_agent a;
    char app[80];

    (void)state;
    harness_init(&h);
    harness_start(&h);
    agent_init(&a, "n1:8041", 4096, 4);
    agent_register(&h, &a);
    people_submit(&h, job_of(COMMAND, 512, 0), "", app, NULL);
    assert_string_equal(app, "application_1700000000000_0001");
    agent_listen(&h, &a);
    assert_int_equal(agent_running(&a), 1);
    assert_string_equal(a.containers[0].id, "container_1700000000000_0001_01_000001");
    agent_heartbeat(&h, &a);
    expect_state(&h, "1", CREEL__APP_STATE__APP_RUNNING, CREEL__FINAL_STATUS__FINAL_UNDEFINED,
                 -1000);
    agent_exit(&a, a.containers[0].id, 0);
    h.now += 2000;
    agent_heartbeat(&h, &a);
    expect_state(&h, app, CREEL__APP_STATE__APP_FINISHED, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0);
    agent_heartbeat(&h, &a);
    assert_int_equal(agent_unacked(&a), 0);
    assert_int_equal(people_show(&h, app)->memory_mb_seconds, 1024);
    agent_done(&a);
    harness_done(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_runs_to_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
