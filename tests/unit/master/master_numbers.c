/* SPDX-License-Identifier: Apache-2.0 */
/* master_numbers.c - test: ids of applications that are assigned before the submission */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

#define CLIENT 500
#define CODE(name) CREEL__ERROR_CODE__ERROR_##name

struct world {
    struct harness h;
    struct fake_agent a;
};

static int set_up(void **state)
{
    static struct world world;

    memset(&world, 0, sizeof(world));
    harness_init(&world.h);
    harness_start(&world.h);
    agent_init(&world.a, "n1:8041", 4096, 4);
    agent_register(&world.h, &world.a);
    *state = &world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *w = *state;

    agent_done(&w->a);
    harness_done(&w->h);
    return 0;
}

static const char *new_id(struct world *w, const char *user, char text[80])
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_NEW_APP);
    Creel__NewApp body = CREEL__NEW_APP__INIT;
    const Creel__Envelope *reply;

    envelope->new_app = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, CLIENT, user, envelope);
    if (reply == NULL || reply->body_case != CREEL__ENVELOPE__BODY_NEW_APP_REPLY)
        return NULL;
    snprintf(text, 80, "%s", reply->new_app_reply->app_id);
    return text;
}

/* Returns the code of the refusal; -1: the submission was accepted with the id APP. */
static int submit(struct world *w, const char *user, const char *app, Creel__JobSpec *job)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SUBMIT_APP);
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    const Creel__Envelope *reply;

    body.job = job;
    body.app_id = (char *)(uintptr_t)app;
    envelope->submit_app = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, CLIENT, user, envelope);
    assert_non_null(reply);
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        return (int)reply->error->code;
    assert_string_equal(reply->submit_app_reply->app_id, app);
    return -1;
}

static Creel__JobSpec *job(void)
{
    return job_of(CREEL__APP_KIND__APP_COMMAND, 512, 1);
}

static void an_application_gets_the_id_that_was_assigned(void **state)
{
    struct world *w = *state;
    char first[80], second[80], other[80];

    assert_non_null(new_id(w, "ann", first));
    assert_non_null(new_id(w, "ann", second));
    assert_string_not_equal(first, second);
    people_submit_as(&w->h, "bob", job(), "", other);
    assert_string_not_equal(other, second);
    assert_int_equal(submit(w, "ann", second, job()), -1);
    assert_int_equal(submit(w, "ann", first, job()), -1);
    assert_string_equal(people_show(&w->h, first)->user, "ann");
    assert_string_equal(people_show(&w->h, second)->app_id, second);
}

static void a_repeated_submission_changes_nothing(void **state)
{
    struct world *w = *state;
    char id[80], next[80];

    new_id(w, "ann", id);
    assert_int_equal(submit(w, "ann", id, job()), -1);
    assert_int_equal(submit(w, "ann", id, job()), -1);
    people_submit_as(&w->h, "ann", job(), "", next);
    assert_string_equal(next, "application_1700000000000_0002");
}

static void an_id_belongs_to_one_user(void **state)
{
    struct world *w = *state;
    char id[80];

    new_id(w, "ann", id);
    assert_int_equal(submit(w, "bob", id, job()), CODE(BAD_REQUEST));
    assert_int_equal(submit(w, "ann", "application_1700000000000_0099", job()), CODE(BAD_REQUEST));
    assert_int_equal(submit(w, "ann", "application_1_0001", job()), CODE(BAD_REQUEST));
    assert_int_equal(submit(w, "ann", id, job()), -1);
    assert_int_equal(submit(w, "bob", id, job()), CODE(BAD_REQUEST));
}

static void an_id_of_a_request_without_a_user_serves_every_user(void **state)
{
    struct world *w = *state;
    char id[80];

    new_id(w, "dr.who", id);
    assert_int_equal(submit(w, "ann", id, job()), -1);
    assert_string_equal(people_show(&w->h, id)->user, "ann");
    assert_int_equal(submit(w, "bob", id, job()), CODE(BAD_REQUEST));
}

static void a_refused_submission_keeps_the_id(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *bad = job();
    char id[80];

    new_id(w, "ann", id);
    bad->queue = (char *)(uintptr_t) "nosuch";
    assert_int_equal(submit(w, "ann", id, bad), CODE(NOT_FOUND));
    assert_int_equal(submit(w, "ann", id, job()), -1);
}

static void no_number_is_assigned_twice(void **state)
{
    struct world *w = *state;
    char id[80], after[80];

    new_id(w, "ann", id);
    harness_restart(&w->h);
    assert_int_equal(submit(w, "ann", id, job()), CODE(BAD_REQUEST));
    people_submit_as(&w->h, "bob", job(), "", after);
    assert_string_equal(after, "application_1700000000000_0002");
}

static void an_id_is_sent_when_it_is_on_disk(void **state)
{
    struct world *w = *state;
    char id[80];

    w->h.hold_store = true;
    assert_null(new_id(w, "ann", id));
    harness_commit(&w->h);
    assert_int_equal(submit(w, "ann", "application_1700000000000_0002", job()), CODE(BAD_REQUEST));
}

static void a_user_has_a_limited_number_of_ids(void **state)
{
    struct world *w = *state;
    char first[80], id[80], of_bob[80];

    new_id(w, "bob", of_bob);
    new_id(w, "ann", first);
    for (int i = 0; i < 1000; i++) {
        assert_non_null(new_id(w, "ann", id));
        harness_forget(&w->h);
    }
    assert_int_equal(submit(w, "ann", first, job()), CODE(BAD_REQUEST));
    assert_int_equal(submit(w, "ann", id, job()), -1);
    assert_int_equal(submit(w, "bob", of_bob, job()), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_application_gets_the_id_that_was_assigned),
        TEST(a_repeated_submission_changes_nothing),
        TEST(an_id_belongs_to_one_user),
        TEST(an_id_of_a_request_without_a_user_serves_every_user),
        TEST(a_refused_submission_keeps_the_id),
        TEST(no_number_is_assigned_twice),
        TEST(an_id_is_sent_when_it_is_on_disk),
        TEST(a_user_has_a_limited_number_of_ids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
