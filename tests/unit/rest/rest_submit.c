/* SPDX-License-Identifier: Apache-2.0 */
/* rest_submit.c - test: applications that are submitted over YARN's REST interface */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/rest/rest_world.h"
#include "web/model/view.h"

#define APPS "/ws/v1/cluster/apps"
#define ID "application_1795500000000_0300"
#define JSON "application/json"
#define SPEC "\"am-container-spec\":{\"commands\":{\"command\":\"sleep 1\"}}"

struct scene {
    struct rest_world *rest;
    Creel__SubmitApp *seen; /* owned: the last submission */
    int queries;
    Creel__ErrorCode refusal; /* of the next query; 0: it is accepted */
};

static void upstream(void *context, const Creel__Envelope *query, bool authenticated, site_reply_fn *reply,
                     void *reply_context)
{
    struct scene *scene = context;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;
    Creel__NewAppReply new_app = CREEL__NEW_APP_REPLY__INIT;
    Creel__SubmitAppReply submitted = CREEL__SUBMIT_APP_REPLY__INIT;
    uint8_t packed[8192];

    assert_true(authenticated);
    assert_string_equal(query->as_user, "ann");
    scene->queries++;
    new_app.app_id = submitted.app_id = (char *)(uintptr_t)ID;
    if (scene->refusal != CREEL__ERROR_CODE__ERROR_UNKNOWN) {
        error.code = scene->refusal;
        error.message = (char *)(uintptr_t) "no such thing";
        envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
        envelope.error = &error;
    } else if (query->body_case == CREEL__ENVELOPE__BODY_NEW_APP) {
        envelope.body_case = CREEL__ENVELOPE__BODY_NEW_APP_REPLY;
        envelope.new_app_reply = &new_app;
    } else {
        assert_int_equal(query->body_case, CREEL__ENVELOPE__BODY_SUBMIT_APP);
        assert_true(creel__submit_app__get_packed_size(query->submit_app) <= sizeof(packed));
        if (scene->seen != NULL)
            creel__submit_app__free_unpacked(scene->seen, NULL);
        scene->seen =
            creel__submit_app__unpack(NULL, creel__submit_app__pack(query->submit_app, packed), packed);
        envelope.body_case = CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY;
        envelope.submit_app_reply = &submitted;
    }
    reply(reply_context, &envelope);
}

static int set_up(void **state)
{
    static struct scene scene;

    scene = (struct scene){ .rest = rest_world_new(3, 3) };
    scene.rest->page->user = "ann";
    scene.rest->page->site.upstream = upstream;
    scene.rest->page->site.upstream_context = &scene;
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    if (scene->seen != NULL)
        creel__submit_app__free_unpacked(scene->seen, NULL);
    rest_world_free(scene->rest);
    return 0;
}

static void expect(const char *answer, int status, const char *body)
{
    char head[16];

    snprintf(head, sizeof(head), "%d ", status);
    if (strncmp(answer, head, strlen(head)) != 0 || strstr(strchr(answer, '\n') + 1, body) == NULL)
        fail_msg("%.400s: not %d %s", answer, status, body);
}

/* Submits MEMBERS, without the id and the command. */
static const char *submit(struct scene *scene, const char *members)
{
    char body[2000];

    snprintf(body, sizeof(body), "{\"application-id\":\"" ID "\"%s%s}", *members != '\0' ? "," : "", members);
    return rest_world_send(scene->rest, "POST", APPS, JSON, body);
}

static void an_id_is_assigned(void **state)
{
    struct scene *scene = *state;

    expect(rest_world_send(scene->rest, "POST", APPS "/new-application", NULL, ""), 200,
           "{\"application-id\":\"" ID "\",\"maximum-resource-capability\":{\"memory\":8192,\"vCores\":4,");
    scene->refusal = CREEL__ERROR_CODE__ERROR_STORE;
    expect(rest_world_send(scene->rest, "POST", APPS "/new-application", NULL, ""), 503, "no such thing");
}

static void a_submission_becomes_a_job(void **state)
{
    struct scene *scene = *state;
    const Creel__JobSpec *job;

    expect(submit(scene, "\"application-name\":\"night run\",\"queue\":\"root.dev\",\"priority\":3,"
                         "\"application-type\":\"T\",\"max-app-attempts\":2,"
                         "\"application-tags\":{\"tag\":[\"x\",\"y\"]},"
                         "\"app-node-label-expression\":\"gpu\",\"resource\":{\"memory\":512,\"vCores\":2,"
                         "\"resourceInformations\":{\"resourceInformation\":"
                         "[{\"name\":\"yarn.io/gpu\",\"value\":1}]}},"
                         "\"timeouts\":{\"entry\":{\"key\":\"LIFETIME\",\"value\":60}},"
                         "\"am-container-spec\":{\"commands\":{\"command\":[\"sleep 1;\","
                         "\"echo {{HOME}} > <LOG_DIR>/x\"]},"
                         "\"environment\":{\"entry\":[{\"key\":\"A\",\"value\":\"1 2\"},"
                         "{\"key\":\"B\",\"value\":\"\"}]}}"),
           202, "");
    assert_string_equal(rest_world_header(scene->rest, "Location"), "http://localhost" APPS "/" ID);
    assert_string_equal(scene->seen->app_id, ID);
    job = scene->seen->job;
    assert_string_equal(job->name, "night run");
    assert_string_equal(job->queue, "root.dev");
    assert_string_equal(job->type, "T");
    assert_string_equal(job->label, "gpu");
    assert_int_equal(job->kind, CREEL__APP_KIND__APP_COMMAND);
    assert_int_equal(job->priority, 3);
    assert_int_equal(job->max_attempts, 2);
    assert_int_equal(job->lifetime_s, 60);
    assert_int_equal(job->n_tags, 2);
    assert_string_equal(job->tags[1], "y");
    assert_int_equal(job->resource->memory_mb, 512);
    assert_int_equal(job->resource->vcores, 2);
    assert_string_equal(job->resource->others[0]->name, "yarn.io/gpu");
    assert_int_equal(job->launch->n_command, 3);
    assert_string_equal(job->launch->command[0], "/bin/bash");
    assert_string_equal(job->launch->command[2], "sleep 1; echo ${HOME} > ${LOG_DIRS}/x");
    assert_int_equal(job->launch->n_environment, 2);
    assert_string_equal(job->launch->environment[0]->value, "1 2");
}

static void xml_is_read_too(void **state)
{
    struct scene *scene = *state;

    expect(rest_world_send(scene->rest, "POST", APPS, "application/xml",
                           "<application-submission-context><application-id>" ID "</application-id>"
                           "<application-name>x</application-name><priority>-1</priority>"
                           "<creel-am>true</creel-am>"
                           "<am-container-spec><commands><command>sleep 9</command></commands>"
                           "</am-container-spec>"
                           "</application-submission-context>"),
           202, "");
    assert_string_equal(scene->seen->job->launch->command[2], "sleep 9");
    assert_int_equal(scene->seen->job->kind, CREEL__APP_KIND__APP_MASTER);
    assert_int_equal(scene->seen->job->priority, 0);
    assert_null(scene->seen->job->resource);
}

static void unmanaged_application_needs_no_command(void **state)
{
    struct scene *scene = *state;

    expect(submit(scene, "\"unmanaged-AM\":true"), 202, "");
    assert_int_equal(scene->seen->job->kind, CREEL__APP_KIND__APP_MASTER);
    assert_true(scene->seen->job->unmanaged);
}

static void files_of_the_node_are_linked(void **state)
{
    struct scene *scene = *state;

    expect(submit(scene, "\"am-container-spec\":{\"commands\":{\"command\":\"cat it\"},"
                         "\"local-resources\":{\"entry\":"
                         "{\"key\":\"it\",\"value\":{\"resource\":\"file:///data/it's\","
                         "\"type\":\"FILE\",\"size\":4}}}}"),
           202, "");
    assert_non_null(strstr(scene->seen->job->launch->command[2],
                           "[ -r '/data/it'\\''s' ] && ln -sf '/data/it'\\''s' 'it' || {"));
    assert_non_null(strstr(scene->seen->job->launch->command[2], "exit 1; }\ncat it"));
}

static void an_unsupported_submission_is_refused(void **state)
{
    static const char *const cases[][2] = {
        { "", "has no commands" },
        { "\"am-container-spec\":{\"commands\":{}}", "has no commands" },
        { SPEC ",\"creel-am\":true,\"keep-containers-across-application-attempts\":true", "a new attempt" },
        { SPEC ",\"reservation-id\":\"reservation_1_1\"", "no reservations" },
        { SPEC ",\"attempt-failures-validity-interval\":5000", "all failures count" },
        { SPEC ",\"resource\":{\"memory\":999999,\"vCores\":1}",
          "Requested more memory than configured max" },
        { SPEC ",\"resource\":{\"memory\":1,\"vCores\":99}", "Requested more vcores than configured max" },
        { SPEC ",\"resource\":{\"memory\":-1,\"vCores\":1}",
          "Requested resource type=[memory-mb], Requested resource=<memory:-1, vCores:1>" },
        { SPEC ",\"resource\":{\"memory\":\"x\"}", "resource: memory: 'x' is no whole number" },
        { SPEC ",\"priority\":99999999999", "priority: " },
        { SPEC ",\"timeouts\":{\"entry\":{\"key\":\"IDLE\",\"value\":1}}", "must be LIFETIME" },
        { SPEC ",\"app-node-label-expression\":\"a\",\"am-container-node-label-expression\":\"b\"",
          "must be that of the application" },
        { "\"am-container-spec\":{\"commands\":{\"command\":\"x\"},\"credentials\":{\"secrets\":{\"entry\":"
          "{\"key\":\"a\",\"value\":\"b\"}}}}",
          "credentials" },
        { "\"am-container-spec\":{\"commands\":{\"command\":\"x\"},"
          "\"service-data\":{\"entry\":{\"key\":\"a\"}}}",
          "service-data" },
        { "\"am-container-spec\":{\"commands\":{\"command\":\"x\"},\"application-acls\":{\"entry\":"
          "{\"key\":\"VIEW_APP\",\"value\":\"bob\"}}}",
          "application-acls" },
        { "\"am-container-spec\":{\"commands\":{\"command\":\"x\"},\"environment\":{\"entry\":"
          "{\"key\":\"P\",\"value\":\"{{PWD}}/x\"}}}",
          "is replaced in commands only" },
        { "\"am-container-spec\":{\"commands\":{\"command\":\"x\"},\"local-resources\":{\"entry\":"
          "{\"key\":\"j\",\"value\":{\"resource\":\"hdfs://n/j\",\"type\":\"FILE\"}}}}",
          "cannot be fetched" },
        { "\"am-container-spec\":{\"commands\":{\"command\":\"x\"},\"local-resources\":{\"entry\":"
          "{\"key\":\"j\",\"value\":{\"resource\":\"file:///j\",\"type\":\"ARCHIVE\"}}}}",
          "type ARCHIVE" },
        { "\"am-container-spec\":{\"commands\":{\"command\":\"x\"},\"local-resources\":{\"entry\":"
          "{\"key\":\"../j\",\"value\":{\"resource\":\"file:///j\"}}}}",
          "is no name of a file" },
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        expect(submit(scene, cases[i][0]), 400, cases[i][1]);
        expect(submit(scene, cases[i][0]), 400, "\"exception\":\"BadRequestException\"");
    }
    expect(rest_world_send(scene->rest, "POST", APPS, JSON, "{}"), 400, "Could not parse application id ");
    expect(rest_world_send(scene->rest, "POST", APPS, JSON, "{\"application-id\":\"foo\"," SPEC "}"), 400,
           "Could not parse application id foo");
    expect(rest_world_send(scene->rest, "POST", APPS, "text/plain", "{}"), 415, "Content-Type");
    assert_int_equal(scene->queries, 0);
}

static void refusals_of_the_resource_manager_are_passed_on(void **state)
{
    struct scene *scene = *state;

    scene->refusal = CREEL__ERROR_CODE__ERROR_NOT_FOUND;
    expect(submit(scene, SPEC), 400, "java.lang.Exception: no such thing");
    scene->refusal = CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
    expect(submit(scene, SPEC), 400, "org.apache.hadoop.security.AccessControlException: no such thing");
    scene->refusal = CREEL__ERROR_CODE__ERROR_NEVER_RUNS;
    expect(submit(scene, SPEC), 400, "no such thing");
    scene->refusal = CREEL__ERROR_CODE__ERROR_UNAVAILABLE;
    expect(submit(scene, SPEC), 503, "no such thing");
}

static void only_authenticated_users_submit(void **state)
{
    struct scene *scene = *state;
    struct web_view *view = scene->rest->page->site.application;

    scene->rest->page->user = NULL;
    expect(rest_world_send(scene->rest, "POST", APPS "/new-application?user.name=ann", NULL, ""), 401,
           "user.name");
    expect(submit(scene, SPEC), 401, "user.name");
    scene->rest->page->user = "ann";
    view->refuses_submissions = true;
    expect(submit(scene, SPEC), 403, "App submission via REST is disabled.");
    expect(rest_world_send(scene->rest, "POST", APPS "/new-application", NULL, ""), 403, "disabled");
    assert_int_equal(scene->queries, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_id_is_assigned),
        TEST(a_submission_becomes_a_job),
        TEST(xml_is_read_too),
        TEST(unmanaged_application_needs_no_command),
        TEST(files_of_the_node_are_linked),
        TEST(an_unsupported_submission_is_refused),
        TEST(refusals_of_the_resource_manager_are_passed_on),
        TEST(only_authenticated_users_submit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
