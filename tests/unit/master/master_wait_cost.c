/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_wait_cost.c - test: many requests that wait for a change (WaitApp, WaitNodes), then the change
 *
 * Bounds are on the work of each step (turns.h), which does not depend on the speed of the host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rm/master/state/turns.h"
#include "rm/master/state/wait_pool.h"
#include "tests/unit/master/master_world.h"

#define CONNECTION 500
#define WAIT_MS 600000
#define OF_USER_NODES 256 /* places of a user for WaitNodes, */
#define OF_USER_APP 5000  /* and for WaitApp */
/* The work of a step that makes the change, and answers few requests. Long reports are eight units each. */
#define STEP_WORK_MAX 96

static uint64_t wait_nodes_for(struct world *w, const char *user, uint64_t version, uint32_t wait_ms)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_WAIT_NODES);
    Creel__WaitNodes body = CREEL__WAIT_NODES__INIT;

    body.known_version = version;
    body.wait_ms = wait_ms;
    envelope->wait_nodes = &body;
    harness_ask(&w->h, MASTER_CLIENT, CONNECTION, user, envelope);
    return w->h.next_request;
}

static uint64_t wait_nodes(struct world *w, const char *user, uint64_t version)
{
    return wait_nodes_for(w, user, version, WAIT_MS);
}

static uint64_t wait_app(struct world *w, const char *user, char *app, uint64_t version)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_WAIT_APP);
    Creel__WaitApp body = CREEL__WAIT_APP__INIT;

    body.app_id = app;
    body.known_version = version;
    body.wait_ms = WAIT_MS;
    envelope->wait_app = &body;
    harness_ask(&w->h, MASTER_CLIENT, CONNECTION, user, envelope);
    return w->h.next_request;
}

static const Creel__Envelope *reply_to(struct world *w, uint64_t request)
{
    return harness_find_reply(&w->h, CONNECTION, request);
}

static unsigned count_replies(struct world *w, uint64_t first, unsigned count)
{
    unsigned replies = 0;

    for (unsigned i = 0; i < count; i++)
        replies += reply_to(w, first + i) != NULL ? 1 : 0;
    return replies;
}

static uint64_t drain(struct world *w, char *node)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_CHANGE_NODES);
    Creel__ChangeNodes body = CREEL__CHANGE_NODES__INIT;
    uint64_t work = master_work(w->h.master);

    body.nodes = &node;
    body.n_nodes = 1;
    body.change = CREEL__NODE_CHANGE__NODE_DRAIN;
    envelope->change_nodes = &body;
    harness_ask(&w->h, MASTER_ADMIN, 1, "root", envelope);
    return master_work(w->h.master) - work;
}

/* Lets the early answers come for COUNT requests above the share of a user. */
static void run_early_answers(struct world *w, unsigned count)
{
    harness_tick(&w->h, (int64_t)count * WAIT_EARLY_MS);
}

/* Runs the timers that are due. Returns the number of steps. */
static unsigned run_turns(struct world *w, uint64_t work_max)
{
    unsigned turns = 0;

    for (; master_next_deadline_ms(w->h.master) <= w->h.now; turns++) {
        uint64_t work = master_work(w->h.master);

        master_on_timer(w->h.master, w->h.now, &w->h.effects);
        harness_run_effects(&w->h);
        assert_true(master_work(w->h.master) - work <= work_max);
    }
    return turns;
}

static uint64_t nodes_version(struct world *w)
{
    return reply_to(w, wait_nodes(w, "ann", 0))->node_list->version;
}

static void waits_for_nodes_have_a_share_and_turns(void **state)
{
    enum { MORE = 40, BOB = 1 };
    struct world *w = *state;
    uint64_t version = nodes_version(w), first = w->h.next_request + 1, bob;

    for (unsigned i = 0; i < OF_USER_NODES + MORE; i++)
        wait_nodes(w, "ann", version);
    /* More than the share: the oldest are answered, one after another. */
    assert_int_equal(count_replies(w, first, MORE), 0);
    run_early_answers(w, MORE);
    assert_int_equal(count_replies(w, first, MORE), MORE);
    assert_int_equal(count_replies(w, first + MORE, OF_USER_NODES), 0);
    bob = wait_nodes(w, "bob", version);
    assert_null(reply_to(w, bob));
    assert_true(drain(w, w->a.node_id) <= STEP_WORK_MAX);
    assert_in_range(count_replies(w, first + MORE, OF_USER_NODES), 1, OF_USER_NODES / 2);
    assert_true(run_turns(w, WORK_MAX + STEP_WORK_MAX) > 0);
    assert_int_equal(count_replies(w, first + MORE, OF_USER_NODES + BOB), OF_USER_NODES + BOB);
    for (unsigned i = 0; i < OF_USER_NODES + BOB; i++) {
        const Creel__NodeList *list = reply_to(w, first + MORE + i)->node_list;

        assert_int_equal(list->n_nodes, 1);
        assert_true(list->version > version);
    }
}

static uint64_t app_version(struct world *w, const char *user, char *app)
{
    return reply_to(w, wait_app(w, user, app, 0))->app_list->apps[0]->version;
}

/* Takes COUNT new nodes out of service. */
static void drain_many(struct world *w, unsigned count)
{
    struct fake_agent agent;
    char id[64];

    for (unsigned i = 0; i < count; i++) {
        snprintf(id, sizeof(id), "host%04u.example.org:8041", i);
        agent_init(&agent, id, 4096, 4);
        agent_register(&w->h, &agent);
        agent_done(&agent);
        drain(w, id);
        harness_forget(&w->h);
    }
}

static void set_priority(struct world *w, char *app, int32_t priority)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_PRIORITY);
    Creel__SetPriority body = CREEL__SET_PRIORITY__INIT;

    body.app_id = app;
    body.priority = priority;
    envelope->set_priority = &body;
    harness_ask(&w->h, MASTER_CLIENT, 1, "root", envelope);
}

/* The report of the job has 28 KB. */
static void submit_large(struct world *w, char id[80])
{
    static char tags[14][2001], *list[14];
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0);
    const Creel__Error *error;

    for (size_t i = 0; i < 14; i++) {
        memset(tags[i], 'a' + (int)i, 2000);
        list[i] = tags[i];
    }
    job->tags = list;
    job->n_tags = 14;
    job->hold = true;
    people_submit(&w->h, job, "", id, &error);
    assert_null(error);
}

static void waits_for_an_application_have_a_share_and_turns(void **state)
{
    enum { MORE = 20 };
    struct world *w = *state;
    char other[80];
    uint64_t version, first, bob, work;

    submit_large(w, w->app);
    submit_large(w, other);
    version = app_version(w, "ann", w->app);
    first = w->h.next_request + 1;
    for (unsigned i = 0; i < OF_USER_APP + MORE; i++)
        wait_app(w, "ann", w->app, version);
    run_early_answers(w, MORE);
    assert_int_equal(count_replies(w, first, MORE), MORE);
    assert_int_equal(count_replies(w, first + MORE, OF_USER_APP), 0);
    bob = wait_app(w, "bob", other, app_version(w, "bob", other));
    work = master_work(w->h.master);
    set_priority(w, w->app, 3);
    assert_true(master_work(w->h.master) - work <= STEP_WORK_MAX);
    assert_in_range(count_replies(w, first + MORE, OF_USER_APP), 1, OF_USER_APP / 10);
    /* Another application comes between the answers. */
    set_priority(w, other, 3);
    master_on_timer(w->h.master, w->h.now, &w->h.effects);
    harness_run_effects(&w->h);
    assert_non_null(reply_to(w, bob));
    assert_in_range(count_replies(w, first + MORE, OF_USER_APP), 1, OF_USER_APP / 4);
    assert_true(run_turns(w, WORK_MAX + STEP_WORK_MAX) > OF_USER_APP / WORK_MAX);
    assert_int_equal(count_replies(w, first + MORE, OF_USER_APP), OF_USER_APP);
    assert_true(reply_to(w, first + MORE)->app_list->apps[0]->version > version);
}

/* Sends again what is answered, as clients of 0.2.0 do: at once. Returns the number of answers. */
static unsigned repeat_answered(struct world *w, const char *user, uint64_t version)
{
    unsigned answers = 0;

    for (size_t i = 0; i < w->h.sent_count; i++)
        answers += w->h.sent[i].connection == CONNECTION ? 1 : 0;
    harness_forget(&w->h);
    for (unsigned i = 0; i < answers; i++)
        wait_app(w, user, w->app, version);
    return answers;
}

static void a_list_of_many_nodes_is_made_once_for_the_answers_of_a_turn(void **state)
{
    enum { NODES = 300, WATCHERS = 100, AT_ONCE = 8 };
    struct world *w = *state;
    uint64_t version, first, bob, work;
    char other[80];

    submit_large(w, other);
    drain_many(w, NODES);
    version = nodes_version(w);
    first = w->h.next_request + 1;
    for (unsigned i = 0; i < WATCHERS; i++)
        wait_nodes(w, "ann", version);
    bob = wait_app(w, "bob", other, app_version(w, "bob", other));
    drain(w, w->a.node_id);
    assert_true(count_replies(w, first, WATCHERS) < WATCHERS / 2);
    /* Requests for an application are not behind those for nodes. */
    set_priority(w, other, 3);
    assert_non_null(reply_to(w, bob));
    assert_true(count_replies(w, first, WATCHERS) < WATCHERS / 2);
    work = master_work(w->h.master);
    master_on_timer(w->h.master, w->h.now, &w->h.effects);
    harness_run_effects(&w->h);
    assert_true(master_work(w->h.master) - work <= WORK_MAX + STEP_WORK_MAX);
    assert_true(count_replies(w, first, WATCHERS) >= AT_ONCE);
    run_turns(w, WORK_MAX + STEP_WORK_MAX);
    for (unsigned i = 0; i < WATCHERS; i++)
        assert_int_equal(reply_to(w, first + i)->node_list->n_nodes, NODES + 1);
}

static void waits_for_nodes_end_at_their_time_in_turns(void **state)
{
    enum { NODES = 300, WATCHERS = 100, SHORT_MS = 1000 };
    struct world *w = *state;
    uint64_t version, first;

    drain_many(w, NODES);
    version = nodes_version(w);
    first = w->h.next_request + 1;
    for (unsigned i = 0; i < WATCHERS; i++)
        wait_nodes_for(w, "ann", version, SHORT_MS);
    w->h.now += SHORT_MS;
    assert_in_range(run_turns(w, WORK_MAX + STEP_WORK_MAX), 2, WATCHERS / 4);
    for (unsigned i = 0; i < WATCHERS; i++)
        assert_int_equal(reply_to(w, first + i)->node_list->version, version);
}

static void waits_above_the_share_cost_a_bounded_number_of_requests(void **state)
{
    enum { WAITS = 2 * OF_USER_APP, SECONDS = 5 };
    struct world *w = *state;
    unsigned answers = 0;
    uint64_t version, bob;
    char other[80];

    submit_large(w, w->app);
    submit_large(w, other);
    bob = wait_app(w, "bob", other, app_version(w, "bob", other));
    version = app_version(w, "ann", w->app);
    harness_forget(&w->h);
    for (unsigned i = 0; i < WAITS; i++)
        wait_app(w, "ann", w->app, version);
    assert_int_equal(w->h.sent_count, 0);
    for (unsigned i = 0; i < 10 * SECONDS; i++) {
        harness_tick(&w->h, 100);
        assert_null(reply_to(w, bob));
        answers += repeat_answered(w, "ann", version);
    }
    assert_in_range(answers, 1, SECONDS * 1000 / WAIT_EARLY_MS);
    /* No memory without a bound: the oldest of still more requests is answered at once. */
    assert_int_equal(w->h.sent_count, 0);
    for (unsigned i = 0; i < 10; i++)
        wait_app(w, "ann", w->app, version);
    assert_int_equal(w->h.sent_count, 10);
}

/* Requests that are not answered yet have an answer when their application is gone, and with the master. */
static void waits_end_with_the_master(void **state)
{
    struct world *w = *state;
    uint64_t version;

    submit_large(w, w->app);
    version = app_version(w, "ann", w->app);
    for (unsigned i = 0; i < OF_USER_APP; i++)
        wait_app(w, "ann", w->app, version);
    set_priority(w, w->app, 3);
}

static void configure(struct master_config *config)
{
    config->admin_users = "root";
}

static int set_up(void **state)
{
    return world_set_up_with(state, configure);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(waits_for_nodes_have_a_share_and_turns),
        TEST(waits_for_an_application_have_a_share_and_turns),
        TEST(waits_above_the_share_cost_a_bounded_number_of_requests),
        TEST(a_list_of_many_nodes_is_made_once_for_the_answers_of_a_turn),
        TEST(waits_for_nodes_end_at_their_time_in_turns),
        TEST(waits_end_with_the_master),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
