/* SPDX-License-Identifier: Apache-2.0 */
/* rest_writes.c - test: what clients of YARN's REST interface change, and who may */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/rest/rest_world.h"

#define CLUSTER "/ws/v1/cluster"
#define WAITS CLUSTER "/apps/application_1795500000000_0197"
#define ENDED CLUSTER "/apps/application_1795500000000_0001"
#define JSON "application/json"

struct scene {
    struct rest_world *rest;
    char asked[400];          /* the last question: "kill APP as USER: REASON" */
    Creel__ErrorCode refusal; /* of the next question; 0: it is accepted */
    Creel__AppReport app;     /* in a list of applications as answer */
};

/* Notes the question. */
static void note(struct scene *scene, const Creel__Envelope *query)
{
    char *to = scene->asked;
    size_t size = sizeof(scene->asked);

    switch (query->body_case) {
    case CREEL__ENVELOPE__BODY_KILL_APP:
        snprintf(to, size, "kill %s: %s", query->kill_app->app_id, query->kill_app->reason);
        break;
    case CREEL__ENVELOPE__BODY_MOVE_APP:
        snprintf(to, size, "move %s: %s", query->move_app->app_id, query->move_app->queue);
        break;
    case CREEL__ENVELOPE__BODY_SET_PRIORITY:
        snprintf(to, size, "priority %d", query->set_priority->priority);
        break;
    case CREEL__ENVELOPE__BODY_SET_LIFETIME:
        snprintf(to, size, "expires %" PRId64, query->set_lifetime->expires_ms);
        break;
    case CREEL__ENVELOPE__BODY_SET_NODE_RESOURCES:
        snprintf(to, size, "node %s: %" PRId64 " MiB, %" PRId64 " vcores, %" PRId64 " ms",
                 query->set_node_resources->nodes[0], query->set_node_resources->total->memory_mb,
                 query->set_node_resources->total->vcores, query->set_node_resources->overcommit_ms);
        break;
    case CREEL__ENVELOPE__BODY_CHANGE_LABELS:
        snprintf(to, size, "%s %zu labels: %s %s", query->change_labels->remove ? "remove" : "add",
                 query->change_labels->n_labels, query->change_labels->labels[0]->name,
                 query->change_labels->labels[0]->shared ? "shared" : "exclusive");
        break;
    case CREEL__ENVELOPE__BODY_SET_NODE_LABEL:
        snprintf(to + strlen(to), size - strlen(to), "label %s: %s;", query->set_node_label->node,
                 query->set_node_label->label);
        break;
    default:
        fail_msg("body %d", query->body_case);
    }
}

static void upstream(void *context, const Creel__Envelope *query, bool authenticated, site_reply_fn *reply,
                     void *reply_context)
{
    struct scene *scene = context;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;
    Creel__AppList list = CREEL__APP_LIST__INIT;
    Creel__AppReport *apps[1] = { &scene->app };
    Creel__Ok ok = CREEL__OK__INIT;

    assert_true(authenticated);
    assert_string_equal(query->as_user, "ann");
    note(scene, query);
    if (scene->refusal != CREEL__ERROR_CODE__ERROR_UNKNOWN) {
        error.code = scene->refusal;
        error.message = (char *)(uintptr_t) "no";
        envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
        envelope.error = &error;
    } else if (query->body_case == CREEL__ENVELOPE__BODY_MOVE_APP ||
               query->body_case == CREEL__ENVELOPE__BODY_SET_PRIORITY ||
               query->body_case == CREEL__ENVELOPE__BODY_SET_LIFETIME) {
        list.apps = apps;
        list.n_apps = 1;
        envelope.body_case = CREEL__ENVELOPE__BODY_APP_LIST;
        envelope.app_list = &list;
    } else {
        envelope.body_case = CREEL__ENVELOPE__BODY_OK;
        envelope.ok = &ok;
    }
    reply(reply_context, &envelope);
}

static int set_up(void **state)
{
    static struct scene scene;

    scene = (struct scene){ .rest = rest_world_new(200, 3) };
    creel__app_report__init(&scene.app);
    scene.rest->page->user = "ann";
    scene.rest->page->site.upstream = upstream;
    scene.rest->page->site.upstream_context = &scene;
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    rest_world_free(((struct scene *)*state)->rest);
    return 0;
}

/* The answer has STATUS, its body has BODY in it, and ASKED was asked. */
static void check(struct scene *scene, const char *answer, int status, const char *body, const char *asked)
{
    char head[16];

    snprintf(head, sizeof(head), "%d ", status);
    if (strncmp(answer, head, strlen(head)) != 0 || strstr(strchr(answer, '\n') + 1, body) == NULL)
        fail_msg("%.300s: not %d %s", answer, status, body);
    assert_string_equal(scene->asked, asked);
    scene->asked[0] = '\0';
}

static const char *put(struct scene *scene, const char *target, const char *body)
{
    return rest_world_send(scene->rest, "PUT", target, JSON, body);
}

static const char *post(struct scene *scene, const char *target, const char *body)
{
    return rest_world_send(scene->rest, "POST", target, JSON, body);
}

static void an_application_is_killed(void **state)
{
    struct scene *scene = *state;

    check(scene, put(scene, WAITS "/state", "{\"state\":\"KILLED\"}"), 202, "{\"state\":\"KILLING\"}",
          "kill application_1795500000000_0197: was killed by user ann");
    assert_string_equal(rest_world_header(scene->rest, "Location"), "http://localhost" WAITS "/state");
    check(scene,
          rest_world_send(scene->rest, "PUT", WAITS "/state", "application/xml",
                          "<appstate><state>KILLED</state><diagnostics>too old</diagnostics>"
                          "</appstate>"),
          202, "KILLING",
          "kill application_1795500000000_0197: was killed by user ann with diagnostic message: too old");
    check(scene, put(scene, ENDED "/state", "{\"state\":\"KILLED\"}"), 200, "{\"state\":\"FINISHED\"}", "");
    check(scene, put(scene, WAITS "/state", "{\"state\":\"RUNNING\"}"), 400,
          "Only 'KILLED' is allowed as a target state.", "");
    scene->refusal = CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
    check(scene, put(scene, WAITS "/state", "{\"state\":\"KILLED\"}"), 403,
          "Unauthorized attempt to kill appid application_1795500000000_0197 by remote user ann",
          "kill application_1795500000000_0197: was killed by user ann");
}

static void an_application_is_moved(void **state)
{
    struct scene *scene = *state;

    scene->app.queue = (char *)(uintptr_t) "root.dev";
    check(scene, put(scene, WAITS "/queue", "{\"queue\":\"dev\"}"), 200, "{\"queue\":\"root.dev\"}",
          "move application_1795500000000_0197: dev");
    check(scene, put(scene, ENDED "/queue", "{\"queue\":\"dev\"}"), 400,
          "App in FINISHED state cannot be moved.", "");
    scene->refusal = CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    check(scene, put(scene, WAITS "/queue", "{\"queue\":\"nosuch\"}"), 400, "BadRequestException",
          "move application_1795500000000_0197: nosuch");
}

static void priority_and_lifetime_are_set(void **state)
{
    struct scene *scene = *state;

    scene->app.priority = 5;
    check(scene, put(scene, WAITS "/priority", "{\"priority\":7}"), 200, "{\"priority\":5}", "priority 7");
    check(scene, put(scene, WAITS "/priority", "{\"priority\":\"x\"}"), 400, "whole number", "");
    check(scene, put(scene, ENDED "/priority", "{\"priority\":7}"), 200, "{\"priority\":0}", "");
    scene->app.expires_ms = INT64_C(1924992000000);
    check(scene,
          put(scene, WAITS "/timeout",
              "{\"timeout\":{\"type\":\"LIFETIME\",\"expiryTime\":\"2031-01-01T02:00:00.000+0200\"}}"),
          200, "\"expiryTime\":\"2031-01-01T00:00:00.000+0000\"", "expires 1924992000000");
    check(scene, put(scene, WAITS "/timeout", "{\"timeout\":{\"type\":\"LIFETIME\"}}"), 400,
          "Timeout type or ExpiryTime is null.", "");
    check(scene,
          put(scene, WAITS "/timeout",
              "{\"timeout\":{\"type\":\"LIFETIME\",\"expiryTime\":\"2001-01-01T00:00:00.000+0000\"}}"),
          400, "is in the past", "");
    check(scene, put(scene, WAITS "/timeout", "{\"timeout\":{\"type\":\"LIFETIME\",\"expiryTime\":\"xx\"}}"),
          400, "is no time", "");
}

static void nodes_and_labels_are_changed(void **state)
{
    struct scene *scene = *state;
    const char *node = CLUSTER "/nodes/node-00001.example.org:8041";
    char target[200];

    snprintf(target, sizeof(target), "%s/resource", node);
    check(scene,
          post(scene, target,
               "{\"resource\":{\"memory\":5120,\"vCores\":5},"
               "\"overCommitTimeout\":-1}"),
          200, "{\"resourceInfo\":{\"memory\":5120,\"vCores\":5,",
          "node node-00001.example.org:8041: 5120 MiB, 5 vcores, -1 ms");
    check(scene, post(scene, target, "{\"resource\":{\"memory\":-5,\"vCores\":5}}"), 400, "above 0", "");
    check(scene, post(scene, CLUSTER "/nodes/nosuch:1/resource", "{}"), 404, "is not found", "");
    check(scene,
          post(scene, CLUSTER "/add-node-labels",
               "{\"nodeLabelInfo\":[{\"name\":\"gpu\","
               "\"exclusivity\":\"false\"},{\"name\":\"ssd\"}]}"),
          200, "", "add 2 labels: gpu shared");
    check(scene, post(scene, CLUSTER "/remove-node-labels?labels=a&labels=b,c", ""), 200, "",
          "remove 3 labels: a exclusive");
    check(scene, post(scene, CLUSTER "/remove-node-labels", ""), 400, "names no label", "");
    snprintf(target, sizeof(target), "%s/replace-labels?labels=gpu", node);
    check(scene, post(scene, target, ""), 200, "", "label node-00001.example.org:8041: gpu;");
    check(scene,
          post(scene, CLUSTER "/replace-node-to-labels",
               "{\"nodeToLabels\":[{\"nodeId\":\"a:1\","
               "\"labels\":[]},{\"nodeId\":\"b:1\",\"labels\":[\"gpu\"]}]}"),
          200, "", "label a:1: ;label b:1: gpu;");
    scene->refusal = CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
    check(scene, post(scene, CLUSTER "/add-node-labels", "{\"nodeLabelInfo\":{\"name\":\"gpu\"}}"), 401,
          "AuthorizationException", "add 1 labels: gpu exclusive");
}

static void bodies_that_cannot_be_read_change_nothing(void **state)
{
    struct scene *scene = *state;

    check(scene, put(scene, WAITS "/state", "garbage"), 400, "WebApplicationException", "");
    check(scene, put(scene, WAITS "/state", ""), 400, "WebApplicationException", "");
    check(scene, rest_world_send(scene->rest, "PUT", WAITS "/state", NULL, "{\"state\":\"KILLED\"}"), 415,
          "WebApplicationException", "");
    check(scene, rest_world_send(scene->rest, "PUT", WAITS "/state", "text/plain", "{\"state\":\"KILLED\"}"),
          415, "WebApplicationException", "");
    check(scene, put(scene, CLUSTER "/apps/application_1_0001/state", "{\"state\":\"KILLED\"}"), 404,
          "NotFoundException", "");
}

static void a_claimed_user_may_change_nothing(void **state)
{
    struct scene *scene = *state;

    scene->rest->page->user = NULL;
    check(scene, put(scene, WAITS "/state?user.name=ann", "{\"state\":\"KILLED\"}"), 401, "user.name", "");
    check(scene, post(scene, CLUSTER "/remove-node-labels?labels=a&user.name=ann", ""), 401, "user.name", "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_application_is_killed),
        TEST(an_application_is_moved),
        TEST(priority_and_lifetime_are_set),
        TEST(nodes_and_labels_are_changed),
        TEST(bodies_that_cannot_be_read_change_nothing),
        TEST(a_claimed_user_may_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
