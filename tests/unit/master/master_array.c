/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_array.c - arrays of jobs, and what becomes of their tasks
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "tests/unit/master/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define STATE(name) CREEL__APP_STATE__APP_##name
#define ERROR_OF(name) CREEL__ERROR_CODE__ERROR_##name

static Creel__JobSpec *array_of(const char *tasks)
{
    Creel__JobSpec *spec = job_of(COMMAND, 512, 0);

    spec->array = (char *)(uintptr_t)tasks;
    return spec;
}

static void submit(struct world *w, const Creel__JobSpec *spec)
{
    const Creel__Error *error;

    people_submit(&w->h, spec, "", w->app, &error);
    if (error)
        fail_msg("%s", error->message);
    world_settle(w);
}

static void expect_tasks(struct world *w, uint32_t total, uint32_t live, uint32_t good, uint32_t failed)
{
    const Creel__TaskCounts *tasks = people_show(&w->h, w->app)->tasks;

    assert_int_equal(tasks->total, total);
    assert_int_equal(tasks->running, live);
    assert_int_equal(tasks->succeeded, good);
    assert_int_equal(tasks->failed, failed);
}

/* The container that runs now, of those that are not over, the first. */
static struct fake_container *running(struct world *w)
{
    for (size_t i = 0; i < w->a.count; i++)
        if (w->a.containers[i].state == CREEL__CONTAINER_STATE__CONTAINER_RUNNING)
            return &w->a.containers[i];
    return NULL;
}

/* COUNT running containers end, one after the other; fewer if there are no more. */
static int end_some(struct world *w, int count, int exit_status)
{
    int ended = 0;

    for (struct fake_container *at; ended < count && (at = running(w)) != NULL; ended++) {
        agent_exit(&w->a, at->id, exit_status);
        world_settle(w);
    }
    return ended;
}

static const Creel__Envelope *kill_tasks(struct world *w, const char *tasks)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_KILL_TASKS);
    Creel__KillTasks body = CREEL__KILL_TASKS__INIT;

    body.app_id = w->app;
    body.tasks = (char *)(uintptr_t)tasks;
    envelope->kill_tasks = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static size_t listed(struct world *w, bool tasks)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_APPS);
    Creel__ListApps body = CREEL__LIST_APPS__INIT;

    body.tasks = tasks;
    envelope->list_apps = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope)->app_list->n_apps;
}

static void tasks_run_to_the_end(void **state)
{
    struct world *w = *state;
    const Creel__AppReport *report;

    submit(w, array_of("10-19:3"));
    expect_tasks(w, 4, 4, 0, 0);
    assert_int_equal(people_show(&w->h, w->app)->state, STATE(RUNNING));
    assert_int_equal(agent_running(&w->a), 4);
    assert_int_equal(listed(w, false), 1); /* one row */
    assert_int_equal(listed(w, true), 5);
    report = people_show(&w->h, "1_13");
    assert_string_equal(report->app_id, "application_1700000000000_0003");
    assert_string_equal(report->array_id, w->app);
    assert_int_equal(report->array_index, 13);
    assert_string_equal(people_show(&w->h, "_0001_[13]")->app_id, report->app_id);
    assert_null(people_show(&w->h, "1_11"));
    assert_int_equal(end_some(w, 9, 0), 4);
    expect_tasks(w, 4, 0, 4, 0);
    report = people_show(&w->h, w->app);
    assert_int_equal(report->state, STATE(FINISHED));
    assert_int_equal(report->exit_status, 0);
}

static void task_has_its_number(void **state)
{
    struct world *w = *state;
    Creel__LaunchContext *launch = NULL;

    submit(w, array_of("5,9"));
    for (size_t i = 0; i < w->h.sent_count; i++) {
        const Creel__Envelope *envelope = w->h.sent[i].envelope;

        if (envelope->body_case == CREEL__ENVELOPE__BODY_NODE_ORDERS)
            for (size_t k = 0; k < envelope->node_orders->n_start; k++)
                launch = envelope->node_orders->start[k]->launch;
    }
    assert_non_null(launch);
    assert_int_equal(launch->n_environment, 6);
    assert_string_equal(launch->environment[0]->value, w->app);
    assert_string_equal(launch->environment[1]->name, "CREEL_ARRAY_TASK_ID");
    assert_string_equal(launch->environment[1]->value, "9");
    assert_string_equal(launch->environment[2]->value, "2");
}

static void at_most_so_many_at_once(void **state)
{
    struct world *w = *state;
    Creel__Envelope *envelope;
    Creel__SetArray set = CREEL__SET_ARRAY__INIT;

    submit(w, array_of("0-7%2"));
    expect_tasks(w, 8, 2, 0, 0);
    assert_int_equal(agent_running(&w->a), 2);
    end_some(w, 1, 0);
    expect_tasks(w, 8, 2, 1, 0);
    envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_ARRAY);
    set.app_id = w->app;
    set.at_once = 3;
    envelope->set_array = &set;
    assert_int_equal(harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope)->body_case,
                     CREEL__ENVELOPE__BODY_APP_LIST);
    world_settle(w);
    expect_tasks(w, 8, 3, 1, 0);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    world_settle(w);
    expect_tasks(w, 8, 3, 1, 0);
    assert_int_equal(people_show(&w->h, w->app)->array_at_once, 3);
    end_some(w, 99, 0);
    assert_int_equal(people_show(&w->h, w->app)->state, STATE(FINISHED));
    assert_int_equal(w->a.count, 8); /* each ran once */
}

static void array_fails_with_its_tasks(void **state)
{
    struct world *w = *state;
    const Creel__AppReport *report;

    submit(w, array_of("0-3%1"));
    end_some(w, 1, 0);
    end_some(w, 1, 7);
    end_some(w, 1, 3);
    end_some(w, 1, 0);
    report = people_show(&w->h, w->app);
    assert_int_equal(report->state, STATE(FAILED));
    assert_int_equal(report->exit_status, 7);
    assert_string_equal(report->diagnostics, "2 of 4 tasks failed");
    assert_int_equal(people_show(&w->h, "1_1")->exit_status, 7);
}

static void failures_stop_it(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = array_of("0-99%2");
    const Creel__AppReport *report;

    spec->stop_after_failures = 2;
    submit(w, spec);
    end_some(w, 1, 1);
    expect_tasks(w, 100, 2, 0, 1);
    end_some(w, 1, 1);
    expect_tasks(w, 100, 1, 0, 2); /* the running one continues */
    end_some(w, 1, 0);
    report = people_show(&w->h, w->app);
    assert_int_equal(report->state, STATE(FAILED));
    assert_non_null(strstr(report->diagnostics, "2 of 100 tasks failed; 97 did not begin"));
    spec = job_of(COMMAND, 512, 0);
    spec->stop_after_failures = 2;
    {
        const Creel__Error *error;
        char id[80];

        people_submit(&w->h, spec, "", id, &error);
        assert_non_null(strstr(error->message, "--array is missing"));
    }
}

static void failures_kill_its_tasks_in_the_queue(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = array_of("0-99");
    uint32_t running;

    spec->stop_after_failures = 1;
    submit(w, spec);
    running = (uint32_t)agent_running(&w->a);
    assert_in_range(running, 2, 90); /* the others wait in the queue */
    end_some(w, 1, 1);
    world_settle(w);
    /* One may start in the room of the failed one, before its end is stored. */
    assert_in_range(agent_running(&w->a), running - 1, running);
    running = (uint32_t)agent_running(&w->a);
    expect_tasks(w, 100, running, 0, 100 - running);
    end_some(w, (int)running, 0);
    assert_int_equal(people_show(&w->h, w->app)->state, STATE(FAILED));
}

static void kill_ends_all_of_it(void **state)
{
    struct world *w = *state;

    submit(w, array_of("0-99%3"));
    people_kill(&w->h, w->app);
    world_settle(w);
    assert_int_equal(agent_running(&w->a), 0);
    assert_int_equal(people_show(&w->h, w->app)->state, STATE(KILLED));
    assert_int_equal(people_show(&w->h, "1_0")->state, STATE(KILLED));
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    world_settle(w);
    assert_int_equal(w->a.count, 3);
    assert_int_equal(people_show(&w->h, w->app)->state, STATE(KILLED));
}

static void some_tasks_are_killed(void **state)
{
    struct world *w = *state;
    const Creel__Envelope *reply;

    submit(w, array_of("0-9%2"));
    reply = kill_tasks(w, "1-3,9"); /* 1 runs, the others wait */
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    world_settle(w);
    expect_tasks(w, 10, 2, 0, 4);
    assert_int_equal(people_show(&w->h, w->app)->tasks->killed, 4);
    assert_string_equal(people_show(&w->h, "1_4")->array_id, w->app);
    assert_null(people_show(&w->h, "1_2")); /* never became one */
    assert_int_equal(kill_tasks(w, "2")->error->code, ERROR_OF(BAD_STATE));
    assert_int_equal(kill_tasks(w, "10")->error->code, ERROR_OF(NOT_FOUND));
    assert_int_equal(kill_tasks(w, "x")->error->code, ERROR_OF(BAD_REQUEST));
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    world_settle(w);
    expect_tasks(w, 10, 2, 0, 4);
    assert_int_equal(people_show(&w->h, w->app)->tasks->killed, 4);
    end_some(w, 1, 1);
    end_some(w, 99, 0);
    expect_tasks(w, 10, 0, 5, 5);
    assert_int_equal(people_show(&w->h, w->app)->tasks->killed, 4);
    assert_string_equal(people_show(&w->h, w->app)->diagnostics, "1 of 10 tasks failed, 4 were killed");
}

static void tasks_that_run_are_killed(void **state)
{
    struct world *w = *state;

    submit(w, array_of("0-9%2"));
    assert_int_equal(kill_tasks(w, "0-1")->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    world_settle(w);
    expect_tasks(w, 10, 2, 0, 2);
    assert_int_equal(people_show(&w->h, "1_0")->state, STATE(KILLED));
    assert_int_equal(kill_tasks(w, "0-1")->error->code, ERROR_OF(BAD_STATE));
}

static void waits_as_other_jobs_do(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec;
    char parent[80], child[80];

    people_submit(&w->h, job_of(COMMAND, 512, 0), "", parent, NULL);
    spec = array_of("0-3");
    spec->depends_on = (char[]){ "ok:1" };
    submit(w, spec);
    assert_string_equal(people_show(&w->h, w->app)->reason_code, "Dependency");
    expect_tasks(w, 4, 0, 0, 0);
    spec = job_of(COMMAND, 512, 0);
    spec->depends_on = (char[]){ "ok:2" };
    people_submit(&w->h, spec, "", child, NULL);
    world_settle(w);
    end_some(w, 1, 0);
    expect_tasks(w, 4, 4, 0, 0);
    end_some(w, 3, 0);
    assert_int_equal(people_show(&w->h, child)->eligible_ms, 0); /* all tasks first */
    end_some(w, 1, 0);
    assert_int_not_equal(people_show(&w->h, child)->eligible_ms, 0);
}

static void bad_arrays_are_refused(void **state)
{
    struct world *w = *state;
    const Creel__Error *error;

    people_submit(&w->h, array_of("5-1"), "", w->app, &error);
    assert_int_equal(error->code, ERROR_OF(BAD_REQUEST));
    assert_non_null(strstr(error->message, "array 5-1: \"5-1\": expected an index"));
    people_submit(&w->h, array_of("0-1000000"), "", w->app, &error);
    assert_int_equal(error->code, ERROR_OF(TOO_LARGE));
    submit(w, array_of("0"));
    assert_string_equal(w->app, "application_1700000000000_0001");
}

/* Leaves the array's own row on disk, with RUNNING tasks that run, and deletes those of its tasks. */
static void lose_rows_of_tasks(struct world *w, uint32_t running)
{
    const char *number = strrchr(w->app, '_');
    size_t kept = 0;

    for (size_t i = 0; i < w->h.disk_count; i++) {
        struct row *row = &w->h.disk[i];
        Creel__StoredApp *app;

        if (row->kind == MASTER_STORE_ATTEMPT || row->kind == MASTER_STORE_CONTAINER ||
            (row->kind == MASTER_STORE_APP && !strstr(row->id, number))) {
            free(row->packed);
            continue;
        }
        w->h.disk[kept++] = *row;
        if (row->kind != MASTER_STORE_APP)
            continue;
        app = creel__stored_app__unpack(NULL, row->size, row->packed);
        app->tasks->running = running;
        row = &w->h.disk[kept - 1];
        row->size = creel__stored_app__get_packed_size(app);
        row->packed = mem_resize(row->packed, row->size, 1);
        creel__stored_app__pack(app, row->packed);
        creel__stored_app__free_unpacked(app, NULL);
    }
    w->h.disk_count = kept;
}

/* The store wrote the row of the array and refused those of its tasks; then the resource manager restarts. */
static void tasks_that_were_never_stored_do_not_count_as_running(void **state)
{
    struct world *w = *state;

    submit(w, array_of("0-3%2"));
    expect_tasks(w, 4, 2, 0, 0);
    lose_rows_of_tasks(w, 2);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    expect_tasks(w, 4, 0, 0, 0);
    for (int i = 0; i < 20 && people_show(&w->h, w->app)->state != STATE(FINISHED); i++) {
        world_settle(w);
        if (running(w))
            agent_exit(&w->a, running(w)->id, 0);
    }
    world_settle(w);
    expect_tasks(w, 4, 0, 4, 0);
    assert_int_equal(people_show(&w->h, w->app)->state, STATE(FINISHED));
}

static void restarts_lose_no_task_and_run_none_twice(void **state)
{
    struct world *w = *state;

    submit(w, array_of("0-39%4"));
    for (int i = 0; i < 200 && people_show(&w->h, w->app)->state == STATE(RUNNING); i++) {
        end_some(w, 1, i % 5 == 0);
        if (i % 3 != 0)
            continue;
        w->h.hold_store = i % 2 == 0; /* records not stored yet are lost at the restart */
        if (running(w))
            agent_exit(&w->a, running(w)->id, 0);
        agent_heartbeat(&w->h, &w->a);
        harness_tick(&w->h, 1);
        harness_restart(&w->h);
        w->h.hold_store = false;
        agent_register(&w->h, &w->a);
        world_settle(w);
    }
    assert_int_equal(people_show(&w->h, w->app)->tasks->succeeded + people_show(&w->h, w->app)->tasks->failed,
                     40);
    for (unsigned task = 0; task < 40; task++) {
        char id[32];
        const Creel__AppReport *report;

        snprintf(id, sizeof(id), "1_%u", task);
        report = people_show(&w->h, id);
        assert_non_null(report);
        assert_int_equal(report->array_index, task);
        assert_int_equal(report->attempt, 1);
    }
    assert_int_equal(w->a.count, 40); /* a container for each, and no more */
}

static void ended_tasks_are_forgotten_and_counted(void **state)
{
    struct world *w = *state;
    char other[80];

    people_submit(&w->h, job_of(COMMAND, 256, 0), "", other, NULL);
    world_settle(w);
    end_some(w, 1, 0);
    submit(w, array_of("0-599%6"));
    for (int i = 0; i < 400; i++) {
        assert_int_equal(end_some(w, 1, i == 10), 1);
        if (w->a.count > AGENT_CONTAINERS_MAX - 20) { /* the fake agent has no more room */
            agent_done(&w->a);
            break;
        }
    }
    assert_non_null(people_show(&w->h, other)); /* others are not pushed out */
    expect_tasks(w, 600, 6, 399, 1);
    assert_true(listed(w, true) < 2 + 6 + 510);
}

/* A short history forgets ended tasks. The row of the array, which costs O(tasks), is not stored for each. */
static void forgotten_tasks_store_the_array_seldom(void **state)
{
    struct world *w = *state;
    unsigned rows;

    submit(w, array_of("0-299%4"));
    rows = w->h.array_rows;
    assert_int_equal(end_some(w, 300, 0), 300);
    expect_tasks(w, 300, 0, 300, 0);
    assert_true(w->h.array_rows - rows < 30);
}

/* Tasks of 512 MiB; the node has room for some of them. */
static void an_array_reports_its_tasks_and_their_use(void **state)
{
    struct world *w = *state;
    const Creel__AppReport *report;
    uint64_t used;

    submit(w, array_of("0-9"));
    world_settle(w);
    report = people_show(&w->h, w->app);
    assert_int_equal(report->tasks->running, 10);
    assert_int_equal(report->running_containers + report->tasks->queued, 10);
    assert_true(report->tasks->queued > 0 && report->running_containers > 0);
    assert_int_equal(report->allocated->memory_mb, report->running_containers * 512);
    assert_non_null(strstr(report->reason_short, " of 10 tasks run, "));
    assert_string_equal(report->reason_code, "ClusterFull");
    assert_non_null(strstr(report->reason, "task "));
    harness_tick(&w->h, 10000);
    for (int i = 0; i < 20 && people_show(&w->h, w->app)->tasks->failed < 3; i++)
        end_some(w, 1, 1);
    report = people_show(&w->h, w->app);
    assert_string_equal(report->failed_tasks, "0-2");
    used = report->memory_mb_seconds;
    assert_true(used >= 30 * 512);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    world_settle(w);
    report = people_show(&w->h, w->app);
    assert_string_equal(report->failed_tasks, "0-2");
    assert_int_equal(report->tasks->failed, 3);
    assert_true(report->memory_mb_seconds >= used - 20);
}

static void a_million_tasks_are_acknowledged_at_once(void **state)
{
    struct world *w = *state;

    submit(w, array_of("0-999999%2"));
    expect_tasks(w, 1000000, 2, 0, 0);
    assert_string_equal(people_show(&w->h, w->app)->reason_short, "2 of 1000000 tasks run, 999998 wait");
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    world_settle(w);
    expect_tasks(w, 1000000, 2, 0, 0);
    people_kill(&w->h, w->app);
    assert_int_equal(people_show(&w->h, w->app)->state, STATE(KILLED));
}

static void configure(struct master_config *config)
{
    config->max_completed_apps = 10000;
}

static int set_up(void **state)
{
    return world_set_up_with(state, configure);
}

static void configure_short_history(struct master_config *config)
{
    config->max_completed_apps = 20;
}

static int set_up_short_history(void **state)
{
    return world_set_up_with(state, configure_short_history);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(tasks_run_to_the_end),
        CASE(task_has_its_number),
        CASE(at_most_so_many_at_once),
        CASE(array_fails_with_its_tasks),
        CASE(failures_stop_it),
        CASE(failures_kill_its_tasks_in_the_queue),
        CASE(kill_ends_all_of_it),
        CASE(some_tasks_are_killed),
        CASE(tasks_that_run_are_killed),
        CASE(waits_as_other_jobs_do),
        CASE(bad_arrays_are_refused),
        CASE(tasks_that_were_never_stored_do_not_count_as_running),
        CASE(restarts_lose_no_task_and_run_none_twice),
        CASE(ended_tasks_are_forgotten_and_counted),
        cmocka_unit_test_setup_teardown(forgotten_tasks_store_the_array_seldom, set_up_short_history,
                                        world_tear_down),
        CASE(an_array_reports_its_tasks_and_their_use),
        CASE(a_million_tasks_are_acknowledged_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
