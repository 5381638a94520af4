/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_time_limit.c - test: the time limit of an application, which counts from the start of the first
 * container of its attempt, and its lifetime beside it
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master_world.h"

#define STATE(name) CREEL__APP_STATE__APP_##name
#define LIMIT_S 60

static Creel__JobSpec *job(void)
{
    Creel__JobSpec *spec = job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0);

    spec->time_limit_s = LIMIT_S;
    return spec;
}

static void submit(struct world *w, const Creel__JobSpec *spec)
{
    const Creel__Error *error;

    people_submit(&w->h, spec, "", w->app, &error);
    assert_null(error);
}

static const Creel__AppReport *show(struct world *w)
{
    return people_show(&w->h, w->app);
}

/* The first container starts, and its agent reports it. */
static void begin_to_run(struct world *w)
{
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(show(w)->state, STATE(RUNNING));
}

/* Lets MS pass; the agent reports now and then, so that its node is not lost. */
static void pass(struct world *w, int64_t ms)
{
    for (; ms > 0; ms -= 5000) {
        harness_tick(&w->h, ms < 5000 ? ms : 5000);
        agent_listen(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
    }
}

static void expect_killed(struct world *w, const char *words)
{
    assert_int_equal(show(w)->state, STATE(KILLED));
    assert_non_null(strstr(show(w)->diagnostics, words));
}

static const Creel__Envelope *move_end(struct world *w, int64_t expires_ms)
{
    Creel__SetLifetime body = CREEL__SET_LIFETIME__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_LIFETIME);

    body.app_id = w->app;
    body.expires_ms = expires_ms;
    envelope->set_lifetime = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
}

static void it_counts_from_the_start(void **state)
{
    struct world *w = *state;
    char other[80];

    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 4096, 0), "", other, NULL);
    submit(w, job());
    pass(w, 2 * LIMIT_S * 1000);
    assert_int_equal(show(w)->state, STATE(ACCEPTED));
    assert_int_equal(show(w)->expires_ms, 0);
    assert_int_equal(show(w)->time_limit_s, LIMIT_S);
    people_kill(&w->h, other);
    pass(w, 1000);
    begin_to_run(w);
    assert_true(show(w)->expires_ms > 0 && show(w)->expires_ms <= w->h.now + LIMIT_S * 1000);
    pass(w, show(w)->expires_ms - 1 - w->h.now);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    pass(w, 2);
    expect_killed(w, "its time limit of 60 s is reached");
}

static void it_outlives_the_resource_manager(void **state)
{
    struct world *w = *state;
    int64_t end_ms;

    submit(w, job());
    begin_to_run(w);
    end_ms = show(w)->expires_ms;
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    pass(w, 10000);
    assert_int_equal(show(w)->expires_ms, end_ms);
    pass(w, end_ms - w->h.now);
    expect_killed(w, "its time limit of 60 s is reached");
}

static void clock_that_was_set_between_two_runs_does_not_change_it(void **state)
{
    static const int64_t sets_ms[] = { 2 * 86400000, -2 * 86400000 };
    struct world *w = *state;

    for (size_t i = 0; i < 2; i++) {
        int64_t end_ms;

        submit(w, job());
        begin_to_run(w);
        pass(w, 20000);
        end_ms = show(w)->expires_ms + sets_ms[i];
        w->h.now += sets_ms[i];
        w->h.config.clock_set_ms = sets_ms[i];
        harness_restart(&w->h);
        w->h.config.clock_set_ms = 0;
        agent_register(&w->h, &w->a);
        pass(w, 5000);
        assert_int_equal(show(w)->state, STATE(RUNNING));
        assert_int_equal(show(w)->expires_ms, end_ms);
        harness_restart(&w->h); /* the move is stored */
        agent_register(&w->h, &w->a);
        assert_int_equal(show(w)->expires_ms, end_ms);
        pass(w, end_ms - w->h.now);
        expect_killed(w, "its time limit of 60 s is reached");
    }
}

static void the_earlier_end_counts(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->lifetime_s = 20;
    submit(w, spec);
    begin_to_run(w);
    pass(w, 20001);
    expect_killed(w, "its lifetime of 20 s is over");
}

static void it_starts_again_in_each_attempt(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->max_attempts = 3;
    submit(w, spec);
    begin_to_run(w);
    pass(w, 40000);
    /* Its node is lost, which fails no attempt. */
    agent_register(&w->h, &w->b);
    for (int i = 0; i < 200 && show(w)->attempt < 2; i++) {
        harness_tick(&w->h, 5000);
        agent_listen(&w->h, &w->b);
        if (show(w)->attempt < 2)
            agent_heartbeat(&w->h, &w->b);
    }
    assert_int_equal(show(w)->attempt, 2);
    assert_int_equal(show(w)->state, STATE(ACCEPTED));
    assert_int_equal(show(w)->expires_ms, 0);
    agent_heartbeat(&w->h, &w->b);
    agent_listen(&w->h, &w->b);
    agent_heartbeat(&w->h, &w->b);
    assert_int_equal(show(w)->expires_ms, w->h.now + LIMIT_S * 1000);
}

static void it_can_be_moved_and_removed(void **state)
{
    struct world *w = *state;
    int64_t end_ms;

    submit(w, job());
    begin_to_run(w);
    pass(w, 30000);
    end_ms = show(w)->expires_ms + 20000;
    assert_int_equal(move_end(w, end_ms)->app_list->apps[0]->expires_ms, end_ms);
    assert_int_equal(show(w)->time_limit_s, LIMIT_S + 20);
    pass(w, end_ms - 1 - w->h.now);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    assert_int_equal(move_end(w, 0)->app_list->apps[0]->expires_ms, 0);
    pass(w, 100000);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    assert_int_equal(move_end(w, w->h.now + 5000)->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    pass(w, 5001);
    assert_int_equal(show(w)->state, STATE(KILLED));
}

/* What the agent needs for CREEL_DEADLINE. */
static void the_grant_has_it(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();
    Creel__ContainerGrant *grant;

    spec->lifetime_s = 100;
    submit(w, spec);
    agent_listen(&w->h, &w->a);
    grant = creel__container_grant__unpack(NULL, w->a.containers[0].grant_size, w->a.containers[0].grant);
    assert_non_null(grant);
    assert_int_equal(grant->time_limit_s, LIMIT_S);
    assert_int_equal(grant->deadline_ms, w->h.now + 100000);
    creel__container_grant__free_unpacked(grant, NULL);
}

static struct fake_container *its_container(struct world *w)
{
    return &w->a.containers[w->a.count - 1];
}

static void each_change_is_sent_to_the_agent_until_it_confirms(void **state)
{
    struct world *w = *state;
    int orders;

    submit(w, job());
    begin_to_run(w);
    agent_listen(&w->h, &w->a);
    assert_int_equal(its_container(w)->limit_ms, show(w)->expires_ms);
    orders = its_container(w)->limit_orders;
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(its_container(w)->limit_orders, orders);
    move_end(w, w->h.now + 3600000);
    agent_listen(&w->h, &w->a);
    assert_int_equal(its_container(w)->limit_ms, w->h.now + 3600000);
    its_container(w)->limit_ms = 0; /* as if the order was lost */
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(its_container(w)->limit_ms, show(w)->expires_ms);
    agent_heartbeat(&w->h, &w->a);
    harness_restart(&w->h);
    its_container(w)->limit_ms = 0;
    agent_register(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(its_container(w)->limit_ms, show(w)->expires_ms);
    move_end(w, 0);
    agent_listen(&w->h, &w->a);
    assert_int_equal(its_container(w)->limit_ms, 0);
}

/* The agent stops the container at the limit; the report arrives ahead of the resource manager's timer. */
static void a_stop_by_the_agent_is_no_lost_attempt(void **state)
{
    struct world *w = *state;

    submit(w, job());
    begin_to_run(w);
    agent_listen(&w->h, &w->a);
    pass(w, show(w)->expires_ms - 500 - w->h.now);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    agent_exit(&w->a, its_container(w)->id, -106);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    expect_killed(w, "its time limit of 60 s is reached");
    assert_int_equal(show(w)->attempt, 1);
}

/* The start of the command does not end, so the agent reports neither that it runs nor an end before the
 * limit. */
static void a_start_that_hangs_ends_at_the_limit(void **state)
{
    struct world *w = *state;

    submit(w, job());
    agent_listen(&w->h, &w->a);
    its_container(w)->state = CREEL__CONTAINER_STATE__CONTAINER_STARTING;
    pass(w, LIMIT_S * 1000 + 5000);
    assert_int_equal(show(w)->state, STATE(ACCEPTED));
    agent_exit(&w->a, its_container(w)->id, -106);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    expect_killed(w, "its time limit of 60 s is reached");
    assert_int_equal(show(w)->attempt, 1);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_counts_from_the_start),
        TEST(it_outlives_the_resource_manager),
        TEST(clock_that_was_set_between_two_runs_does_not_change_it),
        TEST(the_earlier_end_counts),
        TEST(it_starts_again_in_each_attempt),
        TEST(it_can_be_moved_and_removed),
        TEST(the_grant_has_it),
        TEST(each_change_is_sent_to_the_agent_until_it_confirms),
        TEST(a_stop_by_the_agent_is_no_lost_attempt),
        TEST(a_start_that_hangs_ends_at_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
