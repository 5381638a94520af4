/* SPDX-License-Identifier: Apache-2.0 */
/* master_account_texts.c - test: diagnostics, reasons and short values count in the account of their user */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/held_bytes.h"
#include "tests/unit/master/account_world.h"

#define LONG ((size_t)20000)
#define SIZE_MAX_OF_JOBS (3 * LONG)

static void limit_size(struct master_config *config)
{
    config->user_limits.job_bytes = SIZE_MAX_OF_JOBS;
}

static int set_up_size(void **state)
{
    return world_set_up_with(state, limit_size);
}

/* A held job of more than LONG bytes, less than LONG and a half. */
static Creel__JobSpec *long_job(void)
{
    static char argument[LONG + 1], command[] = "true";
    static char *words[] = { command, argument };
    Creel__JobSpec *job = account_held_job();

    memset(argument, 'x', LONG);
    job->launch->command = words;
    job->launch->n_command = 2;
    return job;
}

/* Runs an application master of ann, which ends with long diagnostics. Its id is in W->app. */
static void end_with_diagnostics(struct world *w)
{
    static char text[LONG + 1];
    struct fake_am am;

    memset(text, 'd', LONG);
    account_accepted(w, "ann", job_of(CREEL__APP_KIND__APP_MASTER, 512, 0));
    world_settle(w);
    am_init(&am, w->app, 1);
    am_register(&w->h, &am);
    am.diagnostics = text;
    am_finish(&w->h, &am, CREEL__FINAL_STATUS__FINAL_FAILED, 1);
    agent_exit(&w->a, w->a.containers[w->a.count - 1].id, 0);
    world_settle(w);
    assert_int_equal(people_show(&w->h, w->app)->state, CREEL__APP_STATE__APP_FINISHED);
    assert_int_equal(strlen(people_show(&w->h, w->app)->diagnostics), LONG);
}

/* Diagnostics count, once for an application and its last attempt. */
static void long_diagnostics_count(void **state)
{
    struct world *w = *state;
    char first[80] = "";

    for (int i = 0; i < 2; i++) {
        end_with_diagnostics(w);
        if (i == 0)
            memcpy(first, w->app, sizeof(first));
    }
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    assert_non_null(people_show(&w->h, first));
    end_with_diagnostics(w);
    assert_null(people_show(&w->h, first));
    assert_non_null(people_show(&w->h, w->app));
}

static void hold(struct world *w, const char *user, char *reason)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_HOLD_APP);
    Creel__HoldApp body = CREEL__HOLD_APP__INIT;

    body.app_id = w->app;
    body.reason = reason;
    envelope->hold_app = &body;
    harness_ask(&w->h, MASTER_CLIENT, 900, user, envelope);
}

static void reasons_of_holds_count(void **state)
{
    struct world *w = *state;
    static char reason[LONG * 2 + 1], none[] = "";

    memset(reason, 'r', LONG * 2);
    account_accepted(w, "ann", account_held_job());
    hold(w, "ann", reason);
    account_refused(w, "ann", long_job(), "user ann has jobs of 40");
    hold(w, "ann", none);
    account_accepted(w, "ann", long_job());
}

/* What the jobs of a user take in memory (the jobs, and the bytes of their rows) is at most three times the
 * limit of their size, also if they have many short values. */
static void the_limit_of_size_bounds_the_memory(void **state)
{
    enum { WORDS = 400, FIXED = 4096 };
    static char word[] = "a", *words[WORDS];
    struct world *w = *state;
    const Creel__Envelope *reply;
    size_t before, taken, jobs = 0;

    for (int i = 0; i < WORDS; i++)
        words[i] = word;
    before = held_bytes();
    do {
        Creel__JobSpec *job = account_held_job();

        job->launch->command = words;
        job->launch->n_command = WORDS;
        reply = people_submit_as(&w->h, "ann", job, "", w->app);
        jobs++;
    } while (reply->body_case != CREEL__ENVELOPE__BODY_ERROR);
    taken = held_bytes() - before;
    assert_true(jobs > 1);
    assert_in_range(taken, 1, 3 * SIZE_MAX_OF_JOBS + jobs * FIXED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_limit_of_size_bounds_the_memory, set_up_size, world_tear_down),
        cmocka_unit_test_setup_teardown(long_diagnostics_count, set_up_size, world_tear_down),
        cmocka_unit_test_setup_teardown(reasons_of_holds_count, set_up_size, world_tear_down),
    };

    return cmocka_run_group_tests_name("master_account_texts", tests, NULL, NULL);
}
