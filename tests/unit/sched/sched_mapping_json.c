/* SPDX-License-Identifier: Apache-2.0 */
/* sched_mapping_json.c - test: queue mappings as JSON: every policy, fallback and error */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/sched/mapping_fixture.h"

#define FORMAT "yarn.scheduler.capacity.mapping-rule-format"
#define JSON "yarn.scheduler.capacity.mapping-rule-json"
#define JSON_FILE "yarn.scheduler.capacity.mapping-rule-json-file"
#define OVERRIDE "yarn.scheduler.capacity.queue-mappings-override.enable"

#define EVERYBODY "\"type\": \"user\", \"matches\": \"*\", "

static void begin(struct mapping_world *world, const char *rules)
{
    char text[2000];

    mapping_world_begin(world);
    snprintf(text, sizeof(text), "{\"rules\": [%s]}", rules);
    mapping_set(world, FORMAT, "json");
    mapping_set(world, JSON, text);
}

static void test_policies(void **state)
{
    static const struct {
        const char *rule, *user, *groups, *queue, *app, *where;
    } cases[] = {
        { "\"policy\": \"specified\"", "bob", "", "ml", "", "root.dev.ml" },
        { "\"policy\": \"specified\", \"fallbackResult\": \"reject\"", "bob", "", "default", "",
          "rejected by rule 1 (user \"*\", policy specified, %specified): no queue is named" },
        { "\"policy\": \"specified\"", "bob", "", "root.auto.x", "", "root.auto.x (created)" },
        { "\"policy\": \"specified\", \"create\": false", "bob", "", "root.auto.x", "",
          "root.auto.x (created)" }, /* the rule is skipped; the submission names the queue itself */
        { "\"policy\": \"reject\"", "bob", "", NULL, "", "rejected by rule 1 (user \"*\", policy reject)" },
        { "\"policy\": \"defaultQueue\"", "bob", "", "ml", "", "root.default" },
        { "\"policy\": \"user\"", "alice", "", NULL, "", "root.dev.alice" },
        { "\"policy\": \"user\", \"parentQueue\": \"root.auto\"", "a.b", "", NULL, "",
          "root.auto.a_dot_b (created)" },
        { "\"policy\": \"user\", \"parentQueue\": \"root.auto\", \"create\": false", "bob", "", NULL, "",
          "root.default" },
        { "\"policy\": \"primaryGroup\", \"parentQueue\": \"root.groups\"", "x", "ops", NULL, "",
          "root.groups.ops" },
        { "\"policy\": \"primaryGroupUser\"", "alice", "dev", NULL, "", "root.dev.alice" },
        { "\"policy\": \"primaryGroupUser\", \"parentQueue\": \"root.auto\"", "x", "g", NULL, "",
          "root.auto.g.x (created)" },
        { "\"policy\": \"secondaryGroup\", \"parentQueue\": \"root.groups\"", "x", "staff,a,ops", NULL, "",
          "root.groups.ops" },
        { "\"policy\": \"secondaryGroupUser\"", "alice", "x,y,dev", NULL, "", "root.dev.alice" },
        { "\"policy\": \"applicationName\"", "x", "", NULL, "q1", "root.q1" },
        { "\"policy\": \"applicationName\", \"parentQueue\": \"root.auto\"", "x", "", NULL, "ETL-1",
          "root.auto.ETL-1 (created)" },
        { "\"policy\": \"applicationName\", \"parentQueue\": \"root.auto\"", "x", "", NULL, "e t l",
          "root.default" },
        { "\"policy\": \"custom\", \"customPlacement\": \"root.dev.%user\"", "alice", "", NULL, "",
          "root.dev.alice" },
        { "\"policy\": \"custom\", \"customPlacement\": \"%specified.%user\"", "alice", "", "dev", "",
          "root.dev.alice" },
        { "\"policy\": \"user\", \"fallbackResult\": \"placeDefault\"", "bob", "", "q1", "", "root.default" },
        { "\"policy\": \"user\", \"fallbackResult\": \"skip\"", "bob", "", "q1", "", "root.q1" },
        { "\"policy\": \"user\", \"fallbackResult\": \"reject\"", "bob", "", "q1", "",
          "rejected by rule 1 (user \"*\", policy user, %user): bob: no such queue" },
        { "\"policy\": \"user\", \"create\": \"false\", \"parentQueue\": null", "alice", "", NULL, "",
          "root.dev.alice" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mapping_world world;
        char rule[500];

        snprintf(rule, sizeof(rule), "{" EVERYBODY "%s}", cases[i].rule);
        begin(&world, rule);
        mapping_set(&world, OVERRIDE, "true");
        mapping_load(&world, NULL);
        assert_string_equal(
            mapping_place(&world, cases[i].user, cases[i].groups, cases[i].queue, cases[i].app),
            cases[i].where);
        mapping_world_end(&world);
    }
}

static void test_matches(void **state)
{
    struct mapping_world world;

    (void)state;
    begin(&world,
          "{\"type\": \"user\", \"matches\": \"a.b\", \"policy\": \"custom\", \"customPlacement\": \"q1\"},"
          "{\"type\": \"group\", \"matches\": \"g.h\", \"policy\": \"custom\", \"customPlacement\": \"ml\"},"
          "{\"type\": \"application\", \"matches\": \"etl\", \"policy\": \"custom\","
          " \"customPlacement\": \"root.q2\"},"
          "{\"type\": \"user\", \"matches\": \"x%primary_group\", \"policy\": \"reject\"},"
          "{\"type\": \"application\", \"matches\": \"*\", \"policy\": \"custom\","
          " \"customPlacement\": \"root.groups.ops\"}");
    mapping_load(&world, NULL);
    assert_string_equal(world.warnings, "");
    assert_string_equal(mapping_place(&world, "a.b", "", NULL, NULL), "root.q1");
    assert_string_equal(mapping_place(&world, "a_dot_b", "", NULL, NULL), "root.groups.ops");
    assert_string_equal(mapping_place(&world, "c", "x,g.h", NULL, NULL), "root.dev.ml");
    assert_string_equal(mapping_place(&world, "c", "x", NULL, "etl"), "root.q2");
    assert_string_equal(mapping_place(&world, "xx", "x", NULL, NULL),
                        "rejected by rule 4 (user \"x%primary_group\", policy reject)");
    assert_string_equal(mapping_place(&world, "c", "x", NULL, "other"), "root.groups.ops");
    assert_string_equal(mapping_place(&world, "a.b", "", "root.q2", NULL), "root.q2");
    mapping_world_end(&world);
}

static void test_default_queue_is_set(void **state)
{
    struct mapping_world world;

    (void)state;
    begin(&world, "{\"type\": \"user\", \"matches\": \"alice\", \"policy\": \"setDefaultQueue\","
                  " \"value\": \"root.dev.%user\"},"
                  "{\"type\": \"user\", \"matches\": \"bob\", \"policy\": \"setDefaultQueue\","
                  " \"value\": \"root.nowhere\"},"
                  "{\"type\": \"group\", \"matches\": \"staff\", \"policy\": \"custom\","
                  " \"customPlacement\": \"root.auto.%user.x.y\", \"fallbackResult\": \"placeDefault\"},"
                  "{" EVERYBODY "\"policy\": \"defaultQueue\", \"fallbackResult\": \"reject\"}");
    mapping_load(&world, NULL);
    assert_non_null(strstr(world.warnings, "rule 2 (user \"bob\", policy setDefaultQueue, "
                                           "root.nowhere): root.nowhere: no such queue"));
    assert_string_equal(mapping_place(&world, "alice", "", NULL, NULL), "root.dev.alice");
    assert_string_equal(mapping_place(&world, "alice", "staff", NULL, NULL), "root.dev.alice");
    assert_string_equal(mapping_place(&world, "carol", "staff", NULL, NULL), "root.default");
    assert_non_null(strstr(mapping_place(&world, "bob", "", NULL, NULL), "rejected by rule 4"));
    mapping_world_end(&world);
}

static void test_refused(void **state)
{
    static const struct {
        const char *rules, *text;
    } cases[] = {
        { "{", "not JSON: line 1, column" },
        { "1", "rule 1: expected {\"type\"" },
        { "{}", "rule 1: type is missing" },
        { "{}", "rule 1: matches is missing" },
        { "{}", "rule 1: policy is missing" },
        { "{\"type\": \"user\", \"matches\": \"\", \"policy\": \"user\"}", "matches is empty" },
        { "{\"type\": \"users\", \"matches\": \"a\", \"policy\": \"user\"}",
          "type: \"users\": expected user, group or application" },
        { "{\"type\": \"User\", \"matches\": \"a\", \"policy\": \"user\"}", "type: \"User\"" },
        { "{\"type\": \"group\", \"matches\": \"*\", \"policy\": \"user\"}",
          "\"*\" cannot be used for groups" },
        { "{" EVERYBODY "\"policy\": \"elsewhere\"}", "policy: \"elsewhere\": expected specified" },
        { "{" EVERYBODY "\"policy\": \"user\", \"fallbackResult\": \"next\"}",
          "fallbackResult: \"next\": expected skip, reject or placeDefault" },
        { "{" EVERYBODY "\"policy\": \"user\", \"create\": 1}", "create: expected true or false" },
        { "{" EVERYBODY "\"policy\": \"user\", \"parentQueue\": []}", "parentQueue: expected text" },
        { "{" EVERYBODY "\"policy\": \"custom\"}", "customPlacement is missing" },
        { "{" EVERYBODY "\"policy\": \"setDefaultQueue\"}", "value is missing" },
        { "{" EVERYBODY "\"policy\": \"reject\"}, {" EVERYBODY "\"policy\": \"custom\", "
          "\"customPlacement\": \"root.nowhere\"}",
          "rule 2 (user \"*\", policy custom, root.nowhere): root.nowhere: no such queue" },
        { "{" EVERYBODY "\"policy\": \"user\", \"parentQueue\": \"q1\"}", "root.q1 is a leaf" },
        { "{" EVERYBODY "\"policy\": \"user\", \"parentQueue\": \"root.\"}", "part of this path is empty" },
        { "{" EVERYBODY "\"policy\": \"user\", \"parentQueue\": \"\"}", "part of this path is empty" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mapping_world world;

        begin(&world, cases[i].rules);
        mapping_refused(&world, NULL, cases[i].text);
        mapping_refused(&world, NULL, JSON);
        mapping_world_end(&world);
    }
}

static void test_documents_refused(void **state)
{
    static const char *const documents[] = { "[]", "{}", "{\"rules\": {}}", "\"rules\"" };

    (void)state;
    for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
        struct mapping_world world;

        mapping_world_begin(&world);
        mapping_set(&world, FORMAT, "json");
        mapping_set(&world, JSON, documents[i]);
        mapping_refused(&world, NULL, documents[i][0] == '"' ? "not JSON" : "expected {\"rules\": [ ... ]}");
        mapping_world_end(&world);
    }
}

static void test_file(void **state)
{
    static const char text[] = "{\"rules\": [\n  {" EVERYBODY "\"policy\": \"custom\","
                               " \"customPlacement\": \"q1\"}]}";
    struct mapping_world world;

    (void)state;
    mapping_world_begin(&world);
    mapping_set(&world, JSON_FILE, "/etc/creel/rules.json");
    assert_null(capacity_placement_file(world.conf));
    mapping_set(&world, FORMAT, "json");
    assert_string_equal(capacity_placement_file(world.conf), "/etc/creel/rules.json");
    mapping_load(&world, text);
    assert_string_equal(mapping_place(&world, "bob", "", NULL, NULL), "root.q1");
    mapping_refused(&world, "{\"rules\":\n [nonsense", "/etc/creel/rules.json:2:");
    mapping_refused(&world, "{\"rules\": [{}]}", "/etc/creel/rules.json: rule 1: type is missing");
    mapping_refused(&world, "", "/etc/creel/rules.json:1:0: not JSON");
    /* Rules in the key's value take precedence over the file. */
    mapping_set(&world, JSON, "{\"rules\": []}");
    assert_null(capacity_placement_file(world.conf));
    mapping_load(&world, NULL);
    assert_int_equal(capacity_placement_rule_count(world.placement), 0);
    mapping_world_end(&world);
}

static void test_warnings(void **state)
{
    static const struct {
        const char *rule, *text;
    } cases[] = {
        { "\"policy\": \"user\", \"colour\": \"red\"", "rule 1: colour: not known, ignored" },
        { "\"policy\": \"reject\", \"parentQueue\": \"x\"", "parentQueue has no effect with policy reject" },
        { "\"policy\": \"user\", \"value\": \"x\"", "value has no effect with policy user" },
        { "\"policy\": \"user\", \"customPlacement\": \"x\"", "customPlacement has no effect" },
    };
    struct mapping_world world;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char rule[500];

        snprintf(rule, sizeof(rule), "{" EVERYBODY "%s}", cases[i].rule);
        begin(&world, rule);
        mapping_load(&world, NULL);
        assert_non_null(strstr(world.warnings, cases[i].text));
        mapping_world_end(&world);
    }

    mapping_world_begin(&world);
    mapping_set(&world, JSON, "{\"rules\": []}");
    mapping_load(&world, NULL);
    assert_non_null(strstr(world.warnings, JSON ": has no effect while " FORMAT " is not json"));
    mapping_set(&world, FORMAT, "json");
    mapping_set(&world, JSON, "");
    mapping_set(&world, "yarn.scheduler.capacity.queue-mappings", "u:a:nowhere");
    mapping_load(&world, NULL);
    assert_non_null(strstr(world.warnings, "neither " JSON " nor " JSON_FILE " has rules"));
    assert_non_null(strstr(world.warnings, "queue-mappings: has no effect while " FORMAT " is json"));
    mapping_world_end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_matches),
        cmocka_unit_test(test_default_queue_is_set),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_documents_refused),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_warnings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
