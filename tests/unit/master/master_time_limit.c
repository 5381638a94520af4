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

#include "tests/unit/master/master_world.h"

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

static void add_id(void *context, const char *app_id)
{
    snprintf(context, 80, "%s", app_id);
}

/* Its token counts as long (rm/net/identity.c). */
static void a_job_has_its_user_until_its_containers_have_ended(void **state)
{
    struct world *w = *state;
    char id[80] = "";

    submit(w, job());
    assert_string_equal(master_live_user(w->h.master, w->app), "ann"); /* it waits */
    begin_to_run(w);
    w->a.ignores_stops = true; /* its process saves its work */
    pass(w, LIMIT_S * 1000 + 5000);
    expect_killed(w, "time limit");
    assert_string_equal(master_live_user(w->h.master, w->app), "ann");
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    assert_string_equal(master_live_user(w->h.master, w->app), "ann");
    master_each_begun_app(w->h.master, add_id, id);
    assert_string_equal(id, w->app);
    agent_exit(&w->a, w->a.containers[0].id, 0);
    pass(w, 5000);
    assert_null(master_live_user(w->h.master, w->app));
    id[0] = '\0';
    master_each_begun_app(w->h.master, add_id, id);
    assert_string_equal(id, "");
}

/* A node that is lost with the container ends it, too. */
static void a_job_has_no_user_when_its_node_is_lost(void **state)
{
    struct world *w = *state;

    submit(w, job());
    begin_to_run(w);
    w->a.ignores_stops = true;
    pass(w, LIMIT_S * 1000 + 5000);
    assert_non_null(master_live_user(w->h.master, w->app));
    harness_tick(&w->h, 3600 * 1000);
    assert_null(master_live_user(w->h.master, w->app));
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

static const Creel__AppReport *set_limit(struct world *w, int64_t limit_s)
{
    Creel__SetLifetime body = CREEL__SET_LIFETIME__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_LIFETIME);
    const Creel__Envelope *reply;

    body.app_id = w->app;
    body.time_limit_s = limit_s;
    envelope->set_lifetime = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    return reply->app_list->apps[0];
}

/* A job without a limit gets one, which counts from its start. */
static void it_can_be_set(void **state)
{
    struct world *w = *state;
    int64_t start_ms;

    submit(w, job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0));
    begin_to_run(w);
    start_ms = show(w)->attempt_started_ms;
    assert_int_equal(start_ms, show(w)->started_ms);
    pass(w, 30000);
    assert_int_equal(set_limit(w, 40)->expires_ms, start_ms + 40000);
    assert_int_equal(show(w)->time_limit_s, 40);
    assert_int_equal(set_limit(w, -1)->expires_ms, 0);
    assert_int_equal(show(w)->time_limit_s, 0);
    pass(w, 30000);
    assert_int_equal(set_limit(w, 80)->expires_ms, start_ms + 80000);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    assert_int_equal(show(w)->attempt_started_ms, start_ms);
    assert_int_equal(show(w)->time_limit_s, 80);
    set_limit(w, 20); /* it is over already */
    pass(w, 5000);
    expect_killed(w, "time limit of 20 s");
}

/* The limit of a job that waits counts from its start. */
static void it_can_be_set_before_the_start(void **state)
{
    struct world *w = *state;

    submit(w, job());
    assert_int_equal(show(w)->attempt_started_ms, 0);
    assert_int_equal(set_limit(w, 20)->time_limit_s, 20);
    pass(w, 0);
    begin_to_run(w);
    assert_int_equal(show(w)->expires_ms, show(w)->attempt_started_ms + 20000);
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

/* The command started and was stopped at its limit between two reports of its agent. */
static void an_end_that_is_reported_with_the_start_is_killed(void **state)
{
    struct world *w = *state;

    submit(w, job());
    agent_listen(&w->h, &w->a);
    its_container(w)->state = CREEL__CONTAINER_STATE__CONTAINER_STARTING;
    pass(w, LIMIT_S * 1000 + 5000);
    assert_int_equal(show(w)->state, STATE(ACCEPTED));
    its_container(w)->started_ms = w->h.now - LIMIT_S * 1000;
    agent_exit(&w->a, its_container(w)->id, -106);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    expect_killed(w, "its time limit of 60 s is reached");
    assert_true(show(w)->started_ms > 0); /* it ran */
    assert_int_equal(show(w)->attempt, 1);
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    expect_killed(w, "its time limit of 60 s is reached");
}

/* As before, but the resource manager is restarted before it hears of the start. */
static void an_end_that_is_reported_after_a_restart_is_killed(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *spec = job();

    spec->time_limit_s = 4; /* below the expiry of nodes */
    submit(w, spec);
    agent_listen(&w->h, &w->a);
    harness_restart(&w->h);
    harness_tick(&w->h, 5000);
    its_container(w)->started_ms = w->h.now - 4000;
    agent_exit(&w->a, its_container(w)->id, -106);
    agent_register(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    expect_killed(w, "its time limit of 4 s is reached");
    assert_true(show(w)->started_ms > 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, world_set_up, world_tear_down)

/* The command has ended with STATUS; its agent stops what the command left. */
static struct fake_container *end_command(struct world *w, int status)
{
    struct fake_container *first;

    submit(w, job());
    begin_to_run(w);
    first = &w->a.containers[w->a.count - 1];
    first->state = CREEL__CONTAINER_STATE__CONTAINER_STOPPING;
    first->exit_status = status;
    agent_heartbeat(&w->h, &w->a);
    return first;
}

static void it_does_not_kill_a_job_whose_command_has_ended(void **state)
{
    struct world *w = *state;
    struct fake_container *first = end_command(w, 0);

    pass(w, 2 * LIMIT_S * 1000);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    agent_exit(&w->a, first->id, 0);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(show(w)->state, STATE(FINISHED));
    assert_int_equal(show(w)->final_status, CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
}

static void a_kill_does_not_change_an_outcome(void **state)
{
    struct world *w = *state;
    struct fake_container *first = end_command(w, 3);
    const Creel__Envelope *reply = people_kill(&w->h, w->app);

    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_non_null(strstr(reply->error->message, "has ended with exit status 3"));
    agent_exit(&w->a, first->id, 3);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(show(w)->state, STATE(FAILED));
    assert_int_equal(show(w)->final_status, CREEL__FINAL_STATUS__FINAL_FAILED);
}

static void a_lost_node_does_not_change_an_outcome(void **state)
{
    struct world *w = *state;

    end_command(w, 0);
    for (int i = 0; i < 1000 && show(w)->state == STATE(RUNNING); i++)
        harness_tick(&w->h, 5000);
    assert_int_equal(show(w)->state, STATE(FINISHED));
    assert_int_equal(show(w)->final_status, CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
}

/* A job whose limit is below the expiry of nodes runs. Returns its container. */
static struct fake_container *begin_short(struct world *w)
{
    Creel__JobSpec *spec = job();

    spec->time_limit_s = 4;
    submit(w, spec);
    begin_to_run(w);
    return its_container(w);
}

/* The resource manager is restarted, and the limit passes while no agent has registered. */
static void miss_limit(struct world *w)
{
    harness_restart(&w->h);
    for (int i = 0; i < 6; i++)
        harness_tick(&w->h, 1000);
}

/* The agent is away when the resource manager is restarted, and comes back after the limit. */
static void after_a_restart_the_limit_waits_for_the_agent(void **state)
{
    struct world *w = *state;
    struct fake_container *first = begin_short(w);

    first->state = CREEL__CONTAINER_STATE__CONTAINER_STOPPING;
    first->exit_status = 0;
    agent_heartbeat(&w->h, &w->a);
    miss_limit(w);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    agent_register(&w->h, &w->a);
    pass(w, 20000);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    agent_exit(&w->a, first->id, 0);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(show(w)->state, STATE(FINISHED));
    assert_int_equal(show(w)->final_status, CREEL__FINAL_STATUS__FINAL_SUCCEEDED);
}

static void after_a_restart_a_command_that_runs_is_killed_when_its_agent_has_registered(void **state)
{
    struct world *w = *state;

    begin_short(w);
    miss_limit(w);
    assert_int_equal(show(w)->state, STATE(RUNNING));
    agent_register(&w->h, &w->a);
    pass(w, 2000);
    expect_killed(w, "its time limit of 4 s is reached");
}

static void after_a_restart_a_lost_node_ends_the_wait(void **state)
{
    struct world *w = *state;

    begin_short(w);
    miss_limit(w);
    for (int i = 0; i < 1000 && show(w)->state == STATE(RUNNING); i++)
        harness_tick(&w->h, 5000);
    expect_killed(w, "its time limit of 4 s is reached");
    assert_int_equal(show(w)->attempt, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_job_has_its_user_until_its_containers_have_ended),
        TEST(a_job_has_no_user_when_its_node_is_lost),
        TEST(it_counts_from_the_start),
        TEST(it_outlives_the_resource_manager),
        TEST(clock_that_was_set_between_two_runs_does_not_change_it),
        TEST(the_earlier_end_counts),
        TEST(it_starts_again_in_each_attempt),
        TEST(it_can_be_moved_and_removed),
        TEST(it_can_be_set),
        TEST(it_can_be_set_before_the_start),
        TEST(the_grant_has_it),
        TEST(each_change_is_sent_to_the_agent_until_it_confirms),
        TEST(a_stop_by_the_agent_is_no_lost_attempt),
        TEST(a_start_that_hangs_ends_at_the_limit),
        TEST(an_end_that_is_reported_with_the_start_is_killed),
        TEST(an_end_that_is_reported_after_a_restart_is_killed),
        TEST(it_does_not_kill_a_job_whose_command_has_ended),
        TEST(a_kill_does_not_change_an_outcome),
        TEST(a_lost_node_does_not_change_an_outcome),
        TEST(after_a_restart_the_limit_waits_for_the_agent),
        TEST(after_a_restart_a_command_that_runs_is_killed_when_its_agent_has_registered),
        TEST(after_a_restart_a_lost_node_ends_the_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
