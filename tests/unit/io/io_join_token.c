/* SPDX-License-Identifier: Apache-2.0 */
/* io_join_token.c - test: join tokens as text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "common/io/keys/join_token.h"
#include "common/io/keys/key_file.h"

static void test_a_token_is_read_as_it_was_made(void **state)
{
    char text[JOIN_TOKEN_TEXT];
    struct join_token made, read;
    struct key rm;

    (void)state;
    key_generate(&rm);
    join_token_make(rm.public_text, text, &made);
    assert_int_equal(strlen(text), JOIN_TOKEN_TEXT - 1);
    assert_true(join_token_read(text, &read));
    assert_string_equal(read.rm_public_text, rm.public_text);
    assert_string_equal(read.key.public_text, made.key.public_text);
    assert_string_equal(read.key.secret_text, made.key.secret_text);
    assert_string_equal(read.id, made.id);
    assert_int_equal(strlen(read.id), JOIN_TOKEN_ID - 1);
    assert_int_equal(key_file_judge("token", true, &read.key, NULL), 0);
}

static void test_two_tokens_differ(void **state)
{
    char first[JOIN_TOKEN_TEXT], second[JOIN_TOKEN_TEXT];
    struct join_token a, b;
    struct key rm;

    (void)state;
    key_generate(&rm);
    join_token_make(rm.public_text, first, &a);
    join_token_make(rm.public_text, second, &b);
    assert_string_not_equal(first, second);
    assert_string_not_equal(a.key.public_text, b.key.public_text);
}

static void test_other_texts_are_refused(void **state)
{
    char text[JOIN_TOKEN_TEXT + 1];
    struct join_token token = { .id = "kept" };
    struct key rm;

    (void)state;
    key_generate(&rm);
    assert_false(join_token_read("", &token));
    assert_false(join_token_read("creel-join-", &token));
    join_token_make(rm.public_text, text, &(struct join_token){ .id = "" });
    text[JOIN_TOKEN_TEXT - 2] = '!';
    assert_false(join_token_read(text, &token));
    text[JOIN_TOKEN_TEXT - 2] = '\0';
    assert_false(join_token_read(text, &token));
    join_token_make(rm.public_text, text, &(struct join_token){ .id = "" });
    text[0] = 'C';
    assert_false(join_token_read(text, &token));
    text[0] = 'c';
    strcat(text, "A");
    assert_false(join_token_read(text, &token));
    assert_string_equal(token.id, "kept");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_token_is_read_as_it_was_made),
        cmocka_unit_test(test_two_tokens_differ),
        cmocka_unit_test(test_other_texts_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
