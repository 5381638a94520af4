/* SPDX-License-Identifier: Apache-2.0 */
/* master_capacity.c - test: submissions and requests of users to the RM's core with the capacity scheduler */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/conf/conf.h"
#include "rm/sched/capacity/placement/access.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/sched.h"
#include "tests/unit/capacity/capacity_cluster.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define PEOPLE 1000
#define CAPACITY "yarn.scheduler.capacity."

struct world {
    struct capacity_cluster c;
    char app[80];
};

static const char *const settings[][2] = {
    { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
    { "yarn.scheduler.minimum-allocation-mb", "128" },
    { "yarn.acl.enable", "true" },
    { "yarn.admin.acl", "admin" },
    { "yarn.cluster.max-application-priority", "5" },
    { CAPACITY "maximum-am-resource-percent", "1" },
    { CAPACITY "root.queues", "open,closed" },
    { CAPACITY "root.acl_submit_applications", " " },
    { CAPACITY "root.acl_administer_queue", " " },
    { CAPACITY "root.open.capacity", "50" },
    { CAPACITY "root.open.acl_submit_applications", "ann everyone" },
    { CAPACITY "root.open.maximum-application-lifetime", "3600" },
    { CAPACITY "root.open.default-application-lifetime", "600" },
    { CAPACITY "root.closed.capacity", "50" },
    { CAPACITY "root.closed.acl_administer_queue", "boss" },
    { CAPACITY "root.closed.maximum-capacity", "50" },
    { CAPACITY "root.closed.maximum-allocation-mb", "2560" },
    { CAPACITY "root.closed.maximum-am-resource-percent", "0.1" },
    { CAPACITY "root.closed.state", "RUNNING" },
};

/* Returns group "everyone" for all users but "outsider". */
static size_t groups_of(void *context, struct arena *arena, const char *user, const char *const **ret)
{
    const char **names = arena_array0(arena, 2, sizeof(*names));

    (void)context;
    names[0] = "everyone";
    *ret = names;
    return strcmp(user, "outsider") == 0 ? 0 : 1;
}

static void set(struct world *w, const char *key, const char *value)
{
    struct err err = { .text = "" };

    if (conf_set(w->c.conf, key, value, &err) < 0)
        fail_msg("%s", err.text);
}

static void load(struct world *w)
{
    w->c.sched = capacity_of(w->c.conf);
    w->c.sched.access = capacity_access_new(w->c.conf);
}

static void write_conf(struct world *w)
{
    w->c.conf = conf_of(settings, sizeof(settings) / sizeof(settings[0]));
}

static void build_with(struct world *w, const char *open, const char *closed, const char *open_state)
{
    write_conf(w);
    set(w, CAPACITY "root.open.capacity", open);
    set(w, CAPACITY "root.closed.capacity", closed);
    if (open_state)
        set(w, CAPACITY "root.open.state", open_state);
    load(w);
}

static void build(struct world *w, const char *open, const char *closed)
{
    build_with(w, open, closed, NULL);
}

static int setup(void **state)
{
    static struct world w;

    w = (struct world){ .app = "" };
    capacity_cluster_init(&w.c);
    build(&w, "50", "50");
    w.c.h.config.groups = groups_of;
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

static const Creel__Envelope *submit_job(struct world *w, const char *user, const char *queue,
                                         Creel__JobSpec *job)
{
    char app[sizeof(w->app)];
    const Creel__Envelope *reply;

    job->queue = (char *)(uintptr_t)queue;
    reply = people_submit_as(&w->c.h, user, job, NULL, app);
    assert_non_null(reply);
    if (*app)
        snprintf(w->app, sizeof(w->app), "%s", app);
    return reply;
}

static const Creel__Envelope *submit_as(struct world *w, const char *user, const char *queue)
{
    return submit_job(w, user, queue, job_of(COMMAND, 512, 0));
}

static const Creel__Envelope *try_as(struct world *w, const char *user, const char *queue, int64_t memory_mb)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_TEST_APP);
    Creel__TestApp body = CREEL__TEST_APP__INIT;

    body.job = job_of(COMMAND, memory_mb, 0);
    body.job->queue = (char *)(uintptr_t)queue;
    envelope->test_app = &body;
    return harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, user, envelope);
}

static void expect_error(const Creel__Envelope *reply, Creel__ErrorCode code)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    if (reply->error->code != code)
        fail_msg("%d: %s", reply->error->code, reply->error->message);
}

static void accepted(const Creel__Envelope *reply)
{
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("%s", reply->error->message);
}

static const Creel__Envelope *set_state(struct world *w, const char *user, const char *queue, bool running)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_SET_QUEUE_STATE);
    Creel__SetQueueState body = CREEL__SET_QUEUE_STATE__INIT;

    body.queue = (char *)(uintptr_t)queue;
    body.running = running;
    envelope->set_queue_state = &body;
    return harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, user, envelope);
}

static void queue_admits_users_and_groups(void **state)
{
    struct world *w = *state;

    accepted(submit_as(w, "ann", "open"));
    assert_string_equal(people_show(&w->c.h, w->app)->queue, "root.open");
    accepted(submit_as(w, "bob", "root.open"));
    expect_error(submit_as(w, "outsider", "open"), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    expect_error(submit_as(w, "ann", "closed"), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    accepted(submit_as(w, "boss", "closed"));
    expect_error(submit_as(w, "ann", "nowhere"), CREEL__ERROR_CODE__ERROR_NOT_FOUND);
}

static void stopped_queue_refuses_submissions(void **state)
{
    struct world *w = *state;

    expect_error(set_state(w, "ann", "open", false), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    accepted(set_state(w, "admin", "open", false));
    expect_error(submit_as(w, "ann", "open"), CREEL__ERROR_CODE__ERROR_BAD_STATE);
    accepted(set_state(w, "admin", "open", true));
    accepted(submit_as(w, "ann", "open"));
    expect_error(set_state(w, "admin", "nowhere", false), CREEL__ERROR_CODE__ERROR_NOT_FOUND);
}

static void a_queue_that_the_file_has_run_starts_with_its_parent(void **state)
{
    struct world *w = *state;

    accepted(set_state(w, "admin", "root", false));
    expect_error(submit_as(w, "boss", "closed"), CREEL__ERROR_CODE__ERROR_BAD_STATE);
    accepted(set_state(w, "admin", "root", true));
    accepted(submit_as(w, "ann", "open"));
    accepted(submit_as(w, "boss", "closed"));
}

static void a_queues_own_maximum_bounds_the_am(void **state)
{
    struct world *w = *state;
    const Creel__Envelope *reply = submit_job(w, "boss", "closed", job_of(COMMAND, 2561, 0));

    expect_error(reply, CREEL__ERROR_CODE__ERROR_NEVER_RUNS);
    assert_string_equal(reply->error->message, "asks for <memory:2561, vCores:1>, above the maximum for one "
                                               "container of root.closed, <memory:2560, vCores:4>");
    accepted(submit_job(w, "boss", "closed", job_of(COMMAND, 2560, 0)));
    accepted(submit_job(w, "ann", "open", job_of(COMMAND, 2561, 0)));
}

/* Queue "closed" has a maximum of half of 4096 MiB. */
static void trial_respects_the_limits_of_the_queue(void **state)
{
    struct world *w = *state;
    const Creel__Envelope *reply = try_as(w, "boss", "closed", 2049);

    expect_error(reply, CREEL__ERROR_CODE__ERROR_NEVER_RUNS);
    assert_non_null(strstr(reply->error->message, "root.closed: may have 2 GiB at most"));
    reply = try_as(w, "boss", "closed", 2048);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_TEST_APP_REPLY);
    assert_string_equal(reply->test_app_reply->reason_code, "");
    accepted(submit_as(w, "boss", "closed"));
    agent_listen(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    reply = try_as(w, "boss", "closed", 2048);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_TEST_APP_REPLY);
    assert_string_equal(reply->test_app_reply->reason_code, "QueueLimit");
    assert_string_equal(reply->test_app_reply->reason, "closed uses 512 MiB and may have 2 GiB at most");
}

/* Queue "closed" uses nothing, so no limit stops its first application: the cluster is full. */
static void waiting_for_room_is_the_first_reason(void **state)
{
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;
    const Creel__AppExplanation *explanation;
    struct world *w = *state;
    Creel__Envelope *envelope;

    accepted(submit_job(w, "ann", "open", job_of(COMMAND, 4096, 0)));
    agent_listen(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    accepted(submit_job(w, "boss", "closed", job_of(COMMAND, 1024, 0)));
    envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    body.app_id = w->app;
    envelope->explain_app = &body;
    explanation = harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "boss", envelope)->app_explanation;
    assert_string_equal(explanation->items[0]->reason_code, explanation->app->reason_code);
    assert_string_equal(explanation->items[0]->reason_code, "ClusterFull");
    assert_true(explanation->items[0]->blocking);
    assert_string_equal(explanation->items[explanation->n_items - 1]->reason_code, "Nodes");
}

static void queue_administrator_may_stop_and_see_its_applications(void **state)
{
    Creel__KillApp body = CREEL__KILL_APP__INIT;
    struct world *w = *state;
    Creel__Envelope *envelope;

    accepted(submit_as(w, "boss", "closed"));
    envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_KILL_APP);
    body.app_id = w->app;
    envelope->kill_app = &body;
    expect_error(harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "ann", envelope),
                 CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    accepted(set_state(w, "boss", "closed", false));
}

static void queues_limit_lifetimes(void **state)
{
    struct world *w = *state;

    accepted(submit_as(w, "ann", "open"));
    assert_int_equal(people_show(&w->c.h, w->app)->expires_ms, w->c.h.now + 600000);
    accepted(submit_as(w, "boss", "closed"));
    assert_int_equal(people_show(&w->c.h, w->app)->expires_ms, 0);
}

static const Creel__Envelope *move_as_boss(struct world *w, const char *queue)
{
    Creel__MoveApp body = CREEL__MOVE_APP__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_MOVE_APP);

    body.app_id = w->app;
    body.queue = (char *)(uintptr_t)queue;
    envelope->move_app = &body;
    return harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "boss", envelope);
}

static void a_move_obeys_the_queue_it_leads_to(void **state)
{
    struct world *w = *state;
    const Creel__Envelope *reply;

    accepted(submit_as(w, "boss", "closed"));
    expect_error(move_as_boss(w, "nowhere"), CREEL__ERROR_CODE__ERROR_NOT_FOUND);
    reply = move_as_boss(w, "open");
    accepted(reply);
    assert_string_equal(reply->app_list->apps[0]->queue, "root.open");
    assert_int_equal(reply->app_list->apps[0]->expires_ms, w->c.h.now + 3600000);
}

static const Creel__Envelope *hold_as_boss(struct world *w, bool hold)
{
    Creel__HoldApp hold_app = CREEL__HOLD_APP__INIT;
    Creel__ReleaseApp release_app = CREEL__RELEASE_APP__INIT;
    Creel__Envelope *envelope =
        harness_envelope(&w->c.h, hold ? CREEL__ENVELOPE__BODY_HOLD_APP : CREEL__ENVELOPE__BODY_RELEASE_APP);

    hold_app.app_id = release_app.app_id = w->app;
    if (hold)
        envelope->hold_app = &hold_app;
    else
        envelope->release_app = &release_app;
    return harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "boss", envelope);
}

static void held_job_enters_the_queue_to_which_it_was_moved(void **state)
{
    struct world *w = *state;

    accepted(submit_job(w, "ann", "open", job_of(COMMAND, 4096, 0))); /* the only node is full */
    accepted(submit_as(w, "boss", "closed"));
    accepted(move_as_boss(w, "open"));
    accepted(hold_as_boss(w, true));
    accepted(hold_as_boss(w, false));
    harness_tick(&w->c.h, 1);
    assert_string_equal(people_show(&w->c.h, w->app)->queue, "root.open");
    assert_int_equal(people_show(&w->c.h, w->app)->expires_ms, w->c.h.now - 1 + 600000);
    accepted(hold_as_boss(w, true));
    accepted(move_as_boss(w, "closed"));
    accepted(hold_as_boss(w, false));
    harness_tick(&w->c.h, 1);
    assert_string_equal(people_show(&w->c.h, w->app)->queue, "root.closed");
}

static void an_application_survives_a_restart_where_it_was(void **state)
{
    struct world *w = *state;
    struct conf *old = w->c.conf;

    accepted(submit_as(w, "bob", "open"));
    agent_listen(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    /* Bob is in no group any more. That does not affect applications accepted before. */
    build(w, "60", "40");
    harness_restart(&w->c.h);
    conf_free(old);
    agent_register(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    assert_string_equal(people_show(&w->c.h, w->app)->queue, "root.open");
    assert_int_equal(people_show(&w->c.h, w->app)->state, CREEL__APP_STATE__APP_RUNNING);
}

/* The administrator removed the queue, which was the only one that could use the label. */
static void application_of_a_removed_queue_and_label_ends_with_the_reason(void **state)
{
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    struct world *w = *state;
    struct conf *old = w->c.conf;

    write_conf(w);
    set(w, CAPACITY "root.accessible-node-labels.gpu.capacity", "100");
    set(w, CAPACITY "root.open.accessible-node-labels", "gpu");
    set(w, CAPACITY "root.open.accessible-node-labels.gpu.capacity", "100");
    load(w);
    harness_restart(&w->c.h);
    conf_free(old);
    job->label = (char *)(uintptr_t) "gpu";
    accepted(submit_job(w, "ann", "open", job));
    old = w->c.conf;
    write_conf(w);
    set(w, CAPACITY "root.queues", "closed");
    set(w, CAPACITY "root.closed.capacity", "100");
    set(w, CAPACITY "root.closed.maximum-capacity", "100");
    load(w);
    harness_restart(&w->c.h);
    conf_free(old);
    assert_int_equal(people_show(&w->c.h, w->app)->state, CREEL__APP_STATE__APP_FAILED);
    assert_non_null(strstr(people_show(&w->c.h, w->app)->diagnostics, "open"));
}

static void an_application_that_runs_ends_with_its_queue(void **state)
{
    struct world *w = *state;
    struct conf *old = w->c.conf;

    accepted(submit_as(w, "ann", "open"));
    agent_listen(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    assert_int_equal(people_show(&w->c.h, w->app)->state, CREEL__APP_STATE__APP_RUNNING);
    write_conf(w);
    set(w, CAPACITY "root.queues", "closed");
    set(w, CAPACITY "root.closed.capacity", "100");
    set(w, CAPACITY "root.closed.maximum-capacity", "100");
    load(w);
    harness_restart(&w->c.h);
    conf_free(old);
    assert_int_equal(people_show(&w->c.h, w->app)->state, CREEL__APP_STATE__APP_FAILED);
    agent_register(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a); /* the agent gets the order to stop the containers, and reports
                                          their end */
    agent_heartbeat(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    assert_int_equal(agent_running(&w->c.a), 0);
    assert_int_equal(people_show(&w->c.h, w->app)->state, CREEL__APP_STATE__APP_FAILED);
    assert_non_null(strstr(people_show(&w->c.h, w->app)->diagnostics, "open"));
}

/* AMs in "closed" may use 205 MiB together, so the second application waits for the first, whatever the
 * order. */
static void applications_that_ran_before_a_restart_precede_waiting_ones(void **state)
{
    Creel__SetPriority body = CREEL__SET_PRIORITY__INIT;
    struct world *w = *state;
    Creel__Envelope *envelope;
    struct conf *old = w->c.conf;
    char first[80];

    accepted(submit_job(w, "boss", "closed", job_of(CREEL__APP_KIND__APP_MASTER, 512, 0)));
    memcpy(first, w->app, sizeof(first));
    agent_listen(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    accepted(submit_job(w, "boss", "closed", job_of(CREEL__APP_KIND__APP_MASTER, 512, 0)));
    assert_string_equal(people_show(&w->c.h, w->app)->reason_code, "AmLimit");
    envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_SET_PRIORITY);
    body.app_id = w->app;
    body.priority = 5;
    envelope->set_priority = &body;
    accepted(harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "boss", envelope));
    build(w, "50", "50");
    harness_restart(&w->c.h);
    conf_free(old);
    agent_register(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
    assert_string_equal(people_show(&w->c.h, first)->reason_code, "");
    assert_string_equal(people_show(&w->c.h, w->app)->reason_code, "AmLimit");
}

static void a_refresh_is_taken_and_answered(void **state)
{
    struct master_reload reload = {
        .channel = MASTER_CLIENT, .connection = PEOPLE, .request_id = 99, .user = "admin"
    };
    const char *warnings[] = { "strange" }, *changes[] = { "capacity: 50 -> 70" };
    struct master_remarks remarks = { warnings, changes, 1, 1 };
    struct world *w = *state;
    struct conf *old = w->c.conf;
    const Creel__Envelope *reply;
    struct err err = { .text = "" };

    accepted(submit_as(w, "ann", "open"));
    build(w, "70", "30");
    if (master_reload(w->c.h.master, w->c.h.now, &reload, &w->c.sched, &remarks, &err, &w->c.h.effects) < 0)
        fail_msg("%s", err.text);
    conf_free(old);
    harness_run_effects(&w->c.h);
    reply = harness_find_reply(&w->c.h, PEOPLE, 99);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_REFRESH_QUEUES_REPLY);
    assert_int_equal(reply->refresh_queues_reply->queues, 3);
    assert_string_equal(reply->refresh_queues_reply->warnings[0], "strange");
    assert_string_equal(reply->refresh_queues_reply->changes[0], "capacity: 50 -> 70");
    accepted(submit_as(w, "ann", "open"));
}

/* Reloads the configuration, with STATE for root.open unless NULL. Returns the warning of the reply. */
static const char *refresh(struct world *w, const char *open_state)
{
    struct master_reload reload = {
        .channel = MASTER_CLIENT, .connection = PEOPLE, .request_id = ++w->c.h.next_request, .user = "admin"
    };
    static const struct master_remarks no_remarks;
    static char warned[1000];
    struct conf *old = w->c.conf;
    const Creel__RefreshQueuesReply *reply;
    struct err err = { .text = "" };

    build_with(w, "50", "50", open_state);
    if (master_reload(w->c.h.master, w->c.h.now, &reload, &w->c.sched, &no_remarks, &err, &w->c.h.effects) <
        0)
        fail_msg("%s", err.text);
    conf_free(old);
    harness_run_effects(&w->c.h);
    reply = harness_find_reply(&w->c.h, PEOPLE, reload.request_id)->refresh_queues_reply;
    *warned = '\0';
    for (size_t i = 0; i < reply->n_warnings; i++)
        strncat(warned, reply->warnings[i], sizeof(warned) - strlen(warned) - 1);
    return warned;
}

static void restart(struct world *w, const char *open_state)
{
    struct conf *old = w->c.conf;

    build_with(w, "50", "50", open_state);
    harness_restart(&w->c.h);
    conf_free(old);
    agent_register(&w->c.h, &w->c.a);
}

static bool accepts(struct world *w)
{
    return submit_as(w, "ann", "open")->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY;
}

static void stopped_queue_stays_stopped(void **state)
{
    struct world *w = *state;

    accepted(set_state(w, "admin", "open", false));
    restart(w, NULL);
    assert_false(accepts(w));
    assert_string_equal(refresh(w, NULL), "queue root.open: stays stopped, because of creel queue "
                                          "stop (admin)");
    assert_false(accepts(w));
    accepted(set_state(w, "admin", "open", true));
    assert_true(accepts(w));
    assert_string_equal(refresh(w, NULL), "");
    restart(w, NULL);
    assert_true(accepts(w));
}

static void until_its_state_in_the_file_changes(void **state)
{
    struct world *w = *state;

    accepted(set_state(w, "admin", "open", false));
    assert_string_equal(refresh(w, "RUNNING"), "queue root.open: its state was changed in the "
                                               "configuration: the earlier creel queue stop is void");
    assert_true(accepts(w));
    assert_string_equal(refresh(w, "STOPPED"), "");
    assert_false(accepts(w));
    accepted(set_state(w, "admin", "open", true));
    restart(w, "STOPPED");
    assert_true(accepts(w));
    restart(w, NULL); /* the configuration was changed while the RM was down */
    assert_true(accepts(w));
    restart(w, "STOPPED");
    assert_false(accepts(w));
}

static void a_parents_state_ends_its_childrens(void **state)
{
    struct world *w = *state;

    accepted(set_state(w, "admin", "open", false));
    accepted(set_state(w, "admin", "root", false));
    restart(w, NULL);
    assert_false(accepts(w));
    accepted(set_state(w, "admin", "root", true));
    assert_true(accepts(w));
    restart(w, NULL);
    assert_true(accepts(w));
}

static void stopping_is_answered_when_it_is_stored(void **state)
{
    struct world *w = *state;

    w->c.h.hold_store = true;
    assert_null(set_state(w, "admin", "open", false));
    harness_commit(&w->c.h);
    assert_int_equal(harness_find_reply(&w->c.h, PEOPLE, w->c.h.next_request)->body_case,
                     CREEL__ENVELOPE__BODY_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(queue_admits_users_and_groups),
        TEST(stopped_queue_refuses_submissions),
        TEST(a_queue_that_the_file_has_run_starts_with_its_parent),
        TEST(a_queues_own_maximum_bounds_the_am),
        TEST(trial_respects_the_limits_of_the_queue),
        TEST(waiting_for_room_is_the_first_reason),
        TEST(queue_administrator_may_stop_and_see_its_applications),
        TEST(queues_limit_lifetimes),
        TEST(a_move_obeys_the_queue_it_leads_to),
        TEST(held_job_enters_the_queue_to_which_it_was_moved),
        TEST(an_application_survives_a_restart_where_it_was),
        TEST(application_of_a_removed_queue_and_label_ends_with_the_reason),
        TEST(an_application_that_runs_ends_with_its_queue),
        TEST(applications_that_ran_before_a_restart_precede_waiting_ones),
        TEST(stopped_queue_stays_stopped),
        TEST(until_its_state_in_the_file_changes),
        TEST(a_parents_state_ends_its_childrens),
        TEST(stopping_is_answered_when_it_is_stored),
        TEST(a_refresh_is_taken_and_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
