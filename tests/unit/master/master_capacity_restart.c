/* SPDX-License-Identifier: Apache-2.0 */
/* master_capacity_restart.c - test: queues of the capacity scheduler after a restart of the RM's core */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/conf/conf.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/capacity/placement/placement.h"
#include "rm/sched/sched.h"
#include "tests/unit/capacity/capacity_cluster.h"

#define CAPACITY "yarn.scheduler.capacity."
#define PEOPLE 1000
#define CREATES CAPACITY "root.open.auto-queue-creation-v2.enabled"
#define MANAGES CAPACITY "root.open.auto-create-child-queue.enabled"
#define PARALLEL CAPACITY "root.open.max-parallel-apps"

static const char *const settings[][2] = {
    { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
    { "yarn.scheduler.minimum-allocation-mb", "128" },
    { CAPACITY "maximum-am-resource-percent", "1" },
    { CAPACITY "root.queues", "open,other" },
    { CAPACITY "root.open.capacity", "50" },
    { CAPACITY "root.open.leaf-queue-template.capacity", "10" },
    { CAPACITY "root.other.capacity", "50" },
};

static void load(struct capacity_cluster *c, const char *key, const char *value)
{
    struct err err = { .text = "" };

    c->conf = conf_of(settings, sizeof(settings) / sizeof(settings[0]));
    if (conf_set(c->conf, key, value, &err) < 0 ||
        (!strcmp(value, "true") &&
         conf_set(c->conf, CAPACITY "queue-mappings", "u:%user:root.open.%user", &err) < 0))
        fail_msg("%s", err.text);
    c->sched = capacity_of(c->conf);
    if (capacity_placement_load(c->conf, NULL, c->sched.capacity, NULL, NULL, &c->sched.placement, &err) < 0)
        fail_msg("%s", err.text);
}

static void start(struct capacity_cluster *c, const char *key, const char *value)
{
    capacity_cluster_init(c);
    load(c, key, value);
    capacity_cluster_start(c, NULL, 0);
    agent_listen(&c->h, &c->a);
}

/* Restarts the core; the agent registers again with its containers. */
static void restart(struct capacity_cluster *c, const char *key, const char *value)
{
    struct conf *old = c->conf;

    load(c, key, value);
    harness_restart(&c->h);
    conf_free(old);
    agent_register(&c->h, &c->a);
    agent_heartbeat(&c->h, &c->a);
}

/* QUEUE "default": the mapping of queues decides. */
static void submit_as(struct capacity_cluster *c, const char *user, const char *queue, int64_t memory_mb,
                      bool hold, char app[80])
{
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_COMMAND, memory_mb, 0);
    const Creel__Envelope *reply;

    job->queue = (char *)(uintptr_t)queue;
    job->hold = hold;
    reply = people_submit_as(&c->h, user, job, NULL, app);
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("%s", reply->error->message);
    agent_heartbeat(&c->h, &c->a);
}

/* Submits an application of KIND of ann to root.open, with an AM of 512 MiB. */
static void submit_kind(struct capacity_cluster *c, Creel__AppKind kind, char app[80])
{
    Creel__JobSpec *job = job_of(kind, 512, 0);

    job->queue = (char *)(uintptr_t) "root.open";
    people_submit_as(&c->h, "ann", job, NULL, app);
    agent_heartbeat(&c->h, &c->a);
}

static void release(struct capacity_cluster *c, char *app)
{
    Creel__Envelope *envelope = harness_envelope(&c->h, CREEL__ENVELOPE__BODY_RELEASE_APP);
    Creel__ReleaseApp body = CREEL__RELEASE_APP__INIT;

    body.app_id = app;
    envelope->release_app = &body;
    assert_int_not_equal(harness_ask(&c->h, MASTER_CLIENT, PEOPLE, "ann", envelope)->body_case,
                         CREEL__ENVELOPE__BODY_ERROR);
    harness_tick(&c->h, 1);
}

static void expect(struct capacity_cluster *c, char *app, Creel__AppState state, const char *queue)
{
    const Creel__AppReport *shown = people_show(&c->h, app);

    if (shown->state != state)
        fail_msg("%s: state %d, not %d: %s", app, (int)shown->state, (int)state, shown->diagnostics);
    assert_string_equal(shown->queue, queue);
}

static void check_created_queues(const char *key)
{
    static struct capacity_cluster c;
    char runs[80], waits[80];

    start(&c, key, "true");
    submit_as(&c, "ann", "default", 512, false, runs);
    submit_as(&c, "bob", "default", 4096, false, waits); /* the only node is full */
    for (int i = 0; i < 2; i++) {
        expect(&c, runs, CREEL__APP_STATE__APP_RUNNING, "root.open.ann");
        expect(&c, waits, CREEL__APP_STATE__APP_ACCEPTED, "root.open.bob");
        assert_int_equal(agent_running(&c.a), 1);
        restart(&c, key, "true");
    }
    restart(&c, key, "false"); /* the parent creates no queues any more */
    assert_non_null(strstr(people_show(&c.h, waits)->diagnostics, "queue root.open.bob: not defined"));
    expect(&c, waits, CREEL__APP_STATE__APP_FAILED, "root.open.bob");
    capacity_cluster_end(&c);
}

static void queues_that_submissions_created_are_created_again(void **state)
{
    (void)state;
    check_created_queues(CREATES);
}

static void managed_leaves_are_created_again(void **state)
{
    (void)state;
    check_created_queues(MANAGES);
}

/* The first application was held while the second one took the only place. */
static void applications_that_ran_keep_their_places(void **state)
{
    static struct capacity_cluster c;
    char first[80], second[80];

    (void)state;
    start(&c, PARALLEL, "1");
    submit_as(&c, "ann", "root.open", 512, true, first);
    submit_as(&c, "ann", "root.open", 512, false, second);
    release(&c, first);
    for (int i = 0; i < 2; i++) {
        expect(&c, second, CREEL__APP_STATE__APP_RUNNING, "root.open");
        assert_string_equal(people_show(&c.h, first)->reason_code, "QueueMaxApps");
        assert_int_equal(agent_running(&c.a), 1);
        restart(&c, PARALLEL, "1");
        agent_heartbeat(&c.h, &c.a);
    }
    capacity_cluster_end(&c);
}

/* Returns the text of the reason UserLimit of APP. */
static const char *user_limit_of(struct capacity_cluster *c, char *app)
{
    Creel__Envelope *envelope = harness_envelope(&c->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;
    const Creel__AppExplanation *explanation;

    body.app_id = app;
    envelope->explain_app = &body;
    explanation = harness_ask(&c->h, MASTER_CLIENT, PEOPLE, "ann", envelope)->app_explanation;
    for (size_t i = 0; i < explanation->n_items; i++)
        if (strcmp(explanation->items[i]->reason_code, "UserLimit") == 0)
            return explanation->items[i]->text;
    return "no such reason";
}

/* As in YARN, requests that an AM repeats before the first node registers make no user active. */
static void why_says_that_no_user_counts_as_active(void **state)
{
    static struct capacity_cluster c;
    struct fake_am am;
    struct conf *old;
    char app[80];

    (void)state;
    start(&c, PARALLEL, "10");
    submit_kind(&c, CREEL__APP_KIND__APP_MASTER, app);
    am_init(&am, app, 1);
    am_register(&c.h, &am);
    /* Two are placed: then the user is above its limit of 2 GiB. */
    assert_int_equal(am_allocate(&c.h, &am, 3, 1024, NULL)->n_allocated, 2);
    assert_non_null(strstr(user_limit_of(&c, app), " of open now (1 active user), uses 2560 MiB"));
    agent_heartbeat(&c.h, &c.a);
    old = c.conf;
    load(&c, PARALLEL, "10");
    harness_restart(&c.h);
    conf_free(old);
    am_register(&c.h, &am);
    am_allocate(&c.h, &am, 1, 1024, NULL);
    agent_register(&c.h, &c.a);
    agent_heartbeat(&c.h, &c.a);
    assert_non_null(
        strstr(user_limit_of(&c, app),
               " of open now (no user counts as active: all requests are older than the activation "
               "of their application), uses 2560 MiB"));
    am_allocate(&c.h, &am, 0, 1024, NULL);
    am_allocate(&c.h, &am, 1, 1024, NULL); /* it asks anew */
    assert_non_null(strstr(user_limit_of(&c, app), " of open now (1 active user), uses 2560 MiB"));
    capacity_cluster_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_that_submissions_created_are_created_again),
        cmocka_unit_test(managed_leaves_are_created_again),
        cmocka_unit_test(applications_that_ran_keep_their_places),
        cmocka_unit_test(why_says_that_no_user_counts_as_active),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
