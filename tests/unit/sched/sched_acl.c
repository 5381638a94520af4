/* SPDX-License-Identifier: Apache-2.0 */
/* sched_acl.c - test: access control lists, static groups, and which users may use a queue */
#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rm/identity/acl.h"
#include "rm/sched/capacity/placement/access.h"
#include "rm/identity/groups.h"
#include "rm/sched/queue_name.h"

static const char *const staff_ops[] = { "staff", "ops" };
static const struct acl_person alice = { "alice", staff_ops, 2 };
static const struct acl_person bob = { "bob", NULL, 0 };

static bool allows(const char *text, const struct acl_person *person)
{
    struct acl *acl = acl_new(text);
    bool allowed = acl_allows(acl, person);

    acl_free(acl);
    return allowed;
}

static void test_lists(void **state)
{
    (void)state;
    assert_true(allows("alice", &alice));
    assert_false(allows("alice", &bob));
    assert_true(allows("bob,alice", &alice));
    assert_true(allows("*", &bob));
    assert_true(allows(" *", &bob));
    assert_true(allows("* staff", &bob));
    assert_true(allows("alice *", &bob));
    assert_false(allows("*,carol", &bob)); /* grants a user named "*" only, as in YARN */
    assert_false(allows(" ", &alice));
    assert_false(allows("", &alice));
    assert_false(allows(NULL, &alice));
    assert_true(allows(" ops", &alice));
    assert_true(allows("carol ops,dev", &alice));
    assert_false(allows("ops", &alice));    /* the first word lists users */
    assert_false(allows(" alice", &alice)); /* the second word lists groups */
    assert_true(allows("carol dev, ops ,x", &alice));
    assert_true(allows("alice ", &alice));
    assert_false(allows("carol staff ops", &alice)); /* one group whose name contains a blank */
    assert_false(allows("Alice", &alice));
}

static void test_list_texts(void **state)
{
    static const struct {
        const char *list, *text, *complaint;
    } cases[] = {
        { "*", "everybody", NULL },
        { " ", "nobody", NULL },
        { "alice ops", "\"alice ops\"", NULL },
        { "alice, bob", "\"alice, bob\"", "\"bob\" is taken for a group" },
        { "alice a b", "\"alice a b\"", "\"a b\" is taken for the name of one group" },
        { "*,bob", "\"*,bob\"", "only if there is no other name" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct acl *acl = acl_new(cases[i].list);

        assert_string_equal(acl_text(acl), cases[i].text);
        if (cases[i].complaint)
            assert_non_null(strstr(acl_complaint(acl), cases[i].complaint));
        else
            assert_null(acl_complaint(acl));
        acl_free(acl);
    }
}

static void test_groups(void **state)
{
    struct groups *groups;
    const char *const *names;
    size_t count;

    (void)state;
    assert_int_equal(groups_parse("alice=staff, ops ;bob=;carol; alice=dev,staff;", &groups, NULL), 0);
    assert_true(groups_find(groups, "alice", &names, &count));
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "dev");
    assert_string_equal(names[1], "staff");
    assert_true(groups_find(groups, "bob", &names, &count));
    assert_int_equal(count, 0);
    assert_true(groups_find(groups, "carol", &names, &count));
    assert_int_equal(count, 0);
    assert_false(groups_find(groups, "dave", &names, &count));
    groups_free(groups);

    assert_int_equal(groups_parse(NULL, &groups, NULL), 0);
    assert_false(groups_find(groups, "alice", &names, &count));
    groups_free(groups);
}

static void test_groups_wrong(void **state)
{
    static const char *const texts[] = { "alice=a=b", "=a", "bob=x;alice=a=b;carol=c" };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct groups *groups = NULL;
        struct err err;

        assert_int_equal(groups_parse(texts[i], &groups, &err), -EINVAL);
        assert_null(groups);
        assert_non_null(strstr(err.text, "hadoop.user.group.static.mapping.overrides"));
        assert_non_null(strstr(err.text, "expected user=group1,group2"));
    }
}

static void test_queue_names(void **state)
{
    static const struct {
        const char *name, *component;
    } cases[] = {
        { "bob", "bob" },
        { "first.last", "first_dot_last" },
        { " a.b.c\t", "a_dot_b_dot_c" },
        { "\xc2\xa0nb\xe3\x80\x80", "nb" },
        { "\xe2\x80\x83", "" },
        { ".", "_dot_" },
        { "", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *component = queue_name_component(cases[i].name);

        assert_string_equal(component, cases[i].component);
        free(component);
    }
    assert_true(queue_path_is_clean("root.a b.c"));
    assert_false(queue_path_is_clean(""));
    assert_false(queue_path_is_clean("root."));
    assert_false(queue_path_is_clean(".root"));
    assert_false(queue_path_is_clean("root..a"));
    assert_false(queue_path_is_clean("root.a "));
    assert_false(queue_path_is_clean("root.\xc2\xa0"));
    assert_int_equal(queue_path_depth("root"), 1);
    assert_int_equal(queue_path_depth("root.a.b"), 3);
}

/* --- queues ---------------------------------------------------------------- */

struct world {
    struct conf *conf;
    struct capacity_config *config;
    const struct capacity_queue *dev, *ml;
    struct capacity_access *access;
};

#define PREFIX "yarn.scheduler.capacity.root."

static void world_begin(struct world *world, const char *enable, const char *administrators,
                        const char *ml_submit)
{
    const struct {
        const char *key, *value;
    } keys[] = {
        { "yarn.acl.enable", enable },
        { "yarn.admin.acl", administrators },
        { PREFIX "queues", "dev" },
        { PREFIX "dev.capacity", "100" },
        { PREFIX "dev.queues", "ml" },
        { PREFIX "dev.ml.capacity", "100" },
        { PREFIX "acl_submit_applications", " " },
        { PREFIX "acl_administer_queue", "boss" },
        { PREFIX "dev.acl_submit_applications", " staff" },
        { PREFIX "dev.acl_administer_queue", "lead" },
        { PREFIX "dev.ml.acl_submit_applications", ml_submit },
    };
    struct err err;

    world->conf = conf_new_defaults();
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_int_equal(conf_set(world->conf, keys[i].key, keys[i].value, &err), 0);
    if (capacity_config_load(world->conf, NULL, NULL, &world->config, &err) < 0)
        fail_msg("%s", err.text);
    world->dev = capacity_config_find(world->config, "root.dev", NULL);
    world->ml = capacity_config_find(world->config, "ml", NULL);
    world->access = capacity_access_new(world->conf);
}

static void world_end(struct world *world)
{
    capacity_access_free(world->access);
    capacity_config_free(world->config);
    conf_free(world->conf);
}

static enum access_reason reason(struct world *world, const struct capacity_queue *queue, const char *user,
                                 enum access_permission permission)
{
    struct acl_person person = { user, NULL, 0 };

    if (strcmp(user, "alice") == 0)
        person = alice;
    return capacity_access_ask(world->access, queue, &person, permission).reason;
}

static void test_queue_access(void **state)
{
    struct world world;
    struct access_answer answer;

    (void)state;
    world_begin(&world, "true", "ada", "bob");
    assert_int_equal(reason(&world, world.ml, "bob", ACCESS_SUBMIT), ACCESS_SUBMIT_LIST);
    assert_int_equal(reason(&world, world.dev, "bob", ACCESS_SUBMIT), ACCESS_REFUSED);
    assert_int_equal(reason(&world, world.ml, "bob", ACCESS_ADMINISTER), ACCESS_REFUSED);
    /* Granted by a parent queue, through a group. */
    answer = capacity_access_ask(world.access, world.ml, &alice, ACCESS_SUBMIT);
    assert_true(answer.allowed);
    assert_string_equal(answer.queue.path, "root.dev");
    /* A user who may administer a queue may submit, too; at any level. */
    assert_int_equal(reason(&world, world.ml, "lead", ACCESS_SUBMIT), ACCESS_ADMINISTER_LIST);
    assert_int_equal(reason(&world, world.ml, "boss", ACCESS_ADMINISTER), ACCESS_ADMINISTER_LIST);
    assert_int_equal(reason(&world, world.config->root, "lead", ACCESS_ADMINISTER), ACCESS_REFUSED);
    assert_int_equal(reason(&world, world.ml, "ada", ACCESS_ADMINISTER), ACCESS_CLUSTER_ADMIN);
    world_end(&world);
}

static void test_access_off(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, "false", "*", "bob");
    assert_int_equal(reason(&world, world.ml, "mallory", ACCESS_ADMINISTER), ACCESS_OFF);
    assert_int_equal(capacity_access_require(world.access, world.ml, &bob, ACCESS_ADMINISTER, NULL), 0);
    world_end(&world);
}

/* If yarn.admin.acl has its default, "*", the queues' lists still apply. */
static void test_everybody_is_no_administrator(void **state)
{
    struct world world;

    (void)state;
    world_begin(&world, "true", "*", "bob");
    assert_int_equal(reason(&world, world.ml, "mallory", ACCESS_SUBMIT), ACCESS_REFUSED);
    assert_int_equal(reason(&world, world.ml, "bob", ACCESS_SUBMIT), ACCESS_SUBMIT_LIST);
    world_end(&world);
}

static void test_access_texts(void **state)
{
    struct world world;
    struct access_answer answer;
    struct err err;
    char text[200];

    (void)state;
    world_begin(&world, "true", "ada", "bob");
    assert_int_equal(capacity_access_require(world.access, world.dev, &bob, ACCESS_SUBMIT, &err), -EACCES);
    assert_string_equal(err.text,
                        "user bob cannot submit to root.dev (acl_submit_applications: "
                        "root.dev: \" staff\", root: nobody; acl_administer_queue: root.dev: \"lead\", "
                        "root: \"boss\")");
    assert_int_equal(capacity_access_require(world.access, world.ml, &bob, ACCESS_ADMINISTER, &err), -EACCES);
    assert_string_equal(err.text, "user bob cannot administer root.dev.ml (acl_administer_queue: "
                                  "root.dev.ml: nobody, root.dev: \"lead\", root: \"boss\")");
    answer = capacity_access_ask(world.access, world.ml, &alice, ACCESS_SUBMIT);
    assert_string_equal(capacity_access_explain(world.access, &answer, text, sizeof(text)),
                        "acl_submit_applications of root.dev: \" staff\"");
    world_end(&world);
}

static void count_warning(void *context, enum conf_effect effect, const char *text)
{
    assert_int_equal(effect, CONF_WARNING);
    assert_string_equal(text, "yarn.scheduler.capacity.root.dev.ml.acl_submit_applications: "
                              "\"alice, bob\": the first blank ends the users: \"bob\" is taken for a "
                              "group");
    ++*(int *)context;
}

static void test_odd_lists_are_reported(void **state)
{
    struct world world;
    int warnings = 0;

    (void)state;
    world_begin(&world, "true", "*", "alice, bob");
    capacity_access_check_lists(world.access, world.config, count_warning, &warnings);
    assert_int_equal(warnings, 1);
    world_end(&world);
}

static void source_is(const char *text, const char *expected)
{
    struct acl *acl = acl_new(text);
    char *source = acl_source(acl);

    assert_string_equal(source, expected);
    free(source);
    acl_free(acl);
}

static void a_list_is_written_as_in_a_file(void **state)
{
    (void)state;
    source_is("*", "*");
    source_is("bob,ann  staff", "ann,bob staff");
    source_is("ann", "ann");
    source_is(" staff,dev", " dev,staff");
    source_is(" ", " ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_list_texts),
        cmocka_unit_test(a_list_is_written_as_in_a_file),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_groups_wrong),
        cmocka_unit_test(test_queue_names),
        cmocka_unit_test(test_queue_access),
        cmocka_unit_test(test_access_off),
        cmocka_unit_test(test_everybody_is_no_administrator),
        cmocka_unit_test(test_access_texts),
        cmocka_unit_test(test_odd_lists_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
