/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_cutoff.c - test: an RM that lost contact to a node starts replacements only after the node's
 * containers ended
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

#define TASKS CREEL__APP_KIND__APP_TASKS

struct world {
    struct harness h;
    struct fake_agent a, b;
    struct fake_am am;
    char app[80];
};

/* Starts a job of one task on the first node, with the cutoff times of cluster and job; the second node is
 * empty. */
static void begin(struct world *w, int64_t cluster_ms, int64_t job_ms)
{
    const Creel__AllocateReply *reply;
    Creel__JobSpec *job;

    harness_init(&w->h);
    w->h.config.stop_after_ms = cluster_ms;
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 4096, 8);
    agent_register(&w->h, &w->a);
    job = job_of(TASKS, 256, 1);
    job->stop_after_ms = job_ms;
    people_submit(&w->h, job, "", w->app, NULL);
    agent_heartbeat(&w->h, &w->a);
    am_init(&w->am, w->app, 1);
    am_register(&w->h, &w->am);
    reply = am_allocate(&w->h, &w->am, 1, 256, NULL);
    assert_int_equal(reply->n_allocated, 1);
    agent_start(&w->a, reply->allocated[0]->container_id, &reply->allocated[0]->token);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 2);
    agent_init(&w->b, "n2:8041", 4096, 8);
    agent_register(&w->h, &w->b);
}

static void end(struct world *w)
{
    agent_done(&w->a);
    agent_done(&w->b);
    harness_done(&w->h);
}

static int64_t granted_ms(const struct fake_agent *a, size_t i)
{
    Creel__ContainerGrant *grant =
        creel__container_grant__unpack(NULL, a->containers[i].grant_size, a->containers[i].grant);
    int64_t ms = grant->stop_after_ms;

    creel__container_grant__free_unpacked(grant, NULL);
    return ms;
}

/* The first node loses contact. Returns the seconds until a container of the job runs on the second node. */
static int silent_s(struct world *w)
{
    int seconds = 0;

    while (agent_running(&w->b) == 0) {
        assert_true(seconds < 200);
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->b);
        seconds++;
    }
    return seconds;
}

static void grants_have_the_choice(void **state)
{
    static const struct {
        int64_t cluster_ms, job_ms, granted_ms;
    } cases[] = {
        { 0, 0, 0 }, { 5000, 0, 5000 }, { 5000, 60000, 60000 }, { 5000, -1, 0 }, { 0, 7000, 7000 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct world w;

        begin(&w, cases[i].cluster_ms, cases[i].job_ms);
        assert_int_equal(granted_ms(&w.a, 0), cases[i].granted_ms);
        assert_int_equal(granted_ms(&w.a, 1), cases[i].granted_ms);
        end(&w);
    }
}

/* The expiry time of nodes is ten seconds. */
static void a_node_is_lost_when_all_on_it_has_ended(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 0, 0);
    assert_in_range(silent_s(&w), 10, 12);
    end(&w);
    begin(&w, 0, 4000);
    assert_in_range(silent_s(&w), 10, 12);
    end(&w);
    begin(&w, 16000, 0); /* cutoff 16 + 2 + 5 seconds */
    assert_in_range(silent_s(&w), 23, 25);
    end(&w);
}

/* The attempt ends after twenty seconds without a message of the AM; its node is lost after 80 + 10 + 5
 * seconds. */
static void the_next_attempt_waits_for_the_one_before(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 0, 80000);
    assert_in_range(silent_s(&w), 95, 97);
    assert_int_equal(people_show(&w.h, w.app)->attempt, 2);
    end(&w);
}

static void one_that_waits_can_be_killed(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 0, 80000);
    for (int i = 0; i < 30; i++) {
        harness_tick(&w.h, 1000);
        agent_heartbeat(&w.h, &w.b);
    }
    assert_int_equal(people_show(&w.h, w.app)->attempt, 2);
    people_kill(&w.h, w.app);
    harness_tick(&w.h, 1000);
    assert_int_equal(people_show(&w.h, w.app)->state, CREEL__APP_STATE__APP_KILLED);
    end(&w);
}

/* After a restart the RM knows the containers from their rows in the store. */
static void a_restart_waits_as_long(void **state)
{
    struct world w;

    (void)state;
    begin(&w, 16000, 0);
    w.h.config.stop_after_ms = 0;
    harness_restart(&w.h);
    agent_register(&w.h, &w.b);
    assert_in_range(silent_s(&w), 23, 25);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grants_have_the_choice),
        cmocka_unit_test(a_node_is_lost_when_all_on_it_has_ended),
        cmocka_unit_test(the_next_attempt_waits_for_the_one_before),
        cmocka_unit_test(one_that_waits_can_be_killed),
        cmocka_unit_test(a_restart_waits_as_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
