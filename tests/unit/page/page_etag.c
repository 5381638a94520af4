/* SPDX-License-Identifier: Apache-2.0 */
/* page_etag.c - test: the ETag of a page changes with all that the page shows */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tests/unit/page/page_scene.h"

#define TAG_SIZE 256

/* Requests TARGET, and copies the ETag of the page to TAG. */
static void get(struct page_scene *scene, const char *target, char tag[TAG_SIZE])
{
    const struct answer *answer;

    page_scene_get(scene, target);
    answer = site_answer(scene->exchange);
    *tag = '\0';
    for (size_t i = 0; i < answer->header_count; i++)
        if (strcasecmp(answer->headers[i].name, "ETag") == 0)
            snprintf(tag, TAG_SIZE, "%s", answer->headers[i].value);
    assert_true(*tag != '\0');
}

/* Requests TARGET as a client that shows the page with TAG. Returns the status. */
static int status_for(struct page_scene *scene, const char *target, const char *tag)
{
    struct name_value known = { "If-None-Match", tag };

    page_scene_get_with(scene, target, &known, 1);
    return scene->status;
}

static void an_unchanged_model_is_304(void **state)
{
    struct page_scene *scene = *state;
    char tag[TAG_SIZE];

    get(scene, "/cluster/nodes", tag);
    assert_int_equal(status_for(scene, "/cluster/nodes", tag), 304);
    assert_int_equal(status_for(scene, "/cluster/nodes?user.name=bob", tag), 200);
    page_world_load(scene->world);
    assert_int_equal(status_for(scene, "/cluster/nodes", tag), 200);
}

static void check_trouble(struct page_scene *scene, const char *target)
{
    struct web_view *view = &scene->world->view;
    char tag[TAG_SIZE];

    get(scene, target, tag);
    assert_int_equal(status_for(scene, target, tag), 304);
    view->trouble = "no answer";
    assert_int_equal(status_for(scene, target, tag), 200);
    assert_non_null(strstr(scene->text, "This page is not up to date: no answer. It shows the cluster as of "
                                        "<time>2026-11-25 "));
    get(scene, target, tag);
    assert_int_equal(status_for(scene, target, tag), 304);
    view->trouble = "no connection";
    assert_int_equal(status_for(scene, target, tag), 200);
    assert_non_null(strstr(scene->text, "This page is not up to date: no connection."));
    get(scene, target, tag);
    view->trouble = NULL;
    assert_int_equal(status_for(scene, target, tag), 200);
    assert_null(strstr(scene->text, "not up to date"));
}

static void the_tag_has_whether_the_resource_manager_answers(void **state)
{
    check_trouble(*state, "/cluster");
    check_trouble(*state, "/cluster/apps");
    check_trouble(*state, "/cluster/nodes");
    check_trouble(*state, "/cluster/nodelabels");
    check_trouble(*state, "/cluster/scheduler");
    check_trouble(*state, "/cluster/cluster");
}

/* The version of its model may be the same by chance. */
static void another_process_has_another_tag(void **state)
{
    struct page_scene *scene = *state;
    char page[TAG_SIZE], map[TAG_SIZE];

    get(scene, "/cluster", page);
    get(scene, "/cluster/nodes.bin", map);
    scene->world->view.started_ms++;
    assert_int_equal(status_for(scene, "/cluster", page), 200);
    assert_int_equal(status_for(scene, "/cluster/nodes.bin", map), 200);
}

/* The header of a page offers to sign in, or not. */
static void the_tag_has_whether_the_user_is_authenticated(void **state)
{
    struct page_scene *scene = *state;
    char tag[TAG_SIZE];

    scene->world->user = NULL;
    get(scene, "/cluster?user.name=ann", tag);
    scene->world->user = "ann";
    assert_int_equal(status_for(scene, "/cluster?user.name=ann", tag), 200);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, page_scene_set_up, page_scene_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_unchanged_model_is_304),
        TEST(the_tag_has_whether_the_resource_manager_answers),
        TEST(another_process_has_another_tag),
        TEST(the_tag_has_whether_the_user_is_authenticated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
