/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_attempts.c - test: attempts and containers of an application over REST, also those behind the first
 * reply of the resource manager
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/rest/rest_json.h"

#define ATTEMPTS "/ws/v1/cluster/apps/application_1795500000000_0007/appattempts"
#define ATTEMPT ATTEMPTS "/appattempt_1795500000000_0007_00000"
#define ENDED 3 /* containers of each attempt, which lists of REST do not have */

static int set_up(void **state)
{
    *state = rest_world_new(100, 4);
    return 0;
}

static int tear_down(void **state)
{
    rest_world_free(*state);
    return 0;
}

static void set_counts(struct rest_world *world, size_t attempts, size_t containers)
{
    world->page->attempt_count = attempts;
    world->page->container_count = containers;
    world->page->apps[6]->attempt = (uint32_t)attempts;
    page_world_load(world->page);
}

/* Checks that the answer is the containers 1 to COUNT of attempt NUMBER, each once, in this order. */
static void check_containers(struct rest_world *world, const char *number, size_t count)
{
    json_t *json, *list;
    char target[200];

    snprintf(target, sizeof(target), ATTEMPT "%s/containers", number);
    json = rest_json_get(world, target);
    list = json_object_get(json, "container");
    assert_int_equal(json_array_size(list), count);
    for (size_t i = 0; i < count; i++) {
        char id[80];

        snprintf(id, sizeof(id), "container_1795500000000_0007_0%s_%06zu", number, i + 1);
        assert_string_equal(rest_json_text(json_array_get(list, i), "containerId"), id);
    }
    json_decref(json);
}

static void all_containers_are_listed(void **state)
{
    struct rest_world *world = *state;

    for (int apart = 0; apart < 2; apart++) {
        world->page->containers_apart = apart;
        set_counts(world, 1, 1000 + ENDED);
        check_containers(world, "1", 1000);
        set_counts(world, 3, 300 + ENDED);
        check_containers(world, "1", 300);
        check_containers(world, "2", 300);
        check_containers(world, "3", 300);
    }
}

static void swap_of_a_container_is_shown_if_it_used_any(void **state)
{
    struct rest_world *world = *state;
    json_t *json, *list;

    set_counts(world, 1, 10 + ENDED);
    json = rest_json_get(world, ATTEMPT "1/containers");
    list = json_object_get(json, "container");
    for (size_t i = 0; i < json_array_size(list); i++)
        assert_int_equal(json_object_get(json_array_get(list, i), "creelSwapPeakBytes") != NULL, i == 2);
    assert_string_equal(rest_json_text(json_array_get(list, 2), "creelSwapPeakBytes"), "5242880");
    json_decref(json);
}

/* A list of one element is an object, and an empty one is left out. */
static void a_list_has_the_form_of_its_length(void **state)
{
    struct rest_world *world = *state;
    json_t *json;

    for (int apart = 0; apart < 2; apart++) {
        world->page->containers_apart = apart;
        set_counts(world, 2, 1 + ENDED);
        json = rest_json_get(world, ATTEMPT "2/containers");
        assert_string_equal(rest_json_text(json, "container/containerId"),
                            "container_1795500000000_0007_02_000001");
        json_decref(json);
        set_counts(world, 1, ENDED);
        json = rest_json_get(world, ATTEMPT "1/containers");
        assert_null(json_object_get(json, "container"));
        json_decref(json);
    }
}

/* The container of each application master is found, with a few requests. */
static void attempts_have_the_containers_of_their_masters(void **state)
{
    struct rest_world *world = *state;
    size_t asked;
    json_t *json;

    set_counts(world, 4, 600);
    asked = world->page->asked;
    json = rest_json_get(world, ATTEMPTS);
    assert_in_range(world->page->asked - asked, 1, 4);
    for (int number = 1; number <= 4; number++) {
        char path[60], id[80];

        snprintf(id, sizeof(id), "container_1795500000000_0007_%02d_000001", number);
        snprintf(path, sizeof(path), "appAttempts/appAttempt/%d/containerId", number - 1);
        assert_string_equal(rest_json_text(json, path), id);
    }
    json_decref(json);
    asked = world->page->asked;
    json = rest_json_get(world, ATTEMPT "3");
    assert_int_equal(world->page->asked - asked, 1);
    assert_string_equal(rest_json_text(json, "amContainerId"), "container_1795500000000_0007_03_000001");
    json_decref(json);
}

static void all_attempts_are_listed(void **state)
{
    struct rest_world *world = *state;
    json_t *json;

    for (int apart = 0; apart < 2; apart++) {
        world->page->containers_apart = apart;
        set_counts(world, 2000, 2);
        json = rest_json_get(world, ATTEMPTS);
        assert_int_equal(json_array_size(rest_json_member(json, "appAttempts/appAttempt")), 2000);
        assert_string_equal(rest_json_text(json, "appAttempts/appAttempt/1999/containerId"),
                            "container_1795500000000_0007_2000_000001");
        json_decref(json);
    }
}

/* --- errors ------------------------------------------------------------------------ */

struct failing {
    struct page_world *world;
    site_upstream_fn *upstream;
    size_t from; /* number of the first query that is answered with an error */
};

static void answer_or_fail(void *context, const Creel__Envelope *query, bool authenticated,
                           site_reply_fn *reply, void *reply_context)
{
    struct failing *failing = context;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    if (failing->from > 0) {
        failing->from--;
        failing->upstream(failing->world, query, authenticated, reply, reply_context);
        return;
    }
    error.code = CREEL__ERROR_CODE__ERROR_UNAVAILABLE;
    error.message = (char *)(uintptr_t) "the resource manager does not answer";
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    reply(reply_context, &envelope);
}

/* The client notices that rows are missing. */
static void a_list_that_cannot_be_completed_is_cut(void **state)
{
    struct rest_world *world = *state;
    struct failing failing = { world->page, world->page->site.upstream, 0 };
    const char *text;

    set_counts(world, 1, 600);
    world->page->site.upstream = answer_or_fail;
    world->page->site.upstream_context = &failing;
    text = rest_world_get(world, ATTEMPT "1/containers", NULL);
    assert_int_equal(strncmp(text, "503 ", 4), 0);
    failing.from = 1;
    text = rest_world_get(world, ATTEMPT "1/containers", NULL);
    assert_int_equal(strncmp(text, "200 ", 4), 0);
    assert_non_null(strstr(text, "(cut)"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(all_containers_are_listed),         TEST(swap_of_a_container_is_shown_if_it_used_any),
        TEST(a_list_has_the_form_of_its_length), TEST(attempts_have_the_containers_of_their_masters),
        TEST(all_attempts_are_listed),           TEST(a_list_that_cannot_be_completed_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
