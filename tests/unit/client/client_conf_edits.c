/* SPDX-License-Identifier: Apache-2.0 */
/* client_conf_edits.c - test: the assignments of creel conf set */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/conf/conf_edits.h"

static const char *const paths[] = { "root",      "root.dev",     "root.dev.ml",
                                     "root.prod", "root.prod.ml", "root.prod.etl" };

#define PATHS (sizeof(paths) / sizeof(paths[0]))

/* Checks that TEXT sets KEY of QUEUE, which is NULL for the scheduler, to VALUE. */
static void sets(const char *text, const char *queue, const char *key, const char *value)
{
    struct conf_edits edits = { 0 };
    struct err err = { 0 };

    assert_int_equal(conf_edits_assign(&edits, text, paths, PATHS, &err), 0);
    assert_int_equal(edits.count, 1);
    assert_int_equal(edits.items[0].setting_count, 1);
    if (queue != NULL) {
        assert_int_equal(edits.items[0].kind, CREEL_CONF_SET_QUEUE);
        assert_string_equal(edits.items[0].queue, queue);
    } else {
        assert_int_equal(edits.items[0].kind, CREEL_CONF_SET_SCHEDULER);
    }
    assert_string_equal(edits.items[0].settings[0].key, key);
    assert_string_equal(edits.items[0].settings[0].value, value);
    conf_edits_done(&edits);
}

static void fails(const char *text, int code, const char *message)
{
    struct conf_edits edits = { 0 };
    struct err err = { 0 };

    assert_int_equal(conf_edits_assign(&edits, text, paths, PATHS, &err), code);
    assert_non_null(strstr(err.text, message));
    assert_int_equal(edits.count, 0);
    conf_edits_done(&edits);
}

static void the_longest_queue_counts(void **state)
{
    (void)state;
    sets("root.dev.capacity=50", "root.dev", "capacity", "50");
    sets("root.dev.ml.capacity=50", "root.dev.ml", "capacity", "50");
    sets("root.maximum-capacity=100", "root", "maximum-capacity", "100");
    sets("root.dev.accessible-node-labels.gpu.capacity=5", "root.dev", "accessible-node-labels.gpu.capacity",
         "5");
}

static void a_queue_has_shorter_names(void **state)
{
    (void)state;
    sets("dev.ml.capacity=5", "root.dev.ml", "capacity", "5");
    sets("etl.state=STOPPED", "root.prod.etl", "state", "STOPPED");
    fails("ml.capacity=5", -EINVAL, "more than one queue is named ml");
}

static void the_scheduler_has_keys_without_a_queue(void **state)
{
    (void)state;
    sets("maximum-applications=77", NULL, "yarn.scheduler.capacity.maximum-applications", "77");
    sets("yarn.scheduler.capacity.application.fail-fast=true", NULL,
         "yarn.scheduler.capacity.application.fail-fast", "true");
    sets("yarn.admin.acl=*", NULL, "yarn.admin.acl", "*");
    fails("application.fail-fast=true", -ENOENT, "yarn.scheduler.capacity.application.fail-fast");
}

static void a_whole_name_is_of_a_queue(void **state)
{
    (void)state;
    sets("yarn.scheduler.capacity.root.dev.capacity=50", "root.dev", "capacity", "50");
    sets("yarn.scheduler.capacity.root.queues=dev", "root", "queues", "dev");
}

static void a_value_has_any_characters(void **state)
{
    (void)state;
    sets("queue-mappings=u:ann:root.dev,g:x=y:dev", NULL, "yarn.scheduler.capacity.queue-mappings",
         "u:ann:root.dev,g:x=y:dev");
    sets("dev.maximum-capacity=", "root.dev", "maximum-capacity", "");
}

static void other_forms_are_refused(void **state)
{
    (void)state;
    fails("root.dev.capacity", -EINVAL, "expected QUEUE.KEY=VALUE");
    fails("=5", -EINVAL, "expected QUEUE.KEY=VALUE");
    fails("root.dev.=5", -EINVAL, "expected QUEUE.KEY=VALUE");
    fails("yarn.scheduler.capacity.=5", -EINVAL, "expected QUEUE.KEY=VALUE");
    fails("nosuch.capacity=5", -ENOENT, "begins with no queue");
}

static void settings_of_a_queue_are_one_edit(void **state)
{
    static const char *const more[] = { "root", "root.dev", "root.new" };
    struct conf_edits edits = { 0 };
    struct err err = { 0 };

    (void)state;
    conf_edits_add(&edits, CREEL_CONF_REMOVE_QUEUE, "root.dev");
    conf_edits_add(&edits, CREEL_CONF_ADD_QUEUE, "root.new");
    assert_int_equal(conf_edits_assign(&edits, "root.dev.state=STOPPED", more, 3, &err), 0);
    assert_int_equal(conf_edits_assign(&edits, "new.capacity=5", more, 3, &err), 0);
    assert_int_equal(conf_edits_assign(&edits, "dev.capacity=10", more, 3, &err), 0);
    assert_int_equal(edits.count, 3);
    assert_int_equal(edits.items[0].setting_count, 0);
    assert_int_equal(edits.items[1].setting_count, 1);
    assert_int_equal(edits.items[2].setting_count, 2);
    conf_edits_done(&edits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_queue_counts),
        cmocka_unit_test(a_queue_has_shorter_names),
        cmocka_unit_test(the_scheduler_has_keys_without_a_queue),
        cmocka_unit_test(a_whole_name_is_of_a_queue),
        cmocka_unit_test(a_value_has_any_characters),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(settings_of_a_queue_are_one_edit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
