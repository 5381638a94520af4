/* SPDX-License-Identifier: Apache-2.0 */
/* master_node_faults.c - test: what agents report and an operator has to mend reaches the checks of health */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/certificate_time.h"
#include "common/base/mem.h"
#include "tests/unit/master_world.h"

struct scene {
    struct world w;
    uint32_t stuck, versions, expiring, expired;
    char *stuck_text, *versions_text, *certificates_text; /* owned */
};

static void clear(struct scene *scene)
{
    free(scene->stuck_text);
    free(scene->versions_text);
    free(scene->certificates_text);
}

static void take_health(void *context, struct arena *arena, const struct master_node_faults *faults,
                        Creel__ClusterInfo *info)
{
    struct scene *scene = context;

    (void)arena;
    (void)info;
    clear(scene);
    scene->stuck = faults->stuck;
    scene->versions = faults->versions;
    scene->expiring = faults->expiring;
    scene->expired = faults->expired;
    scene->stuck_text = mem_strdup(faults->stuck_text);
    scene->versions_text = mem_strdup(faults->versions_text);
    scene->certificates_text = mem_strdup(faults->certificates_text);
}

static void look(struct scene *scene)
{
    Creel__Envelope *envelope = harness_envelope(&scene->w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    envelope->get_cluster_info = &body;
    assert_non_null(harness_ask(&scene->w.h, MASTER_CLIENT, 1000, "ann", envelope));
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    world_begin(&scene->w, NULL);
    scene->w.h.config.health = take_health;
    scene->w.h.config.context = scene;
    harness_restart(&scene->w.h);
    agent_register(&scene->w.h, &scene->w.a);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    world_end(&scene->w);
    clear(scene);
    free(scene);
    return 0;
}

static void a_container_that_does_not_end_is_named_until_it_has_ended(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 1), "k", w->app, NULL);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(w->a.count, 1);
    look(scene);
    assert_int_equal(scene->stuck, 0);
    assert_string_equal(scene->stuck_text, "");
    w->a.containers[0].stuck = "process 7 (cp) is in state D";
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->stuck, 1);
    assert_non_null(strstr(scene->stuck_text, "on n1:8041, container_"));
    assert_non_null(strstr(scene->stuck_text, ": process 7 (cp) is in state D"));
    agent_exit(&w->a, w->a.containers[0].id, 0);
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->stuck, 0);
}

static void certificates_that_expire_are_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    w->a.certificate_expires_ms = w->h.now + 2 * CERTIFICATE_WARN_MS;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->expiring, 0);
    w->a.certificate_expires_ms = w->h.now + CERTIFICATE_WARN_MS / 2;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->expiring, 1);
    assert_int_equal(scene->expired, 0);
    assert_non_null(strstr(scene->certificates_text, "n1:8041 expires on 20"));
    w->a.certificate_expires_ms = w->h.now - 1;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->expired, 1);
    assert_non_null(strstr(scene->certificates_text, "n1:8041 expired on 20"));
    w->a.certificate_expires_ms = 0;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->expiring, 0);
}

static void agents_of_other_versions_are_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    look(scene);
    assert_int_equal(scene->versions, 0);
    w->b.version = "0.1.0";
    agent_register(&w->h, &w->b);
    look(scene);
    assert_int_equal(scene->versions, 1);
    assert_string_equal(scene->versions_text, "n2:8041 (0.1.0)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_container_that_does_not_end_is_named_until_it_has_ended),
        TEST(certificates_that_expire_are_named),
        TEST(agents_of_other_versions_are_named),
    };

    return cmocka_run_group_tests_name("master_node_faults", tests, NULL, NULL);
}
