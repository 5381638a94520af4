/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_queues.c - test: reasons of pending applications, changes of priority, lifetime and queue, trial
 * submissions, lists of queues
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "tests/unit/master/master_harness.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define PEOPLE 1000

struct world {
    struct harness h;
    struct fake_agent a;
    char app[80];
};

static size_t groups_of(void *context, struct arena *arena, const char *user, const char *const **ret)
{
    const char **names = arena_array0(arena, 2, sizeof(*names));

    (void)context;
    names[0] = arena_printf(arena, "%s-group", user);
    names[1] = "everyone";
    *ret = names;
    return 2;
}

static void begin(struct world *w)
{
    harness_init(&w->h);
    w->h.config.groups = groups_of;
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 4096, 4);
    agent_register(&w->h, &w->a);
}

static void end(struct world *w)
{
    agent_done(&w->a);
    harness_done(&w->h);
}

static void submit(struct world *w, const Creel__JobSpec *job)
{
    people_submit(&w->h, job, "", w->app, NULL);
    assert_string_not_equal(w->app, "");
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
}

static const Creel__Envelope *ask(struct world *w, const char *user, Creel__Envelope *envelope)
{
    const Creel__Envelope *reply = harness_ask(&w->h, MASTER_CLIENT, PEOPLE, user, envelope);

    assert_non_null(reply);
    return reply;
}

static const Creel__AppExplanation *why(struct world *w, const char *app_id)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;
    const Creel__Envelope *reply;

    body.app_id = (char *)(uintptr_t)app_id;
    envelope->explain_app = &body;
    reply = ask(w, "ann", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_EXPLANATION);
    return reply->app_explanation;
}

static void expect_error(const Creel__Envelope *reply, Creel__ErrorCode code, const char *part)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    if (strstr(reply->error->message, part) == NULL)
        fail_msg("\"%s\" does not have \"%s\"", reply->error->message, part);
}

/* --- reasons --------------------------------------------------------------- */

static void one_that_waits_is_explained(void **state)
{
    const Creel__AppExplanation *explanation;
    struct world w;

    (void)state;
    begin(&w);
    submit(&w, job_of(COMMAND, 4096, 0));
    submit(&w, job_of(COMMAND, 2048, 0));
    w.h.now += 63 * 60000;
    agent_heartbeat(&w.h, &w.a);
    explanation = why(&w, w.app);
    assert_string_equal(explanation->summary,
                        "_0002 job (ann, default) has waited 1h03m for 1 x (2 GiB, 1 vcore)");
    assert_int_equal(explanation->count, 1);
    assert_int_equal(explanation->asked->memory_mb, 2048);
    assert_true(explanation->n_items >= 2);
    assert_true(explanation->items[0]->blocking);
    assert_string_equal(explanation->items[0]->reason_code, explanation->app->reason_code);
    assert_string_equal(explanation->items[0]->reason_code, "ClusterFull");
    assert_string_equal(explanation->items[explanation->n_items - 1]->reason_code, "Nodes");
    assert_string_equal(explanation->items[explanation->n_items - 1]->text,
                        "0 of 1 have room; 1 lacks memory");
    end(&w);
}

static void room_that_is_spread_over_nodes_is_named(void **state)
{
    const Creel__AppExplanation *explanation;
    struct fake_agent second;
    struct world w;

    (void)state;
    begin(&w);
    agent_init(&second, "n2:8041", 4096, 4);
    agent_register(&w.h, &second);
    submit(&w, job_of(COMMAND, 2560, 0));
    submit(&w, job_of(COMMAND, 3072, 0));
    agent_heartbeat(&w.h, &second);
    submit(&w, job_of(COMMAND, 2048, 0));
    explanation = why(&w, w.app);
    assert_string_equal(explanation->items[0]->reason_code, "ClusterFull");
    assert_string_equal(
        explanation->items[0]->text,
        "none of 2 nodes has 2 GiB, 1 vcore free now: 2560 MiB, 6 vcores are free on 2 nodes, "
        "the most on n1:8041, which has 1536 MiB, 3 vcores");
    assert_int_equal(explanation->items[0]->allowed->memory_mb, 1536);
    agent_done(&second);
    end(&w);
}

static void application_that_can_never_run_has_that_reason(void **state)
{
    const Creel__AppExplanation *explanation;
    struct world w;

    (void)state;
    begin(&w);
    submit(&w, job_of(COMMAND, 8192, 0));
    explanation = why(&w, "1");
    assert_string_equal(explanation->items[0]->reason_code, "NodeTooSmall");
    assert_non_null(strstr(explanation->items[0]->text, "no node is as large as 8 GiB"));
    assert_int_equal(explanation->n_advice, 1);
    assert_non_null(strstr(explanation->advice[0], "ask for at most 4 GiB"));
    end(&w);
}

static void failed_application_reports_the_failure(void **state)
{
    const Creel__AppExplanation *explanation;
    struct world w;

    (void)state;
    begin(&w);
    submit(&w, job_of(COMMAND, 512, 0));
    agent_exit(&w.a, w.a.containers[0].id, 137);
    w.h.now += 5000;
    agent_heartbeat(&w.h, &w.a);
    explanation = why(&w, w.app);
    assert_string_equal(explanation->summary, "_0001 job (ann, default) failed 5s after its submission");
    assert_true(explanation->n_items >= 1);
    assert_true(explanation->items[0]->blocking);
    assert_true(explanation->n_advice >= 1);
    end(&w);
}

static void killed_application_reports_the_user(void **state)
{
    const Creel__AppExplanation *explanation;
    struct world w;

    (void)state;
    begin(&w);
    submit(&w, job_of(COMMAND, 512, 0));
    people_kill(&w.h, w.app);
    explanation = why(&w, w.app);
    assert_string_equal(explanation->items[0]->reason_code, "Killed");
    assert_string_equal(explanation->items[0]->text, "killed by ann");
    end(&w);
}

static void one_that_runs_waits_for_nothing(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    submit(&w, job_of(COMMAND, 512, 0));
    assert_int_equal(why(&w, w.app)->n_items, 0);
    assert_non_null(strstr(why(&w, w.app)->summary, "runs: it has no pending requests"));
    end(&w);
}

/* --- changes --------------------------------------------------------------- */

static const Creel__Envelope *set_priority(struct world *w, const char *user, int priority)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_PRIORITY);
    Creel__SetPriority body = CREEL__SET_PRIORITY__INIT;

    body.app_id = w->app;
    body.priority = priority;
    envelope->set_priority = &body;
    return ask(w, user, envelope);
}

static const Creel__Envelope *set_lifetime(struct world *w, int64_t expires_ms)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_LIFETIME);
    Creel__SetLifetime body = CREEL__SET_LIFETIME__INIT;

    body.app_id = w->app;
    body.expires_ms = expires_ms;
    envelope->set_lifetime = &body;
    return ask(w, "ann", envelope);
}

static void a_rank_is_kept_over_a_restart(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    submit(&w, job_of(COMMAND, 512, 0));
    assert_int_equal(set_priority(&w, "ann", 7)->app_list->apps[0]->priority, 7);
    harness_restart(&w.h);
    assert_int_equal(people_show(&w.h, w.app)->priority, 7);
    end(&w);
}

static void others_may_not_change_it_with_access_lists(void **state)
{
    struct world w;

    (void)state;
    harness_init(&w.h);
    w.h.config.acl_enable = true;
    harness_start(&w.h);
    agent_init(&w.a, "n1:8041", 4096, 4);
    agent_register(&w.h, &w.a);
    submit(&w, job_of(COMMAND, 512, 0));
    expect_error(set_priority(&w, "bob", 7), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "bob");
    assert_int_equal(set_priority(&w, "admin", 7)->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    end(&w);
}

static void finished_application_is_not_changed(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    submit(&w, job_of(COMMAND, 512, 0));
    people_kill(&w.h, w.app);
    expect_error(set_priority(&w, "ann", 7), CREEL__ERROR_CODE__ERROR_BAD_STATE, "KILLED");
    end(&w);
}

static void a_lifetime_ends_it(void **state)
{
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    struct world w;

    (void)state;
    begin(&w);
    job->lifetime_s = 60;
    submit(&w, job);
    assert_int_equal(people_show(&w.h, w.app)->expires_ms, w.h.now + 60000);
    for (int i = 0; i < 6; i++) {
        harness_tick(&w.h, 9000);
        agent_heartbeat(&w.h, &w.a);
    }
    assert_int_equal(people_show(&w.h, w.app)->state, CREEL__APP_STATE__APP_RUNNING);
    harness_tick(&w.h, 6100);
    agent_listen(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(people_show(&w.h, w.app)->state, CREEL__APP_STATE__APP_KILLED);
    assert_non_null(strstr(people_show(&w.h, w.app)->diagnostics, "its lifetime of 60 s is over"));
    end(&w);
}

static void a_lifetime_can_be_changed_and_outlives_the_rm(void **state)
{
    struct world w;
    int64_t expires_ms;

    (void)state;
    begin(&w);
    submit(&w, job_of(COMMAND, 512, 0));
    assert_int_equal(people_show(&w.h, w.app)->expires_ms, 0);
    expires_ms = w.h.now + 5000;
    expect_error(set_lifetime(&w, w.h.now), CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "past");
    assert_int_equal(set_lifetime(&w, expires_ms)->app_list->apps[0]->expires_ms, expires_ms);
    harness_restart(&w.h);
    agent_register(&w.h, &w.a);
    assert_int_equal(people_show(&w.h, w.app)->expires_ms, expires_ms);
    harness_tick(&w.h, 5001);
    agent_listen(&w.h, &w.a);
    assert_int_equal(people_show(&w.h, w.app)->state, CREEL__APP_STATE__APP_KILLED);
    end(&w);
}

static void groups_of_the_submitter_are_kept(void **state)
{
    Creel__StoredApp *row = NULL;
    struct world w;

    (void)state;
    begin(&w);
    submit(&w, job_of(COMMAND, 512, 0));
    for (size_t i = 0; i < w.h.disk_count; i++)
        if (w.h.disk[i].kind == MASTER_STORE_APP)
            row = creel__stored_app__unpack(NULL, w.h.disk[i].size, w.h.disk[i].packed);
    assert_non_null(row);
    assert_int_equal(row->n_groups, 2);
    assert_string_equal(row->groups[0], "ann-group");
    creel__stored_app__free_unpacked(row, NULL);
    end(&w);
}

/* --- trial submissions ------------------------------------------------------ */

static const Creel__Envelope *test_job(struct world *w, Creel__JobSpec *job)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_TEST_APP);
    Creel__TestApp body = CREEL__TEST_APP__INIT;

    body.job = job;
    envelope->test_app = &body;
    return ask(w, "ann", envelope);
}

static void a_job_is_judged_without_being_taken(void **state)
{
    const Creel__Envelope *reply;
    Creel__JobSpec *job;
    struct world w;

    (void)state;
    begin(&w);
    reply = test_job(&w, job_of(COMMAND, 512, 0));
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_TEST_APP_REPLY);
    assert_string_equal(reply->test_app_reply->queue, "root.default");
    assert_int_equal(reply->test_app_reply->nodes_fitting, 1);
    assert_int_equal(reply->test_app_reply->nodes_with_room, 1);
    assert_string_equal(reply->test_app_reply->reason_code, "");
    submit(&w, job_of(COMMAND, 4096, 0));
    reply = test_job(&w, job_of(COMMAND, 512, 0));
    assert_int_equal(reply->test_app_reply->nodes_with_room, 0);
    assert_string_equal(reply->test_app_reply->reason_code, "ClusterFull");
    expect_error(test_job(&w, job_of(COMMAND, 100000, 0)), CREEL__ERROR_CODE__ERROR_NEVER_RUNS, "100000");
    job = job_of(COMMAND, 512, 0);
    job->queue = (char *)(uintptr_t) "nowhere";
    expect_error(test_job(&w, job), CREEL__ERROR_CODE__ERROR_NOT_FOUND, "nowhere");
    job = job_of(COMMAND, 512, 0);
    job->launch->preempt_signal = (char *)(uintptr_t) "KILL";
    expect_error(test_job(&w, job), CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "KILL");
    job = job_of(COMMAND, 512, 0);
    job->launch->umask = (char *)(uintptr_t) "0888";
    expect_error(test_job(&w, job), CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "umask 0888: expected an octal");
    job = job_of(COMMAND, 512, 0);
    job->launch->nice = -1;
    expect_error(test_job(&w, job), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "nice -1: user ann may not");
    job->launch->nice = 19;
    assert_int_equal(test_job(&w, job)->body_case, CREEL__ENVELOPE__BODY_TEST_APP_REPLY);
    assert_null(people_show(&w.h, "2"));
    end(&w);
}

/* --- queues ---------------------------------------------------------------- */

static const Creel__Envelope *queue_access(struct world *w, const char *user)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_GET_QUEUE_ACCESS);
    Creel__GetQueueAccess body = CREEL__GET_QUEUE_ACCESS__INIT;

    body.queue = (char *)(uintptr_t) "default";
    body.user = (char *)(uintptr_t)user;
    envelope->get_queue_access = &body;
    return ask(w, "ann", envelope);
}

static void access_of_any_user_is_reported(void **state)
{
    const Creel__QueueAccess *access;
    struct world w;

    (void)state;
    begin(&w);
    access = queue_access(&w, "")->queue_access;
    assert_string_equal(access->queue, "root.default");
    assert_string_equal(access->user, "ann");
    assert_true(access->may_submit);
    access = queue_access(&w, "bob")->queue_access;
    assert_string_equal(access->groups[0], "bob-group");
    assert_false(access->administers_cluster);
    access = queue_access(&w, "admin")->queue_access; /* of yarn.admin.acl */
    assert_true(access->administers_cluster);
    end(&w);
}

static void users_are_summed_up(void **state)
{
    Creel__ListQueueUsers body = CREEL__LIST_QUEUE_USERS__INIT;
    const Creel__QueueUserList *list;
    Creel__Envelope *envelope;
    struct world w;

    (void)state;
    begin(&w);
    submit(&w, job_of(COMMAND, 512, 0));
    submit(&w, job_of(COMMAND, 1024, 0));
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_LIST_QUEUE_USERS);
    body.queue = (char *)(uintptr_t) "default";
    envelope->list_queue_users = &body;
    list = ask(&w, "ann", envelope)->queue_user_list;
    assert_string_equal(list->queue, "root.default");
    assert_int_equal(list->n_users, 1);
    assert_string_equal(list->users[0]->user, "ann");
    assert_int_equal(list->users[0]->used->memory_mb, 1536);
    assert_int_equal(list->users[0]->active_apps, 2);
    end(&w);
}

static void one_queue_is_explained(void **state)
{
    Creel__ListQueues body = CREEL__LIST_QUEUES__INIT;
    Creel__Envelope *envelope;
    const Creel__Envelope *reply;
    struct world w;

    (void)state;
    begin(&w);
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_LIST_QUEUES);
    body.queue = (char *)(uintptr_t) "default";
    envelope->list_queues = &body;
    reply = ask(&w, "ann", envelope);
    assert_int_equal(reply->queue_list->n_queues, 1);
    assert_true(reply->queue_list->queues[0]->n_explanation >= 3);
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_LIST_QUEUES);
    body.queue = (char *)(uintptr_t) "nowhere";
    envelope->list_queues = &body;
    expect_error(ask(&w, "ann", envelope), CREEL__ERROR_CODE__ERROR_NOT_FOUND, "nowhere");
    end(&w);
}

static Creel__Envelope *refresh(struct world *w)
{
    static Creel__RefreshQueues body;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_REFRESH_QUEUES);

    creel__refresh_queues__init(&body);
    envelope->refresh_queues = &body;
    return envelope;
}

static void a_refresh_is_for_administrators_and_its_outcome_is_seen(void **state)
{
    const Creel__Envelope *reply;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;
    struct master_reload reload = {
        .channel = MASTER_CLIENT, .connection = PEOPLE, .request_id = 77, .user = "admin"
    };
    Creel__Envelope *envelope;
    struct err err;
    struct world w;

    (void)state;
    begin(&w);
    expect_error(ask(&w, "ann", refresh(&w)), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "yarn.admin.acl");
    assert_int_equal(w.h.reloads, 0);
    assert_null(harness_ask(&w.h, MASTER_CLIENT, PEOPLE, "admin", refresh(&w)));
    assert_int_equal(w.h.reloads, 1);
    err_set(&err, EINVAL, "capacity-scheduler.xml:7: wrong");
    assert_int_equal(master_reload(w.h.master, w.h.now, &reload, NULL,
                                   &(struct master_remarks){ .warning_count = 0 }, &err, &w.h.effects),
                     -EINVAL);
    harness_run_effects(&w.h);
    reply = harness_find_reply(&w.h, PEOPLE, 77);
    expect_error(reply, CREEL__ERROR_CODE__ERROR_BAD_CONFIG, "capacity-scheduler.xml:7: wrong");
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    envelope->get_cluster_info = &body;
    reply = ask(&w, "ann", envelope);
    assert_int_equal(reply->cluster_info->refreshed_ms, w.h.now);
    assert_string_equal(reply->cluster_info->refreshed_by, "admin");
    assert_string_equal(reply->cluster_info->refresh_error, "capacity-scheduler.xml:7: wrong");
    master_note_refresh(w.h.master, w.h.now, MASTER_PART_HOSTS, "root", "nodes.include: no such file",
                        &w.h.effects);
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    envelope->get_cluster_info = &body;
    reply = ask(&w, "ann", envelope);
    assert_string_equal(reply->cluster_info->refresh_error,
                        "capacity-scheduler.xml:7: wrong; nodes.include: no such file");
    assert_string_equal(reply->cluster_info->refreshed_by, "root");
    master_note_refresh(w.h.master, w.h.now, MASTER_PART_HOSTS, "root", NULL, &w.h.effects);
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    envelope->get_cluster_info = &body;
    reply = ask(&w, "ann", envelope);
    assert_string_equal(reply->cluster_info->refresh_error, "capacity-scheduler.xml:7: wrong");
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_waits_is_explained),
        cmocka_unit_test(room_that_is_spread_over_nodes_is_named),
        cmocka_unit_test(application_that_can_never_run_has_that_reason),
        cmocka_unit_test(failed_application_reports_the_failure),
        cmocka_unit_test(killed_application_reports_the_user),
        cmocka_unit_test(one_that_runs_waits_for_nothing),
        cmocka_unit_test(a_rank_is_kept_over_a_restart),
        cmocka_unit_test(others_may_not_change_it_with_access_lists),
        cmocka_unit_test(finished_application_is_not_changed),
        cmocka_unit_test(a_lifetime_ends_it),
        cmocka_unit_test(a_lifetime_can_be_changed_and_outlives_the_rm),
        cmocka_unit_test(groups_of_the_submitter_are_kept),
        cmocka_unit_test(a_job_is_judged_without_being_taken),
        cmocka_unit_test(access_of_any_user_is_reported),
        cmocka_unit_test(users_are_summed_up),
        cmocka_unit_test(one_queue_is_explained),
        cmocka_unit_test(a_refresh_is_for_administrators_and_its_outcome_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
