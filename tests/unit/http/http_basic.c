/* SPDX-License-Identifier: Apache-2.0 */
/* http_basic.c - test: user and password are read from the header Authorization */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "web/http/basic.h"

/* Returns "USER|PASSWORD" of the header with PAIR, or "" if it is refused. */
static const char *read_pair(const char *pair, size_t size)
{
    static char text[BASIC_USER_BYTES + BASIC_PASSWORD_BYTES];
    char header[2048] = "Basic ";
    struct basic basic;

    sodium_bin2base64(header + strlen(header), sizeof(header) - strlen(header), (const unsigned char *)pair,
                      size, sodium_base64_VARIANT_ORIGINAL);
    if (!basic_read(header, &basic))
        return "";
    snprintf(text, sizeof(text), "%s|%s", basic.user, basic.password);
    return text;
}

static void test_pairs(void **state)
{
    (void)state;
    assert_string_equal(read_pair("ann:secret", 10), "ann|secret");
    assert_string_equal(read_pair("ann:a:b", 7), "ann|a:b");
    assert_string_equal(read_pair("ann:", 4), "ann|");
    assert_string_equal(read_pair("ann:gr\xc3\xbcn", 9), "ann|gr\xc3\xbcn");
    assert_string_equal(read_pair("ann:a, b", 8), "ann|a, b");
    assert_string_equal(read_pair("\xc3\xa4nn:secret", 11), "\xc3\xa4nn|secret");
    assert_string_equal(read_pair("\xc3nn:secret", 10), "");
    assert_string_equal(read_pair("ann b:secret", 12), "");
    assert_string_equal(read_pair("ann,b:secret", 12), "");
    assert_string_equal(read_pair(":secret", 7), "");
    assert_string_equal(read_pair("ann", 3), "");
    assert_string_equal(read_pair("", 0), "");
}

static void test_control_characters_are_refused(void **state)
{
    (void)state;
    assert_string_equal(read_pair("ann\0x:secret", 12), "");
    assert_string_equal(read_pair("ann:sec\0ret", 11), "");
    assert_string_equal(read_pair("ann\n:secret", 11), "");
}

static void test_lengths(void **state)
{
    char pair[BASIC_USER_BYTES + BASIC_PASSWORD_BYTES + 10];

    (void)state;
    memset(pair, 'x', sizeof(pair));
    pair[BASIC_USER_BYTES - 1] = ':';
    assert_string_not_equal(read_pair(pair, BASIC_USER_BYTES + BASIC_PASSWORD_BYTES - 1), "");
    assert_string_equal(read_pair(pair, BASIC_USER_BYTES + BASIC_PASSWORD_BYTES), "");
    pair[BASIC_USER_BYTES - 1] = 'x';
    pair[BASIC_USER_BYTES] = ':';
    assert_string_equal(read_pair(pair, BASIC_USER_BYTES + 10), "");
}

static void test_headers(void **state)
{
    struct basic basic;

    (void)state;
    assert_true(basic_read("basic  YW5uOnNlY3JldA==", &basic));
    assert_string_equal(basic.user, "ann");
    assert_true(basic_read("Basic YW5uOnNlY3JldA== ", &basic));
    assert_false(basic_read("Basic YW5uOnNlY3JldA", &basic));
    assert_false(basic_read("Basic", &basic));
    assert_false(basic_read("Basic ", &basic));
    assert_false(basic_read("Basic !!!!", &basic));
    assert_false(basic_read("Bearer YW5uOnNlY3JldA==", &basic));
    assert_string_equal(basic.password, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_control_characters_are_refused),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_headers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
