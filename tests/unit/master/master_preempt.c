/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_preempt.c - test: preemption notices to agents and application masters, and what follows
 *
 * The test plays the scheduler: it passes a decision to the master as if the scheduler had made it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rm/master/requests/step.h"
#include "rm/master/state/index.h"
#include "tests/unit/master/master_harness.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define MASTER CREEL__APP_KIND__APP_MASTER

struct world {
    struct harness h;
    struct fake_agent a;
    struct fake_am am;
    char app[80], task[80];
};

static void decide(struct world *w, const char *container_id, enum sched_decision_kind kind,
                   int64_t deadline_ms)
{
    struct master *m = w->h.master;
    struct container *container = rm_container_find(m, container_id);

    assert_non_null(container);
    rm_step_begin(m, w->h.now, &w->h.effects);
    mem_grow(m->decisions.items, m->decisions.count, m->decisions.capacity);
    m->decisions.items[m->decisions.count++] = (struct sched_decision){
        .kind = kind,
        .container = container->sched,
        .node = container->node->sched,
        .app = container->app->sched,
        .deadline_ms = deadline_ms,
    };
    rm_step_end(m);
    harness_run_effects(&w->h);
    agent_listen(&w->h, &w->a);
}

static void begin(struct world *w)
{
    harness_init(&w->h);
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 8192, 8);
    agent_register(&w->h, &w->a);
}

/* Starts an application master with one running task. */
static void begin_with_task(struct world *w)
{
    const Creel__AllocateReply *reply;

    begin(w);
    people_submit(&w->h, job_of(MASTER, 512, 0), "", w->app, NULL);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    am_init(&w->am, w->app, 1);
    am_register(&w->h, &w->am);
    reply = am_allocate(&w->h, &w->am, 1, 256, NULL);
    assert_int_equal(reply->n_allocated, 1);
    snprintf(w->task, sizeof(w->task), "%s", reply->allocated[0]->container_id);
    agent_start(&w->a, w->task, &reply->allocated[0]->token);
    agent_heartbeat(&w->h, &w->a);
}

static void end(struct world *w)
{
    agent_done(&w->a);
    harness_done(&w->h);
}

static void notice_is_repeated_until_the_agent_confirms(void **state)
{
    struct world w;
    int64_t deadline_ms;

    (void)state;
    begin_with_task(&w);
    deadline_ms = w.h.now + 15000;
    decide(&w, w.task, SCHED_PREEMPT, deadline_ms);
    assert_int_equal(agent_find(&w.a, w.task)->preempt_ms, deadline_ms);
    assert_int_equal(agent_find(&w.a, w.task)->preempt_notices, 1);
    agent_find(&w.a, w.task)->preempt_ms = 0; /* as if the agent had not got the order */
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_find(&w.a, w.task)->preempt_notices, 2);
    agent_heartbeat(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_find(&w.a, w.task)->preempt_notices, 2);
    end(&w);
}

static void am_gets_the_notice_once_and_after_registering_again(void **state)
{
    const Creel__AllocateReply *reply;
    struct world w;

    (void)state;
    begin_with_task(&w);
    decide(&w, w.task, SCHED_PREEMPT, w.h.now + 15000);
    reply = am_allocate(&w.h, &w.am, -1, 0, NULL);
    assert_non_null(reply->preemption);
    assert_int_equal(reply->preemption->n_strict, 0);
    assert_int_equal(reply->preemption->n_negotiable, 1);
    assert_string_equal(reply->preemption->negotiable[0]->container_id, w.task);
    assert_int_equal(reply->preemption->negotiable[0]->deadline_ms, w.h.now + 15000);
    assert_int_equal(reply->preemption->wanted->memory_mb, 256);
    assert_null(am_allocate(&w.h, &w.am, -1, 0, NULL)->preemption);
    am_register(&w.h, &w.am);
    assert_non_null(am_allocate(&w.h, &w.am, -1, 0, NULL)->preemption);
    end(&w);
}

static void at_the_deadline_it_is_stopped_and_counts_as_preempted(void **state)
{
    const Creel__AllocateReply *reply;
    struct world w;

    (void)state;
    begin_with_task(&w);
    decide(&w, w.task, SCHED_PREEMPT, w.h.now + 15000);
    decide(&w, w.task, SCHED_KILL, 0);
    assert_int_equal(agent_find(&w.a, w.task)->exit_status, -102);
    agent_heartbeat(&w.h, &w.a);
    reply = am_allocate(&w.h, &w.am, -1, 0, NULL);
    assert_null(reply->preemption);
    assert_int_equal(reply->n_completed, 1);
    assert_int_equal(reply->completed[0]->exit_status, -102);
    end(&w);
}

static void one_that_ends_meanwhile_is_spoken_of_no_more(void **state)
{
    struct world w;

    (void)state;
    begin_with_task(&w);
    agent_find(&w.a, w.task)->preempt_notices = 0;
    decide(&w, w.task, SCHED_PREEMPT, w.h.now + 15000);
    agent_exit(&w.a, w.task, -102);
    agent_heartbeat(&w.h, &w.a);
    assert_null(am_allocate(&w.h, &w.am, -1, 0, NULL)->preemption);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_find(&w.a, w.task)->preempt_notices, 1);
    end(&w);
}

static void a_preempted_command_runs_again_and_no_try_is_lost(void **state)
{
    struct world w;
    char first[80];

    (void)state;
    begin(&w);
    people_submit(&w.h, job_of(COMMAND, 512, 0), "", w.app, NULL);
    agent_listen(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    for (int i = 0; i < 4; i++) { /* more often than the maximum of attempts */
        snprintf(first, sizeof(first), "%s", w.a.containers[w.a.count - 1].id);
        decide(&w, first, SCHED_PREEMPT, w.h.now + 1000);
        decide(&w, first, SCHED_KILL, 0);
        agent_heartbeat(&w.h, &w.a);
        agent_listen(&w.h, &w.a);
        agent_heartbeat(&w.h, &w.a);
        assert_int_equal(people_show(&w.h, w.app)->state, CREEL__APP_STATE__APP_RUNNING);
    }
    assert_int_equal(people_show(&w.h, w.app)->attempt, 5);
    agent_exit(&w.a, w.a.containers[w.a.count - 1].id, 0);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(people_show(&w.h, w.app)->state, CREEL__APP_STATE__APP_FINISHED);
    end(&w);
}

static void a_restart_forgets_the_notice_and_nothing_else(void **state)
{
    struct world w;

    (void)state;
    begin_with_task(&w);
    decide(&w, w.task, SCHED_PREEMPT, w.h.now + 15000);
    harness_restart(&w.h);
    agent_register(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_running(&w.a), 2);
    assert_int_equal(agent_find(&w.a, w.task)->preempt_notices, 1);
    end(&w);
}

static void revoked_notice_reaches_the_container(void **state)
{
    const Creel__AllocateReply *reply;
    int64_t deadline_ms;
    struct world w;

    (void)state;
    begin_with_task(&w);
    deadline_ms = w.h.now + 15000;
    decide(&w, w.task, SCHED_PREEMPT, deadline_ms);
    agent_heartbeat(&w.h, &w.a);
    assert_non_null(am_allocate(&w.h, &w.am, -1, 0, NULL)->preemption);
    decide(&w, w.task, SCHED_SPARE, 0);
    assert_int_equal(agent_find(&w.a, w.task)->spared_ms, deadline_ms);
    agent_find(&w.a, w.task)->spared_ms = 0; /* as if the agent had not got the order */
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_find(&w.a, w.task)->spared_ms, deadline_ms);
    agent_heartbeat(&w.h, &w.a);
    reply = am_allocate(&w.h, &w.am, -1, 0, NULL);
    assert_int_equal(reply->preemption->n_spared, 1);
    assert_string_equal(reply->preemption->spared[0]->container_id, w.task);
    assert_int_equal(reply->preemption->n_negotiable + reply->preemption->n_strict, 0);
    assert_null(am_allocate(&w.h, &w.am, -1, 0, NULL)->preemption);
    am_register(&w.h, &w.am); /* no notice is left to repeat */
    assert_null(am_allocate(&w.h, &w.am, -1, 0, NULL)->preemption);
    decide(&w, w.task, SCHED_PREEMPT, deadline_ms + 60000); /* selected for preemption again */
    assert_int_equal(agent_find(&w.a, w.task)->preempt_ms, deadline_ms + 60000);
    assert_int_equal(am_allocate(&w.h, &w.am, -1, 0, NULL)->preemption->n_negotiable, 1);
    end(&w);
}

static void notice_revoked_before_delivery_is_not_sent(void **state)
{
    struct world w;

    (void)state;
    begin_with_task(&w);
    decide(&w, w.task, SCHED_PREEMPT, w.h.now + 15000);
    decide(&w, w.task, SCHED_SPARE, 0);
    assert_null(am_allocate(&w.h, &w.am, -1, 0, NULL)->preemption);
    decide(&w, w.task, SCHED_SPARE, 0); /* nor of a task without a notice */
    assert_null(am_allocate(&w.h, &w.am, -1, 0, NULL)->preemption);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notice_is_repeated_until_the_agent_confirms),
        cmocka_unit_test(am_gets_the_notice_once_and_after_registering_again),
        cmocka_unit_test(at_the_deadline_it_is_stopped_and_counts_as_preempted),
        cmocka_unit_test(one_that_ends_meanwhile_is_spoken_of_no_more),
        cmocka_unit_test(a_preempted_command_runs_again_and_no_try_is_lost),
        cmocka_unit_test(a_restart_forgets_the_notice_and_nothing_else),
        cmocka_unit_test(revoked_notice_reaches_the_container),
        cmocka_unit_test(notice_revoked_before_delivery_is_not_sent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
