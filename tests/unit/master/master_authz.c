/* SPDX-License-Identifier: Apache-2.0 */
/* master_authz.c - test: authorization: every operation for every kind of user */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "common/conf/conf.h"
#include "rm/master/requests/step.h"
#include "rm/master/services/authz.h"
#include "rm/master/services/user_limits.h"
#include "rm/master/state/index.h"
#include "rm/sched/capacity/placement/access.h"
#include "tests/unit/master/master_harness.h"

#define CAPACITY "yarn.scheduler.capacity."

static const char *const settings[][2] = {
    { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
    { CAPACITY "root.queues", "lab" },
    { CAPACITY "root.acl_submit_applications", " " },
    { CAPACITY "root.acl_administer_queue", " " },
    { CAPACITY "root.lab.capacity", "100" },
    { CAPACITY "root.lab.acl_submit_applications", "owner,submitter" },
    { CAPACITY "root.lab.acl_administer_queue", "boss" },
};

/* Columns of the table below. */
static const char *const users[] = { "owner", "admin", "boss", "submitter", "gate", "other" };

#define USERS (sizeof(users) / sizeof(users[0]))

static const struct {
    const char *name, *expected; /* one letter for each user: y or n */
} expectations[AUTHZ_OPERATIONS] = {
    /*                                                      owner, admin, boss, submitter, gate, other */
    [AUTHZ_CHANGE_CLUSTER] = { "change the cluster", "nynnnn" },
    [AUTHZ_FOLLOW_CHANGES] = { "follow changes", "nynnyn" },
    [AUTHZ_FIND_TOKENS] = { "find users of tokens", "nynnyn" },
    [AUTHZ_EXCEED_LIMITS] = { "exceed limits", "nynnnn" },
    [AUTHZ_CHANGE_QUEUE] = { "change the queue", "nyynnn" },
    [AUTHZ_MOVE_TO_QUEUE] = { "move to the queue", "yyyynn" }, /* "boss" may, as in YARN */
    [AUTHZ_SEE_APP] = { "see the application", "yyynnn" },
    [AUTHZ_LIST_CONTAINERS] = { "list containers", "yyynnn" },
    [AUTHZ_EXPLAIN_APP] = { "ask why", "yyynnn" },
    [AUTHZ_READ_LOGS] = { "read logs", "yyynnn" },
    [AUTHZ_CHANGE_APP] = { "change the application", "yyynnn" },
    [AUTHZ_KILL_APP] = { "kill the application", "yyynnn" },
    [AUTHZ_HOLD_AS_ADMINISTRATOR] = { "hold as administrator", "nyynnn" },
    [AUTHZ_BE_MASTER] = { "be its application master", "ynnnnn" },
    [AUTHZ_RERUN_APP] = { "get its submission", "ynnnnn" },
    [AUTHZ_CONTROL_CONTAINERS] = { "control containers", "yynnyn" },
};

struct world {
    struct harness h;
    struct conf *conf;
    struct sched_config sched;
    char app[80];
    const char *job; /* struct master_peer.job of the users; NULL: none */
};

static void begin(struct world *w, bool acl, const char *admin_users)
{
    static char lab[] = "lab";
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 1);

    *w = (struct world){ .app = "" };
    harness_init(&w->h);
    w->conf = conf_of(settings, sizeof(settings) / sizeof(settings[0]));
    if (acl && conf_set(w->conf, "yarn.acl.enable", "true", NULL) < 0)
        fail();
    w->sched = capacity_of(w->conf);
    w->sched.access = capacity_access_new(w->conf);
    w->h.config.scheduler = "capacity";
    w->h.config.sched = &w->sched;
    w->h.config.acl_enable = acl;
    w->h.config.admin_users = admin_users;
    w->h.config.proxy_users = "gate";
    harness_start(&w->h);
    job->queue = lab;
    people_submit_as(&w->h, "owner", job, NULL, w->app);
    assert_string_not_equal(w->app, "");
}

static void end(struct world *w)
{
    harness_done(&w->h);
    conf_free(w->conf);
}

static bool allowed(struct world *w, enum authz_operation operation, const char *user)
{
    struct master *m = w->h.master;
    bool allowed = false;
    struct err err = { .code = 0 };
    struct app_id id;
    int r = 0;

    rm_step_begin(m, w->h.now, &w->h.effects);
    m->asking_job = w->job;
    switch (operation) {
    case AUTHZ_CHANGE_CLUSTER:
    case AUTHZ_FOLLOW_CHANGES:
    case AUTHZ_FIND_TOKENS:
    case AUTHZ_EXCEED_LIMITS:
        allowed = rm_authz_cluster(m, user, operation);
        r = rm_authz_check_cluster(m, user, operation, &err);
        break;
    case AUTHZ_CHANGE_QUEUE:
    case AUTHZ_MOVE_TO_QUEUE:
        allowed = rm_authz_queue(m, user, operation, "root.lab");
        r = rm_authz_check_queue(m, user, operation, "root.lab", &err);
        break;
    default:
        assert_true(app_id_parse(w->app, &id));
        allowed = rm_authz_app(m, user, operation, rm_app_find(m, id.seq));
        r = rm_authz_check_app(m, user, operation, rm_app_find(m, id.seq), &err);
    }
    m->asking_job = NULL;
    rm_step_end(m);
    assert_int_equal(r == 0, allowed);
    if (!allowed)
        assert_non_null(strstr(err.text, user)); /* the refusal names the user */
    return allowed;
}

static void check(struct world *w, enum authz_operation operation, const char *expected)
{
    for (size_t u = 0; u < USERS; u++)
        if (allowed(w, operation, users[u]) != (expected[u] == 'y'))
            fail_msg("%s, by %s: expected %c", expectations[operation].name, users[u], expected[u]);
}

static void each_operation_takes_one_of_its_rights(void **state)
{
    struct world w;

    (void)state;
    begin(&w, true, "admin");
    for (enum authz_operation o = 0; o < AUTHZ_OPERATIONS; o++)
        check(&w, o, expectations[o].expected);
    end(&w);
}

static void without_acls_some_operations_need_a_right_all_the_same(void **state)
{
    struct world w;

    (void)state;
    begin(&w, false, "admin");
    for (enum authz_operation o = 0; o < AUTHZ_OPERATIONS; o++)
        check(&w, o,
              o == AUTHZ_CHANGE_CLUSTER || o == AUTHZ_FOLLOW_CHANGES || o == AUTHZ_FIND_TOKENS ||
                      o == AUTHZ_EXCEED_LIMITS || o == AUTHZ_CONTROL_CONTAINERS || o == AUTHZ_BE_MASTER ||
                      o == AUTHZ_RERUN_APP
                  ? expectations[o].expected
                  : "yyyyyy");
    end(&w);
}

static void all_users_as_administrators_does_not_open_containers(void **state)
{
    struct world w;

    (void)state;
    begin(&w, true, "*");
    check(&w, AUTHZ_CHANGE_CLUSTER, "yyyyyy");
    check(&w, AUTHZ_KILL_APP, "yyyyyy");
    check(&w, AUTHZ_CONTROL_CONTAINERS, "ynnnyn");
    end(&w);
}

static void a_job_has_the_rights_of_an_owner_alone(void **state)
{
    struct world w;

    (void)state;
    begin(&w, true, "admin");
    w.job = w.app;
    for (enum authz_operation o = 0; o < AUTHZ_OPERATIONS; o++)
        check(&w, o,
              o == AUTHZ_MOVE_TO_QUEUE                                ? "ynyynn" /* as submitters */
              : o < AUTHZ_SEE_APP || o == AUTHZ_HOLD_AS_ADMINISTRATOR ? "nnnnnn"
                                                                      : "ynnnnn");
    end(&w);
}

static void a_job_gets_no_administrators_as_near_a_limit(void **state)
{
    const struct master_user_limits limits = { .jobs = 1 };
    static char lab[] = "lab";
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 1);
    Creel__ClusterInfo info = CREEL__CLUSTER_INFO__INIT;
    struct master *m;
    struct world w;
    char app[80];

    (void)state;
    begin(&w, true, "owner"); /* who has a job */
    m = w.h.master;
    job->queue = lab;
    people_submit_as(&w.h, "submitter", job, NULL, app);
    assert_string_not_equal(app, "");
    master_set_user_limits(m, &limits);
    rm_step_begin(m, w.h.now, &w.h.effects);
    m->asking_job = w.app;
    rm_user_limits_report(m, &info);
    assert_string_equal(m->asking_job, w.app);
    m->asking_job = NULL;
    assert_int_equal(info.n_near_limits, 1);
    assert_string_equal(info.near_limits[0]->user, "submitter");
    rm_step_end(m);
    end(&w);
}

static const Creel__Envelope *ask_as(struct world *w, const char *user, Creel__Envelope *query)
{
    const Creel__Envelope *reply;

    query->as_user = (char *)(uintptr_t)user;
    reply = harness_ask(&w->h, MASTER_CLIENT, 1, "gate", query);
    assert_non_null(reply);
    return reply;
}

/* Asks for one application, and for the list of all, as USER. Returns may_change of the single one. */
static bool may_change_app(struct world *w, const char *user)
{
    Creel__Envelope *query = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_APPS);
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    const Creel__AppList *list;
    bool ret;

    query->list_apps = &body;
    list = ask_as(w, user, query)->app_list;
    assert_int_equal(list->n_apps, 1);
    assert_false(list->apps[0]->may_change); /* lists do not have it */
    body.app_id = w->app;
    query = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_APPS);
    query->list_apps = &body;
    list = ask_as(w, user, query)->app_list;
    assert_int_equal(list->n_apps, 1);
    ret = list->apps[0]->may_change;
    harness_forget(&w->h);
    return ret;
}

static bool may_change_nodes(struct world *w, const char *user)
{
    Creel__Envelope *query = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_NODES);
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;
    bool ret;

    query->list_nodes = &body;
    ret = ask_as(w, user, query)->node_list->may_change;
    harness_forget(&w->h);
    return ret;
}

static void check_reported_rights(bool acl, const char *apps, const char *nodes)
{
    struct world w;

    begin(&w, acl, "admin");
    for (size_t u = 0; u < USERS; u++) {
        assert_int_equal(may_change_app(&w, users[u]), apps[u] == 'y');
        assert_int_equal(may_change_nodes(&w, users[u]), nodes[u] == 'y');
    }
    end(&w);
}

/* "boss" administers the queue of the application. */
static void replies_report_whether_the_user_may_change_an_application_or_nodes(void **state)
{
    (void)state;
    check_reported_rights(true, expectations[AUTHZ_CHANGE_APP].expected,
                          expectations[AUTHZ_CHANGE_CLUSTER].expected);
    check_reported_rights(false, "yyyyyy", expectations[AUTHZ_CHANGE_CLUSTER].expected);
}

static void a_refresh_changes_the_reported_rights(void **state)
{
    struct world w;

    (void)state;
    begin(&w, true, "admin");
    assert_false(may_change_app(&w, "other"));
    master_set_access(w.h.master, "admin,other", "gate", true);
    assert_true(may_change_app(&w, "other"));
    assert_true(may_change_nodes(&w, "other"));
    end(&w);
}

static void only_proxies_act_for_others(void **state)
{
    const struct {
        const char *principal, *as_user, *acting; /* NULL: refused */
    } cases[] = {
        { "ann", "", "ann" },     { "ann", "ann", "ann" },  { "ann", "bob", NULL },
        { "admin", "bob", NULL }, { "gate", "bob", "bob" }, { "gate", "", "gate" },
    };
    struct world w;

    (void)state;
    begin(&w, true, "admin");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct master_peer peer = { MASTER_CLIENT, 1, cases[i].principal, NULL };
        Creel__Envelope in = CREEL__ENVELOPE__INIT;
        struct err err = { .code = 0 };
        const char *user;

        in.as_user = (char *)(uintptr_t)cases[i].as_user;
        user = rm_authz_acting_user(w.h.master, &peer, &in, &err);
        if (cases[i].acting)
            assert_string_equal(user, cases[i].acting);
        else
            assert_null(user);
    }
    end(&w);
}

/* An application that only the history has is judged as one that the resource manager has. */
static void forgotten_applications_are_judged_alike(void **state)
{
    static const enum authz_operation operations[] = {
        [MASTER_MAY_SEE] = AUTHZ_SEE_APP,
        [MASTER_MAY_LIST] = AUTHZ_LIST_CONTAINERS,
        [MASTER_MAY_READ_LOGS] = AUTHZ_READ_LOGS,
    };
    Creel__AppReport report = CREEL__APP_REPORT__INIT;
    char owner[] = "owner", queue[] = "root.lab";
    struct world w;

    (void)state;
    begin(&w, true, "admin");
    report.user = owner;
    report.queue = queue;
    for (enum master_right right = MASTER_MAY_SEE; right <= MASTER_MAY_READ_LOGS; right++)
        for (size_t u = 0; u < USERS; u++)
            assert_int_equal(master_may(w.h.master, users[u], NULL, right, &report),
                             expectations[operations[right]].expected[u] == 'y');
    assert_true(master_may(w.h.master, "owner", w.app, MASTER_MAY_SEE, &report));
    assert_false(master_may(w.h.master, "admin", w.app, MASTER_MAY_SEE, &report)); /* in a job of hers */
    end(&w);
}

static Creel__AppReport *report_new(void)
{
    Creel__AppReport *report = mem_new0(Creel__AppReport);

    creel__app_report__init(report);
    report->app_id = mem_strdup("application_1790000000000_0001");
    report->user = mem_strdup("owner");
    report->queue = mem_strdup("root.lab");
    report->diagnostics = mem_strdup("secret");
    report->n_command = report->n_nodes = 1;
    report->command = mem_array0(1, sizeof(char *));
    report->command[0] = mem_strdup("secret");
    report->nodes = mem_array0(1, sizeof(char *));
    report->nodes[0] = mem_strdup("n1:1");
    report->restart_reason = mem_strdup("secret");
    report->tracking_url = mem_strdup("http://secret");
    report->n_dependencies = 1;
    report->dependencies = mem_array0(1, sizeof(Creel__Dependency *));
    report->dependencies[0] = mem_new0(Creel__Dependency);
    creel__dependency__init(report->dependencies[0]);
    report->memory_mb_seconds = 7;
    return report;
}

static void others_see_the_use_of_forgotten_applications_only(void **state)
{
    Creel__AppReport *report = report_new();
    struct world w;

    (void)state;
    begin(&w, true, "admin");
    master_hide(w.h.master, "boss", NULL, report);
    assert_string_equal(report->command[0], "secret");
    assert_string_equal(report->diagnostics, "secret");
    master_hide(w.h.master, "other", NULL, report);
    assert_int_equal(report->n_command, 0);
    assert_int_equal(report->n_nodes, 0);
    assert_int_equal(report->n_dependencies, 0);
    assert_string_equal(report->restart_reason, "");
    assert_string_equal(report->tracking_url, "");
    assert_string_equal(report->diagnostics, "");
    assert_string_equal(report->user, "owner");
    assert_int_equal(report->memory_mb_seconds, 7);
    protobuf_c_message_free_unpacked(&report->base, NULL);
    end(&w);
}

static void an_application_that_exists_is_not_forgotten(void **state)
{
    struct app_id id = { .seq = 0 };
    char number[16];
    struct world w;

    (void)state;
    begin(&w, true, "admin");
    assert_false(master_has_forgotten(w.h.master, w.app, &id));
    assert_false(master_has_forgotten(w.h.master, "1", &id));
    assert_true(app_id_parse(w.app, &id));
    snprintf(number, sizeof(number), "%u", id.seq + 1);
    assert_false(master_has_forgotten(w.h.master, number, &id)); /* there never was one */
    assert_false(master_has_forgotten(w.h.master, "nightly", &id));
    master_recover_last_app(w.h.master, 10);
    assert_true(master_has_forgotten(w.h.master, "_0007", &id));
    assert_int_equal(id.seq, 7);
    assert_true(master_has_forgotten(w.h.master, "application_1500000000000_0001", &id)); /* before a
                                                                                             state was lost */
    assert_int_equal(id.cluster_ms, 1500000000000);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_takes_one_of_its_rights),
        cmocka_unit_test(without_acls_some_operations_need_a_right_all_the_same),
        cmocka_unit_test(all_users_as_administrators_does_not_open_containers),
        cmocka_unit_test(a_job_has_the_rights_of_an_owner_alone),
        cmocka_unit_test(a_job_gets_no_administrators_as_near_a_limit),
        cmocka_unit_test(replies_report_whether_the_user_may_change_an_application_or_nodes),
        cmocka_unit_test(a_refresh_changes_the_reported_rights),
        cmocka_unit_test(only_proxies_act_for_others),
        cmocka_unit_test(forgotten_applications_are_judged_alike),
        cmocka_unit_test(others_see_the_use_of_forgotten_applications_only),
        cmocka_unit_test(an_application_that_exists_is_not_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
