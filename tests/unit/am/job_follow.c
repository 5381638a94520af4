/* SPDX-License-Identifier: Apache-2.0 */
/* job_follow.c - test: requests of a client that follows an application, and their repetition */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/logs/follow_rm.h"

struct asked { /* last request, and number of requests */
    int count;
    uint64_t request_id;
    Creel__Envelope__BodyCase body;
    uint64_t known_version, wait_ms;
};

static void note(void *context, Creel__Envelope *envelope)
{
    struct asked *asked = context;

    asked->count++;
    asked->request_id = envelope->request_id;
    asked->body = envelope->body_case;
    if (envelope->body_case == CREEL__ENVELOPE__BODY_WAIT_APP) {
        asked->known_version = envelope->wait_app->known_version;
        asked->wait_ms = envelope->wait_app->wait_ms;
    }
}

static struct follow_rm make(struct asked *asked)
{
    struct follow_rm rm = { .app_id = "application_1_0001", .as_user = "", .send = note, .context = asked };

    *asked = (struct asked){ .count = 0 };
    follow_rm_init(&rm, 0);
    return rm;
}

/* The RM answers the last request: the application is at VERSION. */
static struct follow_answer answer(struct follow_rm *rm, const struct asked *asked, int64_t now_ms,
                                   uint64_t version)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__AppList list = CREEL__APP_LIST__INIT;
    Creel__AppReport app = CREEL__APP_REPORT__INIT, *apps = &app;
    struct err err = { 0 };

    app.version = version;
    list.apps = &apps;
    list.n_apps = 1;
    envelope.request_id = asked->request_id;
    envelope.body_case = CREEL__ENVELOPE__BODY_APP_LIST;
    envelope.app_list = &list;
    return follow_rm_receive(rm, now_ms, &envelope, &err);
}

static void a_known_application_is_a_long_poll(void **state)
{
    struct asked asked;
    struct follow_rm rm = make(&asked);

    (void)state;
    follow_rm_request(&rm, ASK_STATE, 0);
    follow_rm_on_timer(&rm, 0);
    assert_int_equal(asked.body, CREEL__ENVELOPE__BODY_WAIT_APP);
    assert_int_equal(asked.wait_ms, 0);
    assert_true(answer(&rm, &asked, 10, 7).valid);
    follow_rm_request(&rm, ASK_STATE, 10);
    follow_rm_on_timer(&rm, 10);
    assert_int_equal(asked.count, 2);
    assert_int_equal(asked.known_version, 7);
    assert_true(asked.wait_ms > 0);
    assert_true(follow_rm_next_deadline_ms(&rm) > 10 + (int64_t)asked.wait_ms);
}

static void after_a_lost_connection_the_request_is_sent_at_once(void **state)
{
    struct asked asked;
    struct follow_rm rm = make(&asked);
    uint64_t before;

    (void)state;
    follow_rm_request(&rm, ASK_STATE, 0);
    follow_rm_on_timer(&rm, 0);
    answer(&rm, &asked, 10, 7);
    follow_rm_request(&rm, ASK_STATE, 10);
    follow_rm_on_timer(&rm, 10);
    before = asked.request_id;
    follow_rm_lost(&rm, 20);
    assert_int_equal(asked.count, 3);
    assert_int_not_equal(asked.request_id, before);
    assert_int_equal(asked.wait_ms, 0);
    /* An unanswered request is repeated, sooner than a long poll would time out. */
    assert_in_range(follow_rm_next_deadline_ms(&rm), 21, 20 + 4000);
    follow_rm_on_timer(&rm, follow_rm_next_deadline_ms(&rm));
    assert_int_equal(asked.count, 4);
    assert_int_equal(asked.wait_ms, 0);
    /* An answer with an unchanged version is valid, too; the next request is a long poll again. */
    assert_true(answer(&rm, &asked, 5000, 7).valid);
    follow_rm_request(&rm, ASK_STATE, 5000);
    follow_rm_on_timer(&rm, 5000);
    assert_true(asked.wait_ms > 0);
}

/* Requests the state at NOW_MS; the answer comes AFTER_MS later. Returns the pause until the next request. */
static int64_t pause_after(struct follow_rm *rm, struct asked *asked, int64_t *now_ms, int64_t after_ms,
                           uint64_t version)
{
    int count = asked->count;

    follow_rm_request(rm, ASK_STATE, *now_ms);
    follow_rm_on_timer(rm, *now_ms);
    assert_int_equal(asked->count, count + 1);
    *now_ms += after_ms;
    assert_true(answer(rm, asked, *now_ms, version).valid);
    follow_rm_request(rm, ASK_STATE, *now_ms);
    after_ms = follow_rm_next_deadline_ms(rm) - *now_ms;
    *now_ms += after_ms;
    return after_ms;
}

/* As if the user had more waiting requests than the resource manager keeps for one. */
static void an_early_answer_without_a_change_is_followed_by_a_pause_that_grows(void **state)
{
    struct asked asked;
    struct follow_rm rm = make(&asked);
    int64_t now_ms = 0, begun_ms, pause_ms, last_ms = 0;

    (void)state;
    assert_int_equal(pause_after(&rm, &asked, &now_ms, 1, 7), 0);
    begun_ms = now_ms;
    asked.count = 0;
    for (unsigned i = 0; i < 20; i++) {
        pause_ms = pause_after(&rm, &asked, &now_ms, 1, 7);
        assert_true(pause_ms > 0 && pause_ms >= last_ms);
        last_ms = pause_ms;
    }
    assert_true(now_ms - begun_ms > 60000);
    assert_int_equal(pause_after(&rm, &asked, &now_ms, 1, 8), 0);
    assert_true(pause_after(&rm, &asked, &now_ms, 1, 8) < last_ms);
    assert_int_equal(pause_after(&rm, &asked, &now_ms, (int64_t)asked.wait_ms, 8), 0);
    /* The clock of the resource manager may be a tenth faster. */
    assert_int_equal(pause_after(&rm, &asked, &now_ms, (int64_t)asked.wait_ms * 9 / 10, 8), 0);
}

static void a_pause_ends_when_the_request_would_have_ended(void **state)
{
    struct early_answers early = { .pause_ms = 0 };

    (void)state;
    assert_int_equal(early_answer_pause(&early, false, 0, 5000), EARLY_PAUSE_FIRST_MS);
    for (int i = 0; i < 10; i++)
        (void)early_answer_pause(&early, false, 0, 5000);
    assert_int_equal(early_answer_pause(&early, false, 2000, 5000), 3000);
    assert_int_equal(early_answer_pause(&early, false, 4900, 5000), 0);
}

static void lost_connection_changes_no_request(void **state)
{
    struct asked asked;
    struct follow_rm rm = make(&asked);

    (void)state;
    follow_rm_lost(&rm, 0);
    follow_rm_request(&rm, ASK_CONTAINERS, 100);
    follow_rm_lost(&rm, 50);
    assert_int_equal(asked.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_application_is_a_long_poll),
        cmocka_unit_test(after_a_lost_connection_the_request_is_sent_at_once),
        cmocka_unit_test(an_early_answer_without_a_change_is_followed_by_a_pause_that_grows),
        cmocka_unit_test(a_pause_ends_when_the_request_would_have_ended),
        cmocka_unit_test(lost_connection_changes_no_request),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
