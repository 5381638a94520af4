/* SPDX-License-Identifier: Apache-2.0 */
/* master_types.c - test: resource types beyond memory and vcores: offered, requested, counted and shown */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/conf/conf.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/sched.h"
#include "tests/unit/capacity/capacity_cluster.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define PEOPLE 1000
#define CAPACITY "yarn.scheduler.capacity."
#define WRITABLE(text) ((char *)(uintptr_t)(text))

struct world {
    struct capacity_cluster c;
    char app[80];
    char refusal[512];
};

static const char *const settings[][2] = {
    { "yarn.scheduler.minimum-allocation-mb", "128" },
    { "yarn.resource-types", "licence,disk" },
    { "yarn.resource-types.disk.units", "Gi" },
    { "yarn.resource-types.licence.maximum-allocation", "3" },
    { CAPACITY "resource-calculator", "DominantResourceCalculator" },
    { CAPACITY "maximum-am-resource-percent", "1" },
    { CAPACITY "root.queues", "a,b" },
    { CAPACITY "root.a.capacity", "[memory=1024,vcores=1,licence=3]" },
    { CAPACITY "root.a.user-limit-factor", "10" },
    { CAPACITY "root.b.capacity", "[memory=1024,vcores=1,licence=1]" },
    { CAPACITY "root.b.maximum-capacity", "[memory=4096,vcores=4,licence=2]" },
    { CAPACITY "root.b.user-limit-factor", "10" },
};

static Creel__NamedAmount named(const char *name, int64_t amount, const char *unit)
{
    Creel__NamedAmount one = CREEL__NAMED_AMOUNT__INIT;

    one.name = WRITABLE(name);
    one.amount = amount;
    one.unit = WRITABLE(unit);
    return one;
}

static void build(struct world *w, const char *types)
{
    struct err err = { .text = "" };

    w->c.conf = conf_of(settings, sizeof(settings) / sizeof(settings[0]));
    if (conf_set(w->c.conf, "yarn.resource-types", types, &err) < 0)
        fail_msg("%s", err.text);
    w->c.sched = capacity_of(w->c.conf);
}

/* The node offers four licences, 16 GiB of disk (in MiB), and a type that the cluster does not define. */
static int setup(void **state)
{
    static Creel__NamedAmount offers[3], *list[] = { &offers[0], &offers[1], &offers[2] };
    static struct world w;

    w = (struct world){ .app = "" };
    offers[0] = named("licence", 4, "");
    offers[1] = named("disk", 16384, "Mi");
    offers[2] = named("hammer", 7, "");
    capacity_cluster_init(&w.c);
    build(&w, "licence,disk");
    capacity_cluster_start(&w.c, list, 3);
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    capacity_cluster_end(&((struct world *)*state)->c);
    return 0;
}

/* Submits a job whose container has AMOUNT of TYPE. Returns the app's id, "" if refused. */
static const char *submit(struct world *w, const char *queue, const char *type, int64_t amount,
                          const char *unit)
{
    Creel__NamedAmount one = named(type, amount, unit), *list[] = { &one };
    Creel__JobSpec *job = job_of(COMMAND, 256, 0);
    const Creel__Error *error = NULL;

    job->queue = WRITABLE(queue);
    job->resource->others = list;
    job->resource->n_others = 1;
    people_submit(&w->c.h, job, NULL, w->app, &error);
    snprintf(w->refusal, sizeof(w->refusal), "%s", error ? error->message : "");
    job->resource->n_others = 0;
    job->resource->others = NULL;
    return w->app;
}

/* Returns the amount of TYPE in RESOURCE; checks that its unit is UNIT. */
static int64_t has(const Creel__Resource *resource, const char *type, const char *unit)
{
    for (size_t i = 0; i < resource->n_others; i++)
        if (strcmp(resource->others[i]->name, type) == 0) {
            assert_string_equal(resource->others[i]->unit, unit);
            return resource->others[i]->amount;
        }
    return 0;
}

static const Creel__NodeReport *show_node(struct world *w)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_LIST_NODES);
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;
    const Creel__Envelope *reply;

    envelope->list_nodes = &body;
    reply = harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "ann", envelope);
    assert_int_equal(reply->node_list->n_nodes, 1);
    return reply->node_list->nodes[0];
}

static int64_t licences_used(struct world *w)
{
    return has(show_node(w)->used, "licence", "");
}

static const Creel__QueueReport *show_queue(struct world *w, const char *queue)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_LIST_QUEUES);
    Creel__ListQueues body = CREEL__LIST_QUEUES__INIT;

    body.queue = WRITABLE(queue);
    envelope->list_queues = &body;
    return harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "ann", envelope)->queue_list->queues[0];
}

static const Creel__AppExplanation *why(struct world *w, const char *app)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;

    body.app_id = WRITABLE(app);
    envelope->explain_app = &body;
    return harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "ann", envelope)->app_explanation;
}

static void node_offers_resources_in_its_own_units(void **state)
{
    struct world *w = *state;
    const Creel__NodeReport *node = show_node(w);
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;
    const Creel__ClusterInfo *info;

    assert_int_equal(has(node->total, "licence", ""), 4);
    assert_int_equal(has(node->total, "disk", "Gi"), 16);
    assert_int_equal(node->total->n_others, 2); /* "hammers" is no resource type of the cluster */
    assert_int_equal(licences_used(w), 0);
    envelope->get_cluster_info = &body;
    info = harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "ann", envelope)->cluster_info;
    assert_int_equal(has(info->total, "licence", ""), 4);
    assert_int_equal(has(info->maximum_allocation, "licence", ""), 3);
    assert_int_equal(info->maximum_allocation->n_others, 1); /* a type without a maximum is left out */
}

static void requested_types_are_allocated_and_counted(void **state)
{
    struct world *w = *state;
    char first[80];
    const Creel__AppExplanation *reply;

    snprintf(first, sizeof(first), "%s", submit(w, "a", "licence", 3, ""));
    assert_string_not_equal(first, "");
    agent_listen(&w->c.h, &w->c.a);
    assert_int_equal(agent_running(&w->c.a), 1);
    assert_int_equal(licences_used(w), 3);
    assert_int_equal(has(people_show(&w->c.h, first)->allocated, "licence", ""), 3);
    assert_int_equal(has(show_queue(w, "a")->used, "licence", ""), 3);
    submit(w, "a", "licence", 2, "");
    agent_listen(&w->c.h, &w->c.a);
    assert_int_equal(agent_running(&w->c.a), 1);
    reply = why(w, w->app);
    assert_int_equal(has(reply->asked, "licence", ""), 2);
    assert_non_null(strstr(reply->summary, "256 MiB, 1 vcore, 2 licence"));
    assert_non_null(strstr(reply->items[reply->n_items - 1]->text, "1 lacks licence"));
    people_kill(&w->c.h, first);
    agent_listen(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    agent_listen(&w->c.h, &w->c.a);
    assert_int_equal(licences_used(w), 2);
}

static void an_amount_may_be_in_any_unit(void **state)
{
    struct world *w = *state;

    submit(w, "a", "disk", 3072, "Mi");
    assert_int_equal(has(people_show(&w->c.h, w->app)->allocated, "disk", "Gi"), 3);
    submit(w, "a", "disk", 2, "");
    assert_int_equal(has(people_show(&w->c.h, w->app)->allocated, "disk", "Gi"), 2);
}

static void impossible_request_is_refused_with_the_reason(void **state)
{
    static const struct {
        const char *type;
        int64_t amount;
        const char *unit, *refusal;
    } cases[] = {
        { "hammer", 1, "",
          "asks for hammer: there is no such resource here, only memory-mb, vcores, "
          "licence, disk" },
        { "licence", 4, "",
          "asks for <memory:256, vCores:1, licence: 4>, above the maximum for one "
          "container, <memory:8192, vCores:4, licence: 3>" },
        { "licence", 1, "GB", "there is no unit GB" },
        { "licence", -1, "", "an amount is negative" },
        { "licence", 1, "m", "asks for 1m of licence, which is less than one whole of it" },
        { "disk", 512, "Mi", "which is less than one Gi of it" },
        { "disk", INT64_MAX, "Pi", "more than there can be" },
        { "memory-mb", 1, "", "asks for memory-mb twice" },
    };
    struct world *w = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(submit(w, "a", cases[i].type, cases[i].amount, cases[i].unit), "");
        if (strstr(w->refusal, cases[i].refusal) == NULL)
            fail_msg("%s", w->refusal);
    }
    assert_int_equal(licences_used(w), 0);
}

static void a_queue_has_its_part_of_each_type(void **state)
{
    struct world *w = *state;
    const Creel__AppExplanation *reply;

    assert_int_equal(has(show_queue(w, "a")->minimum, "licence", ""), 3);
    assert_int_equal(has(show_queue(w, "b")->minimum, "licence", ""), 1);
    assert_int_equal(has(show_queue(w, "b")->maximum, "licence", ""), 2);
    submit(w, "b", "licence", 2, "");
    assert_int_equal(licences_used(w), 2);
    submit(w, "b", "licence", 1, "");
    assert_int_equal(licences_used(w), 2);
    reply = why(w, w->app);
    assert_string_equal(w->refusal, "");
    assert_string_equal(reply->items[0]->reason_code, "QueueLimit");
}

static void am_requests_resource_types(void **state)
{
    struct world *w = *state;
    Creel__Resource capability = CREEL__RESOURCE__INIT;
    Creel__NamedAmount one = named("licence", 2, ""), *list[] = { &one };
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_ALLOCATE);
    Creel__Allocate body = CREEL__ALLOCATE__INIT;
    Creel__Ask ask = CREEL__ASK__INIT, *asks = &ask;
    const Creel__AllocateReply *reply;
    const Creel__Envelope *answer;
    struct fake_am am;

    people_submit(&w->c.h, job_of(CREEL__APP_KIND__APP_MASTER, 256, 0), NULL, w->app, NULL);
    if (*w->app == '\0') {
        Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_MASTER, 256, 0);

        job->queue = WRITABLE("a");
        people_submit(&w->c.h, job, NULL, w->app, NULL);
    }
    agent_listen(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    am_init(&am, w->app, 1);
    am_register(&w->c.h, &am);
    am_allocate(&w->c.h, &am, -1, 0, NULL);
    capability.memory_mb = 256;
    capability.vcores = 1;
    capability.others = list;
    capability.n_others = 1;
    ask.priority = 1;
    ask.resource_name = WRITABLE("*");
    ask.capability = &capability;
    ask.count = 3;
    body.asks = &asks;
    body.n_asks = 1;
    one.name = WRITABLE("hammer");
    body.response_id = am.response_id;
    envelope->allocate = &body;
    answer = harness_ask(&w->c.h, MASTER_AM, am.connection, am.attempt_id, envelope);
    assert_int_equal(answer->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_non_null(strstr(answer->error->message, "hammer"));
    one.name = WRITABLE("licence");
    envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_ALLOCATE);
    envelope->allocate = &body;
    answer = harness_ask(&w->c.h, MASTER_AM, am.connection, am.attempt_id, envelope);
    assert_int_equal(answer->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
    am.response_id = answer->allocate_reply->response_id;
    reply = am_allocate(&w->c.h, &am, -1, 0, NULL);
    assert_int_equal(answer->allocate_reply->n_allocated + reply->n_allocated, 2);
    assert_int_equal(licences_used(w), 4);
    answer = answer->allocate_reply->n_allocated ? answer : NULL;
    reply = answer ? answer->allocate_reply : reply;
    assert_int_equal(has(reply->allocated[0]->resource, "licence", ""), 2);
}

static void a_restart_forgets_none(void **state)
{
    struct world *w = *state;
    struct conf *old = w->c.conf;
    char first[80];

    snprintf(first, sizeof(first), "%s", submit(w, "a", "licence", 3, ""));
    agent_listen(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    build(w, "licence,disk");
    harness_restart(&w->c.h);
    conf_free(old);
    agent_register(&w->c.h, &w->c.a);
    assert_int_equal(licences_used(w), 3);
    assert_int_equal(has(people_show(&w->c.h, first)->allocated, "licence", ""), 3);
    submit(w, "a", "licence", 2, "");
    assert_int_equal(licences_used(w), 3);
}

static void resource_types_are_fixed_at_start(void **state)
{
    struct master_reload reload = {
        .channel = MASTER_CLIENT, .connection = PEOPLE, .request_id = 99, .user = "admin"
    };
    struct world *w = *state;
    struct conf *old = w->c.conf;
    struct err err = { .text = "" };

    build(w, "licence,disk,hammer");
    assert_int_equal(master_reload(w->c.h.master, w->c.h.now, &reload, &w->c.sched,
                                   &(struct master_remarks){ .warning_count = 0 }, &err, &w->c.h.effects),
                     -EINVAL);
    assert_non_null(strstr(err.text, "yarn.resource-types: types and units"));
    harness_run_effects(&w->c.h);
    capacity_config_free(w->c.sched.capacity);
    conf_free(w->c.conf);
    w->c.conf = old;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(node_offers_resources_in_its_own_units),
        TEST(requested_types_are_allocated_and_counted),
        TEST(an_amount_may_be_in_any_unit),
        TEST(impossible_request_is_refused_with_the_reason),
        TEST(a_queue_has_its_part_of_each_type),
        TEST(am_requests_resource_types),
        TEST(a_restart_forgets_none),
        TEST(resource_types_are_fixed_at_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
