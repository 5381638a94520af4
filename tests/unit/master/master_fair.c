/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_fair.c - test: submissions and requests of users to the RM's core with the fair scheduler, and its
 * timers
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/conf/conf.h"
#include "rm/sched/fair/config.h"
#include "rm/sched/sched.h"
#include "tests/unit/master/master_harness.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define MASTER CREEL__APP_KIND__APP_MASTER
#define PEOPLE 1000
#define FAIR "yarn.scheduler.fair."

struct world {
    struct harness h;
    struct fake_agent a;
    struct sched_config sched;
    bool continuous, heartbeats_alone;
    char app[80];
};

static const char usual[] =
    "<allocations>"
    "<defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>"
    "<queueMaxAMShareDefault>1</queueMaxAMShareDefault>"
    "<queue name='root'><aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>"
    "<queue name='a'><weight>3</weight><aclSubmitApps>ann</aclSubmitApps></queue>"
    "<queue name='b'><minResources>256 mb, 1 vcores</minResources>"
    "<aclSubmitApps>ann,bob</aclSubmitApps></queue>"
    "<queue name='people' type='parent'><aclSubmitApps>*</aclSubmitApps></queue></queue>"
    "<queuePlacementPolicy><rule name='specified' create='false'/>"
    "<rule name='nestedUserQueue'><rule name='default' queue='people'/></rule>"
    "<rule name='default'/></queuePlacementPolicy></allocations>";

static int build(const struct world *w, const char *text, struct sched_config *ret, struct err *err)
{
    struct conf *conf = conf_new_defaults();
    struct fair_config *fair = NULL;
    const char *const settings[][2] = {
        { "yarn.scheduler.minimum-allocation-mb", "128" },
        { "yarn.scheduler.increment-allocation-mb", "128" },
        { "yarn.acl.enable", "true" },
        { "yarn.admin.acl", "admin" },
        { FAIR "preemption", "true" },
        { FAIR "waitTimeBeforeKill", "3000" },
        { FAIR "continuous-scheduling-enabled", w->continuous ? "true" : "false" },
    };
    int r = 0;

    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]) && r == 0; i++)
        r = conf_set(conf, settings[i][0], settings[i][1], err);
    if (r == 0)
        r = fair_config_load(conf, "allocations", text, strlen(text), NULL, NULL, &fair, err);
    conf_free(conf);
    if (r < 0)
        return r;
    *ret = (struct sched_config){
        .policy = "fair",
        .calculator = SCHED_EVERY_TYPE,
        .types = (int)fair->types.count,
        .minimum = fair->minimum,
        .step = fair->increment,
        .maximum = fair->maximum,
        .assign_on_demand = !w->continuous && !w->heartbeats_alone,
        .fair = fair,
    };
    return 0;
}

static void configure(struct world *w)
{
    struct err err = { .text = "" };

    if (build(w, usual, &w->sched, &err) < 0)
        fail_msg("%s", err.text);
}

static void begin(struct world *w)
{
    harness_init(&w->h);
    configure(w);
    w->h.config.scheduler = "fair";
    w->h.config.sched = &w->sched;
    w->h.config.acl_enable = true;
    w->h.config.admin_users = "admin";
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 1024, 8);
    agent_register(&w->h, &w->a);
}

static void end(struct world *w)
{
    agent_done(&w->a);
    harness_done(&w->h);
}

static const Creel__Envelope *submit(struct world *w, const char *user, const char *queue,
                                     Creel__AppKind kind, int64_t memory_mb)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SUBMIT_APP);
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    const Creel__Envelope *reply;

    body.job = job_of(kind, memory_mb, 0);
    body.job->queue = (char *)(uintptr_t)queue;
    envelope->submit_app = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, PEOPLE, user, envelope);
    assert_non_null(reply);
    if (reply->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY)
        snprintf(w->app, sizeof(w->app), "%s", reply->submit_app_reply->app_id);
    return reply;
}

static void accepted(const Creel__Envelope *reply)
{
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("%s", reply->error->message);
}

static void expect_error(const Creel__Envelope *reply, Creel__ErrorCode code)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    if (reply->error->code != code)
        fail_msg("%d: %s", reply->error->code, reply->error->message);
}

static const Creel__QueueList *list(struct world *w, const char *queue)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_QUEUES);
    Creel__ListQueues body = CREEL__LIST_QUEUES__INIT;
    const Creel__Envelope *reply;

    body.queue = (char *)(uintptr_t)queue;
    envelope->list_queues = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, PEOPLE, "admin", envelope);
    return reply->body_case == CREEL__ENVELOPE__BODY_QUEUE_LIST ? reply->queue_list : NULL;
}

static const Creel__QueueReport *queue(struct world *w, const char *name)
{
    const Creel__QueueList *found = list(w, name);

    return found ? found->queues[0] : NULL;
}

static const Creel__AppExplanation *why(struct world *w, const char *user)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;
    const Creel__Envelope *reply;

    body.app_id = w->app;
    envelope->explain_app = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, PEOPLE, user, envelope);
    accepted(reply);
    return reply->app_explanation;
}

/* --- queues ----------------------------------------------------------------- */

static void queue_is_created_on_submission_and_deleted_when_unused(void **state)
{
    struct world w = { .app = "" };

    (void)state;
    begin(&w);
    accepted(submit(&w, "ann", "", COMMAND, 128));
    assert_string_equal(people_show(&w.h, w.app)->queue, "root.people.ann");
    assert_true(queue(&w, "root.people.ann")->dynamic);
    assert_false(queue(&w, "root.people")->dynamic);
    configure(&w);
    harness_restart(&w.h);
    assert_string_equal(people_show(&w.h, w.app)->queue, "root.people.ann");
    assert_true(queue(&w, "root.people.ann")->dynamic);
    people_kill(&w.h, w.app);
    agent_register(&w.h, &w.a);
    agent_listen(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    harness_tick(&w.h, 25000);
    assert_null(queue(&w, "root.people.ann"));
    assert_non_null(queue(&w, "root.people"));
    end(&w);
}

static void access_lists_of_a_queue_permit_users(void **state)
{
    Creel__Envelope *envelope;
    Creel__MoveApp move = CREEL__MOVE_APP__INIT;
    struct world w = { .app = "" };

    (void)state;
    begin(&w);
    expect_error(submit(&w, "bob", "a", COMMAND, 128), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    accepted(submit(&w, "bob", "b", COMMAND, 128));
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_MOVE_APP);
    move.app_id = w.app;
    move.queue = (char *)(uintptr_t) "a";
    envelope->move_app = &move;
    expect_error(harness_ask(&w.h, MASTER_CLIENT, PEOPLE, "bob", envelope),
                 CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    assert_string_equal(people_show(&w.h, w.app)->queue, "root.b");
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_MOVE_APP);
    envelope->move_app = &move;
    accepted(harness_ask(&w.h, MASTER_CLIENT, PEOPLE, "admin", envelope));
    assert_string_equal(people_show(&w.h, w.app)->queue, "root.a");
    end(&w);
}

static const Creel__TestAppReply *try_as(struct world *w, const char *user, const char *queue)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_TEST_APP);
    Creel__TestApp body = CREEL__TEST_APP__INIT;
    const Creel__Envelope *reply;

    body.job = job_of(COMMAND, 128, 0);
    body.job->queue = (char *)(uintptr_t)queue;
    envelope->test_app = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, PEOPLE, user, envelope);
    accepted(reply);
    return reply->test_app_reply;
}

static void a_trial_names_the_queue_that_the_rules_choose(void **state)
{
    struct world w = { .app = "" };

    (void)state;
    begin(&w);
    assert_string_equal(try_as(&w, "ann", "a")->queue, "root.a");
    assert_string_equal(try_as(&w, "bob", "nowhere")->queue, "root.people.bob");
    assert_null(queue(&w, "root.people.bob")); /* and does not create the queue */
    accepted(submit(&w, "bob", "nowhere", COMMAND, 128));
    assert_string_equal(people_show(&w.h, w.app)->queue, "root.people.bob");
    end(&w);
}

/* --- timers ----------------------------------------------------------------- */

static void shares_follow_at_the_next_update(void **state)
{
    struct world w = { .app = "" };

    (void)state;
    begin(&w);
    accepted(submit(&w, "ann", "a", COMMAND, 128));
    accepted(submit(&w, "ann", "b", COMMAND, 128));
    assert_int_equal(queue(&w, "a")->fair_share->memory_mb, 0);
    harness_tick(&w.h, 500);
    assert_int_equal(queue(&w, "a")->fair_share->memory_mb, 768);
    assert_int_equal(queue(&w, "b")->fair_share->memory_mb, 256);
    assert_string_equal(queue(&w, "b")->policy, "fair");
    assert_int_equal(queue(&w, "b")->minimum->memory_mb, 256);
    assert_int_equal(queue(&w, "b")->maximum->memory_mb, 1024);
    assert_int_equal(queue(&w, "b")->demand->memory_mb, 128);
    assert_int_equal(queue(&w, "b")->starved_since_ms, 0);
    assert_non_null(strstr(queue(&w, "b")->explanation[0], "256 MiB"));
    end(&w);
}

static void heartbeat_scheduling_places_nothing_before_a_heartbeat(void **state)
{
    struct world w = { .heartbeats_alone = true };

    (void)state;
    begin(&w);
    accepted(submit(&w, "ann", "a", COMMAND, 128));
    harness_tick(&w.h, 900);
    assert_int_equal((int)queue(&w, "a")->containers, 0);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal((int)queue(&w, "a")->containers, 1);
    end(&w);
}

static void continuously_nodes_are_offered_without_any(void **state)
{
    struct world w = { .continuous = true };

    (void)state;
    begin(&w);
    assert_true(master_next_deadline_ms(w.h.master) > w.h.now + 100); /* no pending requests */
    accepted(submit(&w, "ann", "a", COMMAND, 128));
    assert_int_equal((int)queue(&w, "a")->containers, 0);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal((int)queue(&w, "a")->containers, 0);
    harness_tick(&w.h, 500); /* demand is computed at the next update, as in YARN */
    assert_int_equal((int)queue(&w, "a")->containers, 0);
    assert_true(master_next_deadline_ms(w.h.master) <= w.h.now + 5);
    harness_tick(&w.h, 5);
    assert_int_equal((int)queue(&w, "a")->containers, 1);
    harness_tick(&w.h, 5);
    assert_true(master_next_deadline_ms(w.h.master) > w.h.now + 100);
    end(&w);
}

/* --- preemption ------------------------------------------------------------- */

/* Ann's AM occupies the node, then Bob requests part of the node. */
static void begin_starving(struct world *w, struct fake_am *am)
{
    const Creel__AllocateReply *reply;

    begin(w);
    accepted(submit(w, "ann", "a", MASTER, 128));
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    am_init(am, w->app, 1);
    am_register(&w->h, am);
    reply = am_allocate(&w->h, am, 7, 128, NULL);
    assert_int_equal(reply->n_allocated, 7);
    for (size_t i = 0; i < reply->n_allocated; i++)
        agent_start(&w->a, reply->allocated[i]->container_id, &reply->allocated[i]->token);
    agent_heartbeat(&w->h, &w->a);
    accepted(submit(w, "bob", "b", COMMAND, 128));
}

static void starved_app_gets_the_preempted_room(void **state)
{
    struct world w = { .app = "" };
    const Creel__AllocateReply *reply;
    const Creel__AppExplanation *explanation;
    struct fake_am am;
    char victim[80];

    (void)state;
    begin_starving(&w, &am);
    harness_tick(&w.h, 600);
    explanation = why(&w, "bob");
    assert_int_equal(explanation->fair_share->memory_mb, 256);
    assert_true(explanation->starved_since_ms > 0);
    assert_string_equal(explanation->items[explanation->n_items - 2]->reason_code, "FairShare");
    assert_non_null(strstr(explanation->items[explanation->n_items - 2]->text, "fair for it are 256 MiB"));
    assert_true(queue(&w, "b")->starved_since_ms > 0);
    harness_tick(&w.h, 1500);
    assert_string_equal(why(&w, "bob")->items[0]->reason_code, "Preempting");
    reply = am_allocate(&w.h, &am, -1, 0, NULL);
    assert_non_null(reply->preemption);
    assert_int_equal(reply->preemption->n_negotiable, 0);
    assert_int_equal(reply->preemption->n_strict, 1);
    snprintf(victim, sizeof(victim), "%s", reply->preemption->strict[0]->container_id);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal(agent_find(&w.a, victim)->preempt_notices, 1);
    harness_tick(&w.h, 2500);
    agent_listen(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    assert_int_equal((int)queue(&w, "b")->containers, 1);
    end(&w);
}

/* The scheduler's headroom is negative; messages contain no negative amounts. */
static void headroom_excludes_a_node_that_shrank(void **state)
{
    struct world w = { .app = "" };
    Creel__Envelope *envelope;
    Creel__SetNodeResources body = CREEL__SET_NODE_RESOURCES__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    char *names[] = { (char *)(uintptr_t) "n1" };
    const Creel__AllocateReply *reply;
    struct fake_am am;

    (void)state;
    begin_starving(&w, &am);
    envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_SET_NODE_RESOURCES);
    total.memory_mb = 512;
    body.nodes = names;
    body.n_nodes = 1;
    body.total = &total;
    envelope->set_node_resources = &body;
    accepted(harness_ask(&w.h, MASTER_CLIENT, 1000, "admin", envelope));
    reply = am_allocate(&w.h, &am, -1, 0, NULL);
    assert_int_equal(reply->headroom->memory_mb, 0);
    assert_int_equal(reply->headroom->vcores, 0);
    end(&w);
}

/* --- reload ----------------------------------------------------------------- */

static int reload(struct world *w, const char *text)
{
    const struct master_reload reload = { .user = "a change of the file" };
    struct sched_config config = { .policy = NULL };
    struct err err = { .text = "" };
    bool built = build(w, text, &config, &err) == 0;
    int r = master_reload(w->h.master, w->h.now, &reload, built ? &config : NULL,
                          &(struct master_remarks){ .warning_count = 0 }, &err, &w->h.effects);

    harness_run_effects(&w->h);
    return r;
}

static void refused_configuration_is_reported_until_it_is_corrected(void **state)
{
    struct world w = { .app = "" };
    const Creel__QueueList *all;

    (void)state;
    begin(&w);
    assert_int_equal(reload(&w, "<allocations><queue name='x'><weight>heavy</weight></queue>"
                                "</allocations>"),
                     -EINVAL);
    all = list(&w, "");
    assert_non_null(strstr(all->refresh_error, "allocations:1: queue root.x: weight: \"heavy\""));
    assert_string_equal(all->refreshed_by, "a change of the file");
    assert_int_equal(all->n_queues, 5);
    assert_true(queue(&w, "a")->weight == 3.0f);
    assert_int_equal(reload(&w, "<allocations><queue name='a'/><queue name='x'><maxRunningApps>0"
                                "</maxRunningApps></queue></allocations>"),
                     0);
    all = list(&w, "");
    assert_string_equal(all->refresh_error, "");
    assert_true(queue(&w, "a")->weight == 1.0f);
    assert_int_equal(queue(&w, "a")->max_apps, 0);
    assert_int_equal(queue(&w, "x")->max_apps, -1);
    assert_true(queue(&w, "b")->dynamic);
    harness_tick(&w.h, 11000);
    assert_null(queue(&w, "b"));
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_is_created_on_submission_and_deleted_when_unused),
        cmocka_unit_test(access_lists_of_a_queue_permit_users),
        cmocka_unit_test(a_trial_names_the_queue_that_the_rules_choose),
        cmocka_unit_test(shares_follow_at_the_next_update),
        cmocka_unit_test(heartbeat_scheduling_places_nothing_before_a_heartbeat),
        cmocka_unit_test(continuously_nodes_are_offered_without_any),
        cmocka_unit_test(starved_app_gets_the_preempted_room),
        cmocka_unit_test(headroom_excludes_a_node_that_shrank),
        cmocka_unit_test(refused_configuration_is_reported_until_it_is_corrected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
