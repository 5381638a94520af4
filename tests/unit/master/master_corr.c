/* SPDX-License-Identifier: Apache-2.0 */
/* master_corr.c - test: tasks of an array that wait for the same tasks of another array */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define STATE(name) CREEL__APP_STATE__APP_##name
#define ERROR_OF(name) CREEL__ERROR_CODE__ERROR_##name

static void settle(struct world *w)
{
    for (int i = 0; i < 5; i++) {
        harness_tick(&w->h, 1);
        agent_listen(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
    }
}

#define JOBS_MAX 8
#define REAL_MAX 128
/* units of work: WORK_MAX (rm/master/state/turns.h), and what is begun before it is reached */
#define STEP_MAX 400

/* The ids of the jobs of a test, in the order of their submission: tasks have ids, too. */
static uint32_t ids[JOBS_MAX];
static size_t id_count;

static void note_id(const char *app_id)
{
    assert_true(id_count < JOBS_MAX);
    ids[id_count++] = (uint32_t)strtoul(strrchr(app_id, '_') + 1, NULL, 10);
}

/* Replaces "#2" in TEXT by the number of the second job. */
static char *real(const char *text, char made[REAL_MAX])
{
    size_t used = 0;

    for (; *text; text++) {
        if (*text == '#')
            used += (size_t)snprintf(made + used, REAL_MAX - used, "%04u", ids[*++text - '1']);
        else
            made[used++] = *text;
    }
    made[used] = '\0';
    return made;
}

static const Creel__AppReport *show(struct world *w, const char *job)
{
    char text[REAL_MAX];

    return people_show(&w->h, real(job, text));
}

static void expect_contains(const char *text, const char *expected)
{
    char made[REAL_MAX];

    if (strstr(text, real(expected, made)) == NULL)
        fail_msg("no \"%s\" in: %s", made, text);
}

static const Creel__Error *submit(struct world *w, const char *tasks, const char *depends_on)
{
    Creel__JobSpec *spec = job_of(COMMAND, 64, 0);
    const Creel__Error *error;
    char text[REAL_MAX];

    spec->array = (char *)(uintptr_t)tasks;
    spec->depends_on = real(depends_on, text);
    people_submit(&w->h, spec, "", w->app, &error);
    if (error == NULL)
        note_id(w->app);
    settle(w);
    return error;
}

static void submitted(struct world *w, const char *tasks, const char *depends_on)
{
    const Creel__Error *error = submit(w, tasks, depends_on);

    if (error)
        fail_msg("%s", error->message);
}

static void refused(struct world *w, const char *tasks, const char *depends_on, const char *message)
{
    const Creel__Error *error = submit(w, tasks, depends_on);

    assert_non_null(error);
    expect_contains(error->message, message);
}

/* The container of a task that runs, as "1_3"; NULL: none. */
static struct fake_container *container_of(struct world *w, const char *task)
{
    const Creel__AppReport *report = show(w, task);

    for (size_t i = 0; report && i < w->a.count; i++)
        if (strstr(w->a.containers[i].id, strrchr(report->app_id, '_')) &&
            w->a.containers[i].state == CREEL__CONTAINER_STATE__CONTAINER_RUNNING)
            return &w->a.containers[i];
    return NULL;
}

static void ends(struct world *w, const char *task, int exit_status)
{
    struct fake_container *container = container_of(w, task);

    if (container == NULL)
        fail_msg("%s does not run", task);
    agent_exit(&w->a, container->id, exit_status);
    settle(w);
}

static void restart(struct world *w)
{
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    settle(w);
}

static void expect(struct world *w, const char *array, uint32_t live, uint32_t good, uint32_t failed)
{
    const Creel__TaskCounts *tasks = show(w, array)->tasks;

    assert_int_equal(tasks->running, live);
    assert_int_equal(tasks->succeeded, good);
    assert_int_equal(tasks->failed, failed);
}

static void each_task_follows_its_own(void **state)
{
    struct world *w = *state;
    const Creel__AppReport *report;

    submitted(w, "0-3", "");
    submitted(w, "0,2-3", "corr:#1");
    report = show(w, "#2");
    assert_string_equal(report->reason_code, "Dependency");
    expect_contains(report->reason, "_#1 runs, 0 of 4 tasks ended, and each of its tasks has to succeed");
    assert_string_equal(report->dependencies[0]->condition, "corr");
    expect(w, "#2", 0, 0, 0);
    ends(w, "#1_2", 0);
    expect(w, "#2", 1, 0, 0);
    assert_non_null(container_of(w, "#2_2"));
    assert_null(show(w, "#2_0"));
    ends(w, "#1_1", 0); /* no task of the second array waits for it */
    expect(w, "#2", 1, 0, 0);
    restart(w);
    expect(w, "#2", 1, 0, 0);
    ends(w, "#2_2", 0);
    ends(w, "#1_0", 0);
    expect(w, "#2", 1, 1, 0);
    ends(w, "#1_3", 0);
    assert_int_equal(show(w, "#1")->state, STATE(FINISHED));
    ends(w, "#2_0", 0);
    ends(w, "#2_3", 0);
    assert_int_equal(show(w, "#2")->state, STATE(FINISHED));
    assert_int_equal(w->a.count, 7);
}

static void task_fails_with_its_own(void **state)
{
    struct world *w = *state;
    const Creel__AppReport *report;

    submitted(w, "0-2", "");
    submitted(w, "0-2", "corr:#1");
    submitted(w, "0-2", "corr:#2");
    ends(w, "#1_1", 7);
    expect(w, "#2", 0, 0, 1);
    expect(w, "#3", 0, 0, 1); /* at once, too */
    restart(w);
    expect(w, "#2", 0, 0, 1);
    expect(w, "#3", 0, 0, 1);
    ends(w, "#1_0", 0);
    ends(w, "#1_2", 0);
    ends(w, "#2_0", 0);
    ends(w, "#2_2", 0);
    report = show(w, "#2");
    assert_int_equal(report->state, STATE(FAILED));
    expect_contains(report->diagnostics, "1 of 3 tasks failed; Dependency: task 1 of _#1 failed");
    expect(w, "#3", 2, 0, 1);
    restart(w);
    ends(w, "#3_0", 0);
    ends(w, "#3_2", 0);
    expect_contains(show(w, "#3")->diagnostics, "1 of 3 tasks failed; Dependency: task 1 of _#2 failed");
    assert_int_equal(w->a.count, 7);
}

static void a_killed_array_ends_its_waiting_tasks(void **state)
{
    struct world *w = *state;

    submitted(w, "0-3%1", "");
    submitted(w, "0-3", "corr:#1");
    submitted(w, "0-3", "corr:#2");
    ends(w, "#1_0", 0);
    expect(w, "#2", 1, 0, 0);
    people_kill(&w->h, real("#1", (char[REAL_MAX]){ "" }));
    settle(w);
    expect(w, "#2", 1, 0, 3);
    expect(w, "#3", 0, 0, 3);
    ends(w, "#2_0", 0);
    ends(w, "#3_0", 0);
    assert_int_equal(show(w, "#2")->state, STATE(FAILED));
    assert_int_equal(show(w, "#3")->state, STATE(FAILED));
    assert_int_equal(show(w, "#3")->tasks->succeeded, 1);
}

static void killed_tasks_end_their_waiting_children(void **state)
{
    struct world *w = *state;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_KILL_TASKS);
    Creel__KillTasks body = CREEL__KILL_TASKS__INIT;

    submitted(w, "0-3%1", "");
    submitted(w, "0-3", "corr:#1");
    body.app_id = real("#1", (char[REAL_MAX]){ "" });
    body.tasks = (char[]){ "0,2" }; /* 0 runs, 2 waits */
    envelope->kill_tasks = &body;
    harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
    settle(w);
    expect(w, "#2", 0, 0, 2);
    ends(w, "#1_1", 0);
    ends(w, "#2_1", 0);
    expect(w, "#2", 0, 1, 2);
}

static void array_may_wait_for_two(void **state)
{
    struct world *w = *state;

    submitted(w, "0-1", "");
    submitted(w, "0-1", "");
    submitted(w, "0-1", "corr:#1:#2");
    ends(w, "#1_0", 0);
    ends(w, "#1_1", 0);
    expect(w, "#3", 0, 0, 0);
    ends(w, "#2_1", 0);
    expect(w, "#3", 1, 0, 0);
    assert_non_null(container_of(w, "#3_1"));
    ends(w, "#2_0", 1);
    expect(w, "#3", 1, 0, 1);
    ends(w, "#3_1", 0);
    expect_contains(show(w, "#3")->diagnostics, "1 of 2 tasks failed; Dependency: task 0 of _#2 failed");
}

static void other_dependencies_and_limits_apply_too(void **state)
{
    struct world *w = *state;
    char other[80];

    people_submit(&w->h, job_of(COMMAND, 64, 0), "", other, NULL);
    note_id(other);
    submitted(w, "0-2", "");
    submitted(w, "0-2%1", "corr:#2,ok:#1");
    for (int i = 0; i < 3; i++) {
        char task[8];

        snprintf(task, sizeof(task), "#2_%d", 2 - i);
        ends(w, task, i == 1);
    }
    expect(w, "#3", 0, 0, 1);
    assert_int_equal(show(w, "#3")->eligible_ms, 0);
    ends(w, "#1", 0);
    expect(w, "#3", 1, 0, 1); /* one at a time */
}

static void array_that_has_ended_is_a_parent(void **state)
{
    struct world *w = *state;

    submitted(w, "0-2", "");
    ends(w, "#1_0", 0);
    ends(w, "#1_1", 9);
    ends(w, "#1_2", 0);
    assert_int_equal(show(w, "#1")->state, STATE(FAILED));
    submitted(w, "0-2", "corr:#1");
    expect(w, "#2", 2, 0, 1);
    ends(w, "#2_0", 0);
    ends(w, "#2_2", 0);
    expect_contains(show(w, "#2")->diagnostics, "1 of 3 tasks failed; Dependency: task 1 of _#1 failed");
}

static void array_that_is_forgotten_is_a_parent_if_it_succeeded(void **state)
{
    struct world *w = *state;
    static const struct master_ended ended[] = {
        { { 1600000000000, 1 }, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0 },
        { { 1600000000000, 2 }, CREEL__FINAL_STATUS__FINAL_FAILED, 3 },
    };
    Creel__JobSpec *spec = job_of(COMMAND, 64, 0);
    const Creel__Error *error;

    master_set_ended(w->h.master, ended, 2);
    spec->array = (char[]){ "0-1" };
    spec->depends_on = (char[]){ "corr:application_1600000000000_0002" };
    people_submit(&w->h, spec, "", w->app, &error);
    assert_non_null(error);
    assert_non_null(strstr(error->message, "the results of its tasks are not kept"));
    master_set_ended(w->h.master, ended, 2);
    spec->depends_on = (char[]){ "corr:application_1600000000000_0001" };
    people_submit(&w->h, spec, "", w->app, &error);
    assert_null(error);
    settle(w);
    expect(w, w->app, 2, 0, 0);
}

static void parents_that_do_not_fit_are_refused(void **state)
{
    struct world *w = *state;
    char other[80];

    people_submit(&w->h, job_of(COMMAND, 64, 0), "", other, NULL);
    note_id(other);
    submitted(w, "0-2,7", "");
    refused(w, "0-3", "corr:#2", "application_1700000000000_#2 has no task 3");
    refused(w, "0-3", "corr:#1", "application_1700000000000_#1 is no array");
    refused(w, "", "corr:#2", "only an array may depend on the tasks of another one");
    refused(w, "0-3", "corr:99", "application 99: not known here");
    refused(w, "0-3", "corr:7", "that is the job itself");
    refused(w, "0-3", "corr:#2?ok:#1", "cannot be combined");
    submitted(w, "7", "corr:#2");
    assert_string_equal(w->app, "application_1700000000000_0007");
}

/* Crashes at any time: no task begins before its own of the other array has succeeded, and none twice. */
static void restarts_lose_nothing(void **state)
{
    struct world *w = *state;
    const uint32_t count = 20;

    submitted(w, "0-19%3", "");
    submitted(w, "0-19", "corr:#1");
    for (int i = 0; i < 400 && show(w, "#2")->state != STATE(FAILED); i++) {
        struct fake_container *running = NULL;

        for (size_t k = 0; k < w->a.count; k++)
            if (w->a.containers[(k + (size_t)i) % w->a.count].state ==
                CREEL__CONTAINER_STATE__CONTAINER_RUNNING)
                running = &w->a.containers[(k + (size_t)i) % w->a.count];
        w->h.hold_store = i % 7 == 3; /* rows that are not stored yet are lost at the restart */
        if (running)
            agent_exit(&w->a, running->id, i % 11 == 5);
        agent_heartbeat(&w->h, &w->a);
        harness_tick(&w->h, 1);
        if (i % 3 == 0) {
            harness_restart(&w->h);
            w->h.hold_store = false;
            agent_register(&w->h, &w->a);
        }
        w->h.hold_store = false;
        settle(w);
        for (uint32_t task = 0; task < count; task++) {
            const Creel__AppReport *report;
            char first[16], second[16];

            snprintf(first, sizeof(first), "#1_%u", task);
            snprintf(second, sizeof(second), "#2_%u", task);
            if (show(w, second) == NULL)
                continue;
            report = show(w, first);
            assert_non_null(report);
            assert_int_equal(report->final_status, CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
        }
    }
    assert_int_equal(show(w, "#1")->tasks->succeeded + show(w, "#1")->tasks->failed, count);
    assert_int_equal(show(w, "#2")->tasks->succeeded + show(w, "#2")->tasks->failed, count);
    assert_int_equal(w->a.count, count + show(w, "#1")->tasks->succeeded);
}

static void a_million_tasks_wait_for_a_million(void **state)
{
    struct world *w = *state;

    submitted(w, "0-999999%2", "");
    submitted(w, "0-999999", "corr:#1");
    ends(w, "#1_1", 0);
    expect(w, "#2", 1, 0, 0);
    people_kill(&w->h, real("#1", (char[REAL_MAX]){ "" }));
    settle(w);
    expect(w, "#2", 1, 0, 999999);
}

/* Runs the timers that are due, and returns the largest work of a step, in units
 * (rm/master/state/turns.h). */
static uint64_t largest_step(struct world *w)
{
    uint64_t largest = 0;

    while (master_next_deadline_ms(w->h.master) <= w->h.now) {
        uint64_t before = master_work(w->h.master), work;

        master_on_timer(w->h.master, w->h.now, &w->h.effects);
        work = master_work(w->h.master) - before;
        largest = work > largest ? work : largest;
        harness_run_effects(&w->h);
    }
    return largest;
}

static void hold(struct world *w, const char *tasks, const char *depends_on)
{
    Creel__JobSpec *spec = job_of(COMMAND, 64, 0);
    const Creel__Error *error;
    char text[REAL_MAX];

    spec->hold = true;
    spec->array = (char *)(uintptr_t)tasks;
    spec->depends_on = real(depends_on, text);
    people_submit(&w->h, spec, "", w->app, &error);
    if (error)
        fail_msg("%s", error->message);
}

/* One event concerns ten million tasks, which are judged in turns, each of which has little work. */
static void tasks_are_judged_in_turns(void **state)
{
    enum { CHILDREN = 10 };
    struct world *w = *state;
    char children[CHILDREN][80];

    hold(w, "0-999999", "");
    note_id(w->app);
    for (int i = 0; i < CHILDREN; i++) {
        hold(w, "0-999999", "corr:#1");
        memcpy(children[i], w->app, sizeof(children[i]));
    }
    assert_in_range(largest_step(w), 1, STEP_MAX);
    people_kill(&w->h, real("#1", (char[REAL_MAX]){ "" }));
    assert_in_range(largest_step(w), 1, STEP_MAX);
    for (int i = 0; i < CHILDREN; i++)
        assert_int_equal(people_show(&w->h, children[i])->tasks->failed, 1000000);
}

/* A restart between two turns loses nothing: tasks that were not judged are judged at recovery. */
static void a_restart_between_turns_loses_no_task(void **state)
{
    struct world *w = *state;

    hold(w, "0-999999", "");
    note_id(w->app);
    hold(w, "0-999999", "corr:#1");
    note_id(w->app);
    people_kill(&w->h, real("#1", (char[REAL_MAX]){ "" }));
    master_on_timer(w->h.master, w->h.now, &w->h.effects);
    harness_run_effects(&w->h);
    assert_true(show(w, "#2")->tasks->failed < 1000000);
    harness_restart(&w->h);
    (void)largest_step(w);
    assert_int_equal(show(w, "#2")->tasks->failed, 1000000);
}

static void an_array_depends_on_few_others(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job_of(COMMAND, 64, 0);
    const Creel__Error *error;
    char text[2048] = "corr";

    for (int i = 0; i < 101; i++) {
        hold(w, "0", "");
        snprintf(text + strlen(text), sizeof(text) - strlen(text), ":%s", strrchr(w->app, '_') + 1);
    }
    spec->array = (char *)(uintptr_t) "0";
    spec->depends_on = text;
    people_submit(&w->h, spec, "", w->app, &error);
    assert_non_null(error);
    expect_contains(error->message, "on 101 arrays; at most 100 are allowed");
}

static void configure(struct master_config *config)
{
    config->max_completed_apps = 10000;
}

static int set_up(void **state)
{
    id_count = 0;
    return world_set_up_with(state, configure);
}

/* --- jobs that wait for tasks of an array ------------------------------------------------- */

static void kill_task(struct world *w, const char *array, char *index)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_KILL_TASKS);
    Creel__KillTasks body = CREEL__KILL_TASKS__INIT;

    body.app_id = show(w, array)->app_id;
    body.tasks = index;
    envelope->kill_tasks = &body;
    harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
    settle(w);
}

static void job_waits(struct world *w, const char *job, const char *words)
{
    assert_string_equal(show(w, job)->reason_code, "Dependency");
    expect_contains(show(w, job)->reason, words);
}

/* JOB is in its queue, or runs. */
static void job_is_free(struct world *w, const char *job)
{
    assert_int_not_equal(show(w, job)->eligible_ms, 0);
}

static void jobs_wait_for_tasks_that_have_not_begun(void **state)
{
    struct world *w = *state;
    char last[] = "4";

    submitted(w, "0-4%1", "");
    submitted(w, "", "ok:#1_3");
    submitted(w, "", "after:#1_1");
    submitted(w, "", "any:#1_4");
    submitted(w, "", "ok:#1_4");
    submitted(w, "", "notok:#1_2");
    job_waits(w, "#2", "_#1_3 waits, and it has to succeed first");
    assert_int_equal(show(w, "#2")->dependencies[0]->task_index, 3);
    kill_task(w, "#1", last);
    job_is_free(w, "#4");
    assert_int_equal(show(w, "#5")->state, STATE(KILLED));
    expect_contains(show(w, "#5")->diagnostics, "_#1_4 failed or was killed");
    job_waits(w, "#3", "_#1_1 waits, and it has to start first");
    ends(w, "#1_0", 0);
    job_is_free(w, "#3");
    restart(w);
    job_waits(w, "#2", "_#1_3 waits");
    ends(w, "#1_1", 0);
    ends(w, "#1_2", 1);
    job_is_free(w, "#6");
    job_waits(w, "#2", "_#1_3 runs");
    restart(w);
    ends(w, "#1_3", 0);
    job_is_free(w, "#2");
    refused(w, "", "ok:#1_9", "_0001 has no task 9");
    submitted(w, "", "ok:#1_0,notok:#1_2,any:#1_4");
    job_is_free(w, "#7");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(each_task_follows_its_own),
        CASE(task_fails_with_its_own),
        CASE(a_killed_array_ends_its_waiting_tasks),
        CASE(killed_tasks_end_their_waiting_children),
        CASE(array_may_wait_for_two),
        CASE(other_dependencies_and_limits_apply_too),
        CASE(array_that_has_ended_is_a_parent),
        CASE(array_that_is_forgotten_is_a_parent_if_it_succeeded),
        CASE(parents_that_do_not_fit_are_refused),
        CASE(restarts_lose_nothing),
        CASE(a_million_tasks_wait_for_a_million),
        CASE(tasks_are_judged_in_turns),
        CASE(a_restart_between_turns_loses_no_task),
        CASE(an_array_depends_on_few_others),
        CASE(jobs_wait_for_tasks_that_have_not_begun),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
