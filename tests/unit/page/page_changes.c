/* SPDX-License-Identifier: Apache-2.0 */
/* page_changes.c - test: the events of /cluster/changes, and the streams that pages ask for */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/arena.h"
#include "tests/unit/page/page_scene.h"

static void open_stream(struct page_scene *scene, const char *topics)
{
    char target[256];

    snprintf(target, sizeof(target), "/cluster/changes?topics=%s&since=%" PRIu64, topics,
             web_model_version(scene->world->model));
    page_scene_get(scene, target);
    assert_int_equal(scene->status, 200);
    assert_true(site_answer(scene->exchange)->is_stream);
}

/* Checks that the next event has WORDS as its data; "": there is no event. */
static void expect(struct page_scene *scene, const char *words)
{
    char text[256] = "", expected[256] = "";
    size_t size = site_event(scene->exchange, text, sizeof(text));

    if (*words != '\0')
        snprintf(expected, sizeof(expected), "id: %" PRIu64 "\ndata: %s\n\n",
                 web_model_version(scene->world->model), words);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(text, expected);
}

static void an_event_names_the_changed_topics(void **state)
{
    struct page_scene *scene = *state;
    struct page_world *world = scene->world;

    open_stream(scene, "apps,nodes,queues,cluster");
    expect(scene, "");
    world->cluster.now_ms += 1000;
    page_world_load(world);
    expect(scene, "");
    world->apps[0]->running_containers++;
    page_world_load(world);
    expect(scene, "apps");
    expect(scene, "");
    world->nodes[0]->containers++;
    world->queues[0]->containers++;
    world->cluster.containers++;
    page_world_load(world);
    expect(scene, "nodes queues cluster");
    expect(scene, "");
}

static void one_object_is_a_topic(void **state)
{
    struct page_scene *scene = *state;
    struct page_world *world = scene->world;
    char topics[128];

    snprintf(topics, sizeof(topics), "app:%s,node:%s", world->apps[3]->app_id, world->nodes[3]->node_id);
    open_stream(scene, topics);
    world->apps[0]->running_containers++;
    world->nodes[0]->containers++;
    page_world_load(world);
    expect(scene, "");
    world->apps[3]->running_containers++;
    page_world_load(world);
    expect(scene, "app");
    world->nodes[3]->containers++;
    page_world_load(world);
    expect(scene, "node");
}

static void an_event_reports_that_the_copy_is_old(void **state)
{
    struct page_scene *scene = *state;

    open_stream(scene, "apps");
    scene->world->view.trouble = "no answer";
    expect(scene, "trouble");
    expect(scene, "");
    scene->world->view.trouble = "no connection";
    expect(scene, "trouble");
    scene->world->view.trouble = NULL;
    expect(scene, "trouble");
    expect(scene, "");
}

/* The page was loaded before the resource manager stopped answering, or after; the stream is opened later. */
static void an_event_reports_what_the_page_does_not_say(void **state)
{
    struct page_scene *scene = *state;
    const char *page;

    scene->world->view.trouble = "no answer";
    open_stream(scene, "apps");
    expect(scene, "trouble");
    page = page_scene_get(scene, "/cluster/apps");
    assert_non_null(strstr(page, "&amp;trouble=1\" data-refresh-ms"));
    page_scene_get(scene, "/cluster/changes?topics=apps&trouble=1&since=99999999");
    expect(scene, "apps");
    scene->world->view.trouble = NULL;
    page_scene_get(scene, "/cluster/changes?topics=apps&trouble=1&since=99999999");
    expect(scene, "apps trouble");
    assert_null(strstr(page_scene_get(scene, "/cluster/apps"), "trouble=1"));
}

static void a_client_continues_where_it_was(void **state)
{
    struct page_scene *scene = *state;
    struct name_value last = { "Last-Event-ID", "0" };
    char version[32];

    snprintf(version, sizeof(version), "%" PRIu64, web_model_version(scene->world->model));
    page_scene_get_with(scene, "/cluster/changes?topics=apps&since=99999999", &last, 1);
    expect(scene, "apps");
    last.value = version;
    page_scene_get_with(scene, "/cluster/changes?topics=apps&since=0", &last, 1);
    expect(scene, "");
    page_scene_get(scene, "/cluster/changes?topics=apps&since=99999999"); /* of an earlier process */
    expect(scene, "apps");
}

static void other_topics_are_refused(void **state)
{
    static const char *const bad[] = {
        "/cluster/changes",
        "/cluster/changes?topics=",
        "/cluster/changes?topics=jobs",
        "/cluster/changes?topics=apps,",
        "/cluster/changes?topics=apps:7",
        "/cluster/changes?topics=app",
        "/cluster/changes?topics=apps,apps,apps,apps,apps,apps,apps,apps,apps",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        page_scene_get(*state, bad[i]);
        assert_int_equal(((struct page_scene *)*state)->status, 400);
    }
}

static void pages_name_their_topics(void **state)
{
    static const char *const pages[][2] = {
        { "/cluster", "topics=apps,nodes,queues,cluster&amp;since=" },
        { "/cluster/apps", "topics=apps&amp;since=" },
        { "/cluster/nodes", "topics=nodes,cluster&amp;since=" },
        { "/cluster/scheduler", "topics=apps,queues,cluster&amp;since=" },
        { "/cluster/app/application_1795500000000_0007", "topics=app:application_1795500000000_0007&amp;" },
        { "/cluster/node/node-00001.example.org%3A8041", "topics=node:node-00001.example.org%3A8041&amp;" },
        { "/cluster/queue/root.dev.ml", "topics=queues&amp;" },
    };
    struct page_scene *scene = *state;

    for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
        if (strstr(page_scene_get(scene, pages[i][0]), pages[i][1]) == NULL)
            fail_msg("%s lacks \"%s\"", pages[i][0], pages[i][1]);
    assert_null(strstr(page_scene_get(scene, "/cluster/history"), "data-changes"));
    assert_null(strstr(page_scene_get(scene, "/cluster/none"), "data-changes"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, page_scene_set_up, page_scene_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_event_names_the_changed_topics),
        TEST(one_object_is_a_topic),
        TEST(an_event_reports_that_the_copy_is_old),
        TEST(an_event_reports_what_the_page_does_not_say),
        TEST(a_client_continues_where_it_was),
        TEST(other_topics_are_refused),
        TEST(pages_name_their_topics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
