/* SPDX-License-Identifier: Apache-2.0 */
/* sim_case.c - test: parsing of conformance cases, and its error messages */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "sim/cases/case.h"

static struct test_case *read_good(const char *text)
{
    struct test_case *test = NULL;
    struct err err = { .code = 0 };

    if (case_read("t.json", text, strlen(text), &test, &err) < 0) {
        print_error("%s\n", err.text);
        fail();
    }
    return test;
}

static void refused(const char *text, const char *message)
{
    struct test_case *test = NULL;
    struct err err = { .code = 0 };

    assert_int_equal(case_read("t.json", text, strlen(text), &test, &err), -EINVAL);
    assert_null(test);
    if (strstr(err.text, message) == NULL) {
        print_error("expected \"%s\" in \"%s\"\n", message, err.text);
        fail();
    }
}

#define SCRIPT(steps) \
    "{\"name\": \"s\", \"kind\": \"scheduler\", \"scheduler\": \"fifo\", \"steps\": [\n" steps "]}"

static void errors_have_lines(void **state)
{
    (void)state;
    refused("{\n\"name\": 1}", "t.json:1: kind: expected");
    refused("{\"name\": \"a\",\n\"kind\": \"other\"}", "t.json:2: kind: expected");
    refused("{\n\n,}", "t.json:3:");
    refused("[]", "t.json:1: expected an object");
    refused("", "t.json:1:");
    refused("{\"name\": \"a\", \"name\": \"b\"}", "duplicate");
    refused(SCRIPT("{\"op\": \"update\",\n\"typo\": 1}"), "t.json:3: step 1 (update): unknown key \"typo\"");
    refused(SCRIPT("{\"op\": \"update\"},\n{\"op\":\n\"jump\"}"), "t.json:4: step 2: unknown op \"jump\"");
    refused(SCRIPT("{\"op\": \"advance\",\n\"ms\": null}"), "t.json:3: step 1 (advance): ms: expected");
    refused(SCRIPT("{\"op\": \"advance\"}"), "t.json:2: step 1 (advance): key \"ms\" is missing");
    refused(SCRIPT("{\"op\": \"heartbeat\"}"), "either \"node\" or \"nodes\"");
    refused(SCRIPT("{\"op\": \"expect\", \"apps\": {\"a\":\n{\"usd\": [1]}}}"),
            "t.json:3: apps: a: unknown figure \"usd\"");
    refused(SCRIPT("{\"op\": \"expect\", \"apps\": {\"a\":\n{\"used\": \"1\"}}}"),
            "t.json:3: apps: a: used: expected [memory-mb]");
}

static void figures_by_label_are_checked(void **state)
{
    (void)state;
    refused(SCRIPT("{\"op\": \"expect\", \"queues\": {\"root.a\":\n{\"labels\": [1]}}}"),
            "t.json:3: queues: root.a: labels: expected {label: {figure: value}}");
    refused(SCRIPT("{\"op\": \"expect\", \"queues\": {\"root.a\": {\"labels\":\n{\"\": {\"used\": [1]}}}}}"),
            "t.json:3: queues: root.a: labels: \"\" is no label");
    refused(
        SCRIPT("{\"op\": \"expect\", \"queues\": {\"root.a\": {\"labels\":\n{\"x\": {\"max-apps\": 1}}}}}"),
        "t.json:3: queues: root.a: labels: x: unknown figure \"max-apps\"");
    refused(
        SCRIPT("{\"op\": \"expect\", \"queues\": {\"root.a\": {\"labels\":\n{\"x\": {\"accessible\": 1}}}}}"),
        "t.json:3: queues: root.a: labels: x: accessible: expected true or false");
    refused(SCRIPT("{\"op\": \"expect\", \"users\": {\"u\": {\"root.a\":\n{\"labels\": {}}}}}"),
            "t.json:3: users: u: root.a: unknown figure \"labels\"");
    refused(SCRIPT("{\"op\": \"expect\", \"apps\": {\"a\": {\"labels\": {\"x\":\n{\"labels\": {}}}}}}"),
            "t.json:3: apps: a: labels: x: unknown figure \"labels\"");
    refused(SCRIPT("{\"op\": \"expect\", \"nodes\": {\"n\":\n{\"killable\": \"1\"}}}"),
            "t.json:3: nodes: n: killable: expected");
}

static void lifetimes_and_labels_of_nodes_are_checked(void **state)
{
    (void)state;
    refused(SCRIPT("{\"op\": \"submit\", \"app\": \"a\", \"user\": \"u\",\n\"lifetime\": -1}"),
            "t.json:3: step 1 (submit): lifetime: expected");
    refused(SCRIPT("{\"op\": \"submit\", \"app\": \"a\", \"user\": \"u\", \"lifetime\": 1000000001}"),
            "t.json:2: step 1 (submit): lifetime: at most 1000000000");
    refused(SCRIPT("{\"op\": \"set-label\", \"node\": \"n\"}"),
            "t.json:2: step 1 (set-label): key \"label\" is missing");
    refused(SCRIPT("{\"op\": \"set-label\", \"node\": \"n\",\n\"label\": 1}"),
            "t.json:3: step 1 (set-label): label: expected");
}

/* Each name with a wrong character is refused, at its line. */
static void names_are_checked(void **state)
{
    (void)state;
    refused(SCRIPT("{\"op\": \"add-node\", \"node\": \"n\", \"resource\": [1],\n\"label\": \"bad label!\"}"),
            "t.json:3: step 1 (add-node): label: \"bad label!\" is no label: expected at most 255 letters");
    refused(SCRIPT("{\"op\": \"set-label\", \"node\": \"n\",\n\"label\": \"_x\"}"),
            "t.json:3: step 1 (set-label): label: \"_x\" is no label");
    refused(SCRIPT("{\"op\": \"submit\", \"app\": \"a\", \"user\": \"u\",\n\"label\": \"a b\"}"),
            "t.json:3: step 1 (submit): label: \"a b\" is no label");
    refused(SCRIPT("{\"op\": \"ask\", \"app\": \"a\", \"requests\": [{\"count\": 1, \"resource\": "
                   "[1],\n\"label\": \"x!\"}]}"),
            "t.json:3: step 1 (ask): requests 1: label: \"x!\" is no label");
    refused(SCRIPT("{\"op\": \"expect\", \"apps\": {\"a\": {\"labels\": {\n\"x!\": {\"used\": [1]}}}}}"),
            "t.json:3: apps: a: labels: \"x!\" is no label");
    refused(SCRIPT("{\"op\": \"add-node\", \"node\":\n\"n 1\", \"resource\": [1]}"),
            "t.json:3: step 1 (add-node): node: \"n 1\" is no node: expected 1 to 255 bytes without blanks");
    refused(SCRIPT("{\"op\": \"remove-node\", \"node\":\n\"*\"}"),
            "t.json:3: step 1 (remove-node): node: \"*\"");
    refused(SCRIPT("{\"op\": \"heartbeat\", \"nodes\": [\"n\",\n\"\"]}"),
            "t.json:3: step 1 (heartbeat): nodes: \"\" is no node");
    refused(SCRIPT("{\"op\": \"add-node\", \"node\": \"n\", \"resource\": [1],\n\"rack\": \"r1\"}"),
            "t.json:3: step 1 (add-node): rack: \"r1\" is no rack");
    refused(SCRIPT("{\"op\": \"ask\", \"app\": \"a\", \"requests\": [{\"count\": 1, \"resource\": "
                   "[1],\n\"where\": \"/r 1\"}]}"),
            "t.json:3: step 1 (ask): requests 1: where: \"/r 1\" is no rack");
    refused(SCRIPT("{\"op\": \"blacklist\", \"app\": \"a\", \"add\":\n[\"n\\t\"]}"),
            "t.json:3: step 1 (blacklist): add: \"n\t\" is no node");
    refused(SCRIPT("{\"op\": \"submit\", \"app\":\n\"\", \"user\": \"u\"}"),
            "t.json:3: step 1 (submit): app: \"\" is no name");
    refused(SCRIPT("{\"op\": \"submit\", \"app\": \"a\", \"user\":\n\"u 1\"}"),
            "t.json:3: step 1 (submit): user: \"u 1\" is no name");
    refused(SCRIPT("{\"op\": \"update-node\", \"node\": \"n\", \"resource\":\n{\"gp u\": 1}}"),
            "t.json:3: step 1 (update-node): resource: \"gp u\" is no type of resource: expected");
    refused(SCRIPT("{\"op\": \"expect\", \"queues\": {\n\"root..a\": {\"exists\": false}}}"),
            "t.json:3: queues: \"root..a\" is no queue");
    refused(SCRIPT("{\"op\": \"expect\", \"users\": {\n\"u 1\": {\"root.a\": {\"used\": [1]}}}}"),
            "t.json:3: users: \"u 1\" is no name");
}

/* A case that cannot fail, or whose keys contradict each other, is refused. */
static void cases_that_check_nothing_are_refused(void **state)
{
    (void)state;
    refused(SCRIPT("{\"op\": \"expect\"}"), "t.json:2: expect: compares nothing");
    refused(SCRIPT("{\"op\": \"expect\",\n\"apps\": {\"a\": {}}}"), "expect: compares nothing");
    refused(SCRIPT("{\"op\": \"expect\", \"error\": true, \"cluster\": {\"used\": [1]}}"),
            "unknown key \"error\"");
    refused(SCRIPT("{\"op\": \"update\", \"error\": false}"), "error: expected true or a text");
    refused(SCRIPT("{\"op\": \"add-node\", \"node\": \"n\",\n\"resource\": [-1, 2]}"),
            "t.json:3: step 1 (add-node): resource: expected amounts of at least 0");
    refused(SCRIPT("{\"op\": \"refresh\", \"fair\": \"x\"}"),
            "step 1 (refresh): fair: these settings are for another scheduler than fifo");
    refused("{\"name\": \"s\", \"kind\": \"scheduler\", \"scheduler\": \"fair\", "
            "\"capacity\": {}, \"steps\": []}",
            "case: capacity: these settings are for another scheduler than fair");
    refused("{\"name\": \"s\", \"kind\": \"scheduler\", \"scheduler\": \"fifo\", \"load-error\": true,\n"
            "\"steps\": [{\"op\": \"update\"}]}",
            "t.json:2: steps: expected none, since load-error");
}

static void preemption_is_judged(void **state)
{
    (void)state;
    refused("{\"name\": \"p\", \"kind\": \"preemption\", \"cluster\": [1], \"rounds\": [], \"queues\": []}",
            "queues: none");
    refused("{\"name\": \"p\", \"kind\": \"preemption\", \"cluster\": [1], \"rounds\": [], \"queues\": ["
            "{\"path\": \"root\", \"guaranteed\": [1]},\n{\"path\": \"root.a.b\", \"guaranteed\": [1]}]}",
            "t.json:2: queue root.a.b: its parent must precede it");
    refused("{\"name\": \"p\", \"kind\": \"preemption\", \"cluster\": [1], \"queues\": ["
            "{\"path\": \"root\", \"guaranteed\": [1]}], \"rounds\": [{\"at-ms\": 5, \"expect\": {}},\n"
            "{\"at-ms\": 4, \"expect\": {}}]}",
            "t.json:2: case: rounds 2: at-ms is before");
    refused("{\"name\": \"f\", \"kind\": \"fair-shares\", \"policy\": \"fair\", \"total\": [1],"
            "\"schedulables\": [], \"expect\": {\n\"x\": [1]}}",
            "t.json:2: expect: \"x\" is none of the schedulables");
}

static void resources(void **state)
{
    struct test_case *test =
        read_good("{\"name\": \"f\", \"kind\": \"fair-shares\", \"policy\": \"drf\","
                  "\"total\": {\"gpu\": 4, \"vcores\": 2},"
                  "\"schedulables\": [{\"name\": \"x\", \"max\": [7]}], \"expect\": {\"x\": {\"gpu\": 1}}}");

    (void)state;
    assert_int_equal(test->type_count, 3);
    assert_string_equal(test->types[2], "gpu");
    assert_int_equal(test->shares.total.given, 6);
    assert_true(test->shares.total.amount.value[0] == 0); /* an amount that is not given is 0 */
    assert_true(test->shares.total.amount.value[2] == 4);
    assert_true(test->shares.members[0].maximum.amount.value[0] == 7);
    assert_true(test->shares.members[0].maximum.amount.value[1] == INT64_MAX);
    assert_int_equal(test->shares.expect[0].share.given, 4);
    case_free(test);
}

static void steps(void **state)
{
    struct test_case *test = read_good(
        SCRIPT("{\"op\": \"submit\", \"app\": \"a\", \"user\": \"u\", \"am\": [5], \"error\": \"full\"},"
               "{\"op\": \"ask\", \"app\": \"a\", \"requests\": [{\"count\": 2, \"resource\": [1, 1]}]},\n"
               "{\"op\": \"expect\", \"users\": {\"u\": {\"root.q\": {\"active-apps\": 1}}},"
               " \"nodes\": {\"n\": {\"reserved-by\": null}}, \"preempted\": {\"a\": 3}}"));
    const struct case_step *step = test->script.steps;

    (void)state;
    assert_int_equal(test->script.step_count, 3);
    assert_true(step[0].am_given && step[0].refused && step[0].queue == NULL);
    assert_string_equal(step[0].refusal, "full");
    assert_true(step[1].requests[0].relax && step[1].requests[0].priority == 1);
    assert_string_equal(step[1].requests[0].where, "*");
    assert_int_equal(step[2].line, 3);
    assert_int_equal(step[2].claim_count, 3);
    assert_int_equal(step[2].claims[0].subject, SUBJECT_USER);
    assert_string_equal(step[2].claims[0].queue, "root.q");
    assert_null(step[2].claims[1].text);
    assert_int_equal(step[2].claims[2].subject, SUBJECT_PREEMPTED);
    assert_true(step[2].claims[2].whole == 3);
    case_free(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_lines),
        cmocka_unit_test(figures_by_label_are_checked),
        cmocka_unit_test(lifetimes_and_labels_of_nodes_are_checked),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(cases_that_check_nothing_are_refused),
        cmocka_unit_test(preemption_is_judged),
        cmocka_unit_test(resources),
        cmocka_unit_test(steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
