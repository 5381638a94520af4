/* SPDX-License-Identifier: Apache-2.0 */
/* rm_asked_keys.c - test: agents that requested a key get its withdrawal */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rm/net/keys/asked_keys.h"

struct stage {
    struct asked_keys *asked;
    const char *withdrawn; /* NULL: none */
    unsigned notified;
    uint64_t connections; /* sum of the connections that got the withdrawal */
};

static bool known(void *context, const char *public_text)
{
    const struct stage *stage = context;

    return stage->withdrawn == NULL || strcmp(stage->withdrawn, public_text) != 0;
}

static void on_withdrawn(void *context, uint64_t connection, const char *public_text)
{
    struct stage *stage = context;

    assert_string_equal(public_text, stage->withdrawn);
    stage->notified++;
    stage->connections += connection;
}

static int set_up(void **state)
{
    struct stage *stage = calloc(1, sizeof(*stage));

    assert_non_null(stage);
    stage->asked = asked_keys_new(known, on_withdrawn, stage);
    *state = stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;

    asked_keys_free(stage->asked);
    free(stage);
    return 0;
}

static void each_agent_that_requested_the_key_gets_one_message(void **state)
{
    struct stage *stage = *state;

    asked_keys_add(stage->asked, 1, "ann", 0);
    asked_keys_add(stage->asked, 1, "ann", 10);
    asked_keys_add(stage->asked, 2, "ann", 10);
    asked_keys_add(stage->asked, 4, "bob", 10);
    assert_int_equal(asked_keys_count(stage->asked), 3);
    asked_keys_sweep(stage->asked, 20, 1000);
    assert_int_equal(stage->notified, 0);
    stage->withdrawn = "ann";
    asked_keys_sweep(stage->asked, 30, 1000);
    assert_int_equal(stage->notified, 2);
    assert_int_equal(stage->connections, 3);
    asked_keys_sweep(stage->asked, 40, 1000);
    assert_int_equal(stage->notified, 2);
    assert_int_equal(asked_keys_count(stage->asked), 1);
}

static void a_key_without_requests_is_forgotten(void **state)
{
    struct stage *stage = *state;

    asked_keys_add(stage->asked, 1, "ann", 0);
    asked_keys_sweep(stage->asked, ASKED_KEYS_MS - 1, 1000);
    assert_int_equal(asked_keys_count(stage->asked), 1);
    asked_keys_sweep(stage->asked, ASKED_KEYS_MS, 1000);
    assert_int_equal(asked_keys_count(stage->asked), 0);
}

static void entries_are_checked_in_turn(void **state)
{
    struct stage *stage = *state;
    char key[20];

    for (unsigned i = 0; i < 10; i++) {
        snprintf(key, sizeof(key), "key%u", i);
        asked_keys_add(stage->asked, 1, key, 0);
    }
    stage->withdrawn = "key9";
    for (unsigned i = 0; i < 2; i++)
        asked_keys_sweep(stage->asked, 10, 3);
    assert_int_equal(stage->notified, 0);
    for (unsigned i = 0; i < 2; i++)
        asked_keys_sweep(stage->asked, 10, 3);
    assert_int_equal(stage->notified, 1);
}

static void the_table_is_bounded(void **state)
{
    struct stage *stage = *state;

    for (uint64_t i = 0; i < ASKED_KEYS_MAX + 100; i++)
        asked_keys_add(stage->asked, i, "ann", 0);
    assert_int_equal(asked_keys_count(stage->asked), ASKED_KEYS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_agent_that_requested_the_key_gets_one_message, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_key_without_requests_is_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(entries_are_checked_in_turn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_table_is_bounded, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
