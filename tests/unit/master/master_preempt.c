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
    const char *gainer; /* of the next decisions */
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
        .gainer = w->gainer,
    };
    rm_step_end(m);
    harness_run_effects(&w->h);
    agent_listen(&w->h, &w->a);
}

static void begin(struct world *w)
{
    w->gainer = NULL;
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

/* --- creel why of an application that gets the room ------------------------------ */

static void decide_for(struct world *w, const char *gainer, enum sched_decision_kind kind,
                       int64_t deadline_ms)
{
    w->gainer = gainer;
    decide(w, w->task, kind, deadline_ms);
}

/* Returns what creel why of APP has of the room that is made; NULL: nothing. */
static const Creel__WhyItem *room_for(struct world *w, const char *app)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;
    const Creel__AppExplanation *explanation;

    body.app_id = (char *)(uintptr_t)app;
    envelope->explain_app = &body;
    explanation = harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope)->app_explanation;
    for (size_t i = 0; i < explanation->n_items; i++)
        if (strcmp(explanation->items[i]->reason_code, "MakingRoom") == 0)
            return explanation->items[i];
    return NULL;
}

static void why_names_the_room_that_is_made(void **state)
{
    const Creel__WhyItem *item;
    struct world w;
    char waiting[80];

    (void)state;
    begin_with_task(&w);
    people_submit(&w.h, job_of(COMMAND, 8192, 0), "", waiting, NULL);
    assert_null(room_for(&w, waiting));
    decide_for(&w, "root.other", SCHED_PREEMPT, w.h.now + 15000);
    assert_null(room_for(&w, waiting)); /* the room is for another queue */
    decide_for(&w, "root.default", SCHED_PREEMPT, w.h.now + 7500);
    item = room_for(&w, waiting);
    assert_string_equal(item->text,
                        "1 container is being stopped to make room for default: 1 of default; the "
                        "first ends in at most 8s");
    assert_false(item->blocking);
    assert_string_equal(item->queue, "root.default");
    assert_int_equal(item->room->containers, 1);
    assert_int_equal(item->room->first_end_ms, w.h.now + 7500);
    assert_int_equal(item->room->n_of, 1);
    assert_string_equal(item->room->of[0]->queue, "root.default");
    am_allocate(&w.h, &w.am, 1, 8192, NULL);
    assert_null(room_for(&w, w.app)); /* it is its own container */
    decide_for(&w, NULL, SCHED_SPARE, 0);
    assert_null(room_for(&w, waiting));
    end(&w);
}

static void why_names_it_until_the_container_has_ended(void **state)
{
    struct world w;
    char waiting[80];

    (void)state;
    begin_with_task(&w);
    people_submit(&w.h, job_of(COMMAND, 8192, 0), "", waiting, NULL);
    decide_for(&w, "root.default", SCHED_PREEMPT, w.h.now + 1000);
    harness_tick(&w.h, 2000);
    assert_non_null(strstr(room_for(&w, waiting)->text, "; they end when a request can use their room"));
    assert_int_equal(room_for(&w, waiting)->room->first_end_ms, 0);
    decide_for(&w, NULL, SCHED_KILL, 0);
    assert_int_equal(room_for(&w, waiting)->room->containers, 1);
    assert_int_equal(room_for(&w, waiting)->room->first_end_ms, w.h.now);
    assert_non_null(strstr(room_for(&w, waiting)->text, "; the first is to end now"));
    agent_heartbeat(&w.h, &w.a);
    assert_null(room_for(&w, waiting));
    end(&w);
}

/* After a restart the scheduler has chosen no container, and notices are revoked, until its first round. */
static void after_a_restart_why_names_what_the_first_round_decides(void **state)
{
    struct world w;
    char waiting[80];

    (void)state;
    begin_with_task(&w);
    people_submit(&w.h, job_of(COMMAND, 8192, 0), "", waiting, NULL);
    decide_for(&w, "root.default", SCHED_PREEMPT, w.h.now + 15000);
    assert_int_equal(room_for(&w, waiting)->room->containers, 1);
    harness_restart(&w.h);
    agent_register(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_find(&w.a, w.task)->preempt_ms, 0);
    assert_null(room_for(&w, waiting));
    decide_for(&w, "root.default", SCHED_PREEMPT, w.h.now + 7500);
    assert_int_equal(room_for(&w, waiting)->room->containers, 1);
    assert_int_equal(room_for(&w, waiting)->room->first_end_ms, w.h.now + 7500);
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
        cmocka_unit_test(why_names_the_room_that_is_made),
        cmocka_unit_test(after_a_restart_why_names_what_the_first_round_decides),
        cmocka_unit_test(why_names_it_until_the_container_has_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
