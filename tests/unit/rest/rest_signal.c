/* SPDX-License-Identifier: Apache-2.0 */
/* rest_signal.c - test: signals to containers over REST, and resources that creel has nothing for */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/rest/rest_world.h"

#define CLUSTER "/ws/v1/cluster"
#define CONTAINER "container_1795500000000_0001_01_000001"
#define TARGET CLUSTER "/containers/" CONTAINER "/signal/"

struct scene {
    struct rest_world *rest;
    Creel__ContainerReport container;
    bool is_absent, is_gone_at_agent;
    Creel__ErrorCode refusal; /* of access; 0: it is given */
    uint32_t signal;          /* that the agent got; 0: none */
};

static void refuse(Creel__ErrorCode code, site_reply_fn *reply, void *reply_context)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = code;
    error.message = (char *)(uintptr_t) "no such thing";
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    reply(reply_context, &envelope);
}

static void upstream(void *context, const Creel__Envelope *query, bool authenticated, site_reply_fn *reply,
                     void *reply_context)
{
    struct scene *scene = context;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ContainerList list = CREEL__CONTAINER_LIST__INIT;
    Creel__ContainerReport *containers[1] = { &scene->container };
    Creel__LogAccess access = CREEL__LOG_ACCESS__INIT;
    ProtobufCBinaryData token = { 5, (uint8_t *)(uintptr_t) "right" };

    assert_true(authenticated);
    assert_string_equal(query->as_user, "ann");
    if (query->body_case == CREEL__ENVELOPE__BODY_LIST_CONTAINERS) {
        assert_string_equal(query->list_containers->container_id, CONTAINER);
        list.containers = containers;
        list.n_containers = scene->is_absent ? 0 : 1;
        envelope.body_case = CREEL__ENVELOPE__BODY_CONTAINER_LIST;
        envelope.container_list = &list;
        reply(reply_context, &envelope);
        return;
    }
    assert_int_equal(query->body_case, CREEL__ENVELOPE__BODY_GET_LOG_ACCESS);
    assert_true(query->get_log_access->control);
    if (scene->refusal != CREEL__ERROR_CODE__ERROR_UNKNOWN) {
        refuse(scene->refusal, reply, reply_context);
        return;
    }
    assert_int_equal(query->get_log_access->n_nodes, 1);
    assert_string_equal(query->get_log_access->nodes[0], scene->container.node_id);
    access.tokens = &token;
    access.n_tokens = 1;
    envelope.body_case = CREEL__ENVELOPE__BODY_LOG_ACCESS;
    envelope.log_access = &access;
    reply(reply_context, &envelope);
}

static void agent(void *context, const char *address, const char *key, const Creel__Envelope *query,
                  site_reply_fn *reply, void *reply_context)
{
    struct scene *scene = context;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Ok ok = CREEL__OK__INIT;

    assert_string_equal(address, "n1:8041");
    assert_string_equal(key, "key");
    assert_memory_equal(query->token.data, "right", 5);
    assert_int_equal(query->body_case, CREEL__ENVELOPE__BODY_SIGNAL_CONTAINER);
    assert_int_equal(query->signal_container->scope, CREEL__SIGNAL_SCOPE__SIGNAL_GROUP);
    if (scene->is_gone_at_agent) {
        refuse(CREEL__ERROR_CODE__ERROR_NOT_FOUND, reply, reply_context);
        return;
    }
    scene->signal = query->signal_container->signal;
    envelope.body_case = CREEL__ENVELOPE__BODY_OK;
    envelope.ok = &ok;
    reply(reply_context, &envelope);
}

static int set_up(void **state)
{
    static struct scene scene;
    struct site *site;

    scene = (struct scene){ .rest = rest_world_new(3, 3) };
    creel__container_report__init(&scene.container);
    scene.container.container_id = (char *)(uintptr_t)CONTAINER;
    scene.container.app_id = (char *)(uintptr_t) "application_1795500000000_0001";
    scene.container.node_address = (char *)(uintptr_t) "n1:8041";
    scene.container.agent_key = (char *)(uintptr_t) "key";
    scene.container.state = CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    site = &scene.rest->page->site;
    scene.rest->page->user = "ann";
    site->upstream = upstream;
    site->agent = agent;
    site->upstream_context = site->agent_context = &scene;
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    rest_world_free(((struct scene *)*state)->rest);
    return 0;
}

/* Sends METHOD TARGET without a body. The answer has STATUS and, in its body, BODY. */
static void check(struct scene *scene, const char *method, const char *target, int status, const char *body)
{
    const char *answer = rest_world_send(scene->rest, method, target, NULL, "");
    char head[16];

    snprintf(head, sizeof(head), "%d ", status);
    if (strncmp(answer, head, strlen(head)) != 0 || strstr(strchr(answer, '\n') + 1, body) == NULL)
        fail_msg("%s: %.300s: not %d %s", target, answer, status, body);
}

static void commands_are_signals(void **state)
{
    struct scene *scene = *state;

    check(scene, "POST", TARGET "GRACEFUL_SHUTDOWN", 200, "");
    assert_int_equal(scene->signal, SIGTERM);
    check(scene, "POST", TARGET "forceful_shutdown", 200, "");
    assert_int_equal(scene->signal, SIGKILL);
    check(scene, "POST", TARGET "OUTPUT_THREAD_DUMP", 200, "");
    assert_int_equal(scene->signal, SIGQUIT);
}

static void a_container_that_cannot_be_signalled_is_refused(void **state)
{
    struct scene *scene = *state;

    check(scene, "POST", TARGET "FOO", 400, "Invalid command: FOO, valid commands are: [OUTPUT_THREAD_DUMP,");
    check(scene, "POST", CLUSTER "/containers/foo/signal/GRACEFUL_SHUTDOWN", 400, "IllegalArgumentException");
    scene->container.state = CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    check(scene, "POST", TARGET "GRACEFUL_SHUTDOWN", 404, "Trying to signal an absent container " CONTAINER);
    scene->container.state = CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    scene->is_gone_at_agent = true;
    check(scene, "POST", TARGET "GRACEFUL_SHUTDOWN", 404, "absent container");
    scene->is_absent = true;
    check(scene, "POST", TARGET "GRACEFUL_SHUTDOWN", 404, "absent container");
    assert_int_equal(scene->signal, 0);
}

static void a_signal_needs_the_right(void **state)
{
    struct scene *scene = *state;

    scene->refusal = CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
    check(scene, "POST", TARGET "GRACEFUL_SHUTDOWN", 403, "ForbiddenException");
    scene->rest->page->user = NULL;
    check(scene, "POST", TARGET "GRACEFUL_SHUTDOWN?user.name=ann", 401, "user.name");
    assert_int_equal(scene->signal, 0);
}

static void bulk_activities_are_those_of_all_nodes(void **state)
{
    struct scene *scene = *state;

    check(scene, "GET", CLUSTER "/scheduler/bulk-activities?activitiesCount=2", 200,
          "{\"bulkActivities\":{\"activities\":[{\"timestamp\":");
    check(scene, "GET", CLUSTER "/scheduler/bulk-activities?activitiesCount=501", 400, "from 1 to 500");
    check(scene, "GET", CLUSTER "/scheduler/bulk-activities?groupBy=x", 400, "Got invalid groupBy: x");
    scene->rest->page->cluster.queue_model = (char *)(uintptr_t) "fair";
    page_world_load(scene->rest->page);
    check(scene, "GET", CLUSTER "/scheduler/bulk-activities", 400,
          "java.lang.Exception: Not Capacity "
          "Scheduler");
}

static void unsupported_resources_answer_as_a_yarn_without_them(void **state)
{
    struct scene *scene = *state;

    check(scene, "POST", CLUSTER "/delegation-token", 403, "Expected auth type is kerberos, got type SIMPLE");
    check(scene, "POST", CLUSTER "/delegation-token/expiration", 403, "kerberos");
    check(scene, "DELETE", CLUSTER "/delegation-token", 403, "kerberos");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(commands_are_signals),
        TEST(a_container_that_cannot_be_signalled_is_refused),
        TEST(a_signal_needs_the_right),
        TEST(bulk_activities_are_those_of_all_nodes),
        TEST(unsupported_resources_answer_as_a_yarn_without_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
