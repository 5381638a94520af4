/* SPDX-License-Identifier: Apache-2.0 */
/*
 * web_cost.c - test: what one field of a report at its limit costs creel-web
 *
 * Every field of the report of an application, a container, a node and a queue (io_grown.h) is
 * at its limit, one at a time. The copy of the cluster takes the report, and every page, table as CSV and
 * answer of REST that has it, in both forms, is requested. Then jobs are submitted over REST.
 * Each of these steps has the bounds of cost.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/text_builder.h"
#include "common/io/wire/wire.h"
#include "common/io/wire/wire_check.h"
#include "tests/unit/cost.h"
#include "tests/unit/io/io_grown.h"
#include "tests/unit/page/page_replies.h"
#include "tests/unit/rest/rest_world.h"
#include "web/http/request.h"

#define APP "application_1795500000000_0001"
#define APP_7 "application_1795500000000_0007"
#define NODE "node-00001.example.org%3A8041"
#define REST "/ws/v1/cluster"
#define ATTEMPT_7 REST "/apps/" APP_7 "/appattempts/appattempt_1795500000000_0007_000001"
#define CONTAINER_7 ATTEMPT_7 "/containers/container_1795500000000_0007_01_000001"
#define JSON "application/json"
#define XML "application/xml"

enum { TARGETS_MAX = 16, REPORTS_MIN = 20 };

struct target {
    const char *path, *accept;
};

/* A kind of report, and what shows it. */
struct kind {
    ProtobufCMessage **report; /* in the world: the report that grows */
    struct target targets[TARGETS_MAX];
};

struct test {
    struct rest_world *world;
    const struct kind *kind;
    size_t reports;
};

static void look(struct test *test, const char *what)
{
    struct cost cost = cost_begin();

    page_world_load(test->world->page);
    cost_end(&cost, what, "the copy of the cluster");
    for (const struct target *target = test->kind->targets; target->path != NULL; target++) {
        cost = cost_begin();
        rest_world_get(test->world, target->path, target->accept);
        cost_end(&cost, what, target->path);
    }
}

static void try_place(void *context, const struct grown_place *place)
{
    struct test *test = context;
    ProtobufCMessage *original = *test->kind->report;
    char what[256];
    struct err err;

    grown_name(place, what, sizeof(what));
    for (int way = 0; way < GROWN_WAYS; way++) {
        ProtobufCMessage *report = wire_copy(original);
        size_t size = protobuf_c_message_get_packed_size(report);

        grown_make(report, place, (enum grown_way)way, WIRE_CHUNK_MAX - size);
        if (protobuf_c_message_get_packed_size(report) <= WIRE_FRAME_MAX && wire_check(report, &err) == 0) {
            *test->kind->report = report;
            look(test, what);
            *test->kind->report = original;
            test->reports++;
        }
        protobuf_c_message_free_unpacked(report, NULL);
    }
}

/* A page that does not show the report would cost nothing. */
static void check_targets(struct test *test)
{
    for (const struct target *target = test->kind->targets; target->path != NULL; target++)
        if (strncmp(rest_world_get(test->world, target->path, target->accept), "200", 3) != 0)
            fail_msg("%s is answered with %s", target->path, test->world->text);
}

static void try_kind(struct test *test, const struct kind *kind)
{
    test->kind = kind;
    test->reports = 0;
    check_targets(test);
    grown_each((*kind->report)->descriptor, try_place, test);
    assert_true(test->reports >= REPORTS_MIN);
    page_world_load(test->world->page);
}

static void no_field_of_an_application_exceeds_the_bounds(void **state)
{
    struct test test = { .world = *state };
    const struct kind kind = {
        (ProtobufCMessage **)&test.world->page->apps[0],
        {
            { "/cluster/apps", NULL },
            { "/cluster/apps?state=ALL&format=csv", NULL },
            { "/cluster/app/" APP, NULL },
            { "/cluster/history", NULL },
            { REST "/apps", JSON },
            { REST "/apps", XML },
            { REST "/apps/" APP, JSON },
            { REST "/apps/" APP, XML },
            { REST "/apps/" APP "/appattempts", JSON },
            { REST "/apps/" APP "/appattempts", XML },
            { REST "/appstatistics", JSON },
            { REST "/appstatistics", XML },
            { NULL, NULL },
        },
    };

    try_kind(&test, &kind);
}

/* The resource manager is asked for containers: they are not in the copy of the cluster. */
static void no_field_of_a_container_exceeds_the_bounds(void **state)
{
    struct test test = { .world = *state };
    struct page_world *page = test.world->page;
    const struct kind kind = {
        (ProtobufCMessage **)&page->container,
        {
            { "/cluster/app/" APP_7, NULL },
            { "/cluster/app/" APP_7 "?format=csv", NULL },
            { ATTEMPT_7 "/containers", JSON },
            { ATTEMPT_7 "/containers", XML },
            { CONTAINER_7, JSON },
            { CONTAINER_7, XML },
            { REST "/apps/" APP_7 "/appattempts", JSON },
            { REST "/apps/" APP_7 "/appattempts", XML },
            { NULL, NULL },
        },
    };

    page->container = page_container_new(page, 0);
    try_kind(&test, &kind);
}

static void no_field_of_a_node_exceeds_the_bounds(void **state)
{
    struct test test = { .world = *state };
    const struct kind kind = {
        (ProtobufCMessage **)&test.world->page->nodes[0],
        {
            { "/cluster/nodes", NULL },
            { "/cluster/nodes?format=csv", NULL },
            { "/cluster/nodes.bin", NULL },
            { "/cluster/node/" NODE, NULL },
            { "/cluster/nodelabels", NULL },
            { "/jmx", NULL },
            { REST "/nodes", JSON },
            { REST "/nodes", XML },
            { REST "/nodes/" NODE, JSON },
            { REST "/nodes/" NODE, XML },
            { REST "/get-node-to-labels", JSON },
            { REST "/get-node-to-labels", XML },
            { NULL, NULL },
        },
    };

    try_kind(&test, &kind);
}

static void no_field_of_a_queue_exceeds_the_bounds(void **state)
{
    struct test test = { .world = *state };
    const struct kind kind = {
        (ProtobufCMessage **)&test.world->page->queues[1],
        {
            { "/cluster", NULL },
            { "/cluster/scheduler", NULL },
            { "/cluster/queue/root.prod", NULL },
            { "/jmx", NULL },
            { "/metrics", NULL },
            { REST "/scheduler", JSON },
            { REST "/scheduler", XML },
            { REST "/scheduler-overview", JSON },
            { REST "/scheduler-overview", XML },
            { NULL, NULL },
        },
    };

    try_kind(&test, &kind);
}

/* --- submissions ----------------------------------------------------------- */

/* Returns HEAD, as many copies of EACH as fit a body of the maximum size, and TAIL. */
static char *fill_body(const char *head, const char *each, const char *tail)
{
    struct text_builder body = TEXT_BUILDER_MALLOC;

    text_builder_add(&body, head);
    while (body.length + strlen(each) + strlen(tail) <= REQUEST_BODY_MAX)
        text_builder_add(&body, each);
    text_builder_add(&body, tail);
    return text_builder_finish(&body);
}

#define JSON_JOB "{\"application-id\":\"" APP "\",\"application-name\":\"a\",\"am-container-spec\":{"
#define JSON_MAP(name) JSON_JOB "\"" name "\":{\"entry\":["
#define JSON_ENTRIES "{\"key\":\"a\",\"value\":\"b\"}"
#define XML_JOB "<application-submission-context><application-id>" APP "</application-id>"
#define XML_MAP(name) XML_JOB "<am-container-spec><" name ">"

/* The parts of which a document has many, and texts that are long, in both forms. */
static void no_submission_exceeds_the_bounds(void **state)
{
    static const struct {
        const char *what, *type, *head, *each, *tail;
    } bodies[] = {
        { "environment", JSON, JSON_MAP("environment"), JSON_ENTRIES ",", JSON_ENTRIES "]}}}" },
        { "local resources", JSON, JSON_MAP("local-resources"),
          "{\"key\":\"a\",\"value\":{\"resource\":\"f:///a\",\"size\":1}},", JSON_ENTRIES "]}}}" },
        { "access lists", JSON, JSON_MAP("application-acls"), JSON_ENTRIES ",", JSON_ENTRIES "]}}}" },
        { "a command", JSON, JSON_JOB "\"commands\":{\"command\":\"", "a ", "\"}}}" },
        { "escapes", JSON, JSON_JOB "\"commands\":{\"command\":\"", "\\u00e9", "\"}}}" },
        { "tags", JSON, JSON_JOB "},\"application-tags\":{\"tag\":[", "\"a\",", "\"b\"]}}" },
        { "members", JSON, "{", "\"a\":1,", "\"b\":2}" },
        { "objects", JSON, "{\"a\":[", "{},", "{}]}" },
        { "depth", JSON, "", "[", "" },
        { "environment", XML, XML_MAP("environment"), "<entry><key>a</key><value>b</value></entry>",
          "</environment></am-container-spec></application-submission-context>" },
        { "elements", XML, XML_JOB, "<a/>", "</application-submission-context>" },
        { "attributes", XML, "<application-submission-context", " a=\"\"", "/>" },
        { "entities", XML, XML_JOB "<application-name>", "&amp;",
          "</application-name></application-submission-context>" },
        { "depth", XML, "", "<a>", "" },
    };
    struct rest_world *world = *state;

    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        char *body = fill_body(bodies[i].head, bodies[i].each, bodies[i].tail);
        struct cost cost = cost_begin();

        rest_world_send(world, "POST", REST "/apps", bodies[i].type, body);
        cost_end(&cost, bodies[i].what, bodies[i].type);
        free(body);
    }
}

static int set_up(void **state)
{
    *state = rest_world_new(20, 10);
    rest_world_drop_text(*state); /* the memory of creel-web counts, not that of its client */
    return 0;
}

static int tear_down(void **state)
{
    rest_world_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_field_of_an_application_exceeds_the_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_field_of_a_container_exceeds_the_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_field_of_a_node_exceeds_the_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_field_of_a_queue_exceeds_the_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_submission_exceeds_the_bounds, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("web_cost", tests, NULL, NULL);
}
