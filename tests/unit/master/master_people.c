/* SPDX-License-Identifier: Apache-2.0 */
/* master_people.c - test: requests of users: submissions and their refusal, lists, long polls, permissions */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define TASKS CREEL__APP_KIND__APP_TASKS
#define MASTER CREEL__APP_KIND__APP_MASTER
#define CODE(name) CREEL__ERROR_CODE__ERROR_##name

struct world {
    struct harness h;
    struct fake_agent a;
    char app[80];
};

static void begin(struct world *w, bool acl)
{
    harness_init(&w->h);
    w->h.config.acl_enable = acl;
    w->h.config.max_completed_apps = 5;
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 4096, 4);
    agent_register(&w->h, &w->a);
}

static void end(struct world *w)
{
    agent_done(&w->a);
    harness_done(&w->h);
}

static char *text(const char *from)
{
    return (char *)(uintptr_t)from;
}

/* --- submit ---------------------------------------------------------------- */

static void submissions_that_make_no_sense_are_refused(void **state)
{
    static char *nothing[] = { (char *)(uintptr_t) "" };
    struct world w;

    (void)state;
    begin(&w, false);
    for (int i = 0; i < 9; i++) {
        Creel__JobSpec *job = job_of(i == 5 || i == 6 ? TASKS : COMMAND, 512, 0);
        const struct {
            Creel__ErrorCode code;
            const char *message;
        } wanted[] = {
            { CODE(NOT_FOUND), "queue x: not defined (there is: default)" },
            { CODE(NEVER_RUNS), "asks for <memory:8193, vCores:1>, above the maximum for one "
                                "container, <memory:8192, vCores:8>" },
            { CODE(NEVER_RUNS), "negative" },
            { CODE(BAD_REQUEST), "no command" },
            { CODE(BAD_REQUEST), "no command" },
            { CODE(BAD_REQUEST), "at least one" },
            { CODE(TOO_LARGE), "at most 1000" },
            { CODE(BAD_REQUEST), "not one of tasks" },
            { CODE(BAD_REQUEST), "no job" },
        };
        const Creel__Error *error;

        if (i == 0)
            job->queue = text("x");
        else if (i == 1)
            job->resource->memory_mb = 8193;
        else if (i == 2)
            job->resource->vcores = -1;
        else if (i == 3)
            job->launch->n_command = 0;
        else if (i == 4)
            job->launch->command = nothing;
        else if (i == 6)
            job->task_count = 1001;
        else if (i == 7)
            job->task_count = 2;
        people_submit(&w.h, i == 8 ? NULL : job, "", w.app, &error);
        assert_non_null(error);
        assert_int_equal(error->code, wanted[i].code);
        if (strstr(error->message, wanted[i].message) == NULL)
            fail_msg("%s", error->message);
    }
    assert_null(people_show(&w.h, "1")); /* and the refused submission used no application number */
    people_submit(&w.h, job_of(COMMAND, 512, 0), "", w.app, NULL);
    assert_string_equal(w.app, "application_1700000000000_0001");
    end(&w);
}

static void report_has_the_resources_of_containers(void **state)
{
    Creel__JobSpec *job;
    struct world w;

    (void)state;
    begin(&w, false);
    job = job_of(COMMAND, 0, 0);
    job->resource->vcores = 0; /* not set: the minimum applies */
    people_submit(&w.h, job, "", w.app, NULL);
    assert_int_equal(people_show(&w.h, w.app)->resource->memory_mb, 128);
    assert_int_equal(people_show(&w.h, w.app)->resource->vcores, 1);
    end(&w);
}

static void queue_is_found_by_any_of_its_names(void **state)
{
    static const char *const names[] = { "", "default", "root.default" };
    struct world w;

    (void)state;
    begin(&w, false);
    for (size_t i = 0; i < 3; i++) {
        Creel__JobSpec *job = job_of(COMMAND, 128, 0);

        job->queue = text(names[i]);
        people_submit(&w.h, job, "", w.app, NULL);
        assert_string_equal(people_show(&w.h, w.app)->queue, "root.default");
    }
    end(&w);
}

static void job_larger_than_any_node_waits_with_that_reason(void **state)
{
    const Creel__AppReport *report;
    struct fake_agent big;
    struct world w;

    (void)state;
    begin(&w, false);
    people_submit(&w.h, job_of(COMMAND, 8000, 0), "", w.app, NULL);
    report = people_show(&w.h, w.app);
    assert_int_equal(report->state, CREEL__APP_STATE__APP_ACCEPTED);
    assert_string_equal(report->reason_code, "NodeTooSmall");
    assert_non_null(strstr(report->reason, "<memory:4096, vCores:4>"));
    agent_init(&big, "n2:8041", 8192, 4);
    agent_register(&w.h, &big);
    agent_listen(&w.h, &big);
    assert_int_equal(agent_running(&big), 1);
    assert_string_equal(people_show(&w.h, w.app)->reason_code, "");
    agent_done(&big);
    end(&w);
}

/* After the time that nodes get to register. */
static void later_a_job_bigger_than_any_node_is_refused(void **state)
{
    const Creel__Error *error = NULL;
    struct world w;

    (void)state;
    begin(&w, false);
    for (int ms = 0; ms < SCHED_SIZE_WAIT_MS; ms += 1000) {
        harness_tick(&w.h, 1000);
        agent_heartbeat(&w.h, &w.a);
    }
    people_submit(&w.h, job_of(COMMAND, 8000, 0), "", w.app, &error);
    assert_int_equal(error->code, CODE(NEVER_RUNS));
    assert_string_equal(error->message, "asks for <memory:8000, vCores:1>, more memory than any node has: "
                                        "the largest, n1:8041, has <memory:4096, vCores:4>");
    people_submit(&w.h, job_of(COMMAND, 4096, 0), "", w.app, NULL);
    end(&w);
}

/* --- reports --------------------------------------------------------------- */

static void ids_may_be_short(void **state)
{
    static const char *const good[] = { "1", "_0001", "0001", "application_1700000000000_0001" };
    static const char *const bad[] = { "2", "application_1700000000000_0002", "x",
                                       "",  "application_1600000000000_0001", "99999999999999999999" };
    struct world w;

    (void)state;
    begin(&w, false);
    people_submit(&w.h, job_of(COMMAND, 128, 0), "", w.app, NULL);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_string_equal(people_show(&w.h, good[i])->app_id, w.app);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(people_kill(&w.h, bad[i])->error->code, CODE(NOT_FOUND));
    end(&w);
}

/* The client computes the time until it needs another token from both times. */
static void log_access_has_the_time_of_its_end_and_the_time_now(void **state)
{
    Creel__GetLogAccess body = CREEL__GET_LOG_ACCESS__INIT;
    char *nodes[] = { (char[]){ "n1.example:8041" }, (char[]){ "n2.example:8041" } };
    Creel__Envelope *envelope;
    const Creel__LogAccess *access;
    struct world w;

    (void)state;
    begin(&w, false);
    people_submit(&w.h, job_of(COMMAND, 128, 0), "", w.app, NULL);
    body.app_id = w.app;
    body.nodes = nodes;
    body.n_nodes = 2;
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_GET_LOG_ACCESS);
    envelope->get_log_access = &body;
    access = harness_ask(&w.h, MASTER_CLIENT, 1, "ann", envelope)->log_access;
    assert_non_null(access);
    assert_int_equal(access->now_ms, w.h.now);
    assert_int_equal(access->expires_ms - access->now_ms, 600000);
    assert_int_equal(access->n_tokens, 2);
    end(&w);
}

static void lists_are_paged(void **state)
{
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    char after[80] = "", name[6001];
    struct world w;
    size_t seen = 0;
    int pages = 0;

    (void)state;
    begin(&w, false);
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    for (int i = 0; i < 300; i++) { /* 300 reports: 1.8 MB */
        Creel__JobSpec *job = job_of(COMMAND, 8192, 0);

        job->name = name;
        people_submit(&w.h, job, "", w.app, NULL);
        harness_forget(&w.h);
    }
    do {
        Creel__Envelope *envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_LIST_APPS);
        const Creel__Envelope *reply;

        body.after = after;
        envelope->list_apps = &body;
        reply = harness_ask(&w.h, MASTER_CLIENT, 1, "ann", envelope);
        assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
        assert_true(creel__envelope__get_packed_size(reply) < (size_t)128 << 10);
        seen += reply->app_list->n_apps;
        snprintf(after, sizeof(after), "%s", reply->app_list->next);
        harness_forget(&w.h);
        pages++;
    } while (after[0] && pages < 100);
    assert_int_equal(seen, 300);
    assert_true(pages >= 20);
    end(&w);
}

static void containers_nodes_and_queues_are_listed(void **state)
{
    Creel__ListContainers containers = CREEL__LIST_CONTAINERS__INIT;
    Creel__ListQueues queues = CREEL__LIST_QUEUES__INIT;
    Creel__GetClusterInfo info = CREEL__GET_CLUSTER_INFO__INIT;
    Creel__Envelope *envelope;
    const Creel__Envelope *reply;
    struct world w;

    (void)state;
    begin(&w, false);
    people_submit(&w.h, job_of(COMMAND, 128, 0), "", w.app, NULL);
    agent_heartbeat(&w.h, &w.a);
    for (int i = 0; i < 3; i++) {
        envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_LIST_CONTAINERS);
        containers.app_id = text(i == 0 ? "1" : "");
        containers.node_id = text(i == 1 ? "n1" : "");
        containers.container_id = text(i == 2 ? "0001_01_000001" : "");
        envelope->list_containers = &containers;
        reply = harness_ask(&w.h, MASTER_CLIENT, 1, "ann", envelope);
        assert_int_equal(reply->container_list->n_containers, 1);
        assert_string_equal(reply->container_list->containers[0]->node_address, "n1:8041");
        assert_int_equal(reply->container_list->containers[0]->state,
                         CREEL__CONTAINER_STATE__CONTAINER_RUNNING);
    }
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_LIST_QUEUES);
    queues.queue = text("default");
    envelope->list_queues = &queues;
    reply = harness_ask(&w.h, MASTER_CLIENT, 1, "ann", envelope);
    assert_int_equal(reply->queue_list->n_queues, 1);
    assert_int_equal(reply->queue_list->queues[0]->used->memory_mb, 128);
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    envelope->get_cluster_info = &info;
    reply = harness_ask(&w.h, MASTER_CLIENT, 1, "ann", envelope);
    assert_int_equal(reply->cluster_info->nodes_running, 1);
    assert_int_equal(reply->cluster_info->apps_running, 1);
    assert_string_equal(reply->cluster_info->user, "ann");
    end(&w);
}

static void oldest_ended_apps_are_forgotten(void **state)
{
    struct world w;

    (void)state;
    begin(&w, false);
    for (int i = 0; i < 8; i++) {
        people_submit(&w.h, job_of(COMMAND, 128, 0), "", w.app, NULL);
        agent_listen(&w.h, &w.a);
        agent_exit(&w.a, w.a.containers[w.a.count - 1].id, 0);
        agent_heartbeat(&w.h, &w.a);
        agent_heartbeat(&w.h, &w.a);
    }
    assert_null(people_show(&w.h, "3"));
    assert_non_null(people_show(&w.h, "4"));
    harness_restart(&w.h);
    assert_null(people_show(&w.h, "3"));
    assert_non_null(people_show(&w.h, "8"));
    people_submit(&w.h, job_of(COMMAND, 128, 0), "", w.app, NULL);
    assert_string_equal(w.app, "application_1700000000000_0009");
    end(&w);
}

/* The first application runs longest: it ends last, and is not the first to be forgotten. */
static void the_order_of_ends_is_restored(void **state)
{
    static const char *const in_order_of_ends[] = { "container_1700000000000_0003_01_000001",
                                                    "container_1700000000000_0002_01_000001",
                                                    "container_1700000000000_0001_01_000001" };
    struct world w;

    (void)state;
    begin(&w, false);
    for (int i = 0; i < 3; i++) {
        people_submit(&w.h, job_of(COMMAND, 128, 0), "", w.app, NULL);
        agent_heartbeat(&w.h, &w.a);
    }
    for (int i = 0; i < 3; i++) {
        harness_tick(&w.h, 1000);
        agent_exit(&w.a, in_order_of_ends[i], 0);
        agent_heartbeat(&w.h, &w.a);
        agent_heartbeat(&w.h, &w.a);
    }
    w.h.config.max_completed_apps = 2;
    harness_restart(&w.h);
    assert_non_null(people_show(&w.h, "1"));
    assert_non_null(people_show(&w.h, "2"));
    assert_null(people_show(&w.h, "3"));
    end(&w);
}

/* --- long polls ------------------------------------------------------------ */

static uint64_t wait_for(struct world *w, uint64_t version, uint32_t wait_ms)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_WAIT_APP);
    Creel__WaitApp body = CREEL__WAIT_APP__INIT;

    body.app_id = w->app;
    body.known_version = version;
    body.wait_ms = wait_ms;
    envelope->wait_app = &body;
    harness_ask(&w->h, MASTER_CLIENT, 77, "ann", envelope);
    return w->h.next_request;
}

static const Creel__AppReport *answer(struct world *w, uint64_t request)
{
    const Creel__Envelope *reply = harness_find_reply(&w->h, 77, request);

    return reply ? reply->app_list->apps[0] : NULL;
}

static void waiting_ends_with_a_change_or_with_time(void **state)
{
    const Creel__AppReport *report;
    uint64_t request, version;
    struct world w;

    (void)state;
    begin(&w, false);
    people_submit(&w.h, job_of(COMMAND, 128, 0), "", w.app, NULL);
    report = answer(&w, wait_for(&w, 0, 5000));
    assert_non_null(report); /* unknown version: answered at once */
    version = report->version;
    request = wait_for(&w, version, 5000);
    assert_null(answer(&w, request));
    agent_heartbeat(&w.h, &w.a);
    report = answer(&w, request);
    assert_non_null(report);
    assert_int_equal(report->state, CREEL__APP_STATE__APP_RUNNING);
    request = wait_for(&w, people_show(&w.h, w.app)->version, 5000);
    harness_tick(&w.h, 4900);
    assert_null(answer(&w, request));
    harness_tick(&w.h, 200);
    assert_non_null(answer(&w, request));
    end(&w);
}

/* --- permissions ----------------------------------------------------------- */

static const Creel__Envelope *kill_as(struct world *w, enum master_channel channel, const char *user,
                                      const char *as)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_KILL_APP);
    Creel__KillApp body = CREEL__KILL_APP__INIT;

    body.app_id = w->app;
    envelope->as_user = text(as);
    envelope->kill_app = &body;
    return harness_ask(&w->h, channel, 78, user, envelope);
}

static void rights_are_checked_if_access_lists_are_enabled(void **state)
{
    const struct {
        bool acl;
        enum master_channel channel;
        const char *user, *as;
        bool may;
    } cases[] = {
        { false, MASTER_CLIENT, "bob", "", true },     { true, MASTER_CLIENT, "bob", "", false },
        { true, MASTER_CLIENT, "ann", "", true },      { true, MASTER_CLIENT, "admin", "", true },
        { true, MASTER_CLIENT, "gate", "ann", true },  { true, MASTER_CLIENT, "bob", "ann", false },
        { false, MASTER_CLIENT, "bob", "ann", false }, { false, MASTER_ADMIN, "bob", "", false },
        { false, MASTER_ADMIN, "root", "", true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const Creel__Envelope *reply;
        struct world w;

        begin(&w, cases[i].acl);
        people_submit(&w.h, job_of(COMMAND, 128, 0), "", w.app, NULL);
        reply = kill_as(&w, cases[i].channel, cases[i].user, cases[i].as);
        if (cases[i].may)
            assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_OK);
        else
            assert_int_equal(reply->error->code, CODE(NOT_PERMITTED));
        end(&w);
    }
}

static void each_port_takes_its_own_requests(void **state)
{
    Creel__Heartbeat beat = CREEL__HEARTBEAT__INIT;
    Creel__Ok ok = CREEL__OK__INIT;
    Creel__Envelope *envelope;
    const Creel__Envelope *reply;
    struct world w;

    (void)state;
    begin(&w, false);
    for (int i = 0; i < 3; i++) {
        envelope = harness_envelope(&w.h, i < 2 ? CREEL__ENVELOPE__BODY_HEARTBEAT : CREEL__ENVELOPE__BODY_OK);
        if (i < 2)
            envelope->heartbeat = &beat;
        else
            envelope->ok = &ok;
        reply = harness_ask(&w.h,
                            i == 0   ? MASTER_CLIENT
                            : i == 1 ? MASTER_AM
                                     : MASTER_AGENT,
                            9, "ann", envelope);
        assert_int_equal(reply->error->code, CODE(BAD_REQUEST));
    }
    end(&w);
}

static void strangers_on_the_am_port_learn_nothing(void **state)
{
    struct fake_am am;
    struct world w;

    (void)state;
    begin(&w, false);
    people_submit(&w.h, job_of(MASTER, 512, 0), "", w.app, NULL);
    agent_heartbeat(&w.h, &w.a);
    for (unsigned attempt = 2; attempt <= 3; attempt++) {
        am_init(&am, attempt == 2 ? w.app : "_1700000000000_0044", attempt);
        assert_int_equal(am_register(&w.h, &am)->error->code, CODE(BAD_STATE));
        assert_int_equal(am_allocate(&w.h, &am, 1, 128, NULL)->action, CREEL__AM_ACTION__AM_SHUTDOWN);
        assert_int_equal(am_finish(&w.h, &am, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0)->error->code,
                         CODE(BAD_STATE));
    }
    am_init(&am, w.app, 1);
    assert_int_equal(am_allocate(&w.h, &am, 1, 128, NULL)->action, CREEL__AM_ACTION__AM_RESYNC);
    assert_int_equal(am_finish(&w.h, &am, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0)->error->code,
                     CODE(BAD_STATE));
    am_register(&w.h, &am);
    assert_null(am_allocate(&w.h, &am, 1, 99999, NULL));
    end(&w);
}

static void news_are_pushed_once(void **state)
{
    struct fake_am am;
    struct world w;
    int wakeups = 0;

    (void)state;
    begin(&w, false);
    people_submit(&w.h, job_of(MASTER, 4096, 0), "", w.app, NULL);
    agent_heartbeat(&w.h, &w.a);
    am_init(&am, w.app, 1);
    am_register(&w.h, &am);
    am_allocate(&w.h, &am, 3, 1024, NULL);
    {
        struct fake_agent b;

        agent_init(&b, "n2:8041", 4096, 4);
        agent_register(&w.h, &b); /* enough for all three */
        agent_done(&b);
    }
    for (size_t i = 0; i < w.h.sent_count; i++)
        wakeups += w.h.sent[i].connection == am.connection &&
                   w.h.sent[i].envelope->body_case == CREEL__ENVELOPE__BODY_AM_WAKEUP;
    assert_int_equal(wakeups, 1);
    assert_int_equal(am_allocate(&w.h, &am, -1, 0, NULL)->n_allocated, 3);
    end(&w);
}

static void rolled_keys_reach_every_node(void **state)
{
    Creel__Envelope *envelope;
    Creel__Heartbeat beat = CREEL__HEARTBEAT__INIT;
    const Creel__Envelope *reply;
    struct world w;
    size_t keys[3];

    (void)state;
    begin(&w, false);
    agent_heartbeat(&w.h, &w.a);
    master_keys_changed(w.h.master);
    for (uint64_t i = 0; i < 3; i++) { /* the second request repeats the first */
        envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_HEARTBEAT);
        beat.node_id = w.a.node_id;
        beat.session = w.a.session;
        beat.seq = 2 + (i == 2);
        envelope->heartbeat = &beat;
        reply = harness_ask(&w.h, MASTER_AGENT, w.a.connection, w.a.principal, envelope);
        keys[i] = reply->heartbeat_reply->n_token_keys;
    }
    assert_int_equal(keys[0], 1);
    assert_int_equal(keys[1], 1);
    assert_int_equal(keys[2], 0);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(submissions_that_make_no_sense_are_refused),
        cmocka_unit_test(report_has_the_resources_of_containers),
        cmocka_unit_test(queue_is_found_by_any_of_its_names),
        cmocka_unit_test(job_larger_than_any_node_waits_with_that_reason),
        cmocka_unit_test(later_a_job_bigger_than_any_node_is_refused),
        cmocka_unit_test(ids_may_be_short),
        cmocka_unit_test(log_access_has_the_time_of_its_end_and_the_time_now),
        cmocka_unit_test(lists_are_paged),
        cmocka_unit_test(containers_nodes_and_queues_are_listed),
        cmocka_unit_test(oldest_ended_apps_are_forgotten),
        cmocka_unit_test(the_order_of_ends_is_restored),
        cmocka_unit_test(waiting_ends_with_a_change_or_with_time),
        cmocka_unit_test(rights_are_checked_if_access_lists_are_enabled),
        cmocka_unit_test(each_port_takes_its_own_requests),
        cmocka_unit_test(strangers_on_the_am_port_learn_nothing),
        cmocka_unit_test(news_are_pushed_once),
        cmocka_unit_test(rolled_keys_reach_every_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
