/* SPDX-License-Identifier: Apache-2.0 */
/* schedconf_keys.c - test: does the name of a key begin with a queue that the configuration does not have? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rm/schedconf/schedconf.h"

static void keys_of_queues_are_of_this_queue(void **state)
{
    static const char *const keys[] = {
        "capacity",
        "maximum-capacity",
        "ordering-policy",
        "ordering-policy.fair.enable-size-based-weight",
        "accessible-node-labels",
        "accessible-node-labels.gpu.capacity",
        "user-settings.ann.weight",
        "leaf-queue-template.capacity",
        "leaf-queue-template.accessible-node-labels.gpu.capacity",
        "auto-queue-creation-v2.enabled",
        "auto-queue-creation-v2.template.capacity",
        "auto-queue-creation-v2.leaf-template.maximum-capacity",
        "*.auto-queue-creation-v2.template.capacity",
        "no-such-key",
        "no-such.key",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (schedconf_key_of_other_queue(keys[i]) != NULL)
            fail_msg("%s: taken for the key %s of another queue", keys[i],
                     schedconf_key_of_other_queue(keys[i]));
}

static void a_key_with_a_queue_in_front_is_of_another_queue(void **state)
{
    (void)state;
    assert_string_equal(schedconf_key_of_other_queue("dev.maximum-capacity"), "maximum-capacity");
    assert_string_equal(schedconf_key_of_other_queue("dev.etl.capacity"), "capacity");
    assert_string_equal(schedconf_key_of_other_queue("dev.accessible-node-labels.gpu.capacity"),
                        "accessible-node-labels.gpu.capacity");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_queues_are_of_this_queue),
        cmocka_unit_test(a_key_with_a_queue_in_front_is_of_another_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
