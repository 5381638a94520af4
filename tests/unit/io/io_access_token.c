/* SPDX-License-Identifier: Apache-2.0 */
/* io_access_token.c - test: the form and the hash of access tokens */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "common/io/keys/access_token.h"

static void tokens_differ_and_so_do_their_hashes(void **state)
{
    char one[ACCESS_TOKEN_TEXT], other[ACCESS_TOKEN_TEXT];
    char hash[ACCESS_TOKEN_HASH_TEXT], again[ACCESS_TOKEN_HASH_TEXT];

    (void)state;
    access_token_make(one);
    access_token_make(other);
    assert_string_not_equal(one, other);
    assert_int_equal(strlen(one), ACCESS_TOKEN_TEXT - 1);
    assert_true(access_token_hash(one, hash));
    assert_int_equal(strlen(hash), ACCESS_TOKEN_HASH_TEXT - 1);
    assert_true(access_token_hash(one, again));
    assert_string_equal(hash, again);
    assert_true(access_token_hash(other, again));
    assert_string_not_equal(hash, again);
    assert_null(strstr(one, hash));
}

static void the_hash_is_the_one_of_earlier_versions(void **state)
{
    char hash[ACCESS_TOKEN_HASH_TEXT];

    (void)state;
    assert_true(access_token_hash("creel-"
                                  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                                  hash));
    assert_string_equal(hash, "893d1eadc9d7c8ef69c9168246fcac302020f4086df86208f314b58774bdc7fc");
}

static void other_texts_are_no_tokens(void **state)
{
    static const char *const texts[] = {
        "",
        "creel-",
        "creel-12",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "creel-0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
        "creel-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0",
        "creel_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        " creel-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde",
    };
    char hash[ACCESS_TOKEN_HASH_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (access_token_hash(texts[i], hash))
            fail_msg("\"%s\" was hashed", texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_differ_and_so_do_their_hashes),
        cmocka_unit_test(the_hash_is_the_one_of_earlier_versions),
        cmocka_unit_test(other_texts_are_no_tokens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
