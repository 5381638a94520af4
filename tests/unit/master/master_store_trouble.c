/* SPDX-License-Identifier: Apache-2.0 */
/* master_store_trouble.c - the master, while the store refuses rows or is lost */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define STATE(name) CREEL__APP_STATE__APP_##name

static void store_that_refuses_takes_submissions_back(void **state)
{
    struct world *w = *state;
    const Creel__Error *error;
    const Creel__Envelope *reply;

    w->h.hold_store = true;
    people_submit(&w->h, job_of(COMMAND, 512, 0), "k", w->app, NULL);
    assert_int_equal(w->h.waiting_count, 1);
    master_on_store_failed(w->h.master, w->h.now, w->h.waiting[0].seq, "disk full", &w->h.effects);
    assert_true(w->h.effects.count >= 1);
    assert_int_equal(w->h.effects.items[0].kind, MASTER_SEND);
    assert_int_equal(w->h.effects.items[0].envelope->error->code, CREEL__ERROR_CODE__ERROR_STORE);
    assert_int_equal(w->h.effects.items[1].kind, MASTER_FORGET_APP);
    w->h.waiting_count = 1; /* the row after the deleted row is written later */
    w->h.waiting[0].seq = w->h.effects.items[1].store_seq;
    master_effects_reset(&w->h.effects);
    people_submit(&w->h, job_of(COMMAND, 512, 0), "k2", w->app, &error);
    assert_non_null(error);
    assert_int_equal(error->code, CREEL__ERROR_CODE__ERROR_STORE);
    assert_null(people_show(&w->h, "1"));
    harness_commit(&w->h); /* the disk works again */
    w->h.hold_store = false;
    people_submit(&w->h, job_of(COMMAND, 512, 0), "k2", w->app, NULL);
    assert_string_not_equal(w->app, "");
    reply = people_kill(&w->h, w->app);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_OK);
}

/* What is accepted now would not be found by the next start: it is refused. What runs is still recorded. */
static void submissions_are_refused_while_the_state_is_lost(void **state)
{
    struct world *w = *state;
    const Creel__Error *error;
    char other[80];

    people_submit(&w->h, job_of(COMMAND, 512, 0), "k", w->app, NULL);
    master_set_store_lost(w->h.master, "/var/lib/creel/rm/state.db was removed");
    people_submit(&w->h, job_of(COMMAND, 512, 0), "k2", other, &error);
    assert_non_null(error);
    assert_int_equal(error->code, CREEL__ERROR_CODE__ERROR_STORE);
    assert_string_equal(error->message,
                        "submissions cannot be stored now: /var/lib/creel/rm/state.db was removed");
    harness_commit(&w->h);
    people_submit(&w->h, job_of(COMMAND, 512, 0), "k2", other, &error);
    assert_non_null(error);
    assert_int_equal(people_kill(&w->h, w->app)->body_case, CREEL__ENVELOPE__BODY_OK);
    master_set_store_lost(w->h.master, NULL);
    people_submit(&w->h, job_of(COMMAND, 512, 0), "k2", other, NULL);
    assert_string_not_equal(other, "");
}

/* Sets the priority of W->app as USER. Returns the code of the error; -1: there is none. */
static int set_priority(struct world *w, const char *user)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_PRIORITY);
    Creel__SetPriority body = CREEL__SET_PRIORITY__INIT;
    const Creel__Envelope *reply;

    body.app_id = w->app;
    body.priority = 1;
    envelope->set_priority = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, 900, user, envelope);
    return reply != NULL && reply->body_case == CREEL__ENVELOPE__BODY_ERROR ? (int)reply->error->code : -1;
}

static void expect_stored_later(const Creel__Envelope *reply, const char *done)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_STORE);
    assert_non_null(strstr(reply->error->message, done));
    assert_non_null(strstr(reply->error->message,
                           "; this is stored when the resource manager can write its state: "
                           "/var/lib/creel/rm/state.db: the disk is full"));
}

static const Creel__Envelope *drain(struct world *w, const char *node)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_CHANGE_NODES);
    Creel__ChangeNodes body = CREEL__CHANGE_NODES__INIT;
    char *nodes[] = { (char *)(uintptr_t)node }, reason[] = "full";

    body.nodes = nodes;
    body.n_nodes = 1;
    body.change = CREEL__NODE_CHANGE__NODE_DRAIN;
    body.reason = reason;
    envelope->change_nodes = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "root", envelope);
}

/* The client does not wait until the disk is repaired. */
static void a_change_that_is_made_is_answered_when_the_store_fails(void **state)
{
    static const char reason[] = "/var/lib/creel/rm/state.db: the disk is full";
    struct world *w = *state;
    char first[80], second[80];

    people_submit(&w->h, job_of(COMMAND, 512, 0), "k", first, NULL);
    people_submit(&w->h, job_of(COMMAND, 512, 0), "k2", second, NULL);
    master_set_access(w->h.master, "root", "", true);
    w->h.hold_store = true;
    assert_null(people_kill(&w->h, first)); /* its row is being written */
    master_on_store_failed(w->h.master, w->h.now, w->h.waiting[w->h.waiting_count - 1].seq, reason,
                           &w->h.effects);
    assert_int_equal(w->h.effects.items[0].kind, MASTER_SEND);
    expect_stored_later(w->h.effects.items[0].envelope, " is being killed");
    assert_int_equal(w->h.effects.count, 1);
    harness_run_effects(&w->h);
    expect_stored_later(people_kill(&w->h, second), " is being killed");
    expect_stored_later(drain(w, w->a.node_id), " is changed");
    w->h.hold_store = false;
    harness_commit(&w->h); /* the disk works again */
    assert_int_equal(people_show(&w->h, first)->state, STATE(KILLED));
    assert_int_equal(people_show(&w->h, second)->state, STATE(KILLED));
}

/* Each change would be a row, and a reply, that wait in memory. A job can be killed, once. */
static void changes_of_users_are_refused_while_the_store_fails(void **state)
{
    struct world *w = *state;
    char other[80];
    size_t waiting;

    people_submit(&w->h, job_of(COMMAND, 512, 0), "other", other, NULL);
    people_submit(&w->h, job_of(COMMAND, 512, 0), "k", w->app, NULL);
    master_set_access(w->h.master, "root", "", true);
    w->h.hold_store = true;
    master_on_store_failed(w->h.master, w->h.now, 1, "/var/lib/creel/rm/state.db: the disk is full",
                           &w->h.effects);
    harness_run_effects(&w->h);
    for (int i = 0; i < 100; i++)
        assert_int_equal(set_priority(w, "ann"), CREEL__ERROR_CODE__ERROR_STORE);
    assert_int_equal(w->h.waiting_count, 0); /* no row waits */
    assert_int_equal(set_priority(w, "root"), CREEL__ERROR_CODE__ERROR_STORE);
    assert_int_equal(w->h.waiting_count, 1);
    expect_stored_later(people_kill(&w->h, other), " is being killed");
    waiting = w->h.waiting_count;
    for (int i = 0; i < 100; i++) {
        expect_stored_later(people_kill(&w->h, other), " is being killed");
    }
    assert_int_equal(w->h.waiting_count, waiting);
    harness_commit(&w->h); /* the disk works again */
    w->h.hold_store = false;
    assert_int_equal(set_priority(w, "ann"), -1);
    assert_int_equal(people_show(&w->h, other)->state, STATE(KILLED));
    assert_int_equal(people_kill(&w->h, w->app)->body_case, CREEL__ENVELOPE__BODY_OK);
}

#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(store_that_refuses_takes_submissions_back),
        WORLD_TEST(submissions_are_refused_while_the_state_is_lost),
        WORLD_TEST(changes_of_users_are_refused_while_the_store_fails),
        WORLD_TEST(a_change_that_is_made_is_answered_when_the_store_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
