/* SPDX-License-Identifier: Apache-2.0 */
/* page_lists.c - test: the pages of events, of ended applications and of their usage */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/page/page_scene.h"

static void tiles_have_the_figures_of_their_lists(void **state)
{
    struct page_scene *scene = *state;
    const char *text;
    char waiting[64];
    unsigned count = scene->world->cluster.apps_pending;

    scene->world->cluster.apps_pending += 2; /* tasks of arrays */
    page_world_load(scene->world);
    text = page_scene_get(scene, "/cluster");
    snprintf(waiting, sizeof(waiting), "<b>%u</b><span>waiting</span><small>and 2 tasks of arrays", count);
    assert_int_equal(page_scene_count(text, waiting), 1);
    text = page_scene_get(scene, "/cluster/apps?state=ACCEPTED");
    snprintf(waiting, sizeof(waiting), ">waiting <b>%u</b>", count);
    assert_int_equal(page_scene_count(text, waiting), 1);
}

static void the_overview_has_checks_that_are_not_ok(void **state)
{
    struct page_scene *scene = *state;
    Creel__HealthCheck store = CREEL__HEALTH_CHECK__INIT, *checks[] = { &store };
    const char *text;

    store.name = (char[]){ "state-store" };
    store.text = (char[]){ "disk <b> is full" };
    store.remedy = (char[]){ "make room" };
    scene->world->cluster.checks = checks;
    scene->world->cluster.n_checks = 1;
    scene->world->cluster.nodes_lost = scene->world->cluster.nodes_unhealthy = 0;
    scene->world->cluster.nodes_silent = scene->world->cluster.nodes_waiting = 0;
    scene->world->cluster.nodes_skewed = 0;
    page_world_load(scene->world);
    text = page_scene_get(scene, "/cluster");
    assert_null(strstr(text, "state-store"));
    assert_non_null(strstr(text, "nodes, all healthy"));
    store.result = CREEL__HEALTH_RESULT__HEALTH_FAILED;
    page_world_load(scene->world);
    text = page_scene_get(scene, "/cluster");
    assert_non_null(strstr(text, "<p class=\"note bad\">state-store: disk &lt;b&gt; is full. make room</p>"));
    store.result = CREEL__HEALTH_RESULT__HEALTH_WARNING;
    page_world_load(scene->world);
    text = page_scene_get(scene, "/cluster");
    assert_non_null(strstr(text, "<p class=\"note busy\">state-store: "));
    assert_null(strstr(text, "all healthy"));
    scene->world->cluster.n_checks = 0;
}

static void a_node_with_a_wrong_clock_is_not_healthy(void **state)
{
    struct page_scene *scene = *state;
    Creel__ClusterInfo *cluster = &scene->world->cluster;
    const char *text;

    cluster->n_checks = 0;
    cluster->nodes_lost = cluster->nodes_unhealthy = cluster->nodes_silent = cluster->nodes_waiting = 0;
    cluster->nodes_skewed = 1;
    page_world_load(scene->world);
    text = page_scene_get(scene, "/cluster");
    assert_non_null(strstr(text, "<p class=\"note busy\">The clock of "));
    assert_null(strstr(text, "all healthy"));
    cluster->nodes_skewed = 0;
    page_world_load(scene->world);
    assert_non_null(strstr(page_scene_get(scene, "/cluster"), "nodes, all healthy"));
}

static void the_overview_has_the_end_of_the_certificate(void **state)
{
    struct page_scene *scene = *state;
    int64_t *expires_ms = &scene->world->view.certificate_expires_ms;
    const char *text;

    *expires_ms = WORLD_NOW_MS + 86400000;
    page_world_load(scene->world);
    text = page_scene_get(scene, "/cluster");
    assert_non_null(strstr(text, "<p class=\"note busy\">The certificate of these pages expires on 2026-"));
    *expires_ms = WORLD_NOW_MS - 86400000;
    page_world_load(scene->world);
    text = page_scene_get(scene, "/cluster");
    assert_non_null(strstr(text, "<p class=\"note bad\">The certificate of these pages expired on 2026-"));
    *expires_ms = 0;
}

static void events_have_time_object_and_user(void **state)
{
    struct page_scene *scene = *state;
    const char *text = page_scene_get(scene, "/cluster/events?kind=queue");

    assert_int_equal(page_scene_count(text, "<tr><td"), 2);
    assert_int_equal(page_scene_count(text, "CONFIGURED"), 2);
    assert_int_equal(page_scene_count(text, "maximum-capacity=45, state=STOPPED"), 1);
    assert_int_equal(page_scene_count(text, "/cluster/queue/root.gone"), 1);
    assert_null(strstr(text, "<img"));
    text = page_scene_get(scene, "/cluster/events?queue=root.dev.ml");
    assert_non_null(strstr(text, "state=STOPPED"));
    assert_null(strstr(text, "root.gone"));
    text = page_scene_get(scene, "/cluster/events?app=7");
    assert_non_null(strstr(text, "container_1795500000000_0007_01_000002"));
    assert_non_null(strstr(text, "exit 137 (signal 9)"));
    assert_null(strstr(text, "application_1795500000000_0008"));
    text = page_scene_get(scene, "/cluster/events?app=7&kind=app");
    assert_int_equal(page_scene_count(text, "<tr><td"), 3);
    assert_null(strstr(text, "container_1795500000000_0007_01_000002"));
    text = page_scene_get(scene, "/cluster/events?kind=app&user=%3Cb%3Eeve%3C%2Fb%3E&since=30d");
    assert_int_equal(page_scene_count(text, "<tr><td"), 3);
    assert_null(strstr(text, "<b>eve"));
    text = page_scene_get(scene, "/cluster/events?node=node-00002.example.org%3A8041&kind=node");
    assert_int_equal(page_scene_count(text, "<tr><td"), 1);
    assert_non_null(strstr(text, "REGISTERED"));
    page_scene_get(scene, "/cluster/app/application_1795500000000_0007");
    assert_non_null(strstr(scene->text, "/cluster/events?app=application_1795500000000_0007"));
    page_scene_get(scene, "/cluster/node/node-00002.example.org%3A8041");
    assert_non_null(strstr(scene->text, "/cluster/events?node=node-00002.example.org%3A8041"));
    page_scene_get(scene, "/cluster/queue/root.dev.ml");
    assert_non_null(strstr(scene->text, "/cluster/events?queue=root.dev.ml"));
}

/* Follows the links to the next page from TARGET on. Returns the number of pages; *ROWS: their rows. */
static size_t follow_pages(struct page_scene *scene, const char *target, size_t *rows)
{
    char next[200];
    size_t pages = 0;

    snprintf(next, sizeof(next), "%s", target);
    *rows = 0;
    while (*next != '\0' && pages < 100) {
        const char *text = page_scene_get(scene, next), *after = strstr(text, "after=");

        pages++;
        *rows += page_scene_count(text, "<tr><td");
        *next = '\0';
        if (after != NULL)
            snprintf(next, sizeof(next), "%s&after=%.*s", target, (int)strcspn(after + 6, "&\""), after + 6);
    }
    return pages;
}

static void all_events_can_be_paged_through(void **state)
{
    static const char *const orders[] = { "-time", "time", "event", "-object", "user" };
    struct page_scene *scene = *state;
    size_t all, rows;

    page_scene_get(scene, "/cluster/events?kind=app&since=30d&format=csv");
    all = page_scene_count(scene->text, "\n") - 1;
    assert_true(all > 400);
    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
        char target[100];

        snprintf(target, sizeof(target), "/cluster/events?kind=app&since=30d&n=100&sort=%s", orders[i]);
        assert_int_equal(follow_pages(scene, target, &rows), (all + 99) / 100);
        assert_int_equal(rows, all);
    }
}

static void answer_unsupported(void *context, const Creel__Envelope *query, bool authenticated,
                               site_reply_fn *reply, void *reply_context)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    (void)query;
    (void)authenticated;
    ++*(size_t *)context;
    error.code = CREEL__ERROR_CODE__ERROR_UNSUPPORTED;
    error.message = (char *)(uintptr_t) "unknown <message> type";
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    reply(reply_context, &envelope);
}

/* As creel-rm of an earlier release. */
static void a_resource_manager_without_events_is_asked_once(void **state)
{
    struct page_scene *scene = *state;
    size_t asked = 0;

    scene->world->site.upstream = answer_unsupported;
    scene->world->site.upstream_context = &asked;
    page_scene_get(scene, "/cluster/events");
    assert_int_equal(scene->status, 200);
    assert_non_null(strstr(scene->text, "Events cannot be listed: unknown &lt;message&gt; type."));
    assert_int_equal(asked, 1);
}

static void the_history_has_ends_and_reasons(void **state)
{
    struct page_scene *scene = *state;
    const char *text = page_scene_get(scene, "/cluster/history");

    assert_int_equal(page_scene_count(text, "<td class=\"n\" data-label=\"Ended\"><span><time"), 50);
    assert_int_equal(page_scene_count(text, "</time> ago</span></td>"), 50);
    assert_non_null(
        strstr(text, "<div class=\"sub\">task 7 used more memory than its limit of 4 GiB</div></td>"));
}

static void usage_is_summed_by_time_queue_and_user(void **state)
{
    struct page_scene *scene = *state;
    const char *text = page_scene_get(scene, "/cluster/history/usage?since=2d");

    assert_int_equal(page_scene_count(text, "<tr><td"), 49); /* hours, the newest first */
    assert_int_equal(page_scene_count(text, "<figure"), 2);
    assert_int_equal(page_scene_count(text, "<g><title>2026-11-25 06:00: "), 2);
    assert_true(strstr(text, "<time>2026-11-25 06:00</time>") <
                strstr(text, "<time>2026-11-25 05:00</time>"));
    text = page_scene_get(scene, "/cluster/history/usage"); /* a week: 100 hours in two replies, by day */
    assert_int_equal(page_scene_count(text, "<tr><td"), 5);
    assert_int_equal(page_scene_count(text, "<g><title>2026-11-24: "), 2);
    text = page_scene_get(scene, "/cluster/history/usage?by=queue");
    assert_int_equal(page_scene_count(text, "<tr><td"), 3);
    assert_int_equal(page_scene_count(text, "<figure"), 0);
    assert_true(strstr(text, "<bdi>root.prod.reports") < strstr(text, "<bdi>root.dev.ml"));
    text = page_scene_get(scene, "/cluster/history/usage?by=queue&sort=group&n=1");
    assert_int_equal(page_scene_count(text, "<tr><td"), 1);
    assert_non_null(strstr(text, "after=root.dev.ml"));
    text = page_scene_get(scene, "/cluster/history/usage?by=queue&sort=group&n=1&after=root.dev.ml");
    assert_non_null(strstr(text, "<bdi>root.prod.etl"));
    text = page_scene_get(scene, "/cluster/history/usage?by=user");
    assert_null(strstr(text, "<b>eve"));
    assert_non_null(strstr(text, "user=%3Cb%3Eeve%3C%2Fb%3E"));
}

static void the_configuration_is_sorted_and_paged(void **state)
{
    struct page_scene *scene = *state;
    const char *text = page_scene_get(scene, "/cluster/conf?show=all&n=2");

    assert_int_equal(page_scene_count(text, "<tr><td"), 2);
    assert_non_null(strstr(text, "2 of 5 keys"));
    assert_non_null(strstr(text, "after=site.store.password"));
    text = page_scene_get(scene, "/cluster/conf?show=all&n=3&after=site.store.password");
    assert_int_equal(page_scene_count(text, "<tr><td"), 3);
    assert_non_null(strstr(text, "yarn.acl.enable"));
    assert_null(strstr(text, "rel=\"next\""));
    text = page_scene_get(scene, "/cluster/conf?show=all&sort=-key&n=1");
    assert_non_null(strstr(text, "after=yarn.scheduler.capacity.root.queues"));
    text = page_scene_get(scene, "/cluster/conf?q=acl");
    assert_int_equal(page_scene_count(text, "<tr><td"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, page_scene_set_up, page_scene_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tiles_have_the_figures_of_their_lists),
        TEST(the_overview_has_checks_that_are_not_ok),
        TEST(a_node_with_a_wrong_clock_is_not_healthy),
        TEST(the_overview_has_the_end_of_the_certificate),
        TEST(events_have_time_object_and_user),
        TEST(all_events_can_be_paged_through),
        TEST(a_resource_manager_without_events_is_asked_once),
        TEST(the_history_has_ends_and_reasons),
        TEST(usage_is_summed_by_time_queue_and_user),
        TEST(the_configuration_is_sorted_and_paged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
