/* SPDX-License-Identifier: Apache-2.0 */
/* capacity_dynamic.c - test: capacity scheduler: queues created by submissions, from templates */
#include <errno.h>
#include <string.h>

#include "tests/unit/capacity/capacity_fixture.h"

static const char flexible[] =
    "root.queues=a,teams\nroot.a.capacity=1w\nroot.teams.capacity=3w\n"
    "root.teams.auto-queue-creation-v2.enabled=true\nroot.teams.auto-queue-creation-v2.max-queues=2\n"
    "root.teams.auto-queue-creation-v2.template.maximum-capacity=80\n"
    "root.teams.auto-queue-creation-v2.template.acl_submit_applications= everybody\n"
    "root.teams.auto-queue-creation-v2.leaf-template.capacity=4w\n"
    "root.teams.auto-queue-creation-v2.parent-template.capacity=2w\n"
    "root.teams.*.auto-queue-creation-v2.leaf-template.user-limit-factor=7\n"
    "root.teams.blue.priority=9\n";

static struct capacity_queue *make(struct capacity_fixture *fixture, const char *path)
{
    struct capacity_queue *queue = NULL;
    struct err err = { .code = 0 };

    if (capacity_config_create(fixture->config, path, &queue, &err) != 0)
        fail_msg("%s", err.text);
    assert_string_equal(queue->path, path);
    return queue;
}

static void refuse(struct capacity_fixture *fixture, const char *path, int code, const char *text)
{
    size_t before = fixture->config->queue_count;
    struct capacity_queue *queue = NULL;
    struct err err = { .code = 0 };

    assert_int_equal(capacity_config_create(fixture->config, path, &queue, &err), -code);
    if (strstr(err.text, text) == NULL)
        fail_msg("%s\nexpected: %s", err.text, text);
    assert_null(queue);
    assert_int_equal(fixture->config->queue_count, before);
}

static void new_leaf_has_the_keys_of_its_template(void **state)
{
    struct capacity_fixture fixture;
    const struct capacity_queue *red, *blue;
    (void)state;

    capacity_good(&fixture, flexible);
    assert_false(capacity_queue(&fixture, "root.teams")->leaf);
    red = make(&fixture, "root.teams.red");
    blue = make(&fixture, "root.teams.blue");
    capacity_cluster(&fixture, 1000, 10);
    assert_true(red->leaf);
    assert_true(red->dynamic);
    assert_int_equal(red->shares[0].mode, CAPACITY_WEIGHT);
    assert_fraction(red->shares[0].capacity, 0.5);
    assert_fraction(red->shares[0].absolute, 0.375);
    assert_fraction(red->shares[0].absolute_maximum, 0.8);
    assert_true(red->user_limit_factor == -1);
    assert_string_equal(red->acl_submit, " everybody");
    assert_int_equal(red->priority, 0);
    assert_int_equal(blue->priority, 9); /* the queue's own key takes precedence over a template */
    assert_int_equal(blue->position, 1);
    assert_ptr_equal(capacity_config_find(fixture.config, "blue", NULL), blue);
    capacity_done(&fixture);
}

static void missing_parents_are_created(void **state)
{
    struct capacity_fixture fixture;
    const struct capacity_queue *leaf, *again;
    (void)state;

    capacity_good(&fixture, flexible);
    leaf = make(&fixture, "root.teams.x.one");
    again = make(&fixture, "root.teams.x.two");
    assert_int_equal(fixture.config->queue_count, 6);
    assert_string_equal(leaf->parent->path, "root.teams.x");
    assert_true(leaf->parent->dynamic);
    assert_false(leaf->parent->leaf);
    assert_true(leaf->parent->shares[0].configured == 2);
    assert_true(leaf->shares[0].configured == 1); /* the template applies to teams only */
    assert_true(leaf->user_limit_factor == 7);    /* this template applies to the queues below teams */
    assert_ptr_equal(again->parent, leaf->parent);
    assert_ptr_equal(make(&fixture, "root.teams.x.two"), again);
    capacity_done(&fixture);
}

static void queue_that_cannot_be_created_is_refused(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, flexible);
    refuse(&fixture, "root.a.x", EINVAL, "root.a does not make queues");
    refuse(&fixture, "root.x", EINVAL, "root does not make queues");
    refuse(&fixture, "teams.x", EINVAL, "begins with root.");
    refuse(&fixture, "root.teams.", EINVAL, "begins with root.");
    refuse(&fixture, "root.teams..x", EINVAL, "begins with root.");
    refuse(&fixture, "root.teams.x.y.z", E2BIG, "is 3 deep below root.teams, whose");
    make(&fixture, "root.teams.x");
    refuse(&fixture, "root.teams.x.y", EINVAL, "root.teams.x does not make queues");
    make(&fixture, "root.teams.y.z");
    refuse(&fixture, "root.teams.z", ENOSPC, "root.teams has 2 queues, as many as its max-queues allows");
    refuse(&fixture, "root.teams.y.z.w", EINVAL, "does not make queues");
    capacity_done(&fixture);
}

static void queues_go_again(void **state)
{
    struct capacity_fixture fixture;
    struct capacity_queue *one, *two;
    (void)state;

    capacity_good(&fixture, flexible);
    one = make(&fixture, "root.teams.x.same");
    two = make(&fixture, "root.teams.y.same");
    assert_null(capacity_config_find(fixture.config, "same", NULL));
    capacity_config_remove(fixture.config, one);
    assert_ptr_equal(capacity_config_find(fixture.config, "same", NULL), two);
    capacity_config_remove(fixture.config, two);
    assert_null(capacity_config_find(fixture.config, "same", NULL));
    capacity_config_remove(fixture.config, capacity_queue(&fixture, "root.teams.x"));
    capacity_config_remove(fixture.config, capacity_queue(&fixture, "root.teams.y"));
    assert_int_equal(fixture.config->queue_count, 3);
    capacity_cluster(&fixture, 1000, 10);
    assert_fraction(capacity_queue(&fixture, "root.teams")->shares[0].absolute, 0.75);
    make(&fixture, "root.teams.x.same");
    capacity_done(&fixture);
}

static void weights_do_not_go_beside_percentages(void **state)
{
    struct capacity_fixture fixture;
    (void)state;

    capacity_good(&fixture, "root.queues=a\nroot.a.capacity=100\n"
                            "root.auto-queue-creation-v2.enabled=true\n");
    assert_non_null(strstr(fixture.warnings,
                           "cs.xml:4: yarn.scheduler.capacity.root."
                           "auto-queue-creation-v2.enabled: \"true\": new queues have weights"));
    refuse(&fixture, "root.b", EINVAL, "queues side by side have one form");
    capacity_done(&fixture);
}

static void templates_are_judged_with_the_file(void **state)
{
    (void)state;
    capacity_bad("root.queues=a\nroot.a.capacity=1w\nroot.a.auto-queue-creation-v2.enabled=true\n"
                 "root.a.auto-queue-creation-v2.template.capacity=lots\n",
                 "cs.xml:5: yarn.scheduler.capacity.root.a.auto-queue-creation-v2.template.capacity: "
                 "\"lots\": expected a percentage");
    capacity_bad("root.queues=a\nroot.a.capacity=100\nroot.a.auto-create-child-queue.enabled=true\n"
                 "root.a.leaf-queue-template.state=ASLEEP\n",
                 "cs.xml:5: yarn.scheduler.capacity."
                 "root.a.leaf-queue-template.state: \"ASLEEP\": expected RUNNING or STOPPED");
}

static void the_older_form_makes_leaves_with_percentages(void **state)
{
    struct capacity_fixture fixture;
    const struct capacity_queue *queue;
    (void)state;

    capacity_good(&fixture, "root.queues=a,b\nroot.a.capacity=50\nroot.b.capacity=50\n"
                            "root.b.auto-create-child-queue.enabled=true\n"
                            "root.b.leaf-queue-template.capacity=40\n"
                            "root.b.auto-create-child-queue.max-queues=3\n");
    assert_true(capacity_queue(&fixture, "root.b")->auto_create_legacy);
    queue = make(&fixture, "root.b.x");
    make(&fixture, "root.b.y");
    make(&fixture, "root.b.z");
    capacity_cluster(&fixture, 1000, 10);
    assert_fraction(queue->shares[0].absolute, 0.2);
    assert_true(queue->user_limit_factor == 1);
    assert_true(capacity_queue(&fixture, "z")->shares[0].absolute == 0); /* x and y have all 80 */
    refuse(&fixture, "root.b.w", ENOSPC, "max-queues");
    refuse(&fixture, "root.b.x.y", EINVAL, "does not make queues");
    capacity_done(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_leaf_has_the_keys_of_its_template),
        cmocka_unit_test(missing_parents_are_created),
        cmocka_unit_test(queue_that_cannot_be_created_is_refused),
        cmocka_unit_test(queues_go_again),
        cmocka_unit_test(weights_do_not_go_beside_percentages),
        cmocka_unit_test(templates_are_judged_with_the_file),
        cmocka_unit_test(the_older_form_makes_leaves_with_percentages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
