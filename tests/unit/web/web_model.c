/* SPDX-License-Identifier: Apache-2.0 */
/* web_model.c - test: the web server's copy of the cluster: loads, changes, and lists compared with a
 * plain sort */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "web/model/feed.h"

#define ID "application_1795500000000_"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char *text(const char *constant)
{
    return (char *)(uintptr_t)constant;
}

static void put_app(struct web_model *model, Creel__AppReport *app)
{
    Creel__AppList list = CREEL__APP_LIST__INIT;

    list.apps = &app;
    list.n_apps = 1;
    web_model_put_apps(model, &list);
}

static void put_named(struct web_model *model, const char *id, const char *user)
{
    Creel__AppReport app = CREEL__APP_REPORT__INIT;

    app.app_id = text(id);
    app.user = text(user);
    app.queue = text("root.a");
    put_app(model, &app);
}

static void put_node(struct web_model *model, const char *id)
{
    Creel__NodeReport node = CREEL__NODE_REPORT__INIT, *nodes = &node;
    Creel__NodeList list = CREEL__NODE_LIST__INIT;

    node.node_id = text(id);
    list.nodes = &nodes;
    list.n_nodes = 1;
    web_model_put_nodes(model, &list);
}

static void put_queue(struct web_model *model, const char *path, bool first, const char *next)
{
    Creel__QueueReport queue = CREEL__QUEUE_REPORT__INIT, *queues = &queue;
    Creel__QueueList list = CREEL__QUEUE_LIST__INIT;

    queue.path = text(path);
    list.queues = &queues;
    list.n_queues = 1;
    list.next = text(next);
    web_model_put_queues(model, &list, first);
}

static size_t count_all(const struct web_model *model)
{
    return web_model_count_apps(model, &(struct web_app_filter){ .states = 0 });
}

/* --- loads and changes --------------------------------------------------------- */

static void a_load_replaces_the_one_before(void **state)
{
    struct web_model *model = web_model_new();

    (void)state;
    assert_false(web_model_is_complete(model));
    web_model_begin(model);
    put_named(model, ID "0001", "ann");
    put_named(model, ID "0002", "bob");
    put_node(model, "a:1");
    web_model_end(model);
    assert_true(web_model_is_complete(model));
    web_model_begin(model);
    put_named(model, ID "0002", "carla");
    put_node(model, "b:1");
    assert_non_null(web_model_app(model, ID "0001"));
    assert_true(web_model_is_complete(model));
    web_model_end(model);
    assert_null(web_model_app(model, ID "0001"));
    assert_string_equal(web_model_app(model, ID "0002")->user, "carla");
    assert_null(web_model_node(model, "a:1"));
    assert_non_null(web_model_node(model, "b:1"));
    assert_int_equal(count_all(model), 1);
    web_model_free(model);
}

static void changes_replace_and_remove_rows(void **state)
{
    struct web_model *model = web_model_new();
    Creel__Changes changes = CREEL__CHANGES__INIT;
    Creel__AppReport app = CREEL__APP_REPORT__INIT, *apps = &app;
    char *gone = text(ID "0001"), *nodes_gone = text("a:1");
    uint64_t version;

    (void)state;
    put_named(model, ID "0001", "ann");
    put_named(model, ID "0002", "bob");
    put_named(model, ID "0003", "ann");
    put_node(model, "a:1");
    app.app_id = text(ID "0003");
    app.user = text("dmitri");
    changes.apps = &apps;
    changes.n_apps = 1;
    changes.apps_gone = &gone;
    changes.nodes_gone = &nodes_gone;
    changes.n_apps_gone = changes.n_nodes_gone = 1;
    version = web_model_version(model);
    web_model_put_changes(model, &changes);
    assert_true(web_model_version(model) > version);
    assert_null(web_model_app(model, ID "0001"));
    assert_null(web_model_node(model, "a:1"));
    assert_string_equal(web_model_app(model, ID "0002")->user, "bob");
    assert_string_equal(web_model_app(model, ID "0003")->user, "dmitri");
    assert_int_equal(count_all(model), 2);
    web_model_put_changes(model, &changes); /* deleting an unknown row has no effect */
    assert_int_equal(count_all(model), 2);
    web_model_free(model);
}

static void a_topic_changes_with_its_reports(void **state)
{
    struct web_model *model = web_model_new();
    Creel__NodeReport node = CREEL__NODE_REPORT__INIT, *nodes = &node;
    Creel__NodeList list = CREEL__NODE_LIST__INIT;
    Creel__Changes changes = CREEL__CHANGES__INIT;
    char *gone = text(ID "0002");
    uint64_t apps, first;

    (void)state;
    list.nodes = &nodes;
    list.n_nodes = 1;
    node.node_id = text("a:1");
    put_named(model, ID "0001", "ann");
    put_named(model, ID "0002", "bob");
    web_model_put_nodes(model, &list);
    put_queue(model, "root", true, "");
    apps = web_model_changed(model, WEB_TOPIC_APPS);
    first = web_model_app_changed(model, ID "0001");
    assert_true(first < apps);

    /* The same reports again, and a heartbeat, change nothing. */
    node.last_heartbeat_ms = 1000;
    node.used_memory_bytes = 4096;
    node.clock_skew_ms = 3;
    node.clock_measured = true;
    put_named(model, ID "0001", "ann");
    web_model_put_nodes(model, &list);
    put_queue(model, "root", true, "");
    assert_int_equal(web_model_changed(model, WEB_TOPIC_APPS), apps);
    assert_int_equal(web_model_app_changed(model, ID "0001"), first);
    assert_true(web_model_changed(model, WEB_TOPIC_NODES) < web_model_changed(model, WEB_TOPIC_QUEUES));

    put_named(model, ID "0002", "carla");
    assert_int_equal(web_model_changed(model, WEB_TOPIC_APPS), web_model_version(model));
    assert_int_equal(web_model_app_changed(model, ID "0002"), web_model_version(model));
    assert_int_equal(web_model_app_changed(model, ID "0001"), first);
    node.containers = 1;
    web_model_put_nodes(model, &list);
    assert_int_equal(web_model_node_changed(model, "a:1"), web_model_version(model));
    put_queue(model, "root.b", true, "");
    assert_int_equal(web_model_changed(model, WEB_TOPIC_QUEUES), web_model_version(model));
    changes.apps_gone = &gone;
    changes.n_apps_gone = 1;
    web_model_put_changes(model, &changes);
    assert_int_equal(web_model_changed(model, WEB_TOPIC_APPS), web_model_version(model));
    assert_int_equal(web_model_app_changed(model, ID "0002"), web_model_version(model));
    web_model_free(model);
}

static void put_title(struct web_model *model, const char *id, const char *name)
{
    Creel__AppReport app = CREEL__APP_REPORT__INIT;

    app.app_id = text(id);
    app.name = text(name);
    put_app(model, &app);
}

static size_t count_titled(const struct web_model *model, const char *part)
{
    const struct web_app_filter filter = { .name = part };

    return web_model_count_apps(model, &filter);
}

static void a_part_of_a_name_is_found_in_any_case(void **state)
{
    static const char tail[] = "0123456789012345678901234567890123456789012345678901234567890 Tail";
    struct web_model *model = web_model_new();
    Creel__Changes changes = CREEL__CHANGES__INIT;
    char *gone = text(ID "0001");

    (void)state;
    put_title(model, ID "0001", "Nightly Load");
    put_title(model, ID "0002", "load");
    put_title(model, ID "0003", tail); /* longer than what is searched first */
    put_title(model, ID "0004", "");
    assert_int_equal(count_titled(model, "LOAD"), 2);
    assert_int_equal(count_titled(model, "nightly l"), 1);
    assert_int_equal(count_titled(model, "tail"), 1);
    assert_int_equal(count_titled(model, "0 TAIL"), 1);
    assert_int_equal(count_titled(model, ""), 4);
    assert_int_equal(count_titled(model, "none"), 0);
    put_title(model, ID "0002", "Renamed");
    assert_int_equal(count_titled(model, "load"), 1);
    changes.apps_gone = &gone;
    changes.n_apps_gone = 1;
    web_model_put_changes(model, &changes); /* the last row takes its place */
    assert_int_equal(count_titled(model, "load"), 0);
    assert_int_equal(count_titled(model, "renamed"), 1);
    assert_int_equal(count_titled(model, "tail"), 1);
    web_model_free(model);
}

static void queues_change_when_their_last_page_is_there(void **state)
{
    struct web_model *model = web_model_new();
    const Creel__QueueReport *const *queues;

    (void)state;
    put_queue(model, "root", true, "root");
    assert_int_equal(web_model_queues(model, &queues), 0);
    put_queue(model, "root.dev.ml", false, "");
    assert_int_equal(web_model_queues(model, &queues), 2);
    assert_string_equal(queues[1]->path, "root.dev.ml");
    assert_ptr_equal(web_model_queue(model, "ml"), queues[1]);
    assert_ptr_equal(web_model_queue(model, "root"), queues[0]);
    assert_null(web_model_queue(model, "dev"));
    put_queue(model, "root", true, "root");
    put_queue(model, "root", true, ""); /* the load was restarted */
    assert_int_equal(web_model_queues(model, &queues), 1);
    assert_null(web_model_queue(model, "ml"));
    web_model_free(model);
}

static void the_cluster_is_empty_until_it_is_known(void **state)
{
    struct web_model *model = web_model_new();
    Creel__ClusterInfo info = CREEL__CLUSTER_INFO__INIT;

    (void)state;
    assert_string_equal(web_model_cluster(model)->version, "");
    info.version = text("0.1.0");
    web_model_put_cluster(model, &info);
    web_model_put_cluster(model, &info);
    assert_string_equal(web_model_cluster(model)->version, "0.1.0");
    web_model_free(model);
}

/* --- lists, compared with a plain sort ----------------------------------------- */

#define APPS 300

static const char *const users[] = { "ann", "bob", "carla" };
static const char *const queue_paths[] = { "root.a", "root.a.b", "root.ab", "root.c" };
static const char *const types[] = { "CREEL", "SPARK" };
static const char *const titles[] = { "word count", "word counting", "Train", "train" };
static const char *const reasons[] = { "", "QueueLimit", "UserLimit" };

static void make_app(struct rng *rng, struct web_model *model, uint32_t seq)
{
    Creel__AppReport app = CREEL__APP_REPORT__INIT;
    Creel__Resource allocated = CREEL__RESOURCE__INIT;
    char id[64], *tags[] = { text("nightly"), text("x") };

    snprintf(id, sizeof(id), ID "%04u", seq);
    app.app_id = id;
    app.name = text(titles[rng_below(rng, COUNT(titles))]);
    app.user = text(users[rng_below(rng, COUNT(users))]);
    app.queue = text(queue_paths[rng_below(rng, COUNT(queue_paths))]);
    app.type = text(types[rng_below(rng, COUNT(types))]);
    app.reason_code = text(reasons[rng_below(rng, COUNT(reasons))]);
    app.state = (Creel__AppState)(1 + rng_below(rng, 8));
    app.final_status = (Creel__FinalStatus)rng_below(rng, 4);
    app.submitted_ms = 1000 + (int64_t)rng_below(rng, 50);
    app.finished_ms = rng_below(rng, 2) == 0 ? 0 : 1100 + (int64_t)rng_below(rng, 50);
    app.running_containers = (uint32_t)rng_below(rng, 5);
    app.priority = (int32_t)rng_below(rng, 7) - 3;
    allocated.memory_mb = (int64_t)rng_below(rng, 5);
    allocated.vcores = (int64_t)rng_below(rng, 5);
    app.allocated = rng_below(rng, 9) == 0 ? NULL : &allocated;
    app.tags = tags;
    app.n_tags = rng_below(rng, 3);
    put_app(model, &app);
}

static bool fits(const Creel__AppReport *app, const struct web_app_filter *filter)
{
    bool user = filter->user_count == 0, type = filter->type_count == 0, tag = filter->tag_count == 0;
    size_t length = filter->queue != NULL ? strlen(filter->queue) : 0;

    for (size_t i = 0; i < filter->user_count; i++)
        user = user || strcmp(filter->users[i], app->user) == 0;
    for (size_t i = 0; i < filter->type_count; i++)
        type = type || strcasecmp(filter->types[i], app->type) == 0;
    for (size_t i = 0; i < filter->tag_count; i++)
        for (size_t t = 0; t < app->n_tags; t++)
            tag = tag || strcasecmp(filter->tags[i], app->tags[t]) == 0;
    return user && type && tag && (filter->states == 0 || (filter->states >> app->state & 1) != 0) &&
           (filter->final_statuses == 0 || (filter->final_statuses >> app->final_status & 1) != 0) &&
           (filter->queue == NULL || (strncmp(app->queue, filter->queue, length) == 0 &&
                                      (app->queue[length] == '\0' || app->queue[length] == '.'))) &&
           (filter->name == NULL || strcasestr(app->name, filter->name) != NULL) &&
           (filter->reason_code == NULL || strcmp(app->reason_code, filter->reason_code) == 0) &&
           (filter->started_from_ms == 0 || app->submitted_ms >= filter->started_from_ms) &&
           (filter->started_to_ms == 0 || app->submitted_ms <= filter->started_to_ms) &&
           (filter->finished_from_ms == 0 || app->finished_ms >= filter->finished_from_ms) &&
           (filter->finished_to_ms == 0 || app->finished_ms <= filter->finished_to_ms);
}

static int64_t memory_of(const Creel__AppReport *app)
{
    return app->allocated != NULL ? app->allocated->memory_mb : 0;
}

static int64_t vcores_of(const Creel__AppReport *app)
{
    return app->allocated != NULL ? app->allocated->vcores : 0;
}

/* Returns whether A comes before B in ORDER. */
static bool is_before(const Creel__AppReport *a, const Creel__AppReport *b, enum web_app_order order)
{
    int64_t result = 0;

    switch (order) {
    case WEB_APP_BY_NAME:
        result = strcmp(a->name, b->name);
        break;
    case WEB_APP_BY_USER:
        result = strcmp(a->user, b->user);
        break;
    case WEB_APP_BY_QUEUE:
        result = strcmp(a->queue, b->queue);
        break;
    case WEB_APP_BY_STATE:
        result = (int64_t)a->state - (int64_t)b->state;
        break;
    case WEB_APP_BY_CONTAINERS:
        result = (int64_t)a->running_containers - b->running_containers;
        break;
    case WEB_APP_BY_MEMORY:
        result = memory_of(a) - memory_of(b);
        break;
    case WEB_APP_BY_VCORES:
        result = vcores_of(a) - vcores_of(b);
        break;
    case WEB_APP_BY_WAIT:
        result = b->submitted_ms - a->submitted_ms;
        break;
    case WEB_APP_BY_PRIORITY:
        result = a->priority - b->priority;
        break;
    case WEB_APP_BY_AGE:
        break;
    }
    return result < 0 || (result == 0 && strcmp(a->app_id, b->app_id) < 0);
}

static void make_filter(struct rng *rng, struct web_app_filter *filter)
{
    static const char *const wanted_types[] = { "spark" }, *const wanted_tags[] = { "X" };

    *filter = (struct web_app_filter){ .states = rng_below(rng, 2) == 0 ? 0 : (uint32_t)rng_below(rng, 512) };
    if (rng_below(rng, 3) == 0) {
        filter->users = users;
        filter->user_count = 1 + rng_below(rng, 2);
    }
    if (rng_below(rng, 5) == 0)
        filter->final_statuses = 1 + (uint32_t)rng_below(rng, 15);
    if (rng_below(rng, 4) == 0)
        filter->queue = queue_paths[rng_below(rng, COUNT(queue_paths))];
    if (rng_below(rng, 5) == 0) {
        filter->types = wanted_types;
        filter->type_count = 1;
    }
    if (rng_below(rng, 5) == 0) {
        filter->tags = wanted_tags;
        filter->tag_count = 1;
    }
    if (rng_below(rng, 5) == 0)
        filter->name = "TRAIN";
    if (rng_below(rng, 5) == 0)
        filter->reason_code = "QueueLimit";
    if (rng_below(rng, 5) == 0)
        filter->started_from_ms = 1010;
    if (rng_below(rng, 5) == 0)
        filter->started_to_ms = 1040;
    if (rng_below(rng, 5) == 0)
        filter->finished_from_ms = 1110;
    if (rng_below(rng, 5) == 0)
        filter->finished_to_ms = 1140;
}

/* Reads all pages: each row follows the one before, and every matching row is in a page. */
static void check_pages(struct rng *rng, const struct web_model *model, const struct web_app_filter *filter,
                        enum web_app_order order)
{
    const Creel__AppReport *rows[50], *before = NULL;
    struct web_page page = { .descending = rng_below(rng, 2) == 1, .limit = 1 + rng_below(rng, 50) };
    size_t expected = 0, seen = 0, total, count;
    char id[64];

    for (uint32_t seq = 1; seq <= APPS; seq++) {
        const Creel__AppReport *app;

        snprintf(id, sizeof(id), ID "%04u", seq);
        app = web_model_app(model, id);
        expected += app != NULL && fits(app, filter);
    }
    assert_int_equal(web_model_count_apps(model, filter), expected);
    while ((count = web_model_list_apps(model, filter, order, &page, rows, &total)) > 0) {
        assert_int_equal(total, expected);
        for (size_t i = 0; i < count; i++) {
            assert_true(fits(rows[i], filter));
            if (before != NULL)
                assert_true(page.descending ? is_before(rows[i], before, order)
                                            : is_before(before, rows[i], order));
            before = rows[i];
        }
        seen += count;
        page.after = before->app_id;
    }
    assert_int_equal(seen, expected);
}

static void remove_some(struct rng *rng, struct web_model *model)
{
    Creel__Changes changes = CREEL__CHANGES__INIT;
    char id[64], *gone = id;

    changes.apps_gone = &gone;
    changes.n_apps_gone = 1;
    for (size_t i = 0; i < 40; i++) {
        snprintf(id, sizeof(id), ID "%04u", 1 + (unsigned)rng_below(rng, APPS));
        web_model_put_changes(model, &changes);
    }
}

static void pages_of_applications_equal_a_sorted_list(void **state)
{
    struct web_model *model = web_model_new();
    struct web_app_filter filter;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 7);
    for (int round = 0; round < 60; round++) {
        for (size_t i = 0; i < APPS / 2; i++)
            make_app(&rng, model, 1 + (uint32_t)rng_below(&rng, APPS));
        remove_some(&rng, model);
        make_filter(&rng, &filter);
        check_pages(&rng, model, &filter, (enum web_app_order)rng_below(&rng, WEB_APP_BY_PRIORITY + 1));
    }
    web_model_free(model);
}

static void check_node_pages(const struct web_model *model, enum web_node_order order, bool descending,
                             size_t expected)
{
    struct web_node_filter filter = { .text = "HOST-1" };
    struct web_page page = { .limit = 7, .descending = descending };
    const Creel__NodeReport *rows[7];
    char last[32] = "";
    size_t seen = 0, total, count;

    while ((count = web_model_list_nodes(model, &filter, order, &page, rows, &total)) > 0) {
        assert_int_equal(total, expected);
        for (size_t i = 0; i < count; i++) {
            if (*last != '\0')
                assert_true(strcmp(last, rows[i]->node_id) < 0 ? !descending : descending);
            snprintf(last, sizeof(last), "%s", rows[i]->node_id);
        }
        seen += count;
        page.after = last;
    }
    assert_int_equal(seen, expected);
}

static void pages_of_nodes_are_in_order(void **state)
{
    struct web_model *model = web_model_new();
    Creel__Changes changes = CREEL__CHANGES__INIT;
    char id[32], *gone = text("host-13:8041");

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        snprintf(id, sizeof(id), "host-%02u:8041", i * 37 % 100);
        put_node(model, id);
    }
    for (int descending = 0; descending <= 1; descending++) {
        check_node_pages(model, WEB_NODE_BY_ID, descending, 10);
        check_node_pages(model, WEB_NODE_BY_CONTAINERS, descending, 10);
    }
    changes.nodes_gone = &gone;
    changes.n_nodes_gone = 1;
    web_model_put_changes(model, &changes);
    put_node(model, "host-12:8041");
    check_node_pages(model, WEB_NODE_BY_ID, false, 9);
    put_node(model, "host-100:8041");
    check_node_pages(model, WEB_NODE_BY_ID, false, 10);
    web_model_free(model);
}

static void states_are_counted_by_the_rest_of_the_filter(void **state)
{
    struct web_model *model = web_model_new();
    struct web_app_filter filter = { .users = users, .user_count = 1, .states = 4 };
    size_t counts[WEB_APP_STATES];
    struct rng rng;

    (void)state;
    rng_seed(&rng, 3);
    for (uint32_t seq = 1; seq <= APPS; seq++)
        make_app(&rng, model, seq);
    web_model_count_states(model, &filter, counts);
    for (uint32_t s = 0; s < WEB_APP_STATES; s++) {
        filter.states = 1u << s;
        assert_int_equal(counts[s], web_model_count_apps(model, &filter));
    }
    for (uint32_t seq = 1; seq <= APPS; seq += 2) /* in another state, perhaps */
        make_app(&rng, model, seq);
    web_model_begin(model); /* a load that lacks most of them */
    for (uint32_t seq = 1; seq <= APPS; seq += 5)
        make_app(&rng, model, seq);
    web_model_end(model);
    filter.user_count = 0;
    for (uint32_t s = 0; s < WEB_APP_STATES; s++) {
        filter.states = 1u << s;
        assert_int_equal(web_model_states(model)[s], web_model_count_apps(model, &filter));
    }
    web_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_replaces_the_one_before),
        cmocka_unit_test(changes_replace_and_remove_rows),
        cmocka_unit_test(a_topic_changes_with_its_reports),
        cmocka_unit_test(a_part_of_a_name_is_found_in_any_case),
        cmocka_unit_test(queues_change_when_their_last_page_is_there),
        cmocka_unit_test(the_cluster_is_empty_until_it_is_known),
        cmocka_unit_test(pages_of_applications_equal_a_sorted_list),
        cmocka_unit_test(pages_of_nodes_are_in_order),
        cmocka_unit_test(states_are_counted_by_the_rest_of_the_filter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
