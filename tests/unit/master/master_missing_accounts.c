/* SPDX-License-Identifier: Apache-2.0 */
/* master_missing_accounts.c - test: a node that lacks accounts which other nodes have is named */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/exit_status.h"
#include "common/base/mem.h"
#include "rm/master/nodes/missing_accounts.h"
#include "tests/unit/master/master_world.h"

#define MISSING "accounts that other nodes have are missing: "

struct scene {
    struct world w;
    uint32_t count; /* of healthy nodes that report a problem */
    char *text;     /* owned */
};

static void take_health(void *context, struct arena *arena, const struct master_node_faults *faults,
                        const struct master_stopped_queues *stopped, Creel__ClusterInfo *info)
{
    struct scene *scene = context;

    (void)stopped;
    (void)arena;
    (void)info;
    free(scene->text);
    scene->count = faults->reports;
    scene->text = mem_strdup(faults->reports_text);
}

static void expect(struct scene *scene, uint32_t count, const char *text)
{
    Creel__Envelope *envelope = harness_envelope(&scene->w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    envelope->get_cluster_info = &body;
    assert_non_null(harness_ask(&scene->w.h, MASTER_CLIENT, 1000, "ann", envelope));
    assert_int_equal(scene->count, count);
    assert_string_equal(scene->text, text);
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    world_begin(&scene->w, NULL);
    scene->w.h.config.health = take_health;
    scene->w.h.config.context = scene;
    harness_restart(&scene->w.h);
    agent_register(&scene->w.h, &scene->w.a);
    agent_register(&scene->w.h, &scene->w.b);
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

/* Submits a job of USER, whose first container NODE gets, since the OTHER one is unhealthy meanwhile. */
static struct fake_container *place(struct world *w, const char *user, struct fake_agent *node,
                                    struct fake_agent *other)
{
    struct fake_container *container;

    other->unhealthy = true;
    agent_heartbeat(&w->h, other);
    agent_heartbeat(&w->h, node);
    people_submit_as(&w->h, user, job_of(CREEL__APP_KIND__APP_COMMAND, 256, 0), "", w->app);
    agent_listen(&w->h, node);
    container = &node->containers[node->count - 1];
    other->unhealthy = false;
    agent_heartbeat(&w->h, other);
    return container;
}

static void miss(struct scene *scene, const char *user, struct fake_agent *node, struct fake_agent *other)
{
    struct fake_container *container = place(&scene->w, user, node, other);

    container->no_account = true;
    container->reason = "could not be launched: user is unknown on this node";
    agent_exit(node, container->id, CONTAINER_EXIT_NOT_STARTED);
    agent_heartbeat(&scene->w.h, node);
}

static void start(struct scene *scene, const char *user, struct fake_agent *node, struct fake_agent *other)
{
    struct fake_container *container = place(&scene->w, user, node, other);

    container->started_ms = scene->w.h.now;
    agent_heartbeat(&scene->w.h, node);
    agent_exit(node, container->id, 0);
    agent_heartbeat(&scene->w.h, node);
}

static void a_node_without_an_account_that_others_have_is_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    miss(scene, "ann", &w->a, &w->b);
    expect(scene, 0, ""); /* the account may be nowhere */
    start(scene, "ann", &w->b, &w->a);
    agent_heartbeat(&w->h, &w->a);
    expect(scene, 1, "n1:8041: " MISSING "ann");
    w->a.health_report = "/data/2 does not answer";
    agent_heartbeat(&w->h, &w->a);
    expect(scene, 1, "n1:8041: /data/2 does not answer; " MISSING "ann");
    w->a.health_report = NULL;
    start(scene, "ann", &w->a, &w->b); /* the account was made */
    expect(scene, 0, "");
}

/* Else any user could have all nodes named. */
static void a_user_who_exists_nowhere_makes_no_node_faulty(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    for (int i = 0; i < 10; i++) {
        miss(scene, "nobody1", &w->a, &w->b);
        miss(scene, "nobody1", &w->b, &w->a);
        start(scene, "bob", &w->a, &w->b);
    }
    expect(scene, 0, "");
    assert_false(w->a.unhealthy || w->b.unhealthy);
}

/* An account that was removed everywhere: containers have started before. */
static void an_account_that_was_removed_everywhere_makes_no_node_faulty(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    start(scene, "ann", &w->a, &w->b);
    start(scene, "ann", &w->b, &w->a);
    harness_tick(&w->h, 1000);
    miss(scene, "ann", &w->a, &w->b);
    miss(scene, "ann", &w->b, &w->a);
    expect(scene, 0, "");
}

static void few_accounts_are_named_and_forgotten_after_a_time(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;
    char user[16];

    for (int i = 0; i < MISSING_ACCOUNTS_MAX + 2; i++) {
        snprintf(user, sizeof(user), "user%d", i);
        miss(scene, user, &w->a, &w->b);
        start(scene, user, &w->b, &w->a);
    }
    agent_heartbeat(&w->h, &w->a);
    expect(scene, 1, "n1:8041: " MISSING "user0, user1, user2 and 5 more");
    w->h.now += MISSING_SHOWN_MS + 1;
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->b);
    expect(scene, 0, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_node_without_an_account_that_others_have_is_named),
        TEST(a_user_who_exists_nowhere_makes_no_node_faulty),
        TEST(an_account_that_was_removed_everywhere_makes_no_node_faulty),
        TEST(few_accounts_are_named_and_forgotten_after_a_time),
    };

    return cmocka_run_group_tests_name("master_missing_accounts", tests, NULL, NULL);
}
