/* SPDX-License-Identifier: Apache-2.0 */
/* rm_derived_keys.c - test: the table that finds an attempt or application by a public key */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io/keys/derived_key.h"
#include "rm/net/keys/derived_keys.h"

#define FIRST "appattempt_1795000000000_0001_000001"
#define APP "application_1795000000000_0001"
#define SECOND "appattempt_1795000000000_0001_000002"

struct stage {
    struct token_ring ring;
    struct derived_keys *keys;
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
    stage->keys = derived_keys_new(&stage->ring, CREEL__TOKEN_KIND__TOKEN_AM, lives, stage);
    *state = stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;

    derived_keys_free(stage->keys);
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
    derived_key_make(token, size, &key);
    free(token);
    return key;
}

static void the_key_of_a_token_is_found(void **state)
{
    struct stage *stage = *state;
    struct key first = key_of(stage, FIRST), second = key_of(stage, SECOND);

    assert_null(derived_keys_find(stage->keys, first.public_text));
    derived_keys_add(stage->keys, FIRST);
    derived_keys_add(stage->keys, FIRST);
    derived_keys_add(stage->keys, SECOND);
    assert_int_equal(derived_keys_count(stage->keys), 2);
    assert_string_equal(derived_keys_find(stage->keys, first.public_text), FIRST);
    assert_string_equal(derived_keys_find(stage->keys, second.public_text), SECOND);
    assert_null(derived_keys_find(stage->keys, first.secret_text));
    assert_null(derived_keys_find(stage->keys, ""));
}

static void keys_of_applications_follow_from_their_own_tokens(void **state)
{
    struct stage *stage = *state;
    struct derived_keys *jobs = derived_keys_new(&stage->ring, CREEL__TOKEN_KIND__TOKEN_JOB, lives, stage);
    Creel__JobGrant grant = CREEL__JOB_GRANT__INIT;
    struct key key;
    uint8_t *token;
    size_t size;

    grant.app_id = (char[]){ APP };
    token_sign(&stage->ring, CREEL__TOKEN_KIND__TOKEN_JOB, &grant.base, &token, &size);
    derived_key_make(token, size, &key);
    free(token);
    derived_keys_add(jobs, APP);
    assert_string_equal(derived_keys_find(jobs, key.public_text), APP);
    derived_keys_add(stage->keys, APP); /* the same text in the table of attempts gives another key */
    assert_string_not_equal(derived_keys_public(stage->keys, APP), key.public_text);
    stage->over = APP;
    assert_null(derived_keys_find(jobs, key.public_text));
    derived_keys_free(jobs);
}

static void finished_attempt_has_no_key(void **state)
{
    struct stage *stage = *state;
    struct key first = key_of(stage, FIRST), second = key_of(stage, SECOND);

    derived_keys_add(stage->keys, FIRST);
    derived_keys_add(stage->keys, SECOND);
    stage->over = FIRST;
    assert_null(derived_keys_find(stage->keys, first.public_text));
    assert_string_equal(derived_keys_find(stage->keys, second.public_text), SECOND);
}

static void sweep_removes_finished_attempts(void **state)
{
    enum { MANY = 50 };
    struct stage *stage = *state;
    char id[64];

    for (int i = 1; i <= MANY; i++) {
        snprintf(id, sizeof(id), "appattempt_1795000000000_0001_%06d", i);
        derived_keys_add(stage->keys, id);
    }
    stage->over = SECOND;
    derived_keys_sweep(stage->keys, 1);
    assert_int_equal(derived_keys_count(stage->keys), MANY);
    derived_keys_sweep(stage->keys, 1);
    assert_int_equal(derived_keys_count(stage->keys), MANY - 1);
    stage->over = id;
    derived_keys_sweep(stage->keys, (size_t)1000);
    assert_int_equal(derived_keys_count(stage->keys), MANY - 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_key_of_a_token_is_found),
        TEST(keys_of_applications_follow_from_their_own_tokens),
        TEST(finished_attempt_has_no_key),
        TEST(sweep_removes_finished_attempts),
    };

    return cmocka_run_group_tests_name("rm_derived_keys", tests, NULL, NULL);
}
