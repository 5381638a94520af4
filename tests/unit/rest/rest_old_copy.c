/* SPDX-License-Identifier: Apache-2.0 */
/* rest_old_copy.c - test: what REST, beans and metrics have while the resource manager does not answer */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <string.h>

#include "tests/unit/rest/rest_json.h"

#define CLUSTER "/ws/v1/cluster"

static int set_up(void **state)
{
    *state = rest_world_new(200, 6);
    return 0;
}

static int tear_down(void **state)
{
    rest_world_free(*state);
    return 0;
}

static void check_state(struct rest_world *world, const char *state, const char *ha_state)
{
    json_t *json = rest_json_parse(rest_world_get(world, CLUSTER "/info", NULL));

    assert_string_equal(json_string_value(rest_json_member(json, "clusterInfo/state")), state);
    assert_string_equal(json_string_value(rest_json_member(json, "clusterInfo/haState")), ha_state);
    json_decref(json);
}

static void check_active(struct rest_world *world)
{
    assert_string_equal(rest_world_get(world, "/isActive", NULL),
                        "200 text/plain;charset=utf-8\nI am Active!\n");
    check_state(world, "STARTED", "ACTIVE");
    assert_non_null(strstr(rest_world_get(world, "/jmx?qry=*name=RMInfo", NULL), "\"State\" : \"active\""));
    assert_non_null(strstr(rest_world_get(world, "/metrics", NULL), "\ncreel_rm_active 1\n"));
}

static void check_standby(struct rest_world *world)
{
    assert_string_equal(rest_world_get(world, "/isActive", NULL),
                        "405 text/plain;charset=utf-8\nI am not Active!\n");
    check_state(world, "STOPPED", "STANDBY");
    assert_non_null(strstr(rest_world_get(world, "/jmx?qry=*name=RMInfo", NULL), "\"State\" : \"standby\""));
    assert_non_null(strstr(rest_world_get(world, "/metrics", NULL), "\ncreel_rm_active 0\n"));
}

static void monitors_see_that_the_resource_manager_does_not_answer(void **state)
{
    struct rest_world *world = *state;

    check_active(world);
    world->page->view.trouble = "no answer";
    check_standby(world);
    world->page->view.trouble = NULL;
    check_active(world);
}

static void answers_have_the_age_of_the_copy(void **state)
{
    static const char *const targets[] = {
        CLUSTER "/apps", CLUSTER "/nodes",           CLUSTER "/scheduler",     CLUSTER "/metrics",
        CLUSTER "/info", CLUSTER "/get-node-labels", CLUSTER "/appstatistics", "/jmx",
    };
    struct rest_world *world = *state;

    world->page->view.age_ms = 12345;
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        assert_memory_equal(rest_world_get(world, targets[i], NULL), "200 ", 4);
        assert_string_equal(rest_world_header(world, "Age"), "12");
    }
    assert_non_null(strstr(rest_world_get(world, "/metrics", NULL), "\ncreel_web_copy_age_seconds 12.345\n"));
}

static void rest_does_not_answer_from_a_stale_copy(void **state)
{
    static const char *const targets[] = {
        CLUSTER "/apps",
        CLUSTER "/apps/application_1795500000000_0001",
        CLUSTER "/nodes",
        CLUSTER "/scheduler",
        CLUSTER "/metrics",
        CLUSTER "/scheduler-overview",
        CLUSTER "/get-node-labels",
        CLUSTER "/appstatistics",
    };
    struct rest_world *world = *state;
    struct web_view *view = &world->page->view;
    const char *text;

    view->trouble = "no answer";
    view->stale_after_ms = 60000;
    view->age_ms = 61000;
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        text = rest_world_get(world, targets[i], NULL);
        assert_memory_equal(text, "503 ", 4);
        assert_non_null(strstr(text, "YarnException"));
        assert_non_null(strstr(text, "is 61 s old (creel.http.stale-after is 60 s): no answer"));
        assert_string_equal(rest_world_header(world, "Retry-After"), "5");
        assert_string_equal(rest_world_header(world, "Age"), "61");
    }
    check_standby(world); /* what monitors read is answered */
    assert_memory_equal(rest_world_get(world, "/prometheus/sd", NULL), "200 ", 4);
    view->stale_after_ms = 0;
    assert_memory_equal(rest_world_get(world, targets[0], NULL), "200 ", 4);
    view->stale_after_ms = 61000;
    assert_memory_equal(rest_world_get(world, targets[0], NULL), "200 ", 4);
}

/* Tables for programs are as REST. */
static void csv_of_the_copy_has_its_age_and_becomes_503(void **state)
{
    static const char *const targets[] = {
        "/cluster/apps?format=csv",
        "/cluster/nodes?format=csv",
        "/cluster/scheduler?format=csv",
    };
    struct rest_world *world = *state;
    struct web_view *view = &world->page->view;

    view->trouble = "no answer";
    view->stale_after_ms = 60000;
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        view->age_ms = 12345;
        assert_memory_equal(rest_world_get(world, targets[i], NULL), "200 ", 4);
        assert_string_equal(rest_world_header(world, "Age"), "12");
        view->age_ms = 61000;
        assert_non_null(strstr(rest_world_get(world, targets[i], NULL),
                               "is 61 s old (creel.http.stale-after is 60 s): no answer"));
        assert_memory_equal(rest_world_get(world, targets[i], NULL), "503 ", 4);
        assert_string_equal(rest_world_header(world, "Retry-After"), "5");
    }
}

static void monitors_are_answered_without_a_copy(void **state)
{
    struct rest_world *world = *state;
    const char *text;

    page_world_unload(world->page);
    world->page->view.trouble = "no connection";
    text = rest_world_get(world, "/metrics", NULL);
    assert_memory_equal(text, "200 ", 4);
    assert_non_null(strstr(text, "\ncreel_rm_active 0\n"));
    assert_non_null(strstr(text, "\ncreel_web_open_fds "));
    assert_null(strstr(text, "\ncreel_nodes"));
    assert_memory_equal(rest_world_get(world, "/isActive", NULL), "405 ", 4);
    assert_memory_equal(rest_world_get(world, CLUSTER "/apps", NULL), "503 ", 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(monitors_see_that_the_resource_manager_does_not_answer),
        TEST(answers_have_the_age_of_the_copy),
        TEST(rest_does_not_answer_from_a_stale_copy),
        TEST(csv_of_the_copy_has_its_age_and_becomes_503),
        TEST(monitors_are_answered_without_a_copy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
