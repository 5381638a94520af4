/* SPDX-License-Identifier: Apache-2.0 */
/* master_change_app.c - test: a request with several changes of an application makes all or none */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/conf/conf.h"
#include "rm/sched/capacity/placement/access.h"
#include "rm/sched/sched.h"
#include "tests/unit/capacity/capacity_cluster.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define CAPACITY "yarn.scheduler.capacity."
#define ERROR(name) CREEL__ERROR_CODE__ERROR_##name

struct world {
    struct capacity_cluster c;
    char app[80];
    Creel__ChangeApp body; /* of the next request */
    Creel__MoveApp move;
    Creel__SetPriority priority;
    Creel__SetName name;
    Creel__SetArray array;
    Creel__SetLifetime lifetime;
    Creel__HoldApp hold;
    Creel__ReleaseApp release;
};

static const char *const settings[][2] = {
    { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
    { "yarn.scheduler.minimum-allocation-mb", "128" },
    { "yarn.acl.enable", "true" },
    { "yarn.admin.acl", "admin" },
    { "yarn.cluster.max-application-priority", "9" },
    { CAPACITY "maximum-am-resource-percent", "1" },
    { CAPACITY "root.queues", "high,low" },
    { CAPACITY "root.high.capacity", "50" },
    { CAPACITY "root.high.acl_application_max_priority", "[user=ann max_priority=7 default_priority=1]" },
    { CAPACITY "root.low.capacity", "50" },
    { CAPACITY "root.low.acl_application_max_priority", "[user=ann max_priority=3 default_priority=1]" },
};

static void load(struct world *w)
{
    w->c.conf = conf_of(settings, sizeof(settings) / sizeof(settings[0]));
    w->c.sched = capacity_of(w->c.conf);
    w->c.sched.access = capacity_access_new(w->c.conf);
}

static int setup(void **state)
{
    static struct world w;

    memset(&w, 0, sizeof(w));
    w.body = (Creel__ChangeApp)CREEL__CHANGE_APP__INIT;
    capacity_cluster_init(&w.c);
    load(&w);
    w.c.h.config.acl_enable = true;
    w.c.h.config.admin_users = "admin";
    capacity_cluster_start(&w.c, NULL, 0);
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    capacity_cluster_end(&((struct world *)*state)->c);
    return 0;
}

static void submit_array(struct world *w, bool held, const char *array)
{
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    const Creel__Envelope *reply;

    job->array = (char *)(uintptr_t)array;
    job->queue = (char *)(uintptr_t) "high";
    job->name = (char *)(uintptr_t) "first";
    job->hold = held;
    reply = people_submit_as(&w->c.h, "ann", job, NULL, w->app);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY);
}

static void submit(struct world *w, bool held)
{
    submit_array(w, held, "");
}

static const Creel__AppReport *show(struct world *w)
{
    return people_show(&w->c.h, w->app);
}

/* --- requests: want_... add a part to the next one ------------------------------------ */

#define WANT(member, initial) \
    do { \
        w->member = (initial); \
        w->member.app_id = w->app; \
        w->body.member = &w->member; \
    } while (0)

static void want_queue(struct world *w, const char *queue)
{
    WANT(move, (Creel__MoveApp)CREEL__MOVE_APP__INIT);
    w->move.queue = (char *)(uintptr_t)queue;
}

static void want_priority(struct world *w, int32_t priority)
{
    WANT(priority, (Creel__SetPriority)CREEL__SET_PRIORITY__INIT);
    w->priority.priority = priority;
}

static void want_name(struct world *w, const char *name)
{
    WANT(name, (Creel__SetName)CREEL__SET_NAME__INIT);
    w->name.name = (char *)(uintptr_t)name;
}

static void want_limit(struct world *w, int64_t limit_s)
{
    WANT(lifetime, (Creel__SetLifetime)CREEL__SET_LIFETIME__INIT);
    w->lifetime.time_limit_s = limit_s;
}

static const Creel__Envelope *send_change(struct world *w, const char *user)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_CHANGE_APP);
    const Creel__Envelope *reply;

    w->body.app_id = w->app;
    envelope->change_app = &w->body;
    reply = harness_ask(&w->c.h, MASTER_CLIENT, 900, user, envelope);
    w->body = (Creel__ChangeApp)CREEL__CHANGE_APP__INIT;
    return reply;
}

static void expect_refusal(const Creel__Envelope *reply, Creel__ErrorCode code, const char *part)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    if (!strstr(reply->error->message, part))
        fail_msg("%s", reply->error->message);
}

static void expect_state(struct world *w, const char *queue, int32_t priority, const char *name,
                         int64_t limit_s)
{
    assert_string_equal(show(w)->queue, queue);
    assert_int_equal(show(w)->priority, priority);
    assert_string_equal(show(w)->name, name);
    assert_int_equal(show(w)->time_limit_s, limit_s);
}

/* --- tests -------------------------------------------------------------------------------- */

static void refused_parts_leave_all_as_it_was(struct world *w)
{
    int32_t priority = show(w)->priority;
    static const struct {
        const char *queue;
        int32_t priority;
        bool array, past, release;
        Creel__ErrorCode code;
        const char *text;
    } cases[] = {
        { .queue = "nowhere", .code = ERROR(NOT_FOUND), .text = "nowhere" },
        { .queue = "low", .priority = 5, .code = ERROR(NOT_PERMITTED), .text = "root.low" },
        { .priority = 8, .code = ERROR(NOT_PERMITTED), .text = "root.high" },
        { .queue = "low", .priority = 2, .array = true, .code = ERROR(BAD_STATE), .text = "no array" },
        { .queue = "low", .past = true, .code = ERROR(BAD_REQUEST), .text = "in the past" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (cases[i].queue)
            want_queue(w, cases[i].queue);
        if (cases[i].priority)
            want_priority(w, cases[i].priority);
        if (cases[i].array)
            WANT(array, (Creel__SetArray)CREEL__SET_ARRAY__INIT);
        want_limit(w, cases[i].past ? 0 : 60);
        w->lifetime.expires_ms = 1;
        want_name(w, "other");
        expect_refusal(send_change(w, "ann"), cases[i].code, cases[i].text);
        expect_state(w, "root.high", priority, "first", 0);
    }
}

static void nothing_is_changed_if_one_part_is_refused(void **state)
{
    struct world *w = *state;

    submit(w, false);
    refused_parts_leave_all_as_it_was(w);
    want_name(w, "other");
    WANT(release, (Creel__ReleaseApp)CREEL__RELEASE_APP__INIT);
    expect_refusal(send_change(w, "ann"), ERROR(BAD_STATE), "is not held");
    want_name(w, "other");
    expect_refusal(send_change(w, "bob"), ERROR(NOT_PERMITTED), "bob");
    assert_string_not_equal(show(w)->name, "other");
}

static void nor_of_an_application_that_waits(void **state)
{
    struct world *w = *state;

    submit(w, true);
    refused_parts_leave_all_as_it_was(w);
    assert_int_equal(show(w)->n_holds, 1);
}

static void all_parts_are_made_and_kept(void **state)
{
    struct world *w = *state;
    struct conf *old = w->c.conf;

    submit(w, true);
    want_queue(w, "low");
    want_priority(w, 3);
    want_limit(w, 60);
    want_name(w, "other");
    WANT(release, (Creel__ReleaseApp)CREEL__RELEASE_APP__INIT);
    assert_int_equal(send_change(w, "ann")->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    harness_tick(&w->c.h, 1000);
    assert_int_equal(show(w)->n_holds, 0);
    expect_state(w, "root.low", 3, "other", 60);
    load(w);
    harness_restart(&w->c.h);
    conf_free(old);
    expect_state(w, "root.low", 3, "other", 60);
}

static void priority_is_judged_for_the_new_queue(void **state)
{
    struct world *w = *state;

    submit(w, false);
    want_queue(w, "low");
    assert_int_equal(send_change(w, "ann")->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    want_queue(w, "high");
    want_priority(w, 7);
    assert_int_equal(send_change(w, "ann")->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    expect_state(w, "root.high", 7, "first", 0);
}

static void an_application_is_held_and_renamed(void **state)
{
    struct world *w = *state;

    submit(w, false);
    want_name(w, "other");
    WANT(hold, (Creel__HoldApp)CREEL__HOLD_APP__INIT);
    w->hold.begun = true;
    assert_int_equal(send_change(w, "ann")->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    assert_int_equal(show(w)->n_holds, 1);
    assert_string_equal(show(w)->name, "other");
}

static const Creel__AppReport *show_task(struct world *w, unsigned index)
{
    char id[96];

    snprintf(id, sizeof(id), "%s_%u", w->app, index);
    return people_show(&w->c.h, id);
}

static void expect_task(struct world *w, unsigned index, const char *queue, int32_t priority, int64_t limit_s)
{
    const Creel__AppReport *task = show_task(w, index);

    assert_non_null(task);
    assert_string_equal(task->queue, queue);
    assert_int_equal(task->priority, priority);
    assert_int_equal(task->time_limit_s, limit_s);
}

/* A change of an array that has begun is one of its tasks that wait, and of those that come later. */
static void an_array_that_has_begun_is_changed(void **state)
{
    struct world *w = *state;
    struct conf *old = w->c.conf;

    submit_array(w, false, "0-3%2");
    harness_tick(&w->c.h, 1000);
    expect_task(w, 1, "root.high", 1, 0);
    assert_null(show_task(w, 2));
    want_queue(w, "low");
    want_priority(w, 5);
    want_limit(w, 600);
    expect_refusal(send_change(w, "ann"), ERROR(NOT_PERMITTED), "root.low");
    expect_task(w, 1, "root.high", 1, 0);
    want_queue(w, "low");
    want_priority(w, 3);
    want_limit(w, 600);
    assert_int_equal(send_change(w, "ann")->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    expect_state(w, "root.low", 3, "first", 600);
    expect_task(w, 0, "root.low", 3, 600);
    expect_task(w, 1, "root.low", 3, 600);
    load(w);
    harness_restart(&w->c.h);
    conf_free(old);
    expect_task(w, 1, "root.low", 3, 600);
    people_kill(&w->c.h, show_task(w, 0)->app_id);
    harness_tick(&w->c.h, 1000);
    expect_task(w, 2, "root.low", 3, 600);
    WANT(lifetime, (Creel__SetLifetime)CREEL__SET_LIFETIME__INIT);
    w->lifetime.expires_ms = INT64_MAX / 2;
    expect_refusal(send_change(w, "ann"), ERROR(BAD_STATE), "changed one by one");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_changed_if_one_part_is_refused),
        TEST(nor_of_an_application_that_waits),
        TEST(all_parts_are_made_and_kept),
        TEST(priority_is_judged_for_the_new_queue),
        TEST(an_application_is_held_and_renamed),
        TEST(an_array_that_has_begun_is_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
