/* SPDX-License-Identifier: Apache-2.0 */
/* node_feed.c - test: requests of creel-nm-web wait for one copy of the agent's state */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "nm-agent/web/feed.h"

struct scene {
    struct loop *loop;
    struct feed *feed;
    int asked, done;
    uint64_t number; /* of the last query */
};

static void ask(void *context, uint64_t number)
{
    struct scene *scene = context;

    scene->asked++;
    scene->number = number;
}

static void count_done(void *context)
{
    ((struct scene *)context)->done++;
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    assert_int_equal(loop_new(&scene->loop, NULL), 0);
    scene->feed = feed_new(scene->loop, ask, scene);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    feed_free(scene->feed);
    loop_free(scene->loop);
    free(scene);
    return 0;
}

static bool handle_snapshot(struct scene *scene, uint64_t number, const char *node_id)
{
    Creel__AgentSnapshot snapshot = CREEL__AGENT_SNAPSHOT__INIT;
    uint8_t bytes[256];

    snapshot.node_id = (char *)(uintptr_t)node_id;
    return feed_handle_snapshot(scene->feed, number, bytes, creel__agent_snapshot__pack(&snapshot, bytes));
}

static void one_query_for_all_requests(void **state)
{
    struct scene *scene = *state;

    assert_int_equal(scene->asked, 0);
    feed_prepare(scene->feed, count_done, scene);
    feed_prepare(scene->feed, count_done, scene);
    assert_int_equal(scene->asked, 1);
    assert_int_equal(scene->done, 0);
    assert_true(handle_snapshot(scene, scene->number, "n1:8041"));
    assert_int_equal(scene->done, 2);
    assert_string_equal(feed_view(scene->feed)->snapshot->node_id, "n1:8041");
    feed_prepare(scene->feed, count_done, scene);
    assert_int_equal(scene->done, 3);
    assert_int_equal(scene->asked, 1);
}

static void answers_to_other_queries_are_ignored(void **state)
{
    struct scene *scene = *state;

    assert_true(handle_snapshot(scene, 7, "n1:8041"));
    assert_null(feed_view(scene->feed)->snapshot);
    feed_prepare(scene->feed, count_done, scene);
    assert_true(handle_snapshot(scene, scene->number + 1, "n1:8041"));
    assert_int_equal(scene->done, 0);
    assert_true(handle_snapshot(scene, scene->number, "n2:8041"));
    assert_int_equal(scene->done, 1);
}

static void bytes_that_are_no_state(void **state)
{
    struct scene *scene = *state;

    feed_prepare(scene->feed, count_done, scene);
    assert_false(feed_handle_snapshot(scene->feed, scene->number, "\xff\xff", 2));
    assert_int_equal(scene->done, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_query_for_all_requests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(answers_to_other_queries_are_ignored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_that_are_no_state, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
