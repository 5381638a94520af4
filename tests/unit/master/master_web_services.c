/* SPDX-License-Identifier: Apache-2.0 */
/* master_web_services.c - test: a creel-web that falls silent is named, one that is stopped is not */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "rm/master/nodes/web_services.h"
#include "tests/unit/master/master_world.h"

#define FIRST "creel-web at one:8090"
#define SECOND "creel-web at two:8090"

struct scene {
    struct world w;
    uint32_t services, silent;
    char *text; /* owned */
};

static void take_health(void *context, struct arena *arena, const struct master_node_faults *faults,
                        const struct master_stopped_queues *stopped, Creel__ClusterInfo *info)
{
    struct scene *scene = context;

    (void)stopped;
    (void)arena;
    (void)info;
    free(scene->text);
    scene->services = faults->web_services;
    scene->silent = faults->web_silent;
    scene->text = mem_strdup(faults->web_silent_text);
}

/* Requests the checks as USER, with NAME as the name of the service; "": without one. */
static void report(struct scene *scene, const char *user, const char *name, bool stops)
{
    Creel__Envelope *envelope = harness_envelope(&scene->w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    body.service = (char *)(uintptr_t)name;
    body.stops = stops;
    envelope->get_cluster_info = &body;
    assert_non_null(harness_ask(&scene->w.h, MASTER_CLIENT, 1000, user, envelope));
}

static void expect(struct scene *scene, uint32_t services, uint32_t silent, const char *text)
{
    report(scene, "ann", "", false);
    assert_int_equal(scene->services, services);
    assert_int_equal(scene->silent, silent);
    assert_string_equal(scene->text, text);
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    world_begin(&scene->w, NULL);
    scene->w.h.config.health = take_health;
    scene->w.h.config.context = scene;
    scene->w.h.config.admin_users = "root";
    harness_restart(&scene->w.h);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    world_end(&scene->w);
    free(scene->text);
    free(scene);
    return 0;
}

static void one_that_is_not_heard_of_is_silent_until_it_is_forgotten(void **state)
{
    struct scene *scene = *state;

    expect(scene, 0, 0, "");
    report(scene, "ann", FIRST, false); /* who may not report */
    expect(scene, 0, 0, "");
    report(scene, "root", FIRST, false);
    report(scene, "root", SECOND, false);
    scene->w.h.now += WEB_SILENT_MS;
    report(scene, "root", SECOND, false);
    expect(scene, 2, 0, "");
    scene->w.h.now += 1000;
    expect(scene, 2, 1, FIRST " for 3m");
    report(scene, "root", FIRST, false);
    expect(scene, 2, 0, "");
    scene->w.h.now += WEB_SILENT_MS + 1000;
    expect(scene, 2, 2, SECOND " for 3m; " FIRST " for 3m");
    scene->w.h.now += WEB_FORGOTTEN_MS;
    expect(scene, 0, 0, "");
}

static void one_that_is_stopped_is_not_silent(void **state)
{
    struct scene *scene = *state;

    report(scene, "root", FIRST, false);
    expect(scene, 1, 0, "");
    report(scene, "root", FIRST, true);
    scene->w.h.now += WEB_SILENT_MS + 1000;
    expect(scene, 0, 0, "");
    report(scene, "root", FIRST, true); /* not known any more */
    expect(scene, 0, 0, "");
}

/* The restart does not know when they were heard of; each has the usual time to report. */
static void one_that_does_not_come_back_after_a_restart_is_silent(void **state)
{
    struct scene *scene = *state;

    report(scene, "root", FIRST, false);
    report(scene, "root", SECOND, false);
    harness_tick(&scene->w.h, 1000);
    harness_restart(&scene->w.h);
    expect(scene, 2, 0, "");
    report(scene, "root", SECOND, false);
    scene->w.h.now += WEB_SILENT_MS + 1000;
    report(scene, "root", SECOND, false);
    expect(scene, 2, 1, FIRST " since the resource manager started 3m ago");
    report(scene, "root", FIRST, true);
    expect(scene, 1, 0, "");
    harness_tick(&scene->w.h, 1000);
    harness_restart(&scene->w.h);
    expect(scene, 1, 0, "");
    scene->w.h.now += WEB_FORGOTTEN_MS + 1000;
    expect(scene, 0, 0, ""); /* its host is gone */
    harness_tick(&scene->w.h, 1000);
    harness_restart(&scene->w.h);
    scene->w.h.now += WEB_SILENT_MS + 1000;
    expect(scene, 0, 0, "");
}

static void a_cluster_without_one_has_none_after_a_restart(void **state)
{
    struct scene *scene = *state;

    harness_restart(&scene->w.h);
    scene->w.h.now += WEB_SILENT_MS + 1000;
    expect(scene, 0, 0, "");
}

static void their_number_is_limited(void **state)
{
    struct scene *scene = *state;
    char name[40];

    for (int i = 0; i <= WEB_SERVICES_MAX; i++) {
        snprintf(name, sizeof(name), "creel-web at h%d:8090", i);
        report(scene, "root", name, false);
    }
    expect(scene, WEB_SERVICES_MAX, 0, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_that_is_not_heard_of_is_silent_until_it_is_forgotten),
        TEST(one_that_is_stopped_is_not_silent),
        TEST(one_that_does_not_come_back_after_a_restart_is_silent),
        TEST(a_cluster_without_one_has_none_after_a_restart),
        TEST(their_number_is_limited),
    };

    return cmocka_run_group_tests_name("master_web_services", tests, NULL, NULL);
}
