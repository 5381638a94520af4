/* SPDX-License-Identifier: Apache-2.0 */
/* page_containers.c - test: tables of containers are sorted, filtered and paged */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/page/page_scene.h"
#include "web/page/container_rows.h"

#define APP "/cluster/app/application_1795500000000_0101"
#define NODE "/cluster/node/node-00001.example.org%3A8041"
#define ROW "<td data-label=\"Container\">"

/* Checks that the rows of TEXT are exactly the containers with these NUMBERS (0 ends the list), in this
 * order. */
static void assert_rows(const char *text, const unsigned numbers[])
{
    const char *at = strstr(text, ROW);
    size_t i = 0;

    for (; numbers[i] != 0; i++) {
        char id[128];

        snprintf(id, sizeof(id), ROW "<span class=\"id\">container_1795500000000_0007_01_%06u<", numbers[i]);
        if (at == NULL || strncmp(at, id, strlen(id)) != 0)
            fail_msg("row %zu is not container %u: %.100s", i, numbers[i], at != NULL ? at : "none");
        at = strstr(at + 1, ROW);
    }
    if (at != NULL)
        fail_msg("there is a row after %zu: %.100s", i, at);
}

#define ROWS(...) ((const unsigned[]){ __VA_ARGS__, 0 })
#define NONE ((const unsigned[]){ 0 })

static void containers_are_sorted(void **state)
{
    static const struct {
        const char *sort;
        unsigned first[2];
    } orders[] = {
        { "-id", { 12, 11 } },     { "id", { 1, 2 } },         { "-task", { 12, 11 } },
        { "-node", { 12, 11 } },   { "-state", { 12, 11 } },   { "-exit", { 11, 12 } },
        { "-memory", { 12, 11 } }, { "memory", { 1, 2 } },     { "-cpu", { 12, 11 } },
        { "vcores", { 1, 2 } },    { "duration", { 10, 11 } }, { "start", { 1, 2 } },
        { "nothing", { 1, 2 } },
    };
    struct page_scene *scene = *state;

    for (int apart = 0; apart < 2; apart++)
        for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
            char target[128];

            scene->world->containers_apart = apart;
            snprintf(target, sizeof(target), APP "?n=2&sort=%s", orders[i].sort);
            assert_rows(page_scene_get(scene, target), ROWS(orders[i].first[0], orders[i].first[1]));
            assert_non_null(strstr(scene->text, "rel=\"next\""));
            assert_null(strstr(scene->text, "are sorted"));
        }
    page_scene_get(scene, APP "?sort=-memory");
    assert_non_null(strstr(scene->text, "aria-sort=\"descending\" title=\"largest amount"));
    assert_non_null(strstr(scene->text, "href=\"?sort=memory#containers\""));
    assert_non_null(strstr(scene->text, "12 containers"));
    assert_non_null(strstr(scene->text, "of 4 GiB, and 5 MiB of swap</small>"));
}

static void containers_are_filtered(void **state)
{
    static const struct {
        const char *query;
        unsigned rows[13];
    } filters[] = {
        { "state=FAILED", { 11 } },      { "state=complete", { 10, 11, 12 } },
        { "exit=137", { 11 } },          { "exit=0", { 10, 12 } },
        { "exit=bad&q=000012", { 12 } }, { "state=RUNNING&q=00000&sort=-id", { 9, 8, 7, 6, 5, 4, 3, 2, 1 } },
        { "q=11", { 11, 12 } }, /* the id of one, the task of the other */
        { "node=NODE-00003", { 3 } },    { "ran=10m&peak=2.5g", { 9 } },
        { "ran=-1&q=000012", { 12 } },   { "peak=3g&sort=-memory", { 12, 11, 10 } },
        { "since=9m", { 0 } },           { "since=11m&q=_000001", { 1 } },
        { "q=%3Cb%3E", { 0 } },
    };
    struct page_scene *scene = *state;

    for (int apart = 0; apart < 2; apart++)
        for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
            char target[128];

            scene->world->containers_apart = apart;
            snprintf(target, sizeof(target), APP "?%s", filters[i].query);
            assert_rows(page_scene_get(scene, target), filters[i].rows);
            assert_null(strstr(scene->text, "<b>\""));
        }
    assert_non_null(strstr(scene->text, "No container fits."));
    assert_non_null(strstr(scene->text, "name=\"q\" value=\"&lt;b&gt;\""));
}

static void a_node_shows_what_has_not_ended(void **state)
{
    struct page_scene *scene = *state;

    assert_rows(page_scene_get(scene, NODE "?sort=-id&n=1"), ROWS(9));
    assert_non_null(strstr(scene->text, "aria-current=\"true\">not ended<"));
    assert_rows(page_scene_get(scene, NODE "?sort=-id&n=1&state=ALL"), ROWS(12));
    assert_rows(page_scene_get(scene, NODE "?state=FAILED"), ROWS(11));
    assert_rows(page_scene_get(scene, NODE "?user=bob"), NONE);
    assert_rows(page_scene_get(scene, NODE "?user=ann&app=_0007&n=1"), ROWS(1));
}

/* Pages through TARGET, which has a "?", and returns the number of rows; each container may be there once. */
static size_t count_on_pages(struct page_scene *scene, const char *target)
{
    char page[256], next[128] = "";
    bool seen[256] = { false };
    size_t count = 0;

    do {
        const char *text, *link;

        snprintf(page, sizeof(page), "%s%s%s", target, *next != '\0' ? "&after=" : "", next);
        text = page_scene_get(scene, page);
        for (const char *row = strstr(text, ROW); row != NULL; row = strstr(row + 1, ROW), count++) {
            unsigned number = 0;

            assert_int_equal(
                sscanf(row, ROW "<span class=\"id\">container_1795500000000_0007_01_%u", &number), 1);
            assert_true(number < 256 && !seen[number]);
            seen[number] = true;
        }
        *next = '\0';
        if ((link = strstr(text, "rel=\"next\"")) != NULL)
            assert_int_equal(sscanf(strstr(link, "after="), "after=%127[^#\"]", next), 1);
    } while (*next != '\0');
    return count;
}

static void pages_have_each_container_once(void **state)
{
    struct page_scene *scene = *state;

    for (int apart = 0; apart < 2; apart++) {
        scene->world->containers_apart = apart;
        assert_int_equal(count_on_pages(scene, APP "?n=5"), 12);
        assert_int_equal(count_on_pages(scene, APP "?n=5&sort=-memory"), 12);
        assert_int_equal(count_on_pages(scene, APP "?n=5&sort=vcores"), 12); /* all are equal */
        assert_int_equal(count_on_pages(scene, APP "?n=2&state=COMPLETE"), 3);
        assert_int_equal(count_on_pages(scene, NODE "?n=4"), 9);
    }
}

/* In the order of ids all can be paged through; other orders are of what a page may read. */
static void a_long_list_is_sorted_in_part(void **state)
{
    struct page_scene *scene = *state;

    scene->world->containers_apart = true;
    scene->world->container_count = 100;
    assert_int_equal(count_on_pages(scene, APP "?n=30"), 100);
    assert_int_equal(count_on_pages(scene, APP "?n=30&state=COMPLETE"), 3);
    assert_rows(page_scene_get(scene, APP "?q=nothing"), NONE);
    assert_non_null(strstr(scene->text, "the next page reads on"));
    assert_rows(page_scene_get(scene, APP "?sort=-id&n=1"), ROWS(38));
    assert_non_null(strstr(scene->text, "Only the first 38 containers are sorted and filtered"));
    assert_non_null(strstr(scene->text, "<a href=\"?n=1#containers\">order of their ids</a>"));
    assert_int_equal(count_on_pages(scene, APP "?n=30&sort=-memory"), 38);
}

static void the_order_of_equal_and_of_unset_values(void **state)
{
    struct container_row rows[] = {
        { .container_id = "1", .parsed.number = 1, .title = "10", .started_ms = 5 },
        { .container_id = "2", .parsed.number = 2, .title = "9", .started_ms = 0 },
        { .container_id = "3",
          .parsed.number = 3,
          .title = "9",
          .started_ms = 4,
          .exit_status = -102,
          .state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE },
    };

    (void)state;
    container_rows_sort(rows, 3, CONTAINER_BY_START, false);
    assert_string_equal(rows[0].container_id, "3");
    assert_string_equal(rows[2].container_id, "2"); /* has not started */
    container_rows_sort(rows, 3, CONTAINER_BY_TITLE, false);
    assert_string_equal(rows[0].container_id, "2");
    assert_string_equal(rows[2].container_id, "1");
    container_rows_sort(rows, 3, CONTAINER_BY_EXIT, false);
    assert_string_equal(rows[2].container_id, "3");
    container_rows_sort(rows, 3, CONTAINER_BY_VCORES, true);
    assert_string_equal(rows[0].container_id, "3");
}

/* Sets the silence of the second node, on which container 2 runs. */
static void set_silence(struct page_scene *scene, int64_t silent_ms)
{
    Creel__NodeReport *node = scene->world->nodes[1];

    node->last_heartbeat_ms = WORLD_NOW_MS - silent_ms;
    node->lost_at_ms = silent_ms > 0 ? node->last_heartbeat_ms + 600000 : 0;
    scene->world->cluster.nodes_silent = silent_ms > 0;
    page_world_load(scene->world);
}

static void containers_of_a_silent_node_are_marked(void **state)
{
    struct page_scene *scene = *state;
    Creel__AppReport *app = scene->world->apps[100];
    char *before = app->silent_nodes;
    const char *row;

    assert_string_equal(strrchr(APP, '/') + 1, app->app_id);
    app->silent_nodes = (char[]){ "node <b>, where it has containers, is silent for 25s" };
    set_silence(scene, 25000);
    row = strstr(page_scene_get(scene, APP), "node-00002.example.org:8041\"");
    assert_non_null(row);
    assert_int_equal(page_scene_count(scene->text, "silent for 25 s; counts as lost in 9 min"), 1);
    assert_true(strstr(row, "silent for 25 s") < strstr(row, "node-00003.example.org:8041\""));
    assert_non_null(strstr(scene->text, "<p class=\"note busy\">node &lt;b&gt;, where it has containers, is "
                                        "silent for 25s</p>"));
    page_scene_get(scene, "/cluster/node/node-00002.example.org%3A8041");
    assert_non_null(strstr(scene->text, "Its agent is silent for 25 s; counts as lost in 9 min.</p>"));
    page_scene_get(scene, "/cluster/nodes");
    assert_int_equal(page_scene_count(scene->text, "silent for 25 s; counts as lost in 9 min"), 1);

    app->silent_nodes = before;
    set_silence(scene, 0);
    assert_null(strstr(page_scene_get(scene, APP), "silent for"));
}

static void a_drain_does_not_promise_the_end_of_stuck_containers(void **state)
{
    struct page_scene *scene = *state;
    Creel__NodeReport *node = scene->world->nodes[0];
    Creel__NodeAdminState admin = CREEL__NODE_ADMIN_STATE__INIT;

    admin.since_ms = WORLD_NOW_MS - 1000;
    admin.deadline_ms = WORLD_NOW_MS + 60000;
    admin.end_ms = WORLD_NOW_MS + 90000;
    node->admin_state = &admin;
    page_world_load(scene->world);
    page_scene_get(scene, NODE);
    assert_non_null(strstr(scene->text, "ends in 1 min at the latest.</p>"));
    node->containers_stuck = 1;
    page_world_load(scene->world);
    page_scene_get(scene, NODE);
    assert_non_null(strstr(scene->text, "at the latest; 1 of its containers cannot end: a process stays"));
    node->containers_stuck = 0;
    node->admin_state = NULL;
    page_world_load(scene->world);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, page_scene_set_up, page_scene_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(containers_are_sorted),
        TEST(containers_are_filtered),
        TEST(a_node_shows_what_has_not_ended),
        TEST(pages_have_each_container_once),
        TEST(a_long_list_is_sorted_in_part),
        TEST(the_order_of_equal_and_of_unset_values),
        TEST(containers_of_a_silent_node_are_marked),
        TEST(a_drain_does_not_promise_the_end_of_stuck_containers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
