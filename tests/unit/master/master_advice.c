/* SPDX-License-Identifier: Apache-2.0 */
/* master_advice.c - test: creel why: a queue is advised only if a move can help; figures of limits on
 * applications, and reservations */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/capacity/capacity_cluster.h"

#define PEOPLE 1000

#define CAPACITY "yarn.scheduler.capacity."

/* Starts a cluster of 4 GiB with the queues "busy", of BUSY percent, and "idle", of IDLE percent, and the
 * property KEY (NULL: none). */
static void start(struct capacity_cluster *c, const char *busy, const char *idle, const char *key,
                  const char *value)
{
    const char *const settings[][2] = {
        { CAPACITY "maximum-am-resource-percent", "1" }, { CAPACITY "root.queues", "busy,idle" },
        { CAPACITY "root.busy.capacity", busy },         { CAPACITY "root.busy.user-limit-factor", "10" },
        { CAPACITY "root.idle.capacity", idle },         { key, value },
    };

    capacity_cluster_init(c);
    c->conf = conf_of(settings, sizeof(settings) / sizeof(settings[0]) - (key ? 0 : 1));
    c->sched = capacity_of(c->conf);
    capacity_cluster_start(c, NULL, 0);
}

static void submit_to(struct capacity_cluster *c, const char *queue, int64_t memory_mb, char app[80])
{
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_COMMAND, memory_mb, 0);

    job->queue = (char *)(uintptr_t)queue;
    people_submit(&c->h, job, "", app, NULL);
}

static void submit(struct capacity_cluster *c, int64_t memory_mb, char app[80])
{
    submit_to(c, "busy", memory_mb, app);
}

static const Creel__AppExplanation *explain(struct capacity_cluster *c, char *app)
{
    Creel__Envelope *envelope = harness_envelope(&c->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;

    body.app_id = app;
    envelope->explain_app = &body;
    return harness_ask(&c->h, MASTER_CLIENT, PEOPLE, "ann", envelope)->app_explanation;
}

static bool advises_idle(const Creel__AppExplanation *explanation)
{
    bool advised = false;

    for (size_t i = 0; i < explanation->n_advice; i++)
        advised = advised || strstr(explanation->advice[i], "idle is guaranteed ");
    return advised;
}

/* Returns true if creel why advises to move a job of 1 GiB, which waits in queue "busy" of a full cluster, to
 * "idle". */
static bool advises_for_guarantee(const char *busy, const char *idle)
{
    const Creel__AppExplanation *explanation;
    struct capacity_cluster c;
    bool advised;
    char app[80];

    start(&c, busy, idle, NULL, NULL);
    submit(&c, 4096, app);
    agent_listen(&c.h, &c.a);
    agent_heartbeat(&c.h, &c.a);
    submit(&c, 1024, app);
    explanation = explain(&c, app);
    assert_string_equal(explanation->items[0]->reason_code, "ClusterFull");
    advised = advises_idle(explanation);
    capacity_cluster_end(&c);
    return advised;
}

static void a_queue_is_advised_if_its_guarantee_is_enough(void **state)
{
    (void)state;
    assert_true(advises_for_guarantee("70", "30"));
    assert_true(advises_for_guarantee("75", "25"));
    assert_false(advises_for_guarantee("90", "10"));
}

/* Returns true if creel why advises to move a second job, which waits with the reason CODE for the limit KEY
 * of one application. */
static bool advises_for_limit(const char *key, const char *code)
{
    const Creel__AppExplanation *explanation;
    struct capacity_cluster c;
    bool advised;
    char app[80];

    start(&c, "50", "50", key, "1");
    submit(&c, 1024, app);
    submit(&c, 1024, app);
    explanation = explain(&c, app);
    assert_string_equal(explanation->items[0]->reason_code, code);
    advised = advises_idle(explanation);
    capacity_cluster_end(&c);
    return advised;
}

static void a_queue_is_advised_only_if_the_limit_on_applications_does_not_apply_there(void **state)
{
    (void)state;
    assert_true(advises_for_limit(CAPACITY "root.busy.max-parallel-apps", "QueueMaxApps"));
    assert_false(advises_for_limit(CAPACITY "root.max-parallel-apps", "QueueMaxApps"));
    assert_false(advises_for_limit(CAPACITY "user.max-parallel-apps", "UserMaxApps"));
}

static void a_queue_that_may_have_no_more_applications_is_not_advised(void **state)
{
    struct capacity_cluster c;
    char app[80];

    (void)state;
    start(&c, "50", "50", CAPACITY "root.idle.max-parallel-apps", "0");
    submit(&c, 4096, app);
    agent_listen(&c.h, &c.a);
    agent_heartbeat(&c.h, &c.a);
    submit(&c, 1024, app);
    assert_false(advises_idle(explain(&c, app)));
    capacity_cluster_end(&c);
}

static void a_queue_whose_requests_wait_in_a_full_cluster_is_not_advised(void **state)
{
    struct capacity_cluster c;
    char app[80];

    (void)state;
    start(&c, "70", "30", NULL, NULL);
    submit(&c, 4096, app);
    agent_listen(&c.h, &c.a);
    agent_heartbeat(&c.h, &c.a);
    submit_to(&c, "idle", 1024, app);
    submit(&c, 1024, app);
    assert_false(advises_idle(explain(&c, app)));
    capacity_cluster_end(&c);
}

/* A second job waits for the limit KEY. */
static void expect_limit(const char *key, const char *most, const char *text)
{
    const Creel__WhyItem *item;
    struct capacity_cluster c;
    char app[80];

    start(&c, "50", "50", key, most);
    submit(&c, 1024, app);
    submit(&c, 1024, app);
    item = explain(&c, app)->items[0];
    assert_string_equal(item->text, text);
    assert_int_equal(item->apps->used, atoi(most));
    assert_int_equal(item->apps->allowed, atoi(most));
    capacity_cluster_end(&c);
}

static void a_limit_on_applications_is_named_with_figures_and_those_that_count(void **state)
{
    (void)state;
    expect_limit(
        CAPACITY "root.busy.max-parallel-apps", "1",
        "queue busy has 1 of 1 applications at a time (max-parallel-apps of root.busy), held by _0001; "
        "the oldest that waits is next");
    expect_limit(CAPACITY "root.max-parallel-apps", "1",
                 "queue root has 1 of 1 applications at a time (max-parallel-apps of root), held by _0001; "
                 "the oldest that waits is next");
    expect_limit(CAPACITY "user.max-parallel-apps", "1",
                 "user ann has 1 of 1 applications at a time (max-parallel-apps of user ann), held by _0001; "
                 "the oldest that waits is next");
    expect_limit(CAPACITY "user.max-parallel-apps", "0",
                 "user ann may have no applications (max-parallel-apps of user ann is 0): nothing can start");
}

static const Creel__WhyItem *find_item(const Creel__AppExplanation *explanation, const char *code)
{
    for (size_t i = 0; i < explanation->n_items; i++)
        if (strcmp(explanation->items[i]->reason_code, code) == 0)
            return explanation->items[i];
    fail_msg("%s is missing", code);
    return NULL;
}

static const Creel__NodeReport *show_node(struct capacity_cluster *c)
{
    Creel__Envelope *envelope = harness_envelope(&c->h, CREEL__ENVELOPE__BODY_LIST_NODES);
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;

    envelope->list_nodes = &body;
    return harness_ask(&c->h, MASTER_CLIENT, PEOPLE, "ann", envelope)->node_list->nodes[0];
}

/* One GiB of each of two nodes is free. The first is reserved for a job of two GiB, and with that all of the
 * cluster is used or reserved. */
static void reservations_are_shown(void **state)
{
    const Creel__AppExplanation *explanation;
    struct capacity_cluster c;
    struct fake_agent other;
    char app[80], large[80];

    (void)state;
    start(&c, "50", "50", CAPACITY "root.idle.user-limit-factor", "10");
    agent_init(&other, "n2:8041", 4096, 4);
    agent_register(&c.h, &other);
    submit(&c, 3072, app);
    submit(&c, 3072, app);
    agent_listen(&c.h, &c.a);
    agent_listen(&c.h, &other);
    agent_heartbeat(&c.h, &c.a);
    agent_heartbeat(&c.h, &other);
    assert_string_equal(show_node(&c)->reserved_for, "");
    submit_to(&c, "idle", 2048, large);
    agent_heartbeat(&c.h, &c.a);
    assert_string_equal(find_item(explain(&c, large), "Reserved")->text,
                        "1 node is reserved for it: n1:8041 needs 1 GiB more to be free");
    assert_string_equal(show_node(&c)->reserved_for, large);
    assert_int_equal(show_node(&c)->reserved->memory_mb, 2048);
    submit(&c, 512, app);
    explanation = explain(&c, app);
    assert_string_equal(find_item(explanation, "ReservedFor")->text,
                        "the room that is left is kept for others that wait longer");
    assert_int_equal(find_item(explanation, "ReservedFor")->nodes, 0);
    assert_string_equal(find_item(explanation, "Nodes")->text,
                        "1 of 2 have room; 1 has room that is reserved for another application");
    agent_done(&other);
    capacity_cluster_end(&c);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_queue_is_advised_if_its_guarantee_is_enough),
        cmocka_unit_test(a_queue_is_advised_only_if_the_limit_on_applications_does_not_apply_there),
        cmocka_unit_test(a_queue_that_may_have_no_more_applications_is_not_advised),
        cmocka_unit_test(a_queue_whose_requests_wait_in_a_full_cluster_is_not_advised),
        cmocka_unit_test(reservations_are_shown),
        cmocka_unit_test(a_limit_on_applications_is_named_with_figures_and_those_that_count),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
