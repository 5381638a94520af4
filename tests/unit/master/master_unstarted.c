/* SPDX-License-Identifier: Apache-2.0 */
/* master_unstarted.c - test: ended containers of applications that run are forgotten */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/exit_status.h"
#include "tests/unit/master/master_world.h"

#define ROUNDS 50
#define KEPT 5u /* ended containers that are remembered, in the tests of that limit */

static size_t count_containers(struct world *w)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_CONTAINERS);
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    const Creel__Envelope *reply;

    body.app_id = w->app;
    body.node_id = body.container_id = body.after = (char[]){ "" };
    envelope->list_containers = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_CONTAINER_LIST);
    return reply->container_list->n_containers;
}

/* Returns the number of rows of containers in the store. */
static size_t count_rows(const struct world *w)
{
    size_t count = 0;

    for (size_t i = 0; i < w->h.disk_count; i++)
        count += w->h.disk[i].kind == MASTER_STORE_CONTAINER;
    return count;
}

/* Starts an unmanaged application of ann, and registers its AM. */
static struct fake_am start_am(struct world *w)
{
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_MASTER, 512, 0);
    const Creel__Error *error;
    struct fake_am am;

    job->unmanaged = true;
    people_submit(&w->h, job, "", w->app, &error);
    assert_null(error);
    harness_tick(&w->h, 1000);
    am_init(&am, w->app, 1);
    assert_int_equal(am_register(&w->h, &am)->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
    return am;
}

/* Requests a container, and waits for it. Returns the reply with it. */
static const Creel__AllocateReply *get_container(struct world *w, struct fake_am *am, char id[80])
{
    const Creel__AllocateReply *reply = am_allocate(&w->h, am, 1, 512, NULL);

    for (int i = 0; i < 10 && reply->n_allocated == 0; i++) {
        agent_heartbeat(&w->h, &w->a);
        reply = am_allocate(&w->h, am, -1, 0, NULL);
    }
    assert_int_equal(reply->n_allocated, 1);
    snprintf(id, 80, "%s", reply->allocated[0]->container_id);
    return reply;
}

/* Releases the container ID, and returns the status with its end. */
static Creel__ContainerStatus release(struct world *w, struct fake_am *am, const char *id)
{
    const Creel__AllocateReply *reply = am_allocate(&w->h, am, -1, 0, id);

    for (int i = 0; i < 10 && reply->n_completed == 0; i++) {
        agent_listen(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
        reply = am_allocate(&w->h, am, -1, 0, NULL);
    }
    assert_int_equal(reply->n_completed, 1);
    assert_string_equal(reply->completed[0]->container_id, id);
    return *reply->completed[0];
}

static void released_containers_are_forgotten_when_their_ends_are_confirmed(void **state)
{
    struct world *w = *state;
    struct fake_am am = start_am(w);
    char id[80];

    for (int i = 0; i < ROUNDS; i++) {
        get_container(w, &am, id);
        assert_int_equal(release(w, &am, id).exit_status, CONTAINER_EXIT_BY_AM);
        assert_int_equal(count_containers(w), 1); /* the end is not confirmed yet */
    }
    am_allocate(&w->h, &am, -1, 0, NULL);
    assert_int_equal(count_containers(w), 0);
    assert_int_equal(count_rows(w), 1); /* of the first one on its node: the node must clean up */
    /* A release that is repeated is answered. */
    assert_int_equal(release(w, &am, id).exit_status, CONTAINER_EXIT_ABORTED);
}

/* The AM registers again before it has the end of a container, each time. */
static void a_registration_keeps_no_released_container(void **state)
{
    struct world *w = *state;
    struct fake_am am = start_am(w);
    const Creel__Envelope *reply;
    char id[80];

    for (int i = 0; i < ROUNDS; i++) {
        get_container(w, &am, id);
        am_allocate(&w->h, &am, -1, 0, id);
        agent_listen(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
        reply = am_register(&w->h, &am);
        assert_int_equal(reply->register_am_reply->n_completed, 1);
        am.response_id = reply->register_am_reply->response_id;
        am_allocate(&w->h, &am, -1, 0, NULL);
    }
    am_allocate(&w->h, &am, -1, 0, NULL);
    assert_int_equal(count_containers(w), 0);
}

/* Registers again, after a restart of the resource manager. Returns the number of ends in the reply. */
static size_t register_again(struct world *w, struct fake_am *am)
{
    const Creel__Envelope *reply = am_register(&w->h, am);

    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
    am->response_id = reply->register_am_reply->response_id;
    return reply->register_am_reply->n_completed;
}

static void an_end_that_is_not_confirmed_survives_a_restart(void **state)
{
    struct world *w = *state;
    struct fake_am am = start_am(w);
    char id[80];

    for (int i = 0; i < 3; i++) {
        get_container(w, &am, id);
        release(w, &am, id); /* confirms the end before it */
    }
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    assert_int_equal(count_containers(w), 2); /* the first one, whose row is kept, and the last one */
    assert_int_equal(register_again(w, &am), 2);
    am_allocate(&w->h, &am, -1, 0, NULL);
    assert_int_equal(count_containers(w), 0);
    assert_int_equal(count_rows(w), 1);
}

/* A container that ran has a result: it is listed as long as its application. */
static void containers_that_ran_are_kept(void **state)
{
    struct world *w = *state;
    struct fake_am am = start_am(w);
    const Creel__AllocateReply *reply;
    char id[80];

    reply = get_container(w, &am, id);
    agent_start(&w->a, id, &reply->allocated[0]->token);
    agent_heartbeat(&w->h, &w->a);
    release(w, &am, id);
    am_allocate(&w->h, &am, -1, 0, NULL);
    am_allocate(&w->h, &am, -1, 0, NULL);
    assert_int_equal(count_containers(w), 1);
}

/* --- containers that ran ----------------------------------------------------- */

/* Runs a container of AM to its end, whose id is ID afterwards. */
static void run_container(struct world *w, struct fake_am *am, char id[80])
{
    const Creel__AllocateReply *reply = get_container(w, am, id);

    agent_start(&w->a, id, &reply->allocated[0]->token);
    agent_heartbeat(&w->h, &w->a);
    agent_exit(&w->a, id, 0);
    agent_heartbeat(&w->h, &w->a);
    reply = am_allocate(&w->h, am, -1, 0, NULL);
    for (int i = 0; i < 10 && reply->n_completed == 0; i++) {
        agent_heartbeat(&w->h, &w->a);
        reply = am_allocate(&w->h, am, -1, 0, NULL);
    }
    assert_int_equal(reply->n_completed, 1);
}

static void an_application_that_runs_keeps_its_newest_containers(void **state)
{
    struct world *w = *state;
    struct fake_am am = start_am(w);
    char id[80];

    for (int i = 0; i < ROUNDS; i++)
        run_container(w, &am, id);
    assert_int_equal(count_containers(w), KEPT + 1); /* with the first one on its node */
    assert_int_equal(count_rows(w), KEPT + 1);
}

static void the_limit_holds_after_a_restart(void **state)
{
    struct world *w = *state;
    struct fake_am am = start_am(w);
    char id[80];

    for (int i = 0; i < ROUNDS; i++)
        run_container(w, &am, id);
    w->h.config.max_completed_containers = 2;
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    assert_int_equal(register_again(w, &am), KEPT + 1);
    assert_int_equal(count_containers(w), KEPT + 1); /* their ends are not confirmed to this run */
    am_allocate(&w->h, &am, -1, 0, NULL);
    assert_int_equal(count_containers(w), 3);
    assert_int_equal(count_rows(w), 3);
}

static void set_limit(struct master_config *config)
{
    config->max_completed_containers = KEPT;
}

static int set_up_limit(void **state)
{
    return world_set_up_with(state, set_limit);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)
#define LIMIT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_limit, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(released_containers_are_forgotten_when_their_ends_are_confirmed),
        TEST(a_registration_keeps_no_released_container),
        TEST(an_end_that_is_not_confirmed_survives_a_restart),
        TEST(containers_that_ran_are_kept),
        LIMIT_TEST(an_application_that_runs_keeps_its_newest_containers),
        LIMIT_TEST(the_limit_holds_after_a_restart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
