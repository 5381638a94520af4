/* SPDX-License-Identifier: Apache-2.0 */
/* sched_mapping.c - test: queue mappings as lists: syntax, and the queue chosen for an app */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/sched/mapping_fixture.h"

#define MAPPINGS "yarn.scheduler.capacity.queue-mappings"
#define OVERRIDE "yarn.scheduler.capacity.queue-mappings-override.enable"
#define KINDS "yarn.scheduler.queue-placement-rules"
#define APP_NAMES "yarn.scheduler.queue-placement-rules.app-name"

#define assert_text(text, part) \
    do { \
        if (strstr((text), (part)) == NULL) \
            fail_msg("\"%s\" is not in: %s", (part), (text)); \
    } while (0)

static void test_without_rules(void **state)
{
    struct mapping_world world;

    (void)state;
    mapping_world_begin(&world);
    mapping_load(&world, NULL);
    assert_int_equal(capacity_placement_rule_count(world.placement), 0);
    assert_string_equal(mapping_place(&world, "bob", "", NULL, NULL), "root.default");
    assert_string_equal(mapping_place(&world, "bob", "", "", NULL), "root.default");
    assert_string_equal(mapping_place(&world, "bob", "", "default", NULL), "root.default");
    assert_string_equal(mapping_place(&world, "bob", "", "q1", NULL), "root.q1");
    assert_string_equal(mapping_place(&world, "bob", "", "ml", NULL), "root.dev.ml");
    assert_string_equal(mapping_place(&world, "bob", "", "root.dev.ml", NULL), "root.dev.ml");
    assert_string_equal(mapping_place(&world, "bob", "", "dev.ml", NULL), "root.dev.ml");
    assert_text(mapping_place(&world, "bob", "", "q3", NULL),
                "q3: no such queue (there is: root.default, root.q1, root.q2, root.dev.ml");
    assert_text(mapping_place(&world, "bob", "", "q2", NULL),
                "q2: several queues have this name: root.q2, root.twin.q2");
    assert_text(mapping_place(&world, "bob", "", "dev", NULL), "root.dev: not a leaf queue");
    assert_text(mapping_place(&world, "bob", "", "root", NULL), "root: not a leaf queue");
    assert_text(mapping_place(&world, "bob", "", "root.dev.x", NULL),
                "root.dev.x: no such queue, and root.dev creates none");
    assert_text(mapping_place(&world, "bob", "", "root.q1.x", NULL), "root.q1 is a leaf");
    assert_text(mapping_place(&world, "bob", "", "root..q1", NULL), "a part of this path is empty");
    assert_text(mapping_place(&world, "bob", "", "nobody.q1", NULL), "nobody: no such queue");
    mapping_world_end(&world);
}

/* Mappings can name queues that are created on demand, except for the older kind of such queues. */
static void test_named_queues_are_created(void **state)
{
    struct mapping_world world;

    (void)state;
    mapping_world_begin(&world);
    mapping_load(&world, NULL);
    assert_string_equal(mapping_place(&world, "bob", "", "root.auto.x", NULL), "root.auto.x (created)");
    assert_string_equal(mapping_place(&world, "bob", "", "auto.x.y", NULL), "root.auto.x.y (created)");
    assert_text(mapping_place(&world, "bob", "", "root.auto.x.y.z", NULL),
                "root.auto creates at most 2 levels of queues");
    assert_text(mapping_place(&world, "bob", "", "root.auto", NULL), "not a leaf");
    assert_text(mapping_place(&world, "bob", "", "root.old.x", NULL),
                "root.old.x: queues there are reached by queue mappings only");

    mapping_create(&world, "root.auto.p.q");
    assert_string_equal(mapping_place(&world, "bob", "", "root.auto.p.r", NULL), "root.auto.p.r (created)");
    assert_text(mapping_place(&world, "bob", "", "root.auto.p.r.s", NULL), "at most 2 levels");
    assert_string_equal(mapping_place(&world, "bob", "", "root.auto.p.q", NULL), "root.auto.p.q");
    mapping_create(&world, "root.old.made");
    assert_text(mapping_place(&world, "bob", "", "root.old.made", NULL), "by queue mappings only");
    mapping_world_end(&world);
}

static void test_users_groups_order(void **state)
{
    struct mapping_world world;

    (void)state;
    mapping_world_begin(&world);
    mapping_set(&world, MAPPINGS,
                "  u : alice : q1 ,, g:staff:root.groups.staff,u:alice:ml,"
                "u:carol:dev.ml");
    mapping_load(&world, NULL);
    assert_int_equal(capacity_placement_rule_count(world.placement), 4);
    assert_string_equal(mapping_place(&world, "alice", "staff", NULL, NULL), "root.q1");
    assert_string_equal(mapping_place(&world, "bob", "ops,staff", NULL, NULL), "root.groups.staff");
    assert_string_equal(mapping_place(&world, "carol", "", "default", NULL), "root.dev.ml");
    assert_string_equal(mapping_place(&world, "dave", "", NULL, NULL), "root.default");
    /* A queue named by the submission takes precedence, also the default queue by its full path. */
    assert_string_equal(mapping_place(&world, "alice", "", "ml", NULL), "root.dev.ml");
    assert_string_equal(mapping_place(&world, "alice", "", "root.default", NULL), "root.default");
    mapping_world_end(&world);
}

static void test_override(void **state)
{
    struct mapping_world world;

    (void)state;
    mapping_world_begin(&world);
    mapping_set(&world, MAPPINGS, "u:alice:q1");
    mapping_set(&world, OVERRIDE, "TRUE");
    mapping_load(&world, NULL);
    assert_string_equal(mapping_place(&world, "alice", "", "ml", NULL), "root.q1");
    assert_string_equal(mapping_place(&world, "alice", "", "nowhere", NULL), "root.q1");
    assert_string_equal(mapping_place(&world, "bob", "", "ml", NULL), "root.dev.ml");
    mapping_set(&world, OVERRIDE, "yes");
    mapping_load(&world, NULL);
    assert_text(world.warnings, OVERRIDE ": \"yes\" is neither true nor false");
    assert_string_equal(mapping_place(&world, "alice", "", "ml", NULL), "root.dev.ml");
    mapping_world_end(&world);
}

static void test_variables(void **state)
{
    static const struct {
        const char *mappings, *user, *groups, *where;
    } cases[] = {
        { "u:%user:%user", "alice", "", "root.dev.alice" },
        { "u:%user:%user", "nobody", "", "root.default" },
        { "u:%user:q1", "nobody", "", "root.q1" },
        { "u:%user:%primary_group", "x", "staff,ops", "root.groups.staff" },
        { "u:%user:%primary_group", "x", "", "root.default" },
        { "u:%user:%secondary_group", "x", "staff,none,ops", "root.groups.ops" },
        { "u:%user:%secondary_group", "x", "ops", "root.default" },
        { "u:%user:root.groups.%secondary_group", "x", "a,q1,staff", "root.groups.staff" },
        { "u:%user:groups.%secondary_group", "x", "a,q1,staff", "root.groups.staff" },
        { "u:%user:dev.%user", "alice", "", "root.dev.alice" },
        { "u:%user:%primary_group.%user", "alice", "dev", "root.dev.alice" },
        { "u:%user:%secondary_group.%user", "alice", "x,dev", "root.dev.alice" },
        { "u:bob:dev.%user,u:alice:dev.%user", "alice", "", "root.dev.alice" },
        { "g:%user:q1", "ops", "x,ops", "root.q1" },
        { "u:%primary_group:q1", "ops", "ops", "root.q1" },
        { "u:%user:root.auto.%primary_group.%user", "a.b", "g.h", "root.auto.g_dot_h.a_dot_b (created)" },
        { "u:%user:auto.%user", "bob", "", "root.auto.bob (created)" },
        { "u:%user:old.%user", "bob", "", "root.old.bob (created)" },
        { "u:%user:root.old.%primary_group.%user", "bob", "g", "root.default" },
        { "u:a.b:q1", "a.b", "", "root.q1" },
        { "u:a_dot_b:q1", "a.b", "", "root.default" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mapping_world world;

        mapping_world_begin(&world);
        mapping_set(&world, MAPPINGS, cases[i].mappings);
        mapping_load(&world, NULL);
        assert_string_equal(mapping_place(&world, cases[i].user, cases[i].groups, NULL, NULL),
                            cases[i].where);
        mapping_world_end(&world);
    }
}

static void test_app_names(void **state)
{
    struct mapping_world world;

    (void)state;
    mapping_world_begin(&world);
    mapping_set(&world, APP_NAMES, "etl:q1, %application:root.auto.%application");
    mapping_set(&world, MAPPINGS, "u:alice:ml");
    mapping_load(&world, NULL);
    assert_string_equal(mapping_place(&world, "bob", "", NULL, "etl"), "root.q1");
    assert_string_equal(mapping_place(&world, "bob", "", NULL, "ETL"), "root.auto.ETL (created)");
    assert_string_equal(mapping_place(&world, "bob", "", NULL, NULL), "root.default");
    assert_string_equal(mapping_place(&world, "bob", "", NULL, "a..b"), "root.default");
    assert_string_equal(mapping_place(&world, "alice", "", NULL, "etl"), "root.dev.ml");
    mapping_set(&world, KINDS, "app-name,user-group");
    mapping_load(&world, NULL);
    assert_string_equal(mapping_place(&world, "alice", "", NULL, "etl"), "root.q1");
    mapping_world_end(&world);
}

static void test_refused(void **state)
{
    static const struct {
        const char *key, *value, *text;
    } cases[] = {
        { MAPPINGS, "x:a:b", "\"x:a:b\": expected u:<user>:<queue> or g:<group>:<queue>" },
        { MAPPINGS, "u:", "\"u:\": expected u:<user>:<queue>" },
        { MAPPINGS, "u:a", "\"u:a\": expected" },
        { MAPPINGS, "u::q1", "\"u::q1\": expected" },
        { MAPPINGS, "u:a:", "\"u:a:\": expected" },
        { MAPPINGS, "u:a:q1,g:a:q1:e", "\"g:a:q1:e\": expected" },
        { MAPPINGS, "u:a:b:c:d:e", "expected" },
        { MAPPINGS, "u:user:nowhere", "\"u:user:nowhere\": nowhere: no such queue" },
        { MAPPINGS, "u:a:q2", "q2: several queues have this name" },
        { MAPPINGS, "u:a:dev", "root.dev: not a leaf queue" },
        { MAPPINGS, "u:a:root", "root: not a leaf queue" },
        { MAPPINGS, "u:a:dev.x", "root.dev.x: no such queue, and root.dev creates none" },
        { MAPPINGS, "u:a:root.auto.x.y.z", "root.auto creates at most 2 levels" },
        { MAPPINGS, "u:a:root.old.x.y", "only directly below itself" },
        { MAPPINGS, "u:a:root..q1", "a part of this path is empty" },
        { MAPPINGS, "u:a:root.q1.", "a part of this path is empty" },
        { MAPPINGS, "u:%user:q1.%user", "root.q1 is a leaf: nothing can be below it" },
        { MAPPINGS, "u:%user:root.q1.%user", "root.q1 is a leaf" },
        { MAPPINGS, "u:%user:nowhere.%user", "nowhere: no such queue" },
        { MAPPINGS, "u:%user:root.dev.x.%user", "root.dev creates none" },
        { MAPPINGS, "u:%user:root.%user..x", "a part of this path is empty" },
        { MAPPINGS, "u:a:%unknown", "%unknown: no such queue" },
        { APP_NAMES, "etl", "\"etl\": expected <application name>:<queue>" },
        { APP_NAMES, "u:etl:q1", "expected <application name>:<queue>" },
        { APP_NAMES, "etl:nowhere", "nowhere: no such queue" },
        { KINDS, "user-group,org.example.Rule", "\"org.example.Rule\": expected user-group or app-name" },
        { KINDS, "app-name,app-name", "is named twice" },
        { "yarn.scheduler.capacity.mapping-rule-format", "xml", "\"xml\": expected legacy or json" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mapping_world world;

        mapping_world_begin(&world);
        mapping_set(&world, cases[i].key, cases[i].value);
        mapping_refused(&world, NULL, cases[i].text);
        mapping_refused(&world, NULL, cases[i].key);
        mapping_world_end(&world);
    }
}

/* One error message lists all problems, each with its position. */
static void test_every_problem_is_reported(void **state)
{
    struct mapping_world world;

    (void)state;
    mapping_world_begin_file(&world, "<property><name>" MAPPINGS "</name>\n"
                                     "<value>u:a,u:%user:%user,g:b:nowhere</value></property>\n"
                                     "<property><name>" APP_NAMES "</name><value>x</value></property>\n");
    mapping_refused(&world, NULL, "capacity-scheduler.xml:3: " MAPPINGS ": \"u:a\": expected");
    mapping_refused(&world, NULL, "capacity-scheduler.xml:3: " MAPPINGS ": \"g:b:nowhere\": nowhere");
    mapping_refused(&world, NULL, "capacity-scheduler.xml:4: " APP_NAMES ": \"x\"");
    mapping_world_end(&world);
}

/* A missing parent before a variable may be created; a queue that may exist later is accepted. */
static void test_patterns_that_load(void **state)
{
    static const char *const mappings[] = {
        "u:%user:root.%user", "u:%user:root.auto.x.%user", "u:%user:dev.%primary_group",
        "u:%user:%user.x",    "u:a:root.auto.x.y",         "u:a:root.old.x",
        "u:%user:%specified", "u:%user:%default",          "u:%user:root.old.x.%user",
        "a:etl:q1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(mappings) / sizeof(mappings[0]); i++) {
        struct mapping_world world;

        mapping_world_begin(&world);
        mapping_set(&world, MAPPINGS, mappings[i]);
        mapping_load(&world, NULL);
        mapping_world_end(&world);
    }
}

static void test_default_queue_gone(void **state)
{
    struct mapping_world world;

    (void)state;
    mapping_world_begin_file(&world, "");
    mapping_set(&world, MAPPINGS, "u:%user:%user");
    mapping_load(&world, NULL);
    assert_string_equal(mapping_place(&world, "bob", "", NULL, NULL),
                        "rejected by rule 1 (queue-mappings \"u:%user:%user\"): bob: no such queue; "
                        "the default queue: root.default: no such queue, and root creates none (neither "
                        "auto-queue-creation-v2 nor auto-create-child-queue is enabled)");
    mapping_world_end(&world);
}

static void append_trace(void *context, int rule, const char *text, const char *outcome)
{
    char *kept = context;
    size_t used = strlen(kept);

    snprintf(kept + used, 1000 - used, "%d %s: %s\n", rule, text, outcome);
}

static void test_explained(void **state)
{
    struct mapping_world world;
    struct placement_request request = { .person = { .user = "bob" } };
    struct placement_result result;
    char trace[1000] = "";

    (void)state;
    mapping_world_begin(&world);
    mapping_set(&world, MAPPINGS, "u:alice:q1,u:%user:old.%user");
    mapping_load(&world, NULL);
    assert_int_equal(capacity_placement_decide(world.placement, world.config, &request, append_trace, trace,
                                               &result, NULL),
                     0);
    assert_string_equal(trace, "1 queue-mappings \"u:alice:q1\": does not match\n"
                               "2 queue-mappings \"u:%user:old.%user\": places at root.old.bob, which is "
                               "created\n");
    assert_int_equal(result.rule, 2);
    assert_string_equal(result.why, "rule 2: queue-mappings \"u:%user:old.%user\"");
    placement_result_clear(&result);
    request.queue = "q1";
    assert_int_equal(
        capacity_placement_decide(world.placement, world.config, &request, NULL, NULL, &result, NULL), 0);
    assert_int_equal(result.rule, 0);
    assert_string_equal(result.why, "the queue that was asked for");
    placement_result_clear(&result);
    mapping_world_end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_rules),
        cmocka_unit_test(test_named_queues_are_created),
        cmocka_unit_test(test_users_groups_order),
        cmocka_unit_test(test_override),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_app_names),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_every_problem_is_reported),
        cmocka_unit_test(test_patterns_that_load),
        cmocka_unit_test(test_default_queue_gone),
        cmocka_unit_test(test_explained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
