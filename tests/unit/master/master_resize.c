/* SPDX-License-Identifier: Apache-2.0 */
/* master_resize.c - test: other sizes for running containers, requested by users and by AMs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_world.h"

#define INCREASE CREEL__CONTAINER_UPDATE_TYPE__UPDATE_INCREASE_RESOURCE
#define DECREASE CREEL__CONTAINER_UPDATE_TYPE__UPDATE_DECREASE_RESOURCE

/* --- steps ------------------------------------------------------------------- */

/* Runs a job of one container of 1024 MB on agent a. */
static void run_job(struct world *w)
{
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 0), "", w->app, NULL);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
}

static struct fake_container *job_container(struct world *w)
{
    return &w->a.containers[0];
}

static const Creel__Envelope *resize_as(struct world *w, const char *user, const char *id, int64_t memory_mb)
{
    Creel__ResizeContainer body = CREEL__RESIZE_CONTAINER__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_RESIZE_CONTAINER);
    char text[80];

    snprintf(text, sizeof(text), "%s", id);
    resource.memory_mb = memory_mb;
    body.container_id = text;
    body.resource = &resource;
    body.cancel = memory_mb == 0;
    envelope->resize_container = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, user, envelope);
}

static const Creel__ResizeContainerReply *resize(struct world *w, int64_t memory_mb)
{
    const Creel__Envelope *reply = resize_as(w, "ann", job_container(w)->id, memory_mb);

    assert_non_null(reply);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_RESIZE_CONTAINER_REPLY);
    return reply->resize_container_reply;
}

static void expect_refused(const Creel__Envelope *reply, Creel__ErrorCode code, const char *words)
{
    assert_non_null(reply);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    assert_non_null(strstr(reply->error->message, words));
}

static const Creel__ContainerReport *show(struct world *w)
{
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_CONTAINERS);
    const Creel__Envelope *reply;

    body.container_id = job_container(w)->id;
    envelope->list_containers = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_CONTAINER_LIST);
    assert_int_equal(reply->container_list->n_containers, 1);
    return reply->container_list->containers[0];
}

static void beat(struct world *w)
{
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
}

/* --- users ------------------------------------------------------------------- */

static void a_larger_size_reaches_the_agent(void **state)
{
    struct world *w = *state;
    const Creel__ResizeContainerReply *reply;

    run_job(w);
    reply = resize(w, 2048);
    assert_string_equal(reply->waits, "");
    assert_int_equal(reply->container->resource->memory_mb, 2048);
    assert_int_equal(reply->container->version, 1);
    assert_true(reply->container->resizing);
    agent_listen(&w->h, &w->a);
    assert_int_equal(job_container(w)->memory_mb, 2048);
    assert_int_equal(job_container(w)->version, 1);
    agent_heartbeat(&w->h, &w->a);
    assert_false(show(w)->resizing);
}

/* Orders without a total set it to the offer of the agent. */
static void the_order_has_the_total_that_an_administrator_set(void **state)
{
    struct world *w = *state;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_NODE_RESOURCES);
    Creel__SetNodeResources body = CREEL__SET_NODE_RESOURCES__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    char *node = w->a.node_id;

    total.memory_mb = 2 * w->a.memory_mb;
    total.vcores = w->a.vcores;
    body.nodes = &node;
    body.n_nodes = 1;
    body.total = &total;
    envelope->set_node_resources = &body;
    harness_ask(&w->h, MASTER_CLIENT, 901, "admin", envelope);
    run_job(w);
    agent_listen(&w->h, &w->a);
    assert_int_equal(w->a.ordered_total_mb, total.memory_mb);
    resize(w, 2048);
    agent_listen(&w->h, &w->a);
    assert_int_equal(job_container(w)->version, 1);
    assert_int_equal(w->a.ordered_total_mb, total.memory_mb);
}

static void the_agent_gets_the_order_when_the_row_is_stored(void **state)
{
    struct world *w = *state;

    run_job(w);
    w->h.hold_store = true;
    assert_null(resize_as(w, "ann", job_container(w)->id, 2048));
    beat(w);
    assert_int_equal(job_container(w)->version, 0);
    harness_commit(&w->h);
    w->h.hold_store = false;
    agent_listen(&w->h, &w->a);
    assert_int_equal(job_container(w)->version, 1);
}

static void the_order_is_repeated_until_the_agent_confirms(void **state)
{
    struct world *w = *state;

    run_job(w);
    w->a.deaf = true;
    resize(w, 2048);
    beat(w);
    beat(w);
    assert_true(show(w)->resizing);
    w->a.deaf = false;
    beat(w); /* the reply has the order */
    beat(w);
    assert_int_equal(job_container(w)->version, 1);
    assert_false(show(w)->resizing);
}

static void an_acknowledged_size_outlives_the_resource_manager(void **state)
{
    struct world *w = *state;

    run_job(w);
    w->a.deaf = true;
    resize(w, 2048);
    harness_restart(&w->h);
    assert_int_equal(show(w)->resource->memory_mb, 2048);
    assert_int_equal(show(w)->version, 1);
    agent_register(&w->h, &w->a);
    w->a.deaf = false;
    beat(w);
    beat(w);
    assert_int_equal(job_container(w)->memory_mb, 2048);
}

static void an_increase_waits_for_room(void **state)
{
    struct world *w = *state;
    const Creel__ResizeContainerReply *reply;
    char other[80];

    run_job(w);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 2048, 0), "", other, NULL);
    beat(w);
    reply = resize(w, 4096);
    assert_int_equal(reply->container->resource->memory_mb, 1024);
    assert_int_equal(reply->container->wanted->memory_mb, 4096);
    assert_string_equal(reply->waits_code, "NodeFull");
    assert_int_equal(show(w)->version, 0);
    people_kill(&w->h, other);
    beat(w);
    beat(w);
    assert_int_equal(show(w)->resource->memory_mb, 4096);
    assert_null(show(w)->wanted);
    beat(w);
    assert_int_equal(job_container(w)->memory_mb, 4096);
}

static void another_request_replaces_it_and_cancel_withdraws_it(void **state)
{
    struct world *w = *state;
    char other[80];

    run_job(w);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 2048, 0), "", other, NULL);
    beat(w);
    resize(w, 4096);
    assert_int_equal(resize(w, 3072)->container->wanted->memory_mb, 3072);
    assert_null(resize(w, 1000)->container->wanted); /* rounded to the size that it has */
    resize(w, 3072);
    assert_null(resize(w, 0)->container->wanted);
    assert_string_equal(resize(w, 0)->warning, "no increase of it waits");
}

/* Restarts the resource manager while both containers of agent a run. */
static void restart(struct world *w)
{
    harness_restart(&w->h);
    assert_int_equal(show(w)->resource->memory_mb, 1024);
    agent_register(&w->h, &w->a);
    beat(w);
}

static void an_increase_that_waits_outlives_the_resource_manager(void **state)
{
    struct world *w = *state;
    char other[80];

    run_job(w);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 2048, 0), "", other, NULL);
    beat(w);
    resize(w, 3500);
    harness_restart(&w->h);
    assert_int_equal(show(w)->wanted->memory_mb, 3584); /* also before the agent has registered */
    agent_register(&w->h, &w->a);
    beat(w);
    assert_int_equal(show(w)->wanted->memory_mb, 3584);
    restart(w);
    assert_int_equal(show(w)->wanted->memory_mb, 3584);
    people_kill(&w->h, other);
    beat(w);
    beat(w);
    assert_int_equal(show(w)->resource->memory_mb, 3584);
    assert_int_equal(show(w)->version, 1);
    harness_restart(&w->h);
    assert_null(show(w)->wanted); /* it was served */
}

static void an_increase_that_was_withdrawn_does_not_return(void **state)
{
    struct world *w = *state;
    char other[80];

    run_job(w);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 2048, 0), "", other, NULL);
    beat(w);
    resize(w, 4096);
    restart(w);
    resize(w, 0);
    restart(w);
    assert_null(show(w)->wanted);
    resize(w, 4096);
    harness_restart(&w->h);
    resize(w, 0); /* its agent has not registered */
    assert_null(show(w)->wanted);
    restart(w);
    assert_null(show(w)->wanted);
}

static void an_increase_that_became_too_large_is_dropped(void **state)
{
    struct world *w = *state;
    char other[80];

    run_job(w);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 2048, 0), "", other, NULL);
    beat(w);
    resize(w, 4096);
    harness_restart(&w->h);
    w->a.memory_mb = 3072;
    agent_register(&w->h, &w->a);
    beat(w);
    assert_null(show(w)->wanted);
}

static void a_smaller_size_counts_at_once_with_a_warning(void **state)
{
    struct world *w = *state;
    const Creel__ResizeContainerReply *reply;
    char other[80];

    run_job(w);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 3584, 0), "", other, NULL);
    assert_int_equal(people_show(&w->h, other)->state, CREEL__APP_STATE__APP_ACCEPTED);
    reply = resize(w, 512);
    assert_int_equal(reply->container->resource->memory_mb, 512);
    assert_string_equal(reply->warning, "");
    beat(w);
    assert_int_equal(agent_running(&w->a), 2);
}

static void it_ends_with_its_container(void **state)
{
    struct world *w = *state;
    char other[80];

    run_job(w);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 2048, 0), "", other, NULL);
    beat(w);
    resize(w, 4096);
    agent_exit(&w->a, job_container(w)->id, 0);
    beat(w);
    beat(w);
    assert_null(show(w)->wanted);
    expect_refused(resize_as(w, "ann", job_container(w)->id, 2048), CREEL__ERROR_CODE__ERROR_BAD_STATE,
                   "does not run");
}

static void requests_that_are_refused_change_nothing(void **state)
{
    struct world *w = *state;
    const char *id;

    run_job(w);
    id = job_container(w)->id;
    expect_refused(resize_as(w, "bob", id, 2048), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "");
    expect_refused(resize_as(w, "ann", id, 1 << 20), CREEL__ERROR_CODE__ERROR_NEVER_RUNS,
                   "above the maximum");
    expect_refused(resize_as(w, "ann", "77_01_000003", 2048), CREEL__ERROR_CODE__ERROR_NOT_FOUND,
                   "77_01_000003");
    w->a.old = true;
    agent_register(&w->h, &w->a);
    beat(w);
    expect_refused(resize_as(w, "ann", id, 2048), CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "n1:8041");
    assert_int_equal(show(w)->resource->memory_mb, 1024);
    assert_int_equal(show(w)->version, 0);
}

/* --- AMs ----------------------------------------------------------------------- */

/* Sends one update of the container ID; returns the reply. */
static const Creel__AllocateReply *update(struct world *w, struct fake_am *am, const char *id,
                                          uint32_t version, Creel__ContainerUpdateType type,
                                          int64_t memory_mb)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_ALLOCATE);
    Creel__Allocate body = CREEL__ALLOCATE__INIT;
    Creel__ContainerUpdate one = CREEL__CONTAINER_UPDATE__INIT, *list[] = { &one };
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    const Creel__Envelope *reply;
    char text[80];

    snprintf(text, sizeof(text), "%s", id);
    resource.memory_mb = memory_mb;
    resource.vcores = 1;
    one.container_id = text;
    one.version = version;
    one.type = type;
    one.capability = &resource;
    body.response_id = am->response_id;
    body.updates = list;
    body.n_updates = 1;
    envelope->allocate = &body;
    reply = harness_ask(&w->h, MASTER_AM, am->connection, am->attempt_id, envelope);
    assert_non_null(reply);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
    am->response_id = reply->allocate_reply->response_id;
    return reply->allocate_reply;
}

/* Runs an application of which AM has one task of 512 MB, on agent a; returns its id. */
static const char *begin_task(struct world *w, struct fake_am *am)
{
    const Creel__AllocateReply *reply;

    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_MASTER, 512, 0), "", w->app, NULL);
    beat(w);
    am_init(am, w->app, 1);
    am_register(&w->h, am);
    reply = am_allocate(&w->h, am, 1, 512, NULL);
    if (reply->n_allocated == 0)
        reply = am_allocate(&w->h, am, -1, 0, NULL);
    assert_int_equal(reply->n_allocated, 1);
    assert_int_equal(reply->allocated[0]->version, 0);
    agent_start(&w->a, reply->allocated[0]->container_id, &reply->allocated[0]->token);
    beat(w);
    return w->a.containers[w->a.count - 1].id;
}

static void expect_error(const Creel__AllocateReply *reply, const char *reason, uint32_t version)
{
    assert_int_equal(reply->n_updated, 0);
    assert_int_equal(reply->n_update_errors, 1);
    assert_string_equal(reply->update_errors[0]->reason, reason);
    assert_int_equal(reply->update_errors[0]->version, version);
}

static void an_am_gets_the_new_size_with_a_token(void **state)
{
    struct world *w = *state;
    const Creel__AllocateReply *reply;
    struct fake_am am;
    const char *id = begin_task(w, &am);

    reply = update(w, &am, id, 0, INCREASE, 1024);
    assert_int_equal(reply->n_update_errors, 0);
    assert_int_equal(reply->n_updated, 1);
    assert_string_equal(reply->updated[0]->container_id, id);
    assert_int_equal(reply->updated[0]->resource->memory_mb, 1024);
    assert_int_equal(reply->updated[0]->version, 1);
    assert_true(reply->updated[0]->token.len > 0);
    assert_int_equal(am_allocate(&w->h, &am, -1, 0, NULL)->n_updated, 0);
    reply = update(w, &am, id, 1, DECREASE, 256);
    assert_int_equal(reply->n_updated, 1);
    assert_int_equal(reply->updated[0]->resource->memory_mb, 256);
    assert_int_equal(reply->updated[0]->version, 2);
}

static void refused_updates_have_the_words_of_yarn(void **state)
{
    struct world *w = *state;
    struct fake_am am;
    const char *id = begin_task(w, &am);

    expect_error(update(w, &am, id, 7, INCREASE, 1024), "INCORRECT_CONTAINER_VERSION_ERROR", 0);
    expect_error(update(w, &am, id, 0, INCREASE, 1 << 20), "RESOURCE_OUTSIDE_ALLOWED_RANGE", 0);
    expect_error(update(w, &am, id, 0, DECREASE, 1024), "RESOURCE_OUTSIDE_ALLOWED_RANGE", 0);
    expect_error(update(w, &am, id, 0, INCREASE, 128), "RESOURCE_OUTSIDE_ALLOWED_RANGE", 0); /* no change */
    expect_error(update(w, &am, id, 0, CREEL__CONTAINER_UPDATE_TYPE__UPDATE_PROMOTE_EXECUTION_TYPE, 1024),
                 "NOT_SUPPORTED", 0);
    expect_error(update(w, &am, "container_1700000000000_0009_01_000001", 0, INCREASE, 1024),
                 "INVALID_CONTAINER_ID", 0);
    agent_exit(&w->a, id, 0);
    beat(w);
    expect_error(update(w, &am, id, 0, INCREASE, 1024), "CONTAINER_NOT_RUNNING", 0);
}

static void an_am_learns_what_its_owner_changed(void **state)
{
    struct world *w = *state;
    const Creel__AllocateReply *reply;
    struct fake_am am;
    const char *id = begin_task(w, &am);

    resize_as(w, "ann", id, 1024);
    reply = am_allocate(&w->h, &am, -1, 0, NULL);
    assert_int_equal(reply->n_updated, 1);
    assert_int_equal(reply->updated[0]->version, 1);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_larger_size_reaches_the_agent),
        TEST(the_order_has_the_total_that_an_administrator_set),
        TEST(the_agent_gets_the_order_when_the_row_is_stored),
        TEST(the_order_is_repeated_until_the_agent_confirms),
        TEST(an_acknowledged_size_outlives_the_resource_manager),
        TEST(an_increase_waits_for_room),
        TEST(another_request_replaces_it_and_cancel_withdraws_it),
        TEST(an_increase_that_waits_outlives_the_resource_manager),
        TEST(an_increase_that_was_withdrawn_does_not_return),
        TEST(an_increase_that_became_too_large_is_dropped),
        TEST(a_smaller_size_counts_at_once_with_a_warning),
        TEST(it_ends_with_its_container),
        TEST(requests_that_are_refused_change_nothing),
        TEST(an_am_gets_the_new_size_with_a_token),
        TEST(refused_updates_have_the_words_of_yarn),
        TEST(an_am_learns_what_its_owner_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
