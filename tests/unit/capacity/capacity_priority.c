/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_priority.c - test: capacity scheduler: priority of new applications, and which users may
 * request which priority */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/capacity/capacity_live.h"

#define BASE \
    "yarn.cluster.max-application-priority=10\nroot.queues=a,b\nroot.a.capacity=50\n" \
    "root.b.capacity=50\nroot.a.default-application-priority=3\n"
#define LISTS \
    "yarn.acl.enable=true\nyarn.admin.acl=boss\n" \
    "root.a.acl_application_max_priority=[user=ann,al max_priority=4 default_priority=2] " \
    "[group=staff max_priority=7 default_priority=9]\n"

static const char *const staff[] = { "staff" };

/* Returns the priority of a new application of USER in root.a; -1: refused. ASKED: requested priority; -1:
 * none. */
static int32_t given(struct live *live, const char *user, bool is_staff, int32_t asked, const char *tag,
                     struct err *err)
{
    struct sched_app_spec spec = {
        .user = user,
        .queue = "root.a",
        .groups = staff,
        .group_count = is_staff ? 1 : 0,
        .priority = asked,
        .priority_open = asked < 0,
        .tags = &tag,
        .tag_count = tag ? 1 : 0,
    };
    struct sched_app *app = live_try_app(live, spec, err);

    return app ? sched_app_priority(app) : -1;
}

static void the_queue_has_a_default_and_the_cluster_a_maximum(void **state)
{
    struct live live;
    struct err err;
    (void)state;

    live_begin(&live, BASE);
    assert_int_equal(given(&live, "ann", false, -1, NULL, &err), 3);
    assert_int_equal(given(&live, "ann", false, 0, NULL, &err), 0);
    assert_int_equal(given(&live, "ann", false, 99, NULL, &err), 10);
    live_end(&live);
}

static void priority_lists_limit_users_and_groups(void **state)
{
    struct live live;
    struct err err;
    struct sched_app *app;
    struct sched_app_spec who = { .user = "ann", .priority = 5 };
    (void)state;

    live_begin(&live, BASE LISTS);
    assert_int_equal(given(&live, "ann", false, 4, NULL, &err), 4);
    assert_int_equal(given(&live, "ann", false, -1, NULL, &err), 2);
    assert_int_equal(given(&live, "ann", false, 5, NULL, &err), -1);
    assert_int_equal(err.code, EACCES);
    assert_non_null(strstr(err.text, "may not have priority 5 there, 4 at most"));
    assert_int_equal(given(&live, "ann", true, 5, NULL, &err), 5);  /* allowed by the list for the
                                                                       group */
    assert_int_equal(given(&live, "bob", true, -1, NULL, &err), 7); /* bounded by the maximum for bob */
    assert_int_equal(given(&live, "bob", false, 0, NULL, &err), -1);
    assert_non_null(strstr(err.text, "no list of acl_application_max_priority names them"));
    assert_int_equal(given(&live, "boss", false, 99, NULL, &err), 10); /* bounded by the maximum of the
                                                                          cluster */
    app = live_app(&live, "bob", "root.b");                            /* root.b allows all users */
    assert_int_equal(sched_app_may_have_priority(live.sched, app, &who, &err), 0);
    app = live_app(&live, "ann", "root.a");
    assert_int_equal(sched_app_may_have_priority(live.sched, app, &who, &err), -EACCES);
    live_end(&live);
}

static void without_access_lists_they_do_not_count(void **state)
{
    struct live live;
    struct err err;
    (void)state;

    live_begin(&live, BASE "root.a.acl_application_max_priority=[user=ann max_priority=1]\n");
    assert_int_equal(given(&live, "bob", false, 9, NULL, &err), 9);
    assert_int_equal(given(&live, "bob", false, -1, NULL, &err), 3);
    live_end(&live);
}

#define WORKFLOWS "workflow-priority-mappings=w1:root.a:6, w2:root.b:7,w3:root:8,w4:root.a:99\n"

static void a_workflow_has_a_priority(void **state)
{
    struct live live;
    struct err err;
    (void)state;

    capacity_bad(BASE WORKFLOWS, "cs.xml:7: yarn.scheduler.capacity.workflow-priority-mappings: ");
    capacity_bad(BASE "workflow-priority-mappings=w1:root.a\n",
                 "expected <workflow id>:root.<path of a queue>:<priority> instead of w1:root.a");
    live_begin(&live, BASE "workflow-priority-mappings=w1:root.a:6, w2:root.b:7,w4:root.a:99\n");
    assert_int_equal(given(&live, "ann", false, -1, "workflowid:w1", &err), 6);
    assert_int_equal(given(&live, "ann", false, 1, "workflowid:w1", &err), 1);
    assert_int_equal(given(&live, "ann", false, -1, "w1", &err), 3);
    assert_int_equal(given(&live, "ann", false, -1, "workflowid:w2", &err), 3);
    assert_int_equal(given(&live, "ann", false, -1, "workflowid:w4", &err), 10);
    live_end(&live);
    live_begin(&live, BASE "workflow-priority-mappings=w1:root.a:6\nyarn.workflow-id.tag-prefix=wf-\n"
                           "workflow-priority-mappings-override.enable=true\n");
    assert_int_equal(given(&live, "ann", false, 1, "wf-w1", &err), 6);
    live_end(&live);
    live_begin(&live, BASE LISTS "workflow-priority-mappings=w1:root.a:6\n");
    assert_int_equal(given(&live, "ann", false, -1, "workflowid:w1", &err), -1);
    live_end(&live);
}

static void empty_priority_lists_are_refused(void **state)
{
    static const struct {
        const char *value, *text;
    } cases[] = {
        { "ann", "expected [user=<users> group=<groups> max_priority=<n> default_priority=<n>]" },
        { "[user=ann", "expected [user=<users>" },
        { "[max_priority=4]", "expected a user or a group in it" },
        { "[user=ann max_priority=high]", "expected a priority of at least 0" },
        { "[user=ann rank=4]", "expected user, group, max_priority and default_priority in it" },
    };
    char lines[400];
    (void)state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(lines, sizeof(lines), BASE "root.a.acl_application_max_priority=%s\n", cases[i].value);
        capacity_bad(lines, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queue_has_a_default_and_the_cluster_a_maximum),
        cmocka_unit_test(priority_lists_limit_users_and_groups),
        cmocka_unit_test(without_access_lists_they_do_not_count),
        cmocka_unit_test(a_workflow_has_a_priority),
        cmocka_unit_test(empty_priority_lists_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
