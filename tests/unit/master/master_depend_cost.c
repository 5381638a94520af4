/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_depend_cost.c - test: many jobs that depend on many jobs, then one event on all of them
 *
 * Bounds are on what does not depend on the speed of the host: the work and the rows of each step, the
 * rows of
 * all steps, and the memory (cost.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/depends.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "rm/master/state/turns.h"
#include "tests/unit/cost.h"
#include "tests/unit/master/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND

/* A row of DEPENDS_MAX dependencies is smaller. A step stops after the row with which its work is done. */
#define ROW_BYTES_MAX ((size_t)64 << 10)
#define STEP_BYTES_MAX (WORK_MAX * WORK_UNIT_BYTES + ROW_BYTES_MAX)

struct jobs {
    unsigned count;
    char (*ids)[80]; /* owned */
};

static struct jobs submit_jobs(struct world *w, unsigned count, char *depends_on)
{
    struct jobs jobs = { count, mem_array0(count, sizeof(*jobs.ids)) };

    for (unsigned i = 0; i < count; i++) {
        Creel__JobSpec *job = job_of(COMMAND, 512, 0);
        const Creel__Error *error;

        job->hold = true;
        job->depends_on = depends_on;
        people_submit(&w->h, job, "", jobs.ids[i], &error);
        if (error)
            fail_msg("%s", error->message);
        harness_forget(&w->h);
    }
    return jobs;
}

/* Submits held jobs that wait for the ends of all PARENTS. */
static struct jobs submit_children(struct world *w, unsigned count, const struct jobs *parents)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;
    struct jobs children;
    char *any;

    text_builder_add(&text, "any");
    for (unsigned i = 0; i < parents->count; i++)
        text_builder_printf(&text, ":%s", parents->ids[i]);
    any = text_builder_finish(&text);
    children = submit_jobs(w, count, any);
    free(any);
    return children;
}

/* Runs one step of the timers that are due; returns false if none is. */
static bool run_turn(struct world *w)
{
    uint64_t work = master_work(w->h.master);
    size_t bytes = 0;

    if (master_next_deadline_ms(w->h.master) > w->h.now)
        return false;
    master_on_timer(w->h.master, w->h.now, &w->h.effects);
    for (size_t i = 0; i < w->h.effects.count; i++)
        if (w->h.effects.items[i].kind == MASTER_STORE_APP)
            bytes += w->h.effects.items[i].app.len;
    assert_true(bytes <= STEP_BYTES_MAX);
    assert_true(master_work(w->h.master) - work <= WORK_MAX + ROW_BYTES_MAX / WORK_UNIT_BYTES * 4);
    harness_run_effects(&w->h);
    return true;
}

static void kill_job(struct world *w, const char *id)
{
    people_kill(&w->h, id);
    harness_forget(&w->h);
}

static void remember(struct master_config *config, uint32_t count)
{
    config->max_completed_apps = count;
}

static void configure(struct master_config *config)
{
    remember(config, DEPENDS_MAX);
}

static int set_up(void **state)
{
    return world_set_up_with(state, configure);
}

/* The last of 1000 parents ends: the rows of all children are written, in turns. */
static void one_end_writes_many_long_rows_in_turns(void **state)
{
    enum { CHILDREN = 60 };
    struct world *w = *state;
    struct cost cost = cost_begin();
    struct jobs parents = submit_jobs(w, DEPENDS_MAX, NULL);
    struct jobs children = submit_children(w, CHILDREN, &parents);
    unsigned before, turns = 0;

    for (unsigned i = 0; i < DEPENDS_MAX - 1; i++)
        kill_job(w, parents.ids[i]);
    while (run_turn(w))
        ;
    before = w->h.app_rows;
    kill_job(w, parents.ids[DEPENDS_MAX - 1]);
    while (run_turn(w))
        turns++;
    assert_true(turns >= 4);
    assert_true(w->h.app_rows - before <= CHILDREN + 4);
    for (unsigned i = 0; i < CHILDREN; i++)
        assert_string_equal(people_show(&w->h, children.ids[i])->reason_code, "Held");
    assert_true(cost_memory_mb(&cost) <= COST_MEMORY_MAX_MB);
    free(parents.ids);
    free(children.ids);
}

enum { FEW_PARENTS = 60, MANY_CHILDREN = 800, OTHERS = 150 };

static void configure_few(struct master_config *config)
{
    remember(config, FEW_PARENTS);
}

static int set_up_few(void **state)
{
    return world_set_up_with(state, configure_few);
}

/* As many children are informed in a step as there is work for, so the ends of the parents are not handled as
 * fast as other jobs end. Each parent could be forgotten as soon as its children are informed. */
static void forgetting_parents_does_not_write_the_rows_of_children_again_and_again(void **state)
{
    struct world *w = *state;
    struct jobs parents = submit_jobs(w, FEW_PARENTS, NULL);
    struct jobs children = submit_children(w, MANY_CHILDREN, &parents);
    unsigned before = w->h.app_rows;

    for (unsigned i = 0; i < FEW_PARENTS - 1; i++)
        kill_job(w, parents.ids[i]);
    for (unsigned i = 0; i < OTHERS; i++) {
        struct jobs other = submit_jobs(w, 1, NULL);

        kill_job(w, other.ids[0]);
        run_turn(w);
        free(other.ids);
    }
    while (run_turn(w))
        ;
    assert_true(w->h.app_rows - before <= 6 * MANY_CHILDREN + 4 * (FEW_PARENTS + OTHERS));
    for (unsigned i = 0; i < MANY_CHILDREN; i++)
        assert_string_equal(people_show(&w->h, children.ids[i])->reason_code, "Held");
    assert_null(people_show(&w->h, parents.ids[0]));
    free(parents.ids);
    free(children.ids);
}

/* --- reports ---------------------------------------------------------------------- */

static const Creel__AppReport *report_of(struct world *w, const char *app_id, bool in_list)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_APPS);
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    const Creel__AppList *list;

    envelope->no_long_commands = in_list;
    if (!in_list)
        body.app_id = (char *)(uintptr_t)app_id;
    envelope->list_apps = &body;
    list = harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope)->app_list;
    for (size_t i = 0; i < list->n_apps; i++)
        if (strcmp(list->apps[i]->app_id, app_id) == 0)
            return list->apps[i];
    fail_msg("%s is not listed", app_id);
    return NULL;
}

/* creel-web keeps the report of every application. */
static void many_dependencies_are_reported_only_of_one_application(void **state)
{
    enum { PARENTS = 9 };
    struct world *w = *state;
    struct jobs parents = submit_jobs(w, PARENTS, NULL), few = { PARENTS - 1, parents.ids };
    struct jobs many_child = submit_children(w, 1, &parents), few_child = submit_children(w, 1, &few);

    assert_int_equal(report_of(w, many_child.ids[0], true)->n_dependencies, 0);
    assert_true(report_of(w, many_child.ids[0], true)->command_left_out);
    assert_int_equal(report_of(w, many_child.ids[0], false)->n_dependencies, PARENTS);
    assert_int_equal(report_of(w, many_child.ids[0], false)->n_command, 1);
    assert_int_equal(report_of(w, few_child.ids[0], true)->n_dependencies, PARENTS - 1);
    free(parents.ids);
    free(many_child.ids);
    free(few_child.ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_end_writes_many_long_rows_in_turns, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(
            forgetting_parents_does_not_write_the_rows_of_children_again_and_again, set_up_few,
            world_tear_down),
        cmocka_unit_test_setup_teardown(many_dependencies_are_reported_only_of_one_application, set_up,
                                        world_tear_down),
    };

    return cmocka_run_group_tests_name("master_depend_cost", tests, NULL, NULL);
}
