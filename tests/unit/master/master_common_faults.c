/* SPDX-License-Identifier: Apache-2.0 */
/* master_common_faults.c - test: a fault that most nodes have at once is named once */
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
#include "tests/unit/master/master_world.h"

struct scene {
    struct world w;
    uint32_t common;
    bool common_everywhere;
    char *common_text; /* owned */
};

static void take_health(void *context, struct arena *arena, const struct master_node_faults *faults,
                        const struct master_stopped_queues *stopped, Creel__ClusterInfo *info)
{
    struct scene *scene = context;

    (void)stopped;
    (void)arena;
    (void)info;
    free(scene->common_text);
    scene->common = faults->common;
    scene->common_everywhere = faults->common_everywhere;
    scene->common_text = mem_strdup(faults->common_text);
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
    scene->w.h.config.clock_skew_ms = 10000;
    harness_restart(&scene->w.h);
    agent_register(&scene->w.h, &scene->w.a);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    world_end(&scene->w);
    free(scene->common_text);
    free(scene);
    return 0;
}

static const Creel__AppExplanation *why(struct world *w, const char *id)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;

    body.app_id = (char *)(uintptr_t)id;
    envelope->explain_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope)->app_explanation;
}

static void expect_common(struct scene *scene, uint32_t nodes, const char *text)
{
    look(scene);
    assert_int_equal(scene->common, nodes);
    assert_string_equal(scene->common_text, text);
}

/* The reports differ only in numbers and in the name of the node; one has another problem, too. */
static void a_problem_that_all_nodes_report_is_named_once(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    w->a.health_report = "logs of n1:8041 cannot be moved to /shared: 12 MiB are free";
    w->b.health_report =
        "/data/2 does not answer; logs of n2:8041 cannot be moved to /shared: 9 MiB are free";
    agent_heartbeat(&w->h, &w->a);
    expect_common(scene, 0, ""); /* of one node */
    agent_register(&w->h, &w->b);
    agent_heartbeat(&w->h, &w->b);
    expect_common(
        scene, 2,
        "2 of 2 nodes: logs of n1:8041 cannot be moved to /shared: 12 MiB are free (as on n1:8041)");
    assert_false(scene->common_everywhere); /* containers run */
    w->a.unhealthy = w->b.unhealthy = true;
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->b);
    look(scene);
    assert_non_null(strstr(scene->common_text, "2 of 2 nodes: unhealthy: logs of"));
    assert_true(scene->common_everywhere);
    w->b.health_report = "another problem";
    agent_heartbeat(&w->h, &w->b);
    expect_common(scene, 0, "");
}

/* Submits a job, whose first container NODE gets, since the OTHER one is unhealthy. */
static struct fake_container *place(struct world *w, struct fake_agent *node, struct fake_agent *other)
{
    node->unhealthy = false;
    other->unhealthy = true;
    agent_heartbeat(&w->h, other);
    agent_heartbeat(&w->h, node);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 1), "", w->app, NULL);
    agent_listen(&w->h, node);
    return &node->containers[node->count - 1];
}

static const Creel__WhyItem *common_item(const Creel__AppExplanation *explanation)
{
    for (size_t i = 0; i < explanation->n_items; i++)
        if (strcmp(explanation->items[i]->reason_code, "CommonFault") == 0)
            return explanation->items[i];
    return NULL;
}

static void fail_to_start(struct world *w, struct fake_agent *node, struct fake_agent *other, const char *why)
{
    struct fake_container *container = place(w, node, other);

    container->node_fault = true;
    container->reason = why;
    agent_exit(node, container->id, CONTAINER_EXIT_NOT_STARTED);
    agent_heartbeat(&w->h, node);
}

static void a_reason_for_which_no_node_starts_containers_is_named_once(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;
    const Creel__AppExplanation *explanation;
    const Creel__WhyItem *common;
    struct fake_container *started;

    agent_register(&w->h, &w->b);
    fail_to_start(w, &w->a, &w->b, "could not be started on node n1:8041: no process could be made");
    expect_common(scene, 0, "");
    fail_to_start(w, &w->b, &w->a, "could not be started on node n2:8041: no process could be made");
    expect_common(scene, 2,
                  "2 of 2 nodes: cannot start containers: could not be started on node n1:8041: no process "
                  "could be made (as on n1:8041)");
    assert_true(scene->common_everywhere);
    w->a.unhealthy = true;
    agent_heartbeat(&w->h, &w->a);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 8000, 1), "", w->app, NULL);
    explanation = why(w, w->app);
    common = common_item(explanation);
    assert_non_null(common);
    assert_non_null(strstr(common->text, "2 of 2 nodes: cannot start containers: "));
    started = place(w, &w->a, &w->b);
    started->started_ms = w->h.now;
    agent_heartbeat(&w->h, &w->a);
    expect_common(scene, 0, "");
}

/* If the resource manager's own clock is wrong, each node's differs from it by itself. */
static void a_wrong_clock_of_the_resource_manager_is_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    w->a.clock_skew_ms = 90000;
    w->b.clock_skew_ms = 91000;
    agent_heartbeat(&w->h, &w->a);
    expect_common(scene, 0, ""); /* of one node */
    agent_register(&w->h, &w->b);
    agent_heartbeat(&w->h, &w->b);
    expect_common(scene, 2,
                  "the clocks of 2 of 2 nodes are ahead of the resource manager's (n1:8041 by 1m): probably "
                  "its own clock is wrong");
    assert_false(scene->common_everywhere); /* containers run */
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 8000, 1), "", w->app, NULL);
    assert_null(common_item(why(w, w->app)));
    w->b.clock_skew_ms = -90000; /* no clock is the one of most nodes */
    agent_heartbeat(&w->h, &w->b);
    expect_common(scene, 0, "");
    w->a.clock_skew_ms = -90000;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_non_null(strstr(scene->common_text, "2 of 2 nodes are behind the resource manager's"));
    w->a.clock_skew_ms = w->b.clock_skew_ms = 1;
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->b);
    expect_common(scene, 0, "");
}

/* The sums follow nodes that go. */
static void a_node_that_is_lost_does_not_count(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    w->a.health_report = w->b.health_report = "/shared does not answer";
    agent_register(&w->h, &w->b);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->b);
    expect_common(scene, 2, "2 of 2 nodes: /shared does not answer (as on n1:8041)");
    harness_tick(&w->h, w->h.config.node_expiry_ms / 2);
    agent_heartbeat(&w->h, &w->b);
    harness_tick(&w->h, w->h.config.node_expiry_ms / 2 + 1);
    agent_heartbeat(&w->h, &w->b);
    expect_common(scene, 0, ""); /* of one node */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_problem_that_all_nodes_report_is_named_once),
        TEST(a_reason_for_which_no_node_starts_containers_is_named_once),
        TEST(a_wrong_clock_of_the_resource_manager_is_named),
        TEST(a_node_that_is_lost_does_not_count),
    };

    return cmocka_run_group_tests_name("master_common_faults", tests, NULL, NULL);
}
