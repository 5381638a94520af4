/* SPDX-License-Identifier: Apache-2.0 */
/* master_query.c - test: read-only queries in the daemon: the same replies as over the wire, without side
 * effects */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/arena.h"
#include "common/base/mem.h"
#include "tests/unit/master/master_harness.h"

#define BODY(name) CREEL__ENVELOPE__BODY_##name

struct world {
    struct harness h;
    struct fake_agent a;
    struct arena *arena;
    char app[80], waits[80]; /* applications of ann */
};

/* Starts one running and one pending job of ann. */
static void begin(struct world *w)
{
    *w = (struct world){ .arena = arena_new() };
    harness_init(&w->h);
    w->h.config.acl_enable = true;
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 4096, 4);
    agent_register(&w->h, &w->a);
    people_submit_as(&w->h, "ann", job_of(CREEL__APP_KIND__APP_COMMAND, 3072, 1), NULL, w->app);
    people_submit_as(&w->h, "ann", job_of(CREEL__APP_KIND__APP_COMMAND, 3072, 1), NULL, w->waits);
    agent_heartbeat(&w->h, &w->a);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(agent_running(&w->a), 1);
}

static void end(struct world *w)
{
    agent_done(&w->a);
    harness_done(&w->h);
    arena_free(w->arena);
}

static const Creel__Envelope *query(struct world *w, const char *user, const Creel__Envelope *in)
{
    const Creel__Envelope *reply = NULL;
    struct err err = { .text = "" };

    assert_int_equal(master_query(w->h.master, w->h.now, user, in, w->arena, &reply), 0);
    assert_non_null(reply);
    assert_int_equal(reply->request_id, in->request_id);
    if (master_check(w->h.master, &err) < 0)
        fail_msg("%s", err.text);
    return reply;
}

/* Checks that both replies are equal except for the request id. */
static void assert_same(const Creel__Envelope *one, const Creel__Envelope *other)
{
    Creel__Envelope a = *one, b = *other;
    size_t size;
    uint8_t *x, *y;

    a.request_id = b.request_id = 0;
    size = creel__envelope__get_packed_size(&a);
    assert_int_equal(creel__envelope__get_packed_size(&b), size);
    x = mem_alloc(size + 1);
    y = mem_alloc(size + 1);
    creel__envelope__pack(&a, x);
    creel__envelope__pack(&b, y);
    assert_memory_equal(x, y, size);
    free(x);
    free(y);
}

/* Compares the reply to a query with the reply to a client's request. BODY sets MEMBER of the envelope. */
#define COMPARE(w, case, member, body) \
    do { \
        Creel__Envelope *in_ = harness_envelope(&(w)->h, BODY(case)); \
        const Creel__Envelope *reply_; \
\
        in_->member = (body); \
        reply_ = query(w, "ann", in_); \
        assert_int_not_equal(reply_->body_case, BODY(ERROR)); \
        assert_same(reply_, harness_ask(&(w)->h, MASTER_CLIENT, 77, "ann", in_)); \
    } while (0)

static void each_query_replies_as_on_the_wire(void **state)
{
    Creel__ListApps apps = CREEL__LIST_APPS__INIT;
    Creel__ListContainers containers = CREEL__LIST_CONTAINERS__INIT;
    Creel__ListNodes nodes = CREEL__LIST_NODES__INIT;
    Creel__ListQueues queues = CREEL__LIST_QUEUES__INIT;
    Creel__ListQueueUsers users = CREEL__LIST_QUEUE_USERS__INIT;
    Creel__GetQueueAccess access = CREEL__GET_QUEUE_ACCESS__INIT;
    Creel__ListLabels labels = CREEL__LIST_LABELS__INIT;
    Creel__GetClusterInfo info = CREEL__GET_CLUSTER_INFO__INIT;
    Creel__ExplainApp why = CREEL__EXPLAIN_APP__INIT;
    Creel__TestApp test = CREEL__TEST_APP__INIT;
    Creel__ListAccessTokens tokens = CREEL__LIST_ACCESS_TOKENS__INIT;
    static char queue[] = "root.default";
    struct world w;

    (void)state;
    begin(&w);
    users.queue = access.queue = queue;
    why.app_id = w.app;
    test.job = job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 1);
    COMPARE(&w, LIST_APPS, list_apps, &apps);
    COMPARE(&w, LIST_CONTAINERS, list_containers, &containers);
    COMPARE(&w, LIST_NODES, list_nodes, &nodes);
    COMPARE(&w, LIST_QUEUES, list_queues, &queues);
    COMPARE(&w, LIST_QUEUE_USERS, list_queue_users, &users);
    COMPARE(&w, GET_QUEUE_ACCESS, get_queue_access, &access);
    COMPARE(&w, LIST_LABELS, list_labels, &labels);
    COMPARE(&w, GET_CLUSTER_INFO, get_cluster_info, &info);
    COMPARE(&w, EXPLAIN_APP, explain_app, &why);
    COMPARE(&w, TEST_APP, test_app, &test);
    COMPARE(&w, LIST_ACCESS_TOKENS, list_access_tokens, &tokens);
    end(&w);
}

static const Creel__ClusterInfo *cluster_info(struct world *w)
{
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;
    Creel__Envelope in = CREEL__ENVELOPE__INIT;

    in.body_case = BODY(GET_CLUSTER_INFO);
    in.get_cluster_info = &body;
    return query(w, "ann", &in)->cluster_info;
}

static void the_cluster_counts_containers_by_how_they_ended(void **state)
{
    const Creel__ClusterInfo *info;
    struct world w;
    char container[80];

    (void)state;
    begin(&w);
    info = cluster_info(&w);
    assert_int_equal(info->counters->apps_submitted, 2);
    assert_int_equal(info->counters->containers_allocated, 1);
    assert_int_equal(info->counters->containers_launched, 1);
    assert_int_equal(info->counters->heartbeats, 2);
    assert_int_equal(info->pending->memory_mb, 3072);
    assert_int_equal(info->n_types, 2);
    assert_string_equal(info->types[0]->name, "memory-mb");
    assert_string_equal(info->types[0]->unit, "Mi");
    assert_true(info->acl_enabled);
    assert_string_equal(info->queue_model, "plain");
    snprintf(container, sizeof(container), "%s", w.a.containers[0].id);
    agent_exit(&w.a, container, 3);
    agent_heartbeat(&w.h, &w.a);
    info = cluster_info(&w);
    assert_int_equal(info->counters->containers_failed, 1);
    assert_int_equal(info->counters->containers_succeeded, 0);
    end(&w);
}

/* A step without an event has the amounts of the event before it. */
static void the_cluster_has_samples_of_the_last_hour(void **state)
{
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    const Creel__ClusterInfo *info;
    struct world w;
    int64_t last, used_mb, pending_mb;

    (void)state;
    begin(&w);
    info = cluster_info(&w);
    assert_int_equal(info->n_samples, 0); /* they were not requested */
    assert_true(info->accepts_escaped);
    used_mb = info->used->memory_mb;
    pending_mb = info->pending->memory_mb;
    w.h.now += 10 * 60 * 1000;
    agent_heartbeat(&w.h, &w.a);
    in.body_case = BODY(GET_CLUSTER_INFO);
    in.get_cluster_info = &body;
    body.samples_since = 1;
    info = query(&w, "ann", &in)->cluster_info;
    assert_int_equal(info->n_samples, 40);
    last = info->samples[39]->step;
    assert_int_equal(last, w.h.now / 15000 - 1);
    assert_int_equal(info->samples[0]->step, last - 39);
    assert_int_equal(info->samples[20]->total_mb, 4096);
    assert_int_equal(info->samples[20]->used_mb, used_mb);
    assert_int_equal(info->samples[20]->pending_mb, pending_mb);
    assert_int_equal(info->samples[20]->apps_running + info->samples[20]->apps_pending, 2);
    body.samples_since = last;
    assert_int_equal(query(&w, "ann", &in)->cluster_info->n_samples, 1);
    body.samples_since = last + 1;
    assert_int_equal(query(&w, "ann", &in)->cluster_info->n_samples, 0);
    body.samples_since = 1;
    w.h.now += INT64_C(7) * 24 * 3600 * 1000;
    info = query(&w, "ann", &in)->cluster_info;
    assert_int_equal(info->n_samples, 240);
    assert_int_equal(info->samples[239]->step, w.h.now / 15000 - 1);
    end(&w);
}

static bool is_advised(const Creel__AppExplanation *why, const char *text)
{
    for (size_t i = 0; i < why->n_advice; i++)
        if (strstr(why->advice[i], text) != NULL)
            return true;
    return false;
}

static void the_reason_names_the_lifetime_that_ends_first(void **state)
{
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    Creel__JobSpec *job;
    struct world w;
    char app[80];

    (void)state;
    w = (struct world){ .arena = arena_new() };
    harness_init(&w.h);
    harness_start(&w.h);
    agent_init(&w.a, "n1:8041", 4096, 4);
    agent_register(&w.h, &w.a);
    for (int i = 0; i < 5; i++) { /* four jobs run; the third ends first, the last is pending */
        job = job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 1);
        job->lifetime_s = i == 2 ? 3600 : i == 4 ? 60 : 7200 + i;
        people_submit_as(&w.h, "ann", job, NULL, app);
        agent_heartbeat(&w.h, &w.a);
        agent_listen(&w.h, &w.a);
        agent_heartbeat(&w.h, &w.a);
    }
    assert_int_equal(agent_running(&w.a), 4);
    in.body_case = BODY(EXPLAIN_APP);
    in.explain_app = &body;
    body.app_id = app;
    assert_true(is_advised(query(&w, "ann", &in)->app_explanation, "_0003 (ann) ends by its lifetime in"));
    end(&w);
}

static void a_query_has_the_rights_of_its_user(void **state)
{
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    struct world w;

    (void)state;
    begin(&w);
    in.body_case = BODY(LIST_CONTAINERS);
    in.list_containers = &body;
    assert_int_equal(query(&w, "ann", &in)->container_list->n_containers, 1);
    assert_int_equal(query(&w, "bob", &in)->container_list->n_containers, 0);
    body.app_id = w.app;
    assert_int_equal(query(&w, "bob", &in)->body_case, BODY(ERROR));
    assert_int_equal(query(&w, "bob", &in)->error->code, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    end(&w);
}

static const Creel__AppReport *app_with_requests(struct world *w, const char *user, char *app)
{
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    const Creel__Envelope *reply;

    in.body_case = BODY(LIST_APPS);
    in.list_apps = &body;
    body.app_id = app;
    body.requests = true;
    reply = query(w, user, &in);
    assert_int_equal(reply->body_case, BODY(APP_LIST));
    return reply->app_list->apps[0];
}

static void pending_requests_are_shown_to_users_who_may_see_the_application(void **state)
{
    const Creel__AppReport *app;
    struct world w;

    (void)state;
    begin(&w);
    assert_int_equal(app_with_requests(&w, "ann", w.app)->n_requests, 0);
    app = app_with_requests(&w, "ann", w.waits);
    assert_int_equal(app->n_requests, 1);
    assert_string_equal(app->requests[0]->resource_name, "*");
    assert_int_equal(app->requests[0]->capability->memory_mb, 3072);
    assert_int_equal(app->requests[0]->count, 1);
    assert_false(app->requests[0]->strict_locality);
    assert_int_equal(app_with_requests(&w, "bob", w.waits)->n_requests, 0);
    end(&w);
}

static void unknown_id_is_an_error_reply(void **state)
{
    static char unknown[] = "application_1700000000000_0099";
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    const Creel__Envelope *reply;
    struct world w;

    (void)state;
    begin(&w);
    in.body_case = BODY(EXPLAIN_APP);
    in.explain_app = &body;
    body.app_id = unknown;
    reply = query(&w, "ann", &in);
    assert_int_equal(reply->body_case, BODY(ERROR));
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_NOT_FOUND);
    end(&w);
}

static void changing_request_is_no_query(void **state)
{
    Creel__KillApp body = CREEL__KILL_APP__INIT;
    Creel__Envelope in = CREEL__ENVELOPE__INIT;
    const Creel__Envelope *reply = NULL;
    struct world w;

    (void)state;
    begin(&w);
    in.body_case = BODY(KILL_APP);
    in.kill_app = &body;
    body.app_id = w.app;
    assert_int_equal(master_query(w.h.master, w.h.now, "ann", &in, w.arena, &reply), -ENOTSUP);
    assert_null(reply);
    assert_int_equal(people_show(&w.h, w.app)->state, CREEL__APP_STATE__APP_RUNNING);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_query_replies_as_on_the_wire),
        cmocka_unit_test(the_cluster_counts_containers_by_how_they_ended),
        cmocka_unit_test(the_cluster_has_samples_of_the_last_hour),
        cmocka_unit_test(the_reason_names_the_lifetime_that_ends_first),
        cmocka_unit_test(a_query_has_the_rights_of_its_user),
        cmocka_unit_test(pending_requests_are_shown_to_users_who_may_see_the_application),
        cmocka_unit_test(unknown_id_is_an_error_reply),
        cmocka_unit_test(changing_request_is_no_query),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
