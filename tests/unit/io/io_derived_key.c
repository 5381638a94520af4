/* SPDX-License-Identifier: Apache-2.0 */
/* io_derived_key.c - test: the CURVE key pair derived from a token is always the same */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sodium.h>
#include <string.h>

#include "common/io/keys/derived_key.h"
#include "common/io/keys/z85.h"

static void the_same_token_gives_the_same_pair(void **state)
{
    struct key one, other;

    (void)state;
    derived_key_make("token", 5, &one);
    derived_key_make("token", 5, &other);
    assert_memory_equal(&one, &other, sizeof(one));
    derived_key_make("tokem", 5, &other);
    assert_string_not_equal(one.public_text, other.public_text);
    derived_key_make("token", 4, &other);
    assert_string_not_equal(one.public_text, other.public_text);
}

static void the_halves_belong_together(void **state)
{
    uint8_t secret[32], public[32], computed[32];
    struct key key;

    (void)state;
    derived_key_make("token", 5, &key);
    assert_true(z85_decode(key.secret_text, secret, sizeof(secret)));
    assert_true(z85_decode(key.public_text, public, sizeof(public)));
    assert_int_equal(crypto_scalarmult_base(computed, secret), 0);
    assert_memory_equal(public, computed, sizeof(public));
    assert_int_equal(strlen(key.public_text), KEY_TEXT - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_token_gives_the_same_pair),
        cmocka_unit_test(the_halves_belong_together),
    };

    return cmocka_run_group_tests_name("io_derived_key", tests, NULL, NULL);
}
