/* SPDX-License-Identifier: Apache-2.0 */
/* rm_attempt_keys.c - test: the table that finds an attempt by its AM's public key */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io/attempt_key.h"
#include "rm/net/attempt_keys.h"

#define FIRST "appattempt_1795000000000_0001_000001"
#define SECOND "appattempt_1795000000000_0001_000002"

struct stage {
    struct token_ring ring;
    struct attempt_keys *keys;
    const char *over; /* an attempt that has ended; NULL: none */
};

static bool lives(void *context, const char *attempt_id)
{
    const struct stage *stage = context;

    return stage->over == NULL || strcmp(stage->over, attempt_id) != 0;
}

static int set_up(void **state)
{
    struct stage *stage = calloc(1, sizeof(*stage));

    assert_non_null(stage);
    token_ring_roll(&stage->ring);
    stage->keys = attempt_keys_new(&stage->ring, lives, stage);
    *state = stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;

    attempt_keys_free(stage->keys);
    free(stage);
    return 0;
}

/* Returns the key that the application master derives from its token. */
static struct key key_of(const struct stage *stage, const char *attempt_id)
{
    Creel__AmGrant grant = CREEL__AM_GRANT__INIT;
    struct key key;
    uint8_t *token;
    size_t size;

    grant.attempt_id = (char *)(uintptr_t)attempt_id;
    token_sign(&stage->ring, CREEL__TOKEN_KIND__TOKEN_AM, &grant.base, &token, &size);
    attempt_key_derive(token, size, &key);
    free(token);
    return key;
}

static void the_key_of_a_token_is_found(void **state)
{
    struct stage *stage = *state;
    struct key first = key_of(stage, FIRST), second = key_of(stage, SECOND);

    assert_null(attempt_keys_find(stage->keys, first.public_text));
    attempt_keys_add(stage->keys, FIRST);
    attempt_keys_add(stage->keys, FIRST);
    attempt_keys_add(stage->keys, SECOND);
    assert_int_equal(attempt_keys_count(stage->keys), 2);
    assert_string_equal(attempt_keys_find(stage->keys, first.public_text), FIRST);
    assert_string_equal(attempt_keys_find(stage->keys, second.public_text), SECOND);
    assert_null(attempt_keys_find(stage->keys, first.secret_text));
    assert_null(attempt_keys_find(stage->keys, ""));
}

static void finished_attempt_has_no_key(void **state)
{
    struct stage *stage = *state;
    struct key first = key_of(stage, FIRST), second = key_of(stage, SECOND);

    attempt_keys_add(stage->keys, FIRST);
    attempt_keys_add(stage->keys, SECOND);
    stage->over = FIRST;
    assert_null(attempt_keys_find(stage->keys, first.public_text));
    assert_string_equal(attempt_keys_find(stage->keys, second.public_text), SECOND);
}

static void sweep_removes_finished_attempts(void **state)
{
    enum { MANY = 50 };
    struct stage *stage = *state;
    char id[64];

    for (int i = 1; i <= MANY; i++) {
        snprintf(id, sizeof(id), "appattempt_1795000000000_0001_%06d", i);
        attempt_keys_add(stage->keys, id);
    }
    stage->over = SECOND;
    attempt_keys_sweep(stage->keys, 1);
    assert_int_equal(attempt_keys_count(stage->keys), MANY);
    attempt_keys_sweep(stage->keys, 1);
    assert_int_equal(attempt_keys_count(stage->keys), MANY - 1);
    stage->over = id;
    attempt_keys_sweep(stage->keys, (size_t)1000);
    assert_int_equal(attempt_keys_count(stage->keys), MANY - 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_key_of_a_token_is_found),
        TEST(finished_attempt_has_no_key),
        TEST(sweep_removes_finished_attempts),
    };

    return cmocka_run_group_tests_name("rm_attempt_keys", tests, NULL, NULL);
}
