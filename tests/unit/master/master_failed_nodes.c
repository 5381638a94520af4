/* SPDX-License-Identifier: Apache-2.0 */
/* master_failed_nodes.c - test: the first container of an attempt avoids nodes where earlier ones failed */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/exit_status.h"
#include "rm/master/nodes/failed_nodes.h"
#include "tests/unit/master/master_world.h"

#define AGENTS 3

struct cluster {
    struct world w;
    struct fake_agent c; /* not registered at first, as w.b */
    struct fake_agent *agents[AGENTS];
};

static void many_attempts(struct master_config *config)
{
    config->max_attempts = 20;
}

static void switched_off(struct master_config *config)
{
    many_attempts(config);
    config->avoid_failed_nodes = false;
}

static int set_up_with(void **state, void (*configure)(struct master_config *config))
{
    static struct cluster cluster;

    memset(&cluster, 0, sizeof(cluster));
    world_begin(&cluster.w, configure);
    agent_init(&cluster.c, "n3:8041", 4096, 4);
    cluster.agents[0] = &cluster.w.a;
    cluster.agents[1] = &cluster.w.b;
    cluster.agents[2] = &cluster.c;
    *state = &cluster;
    return 0;
}

static int set_up(void **state)
{
    return set_up_with(state, many_attempts);
}

static int set_up_switched_off(void **state)
{
    return set_up_with(state, switched_off);
}

static int tear_down(void **state)
{
    struct cluster *cluster = *state;

    agent_done(&cluster->c);
    world_end(&cluster->w);
    return 0;
}

/* --- steps ------------------------------------------------------------------- */

static void register_agents(struct cluster *cluster, int count)
{
    for (int i = 0; i < count; i++)
        agent_register(&cluster->w.h, cluster->agents[i]);
}

static void heartbeats(struct cluster *cluster, int count)
{
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < count; i++) {
            agent_heartbeat(&cluster->w.h, cluster->agents[i]);
            agent_listen(&cluster->w.h, cluster->agents[i]);
        }
}

static const Creel__AppReport *show(struct cluster *cluster)
{
    return people_show(&cluster->w.h, cluster->w.app);
}

static void submit_to(struct cluster *cluster, int count)
{
    const Creel__Error *error;

    people_submit(&cluster->w.h, job_of(CREEL__APP_KIND__APP_MASTER, 512, 0), "", cluster->w.app, &error);
    assert_null(error);
    heartbeats(cluster, count);
}

/* Returns the agent that runs the first container of the present attempt, which must be number ATTEMPT. */
static struct fake_agent *where(struct cluster *cluster, uint32_t attempt)
{
    const Creel__AppReport *app = show(cluster);

    assert_int_equal(app->attempt, attempt);
    for (int i = 0; i < AGENTS; i++)
        if (strcmp(cluster->agents[i]->node_id, app->master_node_id) == 0)
            return cluster->agents[i];
    return NULL;
}

/* Ends the first container, which runs at AGENT. */
static void end_with(struct cluster *cluster, struct fake_agent *agent, int exit_status, int count)
{
    agent_exit(agent, show(cluster)->master_container_id, exit_status);
    heartbeats(cluster, count);
}

static void expect_avoided(struct cluster *cluster, size_t count, const struct fake_agent *first)
{
    const Creel__AppReport *app = show(cluster);

    assert_int_equal(app->n_avoided_nodes, count);
    if (count > 0)
        assert_string_equal(app->avoided_nodes[0], first->node_id);
}

static const Creel__AppExplanation *why(struct cluster *cluster)
{
    struct harness *h = &cluster->w.h;
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;

    body.app_id = cluster->w.app;
    envelope->explain_app = &body;
    return harness_ask(h, MASTER_CLIENT, 1000, "ann", envelope)->app_explanation;
}

static const Creel__WhyItem *item_of(const Creel__AppExplanation *explanation, const char *code)
{
    for (size_t i = 0; i < explanation->n_items; i++)
        if (strcmp(explanation->items[i]->reason_code, code) == 0)
            return explanation->items[i];
    return NULL;
}

static const Creel__ContainerReport *first_container(struct cluster *cluster, uint32_t attempt)
{
    struct harness *h = &cluster->w.h;
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_LIST_CONTAINERS);
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    const Creel__ContainerList *list;
    struct container_id id;

    body.app_id = cluster->w.app;
    envelope->list_containers = &body;
    list = harness_ask(h, MASTER_CLIENT, 1000, "ann", envelope)->container_list;
    for (size_t i = 0; i < list->n_containers; i++)
        if (list->containers[i]->master && container_id_parse(list->containers[i]->container_id, &id) &&
            id.attempt.attempt == attempt)
            return list->containers[i];
    fail_msg("attempt %u has no first container", attempt);
    return NULL;
}

/* Fills AGENT with a job, whose id is in APP. */
static void fill(struct cluster *cluster, const struct fake_agent *agent, int count, char app[80])
{
    people_submit(&cluster->w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 4096, 0), "", app, NULL);
    heartbeats(cluster, count);
    assert_string_equal(people_show(&cluster->w.h, app)->master_node_id, agent->node_id);
}

/* --- tests ------------------------------------------------------------------- */

static void next_attempt_runs_on_another_node(void **state)
{
    struct cluster *cluster = *state;
    struct fake_agent *first;

    register_agents(cluster, 2);
    submit_to(cluster, 2);
    first = where(cluster, 1);
    expect_avoided(cluster, 0, NULL);
    end_with(cluster, first, 3, 2);
    assert_ptr_not_equal(where(cluster, 2), first);
    expect_avoided(cluster, 1, first);
    assert_true(first_container(cluster, 1)->node_avoided);
    assert_false(first_container(cluster, 2)->node_avoided);
}

static void start_that_fails_counts(void **state)
{
    struct cluster *cluster = *state;
    struct fake_agent *first;

    register_agents(cluster, 2);
    submit_to(cluster, 2);
    first = where(cluster, 1);
    end_with(cluster, first, CONTAINER_EXIT_NOT_STARTED, 2);
    assert_ptr_not_equal(where(cluster, 2), first);
    expect_avoided(cluster, 1, first);
}

static void list_that_covers_the_threshold_is_ignored(void **state)
{
    struct cluster *cluster = *state;
    struct fake_agent *first, *second;

    register_agents(cluster, 2);
    submit_to(cluster, 2);
    first = where(cluster, 1);
    end_with(cluster, first, 3, 2);
    second = where(cluster, 2);
    end_with(cluster, second, 3, 2);
    assert_non_null(where(cluster, 3));
    expect_avoided(cluster, 0, NULL);
    agent_register(&cluster->w.h, &cluster->c); /* 2 of 3 nodes are below the threshold of 0.8 */
    expect_avoided(cluster, 2, first);
    end_with(cluster, where(cluster, 3), 3, 3);
    assert_ptr_equal(where(cluster, 4), &cluster->c);
}

static void only_node_is_used_again(void **state)
{
    struct cluster *cluster = *state;

    submit_to(cluster, 1);
    end_with(cluster, &cluster->w.a, 3, 1);
    assert_ptr_equal(where(cluster, 2), &cluster->w.a);
    expect_avoided(cluster, 0, NULL);
}

static void ends_that_are_not_the_nodes_fault_do_not_count(void **state)
{
    static const int statuses[] = {
        0,
        CONTAINER_EXIT_ABORTED,
        CONTAINER_EXIT_PREEMPTED,
        CONTAINER_EXIT_VIRTUAL,
        CONTAINER_EXIT_PHYSICAL,
        CONTAINER_EXIT_BY_AM,
        CONTAINER_EXIT_BY_RM,
        CONTAINER_EXIT_APP_OVER,
    };
    struct cluster *cluster = *state;
    const uint32_t count = sizeof(statuses) / sizeof(statuses[0]);

    register_agents(cluster, 3);
    submit_to(cluster, 3);
    for (uint32_t i = 0; i < count; i++) {
        end_with(cluster, where(cluster, i + 1), statuses[i], 3);
        assert_non_null(where(cluster, i + 2));
        expect_avoided(cluster, 0, NULL);
    }
}

static void a_node_with_failed_disks_is_avoided(void **state)
{
    struct cluster *cluster = *state;
    struct fake_agent *first;

    register_agents(cluster, 3);
    submit_to(cluster, 3);
    first = where(cluster, 1);
    end_with(cluster, first, CONTAINER_EXIT_DISKS, 3);
    assert_non_null(where(cluster, 2));
    assert_ptr_not_equal(where(cluster, 2), first);
    expect_avoided(cluster, 1, first);
}

/* With one node the list is ignored, and the attempts count against no limit: their pauses grow. */
static void attempts_after_failed_disks_have_pauses_that_grow(void **state)
{
    struct cluster *cluster = *state;

    submit_to(cluster, 1);
    end_with(cluster, &cluster->w.a, CONTAINER_EXIT_DISKS, 1);
    for (uint32_t attempt = 2; attempt < 12; attempt++) {
        int64_t pause_ms = INT64_C(1000) << (attempt - 2);

        assert_ptr_equal(where(cluster, attempt), &cluster->w.a);
        end_with(cluster, &cluster->w.a, CONTAINER_EXIT_DISKS, 1);
        assert_string_equal(show(cluster)->reason_code, "RetryPause");
        assert_non_null(strstr(show(cluster)->reason, "since the disks of nodes failed before"));
        pause_ms = pause_ms > 300000 ? 300000 : pause_ms;
        for (int64_t passed = 0; passed < pause_ms; passed += 1000) {
            heartbeats(cluster, 1);
            assert_null(where(cluster, attempt + 1));
            harness_tick(&cluster->w.h, 1000);
        }
        heartbeats(cluster, 1);
    }
    assert_ptr_equal(where(cluster, 12), &cluster->w.a);
}

static void restart_of_the_resource_manager_keeps_the_list(void **state)
{
    struct cluster *cluster = *state;
    struct fake_agent *first, *second, *third;

    register_agents(cluster, 3);
    submit_to(cluster, 3);
    first = where(cluster, 1);
    end_with(cluster, first, 3, 3);
    harness_restart(&cluster->w.h);
    register_agents(cluster, 3);
    heartbeats(cluster, 3);
    expect_avoided(cluster, 1, first);
    second = where(cluster, 2);
    end_with(cluster, second, 3, 3);
    third = where(cluster, 3);
    assert_ptr_not_equal(third, first);
    assert_ptr_not_equal(third, second);
}

static void other_containers_may_run_on_the_node(void **state)
{
    struct cluster *cluster = *state;
    const Creel__AllocateReply *reply;
    struct fake_agent *first;
    struct fake_am am;

    register_agents(cluster, 2);
    submit_to(cluster, 2);
    first = where(cluster, 1);
    end_with(cluster, first, 3, 2);
    am_init(&am, cluster->w.app, 2);
    (void)am_register(&cluster->w.h, &am);
    reply = am_allocate(&cluster->w.h, &am, 1, 4096, NULL); /* only the avoided node has so much */
    assert_int_equal(reply->n_allocated, 1);
    assert_string_equal(reply->allocated[0]->node_id, first->node_id);
}

static void reason_of_a_waiting_application_names_the_avoided_node(void **state)
{
    struct cluster *cluster = *state;
    struct fake_agent *first, *other;
    char job[80];
    const Creel__AppExplanation *explanation;

    register_agents(cluster, 2);
    submit_to(cluster, 2);
    first = where(cluster, 1);
    other = first == &cluster->w.a ? &cluster->w.b : &cluster->w.a;
    fill(cluster, other, 2, job);
    end_with(cluster, first, 3, 2);
    assert_null(where(cluster, 2));
    expect_avoided(cluster, 1, first);
    assert_string_equal(show(cluster)->reason_code, "NodeBlacklisted");
    assert_non_null(strstr(show(cluster)->reason, first->node_id));
    explanation = why(cluster);
    assert_non_null(item_of(explanation, "NodeBlacklisted"));
    assert_non_null(strstr(item_of(explanation, "AvoidedNodes")->text, first->node_id));
    assert_non_null(
        strstr(item_of(explanation, "AvoidedNodes")->text, "attempt 1 ended there with exit status 3"));

    /* When the other node is lost, the list covers all nodes, and is ignored. */
    people_kill(&cluster->w.h, job);
    for (int i = 0; i < 12; i++) {
        harness_tick(&cluster->w.h, 1000);
        agent_heartbeat(&cluster->w.h, first);
        agent_listen(&cluster->w.h, first);
    }
    assert_ptr_equal(where(cluster, 2), first);
}

static void switched_off_it_avoids_nothing(void **state)
{
    struct cluster *cluster = *state;
    struct fake_agent *first, *other;
    char job[80];

    register_agents(cluster, 2);
    submit_to(cluster, 2);
    first = where(cluster, 1);
    other = first == &cluster->w.a ? &cluster->w.b : &cluster->w.a;
    fill(cluster, other, 2, job);
    end_with(cluster, first, 3, 2);
    assert_ptr_equal(where(cluster, 2), first);
    expect_avoided(cluster, 0, NULL);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(next_attempt_runs_on_another_node),
        CASE(start_that_fails_counts),
        CASE(list_that_covers_the_threshold_is_ignored),
        CASE(only_node_is_used_again),
        CASE(ends_that_are_not_the_nodes_fault_do_not_count),
        CASE(a_node_with_failed_disks_is_avoided),
        CASE(attempts_after_failed_disks_have_pauses_that_grow),
        CASE(restart_of_the_resource_manager_keeps_the_list),
        CASE(other_containers_may_run_on_the_node),
        CASE(reason_of_a_waiting_application_names_the_avoided_node),
        cmocka_unit_test_setup_teardown(switched_off_it_avoids_nothing, set_up_switched_off, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
