/* SPDX-License-Identifier: Apache-2.0 */
/* page_trend.c - test: the samples of the last hour, and their charts on the overview */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/page/page_scene.h"
#include "web/model/trend.h"

#define NOW_MS (INT64_C(1000000) * WEB_TREND_STEP_MS + 4000)

static void add(struct web_trend *trend, int64_t now_ms, uint32_t running)
{
    Creel__ClusterInfo cluster = CREEL__CLUSTER_INFO__INIT;

    cluster.now_ms = now_ms;
    cluster.apps_running = running;
    web_trend_add(trend, &cluster);
}

static void a_step_has_its_last_report(void **state)
{
    struct web_trend *trend = mem_new0(struct web_trend);

    (void)state;
    assert_null(web_trend_at(trend, NOW_MS, 0));
    assert_null(web_trend_at(trend, 0, 0));
    add(trend, 0, 1); /* a report without a time */
    add(trend, NOW_MS - 4000, 1);
    add(trend, NOW_MS + 10999, 2); /* the same step */
    add(trend, NOW_MS + 11000, 3); /* the next one */
    assert_int_equal(web_trend_at(trend, NOW_MS, 0)->apps_running, 2);
    assert_int_equal(web_trend_at(trend, NOW_MS + WEB_TREND_STEP_MS, 0)->apps_running, 3);
    assert_int_equal(web_trend_at(trend, NOW_MS + WEB_TREND_STEP_MS, 1)->apps_running, 2);
    assert_null(web_trend_at(trend, NOW_MS, 1));
    free(trend);
}

static void old_samples_are_forgotten(void **state)
{
    struct web_trend *trend = mem_new0(struct web_trend);
    int64_t hour_ms = WEB_TREND_STEPS * WEB_TREND_STEP_MS;

    (void)state;
    add(trend, NOW_MS, 1);
    assert_int_equal(
        web_trend_at(trend, NOW_MS + hour_ms - WEB_TREND_STEP_MS, WEB_TREND_STEPS - 1)->apps_running, 1);
    assert_null(web_trend_at(trend, NOW_MS + hour_ms, WEB_TREND_STEPS)); /* it has the place of the newest */
    assert_null(web_trend_at(trend, NOW_MS + hour_ms, 0));
    add(trend, NOW_MS + hour_ms, 2);
    assert_int_equal(web_trend_at(trend, NOW_MS + hour_ms, 0)->apps_running, 2);
    assert_null(web_trend_at(trend, NOW_MS, 0));
    add(trend, NOW_MS, 3); /* the clock of another resource manager is behind */
    assert_int_equal(web_trend_at(trend, NOW_MS, 0)->apps_running, 3);
    free(trend);
}

/* Reports a cluster that used MEMORY_MB of memory BACK steps ago. */
static void report(struct page_scene *scene, int back, int64_t memory_mb, uint32_t waiting)
{
    struct page_world *world = scene->world;
    Creel__ClusterInfo cluster = world->cluster;
    Creel__Resource used = *cluster.used;

    used.memory_mb = memory_mb;
    cluster.used = &used;
    cluster.apps_pending = waiting;
    cluster.now_ms = WORLD_NOW_MS - back * WEB_TREND_STEP_MS;
    web_model_put_cluster(world->model, &cluster);
}

static void gaps_are_gaps(void **state)
{
    struct page_scene *scene = *state;
    Creel__ClusterInfo *cluster = &scene->world->cluster;
    const char *text;

    cluster->total->memory_mb = 1024;
    cluster->pending->memory_mb = 0;
    for (int back = 239; back >= 0; back--)
        if (back < 40 || back > 200)
            report(scene, back, 512, 3);
    text = page_scene_get(scene, "/cluster");
    assert_non_null(strstr(text, "<path class=\"used\" d=\"M0 160V80H156V160ZM800 160V80H960V160Z\"/>"));
    assert_non_null(strstr(text, "<path class=\"total\" d=\"M0 0H156M800 0H960\"/>"));
    assert_non_null(strstr(text,
                           "<desc>allocated: 512 MiB now, 512 MiB to 512 MiB in the last hour; pending: "
                           "0 now, 0 to 0 in the last hour</desc>"));
    assert_non_null(strstr(text, "There are no figures of the empty times"));
    assert_int_equal(page_scene_count(text, "<td data-label=\"Until\">"), 12);
    assert_non_null(strstr(text, "<td data-label=\"Until\">06:30</td><td class=\"n\" "
                                 "data-label=\"allocated\">512 MiB</td>"));
    assert_non_null(strstr(text, "<td data-label=\"Until\">06:15</td><td class=\"n\" "
                                 "data-label=\"allocated\">–</td>"));
}

/* The resource manager has samples of the time before the first reader. */
static void samples_of_the_resource_manager_fill_the_hour(void **state)
{
    struct page_scene *scene = *state;
    Creel__ClusterInfo cluster = scene->world->cluster;
    Creel__ClusterSample samples[WEB_TREND_STEPS], *pointers[WEB_TREND_STEPS];

    for (int i = 0; i < WEB_TREND_STEPS; i++) {
        creel__cluster_sample__init(&samples[i]);
        samples[i].step = WORLD_NOW_MS / WEB_TREND_STEP_MS - WEB_TREND_STEPS + i;
        samples[i].used_vcores = i < 100 ? 8 : 16;
        samples[i].pending_vcores = -1; /* of a resource manager that is wrong */
        samples[i].total_vcores = 32;
        pointers[i] = &samples[i];
    }
    cluster.started_ms = 7;
    cluster.samples = pointers;
    cluster.n_samples = WEB_TREND_STEPS;
    web_model_put_cluster(scene->world->model, &cluster);
    assert_int_equal(web_trend_wanted(web_model_trend(scene->world->model)),
                     WORLD_NOW_MS / WEB_TREND_STEP_MS);
    page_scene_get(scene, "/cluster");
    assert_null(strstr(scene->text, "no figures of the empty times"));
    assert_non_null(strstr(scene->text, "Vcores in the last hour"));
    cluster.started_ms = 8; /* another resource manager: all of its samples are wanted */
    cluster.n_samples = 0;
    web_model_put_cluster(scene->world->model, &cluster);
    assert_int_equal(web_trend_wanted(web_model_trend(scene->world->model)), 1);
}

static void a_whole_hour_is_small(void **state)
{
    struct page_scene *scene = *state;

    for (int back = 239; back >= 0; back--)
        report(scene, back, back % 2 == 0 ? 1000000 : 20000000, (uint32_t)back * 37 % 101);
    page_scene_get(scene, "/cluster");
    assert_null(strstr(scene->text, "no figures of the empty times"));
    assert_non_null(strstr(scene->text, "977 GiB to 19.1 TiB in the last hour"));
    assert_true(strlen(scene->text) < 60000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, page_scene_set_up, page_scene_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_has_its_last_report),
        cmocka_unit_test(old_samples_are_forgotten),
        TEST(gaps_are_gaps),
        TEST(samples_of_the_resource_manager_fill_the_hour),
        TEST(a_whole_hour_is_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
