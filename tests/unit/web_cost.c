/* SPDX-License-Identifier: Apache-2.0 */
/*
 * web_cost.c - test: what one field of a report at its limit costs creel-web
 *
 * Every field of the report of an application, a node and a queue (io_grown.h) is at its limit, one at a
 * time. The copy of the cluster takes the report, and pages, tables as CSV, and REST in both forms have it.
 * Each of these steps has the bounds of cost.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/io/wire.h"
#include "common/io/wire_check.h"
#include "tests/unit/cost.h"
#include "tests/unit/io_grown.h"
#include "tests/unit/rest_world.h"

#define APP "application_1795500000000_0001"
#define NODE "node-00001.example.org%3A8041"

enum { TARGETS_MAX = 6, REPORTS_MIN = 40 };

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

static void try_kind(struct test *test, const struct kind *kind)
{
    test->kind = kind;
    test->reports = 0;
    grown_each((*kind->report)->descriptor, try_place, test);
    assert_true(test->reports >= REPORTS_MIN);
    page_world_load(test->world->page);
}

static void no_field_of_an_application_exceeds_the_bounds(void **state)
{
    struct test test = { .world = *state };
    const struct kind kind = { (ProtobufCMessage **)&test.world->page->apps[0],
                               {
                                   { "/cluster/apps", NULL },
                                   { "/cluster/apps?state=ALL&format=csv", NULL },
                                   { "/cluster/app/" APP, NULL },
                                   { "/ws/v1/cluster/apps", "application/json" },
                                   { "/ws/v1/cluster/apps/" APP, "application/xml" },
                                   { NULL, NULL },
                               } };

    try_kind(&test, &kind);
}

static void no_field_of_a_node_exceeds_the_bounds(void **state)
{
    struct test test = { .world = *state };
    const struct kind kind = { (ProtobufCMessage **)&test.world->page->nodes[0],
                               {
                                   { "/cluster/nodes", NULL },
                                   { "/cluster/nodes?format=csv", NULL },
                                   { "/cluster/node/" NODE, NULL },
                                   { "/ws/v1/cluster/nodes", "application/json" },
                                   { "/ws/v1/cluster/nodes", "application/xml" },
                                   { NULL, NULL },
                               } };

    try_kind(&test, &kind);
}

static void no_field_of_a_queue_exceeds_the_bounds(void **state)
{
    struct test test = { .world = *state };
    const struct kind kind = { (ProtobufCMessage **)&test.world->page->queues[1],
                               {
                                   { "/cluster", NULL },
                                   { "/cluster/scheduler", NULL },
                                   { "/ws/v1/cluster/scheduler", "application/json" },
                                   { "/ws/v1/cluster/scheduler", "application/xml" },
                                   { NULL, NULL },
                               } };

    try_kind(&test, &kind);
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
        cmocka_unit_test_setup_teardown(no_field_of_a_node_exceeds_the_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_field_of_a_queue_exceeds_the_bounds, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("web_cost", tests, NULL, NULL);
}
