/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_pieces.c - test: large answers of REST, /jmx and /metrics are written a piece at a time
 *
 * A piece is bounded in bytes and in processor time, an answer in memory; and what the answer has does not
 * depend on how the model changes between two pieces, except for what is gone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "tests/unit/cost.h"
#include "tests/unit/rest/rest_json.h"
#include "web/rest/parts/pieces.h"

#define JSON "application/json"
#define XML "application/xml"

enum {
    PIECE_MAX = REST_PIECE_BYTES + 32 * 1024, /* the last item may exceed the bound of a piece */
    PIECE_MAX_MS = 50,
    ANSWER_MAX_MB = 16, /* of memory */
};

struct reading {
    struct exchange *exchange;
    struct text_builder text; /* what has come, if KEEP */
    bool keep;
    size_t pieces, bytes;
    enum exchange_part last;
};

static void ignore(void *context)
{
    (void)context;
}

static void begin_reading(struct reading *reading, struct rest_world *world, const char *target,
                          const char *accept, bool keep)
{
    const struct name_value header = { "Accept", accept };
    const struct request_text request = {
        .method = "GET", .target = target, .headers = &header, .header_count = 1, .body = ""
    };

    *reading = (struct reading){ .text = TEXT_BUILDER_MALLOC, .keep = keep, .last = EXCHANGE_PART };
    reading->exchange = site_serve(&world->page->site, &request, ignore, NULL);
}

/* Reads one piece. Returns false after the last one. */
static bool read_piece(struct reading *reading)
{
    const char *bytes;
    size_t size;

    reading->last = site_part(reading->exchange, &bytes, &size);
    if (reading->last != EXCHANGE_PART)
        return false;
    assert_in_range(size, 1, PIECE_MAX);
    reading->pieces++;
    reading->bytes += size;
    if (reading->keep)
        text_builder_add_bytes(&reading->text, bytes, size);
    return true;
}

static void end_reading(struct reading *reading)
{
    site_end(reading->exchange);
    text_builder_clear(&reading->text);
}

/* Reads the whole answer to TARGET, and checks the bounds. Returns the number of its bytes. */
static size_t check_bounds(struct rest_world *world, const char *target, const char *accept)
{
    struct cost whole = cost_begin();
    struct reading reading;
    bool more = true;

    for (bool begun = false; more; begun = true) {
        int64_t before_us = cost_processor_us();

        if (!begun)
            begin_reading(&reading, world, target, accept, false);
        else
            more = read_piece(&reading);
        cost_check_processor(before_us, PIECE_MAX_MS, target);
    }
    assert_int_equal(reading.last, EXCHANGE_PART_END);
    assert_true(reading.pieces >= reading.bytes / PIECE_MAX);
    assert_true(cost_memory_mb(&whole) <= ANSWER_MAX_MB);
    end_reading(&reading);
    return reading.bytes;
}

static struct rest_world *new_world(size_t apps, size_t nodes, size_t queues_below_each)
{
    struct rest_world *world = mem_new0(struct rest_world);

    world->page = page_world_new(apps, nodes, queues_below_each);
    rest_world_complete(world->page);
    return world;
}

static void a_list_of_fifty_mebibytes_is_bounded(void **state)
{
    struct rest_world *world = new_world(45000, 4, 0);

    (void)state;
    assert_true(check_bounds(world, "/ws/v1/cluster/apps", JSON) > 50 << 20);
    assert_true(check_bounds(world, "/ws/v1/cluster/apps", XML) > 50 << 20);
    rest_world_free(world);
}

static void lists_of_nodes_and_queues_are_bounded(void **state)
{
    struct rest_world *world = new_world(2000, 4000, 500);

    (void)state;
    assert_true(check_bounds(world, "/ws/v1/cluster/nodes", JSON) > 4 << 20);
    assert_true(check_bounds(world, "/ws/v1/cluster/nodes?states=RUNNING", XML) > 4 << 20);
    assert_true(check_bounds(world, "/ws/v1/cluster/scheduler", JSON) > 8 << 20);
    assert_true(check_bounds(world, "/ws/v1/cluster/scheduler", XML) > 8 << 20);
    assert_true(check_bounds(world, "/metrics", "text/plain") > 1 << 20);
    rest_world_free(world);
}

/* Gives each node one of COUNT labels, gpu0 and so on. */
static void add_labels(struct page_world *page, size_t count)
{
    page->cluster.labels = arena_array0(page->arena, count, sizeof(*page->cluster.labels));
    for (size_t i = 0; i < count; i++) {
        Creel__LabelReport *label = arena_new0(page->arena, Creel__LabelReport);

        creel__label_report__init(label);
        label->name = arena_printf(page->arena, "gpu%zu", i);
        label->nodes = (uint32_t)(page->node_count / count);
        page->cluster.labels[page->cluster.n_labels++] = label;
    }
    for (size_t i = 0; i < page->node_count; i++)
        page->nodes[i]->label = page->cluster.labels[i % count]->name;
    page_world_load(page);
}

static void labels_of_nodes_are_bounded(void **state)
{
    struct rest_world *world = new_world(10, 20000, 0);

    (void)state;
    add_labels(world->page, 31); /* as many as there may be */
    assert_true(check_bounds(world, "/ws/v1/cluster/get-node-to-labels", JSON) > 1 << 20);
    assert_true(check_bounds(world, "/ws/v1/cluster/get-node-to-labels", XML) > 1 << 20);
    assert_true(check_bounds(world, "/ws/v1/cluster/label-mappings", JSON) > 1 << 19);
    assert_true(check_bounds(world, "/ws/v1/cluster/label-mappings", XML) > 1 << 19);
    rest_world_free(world);
}

/* LiveNodeManagers is one text of all nodes. */
static void live_nodes_are_bounded(void **state)
{
    static const char target[] = "/jmx?qry=Hadoop:service=ResourceManager,name=RMNMInfo";
    struct rest_world *world = new_world(10, 10000, 0);
    json_t *json, *nodes;

    (void)state;
    assert_true(check_bounds(world, target, "*/*") > 1 << 20);
    json = rest_json_parse(rest_world_get(world, target, NULL));
    nodes = json_loads(rest_json_text(json, "beans/0/LiveNodeManagers"), 0, NULL);
    assert_int_equal(json_array_size(nodes), world->page->cluster.nodes_running);
    json_decref(nodes);
    json_decref(json);
    rest_world_free(world);
}

static void beans_are_bounded(void **state)
{
    struct rest_world *world = new_world(2000, 10, 500);

    (void)state;
    assert_true(check_bounds(world, "/jmx", "*/*") > 1 << 20);
    assert_true(check_bounds(world, "/jmx?qry=*,q1=dev,*", "*/*") > 1 << 19);
    rest_world_free(world);
}

/* A leaf with many users is not one item. */
static void users_of_a_queue_are_bounded(void **state)
{
    struct rest_world *world = new_world(20000, 4, 0);

    (void)state;
    for (size_t i = 0; i < world->page->app_count; i++) {
        Creel__AppReport *app = world->page->apps[i];

        app->state = CREEL__APP_STATE__APP_RUNNING;
        app->queue = (char *)(uintptr_t) "root.batch";
        app->user = arena_printf(world->page->arena, "user%05zu", i % 5000);
    }
    page_world_load(world->page);
    assert_true(check_bounds(world, "/ws/v1/cluster/scheduler", JSON) > 10 << 20);
    rest_world_free(world);
}

static void a_small_answer_is_sent_at_once(void **state)
{
    static const char *const targets[] = {
        "/ws/v1/cluster/apps?limit=3", "/ws/v1/cluster/nodes",
        "/jmx?qry=Hadoop:service=ResourceManager,name=RMInfo",
        "/jmx?get=Hadoop:service=ResourceManager,name=ClusterMetrics::NumActiveNMs"
    };
    struct rest_world *world = new_world(500, 3, 100);

    (void)state;
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        /* A piece also ends after 2 ms, so that a busy host may need several tries. */
        for (int tries = 0; tries == 0 || (tries < 100 && site_answer(world->exchange)->is_parts); tries++)
            rest_world_get(world, targets[i], NULL);
        assert_false(site_answer(world->exchange)->is_parts);
        assert_true(site_answer(world->exchange)->size > 100);
    }
    rest_world_free(world);
}

/* --- changes between two pieces -------------------------------------------------- */

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;

    while ((text = strstr(text, what)) != NULL) {
        text += strlen(what);
        count++;
    }
    return count;
}

static size_t count_app(const struct reading *reading, int app)
{
    char id[60];

    snprintf(id, sizeof(id), "\"id\":\"application_1795500000000_%04d\"", app);
    return count_of(text_builder_text(&reading->text), id);
}

/* The newest application comes first. Of 1000, the oldest two hundred are removed after the first piece. */
static void a_list_has_each_application_once(void **state)
{
    struct rest_world *world = new_world(1000, 4, 0);
    struct reading reading;
    json_t *json;

    (void)state;
    begin_reading(&reading, world, "/ws/v1/cluster/apps", JSON, true);
    assert_true(read_piece(&reading));
    world->page->apps += 200;
    world->page->app_count -= 200;
    world->page->apps[100]->name = (char *)(uintptr_t) "changed";
    page_world_load(world->page);
    while (read_piece(&reading))
        ;
    assert_int_equal(reading.last, EXCHANGE_PART_END);
    json = json_loads(text_builder_text(&reading.text), 0, NULL);
    assert_int_equal(json_array_size(rest_json_member(json, "apps/app")), 800);
    json_decref(json);
    for (int app = 1; app <= 1000; app++)
        assert_int_equal(count_app(&reading, app), app > 200);
    assert_int_equal(count_of(text_builder_text(&reading.text), "\"name\":\"changed\""), 1);
    end_reading(&reading);
    rest_world_free(world);
}

/* An application that has ended does not come in a list of those that run. */
static void a_list_has_what_fits_when_it_is_written(void **state)
{
    struct rest_world *world = new_world(1000, 4, 0);
    struct reading reading;

    (void)state;
    for (size_t i = 0; i < 1000; i++)
        world->page->apps[i]->state = CREEL__APP_STATE__APP_RUNNING;
    page_world_load(world->page);
    begin_reading(&reading, world, "/ws/v1/cluster/apps?states=RUNNING", JSON, true);
    assert_true(read_piece(&reading));
    for (size_t i = 0; i < 10; i++)
        world->page->apps[i]->state = CREEL__APP_STATE__APP_FINISHED;
    page_world_load(world->page);
    while (read_piece(&reading))
        ;
    assert_int_equal(count_of(text_builder_text(&reading.text), "\"state\":\"RUNNING\""), 990);
    assert_int_equal(count_of(text_builder_text(&reading.text), "\"state\":\"FINISHED\""), 0);
    end_reading(&reading);
    rest_world_free(world);
}

static void remove_queue(struct page_world *world, const char *path)
{
    size_t kept = 0;

    for (size_t i = 0; i < world->queue_count; i++)
        if (strncmp(world->queues[i]->path, path, strlen(path)) != 0)
            world->queues[kept++] = world->queues[i];
    assert_true(kept < world->queue_count);
    world->queue_count = kept;
    page_world_load(world);
}

static void a_queue_that_is_removed_is_left_out(void **state)
{
    static const char *const targets[] = { "/ws/v1/cluster/scheduler", "/jmx", "/metrics" };

    (void)state;
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        struct rest_world *world = new_world(200, 4, 200);
        struct reading reading;

        begin_reading(&reading, world, targets[i], JSON, true);
        assert_true(read_piece(&reading));
        assert_null(strstr(text_builder_text(&reading.text), "root.batch"));
        remove_queue(world->page, "root.dev.team1");
        while (read_piece(&reading))
            ;
        assert_int_equal(reading.last, EXCHANGE_PART_END);
        assert_null(strstr(text_builder_text(&reading.text), "root.dev.team1"));
        assert_non_null(strstr(text_builder_text(&reading.text), "root.dev.team0"));
        end_reading(&reading);
        rest_world_free(world);
    }
}

static void an_answer_that_cannot_be_completed_is_cut(void **state)
{
    struct rest_world *world = new_world(200, 4, 200);
    struct reading reading;

    (void)state;
    begin_reading(&reading, world, "/ws/v1/cluster/scheduler", JSON, true);
    assert_true(read_piece(&reading));
    assert_non_null(strstr(text_builder_text(&reading.text), "\"root.prod\""));
    remove_queue(world->page, "root.prod");
    while (read_piece(&reading))
        ;
    assert_int_equal(reading.last, EXCHANGE_PART_FAILED);
    end_reading(&reading);
    rest_world_free(world);
}

static void a_client_may_leave(void **state)
{
    static const char *const targets[] = { "/ws/v1/cluster/apps", "/ws/v1/cluster/scheduler", "/jmx",
                                           "/metrics" };
    struct rest_world *world = new_world(1000, 4, 200);

    (void)state;
    for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
        struct reading reading;

        begin_reading(&reading, world, targets[i], JSON, false);
        assert_true(site_answer(reading.exchange)->is_parts);
        end_reading(&reading);
    }
    rest_world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_fifty_mebibytes_is_bounded),
        cmocka_unit_test(lists_of_nodes_and_queues_are_bounded),
        cmocka_unit_test(labels_of_nodes_are_bounded),
        cmocka_unit_test(live_nodes_are_bounded),
        cmocka_unit_test(beans_are_bounded),
        cmocka_unit_test(users_of_a_queue_are_bounded),
        cmocka_unit_test(a_small_answer_is_sent_at_once),
        cmocka_unit_test(a_list_has_each_application_once),
        cmocka_unit_test(a_list_has_what_fits_when_it_is_written),
        cmocka_unit_test(a_queue_that_is_removed_is_left_out),
        cmocka_unit_test(an_answer_that_cannot_be_completed_is_cut),
        cmocka_unit_test(a_client_may_leave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
