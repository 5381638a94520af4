/* SPDX-License-Identifier: Apache-2.0 */
/* page_csv.c - test: tables as comma-separated values, and the choice of columns */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/page/page_scene.h"

static const char *header_of(const struct page_scene *scene, const char *name)
{
    const struct answer *answer = site_answer(scene->exchange);

    for (size_t i = 0; i < answer->header_count; i++)
        if (strcmp(answer->headers[i].name, name) == 0)
            return answer->headers[i].value;
    return "";
}

static void every_table_is_also_csv(void **state)
{
    static const struct {
        const char *target, *file, *first;
        size_t rows; /* 0: any number above 0 */
    } tables[] = {
        { "/cluster/apps?state=ALL&format=csv", "applications", "application,name,user,queue,type,", 200 },
        { "/cluster/apps?state=FINISHED&n=1&sort=name&format=csv", "applications", "application,", 0 },
        { "/cluster/nodes?format=csv&after=x", "nodes",
          "node,rack,state,label,containers,memory_used_mb,memory_mb,vcores_used,vcores,"
          "measured_memory_bytes,measured_cpu,node_memory_bytes,node_cpu,"
          "http_address,version,registered,heartbeat,health_report,"
          "out_of_service_by,out_of_service_reason\r\n",
          100 },
        { "/cluster/nodes?sort=-memory&n=5&format=csv", "nodes", "node,", 100 },
        { "/cluster/app/application_1795500000000_0101?format=csv", "containers",
          "container,application,user,task,node,state,exit_status,memory_mb,memory_peak_bytes,vcores,cpu_ms,"
          "started,duration_ms,diagnostics,swap_peak_bytes\r\n",
          12 },
        { "/cluster/app/application_1795500000000_0101?state=FAILED&format=csv", "containers", "container,",
          1 },
        { "/cluster/node/node-00001.example.org%3A8041?format=csv", "containers", "container,", 9 },
        { "/cluster/events?since=900d&format=csv", "events", "time,event,object,", 0 },
        { "/cluster/events?app=7&format=csv", "events", "time,", 0 },
        { "/cluster/history?format=csv", "history", "application,", 0 },
        { "/cluster/history/usage?by=queue&format=csv", "usage", "group,jobs,", 3 },
        { "/cluster/conf?format=csv", "configuration", "key,value,set_in,applies_after\r\n", 0 },
        { "/cluster/scheduler?format=csv", "queues", "queue,leaf,state,", 0 },
    };
    struct page_scene *scene = *state;

    for (size_t i = 0; i < 2 * sizeof(tables) / sizeof(*tables); i++) {
        size_t t = i / 2, rows;
        const char *text;
        char disposition[80];

        scene->world->containers_apart = i % 2;
        text = page_scene_get(scene, tables[t].target);
        assert_int_equal(scene->status, 200);
        assert_string_equal(header_of(scene, "Content-Type"), "text/csv; charset=utf-8; header=present");
        snprintf(disposition, sizeof(disposition), "attachment; filename=\"%s.csv\"", tables[t].file);
        assert_string_equal(header_of(scene, "Content-Disposition"), disposition);
        assert_int_equal(strncmp(text, tables[t].first, strlen(tables[t].first)), 0);
        rows = page_scene_count(text, "\r\n") - 1;
        if (rows == 0 || (tables[t].rows != 0 && rows != tables[t].rows))
            fail_msg("%s: %zu rows: %.300s", tables[t].target, rows, text);
    }
}

static void pages_link_to_their_csv(void **state)
{
    static const char *const pages[][2] = {
        { "/cluster/apps?user=ann&sort=-memory&after=application_1795500000000_0007",
          "href=\"?user=ann&amp;sort=-memory&amp;format=csv\"" },
        { "/cluster/nodes?rack=/r1", "href=\"?rack=%2Fr1&amp;format=csv\"" },
        { "/cluster/app/application_1795500000000_0101", "href=\"?format=csv\"" },
        { "/cluster/node/node-00001.example.org%3A8041", "href=\"?format=csv\"" },
        { "/cluster/events", "href=\"?format=csv\"" },
        { "/cluster/history", "href=\"?format=csv\"" },
        { "/cluster/history/usage?by=user", "href=\"?by=user&amp;format=csv\"" },
        { "/cluster/conf?show=all", "href=\"?show=all&amp;format=csv\"" },
        { "/cluster/scheduler?q=dev", "href=\"?q=dev&amp;format=csv\"" },
    };
    struct page_scene *scene = *state;

    for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
        page_scene_get(scene, pages[i][0]);
        if (strstr(scene->text, pages[i][1]) == NULL)
            fail_msg("%s has no %s", pages[i][0], pages[i][1]);
    }
}

/* The rows come in several parts; between two of them the model may change. */
static void a_long_list_has_each_row_once(void **state)
{
    static const char *const orders[] = { "age", "-age", "name", "-memory", "user" };
    struct page_world *world = page_world_new(1700, 10, 2);
    struct page_scene scene = { .world = world };

    (void)state;
    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
        char target[80];

        snprintf(target, sizeof(target), "/cluster/apps?state=ALL&format=csv&sort=%s", orders[i]);
        page_scene_get(&scene, target);
        for (int app = 1; app <= 1700; app++) {
            char line[60];

            snprintf(line, sizeof(line), "\r\napplication_1795500000000_%04d,", app);
            if (page_scene_count(scene.text, line) != 1)
                fail_msg("sort=%s: application %d is there %zu times", orders[i], app,
                         page_scene_count(scene.text, line));
        }
    }
    site_end(scene.exchange);
    free(scene.text);
    page_world_free(world);
}

/* The resource manager lists events in several replies. */
static void events_of_all_containers_are_there(void **state)
{
    struct page_scene *scene = *state;

    scene->world->container_count = 900;
    page_scene_get(scene, "/cluster/events?app=7&kind=container&since=0&format=csv");
    assert_int_equal(scene->status, 200);
    assert_int_equal(page_scene_count(scene->text, ",ENDED,"), 3);
    assert_int_equal(page_scene_count(scene->text, ",STARTED,"), 900);
}

static void answer_with_an_error(void *context, const Creel__Envelope *query, bool authenticated,
                                 site_reply_fn *reply, void *reply_context)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    (void)context;
    (void)query;
    (void)authenticated;
    error.code = CREEL__ERROR_CODE__ERROR_UNAVAILABLE;
    error.message = (char *)(uintptr_t) "the resource manager does not answer";
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    reply(reply_context, &envelope);
}

/* Sums without an end. */
static void answer_with_more_sums(void *context, const Creel__Envelope *query, bool authenticated,
                                  site_reply_fn *reply, void *reply_context)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__JobHistorySums sums = CREEL__JOB_HISTORY_SUMS__INIT;
    Creel__JobHistorySum sum = CREEL__JOB_HISTORY_SUM__INIT, *rows[1000];

    (void)context;
    (void)query;
    (void)authenticated;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        rows[i] = &sum;
    sum.group = sums.next = (char *)(uintptr_t) "root.dev";
    sums.sums = rows;
    sums.n_sums = sizeof(rows) / sizeof(*rows);
    envelope.body_case = CREEL__ENVELOPE__BODY_JOB_HISTORY_SUMS;
    envelope.job_history_sums = &sums;
    reply(reply_context, &envelope);
}

static void too_many_groups_are_refused(void **state)
{
    struct page_scene *scene = *state;

    scene->world->site.upstream = answer_with_more_sums;
    page_scene_get(scene, "/cluster/history/usage?by=queue&format=csv");
    assert_int_equal(scene->status, 400);
    assert_non_null(strstr(scene->text, "There are more groups than are shown"));
    page_scene_get(scene, "/cluster/history/usage?by=queue");
    assert_int_equal(scene->status, 200);
    assert_non_null(strstr(scene->text, "There are more groups than are shown"));
}

static void a_history_with_a_warning_has_a_header(void **state)
{
    static const char *const targets[] = { "/cluster/history", "/cluster/history/usage?by=queue" };
    struct page_scene *scene = *state;
    char target[80];

    scene->world->history_warning = "2 history files cannot be read";
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        page_scene_get(scene, targets[i]);
        assert_int_equal(scene->status, 200);
        assert_non_null(strstr(scene->text, "2 history files cannot be read"));
        snprintf(target, sizeof(target), "%s%cformat=csv", targets[i], strchr(targets[i], '?') ? '&' : '?');
        page_scene_get(scene, target);
        assert_int_equal(scene->status, 200);
        assert_string_equal(page_scene_header(scene, "Creel-Warning"), "2 history files cannot be read");
    }
}

static void a_history_whose_second_part_has_a_warning_is_cut(void **state)
{
    const struct request_text request = { .method = "GET", .target = "/cluster/history?format=csv" };
    struct page_scene *scene = *state;
    enum exchange_part part;
    const char *bytes;
    size_t size;

    scene->world->history_warning = "2 history files cannot be read";
    scene->world->history_warns_late = true;
    scene->exchange = site_serve(&scene->world->site, &request, page_scene_ignore, NULL);
    assert_int_equal(site_part(scene->exchange, &bytes, &size), EXCHANGE_PART);
    while ((part = site_part(scene->exchange, &bytes, &size)) == EXCHANGE_PART_LATER)
        continue;
    assert_int_equal(part, EXCHANGE_PART_FAILED);
}

/* A part of the history ends after some time, also if it has no row yet: neither page nor CSV ends there. */
static void parts_of_the_history_without_rows_are_passed_over(void **state)
{
    struct page_scene *scene = *state;
    scoped_free char *whole = NULL;

    page_scene_get(scene, "/cluster/history");
    whole = mem_strdup(scene->text);
    assert_non_null(strstr(whole, "application_1795500000000_"));
    scene->world->history_empty = 5;
    page_scene_get(scene, "/cluster/history");
    assert_int_equal(scene->world->history_empty, 0);
    assert_string_equal(scene->text, whole);
    free(whole);
    page_scene_get(scene, "/cluster/history?format=csv");
    whole = mem_strdup(scene->text);
    scene->world->history_empty = 5;
    page_scene_get(scene, "/cluster/history?format=csv");
    assert_int_equal(scene->world->history_empty, 0);
    assert_string_equal(scene->text, whole);
}

static void without_a_reply_there_is_no_csv(void **state)
{
    static const char *const targets[] = {
        "/cluster/app/application_1795500000000_0101?format=csv",
        "/cluster/events?format=csv",
        "/cluster/events?app=101&format=csv",
        "/cluster/history?format=csv",
        "/cluster/history/usage?format=csv",
        "/cluster/conf?format=csv",
    };
    struct page_scene *scene = *state;

    scene->world->site.upstream = answer_with_an_error;
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        page_scene_get(scene, targets[i]);
        if (scene->status != 503 || strstr(scene->text, "the resource manager does not answer") == NULL)
            fail_msg("%s: status %d: %.200s", targets[i], scene->status, scene->text);
    }
}

static void all_tags_of_an_application_are_there(void **state)
{
    static char tag[] = "workflow-of-the-nightly-build", last[] = "the-last-tag";
    struct page_scene *scene = *state;
    char *tags[60];

    for (size_t i = 0; i < 59; i++)
        tags[i] = tag;
    tags[59] = last;
    scene->world->apps[3]->tags = tags;
    scene->world->apps[3]->n_tags = 60;
    page_world_load(scene->world);
    assert_non_null(strstr(page_scene_get(scene, "/cluster/apps?state=ALL&format=csv"), ",the-last-tag\","));
}

static void columns_are_chosen(void **state)
{
    struct page_scene *scene = *state;
    const char *text =
        page_scene_get(scene, "/cluster/apps?state=ALL&cols=app,priority&cols=type&sort=-priority");

    assert_int_equal(scene->status, 200);
    assert_int_equal(page_scene_count(text, "<th "), 3);
    assert_non_null(strstr(text, "<td data-label=\"Type\">"));
    assert_null(strstr(text, "data-label=\"Queue\""));
    assert_null(strstr(text, "<table class=\"cards apps\">")); /* whose labels are in the style sheet */
    assert_non_null(strstr(text, "name=\"cols\" value=\"priority\" checked>"));
    assert_non_null(strstr(text, "name=\"cols\" value=\"queue\">"));
    /* links and forms keep them */
    assert_non_null(strstr(text, "href=\"?state=ALL&amp;cols=app%2Cpriority&amp;cols=type&amp;sort=age\""));
    assert_non_null(strstr(text, "<input type=\"hidden\" name=\"cols\" value=\"app,priority\">"));
    assert_non_null(strstr(text, "cols=type&amp;sort=-priority&amp;after="));
    text = page_scene_get(scene, "/cluster/nodes?cols=node&cols=reason");
    assert_int_equal(page_scene_count(strstr(text, "id=\"rows\""), "<th "), 2);
    text = page_scene_get(scene, "/cluster/nodes?cols=");
    assert_non_null(strstr(text, "data-label=\"Rack\""));
    assert_null(strstr(text, "data-label=\"Version\""));
}

static void an_unknown_column_is_named(void **state)
{
    static const char *const targets[] = {
        "/cluster/apps?cols=app,%3Cb%3E",
        "/cluster/nodes?cols=%3Cb%3E",
        "/cluster/app/application_1795500000000_0101?cols=%3Cb%3E",
        "/cluster/node/node-00001.example.org%3A8041?cols=%3Cb%3E",
        "/cluster/events?cols=%3Cb%3E",
        "/cluster/history?cols=%3Cb%3E",
        "/cluster/history/usage?cols=%3Cb%3E",
        "/cluster/conf?cols=%3Cb%3E",
        "/cluster/apps?cols=app,%3Cb%3E&format=csv",
    };
    struct page_scene *scene = *state;

    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        page_scene_get(scene, targets[i]);
        if (scene->status != 400 ||
            strstr(scene->text, "cols: there is no column &quot;&lt;b&gt;&quot;. Columns are: ") == NULL)
            fail_msg("%s: status %d: %.200s", targets[i], scene->status, scene->text);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, page_scene_set_up, page_scene_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_table_is_also_csv),
        TEST(pages_link_to_their_csv),
        TEST(a_long_list_has_each_row_once),
        TEST(events_of_all_containers_are_there),
        TEST(too_many_groups_are_refused),
        TEST(a_history_with_a_warning_has_a_header),
        TEST(a_history_whose_second_part_has_a_warning_is_cut),
        TEST(parts_of_the_history_without_rows_are_passed_over),
        TEST(without_a_reply_there_is_no_csv),
        TEST(all_tags_of_an_application_are_there),
        TEST(columns_are_chosen),
        TEST(an_unknown_column_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
