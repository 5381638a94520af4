/* SPDX-License-Identifier: Apache-2.0 */
/* web_events.c - test: events of the web server's copy of the cluster: found, filtered, sorted, paged */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "web/model/events.h"
#include "web/model/feed.h"

#define ID "application_1795500000000_"
#define LIMIT 100

struct scene {
    struct web_model *model;
    struct web_event rows[LIMIT];
    size_t count, total;
};

static char *text(const char *constant)
{
    return (char *)(uintptr_t)constant;
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    scene->model = web_model_new();
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    web_model_free(scene->model);
    free(scene);
    return 0;
}

static void list(struct scene *scene, struct web_event_filter filter)
{
    scene->count = web_model_list_events(
        scene->model, &filter, NULL, 0,
        &(struct web_event_page){ .order = WEB_EVENT_BY_TIME, .limit = LIMIT }, scene->rows, &scene->total);
}

/* Asserts that the list has exactly these events, "TIME NAME ID" in the order of time. */
static void has(struct scene *scene, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count && i < scene->count; i++) {
        scoped_free char *line = mem_printf("%lld %s %s", (long long)scene->rows[i].time_ms,
                                            scene->rows[i].name, scene->rows[i].id);

        assert_string_equal(line, lines[i]);
    }
    assert_int_equal(scene->count, count);
    assert_int_equal(scene->total, count);
}

#define HAS(scene, ...) \
    has(scene, (const char *const[]){ __VA_ARGS__ }, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *))

/* --- reports ------------------------------------------------------------------ */

static Creel__AppReport app_report(const char *id, int64_t submitted_ms)
{
    Creel__AppReport app = CREEL__APP_REPORT__INIT;

    app.app_id = text(id);
    app.user = text("ann");
    app.queue = text("root.dev.ml");
    app.submitted_ms = submitted_ms;
    app.exit_status = WEB_EVENT_NO_EXIT;
    return app;
}

static void put_app(struct scene *scene, Creel__AppReport *app)
{
    Creel__AppList list = CREEL__APP_LIST__INIT;

    list.apps = &app;
    list.n_apps = 1;
    web_model_put_apps(scene->model, &list);
}

static void put_node(struct scene *scene, Creel__NodeReport *node)
{
    Creel__NodeList list = CREEL__NODE_LIST__INIT;

    list.nodes = &node;
    list.n_nodes = 1;
    web_model_put_nodes(scene->model, &list);
}

static void put_queues(struct scene *scene, const char *const *paths, const char *const *states, size_t count)
{
    Creel__QueueReport queues[4], *pointers[4];
    Creel__QueueList list = CREEL__QUEUE_LIST__INIT;

    for (size_t i = 0; i < count; i++) {
        creel__queue_report__init(&queues[i]);
        queues[i].path = text(paths[i]);
        queues[i].state = text(states[i]);
        pointers[i] = &queues[i];
    }
    list.queues = pointers;
    list.n_queues = count;
    web_model_put_queues(scene->model, &list, true);
}

static void set_now(struct scene *scene, int64_t now_ms)
{
    Creel__ClusterInfo cluster = CREEL__CLUSTER_INFO__INIT;

    cluster.now_ms = now_ms;
    web_model_put_cluster(scene->model, &cluster);
}

/* --- tests --------------------------------------------------------------------- */

static void times_of_a_report_are_events(void **state)
{
    struct scene *scene = *state;
    Creel__AppReport app = app_report(ID "0001", 100);
    Creel__Hold hold = CREEL__HOLD__INIT, *holds = &hold;

    hold.by = text("root");
    hold.reason = text("disk");
    hold.since_ms = 150;
    app.holds = &holds;
    app.n_holds = 1;
    put_app(scene, &app);
    list(scene, (struct web_event_filter){ .kinds = 0 });
    HAS(scene, "100 SUBMITTED " ID "0001", "150 HELD " ID "0001");
    assert_string_equal(scene->rows[0].by, "ann");
    assert_string_equal(scene->rows[1].by, "root");
    assert_string_equal(scene->rows[1].user, "ann");
    app = app_report(ID "0002", 200);
    app.started_ms = 210;
    app.finished_ms = 250;
    app.state = CREEL__APP_STATE__APP_KILLED;
    app.exit_status = 137;
    put_app(scene, &app);
    list(scene, (struct web_event_filter){ .app_id = ID "0002" });
    HAS(scene, "200 SUBMITTED " ID "0002", "210 STARTED " ID "0002", "250 KILLED " ID "0002");
    assert_int_equal(scene->rows[2].exit_status, 137);
}

static void a_decision_and_a_loss_of_a_node_have_their_times(void **state)
{
    struct scene *scene = *state;
    Creel__NodeReport node = CREEL__NODE_REPORT__INIT, lost = CREEL__NODE_REPORT__INIT;
    Creel__NodeAdminState decision = CREEL__NODE_ADMIN_STATE__INIT;

    decision.by = text("olga");
    decision.reason = text("new memory");
    decision.since_ms = 70;
    node.node_id = text("n1:8041");
    node.registered_ms = 10;
    node.state = CREEL__NODE_STATE__NODE_DRAINING;
    node.admin_state = &decision;
    put_node(scene, &node);
    lost.node_id = text("n2:8041");
    lost.registered_ms = 20;
    lost.last_heartbeat_ms = 60;
    lost.state = CREEL__NODE_STATE__NODE_LOST;
    put_node(scene, &lost);
    list(scene, (struct web_event_filter){ .kinds = 1u << WEB_EVENT_NODE });
    HAS(scene, "10 REGISTERED n1:8041", "20 REGISTERED n2:8041", "60 LOST n2:8041", "70 DRAINING n1:8041");
    assert_string_equal(scene->rows[3].by, "olga");
    list(scene, (struct web_event_filter){ .user = "olga" });
    HAS(scene, "70 DRAINING n1:8041");
}

static void changes_between_reports_are_events(void **state)
{
    static const char *const before[] = { "root", "root.a", "root.b" };
    static const char *const after[] = { "root", "root.c", "root.a" };
    static const char *const running[] = { "RUNNING", "RUNNING", "RUNNING" };
    static const char *const stopped[] = { "RUNNING", "RUNNING", "STOPPED" };
    struct scene *scene = *state;
    Creel__AppReport app = app_report(ID "0001", 100);
    Creel__NodeReport node = CREEL__NODE_REPORT__INIT;

    set_now(scene, 1000);
    app.attempt = 1;
    put_app(scene, &app);
    node.node_id = text("n1:8041");
    node.state = CREEL__NODE_STATE__NODE_RUNNING;
    put_node(scene, &node);
    put_queues(scene, before, running, 3);
    list(scene, (struct web_event_filter){ .kinds = 0 });
    HAS(scene, "100 SUBMITTED " ID "0001");
    set_now(scene, 2000);
    app.queue = text("root.batch");
    put_app(scene, &app);
    set_now(scene, 3000);
    app.attempt = 2;
    put_app(scene, &app);
    set_now(scene, 4000);
    node.state = CREEL__NODE_STATE__NODE_UNHEALTHY;
    node.health_report = text("disk full");
    put_node(scene, &node);
    set_now(scene, 5000);
    put_queues(scene, after, stopped, 3);
    put_queues(scene, after, stopped, 3);
    list(scene, (struct web_event_filter){ .since_ms = 101 });
    HAS(scene, "2000 MOVED " ID "0001", "3000 RETRIED " ID "0001", "4000 UNHEALTHY n1:8041",
        "5000 STOPPED root.a", "5000 REMOVED root.b", "5000 ADDED root.c");
    assert_string_equal(scene->rows[0].text, "from root.dev.ml");
    assert_string_equal(scene->rows[2].text, "disk full");
    list(scene, (struct web_event_filter){ .queue = "batch", .since_ms = 101 });
    HAS(scene, "2000 MOVED " ID "0001", "3000 RETRIED " ID "0001");
    list(scene, (struct web_event_filter){ .queue = "root.dev" });
    assert_int_equal(scene->total, 0);
}

static void only_the_newest_changes_are_kept(void **state)
{
    struct scene *scene = *state;
    Creel__AppReport app = app_report(ID "0001", 0);
    struct web_event rows[1];
    size_t total;

    for (int i = 0; i < 2500; i++) {
        set_now(scene, i);
        app.queue = text(i % 2 == 0 ? "root.a" : "root.b");
        put_app(scene, &app);
    }
    web_model_list_events(scene->model, &(struct web_event_filter){ .kinds = 0 }, NULL, 0,
                          &(struct web_event_page){ .limit = 1 }, rows, &total);
    assert_int_equal(total, 1000);
    assert_int_equal(rows[0].time_ms, 1500);
}

/* Pages through all events, two at a time, and asserts that each comes once, in the same order as on one
 * page. */
static void page_through(struct scene *scene, enum web_event_order order, bool descending)
{
    struct web_event_page page = { .order = order, .descending = descending, .limit = LIMIT };
    const struct web_event_filter all = { .kinds = 0 };
    struct web_event two[2];
    char key[WEB_EVENT_KEY_SIZE];
    size_t seen = 0, count;

    scene->count = web_model_list_events(scene->model, &all, NULL, 0, &page, scene->rows, &scene->total);
    assert_int_equal(scene->count, 60);
    page.limit = 2;
    while ((count = web_model_list_events(scene->model, &all, NULL, 0, &page, two, &scene->total)) > 0) {
        for (size_t i = 0; i < count; i++, seen++) {
            assert_int_equal(two[i].time_ms, scene->rows[seen].time_ms);
            assert_string_equal(two[i].id, scene->rows[seen].id);
            assert_string_equal(two[i].name, scene->rows[seen].name);
        }
        page.after = web_event_key(&two[count - 1], key);
    }
    assert_int_equal(seen, 60);
    assert_int_equal(scene->total, 60);
}

static void every_order_has_each_event_once(void **state)
{
    static const char *const users[] = { "ann", "bob", "carla" };
    struct scene *scene = *state;

    for (int i = 0; i < 20; i++) {
        scoped_free char *id = mem_printf(ID "%04d", i * 7 % 20 + 1);
        Creel__AppReport app = app_report(id, 100 + i / 3);

        app.user = text(users[i % 3]);
        app.started_ms = 101 + i / 4;
        app.finished_ms = 101 + i / 4;
        app.state = CREEL__APP_STATE__APP_FINISHED;
        put_app(scene, &app);
    }
    for (int order = WEB_EVENT_BY_TIME; order <= WEB_EVENT_BY_USER; order++) {
        page_through(scene, (enum web_event_order)order, false);
        page_through(scene, (enum web_event_order)order, true);
    }
}

static void a_bad_key_is_the_first_page(void **state)
{
    static const char *const keys[] = {
        "", "x", "1", "1.2", "1.2.", "-.-.-.-", "99999999999999999999999.1.1.a"
    };
    struct scene *scene = *state;
    Creel__AppReport app = app_report(ID "0001", 100);
    struct web_event row;
    size_t total;

    put_app(scene, &app);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        web_model_list_events(
            scene->model, &(struct web_event_filter){ .kinds = 0 }, NULL, 0,
            &(struct web_event_page){ .limit = 1, .after = keys[i], .order = WEB_EVENT_BY_USER }, &row,
            &total);
        assert_int_equal(total, 1);
        assert_int_equal(row.time_ms, 100);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Orders other than that of time, and a node, need the reports of all applications. */
static void only_new_applications_are_sorted(void **state)
{
    struct scene *scene = *state;
    struct web_event_filter filter = { .kinds = 0 };
    struct web_event_page page = { .order = WEB_EVENT_BY_OBJECT, .limit = 2 };
    char id[64];

    for (int i = 1; i <= WEB_EVENT_APPS_MAX + 5; i++) {
        Creel__AppReport app;

        snprintf(id, sizeof(id), ID "%05d", i);
        app = app_report(id, i);
        app.finished_ms = i;
        put_app(scene, &app);
    }
    assert_true(web_model_events_are_cut(scene->model, &filter, page.order));
    web_model_list_events(scene->model, &filter, NULL, 0, &page, scene->rows, &scene->total);
    assert_string_equal(scene->rows[0].id, ID "00006");
    assert_int_equal(scene->total, 2 * WEB_EVENT_APPS_MAX);
    page.order = WEB_EVENT_BY_TIME;
    assert_false(web_model_events_are_cut(scene->model, &filter, page.order));
    web_model_list_events(scene->model, &filter, NULL, 0, &page, scene->rows, &scene->total);
    assert_string_equal(scene->rows[0].id, ID "00001");
    assert_int_equal(scene->total, 2 * (WEB_EVENT_APPS_MAX + 5));
    filter.node = "n1:8041";
    assert_true(web_model_events_are_cut(scene->model, &filter, page.order));
    filter.since_ms = 10;
    assert_false(web_model_events_are_cut(scene->model, &filter, page.order));
    filter.kinds = 1u << WEB_EVENT_NODE;
    filter.since_ms = 0;
    assert_false(web_model_events_are_cut(scene->model, &filter, page.order));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(times_of_a_report_are_events),       TEST(a_decision_and_a_loss_of_a_node_have_their_times),
        TEST(changes_between_reports_are_events), TEST(only_the_newest_changes_are_kept),
        TEST(every_order_has_each_event_once),    TEST(a_bad_key_is_the_first_page),
        TEST(only_new_applications_are_sorted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
