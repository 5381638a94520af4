/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_depend.c - jobs that wait for other jobs
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

static const Creel__Error *submit(struct world *w, const char *depends_on, char id[80])
{
    Creel__JobSpec *spec = job_of(COMMAND, 512, 0);
    const Creel__Error *error;

    spec->depends_on = (char *)(uintptr_t)depends_on;
    people_submit(&w->h, spec, "", id, &error);
    harness_tick(&w->h, 1);
    agent_listen(&w->h, &w->a);
    return error;
}

static void submitted(struct world *w, const char *depends_on, char id[80])
{
    const Creel__Error *error = submit(w, depends_on, id);

    if (error)
        fail_msg("%s: %s", depends_on, error->message);
}

static struct fake_container *container_of(struct world *w, const char *app)
{
    for (size_t i = 0; i < w->a.count; i++)
        if (strstr(w->a.containers[i].id, strrchr(app, '_')))
            return &w->a.containers[i];
    return NULL;
}

static void runs(struct world *w, const char *app)
{
    agent_heartbeat(&w->h, &w->a);
    agent_listen(&w->h, &w->a);
    assert_non_null(container_of(w, app));
    assert_int_not_equal(people_show(&w->h, app)->eligible_ms, 0);
}

/* Its only container ends. */
static void ends(struct world *w, const char *app, int exit_status)
{
    runs(w, app);
    agent_exit(&w->a, container_of(w, app)->id, exit_status);
    agent_heartbeat(&w->h, &w->a);
    harness_tick(&w->h, 1);
    agent_listen(&w->h, &w->a);
}

static void waits(struct world *w, const char *app, const char *words)
{
    const Creel__AppReport *report = people_show(&w->h, app);

    assert_int_equal(report->state, STATE(SUBMITTED));
    assert_int_equal(report->eligible_ms, 0);
    assert_string_equal(report->reason_code, "Dependency");
    if (!strstr(report->reason, words))
        fail_msg("%s: %s", app, report->reason);
    assert_null(container_of(w, app));
}

static void killed(struct world *w, const char *app, const char *words)
{
    const Creel__AppReport *report = people_show(&w->h, app);

    assert_int_equal(report->state, STATE(KILLED));
    if (!strstr(report->diagnostics, words))
        fail_msg("%s: %s", app, report->diagnostics);
    assert_null(container_of(w, app));
}

static void ok_needs_success(void **state)
{
    struct world *w = *state;
    char parent[80], good[80];

    submitted(w, "", parent);
    submitted(w, "ok:1", good);
    waits(w, good, "_0001 waits, and it has to succeed first");
    agent_heartbeat(&w->h, &w->a);
    waits(w, good, "_0001 runs");
    assert_int_equal(people_show(&w->h, good)->dependencies[0]->state,
                     CREEL__DEPENDENCY_STATE__DEPENDENCY_WAITS);
    ends(w, parent, 0);
    runs(w, good);
    assert_int_equal(people_show(&w->h, good)->dependencies[0]->state,
                     CREEL__DEPENDENCY_STATE__DEPENDENCY_MET);
}

static void unsatisfiable_ends_at_once_with_the_reason(void **state)
{
    struct world *w = *state;
    char parent[80], child[80], other[80], third[80], last[80];

    submitted(w, "", parent);
    submitted(w, "ok:1", child);
    submitted(w, "notok:1", other);
    submitted(w, "ok:2", third); /* a chain ends in one pass ... */
    submitted(w, "any:4", last); /* ... and its dependency is met */
    ends(w, parent, 3);
    killed(w, child, "Dependency: _0001 failed (exit status 3)");
    runs(w, other);
    killed(w, third, "Dependency: _0002 was killed");
    runs(w, last);
}

static void not_ok_needs_a_failure(void **state)
{
    struct world *w = *state;
    char parent[80], child[80];

    submitted(w, "", parent);
    submitted(w, "notok:1", child);
    waits(w, child, "it has to fail first");
    ends(w, parent, 0);
    killed(w, child, "Dependency: _0001 succeeded");
}

static void after_needs_a_start(void **state)
{
    struct world *w = *state;
    char parent[80], child[80], late[80];

    submitted(w, "", parent);
    submitted(w, "after:1", child);
    waits(w, child, "it has to start first");
    agent_heartbeat(&w->h, &w->a);
    harness_tick(&w->h, 1);
    runs(w, child);
    submitted(w, "after:1", late);
    runs(w, late);
}

static void parents_that_have_ended_are_remembered(void **state)
{
    struct world *w = *state;
    char good[80], bad[80], child[80];

    submitted(w, "", good);
    ends(w, good, 0);
    submitted(w, "", bad);
    ends(w, bad, 1);
    submitted(w, "ok:1,notok:2,any:1:2,after:2", child);
    runs(w, child);
    submitted(w, "ok:2", child);
    killed(w, child, "Dependency: _0002 failed (exit status 1)");
}

static void all_or_one_of_them(void **state)
{
    struct world *w = *state;
    char a[80], b[80], all[80], one[80], none[80];

    submitted(w, "", a);
    submitted(w, "", b);
    submitted(w, "ok:1:2", all);
    submitted(w, "ok:1?ok:2", one);
    submitted(w, "notok:1?notok:2", none);
    waits(w, all, "it has to succeed first, and 1 more");
    waits(w, one, "it has to succeed first; one of 2 dependencies is enough");
    ends(w, a, 0);
    waits(w, all, "_0002 runs");
    runs(w, one);
    assert_true(people_show(&w->h, one)->one_dependency_is_enough);
    assert_false(people_show(&w->h, all)->one_dependency_is_enough);
    waits(w, none, "_0002 runs");
    ends(w, b, 0);
    runs(w, all);
    killed(w, none, "Dependency: _0001 succeeded, and 1 more");
}

static void a_dependency_that_is_named_twice_counts_once(void **state)
{
    struct world *w = *state;
    char parent[80], ended[80], child[80];

    submitted(w, "", ended);
    ends(w, ended, 0);
    submitted(w, "", parent);
    submitted(w, "any:2:2:1:1,any:2,ok:2,singleton,singleton", child);
    assert_int_equal(people_show(&w->h, child)->n_dependencies, 4); /* any:2, any:1, ok:2, singleton */
    ends(w, parent, 0);
    runs(w, child);
}

static unsigned rows_of(const struct harness *h, const char *app)
{
    unsigned count = 0;

    for (size_t i = 0; i < h->waiting_count; i++)
        count += strcmp(h->waiting[i].id, app) == 0;
    return count;
}

/* The row of a job may be large: a step in which many jobs end that it waits for writes it once. */
static void the_row_of_a_child_is_written_once_in_a_step(void **state)
{
    enum { PARENTS = 20 };
    struct world *w = *state;
    char parents[PARENTS][80], child[80], text[256] = "any";
    unsigned written = 0;

    for (int i = 0; i < PARENTS; i++) {
        submitted(w, "", parents[i]);
        snprintf(text + strlen(text), sizeof(text) - strlen(text), ":%d", i + 1);
    }
    submitted(w, text, child);
    w->h.hold_store = true;
    for (int i = 0; i < PARENTS; i++)
        people_kill(&w->h, parents[i]);
    for (int step = 0; step < 4; step++) {
        harness_commit(&w->h);
        assert_true(rows_of(&w->h, child) <= 1);
        written += rows_of(&w->h, child);
    }
    assert_true(written > 0 && written < 4);
    w->h.hold_store = false;
    harness_commit(&w->h);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    harness_tick(&w->h, 1);
    agent_listen(&w->h, &w->a);
    runs(w, child);
}

/* Runs the timers that are due, and counts the steps. No step stores more than a share of the rows. */
static unsigned steps_of_bounded_work(struct world *w)
{
    unsigned steps = 0;

    for (; master_next_deadline_ms(w->h.master) <= w->h.now; steps++) {
        master_on_timer(w->h.master, w->h.now, &w->h.effects);
        assert_true(w->h.effects.count < 400);
        harness_run_effects(&w->h);
    }
    return steps;
}

static void a_long_chain_ends_in_turns(void **state)
{
    enum { LINKS = 500 };
    struct world *w = *state;
    char ids[LINKS][80], text[32];

    submitted(w, "", ids[0]);
    for (int i = 1; i < LINKS; i++) {
        snprintf(text, sizeof(text), "ok:%d", i);
        submitted(w, text, ids[i]);
    }
    people_kill(&w->h, ids[0]);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_true(steps_of_bounded_work(w) > 3);
    for (int i = LINKS - 20; i < LINKS; i++) /* the first ones are forgotten */
        killed(w, ids[i], "was killed");
}

/* A restart between two turns loses nothing: children that were not informed are judged at recovery. */
static void inform_many_children(struct world *w, bool restart)
{
    enum { CHILDREN = 700 };
    char parent[80], ids[CHILDREN][80];

    submitted(w, "", parent);
    for (int i = 0; i < CHILDREN; i++)
        submitted(w, i % 2 ? "any:1" : "notok:1", ids[i]);
    runs(w, parent);
    agent_exit(&w->a, container_of(w, parent)->id, 0);
    agent_heartbeat(&w->h, &w->a);
    if (restart)
        harness_restart(&w->h);
    assert_true(steps_of_bounded_work(w) > 3);
    for (int i = CHILDREN - 20; i < CHILDREN; i += 2) /* the first ones are forgotten */
        killed(w, ids[i], "_0001 succeeded");
    for (int i = 1; i < CHILDREN; i += 2)
        assert_int_not_equal(people_show(&w->h, ids[i])->eligible_ms, 0);
}

static void many_children_are_informed_in_turns(void **state)
{
    inform_many_children(*state, false);
}

static void a_restart_between_turns_forgets_no_child(void **state)
{
    inform_many_children(*state, true);
}

static void singletons_take_turns(void **state)
{
    struct world *w = *state;
    char first[80], second[80], third[80];

    submitted(w, "singleton", first);
    submitted(w, "singleton", second);
    submitted(w, "singleton", third);
    runs(w, first);
    waits(w, second, "_0001 runs, and it has to end first");
    ends(w, first, 1);
    runs(w, second);
    waits(w, third, "_0002");
    people_kill(&w->h, second);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    harness_tick(&w->h, 1);
    runs(w, third);
}

static void waiting_outlives_a_restart(void **state)
{
    struct world *w = *state;
    char parent[80], child[80], single[80];

    submitted(w, "", parent);
    submitted(w, "ok:1", child);
    submitted(w, "singleton", single);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    harness_tick(&w->h, 1);
    waits(w, child, "_0001");
    waits(w, single, "_0001");
    ends(w, parent, 0);
    runs(w, child);
    waits(w, single, "_0002");
    ends(w, child, 0);
    runs(w, single);
}

static void end_that_was_stored_counts_after_a_restart(void **state)
{
    struct world *w = *state;
    char parent[80], child[80];

    submitted(w, "", parent);
    submitted(w, "ok:1", child);
    runs(w, parent);
    agent_exit(&w->a, container_of(w, parent)->id, 0);
    w->h.hold_store = true;
    agent_heartbeat(&w->h, &w->a);
    waits(w, child, "_0001 runs"); /* not before it is on disk */
    harness_commit(&w->h);
    harness_restart(&w->h); /* before anything of the child was stored */
    w->h.hold_store = false;
    agent_register(&w->h, &w->a);
    harness_tick(&w->h, 1);
    runs(w, child);
}

static void forgotten_parents_do_not_matter(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job_of(COMMAND, 512, 0);
    char parent[80], child[80], other[80];

    submitted(w, "", parent);
    spec->depends_on = (char[]){ "ok:1" };
    spec->hold = true;
    people_submit(&w->h, spec, "", child, NULL);
    ends(w, parent, 0);
    for (int i = 0; i < 4; i++) { /* the configuration keeps so many */
        submitted(w, "", other);
        ends(w, other, 0);
    }
    assert_null(people_show(&w->h, parent));
    harness_restart(&w->h);
    assert_string_equal(people_show(&w->h, child)->reason_code, "Held");
    assert_int_equal(people_show(&w->h, child)->dependencies[0]->state,
                     CREEL__DEPENDENCY_STATE__DEPENDENCY_MET);
}

/* Submits a job that waits for the ends of jobs 1 to COUNT. */
static void submit_child(struct world *w, unsigned count, char child[80])
{
    char text[400] = "any";

    for (unsigned i = 1; i <= count; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), ":%u", i);
    submitted(w, text, child);
}

static void the_ends_of_many_parents_store_a_child_once(void **state)
{
    enum { PARENTS = 20, CHILDREN = 10 };
    struct world *w = *state;
    char parents[PARENTS][80], child[CHILDREN][80];
    unsigned before;

    w->h.config.max_completed_apps = 100;
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    for (int i = 0; i < PARENTS; i++)
        submitted(w, i == 0 ? "" : "ok:1", parents[i]);
    for (int i = 0; i < CHILDREN; i++)
        submit_child(w, PARENTS, child[i]);
    before = w->h.app_rows;
    for (int i = PARENTS - 1; i > 0; i--)
        people_kill(&w->h, parents[i]);
    assert_true(w->h.app_rows - before <= 3 * PARENTS);
    waits(w, child[0], "_0001");
    harness_restart(&w->h);
    waits(w, child[0], "_0001");
    people_kill(&w->h, parents[0]);
    harness_tick(&w->h, 1);
    assert_true(w->h.app_rows - before <= 3 * PARENTS + 4 * CHILDREN);
    for (int i = 0; i < CHILDREN; i++)
        assert_int_not_equal(people_show(&w->h, child[i])->eligible_ms, 0);
}

static void a_parent_is_forgotten_when_its_result_is_stored_with_the_children(void **state)
{
    struct world *w = *state;
    char parent[80], second[80], child[80], other[80];

    submitted(w, "", parent);
    submitted(w, "", second);
    submit_child(w, 2, child);
    ends(w, parent, 0);
    for (int i = 0; i < 6; i++) {
        submitted(w, "", other);
        people_kill(&w->h, other);
    }
    assert_null(people_show(&w->h, parent));
    harness_restart(&w->h);
    assert_int_equal(people_show(&w->h, child)->dependencies[0]->state,
                     CREEL__DEPENDENCY_STATE__DEPENDENCY_MET);
    waits(w, child, "_0002");
}

static void the_history_answers_for_forgotten_parents(void **state)
{
    struct world *w = *state;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    Creel__JobSpec *spec = job_of(COMMAND, 512, 0);
    struct master_ended ended = { .final_status = CREEL__FINAL_STATUS__FINAL_FAILED, .exit_status = 3 };
    scoped_free struct app_id *ids = NULL;
    char parent[80], child[80], never[80], other[80];

    submitted(w, "", parent);
    ends(w, parent, 3);
    for (int i = 0; i < 4; i++) {
        submitted(w, "", other);
        ends(w, other, 0);
    }
    assert_null(people_show(&w->h, parent));
    request.body_case = CREEL__ENVELOPE__BODY_SUBMIT_APP;
    request.submit_app = &body;
    body.job = spec;
    spec->depends_on = (char[]){ "any:1:5,ok:99" }; /* 5 has not been forgotten, 99 never was */
    assert_int_equal(master_forgotten_parents(w->h.master, &request, &ids), 1);
    assert_true(app_id_parse(parent, &ended.id));
    assert_int_equal(ids[0].seq, ended.id.seq);
    assert_int_equal(submit(w, "notok:1", child)->code, ERROR_OF(NOT_FOUND));
    master_set_ended(w->h.master, &ended, 1);
    submitted(w, "notok:1", child);
    submitted(w, "ok:1", never);
    master_set_ended(w->h.master, NULL, 0);
    runs(w, child);
    assert_int_equal(people_show(&w->h, never)->state, STATE(KILLED));
    assert_non_null(strstr(people_show(&w->h, never)->diagnostics, "_0001 failed (exit status 3)"));
}

static void bad_dependencies_are_refused(void **state)
{
    struct world *w = *state;
    const Creel__Error *error;
    char id[80];

    error = submit(w, "ok:99", id);
    assert_int_equal(error->code, ERROR_OF(NOT_FOUND));
    assert_non_null(strstr(error->message, "dependency \"ok:99\": application 99: not known here"));
    error = submit(w, "ok:1", id); /* the number that it would get itself */
    assert_non_null(strstr(error->message, "that is the job itself"));
    error = submit(w, "soon:1", id);
    assert_int_equal(error->code, ERROR_OF(BAD_REQUEST));
    submitted(w, "", id);
    assert_string_equal(strrchr(id, '_'), "_0001"); /* a refused one takes no number */
}

static void killed_child_leaves_its_parent_alone(void **state)
{
    struct world *w = *state;
    char parent[80], child[80];

    submitted(w, "", parent);
    submitted(w, "ok:1", child);
    people_kill(&w->h, child);
    killed(w, child, "killed by ann");
    ends(w, parent, 0);
    assert_int_equal(people_show(&w->h, parent)->state, STATE(FINISHED));
}

static void configure(struct master_config *config)
{
    config->max_completed_apps = 3;
}

static int set_up_forgetful(void **state)
{
    return world_set_up_with(state, configure);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(ok_needs_success),
        CASE(unsatisfiable_ends_at_once_with_the_reason),
        CASE(not_ok_needs_a_failure),
        CASE(after_needs_a_start),
        CASE(parents_that_have_ended_are_remembered),
        CASE(all_or_one_of_them),
        CASE(singletons_take_turns),
        CASE(a_long_chain_ends_in_turns),
        CASE(many_children_are_informed_in_turns),
        CASE(a_restart_between_turns_forgets_no_child),
        CASE(a_dependency_that_is_named_twice_counts_once),
        CASE(the_row_of_a_child_is_written_once_in_a_step),
        CASE(the_ends_of_many_parents_store_a_child_once),
        cmocka_unit_test_setup_teardown(a_parent_is_forgotten_when_its_result_is_stored_with_the_children,
                                        set_up_forgetful, world_tear_down),
        CASE(waiting_outlives_a_restart),
        CASE(end_that_was_stored_counts_after_a_restart),
        cmocka_unit_test_setup_teardown(forgotten_parents_do_not_matter, set_up_forgetful, world_tear_down),
        cmocka_unit_test_setup_teardown(the_history_answers_for_forgotten_parents, set_up_forgetful,
                                        world_tear_down),
        CASE(bad_dependencies_are_refused),
        CASE(killed_child_leaves_its_parent_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
