/* SPDX-License-Identifier: Apache-2.0 */
/* web_metrics.c - test: requests are counted by route; the copy of the RM's metrics has all series */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "web/http/traffic.h"
#include "web/model/metrics_copy.h"

/* --- requests --------------------------------------------------------------------- */

static void handler(struct exchange *exchange)
{
    (void)exchange;
}

static const struct route one[] = {
    { "GET", "/apps/*", handler },
    { "PUT", "/apps/*", handler },
    { NULL, NULL, NULL },
};
static const struct route other[] = { { "GET", "/metrics", handler }, { NULL, NULL, NULL } };
static const struct route_table tables[] = { { one, "/", NULL }, { other, "/metrics", NULL } };

static void request(struct traffic *traffic, const char *method, const char *first, const char *second,
                    int status)
{
    const char *segments[] = { first, second };
    struct route_match match;

    route_find(tables, 2, method, segments, second != NULL ? 2 : 1, &match);
    traffic_add(traffic, &match, status, 0.003);
}

static const struct traffic_path *path_of(const struct traffic *traffic, const char *pattern)
{
    const struct traffic_path *paths;
    size_t count = traffic_paths(traffic, &paths);

    for (size_t i = 0; i < count; i++)
        if (strcmp(paths[i].pattern, pattern) == 0)
            return &paths[i];
    return NULL;
}

static void requests_are_counted_by_route(void **state)
{
    struct traffic *traffic = traffic_new(tables, 2);
    const struct traffic_path *paths, *apps;

    (void)state;
    assert_int_equal(traffic_paths(traffic, &paths), 3); /* both routes of /apps/ are one path */
    request(traffic, "GET", "apps", "a1", 200);
    request(traffic, "PUT", "apps", "a2", 200);
    request(traffic, "GET", "apps", "a3", 404);
    request(traffic, "GET", "metrics", NULL, 200);
    request(traffic, "GET", "no", "such", 404);
    request(traffic, "DELETE", "metrics", NULL, 405);
    apps = path_of(traffic, "/apps/*");
    assert_int_equal(apps->code_count, 2);
    assert_int_equal(apps->codes[0].status, 200);
    assert_int_equal(apps->codes[0].count, 2);
    assert_int_equal(apps->codes[1].count, 1);
    assert_int_equal(apps->seconds.total, 3);
    assert_int_equal(path_of(traffic, "/metrics")->codes[0].count, 1);
    assert_int_equal(path_of(traffic, TRAFFIC_OTHER)->code_count, 2);
    traffic_free(traffic);
}

static void the_number_of_statuses_is_limited(void **state)
{
    struct traffic *traffic = traffic_new(tables, 2);
    const struct traffic_path *path;

    (void)state;
    for (int status = 400; status < 400 + TRAFFIC_CODES_MAX + 5; status++)
        request(traffic, "GET", "metrics", NULL, status);
    request(traffic, "GET", "metrics", NULL, 400);
    path = path_of(traffic, "/metrics");
    assert_int_equal(path->code_count, TRAFFIC_CODES_MAX + 1);
    assert_int_equal(path->codes[0].count, 2);
    assert_int_equal(path->codes[TRAFFIC_CODES_MAX].status, 0);
    assert_int_equal(path->codes[TRAFFIC_CODES_MAX].count, 5);
    traffic_free(traffic);
}

static void nothing_is_counted_without_traffic(void **state)
{
    const struct traffic_path *paths;

    (void)state;
    request(NULL, "GET", "metrics", NULL, 200);
    traffic_add_refused(NULL);
    assert_int_equal(traffic_paths(NULL, &paths), 0);
    assert_int_equal(traffic_refused(NULL), 0);
}

/* --- the copy ------------------------------------------------------------------------ */

static void put_user(struct metrics_copy *copy, const char *queue, const char *user, uint64_t memory_mb,
                     bool reset)
{
    Creel__Metrics metrics = CREEL__METRICS__INIT;
    Creel__UserMetrics row = CREEL__USER_METRICS__INIT, *rows = &row;

    row.queue = (char *)(uintptr_t)queue;
    row.user = (char *)(uintptr_t)user;
    row.memory_mb = memory_mb;
    metrics.users = &rows;
    metrics.n_users = 1;
    metrics.reset = reset;
    metrics.version = memory_mb;
    metrics_copy_put(copy, &metrics);
}

static uint64_t memory_of_all(const struct metrics_copy *copy)
{
    const Creel__UserMetrics *user;
    const char *key = NULL;
    uint64_t sum = 0;

    while ((user = metrics_copy_next(copy, METRICS_USERS, key, &key)) != NULL)
        sum += user->memory_mb;
    return sum;
}

static void series_stay_until_a_reset(void **state)
{
    struct metrics_copy *copy = metrics_copy_new();

    (void)state;
    assert_null(metrics_copy_last(copy));
    put_user(copy, "root.a", "ann", 100, true);
    put_user(copy, "root.a", "bob", 20, false);
    assert_int_equal(memory_of_all(copy), 120);
    put_user(copy, "root.a", "ann", 3, false);
    assert_int_equal(memory_of_all(copy), 23);
    assert_int_equal(metrics_copy_last(copy)->version, 3);
    put_user(copy, "root.b", "eve", 1, true);
    assert_int_equal(memory_of_all(copy), 1);
    metrics_copy_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_counted_by_route),
        cmocka_unit_test(the_number_of_statuses_is_limited),
        cmocka_unit_test(nothing_is_counted_without_traffic),
        cmocka_unit_test(series_stay_until_a_reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
