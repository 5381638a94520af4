/* SPDX-License-Identifier: Apache-2.0 */
/* page_forms.c - test: which users get forms of applications and nodes, and what the pages ask for that */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tests/unit/page/page_scene.h"

#define RUNNING "application_1795500000000_0198" /* of bob */
#define ENDED "application_1795500000000_0002"
#define APP_PAGE "/cluster/app/" RUNNING
#define NODE_PAGE "/cluster/node/node-00002.example.org%3A8041"

/* Requests the page at TARGET as USER (NULL: not authenticated). Returns whether it has forms for changes. */
static bool has_forms(struct page_scene *scene, const char *user, const char *target)
{
    scene->world->user = user;
    scene->world->asked = 0;
    page_scene_get(scene, target);
    assert_int_equal(scene->status, 200);
    /* The page is whole with and without forms. */
    assert_int_equal(page_scene_count(scene->text, "id=\"containers\""), 1);
    return strstr(scene->text, "id=\"actions\"") != NULL;
}

static void forms_of_an_application_are_for_users_who_may_change_it(void **state)
{
    struct page_scene *scene = *state;

    assert_string_equal(web_model_app(scene->world->model, RUNNING)->user, "bob");
    assert_true(has_forms(scene, "bob", APP_PAGE));
    assert_non_null(strstr(scene->text, "action=\"" APP_PAGE "/kill\""));
    assert_non_null(strstr(scene->text, "action=\"" APP_PAGE "/move\""));
    assert_true(has_forms(scene, "root", APP_PAGE));
    assert_false(has_forms(scene, "grid", APP_PAGE));
    assert_false(has_forms(scene, NULL, APP_PAGE));
    assert_false(has_forms(scene, NULL, APP_PAGE "?user.name=bob"));
}

static void forms_of_a_node_are_for_administrators(void **state)
{
    struct page_scene *scene = *state;

    assert_true(has_forms(scene, "root", NODE_PAGE));
    assert_non_null(strstr(scene->text, "action=\"" NODE_PAGE "/drain\""));
    assert_false(has_forms(scene, "bob", NODE_PAGE));
    assert_false(has_forms(scene, NULL, NODE_PAGE));
    assert_false(has_forms(scene, NULL, NODE_PAGE "?user.name=root"));
}

/* A resource manager of another version may not report rights. */
static void a_page_without_forms_names_another_version(void **state)
{
    struct page_scene *scene = *state;
    char version[] = "0.0.9";

    scene->world->cluster.version = (char *)(uintptr_t)scene->world->view.version;
    page_world_load(scene->world);
    assert_false(has_forms(scene, "grid", APP_PAGE));
    assert_null(strstr(scene->text, "id=\"older\""));
    scene->world->cluster.version = version;
    page_world_load(scene->world);
    assert_false(has_forms(scene, "grid", APP_PAGE));
    assert_non_null(
        strstr(scene->text, "the resource manager (version 0.0.9) is older than creel-web (0.1.0)"));
    assert_false(has_forms(scene, "bob", NODE_PAGE));
    assert_non_null(strstr(scene->text, "id=\"older\""));
    assert_true(has_forms(scene, "bob", APP_PAGE));
    assert_null(strstr(scene->text, "id=\"older\""));
    assert_false(has_forms(scene, NULL, APP_PAGE));
    assert_null(strstr(scene->text, "id=\"older\""));
}

/* Without access lists the model has the commands of all applications. */
static void load_commands(struct page_world *world)
{
    static char *command[] = { (char *)(uintptr_t) "make" };

    for (size_t i = 0; i < world->app_count; i++) {
        world->apps[i]->command = command;
        world->apps[i]->n_command = 1;
    }
    page_world_load(world);
}

static void only_pages_that_may_have_forms_ask_for_rights(void **state)
{
    struct page_scene *scene = *state;
    struct page_world *world = scene->world;
    size_t app, node;

    load_commands(world);
    assert_false(has_forms(scene, NULL, NODE_PAGE));
    node = world->asked;
    assert_false(has_forms(scene, "bob", NODE_PAGE));
    assert_int_equal(world->asked, node + 1);
    assert_false(has_forms(scene, NULL, APP_PAGE));
    app = world->asked;
    assert_true(has_forms(scene, "bob", APP_PAGE));
    assert_int_equal(world->asked, app + 1);

    assert_false(has_forms(scene, NULL, "/cluster/app/" ENDED)); /* nothing can be done with it */
    app = world->asked;
    assert_false(has_forms(scene, "root", "/cluster/app/" ENDED));
    assert_int_equal(world->asked, app);
}

static void a_page_without_an_up_to_date_model_has_no_forms(void **state)
{
    struct page_scene *scene = *state;
    struct page_world *world = scene->world;
    size_t app, node;

    load_commands(world);
    world->view.trouble = "there was no answer in time";
    assert_false(has_forms(scene, NULL, NODE_PAGE));
    node = world->asked;
    assert_false(has_forms(scene, "root", NODE_PAGE));
    assert_int_equal(world->asked, node);
    assert_false(has_forms(scene, NULL, APP_PAGE));
    app = world->asked;
    assert_false(has_forms(scene, "bob", APP_PAGE));
    assert_int_equal(world->asked, app);
}

/* Answers each query for rights with an error, all others as the fixture. */
struct refusing {
    site_upstream_fn *upstream;
    void *context;
};

static void refuse_rights(void *context, const Creel__Envelope *query, bool authenticated,
                          site_reply_fn *reply, void *reply_context)
{
    const struct refusing *refusing = context;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    if (query->body_case != CREEL__ENVELOPE__BODY_LIST_NODES &&
        query->body_case != CREEL__ENVELOPE__BODY_LIST_APPS) {
        refusing->upstream(refusing->context, query, authenticated, reply, reply_context);
        return;
    }
    error.code = CREEL__ERROR_CODE__ERROR_UNAVAILABLE;
    error.message = (char *)(uintptr_t) "there was no answer in time";
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    reply(reply_context, &envelope);
}

static void a_page_without_an_answer_about_rights_has_no_forms(void **state)
{
    struct page_scene *scene = *state;
    struct site *site = &scene->world->site;
    struct refusing refusing = { site->upstream, site->upstream_context };

    site->upstream = refuse_rights;
    site->upstream_context = &refusing;
    assert_false(has_forms(scene, "root", NODE_PAGE));
    assert_false(has_forms(scene, "bob", APP_PAGE));
    site->upstream = refusing.upstream;
    site->upstream_context = refusing.context;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, page_scene_set_up, page_scene_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(forms_of_an_application_are_for_users_who_may_change_it),
        TEST(forms_of_a_node_are_for_administrators),
        TEST(a_page_without_forms_names_another_version),
        TEST(only_pages_that_may_have_forms_ask_for_rights),
        TEST(a_page_without_an_up_to_date_model_has_no_forms),
        TEST(a_page_without_an_answer_about_rights_has_no_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
